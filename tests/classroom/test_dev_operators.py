"""The table of operators says what the registry holds."""

import sys

import pytest

from classroom.dev.operators import TABLE, computed_by, module_of, render, summary_of
from kuiper import registry


def test_the_stored_table_is_the_one_that_the_registry_gives():
    assert TABLE.read_text(encoding="utf-8") == render(), "python3 course.py dev operators"


def test_every_type_stands_in_the_table():
    page = render()
    assert all(f"`{operator_type}`" in page for operator_type in registry)


@pytest.mark.parametrize("operator_type", list(registry))
def test_every_operator_is_described_with_a_source(operator_type):
    layer = computed_by(operator_type)
    assert summary_of(layer), f"{operator_type} has no docstring"
    classes = layer.__mro__[:-2] if isinstance(layer, type) else ()
    texts = [one.__doc__ or "" for one in classes] + [sys.modules[module_of(layer)].__doc__ or ""]
    assert any("http" in text for text in texts) or operator_type.startswith(("prim::", "pnnx.")), texts
