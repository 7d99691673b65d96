"""The compiled depthwise convolution: as numpy's, for every option and layout; and everything works without numba."""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kuiper.fast.kernels.base import compiler
from kuiper.fast.kernels.base.buffer import Spec
from kuiper.fast.kernels.conv import compiled
from kuiper.fast.kernels.conv.compiled import Compiled
from kuiper.fast.kernels.conv.depthwise import Depthwise
from kuiper.fast.kernels.elementwise import activation as steps
from kuiper.fast.tuning import choices
from kuiper.fast.tuning.benchmark import bind_kernel
from kuiper.layers.image.convolution import Conv2d
from kuiper.scalars.steps import clip

LAYOUT = st.sampled_from(["nchw", "nhwc", "halo", "wide", "wide nchw"])
WAYS = st.tuples(LAYOUT, LAYOUT)
LANES = st.integers(1, 2)
PAIR = st.tuples(st.integers(1, 3), st.integers(1, 3))
SIZES = [(3, 3), (1, 2)]
"""Kernels that the tests compile; each takes a while."""


def gated(apply, x):
    """x clip(x / 4 + 3/4, 0, 1)."""
    return apply(np.multiply, x, apply(clip, apply(np.add, apply(np.multiply, x, 0.25), 0.75), 0, 1))


FUNCTIONS = {
    "relu": steps.clamp(0, None),
    "relu6": steps.clamp(0, 6),
    "clamp": steps.clamp(-0.5, 0.25),
    "empty clamp": steps.clamp(1, -1),
    "clamp to nan": steps.clamp(float("nan"), 1),
    "hardswish": steps.HARDSWISH,
    "gate": steps.ActivationSteps("gate", gated, 0.3, gate=(0.25, 0.75)),
    "silu": steps.SILU,
    "identity": steps.IDENTITY,
    "none": None,
}


@pytest.fixture(scope="module")
def numba():
    """numba, where it is installed."""
    return pytest.importorskip("numba", reason="compiles with numba, which is not installed")


@pytest.fixture
def interpreted(monkeypatch):
    """The loops run as the Python that they are, whether numba is there or not."""
    monkeypatch.setattr(compiled, "depthwise", compiled.depthwise_loop)


@pytest.fixture
def without_numba(monkeypatch):
    """A Python where numba is not installed."""
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "numba" else found(name, *rest)
    )


@st.composite
def cases(draw, kernels, channels):
    """The options of a depthwise Conv2d, and a small image that it takes."""
    channels = draw(channels)
    kernel, dilation, padding = draw(kernels), draw(PAIR), draw(st.tuples(st.integers(0, 2), st.integers(0, 2)))
    least = [max(1, (k - 1) * d + 1 - 2 * p) for k, d, p in zip(kernel, dilation, padding)]
    size = [draw(st.integers(low, low + 4)) for low in least]
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    weight, bias, x = (
        rng.standard_normal(shape).astype(np.float32)
        for shape in ((channels, 1, *kernel), channels, (draw(st.integers(1, 2)), channels, *size))
    )
    options = {"stride": draw(PAIR), "padding": padding, "dilation": dilation, "groups": channels}
    return {"weight": weight, "bias": bias if draw(st.booleans()) else None, **options}, x


def finished(y, activation):
    """What the epilogue's own calls make of y."""
    if activation is not None:
        for call in activation.calls(y, y, lambda: np.empty_like(y)):
            call()
    return y


