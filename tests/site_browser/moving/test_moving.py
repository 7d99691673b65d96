"""The moving pictures in a real browser: they step, they explain themselves, and anybody can use them.

Each snippet stands on a bare page that is opened as a file. What the page shows at a step is compared with what Python
draws for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from classroom.site import moving
from classroom.site.moving.scene import Panel, PartState

STEPS = tuple(moving.SCENES)
PHONE = {"width": 390, "height": 844}
Open = Callable[..., Any]


SHOWN = """() => [document.querySelector(".moving-live .moving-say").textContent, Object.fromEntries(
    [...document.querySelectorAll(".moving-live [data-part]")].map((part) => [part.dataset.part, [
        part.getAttribute("class"), part.querySelector("text").textContent,
        part.style.transform.replaceAll(" ", "")]])),
    document.querySelector("output").textContent]"""
"""The sentence, part -> its classes, its text and its transform, and the number of the step, as the page has them."""


def drawn(panels: list[Panel], states: dict[str, PartState]) -> dict[str, list[str]]:
    """The parts of the same step as Python draws them."""
    result = {}
    for panel in panels:
        for part in panel.parts:
            state = states.get(part.key, PartState(part.kind))
            move = f"translate({state.dx:g}px,{state.dy:g}px)" if state.dx or state.dy else ""
            said = part.text if state.text is None else state.text
            result[part.key] = [f"part {state.kind}".strip(), said, move]
    return result


@pytest.mark.parametrize("name", STEPS)
def test_each_step_is_what_python_draws(opened: Open, name: str) -> None:
    page, scene = opened(name), moving.SCENES[name]()
    next_step = "document.querySelector('.moving-next').click()"
    for number, frame in enumerate(scene.frames):
        say, parts, place = page.evaluate(SHOWN)
        assert say == frame.say
        assert parts == drawn(list(scene.panels), dict(frame.states)), f"step {number}"
        assert place == f"{number + 1} / {len(scene.frames)}"
        page.evaluate(next_step)
    say, parts, _ = page.evaluate(SHOWN)  # the end is the end
    assert (say, parts) == (frame.say, drawn(list(scene.panels), dict(frame.states)))
    assert page.get_by_role("button", name="Next step").get_attribute("aria-disabled") == "true"


def test_keys_buttons_and_slider_step(opened: Open) -> None:
    page, last = opened("im2col"), len(moving.SCENES["im2col"]().frames) - 1
    step = lambda: int(page.locator("figure").get_attribute("data-step"))  # noqa: E731
    stage = page.locator(".moving-live")
    stage.focus()
    for key, expected in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last), ("ArrowRight", last),
                          ("Home", 0), ("ArrowLeft", 0)):  # fmt: skip
        page.keyboard.press(key)
        assert step() == expected, key
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert step() == 2
    slider.fill(str(last + 1))
    assert step() == last
    page.get_by_role("button", name="One step back").click()
    assert step() == last - 1
    page.get_by_role("button", name="First step").click()
    assert step() == 0
    assert page.get_by_role("button", name="First step").get_attribute("aria-disabled") == "true"


def test_two_of_a_kind_step_each_for_itself(opened: Open) -> None:
    page = opened("depth_first", copies=2)
    page.get_by_role("button", name="Next step").nth(1).click()
    assert [figure.get_attribute("data-step") for figure in page.locator("figure").all()] == ["0", "1"]


def test_it_plays_only_when_asked_and_stops_at_the_end(opened: Open) -> None:
    page = opened("reverse_polish", reduced_motion="no-preference")
    figure, last = page.locator("figure"), len(moving.SCENES["reverse_polish"]().frames) - 1
    page.clock.install()
    page.reload()
    page.clock.run_for(60_000)
    assert figure.get_attribute("data-step") == "0"
    assert page.locator(".moving-live .moving-say").get_attribute("aria-live") == "polite"
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(6_000)
    assert figure.get_attribute("data-step") == "3"
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(60_000)
    assert figure.get_attribute("data-step") == "3"
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(200_000)
    assert figure.get_attribute("data-step") == str(last)
    assert page.get_by_role("button", name="Play").is_visible()


def test_who_asks_for_less_motion_gets_none(opened: Open) -> None:
    durations = "() => getComputedStyle(document.querySelector('.moving-live .part')).transitionDuration"
    page = opened("im2col")
    assert set(page.evaluate(durations).split(", ")) == {"0s"}
    assert not page.locator(".moving-play").is_visible()
    page.emulate_media(reduced_motion="no-preference")
    assert set(page.evaluate(durations).split(", ")) != {"0s"}
    assert page.locator(".moving-play").is_visible()


@pytest.mark.parametrize("name", STEPS)
def test_without_scripts_the_still_picture_stands_there(opened: Open, name: str) -> None:
    page, scene = opened(name, java_script_enabled=False), moving.SCENES[name]()
    assert page.locator("figure svg").first.is_visible()
    assert page.locator(".moving-say").text_content() == scene.frames[scene.still].say
    assert page.locator("button, input").count() == 0


def test_print_shows_the_still_picture(opened: Open) -> None:
    page, scene = opened("depth_first"), moving.SCENES["depth_first"]()
    page.get_by_role("button", name="Next step").click()
    still = page.locator(".moving-still")
    assert not still.is_visible()
    page.emulate_media(media="print")
    assert still.is_visible()
    assert still.locator(".moving-say").text_content() == scene.frames[scene.still].say
    assert not page.locator(".moving-live").is_visible()
    assert not page.locator(".moving-controls").is_visible()


def test_paper_is_light_even_in_the_dark(opened: Open) -> None:
    ink = "() => getComputedStyle(document.querySelector('.moving-title')).color"
    page = opened("im2col", theme="dark", color_scheme="dark")
    on_screen = page.evaluate(ink)
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(ink) == opened("im2col", theme="light").evaluate(ink) != on_screen


@pytest.mark.parametrize("name", moving.NAMES)
def test_nothing_reaches_beyond_a_phones_page(opened: Open, name: str) -> None:
    page = opened(name, viewport=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box = page.locator("figure").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    if name in STEPS:
        sizes = page.evaluate("""() => [...document.querySelectorAll(".moving-live svg")].map((svg) =>
            Math.min(...[...svg.querySelectorAll("text")].map((text) => parseFloat(text.getAttribute("font-size")))) *
            svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)""")
        assert min(sizes) >= 9  # letters stay legible


@pytest.mark.parametrize(("on", "theme", "scheme", "dark"), [
    ("html", "dark", "light", True), ("html", "light", "dark", False), ("body", "dark", "light", True),
    ("body", "light", "dark", False), ("body", "auto", "dark", True), ("body", "auto", "light", False),
    ("html", "", "dark", True), ("html", "", "light", False),
])  # fmt: skip
def test_colours_follow_the_theme_of_the_site(opened: Open, on: str, theme: str, scheme: str, dark: bool) -> None:
    page = opened("im2col", theme=theme, on=on, color_scheme=scheme)
    ground = page.evaluate("getComputedStyle(document.querySelector('figure')).backgroundColor")
    assert (sum(int(part) for part in ground.strip("rgb()").split(",")) < 300) == dark


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
def test_axe_finds_nothing_serious(opened: Open, name: str, serious: Any) -> None:
    page = opened(name)
    if name in STEPS:
        page.get_by_role("slider").fill("8")
    for theme in ("light", "dark"):
        page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
        assert serious(page, "main") == [], theme
