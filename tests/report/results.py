"""Results made by hand, for pages and tables of runs that nobody trained."""

from __future__ import annotations

import html.parser
import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from cane_gane.data.catalog import PUBLISHED
from cane_gane.evaluation.results import (
    BaselineFigures,
    Difference,
    Evaluation,
    Examples,
    Figures,
    Found,
    Labels,
    MatchedPair,
    MissingEdge,
    ModelFigures,
    NodeMap,
    Roc,
    Search,
    Timing,
)
from cane_gane.report.repeats import OneRun

BASELINES = ("tfidf", "tfidf_one_hop", "common_neighbours", "preferential_attachment")
ROC = Roc([0.0, 0.1, 1.0], [0.0, 0.8, 1.0], 0.85)
RANKING = {"mrr": 0.5, "hits_at_10": 0.6, "average_precision": 0.4}
DATA = {
    "nodes": 60,
    "edges": {"lines": 180, "unique_pairs": 178, "self_loops": 1, "duplicates": 1,
              "reversed_pairs": 0, "isolated_nodes": 0},
    "texts": {"tokenizer": "clean", "empty": 0, "cut": 2, "max_length": 300,
              "words": {"mean": 9.5, "median": 9.0, "minimum": 4, "maximum": 14},
              "vocabulary": 36},
    "labels": {"task": "single-label", "nodes_without": 3,
               "counts": {"red": 30, "green": 27}},
}  # fmt: skip


def evaluation(auc=0.95, baseline=0.9, protocols=("upstream", "strict"), **changed):
    """Returns results in which every figure of the model is above the baselines.

    They are those of an older version: the pair score has no place, and baselines have
    no differences.
    """

    def model(place):
        vectors = {
            "both": Figures(auc=auc - 0.01, std_error=0.002, interval=None, **RANKING)
        }
        return ModelFigures(
            auc=auc - place / 100, std_error=0.003, interval=(auc - 0.02, auc + 0.01),
            scored=90, edges=100, vectors=vectors, roc={"model": ROC, "vectors": ROC},
        )  # fmt: skip

    low = dict.fromkeys(RANKING, 0.1)
    weak = BaselineFigures(auc=baseline, std_error=0.004, interval=None, roc=ROC, **low)
    found = {
        "link_prediction": {name: model(i) for i, name in enumerate(protocols)},
        "baselines": {name: dict.fromkeys(BASELINES, weak) for name in protocols},
        "best_epoch": 3,
        "time": Timing(12.5, 3.5, {"train": 12.5, "score pairs": 3.5}),
    }
    return Evaluation(**{**found, **changed})


def difference(mean, half=0.02):
    """Returns a difference whose interval has the same width on both sides."""
    return Difference(mean, (mean - half, mean + half))


def ranked(mrr=0.55, rivals=None, **changed):
    """Returns results in four protocols, with places, differences and a search.

    Args:
        mrr: That of the model, in each protocol that has places.
        rivals: That of each baseline.
        **changed: What is replaced.
    """
    rivals = rivals or {"linear": 0.6, "walks": 0.55, "tfidf": 0.4}
    counts = {"std_error": None, "interval": None, "scored": 90, "edges": 100}
    links, baselines = {}, {}
    for name in ("upstream", "strict", "all_edges", "hard"):
        places, how, gaps = {}, {}, {"auc": difference(0.05)}
        if name in ("strict", "hard"):
            places = {"hits_at_1": 0.2, "hits_at_10": 0.7, "hits_at_50": 0.8}
            how = {"ranked_edges": 45, "ranked_pairs": 4500, "missed": 0.123}
        model, weak = {"auc": 0.95, "roc": {"model": ROC}}, {"auc": 0.9}
        if name == "hard":
            model = weak = {"auc": None}
            how["ranked_edges"], gaps = 90, {}
        own = {"mrr": mrr} if places else {}
        links[name] = ModelFigures(**model, **counts, **own, **places, **how)
        baselines[name] = {}
        for key, theirs in rivals.items():
            if places:
                own = {"mrr": theirs}
                gaps = {**gaps, "mrr": difference(mrr - theirs)}
            baselines[name][key] = BaselineFigures(
                **weak, **counts, **own, **places, difference=gaps
            )
    found = {"search": Search(500, 0.5, 0.9, Found(0.8, 0.85)), "best_epoch": 3}
    return Evaluation(links, baselines, **{**found, **changed})


