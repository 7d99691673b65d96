"""Check that a homework's tests are sound: the stub fails, the solution passes, every mutant is caught.

A homework is sound when
- the stub imports, and fails every exercise;
- the worked solution passes every test on every seed;
- every mutant (the solution with one mistake in it) runs, and some test of its exercise fails on every seed;
- every test finds at least one mutant;
- each exercise has a public and a hidden test that no trivial answer passes (judge/blanket.py);
- each rule in a task's docstring has public tests, and a mutant that no other rule's public tests find;
- each exercise has questions in the worksheet, which the solution answers and no trivial answer does;
- course.toml and the tests have the same exercises, each with public and hidden tests, mutants and three hints.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from classroom import register
from classroom.dev import build, questions
from classroom.judge.blanket import passable
from classroom.judge.homework import Homework, HomeworkError, homework_of
from classroom.judge.mutants import MutantError
from classroom.judge.student import SubmissionError
from classroom.judge.tests import Outcome, Test
from classroom.judge.trial import session_of
from classroom.started import DOCUMENTED

MIN_MUTANTS = 8
HINTS = 3
SECONDS = 10.0
MUTANT_SECONDS = 5.0
"""Time limit of a call; shorter for mutants, since a mutant that hangs always uses all of it."""
CHUNK = 25
BUILT_REGION = re.compile(r"<!-- tasks -->.*?<!-- /tasks -->", re.S)
BROKEN = {"NameError", "UnboundLocalError", "SyntaxError", "ImportError", "ModuleNotFoundError"}


@dataclass(frozen=True)
class CheckJob:
    """One submission to one homework on a range of seeds; `index` is the mutant's index."""

    root: Path
    number: int
    kind: str  # "built", "stub", "blanket", "sheet", "solution" or "mutant"
    seeds: range
    index: int = 0


@dataclass
class CheckReport:
    """Result of a job: the problems, and the tests that failed on the first seed."""

    problems: list[str] = field(default_factory=list)
    killers: set[str] = field(default_factory=set)
    seconds: float = 0.0


@dataclass
class HomeworkReport:
    """Combined result for one homework."""

    name: str
    exercises: list[str] = field(default_factory=list)
    tests: int = 0
    mutants: int = 0
    killed: int = 0
    problems: list[str] = field(default_factory=list)
    seconds: float = 0.0


def find_homeworks(root: Path, numbers: Iterable[int] = ()) -> list[Homework]:
    """The homework of the given lessons, or of all. Raises RegisterError, HomeworkError."""
    course = register.load(root)
    wanted = [course.lesson(number) for number in numbers]
    homeworks = [homework for lesson in wanted or course.lessons if (homework := homework_of(lesson))]
    missing = [f"lesson {one.number} has no homework/{one.folder}" for one in wanted if homework_of(one) is None]
    if missing or not homeworks:
        raise HomeworkError("; ".join(missing) or f"no homework in {root / 'homework'}")
    return homeworks


def check_homeworks(
    homeworks: Sequence[Homework], *, seeds: int, solution_seeds: int, processes: int | None = None
) -> Iterator[HomeworkReport]:
    """Check homeworks, each mutant on `seeds` seeds and the solution on `solution_seeds`; yields reports in order.

    `processes` : worker processes, one per core if None; with 1 everything runs in this process.
    """
    forms = [form(homework) for homework in homeworks]
    jobs = [_jobs(homework, seeds, solution_seeds) if sound else [] for homework, (sound, _) in zip(homeworks, forms)]
    with contextlib.ExitStack() as stack:
        count = processes or os.cpu_count() or 1
        if count == 1:
            reports: Iterator[CheckReport] = map(run, (job for some in jobs for job in some))
        else:
            # spawn: forking a process with threads is unsafe, and Windows has nothing else
            context = multiprocessing.get_context("spawn")
            pool = stack.enter_context(ProcessPoolExecutor(count, mp_context=context))
            stack.callback(pool.shutdown, wait=False, cancel_futures=True)
            reports = pool.map(run, [job for some in jobs for job in some])
        for homework, (_, problems), some in zip(homeworks, forms, jobs):
            yield _result(homework, problems, [(job, next(reports)) for job in some])


