"""The encoders as layers of their own: the check that every layer passes."""

import numpy as np
import pytest

from cane_gane.models.encoders import OwnWords, SoftmaxEncoder, TransportEncoder
from tests.layers.layers_check import QUICK, Case

# Keras copies a variable in a way that numpy 2 warns of, wherever a model is saved
pytestmark = pytest.mark.filterwarnings(
    "ignore:__array__ implementation doesn't accept a copy:DeprecationWarning"
)

TRANSPORT = {
    "cost": "cosine", "beta": 0.5, "iterations": 7, "inner_iterations": 1,
    "gradient": "full",
}  # fmt: skip
PARSING = {"window": 3, "channels": 2, "reading": "context"}
PAIR = {
    "axes": {"source": (4, "source_mask", 6), "target": (4, "target_mask", 6)},
    "masks": {"source_mask": [5, 3, 1, 4], "target_mask": [4, 7, 2, 0]},
    "outputs": [(4, 3), (4, 3)],
}
OPTIONS = {"units": 3, "transport": TRANSPORT}
CASES = [
    Case(SoftmaxEncoder, {"units": 3}, **PAIR),
    Case(SoftmaxEncoder, {"units": 3, "pooling": "max"}, name="max", **PAIR),
    Case(TransportEncoder, OPTIONS, name="ot", **PAIR),
    Case(TransportEncoder, {**OPTIONS, "parsing": PARSING}, name="ap", **PAIR),
    Case(TransportEncoder, {**OPTIONS, "pooling": "max"}, name="max", **PAIR),
]


@pytest.mark.parametrize("check", QUICK, ids=lambda check: check.__name__)
@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case.layer.__name__}-{case.name}"
)
def test_an_encoder_passes_the_check_of_layers(case, check, tmp_path):
    check(case, tmp_path)


def test_own_words_start_a_text_vector_as_its_first_part():
    kernel = OwnWords()((12, 4)).numpy()
    np.testing.assert_allclose(kernel[:4], np.eye(4), atol=0.1)
    assert np.abs(kernel[4:]).max() < 0.1
    assert np.unique(kernel).size == kernel.size


def test_repeated_words_may_be_merged_unless_positions_matter():
    merges = [
        TransportEncoder(3).merges,
        TransportEncoder(3, parsing={"window": 3}).merges,
        TransportEncoder(3, pooling="max").merges,
        TransportEncoder(3, parsing={"reading": "literal"}).merges,
    ]
    assert merges == [True, True, False, False]
