"""Exercises in their pages: stubs fail, solutions pass, loops are stopped, answers stay and can be taken away."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from classroom import register
from classroom.judge.homework import homework_of
from classroom.stubs import handed_out

pytestmark = pytest.mark.slow
COURSE = register.load()
LESSONS = [lesson for lesson in COURSE.lessons if lesson.exercises and homework_of(lesson)]
SAID = "one => { const said = document.querySelector(`[data-exercise=${one}] .live-report`).textContent; "
SAID += "return said && !/^(checking|waits)/.test(said) }"


def page(site: Path, lesson: register.Lesson) -> Path:
    return site / "homework" / lesson.folder / "README.html"


def check(tab: Any, exercise: str) -> str:
    """Press the exercise's button -> its report."""
    tab.click(f"text='check {exercise}'")
    tab.wait_for_function(SAID, arg=exercise)
    return str(tab.locator(f"[data-exercise={exercise}] .live-report[role=status]").inner_text())


def bring(tab: Any, name: str, text: str) -> None:
    """Bring in a file as a reader does."""
    tab.set_input_files(".live-field", {"name": name, "mimeType": "text/x-python", "buffer": text.encode()})
    tab.wait_for_function("/Brought in|expected/.test(document.querySelector('.live-words').textContent)")


def solution(lesson: register.Lesson) -> str:
    homework = homework_of(lesson)
    assert homework is not None
    return homework.solution.read_text(encoding="utf-8")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.folder)
def test_every_stub_fails_and_every_worked_solution_passes(live: Any, live_site: Path, lesson: register.Lesson) -> None:
    tab = live.open(page(live_site, lesson))
    for exercise in lesson.exercises:
        assert "): solved, " not in check(tab, exercise.id)
    bring(tab, lesson.homework_file, solution(lesson))
    failed = {one.id: said for one in lesson.exercises if "): solved, " not in (said := check(tab, one.id))}
    assert not failed, "\n".join(failed.values())
    assert live.asked == []
    assert live.trouble == []


def test_a_wrong_answer_is_explained_with_its_likely_cause(live: Any, live_site: Path) -> None:
    lesson = COURSE.lesson(2)
    wrong = "def flatten(x, row_major=True):\n    return x.reshape(-1)\n\n\n"
    tab = live.open(page(live_site, lesson))
    tab.evaluate("text => KuiperLive.shown[1].editor.replace(text)", wrong)
    said = check(tab, "flatten")
    for word in ("must hold", "called", "expected", "likely why", "open Hint 1 below"):
        assert word in said, said
    place = tab.locator("[data-exercise=flatten]")
    fold = place.locator(".live-others details")
    reports = fold.locator("pre")
    assert fold.locator("summary").inner_text() == f"{reports.count()} more public tests failed"
    assert not reports.first.is_visible()
    fold.locator("summary").click()
    assert "must hold" in reports.first.inner_text()
    tab.evaluate("text => KuiperLive.shown[1].editor.replace(text)", wrong.replace("(-1)", "(-1) +"))
    assert "is not Python yet" in check(tab, "flatten")
    assert fold.count() == 0


def test_a_second_check_waits_for_the_first_and_stop_ends_both(live: Any, live_site: Path) -> None:
    lesson = COURSE.lesson(2)
    first, second = (one.id for one in lesson.exercises[:2])
    tab = live.open(page(live_site, lesson))
    report = "[data-exercise={}] .live-report[role=status]"
    tab.click(f"text='check {first}'")
    tab.click(f"text='check {second}'")
    assert tab.locator(report.format(second)).inner_text() == "waits"
    assert tab.locator(f"text='check {second}'").is_disabled()
    for name in (first, second):
        tab.wait_for_function(SAID, arg=name)
    assert second in tab.locator(report.format(second)).inner_text()
    endless = "def flatten(x, row_major=True):\\n    import itertools\\n    return sum(itertools.count())\\n"
    tab.evaluate(f"KuiperLive.shown[1].editor.replace('{endless}')")
    tab.click(f"text='check {first}'")
    tab.click(f"text='check {second}'")
    tab.wait_for_function("/^[1-9]\\d* s$/.test(document.querySelector('.live-clock').textContent)")
    tab.click("text='Stop'")
    tab.wait_for_function("/Stopped/.test(document.querySelector('.live-words').textContent)")
    assert not tab.locator(report.format(second)).is_visible()
    assert tab.locator(f"text='check {second}'").is_enabled()
    assert tab.locator(".live-clock").inner_text() == ""
    assert live.trouble == []


