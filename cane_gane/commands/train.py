"""Trains, evaluates and exports a model."""

from __future__ import annotations

import dataclasses
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from absl import flags

from cane_gane.commands.parsing import parse_ratio
from cane_gane.config import Config, make_config

USAGE = ("DATASET", "RATIO", "VARIANT")


def define(values: flags.FlagValues) -> None:
    """Defines a flag for each setting, and where the run goes."""
    define_settings(values, without=("dataset", "ratio", "variant"))
    flags.DEFINE_string("runs_dir", "runs", "where run folders go", flag_values=values)
    flags.DEFINE_bool(
        "overwrite", False, "throw away what the folder holds", flag_values=values
    )
    define_device(values)


def define_settings(values: flags.FlagValues, without: Sequence[str]) -> None:
    """Defines a flag for each setting but those."""
    for setting in dataclasses.fields(Config):
        if setting.name not in without:
            _define_setting(setting, values)


def define_jobs(values: flags.FlagValues) -> None:
    """Defines how many of several runs go at once, and where they compute."""
    flags.DEFINE_integer(
        "jobs",
        None,
        "runs at once, which share the cores (default: as many as cores)",
        1,
        flag_values=values,
    )
    define_device(values)


def define_device(values: flags.FlagValues) -> None:
    """Defines where to compute."""
    flags.DEFINE_enum(
        "device", "auto", ["auto", "cpu"], "where to compute", flag_values=values
    )


def chosen_settings(values: flags.FlagValues) -> dict[str, Any]:
    """Returns the settings whose flags were given."""
    return {
        setting.name: values[setting.name].value
        for setting in dataclasses.fields(Config)
        if setting.name in values and values[setting.name].value is not None
    }


def _define_setting(setting: dataclasses.Field, values: flags.FlagValues) -> None:  # type: ignore[type-arg]
    # A default of None tells a flag that was not given from one that was.
    kinds = {
        "int": flags.DEFINE_integer,
        "float": flags.DEFINE_float,
        "bool": flags.DEFINE_bool,
        "str": flags.DEFINE_string,
    }
    choices = setting.metadata["choices"]
    about = setting.metadata["help"] + (f": {'|'.join(choices)}" if choices else "")
    kinds[str(setting.type)](
        setting.name, None, f"{about} (default: {setting.default})", flag_values=values
    )


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command."""
    dataset, ratio, variant = arguments
    config = make_config(
        dataset=dataset,
        ratio=parse_ratio(ratio),
        variant=variant,
        **chosen_settings(values),
    )
    from cane_gane.startup import load_tensorflow

    load_tensorflow(
        deterministic=config.deterministic,
        device=values.device,
        by_pairs=config.masked,
    )
    from cane_gane import experiment
    from cane_gane.report.tables import summary
    from cane_gane.runs import RunFolder

    folder = RunFolder.of(config, Path(values.runs_dir))
    command = shlex.join(["bash", "run.sh", *sys.argv[1:]])
    metrics = experiment.run(
        config, folder, overwrite=values.overwrite, command=command
    )
    print(summary(metrics, colour=sys.stdout.isatty()))
    print(f"\n{folder.path / 'report.html'}")