def form(homework: Homework) -> tuple[bool, list[str]]:
    """Static checks, without running a submission -> (whether it can be run at all, problems)."""
    lesson = homework.lesson
    if not lesson.homework_file:
        return False, [f'course.toml: lesson {lesson.number} needs homework = "hw{lesson.number:02}_NAME.py"']
    try:
        build.stub_text(homework)
        if not (homework.folder / homework.stub_name).is_file():
            return False, [f"{homework.stub_name} is not there: `{build.COMMAND} {lesson.number}` writes it"]
        tests, mutants = homework.public + homework.hidden, homework.mutants
        solution = homework.solution.read_text(encoding="utf-8")
    except (HomeworkError, build.BuildError) as error:
        return False, [str(error)]
    problems = []
    registered = {exercise.id for exercise in homework.exercises}
    known = registered | {"solution", "shared"}
    for file in sorted((homework.folder / "judge").glob("*.py")):
        if file.stem not in known:
            problems.append(
                f"judge/{file.name} belongs to no exercise of lesson {homework.lesson.number} in course.toml: give it "
                "the name of one, or put helpers into judge/shared.py"
            )
    for source, ids in (("tests", {t.exercise for t in tests}), ("mutants", {m.exercise for m in mutants})):
        problems += [f"{name} has {source} and stands not in course.toml" for name in sorted(ids - registered)]
        problems += [f"{name} stands in course.toml and has no {source}" for name in sorted(registered - ids)]
    for name in sorted(registered & {t.exercise for t in tests}):
        for public, kind in ((True, "public"), (False, "hidden")):
            if not any(t.exercise == name and t.public is public for t in tests):
                problems.append(f"{name} has no {kind} test")
    for exercise in homework.exercises:
        given = sum(bool(hint.strip()) for hint in exercise.hints)
        if len(exercise.hints) != HINTS or given != HINTS:
            problems.append(f"{exercise.id}: expected {HINTS} hints in course.toml, found {given}")
    if len(mutants) < MIN_MUTANTS:
        problems.append(f"expected at least {MIN_MUTANTS} mutants, found {len(mutants)}")
    problems += _mutants_form(homework, solution)
    problems += _rules_form(homework)
    problems += _left_to_write(homework)
    return True, problems


def _left_to_write(homework: Homework) -> Iterator[str]:
    """What stands as TODO where an author writes; students' TODO have no colon."""
    for exercise in homework.exercises:
        words = {"title": exercise.title, "section": exercise.section, "hints": " ".join(exercise.hints)}
        for field_, text in words.items():
            if "TODO:" in text:
                yield f"{exercise.id}: write the {field_} that stand{'s' * (field_ != 'hints')} as TODO in course.toml"
    files = [homework.folder / name for name in ("README.md", "public.py")]
    for path in files + sorted((homework.folder / "judge").glob("*.py")):
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        lines = BUILT_REGION.sub(lambda region: "\n" * region[0].count("\n"), text).splitlines()
        found = [number for number, line in enumerate(lines, 1) if "TODO:" in line]
        if found:
            name = path.relative_to(homework.folder).as_posix()
            yield f"{name}: write what stands as TODO, in line{'s' * (len(found) > 1)} {', '.join(map(str, found))}"
    sheet = homework.folder / "worksheet.ipynb"
    if sheet.is_file() and "TODO:" in sheet.read_text(encoding="utf-8"):
        yield "worksheet.ipynb: write what stands as TODO"


def _rules_form(homework: Homework) -> Iterator[str]:
    """Whether rules, tests and mutants name each other."""
    for exercise in homework.exercises:
        try:
            rules = homework.rules(exercise.id)
        except ValueError as error:
            yield f"{exercise.id}: {error}"
            continue
        if not rules:
            yield f"{exercise.id}: expected a section `Rules` in its docstring in judge/solution.py, found none"
        tested = {rule for test in homework.public if test.exercise == exercise.id for rule in test.rules}
        broken = {mutant.breaks for mutant in homework.mutants if mutant.exercise == exercise.id} - {""}
        for rule in rules:
            if rule not in tested:
                yield f"{exercise.id}: the rule {rule} has no public test: write one, @task({exercise.id!r}, {rule!r})"
            if rule not in broken:
                yield f"{exercise.id}: the rule {rule} has no mutant: write one with breaks={rule!r}"
        for name, places in (("public tests", tested), ("mutants", broken)):
            for rule in sorted(places - rules.keys()):
                yield f"{exercise.id}: {name} name the rule {rule}, which its docstring does not have"


