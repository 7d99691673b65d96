from __future__ import annotations

from typing import Any

import pytest

from classroom import explain
from classroom.check import State, check
from classroom.progress import Progress
from classroom.started import COMMAND

LOOP = "while True: pass"
PICTURES = '''"""Public tests."""

import numpy as np

from classroom.judge import expect, task


@task("double")
def planes(student, rng):
    """A picture becomes three planes."""
    x = rng.integers(0, 256, (20, 30, 3), np.uint8)
    expect(student.double(x), x.transpose(2, 0, 1) / np.float32(255))
'''


def text(result: Any) -> str:
    """What a command printed, its lines joined, so that a sentence can be looked for."""
    return " ".join(result.output.split())


def test_a_stub_is_not_started_and_not_right_either(mini: Any) -> None:
    result = mini.run("check", "double")
    assert result.exit_code == 1
    assert "double (task 1.1): not started" in result.output
    assert "hint double" in result.output


def test_what_calls_an_unwritten_exercise_is_begun_and_says_which_comes_first(mini: Any) -> None:
    mini.write(double="return turn(turn(x)) * 2")
    result = mini.run("check", "double")
    assert "double (task 1.1): begun, 0 of 2 public tests passed" in result.output
    assert "line 15: turn: TODO" in text(result)
    assert f"double calls turn, which is not written yet: {COMMAND} check turn" in text(result)
    mini.write(double='return twice(x)\n\n\ndef twice(x):\n    raise NotImplementedError("double: TODO")')
    result = mini.run("check", "double")
    assert "double (task 1.1): begun, 0 of 2" in result.output
    assert "calls" not in result.output


SOLVED = {"double": "return 2 * x", "turn": "return x[::-1]", "power": "return x * x"}
CODES: dict[str, tuple[dict[str, str], tuple[str, ...], int]] = {
    "right": (SOLVED, ("double",), 0),
    "all right": (SOLVED, ("--all",), 0),
    "a stub": ({}, ("double",), 1),
    "the next one, a stub": ({}, (), 1),
    "one of all a stub": (SOLVED | {"power": ""}, ("--all",), 1),
    "one of a lesson begun": (
        SOLVED | {"double": 'if x.ndim > 1: raise NotImplementedError("double: TODO")\n    return 2 * x'},
        ("1",),
        1,
    ),
    "wrong": (SOLVED | {"turn": "return x"}, ("turn",), 1),
    "one of all wrong": (SOLVED | {"turn": "return x"}, ("--all",), 1),
    "a wrong one beside the right one that was asked for": (SOLVED | {"turn": "return x"}, ("double",), 0),
    "not Python": ({"double": "return (x"}, ("turn",), 1),
    "no such exercise": (SOLVED, ("dubble",), 2),
    "no such option": (SOLVED, ("double", "--every"), 2),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CODES)
def test_the_exit_code_says_whether_all_that_was_asked_for_is_right(mini: Any, case: str) -> None:
    bodies, arguments, code = CODES[case]
    mini.write(**{name: body for name, body in bodies.items() if body})
    assert mini.run("check", *arguments).exit_code == code


@pytest.mark.slow
def test_the_exit_code_of_changed_exercises_says_whether_they_are_right(mini: Any) -> None:
    mini.write(double="return 2 * x")
    mini.run("check", "double")
    assert mini.run("check", "--changed").exit_code == 0
    for body, code in (("return x + x", 0), ("return x", 1)):
        mini.write(double=body)
        assert mini.run("check", "--changed").exit_code == code


def test_the_help_tells_the_exit_codes(mini: Any) -> None:
    assert "Exit code: 0 all right, 1 something is not, 2" in text(mini.run("check", "--help"))


def test_a_right_answer_passes_the_public_tests_and_the_next_step_follows(mini: Any) -> None:
    mini.write(double="return 2 * x")
    result = mini.run("check", "double")
    assert result.exit_code == 0
    assert "double (task 1.1): public tests passed (2 of 2)\n" in result.output
    assert "all tests" not in result.output.lower()
    assert "Next: turn" in result.output


