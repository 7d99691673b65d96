"""What grading passes between its parts: a submission taken in, a task's grade, a graded submission."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Status(StrEnum):
    """How one exercise of one submission came out. The value stands in the results."""

    PASSED = "passed"
    PARTIAL = "partial"
    FAILED = "failed"
    MISSING = "missing"
    """Nothing was handed in for it."""
    UNREADABLE = "unreadable"
    """What was handed in cannot be read: no Python, too large, a damaged archive."""
    INFRASTRUCTURE = "infrastructure"
    """The judge could not work: never a grade, to be tried again."""
    OVERRIDDEN = "overridden"
    """A person has set the points."""


class Isolation(StrEnum):
    """How well the worker was shut in."""

    NONE = "none"
    WEAK = "weak"
    STRONG = "strong"


@dataclass(frozen=True)
class Submission:
    """What one student handed in for one homework, taken from folders and archives, as bytes.

    student : the name of the folder or archive.
    homework : the homework's folder name in the course, such as "01_first_tests".
    files : file name -> contents; the homework's own file and, if handed in, its worksheet notebook.
    handed_in : when, if known (time zone aware).
    faults : what could not be taken in of this homework, in words.
    judged : the path of the file that is judged, as it was handed in; "" where there is none.
    aside : what of the student's belongs to no homework or could not be opened, the same for all homeworks.
    """

    student: str
    homework: str
    files: Mapping[str, bytes] = field(repr=False)
    handed_in: datetime | None = None
    faults: tuple[str, ...] = ()
    judged: str = ""
    aside: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """sha256 over homework, student's name, file names and contents: the key of its results."""
        hash_ = hashlib.sha256()
        for part in (self.homework.encode(), self.student.encode("utf-8", "surrogatepass")):
            hash_.update(len(part).to_bytes(8, "big") + part)
        for name in sorted(self.files):
            for part in (name.encode("utf-8", "surrogatepass"), self.files[name]):
                hash_.update(len(part).to_bytes(8, "big") + part)
        return hash_.hexdigest()


@dataclass(frozen=True)
class Check:
    """One test's outcome as the report may show it.

    `call`, `expected`, `got` are shown for public tests only and are empty for hidden ones; `hint` is what a hidden
    test's failure may say.
    """

    exercise: str
    name: str
    public: bool
    passed: bool
    message: str = ""
    call: str = ""
    expected: str = ""
    got: str = ""
    hint: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Grade:
    """One exercise of one submission."""

    exercise: str
    points: float
    max_points: float
    status: Status
    message: str = ""
    checks: tuple[Check, ...] = ()
    stretch: bool = False


@dataclass(frozen=True)
class Graded:
    """One submission judged: a grade per exercise, how it was isolated, and what went with it.

    late_days : whole days after the deadline, None when no time is known. `points` in `grades` are before any deduction
    for lateness; `factor` is what the policy multiplies them by.
    judged, handed_in, faults, aside : the submission's.
    deadline, due : the homework's deadline, if it has one, and whether it and its grace are over.
    """

    student: str
    homework: str
    digest: str
    suite: str
    grades: tuple[Grade, ...]
    isolation: Isolation
    seconds: float = 0.0
    late_days: int | None = None
    factor: float = 1.0
    faults: tuple[str, ...] = ()
    judged: str = ""
    handed_in: datetime | None = None
    deadline: datetime | None = None
    due: bool = False
    aside: tuple[str, ...] = ()

    @property
    def is_handed_in(self) -> bool:
        """Whether there is anything for this homework, be it the untouched stub or a file that cannot be read."""
        statuses = {grade.status for grade in self.grades}
        if Status.OVERRIDDEN in statuses or any(grade.checks for grade in self.grades):
            return True
        lost_with_all = bool(self.aside) and not self.judged and set(self.faults) <= set(self.aside)
        return statuses != {Status.MISSING} and not lost_with_all

    @property
    def counts(self) -> bool:
        """Whether the homework belongs into a sum or a grade book: something is written for it, or it is due."""
        return self.due or (self.is_handed_in and any(grade.status is not Status.MISSING for grade in self.grades))
