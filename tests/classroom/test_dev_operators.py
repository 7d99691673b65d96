"""The table of operators says what the registry holds."""

import inspect

import pytest

from classroom.dev.operators import TABLE, layer_of, render, summary_of
from kuiper import Layer, registry


def test_the_stored_table_is_the_one_that_the_registry_gives():
    assert TABLE.read_text(encoding="utf-8") == render(), "python3 course.py dev operators"


@pytest.mark.parametrize("operator_type", list(registry))
def test_every_operator_is_described_with_a_source(operator_type):
    layer = layer_of(operator_type)
    assert issubclass(layer, Layer)
    assert summary_of(layer), f"{layer.__name__} has no docstring"
    module = inspect.getmodule(layer)
    texts = [inspect.getdoc(one) or "" for one in layer.__mro__[:-2]] + [module.__doc__ or ""]
    assert any("http" in text for text in texts) or operator_type.startswith(("prim::", "pnnx.")), layer.__name__
