"""recommend, search, explain and embed, as a user types them."""

import csv
import io
import json

import numpy as np
import pytest

import cane_gane
from cane_gane.__main__ import main
from cane_gane.runs.answers import open_answers
from tests.launch import refused
from tests.serving.runs import SMALL, named_topics

TEXT = "topic1word3 topic1word5 topic1word7"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("asked")
    cane_gane.fit(named_topics(folder / "network"), "wane", **SMALL).save(
        folder / "run"
    )
    return folder / "run"


@pytest.fixture(scope="module")
def opened(run):
    return open_answers(run, device="cpu")


@pytest.fixture
def said(capsys, run, opened, monkeypatch):
    """Runs a command on the run, opened once for all; returns what it printed."""
    monkeypatch.setattr("cane_gane.runs.answers.open_answers", lambda *words: opened)

    def command(name, *words):
        assert main([name, str(run), *words, "--device=cpu"]) == 0
        return capsys.readouterr().out

    return command


def test_recommend_prints_an_aligned_table(said):
    lines = said("recommend", "node-a0", "--top=3").splitlines()
    assert lines[0].startswith("node-a0: topic")
    assert lines[1].split() == ["probability", "score", "node", "label", "text"]
    rows = lines[2::2]
    assert [row.split()[0] for row in rows] == ["1", "2", "3"]
    assert len({row.index("node-") for row in rows}) == 1


def test_recommend_as_json_and_csv_says_the_same(said):
    (found,) = json.loads(said("recommend", "3", "--top=4", "--json"))
    rows = list(csv.DictReader(io.StringIO(said("recommend", "3", "--top=4", "--csv"))))
    names = [own["node"]["name"] for own in found["suggestions"]]
    assert names == [row["name"] for row in rows]
    assert found["asked"]["id"] == 3
    first = found["suggestions"][0]
    total = sum(part["value"] for part in first["parts"])
    assert total == pytest.approx(first["score"], abs=2e-3)


def test_a_file_of_texts_gets_suggestions_for_each(said, tmp_path):
    (tmp_path / "texts.txt").write_text(f"{TEXT}\ntopic0word1 topic0word2\n")
    words = f"--file={tmp_path / 'texts.txt'}", "--links=node-b0,5", "--top=60"
    found = json.loads(said("recommend", *words, "--json"))
    assert [own["asked"]["text"] for own in found] == [TEXT, "topic0word1 topic0word2"]
    for own in found:
        ids = {one["node"]["id"] for one in own["suggestions"]}
        assert len(ids) == 58
        assert not ids & {1, 5}


def test_all_nodes_go_to_a_file(said, run):
    path = run / "suggestions.csv"
    assert said("recommend", "--top=2").strip() == str(path)
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    assert len(rows) == 120
    assert {row["rank"] for row in rows} == {"1", "2"}


def test_search_prints_what_the_answers_find(said, opened):
    expected = [own.node.name for own in opened.search(TEXT, 5)]
    found = json.loads(said("search", TEXT, "--json", "--top=5"))
    assert [own["node"]["name"] for own in found] == expected
    lines = said("search", TEXT, "--top=5").splitlines()
    assert [line.split()[2] for line in lines[2::2]] == expected


def test_explain_prints_parts_words_and_a_page(said, tmp_path):
    page = tmp_path / "why.html"
    lines = said("explain", "node-a0", "node-b1", f"--html={page}").splitlines()
    assert lines[0] == "node-a0 → node-b1"
    assert "matched words, rare ones first" in lines
    parts = [line.split() for line in lines if line.startswith("  score ")]
    assert float(parts[0][-1]) == pytest.approx(float(lines[1].split()[1].strip(",")))
    text = page.read_text()
    assert "node-b1" in text
    assert 'id="word-lines"' in text


def test_explain_takes_texts(said):
    found = json.loads(said("explain", TEXT, "node-c0", "--json"))
    assert (found["source"]["id"], found["target"]["id"]) == (-1, 2)
    assert np.array(found["match"]["plan"]).sum() == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("form", ["npy", "csv", "word2vec", "projector"])
def test_embed_writes_the_same_numbers_in_every_format(said, tmp_path, form):
    path = tmp_path / f"vectors.{form}"
    said("embed", f"--format={form}", f"--output={path}", "--nodes=node-a0,7,node-c1")
    said("embed", f"--output={tmp_path / 'all.npy'}")
    expected = np.load(tmp_path / "all.npy")[[0, 7, 28]]
    if form == "npy":
        found = np.load(path)
    elif form == "csv":
        rows = list(csv.reader(io.StringIO(path.read_text())))
        assert [row[0] for row in rows] == ["name", "node-a0", "node-h0", "node-c1"]
        found = np.array([row[1:] for row in rows[1:]], float)
    elif form == "word2vec":
        lines = path.read_text().splitlines()
        assert lines[0] == "3 16"
        found = np.array([line.split()[1:] for line in lines[1:]], float)
    else:
        found = np.loadtxt(path / "tensors.tsv", delimiter="\t")
        names = (path / "metadata.tsv").read_text().splitlines()
        assert [row.split("\t")[0] for row in names[1:]] == [
            "node-a0",
            "node-h0",
            "node-c1",
        ]
        assert "metadata.tsv" in (path / "projector_config.pbtxt").read_text()
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_texts_are_embedded_too(said, run):
    path = said("embed", "--text", TEXT).strip()
    assert path == str(run / "texts.npy")
    assert np.load(path).shape == (1, 16)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["recommend", "node-a00"], "did you mean 'node-a0'"),
        (["recommend", "--links=1"], "expected --text or --file"),
        (["recommend", "--text", " "], "found no word"),
        (["recommend", "--file=/no/such/file"], "no such file"),
        (["recommend", "0", "--top=0"], "--top=0"),
        (["explain", "0", "60"], "expected 0 to 59"),
        (["search"], "expected RUN TEXT"),
        (["embed", "--format=xls"], "expected one of npy"),
        (["embed", "--nodes=1", "--text=a b"], "expected one of them"),
    ],
)
def test_bad_words_are_refused_on_one_line(said, capsys, run, words, message):
    name, *rest = words
    assert message in refused(capsys, name, run, *rest)


def test_a_folder_without_a_run_is_refused(capsys, tmp_path):
    assert "config.json" in refused(capsys, "recommend", tmp_path, "0")
