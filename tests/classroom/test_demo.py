from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kuiper
from classroom import demo
from classroom.demo import Reading


def reading(labels: list[int], predictions: list[int]) -> Reading:
    count = len(labels)
    images = np.zeros((count, 8, 8), np.uint8)
    confidences = np.linspace(0.5, 1.0, count)
    return Reading(images, np.array(labels), np.array(predictions), confidences, 0.1, 12, 34567)


@pytest.fixture(scope="module")
def real() -> Reading:
    return demo.read_digits()


def test_the_network_reads_nearly_every_held_out_digit(real: Reading) -> None:
    assert len(real.labels) >= 300
    assert real.right.mean() > 0.97


def test_every_digit_is_among_the_held_out(real: Reading) -> None:
    assert set(real.labels.tolist()) == set(range(10))


def test_confidences_are_probabilities(real: Reading) -> None:
    assert real.confidences.shape == real.labels.shape
    assert ((real.confidences > 0.1) & (real.confidences <= 1)).all()


def test_the_network_has_operators_and_parameters_and_takes_time(real: Reading) -> None:
    assert real.operators > 2
    assert real.parameters > 1000
    assert real.seconds > 0


def test_softmax_sums_to_one_and_does_not_overflow() -> None:
    probabilities = demo.softmax(np.array([[1e4, 0.0, -1e4], [1.0, 2.0, 3.0]]))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_allclose(probabilities[1], np.exp([1, 2, 3]) / np.exp([1, 2, 3]).sum())


def test_a_digit_that_was_misread_is_drawn_and_marked() -> None:
    misread = reading([0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 8])
    drawn = demo.chosen(misread)
    assert len(drawn) == demo.SHOWN
    assert drawn[-1] == 6
    assert "wrong: a 6" in demo.picture(misread, 6)
    assert "wrong" not in demo.picture(misread, 0)


def test_without_a_misread_digit_all_drawn_are_right_and_differ() -> None:
    perfect = reading([3, 3, 3, 1, 4, 5, 9], [3, 3, 3, 1, 4, 5, 9])
    assert demo.chosen(perfect) == [0, 3, 4, 5]


def test_the_report_counts_what_the_reading_holds() -> None:
    text = demo.report(reading([1, 2, 3, 4], [1, 2, 3, 9]))
    assert "3 of 4" in text
    assert "75.00%" in text
    assert "100.0 ms for one digit" in text
    assert "12 operators and 34,567 parameters" in text


def test_a_missing_model_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    read_digits = demo.read_digits
    monkeypatch.setattr(demo, "read_digits", lambda: read_digits(held_out=tmp_path / "none.npz"))
    assert demo.show() == 2
    assert "none.npz is missing" in capsys.readouterr().err


def test_an_error_of_the_framework_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> Reading:
        raise kuiper.KuiperError("the graph is broken", operator="conv1")

    monkeypatch.setattr(demo, "read_digits", broken)
    assert demo.show() == 2
    assert "conv1: the graph is broken" in capsys.readouterr().err


def test_the_page_fits_into_eighty_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.show() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "A network reads handwritten digits"
    assert max(map(len, lines)) <= 80
