"""Hostile submissions against the hidden tests of a real homework, in the sandbox.

Each gains nothing, costs its time limit at most, and leaves a neighbour's worker, its result and the judge's files as
they were. Their workers are all forked by one process, one attack after the other: what harms that one fails the next.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from classroom import register
from classroom.judge import Failure, Session, Student, SubmissionError
from classroom.judge import Test as JudgeTest
from classroom.judge.homework import Homework, homework_of
from classroom.judge.workers import Workers
from classroom.sandbox import Bare, Sandbox

Write = Callable[[str], Path]
SECONDS = 0.5
PAUSE = 0.1
"""Seconds between two looks at the neighbour."""
DATA = Path(__file__).parents[2] / "data"


def scripts(name: str) -> dict[str, str]:
    """The submissions of a file, by name."""
    parts = [part.partition("\n") for part in (DATA / name).read_text(encoding="utf-8").split("\n=== ")[1:]]
    return {title: source for title, _, source in parts}


REACHING, BOMBS = scripts("sandbox_attacks.txt"), scripts("sandbox_bombs.txt")
OTHERS = {
    name: f"{source}\nf_ = f\ndef f(*a, **k): return f_(*a[:1])\n" for name, source in scripts("attacks.txt").items()
}
QUICK = ("memory in pieces", "output [loop]", "kill everyone")
ANSWERS = "\nflatten = padding = f\n"
WRONG = "\nif not GOT:\n    def flatten(*a, **k): return None\n    padding = flatten\n"


@pytest.fixture(scope="module")
def homework() -> Homework:
    (lesson,) = [lesson for lesson in register.load(register.ROOT).lessons if lesson.folder == "02_tensor"]
    found = homework_of(lesson)
    if found is None or not found.folder.joinpath("judge").is_dir():
        pytest.skip("this copy of the course has no hidden tests")
    return found


@pytest.fixture(scope="module")
def tests(homework: Homework) -> list[JudgeTest]:
    """The hidden tests that ask for an answer, and not for an exception."""
    return [test for test in homework.hidden if test.exercise in ("flatten", "padding") and "refused" not in test.name]


@pytest.fixture(scope="module")
def some_tests(tests: list[JudgeTest]) -> list[JudgeTest]:
    """The first test of each exercise."""
    return list({test.exercise: test for test in reversed(tests)}.values())


@pytest.fixture(scope="module")
def neighbour(
    homework: Homework, some_tests: list[JudgeTest], bubblewrap: Sandbox, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], bool]]:
    """Another student's worker, at the same time: whether the same worker still gives the right answers."""
    file = tmp_path_factory.mktemp("neighbour") / homework.stub.name
    file.write_text(homework.solution.read_text(encoding="utf-8"), encoding="utf-8")
    with Session(file, without=homework.without, sandbox=bubblewrap) as session:
        assert all(session.run(test, 0).passed for test in some_tests)
        worker = session._student

        def well() -> bool:
            return all(session.run(test, 1).passed for test in some_tests) and session._student is worker

        yield well


Judged = Callable[..., list[str]]


