"""Downloads from a loopback server that cuts, drips, lies, redirects and misleads."""

import http.client
import itertools
import os
import re
import socketserver
import threading
import time

import pytest

from cane_gane.data import downloads
from cane_gane.data.downloads import TooLargeError, download

CONTENT = bytes(range(256)) * 40  # 10,240 bytes


@pytest.fixture
def serve():
    """Serves on loopback what a function makes of each request; notes them all."""
    servers = []

    def start(*answers):
        asked, turns = [], itertools.chain(answers, itertools.repeat(answers[-1]))

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                words = self.request.recv(65536).decode()
                asked.append(words)
                first = re.search(r"Range: bytes=(\d+)-", words)
                try:
                    for part in next(turns)(int(first[1]) if first else 0):
                        self.request.sendall(part)
                except OSError:
                    pass  # the other side has hung up

        server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        servers.append((server, thread))
        return f"http://127.0.0.1:{server.server_address[1]}/data.txt", asked

    yield start
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()


def head(status, length=None, **headers):
    if length is not None:
        headers["Content-Length"] = length
    lines = "".join(f"{k.replace('_', '-')}: {v}\r\n" for k, v in headers.items())
    return f"HTTP/1.1 {status} Said\r\n{lines}\r\n".encode()


def whole(first=0):
    """What knows of no ranges sends."""
    return [head(200, len(CONTENT)), CONTENT]


def rest(first, size=None):
    """What knows of ranges sends; it hangs up after `size` bytes."""
    left = CONTENT[first:]
    if not first:
        return [head(200, len(left)), left[:size]]
    range_ = f"bytes {first}-{len(CONTENT) - 1}/{len(CONTENT)}"
    return [head(206, len(left), Content_Range=range_), left[:size]]


def cut_after(size):
    return lambda first: rest(first, size)


def fetch(address, tmp_path):
    return download(address, tmp_path / "new" / ".part", CONTENT.__eq__)


def kept(tmp_path):
    part = tmp_path / "new" / ".part"
    return part.read_bytes() if part.exists() else None


def ranges(asked):
    return [re.findall(r"Range: (\S+)", words) for words in asked]


def test_a_file_arrives_whole_and_leaves_no_part(serve, tmp_path):
    address, asked = serve(whole)
    assert fetch(address, tmp_path) == CONTENT
    assert kept(tmp_path) is None
    assert ranges(asked) == [[]]


def test_a_download_that_is_cut_goes_on_where_it_was(serve, tmp_path):
    address, asked = serve(cut_after(4000))
    assert fetch(address, tmp_path) == CONTENT
    assert ranges(asked) == [[], ["bytes=4000-"], ["bytes=8000-"]]


def test_a_later_start_goes_on_too(serve, tmp_path):
    address, asked = serve(cut_after(1000), cut_after(0), rest)
    with pytest.raises(ConnectionError, match="cut off after 1,000 of 10,240 bytes"):
        fetch(address, tmp_path)
    assert kept(tmp_path) == CONTENT[:1000]
    assert fetch(address, tmp_path) == CONTENT
    assert ranges(asked)[-1] == ["bytes=1000-"]


def test_tries_end_where_nothing_more_comes(serve, tmp_path):
    address, asked = serve(cut_after(0))
    with pytest.raises(ConnectionError):
        fetch(address, tmp_path)
    assert len(asked) == 1


def test_tries_have_an_end_where_little_comes(serve, tmp_path):
    address, asked = serve(cut_after(1))
    with pytest.raises(ConnectionError, match="cut off after 5 of"):
        fetch(address, tmp_path)
    assert len(asked) == downloads.TRIES


def test_a_server_without_ranges_sends_all_again(serve, tmp_path):
    address, _ = serve(cut_after(3000), whole)
    assert fetch(address, tmp_path) == CONTENT


@pytest.mark.parametrize(
    "answer",
    [
        lambda first: [head(206, 3, Content_Range="bytes 7-9/10240"), b"abc"],
        lambda first: [head(206, 3), b"abc"],
        lambda first: [head(500, 0)],
    ],
)
def test_another_range_is_no_rest(serve, tmp_path, answer):
    address, _ = serve(cut_after(3000), answer, rest)
    with pytest.raises((OSError, http.client.HTTPException)):
        fetch(address, tmp_path)
    assert kept(tmp_path) == CONTENT[:3000]
    assert fetch(address, tmp_path) == CONTENT


def test_a_part_of_another_file_is_thrown_away(serve, tmp_path):
    address, asked = serve(rest)
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / ".part").write_bytes(b"other" * 100)
    assert fetch(address, tmp_path) == CONTENT
    assert ranges(asked) == [["bytes=500-"], []]


