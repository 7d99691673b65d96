"""Pages with Python in them: light before it is asked for, usable by keyboard, and nothing is fetched unasked."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from classroom import register
from classroom.site.live import runtime
from classroom.site.live.build import write_live

pytestmark = pytest.mark.slow
COURSE = register.load()
MOST = 700 * 1024
"""Bytes of a lesson's page with all that it loads."""
HEAVY = {"06_convolution", "09_yolov5", "12_unet"}
"""Lessons whose pictures alone make them heavier."""
ADDED = 20_000
"""Bytes that Python may add to a page before it is asked for."""
LESSON = "lessons/02_tensor/02_tensor.html"
HOMEWORK = "homework/02_tensor/README.html"


def test_a_lesson_weighs_less_than_700_kb_before_anything_is_run(live_site: Path, chromium: Any) -> None:
    heavy = {}
    for lesson in COURSE.lessons:
        path = lesson.notebook()
        assert path is not None
        context = chromium.new_context()
        tab, files = context.new_page(), set[str]()
        tab.on("request", lambda request, files=files: files.add(request.url) if "file:" in request.url else None)
        tab.goto((live_site / "lessons" / lesson.folder / path.with_suffix(".html").name).as_uri())
        context.close()  # pictures that come late are asked for until here
        sizes = {url: Path(url.removeprefix("file://").partition("?")[0]).stat().st_size for url in files}
        assert not any("/live/" in url for url in sizes)
        if sum(sizes.values()) > MOST:
            heavy[lesson.folder] = sum(sizes.values())
        added = [size for url, size in sizes.items() if "/_static/live" in url]
    assert set(heavy) <= HEAVY, heavy
    assert 0 < sum(added) < ADDED


def test_a_loop_in_a_cell_is_stopped_and_the_changed_cells_are_kept(live: Any, live_site: Path) -> None:
    tab = live.open(live_site / LESSON)
    tab.evaluate("KuiperLive.cells[0].editor.replace('while True:\\n    pass')")
    tab.click("[aria-label='Run cell 1']")
    tab.wait_for_function("KuiperLive.isRunning()")
    assert tab.evaluate("1 + 1") == 2  # the page is alive
    tab.click("text='Stop'")
    tab.wait_for_function("/Stopped/.test(document.querySelector('.live-words').textContent)")
    assert tab.evaluate("KuiperLive.cells[0].editor.text()") == "while True:\n    pass"
    tab.evaluate("KuiperLive.cells[0].editor.replace('print(6 * 7)')")
    tab.click("[aria-label='Run cell 1']")
    tab.wait_for_function("KuiperLive.cells[0].output.textContent.includes('42')")
    tab.reload()
    tab.click(".live-open")
    tab.wait_for_selector(".live-stop")
    assert tab.evaluate("KuiperLive.cells[0].editor.text()") == "print(6 * 7)"
    tab.click('[aria-label="Reset cell 1 to the course\'s"]', timeout=300_000)
    assert tab.evaluate("KuiperLive.cells[0].editor.text() === KuiperLive.cells[0].source")
    assert live.asked == []


def test_a_second_run_waits_and_stop_empties_the_queue(live: Any, live_site: Path) -> None:
    tab = live.open(live_site / LESSON)
    tab.evaluate("KuiperGates.openAll()")  # a cell that asks for a guess first would not wait for its turn
    tab.evaluate("KuiperLive.cells[0].editor.replace('import time\\ntime.sleep(2)\\nx = 5')")
    tab.evaluate("KuiperLive.cells[1].editor.replace('print(x + 1)')")
    tab.click("[aria-label='Run cell 1']")
    tab.click("[aria-label='Run cell 2']")
    assert tab.evaluate("KuiperLive.cells.slice(0, 2).map(one => one.state.textContent)") == ["runs ...", "waits"]
    tab.wait_for_function("/^[1-9]\\d* s$/.test(document.querySelector('.live-clock').textContent)")
    tab.wait_for_function("KuiperLive.cells[1].output.textContent === '6\\n'")
    tab.wait_for_function("/Python is ready/.test(document.querySelector('.live-words').textContent)")
    assert tab.locator(".live-clock").inner_text() == ""
    tab.evaluate("KuiperLive.cells[0].editor.replace('while True:\\n    pass')")
    tab.click("[aria-label='Run cell 1']")
    tab.click("[aria-label='Run cell 2']")
    tab.click("text='Stop'")
    tab.wait_for_function("/Stopped/.test(document.querySelector('.live-words').textContent)")
    assert tab.evaluate("KuiperLive.cells.slice(0, 2).map(one => one.state.textContent)") == ["stopped", ""]
    assert tab.locator("[aria-label='Run cell 2']").is_enabled()
    assert live.trouble == []


