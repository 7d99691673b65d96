"""Every link, anchor and picture of every page, read from the files: nothing is dead, nothing comes from outside."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("use", "href")}


@dataclass
class Page(HTMLParser):
    """What a page links to, loads and names."""

    file: Path
    links: list[tuple[str, str, str]] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    nameless: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.ids += [values["id"]] if "id" in values else []
        if tag == "a" and "name" in values:
            self.ids.append(values["name"])
        if tag == "img" and not values.get("alt", "").strip():
            self.nameless.append(values.get("src", ""))
        self.links += [(tag, name, values[name]) for name in ("href", "src") if name in values]


@cache
def read(file: Path) -> Page:
    """The page in a file."""
    return Page(file)


@cache
def places(file: Path) -> frozenset[str]:
    """The ids of a page."""
    return frozenset(read(file).ids)


@cache
def led_to(folder: Path, path: str) -> Path:
    """The file to which a link's path leads from a page in a folder."""
    return (folder / unquote(path)).resolve()


@cache
def is_there(site: Path, file: Path) -> bool:
    """Whether the site has the file."""
    return file.is_file() and file.is_relative_to(site)


def test_there_are_pages_of_every_kind(site: Path, pages: list[Path]) -> None:
    names = {page.relative_to(site).as_posix() for page in pages}
    for name in (
        "index.html",
        "first_steps.html",
        "lessons/04_graph/04_graph.html",
        "homework/01_first_tests/README.html",
        "homework/01_first_tests/worksheet.html",
        "lessons/glossary.html",
        "docs/operators.html",
        "api/kuiper.graph.order.html",
        "models/digits/README.html",
        "benchmarks/RESULTS.html",
        "docs/grading-at-scale.html",
        "homework/README.html",
        "CONTRIBUTING.html",
        "source/kuiper/graph/order.py.html",
    ):
        assert name in names


def test_every_link_and_anchor_leads_to_something_on_the_site(site: Path, pages: list[Path]) -> None:
    dead = []
    for page in pages:
        for tag, name, target in read(page).links:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            file = led_to(page.parent, parts.path) if parts.path else page
            if not is_there(site, file):
                dead.append(f"{page.relative_to(site)}: {tag} {name}={target}")
            elif parts.fragment and file.suffix == ".html" and unquote(parts.fragment) not in places(file):
                dead.append(f"{page.relative_to(site)}: {tag} {name}={target} (no such place)")
    assert not dead, "\n".join(dead[:20])


def test_no_page_loads_anything_from_elsewhere(site: Path, pages: list[Path]) -> None:
    outside = [
        f"{page.relative_to(site)}: {tag} {target}"
        for page in pages
        for tag, name, target in read(page).links
        if (tag, name) in LOADED and urlsplit(target).scheme not in ("", "data")
    ]
    assert not outside, "\n".join(outside[:20])
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert "url(http" not in text.replace('"', "").replace("'", ""), sheet
        assert "@import" not in text, sheet


def test_every_picture_has_words_in_its_place(site: Path, pages: list[Path]) -> None:
    nameless = [f"{page.relative_to(site)}: {src}" for page in pages for src in read(page).nameless]
    assert not nameless, "\n".join(nameless[:20])


def test_no_id_stands_on_a_page_twice(site: Path, pages: list[Path]) -> None:
    for page in pages:
        ids = [one for one in read(page).ids if not one.startswith("L")]
        assert len(ids) == len(set(ids)), (page.relative_to(site), [one for one in set(ids) if ids.count(one) > 1])
