"""What several tests share: where the data sets and golden facts are."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from cane_gane.data.network import TextualNetwork
from tests.launch import ROOT, finish, start
from tests.networks import write_topics
from tests.upstream.fake_upstream import write_checkout

# Speed is measured in benchmarks/; a busy machine must not fail a test.
settings.register_profile("steady", deadline=None)
settings.load_profile("steady")

SHARED = Path(os.environ.get("CANE_SHARED", ROOT.parent / "shared"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the flag for what takes hours."""
    parser.addoption("--long", action="store_true", help="cut runs at every point")


@pytest.fixture(scope="session")
def golden() -> dict[str, Any]:
    """Facts about what upstream's own code makes of its data sets."""
    return json.loads((ROOT / "tests/golden/preprocessing.json").read_text())


@pytest.fixture(scope="session")
def published() -> Callable[[str], TextualNetwork]:
    """Reads cora or HepTh; skips where they are not at hand."""
    networks: dict[str, TextualNetwork] = {}

    def read(name: str) -> TextualNetwork:
        folder = SHARED / "datasets" / name
        if not (folder / "data.txt").is_file():
            pytest.skip(f"no data set at {folder}")
        if name not in networks:
            networks[name] = TextualNetwork.read(folder)
        return networks[name]

    return read


@pytest.fixture(scope="session")
def published_edges(
    published: Callable[[str], TextualNetwork],
) -> Callable[[str], np.ndarray]:
    """Reads the edges of cora, HepTh or zhihu (whose text may be missing)."""

    def read(name: str) -> np.ndarray:
        path = SHARED / "datasets" / name / "graph.txt"
        if not path.is_file():
            pytest.skip(f"no data set at {path.parent}")
        return np.loadtxt(path, np.int64)

    return read


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[Mapping[str, bytes]], Path]:
    """Writes a folder in CANE's format: three nodes, two edges, unless told."""

    def write(files: Mapping[str, bytes | None] = {}) -> Path:
        plain = {
            "data.txt": b"red fox\nblue sea\nred sea\n",
            "graph.txt": b"0\t1\n1\t2\n",
        }
        for name, content in {**plain, **files}.items():
            if content is not None:
                (tmp_path / name).write_bytes(content)
        return tmp_path

    return write


@pytest.fixture
def small_network() -> TextualNetwork:
    """Six nodes, with every oddity that is counted rather than refused."""
    return TextualNetwork(
        texts=["red fox", "blue sea", "red sea red", "", "lone", "two words"],
        edges=np.array([[0, 1], [1, 0], [1, 2], [2, 2], [0, 1], [3, 5]]),
        labels=[("a",), ("b",), ("a",), (), (), ("b",)],
    )


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a network that is large enough for upstream's split."""
    return write_topics(tmp_path_factory.mktemp("data") / "topics", nodes=80)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the same entry points as upstream's."""
    return write_checkout(tmp_path_factory.mktemp("fake"))


@pytest.fixture(scope="session")
def topics(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small network with three topics."""
    return write_topics(tmp_path_factory.mktemp("data") / "topics")


@pytest.fixture(scope="session")
def finished(
    topics: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str, str]:
    """A run that nothing disturbed: its folder and what it printed. Change nothing."""
    runs_dir = tmp_path_factory.mktemp("runs")
    code, out, err = finish(start(topics, runs_dir))
    assert code == 0, err
    return runs_dir / "topics-0.6-wane-seed1", out, err


@pytest.fixture
def copied(finished: tuple[Path, str, str], tmp_path: Path) -> Path:
    """A copy of that run which a test may spoil."""
    return shutil.copytree(finished[0], tmp_path / finished[0].name)
