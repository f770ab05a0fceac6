"""Reading a folder: what is accepted, and the one line for what is not."""

import hashlib
import re
import subprocess
import sys

import networkx
import numpy as np
import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cane_gane.data.network import TextualNetwork, digests
from cane_gane.data.splits import split_edges
from cane_gane.errors import InputError
from tests.conftest import ROOT

TEXT = b"red fox\nblue sea\nred sea\n"
LOOP = np.array([[0, 0]])


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


def test_names_may_have_spaces_with_tabs_between_them(folder):
    files = {"ids.txt": b"ann a\nbob\ncleo c\n"}
    edges = {"graph.txt": b"cleo c\tann a\nbob\t cleo c \n"}
    network = TextualNetwork.read(folder(files | edges))
    assert network.names == ("ann a", "bob", "cleo c")
    assert network.edges.tolist() == [[2, 0], [1, 2]]
    for ids in (b"0 1\n1 2\n", b"0\t1\n1\t2\n"):
        network = TextualNetwork.read(folder(files | {"graph.txt": ids}))
        assert network.edges.tolist() == [[0, 1], [1, 2]]


def test_a_third_column_has_weights(folder):
    network = TextualNetwork.read(folder({"graph.txt": b"0 1 2\n1\t2\t.5e1\n"}))
    assert network.edges.tolist() == [[0, 1], [1, 2]]
    assert network.weights.tolist() == [2, 5]
    assert TextualNetwork.read(folder()).weights is None


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
    "huge id": (
        {"graph.txt": b"0 " + b"9" * 5000},
        r"graph\.txt:1: found '9{40}…'; exp",
    ),
    "one column": (
        {"graph.txt": b"0 1\n2\n"},
        r"graph\.txt:2: found 1 column \('2'\); expected two node ids",
    ),
    "four columns": (
        {"graph.txt": b"0 1 2 3\n"},
        r"graph\.txt:1: found 4 columns \('0 1 2 3'\); expected two node ids, with "
        "white space between them, and perhaps a weight",
    ),
    "a weight missing": (
        {"graph.txt": b"0 1 2\n\n1 2\n"},
        r"graph\.txt:3: found 2 columns \('1 2'\); expected two node ids and a weight"
        ", as on line 1",
    ),
    "a weight too many": (
        {"graph.txt": b"0 1\n1 2 3\n"},
        r"graph\.txt:2: found 3 columns \('1 2 3'\); expected two node ids, with white "
        "space between them$",
    ),
    "two weights of an edge": (
        {"graph.txt": b"0 1 2\n0 1 2\n0 1 3\n"},
        r"graph\.txt: found the edge from node 0 to node 1 with weights 2 and 3; exp",
    ),
    "spaces between names that have some": (
        {"ids.txt": b"ann a\nbob\ncleo\n", "graph.txt": b"ann a bob\n"},
        r"graph\.txt:1: found 'ann'; expected a name from ids\.txt, with tabs between "
        "names that have spaces",
    ),
    "one name alone, where names have spaces": (
        {"ids.txt": b"ann a\nbob\ncleo\n", "graph.txt": b"ann a\tbob\ncleo\n"},
        r"graph\.txt:2: found 1 column \('cleo'\); expected two node ids, with a tab",
    ),
    "two spaces in a name": (
        {"ids.txt": b"ann  a\nbob\ncleo\n"},
        r"ids\.txt:1: found 'ann  a'; expected one name \(single spaces inside, none",
    ),
    "a space at the end of a name": (
        {"ids.txt": b"ann\nbob \ncleo\n"},
        r"ids\.txt:2: found 'bob'; expected one name \(single spaces inside, none",
    ),
    **{
        f"weight {weight}": (
            {"graph.txt": f"0 1 1\n1 2 {weight}\n".encode()},
            rf"graph\.txt:2: found '{weight}'; expected a weight, a finite number",
        )
        for weight in ("0", "-1", "nan", "inf", "1_0", "x", "1e999")
    },
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
        r"ids\.txt:3: found 'a', which is on line 1 already",
    ),
    "unknown name": (
        {"ids.txt": b"a\nb\nc\n", "graph.txt": b"a b\nb d\n"},
        r"graph\.txt:2: found 'd'; expected a name from ids\.txt",
    ),
    "bad UTF-8": (
        {"data.txt": b"ok\ncaf\xe9\nok\n"},
        r"data\.txt:2: found byte 0xe9 at column 4; expected text in UTF-8 \(iconv",
    ),
    "long line": (
        {"graph.txt": b"x " * 10_000},
        r"found 10000 columns \('(x ){20}…'\)",
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
        ((["a"], np.zeros((1, 3), int)), r"shape \(1, 3\)"),
        ((["a"], np.zeros((1, 2))), "edges of float64; expected whole numbers"),
        ((["a"], np.array([[0, 1]])), "node ids 0 to 1 in the edges; expected 0 to 0"),
        ((["a"], LOOP, [(), ()]), "found 2 labels; expected 1"),
        ((["a"], LOOP, []), "found 0 labels; expected 1"),
        ((["a"], LOOP, [("two words",)]), "'two words' in the labels; expected a word"),
        ((["a"], LOOP, None, ["a  b"]), "'a  b' in the names; expected a name with"),
        ((["a"], LOOP, None, ["a\tb"]), "'a\tb' in the names; expected a name with"),
        ((["a", "b"], LOOP, None, ["x", "x"]), "'x' 2 times in the names; expected"),
        ((["a"], LOOP, None, None, [b"a\n"] * 2), "found 2 lines; expected 1"),
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


WORDS = st.text("ab\u00e9\u4e2d019", min_size=1, max_size=3)
NAMES = st.lists(WORDS, min_size=1, max_size=2).map(" ".join)
WEIGHTS = st.floats(1e-300, 1e300)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.data())
def test_what_is_written_is_read_back(tmp_path, data):
    count = data.draw(st.integers(1, 5))
    nodes = st.integers(0, count - 1)
    each = {"min_size": count, "max_size": count}
    edges = data.draw(st.lists(st.tuples(nodes, nodes), min_size=1))
    weight_of = data.draw(st.fixed_dictionaries(dict.fromkeys(edges, WEIGHTS)))
    weights = [weight_of[edge] for edge in edges] if data.draw(st.booleans()) else None
    network = TextualNetwork(
        texts=data.draw(st.lists(st.text(" ab\u00e9\t"), **each)),
        edges=np.array(edges),
        labels=data.draw(st.none() | st.lists(st.lists(WORDS, max_size=2), **each)),
        names=data.draw(st.none() | st.lists(NAMES, unique=True, **each)),
        weights=weights,
    )
    for path in tmp_path.glob("*.txt"):
        path.unlink()
    network.write(tmp_path)
    again = TextualNetwork.read(tmp_path)
    assert again.texts == network.texts
    assert again.edges.tolist() == network.edges.tolist()
    assert (again.weights is None) == (weights is None)
    if weights is not None:
        assert again.weights.tolist() == weights
    assert again.labels == network.labels
    assert again.names == (network.names and tuple(network.names))
    assert again.lines == network.lines


