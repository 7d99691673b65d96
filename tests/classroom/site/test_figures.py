"""Figures in the page: their colours can be told apart on a light and on a dark page, and their ids are their own."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from classroom import register
from classroom.dev.figure_form import colour_of, contrast, extent
from classroom.site.figure_colours import colours_of, full, on_dark, on_light, stylesheet
from classroom.site.figures import drawing, near, shared_once

FIGURES = sorted((register.ROOT / "lessons").glob("*/figures/*.svg"))
SVG = "{http://www.w3.org/2000/svg}"
PAGES = {"light": ("#ffffff", on_light), "dark": ("#131416", on_dark)}
TEXT = 4.5
"""Contrast of text as WCAG's level AA asks."""


@pytest.mark.parametrize("page", PAGES)
def test_every_text_of_every_figure_can_be_read_on_its_ground(page: str) -> None:
    paper, shown = PAGES[page]
    faint = []
    for path in FIGURES:
        grounds: list[tuple[tuple[float, float, float, float], str]] = []
        for element in ET.fromstring(path.read_bytes()).iter():
            kind = element.tag.removeprefix(SVG)
            if kind == "image":
                grounds.append((extent(element), ""))  # a picture keeps its colours: what stands on it is not judged
            elif kind in ("rect", "circle", "ellipse", "polygon") and (fill := colour_of(element, "fill")):
                grounds.append((extent(element), shown(full(fill))))
            elif kind == "text" and (ink := colour_of(element, "fill")):
                x, y = float(element.get("x", "0")), float(element.get("y", "0"))
                below = [colour for (x0, y0, x1, y1), colour in grounds if x0 <= x <= x1 and y0 <= y <= y1]
                ground = below[-1] if below else paper
                if ground and contrast(shown(full(ink)), ground) < TEXT:
                    faint.append(f"{path.parent.parent.name}/{path.name}: {''.join(element.itertext())!r}")
    assert not faint, "\n".join(faint)


def test_dark_and_light_change_places_and_hues_stay() -> None:
    assert contrast(on_dark("#1d2530"), "#131416") > 10 > 2 > contrast(on_dark("#ffffff"), "#131416")
    for colour in ("#cfe3fa", "#fde0c2", "#d5edcf"):  # blue, orange, green
        channels = [[int(one[i : i + 2], 16) for i in (1, 3, 5)] for one in (colour, on_dark(colour))]
        assert len({tuple(sorted(range(3), key=one.__getitem__)) for one in channels}) == 1, colour
        assert sum(channels[1]) < sum(channels[0])


def test_a_style_sheet_speaks_of_every_colour_as_the_figure_has_it() -> None:
    pairs = colours_of('<a fill="#ABC" stroke="url(#x)"/><b stroke="#aabbcc"/>')
    assert pairs == {("fill", "#ABC"), ("stroke", "#aabbcc")}
    sheet = stylesheet(pairs)
    assert '[fill="#ABC"]{fill:var(--c0,#ABC)}' in sheet
    assert '[stroke="#aabbcc"]{stroke:var(--c0,#aabbcc)}' in sheet


def test_on_paper_nothing_is_dark() -> None:
    sheet = stylesheet({("fill", "#ffffff")})
    assert sheet.count(on_dark("#ffffff")) == 2
    outside = re.sub(r"@media screen.*", "", sheet)
    assert on_dark("#ffffff") not in outside


def test_ids_of_two_figures_do_not_meet_and_their_uses_follow() -> None:
    svg = '<?xml version="1.0"?><svg><marker id="tip"/><path marker-end="url(#tip)"/><use href="#tip"/></svg>'
    one, two = (drawing(svg, "an arrow", number) for number in (1, 2))
    assert re.findall(r"d\d-tip", one) == ["d1-tip"] * 3
    assert re.findall(r"d\d-tip", two) == ["d2-tip"] * 3


def test_the_page_s_words_take_the_place_of_the_figure_s_own(tmp_path: Path) -> None:
    svg = '<svg role="img" aria-label="own"><title>own</title><desc>own</desc><text>x<title>tip</title></text></svg>'
    text = drawing(svg, 'a "b" & c', 1)
    assert 'aria-label="a &quot;b&quot; &amp; c"' in text
    assert "own" not in text
    assert "<title>tip</title>" in text


def test_a_text_that_says_nothing_of_its_size_stays_as_it_is() -> None:
    svg = '<svg><text font-size="9">a</text><text>b</text></svg>'
    assert shared_once(svg) == svg


def test_pictures_are_loaded_when_one_comes_near_and_take_their_room_before(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs Pillow")
    image.new("RGB", (30, 20)).save(tmp_path / "a.png")
    body = '<img alt="x" src="../../_images/a.png" /><img src="_images/b.png" />'
    assert near(body, {"a.png": tmp_path / "a.png"}) == (
        '<img loading="lazy" width="30" height="20" alt="x" src="../../_images/a.png" /><img src="_images/b.png" />'
    )


def test_what_is_no_svg_is_refused() -> None:
    with pytest.raises(ValueError, match="expected an <svg> element"):
        drawing("<p>", "", 1)
