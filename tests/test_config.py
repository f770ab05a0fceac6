"""Settings: presets fill what is not chosen, and bad ones get one clear line."""

import pytest

from cane_gane.config import PRESETS, Config, make_config
from cane_gane.errors import InputError


def test_a_chosen_setting_beats_the_preset():
    config = make_config(preset="paper", pooling="mean")
    assert (config.pooling, config.objective) == ("mean", "likelihood")


def test_the_best_preset_is_the_default():
    assert make_config() == Config() == make_config(preset="best")


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_builds(preset):
    variant = "cane" if preset == "upstream" else "ap"
    assert make_config(preset=preset, variant=variant).preset == preset


def test_rho_weighs_text_structure_and_both_mixed_terms():
    assert make_config(rho="1.0,0.3,0.2").term_weights() == (1.0, 0.3, 0.2, 0.2)


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"variant": "gan"}, "found variant 'gan'; expected one of cane, wane, ot, ap"),
        ({"ratio": 1.0}, "found ratio 1.0; expected one between 0 and 1"),
        ({"beta": 0.0}, "found beta '0.0'; expected at least 0.001"),
        ({"epochs": 0}, "found epochs '0'; expected at least 1"),
        ({"word_dropout": 0.95}, "found word_dropout '0.95'; expected at most 0.9"),
        ({"rho": "1,2"}, "found rho '1,2'; expected three numbers"),
        ({"preset": "mine"}, "found preset 'mine'; expected one of best, paper"),
        ({"preset": "upstream"}, "expected variant cane"),
        ({"masked": False}, "found --nomasked with variant ap"),
    ],
)
def test_a_bad_setting_is_named_with_what_was_expected(chosen, message):
    with pytest.raises(InputError, match=message):
        make_config(**chosen)
