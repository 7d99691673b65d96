"""How fast a made-up class is graded: `python -m benchmarks.grading --students 2000`.

The class has honest, wrong, unwritten and hostile submissions (classroom/grading/population.py) as folders, .zip and
.tar.gz. Printed are submissions a second and core by the clock, and what 50,000 of them would take. With --out the
class and its results are kept there, and the same command goes on where it was. Processor time, which depends on
nothing else that the machine does, is told by a control group:
`systemd-run --user --scope python -m benchmarks.grading`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from classroom import register
from classroom.cli.progress_bar import progress
from classroom.grading.grade import GradingRun, Options
from classroom.grading.intake.handing_in import write_class
from classroom.grading.intake.reader import lessons_with_homework
from classroom.grading.judging import this_sandbox
from classroom.grading.population import contradictions, count_by_kind, make_class
from classroom.grading.store import Store
from kuiper.profile import usable_cores

MANY = 50_000


def main() -> None:
    """Make the class, grade it, print the rates."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--students", type=int, default=2000)
    parser.add_argument("--homework", action="append", default=[], help="number; default: 1")
    parser.add_argument("--jobs", type=int, default=usable_cores())
    parser.add_argument("--out", type=Path, help="keep the class and its results here, and go on with them")
    options = parser.parse_args()
    course = register.load()
    lessons = lessons_with_homework(course, options.homework or ["1"])
    if options.out is not None:
        measure(course, lessons, options.students, options.jobs, options.out)
        return
    with tempfile.TemporaryDirectory() as folder:
        measure(course, lessons, options.students, options.jobs, Path(folder))


def measure(
    course: register.Course, lessons: list[register.Lesson], students: int, processes: int, folder: Path
) -> None:
    """Grade a class of so many students in `folder`, and print what it took."""
    people = make_class(lessons, students)
    if not (folder / "submissions").exists():
        write_class(people, lessons, folder / "submissions")
    kinds = ", ".join(f"{count} {kind}" for kind, count in count_by_kind(people).items())
    print(f"{students} students ({kinds}), homework of lesson {', '.join(str(one.number) for one in lessons)}")
    print(f"isolation {this_sandbox()[1].value}, {processes} processes on {usable_cores()} cores", flush=True)
    run = GradingRun(course, folder / "out", Options(tuple(lesson.folder for lesson in lessons), processes, seed=0))
    with Store(folder / "out") as store:
        started = time.monotonic()
        run.take_in(folder / "submissions", store)
        print(f"taken in: {students / (time.monotonic() - started):.0f} students a second")
        suites = run.suites(store)
        digests = run.jobs(store, suites, None)
        started = time.monotonic()
        with progress("judging", len(digests)) as step:
            for _ in run.judge(store, suites, digests):
                step.done()
        tell(len(digests), time.monotonic() - started, min(processes, usable_cores()))
        exercises = {lesson.folder: lesson.exercises for lesson in lessons}
        graded = store.graded(run.settings, exercises)
    by_name = {one.name: one for one in people}
    misjudged = sum(len(contradictions(by_name[one.student], one)) for one in graded)
    print(f"{len(graded)} graded, {misjudged} exercises misjudged")


def tell(count: int, wall: float, lanes: int) -> None:
    """Print the rates of so many submissions."""
    if not count:
        print("all were judged already")
        return
    rate = count / wall / lanes
    print(f"judged: {count} submissions in {wall:.1f} s, {rate:.2f} a second and core")
    print(f"{MANY:,} submissions: {MANY / rate / 3600:.1f} core-hours")


if __name__ == "__main__":
    main()
