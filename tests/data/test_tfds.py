"""TensorFlow Datasets on the same reader, with no network."""

import pytest
import tensorflow_datasets as tfds

from cane_gane.data.network import TextualNetwork
from cane_gane.data.tfds import NetworkConfig
from tests.conftest import SHARED

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def load(tmp_path_factory):
    """Loads a folder by a config of its own."""
    data_dir = tmp_path_factory.mktemp("tfds")

    def load_folder(folder, split):
        config = NetworkConfig(name="mine", folder=str(folder))
        kwargs = {"config": config}
        data = tfds.load(
            "textual_network", split=split, data_dir=data_dir, builder_kwargs=kwargs
        )
        return sorted(tfds.as_numpy(data), key=lambda example: example["id"])

    return load_folder


def test_nodes_are_those_of_the_reader(folder, load):
    where = folder({"group.txt": b"x\n\ny z\n", "ids.txt": b"a\nb\nc\n"})
    nodes = load(where, "nodes")
    network = TextualNetwork.read(where)
    assert [node["text"].decode() for node in nodes] == network.texts
    assert [node["name"].decode() for node in nodes] == ["a", "b", "c"]
    labels = [tuple(label.decode() for label in node["labels"]) for node in nodes]
    assert tuple(labels) == network.labels


def test_edges_are_those_of_the_reader(folder, load):
    edges = load(folder(), "edges")
    assert [(e["id"], e["source"], e["target"]) for e in edges] == [
        (0, 0, 1),
        (1, 1, 2),
    ]


def test_a_changed_file_is_not_answered_from_an_old_copy(folder, load):
    load(folder(), "edges")
    assert len(load(folder({"graph.txt": b"0 1\n1 2\n2 0\n"}), "edges")) == 3


@pytest.mark.slow
def test_a_data_set_is_loaded_by_name(published, tmp_path, monkeypatch):
    published("HepTh")
    monkeypatch.setenv("CANE_DATASETS", str(SHARED / "datasets"))
    nodes = tfds.load("textual_network/HepTh", split="nodes", data_dir=tmp_path)
    edges = tfds.load("textual_network/HepTh", split="edges", data_dir=tmp_path)
    assert (len(nodes), len(edges)) == (1038, 1990)
