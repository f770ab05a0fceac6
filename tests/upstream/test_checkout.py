"""A checkout is recognised, never written to, and laid out with our data and split."""

import hashlib
import os

import numpy as np
import pytest

from cane_gane.data.network import TextualNetwork
from cane_gane.errors import InputError
from cane_gane.upstream import checkout
from cane_gane.upstream.checkout import Checkout, find_data
from tests.networks import write_topics
from tests.upstream.fake_upstream import FILES, write_checkout


def test_a_folder_that_is_not_upstream_gets_a_clear_line(tmp_path):
    with pytest.raises(InputError, match=r"found no code/config\.py; expected a ch"):
        Checkout.read(tmp_path)


def test_other_code_is_warned_about_by_file(tmp_path):
    warning = Checkout.read(write_checkout(tmp_path)).warning()
    assert "config.py, DataSet.py" in warning
    assert "commit a0e7e78" in warning


def test_the_known_commit_is_not_warned_about(tmp_path, monkeypatch):
    known = {n: hashlib.sha256(t.encode()).hexdigest() for n, t in FILES.items()}
    monkeypatch.setattr(checkout, "CODE", known)
    assert Checkout.read(write_checkout(tmp_path)).warning() is None


def test_upstream_finds_our_data_and_our_split(tmp_path, published):
    network = published("HepTh")
    split = network.split(0.55, "upstream", 1)
    own = Checkout.read(write_checkout(tmp_path / "upstream"))
    own.copy_to(tmp_path / "work", split, "HepTh")
    work = tmp_path / "work"
    text = (work / "datasets" / "HepTh" / "data.txt").read_bytes()
    wanted = "0f50f28ef7a67e0945e18cf2752434d170b26314c6a8b0c2e0b7d3835043c77a"
    assert hashlib.sha256(text).hexdigest() == wanted
    train = np.loadtxt(work / "code" / "temp" / "graph.txt", np.int64)
    np.testing.assert_array_equal(train, split.train)
    assert (work / "code" / "train.py").read_text() == FILES["train.py"]


def test_a_read_only_checkout_is_read(tmp_path):
    folder = write_checkout(tmp_path / "upstream")
    network = TextualNetwork.read(write_topics(tmp_path / "topics"))
    split = network.split(0.5, "upstream", 1)
    before = sorted(p.stat().st_mtime_ns for p in folder.rglob("*"))
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    Checkout.read(folder).copy_to(tmp_path / "work", split, "topics")
    assert sorted(p.stat().st_mtime_ns for p in folder.rglob("*")) == before
    copied = tmp_path / "work" / "code" / "train.py"
    assert os.access(copied, os.W_OK)


def test_the_checkouts_own_data_sets_are_found(tmp_path, monkeypatch):
    monkeypatch.setenv("CANE_DATASETS", "")
    monkeypatch.setattr("cane_gane.data.catalog.home", lambda: tmp_path / "none")
    own = Checkout.read(write_checkout(tmp_path / "upstream"))
    wanted = write_topics(tmp_path / "upstream" / "datasets" / "HepTh")
    assert find_data("HepTh", own) == wanted


def test_a_missing_data_set_gets_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("CANE_DATASETS", "")
    monkeypatch.setenv("CANE_DATASETS_URL", "http://127.0.0.1:9")
    monkeypatch.setattr("cane_gane.data.catalog.home", lambda: tmp_path / "none")
    own = Checkout.read(write_checkout(tmp_path / "upstream"))
    with pytest.raises(InputError, match="found in neither") as found:
        find_data("HepTh", own)
    assert "\n" not in str(found.value)
    assert f"expected it in {tmp_path}/upstream/datasets/HepTh" in str(found.value)
