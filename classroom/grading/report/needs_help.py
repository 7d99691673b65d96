"""Who may need help, by a rule that is simple enough to be argued with."""

from __future__ import annotations

from dataclasses import dataclass

from classroom.grading.report.gather import ClassRecord
from classroom.register import Lesson

LAST, ENOUGH, LOW = 3, 2, 0.5
RULE = (
    f"Of the last {LAST} homeworks that are due, or that most of the class handed in, {ENOUGH} or more were not handed "
    f"in or got less than {LOW:.0%} of their points. It counts nothing else, and knows nothing of anybody's reasons."
)


@dataclass(frozen=True)
class MayNeedHelp:
    """A student to whom the rule applies: mean share of the points of the last homeworks, and the reasons."""

    student: str
    share: float
    why: str


def may_need_help(record: ClassRecord) -> list[MayNeedHelp]:
    """The students whom RULE names, with the fewest points first."""
    lessons = _last(record)
    found = []
    for student in record.students if lessons else ():
        shares = [_share(record, student, lesson) for lesson in lessons]
        missing = [lesson for lesson, share in zip(lessons, shares) if share is None]
        low = [lesson for lesson, share in zip(lessons, shares) if share is not None and share < LOW]
        if len(missing) + len(low) >= min(ENOUGH, len(lessons)):
            parts = [
                f"{what}: {', '.join(str(lesson.number) for lesson in some)}"
                for what, some in (("not handed in", missing), (f"below {LOW:.0%}", low))
                if some
            ]
            found.append(MayNeedHelp(student, sum(share or 0.0 for share in shares) / len(shares), "; ".join(parts)))
    return sorted(found, key=lambda one: (one.share, one.student))


def _last(record: ClassRecord) -> list[Lesson]:
    """The last homeworks that one may expect to be done, oldest first."""
    done = []
    for lesson in record.lessons:
        own = [one for (_, homework), one in record.graded.items() if homework == lesson.folder]
        handed_in = sum(one.is_handed_in for one in own)
        if any(one.due for one in own) or 2 * handed_in > len(record.students):
            done.append(lesson)
    return done[-LAST:]


def _share(record: ClassRecord, student: str, lesson: Lesson) -> float | None:
    """The share of the points; None if nothing was handed in. What is not judged yet counts as all points."""
    one = record.graded.get((student, lesson.folder))
    if one is None or not one.is_handed_in:
        return None
    points = record.totals[student, lesson.folder]
    return points.regular / points.most if points.complete and points.most else 1.0
