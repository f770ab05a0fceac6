"""The index, beside inner products with all vectors."""

import numpy as np
import pytest

from cane_gane.serving.index import VectorIndex


@pytest.fixture(scope="module")
def vectors():
    rng = np.random.default_rng(2)
    centres = rng.normal(size=(20, 16))
    found = centres[rng.integers(20, size=1500)] + 0.4 * rng.normal(size=(1500, 16))
    return found * rng.uniform(0.5, 2, (1500, 1))  # of several lengths


def test_it_names_the_largest_inner_products(vectors):
    index = VectorIndex.load(VectorIndex.build(vectors, 1).save())
    shares = []
    for vector in vectors[:50]:
        best = np.argsort(-(vectors @ vector))[:20]
        shares.append(np.isin(best, index.nearest(vector, 20)).mean())
    assert np.mean(shares) > 0.97


def test_the_same_seed_gives_the_same_index(vectors):
    first, second = (VectorIndex.build(vectors, 1).save() for _ in range(2))
    assert first == second


def test_a_node_without_a_vector_is_never_named(vectors):
    gappy = vectors[:40].copy()
    gappy[7] = np.nan
    index = VectorIndex.build(gappy, 1)
    assert sorted(index.nearest(gappy[0], 100)) == [n for n in range(40) if n != 7]
    assert index.nearest(gappy[7], 5).tolist() == []


def test_several_vectors_are_asked_about_at_once(vectors):
    gappy = vectors[:40].copy()
    gappy[7] = np.nan
    index = VectorIndex.build(gappy, 1)
    found = index.nearest_of(gappy, 5)
    assert (found[7] == -1).all()
    for row, vector in zip(found, gappy, strict=True):
        assert row[row >= 0].tolist() == index.nearest(vector, 5).tolist()


def test_vectors_that_are_all_alike_are_found():
    index = VectorIndex.build(np.ones((3000, 4)), 1)
    found = index.nearest(np.ones(4), 200)
    assert len(set(found.tolist())) == len(found) > 0


def test_blocks_do_not_change_the_index(vectors, monkeypatch):
    whole = VectorIndex.build(vectors, 1).save()
    monkeypatch.setattr("cane_gane.serving.index._BLOCK", 400)
    assert VectorIndex.build(vectors, 1).save() == whole
