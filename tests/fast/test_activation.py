"""Activations: kernels against the layers, as they are called by themselves and on the tiles of others."""

import contextlib
import itertools
import math
import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import KuiperError, unique
from kuiper.fast.kernels.base.kernel import lowers
from kuiper.fast.kernels.elementwise.activation import ACTIVATIONS, ActivationKernel, ActivationSteps, activation_of
from kuiper.graph import Operator
from kuiper.layers.binding import Binding, arguments, needed
from kuiper.layers.elementwise import activation as simple
from kuiper.layers.elementwise import elementwise
from kuiper.layers.elementwise.identity import Dropout, Identity
from kuiper.layers.elementwise.softmax import Softmax
from kuiper.layers.layer import Bound
from kuiper.layers.layer import call as computed

WITHOUT_KERNEL = (Identity, Dropout)
"""Layers that are only fused into others: by themselves they are views."""
USUAL = (0.3, 2.5, 30.0, -0.5, "tanh")
UNUSUAL = (0, 1, -1, 1e30, math.inf, -math.inf, math.nan, None, True, "inf", "none")
ARRAYS = (np.array([0.5], np.float32), np.array(0.5, np.float32), np.float32(0.5), np.array([-0.5, 2.5], np.float32))
"""What every option of every line of ACTIVATIONS is set to, if its layer takes it."""


def layer_of(kind, **options):
    """The class's layer with these options; those that have no default are USUAL's first value."""
    return kind(**(dict.fromkeys(needed(kind), USUAL[0]) | options))


def varied(kind, *values):
    """The class's layers with each option in turn set to each of the values: (option, layer) pairs."""
    found = []
    for name, value in itertools.product(arguments(kind), values):
        with contextlib.suppress(Exception):  # from a graph these are KuiperErrors of build
            found.append((name, layer_of(kind, **{name: value})))
    return found


def with_steps(kind):
    """The layer as `layer_of` makes it, and those with one option set, for which there are steps."""
    return [layer for layer in (layer_of(kind), *(layer for _, layer in varied(kind, *USUAL))) if activation_of(layer)]


LAYERS = [layer for kind in ACTIVATIONS if kind not in WITHOUT_KERNEL for layer in with_steps(kind)]
LAYERS += [simple.Hardtanh(-0.5, 3), simple.Softplus(2.0, 30.0), elementwise.Clamp(1.0, -1.0)]
LAYER = st.sampled_from(LAYERS)
FUSED_ONLY = [kind() for kind in WITHOUT_KERNEL]
SPECIAL = np.array([0, -0.0, math.nan, math.inf, 1e-30, -1e-30, 88, -88, 1000, -1000, 1e9, -1e9], np.float32)


def numbers(*shape, seed=0):
    x = np.random.default_rng(seed).normal(size=shape, scale=4).astype(np.float32)
    x.flat[: SPECIAL.size] = SPECIAL[: x.size]
    return x


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    layer=LAYER,
    shape=st.sampled_from([(7,), (3, 5), (2, 3, 4, 5), (1, 4, 90, 91), (2, 1, 1, 1), (2, 3, 0, 4), (1,), (1, 1)]),
    ways=st.tuples(*[st.sampled_from(["nchw", "nhwc", "halo", "wide", "wide nchw"])] * 2),
    threads=st.integers(1, 2),
)
def test_kernel_computes_what_the_layer_does(beside, layer, shape, ways, threads):
    beside(layer, numbers(*shape), layouts=ways, threads=threads)


def by_steps(layer, x):
    """What the layer's steps give."""
    y = np.empty_like(x)
    for each in activation_of(layer).calls(x.copy(), y, lambda: np.empty_like(x)):
        each()
    return y


def by_layer(layer, x):
    """What the layer gives; None where it refuses its options."""
    with contextlib.suppress(kuiper.KuiperError):
        return computed(layer, Operator("", ""), [x])


@pytest.mark.parametrize("kind", ACTIVATIONS)
def test_steps_know_every_option_or_leave_the_layer_to_compute(kind):
    x = numbers(300)
    with np.errstate(all="ignore"):
        for name, layer in varied(kind, *USUAL, *UNUSUAL, *ARRAYS):
            if activation_of(layer) is not None:
                said = f"{name} of {vars(layer)}"
                np.testing.assert_allclose(by_steps(layer, x), by_layer(layer, x), rtol=1e-5, atol=1e-6, err_msg=said)


