"""Finding data sets: search order, downloads from loopback, what is said if none."""

import functools
import hashlib
import http.server
import socketserver
import threading
from pathlib import Path

import pytest

from cane_gane.data import catalog
from cane_gane.errors import InputError
from cane_gane.files import sha256

FILES = {"data.txt": b"red\nblue\n", "graph.txt": b"0\t1\n"}
REAL_HOME = catalog.home


@pytest.fixture(autouse=True)
def away_from_the_real_ones(tmp_path, monkeypatch):
    """A small `cora`, an empty home, and nothing beyond this machine."""
    digests = {
        "data.txt": sha256(FILES["data.txt"]),
        "graph.txt": "git:"
        + hashlib.sha1(b"blob %d\0" % 4 + FILES["graph.txt"]).hexdigest(),
    }
    monkeypatch.setattr(catalog, "PUBLISHED", {"cora": digests})
    monkeypatch.setattr(catalog, "home", lambda: tmp_path / "home")
    monkeypatch.setenv("CANE_DATASETS", "")
    monkeypatch.setenv("CANE_DATASETS_URL", "http://127.0.0.1:9")


def put(place, files=FILES):
    place.mkdir(parents=True)
    for name, content in files.items():
        (place / name).write_bytes(content)
    return place


@pytest.fixture
def serve(monkeypatch):
    """Serves on loopback by a handler and points downloads at it."""
    servers = []

    def start(handler):
        server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        servers.append((server, thread))
        address = f"http://127.0.0.1:{server.server_address[1]}"
        monkeypatch.setenv("CANE_DATASETS_URL", address)

    yield start
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def server(tmp_path, serve):
    """Serves a folder on loopback; notes what was asked for."""
    (tmp_path / "served").mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            requests.append(self.path)

    requests = []
    serve(functools.partial(Quiet, directory=str(tmp_path / "served")))
    return tmp_path / "served", requests


def test_the_projects_own_folder_comes_first(tmp_path, monkeypatch):
    home = put(tmp_path / "home" / "cora")
    put(tmp_path / "other" / "cora")
    monkeypatch.setenv("CANE_DATASETS", str(tmp_path / "other"))
    assert catalog.find_dataset("cora") == home


def test_the_search_path_is_taken_in_order(tmp_path, monkeypatch):
    first = put(tmp_path / "b" / "cora")
    put(tmp_path / "c" / "cora")
    path = ":".join(str(tmp_path / name) for name in "abc")
    monkeypatch.setenv("CANE_DATASETS", path)
    assert catalog.find_dataset("cora") == first


def test_a_folder_without_all_files_is_passed_over(tmp_path, monkeypatch):
    put(tmp_path / "a" / "cora", {"graph.txt": b""})
    whole = put(tmp_path / "b" / "cora")
    monkeypatch.setenv("CANE_DATASETS", f"{tmp_path / 'a'}:{tmp_path / 'b'}")
    assert catalog.find_dataset("cora") == whole


def test_names_are_known_in_any_case(tmp_path):
    folder = put(tmp_path / "home" / "cora")
    assert catalog.find_dataset("CORA") == folder


@pytest.mark.parametrize(
    ("name", "spelling"),
    [("Cora", "cora"), ("hepth", "HepTh"), ("PyDocs", "pydocs"), ("./Cora", "./Cora")],
)
def test_a_name_has_one_spelling(name, spelling):
    assert catalog.canonical_name(name) == spelling


def test_any_folder_is_taken_as_it_is(tmp_path):
    assert catalog.find_dataset(str(tmp_path)) == tmp_path


def test_a_path_is_a_folder_whatever_it_is_called(tmp_path, monkeypatch):
    put(tmp_path / "Cora")
    monkeypatch.chdir(tmp_path)
    assert catalog.load(Path("Cora")).source == "Cora"


def test_a_named_network_is_loaded_under_the_catalogs_spelling(tmp_path):
    put(tmp_path / "home" / "cora")
    network = catalog.load("CORA")
    assert network.texts == ["red", "blue"]
    assert network.source == "cora"


