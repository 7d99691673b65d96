"""Back ends: each computes what the layers compute, refuses what it cannot, and reads no other device's memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper import dtypes, pnnx
from kuiper.fast.kernels.elementwise.activation import ACTIVATIONS
from kuiper.layers import Layer
from kuiper.layers.binding import needed
from kuiper.layers.elementwise import activation
from kuiper.layers.elementwise.elementwise import LAYERS, Clamp, ClampMax, ClampMin
from kuiper.partition import (
    BACKENDS,
    Backend,
    BackendError,
    Device,
    Executor,
    ForeignArrayError,
    NodeGraph,
    PartitionError,
    SubGraphError,
    partition,
)
from kuiper.partition.backends import open_backend
from kuiper.partition.backends.array_module import ArrayModule
from kuiper.partition.execution.memory import DeviceArray, Memory
from kuiper.runtime import RuntimeGraph

DIGITS = "models/digits/digits.pnnx.param"
NEEDS = {"onnxruntime": ("onnx", "onnxruntime"), "torch": ("torch",), "cupy": ("cupy",)}
NAMES = ("simple", "fast", "onnxruntime", "torch", "cupy", "numpy")
KINDS = pnnx.ParameterKind


class Foreign:
    """An array that numpy's functions refuse, as they refuse cupy's."""

    __array_ufunc__ = None

    def __init__(self, array: np.ndarray) -> None:
        self.array, self.dtype, self.shape = array, array.dtype, array.shape

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("no numpy array")

    def astype(self, dtype: Any) -> Foreign:
        return Foreign(self.array.astype(dtype))


class ForeignModule:
    """numpy's functions by their names, for foreign arrays alone."""

    def __getattr__(self, name: str) -> Any:
        def call(*xs: Any) -> Foreign:
            return Foreign(getattr(np, name)(*(x.array if isinstance(x, Foreign) else x for x in xs)))

        return call


class ForeignArrays(ArrayModule):
    def __init__(self) -> None:
        super().__init__(ForeignModule(), "foreign")

    def put(self, x: np.ndarray) -> Foreign:
        return Foreign(x.copy())

    def get(self, x: Foreign) -> np.ndarray:
        return x.array


def backend_of(name: str) -> Backend:
    """A back end by name; "numpy" and "foreign" are the one behind cupy, with other modules."""
    if name == "foreign":
        return ForeignArrays()
    for package in NEEDS.get(name, ()):
        pytest.importorskip(package, reason=f"back end {name} needs {package}, which is not installed")
    return ArrayModule(np, "numpy") if name == "numpy" else open_backend(name)


def kind_of(value: Any) -> pnnx.ParameterKind:
    if isinstance(value, (list, tuple)):
        return KINDS.FLOATS if isinstance(value[0], float) else KINDS.INTS
    kinds = {bool: KINDS.BOOL, int: KINDS.INT, float: KINDS.FLOAT, str: KINDS.STRING, type(None): KINDS.NULL}
    return kinds[type(value)]


def operator(
    kind: str,
    inputs: Sequence[np.ndarray],
    params: dict[str, Any],
    weights: dict[str, np.ndarray] | None = None,
    outputs: int = 1,
) -> pnnx.Operator:
    """One operator on arrays like these."""
    op = pnnx.Operator(kind, "op")
    for i, x in enumerate(inputs):
        op.inputs.append(pnnx.Operand(f"x{i}", shape=x.shape, dtype=dtypes.of(x)))
        op.input_names.append(None)
    op.outputs = [pnnx.Operand(f"y{i}", producer=op, dtype=dtypes.DTYPES["f32"]) for i in range(outputs)]
    op.params = {key: pnnx.Parameter(kind_of(v), list(v) if isinstance(v, tuple) else v) for key, v in params.items()}
    op.attributes = {key: pnnx.Attribute.from_array(array) for key, array in (weights or {}).items()}
    op.layer = kuiper.registry.create(op) if kind in kuiper.registry else Layer()
    return op


def network_of(op: pnnx.Operator) -> RuntimeGraph:
    sources = [pnnx.Operator("pnnx.Input", f"in {operand.name}", outputs=[operand]) for operand in op.inputs]
    graph = RuntimeGraph.from_graph(
        pnnx.Graph([*sources, replace(op, layer=None), pnnx.Operator("pnnx.Output", "out", inputs=list(op.outputs))])
    )
    graph.build()
    return graph


