"""The CANE model against upstream's graph, and against plain formulas of any size."""

import io
import json

import numpy as np
import pytest
import tensorflow as tf

from cane_gane.__main__ import main
from cane_gane.errors import InputError
from cane_gane.upstream.parity import compare
from tests.conftest import ROOT
from tests.training.test_optimizer import adam_by_hand

GOLDEN = ROOT / "tests" / "golden" / "golden_a.npz"


@pytest.fixture
def golden_copy(tmp_path):
    """Writes upstream's fixture with some of its arrays changed."""

    def write(**changes):
        with np.load(GOLDEN) as file:
            arrays = {**{key: file[key] for key in file.files}, **changes}
        path = tmp_path / "changed.npz"
        np.savez(path, **{k: v for k, v in arrays.items() if v is not None})
        return path

    return write


def test_every_quantity_is_upstreams(golden_copy, capsys):
    assert main(["parity", str(golden_copy())]) == 0
    assert capsys.readouterr().out.count("rho133") == 11


@pytest.mark.parametrize(
    "key", ["out_convB", "grad_rho133_W2", "adam3_rho111_text_embed", "loss_rho111"]
)
def test_a_quantity_that_is_off_fails(golden_copy, capsys, key):
    with np.load(GOLDEN) as file:
        changed = file[key] * 1.001
    assert main(["parity", str(golden_copy(**{key: changed}))]) == 1
    assert "too far" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"in_Text_b": None}, "found no key 'in_Text_b'; expected it with shape "),
        (
            {"in_Node_a": np.zeros(3)},
            r"'in_Node_a' of shape \[3\]; expected shape \[4\]",
        ),
        ({"meta": None}, "found no key 'meta'"),
        ({"meta": np.array("{}")}, "found no rho in 'meta'"),
        ({"meta": np.array("[]")}, "found no key 'meta'"),
        ({"meta": np.array('{"rho": 3}')}, "found no key 'grad_rho_text_embed'"),
        ({"var_text_embed": None}, "found no matrix 'var_text_embed'"),
        ({"var_node_embed": np.zeros((0, 200))}, "found an empty 'var_node_embed'"),
        ({"in_Text_a": np.zeros((4, 1), int)}, "found texts of one word; expected two"),
        ({"in_Node_b": np.full(4, 99)}, r"ids from 99 to 99 in 'in_Node_b'; expected"),
        ({"in_Node_b": np.full(4, -1)}, r"ids from -1 to -1 in 'in_Node_b'; expected"),
        ({"in_Node_b": np.zeros(4)}, "'in_Node_b' of float64; expected whole numbers"),
        ({"in_Node_b": np.array(list("abcd"))}, "'in_Node_b' of <U1; expected whole"),
        ({"loss_rho133": np.array("low")}, "'loss_rho133' of <U3; expected numbers"),
        ({"loss_rho133": np.array(1j)}, "'loss_rho133' of complex128; expected num"),
        ({"loss_rho133": np.array(None)}, "Object arrays cannot be loaded"),
    ],
)
def test_a_faulty_fixture_gets_a_clear_line(golden_copy, changes, message):
    with pytest.raises(InputError, match=message):
        compare(golden_copy(**changes))


def array_file():
    content = io.BytesIO()
    np.save(content, np.arange(3))
    return content.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello",
        GOLDEN.read_bytes()[:-100],
        array_file(),
        b"PK\x05\x06" + bytes(18),
    ],
    ids=["empty", "text", "cut", "one array", "no array"],
)
def test_a_file_that_is_no_fixture_gets_one_line(tmp_path, capsys, content):
    (tmp_path / "x.npz").write_bytes(content)
    assert main(["parity", str(tmp_path / "x.npz")]) == 2
    error = capsys.readouterr().err
    assert f"{tmp_path / 'x.npz'}: found " in error
    assert error.count("\n") == 1


def test_a_missing_file_gets_one_line(tmp_path, capsys):
    assert main(["parity", str(tmp_path / "none.npz")]) == 2
    error = capsys.readouterr().err
    assert "found no such file" in error
    assert error.count("\n") == 1


