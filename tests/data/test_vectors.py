"""Vector files: the same numbers back, and faults by file and line."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from cane_gane.data.vectors import read_embeddings, write_embeddings, write_word2vec
from cane_gane.errors import InputError
from tests.word2vec import read_word2vec

FINITE = st.floats(allow_nan=False, allow_infinity=False)
SHAPES = st.tuples(st.integers(1, 5), st.integers(1, 4))
SAME_FOLDER = settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def write(tmp_path):
    def write(content):
        (tmp_path / "embed.txt").write_bytes(content)
        return tmp_path / "embed.txt"

    return write


@SAME_FOLDER
@given(vectors=arrays.arrays(np.float64, SHAPES, elements=FINITE))
def test_embeddings_come_back_to_the_bit(tmp_path, vectors):
    write_embeddings(tmp_path / "embed.txt", vectors)
    assert (read_embeddings(tmp_path / "embed.txt") == vectors).all()


def test_single_precision_comes_back_to_the_bit(tmp_path):
    vectors = np.random.default_rng(0).normal(size=(50, 8)).astype(np.float32)
    write_embeddings(tmp_path / "embed.txt", vectors)
    read = read_embeddings(tmp_path / "embed.txt")
    assert (read.astype(np.float32) == vectors).all()


def test_a_node_without_a_vector_is_an_empty_line(tmp_path):
    write_embeddings(tmp_path / "embed.txt", [[1, 2.5], [np.nan] * 2, [np.nan] * 2])
    assert (tmp_path / "embed.txt").read_bytes() == b"1 2.5\n\n\n"


def test_an_empty_line_is_a_row_of_nan(write):
    vectors = read_embeddings(write(b"\n1 2\r\n\n"), node_count=3)
    assert np.isnan(vectors).all(axis=1).tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1 2\n\n3\n", r"embed.txt:3: found 1 values; expected 2, as in the others"),
        (b"1 2\n3 x\n", r"embed.txt:2: found 'x'; expected a finite number"),
        (b"1 nan\n", r"embed.txt:1: found 'nan'; expected a finite number"),
        (b"1 1_0\n", r"embed.txt:1: found '1_0'; expected a finite number"),
        ("1 ١\n".encode(), r"embed.txt:1: found '١'; expected a finite number"),
        (b"1 2\n\xff 2\n", r"embed.txt:2: found byte 0xff at column 1; expected text"),
        (b"\n\n", r"embed.txt: found no vector; expected one line of numbers"),
        (b"", r"embed.txt: found no vector"),
    ],
)
def test_a_faulty_file_is_named_with_its_line(write, content, message):
    with pytest.raises(InputError, match=message):
        read_embeddings(write(content))


def test_a_file_of_another_network_is_refused(write):
    with pytest.raises(InputError, match="found 2 lines; expected 3, one for each"):
        read_embeddings(write(b"1 2\n3 4\n"), node_count=3)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"embed.txt: found no such file"):
        read_embeddings(tmp_path / "embed.txt")


def test_a_vector_that_is_not_finite_is_not_written(tmp_path):
    with pytest.raises(InputError, match="vector of node 1 that is not finite"):
        write_embeddings(tmp_path / "embed.txt", [[1, 2], [1, np.nan]])


@SAME_FOLDER
@given(vectors=arrays.arrays(np.float64, SHAPES, elements=FINITE))
def test_word2vec_comes_back_to_the_bit(tmp_path, vectors):
    names = tuple(f"näme{number}" for number in range(len(vectors)))
    write_word2vec(tmp_path / "vectors.txt", vectors, names)
    read_names, read = read_word2vec(tmp_path / "vectors.txt")
    assert read_names == names
    assert (read == vectors).all()


def test_word2vec_leaves_out_nodes_without_a_vector(tmp_path):
    write_word2vec(tmp_path / "vectors.txt", [[1, 2], [np.nan] * 2, [3, 4]])
    assert (tmp_path / "vectors.txt").read_bytes() == b"2 2\n0 1 2\n2 3 4\n"
