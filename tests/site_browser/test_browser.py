"""The pages in Chromium, from file://: quiet, narrow enough for a phone, usable by keyboard, in print, in the dark."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest

KINDS = (
    "index.html",
    "first_steps.html",
    "lessons/02_tensor/02_tensor.html",
    "lessons/04_graph/04_graph.html",
    "lessons/06_convolution/06_convolution.html",
    "lessons/10_partition/10_partition.html",
    "lessons/11_speed/11_speed.html",
    "homework/index.html",
    "homework/04_graph/README.html",
    "homework/04_graph/worksheet.html",
    "lessons/glossary.html",
    "api/index.html",
    "api/kuiper.graph.order.html",
    "api/kuiper.vision.yolo.html",
    "models/README.html",
    "models/digits/README.html",
    "benchmarks/RESULTS.html",
    "docs/grading-at-scale.html",
    "source/kuiper/graph/order.py.html",
    "search.html",
)
"""Pages that stand for all others where looking at each would take too long."""
EVERY = bool(os.environ.get("KUIPER_SITE_EVERY"))


def test_every_page_is_quiet_asks_for_nothing_and_fits_a_phone(
    site: Path, pages: list[Path], phone: Any, overflow: Any
) -> None:
    """All pages but files shown as they stand, which differ in nothing but their lines: of these every tenth."""
    wide = []
    shown = [page for page in pages if page.is_relative_to(site / "source")]
    for page in [*(page for page in pages if page not in set(shown)), *shown[:: 1 if EVERY else 10]]:
        tab = phone.open(page)
        if tab.locator(".viewer-graph, .viewer-graph-own").count():
            tab.wait_for_load_state("networkidle")  # its scripts come late: they are looked at, too
        over = overflow(tab)
        if over > 0:
            wide.append(f"{page.relative_to(site)}: {over} px too wide")
    assert not phone.trouble, "\n".join(phone.trouble[:20])
    assert not wide, "\n".join(wide[:20])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(site: Path, pages: list[Path], watch: Any, scheme: str, serious: Any) -> None:
    watched = watch(viewport={"width": 1280, "height": 900}, color_scheme=scheme, reduced_motion="reduce")
    findings = []
    for page in pages if EVERY else [site / name for name in KINDS]:
        tab = watched.open(page)
        tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        findings += [f"{page.relative_to(site)}: {one}" for one in serious(tab)]
    assert not findings, "\n".join(findings[:30])


def test_in_print_there_is_the_text_and_no_navigation(site: Path, desk: Any) -> None:
    tab = desk.open(site / "lessons/04_graph/04_graph.html")
    folded = tab.locator("details.hide .output").first
    assert tab.locator(".sidebar-drawer").is_visible()
    assert not folded.is_visible()
    tab.emulate_media(media="print")
    for part in (".sidebar-drawer", ".toc-drawer", ".mobile-header", ".related-pages", ".theme-toggle-content"):
        assert not tab.locator(part).first.is_visible(), part
    assert tab.locator("article h1").is_visible()
    assert folded.is_visible()


def test_the_keyboard_reaches_the_text_the_search_and_the_hints(site: Path, desk: Any) -> None:
    tab = desk.open(site / "homework/04_graph/README.html")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.className").startswith("skip-to-content")
    tab.keyboard.press("Enter")
    assert tab.evaluate("location.hash") == "#furo-main-content"
    hint = tab.locator("details.hint summary").first
    hint.focus()
    tab.keyboard.press("Enter")
    assert tab.locator("details.hint").first.get_attribute("open") is not None
    search = tab.locator(".sidebar-search")
    search.focus()
    tab.keyboard.type("flatten")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#search-results a")
    assert not desk.trouble


def test_the_index_has_one_column_on_a_phone(site: Path, phone: Any) -> None:
    tab = phone.open(site / "genindex.html")
    first, second = (tab.locator(".genindextable").first.locator("td").nth(i).bounding_box() for i in (0, 1))
    assert second["y"] >= first["y"] + first["height"]


def test_what_scrolls_sideways_can_be_reached_by_keyboard(site: Path, phone: Any) -> None:
    tab = phone.open(site / "benchmarks/RESULTS.html")
    table = tab.locator(".table-wrapper[tabindex='0']").first
    table.focus()
    tab.keyboard.press("ArrowRight")
    tab.wait_for_function("document.activeElement.scrollLeft > 0")


def test_light_and_dark_can_be_chosen(site: Path, desk: Any) -> None:
    tab = desk.open(site / "index.html")
    colour = "getComputedStyle(document.body).backgroundColor"
    seen = set()
    for _ in range(3):
        tab.locator(".theme-toggle-content button").click()
        seen.add((tab.evaluate("document.body.dataset.theme"), tab.evaluate(colour)))
    assert {theme for theme, _ in seen} == {"auto", "light", "dark"}
    assert len({shade for _, shade in seen}) == 2


def test_a_formula_is_mathml_and_takes_room(site: Path, desk: Any) -> None:
    tab = desk.open(site / "lessons/04_graph/04_graph.html")
    box = tab.locator(".formula math").first.bounding_box()
    assert box["width"] > 50
    assert box["height"] > 10


def test_the_font_of_formulas_is_on_the_page_and_its_brackets_grow(site: Path, desk: Any) -> None:
    tab = desk.open(site / "lessons/13_language_model/13_language_model.html")
    fonts = tab.evaluate("document.fonts.ready.then(fonts => [...fonts].map(one => [one.family, one.status]))")
    assert fonts == [["Kuiper Math", "loaded"]]
    heights = tab.evaluate(
        "[...document.querySelectorAll('div.formula mo')].filter(one => one.textContent === '(')"
        ".map(one => one.getBoundingClientRect().height)"
    )
    assert max(heights) > 1.8 * min(heights)


def test_nothing_of_a_formula_is_cut_off(site: Path, desk: Any) -> None:
    """A formula's box scrolls, so that ink above or below it would not be seen: there is none."""
    image = pytest.importorskip("PIL.Image", reason="needs Pillow to look at pixels")
    tab = desk.open(site / "lessons/01_first_tests/01_first_tests.html")
    tab.add_style_tag(content=".formula { overflow: visible !important; }")
    for formula in tab.locator(".formula").all():
        formula.scroll_into_view_if_needed()
        box = formula.bounding_box()
        for top in (box["y"] - 5, box["y"] + box["height"]):
            clip = {"x": box["x"], "y": top, "width": box["width"], "height": 5}
            seen = image.open(io.BytesIO(tab.screenshot(clip=clip))).convert("RGB")
            assert len(seen.getcolors()) == 1, formula.inner_text()