@pytest.mark.parametrize("kind", [kind for kind in ACTIVATIONS if kind not in WITHOUT_KERNEL])
def test_each_option_is_set_to_values_that_change_what_the_layer_gives(kind):
    x = np.linspace(-40, 40, 400, dtype=np.float32)
    with np.errstate(all="ignore"):
        for option in arguments(kind):
            results = [by_layer(layer, x) for name, layer in varied(kind, *USUAL, *UNUSUAL) if name == option]
            different = {result.tobytes() for result in results if result is not None}
            assert len(different) > 1, f"{option}: no two of the values change the result; add one to USUAL"
    assert kind in map(type, LAYERS)


@pytest.mark.parametrize("layer", LAYERS + FUSED_ONLY, ids=lambda layer: type(layer).__name__)
@pytest.mark.parametrize("spoil", [True, False])
@pytest.mark.parametrize("in_place", [True, False])
def test_function_may_overwrite_its_operand_only_where_that_is_allowed(layer, spoil, in_place):
    x = numbers(6, 50)
    wide = np.full((6, 60), 9, np.float32)
    source = wide[:, 3:53] if in_place else x.copy()
    target = wide[:, 3:53]
    source[...] = x
    taken = []

    def take():
        taken.append(np.full(target.shape, 5, np.float32))
        return taken[-1]

    activation = activation_of(layer)
    for call in activation.calls(source, target, take, spoil=spoil):
        call()
    np.testing.assert_allclose(target, layer.forward(x), rtol=1e-5, atol=1e-6)
    assert (wide[:, :3] == 9).all()
    assert (wide[:, 53:] == 9).all()
    assert len(taken) <= (2 if isinstance(layer, (simple.GELU, simple.Mish)) else 1)
    if not spoil and not in_place:
        np.testing.assert_array_equal(source, x)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: type(layer).__name__)
