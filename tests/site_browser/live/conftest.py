"""The built site with Python in it. KUIPER_PYODIDE=folder has Pyodide's files; without it these tests are skipped.

KUIPER_NUMPY_SHA256=hash is that of a numpy built for these tests, in the place of the one that readers get.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from classroom import register
from classroom.site.live import runtime
from classroom.site.live.build import write_live

ROOT = Path(__file__).resolve().parents[3]
SECONDS = 300
"""A machine that does much else at once takes ten times as long as a reader's."""
READY = "/Python is ready|Stopped|cannot|expected|rror/.test(document.querySelector('.live-words').textContent)"


@pytest.fixture(scope="session")
def pyodide() -> Path:
    """The folder with Pyodide's files."""
    folder = os.environ.get("KUIPER_PYODIDE")
    if not folder:
        pytest.skip("needs KUIPER_PYODIDE=FOLDER, with Pyodide's files and numpy's wheel")
    return Path(folder).resolve()


@pytest.fixture(scope="session")
def numpy_instead() -> dict[str, str]:
    """name -> sha256, where the tests have a numpy of their own."""
    sha256 = os.environ.get("KUIPER_NUMPY_SHA256")
    return {runtime.FILES[-1].name: sha256} if sha256 else {}


@pytest.fixture(scope="session")
def live_site(pyodide: Path, numpy_instead: dict[str, str], site: Path, tmp_path_factory: Any) -> Path:
    """A copy of the site, with the runtime in it."""
    folder = tmp_path_factory.mktemp("live") / "site"
    shutil.copytree(site, folder, ignore=shutil.ignore_patterns("source", "download", "live"))
    write_live(register.load(ROOT), folder, pyodide, numpy_instead)
    return folder


class LiveTab:
    """A tab, and what it asked for from outside of the site, and what its scripts complained about."""

    def __init__(self, browser: Any, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(1000 * SECONDS)
        self.asked: list[str] = []
        self.trouble: list[str] = []
        self.context.route(re.compile("^(?!file:|data:|blob:)"), self._outside)
        self.tab = self.context.new_page()
        self.tab.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.tab.on("console", self._said)
        self.tab.on("dialog", lambda dialog: dialog.accept())

    def _outside(self, route: Any) -> None:
        self.asked.append(route.request.url)
        route.abort()

    def _said(self, message: Any) -> None:
        if message.type == "error":
            self.trouble.append(message.text)

    def open(self, page: Path, press: bool = True) -> Any:
        """The page; with `press` its button is pressed, and of a lesson Python has started."""
        self.tab.goto(page.as_uri())
        if press:
            self.tab.click(".live-open")
            self.tab.wait_for_selector(".live-stop")
            if page.parent.parent.name == "lessons":
                self.tab.wait_for_function(READY)
        return self.tab

    def words(self) -> str:
        """What the bar says."""
        return str(self.tab.locator(".live-words").inner_text())


@pytest.fixture(scope="session")
def live_tab() -> type[LiveTab]:
    """The class, for tabs of another kind."""
    return LiveTab


@pytest.fixture
def live(live_site: Path, chromium: Any) -> Iterator[LiveTab]:
    """A tab of a desk."""
    made = LiveTab(chromium, viewport={"width": 1280, "height": 900})
    yield made
    made.context.close()
