"""Shows a run in the browser: map, suggestions."""

from __future__ import annotations

import webbrowser
from pathlib import Path

from absl import flags

from cane_gane.commands.flags import define_answers, define_port

USAGE = ("RUN",)


def define(values: flags.FlagValues) -> None:
    """Defines the flags of this command."""
    define_port(values, 8080)
    flags.DEFINE_bool("open", False, "open the page in a browser", flag_values=values)
    define_answers(values)


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command."""
    from cane_gane.runs.answers import open_answers
    from cane_gane.web.explorer import explorer
    from cane_gane.web.ready import make_ready
    from cane_gane.web.server import address, announce, bind, run_until_stopped
    from cane_gane.web.worker import Worker

    path = Path(arguments[0])
    with bind("127.0.0.1", values.port) as taken:
        answers = open_answers(path, values.dataset, values.device)
        make_ready(answers)
        worker = Worker()
        app = explorer(answers, path.resolve().name, worker)
        announce(taken)
        if values.open:
            webbrowser.open(address(taken))
        run_until_stopped(app, taken)
        worker.close()
