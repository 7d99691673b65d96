"""Expressions as Python functions on tensors: the same values that kuiper's own evaluation gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kuiper.expression.evaluate import evaluate, inputs_of
from kuiper.expression.parser import parse
from kuiper.peers.torch_expression import torch_expression

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

FOUND_IN_MODELS = (Path(__file__).parents[1] / "data" / "expressions.txt").read_text().splitlines()
OTHERS = [
    "pow(@0,2)",
    "neg(@0)",
    "torch.bool(@0)",
    "max(@0,@1)",
    "logaddexp(@0,@1)",
    "sqrt(2)",
    "-1e-3",
    "[1,size(@0,1)]",
]


def plain(value: object) -> object:
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, torch.dtype):
        return {torch.float32: "torch.float", torch.int64: "torch.long", torch.bool: "torch.bool"}[value]
    return value.numpy() if isinstance(value, torch.Tensor) else value


@pytest.mark.parametrize("text", FOUND_IN_MODELS + OTHERS)
def test_an_expression_has_the_value_that_kuiper_computes(text: str) -> None:
    count = inputs_of(parse(text))
    rng = np.random.default_rng(3)
    inputs = [rng.uniform(0.5, 2.0, (2, 3, 4, 5)).astype(np.float32) for _ in range(count)]
    if any(word in text for word in ("and(", "or(", "xor(", "shift(", "torch.long")):
        inputs = [(x * 4).astype(np.int64) for x in inputs]
    try:
        expected = evaluate(parse(text), inputs)
    except Exception as reason:
        pytest.skip(f"needs inputs of other kinds: {reason}")
    got = plain(torch_expression(torch, text, count)(*map(torch.from_numpy, inputs)))
    if isinstance(expected, np.ndarray):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)
    else:
        assert np.array_equal(np.asarray(got, object), np.asarray(expected, object)) or got == pytest.approx(expected)


def test_infix_operators_are_pythons_own_and_the_function_is_made_once() -> None:
    function = torch_expression(torch, "add(mul(@0,2),@1)", 2)
    assert function(torch.tensor(3.0), torch.tensor(0.5)).item() == 6.5
    assert function.__code__.co_names == (), "nothing is looked up by name while it runs"
