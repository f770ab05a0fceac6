"""node2vec (Grover and Leskovec 2016): random walks biased by two parameters."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cane_gane.config import setting
from cane_gane.data.splits import Split
from cane_gane.evaluation.fitted import Fitted, VectorFitted
from cane_gane.files import write_json
from cane_gane.methods.method import Method
from cane_gane.methods.skip_gram import WalkSettings, walk_vectors
from cane_gane.progress import counted, say
from cane_gane.serving.table import VectorTable

GRID = (0.25, 0.5, 1.0, 2.0, 4.0)  # the paper's, for both parameters
HELD_OUT = 0.1  # of the training edges
FILE = "node2vec.json"
# Smaller than the fit itself, since 25 of them are compared to choose one.
_TRIAL = {"dimension": 64, "walks": 4, "length": 20, "span": 5}
_PAIRS = 20  # sampled for each held-out edge


@dataclass(frozen=True)
class Node2vecSettings(WalkSettings):
    """The walks, and their two parameters."""

    p: float = setting(
        0.0, "how strongly walks are kept from stepping back; 0 chooses by training "
        "edges",
        low=0, high=1e3,
    )  # fmt: skip
    q: float = setting(
        0.0, "how strongly walks are kept from moving away; 0 chooses by training "
        "edges",
        low=0, high=1e3,
    )  # fmt: skip


def choose(
    split: Split, settings: Node2vecSettings, seed: int
) -> Mapping[tuple[float, float], float]:
    """Scores each p and q of the grid on training edges that are held out.

    Args:
        split: The split; its test edges are not used.
        settings: The settings; a parameter that is not 0 is fixed.
        seed: The seed of the held-out edges and the trials.

    Returns:
        The AUC of each (p, q), in the strict protocol. Empty if there are too few edges
        to hold one out, or nothing to choose.
    """
    from cane_gane.evaluation.protocols import strict_contest
    from cane_gane.evaluation.sampled import Sample

    train, count = split.train, split.network.node_count
    grids = [(own,) if own else GRID for own in (settings.p, settings.q)]
    held = int(HELD_OUT * len(train))
    if not held or not any(len(grid) > 1 for grid in grids):
        return {}
    order = np.random.default_rng(seed).permutation(len(train))
    rest, out = train[np.sort(order[held:])], train[np.sort(order[:held])]
    contest = strict_contest(train, rest, out, count)
    sample = Sample.draw(contest, seed, budget=_PAIRS * len(contest.scored))
    trial = dataclasses.replace(
        settings,
        **{name: min(most, getattr(settings, name)) for name, most in _TRIAL.items()},
    )
    found = {}
    pairs = list(itertools.product(*grids))
    for place in counted("p and q", len(pairs)):
        p, q = pairs[place]
        vectors = VectorFitted(walk_vectors(rest, count, trial, seed, p, q))
        shares = sample.outcomes(vectors.score, seed)[0].shares
        found[p, q] = float(np.nanmean(shares)) if len(shares) else 0.5
    return found


def _fit(
    split: Split, settings: Node2vecSettings, seed: int, folder: Path | None
) -> Fitted:
    found = choose(split, settings, seed)
    if found:
        p, q = max(found, key=lambda own: found[own])  # the first among ties
        say(f"p {p:g} and q {q:g} are best on held-out training edges")
    else:
        p, q = settings.p or 1.0, settings.q or 1.0
    if folder:
        tried = [{"p": a, "q": b, "auc": own} for (a, b), own in found.items()]
        write_json(folder / FILE, {"p": p, "q": q, "tried": tried})
    count = split.network.node_count
    return VectorTable(walk_vectors(split.train, count, settings, seed, p, q))


NODE2VEC = Method(
    "node2vec",
    "node2vec",
    "the same over biased walks (Grover 2016)",
    fit=_fit,
    open=VectorTable.open,
    settings=Node2vecSettings,
    paper="node2vec",
)
