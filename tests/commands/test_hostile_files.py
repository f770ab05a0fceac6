"""Every file that a command reads, in every hostile form."""

import shutil

import pytest

from tests.commands.hostile import FILES, attempt, begin, put
from tests.commands.test_limits import WORK
from tests.docs.pages import tries_of

NETWORK = ("data.txt", "graph.txt", "group.txt", "ids.txt")
VECTORS = ("graph.txt", "test_graph.txt", "embed.txt")
TABLES = ("table.csv", "table.tsv", "table")
OF_TEXTS = ("recommend", "embed")
LARGE = 100_000_000  # bytes
READERS = {
    "inspect": ["inspect", "FOLDER"],
    "split": ["split", "FOLDER", "0.5"],
    "train": ["train", "FOLDER", "0.5", "ap"],
    "evaluate": ["evaluate", "VECTORS", "--dataset=FOLDER"],
}


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """No work is begun but that of reading."""
    monkeypatch.chdir(tmp_path)
    for command in ("train", "recommend", "table"):
        monkeypatch.setattr(WORK[command][0], begin)
    monkeypatch.setattr("cane_gane.runs.vectors.evaluate", begin)
    monkeypatch.setattr("cane_gane.runs.vectors.fit_baselines", lambda split: {})
    return tmp_path


def make_vectors(folder):
    folder.mkdir()
    (folder / "graph.txt").write_text("0 1\n1 2\n")
    (folder / "test_graph.txt").write_text("0 2\n")
    (folder / "embed.txt").write_text("1 2\n3 4\n5 6\n")


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("kind", FILES)
def test_a_file_of_a_network(place, command, kind):
    make_vectors(place / "vectors")
    for name in NETWORK:
        folder = place / name.removesuffix(".txt")
        folder.mkdir()
        (folder / "data.txt").write_text("red fox\nblue sea\nred sea\n")
        (folder / "graph.txt").write_text("0 1\n1 2\n0 2\n")
        put(kind, folder / name)
        words = [
            word.replace("FOLDER", str(folder)).replace("VECTORS", "vectors")
            for word in READERS[command]
        ]
        attempt(*words, watched=place)
        shutil.rmtree(folder)


@pytest.mark.parametrize("kind", FILES)
def test_a_file_of_vectors(place, kind):
    for name in VECTORS:
        folder = place / name.removesuffix(".txt")
        make_vectors(folder)
        put(kind, folder / name)
        attempt("evaluate", folder, watched=place)
        shutil.rmtree(folder)


@pytest.mark.parametrize("command", OF_TEXTS)
@pytest.mark.parametrize("kind", FILES)
def test_a_file_of_texts(place, command, kind):
    put(kind, place / "texts")
    attempt(command, "run", "--file=texts", watched=place)


@pytest.mark.parametrize("kind", FILES)
def test_a_table_to_import(place, kind):
    (place / "nodes.csv").write_text("id,text,links\n0,red fox,1\n1,blue sea,0\n")
    for name in TABLES:
        put(kind, place / name)
        attempt("import", name, "folder", watched=place)
        attempt("import", "nodes.csv", "other", f"--edges={name}", watched=place)
        for folder in ("folder", "other"):
            shutil.rmtree(place / folder, ignore_errors=True)


@pytest.mark.parametrize("kind", FILES)
def test_a_fixture_of_parity(place, kind):
    put(kind, place / "golden.npz")
    assert attempt("parity", "golden.npz", watched=place)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*NETWORK, "embed.txt", "table.csv"])
def test_a_line_of_100_megabytes(place, name):
    make_vectors(place / "vectors")
    (place / "vectors" / "data.txt").write_text("red fox\nblue sea\nred sea\n")
    (place / "vectors" / name).write_bytes(b"x" * LARGE + b"\n")
    words = {
        "embed.txt": ["evaluate", "vectors"],
        "table.csv": ["import", "vectors/table.csv", "folder"],
    }
    assert attempt(*words.get(name, ["inspect", "vectors"]), watched=place)


def test_tries_are_as_many_as_the_documents_say():
    small, large = tries_of("tests/commands/test_hostile_files.py").items()
    files = len(NETWORK) * len(READERS) + len(VECTORS) + len(OF_TEXTS)
    files += 2 * len(TABLES) + 1  # as nodes and as edges; a fixture of parity
    assert f" {len(FILES)} forms" in small[0]
    assert small[1] == files * len(FILES)
    assert large[1] == len(NETWORK) + 2
