"""What pages show of outputs is what commands print."""

import re
import shlex

import pytest

from cane_gane.__main__ import main
from tests.conftest import SHARED
from tests.docs.pages import text_of
from tools.outputs import WIDTH, prepare, renewed, shown, skeleton

QUICK = ("import", "inspect", "split")
FOUR_CELLS = r"^\| (.+) \| (.+) \| (.+) \| (.+) \|$"
SHOWN = [(page.name, command, lines) for page, command, lines in shown()]


def test_the_pages_that_show_outputs():
    assert {page for page, _, _ in SHOWN} == {
        "README.md", "data.md", "evaluation.md", "quickstart.md",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("command", "lines"),
    [(command, lines) for _, command, lines in SHOWN if command.split()[2] in QUICK],
)
def test_a_quick_command_prints_what_its_page_shows(
    command, lines, tmp_path, monkeypatch, capsys, published
):
    if "cora" in command:
        published("cora")
    monkeypatch.setenv("CANE_DATASETS", str(SHARED / "datasets"))
    prepare(tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    main(shlex.split(command)[2:])
    printed = capsys.readouterr()
    said = re.sub(r"\(/\S*(/datasets/)", r"(…\1", printed.out + printed.err)
    assert said.strip().splitlines() == lines


def test_two_pages_show_the_same_output_of_a_command():
    once = {}
    for _, command, lines in SHOWN:
        assert once.setdefault(command, lines) == lines


def test_lines_are_found_again_by_their_words():
    old = ["epoch 1  loss 3.5  2 s", "…", "  svd   1.8 %  ███", "…"]
    real = ["epoch 1  loss 3.4  1.5 min", "more", "other 3 %", " svd 1.9 % ████", "end"]
    assert renewed(old, real) == [real[0], "…", real[3], "…"]
    assert renewed(["all", "of it"], real) == real


def test_a_line_that_is_no_longer_printed_is_named():
    with pytest.raises(ValueError, match="no longer in the output: 'gone'"):
        renewed(["…", "gone"], ["here"])


def test_skeletons_leave_out_figures_alone():
    assert skeleton("  a~b  -1.25  12,345 of 3 min ██") == "a~b # # of #"


def test_the_table_of_the_readme_is_that_of_the_results():
    rows = re.findall(
        r"^\| (.+) \| (.+) \| (.+) \| (.+) \|$", text_of("README.md"), re.M
    )
    results = text_of("docs/results.md")
    names = {
        "**GANE-AP with evidence, the default**": "GANE-AP with evidence, the default",
        "linear ranker, 13 plain features": "linear ranker",
        "GANE-AP alone, `--evidence=none`": "GANE-AP alone",
        "TF-IDF with training neighbours, nothing learned":
            "TF-IDF with training neighbours",
    }  # fmt: skip
    figures = {name: cells for name, *cells in rows if name in names}
    assert figures.keys() == names.keys()
    for shown_as, name in names.items():
        for network, cell in zip(
            ("HepTh", "cora", "pydocs"), figures[shown_as], strict=True
        ):
            line = re.search(rf"^\| {network}, {name} \| (.+) \|$", results, re.M)
            assert line is not None, (network, name)
            assert line[1].split(" | ")[1] == cell.strip("*"), (network, name)
