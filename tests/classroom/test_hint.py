from __future__ import annotations

from typing import Any

import pytest

from classroom.progress import Progress

HINTS = ("What is two times x?", "Multiply.", "Return 2 * x.")


def shown(output: str) -> list[str]:
    return [hint for hint in HINTS if hint in output]


def test_each_call_shows_one_hint_more(mini: Any) -> None:
    for count in (1, 2, 3, 3):
        result = mini.run("hint", "double")
        assert result.exit_code == 0
        assert shown(result.output) == list(HINTS[:count])
    assert Progress(mini.root).entry("double").hints == 3


@pytest.mark.slow
def test_without_a_name_the_next_exercise_is_helped_with(mini: Any) -> None:
    assert shown(mini.run("hint").output) == list(HINTS[:1])
    mini.write(double="return 2 * x")
    mini.run("check", "double")
    assert "turn (task 1.2)" in mini.run("hint").output


def test_the_last_hint_names_the_section_to_read(mini: Any) -> None:
    assert "last hint" not in mini.run("hint", "double").output
    assert 'section "Twice" of lesson 1' in mini.run("hint", "double", "--all").output


def test_all_hints_at_once_are_remembered_too(mini: Any) -> None:
    assert shown(mini.run("hint", "double", "--all").output) == list(HINTS)
    assert Progress(mini.root).entry("double").hints == 3


def test_hints_say_what_they_are(mini: Any) -> None:
    words = mini.run("hint", "double", "--all").output.split()
    assert [word for word in words if word in ("question", "approach", "step")] == ["question", "approach", "step"]


def test_an_exercise_without_hints_names_its_lesson(mini: Any) -> None:
    result = mini.run("hint", "power")
    assert result.exit_code == 2
    assert "power has no hints; read lesson 1" in result.output


def test_a_lesson_is_no_exercise(mini: Any) -> None:
    result = mini.run("hint", "1")
    assert result.exit_code == 2
    assert "double, turn, power" in result.output
