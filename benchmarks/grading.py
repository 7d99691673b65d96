"""How fast a made-up class is graded: `python -m benchmarks.grading --students 2000`.

The class has honest, wrong, unwritten and hostile submissions (classroom/grading/population.py) as folders, .zip and
.tar.gz. Printed are submissions a second and core, and what 50,000 of them would take.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from pathlib import Path

from classroom import register
from classroom.cli.grading import cores
from classroom.grading.grade import Options, Run
from classroom.grading.intake import lessons_with_homework
from classroom.grading.judging import this_sandbox
from classroom.grading.population import make_class, write_class
from classroom.grading.store import Store

MANY = 50_000


def main() -> None:
    """Make the class, grade it, print the rates."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--students", type=int, default=2000)
    parser.add_argument("--homework", action="append", default=[], help="number; default: 1")
    parser.add_argument("--jobs", type=int, default=cores())
    options = parser.parse_args()
    course = register.load()
    lessons = lessons_with_homework(course, options.homework or ["1"])
    with tempfile.TemporaryDirectory() as folder:
        measure(course, lessons, options.students, options.jobs, Path(folder))


def measure(
    course: register.Course, lessons: list[register.Lesson], students: int, processes: int, folder: Path
) -> None:
    """Grade a class of so many students in `folder`, and print what it took."""
    people = make_class(lessons, students)
    write_class(people, {lesson.folder: lesson.homework_file for lesson in lessons}, folder / "submissions")
    kinds = ", ".join(f"{count} {kind}" for kind, count in Counter(one.kind for one in people).most_common())
    print(f"{students} students ({kinds}), homework of lesson {', '.join(str(one.number) for one in lessons)}")
    print(f"isolation {this_sandbox()[1].value}, {processes} processes on {cores()} cores")
    run = Run(course, folder / "out", Options(tuple(lesson.folder for lesson in lessons), processes, seed=0))
    with Store(folder / "out") as store:
        started = time.monotonic()
        run.take_in(folder / "submissions", store)
        taken = time.monotonic() - started
        suites = run.suites(store)
        digests = run.jobs(store, suites, None)
        started = time.monotonic()
        wrong = {one.name: one.wrong for one in people}
        misjudged = 0
        for graded in run.judge(store, suites, digests):
            for grade in graded.grades:
                full = grade.points >= grade.max_points
                misjudged += full is (grade.exercise in wrong[graded.student])
        judged = time.monotonic() - started
    rate = len(digests) / judged / min(processes, cores())
    print(f"taken in: {students / taken:.0f} students a second")
    print(f"judged: {len(digests)} submissions in {judged:.1f} s, {rate:.2f} a second and core; {misjudged} misjudged")
    print(f"{MANY:,} submissions: {MANY / rate / 3600:.1f} core-hours")


if __name__ == "__main__":
    main()