def test_a_copy_has_the_same_bytes_of_text(folder, tmp_path):
    data = b"\xef\xbb\xbfa\r\nb\nc"
    TextualNetwork.read(folder({"data.txt": data})).write(tmp_path / "copy")
    assert (tmp_path / "copy" / "data.txt").read_bytes() == data


def test_a_text_is_written_as_one_line(tmp_path):
    texts = ["a\nb", "c\n", "\r\n\r\nd", "e\0f", "\ud800"]
    TextualNetwork(texts, LOOP).write(tmp_path)
    read = TextualNetwork.read(tmp_path).texts
    assert read == ["a b", "c ", "    d", "e f", "?"]


def test_a_node_is_called_by_its_name_or_number(folder):
    assert TextualNetwork.read(folder()).name_of(2) == "node 2"
    assert TextualNetwork.read(folder({"ids.txt": b"a\nb\nc\n"})).name_of(2) == "c"


@pytest.mark.parametrize(("texts", "any_text"), [(["", " "], False), (["", "a"], True)])
def test_knows_whether_it_has_texts(texts, any_text):
    assert TextualNetwork(texts, LOOP).has_texts == any_text


def test_is_from_where_it_was_read(folder):
    assert TextualNetwork.read(folder()).source == str(folder())
    assert TextualNetwork.read(folder(), source="mine").source == "mine"


def test_a_split_is_of_the_network(small_network):
    split = small_network.split(0.5, "strict", seed=3)
    train, test = split_edges(small_network.edges, 0.5, "strict", seed=3)
    assert split.network is small_network
    assert split.train.tolist() == train.tolist()
    assert split.test.tolist() == test.tolist()


def test_takes_a_graph_of_networkx():
    graph = networkx.DiGraph([("ann", "bob"), ("bob", "cleo c"), ("bob", "ann")])
    graph.nodes["ann"].update(text="red\nfox", label="x")
    graph.nodes["cleo c"].update(text="sea", label=["y", 3])
    network = TextualNetwork.from_networkx(graph)
    assert network.texts == ["red fox", "", "sea"]
    assert network.names == ["ann", "bob", "cleo c"]
    assert network.labels == (("x",), (), ("y", "3"))
    assert network.edges.tolist() == [[0, 1], [1, 2], [1, 0]]


def test_takes_an_undirected_multigraph_under_other_attributes():
    graph = networkx.MultiGraph([(7, 5), (5, 7), (5, 5)])
    graph.nodes[5].update(abstract="sea", text="not this")
    network = TextualNetwork.from_networkx(graph, text="abstract")
    assert network.texts == ["", "sea"]
    assert network.labels is None
    assert network.edges.tolist() == [[0, 1], [0, 1], [1, 1]]


