"""Training: epochs that can be killed and resumed, with early stopping."""

from __future__ import annotations

import importlib.util
import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import keras

from cane_gane.errors import InputError
from cane_gane.files import write_csv
from cane_gane.models.pair_model import PairModel
from cane_gane.progress import Progress, duration, has_bar, say
from cane_gane.training.checkpoints import Checkpoints, Place

# A loss this many times the lowest one so far will not recover. In the first epoch
# there is only the loss of the first batch to compare with, which varies more.
_DIVERGED, _DIVERGED_AT_ONCE = 50, 10_000
_BAR = 20
KEEP_SECONDS = 600.0  # between checkpoints during an epoch


@dataclass(frozen=True)
class Part:
    """The progress of an epoch.

    Attributes:
        steps: The steps taken.
        seconds: The time they took.
        losses: The data of the mean loss: a sum, and the number of edges.
        first: The loss of the first batch of the training.
    """

    steps: int = 0
    seconds: float = 0.0
    losses: Sequence[float] = (0.0, 0.0)
    first: float = 0.0


class DivergedError(InputError):
    """The loss is not a number, or far above what it was."""

    exit_code = 3


class Keeper(keras.callbacks.Callback):
    """Validates, keeps the best and last epochs, stops early, and shows progress.

    A long epoch is also kept every ten minutes before it ends.

    Attributes:
        part: The progress of an epoch that an earlier start did not finish.
        rows: One dict for each epoch: epoch, loss, validation_auc, seconds.
        beside: Digests of files that were written before the first epoch.
    """

    def __init__(
        self,
        folder: Path | None,
        epochs: int,
        validate: Callable[[], float] | None,
        *,
        every: int,
        patience: int,
        key: str = "",
    ) -> None:
        """Takes the folder of epochs, and how to judge them.

        Args:
            folder: The run's folder; None keeps epochs in memory.
            epochs: The largest number of epochs.
            validate: Returns the validation AUC; None makes the last epoch the best.
            every: Epochs between validations.
            patience: Validations without improvement before training stops.
            key: What the training depends on; epochs of another key are refused.
        """
        super().__init__()
        self._folder = folder
        self._kept = Checkpoints(folder and folder / "checkpoints", key)
        self._epochs = epochs
        self._validate = validate
        self._every = every
        self._patience = patience
        self.rows: list[dict[str, Any]] = []
        self.beside: dict[str, str | None] = {}
        self._best = -math.inf
        self._best_place: Place | None = None
        self._waited = 0
        self.part = Part()
        self._first = 0.0
        self._progress: Progress | None = None
        self._tracked: Sequence[Any] = ()

    def resume(self, model: PairModel) -> Place:
        """Goes back to the last place that was kept, and returns it."""
        state = self._kept.load_newest(model)
        if state is None:
            return Place(0)
        self.rows, self.beside = state["rows"], state.get("beside", {})
        self._write_history()  # a killed run may not have written it
        self._waited = state["waited"]
        if state["best"] is not None:
            self._best, epoch = state["best"]
            self._best_place = Place(epoch)
        self.part = Part(**state.get("part", {}))
        self._first = self.part.first
        return Place(len(self.rows), self.part.steps)

    @property
    def begun(self) -> bool:
        """Whether there is an epoch to continue from."""
        return bool(self._kept.places())

    @property
    def done(self) -> bool:
        """Whether there is nothing left to train."""
        return len(self.rows) >= self._epochs or self._waited >= self._patience

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Remembers where `fit` sums losses; several workers sum them elsewhere."""
        self._tracked = self.model.loss_tracker.variables

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Starts the clock, and continues the mean loss of an earlier start."""
        now = time.perf_counter()
        self._start, self._kept_at = now - self.part.seconds, now
        self.end_progress()
        if self.part.steps:
            for variable, value in zip(self._tracked, self.part.losses, strict=False):
                variable.assign(value)
        name = f"epoch {epoch + 1}/{self._epochs}"
        progress = Progress(name, self._steps, self.part.steps, silent=has_bar())
        self._progress = progress.begin()

    @property
    def _steps(self) -> int:
        """The steps of the whole epoch; `fit` only knows the remaining ones."""
        return int(self.part.steps + self.params["steps"])

    def end_progress(self) -> None:
        """Ends the progress line of an epoch, finished or not."""
        if self._progress:
            self._progress.end()
            self._progress = None

    def on_train_batch_end(
        self, batch: int, logs: dict[str, Any] | None = None
    ) -> None:
        """Draws a progress bar on a terminal; keeps a long epoch before it ends.

        `logs` may have `losses`, the data of the mean loss, if these are not in the
        model's tracker.
        """
        logs, step = logs or {}, self.part.steps + batch + 1
        if self._progress:
            self._progress.add()
        if step == 1 and not self.rows:
            self._first = float(logs["loss"])
        if has_bar():
            done = _BAR * step // self._steps
            bar = "█" * done + "░" * (_BAR - done)
            print(
                f"\repoch {len(self.rows) + 1:>3}/{self._epochs}  {bar} "
                f"step {step}/{self._steps}  loss {float(logs['loss']):.4f}",
                end="\r", file=sys.stderr, flush=True,
            )  # fmt: skip
        now = time.perf_counter()
        if self._folder and now - self._kept_at >= KEEP_SECONDS and step < self._steps:
            self._keep_part(step, now - self._start, logs)
            self._kept_at = time.perf_counter()

    def _keep_part(self, step: int, seconds: float, logs: Mapping[str, Any]) -> None:
        """Keeps the unfinished epoch, unless it is diverging."""
        if not math.isfinite(float(logs["loss"])):
            return
        losses = logs.get("losses") or [float(one.numpy()) for one in self._tracked]
        self._save(self.model, Part(step, seconds, losses, self._first))

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Judges and keeps the epoch."""
        self.end_progress()
        loss = float((logs or {})["loss"])
        self._check(epoch, loss)
        self.model.settle()
        row: dict[str, Any] = {"epoch": epoch + 1, "loss": loss, "validation_auc": None}
        last = epoch + 1 == self._epochs
        if self._validate and ((epoch + 1) % self._every == 0 or last):
            row["validation_auc"] = self._validate()
            self._waited += 1
            if row["validation_auc"] > self._best:
                self._best, self._waited = row["validation_auc"], 0
                self._best_place = Place(epoch + 1)
        row["seconds"] = time.perf_counter() - self._start
        self.part = Part()
        self.rows.append(row)
        self._save(self.model)
        self._write_history()
        self._tell(row)
        self.model.stop_training = self.done

    def _check(self, epoch: int, loss: float) -> None:
        lowest = min((row["loss"] for row in self.rows), default=self._first)
        limit = _DIVERGED * max(lowest, 0.1)
        if not self.rows:
            limit = _DIVERGED_AT_ONCE * max(lowest, 1)
        if not math.isfinite(loss) or loss > limit:
            where = "none is kept"
            if self._folder and Place(epoch) in self._kept.places():
                path = self._kept.path(Place(epoch))
                where = f"epoch {epoch} is kept in {path}"
            raise DivergedError(
                f"found loss {loss:g} in epoch {epoch + 1}; expected a number near "
                f"{lowest:g}: {where}; try a lower --learning_rate and --overwrite"
            )

    def keep(self, model: PairModel) -> None:
        """Keeps an untrained model, to continue from after a kill."""
        self._save(model)

    def _save(self, model: PairModel, part: Part | None = None) -> None:
        place = self._best_place
        best = (self._best, place.epochs) if place else None
        state = {
            "rows": self.rows,
            "beside": self.beside,
            "best": best,
            "waited": self._waited,
            **({"part": asdict(part)} if part else {}),
        }
        steps = part.steps if part else 0
        self._kept.save(Place(len(self.rows), steps), model, state, place)

    def _write_history(self) -> None:
        if self._folder and self.rows:
            write_csv(self._folder / "history.csv", self.rows)

    def _tell(self, row: dict[str, Any]) -> None:
        auc = row["validation_auc"]
        seconds = [r["seconds"] for r in self.rows[-5:]]
        left = (self._epochs - len(self.rows)) * sum(seconds) / len(seconds)
        parts = [
            f"epoch {row['epoch']:>3}/{self._epochs}",
            f"loss {row['loss']:.4f}",
            f"validation AUC {100 * auc:5.2f}{'*' if not self._waited else ' '}"
            if auc is not None
            else "",
            f"{row['seconds']:.1f} s",
            f"at most {duration(left)} left" if left else "",
        ]
        line = "  ".join(filter(None, parts))
        blanks = 79 if has_bar() else 0  # to overwrite the bar
        say(f"{line:<{blanks}}")

    def restore_best(self, model: PairModel) -> int:
        """Sets the model to the best epoch; returns its number."""
        if self._best_place is None:  # no edges held out, or their AUC is NaN
            return len(self.rows)
        self._kept.load(self._best_place, model)
        return self._best_place.epochs


def train(
    model: PairModel,
    batches_from: Callable[[Place], Any],
    steps: int,
    epochs: int,
    keeper: Keeper,
    log_dir: Path | None = None,
) -> int:
    """Trains until the last epoch or until validation stops improving.

    Args:
        model: A compiled model.
        batches_from: Returns endless batches, starting at a place.
        steps: The number of batches in an epoch.
        epochs: The largest number of epochs.
        keeper: Keeps epochs; training continues from the last place kept.
        log_dir: The folder for TensorBoard's files, if that package is installed.

    Returns:
        The best epoch, whose values the model has at the end.
    """
    place = keeper.resume(model)
    try:
        while not keeper.done:
            model.fit(
                batches_from(place),
                initial_epoch=place.epochs,
                # An unfinished epoch is completed first: it has fewer steps left.
                epochs=place.epochs + 1 if place.steps else epochs,
                steps_per_epoch=steps - place.steps,
                callbacks=[keeper, *_tensorboard(log_dir)],
                shuffle=False,
                verbose=0,
            )
            place = Place(len(keeper.rows))
    finally:
        keeper.end_progress()
    return keeper.restore_best(model)


def _tensorboard(log_dir: Path | None) -> list[keras.callbacks.Callback]:
    if log_dir is None or importlib.util.find_spec("tensorboard") is None:
        return []
    return [keras.callbacks.TensorBoard(str(log_dir))]
