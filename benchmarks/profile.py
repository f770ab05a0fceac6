"""Where the time of a training step goes: `bash run.sh benchmark profile cora 0.55`.

Uses TensorFlow's own profiler; the time of each operation counts for its scope.
"""

from __future__ import annotations

import collections
import glob
import sys
import tempfile
from typing import Any

from cane_gane.data.catalog import load
from cane_gane.methods import gane
from cane_gane.methods.registry import METHODS
from cane_gane.runs.config import Config

STEPS = 10
# Parts of operation names; the first match decides the scope.
SCOPES = {
    "backward": ("gradient",),
    "optimizer": ("adam",),
    "plan": ("/plan/",),
    "parsing": ("/parse",),
    "alignment": ("/align", "/aggregate"),
    "lookup": ("/lookup/",),
    "input": ("Iterator", "Dataset"),
}


def shares(dataset: str, ratio: str, method: str) -> dict[str, float]:
    config = Config.make(dataset=dataset, ratio=float(ratio), method=method)
    settings: Any = config.settings
    METHODS[method].start(settings, "auto")
    import tensorflow as tf

    from cane_gane.sampling.batches import edge_batches

    split = load(dataset).split(config.ratio, config.split, config.seed)
    inputs, model = gane.set_up(method, split, settings, config.seed)
    batches = iter(edge_batches(inputs.texts, inputs.sampler, trim=model.trims))
    model.make_train_function()
    for _ in range(3):
        model.train_function(batches)
    with tempfile.TemporaryDirectory() as folder:
        with tf.profiler.experimental.Profile(folder):
            for _ in range(STEPS):
                float(model.train_function(batches)["loss"])
        return by_scope(glob.glob(f"{folder}/**/*.xplane.pb", recursive=True)[0])


def by_scope(path: str) -> dict[str, float]:
    """Adds up the milliseconds of a step by scope."""
    from tensorflow.tsl.profiler.protobuf import xplane_pb2

    space = xplane_pb2.XSpace()
    with open(path, "rb") as file:
        space.ParseFromString(file.read())
    total: collections.Counter[str] = collections.Counter()
    for plane in space.planes:
        for line in plane.lines:
            for event in line.events:
                name = plane.event_metadata[event.metadata_id].name
                if ":" not in name or "::" in name or name.startswith("Eager"):
                    continue  # this runs operations; it is not one itself
                scope = next(
                    (s for s, marks in SCOPES.items() if any(m in name for m in marks)),
                    "other",
                )
                total[scope] += event.duration_ps / 1e9 / STEPS
    return dict(total)


def main(dataset: str, ratio: str, method: str = "ap") -> None:
    found = shares(dataset, ratio, method)
    whole = sum(found.values())
    print("| part | ms of a core | share |\n|---|---|---|")
    for scope in [*SCOPES, "other"]:
        if scope in found:
            print(
                f"| {scope} | {found[scope]:.1f} | {100 * found[scope] / whole:.0f} % |"
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
