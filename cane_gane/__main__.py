"""The command line: `python -m cane_gane COMMAND …`, which run.sh passes on to."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from absl import flags

from cane_gane.errors import InputError

COMMANDS = (
    "train", "evaluate", "report", "table", "ablation", "compare", "inspect", "split",
    "parity",
)  # fmt: skip
DEFAULT = ("pydocs", "0.55", "ap")

_HELP = """\
cane_gane: GANE, textual network embedding by optimal transport.

{commands}
  bash run.sh benchmark NAME          Runs a measurement of benchmarks/, by its name.
  bash run.sh test                    Runs ruff, mypy and pytest.

  DATASET is pydocs (built on the spot), cora, HepTh, zhihu, or any folder with
  data.txt and graph.txt. `bash run.sh COMMAND --help` lists a command's flags.
  CANE_DATASETS   folders to look for data sets in (default: ../shared/datasets)
"""


def main(argv: Sequence[str]) -> int:
    """Runs a command line.

    Args:
        argv: The words after the program's name.

    Returns:
        The exit code: 0, or 2 and one line on standard error for bad input.
    """
    if argv and argv[0] in ("--help", "-h", "help", "--helpfull", "--helpshort"):
        print(_help())
        return 0
    try:
        _dispatch(argv)
    except InputError as error:
        print(f"cane_gane: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        print(f"cane_gane: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stop:
        print(
            "cane_gane: stopped" + (f"; {stop}" if stop.args else ""), file=sys.stderr
        )
        return 130
    return 0


def _dispatch(argv: Sequence[str]) -> None:
    name, *words = argv or DEFAULT
    plain = [word for word in words if not word.startswith("-")]
    if name not in COMMANDS and len(plain) == 2:  # DATASET RATIO VARIANT
        name, words = "train", [name, *words]
    if name not in COMMANDS:
        raise InputError(
            f"found command '{name}'; expected one of {', '.join(COMMANDS)}, test "
            "(bash run.sh --help shows them all)"
        )
    module = _module(name)
    values = flags.FlagValues()
    values.set_gnu_getopt(True)
    module.define(values)
    if "--help" in words or "-h" in words:
        print(_command_help(name, module, values))
        return
    try:
        arguments = values([name, *words])[1:]
    except flags.Error as error:
        raise InputError(f"{name}: {' '.join(str(error).split())}") from None
    several = module.USAGE[-1].endswith("…") and len(arguments) > len(module.USAGE)
    if len(arguments) != len(module.USAGE) and not several:
        raise InputError(
            f"{name}: found {len(arguments)} arguments "
            f"({' '.join(arguments) or 'none'}); expected {' '.join(module.USAGE)}"
        )
    module.run(arguments, values)


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"cane_gane.commands.{name}")


def _help() -> str:
    rows = []
    for name in COMMANDS:
        module = _module(name)
        command = [] if name == "train" else [name]
        call = " ".join(["bash run.sh", *command, *module.USAGE])
        rows.append(f"  {call:<34}  {_summary(module)}")
    rows.insert(
        0, f"  {'bash run.sh':<34}  The same as: bash run.sh {' '.join(DEFAULT)}"
    )
    return _HELP.format(commands="\n".join(rows)).rstrip()


def _command_help(name: str, module: ModuleType, values: flags.FlagValues) -> str:
    rows = [" ".join(["bash run.sh", name, *module.USAGE, "[flags]"]), _summary(module)]
    for flag in values.flags_by_module_dict().values():
        for one in sorted(flag, key=lambda f: f.name):
            choices = getattr(one.parser, "enum_values", None)
            form = f"--{one.name}" + (f"={'|'.join(choices)}" if choices else "")
            value = one.default
            value = ",".join(value) if isinstance(value, list) else value
            default = "" if value is None else f" (default: {value})"
            about = one.help.split(">: ")[-1]  # absl repeats the choices there
            rows.append(f"  {form:<28}  {about}{default}")
    return "\n".join(rows)


def _summary(module: ModuleType) -> str:
    return (module.__doc__ or "").splitlines()[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
