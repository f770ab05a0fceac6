"""The command that sets upstream's code and ours side by side."""

import json
import shutil
import subprocess
import sys

import pytest

from cane_gane.__main__ import main
from tests.conftest import ROOT
from tests.launch import refused

FLAGS = ("--methods=wane", "--epochs=2", "--json")


def compare(network, checkout, runs, *flags):
    command = [
        sys.executable, "-m", "cane_gane", "compare", str(network), "0.6",
        f"--upstream={checkout}", f"--runs_dir={runs}", *flags,
    ]  # fmt: skip
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@pytest.fixture(scope="module")
def compared(network, checkout, tmp_path_factory):
    """A comparison of two epochs: what it printed, and its folder. Change nothing."""
    runs = tmp_path_factory.mktemp("runs")
    done = compare(network, checkout, runs, *FLAGS)
    assert done.returncode == 0, done.stderr
    return done, runs / "compare-topics-0.6"


@pytest.fixture
def sides(compared, tmp_path):
    """Copies of the folders of both sides, which a test may spoil."""
    home = shutil.copytree(compared[1], tmp_path / compared[1].name)
    return home / "upstream-seed1", home / "wane" / "topics-0.6-wane-seed1"


@pytest.mark.slow
def test_every_figure_is_of_both_sides(compared):
    done, home = compared
    found = json.loads(done.stdout)
    for key in ("time_per_epoch", "memory", "auc", "total_time", "epochs"):
        assert set(found[key]) == {"upstream", "wane"}, key
    # Hard negatives give no AUC; without self-loops upstream's code alone is judged.
    shared = {"upstream", "strict", "all_edges"}
    assert set(found["auc"]["wane"]) == shared
    assert set(found["auc"]["upstream"]) == {*shared, "no_self_loops"}
    metrics = home / "wane" / "topics-0.6-wane-seed1" / "metrics.json"
    links = json.loads(metrics.read_text())["link_prediction"]
    assert found["auc"]["wane"] == {name: links[name]["auc"] for name in shared}
    assert found["epochs"] == {"upstream": 2, "wane": 2}
    assert "upstream  epoch   2/2" in done.stderr
    assert "other than at commit" in done.stderr
    for name in ("compare.md", "compare.json", "report.html"):
        assert (home / name).is_file()


@pytest.mark.slow
def test_both_sides_run_on_the_same_split(sides):
    theirs, ours = sides
    for name in ("graph.txt", "test_graph.txt"):
        assert (theirs / name).read_bytes() == (ours / name).read_bytes()


@pytest.mark.slow
def test_what_is_finished_is_not_run_again(compared, network, checkout, sides):
    runs = sides[0].parent.parent
    again = compare(network, checkout, runs, *FLAGS)
    assert again.stdout == compared[0].stdout  # nothing is run or timed again
    other = compare(network, checkout, runs, "--methods=wane", "--epochs=3")
    assert other.returncode == 2
    assert "found a run with epochs 2 (now 3)" in other.stderr
    assert "Traceback" not in other.stderr


@pytest.mark.slow
def test_what_is_run_anew_costs_what_it_costs(compared, network, checkout, sides):
    home = sides[0].parent
    shutil.rmtree(sides[1])
    usage = json.loads((home / "usage.json").read_text())
    usage["wane-seed1"]["seconds"] = 1e6
    (home / "usage.json").write_text(json.dumps(usage))
    anew = json.loads(compare(network, checkout, home.parent, *FLAGS).stdout)
    assert anew["total_time"]["wane"] < 1e6  # not the sum
    before = json.loads(compared[0].stdout)
    assert anew["total_time"]["upstream"] == before["total_time"]["upstream"]


@pytest.mark.slow
def test_both_sides_have_a_page(sides):
    for side in sides:
        assert main(["report", str(side)]) == 0
        assert (side / "report.html").is_file()
    output = sides[0].parent / "both"
    assert main(["report", *map(str, sides), f"--output={output}"]) == 0
    assert (output / "report.html").is_file()


@pytest.mark.slow
def test_our_side_is_evaluated_again_and_upstreams_is_refused(sides, capsys):
    theirs, ours = sides
    before = json.loads((ours / "metrics.json").read_text())
    assert main(["evaluate", str(ours)]) == 0
    after = json.loads((ours / "metrics.json").read_text())
    assert after["link_prediction"] == before["link_prediction"]
    error = refused(capsys, "evaluate", theirs)
    assert "found a run without saved_model/; expected one of our models" in error


@pytest.mark.slow
def test_changed_data_is_refused_on_both_sides(sides, network, checkout, tmp_path):
    moved = shutil.copytree(network, tmp_path / "moved" / network.name)
    for side in sides:
        record = json.loads((side / "config.json").read_text())
        record["settings"]["dataset"] = str(moved)
        (side / "config.json").write_text(json.dumps(record))
    with open(moved / "graph.txt", "a") as file:
        file.write("0\t1\n")
    for gone in (None, sides[0]):  # the first refuses; without it, the second
        if gone:
            shutil.rmtree(gone)
        done = compare(moved, checkout, sides[0].parent.parent, *FLAGS)
        assert done.returncode == 2
        assert f"{moved / 'graph.txt'}: found content" in done.stderr.splitlines()[-1]
        assert "--overwrite" in done.stderr.splitlines()[-1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["state.npz", "text.npz"])
def test_a_damaged_state_of_upstream_gets_one_line(sides, network, checkout, name):
    theirs = sides[0]
    (theirs / "metrics.json").unlink()
    if name == "state.npz":
        (theirs / "text.npz").unlink()
    (theirs / name).write_bytes(b"PK\x03\x04 and no more")
    done = compare(network, checkout, theirs.parent.parent, *FLAGS)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert f"{theirs / name}: found no array" in last
    assert "--overwrite" in last
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "compare: found no --upstream; expected --upstream=FOLDER"),
        (["--upstream={here}"], "found no code/config.py; expected a checkout"),
        (["--upstream={fake}", "--methods=up"], "found method 'up'; expected some"),
        (["--upstream={fake}", "--seeds=a"], "found seeds 'a'; expected numbers"),
        (["--upstream={fake}", "--epochs=0"], "epochs"),
    ],
)
def test_bad_input_gets_one_line(network, checkout, tmp_path, capsys, flags, message):
    given = [flag.format(here=tmp_path, fake=checkout) for flag in flags]
    assert main(["compare", str(network), "0.6", *given]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert message in lines[-1]
    assert len([line for line in lines if "other than at commit" not in line]) == 1


def test_a_data_set_that_is_nowhere_gets_one_line(checkout, tmp_path, capsys):
    given = ["compare", str(tmp_path / "x"), "0.6", f"--upstream={checkout}"]
    assert main(given) == 2
    assert "found no data set and no folder" in capsys.readouterr().err
