"""What is drawn stands where it should, in colours that can be told apart, the same every time."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from kuiper import ShapeError
from kuiper.vision import Detections, Guess, draw_boxes, draw_guesses, draw_mask
from kuiper.vision.colours import BASE, colour, luminance, text_on
from kuiper.vision.draw import add_legend

pytest.importorskip("PIL", reason="draws with Pillow, which is not installed")

GREY = np.full((200, 300, 3), 128, np.uint8)


def things(*boxes: tuple[float, float, float, float], classes: list[int] | None = None) -> Detections:
    scores = np.linspace(0.9, 0.5, len(boxes))
    return Detections(np.array(boxes, float).reshape(-1, 4), scores, np.array(classes or range(len(boxes)), int))


def changed(drawn: np.ndarray, picture: np.ndarray) -> np.ndarray:
    """(H,W) bool: the pixels that are no longer the picture's."""
    return (drawn[: len(picture)] != picture).any(-1)


def test_a_box_is_a_frame_in_its_classs_colour_under_its_name() -> None:
    drawn = draw_boxes(GREY, things((100, 80, 200, 160), classes=[3]), ["a", "b", "c", "dog"])
    assert drawn.shape == GREY.shape
    for place in ((81, 150), (158, 150), (120, 101), (120, 198)):
        assert tuple(drawn[place]) == colour(3)
    where = changed(drawn, GREY)
    assert not where[90:150, 110:190].any(), "the inside stays as it is"
    assert not where[165:].any()
    assert not where[:60].any()
    assert not where[:, :98].any()
    assert where[66:79, 100:140].any(), "the name stands above"


def test_a_name_stays_within_the_picture_where_its_box_touches_the_edge() -> None:
    for box in ((0, 0, 40, 30), (260, 0, 300, 40), (250, 180, 300, 200), (-20, -20, 500, 400)):
        drawn = draw_boxes(GREY, things(box, classes=[0]), ["a long name"])
        white = drawn.min(-1) > 190
        assert white.sum() > 40
        assert white.any(1).sum() > 5, "the letters are whole"


def test_the_better_box_lies_on_top() -> None:
    drawn = draw_boxes(GREY, things((50, 60, 150, 160), (50, 60, 150, 160)))
    assert tuple(drawn[158, 100]) == colour(0)


def test_boxes_without_area_and_no_boxes_can_be_drawn() -> None:
    assert changed(draw_boxes(GREY, things((50, 50, 50, 50))), GREY).any()
    assert not changed(draw_boxes(GREY, things()), GREY).any()


def test_the_picture_itself_is_not_drawn_on_and_twice_is_the_same() -> None:
    picture = GREY.copy()
    classes = np.zeros((200, 300), int)
    classes[50:100, 50:200] = 1
    first = draw_boxes(picture, things((10, 40, 90, 90))), draw_mask(picture, classes)
    again = draw_boxes(picture, things((10, 40, 90, 90))), draw_mask(picture, classes)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    np.testing.assert_array_equal(picture, GREY)


def test_a_mask_is_tinted_outlined_named_and_explained_below() -> None:
    classes = np.zeros((200, 300), int)
    classes[20:180, 40:140] = 2
    drawn = draw_mask(GREY, classes, ["background", "cat", "dog"], opacity=0.5)
    assert drawn.shape[0] > 200
    assert tuple(drawn[30, 50]) == tuple(np.rint((np.array(colour(2)) + 128) / 2).astype(int))
    assert tuple(drawn[20, 90]) == tuple(drawn[100, 139]) == colour(2), "the outline is opaque"
    assert not changed(drawn, GREY)[:, 145:].any()
    assert changed(draw_mask(GREY, classes, ["", "", ""]), drawn)[85:115, 60:120].any(), "the name is on the mask"
    legend = drawn[200:]
    assert (legend == colour(2)).all(-1).sum() > 50
    assert not (legend == colour(1)).all(-1).any(), "a class that does not occur is not in the legend"


def test_a_small_mask_has_no_name_and_an_empty_one_says_so() -> None:
    classes = np.zeros((200, 300), int)
    without = draw_mask(GREY, classes)
    assert not changed(without, GREY).any()
    assert (without[200:] == 0).all(-1).any(), "the legend has words"
    classes[100:103, 100:103] = 1
    assert changed(draw_mask(GREY, classes, ["", "long name"]), GREY).sum() == 9


def test_a_legend_breaks_into_rows_and_keeps_the_picture() -> None:
    few = add_legend(GREY, [((1, 2, 3), "a")])
    many = add_legend(GREY, [((1, 2, 3), f"name {i}") for i in range(20)])
    assert 200 < few.shape[0] < many.shape[0]
    np.testing.assert_array_equal(many[:200], GREY)
    guesses = draw_guesses(GREY, [Guess(1, "cat", 0.9), Guess(2, "dog", 0.1)])
    assert (guesses[200:] < 100).any()
    assert guesses.shape[1] == 300


def test_a_small_picture_gets_room_for_a_long_entry() -> None:
    small, texts = GREY[:40, :50], ["a name much longer than the picture 100.0%", "b"]
    drawn = add_legend(small, [(None, text) for text in texts])
    np.testing.assert_array_equal(drawn[:40, :50], small)
    assert (drawn[:40, 50:] == 255).all()
    assert (drawn[40:, 50:] < 100).any(), "the end of the entry is there"
    assert (drawn[:, -3:] == 255).all(), "and is not cut"


def test_masks_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"classes: expected \(200, 300\) whole numbers"):
        draw_mask(GREY, np.zeros((200, 301), int))
    with pytest.raises(ShapeError, match="picture: expected"):
        draw_boxes(GREY[..., 0], things())


def linear(rgb: tuple[int, int, int]) -> np.ndarray:
    x = np.array(rgb) / 255
    return np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)


# G. M. Machado and others, A Physiologically-based Model for Simulation of Color Vision Deficiency (2009), severity 1
EYES = {
    "all cones": np.eye(3),
    "no red cones": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no green cones": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
    ),
}


def lab(rgb: np.ndarray) -> np.ndarray:
    """Linear RGB -> CIE L*a*b*."""
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ np.clip(rgb, 0, 1)
    t = xyz / [0.9505, 1.0, 1.089]
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eye", EYES)
def test_the_first_seven_colours_differ_for_every_eye(eye: str) -> None:
    seen = [lab(EYES[eye] @ linear(rgb)) for rgb in BASE]
    nearest = min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(seen, 2))
    assert nearest > 10, "differences of 2 are just noticeable"


def test_there_are_21_colours_and_text_on_each_can_be_read() -> None:
    colours = [colour(i) for i in range(21)]
    assert len(set(colours)) == 21
    assert colour(21) == colour(0)
    for ground in colours:
        light, dark = sorted((luminance(ground), luminance(text_on(ground))), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5
