"""Writes vectors of nodes or texts to files."""

from __future__ import annotations

from pathlib import Path

from absl import flags

from cane_gane.commands.flags import define_answers, read_texts
from cane_gane.errors import InputError

USAGE = ("RUN",)
FORMATS = ("npy", "csv", "word2vec", "projector")


def define(values: flags.FlagValues) -> None:
    """Defines the flags of this command."""
    define_answers(values)
    flags.DEFINE_enum(
        "format", "npy", list(FORMATS), "output format", flag_values=values
    )
    flags.DEFINE_list(
        "nodes", [], "nodes, by name or id (default: all)", flag_values=values
    )
    flags.DEFINE_string(
        "text", None, "a text that is not in the network", flag_values=values
    )
    flags.DEFINE_string(
        "file", None, "a file with one text per line", flag_values=values
    )
    flags.DEFINE_string(
        "output",
        None,
        "output file, or folder for projector (default: RUN/vectors.FORMAT)",
        flag_values=values,
    )


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command."""
    path = Path(arguments[0])
    texts = read_texts(values.text, values.file)
    if texts is not None and values.nodes:
        raise InputError("found --nodes and texts; expected one of them")
    from cane_gane.data.export import write_vectors
    from cane_gane.runs.answers import open_answers

    answers = open_answers(path, values.dataset, values.device)
    if texts is None:
        nodes = [answers.node(name) for name in values.nodes]
        nodes = nodes or list(map(answers.node, range(answers.network.node_count)))
        vectors = answers.embed([node.id for node in nodes])
        names = [answers.network.name_of(node.id).replace(" ", "_") for node in nodes]
        labels = [" ".join(node.labels) for node in nodes]
        shown = [node.text for node in nodes]
    else:
        vectors, shown, labels = answers.embed(texts=texts), texts, [""] * len(texts)
        names = [f"text_{number}" for number in range(1, len(texts) + 1)]
    kind = "texts" if texts is not None else "vectors"
    ending = "" if values.format == "projector" else f".{values.format}"
    default = path / (f"{kind}{ending}" if ending else f"{kind}_projector")
    output = Path(values.output) if values.output else default
    write_vectors(output, values.format, vectors, names, labels, shown)
    print(output)
