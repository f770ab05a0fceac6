"""run.sh: one set-up, from any folder, with a stand-in for the interpreter."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Stands in for Python: makes environments, notes installs, and echoes the rest.
STAND_IN = """#!/bin/bash
case "$*" in
  "-c "*) exit 0 ;;
  "-I - "*) exit ${SATISFIED:-1} ;;
  "-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  "-m pip "*) echo installed >>"$LOG"; exit ${PIP_FAILS:-0} ;;
  *) echo "$0 $*" ;;
esac
"""


@pytest.fixture
def run(tmp_path):
    """Runs a copy of run.sh, on a path with spaces, from another folder."""
    project = tmp_path / "a project"
    project.mkdir()
    for name in ("run.sh", "requirements.txt"):
        shutil.copy(ROOT / name, project)
    binaries = tmp_path / "bin"
    binaries.mkdir()
    for name in ("python", "python3"):
        (binaries / name).write_text(STAND_IN)
        (binaries / name).chmod(0o755)

    def call(*words, script=project / "run.sh", **variables):
        environment = {
            "PATH": f"{binaries}:{os.environ['PATH']}",
            "LOG": str(tmp_path / "log"),
            **variables,
        }
        return subprocess.run(
            ["bash", str(script), *words],
            cwd=tmp_path, env=environment, capture_output=True, text=True,
        )  # fmt: skip

    call.project = project
    call.installs = lambda: (tmp_path / "log").read_text().count("installed")
    return call


def test_words_are_passed_on_as_they_are(run):
    done = run("inspect", "my folder", "--json")
    assert done.stdout.endswith(
        ".venv/bin/python -m cane_gane inspect my folder --json\n"
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "--numprocesses=auto --dist=loadfile"),
        (["--long"], "--numprocesses=auto --dist=loadfile --long"),
        (["-k", "a word"], "--numprocesses=auto --dist=loadfile -k a word"),
        (["-n", "0"], "--numprocesses=auto --dist=loadfile -n 0"),
        (["tests", "-x"], "tests -x"),
        (["--long", "tests/test_a.py::test_b"], "--long tests/test_a.py::test_b"),
    ],
)
def test_tests_run_on_all_cores_unless_files_are_named(run, words, expected):
    (run.project / "tests").mkdir()
    (run.project / "tests" / "test_a.py").touch()
    done = run("test", *words)
    assert done.stdout.endswith(f".venv/bin/python -m pytest {expected}\n")


def test_docs_needs_one_more_package(run):
    (run.project / "tools").mkdir()
    done = run("docs", "--regenerate")
    assert done.stdout.endswith(".venv/bin/python -m tools.docs --regenerate\n")


def test_the_second_start_installs_nothing(run):
    run("inspect")
    done = run("inspect")
    assert run.installs() == 1
    assert done.stderr == ""


def test_changed_requirements_are_installed(run):
    run("inspect")
    with open(run.project / "requirements.txt", "a") as file:
        file.write("more==1\n")
    run("inspect")
    assert run.installs() == 2


def test_a_failed_install_is_said_and_tried_again(run):
    done = run("inspect", PIP_FAILS="1")
    assert done.returncode == 2
    assert "pip could not install requirements.txt" in done.stderr
    assert run("inspect").returncode == 0
    assert run.installs() == 2


def test_an_active_environment_that_fits_is_used_as_it_is(run):
    done = run("inspect", VIRTUAL_ENV="/anywhere", SATISFIED="0")
    assert done.stdout.endswith("bin/python -m cane_gane inspect\n")
    assert not (run.project / ".venv").exists()


def test_an_active_environment_that_does_not_fit_is_left_alone(run):
    done = run("inspect", VIRTUAL_ENV="/anywhere")
    assert "a project/.venv/bin/python -m cane_gane inspect" in done.stdout


@pytest.mark.parametrize("relative", [False, True])
def test_a_link_starts_what_it_points_to(run, tmp_path, relative):
    (tmp_path / "some bin").mkdir()
    first, second = tmp_path / "some bin" / "one", tmp_path / "two"
    first.symlink_to("../a project/run.sh" if relative else run.project / "run.sh")
    second.symlink_to("some bin/one" if relative else first)
    done = run("inspect", script=second)
    assert done.stdout == (f"{run.project}/.venv/bin/python -m cane_gane inspect\n"), (
        done.stderr
    )
    assert not list(tmp_path.glob("**/some bin/.venv*"))
    assert not (tmp_path / ".venv").exists()


def test_the_pins_are_compared_with_what_is_installed(tmp_path):
    """The real check: this environment satisfies the pins, and no other."""
    shutil.copy(ROOT / "run.sh", tmp_path)
    shutil.copytree(ROOT / "cane_gane", tmp_path / "cane_gane")
    shutil.copy(ROOT / "requirements.txt", tmp_path)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "VIRTUAL_ENV": sys.prefix,
    }
    done = subprocess.run(
        ["bash", str(tmp_path / "run.sh"), "--help"],
        env=environment, capture_output=True, text=True, cwd="/",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "bash run.sh inspect" in done.stdout
    assert not (tmp_path / ".venv").exists()