def test_a_line_of_code_of_a_hundred_characters_fits_where_there_is_room(site: Path, desk: Any, overflow: Any) -> None:
    tab = desk.open(site / "lessons/04_graph/04_graph.html")
    for width in (1280, 1440, 1920):
        tab.set_viewport_size({"width": width, "height": 900})
        cut = (
            "[...document.querySelectorAll('article .cell_input pre')].filter(one => one.scrollWidth > one.clientWidth)"
        )
        longest = (
            f"Math.min(200, ...{cut}.map(one => Math.max(...one.innerText.split('\\n').map(line => line.length))))"
        )
        assert tab.evaluate(longest) > 100, width
        assert overflow(tab) <= 0


def test_from_the_front_page_to_the_first_exercise_by_links_alone(site: Path, desk: Any) -> None:
    tab = desk.open(site / "index.html")
    for words, address in (
        ("First steps", "first_steps.html"),
        ("lesson 1", "lessons/01_first_tests/01_first_tests.html"),
        ("homework 1", "homework/01_first_tests/README.html"),
        ("hw01_numpy.py", "source/homework/01_first_tests/hw01_numpy.py.html"),
    ):
        tab.locator("article").get_by_role("link", name=words, exact=True).first.click()
        assert tab.url.split("#")[0].endswith(address)
    assert not desk.trouble
