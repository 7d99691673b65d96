"""The options that pytest gets for homework, and their values."""

from __future__ import annotations

import argparse

import pytest

from classroom import check
from classroom.judge.oracle import SEEDS


def add_options(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("homework", "tests of the homework, run by the course's judge")
    group.addoption(
        "--homework-seed",
        type=_seed,
        default=None,
        metavar="N",
        help=f"one seed of the random inputs of homework's tests; without it {SEEDS} seeds, as `course check` has them",
    )
    group.addoption(
        "--homework-seconds",
        type=_seconds,
        default=check.SECONDS,
        metavar="S",
        help=f"seconds for importing a homework file and for each call into it ({check.SECONDS:g})",
    )
    group.addoption(
        "--own-tests",
        action="store_true",
        help="also collect conftest.py, test_*.py and doctests in homework/, which run homework inside pytest itself",
    )


def seed_of(config: pytest.Config) -> int | None:
    """The seed of the tests' inputs; None: those of `check`."""
    seed = config.getoption("--homework-seed")
    return None if seed is None else int(seed)


def seconds_of(config: pytest.Config) -> float:
    """The time limit of an import and of a call."""
    return float(config.getoption("--homework-seconds"))


def own_tests(config: pytest.Config) -> bool:
    """Whether other tests in homework/ than the judge's run, without any protection."""
    return bool(config.getoption("--own-tests"))


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number from 0, found {text!r}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number of seconds above 0, found {text!r}")
    return seconds
