"""Products of two arrays give what the layer gives: any axes, broadcasting, strides, and numbers of threads."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.fast.kernels.base.buffer import Buffer, Spec
from kuiper.fast.kernels.base.kernel import Step
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.matmul.linear import LinearKernel
from kuiper.fast.kernels.matmul.matmul import added_product, even_cuts, matmul
from kuiper.fast.kernels.matmul.matrices import blas_takes
from kuiper.fast.tuning.benchmark import bind_kernel
from kuiper.graph import Operator
from kuiper.layers.linear.matmul import BMM, MM, MV, AddMM, BAddBMM, MatMul

LAYOUT = st.sampled_from(["nchw", "nhwc", "halo", "wide", "wide nchw"])
SIZE = st.integers(1, 40)


def numbers(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


@pytest.fixture(autouse=True)
def always_fork(monkeypatch):
    monkeypatch.setattr("kuiper.fast.kernels.base.workspace.WORTH_FORKING", 0)


@st.composite
def leading(draw):
    """Two lists of leading axes that broadcast."""
    whole = draw(st.lists(st.integers(1, 3), max_size=2))
    one = [draw(st.sampled_from([1, n])) for n in whole]
    return one[draw(st.integers(0, len(one))) :], whole


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    lead=leading(),
    n=SIZE,
    k=SIZE,
    m=SIZE,
    swap=st.booleans(),
    ways=st.tuples(LAYOUT, LAYOUT),
    threads=st.integers(1, 3),
)
def test_matrices_with_any_leading_axes(beside, lead, n, k, m, swap, ways, threads):
    one, other = lead[::-1] if swap else lead
    beside(MatMul(), numbers(0, *one, n, k), numbers(1, *other, k, m), layouts=ways, threads=threads, atol=2e-5)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("layer", "a", "b"),
    [
        (MatMul(), (5,), (5, 3)),
        (MatMul(), (5,), (2, 5, 3)),
        (MatMul(), (4, 5), (5,)),
        (MatMul(), (2, 4, 5), (5,)),
        (MV(), (40, 5), (5,)),
        (MM(), (40, 5), (5, 33)),
        (BMM(), (3, 40, 5), (3, 5, 33)),
    ],
)
def test_vectors_and_the_other_names(beside, layer, a, b, threads):
    beside(layer, numbers(0, *a), numbers(1, *b), threads=threads, atol=2e-5)


@pytest.mark.parametrize("alpha", [1, 0.5])
@pytest.mark.parametrize("beta", [1, 0, 2.5])
@pytest.mark.parametrize("x", [(33,), (40, 1), (40, 33)])
@pytest.mark.parametrize("way", ["nchw", "wide nchw"])
def test_an_added_product(beside, alpha, beta, x, way):
    for threads in (1, 2):
        arrays = numbers(0, *x), numbers(1, 40, 5), numbers(2, 5, 33)
        beside(AddMM(alpha, beta), *arrays, layouts=(way, way), threads=threads, atol=2e-5)
        arrays = numbers(0, *x), numbers(1, 2, 40, 5), numbers(2, 2, 5, 33)
        beside(BAddBMM(alpha, beta), *arrays, layouts=(way, way), threads=threads, atol=2e-5)


def test_what_beta_0_switches_off_may_be_nan(beside):
    x = np.full((4, 3), np.nan, np.float32)
    beside(AddMM(beta=0), x, numbers(1, 4, 5), numbers(2, 5, 3))


VIEWS = {
    "whole": lambda n, m: numbers(0, 2, n, m),
    "turned": lambda n, m: numbers(0, 2, m, n).swapaxes(1, 2),
    "heads": lambda n, m: numbers(0, n, 2, m).swapaxes(0, 1),
    "every second": lambda n, m: numbers(0, 2, n, 2 * m)[:, :, ::2],
    "backwards": lambda n, m: numbers(0, 2, n, m)[:, ::-1],
    "one for all": lambda n, m: np.broadcast_to(numbers(0, n, m), (2, n, m)),
    "one row": lambda n, m: np.broadcast_to(numbers(0, 2, 1, m), (2, n, m)),
}


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("a", VIEWS)
@pytest.mark.parametrize("b", VIEWS)
@pytest.mark.parametrize("y", ["whole", "turned", "heads", "every second"])
def test_operands_and_results_with_any_strides(a, b, y, threads):
    x1, x2, out = VIEWS[a](18, 5), VIEWS[b](5, 20), VIEWS[y](18, 20)
    specs = [Spec(x.shape, x.dtype) for x in (x1, x2, out)]
    kernel = matmul(Step([Operator("torch.matmul", "here", layer=MatMul())], specs[:2], specs[2:]))
    space = Workspace(threads)
    for _ in range(2):
        stages = kernel.bind([Buffer(x1), Buffer(x2)], [Buffer(out)], space)
        space = space.settled()
    for stage in stages:
        for thread in stage:
            for call in thread:
                call()
    np.testing.assert_allclose(out, x1 @ x2, rtol=1e-5, atol=2e-5)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("added", [False, True])
def test_a_product_with_a_constant_matrix_is_linear(turned, added):
    constant = numbers(0, 3, 5).T if turned else numbers(0, 5, 3)
    given = [Spec((4, 5), np.dtype(np.float32)), Spec((5, 3), np.dtype(np.float32), True, constant)]
    row = numbers(1, 3)
    if added:
        given = [Spec((3,), np.dtype(np.float32), True, row), *given]
    result = [Spec((4, 3), np.dtype(np.float32))]
    lower, layer = (added_product, AddMM()) if added else (matmul, MatMul())
    kernel = lower(Step([Operator("torch.matmul", "here", layer=layer)], given, result))
    assert isinstance(kernel, LinearKernel)
    bound = bind_kernel(kernel, given, result)
    bound.run()
    expected = bound.inputs[-2].array @ constant + (row if added else 0)
    np.testing.assert_allclose(bound.outputs[0].array, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("x", VIEWS)
def test_blas_takes_only_runs_of_memory(x):
    assert blas_takes(VIEWS[x](18, 5)) == (x in ("whole", "turned", "heads", "one for all"))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (np.ones((2, 3)), np.ones((3, 2))),
        (np.ones((2, 3), np.int64), np.ones((3, 2), np.int64)),
        (numbers(0, 3), numbers(1, 3)),
        (numbers(0, 0, 3), numbers(1, 3, 2)),
        (numbers(0, 2, 0), numbers(1, 0, 2)),
    ],
    ids=["float64", "integers", "two vectors", "no rows", "no inner size"],
)
def test_what_has_no_kernel(lowered, a, b):
    assert lowered(MatMul(), a, b) is None


@given(
    shape=st.lists(st.integers(1, 5), max_size=2), n=st.integers(1, 70), m=st.integers(1, 70), parts=st.integers(1, 4)
)
def test_cuts_cover_everything_once(shape, n, m, parts):
    seen = np.zeros((*shape, n, m), int)
    cuts = even_cuts(seen.shape, parts)
    for cut in cuts:
        seen[cut] += 1
    assert (seen == 1).all()
    assert len(cuts) <= parts


@pytest.mark.parametrize("shape", [(6, 128, 128), (3, 64, 100), (1, 20, 512)])
def test_cuts_for_two_threads_are_even(shape):
    sizes = [math.prod(part.stop - part.start for part in cut) for cut in even_cuts(shape, 2)]
    assert max(sizes) <= 1.2 * math.prod(shape) / 2
