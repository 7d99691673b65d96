"""What every run of pytest shares: homework is judged, kuiper is imported first, a quick run leaves slow tests out.

kuiper is imported before pytest collects its files for their doctests: each layer is then registered once.
"""

from __future__ import annotations

import gc
import importlib.util
import os
from pathlib import Path
from typing import Any

import pytest

import kuiper

assert kuiper.registry

pytest_plugins = ["classroom.front.plugin"]

collect_ignore = ["classroom/mine/skeleton"]  # becomes a package beside homework files
if importlib.util.find_spec("sphinx") is None:
    # these speak to Sphinx, which only the site needs: python3 course.py setup --site
    collect_ignore += [f"classroom/site/{name}.py" for name in ("code_links", "extension", "settings")]

if importlib.util.find_spec("llvmlite") is None:
    # these write machine code, for which the extra `speed` is needed
    collect_ignore_glob = ["kuiper/compiled/*.py", "kuiper/compiled/kernels/*.py"]

if importlib.util.find_spec("hypothesis") is not None:
    from hypothesis import HealthCheck, settings

    # that a machine is busy is no fault of the code; SAME_EXAMPLES draws the same examples at every run
    same = "SAME_EXAMPLES" in os.environ
    settings.register_profile("course", deadline=None, derandomize=same, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("course")

SLOW_LEFT_OUT = pytest.StashKey[int]()
FILE = pytest.StashKey[Path]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """--all: nothing is left out."""
    parser.addoption("--all", action="store_true", help="run the slow tests too, which a run of everything leaves out")


def leaves_slow_out(config: pytest.Config) -> bool:
    """Whether nothing is selected: who names a folder, a file or a test, or gives -k, -m or --lf, means all of it."""
    if hasattr(config, "workerinput"):  # a process of pytest-xdist, which does not see what was typed
        return bool(config.workerinput["leaves_slow_out"])
    chosen = any(config.getoption(name, None) for name in ("-k", "-m", "--lf", "--all"))
    return config.args_source is not config.ArgsSource.ARGS and not chosen


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked slow."""
    if leaves_slow_out(config):
        slow = [item for item in items if item.get_closest_marker("slow")]
        items[:] = [item for item in items if not item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=slow)
        config.stash[SLOW_LEFT_OUT] = len(slow)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before the first test of a file, have the garbage collector skip all that is there, which lives to the end.

    The compiler collects garbage around each plan, and the tests with their libraries are millions of objects.
    """
    if item.config.stash.get(FILE, None) != item.path:
        item.config.stash[FILE] = item.path
        gc.collect()
        gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a process of pytest-xdist what was typed."""
    node.workerinput["leaves_slow_out"] = leaves_slow_out(node.config)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Every process of pytest-xdist leaves out the same tests: what one says holds."""
    node.config.stash[SLOW_LEFT_OUT] = getattr(node, "workeroutput", {}).get("slow_left_out", 0)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the process that started this one, if one of pytest-xdist did."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["slow_left_out"] = session.config.stash.get(SLOW_LEFT_OUT, 0)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Say in the last line what was left out."""
    count = config.stash.get(SLOW_LEFT_OUT, 0)
    if count and not hasattr(config, "workeroutput"):
        print(f"{count} slow tests were left out; with them: python3 course.py test --all")
