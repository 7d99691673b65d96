from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from classroom.grading import judging
from classroom.grading.disclosure import hidden_message
from classroom.grading.errors import GradingError
from classroom.grading.judging import judge
from classroom.grading.notebook import answers
from classroom.grading.points import fraction, grade_of
from classroom.grading.population import HOSTILES
from classroom.grading.records import Check, Isolation, Status
from classroom.grading.settings import Settings, load_settings
from classroom.grading.suite import homework_in, suite_of, version_of
from classroom.judge import JudgeError, SubmissionError, fair
from classroom.register import Exercise
from classroom.sandbox import Bare

FULL = {"double": 2.0, "turn": 3.0, "power": 4.0}
NOTHING = dict.fromkeys(FULL, 0.0)
DOUBLE = ("def double(x):", "    return 2 * x")


def checks(public: str, hidden: str) -> list[Check]:
    """One check for each letter: + passed, - failed."""
    kinds = ((True, public), (False, hidden))
    return [Check("f", str(n), kind, one == "+") for kind, row in kinds for n, one in enumerate(row)]


@pytest.mark.parametrize(
    ("public", "hidden", "part"),
    [
        ("++", "+-", 0.3 + 0.7 / 2),
        ("+-", "+++", 0.3 / 2 + 0.7),
        ("--", "+--+", 0.7 / 2),
        ("++", "--", 0.0),
        ("--", "--", 0.0),
    ],
)
def test_tests_of_a_kind_weigh_the_same_and_public_ones_alone_earn_nothing(
    public: str, hidden: str, part: float
) -> None:
    assert fraction(checks(public, hidden), (), 0.3) == pytest.approx(part)


def test_what_the_stub_passes_earns_nothing_and_breaking_it_costs() -> None:
    given = {(False, "0"), (True, "0")}
    assert fraction(checks("+-", "+-"), given, 0.5) == 0.0
    assert fraction(checks("+-", "++"), given, 0.5) == 0.5
    assert fraction(checks("++", "-+"), given, 0.5) == 0.0


def test_points_are_never_rounded_up_to_all_of_them() -> None:
    many = [Check("f", str(n), False, n > 0) for n in range(100_000)]
    grade = grade_of(Exercise("f", "f", 3), many, (), 0.0)
    assert grade.points == 2.99
    assert grade.status is Status.PARTIAL
    assert grade_of(Exercise("f", "f", 3), many[1:], (), 0.3).points == 3
    assert grade_of(Exercise("f", "f", 3), [], (), 0.3).status is Status.INFRASTRUCTURE


def test_the_solution_gets_everything_and_the_stub_nothing(teacher: Any) -> None:
    solved = teacher.judged(hw01_numbers=teacher.solution)
    assert {grade.exercise: grade.points for grade in solved.grades} == FULL
    assert {grade.status for grade in solved.grades} == {Status.PASSED}
    assert [grade.stretch for grade in solved.grades] == [False, False, True]
    assert solved.isolation is Isolation.NONE
    stub = teacher.judged(hw01_numbers=teacher.stub)
    assert {grade.status for grade in stub.grades} == {Status.MISSING}
    assert {grade.exercise: grade.points for grade in stub.grades} == NOTHING


def test_a_part_of_an_exercise_earns_a_part_of_its_points(teacher: Any) -> None:
    text = teacher.solution.replace("return 2 * x", "return np.abs(2 * x) if x.ndim == 1 else 2 * x")
    (grade, *_) = teacher.judged(hw01_numbers=text).grades
    assert grade.status is Status.PARTIAL
    assert grade.points == pytest.approx(2 * (0.3 + 0.7 / 2))
    assert grade.message == "2 of 2 public tests passed, 1 of 2 hidden tests passed"


@pytest.mark.parametrize("attack", HOSTILES)
def test_hostile_submissions_gain_nothing(teacher: Any, attack: str) -> None:
    graded = teacher.judged(hw01_numbers=HOSTILES[attack])
    assert {grade.exercise: grade.points for grade in graded.grades} == NOTHING
    assert not {grade.status for grade in graded.grades} & {Status.PASSED, Status.PARTIAL, Status.INFRASTRUCTURE}