def test_factor_can_be_left_to_whoever_makes_the_operand(layer):
    activation = activation_of(layer)
    x = np.linspace(-9, 9, 500, dtype=np.float32)
    y = np.empty_like(x)
    for call in activation.without_factor.calls(x * np.float32(activation.factor), y, lambda: np.empty_like(x)):
        call()
    np.testing.assert_allclose(y, layer.forward(x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("factor", [math.inf, math.nan, 1e39])
def test_no_function_for_a_factor_that_is_no_finite_float32(net, load, monkeypatch, factor):
    steps = ActivationSteps("mine", lambda apply, x: apply(np.tanh, x), 0.4, factor=factor)
    monkeypatch.setitem(ACTIVATIONS, simple.Tanh, lambda layer: steps)
    assert activation_of(simple.Tanh()) is None
    network = net()
    weight = np.array([[0, 0, 0], [1, 2, 3]], np.float32)
    options = {"in_features": 3, "out_features": 2, "bias": False, "weights": {"weight": weight}}
    network.returns(network.op("nn.Tanh", network.op("nn.Linear", network.input(4, 3), **options)))
    x = numbers(9, 3)[5:]  # without those that are not finite
    np.testing.assert_allclose(load(network, engine="fast")(x)[0], np.tanh(x @ weight.T), rtol=1e-5, atol=1e-6)


def test_hardswish_after_a_producer_that_scales_takes_three_passes():
    x = np.ones(4, np.float32)
    activation = activation_of(simple.Hardswish())
    assert len(activation.calls(x, x.copy(), lambda: x.copy())) == 4
    assert len(activation.without_factor.calls(x, x.copy(), lambda: x.copy())) == 3


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: type(layer).__name__)
def test_large_numbers_give_no_warning(layer):
    x = np.array([-1e11, -1e4, 0, 1e4, 1e11], np.float32)
    y = np.empty_like(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call in activation_of(layer).calls(x.copy(), y, lambda: np.empty_like(x)):
            call()
    np.testing.assert_allclose(y, layer.forward(x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: type(layer).__name__)
def test_infinity_and_nan_give_what_the_layer_gives(layer):
    x = np.array([-math.inf, math.inf, math.nan], np.float32)
    y = x.copy()
    with np.errstate(invalid="ignore"):
        for call in activation_of(layer).calls(y, y, lambda: np.empty_like(y)):
            call()
        np.testing.assert_allclose(y, layer.forward(x), rtol=1e-5, atol=1e-6)


def test_gelu_is_within_a_millionth_of_the_normal_distribution():
    x = np.linspace(-9, 9, 20001)
    y = x.astype(np.float32)
    for call in activation_of(simple.GELU()).calls(y, y, lambda: np.empty_like(y)):
        call()
    exact = [value * 0.5 * (1 + math.erf(value / math.sqrt(2))) for value in x.astype(np.float32).tolist()]
    assert np.max(np.abs(y - exact) / np.maximum(1, np.abs(x))) < 5e-7


def test_work_that_is_large_enough_is_shared_by_the_threads(beside):
    kernel = beside(simple.SiLU(), numbers(1, 8, 300, 200), layouts=("halo", "nhwc"), threads=2)
    assert kernel.name == "silu"


@pytest.mark.parametrize(
    "layer",
    [
        *(simple.LeakyReLU(0.0), simple.CELU(-2.0), simple.Softplus(1.0, 2.0), simple.Softplus(-1.0)),
        *(elementwise.Clamp(np.zeros(3, np.float32)), elementwise.Clamp(), elementwise.Clamp(True, 2)),
        Softmax(1),
    ],
)
def test_no_function_for_options_that_it_does_not_know(layer):
    assert activation_of(layer) is None


@pytest.mark.parametrize(
    ("steps", "fault"),
    [
        (lambda apply, x: None, "expected the result of the last apply returned, found None"),
        (lambda apply, x: [apply(np.exp, x)], "expected the result of the last apply returned, found [Prog"),
        (lambda apply, x: (apply(np.exp, x), x)[1], "expected the result of the last apply returned, found another"),
        (lambda apply, x: apply(np.modf, x), "apply(modf): expected a function with one result, found 2 results"),
        (lambda apply, x: apply(np.exp, None), "apply(exp): expected values of the program and numbers, found None"),
        (lambda apply, x: x + 3, "write apply(np.add, x, 3)"),
        (lambda apply, x: 2 * apply(np.exp, x), "write apply(np.multiply, 2, x)"),
        (lambda apply, x: -x, "write apply(np.negative, x)"),
        (lambda apply, x: np.exp(x), "write apply(np.exp, x)"),
    ],
)
def test_faulty_steps_are_refused_when_the_plan_is_made(tmp_path, monkeypatch, steps, fault):
    monkeypatch.setitem(ACTIVATIONS, simple.ReLU, lambda layer: ActivationSteps("mine", steps, 0.1))
    param = "7767517\n3 2\npnnx.Input in 0 1 0 #0=(2,3)f32\nnn.ReLU r 1 1 0 1\npnnx.Output out 1 0 1\n"
    (tmp_path / "net.pnnx.param").write_text(param)
    graph = kuiper.load(tmp_path / "net.pnnx.param", engine="fast")
    with pytest.raises(KuiperError, match=re.escape(fault)) as caught:
        graph(np.ones((2, 3), np.float32))
    assert "steps of mine: " in str(caught.value)


@pytest.mark.parametrize("dtype", [np.float64, np.float16, np.int32])
def test_no_kernel_for_another_element_type(lowered, dtype):
    assert lowered(simple.ReLU(), np.ones((2, 3), dtype)) is None


def test_bounds_that_come_as_inputs_have_a_kernel_only_if_they_are_constant(lowered):
    x, layer = np.ones((2, 3), np.float32), Bound(elementwise.Clamp, Binding({}, ["x", "min", "max"]))
    assert isinstance(lowered(layer, x, 0.0, 1.0), ActivationKernel)
    assert lowered(layer, x, np.zeros(()), np.ones(())) is None


def test_a_layer_class_has_one_kernel_and_its_steps_stand_once():
    with pytest.raises(KuiperError, match="ReLU has a kernel already"):
        lowers(simple.ReLU)(lambda step: None)
    with pytest.raises(KuiperError, match="ReLU has steps already"):
        unique("has steps already", *ACTIVATIONS.items(), (simple.ReLU, lambda layer: None))


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: type(layer).__name__)
def test_bounds_and_gate_say_what_the_steps_compute(layer):
    activation = activation_of(layer)
    x = np.linspace(-9, 9, 500, dtype=np.float32)
    if activation.bounds is not None:
        np.testing.assert_allclose(np.clip(x, *activation.bounds), layer.forward(x), rtol=1e-5, atol=1e-6)
    if activation.gate is not None:
        slope, shift = activation.gate
        np.testing.assert_allclose(x * np.clip(slope * x + shift, 0, 1), layer.forward(x), rtol=1e-5, atol=1e-6)


def test_some_activations_have_bounds_and_some_a_gate():
    found = [activation_of(layer) for layer in LAYERS]
    assert any(each.bounds for each in found)
    assert any(each.gate for each in found)
