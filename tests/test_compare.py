"""The command that sets upstream's code and ours side by side."""

import json
import shutil
import subprocess
import sys

import pytest

from cane_gane.__main__ import main
from tests.conftest import ROOT


def compare(network, checkout, runs, *flags):
    command = [
        sys.executable, "-m", "cane_gane", "compare", str(network), "0.6",
        f"--upstream={checkout}", f"--runs_dir={runs}", *flags,
    ]  # fmt: skip
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.slow
def test_both_sides_run_on_the_same_split(network, checkout, tmp_path):
    flags = ("--variants=wane", "--epochs=2", "--json")
    done = compare(network, checkout, tmp_path, *flags)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for key in ("time_per_epoch", "memory", "auc", "total_time", "epochs"):
        assert set(found[key]) == {"upstream", "wane"}, key
    assert set(found["auc"]["wane"]) == {"upstream", "strict"}
    assert found["epochs"] == {"upstream": 2, "wane": 2}
    assert "upstream  epoch   2/2" in done.stderr
    assert "other than at commit" in done.stderr

    home = tmp_path / "compare-topics-0.6"
    theirs, ours = home / "upstream-seed1", home / "wane" / "topics-0.6-wane-seed1"
    for name in ("graph.txt", "test_graph.txt"):
        assert (theirs / name).read_bytes() == (ours / name).read_bytes()
    for name in ("compare.md", "compare.json", "report.html"):
        assert (home / name).is_file()

    again = compare(network, checkout, tmp_path, *flags)
    assert again.stdout == done.stdout  # nothing is run or timed again
    other = compare(network, checkout, tmp_path, "--variants=wane", "--epochs=3")
    assert other.returncode == 2
    assert "found a run with epochs 2 (now 3)" in other.stderr
    assert "Traceback" not in other.stderr

    shutil.rmtree(ours)  # what is run anew costs what it costs, not the sum
    usage = json.loads((home / "usage.json").read_text())
    usage["wane-seed1"]["seconds"] = 1e6
    (home / "usage.json").write_text(json.dumps(usage))
    anew = json.loads(compare(network, checkout, tmp_path, *flags).stdout)
    assert anew["total_time"]["wane"] < 1e6
    assert anew["total_time"]["upstream"] == found["total_time"]["upstream"]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "compare: found no --upstream; expected --upstream=FOLDER"),
        (["--upstream={here}"], "found no code/config.py; expected a checkout"),
        (["--upstream={fake}", "--variants=up"], "found variant 'up'; expected some"),
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