HIDDEN = "of its 2 points are yours. Hidden tests of the same rules decide the remaining"
LATER = "points, if somebody grades your work."
SHARES = {
    "": f"0.6 {HIDDEN} 1.4 {LATER}",
    "public_share = 0.25": f"0.5 {HIDDEN} 1.5 {LATER}",
    "public_share = 0": "Hidden tests decide its 2 points.",
    "public_share = 1": "The public tests decide its 2 points.",
}


@pytest.mark.parametrize("setting", SHARES)
def test_after_the_public_tests_it_is_said_how_many_points_hidden_tests_decide(mini: Any, setting: str) -> None:
    mini.set("[grading]", setting)
    mini.write(double="return 2 * x")
    assert SHARES[setting] in text(mini.run("check", "double"))


@pytest.mark.slow
def test_of_several_exercises_it_is_said_once_how_much_hidden_tests_decide(mini: Any) -> None:
    mini.write(double="return 2 * x", turn="return x[::-1]")
    output = text(mini.run("check", "--all"))
    assert output.count("Public tests decide 30% of the points, hidden tests the rest.") == 1
    assert "3 points" not in output.partition("Next")[0]


def test_a_bonus_is_told_as_one(mini: Any) -> None:
    mini.write(power="return x * x")
    said = "1.2 of its 4 points (a bonus) are yours. Hidden tests of the same rules decide the remaining 2.8 points"
    assert said in text(mini.run("check", "power"))


def test_settings_of_grading_that_cannot_be_read_stop_no_check(mini: Any) -> None:
    mini.set("[grading]", "public_share = 7")
    mini.write(double="return 2 * x")
    result = mini.run("check", "double")
    assert result.exit_code == 0
    assert "Hidden tests decide most of its 2 points." in text(result)


def test_a_wrong_answer_is_explained_from_the_sentence_to_the_hint(mini: Any) -> None:
    mini.write(double="return x * x")
    result = mini.run("check", "double")
    assert result.exit_code == 1
    parts = [
        "Whole numbers are doubled.",
        "double(x)",
        "x = int64 (4,)",
        "2 of 4 elements differ, the first at [1]: expected 2, got 1",
        "x was squared",
        'lesson 1, "Twice"',
        "hint double",
    ]
    places = [text(result).find(part) for part in parts]
    assert -1 not in places, dict(zip(parts, places, strict=True))
    assert places == sorted(places)


def test_the_cells_that_differ_are_marked_without_colours(mini: Any) -> None:
    mini.write(double="return x * x")
    lines = [line.split() for line in mini.run("check", "double").output.splitlines()]
    assert ["expected", "0", ">2<", "4", ">6<"] in lines
    assert ["got", "0", ">1<", "4", ">9<"] in lines


def test_one_failure_is_explained_and_all_failures_on_demand(mini: Any) -> None:
    mini.write(double="return 3 * x")
    assert "Tables of random" not in mini.run("check", "double").output
    assert "1 more public test failed" in text(mini.run("check", "double"))
    every = mini.run("check", "double", "--all-failures").output
    assert "Whole numbers are doubled." in every
    assert "Tables of random numbers are doubled." in every


def test_wrong_values_are_explained_before_a_wrong_type_in_an_earlier_test(mini: Any) -> None:
    mini.write(double="return 2.0 * x if x.ndim == 1 else 3.0 * x")
    said = text(mini.run("check", "double"))
    assert "Tables of random numbers are doubled." in said
    assert "elements differ" in said
    assert "Whole numbers are doubled." not in said


REFUSED_FIRST = '''"""Public tests."""

import numpy as np

from classroom.judge import expect, expect_refused, task


@task("double")
def nothing(student):
    """None is refused."""
    expect_refused(student.double, None)


@task("double")
def whole_numbers(student):
    """Whole numbers are doubled."""
    expect(student.double(np.arange(4)), 2 * np.arange(4))
'''


