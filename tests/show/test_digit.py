"""Small images as text for the terminal."""

from __future__ import annotations

import numpy as np
import pytest

from kuiper.errors import ShapeError
from kuiper.show import digit
from kuiper.tensor import Tensor

SEVEN = [
    [0, 16, 16, 16, 16, 0],
    [0, 0, 0, 0, 16, 0],
    [0, 0, 0, 8, 4, 0],
    [0, 0, 8, 4, 0, 0],
]


def test_a_digit_is_two_characters_per_pixel() -> None:
    assert digit(SEVEN) == "  ████████  \n        ██  \n      ▒▒░░  \n    ▒▒░░    "


def test_a_digit_in_ascii_uses_ascii_only() -> None:
    assert digit(SEVEN, ascii=True) == "  @@@@@@@@  \n        @@  \n      ==::  \n    ==::    "
    assert digit(np.random.default_rng(0).random((8, 8)), ascii=True).isascii()


def test_a_digit_may_be_a_tensor_or_have_axes_of_length_one() -> None:
    x = np.array(SEVEN, np.float32)
    assert digit(x[None, None]) == digit(Tensor.from_array(x)) == digit(SEVEN)


@pytest.mark.parametrize(
    ("width", "lines_and_columns"), [(None, (8, 16)), (8, (4, 8)), (32, (16, 32)), (3, (2, 3)), (1, (1, 1))]
)
def test_the_width_sets_the_columns_and_half_as_many_lines(
    width: int | None, lines_and_columns: tuple[int, int]
) -> None:
    drawn = digit(np.eye(8), width=width).split("\n")
    assert (len(drawn), {len(line) for line in drawn}) == (lines_and_columns[0], {lines_and_columns[1]})


def test_a_smaller_digit_is_the_mean_of_its_pixels() -> None:
    assert digit([[0, 0, 16, 16], [0, 0, 16, 16]], width=2) == " █"
    assert digit([[0, 16, 16, 16], [0, 16, 16, 16]], width=2) == "▒█"


def test_a_blank_image_is_blank_and_nan_is_blank() -> None:
    assert set(digit(np.full((8, 8), 3.0))) == {" ", "\n"}
    assert digit([[np.nan, 1.0], [0.0, np.inf]]) == "  ██\n    "


@pytest.mark.parametrize("image", [np.zeros((3, 8, 8)), np.zeros(64), np.zeros((0, 8)), "image", None])
def test_what_is_no_grey_image_is_refused(image: object) -> None:
    with pytest.raises(ShapeError, match="grey image"):
        digit(image)


@pytest.mark.parametrize("width", [0, -1, 2.5])
def test_a_width_without_a_column_is_refused(width: int) -> None:
    with pytest.raises(ShapeError, match="width"):
        digit(np.eye(8), width=width)