def test_a_folder_is_loaded_under_the_path_given(tmp_path, monkeypatch):
    put(tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    assert catalog.load("./mine/").source == "./mine/"


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(
        InputError,
        match=r"no folder 'citeseer'; expected one of pydocs.* describes it$",
    ):
        catalog.find_dataset("citeseer")


@pytest.mark.parametrize(
    ("name", "meant"), [("croa", "cora"), ("HepT", "HepTh"), ("pydoc", "pydocs")]
)
def test_the_nearest_name_is_suggested(name, meant):
    with pytest.raises(InputError, match=rf"'{name}'; .*: did you mean '{meant}'\?$"):
        catalog.find_dataset(name)


def test_a_download_lands_whole_in_the_projects_folder(server, tmp_path):
    put(server[0] / "cora")
    folder = catalog.find_dataset("cora")
    assert folder == tmp_path / "home" / "cora"
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == FILES


def test_a_second_start_does_not_download_again(server):
    put(server[0] / "cora")
    catalog.find_dataset("cora")
    catalog.find_dataset("cora")
    assert len(server[1]) == len(FILES)


def test_several_starts_at_once_download_once(server):
    put(server[0] / "cora")
    threads = [
        threading.Thread(target=catalog.find_dataset, args=["cora"]) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(server[1]) == len(FILES)


@pytest.mark.parametrize("file", FILES)
def test_a_download_with_another_digest_is_refused_and_not_kept(server, tmp_path, file):
    put(server[0] / "cora", {**FILES, file: b"a page of a captive portal"})
    with pytest.raises(InputError, match=rf"cora/{file}: found a download of 26 bytes"):
        catalog.find_dataset("cora")
    assert file not in [p.name for p in (tmp_path / "home").rglob("*")]


def test_a_download_adds_what_is_missing_and_keeps_the_rest(server, tmp_path):
    put(server[0] / "cora")
    own = {"data.txt": FILES["data.txt"], "thesis.tex": b"years of work"}
    folder = put(tmp_path / "home" / "cora", own)
    assert catalog.find_dataset("cora") == folder
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == {**FILES, **own}
    assert server[1] == ["/cora/graph.txt"]


def test_the_folder_of_another_network_is_not_completed(server, tmp_path):
    put(server[0] / "cora")
    folder = put(tmp_path / "home" / "cora", {"graph.txt": b"0 0\n"})
    with pytest.raises(InputError, match=r"graph\.txt: found another file than the pu"):
        catalog.find_dataset("cora")
    assert [p.name for p in folder.iterdir()] == ["graph.txt"]


def test_a_missing_page_is_a_failed_download(server):
    with pytest.raises(InputError, match=r"download failed \(File not found\)"):
        catalog.find_dataset("cora")


OK = b"HTTP/1.1 200 OK\r\n"


def answering(answer):
    """A handler of connections that sends these bytes and hangs up."""

    class Answer(socketserver.BaseRequestHandler):
        def handle(self):
            self.request.recv(4096)
            self.request.sendall(answer)

    return Answer


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"", "Remote end closed connection without response"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "SSH-2.0-OpenSSH_9.2"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nred", "IncompleteRead"),
        (OK + b"X: 1\r\n" * 200 + b"\r\n", "got more than 100 headers"),
    ],
    ids=["nothing", "no HTTP", "bad chunk", "too many headers"],
)
def test_an_answer_that_is_no_http_is_a_failed_download(serve, answer, reason):
    serve(answering(answer))
    with pytest.raises(InputError, match=rf"download failed \(.*{reason}"):
        catalog.find_dataset("cora")


def test_a_download_that_is_cut_off_is_refused_and_kept_to_go_on_from(serve, tmp_path):
    serve(answering(OK + b"Content-Length: 9\r\n\r\nred\n"))
    with pytest.raises(InputError, match="cut off after 4 of 9 bytes"):
        catalog.find_dataset("cora")
    kept = [p.name for p in (tmp_path / "home" / "cora").iterdir()]
    assert kept == [".data.txt.part"]


def test_a_page_in_place_of_a_file_is_named(serve, tmp_path):
    serve(answering(OK + b"\r\n<html>Sign in</html>"))
    with pytest.raises(InputError, match=r"found a web page of 20 bytes"):
        catalog.find_dataset("cora")
    assert list((tmp_path / "home" / "cora").iterdir()) == []


def test_without_a_network_the_message_names_all_ways(tmp_path):
    with pytest.raises(InputError) as caught:
        catalog.find_dataset("cora")
    message = str(caught.value)
    for hint in ("network connection", "github.com/thunlp/CANE", "set CANE_DATASETS",
                 "The data set pydocs needs no download"):  # fmt: skip
        assert hint in message
    assert caught.value.exit_code == 2
    assert not (tmp_path / "home" / "cora").exists()


def test_a_checkout_keeps_its_data_sets_beside_run_sh(tmp_path, monkeypatch):
    monkeypatch.setattr(catalog, "ROOT", tmp_path)
    (tmp_path / "run.sh").touch()
    assert REAL_HOME() == tmp_path / "datasets"


@pytest.mark.parametrize(
    ("system", "caches", "expected"),
    [
        ("linux", "/caches", "/caches/cane_gane/datasets"),
        ("linux", "", "/me/.cache/cane_gane/datasets"),
        ("darwin", "/caches", "/me/Library/Caches/cane_gane/datasets"),
    ],
)
def test_an_installed_package_uses_the_users_caches(
    tmp_path, monkeypatch, system, caches, expected
):
    monkeypatch.setattr(catalog, "ROOT", tmp_path)
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setenv("HOME", "/me")
    monkeypatch.setenv("XDG_CACHE_HOME", caches)
    assert REAL_HOME() == Path(expected)


def test_dblp_comes_from_the_repository_that_published_it(monkeypatch):
    asked = []

    def read(address, part, is_whole):
        asked.append(address)
        raise OSError("no network")

    monkeypatch.setattr(catalog, "download", read)
    monkeypatch.delenv("CANE_DATASETS_URL")
    monkeypatch.setattr(catalog, "PUBLISHED", {"dblp": {"data.txt": "0" * 64}})
    with pytest.raises(InputError, match=r"datasets/dblp of github\.com/dylanz0426"):
        catalog.find_dataset("dblp")
    (address,) = asked
    assert "/dylanz0426/DMTE/63bbfd6" in address
    assert address.endswith("/datasets/dblp/data.txt")


def test_a_file_is_sent_to_import(tmp_path):
    (tmp_path / "mine.csv").touch()
    with pytest.raises(InputError, match=r"found a file, .*: bash run\.sh import"):
        catalog.find_dataset(tmp_path / "mine.csv")
