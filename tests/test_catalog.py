"""Finding data sets: search order, downloads from loopback, what is said if none."""

import functools
import hashlib
import http.server
import threading

import pytest

from cane_gane import catalog
from cane_gane.errors import InputError
from cane_gane.files import sha256

FILES = {"data.txt": b"red\nblue\n", "graph.txt": b"0\t1\n"}


@pytest.fixture(autouse=True)
def away_from_the_real_ones(tmp_path, monkeypatch):
    """A small `cora`, an empty home, and nothing beyond this machine."""
    digests = {
        "data.txt": sha256(FILES["data.txt"]),
        "graph.txt": "git:"
        + hashlib.sha1(b"blob %d\0" % 4 + FILES["graph.txt"]).hexdigest(),
    }
    monkeypatch.setattr(catalog, "PUBLISHED", {"cora": digests})
    monkeypatch.setattr(catalog, "HOME", tmp_path / "home")
    monkeypatch.setenv("CANE_DATASETS", "")
    monkeypatch.setenv("CANE_DATASETS_URL", "http://127.0.0.1:9")


def put(place, files=FILES):
    place.mkdir(parents=True)
    for name, content in files.items():
        (place / name).write_bytes(content)
    return place


@pytest.fixture
def server(tmp_path, monkeypatch):
    """Serves a folder on loopback and points downloads at it."""
    (tmp_path / "served").mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            requests.append(self.path)

    requests = []
    handler = functools.partial(Quiet, directory=str(tmp_path / "served"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever)
        thread.start()
        address = f"http://127.0.0.1:{httpd.server_address[1]}"
        monkeypatch.setenv("CANE_DATASETS_URL", address)
        yield tmp_path / "served", requests
        httpd.shutdown()
        thread.join()


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


def test_any_folder_is_taken_as_it_is(tmp_path):
    assert catalog.find_dataset(str(tmp_path)) == tmp_path


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(
        InputError, match="no folder 'citeseer'; expected one of pydocs"
    ):
        catalog.find_dataset("citeseer")


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
def test_a_download_with_another_digest_is_refused_and_leaves_nothing(
    server, tmp_path, file
):
    put(server[0] / "cora", {**FILES, file: b"a page of a captive portal"})
    with pytest.raises(InputError, match=rf"cora/{file}: found a download of 26 bytes"):
        catalog.find_dataset("cora")
    assert [p.name for p in (tmp_path / "home").iterdir()] == [".lock"]


def test_a_missing_page_is_a_failed_download(server):
    with pytest.raises(InputError, match=r"download failed \(File not found\)"):
        catalog.find_dataset("cora")


def test_without_a_network_the_message_names_all_ways(tmp_path):
    with pytest.raises(InputError) as caught:
        catalog.find_dataset("cora")
    message = str(caught.value)
    for hint in ("network connection", "github.com/thunlp/CANE", "set CANE_DATASETS",
                 "`bash run.sh` alone needs none"):  # fmt: skip
        assert hint in message
    assert caught.value.exit_code == 2
    assert not (tmp_path / "home" / "cora").exists()