def test_takes_weights_of_networkx_where_there_are_some():
    graph = networkx.DiGraph([("ann", "bob"), ("bob", "ann")])
    assert TextualNetwork.from_networkx(graph).weights is None
    graph.edges["bob", "ann"]["weight"] = 2.5
    assert TextualNetwork.from_networkx(graph).weights.tolist() == [1, 2.5]
    assert TextualNetwork.from_networkx(graph, weight="w").weights is None


def test_takes_weights_of_pandas_where_there_are_some():
    nodes = pandas.DataFrame({"text": ["red", "sea"]}, index=["ann", "bob"])
    edges = pandas.DataFrame({"source": ["ann", "bob"], "target": ["bob", "ann"]})
    assert TextualNetwork.from_pandas(nodes, edges).weights is None
    edges["weight"] = [2, 3]
    assert TextualNetwork.from_pandas(nodes, edges).weights.tolist() == [2, 3]
    edges["weight"] = [2, None]
    with pytest.raises(InputError, match="weight nan of edge 1; expected a finite"):
        TextualNetwork.from_pandas(nodes, edges)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], r"weights of shape \[1\]; expected \[2\], one for each edge"),
        ([1.0, 0.0], "weight 0 of edge 1; expected a finite number above 0"),
        ([np.inf, 1.0], "weight inf of edge 0; expected a finite number above 0"),
        ([1.0, "x"], "weights that are not numbers; expected a finite number above 0"),
    ],
)
def test_weights_in_memory_are_checked_too(weights, message):
    with pytest.raises(InputError, match=message):
        TextualNetwork(["a", "b"], np.array([[0, 1], [1, 0]]), weights=weights)


def test_a_split_keeps_the_weight_of_each_edge(tmp_path):
    """The weight says which edge it is: 100 u + v + 1."""
    edges = np.random.default_rng(0).permutation(
        [(u, v) for u in range(12) for v in range(12)]
    )
    weights = edges @ [100.0, 1.0] + 1
    network = TextualNetwork([f"t{i}" for i in range(12)], edges, weights=weights)
    for rule in ("strict", "cover", "upstream"):
        split = network.split(0.5, rule, seed=2)
        split.write(tmp_path)
        for name, part in (("graph", split.train), ("test_graph", split.test)):
            rows = np.loadtxt(tmp_path / f"{name}.txt")
            np.testing.assert_array_equal(rows[:, :2], part)
            np.testing.assert_array_equal(rows[:, 2], part @ [100.0, 1.0] + 1)


def test_an_edge_of_another_network_has_no_weight():
    network = TextualNetwork(["a"] * 3, np.array([[0, 1]]), weights=[2.0])
    for strange in ([1, 0], [0, 2], [2, 2]):
        with pytest.raises(InputError, match="which has no weight; expected an edge"):
            network.weights_of(np.array([[0, 1], strange]))


def test_takes_data_frames_of_pandas():
    nodes = pandas.DataFrame(
        {"text": ["red fox", None, "sea"], "label": ["x", None, "y z"]},
        index=["ann", "bob", "cleo"],
    )
    edges = pandas.DataFrame({"source": ["cleo", "bob"], "target": ["ann", "cleo"]})
    network = TextualNetwork.from_pandas(nodes, edges)
    assert network.texts == ["red fox", "", "sea"]
    assert network.names == ["ann", "bob", "cleo"]
    assert network.labels == (("x",), (), ("y", "z"))
    assert network.edges.tolist() == [[2, 0], [1, 2]]


def test_takes_numbers_and_missing_values_under_other_columns():
    topics = pandas.array([1, None], dtype="Int64")
    nodes = pandas.DataFrame({"about": ["a", float("nan")], "topic": topics})
    edges = pandas.DataFrame({"a": [0], "b": [1]})
    network = TextualNetwork.from_pandas(nodes, edges, "about", "topic", "a", "b")
    assert network.texts == ["a", ""]
    assert network.labels == (("1",), ())


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        ({"t": ["a"]}, {"source": [0], "target": [0]}, "no column 'text'; .* among t"),
        ({"text": ["a"]}, {"source": [0]}, "no column 'target'; expected it among sou"),
        ({"text": ["a"]}, {"source": [0], "target": [3]}, "found '3' in the edges"),
    ],
)
def test_faulty_data_frames_are_refused(nodes, edges, message):
    with pytest.raises(InputError, match=message):
        TextualNetwork.from_pandas(pandas.DataFrame(nodes), pandas.DataFrame(edges))


def test_names_that_become_equal_are_refused():
    graph = networkx.Graph([("a b", "a  b")])
    with pytest.raises(InputError, match="'a b' 2 times in the names"):
        TextualNetwork.from_networkx(graph)


def test_needs_neither_networkx_nor_pandas():
    heavy = "{'networkx', 'pandas'}"
    code = f"import sys, cane_gane.data.network; print({heavy} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT
    )
    assert done.stdout == "set()\n"


def test_digests_are_those_of_the_files(folder):
    where = folder({"group.txt": b"x\n\ny\n", "other.txt": b"z"})
    assert digests(where) == {
        name: hashlib.sha256((where / name).read_bytes()).hexdigest()
        for name in ("data.txt", "graph.txt", "group.txt")
    }
