"""Prepares a model for training: its optimizer and its objective."""

from __future__ import annotations

from cane_gane.models.pair_model import PairModel
from cane_gane.models.settings import ModelSettings
from cane_gane.training.objectives import OBJECTIVES
from cane_gane.training.optimizer import OPTIMIZERS

# Tables with at least this many rows are updated only in rows that a step has seen.
MANY_ROWS = 1 << 16


def compile_model(model: PairModel, settings: ModelSettings) -> None:
    """Gives a model its objective and its optimizer, with all optimizer variables."""
    weights = settings.term_weights()
    objective = OBJECTIVES[settings.objective](weights, settings.epsilon)
    # With an explicit name, variables have the same paths in every process.
    optimizer = OPTIMIZERS[settings.adam](settings.learning_rate, name="adam")
    model.compile(optimizer, loss=objective)
    model.optimizer.build(model.trainable_variables)
    for table in (model.words, model.structure):
        if table.shape[0] >= MANY_ROWS:
            model.optimizer.keep_rows(table)
