"""The table of operators says what the registry holds."""

import sys

import pytest

from classroom.dev.operators import TABLE, render, summary_of, types_by_class
from kuiper import registry


def test_the_stored_table_is_the_one_that_the_registry_gives():
    assert TABLE.read_text(encoding="utf-8") == render(), "python3 course.py dev operators"


def test_every_type_stands_in_the_table():
    page = render()
    assert all(f"`{operator_type}`" in page for operator_type in registry)


@pytest.mark.slow
@pytest.mark.parametrize("layer", types_by_class())
def test_every_operator_is_described_with_a_source(layer):
    assert summary_of(layer), f"{layer.__name__} has no docstring"
    texts = [one.__doc__ or "" for one in (*layer.__mro__[:-2], sys.modules[layer.__module__])]
    of_the_format = all(name.startswith(("prim::", "pnnx.")) for name in types_by_class()[layer])
    assert any("http" in text for text in texts) or of_the_format, texts


def test_a_row_says_what_a_type_has_beside_its_layer():
    (row,) = (line for line in render().splitlines() if "`nn.Linear`" in line)
    cells = [cell.strip() for cell in row.split("|")]
    assert cells[2:4] == ["linear, attention", "FLOPs, kernel, ONNX, cupy"]
