"""Explains a score: its parts and matched words."""

from __future__ import annotations

import json
from pathlib import Path

from absl import flags

from cane_gane.commands.flags import define_answers

USAGE = ("RUN", "A", "B")


def define(values: flags.FlagValues) -> None:
    """Defines the flags of this command."""
    define_answers(values)
    flags.DEFINE_bool("json", False, "print JSON", flag_values=values)
    flags.DEFINE_string(
        "html",
        None,
        "write a page with a heat map and lines to this file",
        flag_values=values,
    )


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command."""
    path, source, target = arguments
    from cane_gane.report.answers import explanation_text
    from cane_gane.report.explain import write_explanation
    from cane_gane.runs.answers import open_answers

    answers = open_answers(Path(path), values.dataset, values.device)
    found = answers.explain(source, target)
    if values.html:
        write_explanation(found, Path(values.html))
    if values.json:
        print(json.dumps(found.as_json(), indent=1, ensure_ascii=False))
    else:
        print(explanation_text(found))
    if values.html and not values.json:
        print(f"\n{values.html}")
