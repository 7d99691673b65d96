"""Embedding gives the rows that the layer gives, and refuses the numbers that it refuses, in the same words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.errors import InferError
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.graph import Operator
from kuiper.layers.layer import call
from kuiper.layers.sequence.embedding import Embedding

LAYOUT = st.sampled_from(["nchw", "wide nchw"])
TABLE = np.random.default_rng(0).standard_normal((11, 5), np.float32)


def run_stages(stages) -> None:
    for stage in stages:
        for thread in stage:
            for each in thread:
                each()


@pytest.fixture(autouse=True)
def always_fork(monkeypatch):
    monkeypatch.setattr("kuiper.fast.kernels.base.workspace.WORTH_FORKING", 0)


@settings(max_examples=60, deadline=None)
@given(
    shape=st.lists(st.integers(1, 6), max_size=3),
    dtype=st.sampled_from([np.int64, np.int32, np.uint8]),
    ways=st.tuples(LAYOUT, LAYOUT),
    threads=st.integers(1, 2),
)
def test_rows_by_numbers_of_any_shape(beside, shape, dtype, ways, threads):
    indices = np.random.default_rng(1).integers(0, 11, shape).astype(dtype)
    beside(Embedding(TABLE), np.asarray(indices), layouts=ways, threads=threads, rtol=0, atol=0)


def test_a_table_that_lies_across(beside):
    across = np.asfortranarray(TABLE)
    beside(Embedding(across), np.array([3, 10, 0]), rtol=0, atol=0)


@pytest.mark.parametrize("wrong", [[11], [-1], [0, 3, 1000], [-12, 4]])
def test_a_number_that_names_no_row_is_the_simple_layers_error(lowered, wrong):
    layer, indices = Embedding(TABLE), np.array(wrong)
    kernel = lowered(layer, np.zeros_like(indices))
    buffer = Buffer(np.zeros_like(indices))
    stages = kernel.bind([buffer], [Buffer(np.zeros((len(wrong), 5), np.float32))], Workspace(1))
    buffer.array[...] = indices
    with pytest.raises(InferError) as fast:
        run_stages(stages)
    with pytest.raises(InferError) as simple:
        call(layer, Operator("nn.Embedding", "here"), [indices])
    assert str(fast.value) == str(simple.value)
    assert fast.value.operator == "here"


def test_what_has_no_kernel(lowered):
    numbers = np.array([1, 2])
    assert lowered(Embedding(TABLE, max_norm=1.0), numbers) is None
    assert lowered(Embedding(TABLE.astype(np.float64)), numbers) is None
    assert lowered(Embedding(TABLE), np.zeros((0,), int)) is None
