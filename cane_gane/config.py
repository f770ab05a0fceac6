"""Settings: frozen dataclasses whose fields have a default, bounds and a help line."""

from __future__ import annotations

import dataclasses
import difflib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from cane_gane.errors import InputError


def setting(
    default: Any,
    help: str,
    *,
    choices: tuple[str, ...] | None = None,
    low: float | None = None,
    high: float | None = None,
) -> Any:
    """Makes a field of `Settings`.

    Args:
        default: Its default.
        help: What it means, for the help of a command.
        choices: Its possible values, if they are few.
        low: The least value.
        high: The largest value.

    Returns:
        A dataclass field.
    """
    bounds = {"help": help, "choices": choices, "low": low, "high": high}
    return field(default=default, metadata=bounds)


@dataclass(frozen=True)
class Settings:
    """Settings of a method or a run; every value is checked against its bounds."""

    def __post_init__(self) -> None:
        for own in self.fields():
            kind = getattr(own.type, "__name__", own.type)  # a type, or its name
            _check(own.name, getattr(self, own.name), str(kind), own.metadata)

    @classmethod
    def fields(cls) -> tuple[dataclasses.Field[Any], ...]:
        """Returns the fields that `setting` made."""
        return tuple(own for own in dataclasses.fields(cls) if "help" in own.metadata)

    @classmethod
    def make(cls, **chosen: Any) -> Self:
        """Builds settings from the chosen ones and the defaults.

        Raises:
            InputError: A setting is unknown, out of bounds, or conflicts with another.
        """
        known = [own.name for own in cls.fields()]
        for name in chosen:
            if name not in known:
                raise InputError(
                    f"found setting '{name}'; expected one of {', '.join(known)}"
                    f"{suggestion(name, known)}"
                )
        return cls(**{**cls.defaults(chosen), **chosen})

    @classmethod
    def defaults(cls, chosen: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns the defaults that depend on what was chosen."""
        return {}


def suggestion(word: str, known: Iterable[str]) -> str:
    """Returns `: did you mean 'X'?` for the known word that is nearest, or nothing."""
    by_case = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), by_case, 1)
    return f": did you mean '{by_case[near[0]]}'?" if near else ""


def _check(name: str, value: Any, kind: str, bounds: Mapping[str, Any]) -> None:
    low, high, choices = bounds["low"], bounds["high"], bounds["choices"]
    if choices and value not in choices:
        expected = f"one of {', '.join(choices)}{suggestion(_short(value), choices)}"
    elif kind == "bool" and not isinstance(value, bool):
        expected = "true or false"
    elif kind == "int" and (isinstance(value, bool) or not isinstance(value, int)):
        expected = "a whole number"
    elif kind == "float" and not _is_finite(value):
        expected = "a finite number"
    elif kind == "str" and not isinstance(value, str):
        expected = "text"
    elif low is not None and value < low:
        expected = f"at least {low:,}"
    elif high is not None and value > high:
        expected = f"at most {high:,}"
    else:
        return
    raise InputError(f"found {name} '{_short(value)}'; expected {expected}")


def _is_finite(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) <= sys.float_info.max  # a large integer can exceed all floats


def _short(value: Any) -> str:
    try:
        text = " ".join(str(value).split())
    except ValueError:  # Python prints no integer of thousands of digits
        return "a number of thousands of digits"
    return text if len(text) <= 40 else f"{text[:40]}…"
