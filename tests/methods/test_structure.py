"""DeepWalk, node2vec and LINE: structure alone, against known answers."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from cane_gane.data.graph import adjacency, random_step
from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.evaluation.fitted import VectorFitted
from cane_gane.methods import node2vec
from cane_gane.methods.line import LineSettings, proximity_vectors
from cane_gane.methods.registry import find_method
from cane_gane.methods.skip_gram import WalkSettings, walk_vectors
from tests.conftest import ROOT


def two_rings(size=20):
    """Two rings with chords to the next but one, and a node without an edge."""
    ring = np.arange(size)
    edges = [np.stack([ring, (ring + step) % size], 1) for step in (1, 2)]
    one = np.concatenate(edges)
    return np.concatenate([one, one + size]), 2 * size + 1


def cosines(vectors):
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors @ vectors.T


def test_walks_place_nodes_near_those_they_reach():
    edges, count = two_rings()
    settings = WalkSettings(dimension=16, walks=20, span=4, passes=3)
    vectors = walk_vectors(edges, count, settings, seed=1)
    assert np.isnan(vectors[-1]).all()
    near = cosines(vectors[:-1])
    assert near[:20, :20].mean() > near[:20, 20:].mean() + 0.2
    assert near[0, 1] > near[0, 10]


def test_a_skip_gram_approaches_the_factors_of_deepwalk():
    """Its inner products rank pairs as log of the walks' co-occurrence (Qiu 2018)."""
    rng = np.random.default_rng(5)
    blocks = np.repeat(np.arange(3), 15)
    chance = np.where(blocks[:, None] == blocks, 0.35, 0.03)
    edges = np.argwhere(np.triu(rng.random((45, 45)) < chance, 1))
    joined = adjacency(edges, 45)
    seen = np.flatnonzero(joined.sum(axis=1))
    step, degrees = random_step(joined).toarray(), joined.sum(axis=1)
    window = 5
    reach = sum(np.linalg.matrix_power(step, r) for r in range(1, window + 1))
    expected = np.log(np.maximum(reach / degrees[None], 1e-9))[np.ix_(seen, seen)]
    settings = WalkSettings(dimension=45, walks=40, span=window, passes=5)
    vectors = walk_vectors(edges, 45, settings, seed=1)[seen]
    upper = np.triu_indices(len(seen), 1)
    found = np.corrcoef((vectors @ vectors.T)[upper], expected[upper])[0, 1]
    assert found > 0.6


@pytest.mark.slow
def test_vectors_depend_on_the_seed_alone_in_a_fresh_process():
    edges = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2], [4, 5]]
    code = (
        "import sys, numpy as np\n"
        "from cane_gane.methods.skip_gram import WalkSettings, walk_vectors\n"
        f"edges = np.array({edges})\n"
        "found = walk_vectors(edges, 6, WalkSettings(dimension=8), 3)\n"
        "sys.stdout.buffer.write(found.tobytes())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "7"},
    )  # fmt: skip
    here = walk_vectors(np.array(edges), 6, WalkSettings(dimension=8), seed=3)
    assert done.stdout == here.tobytes()


def test_node2vec_with_both_parameters_1_is_deepwalk():
    edges, count = two_rings()
    split = Split(TextualNetwork([""] * count, edges), edges, edges[:0])
    small = {"dimension": 8, "walks": 2, "length": 10}
    plain = find_method("deepwalk")
    biased = find_method("node2vec")
    np.testing.assert_array_equal(
        biased.fit(split, biased.settings.make(p=1.0, q=1.0, **small), 1, None).vectors,
        plain.fit(split, plain.settings.make(**small), 1, None).vectors,
    )


def test_node2vec_takes_the_best_of_its_grid(monkeypatch, tmp_path):
    edges, count = two_rings()
    split = Split(TextualNetwork([""] * count, edges), edges, edges[:0])
    monkeypatch.setattr(node2vec, "GRID", (0.5, 2.0))
    settings = node2vec.Node2vecSettings(dimension=8, walks=2, length=10)
    find_method("node2vec").fit(split, settings, 1, tmp_path)
    found = json.loads((tmp_path / node2vec.FILE).read_text())
    assert {(own["p"], own["q"]) for own in found["tried"]} == {
        (0.5, 0.5), (0.5, 2.0), (2.0, 0.5), (2.0, 2.0)
    }  # fmt: skip
    best = max(found["tried"], key=lambda own: own["auc"])
    assert (found["p"], found["q"]) == (best["p"], best["q"])


def test_no_test_edge_decides_on_p_and_q():
    edges, count = two_rings()
    settings = node2vec.Node2vecSettings(q=1.0, dimension=8, walks=2, length=10)
    network = TextualNetwork([""] * count, edges)
    choices = [
        node2vec.choose(Split(network, edges[:60], test), settings, seed=1)
        for test in (edges[60:], edges[:0])
    ]
    assert choices[0] == choices[1]


def test_the_first_order_scores_edges_above_others():
    edges, count = two_rings()
    settings = LineSettings(epochs=200, learning_rate=0.02)
    vectors = proximity_vectors(edges, count, 1, 16, settings, seed=1)
    scores = VectorFitted(vectors).score_rows(np.arange(count - 1))[:, :-1]
    joined = adjacency(edges, count).toarray()[:-1, :-1] > 0
    others = ~joined & ~np.eye(count - 1, dtype=bool)
    assert scores[joined].min() > np.quantile(scores[others], 0.95)


def test_the_second_order_makes_nodes_with_the_same_neighbours_alike():
    # 0 and 1 are joined with 2 to 6 both, but not with each other; 7 and 8 likewise.
    edges = np.array([[a, b] for a in (0, 1) for b in range(2, 7)]
                     + [[a, b] for a in (7, 8) for b in range(9, 14)])  # fmt: skip
    settings = LineSettings(epochs=300, learning_rate=0.02)
    near = cosines(proximity_vectors(edges, 14, 2, 8, settings, seed=1))
    assert near[0, 1] > 0.9
    assert near[0, 1] > near[0, 7] + 0.5


def test_line_has_two_halves_of_length_1():
    edges, count = two_rings()
    method = find_method("line")
    split = Split(TextualNetwork([""] * count, edges), edges, edges[:0])
    settings = method.settings.make(dimension=11, epochs=2)
    vectors = method.fit(split, settings, 1, None).vectors
    assert vectors.shape == (count, 11)
    assert np.isnan(vectors[-1]).all()
    for half in (vectors[:-1, :5], vectors[:-1, 5:]):
        np.testing.assert_allclose(np.linalg.norm(half, axis=1), 1, rtol=1e-5)
