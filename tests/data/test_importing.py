"""Networks from tables: what is found by itself, what is named, what is refused."""

import json

import networkx
import numpy as np
import pandas
import pytest

from cane_gane.data.importing import import_files
from cane_gane.data.network import TextualNetwork
from cane_gane.errors import InputError

NODES = "id,text,label\nann a,red fox,x\nbob,blue sea,y;two words\ncleo,,\n"


@pytest.fixture
def take(tmp_path):
    """Writes tables, and imports them."""

    def run(nodes, edges=None, skip_unknown=False, **chosen):
        (tmp_path / "nodes.csv").write_text(nodes)
        second = None
        if edges is not None:
            second = tmp_path / "edges.txt"
            second.write_text(edges)
        return import_files(tmp_path / "nodes.csv", second, chosen, skip_unknown)

    return run


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("bob", [1]), ("ann a", [0]), ("ann a;bob", [0, 1]), ("ann a, bob", [0, 1]),
        (" bob  cleo ", [1, 2]), ("bob;;cleo;", [1, 2]), ("ann a; bob, b", [0, 3]),
    ],
)  # fmt: skip
def test_links_may_be_parted_in_any_usual_way(take, cell, expected):
    rows = ["ann a,,x", "bob,,x", f'cleo,,"{cell}"', '"bob, b",,ann a']
    nodes = "\n".join(["id,text,links", *rows]).replace(",x", ",")
    edges = take(nodes).network.edges.tolist()
    assert edges[:-1] == [[2, target] for target in expected]


def test_texts_labels_and_names(take):
    network = take(NODES, "ann a,bob\n").network
    assert network.names == ("ann a", "bob", "cleo")
    assert network.texts == ["red fox", "blue sea", ""]
    assert network.labels == (("x",), ("y", "two_words"), ())
    assert network.weights is None


@pytest.mark.parametrize(
    "edges",
    [
        "ann a,bob\nbob,cleo\n",
        "source,target\nann a,bob\nbob,cleo\n",
        "To,From\nbob,ann a\ncleo,bob\n",
        "# comment\nann a\tbob\nbob\tcleo\n",
        "x;y;year\nann a;bob;1990\nbob;cleo;1991\n",
        '"ann a","bob"\r\n"bob","cleo"\r\n',
        '{"source": "ann a", "target": "bob"}\n{"source": "bob", "target": "cleo"}\n',
    ],
)
def test_edge_lists_with_and_without_header(take, edges):
    network = take(NODES, edges).network
    assert network.edges.tolist() == [[0, 1], [1, 2]]
    assert network.weights is None


@pytest.mark.parametrize(
    "edges",
    [
        "1 2 2\n2 3 0.5\n",
        "1,2,2\n2,3,.5\n",
        "src\tdst\tweight\n1\t2\t2\n2\t3\t5e-1\n",
        "weight,year,source,target\n2,1990,1,2\n0.5,1991,2,3\n",
    ],
)
def test_edge_lists_may_have_weights(take, edges):
    network = take("id,text\n1,a\n2,b\n3,c\n", edges).network
    assert network.edges.tolist() == [[0, 1], [1, 2]]
    assert network.weights.tolist() == [2, 0.5]


def test_the_weights_of_an_edge_that_is_there_twice_are_added(take):
    found = take(NODES, "ann a,bob,2\nbob,cleo,1\nann a,bob,3\n")
    assert found.network.edges.tolist() == [[0, 1], [1, 2]]
    assert found.network.weights.tolist() == [5, 1]
    assert found.notes == ["added the weights of 1 repeated edges to the first ones"]


def test_columns_can_be_named(take):
    nodes = "key,name,title,body,see\n1,x,Red,fox,y\n2,y,Sea,,x\n"
    found = take(nodes, id="Name", text="title,body", links="see")
    assert found.network.names == ("x", "y")
    assert found.network.texts == ["Red fox", "Sea"]
    assert found.columns == {"id": "name", "text": "title + body", "links": "see"}
    assert found.unused == ["key"]


def test_columns_of_edges_can_be_named(take):
    edges = "a,b,c\n7,ann a,bob\n8,bob,cleo\n"
    network = take(NODES, edges, source="b", target="c", weight="a").network
    assert network.edges.tolist() == [[0, 1], [1, 2]]
    assert network.weights.tolist() == [7, 8]


