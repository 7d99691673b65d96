"""Reading, in a browser: widths, figures large on request, copying, definitions beside their words, the way onwards."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from classroom import register

ROOT = Path(__file__).resolve().parents[2]
LESSON = "lessons/06_convolution/06_convolution.html"
HEAVIEST = 700 * 1024
"""Bytes of a lesson with all that it loads when it is opened; pictures further down follow when one comes near."""
CHARACTERS = """() => {
  const found = [];
  for (const text of document.querySelectorAll('article section > p')) {
    if (!text.getClientRects().length || text.querySelector('svg, img, math') || text.innerText.length < 250) continue;
    const lines = text.getBoundingClientRect().height / parseFloat(getComputedStyle(text).lineHeight);
    found.push(text.innerText.length / lines);
  }
  return found;
}"""
"""Characters of a line, for each long paragraph of a page."""


class Head(HTMLParser):
    """What the head of a page says."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.meta: dict[str, str] = {}
        self.links: dict[str, str] = {}
        self.feed(file.read_text(encoding="utf-8").partition("</head>")[0])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "meta":
            self.meta[values.get("name") or values.get("property", "")] = values.get("content", "")
        if tag == "link":
            self.links[values.get("rel", "")] = values.get("href", "")


def test_every_page_says_what_it_is_to_those_who_link_to_it(site: Path, pages: list[Path]) -> None:
    for page in pages:
        head = Head(page)
        name = page.relative_to(site)
        assert 10 < len(head.meta["description"]) <= 200, name
        assert head.meta["og:description"] == head.meta["description"], name
        assert head.meta["og:title"], name
        assert head.meta["theme-color"], name
        for file in (head.meta["og:image"], head.links["shortcut icon"].partition("?")[0]):
            assert (page.parent / file).resolve().is_file(), (name, file)


def test_lessons_do_not_describe_themselves_alike(site: Path) -> None:
    said = [Head(page).meta["description"] for page in site.glob("lessons/*/*.html")]
    assert len(said) > 10
    assert len(set(said)) == len(said)


