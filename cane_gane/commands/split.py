"""Splits the edges into training and test edges."""

from __future__ import annotations

from pathlib import Path

from absl import flags

from cane_gane.commands.flags import define_seed, parse_ratio
from cane_gane.data.catalog import load
from cane_gane.data.splits import RULES
from cane_gane.errors import InputError

USAGE = ("DATASET", "RATIO")


def define(values: flags.FlagValues) -> None:
    """Defines the flags of this command."""
    flags.DEFINE_enum("rule", "strict", RULES, "how to split", flag_values=values)
    define_seed(values, "seed of the random split")
    flags.DEFINE_string(
        "output",
        None,
        "folder to write to (default: runs/DATASET-RATIO-split-RULE-seedN)",
        flag_values=values,
    )


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command."""
    name, ratio = arguments[0], parse_ratio(arguments[1])
    network = load(name)
    split = network.split(ratio, values.rule, values.seed)
    place = f"{Path(network.source or name).name}-{ratio:g}-split"
    default = Path("runs") / f"{place}-{values.rule}-seed{values.seed}"
    folder = Path(values.output or default)
    for name, kind in (("config.json", "a run"), ("data.txt", "a data set")):
        if (folder / name).exists():
            raise InputError(
                f"{folder}: found {kind}, whose graph.txt it would replace; expected a "
                "folder of its own: choose another --output"
            )
    split.write(folder)
    print(f"training edges  {len(split.train):>8,}  {folder / 'graph.txt'}")
    print(f"test edges      {len(split.test):>8,}  {folder / 'test_graph.txt'}")
    print(f"in neither      {split.left_out:>8,}  self-loops and duplicates")
    print(f"unseen nodes    {len(split.unseen):>8,}  no training edge, but a test edge")
