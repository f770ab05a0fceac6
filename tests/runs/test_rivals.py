"""Baselines beside training: the same figures, kept for the next run of a split."""

import numpy as np
import pytest

from cane_gane import beside
from cane_gane.data.network import TextualNetwork
from cane_gane.evaluation.evaluate import evaluate
from cane_gane.evaluation.fitted import VectorFitted
from cane_gane.evaluation.results import to_json
from cane_gane.methods.baselines import fit_baselines, measure_baselines
from cane_gane.runs import rivals
from cane_gane.runs.rivals import FOLDER, begin_baselines, kept_baselines, pack, unpack


@pytest.fixture(scope="module")
def split(topics):
    return TextualNetwork.read(topics).split(0.6, "upstream", seed=1)


@pytest.fixture
def large(monkeypatch):
    """Any network is large enough to keep its baselines."""
    monkeypatch.setattr(beside, "SMALL", 1)


def evaluated(split, baselines):
    vectors = np.random.default_rng(0).normal(size=(split.network.node_count, 4))
    return to_json(evaluate(VectorFitted(vectors), split, baselines, seed=3))


@pytest.fixture(scope="module")
def expected(split):
    return evaluated(split, fit_baselines(split))


def test_baselines_that_were_measured_before_give_the_same_evaluation(split, expected):
    assert evaluated(split, measure_baselines(split, 3)) == expected


def test_a_file_gives_back_all_of_it(split, expected):
    assert evaluated(split, unpack(pack(measure_baselines(split, 3)))) == expected


def test_the_second_process_gives_the_same(split, expected, large, tmp_path):
    found = begin_baselines(split, 3, tmp_path).result()
    assert evaluated(split, found) == expected


def test_they_are_measured_once_for_a_split(split, large, tmp_path, monkeypatch):
    first = kept_baselines(split, 3, tmp_path)
    monkeypatch.setattr(rivals, "measure_baselines", None)
    assert pack(kept_baselines(split, 3, tmp_path)) == pack(first)


@pytest.mark.parametrize("change", ["seed", "texts", "split", "code"])
def test_what_they_depend_on_is_in_the_name(split, change, monkeypatch):
    seed, other, code = 3, split, rivals._code()
    if change == "seed":
        seed = 4
    elif change == "texts":
        texts = ["another text", *split.network.texts[1:]]
        other = TextualNetwork(texts, split.network.edges).split(0.6, "upstream", 1)
    elif change == "split":
        other = split.network.split(0.6, "upstream", seed=2)
    else:
        code += " "
    before = rivals._key(split, 3)
    monkeypatch.setattr(rivals, "_code", lambda: code)
    assert rivals._key(other, seed) != before


def test_a_damaged_file_is_written_anew(split, large, tmp_path):
    first = pack(kept_baselines(split, 3, tmp_path))
    (file,) = tmp_path.glob("*.npz")
    file.write_bytes(first[: len(first) // 2])
    assert pack(kept_baselines(split, 3, tmp_path)) == first
    assert len(file.read_bytes()) == len(first)


def test_a_small_network_leaves_no_file(split, tmp_path):
    begin_baselines(split, 3, tmp_path).result()
    assert not (tmp_path / FOLDER).exists()
