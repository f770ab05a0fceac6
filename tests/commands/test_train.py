"""The training command: its words, and runs that must not go on."""

import json
import re
import shlex
import shutil

import pytest

from cane_gane.__main__ import main
from cane_gane.runs.folder import RunFolder
from tests.launch import FLAGS, refused
from tests.runs.fake_training import fake_evaluation


@pytest.fixture
def taken(monkeypatch):
    """Stands in for a run; holds the settings and the folder of the last one."""
    found = {}

    def run(config, folder, **options):
        found.update(config=config, folder=folder, **options)
        return fake_evaluation(config)

    monkeypatch.setattr("cane_gane.runs.run.run", run)
    return found


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        ("--seed 2", {"seed": 2}),
        ("--seed=2", {"seed": 2}),
        ("--learning-rate 0.01", {"learning_rate": 0.01}),
        ("--learning-rate=0.01", {"learning_rate": 0.01}),
        ("--learning_rate 0.01", {"learning_rate": 0.01}),
        ("--no-masked", {"masked": False}),
        ("--nomasked", {"masked": False}),
        ("--masked=false", {"masked": False}),
        ("--preset upstream", {"preset": "upstream", "tokenizer": "upstream"}),
        ("--split strict", {"split": "strict"}),
    ],
)
@pytest.mark.parametrize("before", [False, True])
def test_flags_in_any_form_and_place(taken, words, settings, before):
    named = ["cora", "0.55", "cane"]
    given = [*words.split(), *named] if before else [*named, *words.split()]
    assert main(given) == 0
    flat = taken["config"].flat()
    assert {name: flat[name] for name in settings} == settings
    assert (flat["dataset"], flat["ratio"], flat["variant"]) == ("cora", 0.55, "cane")


def test_the_command_may_be_named(taken, capsys):
    assert main(["train", "Cora", "0.55", "ap", "--seed", "2"]) == 0
    assert capsys.readouterr().out.endswith("\nruns/cora-0.55-ap-seed2/report.html\n")


def test_no_words_stand_for_the_usual_run(taken):
    assert main([]) == 0
    assert str(taken["folder"].path) == "runs/pydocs-0.55-ap-seed1"


@pytest.mark.parametrize(
    ("leaves", "kept"),
    [
        ([], "nothing is kept, because no training had started"),
        (["config.json"], "RUN keeps its settings and its split, but no epoch yet"),
        (["config.json", "history.csv"], "RUN keeps 2 of 5 epochs"),
    ],
)
def test_ctrl_c_says_what_is_kept_and_how_to_go_on(
    monkeypatch, tmp_path, capsys, leaves, kept
):
    def run(config, folder, **options):
        folder.path.mkdir()
        for name in leaves:
            rows = "epoch,loss,validation_auc,seconds\n1,2.5,,1\n2,2.0,,1\n"
            (folder.path / name).write_text(rows)
        raise KeyboardInterrupt

    monkeypatch.setattr("cane_gane.runs.run.run", run)
    given = ["cora", "0.55", "ap", f"--runs_dir={tmp_path}", "--overwrite"]
    monkeypatch.setattr("sys.argv", ["cane_gane", *given])
    assert main(given) == 130
    again = shlex.join(["bash", "run.sh", *given[:-1]])
    kept = kept.replace("RUN", str(tmp_path / "cora-0.55-ap-seed1"))
    error = f"cane_gane: stopped; {kept}; continue with {again}\n"
    assert capsys.readouterr().err == error


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "trian cora 0.55 ap",
            "found command 'trian'; expected one of train, .*'train'",
        ),
        ("reprot runs/x", "found command 'reprot'; .*: did you mean 'report'"),
        (
            "croa 0.55 ap",
            "found no data set and no folder 'croa'; .*: did you mean 'cora'",
        ),
        ("croa 0.55 ap --seed 2", "no folder 'croa'; .*: did you mean 'cora'"),
        ("croa", "found command 'croa'; .*: did you mean 'cora'"),
        ("cora 0.55 app", "found method 'app'; .*: did you mean 'ap'"),
        ("cora 0.55 ap --sed=2", "lists: did you mean --seed?"),
        (
            "cora 0.55 ap --split=strct",
            "found split 'strct'; .*: did you mean 'strict'",
        ),
        ("cora 0.55 ap --device=gpu", "--device=gpu; expected one of auto, cpu"),
        ("cora 0.55 ap --device=cpuu", "one of auto, cpu: did you mean 'cpu'"),
        ("cora 55 ap", "found ratio '55'; .*: did you mean 0.55"),
        ("cora 1 ap", "found ratio '1'; expected a number between 0 and 1"),
        ("cora nan ap", "found ratio 'nan'; expected a number"),
        ("cora 0.55", "train: found 2 arguments .cora 0.55.; expected DATASET RATIO"),
        ("cora 0.55 ap --seed", "Missing value for flag --seed"),
        ("cora 0.55 ap --masked=maybe", "--masked=maybe; expected true or false"),
        ("cora 0.55 ap --preset=upstream", "found preset upstream with method ap"),
    ],
)
def test_a_slip_gets_one_line_with_the_nearest_name(capsys, words, message):
    assert re.search(message, refused(capsys, *words.split()))


