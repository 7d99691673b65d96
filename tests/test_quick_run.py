"""A run that selects nothing leaves the slow tests out and says so; any other run, and .ci/run, leaves out nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from classroom.cli import app, tools

ROOT = Path(__file__).resolve().parents[1]
TESTS = """
import pytest

def test_one():
    pass

@pytest.mark.slow
def test_two():
    pass

@pytest.mark.slow
def test_three():
    pass
"""
LEFT_OUT = "2 slow tests were left out; with them: python3 course.py test --all"

pytest_plugins = ["pytester"]


@pytest.fixture
def course(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with the settings of this one and three tests, two of them slow."""
    for name in ("conftest.py", "pyproject.toml"):
        (pytester.path / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    (pytester.path / "tests").mkdir()
    (pytester.path / "tests" / "test_small.py").write_text(TESTS, encoding="utf-8")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return pytester


@pytest.mark.parametrize(
    "options",
    [(), *(pytest.param(more, marks=pytest.mark.slow) for more in (("-x",), ("-p", "xdist", "-n", "2")))],
    ids=" ".join,
)
def test_a_run_of_everything_leaves_the_slow_ones_out_and_says_so_in_its_last_line(
    course: pytest.Pytester, options: tuple[str, ...]
) -> None:
    done = course.runpytest_subprocess(*options)
    done.assert_outcomes(passed=1)
    assert done.outlines[-1] == LEFT_OUT


@pytest.mark.parametrize(
    ("options", "passed"),
    [
        (("--all",), 3),
        pytest.param(("-p", "xdist", "-n", "2", "--all"), 3, marks=pytest.mark.slow),
        (("tests",), 3),
        (("tests/test_small.py",), 3),
        (("tests/test_small.py::test_two",), 1),
        (("-k", "two"), 1),
        (("-m", "slow"), 2),
        (("-m", "not slow"), 1),
        pytest.param(("-p", "xdist", "-n", "2", "-k", "t"), 3, marks=pytest.mark.slow),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, tuple) else "",
)
def test_what_is_asked_for_runs_whole(course: pytest.Pytester, options: tuple[str, ...], passed: int) -> None:
    done = course.runpytest_inprocess(*options)
    assert done.parseoutcomes()["passed"] == passed
    assert "left out" not in done.stdout.str()


def test_continuous_integration_leaves_out_nothing() -> None:
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.findall(r"(?m)^python3 course\.py test\b.*$", text) == ["python3 course.py test --all"]


@pytest.mark.parametrize(
    ("typed", "given", "threads"),
    [
        ([], ["-n", "auto", "--dist", "loadfile"], "1"),
        (["--all"], ["--all", "-n", "auto", "--dist", "loadfile"], "1"),
        (["-k", "padding"], ["-k", "padding"], None),
        (["tests/fast", "--all"], ["tests/fast", "--all"], None),
    ],
    ids=str,
)
def test_a_run_of_everything_takes_all_cores(
    monkeypatch: pytest.MonkeyPatch, typed: list[str], given: list[str], threads: str | None
) -> None:
    calls = []

    def run(module: str, arguments: list[str], **variables: str) -> int:
        calls.append((module, arguments, variables.get("OMP_NUM_THREADS")))
        return 3

    monkeypatch.setattr(tools, "run_module", run)
    assert CliRunner().invoke(app, ["test", *typed]).exit_code == 3
    assert calls == [("pytest", given, threads)]
