"""The settings of the four neural models, and their presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cane_gane.config import Settings, setting
from cane_gane.data.tokens import MAX_LENGTH, TOKENIZERS
from cane_gane.errors import InputError

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
        "evidence": "none",
    },
    "upstream": {
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
        "evidence": "none",
    },
}


@dataclass(frozen=True)
class ModelSettings(Settings):
    """The architecture of a neural model, and how it is trained."""

    preset: str = setting(
        "best", "set of defaults for the other settings", choices=tuple(PRESETS)
    )
    tokenizer: str = setting(
        "clean", "how texts are split into words", choices=tuple(TOKENIZERS)
    )
    max_length: int = setting(
        MAX_LENGTH, "maximum words kept per text", low=1, high=10**6
    )
    validation: float = setting(
        0.0, "share of the training edges held out for early stopping", low=0, high=0.9
    )

    dimension: int = setting(
        100, "length of word, text and node vectors", low=1, high=10_000
    )
    pooling: str = setting(
        "mean", "how word vectors become a text vector", choices=("max", "mean")
    )
    window: int = setting(
        21, "width of the parsing convolution (ap)", low=1, high=1_000
    )
    channels: int = setting(1, "channels of that convolution (ap)", low=1, high=1_000)
    depth: int = setting(1, "number of such convolutions in a row (ap)", low=1, high=9)
    groups: int = setting(
        1, "parts of the word vectors' dimensions, each with its plan (ot, ap)",
        low=1, high=100,
    )  # fmt: skip
    kernel: str = setting(
        "inner", "what each term of the score is: an inner product, or a function of "
        "the distance", choices=("inner", "gaussian", "imq"),
    )  # fmt: skip
    bandwidth: float = setting(
        4.0, "length scale of the kernel (gaussian, imq)", low=1e-3, high=1e6
    )
    reading: str = setting(
        "context", "whose words the parsed weights apply to (ap)",
        choices=("context", "literal"),
    )  # fmt: skip
    beta: float = setting(
        0.5, "inverse step of the transport solver", low=1e-3, high=1e3
    )
    iterations: int = setting(10, "steps of the transport solver", low=1, high=10**4)
    gradient: str = setting(
        "last_step", "gradient through the plan", choices=("full", "last_step", "none")
    )
    scale: bool = setting(True, "whether the plan is scaled by the texts' lengths")
    masked: bool = setting(True, "whether attention ignores padding (cane)")
    map_mixed: bool = setting(False, "whether mixed terms have a trainable map")
    clip: bool = setting(False, "whether node vectors are clipped to norm 1")
    start: str = setting("lsa", "how word vectors start", choices=("lsa", "random"))
    places: str = setting(
        "walks", "how node vectors start", choices=("walks", "random")
    )
    popularity: float = setting(
        1.0, "weight of a node's popularity in that start (walks)", low=0, high=1e3
    )

    evidence: str = setting(
        "full", "what is added to the model's own score: evidence of texts, training "
        "edges and popularity, with fitted weights, or nothing",
        choices=("full", "none"),
    )  # fmt: skip

    objective: str = setting("terms", "loss", choices=("terms", "likelihood"))
    rho: str = setting("1,1,1", "weights of text, structure and mixed terms")
    epsilon: float = setting(0.0, "added inside the logarithms", low=0, high=1)
    negatives: int = setting(1, "negatives for each edge", low=1, high=10**4)
    reject_neighbours: bool = setting(
        False, "whether known neighbours are excluded from negatives"
    )

    epochs: int = setting(5, "maximum number of epochs", low=1, high=10**6)
    edges_per_epoch: int = setting(
        0, "training edges per epoch, drawn again each time; 0 takes all",
        low=0, high=10**12,
    )  # fmt: skip
    batch_size: int = setting(64, "edges in a batch", low=1, high=10**6)
    learning_rate: float = setting(2e-3, "step size of Adam", low=0, high=1e3)
    adam: str = setting(
        "summed", "what Adam squares of a row that repeats in a batch: its summed "
        "gradient (TensorFlow 1), or each part alone (keras)",
        choices=("summed", "keras"),
    )  # fmt: skip
    word_dropout: float = setting(
        0.3, "share of words dropped in training", low=0, high=0.9
    )
    evaluate_every: int = setting(1, "epochs between validations", low=1, high=10**6)
    patience: int = setting(
        4, "validations without improvement before stopping", low=1, high=10**6
    )
    deterministic: bool = setting(True, "whether runs are repeatable to the last bit")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.term_weights()
        if self.edges_per_epoch and self.preset == "upstream":
            raise InputError(
                f"found edges_per_epoch {self.edges_per_epoch} with preset upstream; "
                "expected 0, as upstream takes all edges"
            )
        if self.dimension % self.groups:
            raise InputError(
                f"found {self.groups} groups of {self.dimension} dimensions; expected "
                "a number of groups that divides the dimension"
            )

    @classmethod
    def defaults(cls, chosen: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns the settings of the chosen preset."""
        return PRESETS.get(chosen.get("preset", "best"), {})

    def term_weights(self) -> tuple[float, float, float, float]:
        """Returns the weights of the terms ss, tt, ts and st.

        Raises:
            InputError: `rho` does not hold three weights.
        """
        try:
            text, structure, mixed = (float(part) for part in self.rho.split(","))
        except ValueError:
            text = structure = mixed = -1.0
        if not all(0 <= weight <= 1e6 for weight in (text, structure, mixed)):
            raise InputError(
                f"found rho '{self.rho[:40]}'; expected three weights from 0 on, such "
                "as 1.0,0.3,0.3"
            )
        return text, structure, mixed, mixed
