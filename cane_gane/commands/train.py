"""Trains, evaluates and exports a model."""

from __future__ import annotations

import dataclasses
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from absl import flags

from cane_gane.commands.flags import (
    chosen_settings,
    define_device,
    define_settings,
    parse_ratio,
)
from cane_gane.errors import InputError
from cane_gane.runs.config import Config

if TYPE_CHECKING:
    from cane_gane.runs.folder import RunFolder

CHECKED = 0.9  # the ratio of the run that --check measures
USAGE = ("DATASET", "RATIO", "METHOD")


def define(values: flags.FlagValues) -> None:
    """Defines a flag for each setting, and where the run goes."""
    define_settings(values, without=("dataset", "ratio", "method"))
    flags.DEFINE_string("runs_dir", "runs", "where run folders go", flag_values=values)
    flags.DEFINE_bool(
        "overwrite", False, "throw away what the folder holds", flag_values=values
    )
    flags.DEFINE_bool(
        "check",
        False,
        "with ratio all, also measure a run on 90 % of the edges",
        flag_values=values,
    )
    define_device(values)


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command."""
    dataset, ratio, method = arguments
    config = Config.make(
        dataset=dataset,
        ratio=parse_ratio(ratio, whole=True),
        method=method,
        **chosen_settings(values),
    )
    if values.check and config.ratio < 1:
        raise InputError(
            f"found --check with ratio {ratio}; expected it with all, which has no "
            "test edges"
        )
    folder = _run(config, values)
    if values.check:
        from cane_gane.runs.run import check_by

        check_by(folder, _run(dataclasses.replace(config, ratio=CHECKED), values))
    print(f"\n{folder.path / 'report.html'}")


def _run(config: Config, values: flags.FlagValues) -> RunFolder:
    """Runs what a config says, and prints its results."""
    from cane_gane.evaluation.show import summary
    from cane_gane.runs.folder import RunFolder
    from cane_gane.runs.run import run as run_config

    folder = RunFolder.of(config, Path(values.runs_dir))
    found = run_config(
        config,
        folder,
        overwrite=values.overwrite,
        command=shlex.join(["bash", "run.sh", *sys.argv[1:]]),
        device=values.device,
    )
    print(summary(found, colour=sys.stdout.isatty()))
    return folder
