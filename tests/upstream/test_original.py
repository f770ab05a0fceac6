"""Upstream's entry points run unmodified, are followed, stopped and gone on with."""

import contextlib
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cane_gane.data.vectors import read_embeddings
from cane_gane.errors import InputError
from cane_gane.runs.config import Config
from cane_gane.runs.folder import RunFolder
from cane_gane.runs.process import Ledger
from cane_gane.upstream.checkout import Checkout
from cane_gane.upstream.original import LOG, STATE, Original
from cane_gane.upstream.progress import parse_epoch
from cane_gane.upstream.standins import VocabularyProcessor
from cane_gane.upstream.watch import read_rows
from tests.conftest import ROOT
from tests.upstream.fake_upstream import FILES, write_checkout

EPOCHS = 4


def make(checkout, network, runs, **chosen):
    config = Config.make(
        dataset=str(network), ratio=0.6, method="cane", preset="upstream",
        **{"epochs": EPOCHS, **chosen},
    )  # fmt: skip
    folder = RunFolder(runs / "upstream-seed1")
    ledger = Ledger(runs / "usage.json")
    return Original(Checkout.read(checkout), config, folder, ledger), folder, ledger


@pytest.fixture(scope="module")
def finished(checkout, network, tmp_path_factory):
    original, folder, ledger = make(checkout, network, tmp_path_factory.mktemp("runs"))
    original.run()
    return folder, ledger


