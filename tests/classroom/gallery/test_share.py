"""How much of a network is the student's: what counts, what does not, and what the commands say of it."""

from __future__ import annotations

import pytest

import kuiper
from classroom import gallery
from classroom.gallery import share
from classroom.gallery.plugs import PLUGS
from classroom.gallery.share import NetworkShare, Share

DIGITS = gallery.find("digits")


def types_computed_by(*exercises: str) -> list[str]:
    """The types of the digits' operators that these exercises compute."""
    return [operator.type for operator in share.computed_by_exercises(kuiper.load(DIGITS.model).operators, exercises)]


def test_only_what_makes_a_result_counts() -> None:
    assert types_computed_by("max_pool2d") == ["nn.MaxPool2d"]
    assert types_computed_by("padding", "parse_operator", "find_cycle", "topological_order", "softmax") == []
    assert types_computed_by("peak_bytes", "no such exercise") == []


def test_an_operator_of_two_exercises_counts_once() -> None:
    assert types_computed_by("im2col", "conv2d") == types_computed_by("im2col") == ["nn.Conv2d"] * 8
    assert len(types_computed_by("conv2d")) == 7  # the picture's own convolution is im2col's


def test_all_exercises_compute_the_whole_network_and_none_nothing() -> None:
    operators = kuiper.load(DIGITS.model).operators
    assert share.operator_share(operators, list(PLUGS)).fraction == 1
    assert share.operator_share(operators, []) == Share(0, len(operators) - 2)


def test_the_time_is_that_of_the_operators_that_count() -> None:
    found = share.network_share(DIGITS, ["im2col"])
    assert found.operators == Share(8, 22)
    assert 0.2 < found.seconds.fraction < 1  # eight convolutions of many small operators
    assert share.network_share(DIGITS, list(PLUGS)).seconds.fraction == pytest.approx(1)


def test_nothing_of_nothing() -> None:
    assert Share(0, 0).fraction == 0
    assert share.percent(Share(0, 0)) == "0 %"


def test_the_lines_name_the_network_and_count() -> None:
    title, operators, seconds = share.lines("digits", NetworkShare(Share(16, 22), Share(0.25, 0.5)))
    assert title == "Your code computes 73 % of digits:"
    assert operators.endswith(" 73 %   16 of 22 operators that compute something")
    assert operators.count("█") == 16
    assert " 50 %" in seconds


def test_where_no_operator_is_the_students_no_bar_is_drawn() -> None:
    (line,) = share.lines("detector", NetworkShare(Share(0, 162), Share(0.0, 0.5)))
    assert line == "Your code works on detector, and computes none of its operators: these are the reference's."


COUNT = "Of the network's 22 operators that compute something, your code"


def test_changes_tell_the_operators_before_and_now() -> None:
    solved = ["flatten", "max_pool2d", "padding"]
    assert share.changes(["max_pool2d"], solved) == {"digits": f"yours now: nn.MaxPool2d. {COUNT} does 2 (1 before)."}
    assert share.changes(["padding"], solved) == {"digits": "yours now: the borders of images."}
    assert share.changes(["peak_bytes"], solved) == {}


def test_changes_of_several_exercises_stand_together_for_each_network() -> None:
    found = share.changes(["sigmoid", "leaky_relu", "letterbox"], ["sigmoid", "leaky_relu", "letterbox"])
    assert list(found) == ["digits", "detect"]
    assert found["digits"].endswith(
        "Of the network's 22 operators that compute something, your code does 7 (0 before)."
    )
    assert found["detect"] == "yours now: a picture -> the canvas."