def results(backend: Backend, op: pnnx.Operator, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    program = backend.compile(network_of(op))
    return [backend.get(y) for y in program([backend.put(x) for x in inputs])]


def agree(
    backend: Backend, op: pnnx.Operator, inputs: Sequence[np.ndarray], rtol: float = 1e-4, atol: float = 1e-5
) -> None:
    """The back end takes the operator, and computes what its layer computes."""
    assert backend.refusal(op) is None
    expected = results(open_backend("simple"), op, inputs)
    for y, wanted in zip(results(backend, op, inputs), expected, strict=True):
        assert (y.shape, y.dtype) == (wanted.shape, wanted.dtype)
        np.testing.assert_allclose(y, wanted, rtol=rtol, atol=atol)


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


X = normal(2, 6, 8, 8)
Z = normal(2, 6, 8, 8, seed=1)
EACH_ELEMENT = [
    "nn.ReLU", "F.relu", "nn.ReLU6", "nn.Sigmoid", "F.sigmoid", "torch.sigmoid", "nn.Tanh", "nn.SiLU", "F.silu",
    "nn.Hardswish", "nn.Hardsigmoid",
]  # fmt: skip
POOL = {"kernel_size": (3, 2), "stride": (2, 1), "padding": (1, 1), "ceil_mode": False}
CASES: list[tuple[str, list[np.ndarray], dict[str, Any], dict[str, np.ndarray], int]] = [
    *((kind, [4 * X], {}, {}, 1) for kind in EACH_ELEMENT),
    ("nn.LeakyReLU", [X], {"negative_slope": 0.3}, {}, 1),
    ("nn.GELU", [X], {"approximate": "none"}, {}, 1),
    ("nn.MaxPool2d", [X], {**POOL, "dilation": (1, 2), "return_indices": False}, {}, 1),
    ("F.max_pool2d", [X], {"kernel_size": (2, 2), "stride": None, "padding": (0, 0), "dilation": (1, 1),
                           "ceil_mode": False, "return_indices": False}, {}, 1),
    ("nn.AvgPool2d", [X], {**POOL, "count_include_pad": False, "divisor_override": None}, {}, 1),
    ("nn.AvgPool2d", [X], {**POOL, "count_include_pad": True, "divisor_override": None}, {}, 1),
    ("nn.AdaptiveAvgPool2d", [X], {"output_size": (1, 1)}, {}, 1),
    ("F.adaptive_avg_pool2d", [X], {"output_size": (1, 1)}, {}, 1),
    ("nn.Upsample", [X], {"mode": "nearest", "scale_factor": (2.0, 3.0), "size": None}, {}, 1),
    ("torch.flatten", [X], {"start_dim": 1, "end_dim": -1}, {}, 1),
    ("torch.cat", [X, Z], {"dim": 1}, {}, 1),
    ("Tensor.reshape", [X], {"shape": (2, 3, -1)}, {}, 1),
    ("Tensor.view", [X], {"shape": (4, 192)}, {}, 1),
    ("Tensor.permute", [X], {"dims": (0, 2, 3, 1)}, {}, 1),
    ("torch.transpose", [X], {"dim0": 1, "dim1": -1}, {}, 1),
    ("torch.split", [X], {"split_size_or_sections": (1, 2, 3), "dim": 1}, {}, 3),
    ("F.softmax", [X], {"dim": 1}, {}, 1),
    ("torch.mean", [X], {"dim": (2, 3), "keepdim": False}, {}, 1),
    ("nn.Linear", [X], {"in_features": 8, "out_features": 5, "bias": True},
     {"weight": normal(5, 8), "bias": normal(5)}, 1),
    ("nn.Linear", [X[0, 0]], {"in_features": 8, "out_features": 5, "bias": False}, {"weight": normal(5, 8)}, 1),
    ("nn.BatchNorm2d", [X], {"num_features": 6, "eps": 1e-3, "affine": True},
     {"weight": normal(6), "bias": normal(6, seed=1), "running_mean": normal(6, seed=2),
      "running_var": normal(6, seed=3) ** 2}, 1),
    ("pnnx.Expression", [X, Z], {"expr": "add(mul(@0,16),@1)"}, {}, 1),
    ("pnnx.Expression", [X, Z], {"expr": "mul(pow(mul(@0,2),2),@1)"}, {}, 1),
    ("pnnx.Expression", [X, Z], {"expr": "sub(div(@0,3.5),neg(exp(@1)))"}, {}, 1),
    ("pnnx.Expression", [X, Z], {"expr": "add(sqrt(abs(@0)),square(tanh(@1)))"}, {}, 1),
    ("pnnx.Expression", [X, Z[:1, :, :1, :1]], {"expr": "maximum(floor(@0),rsqrt(abs(@1)))"}, {}, 1),
]  # fmt: skip
BY_ONNX = {kind for kind, *_ in CASES}
BY_NUMPY = BY_ONNX - {"nn.AvgPool2d", "nn.Upsample", "Tensor.reshape",
                      "Tensor.view", "Tensor.permute", "torch.transpose", "torch.split", "F.softmax", "torch.mean",
                      "nn.BatchNorm2d"}  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} {case[2]}"[:60])
