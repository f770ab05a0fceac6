"""The content of metrics.json as older runs and today's write it, made up."""

ROC = {"false_positives": [0.0, 0.2, 1.0], "true_positives": [0.0, 0.9, 1.0]}
COUNTS = {
    "upstream": {"scored": 1910, "edges": 2398, "self_loops": 92, "reversed": 117},
    "strict": {"scored": 2179, "edges": 2398, "self_loops": 0, "reversed": 0},
}


def figures(protocol, auc, **more):
    """Returns what every score has."""
    return {
        "auc": auc,
        "std_error": 0.013,
        "interval": [0.5, 0.9],
        **COUNTS[protocol],
        "draws": {"mean": 0.71, "std": 0.003},
        **more,
    }


def ranks(mrr):
    return {"average_precision": 0.3, "hits_at_10": 0.5, "mrr": mrr}


def metrics():
    """Returns what a run wrote that knew two protocols, anew each time."""
    return {
        "link_prediction": {
            "upstream": {
                "score": "pairs",
                **figures("upstream", 0.91, sampling_error=0.001, negatives=9),
                "roc": {
                    "model": {**ROC, "area": 0.92},
                    "vectors": {**ROC, "area": 0.83},
                },
                "vectors": {
                    "structure": figures("upstream", 0.6),
                    "text": figures("upstream", 0.7),
                    "both": figures("upstream", 0.8),
                },
            },
            "strict": {
                "score": "pairs",
                **figures(
                    "strict", 0.93, sampling_error=0.002, negatives=1, sampled_edges=20
                ),
                "roc": {
                    "model": {**ROC, "area": 0.94},
                    "vectors": {**ROC, "area": 0.85},
                },
                "vectors": {
                    "structure": figures("strict", 0.65, **ranks(0.1)),
                    "text": figures("strict", 0.75, **ranks(0.25)),
                    "both": figures("strict", 0.95, **ranks(0.2)),
                },
            },
        },
        "baselines": {
            "upstream": {
                "tfidf": {**figures("upstream", 0.75), "roc": {**ROC, "area": 0.74}},
                "common_neighbours": {
                    **figures("upstream", 0.65),
                    "roc": {**ROC, "area": 0.64},
                },
            },
            "strict": {
                "tfidf": {
                    **figures("strict", 0.7, **ranks(0.15)),
                    "roc": {**ROC, "area": 0.7},
                },
                "common_neighbours": {
                    **figures("strict", 0.72, **ranks(0.22)),
                    "roc": {**ROC, "area": 0.6},
                },
            },
        },
        "node_classification": {
            "0.1": {
                "macro_f1": 0.81,
                "micro_f1": 0.82,
                "std": {"macro_f1": 0.01, "micro_f1": 0.02},
                "train": 221,
                "test": 1990,
                "unlabelled": 66,
            }
        },
        "matching": {
            "source": 311,
            "target": 309,
            "score": 35.5,
            "entries": 75,
            "plan_share": 0.52,
            "attention_share": 0.89,
            "on_padding": 0.0,
        },
        "missing_edges": [{"source": 5, "target": 7, "score": 71.5}],
        "data": {"nodes": 2277, "texts": {"words": {"mean": 90.4}}, "labels": None},
        "best_epoch": 5,
        "evaluated": True,
        "time": {"train": 26.5, "evaluate": 25.5, "parts": {"score pairs": 10.0}},
        "printed_auc": 0.9,
    }


def todays_metrics():
    """Returns what a run writes now: four protocols, places, differences, a search."""
    content = metrics()
    hits = {"hits_at_1": 0.25, "hits_at_10": 0.6, "hits_at_50": 0.8}
    how = {"ranked_edges": 640, "ranked_pairs": 19_950, "missed": 0.05}
    links = content["link_prediction"]
    links["strict"] |= {"mrr": 0.4, "average_precision": 0.35, **hits, **how}
    counts = {"scored": 400, "edges": 2398, "self_loops": 0, "reversed": 0}
    whole = {"scored": 4500, "edges": 5214, "self_loops": 225, "reversed": 300}
    none = {"auc": None, "std_error": None, "interval": None}
    draws = {"draws": {"mean": None, "std": None}}
    score = {"score": "pairs", "roc": {}, "vectors": {}}
    hard = {**none, **counts, **draws, **hits}
    links["all_edges"] = {**score, **figures("upstream", 0.97), **whole}
    links["hard"] = {**score, **hard, "mrr": 0.3, **how, "ranked_edges": 400}
    for own in links.values():
        own["vectors"] = {}
    gaps = {
        name: {"mean": mean, "interval": [mean - 0.03, mean + 0.03]}
        for name, mean in (("auc", 0.02), ("mrr", -0.1), ("hits_at_10", 0.01))
    }
    less = {name: gaps[name] for name in ("mrr", "hits_at_10")}
    content["baselines"] = {
        "upstream": {"linear": {**figures("upstream", 0.9), "difference": {}}},
        "strict": {
            "linear": {
                **figures("strict", 0.95), **ranks(0.45), **hits, "difference": gaps,
            },
        },
        "all_edges": {"linear": {**figures("upstream", 0.98), **whole}},
        "hard": {"linear": {**hard, "mrr": 0.4, "difference": less}},
    }  # fmt: skip
    found = {"top1": 0.8, "top10": 0.95}
    content["search"] = {"queries": 500, "top1": 0.5, "top10": 0.9, "tfidf": found}
    return content


def examples():
    """Returns the content of an examples.json, anew each time."""
    return {
        "pair": {
            **metrics()["matching"],
            "names": ["a", "b"],
            "source_words": ["red", "fox"],
            "target_words": ["sea"],
            "plan": [[0.5], [0.5]],
            "attention": [[0.25], [0.75]],
        },
        "missing_edges": [
            {
                "source": 5,
                "target": 7,
                "score": 71.5,
                "names": ["a", "b"],
                "texts": ["red fox", "sea"],
                "words": [["red", "sea", 0.5]],
            }
        ],
        "map": {
            "nodes": [0, 2],
            "x": [1.5, 2.5],
            "y": [3.5, 4.5],
            "labels": ["a", None],
        },
    }
