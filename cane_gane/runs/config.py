"""The config of a run: data set, ratio, method, seed, split, and method settings."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from cane_gane.config import Settings, setting, suggestion
from cane_gane.data.catalog import canonical_name
from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import RULES, Split
from cane_gane.errors import InputError
from cane_gane.methods.registry import find_method

_KEYS = {"variant": "method"}  # names of settings in config.json
# The value of a setting in runs older than the setting, if not its default.
_ONCE = {"evidence": "none"}
SEEDS = 2_000_000  # the largest seed; TensorFlow multiplies seeds as integers


def ratio_name(ratio: float) -> str:
    """Returns the name of a ratio in commands and folders."""
    return "all" if ratio == 1 else f"{ratio:g}"


@dataclass(frozen=True)
class Config(Settings):
    """The settings of a run; each is a flag of the training command."""

    dataset: str = setting("pydocs", "a data set's name or a folder")
    ratio: float = setting(0.55, "share of the edges for training", low=0, high=1)
    method: str = setting("ap", "which method")
    seed: int = setting(1, "seed of all random choices", low=0, high=SEEDS)
    split: str = setting("upstream", "how edges are split", choices=RULES)
    settings: Settings = dataclasses.field(default_factory=Settings)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.ratio:
            raise InputError("found ratio 0; expected one between 0 and 1")

    @classmethod
    def make(cls, **chosen: Any) -> Self:
        """Builds a config from the chosen settings, the preset and the defaults.

        Raises:
            InputError: A setting is unknown, out of bounds, or conflicts with another.
        """
        chosen = {_KEYS.get(name, name): value for name, value in chosen.items()}
        shared = {own.name for own in cls.fields()} & set(chosen)
        mine = {name: chosen[name] for name in shared}
        mine["dataset"] = canonical_name(mine.get("dataset", "pydocs"))
        method = find_method(mine.get("method", "ap"))
        own = {name: value for name, value in chosen.items() if name not in shared}
        known = [field.name for field in method.settings.fields()]
        for name in own:
            if name not in known:
                raise InputError(
                    f"found setting '{name}' with method {method.key}; expected one of "
                    f"{', '.join(known) or 'none'}{suggestion(name, known)}"
                )
        settings = method.settings.make(**own)
        method.check(settings)
        return cls(**mine, settings=settings)

    def split_of(self, network: TextualNetwork) -> Split:
        """Splits a network; with ratio 1, all edges are for training."""
        if self.ratio < 1:
            return network.split(self.ratio, self.split, self.seed)
        edges = network.edges
        return Split(network, edges, edges[:0], 1.0, self.split, self.seed)

    def flat(self) -> dict[str, Any]:
        """Returns all settings in one dict, as in config.json."""
        names = {name: key for key, name in _KEYS.items()}
        shared = {
            names.get(own.name, own.name): getattr(self, own.name)
            for own in self.fields()
        }
        return {**shared, **dataclasses.asdict(self.settings)}

    def changes(self, before: Mapping[str, Any]) -> list[str]:
        """Returns the settings that differ from those of an earlier run.

        Args:
            before: Its settings, as `flat` returned them. A setting newer than the run
                had its default then, or the value in `_ONCE`.
        """
        usual = Config(settings=find_method(self.method).settings()).flat()
        before = {**usual, **_ONCE, **before}
        return [
            f"{name} {before[name]} (now {value})"
            for name, value in self.flat().items()
            if before[name] != value
        ]