def labels(macro_f1=0.8):
    """Returns node classification with four shares of the labels."""
    std = {"macro_f1": 0.01, "micro_f1": 0.02}
    own = Labels(macro_f1, macro_f1 + 0.05, std, train=30, test=27, unlabelled=3)
    return dict.fromkeys(("0.1", "0.3", "0.5", "0.7"), own)


def examples(text="red fox, blue sea", label="red"):
    """Returns two pairs, a missing edge and a map whose nodes are on one line."""
    rng = np.random.default_rng(1)
    plan, attention = rng.dirichlet(np.ones(20), 2).reshape(2, 4, 5).tolist()
    pair = MatchedPair(
        source=1, target=2, score=7.25, entries=8, plan_share=0.8,
        attention_share=0.9, on_padding=0.0, names=["one", "two"],
        source_words=[text, "a", "b", "c"], target_words=["d", "e", "f", "g", text],
        plan=plan, attention=attention,
    )  # fmt: skip
    second = replace(
        pair, names=["three", "four"], words=[("fox", "sea", 0.2)], equal_words=1
    )
    edge = MissingEdge(
        source=0, target=3, score=6.5, names=["zero", text],
        texts=[text, f"the {text}"], words=[("fox", "sea", 0.2)],
    )  # fmt: skip
    chart = NodeMap(
        list(range(9)),
        [0.5 * i for i in range(9)],
        [1.0] * 9,
        [label, "green", None] * 3,
        names=[f"name{i}" for i in range(9)],
        texts=[f"the text of {i}" for i in range(9)],
        degrees=list(range(9)),
    )
    return Examples(missing_edges=[edge], map=chart, pairs=[pair, second])


def settings(dataset="cora", ratio=0.55, variant="ap", seed=1, **others):
    """Returns settings as config.json has them."""
    named = {"dataset": dataset, "ratio": ratio, "variant": variant, "seed": seed}
    return {**named, "split": "upstream", "preset": "best", **others}


def record(data=None, **chosen):
    """Returns config.json; of the paper's cora unless told otherwise."""
    data = PUBLISHED["cora"] if data is None else data
    return {"settings": settings(**chosen), "command": "bash run.sh", "data": data}


def one_run(path="runs/one", found=None, data=None, **chosen):
    """Returns a run among others; of the paper's cora unless told otherwise."""
    data = PUBLISHED["cora"] if data is None else data
    return OneRun(Path(path), settings(**chosen), found or evaluation(), data)


def history(validated=True):
    """Returns three epochs."""
    aucs = [0.7, 0.8, 0.9] if validated else [None] * 3
    return [
        {"epoch": float(i), "loss": 3.0 / i, "validation_auc": auc, "seconds": 1.0}
        for i, auc in enumerate(aucs, 1)
    ]


class Page(html.parser.HTMLParser):
    """Collects the elements, the attributes, the text and the tables of a page."""

    def __init__(self, path):
        super().__init__()
        self.elements, self.attributes, self.text = [], [], ""
        self.rows = []  # the texts of the cells of each row
        self.coloured = {"bad": [], "good": [], "soft": []}  # texts by their class
        self._open, self._contents = [], {}
        self.feed(path.read_text(encoding="utf-8"))
        self.close()

    def content(self, name):
        """Returns what a script of JSON holds."""
        return json.loads(self._contents[name])

    def of(self, element, attribute):
        """Returns the values of an attribute of all such elements."""
        return [v for e, a, v in self.attributes if (e, a) == (element, attribute)]

    def handle_starttag(self, name, attributes):
        self.elements.append(name)
        self.attributes += [(name, key, value) for key, value in attributes]
        self._open.append((name, dict(attributes).get("class")))
        self._name = dict(attributes).get("id")
        if name == "tr":
            self.rows.append([])
        if name in ("td", "th"):
            self.rows[-1].append("")
        if self._open[-1][1] in self.coloured:
            self.coloured[self._open[-1][1]].append("")

    def handle_endtag(self, name):
        while self._open and self._open.pop()[0] != name:
            pass

    def handle_data(self, data):
        if any(name in ("style", "script") for name, _ in self._open):
            self._contents[self._name] = self._contents.get(self._name, "") + data
            return
        self.text += data
        if any(name in ("td", "th") for name, _ in self._open):
            self.rows[-1][-1] += data
        for kind in {kind for _, kind in self._open} & {*self.coloured}:
            self.coloured[kind][-1] += data

    @property
    def red(self):
        """The texts of red cells."""
        return self.coloured["bad"]

    def row(self, title):
        """Returns the cells of the first row of that title."""
        return next(row[1:] for row in self.rows if row and row[0] == title)
