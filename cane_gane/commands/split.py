"""Writes graph.txt and test_graph.txt, by ratio."""

from __future__ import annotations

from pathlib import Path

from absl import flags

from cane_gane.catalog import find_dataset
from cane_gane.commands.parsing import parse_ratio
from cane_gane.network import TextualNetwork
from cane_gane.splits import RULES, split_edges

USAGE = ("DATASET", "RATIO")


def define(values: flags.FlagValues) -> None:
    """Defines the flags of this command."""
    flags.DEFINE_enum("rule", "strict", RULES, "how to split", flag_values=values)
    flags.DEFINE_integer("seed", 1, "what the draw hangs on", flag_values=values)
    flags.DEFINE_string(
        "output",
        None,
        "folder to write to (default: runs/DATASET-RATIO-split-RULE-seedN)",
        flag_values=values,
    )


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command."""
    name, ratio = arguments[0], parse_ratio(arguments[1])
    network = TextualNetwork.read(find_dataset(name))
    split = split_edges(network.edges, ratio, values.rule, values.seed)
    default = f"{Path(name).name}-{ratio:g}-split-{values.rule}-seed{values.seed}"
    folder = Path(values.output or Path("runs") / default)
    split.write(folder)
    print(f"training edges  {len(split.train):>8,}  {folder / 'graph.txt'}")
    print(f"test edges      {len(split.test):>8,}  {folder / 'test_graph.txt'}")
    print(f"in neither      {split.left_out:>8,}  self-loops and duplicates")
    print(f"unseen nodes    {len(split.unseen):>8,}  no training edge, but a test edge")
