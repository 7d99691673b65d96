"""Tests of the framework: `python -m pytest {package}`, beside the folder."""

from __future__ import annotations

import numpy as np
import pytest

from . import parts
from .__main__ import digits, patches
from .model import framework

RELU = "7767517\n3 2\npnnx.Input in 0 1 a\nnn.ReLU relu 1 1 a b\npnnx.Output out 1 0 b\n"


def test_three_lines_are_a_network() -> None:
    """Input, nn.ReLU and output."""
    assert framework(parts, RELU, {})(np.array([[-1.0, 2.0]])).tolist() == [[0.0, 2.0]]


def test_a_type_that_is_not_known_is_refused() -> None:
    """The message names the type."""
    with pytest.raises(ValueError, match="GELU"):
        framework(parts, RELU.replace("nn.ReLU", "nn.GELU"), {})


def test_digits_are_read() -> None:
    """Nine of ten scans, at least."""
    right, count = digits()
    assert right > 0.9 * count


def test_patches_are_named() -> None:
    """Four of five patches, at least."""
    right, count = patches()
    assert right > 0.8 * count
