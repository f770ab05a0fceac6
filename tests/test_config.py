"""Settings: bounds, presets, what goes together; bad ones get one clear line."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from cane_gane.config import Settings, setting, suggestion
from cane_gane.errors import InputError
from cane_gane.methods.registry import METHODS
from cane_gane.models.settings import PRESETS, ModelSettings
from cane_gane.runs.config import SEEDS, Config

ROOT = Path(__file__).resolve().parents[1]
HUGE = 10**5000  # more digits than Python spells
KNOWN = ", ".join(METHODS)


@dataclasses.dataclass(frozen=True)
class Shape(Settings):
    """Settings of every kind; their types are types, not names of types."""

    sides: int = setting(4, "how many sides", low=3, high=1000)
    size: float = setting(1.0, "how large", low=0, high=10)
    weight: float = setting(1.0, "how heavy")
    colour: str = setting("red", "which colour", choices=("red", "green"))
    name: str = setting("square", "what it is called")
    filled: bool = setting(True, "whether it is filled")
    note: str = "no setting"


def refused(kind, **chosen):
    """Returns the one line that choosing these is refused with."""
    with pytest.raises(InputError) as caught:
        kind.make(**chosen)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 1000
    return message


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"sides": 2}, "found sides '2'; expected at least 3"),
        ({"sides": 1001}, "found sides '1001'; expected at most 1,000"),
        ({"sides": 4.0}, "found sides '4.0'; expected a whole number"),
        ({"sides": True}, "found sides 'True'; expected a whole number"),
        ({"sides": "4"}, "found sides '4'; expected a whole number"),
        ({"sides": None}, "found sides 'None'; expected a whole number"),
        ({"sides": float("nan")}, "found sides 'nan'; expected a whole number"),
        ({"sides": 10**50}, f"found sides '1{'0' * 39}…'; expected at most 1,000"),
        ({"size": -0.5}, "found size '-0.5'; expected at least 0"),
        ({"size": 10.5}, "found size '10.5'; expected at most 10"),
        ({"size": float("nan")}, "found size 'nan'; expected a finite number"),
        ({"weight": float("inf")}, "found weight 'inf'; expected a finite number"),
        ({"weight": -float("inf")}, "found weight '-inf'; expected a finite number"),
        ({"weight": "1"}, "found weight '1'; expected a finite number"),
        ({"weight": True}, "found weight 'True'; expected a finite number"),
        ({"colour": "blue"}, "found colour 'blue'; expected one of red, green"),
        ({"colour": 3}, "found colour '3'; expected one of red, green"),
        ({"colour": "a\nb"}, "found colour 'a b'; expected one of red, green"),
        ({"name": 3}, "found name '3'; expected text"),
        ({"filled": 1}, "found filled '1'; expected true or false"),
        ({"filled": "yes"}, "found filled 'yes'; expected true or false"),
    ],
)
def test_a_value_out_of_bounds_is_named_with_what_was_expected(chosen, message):
    assert refused(Shape, **chosen) == message


@pytest.mark.parametrize("name", ["sides", "size", "weight", "colour", "name"])
@pytest.mark.parametrize("value", [HUGE, -HUGE], ids=["positive", "negative"])
def test_a_huge_number_is_refused_in_a_short_line(name, value):
    message = refused(Shape, **{name: value})
    assert message.startswith(f"found {name} 'a number of thousands of digits'")


@pytest.mark.parametrize(
    "chosen",
    [{"sides": 3}, {"sides": 1000}, {"size": 0}, {"size": 10.0}, {"weight": -1e300}],
)
def test_the_bounds_themselves_are_allowed(chosen):
    assert dataclasses.asdict(Shape.make(**chosen)).items() >= chosen.items()


def test_a_value_is_checked_without_make_too():
    with pytest.raises(InputError, match="found sides '2'"):
        Shape(sides=2)


def test_a_near_choice_is_suggested():
    message = refused(Shape, colour="Green ")
    assert message.endswith("expected one of red, green: did you mean 'green'?")


def test_a_near_name_is_suggested():
    assert refused(Shape, side=4) == (
        "found setting 'side'; expected one of sides, size, weight, colour, name, "
        "filled: did you mean 'sides'?"
    )


def test_what_is_no_setting_cannot_be_chosen():
    assert refused(Shape, note="x").startswith("found setting 'note'; expected one of")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("hepth", ": did you mean 'HepTh'?"),
        ("CORRA", ": did you mean 'cora'?"),
        ("zzz", ""),
        ("", ""),
    ],
)
def test_a_suggestion_is_in_the_spelling_that_is_known(word, expected):
    assert suggestion(word, ("cora", "HepTh")) == expected


# The settings of the neural models.


def test_a_chosen_setting_beats_the_preset():
    made = ModelSettings.make(preset="paper", pooling="mean")
    assert (made.pooling, made.objective) == ("mean", "likelihood")


def test_the_best_preset_is_the_default():
    assert ModelSettings.make() == ModelSettings() == ModelSettings.make(preset="best")


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_gives_its_settings_and_no_others(preset):
    made = dataclasses.asdict(ModelSettings.make(preset=preset))
    usual = dataclasses.asdict(ModelSettings())
    assert made == {**usual, **PRESETS[preset], "preset": preset}


def test_an_unknown_preset_is_refused():
    message = refused(ModelSettings, preset="papr")
    assert message == (
        "found preset 'papr'; expected one of best, paper, upstream: did you mean "
        "'paper'?"
    )


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"beta": 0.0}, "found beta '0.0'; expected at least 0.001"),
        ({"epochs": 0}, "found epochs '0'; expected at least 1"),
        ({"epochs": 10**7}, "found epochs '10000000'; expected at most 1,000,000"),
        ({"word_dropout": 0.95}, "found word_dropout '0.95'; expected at most 0.9"),
        ({"dimension": 10**9}, "found dimension '1000000000'; expected at most 10,000"),
        ({"masked": 0}, "found masked '0'; expected true or false"),
    ],
)
def test_a_bad_setting_of_a_model_is_named(chosen, message):
    assert refused(ModelSettings, **chosen) == message


def test_rho_weighs_text_structure_and_both_mixed_terms():
    made = ModelSettings.make(rho="1.0,0.3,0.2")
    assert made.term_weights() == (1.0, 0.3, 0.2, 0.2)


@pytest.mark.parametrize(
    "rho",
    [
        "1,2",
        "1,1,1,1",
        "-1,1,1",
        "1,1,-0.1",
        "nan,1,1",
        "1,inf,1",
        "1,1,1e400",
        "",
        "a,b,c",
        "1;1;1",
        "1,1,",
    ],
)
def test_rho_is_three_weights(rho):
    assert refused(ModelSettings, rho=rho) == (
        f"found rho '{rho}'; expected three weights from 0 on, such as 1.0,0.3,0.3"
    )


def test_rho_is_text():
    assert refused(ModelSettings, rho=1.0) == "found rho '1.0'; expected text"


# The settings of a run.


def test_a_run_has_its_own_settings_and_those_of_its_method():
    config = Config.make(dataset="cora", ratio=0.25, method="wane", seed=3, epochs=7)
    assert (config.dataset, config.ratio, config.method) == ("cora", 0.25, "wane")
    assert config.settings == ModelSettings(epochs=7)


def test_nothing_chosen_gives_the_defaults():
    assert Config.make() == Config(settings=ModelSettings())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("hepth", "HepTh"),
        ("CORA", "cora"),
        (Path("cora"), "cora"),
        ("./hepth", "./hepth"),
        ("/data/Mine", "/data/Mine"),
    ],
)
def test_a_data_set_has_the_spelling_of_the_catalog(name, expected):
    assert Config.make(dataset=name).dataset == expected


def test_a_method_may_be_called_a_variant():
    assert Config.make(variant="ot") == Config.make(method="ot")
    assert Config.make(variant="ot").flat()["variant"] == "ot"


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_builds(preset):
    method = "cane" if preset == "upstream" else "ap"
    config = Config.make(preset=preset, method=method)
    assert config.settings == ModelSettings.make(preset=preset)


@pytest.mark.parametrize("method", ["wane", "ot", "ap"])
def test_only_cane_is_what_upstream_has(method):
    message = refused(Config, preset="upstream", method=method)
    assert message.startswith(f"found preset upstream with method {method}; expected")
    message = refused(Config, masked=False, method=method)
    assert message.startswith(f"found --nomasked with method {method}; expected")


def test_cane_may_attend_to_padding():
    assert not Config.make(masked=False, method="cane").settings.masked


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"ratio": 0.0}, "found ratio 0; expected one between 0 and 1"),
        ({"ratio": -0.1}, "found ratio '-0.1'; expected at least 0"),
        ({"ratio": 1.5}, "found ratio '1.5'; expected at most 1"),
        ({"ratio": float("nan")}, "found ratio 'nan'; expected a finite number"),
        ({"seed": -1}, "found seed '-1'; expected at least 0"),
        ({"seed": SEEDS + 1}, "found seed '2000001'; expected at most 2,000,000"),
        ({"seed": 1.0}, "found seed '1.0'; expected a whole number"),
        ({"split": "strickt"}, "found split 'strickt'; expected one of strict, cover, "
         "upstream: did you mean 'strict'?"),
        ({"method": "wan"}, f"found method 'wan'; expected one of {KNOWN}: "
         "did you mean 'wane'?"),
        ({"variant": "gcn"}, f"found method 'gcn'; expected one of {KNOWN}"),
        ({"epochs": 0}, "found epochs '0'; expected at least 1"),
    ],
)  # fmt: skip
def test_a_bad_setting_of_a_run_is_named(chosen, message):
    assert refused(Config, **chosen) == message


def test_a_setting_that_the_method_lacks_is_named_with_the_method():
    message = refused(Config, method="ot", epoch=3)
    assert message.startswith("found setting 'epoch' with method ot; expected one of ")
    assert message.endswith(": did you mean 'epochs'?")


@dataclasses.dataclass(frozen=True)
class WalkSettings(Settings):
    """The settings of another method."""

    walks: int = setting(10, "walks for each node", low=1)


@pytest.fixture
def walker(monkeypatch):
    """Registers a method with settings of its own."""
    from cane_gane.methods.method import Method
    from cane_gane.methods.registry import METHODS

    method = Method("walker", "Walker", "walks", None, None, settings=WalkSettings)
    monkeypatch.setitem(METHODS, "walker", method)


@pytest.mark.usefixtures("walker")
def test_another_method_has_its_own_settings():
    config = Config.make(method="walker", walks=3)
    assert config.settings == WalkSettings(walks=3)
    assert config.flat() == {
        "dataset": "pydocs",
        "ratio": 0.55,
        "variant": "walker",
        "seed": 1,
        "split": "upstream",
        "walks": 3,
    }
    assert refused(Config, method="walker", epochs=3) == (
        "found setting 'epochs' with method walker; expected one of walks"
    )
    assert refused(Config, method="ap", walks=3).startswith(
        "found setting 'walks' with method ap; expected one of preset, "
    )


KEYS = """
    adam bandwidth batch_size beta channels clip dataset depth deterministic dimension
    edges_per_epoch epochs epsilon evaluate_every evidence gradient groups iterations
    kernel learning_rate map_mixed
    masked max_length negatives objective patience places pooling popularity preset
    ratio reading reject_neighbours rho scale seed split start tokenizer validation
    variant window word_dropout
