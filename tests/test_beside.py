"""The second process: results come back, errors are raised here, it never stays."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from cane_gane import beside
from cane_gane.errors import InputError
from tests.conftest import ROOT

MANY = beside.SMALL

ORPHAN = """
import time
from cane_gane import beside
beside.call(beside.SMALL, time.sleep, 600)
print(beside._Second._one._process.pid, flush=True)
time.sleep(600)
"""


def where() -> int:
    print("this is no answer")
    return os.getpid()


def refuse() -> None:
    raise InputError(f"refused by {os.getpid()}")


def held(process: int) -> int:
    """Returns the bytes of memory that a process holds now."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def split(count: int) -> int:
    """Holds many small pieces of memory for a while."""
    return len([bytes(100) for _ in range(count)])


def leave(parent: int) -> int:
    """Ends any process but the parent."""
    if os.getpid() != parent:
        os._exit(1)
    return parent


def test_calls_are_made_in_another_process_in_turn():
    first, second = beside.call(MANY, where), beside.call(MANY, where)
    assert first.result() == second.result() != os.getpid()


def test_what_is_put_off_begins_behind_the_next_call():
    later = beside.call_later(MANY, time.monotonic_ns)
    first = beside.call(MANY, time.monotonic_ns)
    assert first.result() < later.result()


def test_what_is_put_off_begins_when_its_result_is_asked_for():
    assert beside.call_later(MANY, where).result() != os.getpid()
    assert beside.call_later(MANY - 1, where).result() == os.getpid()


def test_a_small_network_is_not_worth_a_process():
    assert beside.call(MANY - 1, where).result() == os.getpid()


def test_large_results_come_back_whole():
    pending = beside.call(MANY, np.arange, 3_000_000)
    np.testing.assert_array_equal(pending.result(), np.arange(3_000_000))
    assert pending.result() is pending.result()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_is_given_back_between_calls():
    content = np.zeros(20_000_000, np.uint8)
    beside.call(MANY, np.size, content[:1])  # imports numpy
    process = beside.call(MANY, where).result()
    before = held(process)
    assert beside.call(MANY, split, 1_000_000).result() == 1_000_000
    assert beside.call(MANY, np.size, content).result() == len(content)
    deadline = time.monotonic() + 20  # it answers first, then gives back
    while held(process) - before > 15_000_000:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_an_error_is_raised_as_if_there_were_no_such_process():
    with pytest.raises(InputError, match=f"refused by {os.getpid()}"):
        beside.call(MANY, refuse).result()


def test_a_call_whose_process_died_is_made_here():
    pending = [beside.call(MANY, leave, os.getpid()) for _ in range(3)]
    assert [one.result() for one in pending] == [os.getpid()] * 3
    assert beside.call(MANY, where).result() != os.getpid()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_it_ends_with_its_parent(number):
    parent = subprocess.Popen(
        [sys.executable, "-c", ORPHAN],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    child = int(parent.stdout.readline())
    parent.send_signal(number)
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 60
    while alive(child):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def alive(process: int) -> bool:
    """Whether a process runs, and is no zombie that nobody has waited for."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
