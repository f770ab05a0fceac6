"""The way of the data is the layout: a module knows nothing of the later ones."""

import ast
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "cane_gane"

# Each line may import from the lines above it.
ORDER = [
    {"errors", "version", "stopwatch", "signals"},
    {"files"},
    {"network"},
    {"tokens", "splits", "negatives", "pydocs"},
    {"vectorize", "sampling", "inspection", "catalog", "config"},
    {"batches", "builders", "preparation"},
    {"transport"},
    {"chunks", "merging"},
    {"layers"},
    {"objectives", "optimizers"},
    {"models"},
    {"evaluation"},
    {"runs", "checkpoints", "servable", "served", "parity", "report"},
    {"training", "assessment", "walks", "upstream"},
    {"examples", "starts"},
    {"appraisal", "foreign"},
    {"startup", "experiment", "cells"},
    {"grid"},
    {"commands"},
    {"__main__"},
]
RANK = {name: rank for rank, names in enumerate(ORDER) for name in names}


def imports_of(path):
    """Yields the modules of the package that a file imports, at any depth."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            "cane_gane"
        ):
            parts = node.module.split(".")[1:]
            yield from [parts[0]] if parts else [alias.name for alias in node.names]


def home(path):
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


MODULES = [p for p in sorted(PACKAGE.rglob("*.py")) if p != PACKAGE / "__init__.py"]


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_module_imports_from_earlier_ones_only(path):
    for imported in imports_of(path):
        same = imported == home(path)
        assert same or RANK[imported] < RANK[home(path)], imported


def test_no_data_set_is_tracked():
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = {Path(line).name for line in listed.stdout.splitlines()}
    assert not names & {"data.txt", "graph.txt", "group.txt", "ids.txt"}
