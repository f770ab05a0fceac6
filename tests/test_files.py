"""Files: whole or not at all, with the rights of a plain open, and their digests."""

import errno
import fcntl
import hashlib
import json
import os
import threading
from pathlib import Path

import pytest

from cane_gane.errors import InputError
from cane_gane.files import (
    copy_folder,
    digest,
    link_folder,
    locked,
    new_folder,
    read_json,
    sweep,
    write_atomically,
    write_json,
)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_written_into_a_new_folder(tmp_path):
    path = tmp_path / "new" / "file.txt"
    write_atomically(path, b"one")
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two"
    assert names(path.parent) == ["file.txt"]


def test_a_file_has_the_rights_of_a_plain_open(tmp_path):
    write_atomically(tmp_path / "ours", b"")
    (tmp_path / "plain").write_bytes(b"")
    with new_folder(tmp_path / "folder"):
        pass
    (tmp_path / "plain folder").mkdir()
    modes = {path.name: path.stat().st_mode for path in tmp_path.iterdir()}
    assert modes["ours"] == modes["plain"]
    assert modes["folder"] == modes["plain folder"]


def test_a_folder_whose_copy_fails_names_the_path_and_leaves_nothing(
    tmp_path, monkeypatch
):
    (tmp_path / "old" / "assets").mkdir(parents=True)
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "somewhere")

    def fail(*given):
        raise full

    monkeypatch.setattr(Path, "mkdir", fail)
    for copy in (copy_folder, link_folder):
        with pytest.raises(OSError, match="make room") as caught:
            copy(tmp_path / "old", tmp_path / "new")
        assert caught.value.filename == str(tmp_path / "new")
        assert names(tmp_path) == ["old"]


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "file.txt"
    path.write_bytes(b"old")

    def full(handle):
        raise OSError(errno.ENOSPC, "")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=rf"make room.*{path}"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file.txt"]


def test_every_file_and_folder_is_synced_before_and_after_it_is_renamed(
    tmp_path, monkeypatch
):
    events = []
    sync, rename, replace = os.fsync, os.rename, os.replace

    def where(number):
        return os.readlink(f"/proc/self/fd/{number}").removeprefix(f"{tmp_path}/")

    def synced(number):
        events.append(("sync", where(number)))
        sync(number)

    def renamed(move):
        def call(old, new):
            if os.path.lexists(old):
                events.append(("rename", str(new).removeprefix(f"{tmp_path}/")))
            move(old, new)

        return call

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "rename", renamed(rename))
    monkeypatch.setattr(os, "replace", renamed(replace))
    write_atomically(tmp_path / "new" / "file", b"text")
    kinds = [kind for kind, _ in events]
    assert kinds == ["sync", "sync", "rename", "sync"]
    assert [name for _, name in events][::2] == [str(tmp_path), "new/file"]
    assert events[-1] == ("sync", "new")
    events.clear()
    with new_folder(tmp_path / "folder") as draft:
        (draft / "inner").mkdir()
        (draft / "inner" / "file").write_text("text")
    assert [
        (kind, name.replace(draft.name, "draft")) for kind, name in events
    ] == [
        ("sync", "draft/inner/file"), ("sync", "draft/inner"), ("sync", "draft"),
        ("rename", "folder"), ("sync", str(tmp_path)),
    ]  # fmt: skip