LONG = "1" * 5000


@pytest.mark.parametrize(
    "flag",
    [
        "--seed=9223372036854775808", "--seed=-1", "--seed=1.5", f"--seed={LONG}",
        "--learning_rate=inf", "--learning_rate=nan", "--learning_rate=-1",
        f"--learning_rate={LONG}", f"--learning_rate=0x{LONG}", "--beta=inf",
        "--beta=0", "--popularity=inf", f"--epochs={LONG}", f"--epochs={LONG[:4000]}",
        "--epochs=0", "--epochs=²", "--dimension=1000000000", "--channels=1000000",
        "--max_length=1000000000", "--rho=-1,-1,-1", f"--rho={LONG}", f"--split={LONG}",
        f"--device={LONG}", f"--{LONG}=1",
    ],
)  # fmt: skip
def test_a_value_out_of_bounds_gets_one_line(tmp_path, capsys, flag):
    words = ["cora", "0.55", "ap", f"--runs_dir={tmp_path / 'runs'}", flag]
    error = refused(capsys, *words)
    assert flag[2:].split("=")[0][:40] in error
    assert len(error) < 300
    assert not (tmp_path / "runs").exists()


@pytest.fixture
def moved(copied, topics, tmp_path):
    """A copy of a finished run, and of the network that it says it was trained on."""
    network = shutil.copytree(topics, tmp_path / "other" / topics.name)
    record = json.loads((copied / "config.json").read_text())
    record["settings"]["dataset"] = str(network)
    (copied / "config.json").write_text(json.dumps(record))
    return copied, network


def words(run, network, *flags):
    return [network, "0.6", "wane", *FLAGS, f"--runs_dir={run.parent}", *flags]


@pytest.mark.parametrize("name", ["data.txt", "graph.txt"])
@pytest.mark.parametrize("ended", [True, False])
def test_a_run_whose_data_changed_is_refused(moved, capsys, name, ended):
    run, network = moved
    if not ended:
        (run / "metrics.json").unlink()
    kept = {path: path.stat().st_mtime_ns for path in run.rglob("*") if path.is_file()}
    with open(network / name, "a") as file:
        file.write("0\t1\n")
    error = refused(capsys, *words(run, network))
    assert f"{network / name}: found content " in error
    assert f"which {run} was trained on: add --overwrite" in error
    for path, time in kept.items():
        assert path.name == ".lock" or path.stat().st_mtime_ns == time


def test_json_is_the_folder_and_its_metrics(copied, topics, capsys):
    assert main([*map(str, words(copied, topics, "--json", "--quiet"))]) == 0
    metrics = json.loads((copied / "metrics.json").read_text())
    printed = capsys.readouterr()
    assert json.loads(printed.out) == {"folder": str(copied), **metrics}
    assert printed.err == ""


def test_quiet_leaves_the_table_alone(copied, topics, finished, capsys):
    assert main([*map(str, words(copied, topics, "--quiet"))]) == 0
    printed = capsys.readouterr()
    assert printed.out.replace(str(copied), str(finished[0])) == finished[1]
    assert printed.err == ""
    main([*map(str, words(copied, topics))])
    assert "is finished" in capsys.readouterr().err


def test_data_that_is_gone_is_refused(moved, capsys):
    run, network = moved
    (network / "group.txt").unlink()
    assert "group.txt: found no such file" in refused(capsys, *words(run, network))


@pytest.mark.slow
def test_overwriting_trains_anew_on_changed_data(moved, capsys):
    run, network = moved
    before = RunFolder(run).record()["data"]
    lines = (network / "data.txt").read_text().splitlines(keepends=True)
    (network / "data.txt").write_text("".join([*lines[:-1], "other words\n"]))
    assert main([*map(str, words(run, network)), "--overwrite", "--epochs=1"]) == 0
    assert RunFolder(run).record()["data"]["data.txt"] != before["data.txt"]
    assert len(RunFolder(run).history()) == 1


@pytest.mark.parametrize(
    "content",
    [b"", b"hello", b"PK\x03\x04 and no more"],
    ids=["empty", "text", "truncated"],
)
def test_a_damaged_checkpoint_gets_one_line(copied, topics, capfd, content):
    (copied / "metrics.json").unlink()
    files = sorted((copied / "checkpoints").iterdir())
    for path in files:
        path.write_bytes(content)
    assert main([*map(str, words(copied, topics))]) == 2
    error = capfd.readouterr().err
    last = error.splitlines()[-1]
    assert last.startswith(f"cane_gane: {files[-1]}: found")
    assert "--overwrite" in last
    assert "Traceback" not in error
