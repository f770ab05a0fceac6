"""The import command: a folder that the others take, or nothing at all."""

import json
import subprocess
import sys

import pytest

from cane_gane.__main__ import main
from cane_gane.data.network import TextualNetwork
from tests.conftest import ROOT

TABLE = "id,text,links\nann a,red fox,bob\nbob,blue sea,ann a;cleo\ncleo,red sea,\n"


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").write_text(TABLE)
    return tmp_path


def test_it_prints_what_inspect_prints_and_the_next_command(place, capsys):
    assert main(["import", "mine.csv"]) == 0
    shown = capsys.readouterr()
    columns, _, *report, blank, following, asked = shown.out.splitlines()
    assert asked == "then: bash run.sh recommend runs/mine-all-ap-seed1 'ann a'"
    assert columns == "mine.csv: id from 'id', text from 'text', links from 'links'"
    assert (blank, following) == ("", "next: bash run.sh ./mine all ap")
    assert main(["inspect", "mine"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == report[1:]
    assert shown.err == ""


def test_the_folder_may_be_named_and_json_printed(place, capsys):
    assert main(["import", "mine.csv", "there/other", "--json", "--quiet"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["nodes"] == 3
    assert shown.err == ""
    network = TextualNetwork.read(place / "there/other")
    assert network.names == ("ann a", "bob", "cleo")


def test_a_data_set_is_replaced_only_when_told_to(place, capsys):
    assert main(["import", "mine.csv"]) == 0
    before = (place / "mine/data.txt").read_text()
    (place / "mine.csv").write_text(TABLE.replace("fox", "cat"))
    assert main(["import", "mine.csv"]) == 2
    assert "mine: found a data set; expected a new folder" in capsys.readouterr().err
    assert (place / "mine/data.txt").read_text() == before
    assert main(["import", "mine.csv", "--overwrite"]) == 0
    assert "cat" in (place / "mine/data.txt").read_text()


def test_no_other_folder_is_replaced(place, capsys):
    (place / "mine").mkdir()
    (place / "mine/letter.txt").write_text("dear")
    assert main(["import", "mine.csv", "--overwrite"]) == 2
    assert "found a folder with letter.txt; expected a new" in capsys.readouterr().err
    assert (place / "mine/letter.txt").read_text() == "dear"
    assert main(["import", "mine.csv", "mine/letter.txt"]) == 2
    assert "found a file; expected a new folder" in capsys.readouterr().err


def test_a_fault_leaves_nothing_behind(place, capsys):
    (place / "mine.csv").write_text(TABLE.replace("cleo,red sea", "dan,red sea"))
    assert main(["import", "mine.csv"]) == 2
    assert "1 link to unknown ids, the first of them 'cleo'" in capsys.readouterr().err
    assert [path.name for path in place.iterdir()] == ["mine.csv"]
    assert main(["import", "mine.csv", "--skip-unknown"]) == 0


@pytest.mark.parametrize("name", [".", "..", "/", "", "nowhere.csv"])
def test_what_is_no_file_is_refused(name, capsys):
    assert main(["import", name]) == 2
    assert "found no file; expected a table" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["--source=a"], ["--weight=a"], ["--edges=mine.csv", "--links=a"]]
)
def test_a_flag_that_would_do_nothing_is_refused(words, capsys):
    assert main(["import", "mine.csv", *words]) == 2
    assert "--edges; expected links in a column, or edges" in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["a.csv", "b", "c"]])
def test_other_numbers_of_words_are_refused(words, capsys):
    assert main(["import", *words]) == 2
    assert "expected FILE [FOLDER]" in capsys.readouterr().err


@pytest.mark.slow
def test_its_folder_is_trained_on_and_asked_by_names_with_spaces(place):
    """Fresh processes, from a table to a suggestion."""
    rows = [
        f"item {i},topic{i % 3} thing{i},item {(i + 3) % 30};item {(i + 6) % 30}"
        for i in range(30)
    ]
    (place / "items.csv").write_text("\n".join(["id,text,links", *rows]))

    def run(*words):
        command = [sys.executable, "-m", "cane_gane", *words]
        done = subprocess.run(
            command, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT)}
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("import", "items.csv")
    run("./items", "all", "wane", "--epochs=1", "--dimension=8", "--device=cpu")
    folder = "runs/items-all-wane-seed1"
    asked = json.loads(run("recommend", folder, "item 0", "--top=3", "--json"))
    assert asked[0]["asked"]["name"] == "item 0"
    assert asked[0]["suggestions"][0]["node"]["name"].startswith("item ")
    assert "item 0 → item 9" in run("explain", folder, "item 0", "item 9")
    run("embed", folder, "--format=word2vec", "--output=v.txt")
    assert (place / "v.txt").read_text().splitlines()[1].startswith("item_0 ")
