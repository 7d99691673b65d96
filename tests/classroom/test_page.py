from __future__ import annotations

import io
import sys

import pytest

from classroom import page


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def use_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal())
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WT_SESSION", "1")


def test_a_terminal_gets_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    use_terminal(monkeypatch)
    assert page.styled("right", "good") == "\x1b[32mright\x1b[0m"


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_whoever_asks_for_no_colours_gets_none(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    use_terminal(monkeypatch)
    monkeypatch.setenv(name, value)
    assert page.styled("right", "good") == "right"


def test_a_file_gets_no_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert page.styled("right", "good") == "right"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", None, "no-such-encoding"])
def test_blocks_become_ascii_where_the_encoding_has_none(encoding: str | None) -> None:
    assert page.fitting("█▓▒░", encoding) == "@#+."


def test_blocks_stay_where_the_encoding_has_them() -> None:
    assert page.fitting("█▓▒░", "utf-8") == "█▓▒░"


def test_blocks_of_unequal_size_stand_side_by_side() -> None:
    assert page.side_by_side(["a\nbb\nc", "d"], gap=2) == "a   d\nbb\nc"
    assert page.side_by_side([]) == ""


def test_a_command_in_backticks_stays_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = page.paragraph("so many words before it, then `python3 course.py lab 2` and the rest").splitlines()
    assert any("`python3 course.py lab 2`" in line for line in lines)
    assert max(map(len, lines)) <= 40


def test_the_label_of_a_paragraph_stands_in_its_margin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = page.paragraph("word " * 20, indent=10, first="  label").splitlines()
    assert lines[0].startswith("  label   word")
    assert all(line.startswith(" " * 10 + "word") for line in lines[1:])


@pytest.mark.parametrize(("columns", "width"), [("20", 40), ("80", 80), ("300", 100)])
def test_the_page_is_as_wide_as_the_terminal_within_reason(
    monkeypatch: pytest.MonkeyPatch, columns: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert page.width() == width


def test_colour_codes_take_no_room() -> None:
    assert page.side_by_side(["\x1b[31mred\x1b[0m\nblue", "x\ny"], gap=1).splitlines()[0] == "\x1b[31mred\x1b[0m  x"
