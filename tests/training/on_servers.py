"""Trains on two parameter servers with two workers, all of them in this process.

`python -m tests.training.on_servers FILE FOLDER` writes what it finds to FILE, and has
checkpoints in FOLDER. The servers talk over loopback, as those of a cluster would.
"""

import json
import os
import sys

import numpy as np
import tensorflow as tf

from cane_gane.models.build import build_model
from cane_gane.models.settings import ModelSettings
from cane_gane.runs.loopback import enter
from cane_gane.training.compile import compile_model
from cane_gane.training.servers.loop import connect, train_on_servers
from cane_gane.training.servers.tables import ShardedTable
from cane_gane.training.workers.cluster import Cluster

WORDS, NODES, STEPS, EPOCHS = 11, 7, 6, 5
SETTINGS = ModelSettings.make(
    dimension=4, start="random", places="random", learning_rate=0.05, word_dropout=0.2
)


def batches_from(epoch=0):
    """Gives batches that read every word and every node, so that no row waits."""
    generator = np.random.default_rng(8)

    def draw():
        while True:
            ids = np.concatenate([np.arange(1, WORDS)] * 6).reshape(5, 3, 4)
            rows = (generator.permutation(5)[:, None] + [0, 2, 4]) % NODES
            ids = generator.permuted(ids, axis=0).astype(np.int32)
            yield {
                "source": rows[:, 0], "target": rows[:, 1], "negatives": rows[:, 2:],
                "source_text": ids[:, 0], "target_text": ids[:, 1],
                "negatives_text": ids[:, 2:],
                "weight": (1 + rows[:, 0] % 3).astype(np.float32),
            }  # fmt: skip

    kind = {
        name: tf.TensorSpec([None, *value.shape[1:]], value.dtype)
        for name, value in next(draw()).items()
    }
    whole = tf.data.Dataset.from_generator(draw, output_signature=kind)
    return whole.skip(epoch * STEPS)


def start_tables():
    """Gives the values that both tables start from."""
    generator = np.random.default_rng(9)
    sizes = ((WORDS, 4), (NODES, 4))
    return [generator.normal(size=one).astype(np.float32) / 2 for one in sizes]


def start_cluster():
    """Starts two servers and two workers; tells the coordinator by TF_CONFIG."""
    addresses = Cluster.local(5)[0].addresses
    cluster = {"ps": addresses[:2], "worker": addresses[2:4], "chief": addresses[4:]}
    # In one process they share threads: with few, all would wait for each other.
    threads = tf.compat.v1.ConfigProto(inter_op_parallelism_threads=16)
    servers = [
        tf.distribute.Server(cluster, job_name=job, task_index=index, config=threads)
        for job in ("ps", "worker")
        for index in range(2)
    ]
    task = {"type": "chief", "index": 0}
    os.environ["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": task})
    return servers


def set_up(strategy, servers):
    """Makes the model and its tables on the servers."""
    tables = [
        ShardedTable(
            strategy, len(values), 4, servers=servers, spread=0.1, seed=1, name=name
        )
        for name, values in zip(("words", "structure"), start_tables(), strict=True)
    ]
    with strategy.scope():
        model = build_model(SETTINGS, "wane", 1, 1, seed=3)
        compile_model(model, SETTINGS)
    return model, tables


def main(path, folder):
    """Takes steps one by one, then as they come, and then goes on from the last."""
    servers = start_cluster()
    strategy, count = connect()
    model, tables = set_up(strategy, count)
    for table, values in zip(tables, start_tables(), strict=True):
        table.fill(values)
    # One step an epoch: each waits for the one before, in the order of one process.
    losses = train_on_servers(strategy, model, *tables, batches_from, 1, 10)
    in_order = [table.read() for table in tables]
    model, tables = set_up(strategy, count)
    falling = train_on_servers(
        strategy, model, *tables, batches_from, STEPS, EPOCHS, folder
    )
    last = [table.read() for table in tables]
    model, tables = set_up(strategy, count)
    more = train_on_servers(
        strategy, model, *tables, batches_from, STEPS, EPOCHS, folder
    )
    np.savez(
        path,
        losses=losses, words=in_order[0], structure=in_order[1],
        falling=falling, more=more, last=last[0], restored=tables[0].read(),
        devices=[shard.device for table in tables for shard in table.shards],
        moments=[one.device for one in tables[0].moments[1]],
        sizes=[shard.shape[0] for table in tables for shard in table.shards],
        count=len(servers),
    )  # fmt: skip


if __name__ == "__main__":
    enter()
    main(*sys.argv[1:])
    os._exit(0)  # servers have no end of their own
