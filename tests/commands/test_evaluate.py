"""Evaluation again: of a run, and of a folder that another program wrote."""

import csv
import json
import re
import shutil

import numpy as np
import pytest

from cane_gane.__main__ import main
from cane_gane.data.network import TextualNetwork
from cane_gane.data.vectors import read_embeddings, write_embeddings
from cane_gane.evaluation.protocols import PROTOCOLS
from cane_gane.methods.baselines import BASELINES
from tests import launch
from tests.docs.pages import text_of
from tests.word2vec import read_word2vec


def without_times(folder):
    metrics = json.loads((folder / "metrics.json").read_text())
    return {key: value for key, value in metrics.items() if key != "time"}


@pytest.fixture
def vectors(tmp_path):
    """What upstream leaves in `temp/`: a split, and a vector a line or none."""
    rng = np.random.default_rng(0)
    edges = np.unique(rng.integers(40, size=(200, 2)), axis=0)
    folder = tmp_path / "temp"
    split = TextualNetwork([""] * 40, edges).split(0.4, "strict")
    split.write(folder)
    table = rng.normal(size=(40, 6))
    table[np.setdiff1d(np.arange(40), split.train)] = np.nan
    write_embeddings(folder / "embed.txt", table)
    return folder


@pytest.mark.slow
def test_a_second_evaluation_gives_the_same_figures(finished, copied, capsys):
    before = without_times(copied)
    spent = json.loads((copied / "metrics.json").read_text())["time"]
    for name in ("report.html", "embed.txt", "examples.json"):
        (copied / name).unlink()
    assert main(["evaluate", str(copied)]) == 0
    out = capsys.readouterr().out
    assert without_times(copied) == before
    assert out.splitlines()[:-1] == finished[1].splitlines()[:-1]
    assert out.splitlines()[-1] == str(copied / "report.html")
    for name in ("embed.txt", "examples.json"):
        assert (copied / name).read_bytes() == (finished[0] / name).read_bytes(), name
    time = json.loads((copied / "metrics.json").read_text())["time"]
    assert time["train"] == spent["train"]
    assert time["parts"]["export"] == spent["parts"]["export"]


@pytest.mark.slow
@pytest.mark.parametrize("content", ["{}", "{", '{"link_prediction": []}'])
def test_damaged_results_are_written_anew(copied, content):
    before = without_times(copied)
    (copied / "metrics.json").write_text(content)
    assert main(["evaluate", str(copied)]) == 0
    assert without_times(copied) == before


@pytest.mark.slow
def test_a_run_of_an_older_version_is_evaluated(copied):
    """It has no digests of its own files, and fewer settings."""
    before = without_times(copied)
    record = json.loads((copied / "config.json").read_text())
    del record["files"], record["settings"]["popularity"], record["settings_sha256"]
    (copied / "config.json").write_text(json.dumps(record))
    metrics = json.loads((copied / "metrics.json").read_text())
    del metrics["time"]
    (copied / "metrics.json").write_text(json.dumps(metrics))
    assert main(["evaluate", str(copied)]) == 0
    assert without_times(copied) == before


def documented():
    """Returns the keys that docs/evaluation.md lists, and what its signs stand for."""
    page = text_of("docs/evaluation.md").split("\n## Keys of metrics.json\n")[1]
    rows = [
        [re.findall("`([^`]+)`", cell) for cell in line.strip("| ").split(" | ")]
        for line in re.findall(r"^\| `.*$", page.split("\n## ")[0], re.M)
    ]
    signs = {own[0]: what for own, what in rows if own[0].isupper() or own == ["…"]}
    listed = [key for own, _ in rows for key in own if key not in signs]
    return [key for own in listed for key in without_braces(own)], signs


def without_braces(key):
    """Returns the keys that one with braces stands for."""
    first, _, rest = key.partition("{")
    inside, brace, last = rest.partition("}")
    if not brace:
        return [key]
    return [
        f"{first}{own}{end}"
        for own in inside.split(",")
        for end in without_braces(last)
    ]


def without_signs(key, signs):
    """Returns the keys that one with signs stands for."""
    found = re.search("…|[A-Z]+", key)
    if found is None:
        return [key]
    filled = (key.replace(found[0], value, 1) for value in signs[found[0]])
    return [own for one in filled for own in without_signs(one, signs)]


