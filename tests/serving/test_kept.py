"""What is kept in a folder: once computed, checked, thrown away with its model."""

import numpy as np

from cane_gane.serving.kept import Kept


class Counted:
    """Computes something, and counts how often."""

    def __init__(self, value):
        self.value, self.times = value, 0

    def __call__(self):
        self.times += 1
        return {"x": np.arange(self.value)}


def test_what_is_kept_is_computed_once(tmp_path):
    build = Counted(5)
    for _ in range(2):
        found = Kept(tmp_path / "kept", "model").arrays("numbers", build)
        assert found["x"].tolist() == [0, 1, 2, 3, 4]
    assert build.times == 1


def test_a_damaged_file_is_computed_anew(tmp_path):
    build = Counted(5)
    Kept(tmp_path, "model").arrays("numbers", build)
    path = tmp_path / "numbers.npz"
    path.write_bytes(path.read_bytes()[:-9] + b"disturbed")
    assert Kept(tmp_path, "model").arrays("numbers", build)["x"].tolist() == [*range(5)]
    assert build.times == 2


def test_a_damaged_record_counts_for_none(tmp_path):
    build = Counted(5)
    Kept(tmp_path, "model").arrays("numbers", build)
    (tmp_path / "kept.json").write_text("{")
    Kept(tmp_path, "model").arrays("numbers", build)
    assert build.times == 2


def test_the_files_of_another_model_are_thrown_away(tmp_path):
    Kept(tmp_path, "old").arrays("left", Counted(3))
    assert Kept(tmp_path, "new").arrays("numbers", Counted(4))["x"].size == 4
    assert not (tmp_path / "left.npz").exists()


def test_without_a_folder_nothing_is_kept():
    build = Counted(2)
    kept = Kept(None, "")
    kept.arrays("numbers", build)
    kept.arrays("numbers", build)
    assert build.times == 2
