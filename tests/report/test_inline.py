"""Charts inside a page: its colours, its own ids, its figures in words."""

import re

import pytest

from cane_gane.report import charts, figures
from cane_gane.report.assets import STATIC, scripts
from cane_gane.report.inline import inline
from tests.report.results import ROC, history


@pytest.fixture
def roc(tmp_path):
    """Draws two ROC curves."""

    def draw(title="strict"):
        chart = charts.roc_curves({"model <b>": ROC, "TF-IDF": ROC}, title)
        return inline(figures.save(chart, tmp_path, "roc"))

    return draw


def test_every_colour_is_a_variable_of_the_page(roc):
    text = roc()
    assert re.findall(r"(?:fill|stroke): #\w+", text) == []
    colours = (STATIC / "colours.css").read_text()
    used = {*re.findall(r"var\((--[\w-]+)\)", text)}
    assert {"--group-0", "--group-1", "--line"} <= used
    assert all(f"{own}:" in colours for own in used)


def test_texts_stay_texts_and_nothing_of_the_style_leaks_out(roc):
    text = roc("<script>alert(1)</script>")
    assert "<b>" not in text
    assert "<script" not in text
    assert "model &lt;b&gt;: 85.0</text>" in text
    assert "<style" not in text
    assert "<metadata" not in text
    assert "DejaVu" not in text


def test_what_a_figure_says_is_in_words(roc):
    (label,) = re.findall(r'aria-label="([^"]*)"', roc())
    assert label == (
        "ROC curves, strict; the areas below them: model &lt;b&gt; 85.0 %, "
        "TF-IDF 85.0 %."
    )


def test_ids_of_two_figures_are_apart(roc):
    first, second = (
        {*re.findall(r' id="([^"]+)"', roc(title))} for title in ("strict", "hard")
    )
    assert first
    assert not first & second
    text = roc()
    used = {*re.findall(r"(?:href=\"|url\()#([\w-]+)", text)}
    assert used == {*re.findall(r' id="([^"]+)"', text)}


def test_bars_are_in_order_and_those_of_auc_begin_at_chance():
    bars = [charts.Bar("a", 90.0, 1.0), charts.Bar("b", 97.0, kind="published")]
    chart = charts.bar_chart(bars, "AUC")
    assert chart.alt == "AUC in %: b 97.0, a 90.0."
    axes = chart.figure.axes[0]
    assert [own.get_x() for own in axes.patches] == [50, 50]
    assert [own.get_width() for own in axes.patches] == [40, 47]
    low = charts.bar_chart([charts.Bar("a", 30.0)], "AUC").figure.axes[0]
    assert low.patches[0].get_x() == 0


def test_one_ratio_is_bars_and_several_are_curves():
    published = {"CANE": [(0.15, 80.0), (0.55, 90.0)]}
    one = charts.ratio_chart(published, {"mine": [(0.55, 95.0, 1.0)]})
    assert one.alt == "AUC in %: mine 95.0, CANE, published 90.0."
    ours = {"mine": [(0.55, 95.0, 1.0), (0.15, 85.0, 1.0)]}
    assert charts.ratio_chart(published, ours).alt == (
        "AUC in % by the share of edges for training: mine 85.0 at 15 %, 95.0 at 55 %."
    )


def test_the_learning_curve_tells_its_ends():
    assert charts.learning_curve(history(), 3).alt == (
        "By epoch: loss from 3 in the first epoch to 1 in the last of 3; validation "
        "AUC, % from 70 in the first epoch to 90 in the last of 3."
    )


def test_a_script_has_each_module_once_after_those_that_it_imports():
    text = scripts("atlas.js", "pairs.js")
    assert "import" not in re.sub(r"//.*|\*.*", "", text)
    assert not re.search(r"^export", text, re.MULTILINE)
    assert text.count("class NodeMap") == text.count("const visible") == 1
    places = [text.index(own) for own in ("class Camera", "class NodeMap", "drawAtlas")]
    assert places == sorted(places)
    assert "</script" not in text
