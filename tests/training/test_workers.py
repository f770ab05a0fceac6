"""Two workers take the steps of one process, also on tables that are kept by rows."""

import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

from cane_gane.errors import InputError
from cane_gane.models.words import Rows, leave_words_out
from cane_gane.training.workers.cluster import Cluster
from cane_gane.training.workers.step import summed_rows
from tests.launch import private_network
from tests.training.together import train

VARIANTS = ("wane", "cane")  # cane as upstream has it: texts are not trimmed


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """What each of two workers has after 50 steps, by variant."""
    home = tmp_path_factory.mktemp("workers")
    with private_network() as options:
        processes = [
            subprocess.Popen(
                [
                    sys.executable, "-m", "tests.training.together",
                    ",".join(one.addresses), str(one.index), home / str(one.index),
                    *VARIANTS,
                ],
                stderr=subprocess.PIPE, text=True, **options,
            )
            for one in Cluster.local(2)
        ]  # fmt: skip
        errors = [process.communicate(timeout=600)[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], errors
    return {
        variant: [dict(np.load(home / f"{i}-{variant}.npz")) for i in range(2)]
        for variant in ("talk", *VARIANTS)
    }


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_two_workers_take_the_steps_of_one_process(pair, variant):
    alone = train(variant)
    together, other = pair[variant]
    assert set(alone) == set(together)
    assert len(alone["losses"]) == 50
    for name, value in alone.items():
        np.testing.assert_allclose(
            together[name], value, rtol=1e-5, atol=1e-5, err_msg=name
        )
        np.testing.assert_array_equal(together[name], other[name], err_msg=name)


@pytest.mark.slow
def test_workers_take_the_values_of_the_chief_to_the_last_bit(pair):
    expected = np.array([-0.0, 1.5, 1e-40], np.float32)
    for one in pair["talk"]:
        assert one["collected"].tolist() == [10, 11]
        assert one["sent"].tobytes() == expected.tobytes()
        assert one["steps"] == 7


@pytest.mark.slow
def test_rounding_is_mended_and_drift_is_an_error_on_all_workers(pair):
    for one in pair["talk"]:
        assert one["mended"][1] == 1.5
        assert "values that differ by 0.001953 between workers" in str(one["drift"])


@pytest.mark.slow
def test_a_worker_with_other_data_is_refused_by_all(pair):
    for one in pair["talk"]:
        assert "found other data, settings or versions on worker 1" in str(
            one["refused"]
        )


def test_a_part_of_a_batch_loses_the_words_that_it_loses_in_the_whole():
    ids = tf.constant(np.random.default_rng(0).integers(1, 99, (9, 12)), tf.int32)
    whole = leave_words_out(ids, 0.5, tf.constant([1, 2])).numpy()
    at = tf.constant([2, 3, 7])
    part = leave_words_out(
        tf.gather(ids, at), 0.5, tf.constant([1, 2]), Rows(at, tf.constant(9))
    ).numpy()
    np.testing.assert_array_equal(part[:, : whole.shape[1]], whole[[2, 3, 7]])
    assert part.shape == (3, 12)
    assert not part[:, whole.shape[1] :].any()


def test_rows_that_repeat_are_sent_once():
    slices = tf.IndexedSlices(tf.constant([[1.0], [2.0], [4.0]]), [5, 2, 5], (9, 1))
    sent = summed_rows(slices)
    assert sent.indices.numpy().tolist() == [5, 2]
    assert sent.values.numpy().tolist() == [[5.0], [2.0]]


def test_a_cluster_comes_from_tf_config():
    text = (
        '{"cluster": {"chief": ["a:1"], "worker": ["b:2", "c:3"]}, '
        '"task": {"type": "worker", "index": 1}}'
    )
    found = Cluster.from_environment({"TF_CONFIG": text})
    assert found == Cluster(("a:1", "b:2", "c:3"), 2)
    assert Cluster.from_environment({"TF_CONFIG": found.tf_config()}) == found


@pytest.mark.parametrize(
    "text", ["", " {} ", '{"cluster": {"worker": ["a:1"]}, "task": {"index": 0}}']
)
def test_one_worker_is_no_cluster(text):
    assert Cluster.from_environment({"TF_CONFIG": text}) is None


@pytest.mark.parametrize(
    "text",
    [
        "x", "[]", '{"cluster": 3}',
        '{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"index": 2}}',
        '{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"index": -1}}',
        '{"cluster": {"worker": ["a", "b"]}, "task": {"index": 0}}',
        '{"cluster": {"worker": ["a:1", "b:2"], "ps": ["c:3"]}, "task": {"index": 0}}',
        '{"cluster": {"worker": ["a:1"]}, "task": {"type": "evaluator", "index": 0}}',
    ],
)  # fmt: skip
def test_another_tf_config_is_refused(text):
    with pytest.raises(InputError, match=r"found TF_CONFIG .*; expected .*cluster"):
        Cluster.from_environment({"TF_CONFIG": text})
