"""A method is one file and one entry: it then appears everywhere."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cane_gane
from cane_gane.__main__ import main
from cane_gane.errors import InputError
from cane_gane.methods.registry import METHODS, find_method
from tests.conftest import ROOT
from tests.methods import toy

START = (
    "import sys\n"
    "from cane_gane.methods.registry import METHODS\n"
    "from tests.methods import toy\n"
    "METHODS['toy'] = toy.METHOD\n"
    "from cane_gane.__main__ import main\n"
    "sys.exit(main(['train', *sys.argv[1:]]))\n"
)


@pytest.fixture
def entry(monkeypatch):
    """The one registry entry."""
    monkeypatch.setitem(METHODS, "toy", toy.METHOD)


def test_it_is_the_example_for_contributors():
    example = Path(toy.__file__).read_text(encoding="utf-8")
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert f"```python\n{example}```" in page


def test_it_is_in_the_help(entry, capsys):
    main(["--help"])
    methods = capsys.readouterr().out.partition("METHOD is ")[2].splitlines()[0]
    assert methods.endswith(", toy.")


def test_it_runs_by_its_name_and_is_evaluated_and_reported(
    entry, topics, tmp_path, capsys
):
    words = [str(topics), "0.6", "toy", f"--runs_dir={tmp_path}"]
    assert main(words) == 0
    folder = tmp_path / "topics-0.6-toy-seed1"
    metrics = json.loads((folder / "metrics.json").read_text())
    common = metrics["baselines"]["strict"]["common_neighbours"]
    for figure in ("auc", "mrr", "hits_at_10"):
        assert metrics["link_prediction"]["strict"][figure] == pytest.approx(
            common[figure]
        )
    assert "Toy neighbours" in (folder / "report.html").read_text()
    assert main(["evaluate", str(folder)]) == 0
    again = json.loads((folder / "metrics.json").read_text())
    assert again["link_prediction"] == metrics["link_prediction"]


@pytest.mark.slow
def test_it_is_in_a_table(entry, topics, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("cane_gane.runs.cell.PROGRAM", (sys.executable, "-c", START))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    output = tmp_path / "table"
    words = ["table", str(topics), "--methods=toy", "--ratios=0.6", "--seeds=1,2"]
    assert main([*words, f"--output={output}"]) == 0
    assert "Toy neighbours" in capsys.readouterr().out
    assert "Toy neighbours" in (output / "report.html").read_text()
    table = json.loads((output / "table.json").read_text())
    assert table["auc"]["strict"]["ours"]["toy"]["0.6"]["seeds"] == [1, 2]


def test_it_is_fitted_scored_and_saved_from_python(entry, topics, tmp_path):
    model = cane_gane.fit(cane_gane.load(topics).split(0.6, seed=1), "toy")
    model.save(tmp_path / "toy")
    again = cane_gane.open(tmp_path / "toy")
    np.testing.assert_array_equal(again.vectors, model.vectors)
    pairs = [(0, 5), (3, 7)]
    expected = [model.vectors[a] @ model.vectors[b] for a, b in pairs]
    assert again.score(pairs).tolist() == expected


@pytest.mark.slow
def test_its_saved_model_needs_tensorflow_alone(entry, topics, tmp_path):
    model = cane_gane.fit(cane_gane.load(topics).split(0.6, seed=1), "toy")
    model.save(tmp_path / "toy")
    code = (
        "import tensorflow as tf\n"
        f"model = tf.saved_model.load({str(tmp_path / 'toy' / 'saved_model')!r})\n"
        "ids = tf.constant([0, 3], tf.int64), tf.constant([5, 7], tf.int64)\n"
        "score = model.signatures['score_nodes'](source=ids[0], target=ids[1])\n"
        "print(*score['score'].numpy().tolist())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path
    )
    found = [float(word) for word in done.stdout.split()]
    assert found == model.score([(0, 5), (3, 7)]).tolist(), done.stderr


def test_a_method_that_reads_no_text_says_so(entry, topics):
    model = cane_gane.fit(cane_gane.load(topics), "toy")
    with pytest.raises(InputError, match="reads no text"):
        model.score_texts(["a"], ["b"])


def test_an_unknown_method_is_refused_with_the_nearest():
    with pytest.raises(InputError, match=r"found method 'wnae'.*did you mean 'wane'"):
        find_method("wnae")
