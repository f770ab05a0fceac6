"""Flags that several commands share: settings, seeds, ratios, methods."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from absl import flags

from cane_gane.config import Settings, suggestion
from cane_gane.data.lines import decode, read_lines
from cane_gane.errors import InputError
from cane_gane.methods.registry import METHODS, meant_method
from cane_gane.runs.config import SEEDS, Config

MOST_SEEDS = 10_000
_OVERWRITE = re.compile(r"--?overwrite(=.*)?")
_KINDS = {
    "int": flags.DEFINE_integer,
    "float": flags.DEFINE_float,
    "bool": flags.DEFINE_bool,
    "str": flags.DEFINE_string,
}


def define_settings(values: flags.FlagValues, without: Sequence[str]) -> None:
    """Defines a flag for each setting of runs and methods, except `without`."""
    for fields in setting_groups().values():
        for field in fields:
            if field.name in without or field.name in values:
                continue
            about = f"{field.metadata['help']} (default: {_defaults(field)})"
            # A default of None shows that a flag was not given.
            _KINDS[str(field.type)](field.name, None, about, flag_values=values)


def _defaults(field: dataclasses.Field[Any]) -> str:
    """Returns a setting's default, and the defaults of methods that differ."""
    others: dict[Any, list[str]] = {}
    for method in METHODS.values():
        for own in method.settings.fields():
            if own.name == field.name and own.default != field.default:
                others.setdefault(own.default, []).append(method.key)
    each = (f"{value} for {', '.join(keys)}" for value, keys in others.items())
    return "; ".join([str(field.default), *each])


def setting_groups() -> dict[str, tuple[dataclasses.Field[Any], ...]]:
    """Returns all settings, grouped by the methods that have them, by title."""
    methods: dict[type[Settings], list[str]] = {}
    for method in METHODS.values():
        methods.setdefault(method.settings, []).append(method.key)
    groups = {"Every method:": Config.fields()}
    for settings, keys in methods.items():
        groups[f"{', '.join(keys)}:"] = settings.fields()
    return groups


def flag_fault(command: str, values: flags.FlagValues, error: flags.Error) -> str:
    """Returns what is wrong with a flag as one line, like all messages."""
    if isinstance(error, flags.UnrecognizedFlagError):
        name = one_line(error.flagname)
        near = suggestion(name, values).replace("'", "--", 1).replace("'", "")
        expected = f"a flag that bash run.sh {command} --help lists"
        return f"{command}: found --{name}; expected {expected}{near}"
    found = re.match(r"flag --(\w+)=(.*?): ", str(error), re.DOTALL)
    if not found or found[1] not in values:
        return f"{command}: {one_line(str(error))}"
    name, value = found[1], one_line(found[2])
    parser: Any = values[name].parser
    choices = getattr(parser, "enum_values", None)
    expected = parser.syntactic_help or "true or false"
    if choices:
        expected = f"one of {', '.join(choices)}{suggestion(value, choices)}"
    return f"{command}: found --{name}={value}; expected {expected}"


def one_line(message: str, longest: int = 60) -> str:
    """Returns a message as one line, with long words cut."""
    words = (
        word if len(word) <= longest else f"{word[:longest]}…"
        for word in message.split()
    )  # fmt: skip
    return " ".join(words)


def chosen_settings(values: flags.FlagValues) -> dict[str, Any]:
    """Returns the settings whose flags were given."""
    names = (field.name for fields in setting_groups().values() for field in fields)
    return {
        name: values[name].value
        for name in names
        if name in values and values[name].value is not None
    }


