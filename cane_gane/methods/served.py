"""What serves a neural model: the SavedModel, with evidence fitted beside training."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from cane_gane.beside import Pending, begin_put_off, call
from cane_gane.data.splits import Split
from cane_gane.files import write_json
from cane_gane.models.settings import ModelSettings
from cane_gane.progress import say

if TYPE_CHECKING:
    from cane_gane.evidence.fit import FittedEvidence
    from cane_gane.models.pair_model import PairModel
    from cane_gane.serving.client import ServedModel
    from cane_gane.serving.evidence import ServedEvidence
    from cane_gane.serving.nodes import KnownNodes
    from cane_gane.serving.saved_model import Servable
    from cane_gane.training.inputs import Inputs


def when_needed(
    inputs: Inputs,
    model: PairModel,
    settings: ModelSettings,
    seed: int,
    folder: Path | None,
) -> Callable[[], tuple[Servable, ServedModel]]:
    """Begins to fit evidence; returns what serves the model with it, made once."""
    evidence = _evidence(settings, inputs, seed)

    @cache
    def served() -> tuple[Servable, ServedModel]:
        from cane_gane.serving.client import ServedModel

        servable = serve(inputs, model, settings, folder, evidence.result())
        return servable, ServedModel(
            servable.signatures(),
            inputs.split,
            servable.export,
            lonely=is_lonely(settings),
            weights=servable.weights,
        )

    return served


def serve(
    inputs: Inputs,
    model: PairModel,
    settings: ModelSettings,
    folder: Path | None = None,
    evidence: FittedEvidence | None = None,
) -> Servable:
    """Returns what serves a model, with the values that it has at the time.

    Args:
        inputs: What it is trained on.
        model: The model.
        settings: Its settings.
        folder: Where vocabulary and evidence are kept; None for a temporary folder.
        evidence: What is added to the model's own score, if anything.
    """
    from cane_gane.serving.saved_model import Servable

    home = folder or Path(tempfile.mkdtemp())
    inputs.tokenizer.save(home / "vocabulary.txt")
    servable = Servable(
        model,
        inputs.texts,
        home / "vocabulary.txt",
        len(inputs.tokenizer.reserved) - 1,
        settings.max_length,
        _evidence_served(evidence, inputs, home) if evidence else None,
        _known(inputs.split, home),
    )
    if folder is None:  # the files are needed until the last export
        weakref.finalize(servable, shutil.rmtree, home, ignore_errors=True)
    return servable


def _evidence_served(
    evidence: FittedEvidence, inputs: Inputs, home: Path
) -> ServedEvidence:
    """Returns evidence to be served; what it is made of is kept beside the model."""
    from cane_gane.serving.evidence import ServedEvidence

    weights = evidence.weights()
    if len(inputs.held_out):  # else they are the training edges
        weights["edges"] = inputs.edges.tolist()
    write_json(home / "evidence.json", weights)
    return ServedEvidence(evidence, home / "words.txt", weights)


def _known(split: Split, home: Path) -> KnownNodes:
    from cane_gane.serving.nodes import KnownNodes

    network = split.network
    names = network.names or list(map(str, range(network.node_count)))
    return KnownNodes(names, split.train, home / "names.txt")


def _evidence(
    settings: ModelSettings, inputs: Inputs, seed: int
) -> Pending[FittedEvidence | None]:
    """Begins to fit evidence on the edges to train on, beside training."""
    from cane_gane.evidence.fit import fit_evidence
    from cane_gane.evidence.large import MOST

    texts = inputs.split.network.texts
    if not has_evidence(settings) or not any(map(str.split, texts)):
        return _no_evidence()
    if len(texts) > MOST:
        say(f"no evidence is used: the network has more than {MOST:,} nodes")
        return _no_evidence()
    return call(len(texts), fit_evidence, texts, inputs.edges, seed)


def has_evidence(settings: ModelSettings) -> bool:
    """Whether evidence is added to the model's own score."""
    return settings.evidence != "none"


def _no_evidence() -> Pending[FittedEvidence | None]:
    begin_put_off()
    return Pending(_nothing, ())


def _nothing() -> None:
    return None


def is_lonely(settings: ModelSettings) -> bool:
    """Whether nodes without a training edge have vectors: only walks place them."""
    return settings.places == "walks"
