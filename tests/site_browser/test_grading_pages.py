"""The pages of a grading in Chromium, from file://: quiet, whole on a phone and on paper, by keyboard, in the dark."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from benchmarks import made_up
from classroom import register
from classroom.grading.feedback import feedback_page
from classroom.grading.feedback.rules import FeedbackRules
from classroom.grading.pairs import keep_pairs
from classroom.grading.report.answers import Answers
from classroom.grading.report.dashboard import report_page
from classroom.grading.report.gather import gather
from classroom.grading.roster import Person
from classroom.grading.safe import file_names
from classroom.grading.settings import Settings
from classroom.grading.similarity import Pair
from classroom.grading.store import Store
from classroom.grading.summary import summary_page

pytestmark = pytest.mark.slow
STUDENTS, FEW = 150, 40
"""The students of a class, and of one whose pages axe looks at: row by row they are made of the same elements."""
EVIL = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
OPEN_ALL = """async () => {
  for (let k = 0; k < 4; k++) {
    document.querySelectorAll("details").forEach(one => { one.open = true; });
    await new Promise(done => setTimeout(done, 60));
  }
}"""
"""Opens what is folded, and what that holds."""
NAMES = "[...document.querySelectorAll('#table tbody th')].map(one => one.textContent)"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a class."""
    return written(tmp_path_factory.mktemp("grading"), STUDENTS)


@pytest.fixture(scope="module")
def short_pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a small class."""
    return written(tmp_path_factory.mktemp("grading"), FEW)


def written(out: Path, students: int) -> Path:
    """The folder with report.html and summary.html of a class, and one student's page; hostile texts in all."""
    course = register.load()
    lessons = course.lessons[:13]
    made_up.fill(out, lessons, students)
    settings = Settings(deadlines={one.folder: made_up.deadline_of(one.number) for one in lessons})
    with Store(out) as store:
        people = [*store.roster().values()]
        store.keep_roster([Person(people[0].login, EVIL, "", "", people[0].section), *people[1:]])
        keep_pairs(
            store.base, [Pair(lessons[0].folder, ("student0000", "student0007"), 1.0, 30, (((1, 3),), ((2, 2),)))]
        )
        record = gather(store, course, settings)
        (out / "report.html").write_text(report_page(record, course, Answers(store, course), {}), encoding="utf-8")
        exercises = {one.folder: one.exercises for one in lessons}
        everyone = store.graded(settings, exercises)
    own = [one for one in everyone if one.student == "student0001"]
    names = file_names(one.student for one in everyone)
    (out / "summary.html").write_text(summary_page(everyone, course, names, unclaimed=[EVIL]), encoding="utf-8")
    said = {("student0001", own[0].homework, ""): (EVIL + "\n\nWell done.",)}
    rules = FeedbackRules("https://example.edu/again", {own[-1].homework: datetime.now(UTC) + timedelta(days=9)})
    (out / "student.html").write_text(feedback_page(EVIL, own, course, said, rules), encoding="utf-8")
    return out


def all_rows(tab: Any, students: int = STUDENTS) -> None:
    """Wait until the table has all its students."""
    tab.locator("#table tbody tr").nth(students - 1).wait_for(state="attached")


class Tab:
    """A page in a tab of its own, and what went wrong in it."""

    def __init__(self, chromium: Any, page: Path, students: int = STUDENTS, **options: Any) -> None:
        self.context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        self.trouble: list[str] = []
        self.tab = self.context.new_page()
        self.tab.on("console", lambda message: self.trouble.append(message.text))
        self.tab.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.tab.on("dialog", lambda dialog: (self.trouble.append("a dialog"), dialog.dismiss()))
        self.tab.on("request", lambda one: one.url == page.as_uri() or self.trouble.append(f"asked for {one.url}"))
        self.tab.goto(page.as_uri())
        if page.name == "report.html":
            self.tab.wait_for_selector("html[data-ready=all]")
            all_rows(self.tab, students)


@pytest.fixture
def report(chromium: Any, pages: Path) -> Iterator[Any]:
    opened = Tab(chromium, pages / "report.html")
    yield opened.tab
    opened.context.close()
    assert opened.trouble == []


@pytest.mark.parametrize("name", ["report.html", "student.html", "summary.html"])
@pytest.mark.parametrize(
    "options",
    [{}, {"color_scheme": "dark"}, {"viewport": {"width": 390, "height": 844}}],
    ids=["light", "dark", "phone"],
)
def test_a_page_is_quiet_fits_and_axe_finds_nothing_serious(
    chromium: Any, short_pages: Path, name: str, options: dict[str, Any], overflow: Any, serious: Any
) -> None:
    opened = Tab(chromium, short_pages / name, FEW, bypass_csp=True, reduced_motion="reduce", **options)
    opened.tab.evaluate(OPEN_ALL)
    assert overflow(opened.tab) <= 0
    assert opened.tab.locator("img").count() == 0
    assert serious(opened.tab) == []
    opened.context.close()
    assert opened.trouble == []


def test_the_policy_lets_no_other_script_run(chromium: Any, pages: Path, tmp_path: Path) -> None:
    html = (pages / "report.html").read_text(encoding="utf-8")
    page = tmp_path / "report.html"
    page.write_text(html.replace("</main>", "</main><script>document.title = 'taken'</script>"), encoding="utf-8")
    opened = Tab(chromium, page)
    assert opened.tab.title().startswith("Report")
    assert any("Content Security Policy" in one for one in opened.trouble)
    opened.context.close()


