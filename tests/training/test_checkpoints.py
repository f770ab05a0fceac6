"""Checkpoints decide where training goes on; a damaged one falls back."""

import itertools
import shutil
from types import SimpleNamespace

import numpy as np
import pytest

from cane_gane.data.network import TextualNetwork
from cane_gane.errors import InputError
from cane_gane.files import write_csv
from cane_gane.methods import gane
from cane_gane.methods.gane import WANE, set_up
from cane_gane.models.settings import ModelSettings
from cane_gane.models.start import tables
from cane_gane.runs.folder import RunFolder
from cane_gane.training import loop
from cane_gane.training.checkpoints import Checkpoints, Place

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


def test_the_start_of_a_large_network_is_not_computed_again(fit, tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "LARGE", 1)
    whole = fit(tmp_path / "whole", 1)

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(loop, "train", killed)
        with pytest.raises(KeyboardInterrupt):
            fit(tmp_path / "killed", 1)
    monkeypatch.setattr(gane, "start", None)
    resumed = fit(tmp_path / "killed", 1)
    np.testing.assert_array_equal(resumed.vectors, whole.vectors)
    np.testing.assert_array_equal(resumed.start.vectors, whole.start.vectors)
    assert losses(tmp_path / "killed") == losses(tmp_path / "whole")


def newest(folder):
    """Returns the files of the checkpoints, the newest first."""
    return sorted((folder / "checkpoints").iterdir(), reverse=True)


def test_without_checkpoints_it_starts_anew(fit, undisturbed, tmp_path):
    fit(tmp_path, 2)
    for path in newest(tmp_path):
        path.unlink()
    false = [
        {"epoch": i, "loss": 9.0, "validation_auc": 1, "seconds": 1.0} for i in "12"
    ]
    write_csv(tmp_path / "history.csv", false)
    assert same(fit(tmp_path, 4), tmp_path, undisturbed)


def test_a_start_that_has_changed_is_refused(fit, tmp_path):
    fit(tmp_path, 1)
    np.save(tmp_path / "start.npy", np.zeros(3, np.float32))
    with pytest.raises(InputError, match=r"start\.npy: found other content"):
        fit(tmp_path, 2)


@pytest.mark.parametrize("spoilt", [1, 2])
def test_a_damaged_checkpoint_falls_back_to_the_one_before(
    fit, undisturbed, tmp_path, capfd, spoilt
):
    shutil.copytree(undisturbed[0], tmp_path, dirs_exist_ok=True)
    before = [path.name for path in newest(tmp_path)]
    for path in newest(tmp_path)[:spoilt]:
        path.write_bytes(path.read_bytes()[:-200])
    capfd.readouterr()
    assert same(fit(tmp_path, 4), tmp_path, undisturbed)
    said = [line for line in capfd.readouterr().err.splitlines() if "going on" in line]
    assert len(said) == 1
    assert f"{before[0]}: found a checkpoint that cannot be used" in said[0]
    assert said[0].endswith(f"going on from {before[spoilt]}")
    assert [path.name for path in newest(tmp_path)] == before


def test_where_none_can_be_read_the_newest_is_named(fit, tmp_path):
    fit(tmp_path, 2)
    for path in newest(tmp_path):
        path.write_bytes(b"")
    with pytest.raises(InputError, match=r"epoch-0002\.npz: found a checkpoint that"):
        fit(tmp_path, 2)


def test_checkpoints_of_an_earlier_version_are_refused(fit, tmp_path):
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "last.npz").write_bytes(b"PK")
    with pytest.raises(InputError, match=r"earlier version .* --overwrite"):
        fit(tmp_path, 2)


def test_those_of_another_run_are_refused(fit, split, tmp_path):
    settings = ModelSettings.make(**SETTINGS, epochs=1)
    WANE.fit(split, settings, 2, tmp_path)  # another seed
    with pytest.raises(InputError, match="it belongs to another run"):
        fit(tmp_path, 2)


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
    assert kept.load_newest(other) is None
    kept.save(Place(1), model, {"rows": [1]})
    assert kept.load_newest(other) == {"rows": [1]}
    found = [*other.trainable_variables, *other.optimizer.variables]
    for before, after in zip(variables, found, strict=True):
        np.testing.assert_array_equal(after.numpy(), before.numpy(), before.path)


