"""The lessons' figures: what figures.py draws, in the form that dev check asks for; and every rule of it can fail."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from classroom import register
from classroom.dev import figure_form, figures
from classroom.dev.figure_form import unreadable

SCRIPTS = figures.scripts(register.load().lessons)
PICTURES = sorted((register.ROOT / "lessons").glob("*/figures/*.svg"))

every_script = pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.parent.name)
every_picture = pytest.mark.parametrize("path", PICTURES, ids=lambda path: f"{path.parts[-3]}/{path.stem}")


def test_every_lesson_that_shows_figures_draws_them() -> None:
    assert {path.parent.parent for path in PICTURES} == {script.parent for script in SCRIPTS}
    assert PICTURES


@pytest.mark.slow
@every_script
def test_the_stored_figures_are_what_the_script_draws(script: Path) -> None:
    assert not figures.wrong(script)


@pytest.mark.slow
@every_script
def test_two_runs_draw_the_same(script: Path) -> None:
    assert figures.drawn(script) == figures.drawn(script)


@every_picture
def test_a_figure_has_the_form_that_readers_can_count_on(path: Path) -> None:
    assert list(figure_form.faults(path, path.name)) == []


HEAD = '<svg xmlns="http://www.w3.org/2000/svg" width="700" viewBox="0 0 700 9"><title>A</title>'


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (HEAD, "<svg", "expected an SVG picture, found no XML"),
        ("http://www.w3.org/2000/svg", "http://example.org", "expected the element svg of http://www.w3.org/2000/svg"),
        ("<title>A</title>", "", "expected a title inside, found none"),
        ("<title>A</title>", "<title/>", "expected a title inside, found none"),
        ("</title>", "</title><text>TODO: this</text>", "draw what stands as 'TODO: this' in figures.py"),
        ("700", "721", "expected a width of 1 to 720 pixels, found 721: draw it narrower"),
        ('width="700" ', "", "expected a width of 1 to 720 pixels, found 0"),
        (' viewBox="0 0 700 9"', "", "expected a viewBox, found none"),
        ("</title>", "</title><script/>", "expected a picture that needs nothing else, found"),
        ("</title>", '</title><a href="http://example.org/"/>', "needs nothing else, found http://example.org/"),
        ("</title>", "</title><style>@import 'a.css';</style>", "needs nothing else, found @import"),
        (
            "</title>",
            '</title><text font-size="12">a</text>',
            "at least 8.5 pixels on a phone, found 6.1",
        ),
        ("</title>", '</title><line stroke="#000"/>', "line in #000 on black cannot be told apart: take a colour of"),
    ],
)
def test_every_rule_for_figures_can_fail(tmp_path: Path, old: str, new: str, told: str) -> None:
    path = tmp_path / "a.svg"
    path.write_text(HEAD + "</svg>", encoding="utf-8")
    assert list(figure_form.faults(path, "lessons/01_one/figures/a.svg")) == []
    path.write_text((HEAD + "</svg>").replace(old, new), encoding="utf-8")
    found = list(figure_form.faults(path, "lessons/01_one/figures/a.svg"))
    assert any(told in fault for fault in found), found
    assert all(fault.startswith("lessons/01_one/figures/a.svg: ") for fault in found)


@pytest.mark.parametrize(
    ("drawing", "faults"),
    [
        ('<text x="5" y="5" fill="#74808d">a</text>', 0),
        ('<text x="5" y="5" fill="#ffffff">a</text>', 1),
        ('<text x="5" y="5" fill="#1d2530">a</text>', 1),
        ('<text x="5" y="5">a</text>', 1),
        ('<rect width="9" height="9" fill="#cfe3fa"/><text x="5" y="5" fill="#1d2530">a</text>', 0),
        ('<rect width="9" height="9" fill="#cfe3fa"/><text x="5" y="5" fill="#ffffff">a</text>', 1),
        ('<rect width="2" height="9" fill="#cfe3fa"/><text x="5" y="5" fill="#1d2530">a</text>', 1),
        ('<line stroke="#74808d"/>', 0),
        ('<line stroke="#000"/>', 1),
        ('<rect fill="none" stroke="#eeeeee"/>', 1),
        ('<rect fill="#cfe3fa" stroke="#000"/>', 0),
    ],
)
def test_what_disappears_is_found(drawing: str, faults: int) -> None:
    root = ET.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{drawing}</svg>')
    assert len(unreadable(root)) == faults
