"""Our CANE beside the real upstream code; needs CANE_UPSTREAM=FOLDER, a checkout."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cane_gane.__main__ import main
from cane_gane.methods.gane import set_up
from cane_gane.models.settings import ModelSettings
from cane_gane.sampling.batches import edge_batches
from cane_gane.upstream.checkout import Checkout
from cane_gane.upstream.original import SETTINGS
from cane_gane.upstream.progress import parse_epoch
from tests.conftest import ROOT
from tests.networks import write_topics

UPSTREAM = os.environ.get("CANE_UPSTREAM", "")
EPOCHS = 3


def train_upstream(work, epochs):
    """Runs upstream's train.py, from what an earlier call left; returns its losses."""
    command = [
        sys.executable, "-m", "cane_gane.upstream.child", "--seed=1",
        f"--epochs={epochs}", f"--state={work / 'state.npz'}",
        f"--text={work / 'text.npz'}",
        "train.py", "--dataset", "HepTh", "--rho", "1.0,0.3,0.3",
    ]  # fmt: skip
    done = subprocess.run(
        command,
        cwd=work / "code",
        env={**os.environ, **SETTINGS, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [loss for _, loss in filter(None, map(parse_epoch, done.stdout.split("\n")))]


@pytest.mark.slow
@pytest.mark.skipif(not UPSTREAM, reason="CANE_UPSTREAM names no checkout")
def test_our_losses_follow_upstreams_own(published, tmp_path):
    split = published("HepTh").split(0.55, "upstream", seed=1)
    Checkout.read(Path(UPSTREAM)).copy_to(tmp_path, split, "HepTh")
    assert train_upstream(tmp_path, 0) == []
    with np.load(tmp_path / "state.npz") as content:
        start = [content[f"value_{i}"] for i in range(4)]
    theirs = train_upstream(tmp_path, EPOCHS)

    settings = ModelSettings.make(preset="upstream", epochs=EPOCHS)
    inputs, model = set_up("cane", split, settings, seed=1)
    ours = [model.words, model.structure, model.encoder.kernel, model.encoder.affinity]
    for variable, value in zip(ours, start, strict=True):
        variable.assign(value.reshape(variable.shape))
    sampler = inputs.sampler
    history = model.fit(
        edge_batches(inputs.texts, sampler, trim=False),
        epochs=EPOCHS,
        steps_per_epoch=sampler.steps,
        shuffle=False,
        verbose=0,
    )
    edges = sampler.steps * sampler.batch_size
    sums = np.array(history.history["loss"]) * edges
    print(f"upstream {theirs}, ours {sums.tolist()}")
    np.testing.assert_allclose(sums, theirs, rtol=1e-3)


@pytest.mark.slow
@pytest.mark.skipif(not UPSTREAM, reason="CANE_UPSTREAM names no checkout")
def test_upstreams_auc_runs_on_our_run_folder(tmp_path):
    network = write_topics(tmp_path / "topics")
    settings = ["--epochs=1", "--dimension=8", f"--runs_dir={tmp_path}"]
    assert main(["train", str(network), "0.6", "wane", *settings]) == 0
    folder = tmp_path / "topics-0.6-wane-seed1"
    (tmp_path / "temp").symlink_to(folder)
    script = Path(UPSTREAM).resolve() / "code" / "auc.py"
    draws = []
    for _ in range(10):
        done = subprocess.run(
            [sys.executable, str(script)],
            cwd=tmp_path, capture_output=True, text=True, check=True,
        )  # fmt: skip
        draws.append(float(done.stdout.removeprefix("Auc value:")))
    metrics = json.loads((folder / "metrics.json").read_text())
    ours = metrics["link_prediction"]["upstream"]["vectors"]["both"]
    error = ours["draws"]["std"] / np.sqrt(len(draws))
    assert abs(np.mean(draws) - ours["auc"]) < 5 * error