def _mutants_form(homework: Homework, solution: str) -> Iterator[str]:
    seen: dict[str, str] = {}
    for mutant in homework.mutants:
        name = f"{mutant.exercise}/{mutant.name}"
        if not mutant.why.strip():
            yield f"mutant {name}: it does not say why somebody would write it"
        try:
            text = mutant.applied(solution)
        except MutantError as error:
            yield str(error)
            continue
        if text in seen:
            yield f"mutant {name}: the same as {seen[text]}"
        seen[text] = name


def _jobs(homework: Homework, seeds: int, solution_seeds: int) -> list[CheckJob]:
    root, number = homework.lesson.root, homework.lesson.number
    chunks = [range(n, min(n + CHUNK, solution_seeds)) for n in range(0, solution_seeds, CHUNK)]
    solution = homework.solution.read_text(encoding="utf-8")
    mutants = [index for index, mutant in enumerate(homework.mutants) if solution.count(mutant.old) == 1]
    return [
        CheckJob(root, number, "built", range(1)),
        CheckJob(root, number, "stub", range(1)),
        CheckJob(root, number, "blanket", range(1)),
        CheckJob(root, number, "sheet", range(1)),
        *(CheckJob(root, number, "solution", chunk) for chunk in chunks),
        *(CheckJob(root, number, "mutant", range(seeds), index) for index in mutants),
    ]


def _result(homework: Homework, problems: list[str], reports: Sequence[tuple[CheckJob, CheckReport]]) -> HomeworkReport:
    result = HomeworkReport(homework.folder.name, [e.id for e in homework.exercises], problems=list(problems))
    if not reports:
        return result
    built = [problem for job, report in reports if job.kind == "built" for problem in report.problems]
    if built:
        result.problems += [*built, "first mend this: the rest was judged by what is not up to date"]
        return result
    killers: set[str] = set()
    broken: set[tuple[str, str]] = set()
    for job, report in reports:
        result.problems += report.problems
        result.seconds += report.seconds
        if job.kind == "mutant":
            result.mutants += 1
            result.killed += not report.problems
            killers |= report.killers
            mutant = homework.mutants[job.index]
            found = {rule for test in homework.public if _name(test) in report.killers for rule in [test.rules]}
            if mutant.breaks and not any(mutant.breaks in rules for rules in found):
                said = f"no public test of its rule, {mutant.breaks}, finds it"
                result.problems.append(f"mutant {mutant.exercise}/{mutant.name}: {said}")
            elif mutant.breaks and all(mutant.breaks in rules for rules in found):
                broken.add((mutant.exercise, mutant.breaks))
    told = bool(result.problems)
    for rule in [] if told else sorted({(one.exercise, one.breaks) for one in homework.mutants if one.breaks} - broken):
        said = "each of its mutants fails public tests of other rules too: write one that breaks this rule alone"
        result.problems.append(f"{rule[0]}: rule {rule[1]}: {said}")
    tests = homework.public + homework.hidden
    result.tests = len(tests)
    result.problems += [f"{_name(test)}: it finds no mutant" for test in tests if _name(test) not in killers]
    return result


def run(job: CheckJob) -> CheckReport:
    """Run one job, in any process. Every exception, skips included, is a problem and never a pass."""
    started, report = time.monotonic(), CheckReport()
    try:
        RUNNERS[job.kind](_homework(job.root, job.number), job, report)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # pytest.skip raises a BaseException
        report.problems.append(f"{job.kind} {job.index}: the check failed: {type(error).__name__}: {error}")
    report.seconds = time.monotonic() - started
    return report


@cache
def _homework(root: Path, number: int) -> Homework:
    homework = homework_of(register.load(root).lesson(number))
    assert homework is not None
    return homework


def _stub(homework: Homework, job: CheckJob, report: CheckReport) -> None:
    """Every exercise must fail at least one public test; others may pass, such as tests of code that is given."""
    failed: set[str] = set()
    with session_of(homework, homework.stub.read_text(encoding="utf-8"), SECONDS) as session:
        for test in homework.public:
            outcome = session.run(test, 0)
            if _kind(outcome) in ("load", "missing"):
                report.problems.append(f"the stub: {outcome.error}")
                return
            if not outcome.passed:
                failed.add(test.exercise)
    passed = sorted({test.exercise for test in homework.public} - failed)
    report.problems += [f"{name}: the stub as handed out passes all its public tests" for name in passed]