@pytest.mark.usefixtures("interpreted")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    case=cases(st.tuples(st.integers(1, 4), st.integers(1, 3)), st.integers(2, 3)),
    ways=st.tuples(LAYOUT, LAYOUT),
    threads=LANES,
)
def test_the_loop_is_the_convolution_for_every_option(beside, lowered, case, ways, threads):
    options, x = case
    layer = Conv2d(**options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kuiper.fast.kernels.base.workspace.WORTH_FORKING", -1)
        kernel = lowered(layer, x)
        beside(layer, x, kernel=Compiled(kernel.problem, kernel.epilogue), layouts=ways, threads=threads, atol=1e-5)


@pytest.mark.slow
@pytest.mark.usefixtures("numba")
@settings(max_examples=60, deadline=None)
@given(
    case=cases(st.sampled_from(SIZES), st.sampled_from([2, 3, 8, 17, 40])),
    ways=WAYS,
    threads=LANES,
    activation=st.sampled_from(sorted(FUNCTIONS)),
)
def test_machine_code_agrees_with_numpy_but_for_rounding(beside, lowered, case, ways, threads, activation):
    options, x = case
    function = FUNCTIONS[activation]
    terms = {**options, "weight": abs(options["weight"]), "bias": None}
    scale = float(Conv2d(**terms).forward(abs(x)).max())  # of the sums' terms, which is what rounding errors go by
    layer = Conv2d(**options)
    kernel = lowered(layer, x)
    kernel.epilogue.activation = function

    class Finished:
        def forward(self, image):
            return finished(layer.forward(image), function)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kuiper.fast.kernels.base.workspace.WORTH_FORKING", -1)
        for algorithm in (Compiled(kernel.problem, kernel.epilogue), numpys(kernel)):
            beside(Finished(), x, kernel=algorithm, layouts=ways, threads=threads, rtol=1e-6, atol=1e-6 * max(scale, 1))


def numpys(kernel):
    return Depthwise(kernel.problem, kernel.epilogue, runs="pixels")


@pytest.mark.usefixtures("numba")
@pytest.mark.parametrize("activation", sorted(FUNCTIONS))
@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf, 3e38])
def test_nan_and_infinity_are_what_numpy_makes_of_them(lowered, activation, special):
    x = np.random.default_rng(0).standard_normal((1, 20, 6, 6)).astype(np.float32)
    x[0, ::3, 2, 3] = special
    weight = np.random.default_rng(1).uniform(0.1, 0.4, (20, 1, 3, 3)).astype(np.float32)
    kernel = lowered(Conv2d(weight, padding=1, groups=20), x)
    kernel.epilogue.activation = FUNCTIONS[activation]
    spec = Spec(x.shape, x.dtype)
    results = []
    for algorithm in (Compiled(kernel.problem, kernel.epilogue), numpys(kernel)):
        bound = bind_kernel(algorithm, [spec], [spec])
        bound.inputs[0].array[...] = x
        with np.errstate(all="ignore"):
            bound.run()
        results.append(bound.outputs[0].array)
    np.testing.assert_allclose(*results, rtol=1e-5, atol=1e-6)


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("activation", ["relu6", "silu", "none"])
def test_a_residual_is_added_before_the_activation(lowered, activation):
    rng = np.random.default_rng(0)
    x, other = rng.standard_normal((2, 2, 5, 6, 7)).astype(np.float32)
    layer = Conv2d(rng.standard_normal((5, 1, 3, 3)).astype(np.float32), np.ones(5, np.float32), padding=1, groups=5)
    kernel = lowered(layer, x)
    kernel.epilogue.residual, kernel.epilogue.activation = True, FUNCTIONS[activation]
    spec = Spec(x.shape, x.dtype)
    bound = bind_kernel(Compiled(kernel.problem, kernel.epilogue), [spec, spec], [spec])
    for buffer, value in zip(bound.inputs, (x, other)):
        buffer.array[...] = value
    bound.run()
    expected = finished(layer.forward(x) + other, FUNCTIONS[activation])
    np.testing.assert_allclose(bound.outputs[0].array, expected, rtol=1e-5, atol=1e-5)


def depthwise_convolution(lowered, size=3):
    x = np.zeros((1, 4, 9, 9), np.float32)
    return lowered(Conv2d(np.ones((4, 1, size, size), np.float32), groups=4), x), Spec(x.shape, x.dtype)


def names(kernel):
    return [candidate.name for candidate in kernel.candidates()]


def test_it_is_a_candidate_only_for_small_kernels_of_one_channel_each(lowered, monkeypatch):
    monkeypatch.setattr(compiler, "installed", lambda: True)
    assert "Compiled()" in names(depthwise_convolution(lowered)[0])
    assert "Compiled()" not in names(depthwise_convolution(lowered, 8)[0])
    x = np.zeros((1, 4, 9, 9), np.float32)
    for weight, groups in ((np.ones((4, 4, 3, 3)), 1), (np.ones((4, 2, 3, 3)), 2), (np.ones((8, 1, 3, 3)), 4)):
        assert "Compiled()" not in names(lowered(Conv2d(weight.astype(np.float32), groups=groups), x))


