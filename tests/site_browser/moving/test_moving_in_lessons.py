"""The moving pictures on the pages of the lessons: each starts, fits a phone, and is reached by its address."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from classroom.site import moving
from classroom.site.moving_places import PLACEMENTS

OWN = (*moving.SCENES, *moving.ADJUSTABLE)
LESSONS = sorted({place.file for place in PLACEMENTS if place.name in OWN})
TALLEST = 700
"""Pixels of a phone's page that are left between the bars of its browser."""


def page_of(site: Path, folder: str) -> Path:
    """The page of a lesson."""
    return site / folder / f"{Path(folder).name}.html"


@pytest.mark.parametrize("folder", LESSONS)
def test_the_pictures_of_a_lesson_start_and_fit_a_phone(site: Path, phone: Any, folder: str) -> None:
    tab = phone.open(page_of(site, folder))
    tab.wait_for_load_state()
    names = {place.name for place in PLACEMENTS if place.file == folder and place.name in OWN}
    found = tab.evaluate("""() => {
        window.KuiperGates?.openAll();
        return [...document.querySelectorAll("figure:is(.moving-steps, .moving-sliders)")].map((figure) => [
            figure.dataset.name, figure.dataset.ready, figure.getBoundingClientRect()]);
    }""")
    assert {name for name, _, _ in found} == names
    assert {ready for _, ready, _ in found} == {"true"}
    for name, _, box in found:
        assert box["x"] >= 0, name
        assert box["right"] <= 390, name
        assert 0 < box["height"] <= TALLEST, name
    assert phone.trouble == []


def test_an_address_opens_the_gate_and_shows_the_settings(site: Path, desk: Any) -> None:
    tab = desk.open(page_of(site, "lessons/13_language_model"), "#sampling?temperature=0.5&top_p=0.90")
    tab.wait_for_load_state()
    figure = tab.locator('figure[data-name="sampling"]')
    tab.wait_for_function("document.querySelector('[data-name=sampling]').dataset.settings.includes('0.5')")
    assert figure.is_visible()
    assert "the 3 likeliest tokens reach 0.90" in figure.locator(".moving-live .moving-say").inner_text()
    tab.wait_for_function("""() => {
        const box = document.querySelector('[data-name=sampling]').getBoundingClientRect();
        return box.top < innerHeight && box.bottom > 0;
    }""")
    assert desk.trouble == []


def test_pages_without_pictures_load_no_script_of_theirs(site: Path) -> None:
    expected = {
        site / "lessons" / "index.html": [],
        page_of(site, "lessons/04_graph"): ["figure", "stepper"],
        page_of(site, "lessons/09_yolov5"): ["figure", "sliders", "suppression"],
    }
    for page, scripts in expected.items():
        text = page.read_text(encoding="utf-8")
        known = ("figure", "stepper", "sliders", *moving.ADJUSTABLE)
        assert [name for name in sorted(known) if f"/moving-{name}.js" in text] == scripts, page.name
