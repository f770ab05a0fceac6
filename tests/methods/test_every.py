"""One suite over every method that is not a neural model of the frame."""

import dataclasses

import numpy as np
import pytest

import cane_gane
from cane_gane.methods.registry import METHODS
from cane_gane.models.settings import ModelSettings
from cane_gane.report import paper

KEYS = [key for key, own in METHODS.items() if own.settings is not ModelSettings]
SMALL = {
    "dimension": 8,
    "walks": 2,
    "length": 10,
    "epochs": 2,
    "groups": 4,
    "sweeps": 3,
}


def small(key):
    """The smallest settings of a method that are worth a look."""
    known = {field.name for field in METHODS[key].settings.fields()}
    return {name: value for name, value in SMALL.items() if name in known}


@pytest.fixture(scope="module")
def split(topics):
    return cane_gane.load(topics).split(0.6, seed=1)


def test_every_row_of_the_paper_has_its_method():
    rows = {own.paper for own in METHODS.values()}
    assert rows == {*paper.auc_curves("cora")} - {paper.README}


@pytest.mark.parametrize("key", KEYS)
def test_no_test_edge_is_looked_at(key, split):
    blind = dataclasses.replace(split, test=split.test[:0])
    seen, unseen = (cane_gane.fit(own, key, **small(key)) for own in (split, blind))
    np.testing.assert_array_equal(seen.vectors, unseen.vectors)


@pytest.mark.parametrize("key", KEYS)
def test_what_is_saved_scores_as_what_was_fitted(key, split, tmp_path):
    model = cane_gane.fit(dataclasses.replace(split, test=split.test[:0]), key,
                          **small(key))  # fmt: skip
    assert np.isfinite(model.vectors[split.train]).all()
    model.save(tmp_path / "run")
    again = cane_gane.open(tmp_path / "run")
    np.testing.assert_array_equal(again.vectors, model.vectors)
    np.testing.assert_array_equal(again.score(split.test), model.score(split.test))


@pytest.mark.parametrize("key", KEYS)
def test_a_network_without_texts_does(key, split):
    edges = split.train
    bare = cane_gane.TextualNetwork([""] * split.network.node_count, edges)
    vectors = cane_gane.fit(bare, key, seed=1, **small(key)).vectors
    assert np.isfinite(vectors[edges]).all()


@pytest.mark.parametrize("key", KEYS)
def test_the_docstring_names_the_paper(key):
    module = __import__(f"cane_gane.methods.{key}", fromlist=["_"])
    first = module.__doc__.splitlines()[0]
    assert METHODS[key].title.lower() in first.lower()
    assert "20" in first
