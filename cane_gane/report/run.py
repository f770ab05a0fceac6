"""The page of one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cane_gane.report import figures, links, matching, paper, sections
from cane_gane.report.markup import Markup, picture, side_by_side, tag
from cane_gane.report.page import Page
from cane_gane.report.tables import PROTOCOLS, TITLES, link_rows


class RunReport:
    """The figures and the page of a run, from what is in its folder."""

    def __init__(
        self,
        title: str,
        record: Mapping[str, Any] | None,
        history: Sequence[Mapping[str, Any]],
        metrics: Mapping[str, Any],
        examples: Mapping[str, Any],
    ) -> None:
        """Takes what the folder holds.

        Args:
            title: The run's name.
            record: config.json; None for vectors of another program.
            history: A dict for each epoch, as in history.csv.
            metrics: metrics.json.
            examples: examples.json.
        """
        self._title = title
        self._record = record
        self._history = history
        self._metrics = metrics
        self._examples = examples
        self._drawn: dict[str, bytes] = {}

    @property
    def _settings(self) -> Mapping[str, Any]:
        return self._record["settings"] if self._record else {}

    @property
    def _variant(self) -> str:
        return str(self._settings.get("variant", ""))

    def write_figures(self, folder: Path) -> None:
        """Draws the figures, each as PNG and SVG."""
        made = {}
        if self._history:
            best = self._metrics["best_epoch"]
            made["training"] = figures.learning_curve(self._history, best)
        for name in PROTOCOLS:
            curves = self._curves(name)
            if curves:
                made[f"roc_{name}"] = figures.roc_curves(curves, f"{name} protocol")
        if self._examples["map"]:
            made["map"] = figures.node_map(self._examples["map"])
        pair = self._examples["pair"]
        if pair:
            made["plan"] = figures.heat_maps(
                pair, matching.titles(pair, self._variant), matching.WORDS
            )
        own = self._ratio_point()
        if own:
            published = paper.named_curves(self._settings["dataset"])
            made["ratios"] = figures.ratio_curves(published, own)
        self._drawn = {
            name: figures.save(figure, folder / name) for name, figure in made.items()
        }

    def write(self, path: Path) -> None:
        """Writes the page; `write_figures` comes first."""
        self._page().write(path)

    def _curves(self, name: str) -> dict[str, Any]:
        links = self._metrics["link_prediction"][name]
        baselines = self._metrics["baselines"][name]
        model = link_rows(self._metrics)[0].title
        titles = {"model": model, "vectors": "averaged vectors, both"}
        curves = {titles[key]: curve for key, curve in links["roc"].items()}
        best = max(baselines, key=lambda key: baselines[key]["auc"] or 0)
        curves[TITLES[best]] = baselines[best]["roc"]
        return {
            key: curve for key, curve in curves.items() if curve["area"] is not None
        }

    def _ratio_point(self) -> dict[str, list[tuple[float, float, float]]]:
        chosen = self._settings
        if not chosen or paper.known(chosen["dataset"]) is None:
            return {}
        found = self._metrics["link_prediction"]["upstream"]
        if found["auc"] is None:
            return {}
        point = (chosen["ratio"], 100 * found["auc"], 100 * (found["std_error"] or 0))
        return {paper.NAMES[chosen["variant"]]: [point]}

    def _picture(self, name: str, alt: str, caption: str = "") -> Markup:
        return (
            picture(self._drawn[name], alt, caption or None)
            if name in self._drawn
            else Markup()
        )

    def _page(self) -> Page:
        metrics, chosen = self._metrics, self._settings
        variant = paper.NAMES.get(chosen.get("variant", ""), "vectors")
        page = Page(self._title, self._subtitle(variant))
        model = link_rows(metrics)[0]
        page.section(
            "summary", "Summary",
            links.overview(metrics, links.best_baselines(metrics)),
            links.verdict(model),
        )  # fmt: skip
        page.section("link-prediction", "Link prediction", *self._links())
        if metrics.get("node_classification"):
            page.section(
                "classification", "Node classification", *self._classification()
            )
        if "map" in self._drawn:
            page.section("map", "Map of the nodes", *self._map())
        if self._examples["pair"]:
            heading = "Matched words of a test pair"
            blocks = matching.blocks(self._examples["pair"], self._variant)
            page.section("matching", heading, *blocks)
            page.script("heatmap.js")
        if self._examples["missing_edges"]:
            page.section("missing-edges", "Best missing edges", *self._missing())
        if "ratios" in self._drawn:
            page.section("paper", "Beside the paper", *self._paper())
        if "training" in self._drawn:
            page.section("training", "Training", self._picture(
                "training", "loss and validation AUC over the epochs",
                f"Epoch {metrics['best_epoch']} is the best on validation edges, which "
                "are no test edges; its values are those of the model.",
            ))  # fmt: skip
        if self._record:
            page.section("settings", "Settings", sections.settings(self._record))
        if metrics.get("data"):
            page.section("data", "Data", sections.data_report(metrics["data"]))
        page.section("time", "Time", sections.times(metrics["time"]))
        return page

    def _subtitle(self, variant: str) -> str:
        if not self._record:
            return "Vectors of another program, scored by their inner products."
        chosen = self._settings
        return (
            f"{variant} on {chosen['dataset']}, {100 * chosen['ratio']:g} % of the "
            f"edges for training, seed {chosen['seed']}"
        )

    def _links(self) -> list[object]:
        return [
            "AUC: how often a test edge scores above a negative of its source. "
            "Upstream's protocol is what CANE's auc.py does; the strict one gives "
            "nothing away and skips no node. Red and ↓: below a baseline that learns "
            "nothing.",
            links.link_table(self._metrics),
            links.intervals(self._metrics),
            links.ranking_table(self._metrics),
            side_by_side(
                *(
                    self._picture(f"roc_{n}", f"ROC curves, {n} protocol")
                    for n in PROTOCOLS
                )
            ),
            tag(
                "p",
                "ROC curves pool the sampled pairs of all sources under one threshold, "
                "so their area differs from the AUC above, which compares within a "
                "source. The baseline is the best one.",
                class_="note",
            ),
        ]

    def _classification(self) -> list[object]:
        scores = self._metrics["node_classification"]
        left_out = next(iter(scores.values()))["unlabelled"]
        published = {}
        if self._settings:
            published = paper.macro_f1(
                self._settings["dataset"], self._settings["variant"]
            )
        return [
            "A linear SVM on the averaged vectors, ten random draws of the training "
            f"nodes, ± one standard deviation. {left_out:,} nodes without a label are "
            "left out.",
            sections.classification_table(scores, published),
        ]

    def _map(self) -> list[object]:
        chart = self._examples["map"]
        colour = "" if chart["labels"] is None else ", coloured by label"
        return [
            self._picture(
                "map", "t-SNE of the node vectors",
                f"t-SNE of the averaged vectors of {len(chart['nodes']):,} nodes"
                f"{colour}. Nodes without a vector are left out.",
            ),
        ]  # fmt: skip

    def _missing(self) -> list[object]:
        return [
            "Pairs without an edge in the data set that the model scores highest. "
            "Averaged vectors gave the 1,000 best of all pairs, which the model's own "
            "score ordered. Below: the words with the most matched weight, times their "
            "rarity.",
            sections.edge_list(self._examples["missing_edges"]),
        ]

    def _paper(self) -> list[object]:
        chosen = self._settings
        note = sections.published_note(
            chosen["dataset"], chosen["variant"], chosen["ratio"]
        )
        return [
            self._picture(
                "ratios", "AUC against the training ratio, with the paper's curves",
                "AUC against the share of edges for training, in upstream's protocol.",
            ),
            note,
        ]  # fmt: skip
