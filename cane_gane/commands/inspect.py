"""Shows what a network holds."""

from __future__ import annotations

import json

from absl import flags

from cane_gane.data.catalog import find_dataset
from cane_gane.data.network import TextualNetwork
from cane_gane.data.statistics import format_report, inspect_network
from cane_gane.data.tokens import MAX_LENGTH, TOKENIZERS

USAGE = ("DATASET",)


def define(values: flags.FlagValues) -> None:
    """Defines the flags of this command."""
    flags.DEFINE_bool("json", False, "print JSON", flag_values=values)
    flags.DEFINE_enum(
        "tokenizer",
        "clean",
        list(TOKENIZERS),
        "how texts are split into words",
        flag_values=values,
    )
    flags.DEFINE_integer(
        "max_length",
        MAX_LENGTH,
        "maximum words kept per text",
        1,
        10**6,
        flag_values=values,
    )


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command."""
    folder = find_dataset(arguments[0])
    network = TextualNetwork.read(folder)
    report = inspect_network(network, values.tokenizer, values.max_length)
    if values.json:
        print(
            json.dumps({"folder": str(folder), **report}, indent=1, ensure_ascii=False)
        )
    else:
        print(format_report(f"{arguments[0]} ({folder})", report))