"""


@pytest.mark.parametrize("method", ["cane", "wane", "ot", "ap"])
def test_flat_has_the_keys_of_earlier_runs_and_newer_ones(method):
    assert set(Config.make(method=method).flat()) == set(KEYS.split())


def test_a_config_comes_back_from_its_flat_form():
    config = Config.make(
        dataset="cora", method="cane", preset="upstream", seed=2, split="cover"
    )
    assert Config.make(**config.flat()) == config


def test_equal_settings_are_no_change():
    config = Config.make(method="ot", epochs=3)
    assert config.changes(config.flat()) == []


def test_a_setting_that_differs_is_named_with_both_values():
    before = Config.make(method="ot", epochs=3, seed=2).flat()
    now = Config.make(method="ap", epochs=4, seed=2)
    assert now.changes(before) == ["variant ot (now ap)", "epochs 3 (now 4)"]


def test_a_setting_that_is_newer_than_a_run_had_its_default():
    before = Config.make().flat()
    del before["adam"]
    assert Config.make().changes(before) == []
    assert Config.make(adam="keras").changes(before) == ["adam summed (now keras)"]


def test_a_run_that_is_older_than_evidence_had_none():
    before = Config.make().flat()
    del before["evidence"]
    assert Config.make().changes(before) == ["evidence none (now full)"]
    assert Config.make(evidence="none").changes(before) == []


def test_settings_and_methods_are_known_without_tensorflow():
    code = """
import sys
sys.modules["tensorflow"] = sys.modules["keras"] = None  # to import them is an error
from cane_gane.methods.registry import METHODS
from cane_gane.runs.config import Config
print(*METHODS, Config.make(method="cane", preset="upstream").settings.epochs)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        f"{' '.join(METHODS)} 200\n",
        "",
    )