@pytest.mark.parametrize("name", NAMES[1:])
def test_an_operator_computes_what_its_layer_computes(name: str, case: Any) -> None:
    kind, inputs, params, weights, outputs = case
    backend = backend_of(name)
    op = operator(kind, inputs, params, weights, outputs)
    reason = backend.refusal(op)
    if name in ("numpy", "cupy") and kind not in BY_NUMPY:
        assert reason is not None
        return
    agree(backend, op, inputs)


OPTIONS: dict[type, dict[str, Any]] = {
    Clamp: {"min": -0.5, "max": 2},
    ClampMin: {"min": "-inf"},
    ClampMax: {"max": 1.5},
    activation.LeakyReLU: {"negative_slope": 2.5},
}
"""Options of layers that do more with some, or need what is no number; others that have no default are NEEDED."""
NEEDED = 0.5
TYPES = {kuiper.registry.layer_class(kind): kind for kind in kuiper.registry if not kind.startswith("aten::")}
BY_STEPS = [
    *((TYPES[layer], dict.fromkeys(needed(layer), NEEDED) | OPTIONS.get(layer, {}), 1) for layer in ACTIVATIONS),
    *((TYPES[layer], {}, layer.function.arity[0]) for layer in LAYERS.values() if layer.function.steps),
    ("nn.GELU", {"approximate": "tanh"}, 1),
    ("torch.clamp", {"min": 1, "max": -1}, 1),
    ("torch.maximum", {"other": 0.5}, 1),
    ("torch.hypot", {"input": 2}, 1),
    ("pnnx.Expression", {"expr": "sub(erf(maximum(@0,0.1)),exp(neg(abs(@1))))"}, 2),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("case", BY_STEPS, ids=lambda case: f"{case[0]} {case[1]}")
@pytest.mark.parametrize("name", ["foreign", "numpy", "cupy"])
def test_array_modules_compute_whatever_has_steps(name: str, case: Any, dtype: Any) -> None:
    kind, params, count = case
    backend = backend_of(name)
    inputs = [(4 * normal(3, 50, seed=seed) + (kind == "torch.log2") * 20).astype(dtype) for seed in range(count)]
    error = 2e-6 if dtype == np.float32 else 2e-3
    agree(backend, operator(kind, inputs, params), inputs, error, error)


@pytest.mark.parametrize(
    ("kind", "x", "params", "text"),
    [
        ("nn.ReLU", np.arange(3), {}, "an operand that is no array of floats"),
        ("nn.LeakyReLU", X, {"negative_slope": 0.0}, "no steps for its options"),
        ("torch.maximum", X, {}, "expected 2 inputs, found 1"),
        ("torch.maximum", X, {"other": "text"}, "a value that is neither an array nor a number"),
        ("torch.eq", X, {"other": 1}, "no way to compute torch.eq"),
    ],
)
def test_what_has_no_steps_is_refused(kind: str, x: np.ndarray, params: dict[str, Any], text: str) -> None:
    assert text in str(backend_of("numpy").refusal(operator(kind, [x], params)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["onnxruntime", "torch", "numpy", "cupy"])
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_convolutions_of_all_shapes_agree_with_the_layer(name: str, data: st.DataObject) -> None:
    backend = backend_of(name)
    pair = st.tuples(st.integers(1, 3), st.integers(1, 3))
    kernel, stride, dilation = data.draw(pair), data.draw(pair), data.draw(pair)
    padding = data.draw(st.tuples(st.integers(0, 2), st.integers(0, 2)))
    groups, per_group, out_per_group = (data.draw(st.integers(1, 3)) for _ in range(3))
    bias = data.draw(st.booleans())
    x = normal(data.draw(st.integers(1, 2)), groups * per_group, 9, 8)
    weights = {"weight": normal(groups * out_per_group, per_group, *kernel)}
    if bias:
        weights["bias"] = normal(groups * out_per_group)
    params = {
        "in_channels": groups * per_group, "out_channels": groups * out_per_group, "kernel_size": kernel,
        "stride": stride, "padding": padding, "dilation": dilation, "groups": groups, "bias": bias,
        "padding_mode": "zeros",
    }  # fmt: skip
    agree(backend, operator("nn.Conv2d", [x], params, weights), [x])


CONV = {
    "in_channels": 6, "out_channels": 6, "kernel_size": (1, 1), "stride": (1, 1), "padding": (0, 0),
    "dilation": (1, 1), "groups": 1, "bias": False, "padding_mode": "zeros",
}  # fmt: skip
REFUSED: list[tuple[str, list[np.ndarray], dict[str, Any], dict[str, np.ndarray], str]] = [
    ("F.gumbel_softmax", [X], {}, {}, "F.gumbel_softmax"),
    ("nn.Conv2d", [X], CONV | {"padding_mode": "reflect"}, {"weight": normal(6, 6, 1, 1)}, "padding_mode=reflect"),
    ("nn.MaxPool2d", [X], POOL | {"ceil_mode": True}, {}, "ceil_mode=True"),
    ("nn.AdaptiveAvgPool2d", [X], {"output_size": (2, 2)}, {}, "output_size=(2, 2)"),
    ("pnnx.Expression", [X], {"expr": "size(@0,1)"}, {}, "pnnx.Expression: size"),
    ("pnnx.Expression", [np.arange(3)], {"expr": "add(@0,1)"}, {}, "pnnx.Expression"),
]


@pytest.mark.parametrize("name", ["onnxruntime", "numpy", "cupy"])
@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case[-1])
def test_what_a_back_end_cannot_compute_it_refuses_with_a_reason(name: str, case: Any) -> None:
    kind, inputs, params, weights, text = case
    reason = backend_of(name).refusal(operator(kind, inputs, params, weights))
    assert reason is not None
    assert reason.startswith(f"{name}: ")
    assert text in reason


def test_torch_refuses_what_has_no_name_there_and_tuples() -> None:
    backend = backend_of("torch")
    assert "no_such" in str(backend.refusal(operator("torch.no_such", [X], {})))
    assert "stay with the layers" in str(backend.refusal(operator("prim::TupleConstruct", [X], {})))


# devices and their back ends


def test_a_blocked_operator_falls_back_with_the_back_ends_reason() -> None:
    backend_of("onnxruntime")
    graph = NodeGraph.from_runtime(kuiper.load(DIGITS))
    op = graph.nodes[16].operator
    assert op is not None
    op.layer = Layer()  # what the back end is asked about
    for mode in ("fewest", "tengine", "cost"):
        parts = partition(graph, [Device("ORT", backend="onnxruntime", speed=1e12), Device("CPU")], mode, min_nodes=0)
        assert parts.fallbacks == {16: f"onnxruntime: no way to write {op.type} as ONNX"}
        assert parts.subgraphs[parts.subgraph_of[16]].device.name == "CPU"


def test_a_back_end_that_is_not_known_or_not_installed_is_an_error_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BackendError, match=r"backend: expected simple, fast, .* or a Backend, found 'gpu'"):
        Device("X", backend="gpu")
    with pytest.raises(BackendError, match="found 3"):
        Device("X", backend=3)  # type: ignore[arg-type]

    class Absent(Backend):
        def __init__(self) -> None:
            raise ModuleNotFoundError("No module named 'absent'", name="absent")

        def compile(self, graph: RuntimeGraph) -> Any:
            return None

    monkeypatch.setitem(BACKENDS, "absent", Absent)
    with pytest.raises(BackendError, match=r"backend absent: not installed \(no module absent\)"):
        partition(NodeGraph.from_runtime(kuiper.load(DIGITS)), [Device("X", backend="absent"), Device("CPU")])


