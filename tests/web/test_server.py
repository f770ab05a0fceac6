"""How a server takes its address, and how it ends."""

import os
import signal
import socket
import subprocess
import sys
import threading

import pytest

from cane_gane.errors import InputError
from cane_gane.web.server import address, bind, is_loopback
from tests.conftest import ROOT
from tests.web.serving import request

# A server whose answers wait for a line on standard input.
SLOW = """
import sys, threading
from cane_gane.web.server import announce, bind, run_until_stopped
from cane_gane.web.service import service
from cane_gane.web.worker import Worker
from tests.web.fake_answers import FakeAnswers
answers, worker, taken = FakeAnswers(), Worker(), bind("127.0.0.1", 0)
answers.gate.clear()
threading.Thread(target=lambda: sys.stdin.readline() and answers.gate.set()).start()
announce(taken)
run_until_stopped(service(answers, "mine", worker, loopback=True), taken)
worker.close()
print("ended", flush=True)
"""


def test_port_0_is_any_that_is_free():
    with bind("127.0.0.1", 0) as first, bind("127.0.0.1", 0) as second:
        assert address(first) != address(second)
        assert address(first).startswith("http://127.0.0.1:")


def test_a_port_that_is_taken_is_told_in_one_line():
    with bind("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"found 127.0.0.1:{port} not available"):
            bind("127.0.0.1", port)


def test_a_host_of_nowhere_is_told_in_one_line():
    with pytest.raises(InputError, match=r"found --host=256\.1\.1\.1 "):
        bind("256.1.1.1", 0)


@pytest.mark.parametrize(("host", "own"), [("127.0.0.1", True), ("0.0.0.0", False)])
def test_only_loopback_is_for_this_machine_alone(host, own):
    with bind(host, 0) as taken:
        assert is_loopback(taken) is own


def test_the_address_of_ipv6_has_brackets():
    try:
        taken = bind("::1", 0)
    except InputError:
        pytest.skip("no IPv6")
    with taken:
        assert address(taken).startswith("http://[::1]:")


def test_asyncio_knows_that_it_is_tcp():
    """Else it leaves Nagle's algorithm on, and each answer waits for the client."""
    with bind("127.0.0.1", 0) as taken:
        assert taken.proto == socket.IPPROTO_TCP


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_told_to_end_answers_what_is_under_way(number):
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW], text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    home = process.stdout.readline().split()[0]
    found = []
    asked = threading.Thread(
        target=lambda: found.append(request(home, "/score", {"source": 0, "target": 1}))
    )
    asked.start()
    place = home.removeprefix("http://").split(":")
    while request(home, "/health")[1]["waiting"] != 1:
        assert process.poll() is None
    process.send_signal(number)
    while _accepts(place):
        pass
    out, err = process.communicate("go\n", timeout=60)
    asked.join()
    assert found[0][0] == 200
    assert (process.returncode, out, err) == (0, "ended\n", "")


def _accepts(place):
    try:
        socket.create_connection((place[0], int(place[1])), 5).close()
    except ConnectionRefusedError:
        return False
    return True
