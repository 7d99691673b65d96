from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from classroom.judge import Failure, SubmissionError, expect, expect_raises
from classroom.judge.compare import EmptyExpectedError

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        2.5,
        NAN,
        INF,
        "text",
        [1, [2.0, "a"]],
        (1, 2),
        {"a": [1], "b": None},
        np.arange(6).reshape(2, 3),
        np.array([NAN, INF, -INF, 0.0]),
        np.array([True, False]),
        np.array(1.5),
        np.array([NAN + 1j]),
        np.float32(0.1),
        np.float64(NAN),
    ],
)
def test_a_value_is_what_it_is(value: Any) -> None:
    expect(value, value)
    expect(value, value, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (1, True),
        (1.0, 1),
        (True, 1),
        (np.float64(1.0), 1.0),
        (1.0, np.float64(1.0)),
        ([1], (1,)),
        ([1, 2], [1]),
        ([], [1]),
        ({}, {"a": 1}),
        ({"a": 1, "b": 2}, {"a": 1}),
        ("a", "b"),
        (None, 0),
        ([1.0], np.ones(1)),
        (1.0, np.ones(1)),
        (np.ones((1, 2)), np.ones(2)),
        (np.ones(()), np.ones(1)),
        (np.ones(2, np.float32), np.ones(2)),
        (np.ones(2, np.int64), np.ones(2, bool)),
        (np.empty(0), np.ones(1)),
        (np.empty((0, 2)), np.ones((1, 2))),
        (np.array([NAN]), np.array([1.0])),
        (np.array([1.0]), np.array([NAN])),
        (np.array([INF]), np.array([1.0])),
        (np.array([1.0]), np.array([INF])),
        (np.array([-INF]), np.array([INF])),
        (1.0, INF),
        (INF, 1.0),
        (-INF, INF),
        (NAN, 1.0),
        (1.0, NAN),
        (np.float32(1), np.float32(NAN)),
        (np.array([0, 1], np.uint8), np.array([0, 255], np.uint8)),
        (np.array([1 << 60]), np.array([(1 << 60) + 1])),
    ],
)
@pytest.mark.parametrize("tolerance", [0.0, 1e-3])
def test_what_is_something_else_fails_whatever_the_tolerance(got: Any, expected: Any, tolerance: float) -> None:
    with pytest.raises(Failure):
        expect(got, expected, rtol=tolerance, atol=tolerance)


def test_the_tolerance_is_for_values_only() -> None:
    expect(np.array([1.0005]), np.array([1.0]), rtol=1e-3)
    expect(1.0005, 1.0, rtol=1e-3)
    expect(np.float32(1.0005), np.float32(1.0), rtol=1e-3)
    expect([np.array([1.0005])], [np.array([1.0])], atol=1e-3)
    with pytest.raises(Failure):
        expect(np.array([1.0005]), np.array([1.0]))


def test_halves_are_compared_without_overflow() -> None:
    with pytest.raises(Failure):
        expect(np.array([-60000], np.float16), np.array([60000], np.float16), rtol=0.1)


def test_a_failure_says_where_the_first_difference_is() -> None:
    got, expected = np.zeros((2, 3)), np.zeros((2, 3))
    got[1, 0] = got[1, 2] = 7
    with pytest.raises(Failure, match=r"2 of 6.* the first at \[1, 0\]: expected 0.0, got 7.0") as caught:
        expect(got, expected)
    assert caught.value.where == (1, 0)


def test_a_failure_inside_a_list_says_in_which_element() -> None:
    with pytest.raises(Failure, match=r"the result at \['a'\]\[1\]: expected 2, got 3"):
        expect({"a": [1, 3]}, {"a": [1, 2]})


def test_a_number_of_numpy_is_told_to_become_a_plain_one() -> None:
    with pytest.raises(Failure, match=r"float\(\.\.\.\)"):
        expect(np.float64(1.0), 1.0)


def test_the_likely_cause_is_the_first_mistake_that_gives_what_was_got() -> None:
    x = np.arange(6).reshape(2, 3)
    mistakes = {"empty": np.empty(0), "columns first": x.T.reshape(-1), "also": x.T.reshape(-1)}
    with pytest.raises(Failure) as caught:
        expect(x.T.reshape(-1), x.reshape(-1), mistakes=mistakes)
    assert caught.value.cause == "columns first"
    with pytest.raises(Failure) as caught:
        expect(x.reshape(-1) + 1, x.reshape(-1), mistakes=mistakes)
    assert caught.value.cause is None


def test_an_empty_expected_array_is_a_fault_of_the_test() -> None:
    with pytest.raises(EmptyExpectedError):
        expect(np.empty(0), np.empty(0))


def raising(kind: str, type_name: str = "", bases: Sequence[str] = ()) -> Any:
    def call() -> None:
        raise SubmissionError(kind, "no", type_name, bases=bases)

    return call


def test_an_exception_of_its_own_making_is_named() -> None:
    assert expect_raises(raising("raise", "ValueError")) == "ValueError"


def test_no_exception_is_a_failure() -> None:
    with pytest.raises(Failure, match="expected an exception, got 3"):
        expect_raises(lambda: 3)
    with pytest.raises(Failure, match=r"expected an exception, got a numpy array of shape \(2, 3\)$"):
        expect_raises(lambda: np.ones((2, 3)))