def keys_of(content, place=""):
    """Yields the keys of metrics.json, dots between those inside each other."""
    for own in content if isinstance(content, list) else [content]:
        for key, value in own.items():
            path = f"{place}{key}"
            # What is in these two depends on the network, and on what was timed.
            inside = isinstance(value, dict) and path not in ("data", "time.parts")
            if inside or path == "missing_edges":
                yield from keys_of(value, f"{path}.")
            else:
                yield path


def test_metrics_have_the_documented_keys(finished):
    metrics = json.loads((finished[0] / "metrics.json").read_text())
    keys, signs = documented()
    known = {key: set(without_signs(key, signs)) for key in keys}
    found = set(keys_of(metrics))
    assert found <= set().union(*known.values())
    # Of upstream's code alone, and of a network with more test edges than this one.
    elsewhere = {"printed_auc", "link_prediction.PROTOCOL.sampled_edges"}
    # Of a run on all edges.
    elsewhere |= {key for key in keys if key.startswith("check.")}
    # Of a large network: tests/evaluation looks at these.
    elsewhere |= {"….sources", "….of_sources", "….mrr_error", "left_out.NAME"}
    elsewhere |= {"first_stage.among", "search.among"}
    elsewhere |= {"node_classification.SHARE.sampled"}
    assert {key for key, own in known.items() if not own & found} == elsewhere
    for key in ("….scored", "node_classification.SHARE.micro_f1"):
        assert known[key] <= found
    assert set(signs["PROTOCOL"]) == set(PROTOCOLS)
    assert set(signs["NAME"]) == set(BASELINES)
    assert len(metrics["missing_edges"]) == 10


def test_metrics_have_the_figures_of_each_protocol(finished):
    metrics = json.loads((finished[0] / "metrics.json").read_text())
    for protocol, link in metrics["link_prediction"].items():
        ranked = protocol in ("strict", "hard")
        for own in (
            link, *link["vectors"].values(), *metrics["baselines"][protocol].values()
        ):  # fmt: skip
            assert (own["auc"] is None) == (protocol == "hard")
            assert (own["draws"]["mean"] is None) == (protocol == "hard")
            for name in ("mrr", "hits_at_1", "hits_at_10", "hits_at_50"):
                assert (name in own) == ranked
            assert ("average_precision" in own) == (protocol == "strict")
        assert ("sampling_error" in link) == (protocol != "hard")
        assert ("ranked_pairs" in link) == ranked
        assert set(link["roc"]) == (
            set() if protocol == "hard" else {"model", "vectors"}
        )
        compared = {"auc"} if protocol != "hard" else set()
        compared |= {"mrr", "hits_at_10"} if ranked else set()
        for own in metrics["baselines"][protocol].values():
            assert set(own["difference"]) == compared
            assert ("roc" in own) == (protocol != "hard")


def test_missing_edges_are_no_edges(finished, topics):
    metrics = json.loads((finished[0] / "metrics.json").read_text())
    with open(topics / "graph.txt") as file:
        known = {frozenset(map(int, row)) for row in csv.reader(file, delimiter="\t")}
    found = [frozenset((e["source"], e["target"])) for e in metrics["missing_edges"]]
    assert not known & set(found)
    assert len(set(found)) == 10
    scores = [edge["score"] for edge in metrics["missing_edges"]]
    assert scores == sorted(scores, reverse=True)


def upstream_draws(folder, count):
    """Upstream's way, written anew: one random negative for each scored edge."""
    rng = np.random.default_rng(5)
    table = read_embeddings(folder / "embed.txt")
    edges = np.loadtxt(folder / "test_graph.txt", np.int64)
    known = ~np.isnan(table[:, 0])
    nodes = [node for node in sorted(set(edges.ravel().tolist())) if known[node]]
    figures = []
    for _ in range(count):
        wins = []
        for source, target in edges.tolist():
            if known[source] and known[target]:
                negative = target
                while negative == target:
                    negative = rng.choice(nodes)
                difference = table[source] @ (table[target] - table[negative])
                wins.append((np.sign(difference) + 1) / 2)
        figures.append(np.mean(wins))
    return figures


