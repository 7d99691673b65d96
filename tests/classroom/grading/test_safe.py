"""Text of strangers: nothing of it acts in a terminal, a spreadsheet or a folder."""

from __future__ import annotations

import csv
import io
import unicodedata
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classroom.grading.exports.tables import csv_text
from classroom.grading.safe import MAX_NAME_LENGTH, cell, clean, file_names, one_line, points_text, truncated

HOSTILE = [
    "\x1b[2J\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07after",
    "\x1b]8;;http://example.org\x1b\\link\x1b]8;;\x1b\\",
    "\x9b31mred",
    "\x1bPq#0\x1b\\",
    "\x1b",
    "a\x00b\x08\x7fc",
    "abc\u202eexe.txt\u2066\u2069",
    "\u200e\u200f\u061czero\u200bwidth\ufeff",
    "\ud800 lone",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_control_code_is_left(text: str) -> None:
    assert not [c for c in clean(text) if unicodedata.category(c) in ("Cc", "Cf", "Cs")]
    clean(text).encode("utf-8")


@given(st.text(st.characters(codec=None, categories=None)))
def test_cleaning_leaves_lines_tabs_and_letters(text: str) -> None:
    once = clean(text)
    assert all(unicodedata.category(c) not in ("Cc", "Cf", "Cs") or c in "\n\t\u200c\u200d" for c in once)
    assert clean(once) == once


def test_what_a_sequence_carries_goes_with_it() -> None:
    assert clean("\x1b[1;31mred\x1b[0m") == "red"
    assert clean("\x1b]0;title\x07after") == "after"
    assert clean("one\r\ntwo\u2028three\tfour") == "one\ntwo\nthree\tfour"


def test_names_of_all_scripts_stay() -> None:
    for name in ("李雷", "נועה", "محمد", "Zoë", "Ștefan", "می\u200cخواهم"):
        assert clean(name) == one_line(name) == cell(name) == name


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\tx", "\rx", "  =1", "\x00=1", "\u202e=1", "＝1", "\n+2"]
)
def test_no_cell_is_a_formula(text: str) -> None:
    assert cell(text).startswith("'")


@given(st.lists(st.lists(st.text(), min_size=1), min_size=1))
def test_a_table_reads_back_as_the_same_cells(rows: list[list[str]]) -> None:
    read = list(csv.reader(io.StringIO(csv_text(rows))))
    assert read == [[cell(value) for value in row] for row in rows] or any(row == [""] for row in rows)
    assert not [value for row in read for value in row if value.startswith(tuple("=+-@\t\r"))]


def test_numbers_are_written_as_numbers() -> None:
    assert [cell(value) for value in (0, 0.0, 3, 2.5, 1 / 3, 10.0, None)] == ["0", "0", "3", "2.5", "0.33", "10", ""]
    assert points_text(100.0) == "100"


@given(st.lists(st.text(st.characters(codec=None, categories=None)), unique=True))
def test_file_names_are_plain_and_unlike_on_any_system(names: list[str]) -> None:
    files = file_names(names)
    assert list(files) == names
    plain = [unicodedata.normalize("NFC", file).casefold() for file in files.values()]
    assert len(set(plain)) == len(names)
    for file in files.values():
        page = f"{file}.html"
        assert PurePosixPath(page).name == PureWindowsPath(page).name == page
        assert not set(file) & set('<>:"/\\|?*\0 \n')
        assert not file.startswith((".", "-"))
        assert len(page.encode()) <= MAX_NAME_LENGTH + 20
        assert not PureWindowsPath(page).is_reserved()


def test_a_name_that_needs_no_change_is_kept() -> None:
    names = ["ann", "b.o", "李雷", "x_1-2"]
    assert file_names(names) == dict(zip(names, names))


@pytest.mark.parametrize(
    "name", ["..", "../../etc/passwd", "con", "NUL.txt", "COM1", "", "-rf", "a/b", "a\\b", ".hidden", "x" * 300]
)
def test_a_name_that_would_harm_is_changed(name: str) -> None:
    (file,) = file_names([name]).values()
    assert file != name
    assert file == file_names(["other", name])[name]


def test_names_that_differ_by_capitals_get_files_of_their_own() -> None:
    files = file_names(["Ann", "ann", "ANN"])
    assert len({file.casefold() for file in files.values()}) == 3


def test_what_is_cut_is_said() -> None:
    assert truncated("x" * 10, 4) == "xxxx… (6 more characters)"
    assert len(one_line("word " * 100, 50)) == 50


def test_nobody_can_choose_a_name_that_gets_anothers_file() -> None:
    taken = file_names(["../bo"])["../bo"]
    assert len(set(file_names(["../bo", taken]).values())) == 2
