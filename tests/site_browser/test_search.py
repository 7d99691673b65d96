"""The search, in a browser and from a folder: what a reader means is among the first three results."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

MEANT = {
    "im2col": "lessons/06_convolution/",
    "winograd": "lessons/11_speed/",
    "topological": "lessons/04_graph/",
    "attention": "lessons/13_language_model/",
    "padding": "homework/02_tensor/",
    "nn.Conv2d": "lessons/06_convolution/",
    "NMS": "homework/09_yolov5/",
    "hint padding": "homework/02_tensor/",
    "install windows": "first_steps.html",
    "error shape": "lessons/02_tensor/",
    "softmax": "lessons/glossary.html#softmax",
    "conv": "lessons/06_convolution/",
    "transformer": "lessons/13_language_model/",
    "int8": "lessons/15_fewer_bits/",
}
"""What is typed -> the beginning of the address of what is meant."""
FIRST = {"install windows": "first_steps.html", "error shape": "lessons/02_tensor/"}
"""What must be the first result."""
TITLES = "#search-results > li h2 a"


def results(tab: Any) -> list[str]:
    """The addresses of the results, from the site's root."""
    return [
        address.removeprefix("./")
        for address in tab.locator(TITLES).evaluate_all("all => all.map(one => one.getAttribute('href'))")
    ]


@pytest.mark.parametrize("query", MEANT)
def test_what_is_meant_is_among_the_first_three(site: Path, desk: Any, query: str) -> None:
    tab = desk.open(site / "search.html", f"?q={quote(query)}")
    first = results(tab)[:3]
    assert any(one.startswith(MEANT[query]) for one in first), first
    assert first[0].startswith(FIRST.get(query, "")), first
    assert not desk.trouble


@pytest.mark.parametrize("query", ["convolution", "order", "graph", "reads a line", "test"])
def test_no_test_and_no_source_file_is_found_and_no_api_before_a_lesson(site: Path, desk: Any, query: str) -> None:
    found = results(desk.open(site / "search.html", f"?q={quote(query)}"))
    assert found
    assert not [one for one in found if one.startswith(("source/", "tests/"))]
    api = next((at for at, one in enumerate(found) if one.startswith("api/")), len(found))
    assert any(one.startswith("lessons/") for one in found[:api])


def test_every_result_leads_to_a_place_that_is_there(site: Path, desk: Any) -> None:
    tab = desk.open(site / "search.html", "?q=convolution")
    every = tab.evaluate("KUIPER_SEARCH.records.map(one => one[3])")
    assert len(every) > 1000
    ids: dict[str, set[str]] = {}
    dead = []
    for address in every:
        page, _, anchor = address.partition("#")
        if page not in ids:
            text = (site / page).read_text(encoding="utf-8")
            ids[page] = set(re.findall(r'\bid="([^"]+)"', text))
        if anchor and anchor not in ids[page]:
            dead.append(address)
    assert not dead, dead[:10]


def test_a_name_of_the_api_is_found_where_nothing_else_has_it(site: Path, desk: Any) -> None:
    tab = desk.open(site / "search.html")
    rows = tab.evaluate("KUIPER_SEARCH.records.map(one => [KUIPER_SEARCH.kinds[one[0]], ...one.slice(1)])")
    elsewhere = " ".join(" ".join(row[1:]) for row in rows if row[0] != "API").lower()
    names = [row[1] for row in rows if row[0] == "API" and row[1].isidentifier() and len(row[1]) > 8]
    name = next(one for one in names if one.lower() not in elsewhere)
    found = results(desk.open(site / "search.html", f"?q={name}"))
    assert found[0].startswith("api/")
    assert found[0].endswith(f".{name}")


def test_an_operator_leads_to_its_line(site: Path, desk: Any) -> None:
    tab = desk.open(site / "search.html", "?q=nn.SiLU")
    assert results(tab)[0] == "docs/operators.html#nn.SiLU"
    tab.locator(TITLES).first.click()
    tab.wait_for_url("**/docs/operators.html*")
    top = "document.getElementById('nn.SiLU').getBoundingClientRect().top"
    tab.wait_for_function(f"{top} >= 0 && {top} < innerHeight")
    assert not desk.trouble


def test_a_result_shows_what_it_says_with_the_words_marked(site: Path, desk: Any) -> None:
    tab = desk.open(site / "search.html", "?q=winograd")
    first = tab.locator("#search-results > li").first
    assert first.locator("mark").first.inner_text().lower() == "winograd"
    assert len(first.locator(".excerpt").inner_text()) > 40
    assert "result" in tab.locator("#search-count").inner_text()


def test_what_is_found_in_code_alone_is_named(site: Path, desk: Any) -> None:
    tab = desk.open(site / "search.html", "?q=error%20shape")
    assert "kuiper.ShapeError" in tab.locator("#search-results > li").first.inner_text()


def test_results_come_while_one_types_and_the_keyboard_reaches_them(site: Path, desk: Any) -> None:
    tab = desk.open(site / "search.html")
    assert tab.locator("#search-count").inner_text() == "Type what you look for."
    assert tab.evaluate("document.activeElement.id") == "search-words"
    tab.keyboard.type("kahn")
    tab.wait_for_selector(TITLES)
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.closest('#search-results') !== null")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/lessons/04_graph/**")


def test_nothing_found_is_said(site: Path, desk: Any) -> None:
    tab = desk.open(site / "search.html", "?q=xyzzyq")
    assert not results(tab)
    assert "xyzzyq" in tab.locator("#search-count").inner_text()


def test_markup_in_a_query_stays_text(site: Path, desk: Any) -> None:
    tab = desk.open(site / "search.html", "?q=" + quote("<img src=x onerror=alert(1)> [("))
    assert tab.locator("#search-results img").count() == 0
    assert not desk.trouble


def test_no_other_page_loads_the_index(site: Path, pages: list[Path]) -> None:
    with_index = [page.name for page in pages if "search-data.js" in page.read_text(encoding="utf-8")]
    assert with_index == ["search.html"]
