"""Tables of every kind: the same rows, with the lines that they begin at."""

import csv
import io
import json

import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cane_gane.data.tables import as_text, read_table
from cane_gane.errors import InputError

ROWS = [["a", "red fox", "b"], ["b", "sea", "a"]]


def read(tmp_path, content, name="table.csv", header=True):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_table(path, lambda row: header)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", "id,text,links\na,red fox,b\nb,sea,a\n"),
        ("t.csv", "id,text,links\r\na,red fox,b\r\n\r\nb,sea,a"),
        ("t.csv", "id,text,links\ra,red fox,b\rb,sea,a\r"),
        ("t.csv", b"\xef\xbb\xbfid,text,links\na,red fox,b\nb,sea,a\n"),
        ("t.csv", 'id,text,links\n"a","red fox","b"\n"b","sea","a"\n'),
        ("t.csv", "id;text;links\na;red fox;b\nb;sea;a\n"),
        ("t.tsv", "id\ttext\tlinks\na\tred fox\tb\nb\tsea\ta\n"),
        ("t.txt", "# made by hand\nid,text,links\na,red fox,b\nb,sea,a\n"),
        (
            "t.jsonl",
            '{"id": "a", "text": "red fox", "links": "b"}\n\n'
            '{"links": "a", "id": "b", "text": "sea"}\n',
        ),
        (
            "t.json",
            '[{"id": "a", "text": "red fox", "links": "b"},\n'
            '{"id": "b", "text": "sea", "links": "a"}]',
        ),
    ],
)
def test_every_kind_gives_the_same_rows(tmp_path, name, content):
    table = read(tmp_path, content, name)
    assert list(table.columns) == ["id", "text", "links"]
    assert [cells for _, cells in table.rows] == ROWS


CELLS = st.text("ab,;\"'\n\r\t é", max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80)
@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=4))
def test_what_pandas_writes_is_read_back_but_for_white_space(tmp_path, rows):
    frame = pandas.DataFrame(rows, columns=["x", "y"]).assign(id=range(len(rows)))
    frame.to_csv(tmp_path / "t.csv", index=False)
    table = read_table(tmp_path / "t.csv", lambda row: True)
    found = [[as_text(cell) for cell in cells[:2]] for _, cells in table.rows]
    assert found == [[" ".join(cell.split()) for cell in row] for row in rows]


def test_rows_know_the_lines_that_they_begin_at(tmp_path):
    file = io.StringIO()
    csv.writer(file).writerows([["id", "text"], ["a", "x\ny\nz"], ["b", "w"]])
    table = read(tmp_path, file.getvalue())
    assert [number for number, _ in table.rows] == [2, 5]


def test_a_tsv_may_have_quotes_in_texts(tmp_path):
    table = read(tmp_path, 'id\ttext\na\t"red" fox\nb\tsix" disk\n', "t.tsv")
    assert [cells[1] for _, cells in table.rows] == ['"red" fox', 'six" disk']


def test_a_text_may_be_long(tmp_path):
    table = read(tmp_path, f"id,text\na,{'x' * 300_000}\n")
    assert len(table.rows[0][1][1]) == 300_000
    assert csv.field_size_limit() == 131_072


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "found no row; expected a header"),
        ("id,text\na\n", ":2: found 1 cell; expected 2, as the header has"),
        ("id,text\na,b,c\n", ":2: found 3 cells; expected 2, as the header has: put"),
        ('id,text\na,"b\nc\n', ":2: found a faulty row .*; expected quotes around a"),
        ('id,text\na,"b"c\n', ":2: found a faulty row .*; expected quotes around a"),
        ("id,text,ID\na,b,c\n", ":1: found column 'id' twice; expected a name for"),
        (b"id,text\na,caf\xe9\n", ":2: found byte 0xe9 .*iconv -f latin1 -t utf8"),
        ("id,text\na,b\n".encode("utf-16"), "found UTF-16; expected text in UTF-8"),
        (b"PK\x03\x04\0\0", "found a zip or Excel file; expected text: save the sheet"),
        (b"\x1f\x8b\0\0", "found a gzip file; expected text: gunzip"),
        ('{"id": 1}\n{"id":\n', ":2: found no JSON; expected objects such as"),
        ('{"id": 1}\n[1]\n', r":2: found '\[1\]'; expected an object such as"),
        ('[{"id": 1},\n{"id"}]', ":2: found no JSON"),
    ],
)
def test_a_fault_is_one_line(tmp_path, content, message):
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, content)
    assert "\n" not in str(caught.value)


def test_cells_of_json_become_text():
    values = json.loads('[null, "a\\n b", 3, 3.0, 2.5, true, ["x", 1], "\\ud800"]')
    found = [as_text(value) for value in values]
    assert found == ["", "a b", "3", "3", "2.5", "True", "x 1", "?"]
