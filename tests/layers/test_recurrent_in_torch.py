"""RNN, GRU and LSTM against PyTorch: every option, initial states, and the outputs that PNNX leaves."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import InferError, KuiperError, ParameterError, ShapeError
from kuiper.layers.sequence.recurrent import GRU, LSTM, RNN, AtenLSTM

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
LAYERS = {"RNN": RNN, "GRU": GRU, "LSTM": LSTM}


def flat(result):
    """(output, (h, c)) or (output, h) -> [output, h, c] or [output, h]."""
    output, state = result
    return [output, *(state if isinstance(state, tuple) else [state])]


def check(got, expected, tolerance=1e-5):
    assert len(got) == len(expected)
    for ours, theirs in zip(got, expected, strict=True):
        theirs = theirs.detach().numpy()
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


def arrays(module):
    return {name: parameter.detach().numpy() for name, parameter in module.named_parameters()}


@pytest.mark.filterwarnings("ignore:LSTM with projections")
@pytest.mark.parametrize("name", LAYERS)
@given(
    sizes=st.fixed_dictionaries({"input_size": st.integers(1, 4), "hidden_size": st.integers(2, 5)}),
    options=st.fixed_dictionaries(
        {
            "num_layers": st.integers(1, 3),
            "bias": st.booleans(),
            "batch_first": st.booleans(),
            "bidirectional": st.booleans(),
        }
    ),
    length=st.integers(1, 5),
    batch=st.sampled_from([None, 1, 3]),
    projected=st.booleans(),
    relu=st.booleans(),
    initial=st.booleans(),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)
@settings(max_examples=40, deadline=None)
def test_every_option_is_pytorchs(name, sizes, options, length, batch, projected, relu, initial, dtype):
    if name == "LSTM" and projected:
        options = {**options, "proj_size": sizes["hidden_size"] - 1}
    if name == "RNN" and relu:
        options = {**options, "nonlinearity": "relu"}
    theirs = getattr(torch.nn, name)(**sizes, **options, dtype=dtype)
    shape = [length, sizes["input_size"]]
    if batch is not None:
        shape.insert(0 if options["batch_first"] else 1, batch)
    x = torch.randn(shape, dtype=dtype)
    count = options["num_layers"] * (1 + options["bidirectional"])
    sizes_of = [options.get("proj_size") or sizes["hidden_size"], sizes["hidden_size"]][: 1 + (name == "LSTM")]
    states = [torch.randn(*([count] if batch is None else [count, batch]), size, dtype=dtype) for size in sizes_of]
    given_states = (tuple(states) if len(states) == 2 else states[0]) if initial else None
    ours = LAYERS[name](arrays(theirs), **sizes, **options)
    got = ours.forward(x.numpy(), *(s.numpy() for s in states if initial))
    check(got, flat(theirs(x, given_states)), 1e-5 if dtype == torch.float32 else 1e-12)


def lstm(**options):
    module = torch.nn.LSTM(3, 4, **options)
    return LSTM(arrays(module), 3, 4, **options)


@pytest.mark.parametrize("name", LAYERS)
def test_half_precision_is_computed_in_single_precision(name):
    theirs, x = getattr(torch.nn, name)(3, 4, dtype=torch.float16), torch.randn(6, 2, 3, dtype=torch.float16)
    got = LAYERS[name](arrays(theirs), 3, 4).forward(x.numpy())
    check(got, [array.half() for array in flat(theirs.float()(x.float()))], 2e-3)


def test_shapes_that_pytorch_refuses_are_refused():
    x = np.ones((5, 2, 3), np.float32)
    for message, inputs in (
        (r"\(L, N, 3\) or \(L, 3\)", [x[..., :2]]),
        ("none of them empty", [x[:0]]),
        (r"\(L, N, 3\) or \(L, 3\)", [x[None]]),
        (r"initial state: expected \(1, 2, 4\), found \(2, 2, 4\)", [x, np.ones((2, 2, 4), np.float32)] * 2),
        ("x alone or 2 initial states", [x, np.ones((1, 2, 4), np.float32)]),
    ):
        with pytest.raises(ShapeError, match=message):
            lstm().forward(*inputs[:1], *[i for i in inputs[1:] if i is not x])
    with pytest.raises(InferError, match="expected float64 like the input, found float32"):
        lstm().forward(x.astype(np.float64))


def test_a_missing_weight_is_named():
    weights = arrays(torch.nn.GRU(3, 4, 2))
    del weights["weight_hh_l1"]
    with pytest.raises(ParameterError, match=r"weight_hh_l1: expected shape \(12, 4\), found none"):
        GRU(weights, 3, 4, num_layers=2)
    with pytest.raises(ParameterError, match="nonlinearity: expected 'tanh' or 'relu', found 'sin'"):
        RNN(arrays(torch.nn.RNN(3, 4)), 3, 4, nonlinearity="sin")


def test_an_input_is_not_written_to_and_a_result_does_not_change_with_the_next():
    x = np.random.default_rng(0).standard_normal((5, 2, 3)).astype(np.float32)
    x.flags.writeable = False
    layer = lstm(num_layers=2)
    first = [array.copy() for array in layer.forward(x)]
    for before, after in zip(first, layer.forward(x), strict=True):
        np.testing.assert_array_equal(before, after)


@pytest.fixture
def export_anyhow(export, monkeypatch):
    """`export`, for pnnx writes the files well and then may stumble over the Python code that it writes beside them."""
    pnnx = pytest.importorskip("pnnx", reason="exports with pnnx, which is not installed")
    original = pnnx.export

    def lenient(*arguments, **options):
        with contextlib.suppress(SyntaxError, AttributeError):
            original(*arguments, **options)

    monkeypatch.setattr(pnnx, "export", lenient)
    return export


class Three(torch.nn.Module):
    """One network of each kind; `use` says which of their results are returned."""

    def __init__(self, use, *sizes, **options):
        super().__init__()
        self.layers = torch.nn.ModuleList(getattr(torch.nn, name)(*sizes, **options) for name in LAYERS)
        self.use = use

    def forward(self, *inputs):
        return [array for layer in self.layers for array in self.use(layer, *inputs)]


def rotated(items):
    return [*items[1:], items[0]]


USES = {
    "all": lambda layer, x: flat(layer(x)),
    "output": lambda layer, x: flat(layer(x))[:1],
    "states": lambda layer, x: flat(layer(x))[1:],
    "states before output": lambda layer, x: rotated(flat(layer(x))),
    "last hidden state": lambda layer, x: flat(layer(x))[1:2],
    "output and hidden state": lambda layer, x: flat(layer(x))[:2],
}


@pytest.mark.parametrize("use", USES)
def test_the_outputs_that_a_network_uses_are_recognised_by_their_shapes(export_anyhow, use):
    model = Three(USES[use], 3, 4, 2, batch_first=True, bidirectional=True).eval()
    x = torch.randn(2, 5, 3)
    graph = kuiper.load(export_anyhow(model, x, dynamic=(torch.randn(3, 6, 3),)))
    for batch in (x, torch.randn(4, 3, 3)):
        check(graph(batch.numpy()), model(batch))


@pytest.mark.parametrize("batch", [(), (2,)])
def test_initial_states_are_inputs(export_anyhow, batch):
    def use(layer, x, *states):
        return flat(layer(x, states if isinstance(layer, torch.nn.LSTM) else states[0]))

    model = Three(use, 3, 4, bidirectional=True).eval()
    inputs = torch.randn(5, *batch, 3), torch.randn(2, *batch, 4), torch.randn(2, *batch, 4)
    check(kuiper.load(export_anyhow(model, *inputs))(*(array.numpy() for array in inputs)), model(*inputs))


class Tied(torch.nn.Module):
    """Two layers that share one weight."""

    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.LSTM(3, 3), torch.nn.LSTM(3, 3)
        self.second.weight_ih_l0 = self.first.weight_ih_l0

    def forward(self, x):
        return self.second(self.first(x)[0])


def test_layers_may_share_a_weight(export_anyhow):
    model, x = Tied().eval(), torch.randn(5, 2, 3)
    check(kuiper.load(export_anyhow(model, x))(x.numpy()), flat(model(x)))


@pytest.mark.parametrize(
    ("model", "shape"),
    [
        (torch.nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2), (5, 2, 3)),
        (torch.nn.LSTM(3, 4, bias=False, batch_first=True), (2, 5, 3)),
        (torch.nn.GRU(3, 4, 2), (5, 3)),
        (torch.nn.RNN(3, 4, bidirectional=True), (5, 2, 3)),
        (torch.nn.RNN(3, 4, nonlinearity="relu"), (5, 2, 3)),
    ],
    ids=str,
)
def test_a_layer_that_is_the_whole_network_is_computed(export_anyhow, model, shape):
    assert kuiper.registry.layer_class("aten::lstm") is AtenLSTM
    x = torch.randn(shape)
    check(kuiper.load(export_anyhow(model.eval(), x))(x.numpy()), flat(model(x)))


def test_a_parameter_that_is_not_known_names_the_operator(tmp_path):
    (tmp_path / "net.pnnx.param").write_text(
        "7767517\n3 2\npnnx.Input in 0 1 0 #0=(5,3)f32\n"
        "nn.GRU gru 1 1 0 1 input_size=3 hidden_size=4 swing=1\npnnx.Output out 1 0 1\n"
    )
    with pytest.raises(KuiperError, match=r"gru.*swing"):
        kuiper.load(tmp_path / "net.pnnx.param")
