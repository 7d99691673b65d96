"""How long the instructors' page takes for a made-up class: `python -m benchmarks.report --students 2000`.

Printed are the processor time to write the page, its size, and what a browser without a window needs from the opening
of the file to a table of students that answers, and to the whole page: the median of some openings, each in a new
Chromium (KUIPER_CHROMIUM=path, or on the PATH; needs Playwright's Python package).
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.made_up import deadline_of, fill
from classroom import register
from classroom.grading.grade import GradingRun, Options
from classroom.grading.store import Store, holds_results

WATCH = """(() => {
  window.readyAt = {};
  const seen = () => {
    const now = document.documentElement?.dataset.ready;
    if (now) readyAt[now] ??= performance.now();
  };
  new MutationObserver(seen).observe(document, { attributes: true, childList: true, subtree: true });
})()"""
"""Notes when the page says that its table, and all of it, is there; milliseconds since the tab began to open it."""
PAINTED = "new Promise(done => requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0)))"


def main() -> None:
    """Make the class, write its page, open it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--students", type=int, default=2000)
    parser.add_argument("--homeworks", type=int, default=13)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, help="keep the results here, and take them again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(options.out or Path(folder), options.students, options.homeworks, options.rounds)


def measure(out: Path, students: int, homeworks: int, rounds: int) -> None:
    """Print what the page of such a class costs."""
    course = register.load()
    if not holds_results(out):
        fill(out, course.lessons[:homeworks], students)
    run = GradingRun(course, out, Options())
    run.settings = replace(run.settings, deadlines={one.folder: deadline_of(one.number) for one in course.lessons})
    with Store(out) as store:
        wall, started = time.monotonic(), time.process_time()
        page = run.report_page(store)
        spent = time.process_time() - started
        print(f"{students} students, {homeworks} homeworks: written in {spent:.1f} s of processor time")
        print(f"{time.monotonic() - wall:.1f} s by the clock; {page.stat().st_size / 1e6:.2f} MB")
    found = [one for one in (opened(page) for _ in range(rounds)) if one]
    if found:
        table, whole = (statistics.median(times) for times in zip(*found))
        print(f"in Chromium, median of {rounds}: students' table after {table:.0f} ms, all of it after {whole:.0f} ms")


def opened(page: Path) -> tuple[float, float] | None:
    """Milliseconds to the table of students, painted, and to the whole page; None without a browser."""
    path = os.environ.get("KUIPER_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        print("not opened: Playwright's Python package and Chromium are not here")
        return None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        tab.add_init_script(WATCH)
        tab.goto(page.as_uri(), wait_until="commit")
        tab.wait_for_selector("#table tbody tr")
        painted = float(tab.evaluate(PAINTED))
        tab.wait_for_selector("html[data-ready=all]")
        ready = tab.evaluate("readyAt")
        browser.close()
    return float(ready.get("table", painted)), float(ready["all"])


if __name__ == "__main__":
    main()