def _blanket(homework: Homework, job: CheckJob, report: CheckReport) -> None:
    """Every exercise needs a public and a hidden test that no trivial answer passes."""
    passed = passable(homework, homework.stub.read_text(encoding="utf-8"), SECONDS)
    for exercise in dict.fromkeys(test.exercise for test in homework.public):
        for tests, kind in ((homework.public, "public"), (homework.hidden, "hidden")):
            mine = [test for test in tests if test.exercise == exercise]
            if mine and all((test.public, test.name) in passed for test in mine):
                report.problems.append(
                    f"{exercise}: all its {kind} tests are passed by an answer that does no work (always raise an "
                    "error, return the argument, None, nan, ...): write one that asks for a result"
                )


def _solution(homework: Homework, job: CheckJob, report: CheckReport) -> None:
    failed: set[str] = set()
    with session_of(homework, homework.solution.read_text(encoding="utf-8"), SECONDS) as session:
        for place, seed in enumerate(job.seeds):
            for test in homework.public + homework.hidden:
                if place and not test.draws:
                    continue  # it is the same on every seed
                outcome = session.run(test, seed)
                if not outcome.passed and _name(test) not in failed:
                    failed.add(_name(test))
                    report.problems.append(f"{_name(test)}: the solution fails on seed {seed}: {_said(outcome)}")


def _mutant(homework: Homework, job: CheckJob, report: CheckReport) -> None:
    mutant = homework.mutants[job.index]
    title = f"mutant {mutant.exercise}/{mutant.name}"
    tests = [test for test in homework.public + homework.hidden if test.exercise == mutant.exercise]
    text = mutant.applied(homework.solution.read_text(encoding="utf-8"))
    with session_of(homework, text, MUTANT_SECONDS) as session:
        failures = [outcome for test in tests if not (outcome := session.run(test, job.seeds[0])).passed]
        report.killers = {_name(outcome.test) for outcome in failures}
        unfit = next((o for o in failures if _kind(o) in ("load", "missing")), None)
        if unfit is not None:
            report.problems.append(f"{title}: no mistake that runs: {unfit.error}")
        elif failures and all(getattr(outcome.error, "type", "") in BROKEN for outcome in failures):
            report.problems.append(f"{title}: broken rather than mistaken: {_said(failures[0])}")
        survived = [] if failures else [job.seeds[0]]
        if all(outcome.test.draws for outcome in failures):  # a test that draws nothing fails on every seed
            # the most certain and fastest first; the first to fail is enough
            order = sorted((test for test in tests if test.draws), key=lambda test: _rank(test, failures))
            survived += [seed for seed in job.seeds[1:] if all(session.run(test, seed).passed for test in order)]
    if survived:
        report.problems.append(f"{title}: survives on seeds {', '.join(map(str, survived))}")


def _built(homework: Homework, job: CheckJob, report: CheckReport) -> None:
    """What is built is as it would be built now."""
    report.problems += build.drift(register.load(job.root), [homework])


def _sheet(homework: Homework, job: CheckJob, report: CheckReport) -> None:
    """The solution answers the questions of the worksheet, and no trivial answer does."""
    if find_spec("nbval") is None:
        report.problems.append(f"the worksheet is not checked, as nbval is not installed: `{DOCUMENTED} setup --dev`")
    else:
        report.problems += questions.problems(homework)


RUNNERS = {
    "built": _built,
    "stub": _stub,
    "blanket": _blanket,
    "sheet": _sheet,
    "solution": _solution,
    "mutant": _mutant,
}


def _rank(test: Test, failures: Sequence[Outcome]) -> int:
    kinds = {_name(outcome.test): _kind(outcome) for outcome in failures}
    return {"timeout": 2, "died": 1}.get(kinds[_name(test)], 0) if _name(test) in kinds else 3


def _kind(outcome: Outcome) -> str:
    return outcome.error.kind if isinstance(outcome.error, SubmissionError) else ""


def _said(outcome: Outcome) -> str:
    error = outcome.error
    prefix = f"{error.type}: " if isinstance(error, SubmissionError) and error.type else ""
    return prefix + str(error).split("\n")[0][:300]


def _name(test: Test) -> str:
    return f"{'public' if test.public else 'hidden'} test {test.exercise}/{test.name}"