def test_names_and_code_are_shown_as_they_are_written(report: Any) -> None:
    assert EVIL in report.locator("#table").inner_text()
    report.evaluate(OPEN_ALL)
    assert report.locator("#clusters pre mark").count() == 2
    assert report.locator("#clusters").inner_text().count("def axby") == 2
    assert report.locator("#mistakes pre").count() > 50
    assert report.locator("img, #table script, svg script").count() == 0


def test_the_table_sorts_by_keyboard(report: Any) -> None:
    names = report.evaluate(NAMES)
    assert len(names) == STUDENTS
    report.locator("#find").focus()
    for _ in range(2):
        report.keyboard.press("Tab")  # the box that scrolls, then the first heading
    assert report.evaluate("document.activeElement.textContent") == "Student"
    report.keyboard.press("Enter")
    assert report.locator("#table th[aria-sort=descending]").inner_text().startswith("Student")
    all_rows(report)
    assert report.evaluate(NAMES)[0] != names[0]
    assert sorted(report.evaluate(NAMES)) == sorted(names)
    for _ in range(2):
        report.keyboard.press("Tab")
    report.keyboard.press("Enter")
    all_rows(report)
    totals = report.evaluate("[...document.querySelectorAll('#table tbody tr')].map(one => +one.cells[2].textContent)")
    assert totals == sorted(totals, reverse=True)


def test_a_section_filters_everything_and_a_word_the_table(report: Any) -> None:
    bars = report.locator("#bins").inner_html()
    report.select_option("#section", label="Tue 14")
    assert report.locator("#shown").inner_text() == f"{STUDENTS // 3} students"
    assert report.locator("#bins").inner_html() != bars
    sections = "new Set([...document.querySelectorAll('#table tbody tr')].map(one => one.cells[1].textContent)).size"
    assert report.evaluate(sections) == 1
    report.fill("#find", "student0001")
    assert report.locator("#table tbody tr").count() == 1
    report.fill("#find", "nobody of this name")
    assert report.locator("#table tbody tr").count() == 0


def test_the_name_stays_while_the_table_scrolls_and_long_names_are_whole(report: Any) -> None:
    cell = report.locator("#table tbody th", has_text="Maximiliane").first
    cell.scroll_into_view_if_needed()
    before = cell.bounding_box()
    report.evaluate("document.getElementById('table').scrollLeft = 400")
    after = cell.bounding_box()
    assert abs(after["x"] - before["x"]) < 1
    assert 100 < after["width"] <= 260
    assert made_up.LONG[:80] in cell.inner_text()
    head = report.locator("#table thead th").first.bounding_box()
    box = report.locator("#table").bounding_box()
    assert abs(head["y"] - box["y"]) < 3


def test_on_a_phone_the_table_scrolls_inside_itself(chromium: Any, pages: Path) -> None:
    opened = Tab(chromium, pages / "report.html", viewport={"width": 390, "height": 844})
    box = "document.getElementById('table')"
    assert opened.tab.evaluate(f"{box}.scrollWidth > {box}.clientWidth + 300")
    name = opened.tab.locator("#table tbody th").first.bounding_box()
    assert name["width"] < 390 / 2
    opened.context.close()


def test_on_paper_every_student_is_there_and_nothing_scrolls(report: Any, overflow: Any) -> None:
    report.select_option("#section", label="Mon 10")
    report.select_option("#section", label="All")
    report.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert report.locator("#table tbody tr").count() == STUDENTS
    report.emulate_media(media="print")
    box = "document.getElementById('table')"
    assert report.evaluate(f"{box}.scrollHeight <= {box}.clientHeight + 1")
    report.set_viewport_size({"width": 794, "height": 1123})  # A4
    assert overflow(report) <= 0
    assert report.locator("#table tbody th").first.bounding_box()["width"] > 80
    assert report.locator("#table tbody tr").first.bounding_box()["height"] < 40
    assert not report.locator("nav").is_visible()
    assert len(report.pdf(format="A4", landscape=True)) > 20_000


def test_on_paper_the_summary_has_all_columns(chromium: Any, pages: Path, overflow: Any) -> None:
    opened = Tab(chromium, pages / "summary.html", viewport={"width": 794, "height": 1123})  # A4
    opened.tab.emulate_media(media="print")
    assert overflow(opened.tab) <= 0
    box = opened.tab.locator(".points-of-all").bounding_box()
    last = opened.tab.locator(".points-of-all thead th").last.bounding_box()
    assert last["x"] + last["width"] <= box["x"] + box["width"] + 1
    assert not opened.tab.locator("nav").is_visible()
    opened.context.close()
    assert opened.trouble == []


def test_a_student_reads_what_is_due_and_what_is_held_back(chromium: Any, pages: Path) -> None:
    opened = Tab(chromium, pages / "student.html")
    text = opened.tab.locator("main").inner_text()
    assert "Here are your public tests." in text
    assert "Well done." in text
    assert opened.tab.locator("a", has_text="Ask for another look").get_attribute("href") == "https://example.edu/again"
    opened.context.close()
    assert opened.trouble == []
