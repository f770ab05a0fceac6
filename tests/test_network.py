"""Reading a folder: what is accepted, and the one line for what is not."""

import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cane_gane.errors import InputError
from cane_gane.network import TextualNetwork

TEXT = b"red fox\nblue sea\nred sea\n"


def test_reads_texts_and_edges_in_the_order_of_the_files(folder):
    network = TextualNetwork.read(folder())
    assert network.texts == ["red fox", "blue sea", "red sea"]
    assert network.edges.tolist() == [[0, 1], [1, 2]]
    assert network.labels is None
    assert network.names is None


@pytest.mark.parametrize(
    "graph",
    [
        b"0 1\n1 2\n",
        b"0\t1\r\n1\t2\r\n",
        b"0\t1\n1\t2",
        b"  0   1 \n\n1\t \t2\n\n",
        b"\xef\xbb\xbf0 1\n1 2\n",
    ],
    ids=["space", "windows", "no last newline", "any white space", "byte order mark"],
)
def test_accepts_every_spelling_of_the_same_edges(folder, graph):
    network = TextualNetwork.read(folder({"graph.txt": graph}))
    assert network.edges.tolist() == [[0, 1], [1, 2]]


@pytest.mark.parametrize(
    "data",
    [TEXT.replace(b"\n", b"\r\n"), TEXT[:-1], b"\xef\xbb\xbf" + TEXT],
    ids=["windows", "no last newline", "byte order mark"],
)
def test_accepts_every_spelling_of_the_same_texts(folder, data):
    network = TextualNetwork.read(folder({"data.txt": data}))
    assert network.texts == ["red fox", "blue sea", "red sea"]


def test_keeps_the_raw_lines_for_upstreams_tokenizer(folder):
    network = TextualNetwork.read(folder({"data.txt": b"a\r\nb\nc"}))
    assert list(network.lines) == [b"a\r\n", b"b\n", b"c"]


def test_only_a_newline_ends_a_text(folder):
    network = TextualNetwork.read(
        folder({"data.txt": "a\x0bb\x85\u2028c\nd\ne".encode()})
    )
    assert network.texts == ["a\x0bb\x85\u2028c", "d", "e"]


def test_an_empty_text_is_a_node(folder):
    assert TextualNetwork.read(folder({"data.txt": b"a\n\nb\n"})).texts == [
        "a",
        "",
        "b",
    ]


def test_labels_may_be_blank_one_or_several(folder):
    network = TextualNetwork.read(folder({"group.txt": b"x\n\ny z\n"}))
    assert network.labels == (("x",), (), ("y", "z"))


def test_graph_may_use_names(folder):
    files = {"ids.txt": b"ann\nbob\ncleo\n", "graph.txt": b"cleo ann\nbob cleo\n"}
    network = TextualNetwork.read(folder(files))
    assert network.names == ("ann", "bob", "cleo")
    assert network.edges.tolist() == [[2, 0], [1, 2]]


def test_graph_may_use_ids_beside_names(folder):
    network = TextualNetwork.read(folder({"ids.txt": b"ann\nbob\ncleo\n"}))
    assert network.edges.tolist() == [[0, 1], [1, 2]]


def test_names_that_are_numbers_are_names(folder):
    files = {"ids.txt": b"2\n1\n0\n", "graph.txt": b"0 1\n"}
    assert TextualNetwork.read(folder(files)).edges.tolist() == [[2, 1]]


FAULTS = {
    "id out of range": (
        {"graph.txt": b"0 1\n1 3\n"},
        r"graph\.txt:2: found '3'; expected a node id from 0 to 2",
    ),
    "negative id": ({"graph.txt": b"0 -1\n"}, r"graph\.txt:1: found '-1'; expected"),
    "huge id": ({"graph.txt": b"0 " + b"9" * 5000}, r"graph\.txt:1: found '9+'"),
    "one column": (
        {"graph.txt": b"0 1\n2\n"},
        r"graph\.txt:2: found 1 column \('2'\); expected two node ids",
    ),
    "three columns": (
        {"graph.txt": b"0 1 2\n"},
        r"graph\.txt:1: found 3 columns \('0 1 2'\); expected two node ids",
    ),
    "letters": (
        {"graph.txt": b"0 b\n"},
        r"graph\.txt:1: found 'b'; expected a node id",
    ),
    "digits of another script": ({"graph.txt": "0 ١\n".encode()}, r"txt:1: found '١'"),
    "missing graph": (
        {"graph.txt": None},
        r"graph\.txt: found no such file; expected it beside data\.txt",
    ),
    "missing text": ({"data.txt": None}, r"data\.txt: found no such file"),
    "empty text file": ({"data.txt": b""}, r"data\.txt: found no text; expected"),
    "no edge": ({"graph.txt": b"\n \n"}, r"graph\.txt: found no edge; expected two"),
    "labels of another length": (
        {"group.txt": b"a\nb\n"},
        r"group\.txt: found 2 lines; expected 3, one for each line of data\.txt",
    ),
    "names of another length": ({"ids.txt": b"a\n"}, r"ids\.txt: found 1 lines; expe"),
    "blank name": (
        {"ids.txt": b"a\n\nc\n"},
        r"ids\.txt:2: found ''; expected one name",
    ),
    "same name twice": (
        {"ids.txt": b"a\nb\na\n"},
        r"ids\.txt:3: found 'a', which line 1 holds too",
    ),
    "unknown name": (
        {"ids.txt": b"a\nb\nc\n", "graph.txt": b"a b\nb d\n"},
        r"graph\.txt:2: found 'd'; expected a name that stands in ids\.txt",
    ),
    "bad UTF-8": (
        {"data.txt": b"ok\ncaf\xe9\nok\n"},
        r"data\.txt:2: found byte 0xe9 at column 4; expected text in UTF-8 \(iconv",
    ),
    "NUL byte": ({"data.txt": b"a\nb\0\nc\n"}, r"data\.txt:2: found a NUL byte"),
    "NUL byte in edges": ({"graph.txt": b"0 1\0\n"}, r"graph\.txt:1: found a NUL byte"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_one_line_that_says_what_to_mend(folder, name):
    files, pattern = FAULTS[name]
    with pytest.raises(InputError) as caught:
        TextualNetwork.read(folder(files))
    assert re.search(pattern, str(caught.value))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], np.zeros((0, 2))), "found 0 nodes and 0 edges"),
        ((["a"], np.zeros((1, 3))), r"shape \(1, 3\)"),
        ((["a"], np.array([[0, 1]])), "node ids 0 to 1 in the edges; expected 0 to 0"),
        ((["a"], np.array([[0, 0]]), [(), ()]), "found 2 labels; expected 1"),
    ],
)
def test_a_network_in_memory_is_checked_too(arguments, message):
    with pytest.raises(InputError, match=message):
        TextualNetwork(*arguments)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    st.dictionaries(
        st.sampled_from(["data.txt", "graph.txt", "group.txt", "ids.txt"]),
        st.binary(max_size=60),
    )
)
def test_any_bytes_give_a_network_or_one_line(folder, files):
    where = folder(files)
    for name in ("group.txt", "ids.txt"):
        if name not in files:
            (where / name).unlink(missing_ok=True)
    try:
        network = TextualNetwork.read(where)
        outcome = network.edges.max() < network.node_count
    except InputError as error:
        outcome = str(error).startswith(str(where))
    assert outcome
