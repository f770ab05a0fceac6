"""Every setting of a run: its default, its bounds, its help line, and the presets."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cane_gane.errors import InputError
from cane_gane.splits import RULES
from cane_gane.tokens import MAX_LENGTH, TOKENIZERS

VARIANTS = ("cane", "wane", "ot", "ap")


def _setting(
    default: Any,
    help: str,
    *,
    choices: tuple[str, ...] | None = None,
    low: float | None = None,
    high: float | None = None,
) -> Any:
    bounds = {"help": help, "choices": choices, "low": low, "high": high}
    return field(default=default, metadata=bounds)


@dataclass(frozen=True)
class Config:
    """The settings of a run; each is a flag of the training command."""

    dataset: str = _setting("pydocs", "a data set's name or a folder")
    ratio: float = _setting(0.55, "share of the edges for training", low=0, high=1)
    variant: str = _setting("ap", "which model", choices=VARIANTS)
    preset: str = _setting(
        "best",
        "where the other defaults come from",
        choices=("best", "paper", "upstream"),
    )
    seed: int = _setting(1, "what every random choice hangs on", low=0)

    split: str = _setting("upstream", "how edges are split", choices=RULES)
    tokenizer: str = _setting("clean", "how words are split", choices=tuple(TOKENIZERS))
    max_length: int = _setting(MAX_LENGTH, "words kept of a text", low=1)
    validation: float = _setting(
        0.0, "share of the training edges held out to stop early on", low=0, high=0.9
    )

    dimension: int = _setting(100, "length of word, text and node vectors", low=1)
    pooling: str = _setting("mean", "how words become a text", choices=("max", "mean"))
    window: int = _setting(21, "width of the parsing convolution (ap)", low=1)
    channels: int = _setting(1, "channels of that convolution (ap)", low=1)
    reading: str = _setting(
        "context", "whose words the parsed weights are on (ap)",
        choices=("context", "literal"),
    )  # fmt: skip
    beta: float = _setting(0.5, "inverse step of the transport solver", low=1e-3)
    iterations: int = _setting(10, "steps of the transport solver", low=1)
    gradient: str = _setting(
        "last_step", "gradient through the plan", choices=("full", "last_step", "none")
    )
    scale: bool = _setting(True, "whether the plan is scaled by the texts' lengths")
    masked: bool = _setting(True, "whether padding is left out of attention (cane)")
    map_mixed: bool = _setting(False, "whether mixed terms have a trainable map")
    clip: bool = _setting(False, "whether node vectors are clipped to norm 1")
    start: str = _setting("lsa", "how word vectors start", choices=("lsa", "random"))
    places: str = _setting(
        "walks", "how node vectors start", choices=("walks", "random")
    )
    popularity: float = _setting(
        1.0, "what a node's popularity weighs in that start (walks)", low=0
    )

    objective: str = _setting("terms", "loss", choices=("terms", "likelihood"))
    rho: str = _setting("1,1,1", "weights of text, structure and mixed terms")
    epsilon: float = _setting(0.0, "added inside the logarithms", low=0, high=1)
    negatives: int = _setting(1, "negatives for each edge", low=1)
    reject_neighbours: bool = _setting(
        False, "whether known neighbours are no negatives"
    )

    epochs: int = _setting(5, "epochs at the most", low=1)
    batch_size: int = _setting(64, "edges in a batch", low=1)
    learning_rate: float = _setting(2e-3, "step size of Adam", low=0)
    adam: str = _setting(
        "summed", "what Adam squares of a row that repeats in a batch: its summed "
        "gradient (TensorFlow 1), or each part alone (keras)",
        choices=("summed", "keras"),
    )  # fmt: skip
    word_dropout: float = _setting(
        0.3, "share of words left out in training", low=0, high=0.9
    )
    evaluate_every: int = _setting(1, "epochs between validations", low=1)
    patience: int = _setting(4, "validations without gain before stopping", low=1)
    deterministic: bool = _setting(True, "whether two runs are equal to the last bit")

    def __post_init__(self) -> None:
        for setting in dataclasses.fields(self):
            self._check(setting.name, getattr(self, setting.name), setting.metadata)
        if not 0 < self.ratio < 1:
            raise InputError(f"found ratio {self.ratio}; expected one between 0 and 1")
        self.term_weights()
        if self.variant != "cane" and not self.masked:
            raise InputError(
                f"found --nomasked with variant {self.variant}; expected it with cane "
                "alone, as only upstream attends to padding"
            )

    @staticmethod
    def _check(name: str, value: Any, bounds: Mapping[str, Any]) -> None:
        if bounds["choices"] and value not in bounds["choices"]:
            expected = f"one of {', '.join(bounds['choices'])}"
        elif bounds["low"] is not None and not value >= bounds["low"]:
            expected = f"at least {bounds['low']}"
        elif bounds["high"] is not None and not value <= bounds["high"]:
            expected = f"at most {bounds['high']}"
        else:
            return
        raise InputError(f"found {name} '{value}'; expected {expected}")

    def term_weights(self) -> tuple[float, float, float, float]:
        """Returns the weights of the terms ss, tt, ts and st."""
        try:
            text, structure, mixed = (float(part) for part in self.rho.split(","))
        except ValueError:
            raise InputError(
                f"found rho '{self.rho}'; expected three numbers such as 1.0,0.3,0.3"
            ) from None
        return text, structure, mixed, mixed


PRESETS: Mapping[str, Mapping[str, Any]] = {
    "best": {},
    "paper": {
        "pooling": "max",
        "reading": "literal",
        "iterations": 50,
        "gradient": "full",
        "scale": False,
        "map_mixed": True,
        "start": "random",
        "places": "random",
        "objective": "likelihood",
        "validation": 0.1,
        "epochs": 30,
        "patience": 30,
        "learning_rate": 1e-3,
        "word_dropout": 0.0,
    },
    "upstream": {
        "split": "upstream",
        "tokenizer": "upstream",
        "masked": False,
        "clip": True,
        "start": "random",
        "places": "random",
        "rho": "1.0,0.3,0.3",
        "epsilon": 0.001,
        "epochs": 200,
        "learning_rate": 1e-3,
        "word_dropout": 0.0,
    },
}


def make_config(**chosen: Any) -> Config:
    """Builds a config from chosen settings, the preset's, and the defaults.

    Raises:
        InputError: A setting is unknown, out of bounds or does not go with another.
    """
    preset = chosen.get("preset", "best")
    if preset not in PRESETS:
        raise InputError(
            f"found preset '{preset}'; expected one of {', '.join(PRESETS)}"
        )
    if preset == "upstream" and chosen.get("variant") != "cane":
        raise InputError(
            f"found preset upstream with variant {chosen.get('variant')}; expected "
            "variant cane, the only model that upstream has"
        )
    return Config(**{**PRESETS[preset], **chosen})
