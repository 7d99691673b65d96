"""The moving pictures as HTML: whole without the scripts, valid, and legible in both themes."""

from __future__ import annotations

import json
import re
import tomllib
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from classroom.site import moving
from classroom.site.moving.scene import Frame, Panel, Part, PartState, Scene, data_script
from classroom.site.moving.sliders import Slider

ROOT = Path(__file__).resolve().parents[3]
VOID = {"input", "img", "br", "hr", "meta", "link"}
STEPS = tuple(moving.SCENES)


class Page(HTMLParser):
    """Checks that tags close in the order in which they open; keeps the elements and the texts between them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"an attribute twice in {tag}"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert "svg" in self.open, f"<{tag}/> closes itself only in SVG"
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of all elements of one kind."""
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(params=moving.NAMES, scope="module")
def html(request: pytest.FixtureRequest) -> str:
    return moving.snippet(request.param)


def test_a_snippet_is_one_figure_with_a_title_and_described_pictures(html: str) -> None:
    page = Page(html)
    assert page.elements[0][0] == "figure"
    assert len(page.all("figure")) == 1
    assert len(page.texts["figcaption"][0]) > 10
    assert page.all("svg")
    for svg in page.all("svg"):
        assert svg["role"] == "img"
        assert len(svg["aria-label"] or "") > 20


def test_a_snippet_may_stand_on_a_page_twice(html: str) -> None:
    page = Page(html + html)
    assert [attributes for _, attributes in page.elements if "id" in attributes] == []
    assert not re.search(r'url\(|href="(?!data:image/)', html)


def test_markdown_and_the_html_reader_take_a_snippet_as_it_is(html: str) -> None:
    assert "\n\n" not in html
    assert not any(line.startswith("    ") for line in html.splitlines())
    page = Page(html)
    assert len(page.all("script")) == 1
    assert page.all("script")[0]["type"] == "application/json"
    json.loads("".join(page.texts["script"]))


def test_the_same_call_gives_the_same_text() -> None:
    assert moving.snippet("memory") == moving.snippet("memory", "../")


def test_data_cannot_end_its_own_script() -> None:
    script = data_script({"a": "</script><!-- &amp;"})
    assert json.loads(script.removeprefix('<script type="application/json">').removesuffix("</script>")) == {
        "a": "</script><!-- &amp;"
    }
    assert script.count("<") == 2


@pytest.mark.parametrize("name", STEPS)
def test_the_still_picture_is_the_frame_that_the_scene_names(name: str) -> None:
    scene = moving.SCENES[name]()
    frame = scene.frames[scene.still]
    page = Page(scene.html())
    assert page.texts["p"] == [frame.say]
    drawn = {a["data-part"]: a for a in page.all("g") if "data-part" in a}
    kinds = {part.key: part.kind for panel in scene.panels for part in panel.parts}
    assert drawn.keys() == kinds.keys()
    for key, attributes in drawn.items():
        state = frame.states.get(key, PartState(kinds[key]))
        assert attributes["class"] == f"part {state.kind}".strip()


@pytest.mark.parametrize("name", moving.ADJUSTABLE)
def test_the_still_picture_of_one_with_sliders_is_that_of_its_first_settings(name: str) -> None:
    scene = moving.ADJUSTABLE[name]()
    frame, page = scene.frame(scene.start()), Page(scene.html())
    assert page.texts["p"] == [frame.say]
    drawn = {a["data-part"]: a for a in page.all("g") if "data-part" in a}
    assert frame.states.keys() <= drawn.keys()
    for key, state in frame.states.items():
        assert drawn[key]["class"] == f"part {state.kind}".strip()
        assert drawn[key].get("style", "") == state.style()


def test_a_slider_begins_at_one_of_its_values() -> None:
    with pytest.raises(moving.MovingError, match=r"slider stride: expected different values with 4 among them"):
        Slider("stride", "Stride", ("1", "2"), "4")