@pytest.mark.usefixtures("without_numba")
def test_without_numba_another_algorithm_is_taken_whatever_was_known(lowered):
    kernel, x = depthwise_convolution(lowered)
    assert "Compiled()" not in names(kernel)
    y = Spec((1, 4, 7, 7), x.dtype)
    found = choices.Choices({"key": "Compiled()"})
    chosen = found.choose(kernel, [x], [y], "key", 1)
    assert found.used == {"key": chosen.name}
    assert chosen.name in names(kernel)


def test_what_is_fastest_with_numba_is_remembered_apart(without_numba, monkeypatch):
    without = choices.default_file()
    monkeypatch.setattr(compiler, "installed", lambda: True)
    assert choices.default_file() != without


@pytest.mark.parametrize("fault", [ImportError("numba needs another numpy"), OSError("no such library")])
def test_a_numba_that_cannot_be_imported_is_as_good_as_none(beside, lowered, monkeypatch, fault):
    def fail(name):
        raise fault

    monkeypatch.setattr(importlib, "import_module", fail)
    compiled.depthwise.cache_clear()
    layer = Conv2d(np.ones((4, 1, 2, 2), np.float32), groups=4)
    x = np.random.default_rng(0).standard_normal((1, 4, 5, 5)).astype(np.float32)
    kernel = lowered(layer, x)
    beside(layer, x, kernel=Compiled(kernel.problem, kernel.epilogue))
    compiled.depthwise.cache_clear()


def test_numba_is_imported_only_to_compile():
    program = """if True:
        import sys
        import numpy as np
        import kuiper
        from kuiper.fast.kernels.conv.convolution import Convolution, Problem
        from kuiper.fast.kernels.base.kernel import Epilogue
        from kuiper.fast.kernels.base.buffer import Halo
        weight = np.ones((4, 1, 3, 3), np.float32)
        problem = Problem(1, 4, (9, 9), 4, (7, 7), (3, 3), (1, 1), (1, 1), Halo(), 4, weight)
        Convolution(problem, Epilogue()).candidates()
        print("numba" in sys.modules)
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]


COUNT_UP = "void(float32[::1], uint64)"


def count_up(x, n):
    for i in range(n):
        x[i] = i


def test_code_is_kept_for_the_next_process(numba, tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    first = compiler.machine_code(count_up, COUNT_UP, tmp_path)
    again = compiler.machine_code(count_up, COUNT_UP, tmp_path)
    assert list(tmp_path.rglob("*count_up*.nbc"))
    assert sum(first.stats.cache_hits.values()) == 0
    assert sum(again.stats.cache_hits.values()) == 1
    assert numba.config.CACHE_DIR == ""


def test_numbas_own_folder_goes_before_ours(numba, tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "theirs"))
    compiler.machine_code(count_up, COUNT_UP, tmp_path / "ours")
    assert (tmp_path / "theirs").is_dir()
    assert not (tmp_path / "ours").exists()
    assert str(tmp_path / "theirs") == numba.config.CACHE_DIR


@pytest.mark.usefixtures("numba")
def test_where_nothing_can_be_kept_it_is_compiled_all_the_same(tmp_path):
    space = {}
    exec("def two(x, n):\n    x[n] = 2", space)  # a function without a file, which numba cannot keep
    x = np.zeros(3, np.float32)
    compiler.machine_code(space["two"], COUNT_UP, tmp_path / "cache")(x, 1)
    assert x.tolist() == [0, 2, 0]


@pytest.mark.parametrize("axis", [0, 1])
def test_an_expanded_image_which_numpy_lets_nobody_write_is_read_like_others(axis):
    """numba has a type of its own for arrays that may not be written, which the compiled loop does not take."""
    image = np.arange(24, dtype=np.float32).reshape(2, 3, 4)[
        tuple(slice(1) if i == axis else slice(None) for i in (0, 1))
    ]
    wide = np.broadcast_to(image, [5 if i == axis else n for i, n in enumerate(image.shape)])
    numbers, (row, pixel) = compiled.flat(wide), compiled.strides_of(wide)
    assert numbers.flags.writeable
    for r, q, c in np.ndindex(wide.shape):
        assert numbers[r * row + q * pixel + c] == wide[r, q, c]
