"""A network of some processes' own, which nobody else can reach."""

import subprocess
import sys

from tests.launch import private_network


def test_a_private_network_has_nothing_but_loopback():
    code = (
        "from cane_gane.runs.loopback import enter; enter(); import socket; "
        "print([name for _, name in socket.if_nameindex()]); "
        "server = socket.create_server(('0.0.0.0', 0)); "
        "address = ('127.0.0.1', server.getsockname()[1]); "
        "socket.create_connection(address).close(); print('reached')"
    )
    with private_network() as options:
        found = subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True,
            **options,
        )  # fmt: skip
    assert found.stdout == "['lo']\nreached\n"
