"""The moving pictures in a real browser: they step, they explain themselves, and anybody can use them.

Each snippet stands on a bare page that is opened as a file. What the page shows at a step is compared with what Python
draws for it.
"""

from __future__ import annotations

import base64
import io
import json
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from PIL import Image

from classroom.site import moving
from classroom.site.moving.scene import Panel, PartState

STEPS = tuple(moving.SCENES)
SLIDERS = tuple(moving.ADJUSTABLE)
PHONE = {"width": 390, "height": 844}
TALLEST = 700
"""Pixels of a phone's page that are left between the bars of its browser."""
Open = Callable[..., Any]


SHOWN = """() => [document.querySelector(".moving-live .moving-say").textContent, Object.fromEntries(
    [...document.querySelectorAll(".moving-live [data-part]")].map((part) => [part.dataset.part, [
        part.getAttribute("class"), part.querySelector("text")?.textContent ?? "",
        part.style.transform.replaceAll(" ", ""), part.style.getPropertyValue("--share")]])),
    document.querySelector("output").textContent]"""
"""The sentence, part -> its classes, text, transform and share, and where the first slider stands, as in the page."""


CUT_OFF = """() => [...document.querySelectorAll(".moving-live svg")].flatMap((svg) =>
    [...svg.querySelectorAll("text")].filter((text) => {
        const [all, own] = [svg, text].map((one) => one.getBoundingClientRect());
        return text.textContent.trim() && (own.left < all.left - 1 || own.right > all.right + 1);
    }).map((text) => text.textContent))"""
"""Texts that reach beyond their drawing."""


def drawn(panels: Sequence[Panel], states: Mapping[str, PartState]) -> dict[str, list[str]]:
    """The parts of the same frame as Python draws them."""
    result = {}
    for panel in panels:
        for part in panel.parts:
            state = states.get(part.key, PartState(part.kind))
            move = f"translate({state.dx:g}px,{state.dy:g}px)" if state.dx or state.dy else ""
            said = part.text if state.text is None else state.text
            share = "" if state.share is None else f"{state.share:g}"
            result[part.key] = [f"part {state.kind}".strip(), said, move, share]
    return result


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
def test_each_step_is_what_python_draws(opened: Open, name: str) -> None:
    page, scene = opened(name), moving.SCENES[name]()
    next_step = "document.querySelector('.moving-next').click()"
    for number, frame in enumerate(scene.frames):
        say, parts, place = page.evaluate(SHOWN)
        assert say == frame.say
        assert parts == drawn(scene.panels, frame.states), f"step {number}"
        assert place == f"{number + 1} / {len(scene.frames)}"
        page.evaluate(next_step)
    say, parts, _ = page.evaluate(SHOWN)  # the end is the end
    assert (say, parts) == (frame.say, drawn(scene.panels, frame.states))
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
    slider.fill(str(last))
    assert step() == last
    page.get_by_role("button", name="One step back").click()
    assert step() == last - 1
    page.get_by_role("button", name="First step").click()
    assert step() == 0
    assert page.get_by_role("button", name="First step").get_attribute("aria-disabled") == "true"


def chosen(name: str, most: int = 120) -> list[dict[str, str]]:
    """Settings of a picture with sliders: all of them, or some, always the same."""
    every = moving.ADJUSTABLE[name]().all_settings()
    return every if len(every) <= most else random.Random(name).sample(every, most)


@pytest.mark.slow
@pytest.mark.parametrize("name", SLIDERS)
def test_each_setting_shows_what_kuiper_computes(opened: Open, name: str) -> None:
    page, scene = opened(name), moving.ADJUSTABLE[name]()
    set_all = """(settings) => document.querySelectorAll(".moving-dials input").forEach((input, i) => {
        input.value = String(settings[i]);
        input.dispatchEvent(new Event("input"));
    })"""
    places = [{value: place for place, value in enumerate(slider.values)} for slider in scene.sliders]
    for settings in chosen(name):
        page.evaluate(set_all, [place[value] for place, value in zip(places, settings.values(), strict=True)])
        frame = scene.frame(settings)
        say, parts, first = page.evaluate(SHOWN)
        assert say == frame.say, settings
        assert parts == drawn(scene.panels, frame.states), settings
        assert first == settings[scene.sliders[0].name]
        for key, state in frame.states.items():
            if state.drawn:
                shown = page.locator(f'.moving-live [data-part="{key}"] :is(image, path)')
                if state.drawn.startswith("data:"):
                    assert np.array_equal(pixels(shown.get_attribute("href")), pixels(state.drawn)), (settings, key)
                else:
                    assert shown.get_attribute("d") == state.drawn, (settings, key)


