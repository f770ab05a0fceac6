"""The Python interface: load a network, fit a method, open a saved model."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.data import catalog
from cane_gane.data.network import TextualNetwork, digests
from cane_gane.data.splits import Split
from cane_gane.data.vectors import NodeVectors
from cane_gane.errors import InputError
from cane_gane.evaluation.evaluate import evaluate
from cane_gane.evaluation.fitted import Fitted
from cane_gane.evaluation.matching import Match
from cane_gane.evaluation.results import Evaluation
from cane_gane.files import write_csv
from cane_gane.methods.baselines import fit_baselines, left_out
from cane_gane.methods.registry import find_method
from cane_gane.progress import Stopwatch
from cane_gane.report.answers import Suggestions, html_table
from cane_gane.report.explain import Explained
from cane_gane.runs.answering import answers_of
from cane_gane.runs.config import Config
from cane_gane.runs.finish import finish, write_vectors
from cane_gane.runs.folder import NETWORK, RunFolder
from cane_gane.runs.record import export, reopen, write_inputs
from cane_gane.serving.answers import TOP, Answers, Node
from cane_gane.serving.trust import with_trust


class Model:
    """A method fitted on a split.

    Attributes:
        split: The network, and its training and test edges.
        config: All settings.
    """

    def __init__(
        self,
        config: Config,
        split: Split,
        fitted: Fitted,
        folder: RunFolder | None = None,
    ) -> None:
        """Takes what `fit` or `open` returned."""
        self.config = config
        self.split = split
        self._fitted = fitted
        self._folder = folder

    def __repr__(self) -> str:
        title = find_method(self.config.method).title
        return (
            f"<{title} on {self.config.dataset}: {self.network.node_count:,} nodes, "
            f"{len(self.split.train):,} training edges>"
        )

    @property
    def network(self) -> TextualNetwork:
        """The network."""
        return self.split.network

    def _repr_html_(self) -> str:
        network = self.network
        rows = [
            ("method", find_method(self.config.method).title),
            ("network", self.config.dataset),
            ("nodes", f"{network.node_count:,}"),
            ("training edges", f"{len(self.split.train):,}"),
            ("test edges", f"{len(self.split.test):,}"),
        ]
        return html_table("a fitted model", ("", ""), rows)

    @cached_property
    def vectors(self) -> NodeVectors:
        """The vector of each node, `[nodes, size]`; a row of NaN if it has none.

        It is an array that also has `most_similar(name)`.
        """
        names = [self.network.name_of(node) for node in range(self.network.node_count)]
        return NodeVectors.of(self._fitted.vectors, names)

    @cached_property
    def answers(self) -> Answers:
        """The answers behind `recommend`, `search` and `explain`."""
        return answers_of(self.split, self._fitted, self.config.seed, self._folder)

    def recommend(
        self,
        node: int | str | None = None,
        *,
        text: str | None = None,
        links: Sequence[int | str] = (),
        top: int = TOP,
    ) -> Suggestions:
        """Finds the likeliest missing edges of a node, or of a new node with a text.

        Args:
            node: A name or an id.
            text: The text of a new node, which is not in the network.
            links: Nodes of the network that the new node has edges to.
            top: The largest number of answers.

        Returns:
            The answers, best first, which print as a table.

        Raises:
            InputError: There is no such node, or the method does not read texts.
        """
        answers = self.answers
        asked = Node(-1, "", text or "", ())
        if node is not None:
            asked = answers.node(node)
        known = [answers.node(link).id for link in links]
        own = asked.id if node is not None else None
        found = answers.recommend(own, text=text, links=known, top=top)
        return Suggestions(asked, found)

    def search(self, text: str, top: int = TOP) -> Suggestions:
        """Finds the nodes whose texts are most like a text, best first."""
        return Suggestions(Node(-1, "", text, ()), self.answers.search(text, top))

    def explain(self, source: int | str, target: int | str) -> Explained:
        """Explains the score of two nodes (ids or names) or of two texts."""
        return Explained.of(self.answers.explain(source, target))

    @property
    def history(self) -> Sequence[Any]:
        """A dict for each epoch of training; empty without epochs."""
        return self._fitted.history

    def score(self, pairs: Any) -> npt.NDArray[np.floating]:
        """Scores pairs of nodes; a higher score means a likelier edge.

        Args:
            pairs: Node ids or names, such as `[(0, 5), (3, 7)]`.

        Returns:
            The scores, `[pairs]`.

        Raises:
            InputError: A node is not in the network.
        """
        return self._fitted.score(self._pairs(pairs))

    def score_texts(
        self, sources: Sequence[str], targets: Sequence[str]
    ) -> npt.NDArray[np.floating]:
        """Scores pairs of texts, which need not be in the network, `[pairs]`."""
        return self._fitted.score_texts(sources, targets)

    def match(self, sources: Sequence[str], targets: Sequence[str]) -> list[Match]:
        """Matches the words of pairs of texts."""
        return self._fitted.match(sources, targets)

    @cached_property
    def _evaluation(self) -> Evaluation:
        baselines = fit_baselines(self.split, self._fitted.start)
        found = evaluate(self._fitted, self.split, baselines, self.config.seed)
        found = dataclasses.replace(found, left_out=left_out(self.split) or None)
        return with_trust(found, self.answers, self.config.seed)

    def evaluate(self) -> Evaluation:
        """Measures the model on the test edges, beside the baselines.

        Returns:
            The results, which print as the table of the command.

        Raises:
            InputError: There is no test edge.
        """
        return self._evaluation

    def save(self, path: Path | str) -> None:
        """Writes a run folder, which `open` and the commands read.

        If there are test edges, it holds the report and all figures, like a run of the
        command.

        Args:
            path: The folder. It must not hold a run.

        Raises:
            InputError: The folder holds a run.
        """
        folder = RunFolder(Path(path))
        if (folder.path / "config.json").exists():
            raise InputError(f"{path}: found a run there; expected a new folder")
        folder.path.mkdir(parents=True, exist_ok=True)
        with folder.held():
            home = self._home(folder)
            write_inputs(self.config, folder, self.split, digests(home), "")
            export(folder, self._fitted)
            if self.history:
                write_csv(folder.path / "history.csv", self.history)
            if len(self.split.test):
                fitted, best = self._fitted, self._fitted.best_epoch or None
                finish(folder, self.config, self.split, fitted, Stopwatch(), best)
            else:
                write_vectors(folder.path, self.split, self._fitted)

    def _home(self, folder: RunFolder) -> Path:
        """Returns the network's folder; writes it first if made in Python."""
        if self.network.source is not None:
            return catalog.find_dataset(self.network.source)
        self.network.write(folder.path / NETWORK)
        return folder.path / NETWORK

    def _pairs(self, pairs: Any) -> npt.NDArray[np.int64]:
        names = self.network.names or ()
        number = {name: node for node, name in enumerate(names)}
        rows = np.atleast_2d(pairs).tolist()
        found = np.array([[number.get(node, node) for node in row] for row in rows])
        if found.size and found.shape[1:] != (2,):
            raise InputError(f"found pairs {list(found.shape)}; expected [pairs, 2]")
        if found.size and not np.issubdtype(found.dtype, np.integer):
            strange = next(n for n in np.ravel(pairs).tolist() if n not in number)
            raise InputError(f"found node '{strange}'; expected a name of the network")
        found = found.reshape(-1, 2).astype(np.int64)
        count = self.network.node_count
        if found.size and not 0 <= found.min() <= found.max() < count:
            wrong = found.min() if found.min() < 0 else found.max()
            raise InputError(f"found node {wrong}; expected 0 to {count - 1}")
        return found


