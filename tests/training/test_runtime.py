"""How TensorFlow is started: what is known before it is imported."""

import os
import subprocess
import sys

import pytest

from cane_gane.training.runtime import core_count
from tests.conftest import ROOT


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no affinity here")
def test_cores_are_those_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {1, 3, 4})
    assert core_count() == 3


def test_cores_are_counted_where_there_is_no_affinity(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    assert core_count() == 5


@pytest.mark.parametrize(
    "module", ["training.runtime", "models.settings", "training", "serving", "models"]
)
def test_a_module_can_be_imported_without_tensorflow(module):
    code = f"import sys, cane_gane.{module}; sys.exit('tensorflow' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
