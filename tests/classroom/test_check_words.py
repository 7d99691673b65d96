from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from classroom import explain
from classroom.check import State
from classroom.explain import block, call_text, inline_value, labelled, long, shortened
from classroom.judge import Failure, expect
from classroom.judge.printed import Printed


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "hw.py"
    path.write_text("def f(x, pads, value=0.0):\n    return x\n")
    return path


def test_a_call_shows_short_values_inside_and_arrays_below(file: Path) -> None:
    lines = call_text(file, ("f", (np.arange(3), (1, 2)), {"value": 7.0})).splitlines()
    assert lines[0] == "f(x, (1, 2), value=7.0)"
    assert lines[1].startswith("x = int64 (3,)")
    assert lines[2].strip() == "[0 1 2]"


def test_arguments_of_a_function_that_is_gone_are_counted(file: Path) -> None:
    assert call_text(file, ("g", (np.arange(3), 2), {})).startswith("g(argument 1, 2)")


def test_arguments_beyond_the_parameters_are_counted_too(file: Path) -> None:
    arguments = tuple(np.arange(2) for _ in range(5))
    assert call_text(file, ("f", arguments, {})).startswith("f(x, pads, value, argument 1, argument 2)")


def test_a_function_of_the_test_is_called_so() -> None:
    def right() -> None: ...

    assert inline_value(right) == "<a function of the test: right>"


VALUES = {
    "a long plane": np.arange(400).reshape(100, 4),
    "a wide plane": np.arange(4000).reshape(4, 1000),
    "many axes": np.zeros((2, 3, 4, 5, 6)),
    "a long row": np.arange(10_000),
    "a long list": list(range(10_000)),
    "a deep dict": {f"option_{i}": {"type": i, "list": list(range(20))} for i in range(50)},
    "a long text": "word " * 1000,
    "one long word": "x" * 5000,
    "arrays in a list": [np.zeros((3, 3)), {"x": np.zeros(1000)}],
    "no elements": np.zeros((0, 3)),
    "a number": np.array(3.0),
    "complex numbers": np.ones((3, 3)) * 1j,
}


@pytest.mark.parametrize("kind", VALUES)
def test_every_value_fits_into_a_few_lines_of_the_page(kind: str) -> None:
    lines = block("got", long(VALUES[kind])).splitlines()
    assert len(lines) <= explain.MAX_VALUE_LINES + 2
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("kind", ["a long plane", "a wide plane", "a long row", "a long list", "a deep dict"])
def test_what_is_left_out_is_said(kind: str) -> None:
    assert "..." in long(VALUES[kind])


def test_a_small_array_is_shown_whole() -> None:
    assert "..." not in long(np.arange(explain.SMALL).reshape(8, 8))


def test_a_long_line_of_a_text_is_wrapped_and_a_long_text_is_cut() -> None:
    line = "nn.Conv2d conv2d_1 1 1 0 1 bias=True dilation=(1,1) groups=2 in_channels=4 kernel_size=(3,2) padding=(1,2)"
    lines = long(f"7767517\n{line} stride=(2,1)\n").splitlines()
    assert lines[0] == "str of 2 lines"
    assert " ".join(" ".join(lines[2:]).split()) == f"{line} stride=(2,1)"
    assert max(map(len, lines)) <= 80
    lines = long("one\n" * 100).splitlines()
    assert len(lines) == explain.TEXT_LINES + 1
    assert lines[-1].strip() == "..."


def test_of_a_picture_the_size_is_told_and_no_pixel() -> None:
    assert long(np.zeros((480, 640, 3), np.uint8)) == "uint8 (480, 640, 3), a picture"


def test_a_paragraph_and_its_label_stay_apart() -> None:
    for label in ("must hold", "likely why", "read again", "departs at"):
        assert labelled(label, "word").split("  ")[-1].strip() == "word"


def test_a_line_is_cut_to_the_page() -> None:
    assert shortened("short", 10) == "short"
    assert shortened("x" * 20, 10) == "xxxxxxx..."


GUESSES: dict[str, tuple[Any, Any]] = {
    "return": (np.zeros(2), None),
    "np.array": (np.zeros(2), [0.0, 0.0]),
    "a tuple of 2 came": (np.zeros(2), (np.zeros(2), np.zeros(3))),
    "element type to float64": (np.zeros(2, np.float32), np.zeros(2)),
    "transposed": (np.zeros((2, 3)), np.zeros((3, 2))),
    "arrangement": (np.zeros((2, 3)), np.zeros(6)),
}


