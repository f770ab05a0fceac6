"""Rewrites the page of a run, or compares several."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from absl import flags

from cane_gane.errors import InputError

if TYPE_CHECKING:
    from cane_gane.runs.folder import RunFolder

USAGE = ("RUN…",)


def define(values: flags.FlagValues) -> None:
    """Defines the flags of this command."""
    flags.DEFINE_string(
        "output",
        None,
        "folder for page and figures (default: RUN, or runs/report for several)",
        flag_values=values,
    )


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command."""
    from cane_gane.runs.folder import RunFolder

    folders = [RunFolder(Path(argument)) for argument in arguments]
    for folder in folders:
        if not folder.finished or not (folder.path / "config.json").is_file():
            raise InputError(
                f"{folder.path}: found no finished run; expected config.json and "
                "metrics.json there, which bash run.sh DATASET RATIO METHOD writes"
            )
    if len(folders) == 1:
        print(_one(folders[0], values.output))
    else:
        print(_several(folders, Path(values.output or "runs/report")))


def _one(folder: RunFolder, output: str | None) -> Path:
    from cane_gane.report.run import RunReport

    report = RunReport(
        folder.path.resolve().name,
        folder.record(),
        folder.history(),
        folder.evaluation(),
        folder.examples(),
        folder.path,
    )
    home = Path(output) if output else folder.path
    report.write_figures(home / "figures")
    report.write(home / "report.html")
    return home / "report.html"


def _several(folders: list[RunFolder], output: Path) -> Path:
    from cane_gane.report.several import write_several

    runs = [folder.one_run() for folder in folders]
    write_several(runs, output)
    return output / "report.html"