def load(name: str | Path) -> TextualNetwork:
    """Loads a network by name (`pydocs`, `cora`, …) or from a folder."""
    return catalog.load(name)


def fit(
    data: Split | TextualNetwork,
    method: str = "ap",
    *,
    seed: int | None = None,
    device: str = "auto",
    **settings: Any,
) -> Model:
    """Fits a method on a split's training edges, or on all edges of a network.

    Args:
        data: A split, or a network, whose edges are then all for training.
        method: The method's key; `bash run.sh --help` lists them.
        seed: What every random choice depends on; the split's own by default.
        device: Where to compute: `auto` or `cpu`.
        **settings: Settings of the method, such as `epochs=3`; `bash run.sh train
            --help` lists them.

    Returns:
        The model.

    Raises:
        InputError: A setting is unknown or out of bounds, or the network is too small.
    """
    if isinstance(data, TextualNetwork):
        split = Split(data, data.edges, data.edges[:0])
    else:
        split = data
    seed = split.seed if seed is None else seed
    config = Config.make(
        dataset=split.network.source or NETWORK,
        ratio=split.ratio,
        split=split.rule,
        method=method,
        seed=seed,
        **settings,
    )
    chosen = find_method(method)
    chosen.start(config.settings, device)
    return Model(config, split, chosen.fit(split, config.settings, seed, None))


def open(path: Path | str, dataset: str | None = None, device: str = "auto") -> Model:
    """Opens the model of a run folder.

    Args:
        path: The folder, which `Model.save` or `bash run.sh` wrote.
        dataset: Where its data set is now, if it has moved.
        device: Where to compute: `auto` or `cpu`.

    Returns:
        The model.

    Raises:
        InputError: The folder holds no run, or its data set has changed.
    """
    folder = RunFolder(Path(path))
    return Model(*reopen(folder, dataset, device), folder)
