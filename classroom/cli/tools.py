"""Commands about this machine: doctor, setup, test; and `dev` in the full checkout."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import typer

from classroom import register
from classroom.cli.base import MACHINE, PASS_ALL_ON, PASS_ON, app, needs, the_course, the_progress
from classroom.launcher import main as launcher
from classroom.started import COMMAND

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""For the matrix libraries of a process that has one core to itself."""

WORKSHOP = Path(__file__).resolve().parents[1] / "dev" / "cli.py"


@app.command(rich_help_panel=MACHINE)
def doctor() -> None:
    """What this machine has, and whether the course's files are sound. Put it into a bug report."""
    from classroom.doctor import facts

    for name, fact in facts(the_course(), the_progress()):
        print(f"{name:10} {fact}")


@app.command(context_settings=PASS_ALL_ON, rich_help_panel=MACHINE)
def setup(context: typer.Context) -> None:
    """Only install: setup, and --grading, --lessons (JupyterLab), --site or --dev (the test tools)."""
    raise typer.Exit(launcher.main(str(register.ROOT), ["setup", *context.args]))


@app.command(context_settings=PASS_ON, rich_help_panel=MACHINE)
@needs("dev", "pytest")
def test(context: typer.Context) -> None:
    """Run the quick tests, or with --all the slow ones too. Options go to pytest: test tests/test_tensor.py -k padding.

    Whatever you name or select (a folder, a file, -k, -m) runs whole, with its slow tests. All of pytest's options:
    test -- --help
    """
    arguments = list(context.args)
    if set(arguments) <= {"--all"} and importlib.util.find_spec("xdist") is not None:
        # on all cores: one process for each, each file of tests in one process
        raise typer.Exit(run_module("pytest", [*arguments, "-n", "auto", "--dist", "loadfile"], **ONE_THREAD))
    raise typer.Exit(run_module("pytest", arguments))


def run_module(module: str, arguments: list[str], **variables: str) -> int:
    """Run a tool of the environment in the course's folder. Returns its exit code."""
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.call(command, cwd=register.ROOT, env={**os.environ, **variables})


if WORKSHOP.is_file():

    @app.command(context_settings=PASS_ALL_ON, rich_help_panel=MACHINE)
    def dev(context: typer.Context) -> None:
        """For those who write the course: its checks of lessons, stubs, tests and solutions. See dev --help."""
        from classroom.dev.cli import app as workshop

        workshop(context.args, prog_name=f"{COMMAND} dev")
