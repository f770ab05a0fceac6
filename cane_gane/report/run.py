"""The figures and the page of one run."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cane_gane.errors import fault
from cane_gane.evaluation import protocols
from cane_gane.evaluation.missing import few_of_each
from cane_gane.evaluation.results import Evaluation, Examples, MissingEdge, Roc
from cane_gane.evaluation.search import WORDS
from cane_gane.evaluation.show import link_rows, percent
from cane_gane.methods import registry
from cane_gane.report import charts, figures, links, matched, paper, pictures
from cane_gane.report.figures import Chart, Drawn
from cane_gane.report.maps import map_content
from cane_gane.report.missing import MISSING
from cane_gane.report.page import Cell, link, write_page
from cane_gane.report.titles import baseline_title, method_title, protocol_title
from cane_gane.report.verdict import verdict

_MAIN = ("dataset", "ratio", "variant", "preset", "seed", "split")


@dataclass
class RunReport:
    """The figures and the page of a run, from the files in its folder.

    Attributes:
        title: The run's name.
        record: config.json; None for vectors from another program.
        history: A dict for each epoch, as in history.csv.
        evaluation: metrics.json.
        examples: examples.json.
        folder: The run's folder, if there is one.
        drawn: The figures that `write_figures` drew.
    """

    title: str
    record: Mapping[str, Any] | None
    history: Sequence[Mapping[str, Any]]
    evaluation: Evaluation
    examples: Examples
    folder: Path | None = None
    drawn: dict[str, Drawn] = field(default_factory=dict, init=False)

    def write_figures(self, folder: Path) -> None:
        """Draws the figures, each as PNG and SVG."""
        made: dict[str, Chart] = {}
        if self.history:
            best = self.evaluation.best_epoch
            made["training"] = charts.learning_curve(self.history, best)
        if pairs := self.examples.matched:
            titles = matched.map_titles(pairs[0], self.method)
            made["plan"] = pictures.heat_maps(pairs[0], titles)
        for name in self.evaluation.link_prediction:
            if curves := self._curves(name):
                made[f"roc_{name}"] = charts.roc_curves(curves, protocol_title(name))
        if self.examples.map:
            made["map"] = pictures.node_map(self.examples.map)
        if chances := self.evaluation.reliability:
            made["reliability"] = charts.reliability(chances)
        if points := self._ratio_points():
            published = paper.titled_curves(self._published, [self._key])
            made["ratios"] = charts.ratio_chart(published, points)
        self.drawn = {
            name: figures.save(own, folder, name) for name, own in made.items()
        }

    def write(self, path: Path) -> None:
        """Writes the page; call `write_figures` first."""
        tools = {"links": links, "known": protocols.PROTOCOLS, "verdict": verdict}
        write_page(
            "run.html",
            path,
            title=self.title,
            run=self,
            missing=self._all_missing(path.parent),
            **tools,
        )

    @property
    def check(self) -> Evaluation | None:
        """The results of the run with test edges, if this one has none."""
        own = self.evaluation.check
        return Evaluation(own.link_prediction, own.baselines) if own else None

    @property
    def settings(self) -> Mapping[str, Any]:
        """All settings; empty for vectors from another program."""
        return self.record["settings"] if self.record else {}

    @property
    def method(self) -> str:
        """The method's title."""
        return method_title(self._key) or "vectors"

    @property
    def validated(self) -> bool:
        """Whether edges were held out to find the best epoch."""
        return any(row.get("validation_auc") is not None for row in self.history)

    @property
    def published_auc(self) -> float | None:
        """The paper's AUC in % for the same method, data and ratio."""
        row = paper.row_of(self._key)
        return paper.auc(self._published, row, self.settings.get("ratio", 0))

    @property
    def _key(self) -> str:
        return str(self.settings.get("variant", ""))

    @property
    def _published(self) -> str | None:
        """The paper's name of the data set, if its figures may be shown."""
        data = self.record.get("data", {}) if self.record else {}
        return paper.known(str(self.settings.get("dataset", "")), data)

    def suggestions(self) -> list[MissingEdge]:
        """Returns the missing edges to show, with few per node."""
        return few_of_each(self.examples.missing_edges)

    def pairs(self) -> list[dict[str, Any]]:
        """Returns the data from which the page's script draws heat maps."""
        return matched.menu(self.examples.matched, self.method)

    def map(self) -> dict[str, Any] | None:
        """Returns the data from which the page's script draws the map."""
        return map_content(self.examples.map) if self.examples.map else None

    def _all_missing(self, home: Path) -> Cell | None:
        """Returns a link to all missing edges, with their number."""
        if self.folder is None or not (self.folder / MISSING).is_file():
            return None
        file = self.folder / MISSING
        try:
            with open(file, encoding="utf-8", newline="") as lines:
                count = sum(1 for _ in csv.reader(lines)) - 1
        except (UnicodeDecodeError, csv.Error):
            expected = "what a run wrote: `evaluate` writes it again"
            raise fault(file, None, "no CSV in UTF-8", expected) from None
        return Cell(f"{count:,}", href=link(file, home))

    def label_table(self) -> links.Table:
        """Returns Macro-F1 and Micro-F1 by the share of labels."""
        theirs = paper.macro_f1(self._published, paper.row_of(self._key))
        header = (
            "labels for training",
            "Macro-F1, %",
            "Micro-F1, %",
            "paper, Macro-F1",
        )
        rows = [
            (
                f"{100 * float(share):.0f} % ({own.train:,} nodes)",
                percent(own.macro_f1, (own.std or {}).get("macro_f1")),
                percent(own.micro_f1, (own.std or {}).get("micro_f1")),
                theirs.get(share, "–"),
            )
            for share, own in (self.evaluation.node_classification or {}).items()
        ]
        width = len(header) if theirs else len(header) - 1
        return links.Table(header[:width], [row[:width] for row in rows])

    def search_table(self) -> links.Table | None:
        """Returns known-item search beside TF-IDF, if the method reads texts."""
        own = self.evaluation.search
        if own is None:
            return None

        among = f"{own.among:,} nodes, drawn at random" if own.among else "all nodes"

        def cell(share: float, rival: float) -> Cell:
            low = share < rival
            return Cell(percent(share) + " ↓" * low, "below TF-IDF" * low)

        return links.Table(
            (f"{own.queries:,} queries", "found first, %", "among the first ten, %"),
            [
                (self.method, cell(own.top1, own.tfidf.top1),
                 cell(own.top10, own.tfidf.top10)),
                ("TF-IDF", percent(own.tfidf.top1), percent(own.tfidf.top10)),
            ],
            f"A query is the first sentence of a text, {WORDS} words at most. "
            f"The node with that text has to be found among {among}.",
        )  # fmt: skip

    def main_settings(self) -> list[tuple[str, Any]]:
        """Returns the settings that identify a run, and those that were changed."""
        chosen = self.settings
        usual: dict[str, Any] = {}
        if self._key in registry.METHODS:
            kind = registry.METHODS[self._key].settings
            usual = {own.name: own.default for own in kind.fields()}
            usual |= kind.defaults(chosen)
        changed = [key for key in usual if chosen.get(key, usual[key]) != usual[key]]
        keys = dict.fromkeys([*_MAIN, *changed])
        return [(key, chosen[key]) for key in keys if key in chosen]

    def _curves(self, name: str) -> dict[str, Roc]:
        """Returns the ROC curves of the model and of the best baseline."""
        model = link_rows(self.evaluation)[0].title
        titles = {"model": model, "vectors": "averaged vectors, both"}
        curves: dict[str, Roc | None] = {
            titles.get(key, key): own
            for key, own in self.evaluation.link_prediction[name].roc.items()
        }
        baselines = self.evaluation.baselines.get(name, {})
        if baselines:
            best = max(baselines, key=lambda key: baselines[key].auc or 0)
            curves[baseline_title(best)] = baselines[best].roc
        return {key: own for key, own in curves.items() if own and own.area is not None}

    def _ratio_points(self) -> dict[str, list[tuple[float, float, float]]]:
        """Returns ratio, AUC and its error in %, to show with published curves."""
        found = self.evaluation.link_prediction
        names = paper.PROTOCOLS if self._published else ()
        return {
            protocol_title(name): [
                (self.settings["ratio"], 100 * auc, 100 * (found[name].std_error or 0))
            ]
            for name in names
            if name in found and (auc := found[name].auc) is not None
        }
