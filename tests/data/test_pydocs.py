"""The docstring reader, the naming of objects, and the network they make."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cane_gane.data import pydocs
from cane_gane.data.pydocs.docstrings import parse, plain
from cane_gane.data.pydocs.graph import assemble, largest_component
from cane_gane.data.pydocs.libraries import TOPICS, PublicObjects, name_objects
from cane_gane.errors import InputError

FILES = ("data.txt", "graph.txt", "group.txt", "ids.txt")
ROOT = Path(__file__).resolve().parents[2]

DOCSTRING = """
    svd(a, full_matrices=True,
        compute_uv=True)

    Singular Value Decomposition.

    .. versionadded:: 1.0
       With a remark.

    Factorizes `a` as ``u @ np.diag(s)``, by :math:`A^H A` [1]_::

        literal block

    >>> svd(doctest)
    doctest_output

    Parameters
    ----------
    a, b : array
        Given to `numpy.asarray`.

    See Also
    --------
    eig

    Notes
    -----
    Uses LAPACK.

    .. note:: Kept remark,
        on two lines.

    .. math::

        formula = 1

    ======  =====
    header  table
    ======  =====
    cell    cell
    ======  =====

    References
    ----------
    .. [1] Reference.

    Examples
    --------
    Example.
    """


def text_of(docstring: str) -> str:
    """Returns the words of a docstring none of whose names is a node."""
    paragraphs = parse(docstring).paragraphs
    return " ".join(plain(paragraph, lambda _: None)[0] for paragraph in paragraphs)


def see_also(entries: str) -> tuple[str, ...]:
    return parse(f"Summary.\n\nSee Also\n--------\n{entries}").see_also


def finder(*nodes: str) -> Callable[[str], str | None]:
    return lambda name: name if name in nodes else None


def objects(**docstrings: str) -> PublicObjects:
    """Returns objects of one module, `numpy`, each with a name and a docstring."""
    named = {f"numpy.{name}": text for name, text in docstrings.items()}
    return PublicObjects(named, {name: name for name in named})


def test_text_is_summary_and_notes() -> None:
    assert text_of(DOCSTRING) == (
        "singular value decomposition factorizes as by uses lapack "
        "kept remark on two lines"
    )


def test_details_hold_the_parameters() -> None:
    assert parse(DOCSTRING).details == ("a, b : array\nGiven to `numpy.asarray`.",)


def test_parameters_are_own_names() -> None:
    assert parse(DOCSTRING).own == {"a", "b"}


def test_heading_in_notes_is_no_section() -> None:
    assert "more words" in text_of(
        "Summary.\n\nNotes\n-----\nHeading\n---\nMore words."
    )


@pytest.mark.parametrize(
    ("entries", "names"),
    [
        ("eig : Eigenvalues.", ("eig",)),
        ("eig: Eigenvalues.", ("eig",)),
        ("eig, linalg.svd", ("eig", "linalg.svd")),
        ("eig, svd : Both.", ("eig", "svd")),
        ("eig,\n    svd : Both.", ("eig", "svd")),
        ("eig\n    The eigenvalues,\n    by name.\nsvd", ("eig", "svd")),
        (":func:`eig`, :func:`~numpy.svd`\n    ..", ("eig", "numpy.svd")),
        ("`eig` : Eigenvalues.", ("eig",)),
        (":class:`.Ridge` : Ridge.", ("Ridge",)),
        ("The functions of `numpy.linalg`.", ("numpy.linalg",)),
        ("    eig\n        Indented.", ("eig",)),
    ],
)
def test_see_also(entries: str, names: tuple[str, ...]) -> None:
    assert see_also(entries) == names


@pytest.mark.parametrize(
    "markup",
    [
        "`np.eig`",
        "``np.eig``",
        ":func:`np.eig`",
        ":py:func:`~np.eig`",
        ":func:`the eigenvalues <np.eig>`",
        "`np.eig()`",
    ],
)
def test_name_of_a_node_is_cut_and_mentioned(markup: str) -> None:
    assert plain(f"See {markup} too", finder("np.eig")) == ("see too", ["np.eig"])


@pytest.mark.parametrize("name", ["np.eig", "eig_banded", "KMeans", "``eig``"])
def test_name_without_backticks_is_cut_and_no_mention(name: str) -> None:
    nodes = finder("np.eig", "eig_banded", "KMeans", "eig")
    assert plain(f"See {name} too", nodes) == ("see too", [])


@pytest.mark.parametrize(
    ("markup", "words"),
    [
        ("`axis`", "axis"),
        ("``'full'``", "full"),
        ("``a + b``", ""),
        (":ref:`User Guide <guide>`", "user guide"),
        (":ref:`guide`", ""),
        (":term:`estimator`", "estimator"),
        (":math:`x^2`", ""),
        (":doi:`10.1/x`", ""),
        ("`SciPy <https://scipy.org>`_", "scipy"),
        ("https://scipy.org", ""),
        ("name@host.org", ""),
        ("[1]_", ""),
        ("**bold**", "bold"),
        ("x = 2.5e-3", ""),
    ],
)
def test_markup_becomes_words(markup: str, words: str) -> None:
    assert plain(markup, finder())[0] == words


@pytest.mark.parametrize(
    ("name", "home", "found"),
    [
        ("numpy.linalg.svd", "scipy.x", "numpy.linalg.svd"),
        ("np.linalg.svd", "scipy.x", "numpy.linalg.svd"),
        ("svd", "numpy.linalg.eig", "numpy.linalg.svd"),
        ("svd", "scipy.linalg.eig", "scipy.linalg.svd"),
        ("sort", "numpy.linalg.eig", "numpy.sort"),
        ("sort", "sklearn.svm.SVC", "numpy.sort"),
        ("linalg.svd", "scipy.stats.norm", "scipy.linalg.svd"),
        ("Rotation.inv", "scipy.spatial.X", "scipy.spatial.Rotation"),
        ("alias", "numpy.x", "numpy.sort"),
        ("svd", "numpy.sort", None),
    ],
)
def test_resolution_order(name: str, home: str, found: str | None) -> None:
    names = ["numpy.linalg.svd", "scipy.linalg.svd", "numpy.sort"]
    canonical = {name: name for name in [*names, "scipy.spatial.Rotation"]}
    known = PublicObjects({}, canonical | {"numpy.alias": "numpy.sort"})
    assert known.resolve(name, home) == found


@pytest.mark.parametrize(
    ("names", "canonical"),
    [
        (("numpy.f", "scipy.linalg.f"), "scipy.linalg.f"),
        (("scipy.linalg.f", "scipy.function"), "scipy.function"),
        (("scipy.longer", "scipy.short"), "scipy.short"),
        (("scipy.b", "scipy.a"), "scipy.a"),
    ],
)
def test_canonical_name(names: tuple[str, str], canonical: str) -> None:
    function = type("function", (), {"__doc__": "Doc.", "__module__": "scipy.inner"})
    named = name_objects((name, function) for name in names)
    assert named.canonical == dict.fromkeys(names, canonical)


def test_parameter_is_no_mention_of_a_namesake() -> None:
    known = objects(
        size="Counts the elements of an array.",
        zeros="Makes zeros as `size` says it.\n\nParameters\n---\nsize : int",
    )
    assert assemble(known)[1] == set()


def test_boilerplate_is_no_text() -> None:
    docstrings = {f"f{i}": f"Own words{i} of one node.\n\nShared." for i in range(11)}
    assert assemble(objects(**docstrings))[0]["numpy.f1"] == "own words1 of one node"


def test_bare_name_of_a_neighbour_is_cut() -> None:
    known = objects(
        brentq="Finds a root of some function.",
        brenth="Does it like brentq but with hyperbolas.\n\nSee Also\n---\nbrentq",
    )
    assert assemble(known)[0]["numpy.brenth"] == "does it like but with hyperbolas"


def test_node_of_few_words_is_dropped() -> None:
    assert assemble(objects(short="Too few words.")) == ({}, set())


def test_largest_component_of_equals_is_the_first() -> None:
    texts = dict.fromkeys("dcba", "text")
    edges = {("c", "d"), ("a", "b")}
    assert largest_component(texts, edges) == (
        {"a": "text", "b": "text"},
        {("a", "b")},
    )


def run(code: str, *flags: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *flags, "-c", code],
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        capture_output=True,
        text=True,
    )


def test_import_is_cheap() -> None:
    heavy = "{'numpy', 'scipy', 'sklearn', 'tensorflow'}"
    code = f"import sys, cane_gane.data.pydocs; print({heavy} & set(sys.modules))"
    assert run(code).stdout == "set()\n"


def test_refuses_python_without_docstrings(tmp_path: Path) -> None:
    code = (
        "import pathlib\n"
        "from cane_gane import errors; from cane_gane.data import pydocs\n"
        f"try: pydocs.build(pathlib.Path({str(tmp_path / 'out')!r}))\n"
        "except errors.InputError as error: print(error)"
    )
    assert "run it without -OO" in run(code, "-OO").stdout


def test_refusal_of_the_subprocess_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONOPTIMIZE", "2")
    with pytest.raises(InputError, match=r"\Apydocs: found Python without .*\Z"):
        pydocs.build(tmp_path / "out")


def test_failed_build_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONOPTIMIZE", "2")
    with pytest.raises(InputError):
        pydocs.build(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_refuses_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="expected a folder that can be written"):
        pydocs.build(tmp_path / "file" / "out")


def test_refuses_folder_with_other_files(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(InputError, match=r"thesis\.tex"):
        pydocs.build(tmp_path)


def test_warns_of_other_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(pydocs.EXPECTED_VERSIONS, "numpy", "0.0.1")
    monkeypatch.setattr(pydocs, "_run", lambda draft: None)
    pydocs.build(tmp_path / "out")
    assert "numpy 0.0.1" in caplog.text


def test_missing_folder_is_not_current(tmp_path: Path) -> None:
    assert not pydocs.is_current(tmp_path / "none")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pydocs") / "built"
    pydocs.build(folder)
    return folder


@pytest.fixture(scope="module")
def edges(built: Path) -> np.ndarray:
    return np.loadtxt(built / "graph.txt", dtype=int, delimiter="\t")


def lines(folder: Path, file: str) -> list[str]:
    return (folder / file).read_text(encoding="utf-8").removesuffix("\n").split("\n")


def digest(folder: Path) -> str:
    content = b"".join((folder / file).read_bytes() for file in FILES)
    return hashlib.sha256(content).hexdigest()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variable", "value"),
    [("PYTHONHASHSEED", "0"), ("PYTHONHASHSEED", "1"), ("SCIPY_ARRAY_API", "1")],
)
def test_environment_changes_no_byte(
    built: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
) -> None:
    monkeypatch.setenv(variable, value)
    pydocs.build(tmp_path / "again")
    assert digest(tmp_path / "again") == digest(built)


@pytest.mark.slow
def test_import_order_changes_no_byte(built: Path, tmp_path: Path) -> None:
    code = (
        "import warnings; warnings.simplefilter('ignore')\n"
        "import scipy.stats, sklearn.svm, sklearn.ensemble, sklearn.impute\n"
        "import sklearn.model_selection, scipy.fft, numpy.ma.mrecords\n"
        "import pathlib; from cane_gane.data import pydocs\n"
        f"pydocs.write(pathlib.Path({str(tmp_path / 'again')!r}))"
    )
    assert run(code).returncode == 0
    assert digest(tmp_path / "again") == digest(built)


@pytest.mark.slow
def test_size(built: Path, edges: np.ndarray) -> None:
    assert 1600 < len(lines(built, "ids.txt")) < 2100
    assert 3400 < len(edges) < 4600


@pytest.mark.slow
def test_files_are_of_one_length(built: Path) -> None:
    counts = {len(lines(built, file)) for file in FILES if file != "graph.txt"}
    assert len(counts) == 1


@pytest.mark.slow
def test_network_is_connected(built: Path, edges: np.ndarray) -> None:
    size = len(lines(built, "ids.txt"))
    adjacency = coo_array((np.ones(len(edges)), edges.T), shape=(size, size))
    assert connected_components(adjacency, directed=False)[0] == 1


@pytest.mark.slow
def test_edges_are_sorted_unique_and_no_loops(edges: np.ndarray) -> None:
    pairs = [tuple(edge) for edge in edges.tolist()]
    assert pairs == sorted(set(pairs))
    assert (edges[:, 0] < edges[:, 1]).all()


@pytest.mark.slow
def test_names_are_sorted_and_unique(built: Path) -> None:
    names = lines(built, "ids.txt")
    assert names == sorted(set(names))


@pytest.mark.slow
def test_texts_are_plain_words(built: Path) -> None:
    pattern = r"[\w'’-]+( [\w'’-]+){4,}"
    texts = lines(built, "data.txt")
    assert [text for text in texts if not re.fullmatch(pattern, text)] == []


@pytest.mark.slow
def test_all_ten_topics_have_nodes(built: Path) -> None:
    assert set(lines(built, "group.txt")) == set(TOPICS)


@pytest.mark.slow
def test_record(built: Path) -> None:
    record = json.loads((built / "versions.json").read_text(encoding="utf-8"))
    assert record["sha256"] == digest(built)
    assert set(record["versions"]) == {"numpy", "scipy", "scikit-learn", "python"}


@pytest.mark.slow
def test_fresh_build_is_current(built: Path) -> None:
    assert pydocs.is_current(built)


@pytest.mark.slow
def test_changed_byte_is_not_current(built: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(built, tmp_path / "copy")
    content = (copy / "data.txt").read_bytes()
    (copy / "data.txt").write_bytes(b"x" + content[1:])
    assert not pydocs.is_current(copy)


@pytest.mark.slow
def test_other_version_is_not_current(built: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(built, tmp_path / "copy")
    record = json.loads((copy / "versions.json").read_text(encoding="utf-8"))
    record["versions"]["numpy"] = "0.0.1"
    (copy / "versions.json").write_text(json.dumps(record), encoding="utf-8")
    assert not pydocs.is_current(copy)


@pytest.mark.slow
def test_rebuild_replaces_an_older_build(built: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(built, tmp_path / "copy")
    (copy / "data.txt").write_text("old\n", encoding="utf-8")
    pydocs.build(copy)
    assert pydocs.is_current(copy)
