"""What honest work finds inside a sandbox: all that its homework needs, and not the answer to it."""

from __future__ import annotations

import pickle
import shutil
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from classroom import register, stubs
from classroom.judge import Student, SubmissionError, exercise_passed, run_tests
from classroom.judge.homework import Homework, homework_of
from classroom.sandbox import Sandbox, inside

Write = Callable[[str], Path]
HOMEWORKS = [found for lesson in register.load(register.ROOT).lessons if (found := homework_of(lesson))]
SOLVED = [homework for homework in HOMEWORKS if (homework.folder / "judge").is_dir()]
IMPORT = "import importlib\ndef f(name): return importlib.import_module(name).__name__\n"


def with_seed(homework: Homework, path: Path, sandbox: Sandbox, seed: int) -> dict[str, bool]:
    """Exercise -> whether it passes all tests."""
    tests = [*homework.public, *homework.hidden]
    outcomes = run_tests(path, tests, seed=seed, without=homework.without, sandbox=sandbox)
    return {exercise.id: exercise_passed(outcomes, exercise.id) for exercise in homework.exercises}


@pytest.mark.parametrize(
    "homework",
    [
        pytest.param(homework, id=homework.folder.name, marks=[pytest.mark.slow] if number > 1 else [])
        for number, homework in enumerate(SOLVED)
    ],
)
def test_the_worked_solution_passes(homework: Homework, sandbox: Sandbox, tmp_path: Path) -> None:
    path = tmp_path / homework.stub.name
    shutil.copyfile(homework.solution, path)
    assert set(with_seed(homework, path, sandbox, 11).values()) == {True}


@pytest.mark.slow
@pytest.mark.skipif(not SOLVED, reason="this copy of the course has no worked solutions")
def test_answers_learnt_by_heart_are_those_of_another_seed(bubblewrap: Sandbox, tmp_path: Path) -> None:
    """A table of every call's answer passes on the seed it was made with, and on no other."""
    homework = next(homework for homework in SOLVED if homework.folder.name == "02_tensor")
    answers: dict[bytes, Any] = {}
    asked: set[str] = set()  # the exercises, and what the stub gives for the tests
    with Student(homework.solution) as solution:

        class Listening:
            def __getattr__(self, name: str) -> Callable[..., Any]:
                def call(*args: Any, **kwargs: Any) -> Any:
                    asked.add(name)
                    try:
                        answer = getattr(solution, name)(*args, **kwargs)
                    except SubmissionError:
                        answers[key(name, args, kwargs)] = ValueError
                        raise
                    answers[key(name, args, kwargs)] = answer
                    return answer

                return call

        for test in [*homework.public, *homework.hidden]:
            test.call(Listening(), 0)
    table = zlib.compress(pickle.dumps(answers))
    path = tmp_path / homework.stub.name
    path.write_text(
        f"import pickle, zlib\nTABLE = pickle.loads(zlib.decompress({table!r}))\n"
        "def look(name, args, kwargs):\n"
        "    answer = TABLE[pickle.dumps((name, args, sorted(kwargs.items())), 4)]\n"
        "    if answer is ValueError: raise ValueError\n"
        "    return answer\n"
        + "".join(f"def {name}(*args, **kwargs): return look({name!r}, args, kwargs)\n" for name in sorted(asked)),
        encoding="utf-8",
    )
    assert set(with_seed(homework, path, bubblewrap, 0).values()) == {True}
    assert set(with_seed(homework, path, bubblewrap, 1).values()) == {False}


