"""The built site, in a browser. Needs Sphinx, Playwright's Python package and Chromium; else all of it is skipped.

KUIPER_SITE=folder takes a site that is built already, KUIPER_CHROMIUM=path a browser that is not on the PATH,
KUIPER_SITE_EVERY=1 every page where else some stand for others.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from classroom import register

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
"""The first is the same browser without windows: a tab of its own costs a test a fifth of the time."""
OPTIONS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run",
    # pictures are loaded from as far away as with a fast connection, also where the browser does not know of any; the
    # other settings are Playwright's, which these replace
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4,"
    "lazyLoadingImageMarginPxUnknown=1250",
]  # fmt: skip


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What starts a browser is slow; tests/classroom/site looks at the same pages as text."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)


def missing() -> str:
    """Why these tests cannot run, or ""."""
    if os.environ.get("PYTEST_XDIST_WORKER") and not os.environ.get("KUIPER_SITE"):
        return "looks at the whole site, which is built for it once: python3 course.py dev site"
    for module, package in (("playwright", "playwright"), ("axe_playwright_python", "axe-playwright-python")):
        if importlib.util.find_spec(module) is None:
            return f"needs {package}: pip install {package}"
    if browser_path() is None:
        return "needs Chromium on the PATH, or KUIPER_CHROMIUM=path"
    if not os.environ.get("KUIPER_SITE") and importlib.util.find_spec("sphinx") is None:
        return "needs Sphinx: python3 course.py setup --site"
    return ""


def browser_path() -> str | None:
    """The browser's program."""
    return os.environ.get("KUIPER_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, built once, without a doubt about any page."""
    reason = missing()
    if reason:
        pytest.skip(reason)
    if os.environ.get("KUIPER_SITE"):
        return Path(os.environ["KUIPER_SITE"]).resolve()
    from classroom.site.build import build

    folder = tmp_path_factory.mktemp("built") / "site"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of packages, about each other
        built = build(register.load(ROOT), folder)
    assert not built.warnings
    return folder


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Chromium, without a window: the one browser of all these tests, also of those that need no site."""
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
    if browser_path() is None:
        pytest.skip("needs Chromium on the PATH, or KUIPER_CHROMIUM=path")
    with api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=browser_path(), args=OPTIONS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def serious() -> Callable[..., list[str]]:
    """A function of a tab and what to look at: what axe finds there that is serious."""
    axe = pytest.importorskip("axe_playwright_python", reason="checks accessibility with axe, which is not installed")
    source = (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    findings = """async (where) => {
        const found = await axe.run(where ?? document, {resultTypes: ["violations"], preload: false});
        return found.violations.filter(one => ["serious", "critical"].includes(one.impact))
            .flatMap(one => one.nodes.slice(0, 3).map(node => one.id + ": " + node.html.slice(0, 160)));
    }"""

    def found(tab: Any, where: str | None = None) -> list[str]:
        tab.evaluate(source)
        return list(tab.evaluate(findings, where))

    return found


@pytest.fixture(scope="session")
def overflow() -> Callable[[Any], int]:
    """A function of a tab: how many pixels its page is wider than the window; 0 or less if it fits."""
    return lambda tab: int(tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


@pytest.fixture(scope="session")
def browser(site: Path, chromium: Any) -> Any:
    """Chromium, for pages of the built site."""
    return chromium


@pytest.fixture(scope="session")
def pages(site: Path) -> list[Path]:
    """Every page of the site."""
    return sorted(site.rglob("*.html"))


class Watched:
    """A tab, and what went wrong in it: errors of scripts, of the console, and requests that left the site."""

    def __init__(self, browser: Any, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.trouble: list[str] = []
        self.context.route(re.compile("^(?!file:|data:)"), self._outside)
        self.tab = self.context.new_page()
        self.tab.on("console", self._console)
        self.tab.on("pageerror", lambda error: self.trouble.append(f"{self.tab.url}: {error}"))
        self.tab.on("requestfailed", self._failed)

    def _failed(self, request: Any) -> None:
        # a browser drops what a page asked for last, its icon, when the next page is opened at once
        if not (request.url.endswith("/favicon.svg") and "ERR_ABORTED" in (request.failure or "")):
            self.trouble.append(f"{self.tab.url}: failed {request.url}")

    def _outside(self, route: Any) -> None:
        self.trouble.append(f"{self.tab.url}: asked for {route.request.url}")
        route.abort()

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.trouble.append(f"{self.tab.url}: {message.text}")

    def open(self, path: Path, query: str = "") -> Any:
        """The page of a file, loaded."""
        self.tab.goto(path.as_uri() + query)
        return self.tab


@pytest.fixture
def watch(browser: Any) -> Iterator[Callable[..., Watched]]:
    """A function that opens a tab with Playwright's options for it, to be watched."""
    opened = []

    def tab(**options: Any) -> Watched:
        opened.append(Watched(browser, **options))
        return opened[-1]

    yield tab
    for one in opened:
        one.context.close()


@pytest.fixture
def phone(watch: Callable[..., Watched]) -> Watched:
    """A tab of a phone's size."""
    return watch(viewport={"width": 390, "height": 844})


@pytest.fixture
def desk(watch: Callable[..., Watched]) -> Watched:
    """A tab of a desk's size."""
    return watch(viewport={"width": 1280, "height": 900})
