"""The Python of the documents runs as written, a page in one fresh process."""

import re
import subprocess
import sys

import pytest

import cane_gane
from tests.conftest import ROOT
from tests.docs.pages import NAMES, blocks, code_of
from tests.networks import write_topics

# The quickstart runs in a test of its own, with its commands.
ALONE = "docs/quickstart.md"
WITH_CODE = [page for page in NAMES if blocks(page, "python") and page != ALONE]
RUN = "runs/pydocs-0.55-ap-seed1"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of a small saved model."""
    folder = tmp_path_factory.mktemp("saved")
    network = cane_gane.load(write_topics(folder / "mine"))
    small = {"dimension": 8, "epochs": 1, "device": "cpu"}
    cane_gane.fit(network, "ap", **small).save(folder / RUN)
    return folder / RUN


@pytest.fixture
def home(run, tmp_path):
    """What the pages assume: the network `mine`, and the run of `bash run.sh`."""
    write_topics(tmp_path / "mine")
    (tmp_path / "runs").mkdir()
    (tmp_path / RUN).symlink_to(run)
    return tmp_path


def test_the_pages_for_users_have_code():
    names = ("python", "data", "layers", "saved-model", "start")
    pages = {"README.md", "CONTRIBUTING.md"}
    assert {*pages, *(f"docs/{name}.md" for name in names)} == set(WITH_CODE)


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_CODE)
def test_the_code_of_a_page_runs_and_prints_what_the_page_says(page, home):
    script = home / "page.py"
    script.write_text(code_of(page), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, script.name],
        cwd=home,
        env={"PATH": "", "PYTHONPATH": str(ROOT), "TFDS_DATA_DIR": str(home / "tfds")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    # Another processor may round another way: the words must agree, not each figure.
    figures = re.compile(r"[\d.]+%")
    if said := "".join(blocks(page, "text")):
        assert figures.sub("%", done.stdout) == figures.sub("%", said)
