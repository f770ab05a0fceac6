"""Memory that methods foresee, beside what numpy was seen to take."""

import tracemalloc

import pytest

import cane_gane
from cane_gane.__main__ import main
from cane_gane.errors import InputError
from cane_gane.methods import cene, dmte, line, mmb, skip_gram, tadw
from cane_gane.methods.registry import METHODS
from cane_gane.training.room import check_room

GB = 10**9
LARGE = {
    "mmb": (mmb._memory, {"groups": 300, "sweeps": 1}),
    "line": (line._memory, {"dimension": 2000, "epochs": 2}),
    "cene": (cene._memory, {"dimension": 1000, "epochs": 2}),
    "dmte": (dmte._memory, {"dimension": 1000, "epochs": 2}),
    "tadw": (tadw._memory, {"dimension": 2000, "sweeps": 1}),
    "deepwalk": (
        lambda split, own: skip_gram.walk_memory(split.network.node_count, own),
        {"walks": 200, "length": 50, "span": 1, "dimension": 8},
    ),
}


@pytest.fixture(scope="module")
def split(topics):
    return cane_gane.load(topics).split(0.6, seed=1)


@pytest.mark.parametrize("key", LARGE)
def test_what_is_foreseen_is_near_what_is_taken(key, split):
    """At the least, so that nothing is refused that could have been done."""
    memory, chosen = LARGE[key]
    settings = METHODS[key].settings.make(**chosen)
    METHODS[key].fit(split, METHODS[key].settings.make(), 1, None)  # imports are done
    tracemalloc.start()
    METHODS[key].fit(split, settings, 1, None)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken / 5 < memory(split, settings) < 1.1 * taken


@pytest.mark.parametrize(
    ("key", "chosen", "remedy"),
    [
        ("mmb", {"groups": 10_000, "absent": 1_000}, "--groups="),
        ("line", {"dimension": 10_000, "negatives": 10_000}, "--dimension="),
        ("tadw", {"dimension": 10_000}, "--dimension="),
        ("deepwalk", {"walks": 10_000, "length": 10_000}, "--walks="),
        ("naive", {"dimension": 10_000, "kernel_size": 100}, "--dimension="),
    ],
)
def test_large_settings_are_refused_with_what_fits(
    key, chosen, remedy, split, monkeypatch
):
    monkeypatch.setattr("cane_gane.training.room.available_memory", lambda: 0.5 * GB)
    with pytest.raises(InputError, match=rf"found 0\.5 GB .* {remedy}\d+ would fit"):
        cane_gane.fit(split, key, **chosen)


def test_what_nothing_mends_is_refused_too():
    settings = METHODS["mmb"].settings.make()
    with pytest.raises(InputError, match="take a larger machine"):
        check_room(lambda own: 2 * GB, settings, room=GB)


@pytest.mark.parametrize(
    ("method", "flags"),
    [
        ("ap", ["--dimension=10000", "--max_length=1000"]),
        ("wane", ["--dimension=10000"]),
        ("mmb", ["--groups=10000", "--absent=1000"]),
    ],
)
def test_a_refused_run_leaves_nothing_and_the_next_goes(
    method, flags, topics, tmp_path, monkeypatch, capfd
):
    monkeypatch.setattr("cane_gane.training.room.available_memory", lambda: 0.2 * GB)
    monkeypatch.setattr("cane_gane.training.forecast.available_memory", lambda: GB)
    words = [topics, "0.6", method, f"--runs_dir={tmp_path}", *flags]
    assert main([*map(str, words)]) == 2
    last = capfd.readouterr().err.splitlines()[-1]
    assert "GB of free memory; expected about" in last
    assert "would fit" in last
    assert not list(tmp_path.glob("topics*"))