@pytest.mark.parametrize("width", [1280, 1440, 1920])
def test_a_line_of_text_has_about_seventy_characters(site: Path, desk: Any, width: int) -> None:
    tab = desk.open(site / LESSON)
    tab.set_viewport_size({"width": width, "height": 900})
    lengths = sorted(tab.evaluate(CHARACTERS))
    assert lengths
    assert 55 <= lengths[len(lengths) // 2] <= 80


def test_what_one_reads_begins_at_one_edge_and_has_one_width(site: Path, desk: Any) -> None:
    tab = desk.open(site / LESSON)
    boxes = tab.evaluate(
        "[...document.querySelectorAll('article section > :is(p, ul, .admonition, details)')]"
        ".filter(one => one.getClientRects().length).map(one => one.getBoundingClientRect())"
        ".map(one => [one.left, one.right])"
    )
    lefts, rights = ({round(box[side]) for box in boxes} for side in (0, 1))
    assert len(lefts) == 1
    assert max(rights) - min(rights) <= 2


@pytest.mark.parametrize("name", [LESSON, "index.html"])
@pytest.mark.parametrize("width", [390, 1280])
def test_no_button_lies_on_a_figure_or_on_code(site: Path, watch: Any, width: int, name: str) -> None:
    is_phone = width < 400
    watched = watch(viewport={"width": width, "height": 900}, has_touch=is_phone, is_mobile=is_phone)
    tab = watched.open(site / name)
    covered = tab.evaluate(
        """[...document.querySelectorAll('article :is(.enlarge, .copy)')].filter(one => one.getClientRects().length)
        .filter(one => {
            const other = one.parentElement.querySelector(':scope > :is(svg, img, pre)');
            const range = document.createRange();
            range.selectNode(other);
            if (other.matches('pre')) range.selectNodeContents(other);
            const [a, b, within] = [one, range, other].map(each => each.getBoundingClientRect());
            return Math.min(a.right, b.right, within.right) - Math.max(a.left, b.left, within.left) > 0.5
                && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5;
        }).map(one => one.parentElement.textContent.slice(0, 80))"""
    )
    assert tab.locator("article .enlarge").count()
    assert covered == []


def test_code_is_as_wide_as_the_text_or_as_the_column(site: Path, desk: Any) -> None:
    tab = desk.open(site / LESSON)
    tab.evaluate("KuiperGates.openAll()")
    widths = tab.evaluate(
        "[...document.querySelectorAll('article .cell')].map(one => Math.round(one.getBoundingClientRect().width))"
    )
    assert len(widths) > 10
    assert len(set(widths)) == 2
    text = tab.evaluate("Math.round(document.querySelector('article section > p').getBoundingClientRect().width)")
    assert min(widths) == text


@pytest.mark.parametrize("width", [390, 1280])
def test_code_and_what_it_gives_scroll_within_the_page(site: Path, desk: Any, width: int) -> None:
    tab = desk.open(site / LESSON)
    tab.set_viewport_size({"width": width, "height": 900})
    tab.evaluate("KuiperGates.openAll()")
    beyond = tab.evaluate(
        """() => {
        const { right } = document.querySelector('article').getBoundingClientRect();
        return [...document.querySelectorAll('article :is(.cell, pre)')].filter(one => one.getClientRects().length)
            .filter(one => one.getBoundingClientRect().right > right + 1).map(one => one.textContent.slice(0, 80));
        }"""
    )
    assert beyond == []


def test_a_finger_hits_the_button_that_copies(site: Path, watch: Any) -> None:
    tab = watch(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).open(site / LESSON)
    box = tab.locator(".copy").first.bounding_box()
    assert min(box["height"], box["width"]) >= 40


def test_the_table_of_a_homework_is_as_wide_as_a_phone_in_every_cell(site: Path, phone: Any) -> None:
    for page in sorted(site.glob("homework/*/README.html")):
        tab = phone.open(page)
        widths = tab.locator("table.tasks td").evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")
        assert widths, page
        assert min(widths) > 300, page


@pytest.mark.parametrize("page", ["index.html", "lessons/index.html"])
def test_what_a_lesson_is_about_is_as_wide_as_a_phone(site: Path, phone: Any, page: str) -> None:
    cells = phone.open(site / page).locator("table.of-lessons td:nth-child(3)")
    widths = cells.evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")
    assert len(widths) == len(register.load(ROOT).lessons)
    assert min(widths) > 300


def test_no_name_of_the_index_is_cut_off_on_a_phone(site: Path, phone: Any) -> None:
    names = phone.open(site / "genindex.html").locator(".genindextable a")
    right = names.evaluate_all("all => all.flatMap(one => [...one.getClientRects()].map(line => line.right))")
    assert len(right) > 1000
    assert max(right) <= 390


def test_a_term_looks_unlike_a_link(site: Path, desk: Any) -> None:
    tab = desk.open(site / LESSON)
    style = "one => (({ textDecorationStyle: line, color, cursor }) => [line, color, cursor])(getComputedStyle(one))"
    term = tab.locator("article p a.glossary-term").first
    line, colour, cursor = term.evaluate(style)
    assert (line, cursor) == ("dotted", "help")
    assert colour == term.evaluate("one => getComputedStyle(one.closest('p')).color")
    assert colour != tab.locator("article p a.reference:not(.glossary-term)").first.evaluate(style)[1]


def test_two_families_of_fonts_are_on_a_page(site: Path, desk: Any) -> None:
    tab = desk.open(site / LESSON)
    families = tab.evaluate(
        "[...new Set([...document.querySelectorAll('article :is(p, h2, code, pre, svg text)')]"
        ".filter(one => !one.closest('.moving')).map(one => getComputedStyle(one).fontFamily))]"
    )
    assert len(families) == 2, families


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_figure_is_a_card_of_another_colour(site: Path, watch: Any, scheme: str) -> None:
    tab = watch(color_scheme=scheme).open(site / "lessons/04_graph/04_graph.html")
    assert tab.locator(".drawing > svg").count() > 5
    grounds = tab.locator(".drawing > svg").evaluate_all("all => all.map(one => getComputedStyle(one).backgroundColor)")
    assert set(grounds) == {"rgba(0, 0, 0, 0)"}
    label = "document.querySelector('.drawing > svg text').ownerSVGElement.querySelector('text')"
    shade = [int(one) for one in re.findall(r"\d+", tab.evaluate(f"getComputedStyle({label}).fill"))[:3]]
    assert (sum(shade) > 380) == (scheme == "dark")


def test_the_colours_follow_the_page_s_own_switch(site: Path, watch: Any) -> None:
    tab = watch(color_scheme="light").open(site / "lessons/04_graph/04_graph.html")
    fill = "getComputedStyle(document.querySelector('.drawing > svg text')).fill"
    before = tab.evaluate(fill)
    tab.evaluate("document.body.dataset.theme = 'dark'")
    assert tab.evaluate(fill) != before
    tab.emulate_media(media="print")
    assert tab.evaluate(fill) == before, "paper is light"


def test_a_tapped_figure_fills_a_phone_and_esc_leads_back(site: Path, phone: Any) -> None:
    tab = phone.open(site / LESSON)
    holder = tab.locator(".drawing:has(> svg):visible").first
    small = holder.locator("> svg").bounding_box()
    button = holder.locator("> .enlarge")
    button.focus()
    tab.keyboard.press("Enter")
    dialog = tab.locator("dialog.enlarged")
    assert dialog.is_visible()
    box = dialog.bounding_box()
    assert (box["width"], box["height"]) == (390, 844)
    large = dialog.locator(".stage > svg")
    assert large.bounding_box()["width"] >= small["width"] - 1
    before = large.bounding_box()["width"]
    tab.get_by_role("button", name="Larger").click()
    assert large.bounding_box()["width"] > 1.4 * before
    sizes = "[...document.querySelectorAll('dialog .stage svg text')].map(one => one.getBoundingClientRect().height)"
    assert min(tab.evaluate(sizes)) >= 11
    assert tab.evaluate("document.querySelector('dialog .stage').scrollWidth > innerWidth")
    tab.keyboard.press("Escape")
    assert not dialog.is_visible()
    assert tab.evaluate("document.activeElement.className") == "enlarge"
    assert not phone.trouble


def test_a_click_on_a_figure_opens_it_too(site: Path, desk: Any) -> None:
    tab = desk.open(site / LESSON)
    tab.locator(".drawing > svg:visible").first.click()
    assert tab.locator("dialog.enlarged").is_visible()
    tab.get_by_role("button", name="Close").click()
    assert not tab.locator("dialog.enlarged").is_visible()


def test_code_is_copied_as_it_stands(site: Path, watch: Any) -> None:
    watched = watch(permissions=["clipboard-read", "clipboard-write"])
    tab = watched.open(site / LESSON)
    block = tab.locator("article div.highlight.copyable").first
    block.get_by_role("button", name="Copy this code").click()
    tab.wait_for_function("document.querySelector('button.copy').textContent === 'Copied'")
    assert tab.evaluate("navigator.clipboard.readText()") == block.locator("pre").inner_text().rstrip("\n")


def test_a_term_opens_its_definition_and_esc_leads_back(site: Path, desk: Any) -> None:
    tab = desk.open(site / LESSON)
    link = tab.locator("a.glossary-term").first
    link.focus()
    tab.keyboard.press("Enter")
    box = tab.get_by_role("dialog").last
    assert box.is_visible()
    assert link.get_attribute("aria-expanded") == "true"
    assert len(box.inner_text()) > 40
    assert tab.evaluate("document.activeElement.textContent") == "In the glossary"
    tab.keyboard.press("Escape")
    assert tab.locator(".term").count() == 0
    assert tab.evaluate("document.activeElement.classList.contains('glossary-term')")
    link.click()
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/lessons/glossary.html#*")


def test_a_definition_fits_a_phone_and_closes_when_something_else_is_touched(site: Path, phone: Any) -> None:
    tab = phone.open(site / LESSON)
    for link in tab.locator("a.glossary-term").all()[:8]:
        link.click()
        box = tab.locator(".term").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        tab.keyboard.press("Escape")
    tab.locator("a.glossary-term").first.click()
    assert tab.locator(".term").count() == 1
    tab.locator("article h1").click()
    assert tab.locator(".term").count() == 0
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_scripts_a_term_is_a_link(site: Path, watch: Any) -> None:
    tab = watch(java_script_enabled=False).open(site / LESSON)
    tab.locator("a.glossary-term").first.click()
    assert "/lessons/glossary.html#" in tab.url


def test_from_a_lesson_to_its_exercises_to_the_next_lesson(site: Path, desk: Any) -> None:
    tab = desk.open(site / LESSON)
    assert re.search(r"Lesson 6 of \d+", tab.locator("nav.position").inner_text())
    for address in ("homework/06_convolution/README.html", "lessons/07_expression/07_expression.html"):
        tab.locator("a.next-page").click()
        assert tab.url.endswith(address)
    tab.locator("a.prev-page").click()
    assert tab.url.endswith("homework/06_convolution/README.html")


def test_pictures_further_down_come_when_the_reader_does(site: Path, desk: Any) -> None:
    tab = desk.open(site / LESSON)
    last = tab.locator("article img[loading=lazy]:visible").last
    assert last.get_attribute("width")
    last.scroll_into_view_if_needed()
    tab.wait_for_function("one => one.complete && one.naturalWidth > 0", arg=last.element_handle())


def test_a_lesson_weighs_less_than_a_photograph(site: Path, watch: Any) -> None:
    heavy = []
    for page in sorted(site.glob("lessons/*/*.html")):
        watched = watch(viewport={"width": 1280, "height": 900})
        loaded: set[str] = set()
        watched.tab.on("request", lambda one, loaded=loaded: loaded.add(one.url.partition("?")[0]))
        tab = watched.open(page)
        tab.wait_for_load_state("networkidle")
        files = {Path(url.removeprefix("file://")) for url in loaded if url.startswith("file://")}
        total = sum(file.stat().st_size for file in files if file.is_file())
        watched.context.close()
        if total >= HEAVIEST:
            heavy.append(f"{page.name}: {total:,} bytes")
    assert not heavy, heavy