@pytest.mark.parametrize(
    ("got", "expected", "sentence"),
    [
        (None, np.ones(3), "expected a numpy array, got None"),
        ((np.ones(3), 1), np.ones(3), "expected a numpy array, got a tuple of 2"),
        (np.ones((2, 3)), (np.ones(3), 1.0), "expected a tuple of 2, got a numpy array of shape (2, 3)"),
        ([0, 1], (0, 1), "expected tuple (0, 1), got list [0, 1]"),
    ],
)
def test_a_wrong_type_is_named_and_arrays_by_their_shape(got: Any, expected: Any, sentence: str) -> None:
    with pytest.raises(Failure) as caught:
        expect(got, expected)
    assert caught.value.message == f"the result: {sentence}"


@pytest.mark.parametrize("kind", ["load", "missing", "died", "timeout", "data"])
def test_an_end_is_no_exception(kind: str) -> None:
    with pytest.raises(SubmissionError):
        expect_raises(raising(kind, "ValueError"))


@pytest.mark.parametrize("type_name", ["NotImplementedError", "RecursionError", "NameError", "SystemExit"])
def test_unfinished_code_does_not_refuse_its_input(type_name: str) -> None:
    with pytest.raises(SubmissionError):
        expect_raises(raising("raise", type_name))
    with pytest.raises(SubmissionError):
        expect_raises(raising("raise", "Later", [type_name]))


def message_of(got: Any, expected: Any, names: Sequence[str] = ()) -> str:
    with pytest.raises(Failure) as caught:
        expect(got, expected, names=names)
    return caught.value.message


def test_a_wrong_number_is_told_before_a_wrong_array_beside_it() -> None:
    canvas, grey = np.zeros((4, 4, 3), np.uint8), np.full((4, 4, 3), 114, np.uint8)
    assert message_of((canvas, 1.0, 0), (grey, 3.2, 0)) == "the result at [1]: expected 3.2, got 1.0"
    assert message_of({"map": canvas, "scale": 1.0}, {"map": grey, "scale": 3.2}) == (
        "the result at ['scale']: expected 3.2, got 1.0"
    )
    assert "differ, the first at [0, 0, 0]" in message_of((canvas, 3.2, 0), (grey, 3.2, 0))
    assert message_of([{"cost": [4]}], [{"cost": [3]}]) == "the result at [0]['cost'][0]: expected 3, got 4"


def test_an_element_has_the_name_that_the_test_gives_it() -> None:
    names, right = ("canvas", "scale", "top", "left"), (np.ones(2), 3.2, 4, 0)
    assert message_of((np.ones(2), 1.0, 4, 0), right, names=names) == "the result: scale: expected 3.2, got 1.0"
    assert message_of((np.zeros(2), 3.2, 4, 0), right, names=names).startswith("the result: canvas: 2 of 2 elements")
    assert message_of((3.2, 4, 0), right, names=names) == (
        "the result: expected 4 elements (canvas, scale, top, left), got 3"
    )


BOTH = [
    (
        np.array([1.0, 5.0]),
        np.array([1.0, 2.0], np.float32),
        "1 of 2 elements differ",
        "element type float32, got float64",
    ),
    (
        [np.int64(1), np.int64(5)],
        [1, 2],
        "the result at [1]: expected 2, got 5",
        "make it a plain number with int(...)",
    ),
    (np.array([1, 5]), [1, 2], "the result at [1]: expected 2, got 5", "expected list [1, 2], got a numpy array"),
    (np.float64(5.0), 2.0, "the result: expected 2.0, got 5.0", "make it a plain number with float(...)"),
    ({"a": np.array([5.0])}, {"a": np.array([2])}, "1 of 1 elements differ", "type int64, got float64"),
]


@pytest.mark.parametrize(("got", "expected", "values", "kind"), BOTH)
def test_wrong_values_are_told_before_wrong_types(got: Any, expected: Any, values: str, kind: str) -> None:
    first, then = message_of(got, expected).split(". The type is wrong, too: ")
    assert values in first
    assert kind in then


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (np.array([1.0, 2.0]), np.array([1.0, 2.0], np.float32)),
        ([np.int64(1), np.int64(2)], [1, 2]),
        (np.array([0.5]), np.array([1])),
        (np.array([2]), np.array([True])),
    ],
)
def test_a_wrong_type_alone_is_told_alone(got: Any, expected: Any) -> None:
    assert "The type is wrong, too" not in message_of(got, expected)
    assert "differ" not in message_of(got, expected)


def test_a_number_of_numpy_is_told_by_its_type_and_as_a_plain_number() -> None:
    assert message_of(np.int64(3), 3).startswith("the result: expected int 3, got int64 3: make it a plain number")


def test_a_wrong_type_alone_has_the_cause_of_a_wrong_type() -> None:
    with pytest.raises(Failure) as caught:
        expect(np.ones(2), np.ones(2, np.float32), mistakes={"no mistake": np.ones(2, np.float32), "wide": np.ones(2)})
    assert caught.value.cause == "wide"


def test_the_likely_cause_of_wrong_values_is_found_behind_a_wrong_type() -> None:
    for got in ([np.int64(3), np.int64(4)], np.array([3, 4]), [3, 4]):
        with pytest.raises(Failure) as caught:
            expect(got, [1], mistakes={"nothing was left out": [3, 4]})
        assert caught.value.cause == "nothing was left out"
