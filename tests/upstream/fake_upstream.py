"""A tiny program with upstream's entry points, for tests that have no checkout."""

from __future__ import annotations

from pathlib import Path

FILES = {
    "config.py": """
MAX_LEN = 16
batch_size = 64
num_epoch = 5
""",
    "negativeSample.py": """
def InitNegTable(edges):
    return sorted({node for edge in edges for node in edge})
""",
    "DataSet.py": """
import random
import numpy as np
from tensorflow.contrib import learn
import config
from negativeSample import InitNegTable


class dataSet:
    def __init__(self, text_path, graph_path):
        with open(text_path, "rb") as file:
            lines = [str(line) for line in file]
        with open(graph_path) as file:
            self.edges = [[int(node) for node in line.split()] for line in file]
        processor = learn.preprocessing.VocabularyProcessor(config.MAX_LEN)
        self.text = np.array(list(processor.fit_transform(lines)))
        self.num_vocab = len(processor.vocabulary_)
        self.num_nodes = len(lines)
        self.table = InitNegTable(self.edges)

    def generate_batches(self, mode=None):
        if mode != "add":
            random.shuffle(self.edges)
        rows = [[*edge, random.choice(self.table)] for edge in self.edges]
        size = config.batch_size
        count = len(rows) // size
        return [rows[i * size : (i + 1) * size] for i in range(count)]
""",
    "cane.py": """
import tensorflow as tf


class Model:
    def __init__(self, vocab_size, num_nodes, rho):
        weight = float(rho.split(",")[0])
        text = [tf.placeholder(tf.int32, [None, None]) for _ in range(3)]
        node = [tf.placeholder(tf.int32, [None]) for _ in range(3)]
        self.Text_a, self.Text_b, self.Text_neg = text
        self.Node_a, self.Node_b, self.Node_neg = node
        words = tf.Variable(tf.truncated_normal([vocab_size, 4], stddev=0.3))
        nodes = tf.Variable(tf.truncated_normal([num_nodes, 4], stddev=0.3))
        means = [tf.reduce_mean(tf.nn.embedding_lookup(words, t), 1) for t in text]
        places = [tf.nn.embedding_lookup(nodes, n) for n in node]
        self.convA, self.convB, self.convNeg = means
        self.N_A, self.N_B, self.N_NEG = places
        near = tf.reduce_sum(means[0] * means[1] + places[0] * places[1], 1)
        far = tf.reduce_sum(means[0] * means[2] + places[0] * places[2], 1)
        gain = tf.log_sigmoid(near) + tf.log_sigmoid(-far)
        self.loss = -weight * tf.reduce_sum(gain)
""",
    "train.py": """
import argparse
import numpy as np
import tensorflow as tf
import cane
import config
from DataSet import dataSet

parser = argparse.ArgumentParser()
parser.add_argument("--dataset")
parser.add_argument("--rho")
given = parser.parse_args()
data = dataSet(f"../datasets/{given.dataset}/data.txt", "temp/graph.txt")


def fed(model, batch):
    a, b, n = np.array(batch).T
    return {
        model.Text_a: data.text[a], model.Text_b: data.text[b],
        model.Text_neg: data.text[n],
        model.Node_a: a, model.Node_b: b, model.Node_neg: n,
    }


with tf.Graph().as_default():
    session = tf.Session()
    model = cane.Model(data.num_vocab, data.num_nodes, given.rho)
    step = tf.train.AdamOptimizer(0.05).minimize(model.loss)
    session.run(tf.global_variables_initializer())
    print("start training.......")
    for epoch in range(config.num_epoch):
        total = 0
        for batch in data.generate_batches():
            _, loss = session.run([step, model.loss], feed_dict=fed(model, batch))
            total += loss
        print("epoch: ", epoch + 1, " loss: ", total)
    seen = {}
    for batch in data.generate_batches(mode="add"):
        wanted = [model.convA, model.convB, model.N_A, model.N_B]
        *_, first, second = session.run(wanted, feed_dict=fed(model, batch))
        for (a, b, _), one, two in zip(batch, first, second):
            seen[a], seen[b] = one, two
    with open("temp/embed.txt", "w") as file:
        for node in range(data.num_nodes):
            file.write(" ".join(map(str, seen.get(node, []))) + chr(10))
""",
    "auc.py": """
import random
with open("temp/embed.txt") as file:
    lines = [line.split() for line in file]
print("Auc value:", random.random() if any(lines) else None)
""",
}


def write_checkout(folder: Path, **changes: str) -> Path:
    """Writes the folder `code` of a checkout; `changes` replaces files by stem."""
    code = folder / "code"
    code.mkdir(parents=True)
    for name, text in FILES.items():
        (code / name).write_text(changes.get(Path(name).stem, text))
    return folder
