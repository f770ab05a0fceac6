"""Checkpoints decide where training goes on; damaged ones are refused."""

import numpy as np
import pytest

from cane_gane.data.network import TextualNetwork
from cane_gane.errors import InputError
from cane_gane.files import write_csv
from cane_gane.methods.gane import WANE, set_up
from cane_gane.models.settings import ModelSettings
from cane_gane.runs.folder import RunFolder
from cane_gane.training.checkpoints import LAST, Checkpoints

SETTINGS = {"dimension": 8, "batch_size": 8, "validation": 0.2, "learning_rate": 0.01}


@pytest.fixture(scope="module")
def split(topics):
    return TextualNetwork.read(topics).split(0.6, "upstream", seed=1)


@pytest.fixture(scope="module")
def fit(split):
    """Trains in a folder, up to an epoch; goes on from what is kept there."""

    def run(folder, epochs):
        settings = ModelSettings.make(**SETTINGS, epochs=epochs, patience=epochs)
        WANE.start(settings, "cpu")
        return WANE.fit(split, settings, 1, folder)

    return run


@pytest.fixture(scope="module")
def undisturbed(fit, tmp_path_factory):
    """Four epochs without a break: the folder, and what was fitted."""
    folder = tmp_path_factory.mktemp("run")
    return folder, fit(folder, 4)


def losses(folder):
    return [row["loss"] for row in RunFolder(folder).history()]


def same(fitted, folder, undisturbed):
    """Whether a training ended as the undisturbed one did, to the last bit."""
    vectors = np.array_equal(fitted.vectors, undisturbed[1].vectors)
    epoch = fitted.best_epoch == undisturbed[1].best_epoch
    return vectors and epoch and losses(folder) == losses(undisturbed[0])


def test_training_goes_on_from_the_last_epoch(fit, undisturbed, tmp_path):
    fit(tmp_path, 2)
    assert len(losses(tmp_path)) == 2
    assert same(fit(tmp_path, 4), tmp_path, undisturbed)


def test_without_the_last_checkpoint_it_starts_anew(fit, undisturbed, tmp_path):
    fit(tmp_path, 2)
    (tmp_path / "checkpoints" / "last.npz").unlink()
    false = [
        {"epoch": i, "loss": 9.0, "validation_auc": 1, "seconds": 1.0} for i in "12"
    ]
    write_csv(tmp_path / "history.csv", false)
    assert same(fit(tmp_path, 4), tmp_path, undisturbed)


@pytest.mark.parametrize("epochs", [2, 4])
def test_without_the_history_it_goes_on_and_writes_it(
    fit, undisturbed, tmp_path, epochs
):
    fit(tmp_path, epochs)
    (tmp_path / "history.csv").unlink()
    assert same(fit(tmp_path, 4), tmp_path, undisturbed)


def test_without_a_folder_the_best_epoch_is_kept_in_memory(fit, undisturbed):
    fitted = fit(None, 4)
    np.testing.assert_array_equal(fitted.vectors, undisturbed[1].vectors)
    assert fitted.best_epoch == undisturbed[1].best_epoch


@pytest.fixture(scope="module")
def build(split):
    """Builds a compiled model of a size."""

    def model(dimension=8):
        settings = ModelSettings.make(**{**SETTINGS, "dimension": dimension})
        return set_up("wane", split, settings, 1)[1]

    return model


@pytest.mark.parametrize("in_memory", [True, False])
def test_every_variable_comes_back(build, tmp_path, in_memory):
    kept = Checkpoints(None if in_memory else tmp_path)
    model, other = build(), build()
    variables = [*model.trainable_variables, *model.optimizer.variables]
    rng = np.random.default_rng(0)
    for variable in variables:
        variable.assign(rng.integers(1, 9, variable.shape))
    assert LAST not in kept
    kept.save(LAST, model, {"rows": [1]})
    assert LAST in kept
    assert kept.load(LAST, other) == {"rows": [1]}
    found = [*other.trainable_variables, *other.optimizer.variables]
    for before, after in zip(variables, found, strict=True):
        np.testing.assert_array_equal(after.numpy(), before.numpy(), before.path)


def without(name):
    """Returns what leaves an array out of a checkpoint."""

    def spoil(path):
        with np.load(path) as content:
            kept = {key: content[key] for key in content.files if name not in key}
            assert len(kept) < len(content.files)
        np.savez(path, **kept)

    return spoil


def one_array(path):
    with open(path, "wb") as file:
        np.save(file, np.arange(3))


def with_nan(path):
    with np.load(path) as content:
        kept = dict(content)
    key = next(key for key in kept if key.endswith("kernel"))
    np.savez(path, **{**kept, key: np.full_like(kept[key], np.nan)})


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_text("hello"),
        lambda path: path.write_bytes(path.read_bytes()[:-200]),
        lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
        one_array,
        without("state"),
        without("kernel"),
        without("adam"),
        with_nan,
    ],
    ids=["empty", "text", "cut", "half", "one array", "no state", "no kernel",
         "no optimizer", "no numbers"],
)  # fmt: skip
def test_a_damaged_checkpoint_is_refused(build, tmp_path, spoil):
    kept, model = Checkpoints(tmp_path), build()
    kept.save(LAST, model, {"rows": []})
    spoil(kept.path(LAST))
    with pytest.raises(InputError) as found:
        kept.load(LAST, model)
    message = str(found.value)
    assert message.startswith(
        f"{tmp_path / 'last.npz'}: found a checkpoint that cannot"
    )
    assert "--overwrite" in message
    assert "\n" not in message


def test_the_checkpoint_of_another_model_is_refused(build, tmp_path):
    kept = Checkpoints(tmp_path)
    kept.save(LAST, build(6), {"rows": []})
    with pytest.raises(InputError, match="of this model: --overwrite trains it anew"):
        kept.load(LAST, build(8))


def test_a_best_epoch_that_is_gone_is_refused(fit, tmp_path):
    fit(tmp_path, 2)
    (tmp_path / "checkpoints" / "best.npz").unlink()
    with pytest.raises(InputError, match=r"best\.npz: found a checkpoint that cannot"):
        fit(tmp_path, 2)