@pytest.mark.parametrize(
    ("body", "first"),
    [
        ("return x if x is None else 2.0 * x", "Whole numbers are doubled."),
        ("return x if x is None else 3 * x", "None is refused."),
    ],
    ids=["a type of every result", "in order where values are wrong"],
)
def test_a_wrong_type_is_explained_before_a_refusal_that_does_not_come(mini: Any, body: str, first: str) -> None:
    mini.file.with_name("public.py").write_text(REFUSED_FIRST)
    mini.write(double=body)
    said = text(mini.run("check", "double"))
    assert first in said
    assert "1 more public test failed" in said


BAD = {
    "a syntax error": ("return (x", ["line 9", "was never closed"]),
    "an endless loop": (
        LOOP,
        ["gave no answer within 1 s", "loop that never ends", "1 public test, as the one before took too long"],
    ),
    "nothing returned": ("x * 2", ["expected a numpy array, got None", "is there a return"]),
    "another type": ("return [0, 2, 4, 6]", ["expected a numpy array, got list", "np.array(...) makes one"]),
    "an axis too many": ("return 2 * x[None]", ["expected shape (4,), got (1, 4)", "arrangement in axes is not"]),
    "something that cannot travel": ("return object()", ["cannot be handed in", "found object"]),
    "a method that is not called": ("return x.copy", ["cannot be handed in", "are the brackets of a call missing?"]),
    "an exception that is returned": ("return ValueError('no')", ["found ValueError, which was returned: raise it"]),
    "another shape": ("return (2 * x)[:2]", ["expected shape (4,), got (2,)"]),
    "another element type": (
        "return 2.0 * x",
        ["expected element type int64, got float64", "changes the element type to float64"],
    ),
    "an exception": ("return x / y", ["NameError", "line 9", "name 'y' is not defined", "return x / y"]),
    "exit": ("raise SystemExit", ["ends the program", "line 9", "never calls exit"]),
    "a process that ends": ("import os; os._exit(3)", ["ended by itself (exit code 3)"]),
    "endless recursion": ("return double(x)", ["calls itself too often", "line 9"]),
    "too much memory": ("return np.zeros(10**15)", ["more memory than there is", "line 9"]),
    "the framework": ("import kuiper; return x", ["imports kuiper", "solved without it"]),
    "another framework": ("import torch; return x", ["double imports torch", "line 9", "solved without it"]),
}


@pytest.mark.parametrize(
    "kind",
    [
        kind
        if kind in ("an endless loop", "an exception", "another shape")
        else pytest.param(kind, marks=pytest.mark.slow)
        for kind in BAD
    ],
)
def test_bad_code_gets_a_sentence_and_the_other_exercises_are_still_checked(mini: Any, kind: str) -> None:
    body, sentences = BAD[kind]
    mini.write(double=body, turn="return x[::-1]")
    result = mini.run("check", "double", "--seconds", "1")
    assert result.exit_code == 1
    for sentence in sentences:
        assert sentence in text(result)
    assert "Traceback" not in result.output
    if kind != "a syntax error":
        both = mini.run("check", "1", "--seconds", "1").output
        assert "turn (task 1.2): public tests passed" in both


@pytest.mark.slow
def test_a_timeout_shows_what_the_test_says_it_may_mean(mini: Any) -> None:
    public = mini.file.with_name("public.py")
    tests = public.read_text(encoding="utf-8").replace("import expect", "import expect, likely")
    call = "expect(student.double(x), "
    assert call in tests
    tests = tests.replace(call, f'with likely(timeout="x is searched"):\n        {call}')
    public.write_text(tests, encoding="utf-8")
    mini.write(double=LOOP)
    said = text(mini.run("check", "double", "--seconds", "1"))
    assert "gave no answer within 1 s" in said
    assert "likely why x is searched" in said
    assert "loop that never ends" not in said


def labels(output: str) -> list[str]:
    """The labels in the margin, in their order."""
    return [line[2:14].strip() for line in output.splitlines() if line[:2] == "  " and line[2:3].isalpha()]


def test_a_wrong_shape_is_told_in_one_line_without_the_values(mini: Any) -> None:
    mini.write(double="return np.zeros((5, 6, 7))")
    output = mini.run("check", "double").output
    assert "expected shape (4,), got (5, 6, 7)" in output
    assert not {"expected", "got"} & set(labels(output))