def test_public_answers_learnt_by_heart_earn_nothing(teacher: Any) -> None:
    assert teacher.points(hw01_numbers="def power(x):\n    return 9\n")["power"] == 0


def test_what_is_no_python_is_unreadable(teacher: Any) -> None:
    graded = teacher.judged(hw01_numbers="def double(x:\n")
    assert {grade.status for grade in graded.grades} == {Status.UNREADABLE}
    assert "this is not Python" in graded.grades[0].message


@pytest.mark.slow
def test_an_endless_loop_costs_its_time_and_the_other_exercises_nothing(teacher: Any) -> None:
    settings = Settings(call_seconds=5.0, test_seconds=5.0, submission_seconds=300.0)
    text = teacher.solution.replace("return x * x", "import time\n    while True: time.sleep(1)")
    points = teacher.points(hw01_numbers=text, settings=settings)
    assert points == {**FULL, "power": 0.0}


@pytest.mark.parametrize(
    "loop",
    ["while True: pass", pytest.param("import time\n    while True: time.sleep(1)", marks=pytest.mark.slow)],
)
def test_on_a_machine_too_busy_for_time_limits_there_is_no_grade(
    teacher: Any, monkeypatch: pytest.MonkeyPatch, loop: str
) -> None:
    shares = iter([0.1, 0.1])
    monkeypatch.setattr(fair, "share_of_a_core", lambda: next(shares, 1.0))
    monkeypatch.setattr(judging, "PAUSE", 0.0)
    settings = Settings(call_seconds=0.5, test_seconds=0.5, submission_seconds=300.0)
    text = teacher.solution.replace("return x * x", loop)
    monkeypatch.setattr(judging, "ATTEMPTS", 2)
    graded = teacher.judged(hw01_numbers=text, settings=settings)
    assert {grade.status for grade in graded.grades} == {Status.INFRASTRUCTURE}
    assert "a process gets 10% of a core" in graded.grades[0].message
    assert "Try again" in graded.grades[0].message
    monkeypatch.setattr(judging, "ATTEMPTS", 3)
    shares = iter([0.1])
    graded = teacher.judged(hw01_numbers=text, settings=settings)  # the second attempt finds the machine idle
    assert {grade.exercise: grade.points for grade in graded.grades} == {**FULL, "power": 0.0}


def test_an_answer_that_needs_no_more_time_is_graded_however_busy_the_machine_is(
    teacher: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fair, "share_of_a_core", lambda: 0.0)
    assert teacher.points(hw01_numbers=teacher.solution) == FULL


def test_an_import_that_a_busy_machine_does_not_end_is_no_grade(teacher: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair, "share_of_a_core", lambda: 0.1)
    monkeypatch.setattr(judging, "ATTEMPTS", 1)
    settings = Settings(call_seconds=0.5, test_seconds=0.5, submission_seconds=300.0)
    graded = teacher.judged(hw01_numbers="while True: pass", settings=settings)
    assert {grade.status for grade in graded.grades} == {Status.INFRASTRUCTURE}


