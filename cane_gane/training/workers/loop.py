"""Training by several workers in step; only the chief judges and keeps epochs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from cane_gane.models.pair_model import Batch, PairModel
from cane_gane.training.checkpoints import Place, variables_of
from cane_gane.training.loop import Keeper
from cane_gane.training.workers.exchange import Exchange
from cane_gane.training.workers.step import make_step


def train_together(
    model: PairModel,
    strategy: Any,
    exchange: Exchange,
    batches_from: Callable[[Place], Any],
    steps: int,
    epochs: int,
    keeper: Keeper | None,
    on_epoch: Callable[[int], None] = lambda epoch: None,
) -> None:
    """Trains until the last epoch or until the chief's validation stops improving.

    All workers take the chief's values, from its last checkpoint or its start. After
    each epoch they compare all values, and wait until the chief has kept them.

    Args:
        model: A compiled model, whose variables were made in the strategy's scope.
        strategy: Connects the workers.
        exchange: Exchanges numbers and values.
        batches_from: Returns endless whole batches, starting at a place; the same on
            all workers.
        steps: The number of batches in an epoch.
        epochs: The largest number of epochs.
        keeper: Keeps epochs, on the chief; None on the others.
        on_epoch: Called with the number of kept epochs.

    Raises:
        DivergedError: The loss is no longer a number.
        DriftError: The workers' values differ.
    """
    place = keeper.resume(model) if keeper else Place(0)
    variables = list(variables_of(model).values())
    exchange.send(variables)
    place = Place(*(exchange.collect(number)[0] for number in place))
    if keeper:
        keeper.set_model(model)
    source = batches_from(place)
    step, batches = make_step(model, strategy, source.element_spec), iter(source)
    for epoch in range(place.epochs, epochs):
        if exchange.collect(bool(keeper and keeper.done))[0]:
            return
        left = steps - place.steps if epoch == place.epochs else steps
        if keeper:
            keeper.set_params({"steps": left, "epochs": epochs})
            keeper.on_epoch_begin(epoch)
        loss = _epoch(step, batches, left, keeper)
        exchange.agree(variables)
        if keeper:
            keeper.on_epoch_end(epoch, {"loss": loss})
        else:
            model.settle()  # like the keeper
        exchange.collect(0)  # nobody continues before the epoch is kept
        on_epoch(epoch + 1)


def _epoch(
    step: Callable[[Batch], Any],
    batches: Iterator[Batch],
    steps: int,
    keeper: Keeper | None,
) -> float:
    """Takes the remaining steps of an epoch; the chief returns the mean edge loss."""
    total, count = keeper.part.losses if keeper else (0.0, 0.0)
    for number in range(steps):
        batch = next(batches)
        total += float(step(batch))
        count += int(batch["source"].shape[0])
        if keeper:
            logs = {"loss": total / count, "losses": [total, count]}
            keeper.on_train_batch_end(number, logs)
    return total / count