@pytest.mark.parametrize("name", STEPS)
def test_every_step_says_something_new_and_changes_the_picture(name: str) -> None:
    frames = moving.SCENES[name]().frames
    assert len(frames) >= 7
    for one, other in pairwise(frames):
        assert one.say != other.say
        assert one.states != other.states


@pytest.mark.parametrize("name", [*STEPS, *moving.ADJUSTABLE])
def test_no_part_of_a_drawing_lies_outside_its_panel(name: str) -> None:
    for panel in (moving.SCENES | moving.ADJUSTABLE)[name]().panels:
        for part in panel.parts:
            for x, y, width, height in re.findall(
                r'<rect x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)"', part.shape
            ):
                assert float(x) >= 0
                assert float(y) >= 0
                assert float(x) + float(width) <= panel.width + 0.1
                assert float(y) + float(height) <= panel.height + 0.1


def test_a_frame_may_speak_only_of_parts_that_exist() -> None:
    panel = Panel(10, 10, "a panel", [Part("a")])
    with pytest.raises(moving.MovingError, match=r"frame 0 speaks of b"):
        Scene("s", "title", [panel], [Frame("text", {"b": PartState()})], 0)
    with pytest.raises(moving.MovingError, match=r"found a twice"):
        Scene("s", "title", [panel, panel], [], 0)


def test_an_unknown_name_is_told_what_there_is() -> None:
    with pytest.raises(moving.MovingError, match=r"'deep': expected one of depth_first, kahn"):
        moving.snippet("deep")


def test_the_package_carries_its_styles_and_scripts() -> None:
    data = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-data"]
    patterns = data["classroom.site.moving"]
    folder = ROOT / "classroom" / "site" / "moving"
    packed = {path for pattern in patterns for path in folder.glob(pattern)}
    assert set(moving.assets()) <= packed
    assert {path.suffix for path in moving.assets()} == {".css", ".js"}


@pytest.mark.parametrize("path", moving.assets(), ids=lambda path: path.name)
def test_styles_and_scripts_need_nothing_from_elsewhere_and_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 300
    bare = text.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|//cdn|@import|\bimport\b|\bfetch\(|XMLHttpRequest|url\(|innerHTML|eval\(", bare)


def themes() -> dict[str, dict[str, str]]:
    """The colours of moving.css: light, dark by data-theme, dark by the reader's preference."""
    css = (ROOT / "classroom" / "site" / "moving" / "static" / "moving.css").read_text(encoding="utf-8")
    blocks = re.findall(r"\{([^{}]*--m-page:[^{}]*)\}", css)
    light, *dark = (
        {name: value for name, value in re.findall(r"--m-([\w-]+): (#[0-9a-f]{6})", block)} for block in blocks
    )
    assert len(dark) == 2
    assert dark[0] == dark[1]
    assert light.keys() == dark[0].keys()
    return {"light": light, "dark": dark[0]}


def contrast(one: str, other: str) -> float:
    """WCAG 2: (lighter + 0.05) / (darker + 0.05) of the relative luminances."""

    def luminance(colour: str) -> float:
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


FILLS = ("plain", "blue", "green", "orange", "violet", "rose", "teal", "yellow")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_texts_have_the_contrast_of_wcag_aa(theme: str) -> None:
    colours = themes()[theme]
    for fill in (*FILLS, "page", "shade"):
        assert contrast(colours["ink"], colours[fill]) >= 4.5, fill
    for ground in ("page", "plain"):
        assert contrast(colours["note"], colours[ground]) >= 4.5, ground
    assert contrast("#ffffff", colours["dark"]) >= 4.5  # the text of input and output


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_borders_and_lines_stand_out_from_the_page(theme: str) -> None:
    colours = themes()[theme]
    for line in (*(f"{fill}-line" for fill in FILLS), "wire", "strong"):
        assert contrast(colours[line], colours["page"]) >= 3, line