def test_a_device_of_a_back_end_without_some_operators_does_not_take_everything() -> None:
    assert Device("A").takes_everything
    assert Device("A", backend="fast").takes_everything
    assert not Device("A", backend="onnxruntime").takes_everything
    assert not Device("A", backend="torch").takes_everything


def test_a_part_that_cannot_be_compiled_is_named() -> None:
    class Broken(ArrayModule):
        universal = True

        def compile(self, graph: RuntimeGraph) -> Any:
            raise BackendError("no space left")

    parts = partition(NodeGraph.from_runtime(kuiper.load(DIGITS)), [Device("X", backend=Broken(np, "broken"))])
    expected = r"sub-graph 0 on X \(pnnx_expr_5 to classifier\) cannot be made ready: no space left"
    with pytest.raises(SubGraphError, match=expected):
        Executor(parts)


def test_a_back_end_that_gives_too_few_outputs_is_an_error() -> None:
    class Short(ArrayModule):
        universal = True

        def compile(self, graph: RuntimeGraph) -> Any:
            return lambda inputs: []

    executor = Executor(
        partition(NodeGraph.from_runtime(kuiper.load(DIGITS)), [Device("X", backend=Short(np, "short"))])
    )
    with pytest.raises(SubGraphError, match=r"expected 1 output\(s\) of its back end, found 0"):
        executor.run([np.zeros((1, 1, 8, 8), np.float32)])