def test_the_last_three_are_kept_and_the_best_of_each(build, tmp_path):
    kept, model = Checkpoints(tmp_path), build()
    found = {}
    for epoch, best in enumerate([1, 1, 3, 3, 3, 6, 6, 6, 6], 1):
        kept.save(Place(epoch), model, {}, Place(best))
        found[epoch] = [place.epochs for place in kept.places()]
    assert found[4] == [4, 3, 2, 1]
    assert found[5] == [5, 4, 3]
    assert found[7] == [7, 6, 5, 3]
    assert found[9] == [9, 8, 7, 6]


def test_places_are_in_the_order_of_training(build, tmp_path):
    kept, model = Checkpoints(tmp_path), build()
    places = [Place(9), Place(9, 5), Place(9, 40), Place(10), Place(10, 1)]
    for place in places:
        kept.save(place, model, {"at": place})
    assert kept.places() == places[:1:-1]
    assert kept.load_newest(model) == {"at": [10, 1]}


def test_without_its_best_a_checkpoint_is_of_no_use(build, tmp_path, capfd):
    kept, model = Checkpoints(tmp_path), build()
    kept.save(Place(1), model, {"epoch": 1}, Place(1))
    kept.save(Place(2), model, {"epoch": 2}, Place(2))
    kept.save(Place(3), model, {"epoch": 3}, Place(2))
    kept.path(Place(2)).unlink()
    assert kept.load_newest(model) == {"epoch": 1}
    assert "epoch-0002.npz: found" in capfd.readouterr().err


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


def with_other_values(path):
    with np.load(path) as content:
        kept = dict(content)
    key = next(key for key in kept if key.endswith("kernel"))
    np.savez(path, **{**kept, key: kept[key] + 1})


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
        without("record"),
        without("checksum"),
        with_other_values,
        without("kernel"),
        without("adam"),
        with_nan,
    ],
    ids=["empty", "text", "cut", "half", "one array", "no record", "no checksum",
         "other values", "no kernel", "no optimizer", "no numbers"],
)  # fmt: skip
def test_a_damaged_checkpoint_is_refused(build, tmp_path, spoil):
    kept, model = Checkpoints(tmp_path), build()
    kept.save(Place(1), model, {"rows": []})
    path = tmp_path / "epoch-0001.npz"
    spoil(path)
    with pytest.raises(InputError) as found:
        kept.load(Place(1), model)
    message = str(found.value)
    assert message.startswith(f"{path}: found a checkpoint that cannot be used")
    assert "--overwrite" in message
    assert "\n" not in message


def test_the_checkpoint_of_another_model_is_refused(build, tmp_path):
    kept = Checkpoints(tmp_path)
    kept.save(Place(1), build(6), {"rows": []})
    with pytest.raises(InputError, match=r"of another model.* --overwrite trains it"):
        kept.load_newest(build(8))


@pytest.mark.parametrize("stopped", [Place(0, 1), Place(2, 3)])
def test_an_epoch_that_was_cut_off_goes_on_where_it_was_kept(
    fit, undisturbed, tmp_path, monkeypatch, stopped
):
    """Kept after every step, and cut off after one that was kept."""
    monkeypatch.setattr(loop, "KEEP_SECONDS", 0)
    keep = Checkpoints.save

    def killed(self, place, *given):
        keep(self, place, *given)
        if place == stopped:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Checkpoints, "save", killed)
        with pytest.raises(KeyboardInterrupt):
            fit(tmp_path, 4)
    kept = Checkpoints(tmp_path / "checkpoints")
    assert kept.places()[0] == stopped
    assert same(fit(tmp_path, 4), tmp_path, undisturbed)
    assert kept.places()[0] == Place(4)


def test_an_epoch_is_kept_within_every_ten_minutes(fit, tmp_path, monkeypatch):
    """By a clock that goes on by 250 seconds with each look at it."""
    seen = []
    keep = Checkpoints.save
    monkeypatch.setattr(
        Checkpoints, "save", lambda *given: (seen.append(given[1]), keep(*given))
    )
    ticks = itertools.count(0.0, 250.0)
    clock = SimpleNamespace(perf_counter=lambda: next(ticks))
    monkeypatch.setattr(loop, "time", clock)
    fit(tmp_path, 1)
    within = [place.steps for place in seen if place.steps]
    assert within
    # Each look is one step: three make 750 seconds, and one more look ends a save.
    assert np.diff([0, *within]).tolist() == [3] * len(within)
