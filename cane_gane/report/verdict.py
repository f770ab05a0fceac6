"""The result of a run in one sentence: how it compares with the best baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from cane_gane.evaluation.results import BaselineFigures, Difference, Evaluation
from cane_gane.evaluation.show import TITLES, best_rival, percent
from cane_gane.report.titles import MAIN, baseline_title, ordered, predicts

_SIGNS = {1: "good", 0: "soft", -1: "bad"}


@dataclass(frozen=True)
class Verdict:
    """A sentence, and the figures behind it.

    Attributes:
        headline: The sentence.
        lines: Further sentences.
        kind: `good`, `soft` or `bad`; empty if nothing was compared.
    """

    headline: str
    lines: tuple[str, ...] = ()
    kind: str = ""


class _Rival(NamedTuple):
    protocol: str
    figure: str
    key: str
    gap: Difference
    own: BaselineFigures


def verdict(found: Evaluation, trained: bool = True) -> Verdict:
    """Returns how a model compares with the best baseline, by MRR if available.

    Args:
        found: Its results.
        trained: Whether it was trained here; if so, the sentence may advise against it.
    """
    names = [name for name in ordered(found.link_prediction) if predicts(name)]
    scored = [name for name in names if found.link_prediction[name].scored]
    places = tuple(filter(None, [_places(found, names)]))
    rival = _rival(found, names)
    if rival is not None:
        lines = (_compared(found, rival), *places)
        return Verdict(_headline(rival, trained), lines, _SIGNS[rival.gap.sign])
    if names and not scored and any(found.link_prediction[n].edges for n in names):
        return Verdict("No test edge could be scored, so nothing is known of the model")
    return Verdict("Not compared with a baseline edge by edge", places)


def points(own: Difference) -> str:
    """Returns a difference in points, ± half its 95 % interval."""
    low, high = own.interval
    return f"{100 * own.mean:.1f} ± {50 * (high - low):.1f}"


def _rival(found: Evaluation, names: list[str]) -> _Rival | None:
    """Returns the best baseline, by MRR before AUC, in the first protocol with one."""
    for figure in ("mrr", "auc"):
        for name in names:
            if best := best_rival(found, name, figure):
                key, gap = best
                return _Rival(name, figure, key, gap, found.baselines[name][key])
    return None


def _headline(rival: _Rival, trained: bool) -> str:
    title, figure = baseline_title(rival.key), TITLES[rival.figure]
    if rival.gap.sign > 0:
        return f"Better than the best baseline by {points(rival.gap)} {figure}"
    if rival.gap.sign == 0:
        mean, error = points(rival.gap).split(" ± ")
        sign = "+" if rival.gap.mean > 0 else ""
        return (
            "No significant difference from the best baseline: "
            f"{sign}{mean} ± {error} {figure}"
        )
    less = Difference(-rival.gap.mean, rival.gap.interval)
    if trained:
        return f"Not worth training here: {title} is better by {points(less)} {figure}"
    return f"Worse than the best baseline by {points(less)} {figure}"


def _compared(found: Evaluation, rival: _Rival) -> str:
    """Returns the figures behind the headline."""
    own = getattr(found.link_prediction[rival.protocol], rival.figure)
    theirs = getattr(rival.own, rival.figure)
    low, high = (100 * end for end in rival.gap.interval)
    figure = TITLES[rival.figure]
    hidden = "the strict protocol" if rival.protocol == MAIN else rival.protocol
    return (
        f"{figure} is {percent(own)} % for the model and {percent(theirs)} % for the "
        f"best baseline, {baseline_title(rival.key)}, on hidden edges ({hidden}). On "
        f"the same edges the difference is {100 * rival.gap.mean:+.1f} points, with a "
        f"95 % interval from {low:+.1f} to {high:+.1f}."
    )


def _places(found: Evaluation, names: list[str]) -> str:
    """Returns where the right nodes rank in the lists that a user would get."""
    for name in names:
        own = found.link_prediction[name]
        if own.hits_at_1 is not None and own.hits_at_10 is not None:
            return (
                f"For {percent(own.hits_at_1)} % of the hidden edges the right node "
                f"comes first; for {percent(own.hits_at_10)} % it is among the first "
                "ten."
            )
    return ""