def test_a_part_that_is_too_long_is_thrown_away(serve, tmp_path):
    address, _ = serve(lambda first: [head(416, 0)], rest)
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / ".part").write_bytes(b"x" * 20_000)
    assert fetch(address, tmp_path) == CONTENT


def test_a_length_that_is_too_large_does_no_harm(serve, tmp_path):
    address, _ = serve(lambda first: [head(200, 99_999), CONTENT])
    assert fetch(address, tmp_path) == CONTENT
    assert kept(tmp_path) is None


def test_a_length_that_is_too_small_gives_other_content(serve, tmp_path):
    address, _ = serve(lambda first: [head(200, 5), CONTENT])
    assert fetch(address, tmp_path) == CONTENT[:5]
    assert kept(tmp_path) is None


def test_a_size_that_is_announced_is_refused_before_a_byte_is_kept(
    serve, tmp_path, monkeypatch
):
    monkeypatch.setattr(downloads, "DOWNLOAD_BYTES", 5_000)
    address, _ = serve(whole)
    with pytest.raises(TooLargeError, match="found 10,240 bytes; expected 5,000"):
        fetch(address, tmp_path)
    assert kept(tmp_path) is None


def test_a_size_without_end_is_refused(serve, tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "DOWNLOAD_BYTES", 100_000)
    address, _ = serve(lambda first: itertools.chain([head(200)], [CONTENT] * 10**6))
    with pytest.raises(TooLargeError, match="found more than 100,000 bytes"):
        fetch(address, tmp_path)
    assert kept(tmp_path) is None


def dripping(parts, pause=0.02):
    for part in parts:
        yield part
        time.sleep(pause)


@pytest.mark.parametrize(
    "answer",
    [
        lambda first: dripping([head(200, 10_000), *[b"x"] * 10_000]),
        lambda first: dripping([b"HTTP/1.1 200 OK\r\n", *[b"X: 1\r\n"] * 10_000], 0.05),
        lambda first: dripping([b"H"] * 10_000),
        lambda first: dripping([b""], 5),
    ],
    ids=["body", "headers", "first line", "nothing"],
)
def test_a_drip_ends_in_bounded_time(serve, tmp_path, monkeypatch, answer):
    monkeypatch.setattr(downloads, "DOWNLOAD_SECONDS", 0.3)
    address, _ = serve(answer)
    with pytest.raises(TimeoutError, match=r"not finished after 0\.3 seconds"):
        fetch(address, tmp_path)


def test_silence_ends_too(serve, tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "SILENCE_SECONDS", 0.1)
    address, _ = serve(lambda first: dripping([head(200, 9) + b"red"], 1))
    with pytest.raises(TimeoutError, match="timed out"):
        fetch(address, tmp_path)
    assert kept(tmp_path) == b"red"


def test_a_redirection_is_followed(serve, tmp_path):
    other, _ = serve(whole)
    address, _ = serve(lambda first: [head(302, 0, Location=other)])
    assert fetch(address, tmp_path) == CONTENT


def test_a_redirection_without_end_is_refused(serve, tmp_path):
    address, asked = serve(lambda first: [head(302, 0, Location="/data.txt")])
    with pytest.raises(OSError, match="infinite loop"):
        fetch(address, tmp_path)
    assert len(asked) < 12


def test_a_redirection_to_a_file_of_this_machine_is_refused(serve, tmp_path):
    address, _ = serve(lambda first: [head(302, 0, Location="file:///etc/passwd")])
    with pytest.raises(OSError, match="not allowed"):
        fetch(address, tmp_path)
    assert kept(tmp_path) is None


def test_a_link_in_place_of_the_part_is_not_written_through(serve, tmp_path):
    address, _ = serve(whole)
    (tmp_path / "precious").write_text("years of work")
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / ".part").symlink_to(tmp_path / "precious")
    with pytest.raises(OSError, match="symbolic links"):
        fetch(address, tmp_path)
    assert (tmp_path / "precious").read_text() == "years of work"


def test_a_full_disk_names_the_part(serve, tmp_path):
    address, _ = serve(whole)
    (tmp_path / "new").mkdir()
    os.mkfifo(tmp_path / "new" / ".part")  # which cannot be truncated
    reader = os.open(tmp_path / "new" / ".part", os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(OSError, match=str(tmp_path / "new" / ".part")):
        fetch(address, tmp_path)
    os.close(reader)


def test_a_mirror_may_be_a_folder_of_this_machine(tmp_path):
    (tmp_path / "data.txt").write_bytes(CONTENT)
    assert fetch((tmp_path / "data.txt").as_uri(), tmp_path) == CONTENT
