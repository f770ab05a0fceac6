"""Figures: legible whatever labels and words are, and each in its own file."""

import io

import pytest

from cane_gane.evaluation.results import NodeMap
from cane_gane.report import charts, figures, pictures
from tests.report.results import examples, history


def nodes(labels):
    count = len(labels)
    return NodeMap(list(range(count)), [float(i) for i in range(count)],
                   [float(i % 7) for i in range(count)], labels)  # fmt: skip


@pytest.mark.parametrize("length", [1, 12, 30, 200])
def test_nodes_keep_most_of_the_map_however_long_labels_are(length):
    labels = [f"{i % 12}{'x' * length}" for i in range(60)]
    figure = pictures.node_map(nodes(labels)).figure
    figure.savefig(io.BytesIO())
    box, legend = figure.axes[0].get_position(), figure.legends[0]
    assert box.width >= 0.6
    assert box.height >= 0.6
    frame = legend.get_window_extent()
    assert frame.width <= figure.bbox.width
    assert max(len(text.get_text()) for text in legend.texts) <= 24


def test_rare_labels_and_none_are_one_group():
    labels = [str(i % 10) for i in range(50)] + ["rare", None]
    figure = pictures.node_map(nodes(labels)).figure
    names = [text.get_text() for text in figure.legends[0].texts]
    assert names == ["other", *map(str, range(10))]
    (other,) = (own for own in figure.axes[0].collections if own.get_label() == "other")
    assert len(other.get_offsets()) == 2


def test_a_map_without_labels_has_no_legend():
    figure = pictures.node_map(nodes([None] * 9)).figure
    assert figure.legends == []
    assert len(figure.axes[0].collections[0].get_offsets()) == 9


def test_data_sets_with_a_dot_have_files_of_their_own(tmp_path):
    for name in ("net.v1", "net.v2"):
        figures.save(charts.learning_curve(history(), 3), tmp_path, name)
    assert {path.name for path in tmp_path.iterdir()} == {
        "net.v1.png", "net.v1.svg", "net.v2.png", "net.v2.svg"
    }  # fmt: skip


def test_the_same_figure_gives_the_same_bytes(tmp_path):
    made = [
        figures.save(charts.learning_curve(history(), 3), tmp_path / name, "a")
        for name in ("one", "two")
    ]
    assert made[0] == made[1]
    assert made[0].svg == (tmp_path / "one" / "a.svg").read_bytes()


@pytest.mark.parametrize("word", ["$x^{", "_hidden", "x" * 500, "語", "\\frac"])
def test_no_word_stops_a_figure(tmp_path, word):
    pair = examples(word).matched[0]
    titles = {"plan": f"{word}: 80 %", "attention": "WANE's rule: 90 %"}
    figures.save(pictures.heat_maps(pair, titles), tmp_path, "plan")
    figures.save(pictures.node_map(nodes([word, "b"] * 5)), tmp_path, "map")
    curves = {word: [(0.5, 90.0, 1.0)]}
    figures.save(charts.ratio_curves({}, curves), tmp_path, "ratios")
    assert len(list(tmp_path.iterdir())) == 6