def method_settings(
    chosen: Mapping[str, Any], methods: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Returns the chosen settings of each method.

    A setting that no method has is given to all methods, which then refuse it.
    """
    shared = {own.name for own in Config.fields()}
    known = {
        key: shared | {own.name for own in METHODS[key].settings.fields()}
        for key in methods
    }
    every = set().union(*known.values())
    return {
        key: {k: v for k, v in chosen.items() if k in own or k not in every}
        for key, own in known.items()
    }


@contextlib.contextmanager
def going_on(kept: Callable[[], str]) -> Iterator[None]:
    """On Ctrl-C, adds what is kept and the command that continues from there.

    Args:
        kept: Returns what is kept; called on Ctrl-C only.
    """
    try:
        yield
    except KeyboardInterrupt:
        # --overwrite would delete what is kept.
        words = [word for word in sys.argv[1:] if not _OVERWRITE.fullmatch(word)]
        command = shlex.join(["bash", "run.sh", *words])
        raise KeyboardInterrupt(kept(), f"continue with {command}") from None


def define_jobs(values: flags.FlagValues) -> None:
    """Defines how many runs go in parallel, and where they compute."""
    flags.DEFINE_integer(
        "jobs",
        None,
        "how many runs at once; they share the cores (default: one per core)",
        1,
        flag_values=values,
    )
    define_device(values)


def define_quiet(values: flags.FlagValues) -> None:
    """Defines whether progress is shown."""
    flags.DEFINE_bool(
        "quiet", False, "print results and warnings, but no progress",
        flag_values=values,
    )  # fmt: skip


def define_device(values: flags.FlagValues) -> None:
    """Defines where to compute."""
    flags.DEFINE_enum(
        "device", "auto", ["auto", "cpu"], "device to compute on", flag_values=values
    )


def define_answers(values: flags.FlagValues) -> None:
    """Defines the flags of all commands that answer from a run."""
    flags.DEFINE_string(
        "dataset",
        None,
        "where the run's data set is now, if it has moved",
        flag_values=values,
    )
    define_device(values)


def define_top(values: flags.FlagValues) -> None:
    """Defines how many answers are given."""
    flags.DEFINE_integer(
        "top", 10, "maximum number of answers", 1, 10_000, flag_values=values
    )


def define_output(values: flags.FlagValues) -> None:
    """Defines the flags for formats that other programs read."""
    flags.DEFINE_bool("json", False, "print JSON", flag_values=values)
    flags.DEFINE_bool("csv", False, "print CSV", flag_values=values)


def read_texts(text: str | None, file: str | None) -> list[str] | None:
    """Returns the texts of --text and --file; None if neither is given.

    Raises:
        InputError: A text has no words, or the file is missing or not text.
    """
    if text is None and file is None:
        return None
    found = [] if text is None else [text]
    if file is not None:
        found += decode(Path(file), read_lines(Path(file)))
    for place, own in enumerate(found, 1 if text is None else 0):
        if not own.split():
            where = f"{file}:{place}" if place else "--text"
            raise InputError(f"{where}: found no word; expected a text")
    return found


def define_port(values: flags.FlagValues, default: int) -> None:
    """Defines the port of a server."""
    flags.DEFINE_integer(
        "port",
        default,
        "port to listen on; 0 for any free port",
        0,
        65535,
        flag_values=values,
    )


def define_seed(values: flags.FlagValues, about: str) -> None:
    """Defines the seed."""
    flags.DEFINE_integer("seed", 1, about, 0, SEEDS, flag_values=values)


def define_methods(
    values: flags.FlagValues, default: Sequence[str], about: str
) -> None:
    """Defines --methods, which may also be called --variants."""
    flags.DEFINE_list("methods", list(default), about, flag_values=values)
    flags.DEFINE_alias("variants", "methods", flag_values=values)


def parse_ratio(text: str, whole: bool = False) -> float:
    """Returns the ratio that `text` gives.

    Args:
        text: A number between 0 and 1.
        whole: Whether `all` is allowed; it means 1, no test edges.
    """
    if whole and text == "all":
        return 1.0
    try:
        ratio = float("nan" if "_" in text else text)
    except ValueError:
        ratio = float("nan")
    if not 0 < ratio < 1:
        raise InputError(
            f"found ratio '{text[:40]}'; expected a number between 0 and 1, such as "
            f"0.55{', or all' if whole else ''}{_meant_ratio(text, whole)}"
        )
    return ratio


def _meant_ratio(text: str, whole: bool) -> str:
    """Returns a hint at the ratio that 55, 55 % or 0,55 may stand for."""
    if whole and text.lower() in ("all", "1", "1.0", "100", "100%"):
        return ": did you mean all?"
    found = re.fullmatch(r"(0?[.,]\d{1,6})|([1-9]\d?(?:[.,]\d{1,4})?) ?%?", text)
    if not found:
        return ""
    number = float((found[1] or found[2]).replace(",", "."))
    number = number if found[1] else number / 100
    return f": did you mean {number:g}?" if 0 < number < 1 else ""


def parse_methods(words: Sequence[str], known: Sequence[str]) -> list[str]:
    """Returns the methods that `words` name, each once; blank words are none."""
    words = [word for word in words if word]
    for word in words:
        if word not in known:
            raise InputError(
                f"found method '{word[:40]}'; expected some of {', '.join(known)}"
                f"{meant_method(word, known)}"
            )
    return list(dict.fromkeys(words))


def parse_numbers(words: Sequence[str], name: str) -> list[int]:
    """Returns whole numbers from 1 on, each once, in order."""
    found = [_span(word) for word in words]
    if not found or not all(len(span) == 1 and span[0] > 0 for span in found):
        raise InputError(
            f"found --{name}={','.join(words)[:60]}; expected numbers from 1 on, such "
            "as 1,5,11,21"
        )
    return sorted({span[0] for span in found})


def parse_seeds(words: Sequence[str]) -> list[int]:
    """Returns the seeds that `words` give, each once; 1-3 stands for 1, 2 and 3."""
    spans = [_span(word) for word in words]
    few = sum(map(len, spans)) <= MOST_SEEDS
    if not spans or not all(spans) or not few or max(map(max, spans)) > SEEDS:
        raise InputError(
            f"found seeds '{','.join(words)[:60]}'; expected numbers up to {SEEDS:,} "
            f"such as 1,2,3 or 1-10, {MOST_SEEDS:,} at most"
        )
    return list(dict.fromkeys(chain.from_iterable(spans)))


def _span(word: str) -> range:
    found = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", word.strip())
    return range(int(found[1]), int(found[2] or found[1]) + 1) if found else range(0)
