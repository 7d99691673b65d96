from __future__ import annotations

import numpy as np
import pytest

from classroom import gallery
from classroom.gallery import digits
from classroom.gallery.digits import Reading
from classroom.gallery.piece import Callbacks, DemoOptions
from classroom.gallery.pipeline import Pipeline
from classroom.gallery.show import show_piece


def reading(labels: list[int], predictions: list[int]) -> Reading:
    count = len(labels)
    images = np.zeros((count, 8, 8), np.uint8)
    confidences = np.linspace(0.5, 1.0, count)
    return Reading(images, np.array(labels), np.array(predictions), confidences, 0.1)


@pytest.fixture(scope="module")
def real() -> Reading:
    piece = gallery.find("digits")
    items = piece.sample(DemoOptions())
    return digits.reading_of(piece.look(Pipeline(piece.model, piece.steps), items, Callbacks()), items)


def test_the_network_reads_nearly_every_held_out_digit(real: Reading) -> None:
    assert len(real.labels) >= 300
    assert real.right.mean() > 0.97


def test_every_digit_is_among_the_held_out(real: Reading) -> None:
    assert set(real.labels.tolist()) == set(range(10))


def test_confidences_are_probabilities(real: Reading) -> None:
    assert real.confidences.shape == real.labels.shape
    assert ((real.confidences > 0.1) & (real.confidences <= 1)).all()
    assert real.seconds > 0


def test_a_digit_that_was_misread_is_drawn_and_marked() -> None:
    misread = reading([0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 8])
    drawn = digits.shown_digits(misread)
    assert len(drawn) == digits.SHOWN
    assert drawn[-1] == 6
    assert "wrong: a 6" in digits.digit_text(misread, 6)
    assert "wrong" not in digits.digit_text(misread, 0)


def test_without_a_misread_digit_all_drawn_are_right_and_differ() -> None:
    perfect = reading([3, 3, 3, 1, 4, 5, 9], [3, 3, 3, 1, 4, 5, 9])
    assert digits.shown_digits(perfect) == [0, 3, 4, 5]


def test_the_numbers_count_what_the_reading_holds() -> None:
    text = digits.numbers(reading([1, 2, 3, 4], [1, 2, 3, 9]))
    assert "3 of 4" in text
    assert "75.00%" in text
    assert "100.0 ms for one digit" in text


def test_the_page_fits_into_eighty_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert show_piece() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "A network reads handwritten digits"
    assert max(map(len, lines)) <= 80
    assert any("24 operators and 81,050 weights" in line for line in lines)