def test_the_drafts_of_dead_processes_are_removed_and_no_others(tmp_path):
    (tmp_path / ".file.dead.draft").write_text("half")
    (tmp_path / ".folder.dead.draft").mkdir()
    (tmp_path / ".folder.dead.draft" / "file").write_text("half")
    (tmp_path / ".mine").write_text("other")
    (tmp_path / "my.draft").write_text("other")
    alive = tmp_path / ".file.alive.draft"
    with open(alive, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        write_atomically(tmp_path / "another", b"")
        assert names(tmp_path) == [alive.name, ".mine", "another", "my.draft"]
    sweep(tmp_path)
    assert names(tmp_path) == [".mine", "another", "my.draft"]


def test_a_link_is_replaced_and_not_followed(tmp_path):
    (tmp_path / "precious").write_text("text")
    (tmp_path / "inner").mkdir()
    (tmp_path / "file").symlink_to(tmp_path / "precious")
    (tmp_path / "folder").symlink_to(tmp_path / "inner")
    (tmp_path / "lock").symlink_to(tmp_path / "precious")
    write_atomically(tmp_path / "file", b"new")
    with new_folder(tmp_path / "folder") as draft:
        (draft / "new").write_text("new")
    with pytest.raises(OSError, match="symbolic links"), locked(tmp_path / "lock"):
        pass
    assert (tmp_path / "precious").read_text() == "text"
    assert names(tmp_path / "inner") == []
    assert names(tmp_path) == ["file", "folder", "inner", "lock", "precious"]


def test_a_folder_appears_when_it_is_whole(tmp_path):
    path = tmp_path / "folder"
    with new_folder(path) as draft:
        (draft / "a").write_text("a")
        assert not path.exists()
    assert names(path) == ["a"]
    assert names(tmp_path) == ["folder"]


def test_a_folder_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "folder"
    path.mkdir()
    (path / "old").write_text("old")
    with new_folder(path) as draft:
        (draft / "new").write_text("new")
    assert names(path) == ["new"]


def test_an_error_leaves_the_folder_as_it_was(tmp_path):
    path = tmp_path / "folder"
    path.mkdir()
    (path / "old").write_text("old")
    with pytest.raises(ZeroDivisionError), new_folder(path) as draft:
        (draft / "new").write_text(str(1 / 0))
    assert names(path) == ["old"]
    assert names(tmp_path) == ["folder"]


def test_a_copy_has_the_files_of_its_source_and_no_others(tmp_path):
    source, path = tmp_path / "source", tmp_path / "copy"
    (source / "inner").mkdir(parents=True)
    (source / "inner" / "file").write_text("text")
    path.mkdir()
    (path / "old").write_text("old")
    copy_folder(source, path)
    assert names(path) == ["inner"]
    assert digest(path) == digest(source)


def test_json_comes_back(tmp_path):
    content = {"name": "Zoë ↓", "values": [1, 2.5, None, True]}
    write_json(tmp_path / "file.json", content)
    assert read_json(tmp_path / "file.json") == content
    assert json.loads((tmp_path / "file.json").read_bytes()) == content


def test_a_number_that_json_lacks_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(tmp_path / "file.json", {"auc": float("nan")})
    assert names(tmp_path) == []


def test_without_a_file_there_is_no_json(tmp_path):
    assert read_json(tmp_path / "file.json") is None


@pytest.mark.parametrize(
    ("content", "line"),
    [(b"", ":1"), (b'{"a": 1,\n', ":2"), (b"<html>", ":1"), (b'"\xff"', "")],
)
def test_what_is_no_json_is_refused_in_one_line(tmp_path, content, line):
    path = tmp_path / "file.json"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_json(path)
    expected = f"{path}{line}: found no JSON; expected what a run wrote there"
    assert str(caught.value) == expected


def test_a_digest_is_that_of_the_content(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"content")
    assert digest(path) == hashlib.sha256(b"content").hexdigest()
    assert digest(tmp_path / "absent") is None


def test_the_digest_of_a_folder_depends_on_names_and_contents(tmp_path):
    found = []
    for files in ({"a": "1", "b": "2"}, {"a": "2", "b": "1"}, {"a": "1", "c": "2"}):
        with new_folder(tmp_path / "folder") as draft:
            for name, text in files.items():
                (draft / name).write_text(text)
        found.append(digest(tmp_path / "folder"))
    assert len(set(found)) == 3


def test_a_second_holder_of_a_lock_waits(tmp_path):
    events = []

    def second():
        with locked(tmp_path / "folder" / "lock"):
            events.append("second")

    with locked(tmp_path / "folder" / "lock"):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(0.2)
        events.append("first")
    thread.join()
    assert events == ["first", "second"]
