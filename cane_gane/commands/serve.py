"""Answers questions about a run as JSON over HTTP."""

from __future__ import annotations

from pathlib import Path

from absl import flags

from cane_gane.commands.flags import define_answers, define_port
from cane_gane.progress import warn

USAGE = ("RUN",)


def define(values: flags.FlagValues) -> None:
    """Defines the flags of this command."""
    define_port(values, 8000)
    flags.DEFINE_string(
        "host",
        "127.0.0.1",
        "address to listen on; any but the loopback address lets others ask questions, "
        "without a password",
        flag_values=values,
    )
    define_answers(values)


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command."""
    from cane_gane.runs.answers import open_answers
    from cane_gane.web.ready import make_ready
    from cane_gane.web.server import (
        address,
        announce,
        bind,
        is_loopback,
        run_until_stopped,
    )
    from cane_gane.web.service import service
    from cane_gane.web.worker import Worker

    path = Path(arguments[0])
    with bind(values.host, values.port) as taken:
        answers = open_answers(path, values.dataset, values.device)
        make_ready(answers)
        if not is_loopback(taken):
            warn(f"cane_gane: anyone who can reach {address(taken)} can ask questions")
        worker = Worker()
        app = service(answers, path.resolve().name, worker, is_loopback(taken))
        announce(taken)
        run_until_stopped(app, taken)
        worker.close()
