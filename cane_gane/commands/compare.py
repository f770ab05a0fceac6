"""Runs upstream CANE's own code beside our models."""

from __future__ import annotations

import sys
from pathlib import Path

from absl import flags

from cane_gane.commands.flags import (
    define_methods,
    going_on,
    parse_methods,
    parse_ratio,
    parse_seeds,
)
from cane_gane.data.catalog import canonical_name
from cane_gane.data.network import digests
from cane_gane.errors import InputError
from cane_gane.models.settings import PRESETS

USAGE = ("DATASET", "RATIO")


def define(values: flags.FlagValues) -> None:
    """Defines the flags of this command."""
    flags.DEFINE_string(
        "upstream", None, "a checkout of thunlp/CANE", flag_values=values
    )
    define_methods(
        values,
        ("cane", "ot", "ap"),
        "our side: methods, or cane-upstream, our CANE with upstream's settings",
    )
    flags.DEFINE_integer(
        "epochs",
        PRESETS["upstream"]["epochs"],
        "epochs of upstream; our models need fewer and never get more",
        1,
        flag_values=values,
    )
    flags.DEFINE_list(
        "seeds", ["1"], "a split and a run for each seed", flag_values=values
    )
    flags.DEFINE_bool("json", False, "print JSON", flag_values=values)
    flags.DEFINE_string(
        "runs_dir", "runs", "folder that runs go to", flag_values=values
    )
    flags.DEFINE_bool(
        "overwrite", False, "discard earlier runs and start again", flag_values=values
    )


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command."""
    from cane_gane.upstream import tables
    from cane_gane.upstream.checkout import Checkout, find_data
    from cane_gane.upstream.comparison import SIDES, Comparison, Result
    from cane_gane.upstream.outcome import outcome

    if values.upstream is None:
        raise InputError(
            "compare: found no --upstream; expected --upstream=FOLDER, a checkout: "
            "git clone https://github.com/thunlp/CANE"
        )
    name, ratio = canonical_name(arguments[0]), parse_ratio(arguments[1])
    variants, seeds = parse_methods(values.methods, SIDES), parse_seeds(values.seeds)
    checkout = Checkout.read(Path(values.upstream))
    if warning := checkout.warning():
        print(f"cane_gane: {warning}", file=sys.stderr)
    data = digests(find_data(name, checkout))
    comparison = Comparison(
        checkout=checkout,
        dataset=name,
        ratio=ratio,
        variants=variants,
        seeds=seeds,
        epochs=values.epochs,
        folder=Path(values.runs_dir) / f"compare-{Path(name).resolve().name}-{ratio:g}",
    )
    results: list[Result] = []
    with going_on(lambda: f"{comparison.folder} keeps {len(results)} finished runs"):
        for result in comparison.results(overwrite=values.overwrite):
            results.append(result)
            found = outcome(comparison, results, data)
            tables.write(found, comparison.folder)  # finished results are kept
    print(tables.as_json(found) if values.json else tables.as_markdown(found))
    print(comparison.folder / "report.html", file=sys.stderr)
