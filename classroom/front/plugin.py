"""The pytest plugin of the homework; the conftest.py of the course's folder loads it.

In homework/ nothing else is collected: no doctest, no Python test, no package of a student is imported into pytest's
process, where it could change any result. `--own-tests` lets them in again.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from classroom.front import options
from classroom.front.places import homework_folder
from classroom.front.tests import JudgedTest, sandbox, tests_at
from classroom.front.worksheets import sheet_at

CONFTEST = "conftest.py"
REFUSED = (
    "{} would run inside pytest, where it can change every result. Take it away; or, if it is yours and you want it, "
    "add --own-tests"
)
MARKERS = ("public: a public test of the homework", "hidden: a hidden test of the homework")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    options.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers, and stop if pytest has imported a conftest.py among the homework."""
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    for plugin in config.pluginmanager.get_plugins():
        path = Path(getattr(plugin, "__file__", None) or "")
        if path.name == CONFTEST and homework_folder(path) is not None and not options.own_tests(config):
            raise pytest.UsageError(REFUSED.format(path))


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """In a homework's folder the judge's tests and the worksheet, elsewhere what others collect."""
    others = yield
    if homework_folder(file_path) is None:
        return others
    mine = sheet_at(file_path, parent) or tests_at(file_path, parent)
    found = others if options.own_tests(parent.config) else []
    return found if mine is None else [*found, mine]


@pytest.hookimpl(tryfirst=True)
def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A folder of the homework as a plain one: pytest imports the __init__.py of a package."""
    if homework_folder(path) is None or options.own_tests(parent.config):
        return None
    if (path / CONFTEST).is_file():
        raise parent.CollectError(REFUSED.format(path / CONFTEST))
    return pytest.Dir.from_parent(parent, path=path)


def pytest_report_collectionfinish(config: pytest.Config, items: list[pytest.Item]) -> list[str]:
    """How homework is judged, and how well it is shut in."""
    if not any(isinstance(item, JudgedTest) for item in items) or config.option.collectonly:
        return []
    return [f"homework: judged in a process of its own; isolation {sandbox().isolation.value}. {sandbox().explanation}"]
