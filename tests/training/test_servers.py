"""Tables on two parameter servers, trained by two workers, over loopback."""

import subprocess
import sys

import numpy as np
import pytest

from cane_gane.models.build import build_model
from cane_gane.training.compile import compile_model
from tests.launch import private_network
from tests.training.on_servers import (
    EPOCHS,
    NODES,
    SETTINGS,
    WORDS,
    batches_from,
    start_tables,
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What a cluster of its own process found."""
    home = tmp_path_factory.mktemp("servers")
    path = home / "found.npz"
    with private_network() as options:
        process = subprocess.run(
            [sys.executable, "-m", "tests.training.on_servers", path, home / "kept"],
            timeout=600, capture_output=True, text=True, **options,
        )  # fmt: skip
    assert process.returncode == 0, process.stderr
    return dict(np.load(path))


def test_each_server_holds_its_range_of_rows_and_their_moments(found):
    tasks = [name.split("task:")[1][0] for name in found["devices"]]
    assert tasks == ["0", "1", "0", "1"]
    assert found["sizes"].tolist() == [6, 5, 4, 3]  # of 11 words and 7 nodes
    assert set(found["moments"]) == {found["devices"][1]}


def test_steps_one_by_one_are_those_of_one_process(found):
    model = build_model(SETTINGS, "wane", WORDS, NODES, seed=3)
    compile_model(model, SETTINGS)
    for table, values in zip(
        (model.words, model.structure), start_tables(), strict=True
    ):
        table.assign(values)
    losses = []
    for batch in batches_from().take(10):
        model.loss_tracker.reset_state()
        losses.append(float(model.train_step(batch)["loss"]))
    np.testing.assert_allclose(found["losses"], losses, rtol=1e-5)
    # row 0 is padding: nobody reads it but as such
    np.testing.assert_allclose(found["words"][1:], model.words.numpy()[1:], atol=1e-5)
    np.testing.assert_allclose(found["structure"], model.structure.numpy(), atol=1e-5)


def test_two_workers_that_do_not_wait_for_each_other_learn(found):
    assert len(found["falling"]) == EPOCHS
    # Between epochs of nothing but noise the loss varies by 0.4 %.
    assert found["falling"][-1] < 0.9 * found["falling"][0]


def test_a_new_start_goes_on_from_the_checkpoint(found):
    assert len(found["more"]) == 0  # all epochs are done
    np.testing.assert_array_equal(found["restored"], found["last"])