def test_time_in_which_the_judge_stood_still_is_nobodys(teacher: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    still = 1000.0
    settings = Settings(call_seconds=0.5, test_seconds=0.5, submission_seconds=60.0)
    clock, lost = fair.time.monotonic, fair.lost
    monkeypatch.setattr(judging, "ATTEMPTS", 1)

    class Stopped:
        """Every look at the clock is a thousand seconds after the one before, and all of them are lost."""

        passed = 0.0

        def __call__(self) -> float:
            self.passed += still
            return lost() + self.passed

    stopped = Stopped()
    monkeypatch.setattr(fair, "lost", stopped)
    monkeypatch.setattr(fair.time, "monotonic", lambda: clock() + stopped.passed)
    text = teacher.solution.replace("return x * x", "while True: pass")
    assert {grade.status for grade in teacher.judged(hw01_numbers=text, settings=settings).grades} == {
        Status.INFRASTRUCTURE
    }


def test_many_calls_that_are_each_in_time_are_together_too_late(teacher: Any) -> None:
    def calls(student: Any, rng: Any) -> None:
        for _ in range(1000):
            student.f()

    class Slow:
        def __getattr__(self, name: str) -> Any:
            return lambda: judging.time.sleep(0.02)

    with pytest.raises(SubmissionError, match="together"):
        calls(judging.Timed(Slow(), fair.mark(), 0.1), None)


def test_no_time_is_left_after_the_submission_s_own(teacher: Any) -> None:
    settings = Settings(call_seconds=0.5, test_seconds=0.5, submission_seconds=0.6)
    text = teacher.solution.replace("return 2 * x", "while True: pass")
    graded = teacher.judged(hw01_numbers=text, settings=settings)
    assert {grade.points for grade in graded.grades} == {0.0}
    assert any("no time left" in check.message for grade in graded.grades for check in grade.checks)


def test_a_worker_that_somebody_killed_is_tried_again(teacher: Any, tmp_path: Path) -> None:
    mark = tmp_path / "killed"
    text = teacher.solution.replace(
        "    return 2 * x",
        f"    import os\n    if not os.path.exists({str(mark)!r}):\n        open({str(mark)!r}, 'w').close()\n"
        "        os.kill(os.getpid(), 9)\n    return 2 * x",
    )
    assert teacher.points(hw01_numbers=text) == FULL
    assert mark.exists()


def test_trouble_of_the_judge_is_retried_and_then_no_grade(teacher: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "PAUSE", 0.0)
    begun: list[int] = []

    class Broken(Bare):
        def command(self, submission: Path, without: frozenset[str]) -> Any:
            begun.append(1)
            if len(begun) <= self.failures:
                raise JudgeError("no sandbox today")
            return super().command(submission, without)

        failures = 2

    job = teacher.job(hw01_numbers=teacher.solution)
    assert {grade.status for grade in judge(job, Broken(), Isolation.NONE).grades} == {Status.PASSED}
    begun.clear()
    Broken.failures = 10**9
    graded = judge(job, Broken(), Isolation.NONE)
    assert {grade.status for grade in graded.grades} == {Status.INFRASTRUCTURE}
    assert len(begun) == judging.ATTEMPTS
    assert "no sandbox today" in graded.grades[0].message


def test_a_test_that_skips_is_no_pass(teacher: Any) -> None:
    path = teacher.file.parent / "judge" / "turn.py"
    path.write_text(path.read_text(encoding="utf-8") + SKIPS, encoding="utf-8")
    assert not suite_of(teacher.lesson, Settings(), 0).given
    grade = teacher.judged(hw01_numbers=teacher.solution).grades[1]
    assert grade.status is Status.PARTIAL
    assert [check.passed for check in grade.checks if not check.public] == [True, False]


SKIPS = '''

@task("turn")
def skips(student, rng):
    """It skips."""
    import pytest

    pytest.skip("not today")
'''


def test_every_student_and_every_resubmission_has_other_inputs_and_the_same_ones_again(teacher: Any) -> None:
    def seed_of(student: str = "ann", seed: int = 7, text: str = "") -> int:
        job = teacher.job(student=student, seed=seed, hw01_numbers=text)
        return int(job.suite.seed_of(job.submission.digest))

    assert seed_of() == seed_of()
    assert len({seed_of(name) for name in ("ann", "bo", "Ann", "")}) == 4
    assert seed_of(seed=8) != seed_of()
    assert len({seed_of(text=text) for text in ("", "# again\n", "# and again\n")}) == 3


def test_hidden_inputs_of_a_resubmission_differ_and_come_again_for_the_same_file(
    teacher: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from classroom.judge import tests as judged_tests

    seeds: list[tuple[str, int]] = []
    call = judged_tests.Test.call

    def watched(self: judged_tests.Test, student: Any, seed: int) -> str | None:
        seeds.append((self.name, seed))
        return call(self, student, seed)

    monkeypatch.setattr(judged_tests.Test, "call", watched)
    runs = []
    for remark in ("first", "second", "first"):
        seeds.clear()
        teacher.judged(hw01_numbers=teacher.solution + f"# {remark}\n")
        runs.append(dict(seeds))
    assert runs[0] == runs[2]
    assert runs[0].keys() == runs[1].keys()
    assert all(runs[0][name] != runs[1][name] for name in runs[0])


def test_a_suite_s_version_is_that_of_what_decides_a_grade(teacher: Any) -> None:
    settings = load_settings(teacher.root)

    def version(seed: int = 7, settings: Settings = settings) -> str:
        return version_of(homework_in(teacher.root, teacher.lesson.folder), settings, seed)

    first = version()
    assert version() == first
    assert version(seed=8) != first
    assert version(settings=replace(settings, public_share=0.9)) != first
    assert version(settings=replace(settings, late_deduction=0.9)) == first
    hidden = teacher.file.parent / "judge" / "double.py"
    hidden.write_text(hidden.read_text(encoding="utf-8") + "\n# another word\n", encoding="utf-8")
    assert version() != first


def test_a_judge_with_other_tests_gives_no_grade(teacher: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "PAUSE", 0.0)
    job = teacher.job(hw01_numbers=teacher.solution)
    other = replace(job, suite=replace(job.suite, version="another"))
    assert {grade.status for grade in judge(other, Bare(), Isolation.NONE).grades} == {Status.INFRASTRUCTURE}


def test_a_hidden_test_tells_nothing_that_a_submission_says(teacher: Any) -> None:
    text = teacher.solution.replace("return 2 * x", "raise type('Input' + str(x.size), (Exception,), {})(x.tolist())")
    for check in teacher.judged(hw01_numbers=text).grades[0].checks:
        if check.public:
            assert "Input" in check.message
        else:
            assert check.message == "raised an exception"
            assert (check.call, check.expected, check.got) == ("", "", "")
            assert check.hint.endswith("doubled.")
    assert hidden_message(SubmissionError("raise", "x", "ValueError")) == "raised ValueError"
    wrong = teacher.judged(hw01_numbers=teacher.solution.replace("2 * x", "3 * x")).grades[0].checks
    assert all(check.got == "" for check in wrong if not check.public)
    shown = [(check.expected.split("\n")[-1], check.got.split("\n")[-1]) for check in wrong if check.public]
    assert (" 0  >2< >4< >6<", " 0  >3< >6< >9<") in shown


def test_functions_in_any_cell_of_a_worksheet_are_judged(teacher: Any) -> None:
    sheet = teacher.notebook(
        teacher.code("cell-01", "%matplotlib inline", "import not_there", "def helper(x):", "    return x[::-1]"),
        teacher.code("cell-02", *DOUBLE, "double(undefined)"),
        teacher.code("new", "def turn(x):", "    return helper(x)"),
        teacher.code("other", "def power(x):", "    return x * x"),
    )
    graded = teacher.judged(worksheet=sheet)
    assert {grade.exercise: grade.points for grade in graded.grades} == FULL
    assert "judged from the worksheet" in graded.grades[0].message


def test_the_last_definition_in_a_worksheet_counts(teacher: Any) -> None:
    wrong, right = teacher.code("a", "def double(x):", "    return 3 * x"), teacher.code("b", *DOUBLE)
    assert teacher.points(worksheet=teacher.notebook(wrong, right))["double"] == 2
    assert teacher.points(worksheet=teacher.notebook(right, wrong))["double"] == 0


def test_the_untouched_stub_below_the_answers_in_a_worksheet_hides_none(teacher: Any) -> None:
    answers, stub = teacher.code("a", teacher.solution), teacher.code("b", teacher.stub)
    assert teacher.points(worksheet=teacher.notebook(answers, stub)) == FULL
    assert teacher.points(worksheet=teacher.notebook(stub, answers)) == FULL


def test_what_functions_need_from_other_cells_of_a_worksheet_is_there(teacher: Any) -> None:
    sheet = teacher.notebook(
        teacher.code("a", "ONE = 1", "FACTOR = ONE + 1"),
        teacher.code("b", "TABLE = {}", "for n in range(2000):", "    TABLE[n] = n * n"),
        teacher.code("c", "def double(x):", "    return FACTOR * x", "def power(x):", "    return TABLE[x]"),
        teacher.code("d", "turn = lambda x: x[::-1]"),
    )
    assert teacher.points(worksheet=sheet) == FULL


def test_experiments_in_a_worksheet_cost_nothing(teacher: Any) -> None:
    sheet = teacher.notebook(
        teacher.code("a", *DOUBLE),
        teacher.code("b", "import time", "while True:", "    time.sleep(1)"),
        teacher.code("c", "exit()"),
        teacher.code("d", "x = double(3)", "assert x == 7"),
    )
    settings = Settings(call_seconds=2.0, test_seconds=2.0, submission_seconds=60.0)
    assert teacher.points(worksheet=sheet, settings=settings)["double"] == 2


@pytest.mark.parametrize(
    "lines",
    [
        ("def double(x):", "    return (2 * x + 0", "% 7)"),
        ("def double(x):", "    text = '''", "%d", "''' % 1", "    return 2 * x"),
        ("%%time", "def double(x):", "    return 2 * x"),
        ("def double(x):", "    return 2 * x", "", "if True:", "    %timeit double(3)"),
        ("files = !ls", "took = %timeit -o 1", "double?", "def double(x):", "    return 2 * x"),
    ],
)
def test_only_what_is_a_magic_is_taken_for_one(teacher: Any, lines: tuple[str, ...]) -> None:
    assert teacher.points(worksheet=teacher.notebook(teacher.code("cell-02", *lines)))["double"] == 2


def test_a_cell_that_is_no_python_is_told_where_its_function_is_asked_for(teacher: Any) -> None:
    sheet = teacher.notebook(teacher.code("a", "def double(x):", "    return 2 * * x"), teacher.code("b", "x = = 1"))
    double, turn, _ = teacher.judged(worksheet=sheet).grades
    assert double.status is Status.FAILED
    assert "line 2" in double.checks[0].message
    assert turn.status is Status.MISSING


def test_a_homework_file_comes_before_a_worksheet_unless_it_is_the_stub(teacher: Any) -> None:
    sheet = teacher.notebook(teacher.code("cell-02", *DOUBLE))
    assert teacher.points(worksheet=sheet, hw01_numbers=teacher.stub)["double"] == 2
    assert teacher.points(worksheet=sheet, hw01_numbers=teacher.stub + "\nx = 1\n")["double"] == 0


@pytest.mark.parametrize(
    "change",
    [
        lambda stub: stub.replace("\n", "\r\n"),
        lambda stub: "\ufeff" + stub,
        lambda stub: stub + "\n\n",
        lambda stub: stub.replace("\n\n\n", "\n\n") + "   \n",
        lambda stub: "# Ann Smith, group 3\n" + stub,
        lambda stub: stub.rstrip("\n"),
    ],
)
def test_a_stub_that_means_the_same_is_untouched(teacher: Any, change: Any) -> None:
    sheet = teacher.notebook(teacher.code("cell-02", *DOUBLE))
    assert teacher.points(worksheet=sheet, hw01_numbers=change(teacher.stub))["double"] == 2


CHEATS = {
    "outputs baked in": {"outputs": [{"output_type": "stream", "name": "stdout", "text": "all tests passed"}]},
    "skipped": {"metadata": {"tags": ["skip-execution", "nbval-skip", "nbval-ignore-output"]}},
    "raises": {"metadata": {"tags": ["raises-exception"]}},
    "count": {"execution_count": 7},
}


def test_outputs_and_tags_change_nothing(teacher: Any) -> None:
    for cheat in CHEATS.values():
        wrong = {**teacher.code("cell-02", "def double(x):", "    return 9"), **cheat}
        right = {**teacher.code("cell-02", *DOUBLE), **cheat}
        assert answers(teacher.notebook(wrong)) == ("def double(x):\n    return 9\n",)
        sheet = teacher.notebook(right)
        assert answers(sheet) == ("def double(x):\n    return 2 * x\n",)
    assert teacher.points(worksheet=teacher.notebook(wrong)) == NOTHING
    assert teacher.points(worksheet=sheet)["double"] == 2


@pytest.mark.parametrize(
    "lines",
    [
        ("class Liar:", "    __eq__ = lambda *a: True", "    __repr__ = lambda s: '2'", "double = lambda x: Liar()"),
        ("get_ipython().input_transformers_post.append(print)",),
        ("import os", "os._exit(0)"),
        ("raise SystemExit(0)",),
        ("import hw01_numbers, sys", "sys.modules['numpy'].testing = None"),
        ("from judge.solution import *",),
        ("_loader['load'] = lambda *a: None", "load = run = print"),
    ],
)
def test_what_a_cell_does_to_the_kernel_gains_nothing(teacher: Any, lines: tuple[str, ...]) -> None:
    assert teacher.points(worksheet=teacher.notebook(teacher.code("cell-02", *lines))) == NOTHING


def test_deleted_and_raw_cells_do_not_count(teacher: Any) -> None:
    raw = {**teacher.code("cell-02", *DOUBLE), "cell_type": "raw"}
    markdown = {**teacher.code("cell-02", *DOUBLE), "cell_type": "markdown"}
    for cells in ((), (raw,), (markdown,)):
        assert teacher.points(worksheet=teacher.notebook(*cells)) == NOTHING


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"[" * 100_000, b'{"cells": 1}', b'{"cells": [1, {"cell_type": "code"}]}', b"\xff\xfe", b"1" * 9999],
)
def test_what_is_no_notebook_is_judged_as_nothing(teacher: Any, data: bytes) -> None:
    assert teacher.points(worksheet=data) == NOTHING


