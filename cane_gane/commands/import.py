"""Converts CSV, TSV or JSON lines to a data set."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from absl import flags

from cane_gane.data.importing import USUAL, import_files
from cane_gane.data.lines import printable, quoted
from cane_gane.data.network import FILES
from cane_gane.data.statistics import format_report, inspect_network
from cane_gane.errors import InputError, fault
from cane_gane.files import new_folder

USAGE = ("FILE", "[FOLDER]")
_ABOUT = {
    "id": "the column of ids, which become names",
    "text": "the column of texts; several, such as title,abstract, are joined",
    "links": "the column of links: ids with ; or , or spaces between them",
    "label": "the column of labels, with ; or , between them",
    "source": "the column of --edges with the sources",
    "target": "the column of --edges with the targets",
    "weight": "the column of --edges with the weights",
}

VALUES = dict.fromkeys(_ABOUT, "COLUMN") | {"text": "COLUMN,…"}  # for --help


def define(values: flags.FlagValues) -> None:
    """Defines the flags of this command."""
    flags.DEFINE_string(
        "edges",
        None,
        "a second table: a row for each edge, in place of a column of links",
        flag_values=values,
    )
    for part, about in _ABOUT.items():
        usual = ", ".join(USUAL[part])
        flags.DEFINE_string(
            part, None, f"{about} (default: the first of {usual})", flag_values=values
        )
    flags.DEFINE_bool(
        "skip_unknown", False, "leave out links to unknown ids", flag_values=values
    )
    flags.DEFINE_bool(
        "overwrite", False, "replace the data set in the folder", flag_values=values
    )
    flags.DEFINE_bool("json", False, "print JSON", flag_values=values)


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command."""
    file = Path(arguments[0])
    if not file.is_file():
        raise fault(file, None, "no file", "a table: CSV, TSV or JSON lines")
    folder = Path(arguments[1]) if arguments[1:] else file.with_suffix("")
    _check(folder, values.overwrite)
    _check_flags(values)
    chosen = {part: values[part].value for part in _ABOUT if values[part].value}
    edges = None if values.edges is None else Path(values.edges)
    found = import_files(file, edges, chosen, values.skip_unknown)
    with new_folder(folder) as draft:
        found.network.write(draft)
    report = inspect_network(found.network)
    if values.json:
        about = {"columns": found.columns, "unused": found.unused, "notes": found.notes}
        content = {"folder": str(folder), **about, **report}
        print(json.dumps(content, indent=1, ensure_ascii=False))
        return
    columns = (f"{part} from {quoted(name)}" for part, name in found.columns.items())
    print(f"{file}: {', '.join(columns)}")
    if found.unused:
        print(f"{file}: not used: {', '.join(map(quoted, found.unused[:20]))}")
    for note in found.notes:
        print(f"{edges or file}: {note}")
    print(format_report(f"\n{folder}", report))
    # A bare name could be read as a command or as a known data set.
    name = str(folder) if len(folder.parts) > 1 else f"./{folder}"
    run = f"runs/{folder.resolve().name}-all-ap-seed1"
    node = printable(found.network.name_of(0))
    print(f"\nnext: {shlex.join(['bash', 'run.sh', name, 'all', 'ap'])}")
    print(f"then: {shlex.join(['bash', 'run.sh', 'recommend', run, node])}")


def _check_flags(values: flags.FlagValues) -> None:
    """Refuses flags that would have no effect.

    Raises:
        InputError: There is one.
    """
    others = ("source", "target", "weight") if values.edges is None else ("links",)
    for name in others:
        if values[name].value is not None:
            how = "without" if values.edges is None else "with"
            raise InputError(
                f"found --{name} {how} --edges; expected links in a column, or edges "
                "in a file of their own"
            )


def _check(folder: Path, overwrite: bool) -> None:
    """Refuses to replace anything but a data set, and even that without --overwrite.

    Raises:
        InputError: The folder holds other files, or --overwrite is missing.
    """
    if not folder.exists() and not folder.is_symlink():
        return
    if not folder.is_dir() or folder.is_symlink():
        expected = "a new folder: name one after FILE"
        raise fault(folder, None, "a file", expected)
    held = sorted(path.name for path in folder.iterdir())
    other = [name for name in held if name not in FILES]
    if other:
        found = f"a folder with {', '.join(other[:5])}"
        expected = "a new folder: name another after FILE"
        raise fault(folder, None, found, expected)
    if held and not overwrite:
        expected = "a new folder: name another after FILE, or add --overwrite"
        raise fault(folder, None, "a data set", expected)
