"""The judge: runs tests on a submission in a separate process and sees it only as plain data.

A test file contains functions of (student, rng):

    @task("flatten")
    def rows_come_first(student, rng):
        \"\"\"Each channel is read row by row.\"\"\"
        x = rng.standard_normal((2, 3, 4)).astype(np.float32)
        expect(student.flatten(x, True), x.reshape(-1))
"""

from classroom.judge.compare import Failure, expect, expect_raises
from classroom.judge.student import JudgeError, Student, SubmissionError
from classroom.judge.tests import Outcome, Session, Test, exercise_passed, load_tests, public_of, run_tests, task

__all__ = [
    "Failure",
    "JudgeError",
    "Outcome",
    "Session",
    "Student",
    "SubmissionError",
    "Test",
    "exercise_passed",
    "expect",
    "expect_raises",
    "load_tests",
    "public_of",
    "run_tests",
    "task",
]
