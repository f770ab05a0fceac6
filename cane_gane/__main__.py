"""The command line: `python -m cane_gane COMMAND …`, run.sh and `cane-gane`."""

from __future__ import annotations

import contextlib
import importlib
import math
import os
import platform
import re
import sys
from collections.abc import Sequence
from importlib import metadata
from itertools import chain
from pathlib import Path
from types import ModuleType

from absl import flags

from cane_gane.beside import end_with_parent
from cane_gane.commands.flags import define_quiet, flag_fault, one_line
from cane_gane.commands.help import command_help, general_help
from cane_gane.config import suggestion
from cane_gane.data.catalog import NAMES, canonical_name
from cane_gane.errors import InputError, as_line
from cane_gane.progress import Terminal, quietly
from cane_gane.version import VERSION

GROUPS = {
    "Train, then ask": (
        "train", "recommend", "search", "explain", "embed", "explore", "serve",
    ),
    "Your data": ("import", "inspect", "split"),
    "Measure": (
        "evaluate", "report", "table", "ablation", "reproduce", "compare", "parity",
    ),
}  # fmt: skip
COMMANDS = tuple(chain.from_iterable(GROUPS.values()))
OTHERS = ("benchmark", "docs", "test")  # of run.sh
DEFAULT = ("pydocs", "0.55", "ap")
_RATIO = re.compile(r"[\d.]|all$")  # how ratios begin


def main(argv: Sequence[str]) -> int:
    """Runs a command line.

    Args:
        argv: The words after the program's name.

    Returns:
        The exit code: 0, or 2 and one line on standard error for bad input.
    """
    try:
        _dispatch(argv)
        sys.stdout.flush()
    except InputError as error:
        return _tell(str(error), error.exit_code)
    except OSError as error:
        try:
            sys.stdout.flush()
        except OSError:  # standard error itself failed: print nothing more
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 0  # the reader, such as `head`, has seen enough
        return _tell(one_line(str(error), 300), 2)
    except MemoryError:
        return _tell(
            "ran out of memory: choose smaller settings, such as "
            "--batch_size or --dimension, or a smaller network",
            2,
        )
    except KeyboardInterrupt as stop:
        return _tell("; ".join(["stopped", *map(str, stop.args)]), 130)
    return 0


def _tell(message: str, code: int) -> int:
    """Prints an error as one line of bounded length; returns the exit code."""
    print(f"cane_gane: {as_line(message)}", file=sys.stderr)
    return code


def console() -> None:
    """Runs the command line of this process and exits with its code."""
    end_with_parent()
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        with contextlib.suppress(AttributeError):  # a stream of another kind
            stream.reconfigure(errors="replace")
            if stream.isatty():
                setattr(sys, name, Terminal(stream))
    sys.exit(main(sys.argv[1:]))


def _dispatch(argv: Sequence[str]) -> None:
    name, *words = argv or DEFAULT
    if name in ("--help", "-h", "help", "--helpfull", "--helpshort"):
        groups = {
            title: [(own, _module(own)) for own in names]
            for title, names in GROUPS.items()
        }
        print(general_help(groups, DEFAULT))
        return
    if name in ("--version", "version"):
        print(_version())
        return
    if name not in COMMANDS:
        _check_training(name, words)
        name, words = "train", [name, *words]
    module = _module(name)
    values = flags.FlagValues()
    values.set_gnu_getopt(True)
    module.define(values)
    define_quiet(values)
    if "--help" in words or "-h" in words:
        print(command_help(name, module, values))
        return
    try:
        arguments = values([name, *map(_with_underscores, words)])[1:]
    except flags.Error as error:
        raise InputError(flag_fault(name, values, error)) from None
    needed = [word for word in module.USAGE if not word.startswith("[")]
    most = math.inf if "…" in "".join(module.USAGE[-1:]) else len(module.USAGE)
    if not len(needed) <= len(arguments) <= most:
        found = one_line(" ".join(arguments)) or "none"
        raise InputError(
            f"{name}: found {len(arguments)} arguments ({found}); expected "
            f"{' '.join(module.USAGE) or 'none'}"
        )
    with quietly() if values.quiet else contextlib.nullcontext():
        module.run(arguments, values)


def _check_training(name: str, words: Sequence[str]) -> None:
    """Refuses words that are neither a command nor DATASET RATIO METHOD.

    Raises:
        InputError: The first word is not a command, a data set or a folder.
    """
    known = name.startswith("-") or canonical_name(name) in NAMES or Path(name).exists()
    if not known and not _RATIO.match(words[0] if words else ""):
        raise InputError(
            f"found command '{name[:60]}'; expected one of "
            f"{', '.join((*COMMANDS, *OTHERS))}, or DATASET RATIO METHOD (bash run.sh "
            f"--help explains them){suggestion(name, (*COMMANDS, *NAMES, *OTHERS))}"
        )


def _with_underscores(word: str) -> str:
    """Returns a flag as it is defined: --learning_rate for --learning-rate."""
    if not word.startswith("--"):
        return word
    name, equals, value = word[2:].partition("=")
    name = re.sub("^no-", "no", name).replace("-", "_")
    return f"--{name[:60]}{equals}{value}"  # absl fails on very long names


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"cane_gane.commands.{name}")


def _version() -> str:
    packages = (f"{name} {metadata.version(name)}" for name in ("tensorflow", "keras"))
    python = f"Python {platform.python_version()}"
    return ", ".join([f"cane_gane {VERSION}", *packages, python])


if __name__ == "__main__":
    console()
