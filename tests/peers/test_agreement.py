from __future__ import annotations

import numpy as np
import pytest

from kuiper.peers import largest_difference


def test_the_largest_difference_of_any_output_counts_as_a_share_of_its_largest_value() -> None:
    ours = [np.array([1.0, -8.0]), np.array([[2.0]])]
    theirs = [np.array([1.0, -8.0]), np.array([[2.5]])]
    found = largest_difference(ours, theirs)
    assert found.relative == pytest.approx(0.25)
    assert found.complaint(0.3) == ""
    assert found.complaint(0.2) == "computes something else: outputs differ by 2.5e-01 (> 2e-01)"


def test_a_missing_batch_axis_is_no_difference_and_another_shape_is() -> None:
    y = np.arange(6.0).reshape(1, 2, 3)
    assert largest_difference([y], [y[0]]).complaint(0) == ""
    assert "shape (3, 2)" in largest_difference([y], [y.reshape(3, 2)]).fault
    assert "2 outputs, kuiper 1" in largest_difference([y], [y, y]).fault


@pytest.mark.parametrize("other", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_on_one_side_alone_is_never_within_a_tolerance(other: float) -> None:
    plain, odd = np.array([1.0, 2.0]), np.array([1.0, other])
    assert largest_difference([plain], [odd]).complaint(1e9)
    assert largest_difference([odd], [plain]).complaint(1e9)
    assert largest_difference([odd], [odd]).complaint(0) == ""


def test_whole_numbers_and_booleans_are_compared_too() -> None:
    assert largest_difference([np.array([3, 4])], [np.array([3, 4], np.int32)]).complaint(0) == ""
    assert largest_difference([np.array([True, False])], [np.array([True, True])]).complaint(0.5)
