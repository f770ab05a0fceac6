"""Trains a model whose tables are over the limit, alone or as one of two workers.

`python -m tests.training.together ADDRESSES INDEX FILE VARIANT …` is one worker.
"""

import contextlib
import sys

import numpy as np

from cane_gane.runs.loopback import enter
from cane_gane.training.workers.cluster import Cluster, join

STEPS = 50
WORDS, NODES, EDGES = 70_000, 66_000, 6


def batches(variant):
    """Yields batches of six edges, and now and then of one: a worker has none then.

    Few rows are seen again soon; most miss many steps. The edges of wane have weights.
    """
    generator = np.random.default_rng(5)
    for step in range(STEPS):
        size = 1 if step % 10 == 9 else EDGES
        ids = generator.integers(1, WORDS, (size, 3, 7), np.int32)
        common = generator.integers(1, 60, ids.shape, np.int32)
        ids = np.where(generator.random(ids.shape) < 0.6, common, ids)
        ids[:, :, 5:] *= generator.integers(0, 2, (size, 3, 1), np.int32)
        nodes = generator.integers(0, 40, (size, 3))
        batch = {
            "source": nodes[:, 0], "target": nodes[:, 1], "negatives": nodes[:, 2:],
            "source_text": ids[:, 0], "target_text": ids[:, 1],
            "negatives_text": ids[:, 2:],
        }  # fmt: skip
        if variant == "wane":
            batch["weight"] = (1 + nodes[:, 0] % 3).astype(np.float32)
        yield batch


def train(variant, strategy=None):
    """Takes the steps; returns the losses and all values."""
    import tensorflow as tf

    from cane_gane.models.build import build_model
    from cane_gane.models.settings import ModelSettings
    from cane_gane.training.checkpoints import variables_of
    from cane_gane.training.compile import compile_model
    from cane_gane.training.workers.step import make_step

    settings = ModelSettings.make(
        dimension=4, start="random", places="random", learning_rate=0.02,
        word_dropout=0.4 if variant == "wane" else 0.0, masked=variant == "wane",
    )  # fmt: skip
    with strategy.scope() if strategy else contextlib.nullcontext():
        model = build_model(settings, variant, WORDS, NODES, seed=3)
        compile_model(model, settings)
    assert len(model.optimizer.get_config()["kept"]) == 2
    kind = {
        name: tf.TensorSpec([None] * value.ndim, value.dtype)
        for name, value in next(batches(variant)).items()
    }
    alone = tf.function(
        lambda batch: model.train_step(batch)["loss"], input_signature=[kind]
    )
    step = make_step(model, strategy, kind) if strategy else alone
    losses = []
    for batch in batches(variant):
        size = 1 if strategy else len(batch["source"])  # the sum, or the mean
        model.loss_tracker.reset_state()
        losses.append(size * float(step(batch)))
    model.settle()
    values = {name: one.numpy() for name, one in variables_of(model).items()}
    return {"losses": np.array(losses), **values}


def talk(strategy, cluster):
    """Tries what workers tell each other; returns what this one makes of it."""
    import tensorflow as tf

    from cane_gane.errors import InputError
    from cane_gane.training.workers.exchange import DriftError, Exchange

    exchange = Exchange(strategy, cluster)
    found = {"collected": exchange.collect(10 + cluster.index)}
    first = [-0.0, 1.5, 1e-40] if cluster.chief else [9.0, 9.0, 9.0]
    values, steps = tf.Variable(first), tf.Variable(7 - cluster.index, dtype=tf.int64)
    exchange.send([values, steps])
    found["sent"], found["steps"] = values.numpy(), steps.numpy()
    exchange.compare(b"the same")
    try:
        exchange.compare(b"own data" + bytes([cluster.index]))
    except InputError as error:
        found["refused"] = str(error)
    values.assign_add([0.0, 1e-6 * cluster.index, 0.0])
    exchange.agree([values])
    found["mended"] = values.numpy()
    values.assign_add([0.0, 2**-9 * cluster.index, 0.0])
    try:
        exchange.agree([values])
    except DriftError as error:
        found["drift"] = str(error)
    return found


if __name__ == "__main__":
    enter()
    addresses = tuple(sys.argv[1].split(","))
    cluster = Cluster(addresses, int(sys.argv[2]))
    found = join(cluster, deterministic=True, device="cpu")
    np.savez(f"{sys.argv[3]}-talk.npz", **talk(found, cluster))
    for variant in sys.argv[4:]:
        np.savez(f"{sys.argv[3]}-{variant}.npz", **train(variant, found))
