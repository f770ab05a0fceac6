"""Training by several workers in step; the chief alone judges and keeps epochs."""

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
    """Trains until the epochs are over or the chief's validation stops gaining.

    All workers go on from the chief's last checkpoint, or from its start: they take
    its values. After each epoch they compare all values, and wait until the chief has
    kept them.

    Args:
        model: A compiled model, whose variables were made in the strategy's scope.
        strategy: What connects the workers.
        exchange: The same, for numbers and values.
        batches_from: Gives endless whole batches from a place on; the same batches
            on all workers.
        steps: Batches in an epoch.
        epochs: Epochs at the most.
        keeper: What keeps epochs, on the chief; None on the others.
        on_epoch: Is told how many epochs are kept.

    Raises:
        DivergedError: The loss is no number any more.
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
            model.settle()  # as the keeper does
        exchange.collect(0)  # the epoch is kept: nobody goes on before
        on_epoch(epoch + 1)


def _epoch(
    step: Callable[[Batch], Any],
    batches: Iterator[Batch],
    steps: int,
    keeper: Keeper | None,
) -> float:
    """Takes the steps left of an epoch; the chief returns the mean loss of an edge."""
    total, count = keeper.part.losses if keeper else (0.0, 0.0)
    for number in range(steps):
        batch = next(batches)
        total += float(step(batch))
        count += int(batch["source"].shape[0])
        if keeper:
            logs = {"loss": total / count, "losses": [total, count]}
            keeper.on_train_batch_end(number, logs)
    return total / count
