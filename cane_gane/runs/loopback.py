"""A private network for a few processes, with only a loopback interface (Linux).

TensorFlow's servers listen on every interface of the machine without a password. In a
network namespace without other interfaces nobody else can reach them.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import socket
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

VARIABLE = "CANE_GANE_NETWORK"
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000  # of <sched.h>
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1  # of <linux/sockios.h>, <net/if.h>
_KINDS = ("user", "net")


class PrivateNetwork:
    """Namespaces that processes can enter while this object is open.

    Attributes:
        files: Open files to pass to a process that should enter.
    """

    def __init__(self) -> None:
        """Creates the namespaces.

        Raises:
            OSError: The system does not support this, or the user may not do it.
        """
        self.files: tuple[int, ...] = ()
        if sys.platform != "linux":
            raise OSError("found no network namespaces; expected Linux")
        maker = subprocess.Popen(
            (sys.executable, "-m", __spec__.name),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        with maker as maker:
            assert maker.stdout is not None
            if maker.stdout.readline() != b"ready\n":
                raise OSError("found no right to make a network namespace")
            home = Path(f"/proc/{maker.pid}/ns")
            self.files = tuple(os.open(home / kind, os.O_RDONLY) for kind in _KINDS)

    @property
    def settings(self) -> dict[str, str]:
        """Environment variables for a process that should enter."""
        return {VARIABLE: ",".join(map(str, self.files))}

    def close(self) -> None:
        """Closes the files; the namespaces end with the last process in them."""
        for file in self.files:
            os.close(file)
        self.files = ()


def enter() -> None:
    """Enters the network that the environment names, if any, before threads start."""
    for file in filter(None, os.environ.pop(VARIABLE, "").split(",")):
        with contextlib.suppress(OSError):  # root has not created a user namespace
            _system("setns", int(file), 0)
        os.close(int(file))


def _make() -> None:
    """Moves this process into its own namespaces and starts loopback there."""
    user, group = os.getuid(), os.getgid()
    if user == 0:
        _system("unshare", _NEW_NETWORK)
    else:
        _system("unshare", _NEW_USER | _NEW_NETWORK)
        for name, content in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            Path("/proc/self", name).write_text(content)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        asked = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, _GET_FLAGS, asked))[1]
        wanted = struct.pack("16sh14x", b"lo", flags | _UP)
        fcntl.ioctl(any_socket, _SET_FLAGS, wanted)


def _system(name: str, *arguments: Any) -> None:
    """Calls a function of the C library."""
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments):
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


if __name__ == "__main__":
    _make()
    print("ready", flush=True)
    sys.stdin.read()