@pytest.mark.parametrize("data", [b"", b"[" * 100_000, b"\xff\xfe", b'{"cells": [', b'{"cells": 1}'])
def test_a_broken_notebook_says_what_to_do(teacher: Any, data: bytes) -> None:
    (grade, *_) = teacher.judged(worksheet=data).grades
    assert grade.status is Status.UNREADABLE
    assert "open it in Jupyter, save it and hand it in again" in grade.message
    assert "Error" not in grade.message


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "latin-1"])
def test_a_file_in_another_encoding_says_what_to_do(teacher: Any, encoding: str) -> None:
    (grade, *_) = teacher.judged(hw01_numbers=("x = '\xe9t\xe9'\n" + teacher.solution).encode(encoding)).grades
    assert grade.status is Status.UNREADABLE
    assert "save it as UTF-8 and hand it in again" in grade.message
    assert "null byte" not in grade.message


def test_an_encoding_that_the_file_itself_names_is_read(teacher: Any) -> None:
    text = "# -*- coding: latin-1 -*-\n# \xe9t\xe9\n" + teacher.solution
    assert teacher.points(hw01_numbers=text.encode("latin-1")) == FULL


STUB_THAT_RAISES = '''

table = {}


def find(name):
    """Given."""
    return table[name]


def turn(x):
    # TODO turn (Task 1.2): write the function and put it into table
    return find("turn")(x)
'''


def test_what_is_still_the_stub_s_is_unwritten_whatever_it_raises(teacher: Any) -> None:
    stub = teacher.stub + STUB_THAT_RAISES
    teacher.file.write_text(stub, encoding="utf-8")
    teacher.pack()
    suite = suite_of(teacher.lesson, load_settings(teacher.root), 7)
    for text, status in ((stub, Status.MISSING), (stub.replace('find("turn")', 'find("tern")'), Status.FAILED)):
        job = replace(teacher.job(hw01_numbers=text), suite=suite)
        graded = judge(job, teacher.sandbox, Isolation.NONE)
        assert graded.grades[1].status is status


def test_a_homework_that_is_not_whole_is_named(teacher: Any) -> None:
    (teacher.file.parent / "judge" / "double.py").write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(GradingError, match=r"01_numbers/judge/double\.py"):
        suite_of(teacher.lesson, Settings(), 0)
