"""Views and joins: kernels that compute nothing give what the layers give, in the input's own memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.fast.kernels.base.buffer import Buffer, Halo, Spec, image_buffer
from kuiper.fast.kernels.base.kernel import Join, View
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.move.reshape import ReshapeKernel, reshaped
from kuiper.fast.tuning.benchmark import bind_kernel
from kuiper.layers.arrays import joining, shape, slicing
from kuiper.layers.elementwise.conversion import Clone, To, TypeAs
from kuiper.layers.elementwise.identity import Dropout, Identity

RNG = np.random.default_rng(0)
IMAGE = (2, 6, 3, 4)
LAYOUT = st.sampled_from(["nchw", "nhwc", "halo", "wide", "wide nchw"])


def numbers(*size: int, dtype=np.float32) -> np.ndarray:
    return (RNG.standard_normal(size) * 8).astype(dtype)


VIEWS = [
    shape.Permute([0, 2, 3, 1]),
    shape.Transpose(1, -1),
    shape.Movedim([0, 1], [2, 0]),
    shape.Unsqueeze(-2),
    shape.Unflatten(1, [2, -1]),
    shape.Expand([5, 2, 6, 3, 4]),
    slicing.Slice(dim=1, start=1, end=5, step=2),
    slicing.Slice(dims=[1, 3], starts=[0, 1], ends=[0, 3], steps=[0, 1], selects=[2, 2147483647]),
    slicing.Select(2, -1),
    slicing.Narrow(3, 1, 2),
    joining.Chunk(2, 1),
    joining.Split([1, 2, 3], 1),
    joining.TensorSplit(sections=4, dim=1),
    joining.Unbind(0),
    Identity(),
    Dropout(0.5),
    Clone(),
    To(dtype="torch.float"),
]


@pytest.mark.parametrize("layer", VIEWS, ids=lambda layer: type(layer).__name__)
@pytest.mark.parametrize("channel_last", [False, True])
def test_a_view_is_the_layers_result_in_the_inputs_memory(lowered, layer, channel_last):
    x = numbers(*IMAGE)
    kernel = lowered(layer, x)
    assert isinstance(kernel, View)
    x = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2) if channel_last else x
    expected = layer.forward(x)
    expected = expected if isinstance(expected, tuple) else (expected,)
    results = [function(x) for function in kernel.views]
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, wanted)
        assert np.shares_memory(result, x)


@pytest.mark.parametrize("layer", [Identity(), shape.Transpose(0, 1), joining.Split(2, 0)])
def test_integers_can_be_looked_at_too(lowered, layer):
    assert isinstance(lowered(layer, numbers(4, 5, dtype=np.int64)), View)


def test_an_array_expanded_as_another_does_not_read_it(lowered):
    x, other = numbers(2, 1, 3), numbers(2, 4, 3)
    kernel = lowered(shape.ExpandAs(), x, other)
    np.testing.assert_array_equal(kernel.views[0](x), shape.ExpandAs().forward(x, other))


def test_types_that_stay_are_views_and_conversions_are_none(lowered):
    x, integers = numbers(2, 3), numbers(3, dtype=np.int64)
    assert isinstance(lowered(TypeAs(), x, x), View)
    assert lowered(TypeAs(), x, integers) is None
    assert lowered(To(dtype="torch.long"), x) is None
    assert lowered(To(dtype="torch.bfloat16"), x) is None


@pytest.mark.parametrize(
    ("layer", "inputs"),
    [
        (joining.Cat(0), ([np.zeros((2, 3), np.float32)] * 2,)),
        (joining.Cat(0), (np.zeros((2, 3), np.float32), np.zeros((2, 3), np.int64))),
        (joining.Cat(0), (np.zeros((2, 3), np.float32), np.zeros((0,), np.int64))),
        (joining.Cat(0), (np.zeros((0,), np.float32), np.zeros((0,), np.float32))),
    ],
)
def test_lists_and_mixed_types_are_joined_by_the_layer(lowered, layer, inputs):
    assert lowered(layer, *inputs) is None


@pytest.mark.parametrize("empty_first", [False, True])
def test_what_is_joined_to_nothing_is_a_view(lowered, empty_first):
    x, nothing = np.zeros((2, 3), np.float32), np.zeros((0,), np.float32)
    inputs = (nothing, x) if empty_first else (x, nothing)
    assert type(lowered(joining.Cat(0), *inputs)) is View
    assert isinstance(lowered(joining.Cat(0), *inputs, x), Join)


@settings(max_examples=30, deadline=None)
@given(axis=st.integers(-4, 3), ways=st.tuples(LAYOUT, LAYOUT), threads=st.integers(1, 2))
def test_a_join_is_a_concatenation(beside, axis, ways, threads):
    parts = [numbers(*(k if i == axis % 4 else n for i, n in enumerate(IMAGE))) for k in (1, 2, 3)]
    kernel = beside(joining.Cat(axis), *parts, layouts=ways, threads=threads, rtol=0, atol=0)
    assert isinstance(kernel, Join)
    assert kernel.axis == axis % 4


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(axis=st.integers(-4, 3), count=st.integers(1, 3), ways=st.tuples(LAYOUT, LAYOUT), threads=st.integers(1, 2))
def test_a_stack_is_a_join_along_a_new_axis(beside, axis, count, ways, threads):
    parts = [numbers(*IMAGE[1:]) + k for k in range(count)]
    kernel = beside(joining.Stack(axis), *parts, layouts=ways, threads=threads, rtol=0, atol=0)
    assert (type(kernel), kernel.axis, kernel.new) == (Join, axis % 4, True)


def test_a_part_that_lies_in_the_output_already_is_not_copied():
    whole = np.zeros((1, 2, 2, 5), np.float32)
    output = image_buffer(whole, Halo())
    inside = Buffer(output.array[:, :3])
    apart = Buffer(np.ones((1, 2, 2, 2), np.float32))
    assert len(Join(1).bind([inside, apart], [output], Workspace(1))) == 1


RESHAPES = [
    (IMAGE, shape.Flatten(1, -1)),
    (IMAGE, shape.Flatten(2, 3)),
    (IMAGE, shape.Flatten(0, 2)),
    (IMAGE, shape.Reshape([2, 3, 2, 3, 4])),
    (IMAGE, shape.Reshape([-1])),
    (IMAGE, shape.Reshape([3, 4, 3, 4])),
    ((2, 3, 2, 3, 4), shape.Reshape([2, 6, 3, 4])),
    ((3, 20, 19, 17), shape.Flatten()),
    ((1, 64, 8, 8), shape.Flatten()),
    ((2, 12), shape.Reshape([2, 3, 2, 2])),
    ((1,), shape.Reshape([])),
]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(case=st.sampled_from(RESHAPES), ways=st.tuples(LAYOUT, LAYOUT), threads=st.integers(1, 2))
def test_reshaping_copies_in_row_major_order(beside, case, ways, threads):
    size, layer = case
    beside(layer, numbers(*size), layouts=ways, threads=threads, rtol=0, atol=0)


@given(
    order=st.permutations(range(5)),
    other=st.permutations(range(4)),
    threads=st.integers(1, 2),
)
@settings(max_examples=60, deadline=None)
def test_reshaping_takes_any_strides(order, other, threads):
    """(2, 3, 2, 9, 4) -> (2, 6, 9, 4), the axes of both lying in memory in any order."""
    source = numbers(*np.take((2, 3, 2, 9, 4), order)).transpose(np.argsort(order))
    target = numbers(*np.take((2, 6, 9, 4), other)).transpose(np.argsort(other))
    space = Workspace(threads)
    for stage in ReshapeKernel(source.shape, target.shape).bind([Buffer(source)], [Buffer(target)], space):
        for call in [call for thread in stage for call in thread]:
            call()
    np.testing.assert_array_equal(target, source.reshape(target.shape))


def test_a_reshape_that_can_be_a_view_is_one():
    x = numbers(2, 3, 4)
    for kernel, array in [(ReshapeKernel((2, 3, 4), (6, 4)), x), (ReshapeKernel((4, 3, 2), (2, 2, 3, 2)), x.T)]:
        result = kernel.view(array)
        np.testing.assert_array_equal(result, array.reshape(kernel.shape))
        assert np.shares_memory(result, x)
    assert ReshapeKernel((4, 3, 2), (24,)).view(x.T) is None
    assert reshaped(x.T, (12, 2)) is None


def test_channels_that_are_split_or_merged_stay_channel_last(lowered):
    five = numbers(2, 3, 2, 3, 4)
    assert lowered(shape.Reshape([2, 6, 3, 4]), five).output_layout == "nhwc"
    assert lowered(shape.Flatten(), numbers(*IMAGE)).output_layout == "nchw"


def test_a_reshape_as_another_does_not_read_it(beside):
    beside(shape.ReshapeAs(), numbers(*IMAGE), numbers(6, 24), rtol=0, atol=0)


@settings(max_examples=20, deadline=None)
@given(groups=st.sampled_from([1, 2, 3, 6]), ways=st.tuples(LAYOUT, LAYOUT), threads=st.integers(1, 2))
def test_channels_are_shuffled(beside, groups, ways, threads):
    beside(shape.ChannelShuffle(groups), numbers(*IMAGE), layouts=ways, threads=threads, rtol=0, atol=0)


def test_large_copies_are_shared_out_among_the_threads():
    spec, flat = Spec((1, 64, 90, 80), np.dtype(np.float32)), Spec((1, 64 * 7200), np.dtype(np.float32))
    bound = bind_kernel(ReshapeKernel(spec.shape, flat.shape), [spec], [flat], threads=2)
    assert [len(stage) for stage in bound.stages] == [2]
    bound.run()
    np.testing.assert_array_equal(bound.outputs[0].array, bound.inputs[0].array.reshape(flat.shape))
