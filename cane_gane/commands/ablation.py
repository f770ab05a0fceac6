"""Trains GANE-AP with several windows and draws AUC."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from absl import flags

from cane_gane.catalog import find_dataset
from cane_gane.commands.split import parse_ratio
from cane_gane.commands.train import chosen_settings, define_settings
from cane_gane.config import Config, make_config
from cane_gane.errors import InputError
from cane_gane.runs import RunFolder

USAGE = ("DATASET", "RATIO")
_FIXED = ("dataset", "ratio", "variant", "window", "seed")


class CellError(InputError):
    """A run of the ablation did not end well; its own message stands above."""


def define(values: flags.FlagValues) -> None:
    """Defines the windows and repeats, and a flag for each other setting."""
    define_settings(values, without=_FIXED)
    flags.DEFINE_list(
        "windows",
        ["1", "5", "11", "21", "31", "41"],
        "widths to try",
        flag_values=values,
    )
    flags.DEFINE_integer(
        "repeats", 3, "runs for each width, with seeds 1, 2, …", 1, flag_values=values
    )
    flags.DEFINE_string(
        "output",
        None,
        "folder for runs, figure and page (default: runs/ablation-DATASET-RATIO)",
        flag_values=values,
    )
    flags.DEFINE_enum(
        "device", "auto", ["auto", "cpu"], "where to compute", flag_values=values
    )


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command; cells that are finished are not run again."""
    dataset, ratio = arguments[0], parse_ratio(arguments[1])
    find_dataset(dataset)  # before anything is begun
    default = f"runs/ablation-{Path(dataset).name}-{ratio:g}"
    output = Path(values.output or default)
    cells = [
        (window, make_config(dataset=dataset, ratio=ratio, variant="ap", window=window,
                             seed=seed, **chosen_settings(values)))
        for seed in range(1, values.repeats + 1)
        for window in _windows(values.windows)
    ]  # fmt: skip
    from cane_gane.report.ablation import ablation_table, write_ablation

    found: dict[int, list[dict[str, Any]]] = {}
    for place, (window, config) in enumerate(cells, 1):
        folder = RunFolder.of(config, output / f"window-{window}")
        print(f"{place}/{len(cells)}  {folder.path}", file=sys.stderr, flush=True)
        if not _is_finished(folder, config):
            _train(config, folder, values)
        found.setdefault(window, []).append(folder.metrics())
        # After each cell, so that a look in between shows what there is.
        write_ablation(f"{dataset}, {ratio:g}", found, output)
    print(ablation_table(found))
    print(f"\n{output / 'report.html'}")


def _windows(words: list[str]) -> list[int]:
    windows = [int(word) for word in words if word.strip().isdigit()]
    if len(windows) != len(words) or not windows or min(windows) < 1:
        raise InputError(
            f"found --windows={','.join(words)}; expected numbers from 1 on, such as "
            "1,5,11,21"
        )
    return sorted(set(windows))


def _is_finished(folder: RunFolder, config: Config) -> bool:
    if not folder.finished:
        return False
    with folder.opened(config):  # tells if its settings are others
        return True


def _train(config: Config, folder: RunFolder, values: flags.FlagValues) -> None:
    """Trains one cell in a process of its own: just what the plain command does."""
    settings = chosen_settings(values)
    words = [
        f"--{'' if value else 'no'}{name}" if isinstance(value, bool)
        else f"--{name}={value}"
        for name, value in settings.items()
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "cane_gane", config.dataset, str(config.ratio), "ap",
         f"--window={config.window}", f"--seed={config.seed}", *words,
         f"--device={values.device}", f"--runs_dir={folder.path.parent}"],
        stdout=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    if done.returncode:
        raise CellError(
            f"{folder.path}: found exit code {done.returncode} (see above); expected a "
            "run that ends: the same command goes on from there"
        )
