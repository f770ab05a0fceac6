"""Evaluates a run again, or any embed.txt."""

from __future__ import annotations

import sys
from pathlib import Path

from absl import flags

from cane_gane.errors import InputError
from cane_gane.runs import RunFolder

USAGE = ("RUN",)
_VECTORS = ("graph.txt", "test_graph.txt", "embed.txt")


def define(values: flags.FlagValues) -> None:
    """Defines the flags of this command."""
    flags.DEFINE_string(
        "dataset",
        None,
        "where a run's data set is now; or that of other vectors, for texts, labels",
        flag_values=values,
    )
    flags.DEFINE_string(
        "output",
        None,
        "folder for metrics.json and report.html of other vectors (default: none)",
        flag_values=values,
    )
    flags.DEFINE_integer(
        "seed", 1, "what draws hang on, for other vectors", 0, flag_values=values
    )


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command."""
    path = Path(arguments[0])
    if not path.is_dir():
        raise InputError(f"{path}: found no such folder; expected that of a run")
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
            "metrics.json and report.html are renewed"
        )
    report = _repeat(path, values) if is_run else _evaluate(path, values)
    if report:
        print(f"\n{report}")


def _repeat(path: Path, values: flags.FlagValues) -> Path:
    settings = RunFolder(path).record()["settings"]
    from cane_gane.startup import load_tensorflow

    load_tensorflow(deterministic=bool(settings.get("deterministic", True)))
    from cane_gane.appraisal import repeat
    from cane_gane.report.tables import summary

    print(summary(repeat(path, values.dataset), colour=sys.stdout.isatty()))
    return path / "report.html"


def _evaluate(path: Path, values: flags.FlagValues) -> Path | None:
    from cane_gane.foreign import evaluate_vectors
    from cane_gane.report.tables import summary

    output = Path(values.output) if values.output else None
    metrics = evaluate_vectors(path, values.dataset, output, values.seed)
    print(summary(metrics, colour=sys.stdout.isatty()))
    return output / "report.html" if output else None
