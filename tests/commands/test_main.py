"""The command line: what it prints, its exit codes, and how light it is."""

import json
import os
import subprocess
import sys
from importlib import metadata

import pytest

from cane_gane.__main__ import COMMANDS, OTHERS, main
from cane_gane.version import VERSION
from tests.launch import ROOT, refused


def run_python(*arguments, **options):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, **options
    )


def test_help_fits_one_screen(capsys):
    assert main(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 36
    assert max(map(len, lines)) <= 88
    for command in (*COMMANDS, *OTHERS):
        call = "DATASET RATIO METHOD" if command == "train" else command
        assert sum(f"bash run.sh {call}" in line for line in lines) == 1, command


def test_a_commands_help_begins_with_usual_flags_then_settings_by_method(
    capsys, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "88")
    assert main(["train", "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "bash run.sh train DATASET RATIO METHOD [flags]"
    assert max(map(len, lines)) <= 88
    titles = ["Usual flags:", "Other flags of this command:",
              "Settings of cane, wane, ot, ap:", "Settings of mmb:"]  # fmt: skip
    places = [lines.index(title) for title in titles]
    assert places == sorted(places)
    forms = {
        "--seed=N": 0, "--split=strict|cover|upstream": 0, "--quiet": 0, "--json": 0,
        "--runs_dir=FOLDER": 1, "--learning_rate=X": 2, "--[no]masked": 2,
        "--rho=X,X,X": 2, "--sweeps=N": 3,
    }  # fmt: skip
    for form, group in forms.items():
        (at,) = [n for n, line in enumerate(lines) if line.split()[:1] == [form]]
        assert sum(place < at for place in places) == group + 1, form


def test_version_names_what_a_fault_report_needs(capsys):
    assert main(["--version"]) == 0
    tensorflow, keras = map(metadata.version, ("tensorflow", "keras"))
    assert capsys.readouterr().out == (
        f"cane_gane {VERSION}, tensorflow {tensorflow}, keras {keras}, "
        f"Python {sys.version.split()[0]}\n"
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command, capsys):
    assert main([command, "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"bash run.sh {command} ")


@pytest.mark.parametrize(
    "statement",
    [
        "import cane_gane",
        "import cane_gane.__main__ as m; m.main(['--help'])",
        "import cane_gane.__main__ as m; m.main(['train', '--help'])",
        "import cane_gane.__main__ as m; m.main(['table', '--help'])",
    ],
)
def test_neither_import_nor_help_waits_for_tensorflow(statement):
    check = "import sys; assert not {'tensorflow', 'keras'} & set(sys.modules)"
    done = run_python("-c", f"{statement}; {check}")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("package", "version", "message"),
    [
        ("tensorflow", "2.15.1", "needs tensorflow 2.21 or newer, found 2.15.1: pip "),
        ("keras", "2.15.0", "needs keras 3.15 or newer, found 2.15.0: pip install "),
    ],
)
def test_old_packages_fail_at_import_with_what_to_install(package, version, message):
    script = (
        "from importlib import metadata\n"
        "real = metadata.version\n"
        f"fake = lambda name: {version!r} if name == {package!r} else real(name)\n"
        "metadata.version = fake\n"
        "import cane_gane\n"
    )
    done = run_python("-c", script)
    assert done.returncode != 0
    assert message in done.stderr.splitlines()[-1]


def test_inspect_prints_a_table(folder, capsys):
    assert main(["inspect", str(folder())]) == 0
    assert "nodes                    3  0 without an edge" in capsys.readouterr().out


def test_inspect_prints_json(folder, capsys):
    assert main(["inspect", str(folder()), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["edges"]["lines"] == 2


def test_flags_may_stand_before_the_arguments(folder, capsys):
    assert main(["inspect", "--json", str(folder())]) == 0
    assert json.loads(capsys.readouterr().out)["nodes"] == 3


def test_split_writes_upstreams_files(folder, tmp_path, capsys):
    where, output = str(folder()), str(tmp_path / "out")
    assert main(["split", where, "0.5", f"--output={output}", "--seed=3"]) == 0
    train = (tmp_path / "out" / "graph.txt").read_text()
    test = (tmp_path / "out" / "test_graph.txt").read_text()
    assert sorted([train, test]) == ["0\t1\n", "1\t2\n"]


@pytest.mark.parametrize(
    ("holds", "message"),
    [("config.json", "found a run, whose graph.txt"), ("data.txt", "found a data set")],
)
def test_split_replaces_neither_a_run_nor_a_data_set(
    folder, tmp_path, capsys, holds, message
):
    output = tmp_path / "out"
    output.mkdir()
    for name in ("graph.txt", "test_graph.txt", holds):
        (output / name).write_text("kept")
    error = refused(capsys, "split", folder(), "0.5", f"--output={output}")
    assert message in error
    assert {path.read_text() for path in output.iterdir()} == {"kept"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["trian", "cora"], "did you mean 'train'?"),
        (["doc"], "did you mean 'docs'?"),
        (["inspekt", "x"], "found command 'inspekt'; expected one of train, recommend"),
        (["inspect"], "inspect: found 0 arguments (none); expected DATASET"),
        (["inspect", "nowhere"], "found no data set and no folder 'nowhere'"),
        (["inspect", "x", "--jsn"], "inspect: found --jsn; expected a flag"),
        (["inspect", "x", "--jsn"], "inspect --help lists: did you mean --json?"),
        (["inspect", "x", "--zzz=3"], "inspect --help lists\n"),
        (["inspect", "x", "--max_length=0"], "--max_length=0"),
        (
            ["inspect", "x", "--tokenizer=claen"],
            "clean, upstream, decoded: did you mean",
        ),
        (["inspect", "x", f"--max_length={'1' * 5000}"], "expected an integer in the"),
        (["inspect", "x" * 5000], "File name too long"),
        (["inspect", "a\x1b[31mb"], "no folder 'a�[31mb'"),
        (["split", "FOLDER", "half"], "found ratio 'half'; expected a number"),
        (["split", "FOLDER", "1.5"], "found ratio '1.5'; expected a number between"),
        (["split", "FOLDER", "55"], "did you mean 0.55?"),
        (["split", "FOLDER", "55%"], "did you mean 0.55?"),
        (["split", "FOLDER", "0,55"], "did you mean 0.55?"),
        (["split", "FOLDER", "0"], "such as 0.55\n"),
        (["split", "FOLDER", "100"], "such as 0.55\n"),
        (["FOLDER", "100", "ap"], "did you mean all?"),
        (["FOLDER", "1", "ap"], "did you mean all?"),
        (["FOLDER", "0.5", "GANE-OT"], "did you mean 'ot'?"),
        (["FOLDER", "0.5", "gane"], "did you mean 'ap'?"),
        (["FOLDER", "0.5", "deepwalc"], "did you mean 'deepwalk'?"),
        (["coar", "0.5", "ap"], "did you mean 'cora'?"),
        (["split", "FOLDER", "0.5", "--rule=strct"], "did you mean 'strict'?"),
        (
            ["split", "FOLDER", "0.5", "--seed=-1"],
            "found --seed=-1; expected an integer",
        ),
        (["split", "FOLDER", "0.5", "--seed=9223372036854775808"], "[0, 2000000]"),
        (["split", "FOLDER", "0.5", f"--seed={'1' * 5000}"], "[0, 2000000]"),
    ],
)
def test_bad_input_gives_one_line_and_exit_code_2(folder, capsys, words, message):
    words = [folder() if word == "FOLDER" else word for word in words]
    assert message in refused(capsys, *words)


def test_a_broken_folder_gives_file_and_line_and_no_traceback(folder):
    where = folder({"graph.txt": b"0 1\n1 x\n"})
    done = run_python("-m", "cane_gane", "inspect", str(where))
    assert done.returncode == 2
    assert done.stderr.strip().endswith(
        "graph.txt:2: found 'x'; expected a node id from 0 to 2, the lines of data.txt"
    )
    assert "Traceback" not in done.stderr


def test_a_reader_that_has_seen_enough_is_no_error(folder):
    command = f"{sys.executable} -m cane_gane inspect {folder()} | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stderr == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("words", ["--help", "inspect FOLDER"])
def test_a_full_disk_gets_one_line(folder, words):
    words = words.replace("FOLDER", str(folder()))
    command = f"{sys.executable} -m cane_gane {words} >/dev/full"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "cane_gane: [Errno 28] No space left on device\n"


def test_a_terminal_that_lacks_our_letters_is_no_error(folder):
    where = folder({"group.txt": "Größe ≠\n海\n→\n".encode()})
    settings = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-m", "cane_gane", "inspect", str(where)]
    done = subprocess.run(command, env=settings, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert "Größe  ?".encode("latin-1") in done.stdout
