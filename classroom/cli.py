"""The commands of `course`."""

from __future__ import annotations

import importlib.util
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from classroom import demo as main_job
from classroom import register, status
from classroom.page import fitting
from kuiper import KuiperError

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Build a deep-learning inference framework, lesson by lesson. Without a command: a trained network reads "
    "handwritten digits, then the map of the course and the next step.",
    epilog="Start with `python3 course.py`. The framework's own command is `kuiper` (kuiper --help).",
)
PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


@app.callback(invoke_without_command=True)
def start(context: typer.Context) -> None:
    """Without a command: the main job, the map, the next step."""
    if context.invoked_subcommand is None:
        code = main_job.show()
        _print_map()
        raise typer.Exit(code)


@app.command()
def demo() -> None:
    """A trained network reads handwritten digits it has never seen."""
    raise typer.Exit(main_job.show())


@app.command("map")
def show_map(
    svg: Annotated[Path | None, typer.Option(help="Draw the map into this file instead.", dir_okay=False)] = None,
) -> None:
    """Lessons, what each teaches with, and its homework; then the next step."""
    if svg is None:
        _print_map()
        return
    from classroom.picture import draw_map

    try:
        draw_map(_course()).save(svg)
    except KuiperError as error:
        print(f"course: {error}", file=sys.stderr)
        raise typer.Exit(2) from None
    print(f"drew the map into {svg}")


@app.command(context_settings=PASS_ON)
def lab(context: typer.Context) -> None:
    """Open the lessons in JupyterLab. Options are passed on: lab --no-browser."""
    _run_module("jupyterlab", "--lessons", [str(register.ROOT / "lessons"), *context.args])


@app.command(context_settings=PASS_ON)
def test(context: typer.Context) -> None:
    """Run the tests. Options are passed on to pytest: test tests/test_tensor.py -k padding."""
    _run_module("pytest", "--dev", context.args)


@app.command(context_settings=PASS_ON)
def setup(context: typer.Context) -> None:
    """Only install: setup, setup --lessons (JupyterLab), setup --dev (the test tools)."""
    launcher = register.ROOT / "course.py"
    raise typer.Exit(subprocess.call([sys.executable, str(launcher), "setup", *context.args]))


@app.command()
def doctor() -> None:
    """What this machine has: versions, and the library that multiplies matrices. Put it into a bug report."""
    import numpy as np

    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    facts = {
        "Python": f"{platform.python_version()} ({sys.executable})",
        "System": f"{platform.platform()}, {os.cpu_count()} cores",
        "numpy": f"{np.__version__}, BLAS {blas.get('name')} {blas.get('version')}",
        "Terminal": f"encoding {sys.stdout.encoding}, {Console().width} columns",
        "Course": str(register.ROOT),
    }
    for package in ("typer", "rich", "PIL", "matplotlib", "networkx", "jupyterlab", "pytest", "torch"):
        found = importlib.util.find_spec(package) is not None
        facts[package] = "installed" if found else "not installed"
    for name, fact in facts.items():
        print(f"{name:10} {fact}")


def _run_module(module: str, option: str, arguments: list[str]) -> None:
    """Run a tool of the environment in the course's folder, and pass its exit code on."""
    if importlib.util.find_spec(module) is None:
        print(f"course: {module} is not installed: python3 course.py setup {option}", file=sys.stderr)
        raise typer.Exit(2)
    raise typer.Exit(subprocess.call([sys.executable, "-m", module, *arguments], cwd=register.ROOT))


def _course() -> register.Course:
    try:
        return register.load()
    except register.RegisterError as error:
        print(f"course: {error}", file=sys.stderr)
        raise typer.Exit(2) from None


def _print_map() -> None:
    course = _course()
    table = Table(title=course.title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("Lesson", no_wrap=True)
    table.add_column("Learn from", overflow="fold")
    table.add_column("Homework", overflow="fold")
    for row in status.rows(course):
        table.add_row(*(fitting(cell, sys.stdout.encoding) for cell in row))
    console = Console(highlight=False, markup=False)
    console.print()
    console.print(table)
    console.print(f"\n{status.next_step(course)}")