@pytest.mark.parametrize("part", GUESSES)
def test_what_often_goes_wrong_is_guessed(part: str) -> None:
    expected, got = GUESSES[part]
    assert part in explain._guess(Failure("message", expected, got))


@pytest.mark.parametrize(
    ("expected", "got", "blamed"),
    [
        (np.float32([1 / 3, np.nan]), np.float32([1 / 3, np.nan]).astype(np.float64), True),
        (np.float32([1 / 3, 2]), np.float64([1 / 3, 2]), False),
        (np.int64([1, 2]), np.float64([1, 2]), True),
        (np.int64([1, 2]), np.float64([0.5, 2]), False),
        (np.int64([1, 2]), np.float64([np.nan, 2]), False),
        (np.array([True, False]), np.float64([1, 0]), True),
        (np.float64([1, 2]), np.float32([1, 2]), False),
        (np.array(["a", "b"]), np.float64([1, 2]), False),
    ],
)
def test_an_array_that_was_made_too_wide_is_guessed_only_where_the_numbers_fit_the_narrower_type(
    expected: np.ndarray, got: np.ndarray, blamed: bool
) -> None:
    said = explain._guess(Failure("message", expected, got))
    assert f"element type to {got.dtype}" in said
    assert ("np.zeros" in said) is blamed


@pytest.mark.parametrize(
    ("got", "expected", "names", "returned"),
    [
        (None, [1.0], (), True),
        (None, np.zeros(2), (), True),
        (None, (1, 2.0), ("type", "value"), True),
        ([None], [1.0], (), False),
        ((1, None), (1, 2.0), ("type", "value"), False),
        ({"a": [1, None]}, {"a": [1, 2]}, (), False),
        ([np.zeros(2), None], [np.zeros(2), np.zeros(2)], (), False),
    ],
)
def test_the_function_returned_none_is_said_of_the_whole_result_alone(
    got: Any, expected: Any, names: tuple[str, ...], returned: bool
) -> None:
    with pytest.raises(Failure) as caught:
        expect(got, expected, what="the result for [0] at 1", names=names)
    said = explain._guess(caught.value)
    assert ("The function returned None" in said) is returned
    assert ("A value here is None" in said) is not returned


@pytest.mark.parametrize(
    ("computed", "said"),
    [
        (lambda: np.float32([-3e38]) * 10, "a float is inf or -inf now"),
        (lambda: np.int8(100) * np.int8(2), "a whole number wrong"),
    ],
)
def test_an_overflow_is_told_of_floats_and_of_whole_numbers(computed: Callable[[], Any], said: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = computed()
    line = warnings.formatwarning(caught[0].message, caught[0].category, "hw01_x.py", 3)
    page = " ".join(explain.warned([Printed(line)], State.FAILED).split())
    assert np.isinf(result).all() == ("inf" in said)
    assert said in page


@pytest.mark.parametrize(
    ("expected", "got"), [(np.zeros(2), np.ones(2)), (np.zeros(2), np.zeros(3)), (1, 2), ("text", [1]), (None, None)]
)
def test_nothing_is_guessed_where_nothing_is_known(expected: Any, got: Any) -> None:
    assert explain._guess(Failure("message", expected, got)) == ""


@pytest.mark.parametrize(("rows", "above"), [(2, False), (20, True)])
def test_the_likely_cause_stands_above_long_arrays_and_below_short_ones(rows: int, above: bool) -> None:
    failure = Failure("2 elements differ", np.zeros((rows, 2)), np.ones((rows, 2)), where=(0, 0))
    failure.cause = "the sum is missing"
    said = "\n".join(explain.values_and_cause(failure))
    assert (said.index("the sum is missing") < said.index("expected")) is above


def test_tiny_numbers_are_not_written_as_zeros() -> None:
    assert "2.e-25" in explain.long(np.array([[1e-25, 2e-25]]))
    assert "e-" not in explain.long(np.array([[1e-25, 1.0]]))


def test_a_chain_of_60000_operators_is_shown_in_one_line() -> None:
    chain = {f"op{i}": [f"op{i + 1}"] for i in range(60_000)}
    for value, head in ((chain, "dict"), (list(chain), "list")):
        lines = long(value).split("\n")
        assert lines[0] == f"{head} of 60,000, which begins"
        assert "'op1'" in lines[1]
        assert lines[2:] == ["  ..."]
