"""Random walks: steps along edges, with the chances that p and q give them."""

import numpy as np
import pytest

from cane_gane.data.graph import adjacency
from cane_gane.data.random_walks import Walker

# A triangle 0 1 2 with a tail 2 3.
EDGES = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])


def test_every_step_is_along_an_edge():
    joined = adjacency(EDGES, 5)
    walker = Walker(joined, p=0.25, q=4)
    assert walker.nodes.tolist() == [0, 1, 2, 3]  # 4 has no edge
    walks = walker.walk(np.repeat(walker.nodes, 50), 12, np.random.default_rng(1))
    steps = np.stack([walks[:, :-1].ravel(), walks[:, 1:].ravel()])
    assert joined.toarray()[steps[0], steps[1]].all()


@pytest.mark.parametrize(("p", "q"), [(1.0, 1.0), (0.25, 4.0), (4.0, 0.25)])
def test_the_second_step_has_the_chances_of_the_paper(p, q):
    walker = Walker(adjacency(EDGES, 4), p, q)
    walks = walker.walk(np.zeros(90_000, np.int64), 3, np.random.default_rng(1))
    ends = walks[walks[:, 1] == 2, 2]  # came from 0 to 2: on to 0, 1 or 3
    found = np.bincount(ends, minlength=4) / len(ends)
    weights = np.array([1 / p, 1, 0, 1 / q])  # 0 is where it came from, 1 its neighbour
    np.testing.assert_allclose(found, weights / weights.sum(), atol=0.01)


def test_walks_depend_on_the_seed_alone():
    walker = Walker(adjacency(EDGES, 4), 0.5, 2)
    first, again, other = (
        walker.walk(np.arange(4), 9, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_a_walk_stays_where_there_is_a_loop_alone():
    walker = Walker(adjacency(np.array([[1, 1]]), 2), 2, 0.5)
    walks = walker.walk(np.array([1]), 4, np.random.default_rng(1))
    assert walks.tolist() == [[1, 1, 1, 1]]
