"""Compares the CANE model with upstream's own graph."""

from __future__ import annotations

from pathlib import Path

from absl import flags

from cane_gane.errors import InputError

USAGE = ("FILE.npz",)


class ParityError(InputError):
    """A quantity differs by more than is allowed."""

    exit_code = 1


def define(values: flags.FlagValues) -> None:
    """Defines the flags of this command: none."""


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command."""
    from cane_gane.training.runtime import load_tensorflow

    load_tensorflow()
    from cane_gane.upstream.parity import compare

    rows = compare(Path(arguments[0]))
    print(f"{'quantity':<40}{'difference':>12}{'tolerance':>12}")
    for row in rows:
        verdict = "" if row.ok else "  too far"
        print(
            f"{row.quantity:<40}{row.difference:>12.1e}{row.tolerance:>12.1e}{verdict}"
        )
    far = [row.quantity for row in rows if not row.ok]
    if far:
        raise ParityError(
            f"found {len(far)} of {len(rows)} quantities too far off, first "
            f"'{far[0]}'; expected all within their tolerance"
        )
