"""Finds the nodes whose texts are most like a text."""

from __future__ import annotations

import json
from pathlib import Path

from absl import flags

from cane_gane.commands.flags import define_answers, define_output, define_top

USAGE = ("RUN", "TEXT")


def define(values: flags.FlagValues) -> None:
    """Defines the flags of this command."""
    define_answers(values)
    define_top(values)
    define_output(values)


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command."""
    path, text = arguments
    from cane_gane.report.answers import Suggestions, csv_rows, csv_text
    from cane_gane.runs.answers import open_answers
    from cane_gane.serving.answers import Node

    answers = open_answers(Path(path), values.dataset, values.device)
    asked = Node(-1, "", text, ())
    found = Suggestions(asked, answers.search(text, values.top))
    if values.json:
        content = [own.as_json() for own in found]
        print(json.dumps(content, indent=1, ensure_ascii=False))
    elif values.csv:
        print(csv_text(csv_rows(asked, found)), end="")
    else:
        print(found)
