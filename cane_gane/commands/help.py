"""What --help prints: all commands by purpose, or the flags of one command."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from types import ModuleType
from typing import Any

from absl import flags

from cane_gane.commands.flags import setting_groups
from cane_gane.data.catalog import NAMES
from cane_gane.methods.registry import METHODS

# The flags of training that most people need, and no others.
USUAL = ("epochs", "seed", "split", "preset", "evidence", "overwrite", "quiet", "json")
# Placeholders for flag values whose type does not suggest one.
_VALUES = {
    "dataset": "DATASET", "edges": "FILE", "file": "FILE", "host": "ADDRESS",
    "html": "FILE",
    "links": "NODE,…", "methods": "METHOD,…", "nodes": "NODE,…", "only": "PART,…",
    "output": "PATH", "ratios": "RATIO,…", "rho": "X,X,X", "runs_dir": "FOLDER",
    "seeds": "N,…", "upstream": "FOLDER", "variants": "METHOD,…",
    "windows": "N,…",
}  # fmt: skip
_KINDS = {"int": "N", "float": "X"}

_NOTES = """\
DATASET is {datasets}, or a folder with data.txt and graph.txt.
RATIO is the share of edges to train on, or all.
METHOD is {methods}.
RUN is a folder that training wrote, such as runs/pydocs-0.55-ap-seed1.
Flags: `bash run.sh COMMAND --help`, for training `bash run.sh train --help`."""


def general_help(
    groups: Mapping[str, Sequence[tuple[str, ModuleType]]], default: Sequence[str]
) -> str:
    """Returns the help on all commands.

    Args:
        groups: The commands of each group, by its title.
        default: The words that a call without words stands for.
    """
    lines = [
        "cane_gane: suggests missing links between texts, and shows which words match.",
    ]
    rows = {
        title: [_row(name, module) for name, module in members]
        for title, members in groups.items()
    }
    first = next(iter(rows))
    rows[first].insert(0, _call("", f"The same as: bash run.sh {' '.join(default)}"))
    rows["Develop"] = [
        _call("benchmark NAME", "Runs a benchmark from benchmarks/."),
        _call("docs", "Builds the documentation site; checks its links."),
        _call("test", "Runs ruff, mypy and pytest."),
    ]
    for title, members in rows.items():
        lines += ["", f"{title}:", *members]
    notes = _NOTES.format(datasets=", ".join(NAMES), methods=", ".join(METHODS))
    return "\n".join([*lines, "", *(f"  {line}" for line in notes.splitlines())])


def command_help(name: str, module: ModuleType, values: flags.FlagValues) -> str:
    """Returns the help on a command."""
    call = " ".join(["bash run.sh", name, *module.USAGE, "[flags]"])
    forms = _VALUES | getattr(module, "VALUES", {})
    return "\n".join([call, _summary(module), *_flag_lines(values, forms)])


def _row(name: str, module: ModuleType) -> str:
    words = [] if name == "train" else [name]
    return _call(" ".join([*words, *module.USAGE]), _summary(module))


def _call(words: str, about: str) -> str:
    return f"  {f'bash run.sh {words}'.rstrip():<34}  {about}"


def _summary(module: ModuleType) -> str:
    return (module.__doc__ or "").splitlines()[0]


def _flag_lines(values: flags.FlagValues, forms: Mapping[str, str]) -> list[str]:
    """Returns the lines for all flags: usual ones, the command's own, then settings."""
    left = {flag.name: flag for flag in map(values.__getitem__, sorted(values))}
    settings = {
        title: [field.name for field in fields]
        for title, fields in setting_groups().items()
    }
    chosen = {name for names in settings.values() for name in names}
    if "epochs" not in left or not chosen & set(left):
        return _lines("", left.values(), forms)
    usual = [left.pop(name) for name in USUAL if name in left]
    own = [left.pop(name) for name in list(left) if name not in chosen]
    lines = _lines("Usual flags:", usual, forms)
    lines += ["", *_lines("Other flags of this command:", own, forms)]
    for title, names in settings.items():
        members = [left.pop(name) for name in names if name in left]
        if members:
            lines += ["", *_lines(f"Settings of {title}", members, forms)]
    return ["", *lines]


def _lines(title: str, members: Iterable[Any], forms: Mapping[str, str]) -> list[str]:
    lines = [title] if title else []
    for flag in members:
        lines += _flag(flag, forms)
    return lines


def _flag(flag: Any, forms: Mapping[str, str]) -> list[str]:
    """Returns the lines for a flag, within the width of the terminal."""
    value = ", ".join(flag.default) if isinstance(flag.default, list) else flag.default
    about = flag.help.split(">: ")[-1]  # absl repeats the choices there
    if alias := re.fullmatch(r"Alias for (--\w+)\.", about):
        about, value = f"the same as {alias[1]}", None
    if value not in (None, False, ""):
        about += f" (default: {value})"
    width = max(60, min(shutil.get_terminal_size((88, 24)).columns, 100))
    form = f"  {_form(flag, forms)}"
    about = about.replace("(default: ", "(default:\xa0")  # no line break there
    lines = [own.replace("\xa0", " ") for own in textwrap.wrap(about, width - 30)]
    padded = [f"{'':30}{line}" for line in lines]
    if len(form) <= 28:
        return [f"{form:<30}{lines[0]}", *padded[1:]]
    return [form, *padded]


def _form(flag: Any, forms: Mapping[str, str]) -> str:
    """Returns how a flag is written, with a placeholder for its value."""
    if flag.boolean:
        return f"--{flag.name}" if flag.default is False else f"--[no]{flag.name}"
    choices = getattr(flag.parser, "enum_values", None)
    for field in chain.from_iterable(setting_groups().values()):
        if field.name == flag.name:
            choices = choices or field.metadata["choices"]
    if choices:
        return f"--{flag.name}={'|'.join(choices)}"
    kind = _KINDS.get(flag.flag_type(), "TEXT")
    return f"--{flag.name}={forms.get(flag.name, kind)}"
