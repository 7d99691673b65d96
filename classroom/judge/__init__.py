"""The judge: runs tests on a submission in a separate process and sees it only as plain data.

A test file contains functions that name what they need:

    @task("flatten", "order")
    def rows_come_first(student, rng):
        \"\"\"Each channel is read row by row.\"\"\"
        x = rng.standard_normal((2, 3, 4)).astype(np.float32)
        expect(student.flatten(x, True), x.reshape(-1))
"""

from classroom.judge.compare import Failure, expect, expect_raises
from classroom.judge.mutants import Mutant
from classroom.judge.refusals import expect_refused, likely
from classroom.judge.student import JudgeError, Student, SubmissionError
from classroom.judge.tests import Outcome, Session, Test, exercise_passed, load_tests, run_tests, task

__all__ = [
    "Failure",
    "JudgeError",
    "Mutant",
    "Outcome",
    "Session",
    "Student",
    "SubmissionError",
    "Test",
    "exercise_passed",
    "expect",
    "expect_raises",
    "expect_refused",
    "likely",
    "load_tests",
    "run_tests",
    "task",
]