def plain_cane(variables, inputs, rho):
    """CANE's eight terms, weighted and summed, written out in one place."""
    words, nodes, kernel, affinity = variables
    nodes = tf.clip_by_norm(nodes, 1.0, axes=1)
    h = {}
    for side in ("a", "b", "neg"):
        x = tf.gather(words, inputs[f"in_Text_{side}"])
        h[side] = tf.tanh(x[:, :-1] @ kernel[0, :, 0] + x[:, 1:] @ kernel[1, :, 0])
    near = tf.tanh(tf.einsum("bif,fg,bjg->bij", h["a"], affinity, h["b"]))
    far = tf.tanh(tf.einsum("bif,fg,bjg->bij", h["a"], affinity, h["neg"]))
    weights = {"a": tf.reduce_mean(near, 2), "b": tf.reduce_mean(near, 1)}
    weights["neg"] = tf.reduce_mean(far, 1)
    z = {s: tf.einsum("bi,bif->bf", tf.nn.softmax(weights[s]), h[s]) for s in h}
    n = {s: tf.gather(nodes, inputs[f"in_Node_{s}"]) for s in h}
    pairs = [
        (z["a"], z["b"]), (z["a"], z["neg"]), (n["a"], n["b"]), (n["a"], n["neg"]),
        (z["b"], n["a"]), (z["neg"], n["a"]), (n["b"], z["a"]), (n["b"], z["neg"]),
    ]  # fmt: skip
    signs = [1, -1] * 4
    p = [
        tf.math.log(tf.sigmoid(sign * tf.reduce_sum(x * y, 1)) + 0.001)
        for sign, (x, y) in zip(signs, pairs, strict=True)
    ]
    weights = np.repeat([rho[0], rho[1], rho[2], rho[2]], 2)
    return -tf.reduce_sum(tf.stack(p) * weights[:, None]), p, z, n


def write_plain_fixture(path, batch=3, length=7, vocab=11, node_count=5, size=6):
    generator = np.random.default_rng(0)
    shapes = {
        "text_embed": (vocab, size),
        "node_embed": (node_count, size),
        "W2": (2, size, 1, size),
        "rand_matrix": (size, size),
    }
    values = {k: generator.normal(size=s) * 0.6 for k, s in shapes.items()}
    arrays = {f"var_{k}": v for k, v in values.items()}
    for side in ("a", "b", "neg"):
        arrays[f"in_Text_{side}"] = generator.integers(0, vocab, (batch, length))
        arrays[f"in_Node_{side}"] = generator.integers(0, node_count, batch)
    rho = (0.7, 0.4, 0.2)
    losses, gradients, states = [], [], [values]
    for _ in range(4):
        variables = [tf.constant(v) for v in states[-1].values()]
        with tf.GradientTape() as tape:
            tape.watch(variables)
            loss, p, z, n = plain_cane(variables, arrays, rho)
        losses.append(float(loss))
        dense = [tf.convert_to_tensor(g) for g in tape.gradient(loss, variables)]
        gradients.append(dict(zip(shapes, (g.numpy() for g in dense), strict=True)))
        if len(losses) == 1:
            arrays["out_p1_to_p8"] = np.stack(p)
            for name, side in (("A", "a"), ("B", "b"), ("Neg", "neg")):
                arrays[f"out_conv{name}"] = z[side].numpy()
                arrays[f"out_N_{name.upper()}"] = n[side].numpy()
        states.append(
            {k: adam_by_hand(values[k], [g[k] for g in gradients]) for k in shapes}
        )
    for k in shapes:
        arrays[f"grad_rho_{k}"] = gradients[0][k]
        arrays[f"adam3_rho_{k}"] = states[3][k]
    arrays |= {"loss_rho": losses[0], "adam_losses_rho": losses[:3]}
    arrays |= {"adam3_rho_loss_after": losses[3]}
    arrays["meta"] = json.dumps({"rho": ",".join(map(str, rho))})
    np.savez(path, **arrays)


def test_a_fixture_of_other_sizes_is_met(tmp_path):
    write_plain_fixture(tmp_path / "small.npz")
    rows = compare(tmp_path / "small.npz")
    assert len(rows) == 18
    assert [row.quantity for row in rows if not row.ok] == []
