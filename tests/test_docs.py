"""The Python blocks of the documentation run as they stand."""

import re
import shutil
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.networks import write_topics
from tests.test_servable import make_servable


def blocks(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)


def run(code, folder):
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=folder, env={"PATH": "", "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with a network `mine` and a SavedModel where the pages look for it."""
    folder = tmp_path_factory.mktemp("home")
    write_topics(folder / "mine")
    make_servable(folder, "ap")[0].export(
        folder / "runs" / "pydocs-0.55-ap-seed1" / "saved_model"
    )
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("page", ["docs/saved-model.md", "README.md"])
def test_the_saved_model_is_used_as_shown(home, page):
    (code,) = [b for b in blocks(page) if "tf.saved_model.load" in b]
    done = run(code, home)
    assert done.returncode == 0, done.stderr
    assert re.search(r"-?\d\.\d+", done.stdout)


@pytest.mark.slow
def test_a_network_is_read_as_shown(home):
    code = next(b for b in blocks("docs/data.md") if "edge_batches" in b)
    done = run(code + "\nprint(next(iter(batches))['negatives'].shape)", home)
    assert done.stdout == "(64, 2)\n", done.stderr


@pytest.mark.slow
def test_tensorflow_datasets_are_loaded_as_shown(home):
    code = next(b for b in blocks("docs/data.md") if "tfds" in b)
    code = code.replace("textual_network/cora", "textual_network/pydocs")
    shown = run(
        f"import os; os.environ['TFDS_DATA_DIR'] = {str(home / 'tfds')!r}\n{code}\n"
        "print(len(nodes), len(edges))",
        home,
    )
    assert re.search(r"^\d+ 180$", shown.stdout, re.M), shown.stderr
    shutil.rmtree(home / "tfds")
