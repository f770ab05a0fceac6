"""Charts of figures: curves and bars, each with a description in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from matplotlib.ticker import MaxNLocator

from cane_gane.evaluation.results import Reliability, Roc
from cane_gane.report.figures import (
    COLOURS,
    GREY,
    MARKERS,
    PALE,
    Chart,
    chart,
    line,
    plain,
)

Points = Sequence[tuple[float, float, float]]  # ratio, figure in %, its error

_CHANCES = ("said", "true")
_KINDS = {"ours": COLOURS[0], "baselines": GREY, "published": PALE}
_HALF = 50.0  # the AUC of chance, in %


class Bar(NamedTuple):
    """A bar: its name, its length and error, and its group."""

    title: str
    value: float
    error: float = 0.0
    kind: str = "ours"


def learning_curve(
    history: Sequence[Mapping[str, Any]], best_epoch: int | None
) -> Chart:
    """Draws the loss and, if edges were held out, validation AUC, by epoch."""
    judged = [row for row in history if row.get("validation_auc") is not None]
    panels = {"loss": {row["epoch"]: row["loss"] for row in history}}
    if judged:
        aucs = {row["epoch"]: 100 * row["validation_auc"] for row in judged}
        panels["validation AUC, %"] = aucs
    figure, _ = chart((5.6, 1.0 + 1.6 * len(panels)), rows=len(panels))
    for place, (axes, name) in enumerate(zip(figure.axes, panels, strict=True)):
        epochs, values = zip(*panels[name].items(), strict=True)
        axes.plot(epochs, values, color=COLOURS[place], marker=".")
        axes.set_ylabel(name)
        if judged and best_epoch is not None:
            axes.axvline(best_epoch, color=GREY, linestyle=":", linewidth=1.2)
    axes.set_xlabel("epoch; dotted: the best" if judged else "epoch")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    told = [
        f"{name} from {next(iter(own.values())):.4g} in the first epoch to "
        f"{list(own.values())[-1]:.4g} in the last of {len(own)}"
        for name, own in panels.items()
    ]
    return Chart(figure, f"By epoch: {'; '.join(told)}.")


def roc_curves(curves: Mapping[str, Roc], title: str) -> Chart:
    """Draws ROC curves, each with its area in the legend."""
    figure, axes = chart((4.6, 4.2))
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8)
    areas = {name: f"{100 * (own.area or 0):.1f}" for name, own in curves.items()}
    for place, (name, curve) in enumerate(curves.items()):
        axes.plot(
            curve.false_positives, curve.true_positives, **line(place),
            label=f"{plain(name, 40)}: {areas[name]}",
        )  # fmt: skip
    axes.set(xlabel="false positive rate", ylabel="true positive rate")
    axes.set_title(plain(title, 60))
    axes.set_aspect("equal")
    axes.legend(loc="lower right", title="area, %", alignment="left", frameon=False)
    told = ", ".join(f"{name} {area} %" for name, area in areas.items())
    return Chart(figure, f"ROC curves, {title}; the areas below them: {told}.")


def reliability(chances: Reliability) -> Chart:
    """Draws predicted probabilities against observed shares, both in %."""
    figure, axes = chart((4.6, 4.2))
    said, true = ([100 * getattr(own, key) for own in chances.bins] for key in _CHANCES)
    most = max(1.0, *said, *true) * 1.08
    axes.plot([0, most], [0, most], color=GREY, linewidth=0.8)
    errors = [
        100 * (own.true * (1 - own.true) / own.count) ** 0.5 for own in chances.bins
    ]
    axes.errorbar(said, true, errors, color=COLOURS[0], marker="o", capsize=2)
    for own, x, y in zip(chances.bins, said, true, strict=True):
        axes.annotate(
            f"{own.count:,}", (x, y), (5, -9), textcoords="offset points",
            fontsize=7, color=GREY,
        )  # fmt: skip
    axes.set(xlabel="probability, %", ylabel="of them test edges, %")
    axes.set(xlim=(0, most), ylim=(0, most))
    told = ", ".join(f"{a:.1f} % to {b:.1f} %" for a, b in zip(said, true, strict=True))
    return Chart(figure, f"Probabilities to the share of test edges: {told}.")


def ratio_chart(
    published: Mapping[str, Sequence[tuple[float, float]]],
    ours: Mapping[str, Points],
    measure: str = "AUC",
) -> Chart:
    """Draws a figure by training ratio, our results and published ones.

    Args:
        published: (ratio, figure in %) of each name.
        ours: (ratio, figure in %, its error) of each name.
        measure: The name of the figure.

    Returns:
        Curves, or bars if all our results have the same ratio.
    """
    ratios = {ratio for own in ours.values() for ratio, _, _ in own}
    if len(ratios) > 1:
        return ratio_curves(published, ours, measure)
    bars = [Bar(name, *own[0][1:]) for name, own in ours.items() if own]
    bars += [
        Bar(f"{name}, published", value, kind="published")
        for name, own in published.items()
        for ratio, value in own
        if ratio in ratios
    ]
    return bar_chart(bars, measure)


def ratio_curves(
    published: Mapping[str, Sequence[tuple[float, float]]],
    ours: Mapping[str, Points],
    measure: str = "AUC",
) -> Chart:
    """Draws curves; a name has the same colour and dash in both groups."""
    figure, axes = chart((5.6, 4.0))
    for place, name in enumerate(dict.fromkeys([*published, *ours])):
        style, label = line(place), plain(name, 40)
        if name in published:
            axes.plot(
                *zip(*published[name], strict=True), **style, linewidth=1.2, alpha=0.7,
                label=f"{label}, published",
            )  # fmt: skip
        if name in ours:
            axes.errorbar(
                *zip(*sorted(ours[name]), strict=True), **style, capsize=2.5,
                marker=MARKERS[place % len(MARKERS)], markersize=6,
                markeredgecolor="black", markeredgewidth=0.6, label=f"{label}, here",
            )  # fmt: skip
    axes.set(xlabel="share of the edges for training", ylabel=f"{measure}, %")
    axes.legend(fontsize=7.5, ncols=2, loc="best", frameon=False)
    told = "; ".join(
        f"{name} {_path((f'{100 * r:g} %', value) for r, value, _ in sorted(own))}"
        for name, own in ours.items()
    )
    return Chart(figure, f"{measure} in % by the share of edges for training: {told}.")


def bar_chart(bars: Sequence[Bar], measure: str) -> Chart:
    """Draws bars, the longest first, with their values.

    Bars of AUC begin at 50, which is chance, unless one is below.
    """
    order = sorted(bars, key=lambda bar: bar.value)
    figure, axes = chart((5.6, 0.8 + 0.25 * len(bars)))
    low = _HALF if measure == "AUC" and order[0].value > _HALF else 0.0
    most = max(bar.value + bar.error for bar in order)
    places = range(len(order))
    axes.barh(
        places, [bar.value - low for bar in order], left=low, height=0.66,
        color=[_KINDS.get(bar.kind, GREY) for bar in order],
        xerr=[bar.error for bar in order], error_kw={"elinewidth": 1, "ecolor": GREY},
    )  # fmt: skip
    for place, bar in zip(places, order, strict=True):
        axes.annotate(
            f"{bar.value:.1f}", (bar.value + bar.error, place), (4, 0),
            textcoords="offset points", va="center", fontsize=8,
        )  # fmt: skip
    axes.set_yticks(places, [plain(bar.title, 44) for bar in order])
    axes.set_xlim(low, low + 1.12 * max(most - low, 0.1))
    axes.grid(visible=False, axis="y")
    axes.set_xlabel(f"{measure}, %" + ("; 50 is chance" if low else ""))
    told = ", ".join(f"{bar.title} {bar.value:.1f}" for bar in reversed(order))
    return Chart(figure, f"{measure} in %: {told}.")


def window_curve(windows: Mapping[str, Mapping[int, Sequence[float]]]) -> Chart:
    """Draws AUC against the window: the mean over repeats, and each repeat.

    Args:
        windows: The AUC in % of each repeat by window, for each protocol's title.
    """
    figure, axes = chart((5.6, 3.6))
    told = []
    for place, (title, found) in enumerate(windows.items()):
        style, marker = line(place), MARKERS[place % len(MARKERS)]
        for window, values in found.items():
            at = [window] * len(values)
            axes.plot(at, values, ".", color=style["color"], alpha=0.45)
        means = {window: fmean(values) for window, values in found.items()}
        axes.plot(
            list(means), list(means.values()), **style, marker=marker,
            label=plain(title, len(title)),
        )  # fmt: skip
        axes.set_xticks(list(found))
        told.append(f"{title} {_path((str(w), own) for w, own in means.items())}")
    axes.set(xlabel="window of the parsing convolution, in words", ylabel="AUC, %")
    axes.legend(frameon=False)
    return Chart(figure, f"Mean AUC in % by window: {'; '.join(told)}.")


def _path(points: Any) -> str:
    return ", ".join(f"{value:.1f} at {where}" for where, value in points)