def pixels(url: str) -> np.ndarray:
    """The picture in a data URL; where it is transparent, black."""
    picture = np.asarray(Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGBA"))
    return picture * (picture[..., 3:] > 0)


def test_arrow_keys_on_the_picture_and_on_a_slider_turn_it(opened: Open) -> None:
    page = opened("convolution")
    settings = lambda: json.loads(page.locator("figure").get_attribute("data-settings"))  # noqa: E731
    page.locator(".moving-live").focus()
    page.keyboard.press("ArrowRight")
    assert settings()["kernel"] == "up-down"
    page.keyboard.press("ArrowLeft")
    assert settings()["kernel"] == "left-right"
    stride = page.get_by_role("slider", name="Stride")
    stride.focus()
    page.keyboard.press("ArrowRight")
    assert settings()["stride"] == "2"
    assert stride.get_attribute("aria-valuetext") == "2"
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    assert settings()["stride"] == "3"


def test_a_tap_on_a_token_chooses_it(opened: Open) -> None:
    page = opened("attention")
    page.locator('[data-part="pick token 3"]').first.click()
    assert json.loads(page.locator("figure").get_attribute("data-settings"))["token"] == "3 the"
    assert 'Token 3 is "the"' in page.locator(".moving-live .moving-say").text_content()


def test_a_link_leads_to_a_step(opened: Open) -> None:
    page = opened("kahn")
    page.get_by_role("button", name="Next step").click()
    page.get_by_role("button", name="Next step").click()
    link = page.get_by_role("link", name="Link to this step").get_attribute("href")
    assert link == "#kahn?step=3"
    page.get_by_role("button", name="First step").click()
    page.evaluate("(link) => { location.hash = link; }", link)
    page.wait_for_function("document.querySelector('figure').dataset.step === '2'")
    page.reload()
    page.wait_for_function("document.querySelector('figure').dataset.step === '2'")
    page.evaluate("location.hash = '#kahn?step=rubbish'")
    page.wait_for_function("document.querySelector('figure').dataset.step === '0'")


def test_a_link_leads_to_settings(opened: Open) -> None:
    page = opened("suppression")
    page.get_by_role("slider", name="Threshold").fill("2")
    page.get_by_role("slider", name="Rivals").fill("1")
    link = page.get_by_role("link", name="Link to these settings").get_attribute("href")
    assert link == "#suppression?threshold=0.15&score=0.25&rivals=all+classes"
    page.get_by_role("slider", name="Threshold").fill("5")
    page.get_by_role("link", name="Link to these settings").evaluate("(link, to) => { location.hash = to; }", link)
    page.wait_for_function("document.querySelector('figure').dataset.settings.includes('0.15')")
    settings = json.loads(page.locator("figure").get_attribute("data-settings"))
    assert settings == {"threshold": "0.15", "score": "0.25", "rivals": "all classes"}
    page.evaluate("location.hash = '#suppression?threshold=7&rivals=none'")  # what there is not changes nothing
    assert json.loads(page.locator("figure").get_attribute("data-settings")) == settings


@pytest.mark.slow
@pytest.mark.parametrize("name", [*STEPS, *SLIDERS])
def test_none_is_taller_than_a_phone_at_any_step(opened: Open, name: str) -> None:
    page = opened(name, viewport=PHONE, reduced_motion="no-preference")  # with the play button
    count = len(moving.SCENES[name]().frames) if name in STEPS else 1
    for step in range(count):
        assert page.locator("figure").bounding_box()["height"] <= TALLEST, f"step {step + 1}"
        if name in STEPS:
            page.evaluate("document.querySelector('.moving-next').click()")


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


@pytest.mark.slow
@pytest.mark.parametrize("name", [*STEPS, *SLIDERS])
def test_without_scripts_the_still_picture_stands_there(opened: Open, name: str) -> None:
    page = opened(name, java_script_enabled=False)
    assert page.locator("figure svg").first.is_visible()
    assert page.locator(".moving-say").text_content() == still(name)
    assert page.locator("button, input").count() == 0


def still(name: str) -> str:
    """The sentence of the still picture."""
    if name in moving.ADJUSTABLE:
        adjustable = moving.ADJUSTABLE[name]()
        return adjustable.frame(adjustable.start()).say
    scene = moving.SCENES[name]()
    return scene.frames[scene.still].say


@pytest.mark.parametrize("name", ["depth_first", "convolution"])
def test_print_shows_the_still_picture(opened: Open, name: str) -> None:
    page = opened(name)
    page.get_by_role("slider").first.fill("3")
    picture = page.locator(".moving-still")
    assert page.locator(".moving-live .moving-say").text_content() != still(name)
    assert not picture.is_visible()
    page.emulate_media(media="print")
    assert picture.is_visible()
    assert picture.locator(".moving-say").text_content() == still(name)
    for gone in (".moving-live", ".moving-controls", ".moving-link"):
        assert not page.locator(gone).is_visible()


def test_paper_is_light_even_in_the_dark(opened: Open) -> None:
    ink = "() => getComputedStyle(document.querySelector('.moving-title')).color"
    page = opened("im2col", theme="dark", color_scheme="dark")
    on_screen = page.evaluate(ink)
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(ink) == opened("im2col", theme="light").evaluate(ink) != on_screen


@pytest.mark.slow
@pytest.mark.parametrize("name", moving.NAMES)
def test_nothing_reaches_beyond_a_phones_page(opened: Open, name: str) -> None:
    page = opened(name, viewport=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box = page.locator("figure").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    if name in (*STEPS, *SLIDERS):
        sizes = page.evaluate("""() => [...document.querySelectorAll(".moving-live svg")].map((svg) =>
            Math.min(...[...svg.querySelectorAll("text")].map((text) => parseFloat(getComputedStyle(text).fontSize))) *
            svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)""")
        assert min(sizes) >= 9  # letters stay legible
        assert page.evaluate(CUT_OFF) == []


@pytest.mark.slow
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
@pytest.mark.parametrize("name", [*STEPS, *SLIDERS])
def test_axe_finds_nothing_serious(opened: Open, name: str, serious: Any) -> None:
    page = opened(name)
    if name in (*STEPS, *SLIDERS):
        page.get_by_role("slider").first.fill("3")
    for theme in ("light", "dark"):
        page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
        assert serious(page, "main") == [], theme
