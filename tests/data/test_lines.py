"""What is in the way of reading a file, and what a message shows of it."""

import os

import pytest

from cane_gane.data.lines import printable, quoted, read_lines, read_optional
from cane_gane.errors import InputError


def make_broken_link(path):
    path.symlink_to("nowhere")


def make_looping_link(path):
    path.symlink_to(path.name)


def make_no_file(path):
    (path.parent / "other.txt").touch()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (make_broken_link, "found a broken link; expected a file: mend or remove it"),
        (make_looping_link, "found a broken link; expected a file: mend or remove it"),
        (os.mkdir, "found a folder; expected a text file"),
        (os.mkfifo, "found not a regular file; expected a text file"),
        (make_no_file, "found no such file; expected it beside other.txt"),
        (lambda path: None, "found no such file; expected a text file"),
    ],
    ids=["broken link", "looping link", "folder", "pipe", "absent", "empty folder"],
)
def test_what_is_no_file_is_named(tmp_path, make, message):
    make(tmp_path / "data.txt")
    with pytest.raises(InputError) as caught:
        read_lines(tmp_path / "data.txt")
    assert str(caught.value) == f"{tmp_path}/data.txt: {message}"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(tmp_path):
    (tmp_path / "data.txt").touch(mode=0)
    with pytest.raises(InputError, match=r"data\.txt: found Permission denied"):
        read_lines(tmp_path / "data.txt")


def test_an_optional_file_may_be_absent(tmp_path):
    assert read_optional(tmp_path / "group.txt", 3) is None


@pytest.mark.parametrize("make", [make_broken_link, make_looping_link, os.mkdir])
def test_an_optional_file_that_is_there_must_be_readable(tmp_path, make):
    make(tmp_path / "group.txt")
    with pytest.raises(InputError, match=r"group\.txt: found a "):
        read_optional(tmp_path / "group.txt", 3)


def test_a_long_text_is_quoted_in_part():
    assert quoted("x" * 10_000) == f"'{'x' * 40}…'"


def test_characters_that_a_terminal_obeys_are_escaped():
    assert printable("Größe\x1b[31m\a\u202e") == r"Größe\x1b[31m\x07\u202e"
