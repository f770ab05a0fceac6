"""How good vectors are that upstream's code has made, by both protocols."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.evaluation.protocols import make_protocols, without_self_loops
from cane_gane.evaluation.ranking import link_prediction
from cane_gane.evaluation.scores import vector_scorer
from cane_gane.preparation import Prepared

Vectors = Mapping[str, npt.NDArray[np.float32]]


def judge(prepared: Prepared, vectors: Vectors, seed: int) -> dict[str, Any]:
    """Measures link prediction as our own runs do.

    Args:
        prepared: The network and its split.
        vectors: `structure`, `text` and `both`, each `[nodes, size]`.
        seed: What draws hang on.

    Returns:
        `link_prediction.PROTOCOL.vectors.KIND`, as metrics.json has it; beside both
        protocols there is `no_self_loops`, upstream's without them.
    """
    network, split = prepared.network, prepared.split
    protocols = make_protocols(
        network.edges, split.train, split.test, network.node_count
    )
    protocols["no_self_loops"] = without_self_loops(protocols["upstream"])
    figures = {
        name: {
            kind: link_prediction(vector_scorer(part, protocol), protocol, seed)
            for kind, part in vectors.items()
        }
        for name, protocol in protocols.items()
    }
    return {"link_prediction": {name: {"vectors": f} for name, f in figures.items()}}
