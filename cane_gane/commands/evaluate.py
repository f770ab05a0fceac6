"""Evaluates a run again, or any embed.txt."""

from __future__ import annotations

from pathlib import Path

from absl import flags

from cane_gane.commands.flags import define_seed
from cane_gane.errors import InputError
from cane_gane.progress import has_colour

USAGE = ("RUN",)
_VECTORS = ("graph.txt", "test_graph.txt", "embed.txt")


def define(values: flags.FlagValues) -> None:
    """Defines the flags of this command."""
    flags.DEFINE_string(
        "dataset",
        None,
        "where the run's data set is now; or the data set of other vectors",
        flag_values=values,
    )
    flags.DEFINE_string(
        "output",
        None,
        "folder for metrics.json and report.html of other vectors (default: none)",
        flag_values=values,
    )
    define_seed(values, "seed of random draws, for other vectors")


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command."""
    path = Path(arguments[0])
    if not path.is_dir():
        raise InputError(f"{path}: found no such folder; expected a run folder")
    is_run = (path / "config.json").is_file()
    missing = [name for name in _VECTORS if not (path / name).is_file()]
    if not is_run and missing:
        raise InputError(
            f"{path}: found neither config.json nor {', '.join(missing)}; expected the "
            f"folder of a run, or one with {', '.join(_VECTORS)}"
        )
    if is_run and values.output:
        raise InputError(
            f"{path}: found a run, and --output; expected no --output: a run's own "
            "metrics.json and report.html are rewritten"
        )
    report = _repeat(path, values) if is_run else _evaluate(path, values)
    if report:
        print(f"\n{report}")


def _repeat(path: Path, values: flags.FlagValues) -> Path:
    from cane_gane.evaluation.show import summary
    from cane_gane.runs.run import repeat

    print(summary(repeat(path, values.dataset), colour=has_colour()))
    return path / "report.html"


def _evaluate(path: Path, values: flags.FlagValues) -> Path | None:
    from cane_gane.evaluation.show import summary
    from cane_gane.runs.vectors import evaluate_vectors

    output = Path(values.output) if values.output else None
    found = evaluate_vectors(path, values.dataset, output, values.seed)
    print(summary(found, colour=has_colour()))
    return output / "report.html" if output else None
