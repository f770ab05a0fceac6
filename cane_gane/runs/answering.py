"""The answers of a fitted method, with the caches in the folder of its run."""

from __future__ import annotations

import json

from cane_gane.data.splits import Split
from cane_gane.evaluation.fitted import Fitted
from cane_gane.evaluation.results import NodeMap
from cane_gane.files import sha256
from cane_gane.runs.folder import RunFolder
from cane_gane.serving.kept import Kept
from cane_gane.serving.vector_answers import VectorAnswers

KEPT = "answers"  # the folder inside that of a run


def answers_of(
    split: Split, fitted: Fitted, seed: int, folder: RunFolder | None = None
) -> VectorAnswers:
    """Returns the answers of a fitted method.

    Args:
        split: The split that it was fitted on.
        fitted: The method.
        seed: The seed of every random choice.
        folder: The folder of its run, which caches what is slow; None caches nothing.
    """
    kept = Kept(None, "")
    if folder is not None:
        record = folder.record()
        key = json.dumps([record["files"], record["data"]], sort_keys=True)
        kept = Kept(folder.path / KEPT, sha256(key.encode()))

    def chart() -> NodeMap | None:
        return folder.examples().map if folder else None

    if not fitted.reads_texts:
        return VectorAnswers(split, fitted, kept, seed, chart)
    from cane_gane.serving.client import ServedModel  # imports TensorFlow
    from cane_gane.serving.text_answers import TextAnswers

    assert isinstance(fitted, ServedModel)
    return TextAnswers(split, fitted, kept, seed, chart)