@pytest.fixture(scope="module")
def workers(homework: Homework, bubblewrap: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    """Workers on one file, which each attack writes anew."""
    path = tmp_path_factory.mktemp("submission") / homework.stub.name
    path.touch()
    with Workers(path, homework.without, bubblewrap) as forked:
        yield forked


@pytest.fixture
def write(workers: Workers) -> Write:
    """write(source) -> the file that the workers load from now on."""

    def save(source: str) -> Path:
        workers.path.write_text(source, encoding="utf-8")
        return workers.path

    return save


@pytest.fixture(scope="module")
def judged(homework: Homework, workers: Workers) -> Judged:
    """judged(submission, sandbox, tests) -> those that it passes."""

    def judge(path: Path, sandbox: Sandbox, tests: list[JudgeTest], seconds: float = SECONDS) -> list[str]:
        passed = []
        shared = workers if path == workers.path and not isinstance(sandbox, Bare) else None
        with Session(path, seconds=seconds, without=homework.without, sandbox=sandbox, workers=shared) as session:
            for test in tests:
                started = time.monotonic()
                outcome = session.run(test, 3)
                # starting Python and waiting for the end come on top of loading and one call
                assert time.monotonic() - started < 2 * seconds + 120
                passed += [test.name] * outcome.passed
                assert outcome.passed or isinstance(outcome.error, Failure | SubmissionError)
                if isinstance(outcome.error, SubmissionError) and outcome.error.ends_worker:
                    break  # the next test would cost its time limit too, and say the same
        return passed

    return judge


@pytest.fixture
def filled(homework: Homework, tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """filled(script) -> the script with the paths of files and the numbers of ports and processes that are there."""
    other, grades = tmp_path / "other" / "hw02_tensor.py", tmp_path / "grades.csv"
    other.parent.mkdir()
    other.write_bytes(homework.solution.read_bytes())
    grades.write_text("name,points\n", encoding="utf-8")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        names = {
            "@ROOT@": str(register.ROOT),
            "@SOLUTION@": str(homework.solution),
            "@TESTS@": str(homework.folder / "judge" / f"{homework.exercises[0].id}.py"),
            "@OTHER@": str(other),
            "@GRADES@": str(grades),
            "@PORT@": str(listener.getsockname()[1]),
            "@JUDGE@": str(os.getpid()),
        }

        def fill(script: str) -> str:
            for name, value in names.items():
                script = script.replace(name, value)
            return script

        yield fill


def reaching(name: str, filled: Callable[[str], str], homework: Homework) -> str:
    solution = homework.solution.read_text(encoding="utf-8").replace("from __future__ import annotations", "")
    attempt = "\ntry: GOT = reach()\nexcept BaseException: GOT = None\n"
    return "from __future__ import annotations\n" + filled(REACHING[name]) + attempt + solution + WRONG


ONE_BY_ONE = """
def attempt(script):
    names = {"__file__": __file__, "__name__": "attack"}
    try:
        exec(script, names)
        return bool(names["reach"]())
    except BaseException:
        return False
"""


def tried(student: Student, script: str) -> bool:
    """Whether the script gets through in that worker."""
    return bool(student.attempt(script))


def contents(folder: Path) -> dict[Path, bytes]:
    """Every file in it, and what it holds."""
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize("name", REACHING)
def test_it_reaches_nothing(
    name: str,
    bubblewrap: Sandbox,
    homework: Homework,
    tests: list[JudgeTest],
    write: Write,
    filled: Callable[[str], str],
    judged: Judged,
    neighbour: Callable[[], bool],
    tmp_path: Path,
) -> None:
    path = write(reaching(name, filled, homework))
    before = contents(tmp_path)
    assert judged(path, bubblewrap, tests) == []
    if "outlives" in name:
        time.sleep(0.7)
    assert contents(tmp_path) == before
    assert neighbour()


@pytest.mark.slow
def test_it_reaches_all_of_it_without_a_sandbox_and_nothing_with_landlock(
    landlock: Sandbox, write: Write, filled: Callable[[str], str], tmp_path: Path
) -> None:
    """All of them in one worker: what the bare one reaches shows that the attempts are real ones."""
    path = write(ONE_BY_ONE)
    before = contents(tmp_path)
    with Student(path, without=["kuiper"], sandbox=landlock) as student:
        assert [name for name in REACHING if tried(student, filled(REACHING[name]))] == []
    assert contents(tmp_path) == before
    with Student(path, sandbox=Bare()) as student:
        real = [name for name in REACHING if "[bare]" in name]
        assert [name for name in real if not tried(student, filled(REACHING[name]))] == []


@pytest.mark.parametrize("name", ["read the worked solution [bare]", "the framework's own answer [bare]"])
def test_who_reaches_it_has_the_marks(
    name: str,
    bubblewrap: Sandbox,
    homework: Homework,
    tests: list[JudgeTest],
    write: Write,
    filled: Callable[[str], str],
    judged: Judged,
) -> None:
    names = [test.name for test in tests]
    assert judged(write(reaching(name, filled, homework)), Bare(), tests, seconds=10) == names


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in BOMBS]
)
def test_it_takes_nothing_from_others(
    name: str,
    bubblewrap: Sandbox,
    write: Write,
    some_tests: list[JudgeTest],
    judged: Judged,
    neighbour: Callable[[], bool],
    tmp_path: Path,
) -> None:
    path = write(BOMBS[name] + ANSWERS)
    at_work = threading.Event()
    well: list[bool] = []

    def watch() -> None:
        while not at_work.is_set():
            well.append(neighbour())
            time.sleep(PAUSE)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        assert judged(path, bubblewrap, some_tests) == []
    finally:
        at_work.set()
        watcher.join()
    assert well
    assert all(well)
    assert [file for folder in (tmp_path, path.parent) for file in folder.rglob("*") if file.is_file()] == [path]


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_what_a_bare_worker_survives_gains_nothing_in_the_sandbox(
    name: str,
    bubblewrap: Sandbox,
    write: Write,
    some_tests: list[JudgeTest],
    judged: Judged,
    neighbour: Callable[[], bool],
) -> None:
    assert judged(write(OTHERS[name] + ANSWERS), bubblewrap, some_tests) == []
    assert neighbour()


@pytest.mark.slow
def test_bombs_at_the_same_time_leave_the_others_their_results(
    bubblewrap: Sandbox,
    tmp_path: Path,
    some_tests: list[JudgeTest],
    judged: Judged,
    neighbour: Callable[[], bool],
) -> None:
    threads = []
    for number, name in enumerate(["processes", "threads", "memory in pieces", "frames [loop]", "kill everyone"]):
        path = tmp_path / str(number) / "hw02_tensor.py"
        path.parent.mkdir()
        path.write_text(BOMBS[name] + ANSWERS, encoding="utf-8")
        threads.append(threading.Thread(target=judged, args=(path, bubblewrap, some_tests)))
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert neighbour()
        time.sleep(PAUSE)
    for thread in threads:
        thread.join()
    assert neighbour()