def test_a_start_that_is_stopped_can_be_begun_again(live: Any, live_site: Path) -> None:
    tab = live.open(live_site / LESSON, press=False)
    tab.click(".live-open")
    tab.click(".live-stop")
    tab.wait_for_function("/Stopped/.test(document.querySelector('.live-words').textContent)")
    tab.evaluate("KuiperLive.cells[0].editor.replace('print(6 * 7)')")
    tab.click("[aria-label='Run cell 1']")
    tab.wait_for_function("KuiperLive.cells[0].output.textContent === '42\\n'")
    assert live.trouble == []


def test_a_cell_runs_by_keyboard_and_the_editor_can_be_left(live: Any, live_site: Path) -> None:
    tab = live.open(live_site / LESSON)
    tab.locator(".cm-content").nth(0).focus()
    tab.keyboard.press("Shift+Enter")
    tab.wait_for_function("/^ran/.test(KuiperLive.cells[0].state.textContent)")
    tab.keyboard.press("Escape")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Run"


def test_whoever_opens_the_exercises_by_keyboard_goes_on_from_there(live: Any, live_site: Path) -> None:
    tab = live.open(live_site / HOMEWORK, press=False)
    tab.locator(".live-open").focus()
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".live-shelf")
    assert tab.evaluate("document.activeElement.querySelector('.live-exercise') !== null")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", [LESSON, HOMEWORK])
def test_axe_finds_nothing_serious_where_python_is_open(
    live_site: Path, live_tab: Any, chromium: Any, scheme: str, name: str, overflow: Any, serious: Any
) -> None:
    live = live_tab(chromium, viewport={"width": 390, "height": 844}, color_scheme=scheme, reduced_motion="reduce")
    tab = live.open(live_site / name)
    tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    findings = serious(tab)
    over = overflow(tab)
    live.context.close()
    assert findings == []
    assert over <= 0


@pytest.fixture(scope="session")
def lean_site(live_site: Path, site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site without the runtime, as most will build it."""
    folder = tmp_path_factory.mktemp("lean") / "site"
    shutil.copytree(site, folder, ignore=shutil.ignore_patterns("source", "download", "live", "api"))
    write_live(COURSE, folder, None)
    return folder


def test_without_the_runtime_nothing_is_fetched_before_the_reader_agreed(
    lean_site: Path, live_tab: Any, chromium: Any, pyodide: Path, numpy_instead: dict[str, str]
) -> None:
    class Servers(live_tab):  # type: ignore[misc]
        """A tab whose requests to the outside are answered from the folder of the runtime."""

        def _outside(self, route: Any) -> None:
            self.asked.append(route.request.url)
            path = pyodide / route.request.url.rpartition("/")[2]
            route.fulfill(path=path, headers={"Access-Control-Allow-Origin": "*"})

    servers = Servers(chromium)
    servers.tab.goto((lean_site / LESSON).as_uri())
    servers.tab.click(".live-open")
    question = servers.tab.locator(".live-question")
    question.wait_for()
    total = round(sum(file.size for file in runtime.FILES) / 1e6)
    assert f"at most {total} MB" in question.inner_text()
    assert servers.asked == []
    servers.tab.click("text='No'")
    servers.tab.wait_for_function("/not fetched/.test(document.querySelector('.live-words').textContent)")
    assert servers.asked == []
    servers.tab.click("text='Run all cells'")
    servers.tab.click(f"text='Fetch {total} MB'")
    servers.tab.wait_for_function("/ready|runs|expected/.test(document.querySelector('.live-words').textContent)")
    assert set(servers.asked) <= {file.server + file.name for file in runtime.FILES}
    words = servers.words()
    servers.context.close()
    if numpy_instead:  # another numpy than the one that the table names: refused
        assert runtime.FILES[-1].name in words
        assert "not the file that was expected" in words
    else:
        assert "expected" not in words
