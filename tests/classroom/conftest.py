from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from classroom import register, stubs
from classroom.tasks import HomeworkTask, all_tasks, files_of

ROOT = Path(__file__).resolve().parents[2]

COURSE = """
title = "A small course"

[[lesson]]
number = 1
title = "Numbers"
summary = "What a number is"
folder = "01_numbers"
modules = []
homework = "hw01_numbers.py"

[[lesson.exercise]]
id = "double"
title = "Twice each number"
points = 2
section = "Twice"
hints = ["What is two times x?", "Multiply.", "Return 2 * x."]

[[lesson.exercise]]
id = "turn"
title = "The numbers backwards"
points = 3
hints = ["Where does the last one go?", "Slice.", "Return x[::-1]."]

[[lesson.exercise]]
id = "power"
title = "The square"
points = 4
stretch = true

[[lesson]]
number = 2
title = "Nothing yet"
summary = "A lesson without homework"
folder = "02_nothing"
modules = []
"""

STUB = '''"""Homework 1."""

import numpy as np


def double(x):
    """Twice each number."""
    # TODO double (Task 1.1)
    raise NotImplementedError("double: TODO")


# TODO turn (Task 1.2)
def turn(x):
    """The numbers backwards."""
    raise NotImplementedError("turn: TODO")


def power(x):
    # TODO power (Task 1.3)
    raise NotImplementedError("power: TODO")
'''

PUBLIC = '''"""Public tests."""

import numpy as np

from classroom.judge import expect, task


@task("double")
def whole_numbers(student, rng):
    """Whole numbers are doubled."""
    x = np.arange(4)
    expect(student.double(x), 2 * x, mistakes={"x was squared": x * x})


@task("double")
def tables(student, rng):
    """Tables of random numbers are doubled."""
    x = rng.standard_normal((3, 4)).astype(np.float32)
    expect(student.double(x), 2 * x, rtol=1e-6)


@task("turn")
def backwards(student, rng):
    """The last number comes first."""
    expect(student.turn([1, 2, 3]), [3, 2, 1])


@task("power")
def squares(student, rng):
    """Each number is multiplied with itself."""
    expect(student.power(3), 9)
'''

PUBLIC_OF_MORE = '''"""Public tests."""

from classroom.judge import expect, task


@task("NAME")
def numbers(student, rng):
    """A number is multiplied by three."""
    expect(student.NAME(4), 12)
'''

SOLUTION = (
    STUB.replace('    # TODO double (Task 1.1)\n    raise NotImplementedError("double: TODO")', "    return 2 * x")
    .replace("# TODO turn (Task 1.2)\ndef turn", "def turn")
    .replace('    raise NotImplementedError("turn: TODO")', "    return x[::-1]")
    .replace('    # TODO power (Task 1.3)\n    raise NotImplementedError("power: TODO")', "    return x * x")
)

MARKED = SOLUTION
for _name, _body in (("double", "return 2 * x"), ("turn", "return x[::-1]"), ("power", "return x * x")):
    MARKED = MARKED.replace(f"    {_body}\n", f"    # <solution {_name}>\n    {_body}\n    # </solution>\n")
"""The solution as authors have it."""

EXPLANATIONS = {"double": "Add it to itself.", "turn": "Read from the end.", "power": "Multiply."}


CONFTEST = 'pytest_plugins = ["classroom.front.plugin"]\n'
PYTEST = '[tool.pytest.ini_options]\naddopts = "--doctest-modules -ra --strict-markers --import-mode=importlib"\n'
"""What makes pytest judge homework, as in the course's own folder."""


@dataclass(frozen=True)
class Ran:
    """A command as it ended: its exit code, and all that it said."""

    code: int
    text: str


