"""A child is followed line by line, its cost is known, and it stops with us."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from cane_gane.errors import InputError
from cane_gane.runs.process import Ledger, Usage, run_process
from tests.launch import ROOT


def python(code):
    return [sys.executable, "-u", "-c", code]


def test_lines_exit_code_and_settings_come_through(tmp_path):
    lines, costs = [], []
    code = run_process(
        python("import os; print(os.environ['X']); print(os.getcwd()); exit(3)"),
        costs.append,
        folder=tmp_path,
        settings={"X": "y"},
        on_line=lines.append,
    )
    assert code == 3
    assert lines == ["y\n", f"{tmp_path}\n"]
    assert len(costs) == 1


def test_peak_memory_is_that_of_the_child():
    costs = []
    size = 600_000_000
    code = f"import time; x = bytearray(b'1') * {size}; del x; time.sleep(1)"
    run_process(python(code), costs.append, on_line=print)
    assert size < costs[0].memory < 2 * size


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_end_ends_the_child_and_its_cost_is_kept(number):
    costs, seen = [], []
    before = signal.getsignal(number)

    def stop(line):
        seen.append(int(line))
        threading.Timer(0.1, os.kill, (os.getpid(), number)).start()

    code = "import os, time; print(os.getpid()); time.sleep(600)"
    with pytest.raises(KeyboardInterrupt):
        run_process(python(code), costs.append, on_line=stop)
    with pytest.raises(ProcessLookupError):
        os.kill(seen[0], 0)
    assert costs[0].seconds > 0
    assert signal.getsignal(number) == before


IN_PROCESS = """
from cane_gane.errors import InputError
from cane_gane.runs.process import run_process
run_process(CHILD, print, on_line=lambda line: print(line, end="", flush=True))
"""
IN_GRID = """
import time
from pathlib import Path
from types import SimpleNamespace
from cane_gane.runs import cell
cell.PROGRAM = CHILD
folder = SimpleNamespace(path=Path("run").absolute())
child = cell.Child(SimpleNamespace(words=(), folder=folder), "cpu", {})
while not (said := child.news()):
    time.sleep(0.01)
print(said, end="", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("starts", [IN_PROCESS, IN_GRID], ids=["process", "grid"])
def test_children_end_with_a_parent_that_is_killed(tmp_path, starts):
    code = (
        "import os, sys, time; from cane_gane.beside import end_with_parent; "
        "end_with_parent(); out = sys.stderr if len(sys.argv) > 1 else sys.stdout; "
        "print(os.getpid(), file=out, flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen(
        python(f"CHILD = {tuple(python(code))}" + starts),
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    )
    child = int(parent.stdout.readline())
    assert not ended(child)
    parent.kill()
    parent.communicate()
    for _ in range(600):
        if ended(child):
            break
        time.sleep(0.1)
    assert ended(child)


def ended(process):
    """Whether a process is gone, or waits for nothing but its parent's notice."""
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] == "Z"
    except FileNotFoundError:
        return True


def test_a_child_that_is_tied_ends_by_itself_as_any_other():
    code = "from cane_gane.beside import end_with_parent; end_with_parent(); exit(3)"
    assert run_process(python(code), print, on_line=print) == 3


def test_the_ledger_adds_starts_up(tmp_path):
    ledger = Ledger(tmp_path / "usage.json")
    assert ledger.of("a") == Usage()
    ledger.add("a", Usage(1.0, 2.0, 30))
    ledger.add("b", Usage(5.0, 5.0, 5))
    ledger.add("a", Usage(10.0, 20.0, 7))
    assert ledger.of("a") == Usage(11.0, 22.0, 30)
    ledger.forget("a")
    assert ledger.of("a") == Usage()
    assert ledger.of("b") == Usage(5.0, 5.0, 5)


@pytest.mark.parametrize(
    "content", [b"", b"\xff", b"[" * 100_000, b"[1]", b'{"a": {"hours": 1}}',
                b'{"a": {"seconds": "long"}}', b'{"a": null}'],
)  # fmt: skip
def test_a_damaged_ledger_gets_one_line(tmp_path, content):
    path = tmp_path / "usage.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"usage\.json: found no costs of runs"):
        Ledger(path).add("a", Usage(1.0, 2.0, 30))
    assert path.read_bytes() == content
