"""The wheel: what it holds, and that it works far from any checkout."""

import os
import subprocess
import sys
import zipfile

import pytest

from tests.conftest import ROOT
from tests.launch import FLAGS
from tests.networks import write_topics

pytestmark = pytest.mark.slow


def run(command, folder, **variables):
    """Runs a command in a folder; returns its output."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CANE_")}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder, env={**environment, **variables}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def content_of(folder):
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Builds the wheel of this checkout, with no network."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation"]
    run([*build, "--outdir", folder, ROOT], folder)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Installs the wheel into an empty folder."""
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index"]
    run([*pip, "--target", target, wheel], target)
    return target


@pytest.fixture
def call(installed, tmp_path):
    """Runs the installed package from a folder that has nothing to do with it."""
    before = content_of(installed)

    def call(*command):
        home = str(tmp_path / "home")
        return run(
            command, tmp_path, PYTHONPATH=str(installed), HOME=home, XDG_CACHE_HOME=home
        )

    yield call
    assert content_of(installed) == before


def test_the_wheel_holds_the_package_and_all_of_it(wheel):
    names = {name for name in zipfile.ZipFile(wheel).namelist() if "-info/" not in name}
    listed = run(["git", "ls-files", "-co", "--exclude-standard", "cane_gane"], ROOT)
    assert names == {name for name in listed.split() if (ROOT / name).exists()}


def test_what_is_imported_is_what_was_installed(call, installed):
    code = "import cane_gane; print(cane_gane.__file__, cane_gane.__version__)"
    found = call(sys.executable, "-c", code)
    version = {"__file__": "", "VERSION": ""}
    exec((ROOT / "cane_gane" / "version.py").read_text(), version)
    assert found == f"{installed / 'cane_gane/__init__.py'} {version['VERSION']}\n"


def test_the_module_shows_its_help(call):
    assert "inspect DATASET" in call(sys.executable, "-m", "cane_gane", "--help")


def test_the_console_script_shows_the_same_help(call, installed):
    script = call(sys.executable, installed / "bin" / "cane-gane", "--help")
    assert script == call(sys.executable, "-m", "cane_gane", "--help")


def test_inspects_a_folder(call, tmp_path):
    write_topics(tmp_path / "mine", nodes=20)
    out = call(sys.executable, "-m", "cane_gane", "inspect", "mine")
    assert "edges                   60  lines of graph.txt" in out.splitlines()


def test_data_sets_are_built_in_the_users_caches(call, tmp_path):
    code = "from cane_gane.data.catalog import load; print(load('pydocs').source)"
    assert call(sys.executable, "-c", code) == "pydocs\n"
    built = tmp_path / "home" / "cane_gane" / "datasets" / "pydocs"
    assert (built / "data.txt").is_file()


def test_trains(call, tmp_path):
    write_topics(tmp_path / "mine")
    call(
        sys.executable, "-m", "cane_gane", "mine", "0.6", "wane", *FLAGS, "--epochs=2",
        "--patience=2",
    )  # fmt: skip
    assert (tmp_path / "runs" / "mine-0.6-wane-seed1" / "report.html").is_file()