def heed_ctrl_c() -> None:
    """In a child before its program starts, which may have inherited that SIGINT is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass
class Mini:
    """A course of one lesson with homework, in a folder of its own."""

    root: Path

    @property
    def file(self) -> Path:
        """The homework file."""
        return self.root / "homework" / "01_numbers" / "hw01_numbers.py"

    @property
    def tasks(self) -> dict[str, HomeworkTask]:
        """Its tasks by name."""
        return {task.id: task for task in all_tasks(register.load(self.root))}

    def pack(self) -> None:
        """The homework files as they are now become the original stubs."""
        files = files_of(self.tasks.values())
        packed = stubs.packed_stubs({f"{file.parent.name}/{file.name}": file.read_text("utf-8") for file in files})
        (self.root / "homework" / stubs.ARCHIVE).write_bytes(packed)

    def write(self, **bodies: str) -> None:
        """The stub with the bodies of some functions replaced."""
        text = STUB
        for name, body in bodies.items():
            text = text.replace(f'raise NotImplementedError("{name}: TODO")', body)
        self.file.write_text(text, encoding="utf-8")

    def write_into(self, name: str, body: str) -> None:
        """Replace the body of one function, and leave the rest of the file."""
        text = self.file.read_text(encoding="utf-8").replace(f'raise NotImplementedError("{name}: TODO")', body)
        self.file.write_text(text, encoding="utf-8")

    def set(self, table: str, line: str) -> None:
        """A line of a table in course.toml."""
        register_file = self.root / "course.toml"
        register_file.write_text(f"{register_file.read_text(encoding='utf-8')}\n{table}\n{line}\n", encoding="utf-8")

    def add_lesson(self, exercise: str, body: str) -> str:
        """A third lesson with one exercise, whose function has this body. Returns the exercise's name."""
        head = '[[lesson]]\nnumber = 3\ntitle = "More"\nsummary = ""\nfolder = "03_more"\nmodules = []'
        one = f'homework = "hw03.py"\n[[lesson.exercise]]\nid = "{exercise}"\ntitle = "{exercise}"\npoints = 1'
        self.set(head, one)
        folder = self.root / "homework" / "03_more"
        folder.mkdir()
        stub = f'def {exercise}(x):\n    raise NotImplementedError("{exercise}: TODO {exercise}")\n'
        (folder / "public.py").write_text(PUBLIC_OF_MORE.replace("NAME", exercise), encoding="utf-8")
        (folder / "hw03.py").write_text(stub, encoding="utf-8")
        self.pack()
        (folder / "hw03.py").write_text(f"def {exercise}(x):\n    {body}\n", encoding="utf-8")
        return exercise

    def solve(self) -> None:
        """The worked solution as the homework file."""
        self.file.write_text(SOLUTION, encoding="utf-8")

    def settle_pytest(self) -> None:
        """The course's conftest.py and pytest's settings."""
        (self.root / "conftest.py").write_text(CONFTEST, encoding="utf-8")
        (self.root / "pyproject.toml").write_text(PYTEST, encoding="utf-8")

    def pytest(self, *arguments: str, folder: str = ".", root: Path | None = None) -> Ran:
        """pytest in a process of its own, in the course or a folder of it."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        environment |= {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "100"}
        command = [sys.executable, "-m", "pytest", "--color=no", *arguments]
        place = (root or self.root) / folder
        done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, timeout=300)
        return Ran(done.returncode, done.stdout + done.stderr)

    def run(self, *arguments: str) -> Result:
        """A command in this process."""
        from classroom.cli import app

        return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "80"})

    def start(self, *arguments: str, **variables: str) -> subprocess.Popen[str]:
        """A command in a process of its own, which Ctrl-C ends even where the tests run in the background."""
        code = (
            "import sys; from pathlib import Path; from classroom import register; "
            f"register.ROOT = Path({str(self.root)!r}); from classroom.main import main; "
            f"sys.argv = ['course', *{list(arguments)!r}]; main()"
        )
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80", "PYTHONIOENCODING": "utf-8", **variables}
        return subprocess.Popen(
            [sys.executable, "-u", "-c", code],
            cwd=self.root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            preexec_fn=None if os.name == "nt" else heed_ctrl_c,
        )


@pytest.fixture
def mini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mini:
    """A small course with its stub as handed out; the commands of this process work on it."""
    course = Mini(tmp_path / "course")
    course.file.parent.mkdir(parents=True)
    (course.root / "course.toml").write_text(COURSE, encoding="utf-8")
    course.file.write_text(STUB, encoding="utf-8")
    course.file.with_name("public.py").write_text(PUBLIC, encoding="utf-8")
    course.pack()
    monkeypatch.setattr(register, "ROOT", course.root)
    return course


@pytest.fixture
def with_solutions(mini: Mini) -> Callable[[], None]:
    """Adds the judge's folder, which students' copies do not have."""

    def add() -> None:
        judge = mini.file.parent / "judge"
        judge.mkdir()
        (judge / "solution.py").write_text(MARKED, encoding="utf-8")
        for name, text in EXPLANATIONS.items():
            (judge / f"{name}.py").write_text(f'"""{text}"""\n', encoding="utf-8")

    return add
