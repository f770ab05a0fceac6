"""Trains, evaluates and exports a model."""

from __future__ import annotations

import dataclasses
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from absl import flags

from cane_gane.commands.flags import (
    chosen_settings,
    define_device,
    define_settings,
    going_on,
    parse_ratio,
)
from cane_gane.errors import InputError
from cane_gane.progress import has_colour
from cane_gane.runs.config import Config

if TYPE_CHECKING:
    from cane_gane.runs.folder import RunFolder

CHECKED = 0.9  # the ratio of the run that --check measures
USAGE = ("DATASET", "RATIO", "METHOD")


def define(values: flags.FlagValues) -> None:
    """Defines a flag for each setting, and where the run goes."""
    define_settings(values, without=("dataset", "ratio", "method"))
    flags.DEFINE_string(
        "runs_dir", "runs", "folder that run folders go to", flag_values=values
    )
    flags.DEFINE_bool(
        "overwrite",
        False,
        "discard the run in the folder and start again",
        flag_values=values,
    )
    flags.DEFINE_bool(
        "json",
        False,
        "print the run folder and metrics.json as JSON",
        flag_values=values,
    )
    flags.DEFINE_bool(
        "check",
        False,
        "with ratio all, also measure a run on 90 % of the edges",
        flag_values=values,
    )
    define_device(values)
    flags.DEFINE_integer(
        "workers", 1, "processes on this machine that train together", 1, 64,
        flag_values=values,
    )  # fmt: skip
    flags.DEFINE_integer(
        "join_seconds", 300, "how long workers wait for each other", 1, 10**6,
        flag_values=values,
    )  # fmt: skip


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
    other = None
    if values.check:
        other = _run(dataclasses.replace(config, ratio=CHECKED), values)
    if folder is None:
        return
    from cane_gane.evaluation.results import to_json

    if other is not None:
        from cane_gane.runs.finish import check_by

        check_by(folder, other)
    if values.json:
        found = {"folder": str(folder.path), **to_json(folder.evaluation())}
        print(json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False))
    else:
        print(f"\n{folder.path / 'report.html'}")


def _run(config: Config, values: flags.FlagValues) -> RunFolder | None:
    """Runs a config and prints the results.

    Returns:
        The run's folder; None on a worker that is not the chief.
    """
    from cane_gane.evaluation.show import summary
    from cane_gane.runs.folder import RunFolder
    from cane_gane.runs.run import run as run_config
    from cane_gane.runs.workers import Team

    team = Team.of(config, values.workers, values.device, values.join_seconds)
    if team and not team.chief:
        team.train(None)
        return None
    folder = RunFolder.of(config, Path(values.runs_dir))
    epochs: int | None = getattr(config.settings, "epochs", None)
    with going_on(lambda: folder.kept(epochs)):
        found = run_config(
            config,
            folder,
            overwrite=values.overwrite,
            command=shlex.join(["bash", "run.sh", *sys.argv[1:]]),
            device=values.device,
            train=team.train if team else None,
        )
    if not values.json:
        print(summary(found, colour=has_colour()))
    return folder