def running_commands():
    """Yields the command lines of all processes."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            yield path.read_bytes().decode(errors="replace")


def printed_losses(path):
    found = map(parse_epoch, path.read_text().splitlines())
    return [loss for _, loss in filter(None, found)]


def test_every_epoch_is_kept_with_its_loss_and_time(finished):
    folder, _ = finished
    rows = read_rows(folder.path / STATE)
    assert [row["epoch"] for row in rows] == [1, 2, 3, 4]
    losses = [row["loss"] for row in rows]
    np.testing.assert_allclose(losses, printed_losses(folder.path / LOG), rtol=1e-5)
    assert losses[-1] < losses[0]
    assert min(row["seconds"] for row in rows) > 0


def test_text_vectors_are_means_over_the_last_batches(finished, network):
    folder, _ = finished
    with np.load(folder.path / STATE) as content:
        words = content["value_0"]
        edges = content["edges"]
    structure = read_embeddings(folder.path / "embed_structure.txt")
    both = read_embeddings(folder.path / "embed.txt")
    np.testing.assert_array_equal(both[:, :4], structure)
    # The fake's text vector of a node is the mean of its words, whatever the edge.
    whole = edges[: len(edges) // 64 * 64]
    present = np.unique(whole)
    assert np.isfinite(both[present]).all()
    assert np.isnan(np.delete(both, present, axis=0)).all()
    lines = (network / "data.txt").read_bytes().splitlines(keepends=True)
    tokens = [str(line) for line in lines]
    ids = np.array(list(VocabularyProcessor(16).fit_transform(tokens)))
    wanted = words[ids].mean(axis=1)
    np.testing.assert_allclose(both[present, 4:], wanted[present], atol=1e-6)


def strict_places(folder, network, name):
    """Returns the place of each target among all nodes that are no neighbours."""
    vectors = np.nan_to_num(read_embeddings(folder.path / name).astype(np.float64))
    scores = vectors @ vectors.T
    train, test, edges = (
        {tuple(edge) for edge in np.loadtxt(path, np.int64).tolist()}
        for path in (
            folder.path / "graph.txt",
            folder.path / "test_graph.txt",
            network / "graph.txt",
        )
    )
    near = edges | {(b, a) for a, b in edges}
    places = []
    for source, target in test:
        if source == target or {(source, target), (target, source)} & train:
            continue
        rivals = [
            scores[source, node] - scores[source, target]
            for node in range(len(scores))
            if node != source and (source, node) not in near
        ]
        ties = np.isclose(rivals, 0, atol=1e-9)
        places.append(1 + (np.array(rivals)[~ties] > 0).sum() + ties.sum() / 2)
    return np.array(places)


def test_figures_are_those_of_the_vectors(finished, network):
    folder, ledger = finished
    found = folder.evaluation()
    assert set(found.link_prediction) == {
        "upstream", "strict", "all_edges", "hard", "no_self_loops"
    }  # fmt: skip
    for protocol in found.link_prediction.values():
        assert set(protocol.vectors) == {"structure", "text", "both"}
        # Upstream is scored as it scores itself.
        assert protocol.auc == pytest.approx(protocol.vectors["structure"].auc)
        assert protocol.mrr == pytest.approx(protocol.vectors["structure"].mrr)
    parts = found.link_prediction["strict"].vectors
    for name, file in (("structure", "embed_structure.txt"), ("both", "embed.txt")):
        places = strict_places(folder, network, file)
        assert parts[name].scored == len(places)
        assert parts[name].mrr == pytest.approx(np.mean(1 / places))
        assert parts[name].hits_at_10 == pytest.approx(np.mean(places <= 10))
    assert 0 <= found.printed_auc <= 1
    used = ledger.of("upstream-seed1")
    assert used.memory > 100e6
    assert used.seconds > 0


def test_a_finished_run_is_not_run_again(finished, checkout, network):
    folder, ledger = finished
    before = ledger.of("upstream-seed1")
    make(checkout, network, folder.path.parent)[0].run()
    assert ledger.of("upstream-seed1") == before


def test_other_epochs_do_not_go_into_the_same_folder(finished, checkout, network):
    folder, _ = finished
    other, _, _ = make(checkout, network, folder.path.parent, epochs=5)
    with pytest.raises(InputError, match=r"found a run with epochs 4 \(now 5\)"):
        other.run()


def test_other_code_does_not_go_into_the_same_folder(finished, network, tmp_path):
    folder, _ = finished
    changed = write_checkout(tmp_path, auc="print('Auc value: 1')")
    other, _, _ = make(changed, network, folder.path.parent)
    with pytest.raises(InputError, match="found a run of other code"):
        other.run()


@pytest.mark.slow
def test_a_stopped_run_ends_as_if_undisturbed(finished, network, tmp_path):
    # Stops as by Ctrl-C, once, when the third epoch begins.
    stop = "\n".join(
        [
            FILES["DataSet.py"],
            "import os",
            "make = dataSet.generate_batches",
            "def stopping(self, mode=None):",
            "    dataSet.calls = getattr(dataSet, 'calls', 0) + 1",
            "    if dataSet.calls == 3 and not os.path.exists('stopped'):",
            "        open('stopped', 'w').close()",
            "        raise KeyboardInterrupt",
            "    return make(self, mode)",
            "dataSet.generate_batches = stopping",
        ]
    )
    changed = write_checkout(tmp_path / "fake", DataSet=stop)
    original, folder, _ = make(changed, network, tmp_path / "runs")
    with pytest.raises(InputError, match=r"train\.py ended with exit code"):
        original.run()
    assert len(read_rows(folder.path / STATE)) == 2
    original.run()
    undisturbed, _ = finished
    for name in ("embed.txt", "embed_structure.txt"):
        ours, theirs = (folder.path / name, undisturbed.path / name)
        assert ours.read_bytes() == theirs.read_bytes()
    losses = [
        [row["loss"] for row in read_rows(one.path / STATE)]
        for one in (folder, undisturbed)
    ]
    assert losses[0] == losses[1]


def test_code_that_fails_gets_one_line_with_its_log(network, tmp_path):
    broken = write_checkout(tmp_path / "fake", train="raise RuntimeError('no luck')")
    original, folder, _ = make(broken, network, tmp_path / "runs")
    with pytest.raises(InputError, match=r"exit code 1 \(RuntimeError: no luck\)"):
        original.run()
    assert "no luck" in (folder.path / LOG).read_text()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_command_and_child(checkout, network, tmp_path, number):
    command = [
        "env", "--default-signal=INT",  # a shell's background jobs ignore it
        sys.executable, "-m", "cane_gane", "compare", str(network), "0.6",
        f"--upstream={checkout}", "--epochs=100000", f"--runs_dir={tmp_path}",
    ]  # fmt: skip
    with subprocess.Popen(
        command, cwd=ROOT, stderr=subprocess.PIPE, text=True
    ) as process:
        for line in process.stderr:
            if " epoch   3/" in line:
                process.send_signal(number)
                break
        rest = process.stderr.read()
    assert process.returncode == 130
    last = rest.splitlines()[-1]
    kept = tmp_path / "compare-topics-0.6"
    assert last.startswith(
        f"cane_gane: stopped; {kept} keeps 0 finished runs; continue with "
    )
    assert last.endswith(shlex.join(["bash", "run.sh", *command[5:]]))
    folder = tmp_path / "compare-topics-0.6" / "upstream-seed1"
    assert len(read_rows(folder / STATE)) >= 2
    assert not (folder / "metrics.json").exists()
    assert not any(str(folder) in words for words in running_commands())
