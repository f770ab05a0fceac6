"""The table of models by ratio: its figures are those of the runs, in every format."""

import csv
import io
import json
import re
import shutil
import sys

import numpy as np
import pytest

from cane_gane.__main__ import main
from cane_gane.report.exports import as_csv, as_json
from cane_gane.report.formats import Layout
from cane_gane.report.layouts import as_latex, as_markdown
from cane_gane.report.overview import write_overview
from cane_gane.report.ratios import Ratios
from cane_gane.runs.config import Config
from cane_gane.runs.folder import RunFolder
from tests.launch import FLAGS, ROOT, refused
from tests.runs.fake_training import write_run

VARIANTS, RATIOS, SEEDS = ("cane", "ap"), (0.15, 0.55, 0.6), (1, 2, 3)
NAMES = {"cane": "CANE", "ap": "GANE-AP"}
BASELINES = {  # those that all methods have in common
    "linear": "linear ranker",
    "walks": "walks over edges and texts",
    "tfidf_one_hop": "TF-IDF with training neighbours",
    "tfidf": "TF-IDF cosine",
    "pagerank": "personalised PageRank",
    "common_neighbours": "common neighbours",
    "preferential_attachment": "preferential attachment",
}
SHEETS = {  # the figures of each table, in the order of the tables
    "AUC in %, strict protocol": ("strict", "auc"),
    "MRR in %, strict protocol": ("strict", "mrr"),
    "Hits@10 in %, strict protocol": ("strict", "hits_at_10"),
    "AUC in %, upstream's protocol": ("upstream", "auc"),
    "MRR in %, hard negatives": ("hard", "mrr"),
    "Hits@10 in %, hard negatives": ("hard", "hits_at_10"),
    "AUC in %, all edges (not a test of prediction)": ("all_edges", "auc"),
}
AUC = {protocol: title for title, (protocol, own) in SHEETS.items() if own == "auc"}
COST = "time and memory to fit"
GAP = "MRR minus that of the best baseline, in points, strict protocol"
LABELS = "Macro-F1 of node classification in %"
EACH = pytest.mark.parametrize("title", SHEETS)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The runs of a grid on cora: GANE-AP has one seed at 55 %, two at 60 %."""
    home = tmp_path_factory.mktemp("grid")
    for seed in SEEDS:
        for ratio in RATIOS:
            for variant in VARIANTS:
                if variant == "ap" and seed > {0.55: 1, 0.6: 2}.get(ratio, 3):
                    continue
                config = Config.make(
                    dataset="cora", ratio=ratio, method=variant, seed=seed
                )
                write_run(config, RunFolder.of(config, home), labels=True)
    single = home / "cora-0.55-ap-seed1" / "metrics.json"
    metrics = json.loads(single.read_text())
    metrics["link_prediction"]["upstream"]["auc"] = 0.9796  # 98.0, as in the paper
    metrics["link_prediction"]["strict"]["auc"] = 0.9794  # 97.9, a little less
    single.write_text(json.dumps(metrics))
    return home


def read(home, variant, ratio):
    """Returns the metrics of the runs in a cell of the table, straight from disk."""
    paths = sorted(home.glob(f"cora-{ratio}-{variant}-seed*/metrics.json"))
    return [json.loads(path.read_text()) for path in paths]


def spread(values, error):
    """Returns what a cell should say, by numpy."""
    mean = f"{100 * np.mean(values):.1f}"
    if len(values) == 1:
        return f"{mean} (1)" if error is None else f"{mean} ± {100 * error:.1f} (1)"
    few = "" if len(values) == 3 else f" ({len(values)})"
    return f"{mean} ± {100 * np.std(values, ddof=1):.1f}{few}"


@pytest.fixture(scope="module")
def found(home):
    folders = [RunFolder(path.parent) for path in sorted(home.glob("*/metrics.json"))]
    runs = [folder.one_run() for folder in folders]
    return Ratios("cora", VARIANTS, RATIOS, SEEDS, runs)


def tables(markdown):
    """Returns the tables of a Markdown text by title: each a dict of rows by name."""
    found = re.findall(r"^\*\*[^:]*: (.*)\*\*\n\n((?:\|.*\n)+)", markdown + "\n", re.M)
    return {
        title: {
            row[0]: row[1:]
            for line in block.splitlines()
            for row in [[cell.strip() for cell in line.strip("|").split("|")]]
        }
        for title, block in found
    }


def cells(rows, names=NAMES):
    """Yields method, ratio and text of each cell of the rows of methods."""
    for variant, name in names.items():
        for ratio, text in zip(RATIOS, rows[name], strict=True):
            yield variant, ratio, text


def test_each_protocol_has_a_table_of_each_figure_that_it_has(found):
    assert list(tables(as_markdown(found))) == [*SHEETS, GAP, LABELS, COST]


@EACH
def test_a_models_cell_is_mean_and_deviation_over_seeds(home, found, title):
    protocol, figure = SHEETS[title]
    for variant, ratio, cell in cells(tables(as_markdown(found))[title]):
        links = [m["link_prediction"][protocol] for m in read(home, variant, ratio)]
        error = links[0]["std_error"] if figure == "auc" else None
        text = spread([own[figure] for own in links], error)
        assert re.sub(" [↓†]", "", cell) == text


@EACH
def test_baselines_are_averaged_over_the_same_seeds(home, found, title):
    protocol, figure = SHEETS[title]
    rows = tables(as_markdown(found))[title]
    for key, name in BASELINES.items():
        for ratio, cell in zip(RATIOS, rows[name], strict=True):
            runs = read(home, "cane", ratio)  # the splits are the same for all models
            values = [own["baselines"][protocol][key][figure] for own in runs]
            assert cell == spread(values, None)


@EACH
def test_each_method_has_its_own_start(home, found, title):
    protocol, figure = SHEETS[title]
    names = {key: f"{name}, before training" for key, name in NAMES.items()}
    for variant, ratio, cell in cells(tables(as_markdown(found))[title], names):
        starts = [m["baselines"][protocol]["start"] for m in read(home, variant, ratio)]
        error = starts[0]["std_error"] if figure == "auc" else None
        assert cell == spread([own[figure] for own in starts], error)


def best_baseline(runs, protocol, figure):
    """Returns the key and the mean of the best baseline of runs, by numpy."""
    means = {
        key: np.mean([own["baselines"][protocol][key][figure] for own in runs])
        for key in ("start", *BASELINES)
    }
    return max(means.items(), key=lambda own: own[1])


@EACH
def test_a_cell_below_a_baseline_is_marked(home, found, title):
    protocol, figure = SHEETS[title]
    marked = set()
    for variant, ratio, cell in cells(tables(as_markdown(found))[title]):
        runs = read(home, variant, ratio)
        model = np.mean([m["link_prediction"][protocol][figure] for m in runs])
        assert ("↓" in cell) == (model < best_baseline(runs, protocol, figure)[1])
        marked.add("↓" in cell)
    assert marked == {True, False}


def test_the_difference_is_to_the_best_baseline_by_mrr(home, found):
    rows = tables(as_markdown(found))[GAP]
    shown = {"start": "the model before training", **BASELINES}
    for variant, name in NAMES.items():
        for place, ratio in enumerate(RATIOS):
            runs = read(home, variant, ratio)
            rival, theirs = best_baseline(runs, "strict", "mrr")
            ours = np.mean([own["link_prediction"]["strict"]["mrr"] for own in runs])
            cell = rows[f"{name} minus {shown[rival]}"][place]
            assert cell.startswith(f"{100 * (ours - theirs):+.1f} (")
            others = {shown[key] for key in shown if key != rival}
            for other in others & {row.removeprefix(f"{name} less ") for row in rows}:
                assert rows[f"{name} minus {other}"][place] == "–"


def test_the_paper_stands_below_auc_in_each_protocol_that_it_may_be_of(found):
    shown = tables(as_markdown(found))
    for protocol in ("upstream", "strict", "all_edges"):
        rows = shown.pop(AUC[protocol])
        assert rows["GANE-AP, paper"] == ["94.0", "98.0", "–"]
        assert rows["CANE, paper"] == ["86.8", "94.6", "–"]
        assert rows["CANE, upstream's README"] == ["85.2", "93.4", "–"]
        assert "WANE, paper" not in rows  # no such model in this table
    assert LABELS in shown
    for title in shown.keys() - {LABELS}:
        assert not any("paper" in name or "README" in name for name in shown[title])


def test_what_reaches_the_papers_figure_is_marked(found):
    markdown = as_markdown(found)
    shown = tables(markdown)
    own = {name: shown[title]["GANE-AP"][1] for name, title in AUC.items()}
    assert own["upstream"].endswith("(1) †")  # 97.96 is 98.0 to one decimal
    assert "†" not in own["strict"]  # 97.94 is not
    for title in AUC.values():
        for name in NAMES.values():
            pairs = zip(shown[title][name], shown[title][f"{name}, paper"], strict=True)
            for cell, theirs in pairs:
                reached = theirs != "–" and float(cell[:4]) >= float(theirs)
                assert ("†" in cell) == reached
    for title in shown.keys() - AUC.values():
        assert "†" not in str(shown[title])
    assert "† at or above the paper's figure" in markdown


def test_macro_f1_stands_beside_the_papers(home, found):
    rows = tables(as_markdown(found))[LABELS]
    for ratio in RATIOS:
        scores = [own["node_classification"] for own in read(home, "ap", ratio)]
        expected = [
            spread([s[share]["macro_f1"] for s in scores],
                   scores[0][share]["std"]["macro_f1"])
            for share in ("0.1", "0.3", "0.5", "0.7")
        ]  # fmt: skip
        assert rows[f"GANE-AP, {100 * ratio:g} % of the edges"] == expected
    assert rows["GANE-AP, paper"] == ["82.3", "84.2", "86.7", "88.5"]


def test_latex_has_the_cells_of_markdown(found):
    symbols = {
        r"$\pm$": "±", r"$\downarrow$": "↓", r"$\uparrow$": "↑", r"$\dagger$": "†",
        "--": "–",
    }  # fmt: skip
    latex = as_latex(found)
    for code, symbol in symbols.items():
        latex = latex.replace(code, symbol)
    parts = re.findall(r"\\begin{tabular}{(l+r+)}\n(.*?)\\end{tabular}", latex, re.S)
    read_back = []
    for columns, part in parts:
        lines = [line for line in part.splitlines() if line != r"\hline"]
        assert all(line.endswith(r" \\") for line in lines)
        rows = [line.removesuffix(r" \\").split(" & ") for line in lines]
        assert {len(row) for row in rows} == {len(columns)}
        read_back.append([[cell.replace(r"\%", "%") for cell in row] for row in rows])
    expected_rows = tables(as_markdown(found)).values()
    for rows, expected in zip(read_back, expected_rows, strict=True):
        body = list(expected.items())[2:]
        assert [(row[0], row[1:]) for row in rows[1:]] == body


def test_latex_escapes_what_it_reads_as_code():
    text = Layout("a_b & 5 % {x}", ("", "#1"), [[("$^~\\", "–")]]).latex()
    assert r"\caption{a\_b \& 5 \% \{x\}}" in text
    assert r"\$\^{}\~{}\textbackslash{} & -- \\" in text


def test_csv_has_every_figure_to_four_decimals(home, found):
    lines = list(csv.DictReader(io.StringIO(as_csv(found))))
    of = {
        tuple(line[key] for key in ("measure", "protocol", "kind", "key", "ratio",
                                    "labels")): line
        for line in lines
    }  # fmt: skip
    assert len(of) == len(lines)
    links = [own["link_prediction"]["strict"] for own in read(home, "cane", 0.6)]
    line = of["auc", "strict", "ours", "cane", "0.6", ""]
    values = [own["auc"] for own in links]
    assert float(line["mean"]) == pytest.approx(100 * np.mean(values), abs=1e-4)
    assert float(line["std"]) == pytest.approx(100 * np.std(values, ddof=1), abs=1e-4)
    assert line["seeds"] == "1 2 3"
    assert line["std_error"] == ""
    (single,) = read(home, "ap", 0.55)
    line = of["macro_f1", "", "ours", "ap", "0.55", "0.3"]
    score = single["node_classification"]["0.3"]
    assert float(line["mean"]) == pytest.approx(100 * score["macro_f1"], abs=1e-4)
    error = 100 * score["std"]["macro_f1"]
    assert float(line["std_error"]) == pytest.approx(error, abs=1e-4)
    assert of["auc", "upstream", "paper", "ap", "0.55", ""]["mean"] == "98.0000"


def test_json_has_shares_and_what_was_run(home, found):
    content = json.loads(as_json(found))
    runs = [own for v in VARIANTS for r in RATIOS for own in read(home, v, r)]
    assert content["runs"] == {"finished": len(runs), "all": 18}
    took = sum(own["time"]["train"] + own["time"]["evaluate"] for own in runs)
    assert content["seconds"] == pytest.approx(took)
    own = content["auc"]["upstream"]["ours"]["ap"]["0.55"]
    assert own["mean"] == 0.9796
    assert own["seeds"] == [1]
    assert own["reached"]
    assert not own["below"]
    assert content["macro_f1"]["paper"]["ap"]["0.7"]["mean"] == pytest.approx(0.885)


def test_a_table_without_labels_or_published_figures_has_neither(tmp_path):
    config = Config.make(dataset="mine", ratio=0.5, method="ot", seed=7)
    folder = RunFolder.of(config, tmp_path)
    write_run(config, folder)
    found = Ratios("mine", ["ot", "ap"], [0.5], [7], [folder.one_run()])
    write_overview(found, tmp_path)
    shown = tables((tmp_path / "table.md").read_text())
    assert list(shown) == [*SHEETS, GAP, COST]
    for title in SHEETS:
        assert list(shown[title])[2:] == [
            "GANE-OT", "GANE-OT, before training", *BASELINES.values()
        ]  # fmt: skip
    assert "(1)" in shown[AUC["strict"]]["GANE-OT"][0]
    names = {path.name for path in tmp_path.iterdir() if path.is_file()}
    assert names == {"table.md", "table.csv", "table.tex", "table.json", "report.html"}
    page = (tmp_path / "report.html").read_text()
    assert 'href="./mine-0.5-ot-seed7/report.html"' in page
    assert page.count("<figure") == page.count("<svg") == len(SHEETS)


@pytest.fixture
def fake(monkeypatch):
    program = (sys.executable, "-m", "tests.runs.fake_training")
    monkeypatch.setattr("cane_gane.runs.cell.PROGRAM", program)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def run(topics, output, *flags):
    plain = ["--variants=cane,ap", "--ratios=0.6", "--seeds=1,2"]
    return main(["table", str(topics), *plain, f"--output={output}", *flags])


def names(output):
    lines = (output / "started.txt").read_text().splitlines()
    return [line.split()[0].removeprefix("topics-") for line in lines]


def test_the_first_seed_comes_first_and_more_seeds_run_alone(
    fake, topics, tmp_path, capsys
):
    assert run(topics, tmp_path, "--jobs=1") == 0
    four = ["0.6-cane-seed1", "0.6-ap-seed1", "0.6-cane-seed2", "0.6-ap-seed2"]
    assert names(tmp_path) == four
    assert run(topics, tmp_path, "--seeds=1-3,2,4", "--jobs=2") == 0
    added = [f"0.6-{variant}-seed{seed}" for variant in ("ap", "cane") for seed in "34"]
    assert sorted(names(tmp_path)[4:]) == added
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == str(tmp_path / "report.html")
    written = (tmp_path / "table.md").read_text()
    assert out.endswith(f"{written}\n{tmp_path / 'report.html'}\n")
    assert "All 8 runs are finished" in written
    assert "Mean ± standard deviation over seeds 1 to 4." in written


def test_cells_of_changed_data_are_refused(fake, topics, tmp_path, capsys):
    network = shutil.copytree(topics, tmp_path / "data" / topics.name)
    output = tmp_path / "out"
    assert run(network, output, "--seeds=1") == 0
    before = names(output)
    with open(network / "graph.txt", "a") as file:
        file.write("0\t1\n")
    words = ["table", network, "--methods=cane,ap", "--ratios=0.6", "--seeds=1,2"]
    error = refused(capsys, *words, f"--output={output}")
    assert f"{network / 'graph.txt'}: found content" in error
    assert error.endswith("was trained on: choose another --output\n")
    assert names(output) == before


def test_a_cell_that_fails_leaves_the_rest_of_the_table(
    fake, topics, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("FAKE_FAIL", "topics-0.6-ap-seed1")
    assert run(topics, tmp_path, "--seeds=1", "--jobs=2") == 2
    out, error = capsys.readouterr()
    for title in SHEETS:
        rows = tables(out)[title]
        assert "GANE-AP" not in rows
        assert "–" not in rows["CANE"]
    assert "found 1 of 2 runs failed" in error.splitlines()[-1]
    assert "Traceback" not in error


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        ("--methods=ap,up", "found method 'up'; expected some of cane, wane, ot, ap"),
        ("--variants=ap,up", "found method 'up'; expected some of cane, wane, ot, ap"),
        ("--methods=", "found no methods; expected --methods="),
        ("--ratios=0.5,x", "found ratio 'x'; expected a number between 0 and 1"),
        ("--ratios=0.5,1.5", "found ratio '1.5'; expected a number between 0 and 1"),
        ("--ratios=1", "found ratio '1'; expected a number between 0 and 1"),
        ("--ratios=55", "did you mean 0.55?"),
        ("--ratios=", "found no ratios; expected --ratios="),
        ("--seeds=1,b", "found seeds '1,b'; expected numbers"),
        ("--seeds=-1", "found seeds '-1'; expected numbers"),
        ("--seeds=3-1,4", "found seeds '3-1,4'; expected numbers"),
        ("--seeds=1-1000000000", "found seeds '1-1000000000'; expected numbers up to"),
        ("--seeds=1-999999999", "10,000 at most"),
        ("--seeds=2000001", "expected numbers up to 2,000,000 such as 1,2,3 or 1-10"),
        ("--jobs=0", "jobs"),
        ("--preset=upstream", "found preset upstream with method ap"),
    ],
)
def test_bad_input_gets_one_line(fake, topics, tmp_path, capsys, flag, message):
    assert run(topics, tmp_path / "out", flag) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_data_set_that_is_nowhere_gets_one_line(fake, tmp_path, capsys):
    assert run(tmp_path / "nowhere", tmp_path / "out") == 2
    error = capsys.readouterr().err
    assert "found no data set and no folder" in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_cell_is_the_run_of_the_plain_command(topics, finished, tmp_path):
    words = ["table", str(topics), "--variants=wane", "--ratios=0.6", "--seeds=1"]
    assert main([*words, *FLAGS, f"--output={tmp_path}"]) == 0
    mine, theirs = RunFolder(tmp_path / finished[0].name), RunFolder(finished[0])
    assert mine.record()["settings"] == theirs.record()["settings"]
    links = mine.evaluation().link_prediction
    assert links == theirs.evaluation().link_prediction
    shown = tables((tmp_path / "table.md").read_text())
    for title, (protocol, figure) in SHEETS.items():
        own, error = links[protocol], links[protocol].std_error
        cell = f"{100 * getattr(own, figure):.1f}"
        cell += f" ± {100 * error:.1f} (1)" if figure == "auc" else ""
        assert shown[title]["WANE"][0].removesuffix(" ↓") == cell
