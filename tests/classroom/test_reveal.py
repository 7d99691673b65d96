from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import pytest

from classroom import register, solutions
from classroom.cli.lab_reset_reveal import section_about
from classroom.register import RegisterError


def text(result: Any) -> str:
    """What a command printed, its lines joined."""
    return " ".join(result.output.split())


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


@pytest.mark.parametrize("setting", ["", 'solutions = "none"'])
def test_a_copy_without_solutions_says_so_from_the_start(mini: Any, setting: str) -> None:
    mini.set("[release]", setting)
    for arguments in ((), ("--anyway",)):
        result = mini.run("reveal", "double", *arguments)
        assert result.exit_code == 2
        assert "holds no worked solutions: your instructor has them" in text(result)
        assert "passes" not in result.output


@pytest.fixture
def handed_out(mini: Any, with_solutions: Callable[[], None]) -> Callable[[str], None]:
    """Makes the small course a student's copy, released with that setting."""

    def hand_out(setting: str) -> None:
        with_solutions()
        mini.set("[release]", f'solutions = "{setting}"')
        (mini.root / "homework" / solutions.ARCHIVE).write_bytes(
            solutions.pack_solutions(register.load(mini.root)) or b""
        )
        shutil.rmtree(mini.file.parent / "judge")

    return hand_out


@pytest.mark.parametrize("setting", ["after-pass", "any-time"])
def test_a_copy_with_solutions_shows_solution_and_explanation_after_the_pass(
    mini: Any, handed_out: Callable[[str], None], setting: str
) -> None:
    handed_out(setting)
    mini.write(double="return x")
    refused = mini.run("reveal", "double")
    assert refused.exit_code == 2
    assert "shown when your own passes" in text(refused)
    assert ("--anyway" in refused.output) is (setting == "any-time")
    mini.write(double="return x + x")
    result = mini.run("reveal", "double")
    assert result.exit_code == 0
    assert "return 2 * x" in result.output
    assert "Add it to itself" in result.output


def test_on_purpose_the_solution_is_shown_before_the_pass_and_its_price_is_told(
    mini: Any, handed_out: Callable[[str], None]
) -> None:
    handed_out("any-time")
    mini.run("hint", "double")
    result = mini.run("reveal", "double", "--anyway")
    assert result.exit_code == 0
    assert "You have not solved double" in text(result)
    assert "1 of 3 hints" in text(result)
    assert text(result).find("You have not solved") < text(result).find("return 2 * x") < text(result).find("Add it to")
    assert "[ ] double" in mini.run("map").output
    mini.write(double="return x + x")
    assert "You have not solved" not in mini.run("reveal", "double", "--anyway").output


def test_where_the_course_wants_the_pass_first_no_purpose_helps(mini: Any, handed_out: Callable[[str], None]) -> None:
    handed_out("after-pass")
    result = mini.run("reveal", "double", "--anyway")
    assert result.exit_code == 2
    assert "only when your own passes" in text(result)
    assert "return 2 * x" not in result.output


def test_in_the_whole_course_the_solution_is_shown_on_purpose_whatever_is_released(
    mini: Any, with_solutions: Callable[[], None]
) -> None:
    with_solutions()
    mini.set("[release]", 'solutions = "none"')
    assert "Add it to itself" in mini.run("reveal", "double", "--anyway").output


@pytest.mark.parametrize("content", [b"", b"no archive"])
def test_a_damaged_archive_of_solutions_is_a_sentence(
    mini: Any, handed_out: Callable[[str], None], content: bytes
) -> None:
    handed_out("any-time")
    (mini.root / "homework" / solutions.ARCHIVE).write_bytes(content)
    result = mini.run("reveal", "double", "--anyway")
    assert result.exit_code == 2
    assert "solutions.zip cannot be read" in text(result)


@pytest.mark.parametrize("line", ['solutions = "all"', "solutions = true", 'solution = "none"'])
def test_a_setting_that_is_none_is_refused(mini: Any, line: str) -> None:
    mini.set("[release]", line)
    with pytest.raises(RegisterError, match=r"\[release\]"):
        register.load(mini.root)


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
