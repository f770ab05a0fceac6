"""A neural model with numpy inputs and outputs, in memory or from a SavedModel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from cane_gane.data.graph import Edges
from cane_gane.data.splits import Split
from cane_gane.errors import fault
from cane_gane.evaluation.fitted import (
    Fitted,
    FunctionFitted,
    RowFitted,
    Shortlist,
)
from cane_gane.evaluation.matching import Match
from cane_gane.files import copy_folder, read_json
from cane_gane.models.start.tables import LARGE
from cane_gane.progress import Progress
from cane_gane.serving.saved_model import WEIGHTS
from cane_gane.serving.signatures import INPUTS

Floats = npt.NDArray[np.float32]
Signatures = Mapping[str, Callable[..., Mapping[str, tf.Tensor]]]

BATCH = 8192
CONTEXTS = 4  # neighbours over which a vector is averaged in a large network
_SOME = ("evidence", "explain_evidence", "recommend")  # which some models lack
_NEEDED = tuple(name for name in INPUTS if name not in _SOME)


class ServedModel(Fitted):
    """A model, used through its signatures, fitted on a split.

    Attributes:
        weights: The functions of its evidence, as JSON values; None without evidence.
        lonely: Whether a node without a training edge also has a vector.
    """

    reads_texts = True

    def __init__(
        self,
        signatures: Signatures,
        split: Split,
        export: Callable[[Path], None],
        *,
        lonely: bool,
        weights: Mapping[str, Any] | None = None,
    ) -> None:
        """Takes the signatures of a model.

        Args:
            signatures: The signatures, by name.
            split: The split that the model was fitted on.
            export: Writes the SavedModel.
            lonely: Whether a node without a training edge also has a vector, with its
                own text as context.
            weights: The functions of its evidence, if it has evidence.
        """
        self.weights, self.lonely = weights, lonely
        self._signatures = signatures
        if "evidence" in signatures:  # most of the score is in the first stage
            self.shortlist = Shortlist(candidates=12, hard=20)
        self._split = split
        self._export = export

    @classmethod
    def load(cls, path: Path, split: Split, *, lonely: bool) -> ServedModel:
        """Loads a SavedModel.

        Raises:
            InputError: There is no SavedModel, or it is damaged.
        """
        copy = partial(copy_folder, path)
        weights = read_json(path / WEIGHTS)
        signatures = load_signatures(path, *_NEEDED)
        return cls(signatures, split, copy, lonely=lonely, weights=weights)

    def save(self, path: Path) -> None:
        """Writes the SavedModel, in place of an older one."""
        self._export(path)

    @cached_property
    def vectors(self) -> Floats:
        """The vectors, structure and text, averaged over each node's training edges.

        z_u = 1/d_u sum_v z_{u|v}, over the neighbours v in both directions, or in a
        large network over `CONTEXTS` random ones; NaN for a node without a vector,
        `[nodes, 2d]`.
        """
        train, count = self._split.train, self._split.network.node_count
        pairs = np.concatenate([train, train[:, ::-1]])
        large = count >= LARGE
        if large:
            pairs = some_of_each(pairs, CONTEXTS, self._split.seed)
        if self.lonely:
            alone = np.setdiff1d(np.arange(count), train)
            pairs = np.concatenate([pairs, np.stack([alone, alone], axis=1)])
        sums: Any = np.zeros((count, 0))
        sides = ("nodes", "contexts")
        with Progress("vectors of the nodes", len(pairs)) as progress:
            for first, part in self._batches("embed_nodes", sides, pairs, "embedding"):
                if not first:  # few are summed in a large network: float32 suffices
                    kind = np.float32 if large else np.float64
                    sums = np.zeros((count, part.shape[1]), kind)
                np.add.at(sums, pairs[first : first + BATCH, 0], part)
                progress.add(len(part))
        degrees = np.bincount(pairs[:, 0], minlength=count)[:, None]
        with np.errstate(invalid="ignore"):
            sums /= degrees.astype(sums.dtype)
        return np.asarray(sums, np.float32)

    @property
    def parts(self) -> Mapping[str, slice]:  # type: ignore[override]
        """The two halves of the vectors."""
        half = self.vectors.shape[1] // 2
        return {"structure": slice(half), "text": slice(half, None)}

    @property
    def first_stage(self) -> RowFitted:
        """Evidence if there is some, else inner products of the vectors."""
        if "evidence" not in self._signatures:
            return super().first_stage

        def rows(sources: Any) -> Any:
            nodes = tf.constant(sources, tf.int64)
            return self._signatures["evidence"](nodes=nodes)["evidence"].numpy()

        def pairs(asked: Edges) -> Floats:
            return self.evidence_parts(asked).sum(axis=1)

        return FunctionFitted(rows, self._split.network.node_count, pairs=pairs)

    def score(self, pairs: Edges) -> Floats:
        """Scores pairs of nodes, `[pairs, 2]`, by the model's full score, `[pairs]`."""
        return self._on_pairs("score_nodes", ("source", "target"), pairs, "score")

    def terms(self, pairs: Edges) -> Floats:
        """Returns the model's four weighted terms of a score, `[pairs, 4]`."""
        return self._on_pairs("explain_nodes", ("source", "target"), pairs, "terms")

    def evidence_parts(self, pairs: Edges) -> Floats:
        """Returns the parts of the evidence of pairs, `[pairs, parts]`."""
        sides = ("source", "target")
        return self._on_pairs("explain_evidence", sides, pairs, "parts")

    def new_terms(self, text: str, structure: Floats, targets: Any) -> Floats:
        """Returns the terms of a new node (text and structure vector) with known nodes.

        Args:
            text: Its text.
            structure: Its structure vector, `[d]`.
            targets: Known nodes, `[targets]`.

        Returns:
            The weighted terms, `[targets, 4]`.
        """
        count = len(targets)
        given = {
            "source": tf.fill([count], text),
            "structure": tf.tile(tf.constant(structure[None], tf.float32), [count, 1]),
            "target": tf.constant(targets, tf.int64),
        }
        return np.asarray(self._signatures["score_new"](**given)["terms"])

    def text_parts(
        self, sources: Sequence[str], targets: Sequence[str]
    ) -> dict[str, Floats]:
        """Returns the parts of `score_texts`, `text` and `words`, `[pairs]` each."""
        found = self._on_texts("explain", sources, targets)
        return {name: values.numpy() for name, values in found.items()}

    def score_texts(self, sources: Sequence[str], targets: Sequence[str]) -> Floats:
        """Scores pairs of texts by the text term alone, `[pairs]`."""
        return np.asarray(self._on_texts("score", sources, targets)["score"])

    def embed_texts(self, texts: Sequence[str]) -> Floats:
        """Embeds texts, each with itself as context, `[texts, d]`."""
        return self.embed_pairs(texts, texts)

    def embed_pairs(self, texts: Sequence[str], contexts: Sequence[str]) -> Floats:
        """Embeds texts, each with another as context, `[texts, d]`."""
        parts = []
        for start in range(0, max(1, len(texts)), BATCH):
            own = slice(start, start + BATCH)
            given = {
                "text": tf.constant(texts[own], tf.string),
                "context": tf.constant(contexts[own], tf.string),
            }
            parts.append(np.asarray(self._signatures["embed"](**given)["embedding"]))
        return np.concatenate(parts)

    def match(self, sources: Sequence[str], targets: Sequence[str]) -> list[Match]:
        """Matches the words of pairs of texts."""
        found = self._on_texts("plan", sources, targets)
        names = ("source_words", "target_words", "plan", "attention")
        rows = zip(*(found[name].numpy() for name in names), strict=True)
        return [
            Match.cut(_decoded(left), _decoded(right), plan, attention)
            for left, right, plan, attention in rows
        ]

    def _on_texts(
        self, name: str, sources: Sequence[str], targets: Sequence[str]
    ) -> Mapping[str, tf.Tensor]:
        given = {"source": tf.constant(sources), "target": tf.constant(targets)}
        return self._signatures[name](**given)

    def _on_pairs(
        self, name: str, sides: tuple[str, str], pairs: Edges, output: str
    ) -> Floats:
        """Calls a signature on pairs of nodes, batch by batch."""
        parts: list[Floats] = []
        with Progress("pairs of nodes", len(pairs)) as progress:
            for _, part in self._batches(name, sides, pairs, output):
                parts.append(part)
                progress.add(len(part))
        return np.concatenate(parts or [np.zeros(0, np.float32)])

    def _batches(
        self, name: str, sides: tuple[str, str], pairs: Edges, output: str
    ) -> Iterator[tuple[int, Floats]]:
        """Yields the start of each batch of pairs, and a signature's output for it."""
        for start in range(0, len(pairs), BATCH):
            part = tf.constant(pairs[start : start + BATCH], tf.int64)
            given = {side: part[:, place] for place, side in enumerate(sides)}
            yield start, self._signatures[name](**given)[output].numpy()


