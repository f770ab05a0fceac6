"""Every command line and every flag of the documents is known to the program."""

import importlib
import re
import shlex

import pytest
from absl import flags

from cane_gane.__main__ import COMMANDS
from cane_gane.commands.flags import chosen_settings, define_quiet, parse_ratio
from cane_gane.methods.registry import METHODS
from cane_gane.runs.config import Config
from tests.conftest import ROOT
from tests.docs.pages import CURRENT, text_of

# What a reader replaces, and a value that does.
VALUES = {"RATIO": "0.55", "SEED": "1", "FLAG": "", "SWITCH": "", "…": ""}
LINE = re.compile(r"(?:bash run\.sh|cane-gane) ([^`\n#]*)")
FLAG = re.compile(r"`(--[^`\s]+)[^`\n]*`")


def command_lines(page):
    """Returns the command lines of a page as words, without the program."""
    lines = []
    for line in LINE.findall(text_of(page)):
        filled = re.sub("|".join(VALUES), lambda found: VALUES[found[0]], line)
        words = shlex.split(filled.rstrip(" :;,."))
        if words and words not in lines:
            lines.append(words)
    return lines


LINES = [(page, words) for page in CURRENT for words in command_lines(page)]
FLAGS = sorted({(page, w) for page in CURRENT for w in FLAG.findall(text_of(page))})


def parsed(command, words):
    """Parses words by the flags of a command."""
    module = importlib.import_module(f"cane_gane.commands.{command}")
    values = flags.FlagValues()
    values.set_gnu_getopt(True)
    module.define(values)
    define_quiet(values)
    return module.USAGE, values([command, *words])[1:], values


def check_training(words):
    _, (dataset, ratio, method), values = parsed("train", words)
    chosen = chosen_settings(values)
    Config.make(
        dataset=dataset, ratio=parse_ratio(ratio, whole=True), method=method, **chosen
    )


def check_benchmark(name, *words):
    source = (ROOT / "benchmarks" / f"{name}.py").read_text()
    for flag in re.findall(r"--(\w+)", " ".join(words)):
        assert f'"--{flag}"' in source or f'("{flag}"' in source, flag


def test_readme_has_a_line_for_every_command_but_one():
    shown = {words[0] for page, words in LINES if page == "README.md"}
    assert {*COMMANDS, "test", "docs", "benchmark"} - shown == {"split"}


@pytest.mark.parametrize(
    ("page", "words"), LINES, ids=[f"{page}: {' '.join(w)}" for page, w in LINES]
)
def test_a_command_line_is_known(page, words):
    if words[-1] in ("--help", "--version"):
        assert words[0] in (*COMMANDS, "--help", "--version")
    elif words[0] == "test":
        assert all((ROOT / word).exists() for word in words[1:] if word[0] != "-")
    elif words[0] == "docs":
        assert {*words[1:]} <= {"--regenerate"}
    elif words[0] == "benchmark":
        check_benchmark(*words[1:])
    elif words[0] in COMMANDS:
        usage, arguments, _ = parsed(words[0], words[1:])
        # A command that the text only names has no arguments.
        needed = sum(not word.startswith("[") for word in usage)
        fits = needed <= len(arguments) <= len(usage)
        assert not arguments or fits or "…" in usage[-1]
    else:
        check_training(words)


@pytest.mark.parametrize(("page", "word"), FLAGS)
def test_a_flag_that_the_text_names_is_known(page, word):
    name, equals, value = word[2:].partition("=")
    name = name.replace("-", "_").removeprefix("no")
    commands = [own for own in COMMANDS if name in parsed(own, [])[2]]
    # Flags of no command.
    assert commands or name in ("help", "long", "regenerate", "version")
    if equals and "train" in commands and not value.isupper():
        owners = [
            key for key, method in METHODS.items()
            if name in {field.name for field in method.settings.fields()}
        ]  # fmt: skip
        method = owners[0] if owners else "cane"
        check_training(["pydocs", "0.55", method, f"--{name}={value}"])
