"""A child is followed line by line, its cost is known, and it stops with us."""

import os
import signal
import sys
import threading

import pytest

from cane_gane.runs.process import Ledger, Usage, run_process


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
