"""The front page in a browser: its network gives what kuiper gives, for scans, for pictures, and for what one draws."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kuiper
from classroom import register
from classroom.gallery.digits import scan_of

DIGITS = register.ROOT / "models/digits"
CLOSE = {"rtol": 1e-4, "atol": 2e-4}
"""float32 sums in another order."""


@pytest.fixture
def front(site: Path, desk: Any) -> Any:
    """The front page, its network at work."""
    tab = desk.open(site / "index.html")
    tab.wait_for_selector("#digit.digit-ready")
    return tab


def logits(scans: np.ndarray) -> np.ndarray:
    """(N,8,8) of 0..16 -> (N,10), by kuiper."""
    return kuiper.load(DIGITS / "digits.pnnx.param")(scans[:, None].astype(np.float32))[0]


def test_its_scores_of_held_out_scans_are_those_of_kuiper(front: Any, desk: Any) -> None:
    with np.load(DIGITS / "heldout.npz") as data:
        scans = data["images"][:40]
    found = front.evaluate(
        """scans => {
          const { load, run, tensor } = KuiperDigits, network = load(KUIPER_NETWORK);
          return scans.map(scan => [...run(network, tensor([1, 8, 8], Float32Array.from(scan))).output.data]);
        }""",
        scans.reshape(len(scans), -1).tolist(),
    )
    np.testing.assert_allclose(found, logits(scans), **CLOSE)
    assert not desk.trouble


def test_every_value_between_is_that_of_kuiper(front: Any) -> None:
    with np.load(DIGITS / "heldout.npz") as data:
        scan = data["images"][:1]
    found = front.evaluate(
        """scan => {
          const { load, run, tensor } = KuiperDigits, network = load(KUIPER_NETWORK);
          const { values } = run(network, tensor([1, 8, 8], Float32Array.from(scan)));
          const listed = ([name, { shape, data }]) => [name, [shape, [...data]]];
          return Object.fromEntries(Object.entries(values).map(listed));
        }""",
        scan.ravel().tolist(),
    )
    graph = kuiper.load(DIGITS / "digits.pnnx.param")
    names = [one.name for one in graph.operators if one.outputs]
    kept = graph.forward(scan[:, None].astype(np.float32), keep=names).kept
    for operator in graph.operators:
        for operand in operator.outputs:
            shape, values = found[operand.name]
            (expected,) = kept[operator.name]
            assert tuple(shape) == expected.shape, operator.name
            np.testing.assert_allclose(np.reshape(values, shape), expected, **CLOSE, err_msg=operator.name)


def pictures() -> list[np.ndarray]:
    """Grey pictures of strokes: dark on light and light on dark, wide, tall, small, noisy."""
    random = np.random.default_rng(7)
    found = []
    for height, width in ((40, 40), (57, 31), (23, 64), (12, 9)):
        paper = np.full((height, width), 230.0)
        for _ in range(3):
            row, col = random.integers(2, height - 4), random.integers(2, width - 4)
            paper[row : row + random.integers(2, height), col : col + 2] = random.integers(0, 120)
            paper[row : row + 2, col : col + random.integers(2, width)] = random.integers(0, 120)
        found += [paper, 255 - paper, paper + random.normal(0, 4, paper.shape)]
    return found


def test_a_picture_is_prepared_as_by_the_demo(front: Any) -> None:
    for picture in pictures():
        found = front.evaluate(
            "([grey, height, width]) => [...KuiperDigits.scanOf(grey, height, width)]",
            [picture.ravel().tolist(), *picture.shape],
        )
        np.testing.assert_allclose(np.reshape(found, (8, 8)), scan_of(picture), rtol=1e-5, atol=1e-5)


def test_a_blank_picture_has_no_digit(front: Any) -> None:
    grey = np.full((20, 20), 200.0)
    grey[5, 5] += 23
    with pytest.raises(kuiper.KuiperError, match="blank"):
        scan_of(grey)
    assert front.evaluate("grey => KuiperDigits.scanOf(grey, 20, 20)", grey.ravel().tolist()) is None


def draw(tab: Any, *points: tuple[float, float]) -> None:
    """Draw a line through points, given in shares of the paper, with the mouse."""
    pad = tab.locator("canvas.digit-pad")
    pad.scroll_into_view_if_needed()
    box = pad.bounding_box()
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in points]
    tab.mouse.move(*places[0])
    tab.mouse.down()
    for place in places[1:]:
        tab.mouse.move(*place, steps=8)
    tab.mouse.up()


ONE = ((0.42, 0.25), (0.52, 0.15), (0.52, 0.85))
SEVEN = ((0.25, 0.2), (0.75, 0.2), (0.45, 0.85))


@pytest.mark.parametrize("points", [ONE, SEVEN])
def test_what_one_draws_is_read_as_kuiper_reads_the_same_paper(front: Any, points: tuple) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs Pillow")
    draw(front, *points)
    address = front.evaluate("document.querySelector('canvas.digit-pad').toDataURL('image/png')")
    paper = np.array(image.open(io.BytesIO(base64.b64decode(address.partition(",")[2]))).convert("RGB"), np.float64)
    expected = logits(scan_of(paper.mean(axis=2))[None])[0]
    shown = json.loads(front.locator("#digit").get_attribute("data-logits"))
    np.testing.assert_allclose(shown, expected, **CLOSE)
    assert front.locator(".digit-said").inner_text().startswith(f"It reads a {expected.argmax()}: ")
    best = front.locator(".digit-best .digit-name").inner_text()
    assert best == str(expected.argmax())


def test_by_keyboard_a_stored_scan_is_chosen_and_the_paper_is_cleared(front: Any) -> None:
    front.get_by_role("button", name="a scan of a 7").focus()
    front.keyboard.press("Enter")
    assert front.locator(".digit-said").inner_text().startswith("It reads a 7: ")
    front.get_by_role("button", name="Clear").focus()
    front.keyboard.press("Space")
    assert front.locator(".digit-said").inner_text() == "Draw a digit."
    assert front.locator("#digit").get_attribute("data-logits") == ""


def test_every_layer_is_drawn_and_changes_with_the_digit(front: Any) -> None:
    stages = front.evaluate("KUIPER_NETWORK.stages.length")
    look = "[...document.querySelectorAll('.digit-layers canvas')].map(one => one.toDataURL())"
    front.get_by_role("button", name="a scan of a 4").click()
    first = front.evaluate(look)
    front.get_by_role("button", name="a scan of a 1").click()
    second = front.evaluate(look)
    assert len(first) == stages - 1
    assert all(one != two for one, two in zip(first, second, strict=True))


def test_a_finger_draws_and_the_page_does_not_scroll_meanwhile(site: Path, watch: Any) -> None:
    watched = watch(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    tab = watched.open(site / "index.html")
    assert tab.evaluate("getComputedStyle(document.querySelector('canvas.digit-pad')).touchAction") == "none"
    pad = tab.locator("canvas.digit-pad")
    pad.scroll_into_view_if_needed()
    box = pad.bounding_box()
    session = watched.context.new_cdp_session(tab)
    place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + 0.15 * box["height"]}
    before = tab.evaluate("scrollY")
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [place]})
    for step in range(1, 10):
        down = {**place, "y": place["y"] + step * 0.07 * box["height"]}
        session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [down]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    tab.wait_for_function("document.querySelector('.digit-said').textContent.startsWith('It reads a 1')")
    assert abs(tab.evaluate("scrollY") - before) <= 2  # a finger that scrolled would move it by hundreds of pixels
    assert not watched.trouble


def test_with_reduced_motion_nothing_moves(site: Path, watch: Any) -> None:
    tab = watch(reduced_motion="reduce").open(site / "index.html")
    tab.get_by_role("button", name="a scan of a 2").click()
    assert tab.evaluate("document.getAnimations().length") == 0


def test_without_scripts_the_page_says_so_and_leads_on(site: Path, watch: Any) -> None:
    tab = watch(java_script_enabled=False).open(site / "index.html")
    assert tab.locator(".digit-without").is_visible()
    assert not tab.locator("#digit").is_visible()
    assert tab.get_by_role("link", name="Start lesson 1").is_visible()


def test_the_buttons_lead_to_lesson_1_and_to_the_archive(site: Path, front: Any) -> None:
    archive = front.locator("a.front-door[download]")
    if (site / "download/course.zip").is_file():
        size = (site / "download/course.zip").stat().st_size
        assert archive.get_attribute("href") == "download/course.zip"
        assert f"({size / 1e6:.0f} MB)" in archive.inner_text()
    else:
        assert archive.count() == 0
    front.get_by_role("link", name="Start lesson 1").click()
    assert front.url.endswith("lessons/01_first_tests/01_first_tests.html")