def test_a_loop_that_never_ends_is_a_failed_test_and_one_beyond_that_is_stopped(live: Any, live_site: Path) -> None:
    tab = live.open(page(live_site, COURSE.lesson(2)))
    tab.evaluate(
        "KuiperLive.shown[1].editor.replace('def flatten(x, row_major=True):\\n    while True:\\n        pass\\n')"
    )
    assert "no answer within 10 s" in check(tab, "flatten")
    endless = "def flatten(x, row_major=True):\\n    import itertools\\n    return sum(itertools.count())\\n"
    tab.evaluate(f"KuiperLive.shown[1].editor.replace('{endless}')")
    tab.click("text='check flatten'")
    tab.wait_for_function("KuiperLive.isRunning()")
    tab.click("text='Stop'")
    tab.wait_for_function("/Stopped/.test(document.querySelector('.live-words').textContent)")
    assert tab.evaluate("KuiperLive.shown[1].editor.text()") == endless.encode().decode("unicode_escape")
    tab.evaluate("KuiperLive.shown[1].editor.replace('def flatten(x, row_major=True):\\n    return None\\n')")
    assert "flatten" in check(tab, "flatten")


def test_answers_survive_a_reload_and_leave_as_the_courses_own_files(live: Any, live_site: Path) -> None:
    lesson = COURSE.lesson(2)
    tab = live.open(page(live_site, lesson))
    bring(tab, lesson.homework_file, solution(lesson))
    tab.reload()
    tab.wait_for_selector(".live-shelf")  # without a press: there are answers
    with tab.expect_download() as file:
        tab.click(f"text='Download {lesson.homework_file}'")
    assert Path(file.value.path()).read_text(encoding="utf-8") == solution(lesson)
    with tab.expect_download() as file:
        tab.click("text='Download all answers'")
    packed = Path(file.value.path()).read_bytes()
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name).decode() for name in archive.namelist()} == {
            lesson.homework_file: solution(lesson)
        }
    tab.evaluate("localStorage.clear()")
    tab.reload()
    tab.click(".live-open")
    tab.wait_for_selector(".live-shelf")
    assert tab.evaluate("KuiperLive.join(KuiperLive.shown.map(one => one.editor.text()))") == handed_out(lesson)
    tab.set_input_files(".live-field", {"name": "answers.zip", "mimeType": "application/zip", "buffer": packed})
    tab.wait_for_function("/Brought in/.test(document.querySelector('.live-words').textContent)")
    assert tab.evaluate("KuiperLive.join(KuiperLive.shown.map(one => one.editor.text()))") == solution(lesson)
    assert live.trouble == []


def test_a_file_that_is_none_of_the_homework_is_refused_and_nothing_is_lost(live: Any, live_site: Path) -> None:
    lesson = COURSE.lesson(2)
    tab = live.open(page(live_site, lesson))
    bring(tab, lesson.homework_file, "x = 1\n")
    assert live.words() == "hw02_tensor.py: expected the function flatten of flatten, and there is none"
    bring(tab, "other.py", "x = 1\n")
    assert "expected a homework file" in live.words()
    assert tab.evaluate("KuiperLive.join(KuiperLive.shown.map(one => one.editor.text()))") == handed_out(lesson)


def test_the_digits_network_runs_with_the_readers_answers(live: Any, live_site: Path) -> None:
    lesson = COURSE.lesson(2)
    tab = live.open(page(live_site, lesson))
    bring(tab, lesson.homework_file, solution(lesson))
    tab.click("text='demo digits --mine'")
    tab.wait_for_function("document.querySelector('.live-demo').textContent.includes('\\n')")
    said = tab.locator(".live-demo").inner_text()
    assert "held-out digits read correctly" in said
    assert "flatten            yours" in said
    assert "Every step that ran gives what the reference gives." in said


def test_lines_are_numbered_as_in_the_file_which_reports_name(live: Any, live_site: Path) -> None:
    lesson = COURSE.lesson(1)
    tab = live.open(page(live_site, lesson))
    tab.evaluate("KuiperLive.shown[1].editor.replace(KuiperLive.shown[1].editor.text() + '# one\\n# more\\n')")
    name, numbers = lesson.exercises[1].id, ".live-exercise >> nth=1 >> .cm-lineNumbers .cm-gutterElement"
    lines = str(tab.evaluate("KuiperLive.join(KuiperLive.shown.map(({ editor }) => editor.text()))")).splitlines()
    first = next(number for number, line in enumerate(lines, 1) if line.startswith(f"def {name}("))
    assert first > 1
    # the gutter's first element only keeps its width
    assert tab.locator(numbers).nth(1).inner_text() == str(first)
