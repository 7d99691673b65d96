from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from classroom.cli.more import section_about
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


def test_the_solution_is_refused_until_the_public_tests_pass(mini: Any, with_solutions: Callable[[], None]) -> None:
    with_solutions()
    mini.write(double="return x")
    result = mini.run("reveal", "double")
    assert result.exit_code == 2
    assert "shown when your own passes" in result.output
    assert "Add it to itself" not in result.output


def test_after_the_pass_the_solution_and_its_explanation_are_shown(
    mini: Any, with_solutions: Callable[[], None]
) -> None:
    with_solutions()
    mini.write(double="return x + x")
    result = mini.run("reveal", "double")
    assert result.exit_code == 0
    assert "return 2 * x" in result.output
    assert "Add it to itself" in result.output
    for other in ("x[::-1]", "Read from the end"):
        assert other not in result.output


def test_an_answer_that_was_edited_after_the_pass_is_checked_again(
    mini: Any, with_solutions: Callable[[], None]
) -> None:
    with_solutions()
    mini.write(double="return x + x")
    mini.run("check", "double")
    mini.write(double="return x")
    assert mini.run("reveal", "double").exit_code == 2


def test_a_students_copy_says_that_the_instructor_has_the_solution(mini: Any) -> None:
    mini.write(double="return 2 * x")
    result = mini.run("reveal", "double")
    assert result.exit_code == 0
    assert "your instructor" in " ".join(result.output.split())


@pytest.mark.parametrize("name", ["double", "1.1"])
def test_a_section_is_found_by_name_or_number(mini: Any, name: str) -> None:
    heading = "## double" if name == "double" else "## Task 1.1"
    text = f"# All\n\n{heading}\n\nmine\n\n```\n## no heading\n```\n\n## other\n\ntheirs\n"
    section = section_about(mini.tasks["double"], text)
    assert "mine" in section
    assert "no heading" in section
    assert "theirs" not in section


def test_an_explanation_without_sections_is_shown_whole(mini: Any) -> None:
    assert section_about(mini.tasks["double"], "one\n\ntwo") == "one\n\ntwo"
