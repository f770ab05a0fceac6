"""A server on this machine: its address, and how it starts and ends."""

from __future__ import annotations

import contextlib
import socket

import uvicorn
from starlette.types import ASGIApp

from cane_gane.errors import InputError
from cane_gane.runs.signals import ends_as_interrupts

_GRACE = 10  # seconds for pending answers when the server is told to end


def bind(host: str, port: int) -> socket.socket:
    """Binds an address, so that it is known to be free before a model is loaded.

    Args:
        host: A name or IP address of this machine.
        port: The port; 0 for any free one.

    Returns:
        The bound socket.

    Raises:
        InputError: The address is not available.
    """
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        # Without it, asyncio does not recognise TCP, and each answer takes 40 ms.
        taken = socket.socket(family, kind, protocol)
    except (OSError, ValueError) as error:  # such as for an invalid name
        reason = getattr(error, "strerror", None) or "not a host name"
        raise InputError(
            f"found --host={host[:60]} ({reason}); expected an address of this machine"
        ) from None
    try:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(place)
    except OSError as error:
        taken.close()
        reason = error.strerror
        raise InputError(
            f"found {host}:{port} not available ({reason}); expected a free port: "
            "choose another with --port, or --port=0 for any"
        ) from None
    return taken


def address(taken: socket.socket) -> str:
    """Returns the address of a bound socket as a URL for a browser."""
    host, port = taken.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def announce(taken: socket.socket) -> None:
    """Prints the address; requests that come at once wait until the server is ready."""
    taken.listen()
    print(f"{address(taken)}  (Ctrl-C stops it)", flush=True)


def is_loopback(taken: socket.socket) -> bool:
    """Whether only this machine can reach a bound socket."""
    host = str(taken.getsockname()[0])
    return host.startswith("127.") or host == "::1"


def make_server(app: ASGIApp) -> uvicorn.Server:
    """Returns a server that logs only errors."""
    return uvicorn.Server(
        uvicorn.Config(
            app, loop="asyncio", http="h11", ws="none", lifespan="off",
            log_config=None, access_log=False, server_header=False,
            timeout_keep_alive=30, timeout_graceful_shutdown=_GRACE,
        )
    )  # fmt: skip


def run_until_stopped(app: ASGIApp, taken: socket.socket) -> None:
    """Answers requests until Ctrl-C or SIGTERM, then finishes pending ones."""
    # uvicorn raises the signal again when all requests are answered.
    with contextlib.suppress(KeyboardInterrupt), ends_as_interrupts():
        make_server(app).run(sockets=[taken])