def some_of_each(pairs: Edges, most: int, seed: int) -> Edges:
    """Returns at most `most` random pairs of each source, `[some, 2]`."""
    found = np.random.default_rng(seed).permutation(pairs)
    found = found[np.argsort(found[:, 0], kind="stable")]
    before = np.searchsorted(found[:, 0], found[:, 0])  # where each source begins
    return found[np.arange(len(found)) - before < most]


def load_signatures(path: Path, *needed: str) -> Signatures:
    """Loads a SavedModel and returns its signatures, of which some are needed.

    Raises:
        InputError: It is missing or damaged, or an earlier version wrote it.
    """
    try:
        loaded = tf.saved_model.load(str(path))
    except Exception as error:  # TensorFlow raises many types
        found = f"no SavedModel ({' '.join(str(error).split())[:80]})"
        raise fault(path, None, found, "one that a run wrote") from None
    signatures: dict[str, Any] = dict(loaded.signatures)
    if lacking := [name for name in needed if name not in signatures]:
        found = f"a SavedModel without the signature {', '.join(lacking)}"
        expected = "one of this version: train the run again, with --overwrite"
        raise fault(path, None, found, expected)
    # Functions hold only weak references to their variables.
    signatures["_"] = loaded
    return signatures


def _decoded(words: npt.NDArray[np.object_]) -> list[str]:
    return [word.decode() for word in words.tolist() if word]
