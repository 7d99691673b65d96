"""The data that grading's modules exchange: a submission, the grade of an exercise, a graded submission."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Status(StrEnum):
    """The result of one exercise. The value is stored in the results."""

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


UNCOUNTED = (Status.MISSING, Status.INFRASTRUCTURE, Status.UNREADABLE)
"""Grades that say nothing about how hard an exercise is."""


class Isolation(StrEnum):
    """How well the sandbox isolates the worker."""

    NONE = "none"
    WEAK = "weak"
    STRONG = "strong"


@dataclass(frozen=True)
class Submission:
    """What one student handed in for one homework, as bytes read from folders and archives.

    student : name of the folder or archive.
    homework : the homework's folder name in the course, such as "01_first_tests".
    files : file name -> contents; the homework file and, if handed in, the worksheet notebook.
    handed_in : submission time, if known (time zone aware).
    faults : what could not be read for this homework, in words.
    judged : path of the file that is judged, as handed in; "" if none.
    aside : files of the student that belong to no homework or could not be opened; the same for all homeworks.
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
        """sha256 of homework, student's name, file names and contents: the key of the results."""
        hash_ = hashlib.sha256()
        for part in (self.homework.encode(), self.student.encode("utf-8", "surrogatepass")):
            hash_.update(len(part).to_bytes(8, "big") + part)
        for name in sorted(self.files):
            for part in (name.encode("utf-8", "surrogatepass"), self.files[name]):
                hash_.update(len(part).to_bytes(8, "big") + part)
        return hash_.hexdigest()


@dataclass(frozen=True)
class Check:
    """One test's outcome, as far as reports may show it.

    `call`, `expected`, `got` and `cause`, the likely cause, are empty for hidden tests; `hint` is what a failed hidden
    test may reveal.
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
    cause: str = ""

    @property
    def told(self) -> str:
        """The message with the likely cause, if one is known."""
        return f"{self.message}. Likely why: {self.cause}" if self.cause else self.message


@dataclass(frozen=True)
class Grade:
    """The grade of one exercise of one submission."""

    exercise: str
    points: float
    max_points: float
    status: Status
    message: str = ""
    checks: tuple[Check, ...] = ()
    stretch: bool = False


@dataclass(frozen=True)
class Graded:
    """A judged submission: a grade per exercise, the isolation, and facts about the submission.

    late_days : days started after the deadline, None if the time is unknown. `points` in `grades` are before the late
    deduction; `factor` is what they are multiplied by.
    judged, handed_in, faults, aside : those of the submission.
    deadline, due : the homework's deadline, if any, and whether it and the grace period are over.
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
        """Whether anything was handed in for this homework, even the untouched stub or an unreadable file."""
        statuses = {grade.status for grade in self.grades}
        if Status.OVERRIDDEN in statuses or any(grade.checks for grade in self.grades):
            return True
        lost_with_all = bool(self.aside) and not self.judged and set(self.faults) <= set(self.aside)
        return statuses != {Status.MISSING} and not lost_with_all

    @property
    def counts(self) -> bool:
        """Whether the homework counts in totals and grade books: something was written for it, or it is due."""
        return self.due or (self.is_handed_in and any(grade.status is not Status.MISSING for grade in self.grades))