def test_unknown_links_are_left_out_when_told_to(take):
    nodes = "id,text,links\na,x,b;q;r\nb,y,a;q\n"
    found = take(nodes, skip_unknown=True)
    assert found.network.edges.tolist() == [[0, 1], [1, 0]]
    note = "left out 3 links to unknown ids, the first of them 'q' on line 2"
    assert found.notes == [note]


def test_json_lines_may_have_lists_and_numbers(tmp_path):
    rows = [
        {"id": 7, "text": "red\nfox", "links": [8, 9.0], "label": ["x", "y z"]},
        {"id": 8, "text": None, "links": [], "label": "z"},
        {"id": 9, "links": "7", "text": "sea"},
    ]
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    network = import_files(path).network
    assert network.names == ("7", "8", "9")
    assert network.texts == ["red fox", "", "sea"]
    assert network.labels == (("x", "y_z"), ("z",), ())
    assert network.edges.tolist() == [[0, 1], [0, 2], [2, 0]]


def test_what_is_written_is_read_as_the_same_network(take, tmp_path):
    """An independent way: networkx writes the edges, pandas the nodes."""
    graph = networkx.gnp_random_graph(20, 0.2, seed=1, directed=True)
    for number, (_, _, data) in enumerate(graph.edges(data=True)):
        data["weight"] = 0.5 + number
    graph = networkx.relabel_nodes(graph, {node: f"n {node}" for node in graph})
    frame = pandas.DataFrame({"id": list(graph), "text": [f"t {n}" for n in graph]})
    edges = networkx.to_pandas_edgelist(graph)
    network = take(frame.to_csv(index=False), edges.to_csv(index=False)).network
    network.write(tmp_path / "folder")
    again = TextualNetwork.read(tmp_path / "folder")
    found = {
        (again.names[u], again.names[v]): weight
        for (u, v), weight in zip(again.edges, again.weights, strict=True)
    }
    assert found == networkx.get_edge_attributes(graph, "weight")
    assert again.texts == [f"t {name}" for name in graph]


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        ("a,text,links\n1,x,1\n", None, "columns 'a', 'text', 'links'; expected one "
         "called id among them: name it with --id=COLUMN"),
        ("id,x,links\n1,x,1\n", None, "expected one called text among them: name it"),
        ("id,text\n1,x\n", None, "expected one called links among them: name it with "
         "--links=COLUMN"),
        ("id,text,links\n", None, "found a header alone; expected a row for each node"),
        ("id,text,links\n1,x,\n ,y,1\n", None, ":3: found no id; expected an id in"),
        ("id,text,links\n1,x,\n2,y,\n1,z,\n", None, ":4: found id '1', which is on "
         "line 2 already; expected an id of its own"),
        ("id,text,links\n1,x,2 3\n2,y,9 8 7\n", None, ":2: found 4 links to unknown "
         "ids, the first of them '3'; expected .*--skip_unknown"),
        ("id,text,links\n1,x,\n2,y,\n", None, "found no edge; expected at least one"),
        (NODES, "bob,cleo\nbob,dan\n", "edges.txt:2: found 1 link to unknown ids, "
         "the first of them 'dan'"),
        (NODES, "bob,cleo,0\n", "edges.txt:1: found '0'; expected a weight, a finite"),
        (NODES, "bob,cleo,x\n", "edges.txt:1: found 'x'; expected a weight, a finite"),
        (NODES, "bob\ncleo\n", "edges.txt:1: found 1 column; expected source, target"),
        (NODES, "bob,cleo,1,2\n", "edges.txt:1: found 4 columns; expected source, tar"),
    ],
)  # fmt: skip
def test_a_fault_is_one_line_that_says_what_to_mend(take, nodes, edges, message):
    with pytest.raises(InputError, match=message) as caught:
        take(nodes, edges)
    assert "\n" not in str(caught.value)


def test_a_column_that_is_not_there_gets_the_nearest_one(take):
    message = "expected --text=abstrct among them: did you mean 'abstract'"
    with pytest.raises(InputError, match=message):
        take("id,abstract,links\n1,x,1\n", text="abstrct")


def test_ids_keep_the_order_of_the_rows(take):
    nodes = "id,text,links\n" + "".join(f"{9 - i},t{i},9\n" for i in range(9))
    network = take(nodes).network
    assert network.names == tuple(str(9 - i) for i in range(9))
    np.testing.assert_array_equal(network.edges[:, 1], 0)
