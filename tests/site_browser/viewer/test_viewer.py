"""The viewer of the networks' graphs in a real browser: zoom, pan, hover, keys and the list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from classroom.site import moving

GRAPHS = tuple(name for name in moving.NAMES if name.startswith("graph_"))
PHONE = {"width": 390, "height": 844}
Open = Callable[..., Any]


@pytest.fixture
def viewer(opened: Open) -> Any:
    return opened("graph_digits")


def scale_of(page: Any) -> float:
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return float(page.locator("figure").get_attribute("data-scale"))


def place_of(page: Any, operator: int) -> tuple[float, float]:
    scale_of(page)
    box = page.locator(f'[data-op="{operator}"]').bounding_box()
    return box["x"], box["y"]


@pytest.mark.slow
def test_the_viewer_zooms_by_button_key_and_wheel(viewer: Any) -> None:
    page, view = viewer, viewer.locator(".moving-view")
    begun = scale_of(page)
    page.get_by_role("button", name="Zoom in").click()
    closer = scale_of(page)
    assert closer > begun
    view.focus()
    page.keyboard.press("-")
    assert scale_of(page) == pytest.approx(begun, rel=0.01)
    box = view.bounding_box()
    page.mouse.move(box["x"] + 100, box["y"] + 200)
    page.mouse.wheel(0, -300)
    assert scale_of(page) > begun * 1.3
    page.keyboard.press("0")
    whole = scale_of(page)
    assert whole < begun
    assert page.locator(".moving-view.far").count() == 1  # too small for letters
    for operator in (0, 23):
        x, y = place_of(page, operator)
        assert box["x"] <= x <= box["x"] + box["width"]
        assert box["y"] - 1 <= y <= box["y"] + box["height"]
    for _ in range(30):
        page.get_by_role("button", name="Zoom in").click()
    assert scale_of(page) == 3
    page.get_by_role("button", name="Start").click()
    assert scale_of(page) == begun


def test_the_wheel_zooms_around_the_mouse(viewer: Any) -> None:
    page = viewer
    page.locator(".moving-view").focus()
    spot = page.locator('[data-op="2"]').bounding_box()
    middle = spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2
    page.mouse.move(*middle)
    for _ in range(2):
        page.mouse.wheel(0, -120)
        scale_of(page)
    after = page.locator('[data-op="2"]').bounding_box()
    assert (after["x"] + after["width"] / 2, after["y"] + after["height"] / 2) == pytest.approx(middle, abs=2)


def test_the_wheel_scrolls_the_page_until_the_viewer_is_used(viewer: Any) -> None:
    page, begun = viewer, scale_of(viewer)
    page.mouse.move(200, 350)
    page.mouse.wheel(0, 200)
    page.wait_for_function("window.scrollY > 0")
    assert scale_of(page) == begun


def test_the_viewer_is_dragged(viewer: Any) -> None:
    page, box = viewer, viewer.locator(".moving-view").bounding_box()
    before = place_of(page, 3)
    page.mouse.move(box["x"] + 30, box["y"] + 300)
    page.mouse.down()
    page.mouse.move(box["x"] + 30, box["y"] + 200, steps=4)
    page.mouse.up()
    after = place_of(page, 3)
    assert after == pytest.approx((before[0], before[1] - 100), abs=2)


def test_two_fingers_zoom(opened: Open) -> None:
    page = opened("graph_digits", viewport=PHONE, has_touch=True, is_mobile=True)
    begun, box = scale_of(page), page.locator(".moving-view").bounding_box()
    touch = page.context.new_cdp_session(page)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for kind, far in (("touchStart", 40), ("touchMove", 60), ("touchMove", 80), ("touchEnd", 0)):
        points = [{"x": x - far, "y": y, "id": 0}, {"x": x + far, "y": y, "id": 1}] if far else []
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert scale_of(page) == pytest.approx(2 * begun, rel=0.25)


def test_hover_tells_about_an_operator_and_a_click_keeps_it(viewer: Any) -> None:
    page, details = viewer, viewer.locator(".moving-details")
    page.locator('[data-op="2"]').hover()
    told = details.inner_text()
    for word in ("convbn2d_0", "nn.Conv2d", "kernel_size = [3, 3]", "#1", "?x1x8x8 f32", "32x1x3x3 f32", "288 numbers"):
        assert word in told
    assert page.locator(".edge.reads").count() == 1
    page.locator('[data-op="4"]').click()
    page.mouse.move(5, 5)
    assert "convbn2d_1" in details.inner_text()
    assert page.locator(".op.chosen").get_attribute("data-op") == "4"


def test_keys_walk_along_the_graph_and_the_view_follows(viewer: Any) -> None:
    page = viewer
    page.locator(".moving-view").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.op") == "2"  # the first operator with weights
    for _ in range(9):
        page.keyboard.press("ArrowDown")
    reached = page.evaluate("document.activeElement.dataset.op")
    assert int(reached) > 10
    scale_of(page)
    box, seen = page.locator(".moving-view").bounding_box(), page.locator(f'[data-op="{reached}"]').bounding_box()
    assert box["y"] <= seen["y"] <= box["y"] + box["height"] - seen["height"]
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.dataset.op") != reached
    page.keyboard.press("End")
    assert "pnnx_output_0" in page.locator(".moving-details").inner_text()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.className").startswith("moving-view")


@pytest.mark.parametrize("name", GRAPHS)
def test_the_list_brings_any_operator_into_view(opened: Open, name: str) -> None:
    page = opened(name)
    count = page.locator("select option").count()
    for number in (count - 1, count // 2, count * 3 // 4):
        page.locator("select").select_option(str(number))
        scale_of(page)
        box = page.locator(".moving-view").bounding_box()
        seen = page.locator(f'[data-op="{number}"]').bounding_box()
        assert box["x"] <= seen["x"] + seen["width"] / 2 <= box["x"] + box["width"]
        assert box["y"] <= seen["y"] + seen["height"] / 2 <= box["y"] + box["height"]
        assert seen["height"] >= 30


def test_without_scripts_the_whole_graph_can_be_scrolled(opened: Open) -> None:
    page = opened("graph_digits", java_script_enabled=False)
    view = page.locator(".moving-view")
    assert view.locator("svg").bounding_box()["height"] > view.bounding_box()["height"] > 300
    assert page.locator('[data-op="2"]').is_visible()
