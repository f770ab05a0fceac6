"""Finds the outputs that pages show, and runs their commands to update them.

A fenced block that begins with `$ bash run.sh …` shows what that command prints. A line
`…` stands for omitted lines.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from tools.site import ROOT

BLOCK = re.compile(r"^```\n\$ (bash run\.sh [^\n]*)\n(.+?)^```$", re.M | re.S)
TABLE = re.compile(r"^```csv\n(id,text,.+?)^```$", re.M | re.S)
FIGURE = re.compile(r"[-+]?\d[\d.,]*( (s|min|h)\b)?")
WIDTH = 100  # columns of the terminal
GAP = "…"


def pages() -> list[Path]:
    """Returns the pages that may show outputs."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def shown() -> Iterator[tuple[Path, str, list[str]]]:
    """Yields each page, command and the lines that the page shows of its output."""
    for page in pages():
        for command, lines in BLOCK.findall(page.read_text(encoding="utf-8")):
            yield page, command, lines.splitlines()


def skeleton(line: str) -> str:
    """Returns a line without figures, bars and widths of columns."""
    return " ".join(FIGURE.sub("#", re.sub("[█▏░]", " ", line)).split())


def renewed(old: Sequence[str], real: Sequence[str]) -> list[str]:
    """Returns the lines of an output that replace those shown.

    Without a gap, that is the whole output. With gaps, each shown line is found again
    by its words, in order; lines before the first, such as those about a download, are
    omitted.

    Raises:
        ValueError: A shown line is no longer in the output.
    """
    if GAP not in old:
        return list(real)
    kept: list[str] = []
    rest = list(real)
    for place, line in enumerate(old):
        if line == GAP:
            kept.append(GAP)
            continue
        after_gap = place == 0 or old[place - 1] == GAP
        reach = len(rest) if after_gap else 1
        found = [i for i in range(reach) if skeleton(rest[i]) == skeleton(line)]
        if not found:
            raise ValueError(
                f"no longer in the output: {line!r}; edit the page by hand"
            )
        kept.append(rest[found[0]])
        rest = rest[found[0] + 1 :]
    return kept


def printed(command: str, folder: Path) -> list[str]:
    """Runs a command in a folder; returns its output, without local paths."""
    done = subprocess.run(
        ["bash", str(ROOT / "run.sh"), *shlex.split(command)[2:]],
        cwd=folder, env={**os.environ, "COLUMNS": str(WIDTH)}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return re.sub(r"\(/\S*(/datasets/)", r"(…\1", done.stdout).strip().splitlines()


def prepare(folder: Path) -> None:
    """Makes the folder in which commands of pages run, with the files that they read.

    These are the network `broken` and the table in docs/data.md.
    """
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "broken").mkdir(parents=True)
    (folder / "broken/data.txt").write_text("red fox\nblue sea\nred sea\n")
    (folder / "broken/graph.txt").write_text("0 1\n1 7\n")
    table = TABLE.search((ROOT / "docs/data.md").read_text(encoding="utf-8"))
    assert table, "docs/data.md shows no table to import"
    (folder / "papers.csv").write_text(table[1])


def rewrite(folder: Path = ROOT / "runs/docs") -> None:
    """Runs every command whose output a page shows, and updates the page."""
    prepare(folder)
    outputs: dict[str, list[str]] = {}
    for page, command, old in shown():
        print(f"{page.relative_to(ROOT)}: {command}", flush=True)
        if command not in outputs:
            outputs[command] = printed(command, folder)
        before, after = (
            f"```\n$ {command}\n" + "\n".join(lines) + "\n```"
            for lines in (old, renewed(old, outputs[command]))
        )
        page.write_text(page.read_text("utf-8").replace(before, after), "utf-8")