# memories


@pytest.mark.parametrize("other", NAMES[:-1])
@pytest.mark.parametrize("name", NAMES[:-1])
def test_an_array_of_one_device_cannot_be_read_on_another(name: str, other: str) -> None:
    backend_of(name), backend_of(other)
    mine, theirs = Memory(Device("A", backend=name)), Memory(Device("B", backend=other))
    array = mine.put(X)
    with pytest.raises(ForeignArrayError, match=r"B: expected an array in its own memory, found one on A"):
        theirs.open(array)
    with pytest.raises(ForeignArrayError):
        theirs.get(array)
    with pytest.raises(ForeignArrayError, match="an array on A is no numpy array"):
        np.asarray(array)
    np.testing.assert_array_equal(theirs.get(theirs.put(mine.get(array))), X)


@pytest.mark.parametrize("name", NAMES[:-1])
def test_what_is_put_on_a_device_is_a_copy(name: str) -> None:
    backend_of(name)
    memory = Memory(Device("A", backend=name))
    x = X.copy()
    array = memory.put({"pair": (x, 3), "rest": [None]})
    x[:] = 0
    found = memory.get(array)
    np.testing.assert_array_equal(found["pair"][0], X)
    assert (found["pair"][1], found["rest"]) == (3, [None])
    assert array.nbytes == X.nbytes


def test_a_bare_array_is_in_no_memory() -> None:
    with pytest.raises(ForeignArrayError, match="expected a DeviceArray, found ndarray"):
        Memory(Device("A")).open(X)  # type: ignore[arg-type]
    assert repr(Memory(Device("A")).put(X)) == "DeviceArray(on A)"
    assert isinstance(Memory(Device("A")).put(X), DeviceArray)


def test_a_memory_that_casts_holds_floats_in_its_type_and_nothing_else() -> None:
    memory = Memory(Device("H", dtypes={"float16"}, cast=True))
    array = memory.put((X, np.arange(3)))
    floats, numbers = memory.open(array)
    assert (floats.dtype, numbers.dtype) == (np.float16, np.arange(3).dtype)
    back, same = memory.get(array, np.dtype(np.float32))
    assert (back.dtype, same.dtype) == (np.float32, np.arange(3).dtype)
    np.testing.assert_allclose(back, X, rtol=1e-3, atol=1e-4)


def test_a_device_that_casts_refuses_operators_that_name_a_type() -> None:
    graph = NodeGraph.from_lists(
        [["Tensor.to", [0], [1], {"params": {"dtype": "torch.float"}}]], {0: {"kind": "input"}}
    )
    with pytest.raises(PartitionError, match=r"H casts, and dtype=torch\.float names a type"):
        partition(graph, [Device("H", dtypes={"float16"}, cast=True)])
