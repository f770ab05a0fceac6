"""Suggests the likeliest missing edges of nodes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from absl import flags

from cane_gane.commands.flags import (
    define_answers,
    define_output,
    define_top,
    read_texts,
)
from cane_gane.errors import InputError
from cane_gane.files import write_atomically
from cane_gane.progress import counted

if TYPE_CHECKING:
    from cane_gane.report.answers import Suggestions
    from cane_gane.serving.answers import Answers

USAGE = ("RUN", "[NODE …]")


def define(values: flags.FlagValues) -> None:
    """Defines the flags of this command."""
    define_answers(values)
    define_top(values)
    define_output(values)
    flags.DEFINE_string("text", None, "the text of a new node", flag_values=values)
    flags.DEFINE_string(
        "file",
        None,
        "a file with the text of one new node per line",
        flag_values=values,
    )
    flags.DEFINE_list(
        "links", [], "known nodes that the new node has edges to", flag_values=values
    )
    flags.DEFINE_string(
        "output",
        None,
        "where the suggestions of all nodes go (default: RUN/suggestions.csv)",
        flag_values=values,
    )


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command."""
    path, *nodes = arguments
    texts = read_texts(values.text, values.file)
    if values.links and not texts:
        raise InputError("found --links alone; expected --text or --file with it")
    from cane_gane.report.answers import csv_rows, csv_text
    from cane_gane.runs.answers import open_answers

    answers = open_answers(Path(path), values.dataset, values.device)
    if not nodes and texts is None:
        output = Path(values.output or Path(path) / "suggestions.csv")
        _all_nodes(answers, values.top, output)
        print(output)
        return
    found = list(_asked(answers, nodes, texts or [], values.links, values.top))
    if values.json:
        content = [
            {"asked": own.asked.as_json(), "suggestions": [s.as_json() for s in own]}
            for own in found
        ]
        print(json.dumps(content, indent=1, ensure_ascii=False))
    elif values.csv:
        rows = [row for own in found for row in csv_rows(own.asked, own)]
        print(csv_text(rows), end="")
    else:
        print("\n\n".join(map(str, found)))


def _asked(
    answers: Answers, nodes: list[str], texts: list[str], links: list[str], top: int
) -> Iterator[Suggestions]:
    """Yields the suggestions for each node and each text."""
    from cane_gane.report.answers import Suggestions
    from cane_gane.serving.answers import Node

    known = [answers.node(link).id for link in links]
    for node in [answers.node(name) for name in nodes]:
        yield Suggestions(node, answers.recommend(node.id, top=top))
    for text in texts:
        found = answers.recommend(text=text, links=known, top=top)
        yield Suggestions(Node(-1, "", text, ()), found)


def _all_nodes(answers: Answers, top: int, output: Path) -> None:
    """Writes the suggestions of all nodes to a CSV file."""
    from cane_gane.report.answers import csv_rows, csv_text

    parts: list[str] = []
    for node in counted("suggestions", answers.network.node_count):
        rows = csv_rows(answers.node(node), answers.recommend(node, top=top))
        parts.append(csv_text(rows, header=not parts))
    write_atomically(output, "".join(parts).encode())
