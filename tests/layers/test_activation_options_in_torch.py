"""Gates, shrinks and the other activations against PyTorch: options, element types, extremes."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import KuiperError, ParameterError, ShapeError
from kuiper.layers.elementwise import activation as layers
from kuiper.layers.elementwise.activation import GELU, Hardsigmoid, Hardswish, LeakyReLU
from kuiper.layers.elementwise.softmax import Softmax, Softmax2d, Softmin

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
F = torch.nn.functional

FLOATS = st.floats(-4, 4, width=16)
OPTIONS = {
    "ELU": (F.elu, st.fixed_dictionaries({"alpha": FLOATS})),
    "CELU": (F.celu, st.fixed_dictionaries({"alpha": FLOATS.filter(lambda a: abs(a) > 0.5)})),
    "SELU": (F.selu, st.just({})),
    "GLU": (F.glu, st.just({})),
    "Hardshrink": (F.hardshrink, st.fixed_dictionaries({"lambd": FLOATS})),
    "Softshrink": (F.softshrink, st.fixed_dictionaries({"lambd": FLOATS.map(abs)})),
    "Tanhshrink": (F.tanhshrink, st.just({})),
    "Hardtanh": (F.hardtanh, st.fixed_dictionaries({"min_val": FLOATS, "max_val": st.floats(4, 9, width=16)})),
    "Threshold": (F.threshold, st.fixed_dictionaries({"threshold": FLOATS, "value": FLOATS})),
    "LogSigmoid": (F.logsigmoid, st.just({})),
    "Softplus": (
        F.softplus,
        st.fixed_dictionaries({"beta": FLOATS.filter(lambda b: abs(b) > 0.1), "threshold": st.floats(-3, 30)}),
    ),
    "Softsign": (F.softsign, st.just({})),
    "Mish": (F.mish, st.just({})),
    "RReLU": (F.rrelu, st.fixed_dictionaries({"lower": FLOATS, "upper": st.just(4.5)})),
}
TOLERANCE = {np.float16: 2e-3, np.float32: 1e-6, np.float64: 1e-14}


def check(got, expected, dtype=np.float32):
    expected = expected.numpy()
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(got, expected, rtol=20 * TOLERANCE[dtype], atol=2 * TOLERANCE[dtype])


@pytest.mark.slow
@pytest.mark.parametrize("name", OPTIONS)
@given(data=st.data(), dtype=st.sampled_from(list(TOLERANCE)))
@settings(max_examples=30, deadline=None)
def test_every_option_is_pytorchs(name, data, dtype):
    function, options = OPTIONS[name]
    options = data.draw(options)
    rows = data.draw(st.lists(st.tuples(*[st.floats(-60, 60, width=16)] * 2), min_size=1, max_size=9))
    x = np.array(rows, dtype)
    x.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        got = getattr(layers, name)(**options).forward(x)
    check(got, function(torch.from_numpy(x.copy()), **options), dtype)


@pytest.mark.parametrize("name", sorted(OPTIONS.keys() - {"GLU"}))
@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (2, 1, 2, 1, 2)])
def test_any_shape_is_taken(name, shape):
    options = {"threshold": 0.5, "value": 2.0} if name == "Threshold" else {}
    x = np.linspace(-3, 3, max(1, int(np.prod(shape))), dtype=np.float32)[: int(np.prod(shape))].reshape(shape)
    check(getattr(layers, name)(**options).forward(x), OPTIONS[name][0](torch.from_numpy(x), **options))


@pytest.mark.parametrize("name", sorted(OPTIONS.keys() - {"GLU"}))
def test_infinities_and_nan_are_pytorchs(name):
    options = {"threshold": 0.5, "value": 2.0} if name == "Threshold" else {}
    x = np.array([np.nan, np.inf, -np.inf, -0.0], np.float32)
    with np.errstate(invalid="ignore"):
        got = getattr(layers, name)(**options).forward(x)
    np.testing.assert_array_equal(got, OPTIONS[name][0](torch.from_numpy(x), **options).numpy())


DTYPES = [np.int8, np.int64, np.uint8, np.bool_, np.complex64]
OTHERS = {
    "GELU": (GELU(), F.gelu),
    "Hardsigmoid": (Hardsigmoid(), F.hardsigmoid),
    "Hardswish": (Hardswish(), F.hardswish),
    "LeakyReLU": (LeakyReLU(), F.leaky_relu),
    "Softmax": (Softmax(0), lambda x: F.softmax(x, 0)),
    "Softmin": (Softmin(0), lambda x: F.softmin(x, 0)),
    "Threshold": (layers.Threshold(1, 7), lambda x: F.threshold(x, 1, 7)),
    "Hardtanh": (layers.Hardtanh(0, 2), lambda x: F.hardtanh(x, 0, 2)),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", sorted(OPTIONS.keys() | OTHERS.keys()))
def test_element_types_that_pytorch_refuses_are_refused_and_others_keep_its_type(name, dtype):
    x = np.arange(4).astype(dtype)
    if name in OTHERS:
        layer, function = OTHERS[name]
    else:
        layer, function = getattr(layers, name)(), OPTIONS[name][0]
    try:
        expected = function(torch.from_numpy(x))
    except (RuntimeError, NotImplementedError):
        with pytest.raises(KuiperError, match="expected"):
            layer.forward(x)
    else:
        check(layer.forward(x), expected)


@given(
    shape=st.lists(st.integers(1, 3), min_size=0, max_size=5),
    per_channel=st.booleans(),
    dtype=st.sampled_from(list(TOLERANCE)),
)
@settings(max_examples=40, deadline=None)
def test_prelu_has_one_weight_or_one_per_channel(shape, per_channel, dtype):
    rng = np.random.default_rng(0)
    x = rng.normal(size=shape).astype(dtype)
    weight = rng.normal(size=shape[1] if per_channel and len(shape) > 1 else 1).astype(dtype)
    got = np.asarray(layers.PReLU(weight).forward(x))
    check(got, F.prelu(torch.from_numpy(np.asarray(x)), torch.from_numpy(weight)), dtype)


@pytest.mark.parametrize(("shape", "size"), [((3,), 3), ((2, 3), 2), ((), 2)])
def test_prelu_with_a_weight_that_does_not_fit_the_channels_is_refused(shape, size):
    with pytest.raises(RuntimeError):
        F.prelu(torch.ones(shape), torch.ones(size))
    with pytest.raises(ShapeError, match=f"expected {size} channels in axis 1"):
        layers.PReLU(np.ones(size, np.float32)).forward(np.ones(shape, np.float32))


@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_glu_halves_any_dimension(data):
    shape = data.draw(st.lists(st.sampled_from([2, 4, 6]), min_size=1, max_size=4))
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    check(layers.GLU(dim).forward(x), F.glu(torch.from_numpy(x), dim))


@pytest.mark.parametrize(("shape", "dim"), [((3, 2), 0), ((), -1), ((2,), 1)])
def test_glu_of_a_dimension_without_two_halves_is_refused(shape, dim):
    with pytest.raises((RuntimeError, IndexError)):
        F.glu(torch.ones(shape), dim)
    with pytest.raises(ShapeError, match=f"an even size in dimension dim = {dim}"):
        layers.GLU(dim).forward(np.ones(shape, np.float32))


def test_options_that_pytorch_refuses_are_refused():
    for make in (lambda: layers.CELU(0), lambda: layers.Softshrink(-1), lambda: layers.Hardtanh(1, 0)):
        with pytest.raises(ParameterError, match="expected"):
            make()


@given(data=st.data(), dtype=st.sampled_from(list(TOLERANCE)))
@settings(max_examples=30, deadline=None)
def test_softmin_along_every_dimension_is_pytorchs(data, dtype):
    shape = data.draw(st.lists(st.integers(0, 3), min_size=0, max_size=4))
    dim = data.draw(st.integers(-max(1, len(shape)), max(1, len(shape)) - 1))
    x = np.random.default_rng(0).normal(0, 9, shape)
    x = np.asarray(x, dtype)
    check(np.asarray(Softmin(dim).forward(x)), F.softmin(torch.from_numpy(x), dim), dtype)
    check(np.asarray(Softmax(dim).forward(x)), F.softmax(torch.from_numpy(x), dim), dtype)


@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (3, 4, 5), (4, 5)])
def test_softmax2d_takes_images_alone(shape):
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    if len(shape) == 2:
        with pytest.raises(ShapeError, match=r"\(N, C, H, W\) or \(C, H, W\)"):
            Softmax2d().forward(x)
    else:
        check(Softmax2d().forward(x), torch.nn.Softmax2d()(torch.from_numpy(x)))


class Activations(torch.nn.Module):
    """Modules and functions of this family one beside the other."""

    def __init__(self):
        super().__init__()
        self.learned = torch.nn.PReLU(6)
        self.learned.weight.data = torch.linspace(-0.5, 0.5, 6)
        self.weight = torch.nn.Parameter(torch.linspace(0, 1, 6))
        self.modules_ = torch.nn.ModuleList([
            torch.nn.ELU(0.3), torch.nn.CELU(2.0), torch.nn.SELU(), torch.nn.GLU(1), torch.nn.Hardshrink(0.2),
            torch.nn.Hardtanh(-2, 0.5), torch.nn.LogSigmoid(), torch.nn.Mish(), torch.nn.RReLU(0.1, 0.4),
            torch.nn.Softmin(1), torch.nn.Softmax2d(), torch.nn.Softplus(2, 5), torch.nn.Softshrink(0.1),
            torch.nn.Softsign(), torch.nn.Tanhshrink(), torch.nn.Threshold(0.1, 20), torch.nn.PReLU(),
            torch.nn.FeatureAlphaDropout(), torch.nn.AlphaDropout(), torch.nn.Identity(),
        ])  # fmt: skip

    def forward(self, x):
        functions = [
            F.elu(x, 0.3), F.celu(x, -2.0), F.selu(x), F.glu(x), F.hardshrink(x), F.hardtanh(x, -1, 2),
            F.logsigmoid(x), F.mish(x), F.rrelu(x, 0.1, 0.5), F.softmin(x, 2), F.softplus(x, -0.7, 15),
            F.softshrink(x), F.softsign(x), F.tanhshrink(x), F.threshold(x, 0.3, 0.4), F.prelu(x, self.weight),
            F.alpha_dropout(x, training=False), F.feature_alpha_dropout(x, training=False), self.learned(x),
        ]  # fmt: skip
        return [module(x) for module in self.modules_] + functions


def test_networks_exported_by_pnnx_give_pytorchs_numbers(export):
    model, x = Activations().eval(), torch.randn(2, 6, 4, 4)
    graph = kuiper.load(export(model, x, dynamic=(torch.randn(3, 6, 2, 4),)))
    for batch in (x, torch.randn(5, 6, 8, 4)):
        with torch.no_grad():
            expected = model(batch)
        got = graph(batch.numpy())
        assert len(got) == len(expected)
        for ours, theirs in zip(got, expected, strict=True):
            np.testing.assert_allclose(ours, theirs.numpy(), rtol=2e-5, atol=1e-6)


class SoftmaxInDouble(torch.nn.Module):
    """Softmax with an element type of its own, which PNNX does not write."""

    def forward(self, x):
        return F.softmax(x, 1, dtype=torch.float64)


def test_softmax_has_the_element_type_that_the_file_declares(export):
    x = torch.randn(2, 6)
    (got,) = kuiper.load(export(SoftmaxInDouble(), x))(x.numpy())
    check(got, SoftmaxInDouble()(x), np.float64)