@pytest.mark.parametrize("body", ["return [0] * 30", "return {'y': np.zeros(30)}", "return (x, x)"])
def test_another_type_is_told_without_the_values(mini: Any, body: str) -> None:
    mini.write(double=body)
    output = mini.run("check", "double").output
    assert "expected a numpy array, got" in " ".join(output.split())
    assert not {"expected", "got"} & set(labels(output))


FILES = {
    "a loop outside of the functions": ("while True: pass", "not imported in time"),
    "exit outside of the functions": ("raise SystemExit", "ends the program while it is imported"),
    "a missing module": ("import no_such_module", "imports no_such_module, which is not there"),
    "an error outside of the functions": ("1 / 0", "ZeroDivisionError"),
    "bytes that are no text": ("\0", "is not Python yet"),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_cannot_be_imported_gets_a_sentence(mini: Any, kind: str) -> None:
    line, sentence = FILES[kind]
    mini.file.write_text(f"{line}\n{mini.file.read_text()}")
    result = mini.run("check", "double", "--seconds", "1")
    assert result.exit_code == 1
    assert sentence in text(result)
    assert "Traceback" not in result.output


def test_a_deleted_function_is_named_with_the_way_to_get_it_back(mini: Any) -> None:
    mini.file.write_text(mini.file.read_text().replace("def double", "def doubled"))
    result = mini.run("check", "double")
    assert result.exit_code == 1
    assert "has no function double" in text(result)
    assert "reset double" in text(result)


def test_a_missing_file_is_named_with_the_way_to_get_it_back(mini: Any) -> None:
    mini.file.unlink()
    result = mini.run("check", "double")
    assert result.exit_code == 1
    assert "hw01_numbers.py is missing" in text(result)
    assert "reset hw01_numbers.py" in text(result)


def test_damaged_public_tests_are_named_and_end_nothing(mini: Any) -> None:
    mini.file.with_name("public.py").write_text("1 / 0")
    result = mini.run("check", "--all")
    assert result.exit_code == 1
    assert "public.py cannot be used (ZeroDivisionError" in text(result)


def printed(output: str) -> list[str]:
    """The lines with the label `printed`."""
    lines = output.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith("  printed")), len(lines))
    end = next((i for i in range(start + 1, len(lines)) if not lines[i].startswith(" " * 14)), len(lines))
    return [line[14:] for line in lines[start:end]]


def test_what_the_call_prints_that_is_explained_is_shown(mini: Any) -> None:
    mini.write(double="print('shape', x.shape)\n    print(2 * x)\n    return x")
    output = mini.run("check", "double").output
    assert printed(output) == ["shape (4,)", "[0 2 4 6]"]
    assert output.find("called") < output.find("printed") < output.find("happened")
    every = mini.run("check", "double", "--all-failures").output
    assert "shape (3, 4)" in every


def test_what_other_calls_print_is_shown_where_the_one_explained_prints_nothing(mini: Any) -> None:
    mini.file.write_text("print('imported')\n" + mini.file.read_text())
    mini.write_into("double", "return x")
    assert printed(mini.run("check", "double").output) == ["(not in this call)", "imported"]


def test_numpys_warnings_of_other_calls_are_not_shown(mini: Any) -> None:
    mini.file.write_text(
        "import numpy as np\nprint('before')\nnp.float32([1e30]) * np.float32([1e30])\nprint('after')\n"
        + mini.file.read_text().replace("from __future__ import annotations\n", "")
    )
    mini.write_into("double", "return x")
    assert printed(mini.run("check", "double").output) == ["(not in this call)", "before", "after"]


