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
