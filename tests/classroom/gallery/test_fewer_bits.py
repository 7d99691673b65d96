"""A piece's weights in 8 bits by a student: what is said, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from classroom import gallery
from classroom.gallery import piece_worker
from classroom.gallery.fewer_bits import in_eight_bits
from classroom.gallery.piece import DemoOptions
from classroom.gallery.plugs.bits import EXERCISES, has_weight
from classroom.judge.tests import load_file
from kuiper import pnnx
from kuiper.errors import KuiperError

SOLUTION = Path(__file__).parents[3] / "homework/15_fewer_bits/judge/solution.py"
SOLVED = load_file(SOLUTION)
DIGITS = gallery.find("digits")
Steps = Mapping[str, Callable[..., Any]]


def said(steps: Steps) -> str:
    return in_eight_bits(DIGITS, DIGITS.sample(DemoOptions(), mine=True), steps)


@pytest.mark.slow
@pytest.mark.parametrize("exercises", [EXERCISES, *((each,) for each in EXERCISES)], ids=lambda names: "+".join(names))
def test_right_answers_alone_and_together_say_bytes_and_quality(exercises: tuple[str, ...]) -> None:
    sentence = said({name: getattr(SOLVED, name) for name in exercises})
    before, now = sentence.split("; now: ")
    assert before == (
        "In 8 bits by your code the weights take 82,184 bytes instead of 322,688. Before: 357 of 360 scans are right"
    )
    assert 350 <= int(now.split(" of 360 ")[0]) <= 360


def test_few_examples_are_said_to_be_few() -> None:
    few = in_eight_bits(DIGITS, DIGITS.sample(DemoOptions(), mine=True)[:4], {"quantize": SOLVED.quantize})
    assert few.endswith("of 4 scans are right. Of 4 examples a small change, up or down, is chance.")


def shifted(weight: np.ndarray, block: int | None = None) -> Any:
    values, scale = SOLVED.quantize(weight, block)
    return values, scale * np.float32(1.1)


WRONG: dict[str, tuple[dict[str, Callable[..., Any]], str]] = {
    "another scale": ({"quantize": shifted}, r"quantize: of the weight of .* came back as"),
    "no tuple": ({"quantize": lambda weight: weight}, r"quantize: expected \(values, scale\), got ndarray"),
    "flat scales": (
        {"quantize": lambda weight: (SOLVED.quantize(weight)[0], SOLVED.quantize(weight)[1][:, 0])},
        r"quantize, scales of .*: expected float32 \(32, 1\), got float32 \(32,\)",
    ),
    "wide": (
        {"dequantize": lambda values, scale: values * scale.astype(float)},
        r"dequantize for .*: expected float32 .*, got float64",
    ),
    "without scales": ({"dequantize": lambda values, scale: values + 0 * scale}, "dequantize: of the weight of"),
    "both": (
        {"quantize": shifted, "dequantize": SOLVED.dequantize},
        "quantize and dequantize: of the weight of",
    ),
    "no scale of x": (
        {"int8_matvec": lambda values, scale, x: (values * scale) @ np.ones_like(x)},
        "int8_matvec for .*: at .* expected about",
    ),
    "a list": ({"int8_matvec": lambda values, scale, x: [0.0]}, "int8_matvec for .*: expected float32 .*, got list"),
    "raises": ({"int8_matvec": lambda values, scale, x: 1 / 0}, "int8_matvec raised ZeroDivisionError"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_answers_are_told(case: str) -> None:
    steps, told = WRONG[case]
    with pytest.raises(KuiperError, match=told):
        said(steps)


def test_the_worker_runs_it_and_counts_the_calls() -> None:
    plugs = [[exercise, str(SOLUTION)] for exercise in EXERCISES]
    result = piece_worker.answer({"piece": "digits", "options": {}, "plugs": plugs, "check_only": True})
    assert (result["error"], result["errors"], result["departure"]) == ("", {}, None)
    assert result["bits"].startswith("In 8 bits by your code")
    assert result["calls"].keys() == set(EXERCISES)


@pytest.mark.parametrize("name", gallery.NAMES)
def test_every_piece_has_weights_to_round(name: str) -> None:
    assert any(has_weight(operator) for operator in pnnx.read(gallery.find(name).model).operators)


@pytest.mark.parametrize(
    ("name", "answer", "told"),
    [
        ("digits", {"predictions": [4, 2]}, "1 of 2 scans are right"),
        ("classify", {"probabilities": [[0.1, 0.9], [0.2, 0.8]]}, "0 of 2 pieces are right"),
        ("segment", {"mean_iou": 0.5}, "a mean IoU of 50.0%"),
        ("detect", {"map50": 0.5, "map50_95": 0.25}, "mAP@0.5 50.0%, mAP@0.5:0.95 25.0%"),
        ("write", {"bits": 1.25}, "1.250 bits per character"),
        ("write", {"bits": None}, "a text"),
    ],
)
def test_how_good_an_answer_is(name: str, answer: dict[str, Any], told: str) -> None:
    items = [(None, 4), (None, 7)]
    assert gallery.find(name).quality(answer, items) == told