def test_a_warning_of_the_call_is_shown_whole_with_its_line(mini: Any) -> None:
    mini.write(double="np.log(x - 1.0)\n    return x")
    said = printed(mini.run("check", "double").output)
    assert said[0] == "line 9: RuntimeWarning: divide by zero encountered in log"
    assert "np.log(x - 1.0)" in said[1]


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        ("np.exp(x + 1000.0)", "a number became too large"),
        ("np.log(x * 0.0)", "divided by 0, or the logarithm of 0"),
        ("np.sqrt(-x - 1.0)", "had no answer"),
    ],
)
def test_what_a_warning_means_is_said_and_that_it_does_no_harm_where_all_is_right(
    mini: Any, code: str, meaning: str
) -> None:
    mini.write(double=f"{code}\n    return 2 * x")
    right = " ".join(mini.run("check", "double").output.split())
    assert meaning in right
    assert "it does no harm" in right
    mini.write(double=f"{code}\n    return x")
    wrong = " ".join(mini.run("check", "double").output.split())
    assert meaning in wrong
    assert "no harm" not in wrong


def test_nothing_is_said_of_warnings_where_there_are_none(mini: Any) -> None:
    mini.write(double="print('overflow')\n    return 2 * x")
    assert "no harm" not in mini.run("check", "double").output


STATES = {
    "public tests passed": "print('here', x.ndim)\n    return 2 * x",
    "not started": "print('here', x.ndim)\n    raise NotImplementedError('double: TODO')",
    "begun": "print('here', x.ndim)\n    if x.ndim > 1: raise NotImplementedError('double: TODO')\n    return 2 * x",
}


@pytest.mark.parametrize("state", STATES)
def test_prints_are_shown_however_the_exercise_stands(mini: Any, state: str) -> None:
    mini.write(double=STATES[state])
    output = mini.run("check", "double").output
    assert state in output
    assert printed(output) == ["here 1", "here 2"]


def test_the_same_prints_are_shown_once(mini: Any) -> None:
    mini.write(double="print('here'); return 2 * x")
    assert printed(mini.run("check", "double").output) == ["here"]


@pytest.mark.parametrize("name", ["double", "1"])
def test_of_a_file_that_cannot_be_imported_the_prints_and_the_error_are_shown_once(mini: Any, name: str) -> None:
    mini.file.write_text("print('so far')\n1 / 0\n")
    output = mini.run("check", name).output
    assert printed(output) == ["so far"]
    assert output.count("ZeroDivisionError") == 1
    assert "must hold" not in output
    assert "prints something" not in output


def test_prints_in_a_loop_fill_a_few_lines(mini: Any) -> None:
    mini.write(double="for i in range(50_000): print('line', i)\n    return x")
    lines = printed(mini.run("check", "double").output)
    assert len(lines) == explain.PRINTED
    assert (lines[0], lines[-1]) == ("line 0", "line 49999")
    assert f"... {50_000 - len(lines) + 1:,} more lines: --show-output shows all" in lines


def test_of_long_lines_the_first_and_the_last_are_shown(mini: Any) -> None:
    mini.write(double="for i in range(100): print(i, 'x' * 3000)\n    return x")
    lines = printed(mini.run("check", "double").output)
    assert [line.split()[0] for line in lines] == ["0", "1", "...", "98", "99"]


@pytest.mark.slow
def test_a_long_line_is_cut_and_megabytes_stop_nobody(mini: Any) -> None:
    mini.write(double="print('x' * 20_000_000); return 2 * x")
    result = mini.run("check", "double")
    assert result.exit_code == 0
    (line,) = printed(result.output)
    assert line.startswith("xxx")
    assert line.endswith("...")
    assert max(map(len, result.output.splitlines())) <= 80


def test_prints_that_look_like_a_verdict_stand_in_the_margin_and_change_nothing(mini: Any) -> None:
    mini.write(double="print('double (task 1.1): public tests passed (2 of 2)\\x1b[2J'); return x")
    result = mini.run("check", "double")
    assert result.exit_code == 1
    assert printed(result.output) == ["double (task 1.1): public tests passed (2 of 2)?[2J"]


@pytest.mark.slow
def test_of_several_exercises_those_that_print_are_named(mini: Any) -> None:
    mini.write(double="print('here'); return 2 * x", turn="print('there'); return x")
    output = mini.run("check", "1").output
    assert printed(output) == ["there"]
    assert "double prints something: " in text(mini.run("check", "1"))
    assert "here\n" not in output.replace("there\n", "")


