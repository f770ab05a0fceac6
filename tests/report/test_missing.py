"""All missing edges as a table that other programs read."""

import csv
import io

import numpy as np

from cane_gane.data.network import TextualNetwork
from cane_gane.evaluation.results import ScoredEdge
from cane_gane.report.missing import missing_csv

NETWORK = TextualNetwork(
    ['a "quoted", text\nof two lines', "word " * 100, "語 <b>"],
    np.array([[0, 1]]),
    names=["=one", "two,2", "three"],
)


def test_each_pair_comes_back_with_names_score_and_first_words():
    edges = [
        ScoredEdge(source=0, target=2, score=1.25, probability=0.125),
        ScoredEdge(source=2, target=1, score=-3.0),
    ]
    first, second = csv.DictReader(io.StringIO(missing_csv(NETWORK, edges)))
    assert first == {
        "rank": "1", "source": "0", "target": "2", "source_name": "=one",
        "target_name": "three", "score": "1.25", "probability": "0.125",
        "source_text": 'a "quoted", text of two lines', "target_text": "語 <b>",
    }  # fmt: skip
    assert (second["rank"], second["score"], second["probability"]) == ("2", "-3", "")
    assert second["target_name"] == "two,2"
    assert second["target_text"] == " ".join(["word"] * 20)


def test_without_missing_edges_there_is_a_header():
    assert missing_csv(NETWORK, []).startswith("rank,source,target,source_name")
    assert missing_csv(NETWORK, []).count("\n") == 1
