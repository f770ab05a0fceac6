"""Estimates the memory and time of a training from its sizes, before it begins.

The numbers are fitted to measurements (docs/performance.md) and should be right within
a factor of about two: enough to refuse trainings that cannot finish.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cane_gane.data.tokens import EncodedTexts
from cane_gane.models.settings import ModelSettings
from cane_gane.models.start.similar import SEARCHED
from cane_gane.models.start.tables import LARGE
from cane_gane.progress import duration, say
from cane_gane.training.room import available_memory, smaller, too_large

_BASE = 0.75e9  # TensorFlow itself
_CELL = 25.0  # bytes that a step holds for two words of a pair
_CHUNK = 12  # pairs that are padded to the longest among them
_COLUMNS = 800  # of the walks
# Nodes of networks with sparse evidence, which a second process computes during
# training.
SPARSE_EVIDENCE = range(6_001, 250_001)
_COPIES = 8  # copies of the word vectors of a pair's texts, with gradients
# The settings to reduce, in this order, and their least values.
_LOWEST = {"max_length": 20, "batch_size": 8, "dimension": 10}
_SHRUNK = (*_LOWEST, "channels", "groups", "negatives", "iterations")


@dataclass(frozen=True)
class Forecast:
    """The memory and time of a training.

    Attributes:
        memory: Peak memory in bytes, by stage.
        start: Seconds until the first step, on two cores.
        epoch: Seconds of an epoch.
    """

    memory: dict[str, float]
    start: float
    epoch: float

    @property
    def peak(self) -> float:
        """Peak memory in bytes."""
        return max(self.memory.values())


def forecast(
    texts: EncodedTexts, words: int, edges: int, settings: ModelSettings
) -> Forecast:
    """Returns the memory and time that a training of these sizes needs.

    Args:
        texts: The texts, already cut at the maximum length.
        words: The number of distinct words.
        edges: The number of training edges.
        settings: The settings.
    """
    lengths = np.minimum(texts.lengths, settings.max_length).astype(np.float64)
    return _forecast(lengths, words, edges, settings)


def _forecast(
    lengths: npt.NDArray[np.float64], words: int, edges: int, settings: ModelSettings
) -> Forecast:
    nodes, tokens, wide = len(lengths), lengths.sum(), settings.dimension
    mean = tokens / max(nodes, 1)
    # values, two moments, and a copy while they are set; texts as strings and ids
    tables = 4 * wide * (words + nodes)
    held = _BASE + 3 * tables + 30 * tokens + 300 * nodes
    held += 4 * 3 * 3 * wide**2  # the map of three parts to a text vector
    if settings.evidence != "none" and nodes in SPARSE_EVIDENCE:
        held += 0.3e9 + 12_000 * nodes + 400 * tokens
    drawn = min(settings.edges_per_epoch or edges, edges)
    pairs = min(settings.batch_size, drawn) * (1 + settings.negatives)
    high = float(np.quantile(lengths, 0.99)) if nodes else 0.0
    cells = pairs * mean**2 + _CHUNK * lengths.max(initial=0) * high
    # word vectors, and the solver's potentials of each step
    vectors = 4 * 2 * pairs * mean * (_COPIES * wide + settings.iterations)
    memory = {"an epoch": held + vectors + _cell_bytes(settings) * cells}
    started = settings.start != "random" or settings.places != "random"
    if started and nodes >= LARGE:
        size, begun = max(wide, SEARCHED), held - 2 * tables  # no moments yet
        memory["LSA"] = begun + 48 * size * words + 24 * tokens + 4 * size * nodes
        memory["similar texts"] = begun + (8 * size + 1_600) * nodes
        memory["walks"] = begun + (2 * _COLUMNS + 900 + 4 * wide) * nodes + 0.3e9
        start = 9e-6 * tokens + 1e-4 * words + 1.5e-5 * nodes * np.log2(nodes)
    else:
        memory["the start"] = held + (1.2e9 if nodes > 5_000 else 2e5 * nodes)
        start = (3e-7 * nodes**2 + 3e-3 * nodes) * started
    steps = drawn / settings.batch_size
    step = (0.02 + 3e-4 * mean + 1.1e-6 * mean**2) * pairs / 128
    return Forecast(memory, float(start), float(steps * step))


def _cell_bytes(settings: ModelSettings) -> float:
    """Returns the bytes that a step holds for two words of a pair."""
    plans = _CELL * settings.groups
    if settings.groups == settings.depth == 1 and settings.reading == "context":
        return plans  # only one column of the parsed plan is kept
    return plans + 4 * 3 * settings.channels * settings.depth


def check(
    texts: EncodedTexts,
    words: int,
    edges: int,
    settings: ModelSettings,
    room: float | None = None,
) -> None:
    """Prints what a training will need.

    Args:
        texts: The texts.
        words: The number of distinct words.
        edges: The number of training edges.
        settings: The settings.
        room: Available memory in bytes; by default what the system reports.

    Raises:
        InputError: The training needs more memory than there is.
    """
    needed = forecast(texts, words, edges, settings)
    room = available_memory() if room is None else room
    if needed.peak > room:
        stage = max(needed.memory, key=lambda name: needed.memory[name])
        remedy = _remedy(texts, words, edges, settings, room)
        raise too_large(room, needed.peak, stage, remedy)
    epochs = f"{settings.epochs} epochs of {duration(needed.epoch)} at most"
    say(
        f"about {needed.peak / 1e9:.1f} GB of memory; on two idle cores "
        f"{duration(needed.start)} until the first step, {epochs}"
    )


def _remedy(
    texts: EncodedTexts, words: int, edges: int, settings: ModelSettings, room: float
) -> str:
    """Returns the setting that would make the training fit."""

    def fits(other: ModelSettings) -> bool:
        changed = (name for name in _LOWEST if vars(other)[name] != vars(least)[name])
        useful = all(vars(other)[name] >= _LOWEST[name] for name in changed)
        return useful and forecast(texts, words, edges, other).peak <= room

    # Texts may be shorter than the maximum length.
    width = max(1, min(settings.max_length, texts.width))
    least = dataclasses.replace(settings, max_length=width)
    return smaller(least, _SHRUNK, fits) or (
        "take a larger machine, or tables on servers (docs/distributed.md)"
    )