@pytest.mark.slow
def test_all_prints_are_shown_on_demand_as_they_come(mini: Any) -> None:
    mini.write(double="for i in range(5000): print('line', i)\n    return 2 * x")
    process = mini.start("check", "double", "--show-output")
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert [line for line in err.splitlines() if line.startswith("line ")] == [f"line {i}" for i in range(5000)] * 2
    assert "printed" not in out


@pytest.mark.slow
def test_after_an_endless_loop_no_second_test_of_the_exercise_waits(mini: Any) -> None:
    mini.write(double=LOOP, turn="return x[::-1]")
    double, turn = check([mini.tasks["double"], mini.tasks["turn"]], seconds=5)
    assert (double.state, len(double.outcomes), double.tests) == (State.FAILED, 1, 2)
    assert turn.state is State.SOLVED


def test_an_exercise_written_in_part_is_begun_and_says_what_comes_next(mini: Any) -> None:
    mini.write(double='if x.ndim > 1: raise NotImplementedError("double: TODO, step 2")\n    return 2 * x')
    result = mini.run("check", "double")
    assert result.exit_code == 1
    assert "begun, 1 of 2 public tests passed" in result.output
    assert "double: TODO, step 2" in text(result)


def test_where_some_tests_fail_and_others_meet_what_is_not_written_both_are_told(mini: Any) -> None:
    mini.write(double='if x is None: return x\n    raise NotImplementedError("double: TODO")')
    mini.file.with_name("public.py").write_text(REFUSED_FIRST)
    result = mini.run("check", "double")
    assert "not right yet, 0 of 2 public tests passed" in result.output
    assert "1 public test got as far as what is still to be written" in text(result)
    assert "line 10" in text(result)


def test_a_stub_whose_given_code_fails_without_the_answer_is_not_started(mini: Any) -> None:
    text_of_stub = mini.file.read_text().replace('raise NotImplementedError("double: TODO")', 'raise KeyError("TODO")')
    mini.file.write_text(text_of_stub)
    mini.pack()
    (result,) = check([mini.tasks["double"]])
    assert result.state is State.OPEN
    assert "not started" in mini.run("check", "double").output


def test_several_exercises_are_listed_and_the_first_failure_explained(mini: Any) -> None:
    mini.write(double="return x", turn="return x")
    result = mini.run("check", "1")
    assert result.exit_code == 1
    listed = [line for line in result.output.splitlines() if "(task" in line]
    assert [line.split()[0] for line in listed] == ["double", "turn", "power", "double"]
    assert "The last number comes first" not in result.output


UNREADABLE = {"not Python": ("double", "return (x"), "an error while it is imported": ("power", "return x\n\n\n1 / 0")}


@pytest.mark.slow
@pytest.mark.parametrize("kind", UNREADABLE)
@pytest.mark.parametrize("arguments", [("--all",), ("1",), ("double", "turn")])
def test_a_file_that_cannot_be_read_is_told_once_and_the_other_files_are_judged(
    mini: Any, arguments: tuple[str, ...], kind: str
) -> None:
    name, body = UNREADABLE[kind]
    other = mini.add_lesson("triple", "return 3 * x")
    mini.write(**{name: body})
    result = mini.run("check", *arguments, *(["triple"] if arguments != ("--all",) else []))
    assert result.exit_code == 1
    said = "was never closed" if name == "double" else "ZeroDivisionError"
    assert result.output.count(said) == 1
    assert result.output.count("cannot be checked") == 1
    assert f"{other} (task 3.1): public tests passed" in result.output


def test_a_file_that_cannot_be_imported_loses_no_solved_exercise(mini: Any) -> None:
    mini.write(double="return 2 * x")
    mini.run("check", "double")
    right = mini.file.read_text()
    mini.file.write_text(right + "\n\n1 / 0\n")
    mini.run("check", "1")
    mini.file.write_text(right)
    assert "[x] double" in mini.run("map").output


