"""Judge one upload: what `run_autograder` starts in Gradescope's container.

It reads ROOT/source/upload.json, ROOT/submission and ROOT/submission_metadata.json, and writes
ROOT/results/results.json. Nothing that lies in the submission is run outside the sandbox, imported or followed. If the
judge cannot work there is no results.json, so Gradescope gives no points.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from classroom import register
from classroom.grading.errors import GradingError
from classroom.grading.exports.gradescope import uploaded
from classroom.grading.intake.layouts import Source
from classroom.grading.intake.reader import Intake
from classroom.grading.judging import Job, judge, this_sandbox
from classroom.grading.points import nothing
from classroom.grading.records import Graded, Isolation, Status, Submission
from classroom.grading.safe import one_line
from classroom.grading.settings import load_settings
from classroom.grading.store import ISOLATION_RANK
from classroom.grading.suite import Suite
from classroom.grading.words import NOT_HANDED_IN

MAX_METADATA_BYTES = 8 << 20


@dataclass(frozen=True)
class Upload:
    """What the autograder's archive says.

    hidden : Gradescope's visibility of what hidden tests found. least : the isolation below which nothing is judged.
    known : the suite's `given`, `unwritten` and `blanket`, found when the archive was made.
    """

    homework: str
    seed: int
    version: str
    hidden: str
    least: Isolation
    known: Mapping[str, list[list[Any]]]

    def suite(self, root: Path) -> Suite:
        """The suite that judges, without the questions of the worksheet."""
        settings = replace(load_settings(root), worksheets=False)
        known = {name: frozenset(map(tuple, pairs)) for name, pairs in self.known.items()}
        return Suite(root, self.homework, self.version, settings, self.seed, **known)


def main(root: Path) -> int:
    """Judge the upload -> exit code: 1 if the judge could not work, and then no results.json is left."""
    target = root / "results" / "results.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    try:
        result = judged(root)
    except (GradingError, OSError, ValueError, KeyError) as error:
        print(f"No grade, through no fault of the student's: {one_line(str(error), 1000)}")
        return 1
    whole = target.with_name(f".{target.name}.{os.getpid()}")
    whole.write_text(json.dumps(result, indent=1), encoding="utf-8")
    whole.replace(target)
    return 0


def judged(root: Path) -> dict[str, object]:
    """The results.json of the upload in `root`. Raises GradingError if it could not be judged."""
    course = root / "source" / "course"
    upload = read_upload(root / "source" / "upload.json")
    lesson = next(one for one in register.load(course).lessons if one.folder == upload.homework)
    student = student_of(root / "submission_metadata.json")
    sandbox, isolation = this_sandbox()
    print(f"isolation: {isolation.value} ({sandbox.explanation})")
    if ISOLATION_RANK[isolation] < ISOLATION_RANK[upload.least]:
        raise GradingError(
            f"the isolation reached here is {isolation.value}, and at least {upload.least.value} is asked for: "
            f"{sandbox.explanation}. The README of the autograder's archive says what to do"
        )
    (submission,) = Intake([lesson], known=register.load(course).lessons).of_student(
        student, [Source(student, root / "submission")]
    )
    suite = upload.suite(course)
    graded = judge(Job(submission, suite), sandbox, isolation) if submission.files else _missing(submission, suite)
    if any(grade.status is Status.INFRASTRUCTURE for grade in graded.grades):
        raise GradingError(next(grade.message for grade in graded.grades if grade.status is Status.INFRASTRUCTURE))
    graded = replace(graded, faults=submission.faults, aside=submission.aside, judged=submission.judged, late_days=0)
    return uploaded(graded, register.load(course), upload.hidden, sandbox.explanation)


def _missing(submission: Submission, suite: Suite) -> Graded:
    """The result of an upload in which there is nothing of the homework."""
    lesson = next(one for one in register.load(suite.root).lessons if one.folder == submission.homework)
    told = (*submission.faults, *submission.aside)
    status, message = (Status.UNREADABLE, told[0]) if told else (Status.MISSING, NOT_HANDED_IN)
    grades = tuple(nothing(exercise, status, message) for exercise in lesson.exercises)
    return Graded(submission.student, submission.homework, submission.digest, suite.version, grades, Isolation.STRONG)


def read_upload(path: Path) -> Upload:
    """Parse upload.json. Raises GradingError."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        known = {name: told["known"][name] for name in ("given", "unwritten", "blanket")}
        least = Isolation(told["least"])
        return Upload(told["homework"], int(told["seed"]), told["version"], told["hidden"], least, known)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise GradingError(f"{path.name}: expected what `release autograder` wrote: {error!r:.200}") from error


def student_of(path: Path) -> str:
    """The e-mails of those who uploaded, from Gradescope's submission_metadata.json; "upload" where they are unknown.

    Source: https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/
    """
    try:
        with path.open("rb") as file:
            users = json.loads(file.read(MAX_METADATA_BYTES)).get("users", [])
        names = sorted({str(one.get("email") or one.get("id") or "") for one in users} - {""})
    except (OSError, ValueError, AttributeError, TypeError, RecursionError):
        names = []
    return one_line(" ".join(names), 300) or "upload"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