def key(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bytes:
    return pickle.dumps((name, args, sorted(kwargs.items())), 4)


@pytest.fixture(scope="module")
def importing(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Student]:
    """A worker that imports what it is asked to."""
    path = tmp_path_factory.mktemp("importing") / "hw02_tensor.py"
    path.write_text(IMPORT, encoding="utf-8")
    with Student(path, sandbox=sandbox) as student:
        yield student


@pytest.mark.parametrize(
    "module", ["numpy.linalg", "numpy.random", "sqlite3", "decimal", "zoneinfo", "concurrent.futures"]
)
def test_numpy_and_the_standard_library_are_there(importing: Student, module: str) -> None:
    assert importing.f(module) == module


@pytest.mark.parametrize(
    "module", ["pytest", "classroom", "classroom.judge", "worker", "lockdown", "course", "setuptools"]
)
def test_nothing_else_is(importing: Student, module: str) -> None:
    with pytest.raises(SubmissionError) as caught:
        importing.f(module)
    assert caught.value.type in ("ModuleNotFoundError", "PermissionError")


def test_the_framework_is_there_where_it_may_be(sandbox: Sandbox, write: Write) -> None:
    with Student(write(IMPORT), sandbox=sandbox) as student:
        assert student.f("kuiper.runtime") == "kuiper.runtime"
    with Student(write(IMPORT), without=["kuiper"], sandbox=sandbox) as student, pytest.raises(SubmissionError):
        student.f("kuiper")


def test_the_lesson_s_own_modules_are_not_and_what_needs_them_is_not(sandbox: Sandbox, write: Write) -> None:
    source = IMPORT + "def there(path):\n    import kuiper, os\n    return os.path.exists(kuiper.__path__[0] + path)\n"
    hidden = ["kuiper.expression", "kuiper.layers.image.convolution"]
    with Student(write(source), without=hidden, sandbox=sandbox) as student:
        for module in ("kuiper.tensor", "kuiper.pnnx.reader"):
            assert student.f(module) == module
        for module in (*hidden, "kuiper.expression.parser", "kuiper.runtime"):
            with pytest.raises(SubmissionError) as caught:
                student.f(module)
            assert caught.value.type == "ModuleNotFoundError", module


def test_what_is_hidden_is_no_part_of_what_is_shown() -> None:
    kuiper = register.ROOT / "kuiper"
    parts = inside.framework(["kuiper.expression", "kuiper.layers.image.convolution"])
    shown = {file for part in parts for file in ([part] if part.is_file() else part.rglob("*.py"))}
    every = set(kuiper.rglob("*.py"))
    hidden = {file for file in every if kuiper / "expression" in file.parents}
    hidden.add(kuiper / "layers" / "image" / "convolution.py")
    assert hidden < every
    assert {file for file in shown if file.suffix == ".py"} == every - hidden
    assert inside.framework([]) == (kuiper,)
    assert inside.framework(["kuiper"]) == ()


@pytest.mark.parametrize("homework", HOMEWORKS, ids=lambda homework: homework.folder.name)
def test_no_homework_of_the_course_can_call_the_framework(homework: Homework) -> None:
    assert homework.without == ("kuiper", *stubs.LIBRARIES)


@pytest.mark.parametrize(
    ("stub", "without"),
    [
        ("import numpy", ("kuiper", *stubs.LIBRARIES)),
        ("def f():\n    import kuiper", ("kuiper", *stubs.LIBRARIES)),
        ("class C:\n    async def f(self):\n        from kuiper import load", ("kuiper", *stubs.LIBRARIES)),
        ('"""import kuiper"""', ("kuiper", *stubs.LIBRARIES)),
        ("import kuiperlike", ("kuiper", *stubs.LIBRARIES)),
        ("from .kuiper import x", ("kuiper", *stubs.LIBRARIES)),
        ("def f(:", ("kuiper", *stubs.LIBRARIES)),
        ("import kuiper", ("kuiper.tensor",)),
        ("try:\n    from kuiper.errors import ShapeError\nexcept ImportError:\n    pass", ("kuiper.tensor",)),
        ("import numpy, kuiper.pnnx as p", ("kuiper.tensor",)),
    ],
)
def test_the_stub_says_what_a_homework_is_solved_without(tmp_path: Path, stub: str, without: tuple[str, ...]) -> None:
    lesson = register.Lesson(2, "", "", "02_x", ("kuiper.tensor",), (), "hw.py", tmp_path)
    file = tmp_path / "homework" / "02_x" / "hw.py"
    file.parent.mkdir(parents=True)
    file.write_text(stub, encoding="utf-8")
    assert stubs.forbidden(lesson) == without


def test_a_student_s_edit_changes_nothing_of_it(tmp_path: Path) -> None:
    homework = HOMEWORKS[0]
    folder = tmp_path / "homework" / homework.folder.name
    folder.mkdir(parents=True)
    shutil.copyfile(register.ROOT / "homework" / stubs.ARCHIVE, tmp_path / "homework" / stubs.ARCHIVE)
    (folder / homework.stub.name).write_text("import kuiper\n", encoding="utf-8")
    lesson = register.Lesson(1, "", "", folder.name, ("kuiper.tensor",), (), homework.stub.name, tmp_path)
    assert Homework(lesson, folder).without == ("kuiper", *stubs.LIBRARIES)