@pytest.mark.parametrize("name", ["double", "1.1", "1", "01_numbers", "hw01_numbers.py", "hw01_numbers"])
def test_an_exercise_has_several_names(mini: Any, name: str) -> None:
    assert "double (task 1.1)" in mini.run("check", name).output


def test_a_path_to_the_file_is_a_name_too(mini: Any) -> None:
    assert "double (task 1.1)" in mini.run("check", str(mini.file)).output


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("dubble", "did you mean double?"),
        ("2", "lesson 2 has no homework"),
        ("99", f"`{COMMAND} map` lists them"),
    ],
)
def test_an_unknown_name_is_refused_in_a_sentence(mini: Any, name: str, sentence: str) -> None:
    result = mini.run("check", name)
    assert result.exit_code == 2
    assert sentence in text(result)


def test_without_a_name_the_next_exercise_is_checked(mini: Any) -> None:
    mini.write(double="return 2 * x")
    assert "double (task 1.1): public tests passed" in mini.run("check").output
    assert "turn (task 1.2): not started" in mini.run("check").output


def test_an_exercise_that_a_change_in_the_same_file_breaks_is_reported(mini: Any) -> None:
    mini.write(double="return 2 * x")
    mini.run("check", "double")
    mini.write(double="return x", turn="return x[::-1]")
    result = mini.run("check", "turn")
    assert "double passed before and does not now" in text(result)
    assert not Progress(mini.root).entry("double").solved


@pytest.mark.slow
def test_a_solved_exercise_stays_solved_when_another_one_in_its_file_is_written(mini: Any) -> None:
    mini.write(double="return 2 * x")
    mini.run("check", "double")
    mini.write(double="return 2 * x", turn="return x[::-1]")
    assert "[~] double" in mini.run("map").output
    mini.run("check", "turn")
    assert "[x] double" in mini.run("map").output


def test_changed_exercises_can_be_checked_together(mini: Any) -> None:
    mini.write(double="return 2 * x")
    mini.run("check", "double")
    assert "No solved exercise was edited" in mini.run("check", "--changed").output
    mini.write(double="return x + x")
    assert "double (task 1.1): public tests passed" in mini.run("check", "--changed").output


def test_the_picture_shows_expected_got_and_their_difference(mini: Any) -> None:
    mini.write(double="return x * x")
    path = mini.root / "difference.svg"
    assert mini.run("check", "double", "--svg", str(path)).exit_code == 1
    drawn = path.read_text(encoding="utf-8")
    for part in ("double: whole_numbers", ">expected<", ">got<", ">got - expected<"):
        assert part in drawn


def test_the_picture_of_a_picture_is_one(mini: Any) -> None:
    public = mini.file.with_name("public.py")
    public.write_text(PICTURES)
    mini.write(double="return np.zeros((3, 20, 30), np.float32)")
    path = mini.root / "difference.svg"
    mini.run("check", "double", "--svg", str(path))
    assert "channel 0" not in path.read_text(encoding="utf-8")


def test_without_two_arrays_there_is_nothing_to_draw(mini: Any) -> None:
    mini.write(turn="return x")
    path = mini.root / "difference.svg"
    assert "nothing to draw" in mini.run("check", "turn", "--svg", str(path)).output
    assert not path.exists()


def test_a_picture_that_cannot_be_written_is_a_sentence(mini: Any) -> None:
    mini.write(double="return x * x")
    result = mini.run("check", "double", "--svg", str(mini.root / "no" / "folder.svg"))
    assert result.exit_code == 2
    assert "cannot write the picture" in text(result)


@pytest.mark.slow
def test_the_page_is_ascii_on_an_ascii_terminal_and_fits_into_eighty_columns(mini: Any) -> None:
    mini.write(double="return x * x")
    for command in (("check", "double"), ("map",), ("next",), ("hint", "double")):
        process = mini.start(*command, PYTHONIOENCODING="ascii", NO_COLOR="1")
        out, err = process.communicate()
        assert process.returncode in (0, 1), err
        assert out.isascii()
        assert "\x1b" not in out
        assert max(map(len, out.splitlines())) <= 80