def test_other_vectors_are_scored_as_upstream_draws_do(vectors, tmp_path, capsys):
    before = sorted(path.name for path in vectors.iterdir())
    assert main(["evaluate", str(vectors), f"--output={tmp_path / 'out'}"]) == 0
    assert sorted(path.name for path in vectors.iterdir()) == before
    metrics = json.loads((tmp_path / "out" / "metrics.json").read_text())
    found = metrics["link_prediction"]["upstream"]
    draws = upstream_draws(vectors, 30)
    error = np.std(draws, ddof=1) / np.sqrt(30)
    assert abs(found["auc"] - np.mean(draws)) < 4 * error
    assert found["interval"][0] < np.mean(draws) < found["interval"][1]
    for baselines in metrics["baselines"].values():  # there are no texts
        assert set(baselines) == {
            "pagerank", "common_neighbours", "preferential_attachment"
        }  # fmt: skip
    assert (tmp_path / "out" / "report.html").is_file()


def test_without_output_only_the_table_is_printed(vectors, capsys, monkeypatch):
    monkeypatch.chdir(vectors.parent)
    assert main(["evaluate", "temp"]) == 0
    assert "embed.txt" in capsys.readouterr().out
    assert sorted(p.name for p in vectors.parent.iterdir()) == ["temp"]


def test_a_data_set_gives_other_vectors_text_and_labels(finished, topics, tmp_path):
    temp = tmp_path / "temp"
    temp.mkdir()
    for name in ("graph.txt", "test_graph.txt"):
        shutil.copy(finished[0] / name, temp)
    names, vectors = read_word2vec(finished[0] / "embeddings.word2vec")
    order = np.argsort([int(name) for name in names])
    write_embeddings(temp / "embed.txt", vectors[order])
    words = ["evaluate", str(temp), f"--dataset={topics}", f"--output={tmp_path / 'o'}"]
    assert main(words) == 0
    metrics = json.loads((tmp_path / "o" / "metrics.json").read_text())
    whole = json.loads((finished[0] / "metrics.json").read_text())
    assert set(metrics["link_prediction"]) == set(whole["link_prediction"])
    for protocol, figures in metrics["link_prediction"].items():
        both = whole["link_prediction"][protocol]["vectors"]["both"]
        for name in ("auc", "mrr", "hits_at_1", "hits_at_10", "average_precision"):
            assert figures.get(name) == pytest.approx(both.get(name))
        rivals = whole["baselines"][protocol]
        del rivals["start"]  # vectors alone have no state before training
        assert set(metrics["baselines"][protocol]) == set(rivals)
        for key, own in metrics["baselines"][protocol].items():
            gaps, _ = own.pop("difference"), rivals[key].pop("difference")
            assert own == rivals[key]
            # Vectors are measured on every edge, as baselines are.
            for name, gap in gaps.items():
                assert gap["mean"] == pytest.approx(figures[name] - own[name])
                assert gap["interval"][0] <= gap["mean"] <= gap["interval"][1]
    own, known = (m["node_classification"]["0.5"] for m in (metrics, whole))
    assert own["micro_f1"] == pytest.approx(known["micro_f1"], abs=0.01)


def refused(capsys, *words):
    return launch.refused(capsys, "evaluate", *words)


def test_no_folder_is_refused(tmp_path, capsys):
    assert "found no such folder" in refused(capsys, tmp_path / "nowhere")


def test_a_folder_of_neither_kind_is_refused(vectors, capsys):
    (vectors / "embed.txt").unlink()
    assert "found neither config.json nor embed.txt" in refused(capsys, vectors)


def test_a_faulty_vector_is_refused_with_its_line(vectors, capsys):
    with open(vectors / "embed.txt", "a") as file:
        file.write("1 2\n")
    assert "embed.txt:41: found 2 values; expected 6" in refused(capsys, vectors)


def test_a_faulty_edge_is_refused_with_its_line(vectors, capsys):
    (vectors / "test_graph.txt").write_text("0\t1\n0\tx\n")
    assert "test_graph.txt:2: found 'x'" in refused(capsys, vectors)


def test_vectors_of_another_split_are_refused(vectors, capsys):
    lines = (vectors / "embed.txt").read_text().splitlines(keepends=True)
    train = np.loadtxt(vectors / "graph.txt", np.int64)
    test = np.loadtxt(vectors / "test_graph.txt", np.int64)
    node = np.intersect1d(train, test)[0]
    lines[node] = "\n"
    (vectors / "embed.txt").write_text("".join(lines))
    assert "embed.txt: found no vector for 1 nodes" in refused(capsys, vectors)


def test_another_data_set_is_refused(vectors, topics, capsys):
    error = refused(capsys, vectors, f"--dataset={topics}")
    assert "edges that the data set lacks" in error


@pytest.mark.parametrize("command", ["bash run.sh x 0.6 wane", "", None])
def test_a_run_that_has_not_ended_is_refused(copied, capsys, command):
    (copied / "metrics.json").unlink()
    record = json.loads((copied / "config.json").read_text())
    record["command"] = command
    (copied / "config.json").write_text(json.dumps(record))
    error = refused(capsys, copied)
    assert "found an unfinished run" in error
    assert f"continue with {command or 'the command that started it'}\n" in error


def test_a_run_without_a_model_is_refused(copied, capsys):
    shutil.rmtree(copied / "saved_model")
    assert "found a run without saved_model/" in refused(capsys, copied)


@pytest.mark.parametrize("name", ["graph.txt", "test_graph.txt"])
def test_a_changed_split_is_refused(copied, capsys, name):
    lines = (copied / name).read_text().splitlines(keepends=True)
    (copied / name).write_text("".join(lines[1:]))
    error = refused(capsys, copied)
    assert f"{copied / name}: found content " in error
    assert "which the run wrote: train again with --overwrite" in error


def swapped(run):
    """Gives a run the split of another draw, as `split` writes it."""
    record = json.loads((run / "config.json").read_text())
    network = TextualNetwork.read(record["settings"]["dataset"])
    network.split(0.6, "strict", seed=9).write(run)


def cut(run):
    path = run / "saved_model" / "saved_model.pb"
    path.write_bytes(path.read_bytes()[:1000])


def without_graph(run):
    (run / "saved_model" / "saved_model.pb").unlink()


def without_values(run):
    next((run / "saved_model" / "variables").glob("*.data*")).unlink()


def without_words(run):
    next((run / "saved_model" / "assets").iterdir()).unlink()


DAMAGED = [cut, without_graph, without_values, without_words]


@pytest.mark.parametrize("spoil", [swapped, *DAMAGED])
def test_a_run_that_is_not_as_it_was_written_is_refused(copied, capsys, spoil):
    spoil(copied)
    before = (copied / "metrics.json").read_bytes()
    error = refused(capsys, copied)
    assert "which the run wrote: train again with --overwrite" in error
    assert (copied / "metrics.json").read_bytes() == before


@pytest.mark.parametrize("spoil", DAMAGED)
def test_a_damaged_model_without_a_digest_is_refused(copied, capfd, spoil):
    record = json.loads((copied / "config.json").read_text())
    del record["files"]
    (copied / "config.json").write_text(json.dumps(record))
    spoil(copied)
    assert main(["evaluate", str(copied)]) == 2
    error = capfd.readouterr().err
    last = error.splitlines()[-1]
    assert f"{copied / 'saved_model'}: found no SavedModel" in last
    assert "Traceback" not in error


def test_a_changed_data_set_is_refused(copied, topics, tmp_path, capsys):
    other = shutil.copytree(topics, tmp_path / "other")
    with open(other / "data.txt", "a") as file:
        file.write("one more\n")
    error = refused(capsys, copied, f"--dataset={other}")
    assert "data.txt: found content" in error
    assert "--dataset" in error


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("{\n", "config.json:2: found no JSON"),
        ("[]", "config.json: found no JSON object"),
        ("{}", "config.json: found no settings"),
        ('{"settings": []}', "config.json: found no settings"),
        ('{"settings": {}}', "config.json: found no dataset in the settings"),
    ],
)
def test_a_broken_record_is_refused(copied, capsys, content, found):
    (copied / "config.json").write_text(content)
    assert found in refused(capsys, copied)


def test_a_run_takes_no_output(copied, capsys):
    assert "expected no --output" in refused(capsys, copied, "--output=x")
