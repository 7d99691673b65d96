"""Expressions, elementwise functions, BatchNorm and PReLU: kernels against the layers."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kuiper.errors import KuiperError
from kuiper.expression import FUNCTIONS
from kuiper.fast.kernels.base.buffer import Spec
from kuiper.fast.kernels.base.kernel import LOWERINGS, Step
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.elementwise.formula import FormulaKernel, channel_affine, is_addition
from kuiper.fast.kernels.elementwise.program import Program, registers
from kuiper.fast.kernels.elementwise.ufunc import LARGEST, UfuncKernel
from kuiper.fast.kernels.elementwise.walk import thread_tiles, tiles, walk
from kuiper.fast.tuning.benchmark import bind_kernel
from kuiper.graph import Operator
from kuiper.layers.elementwise.activation import PReLU
from kuiper.layers.elementwise.elementwise import LAYERS
from kuiper.layers.elementwise.expression import ExpressionLayer
from kuiper.layers.normalization.normalization import BatchNorm, BatchNorm1d, BatchNorm2d, BatchNorm3d
from kuiper.scalars import Function

RNG = np.random.default_rng(0)
F32 = np.dtype(np.float32)
SHAPE = (2, 3, 4, 5)
SHAPES = st.sampled_from([SHAPE, (2, 3, 1, 1), (3, 1, 1), (1, 3, 4, 1), (5,), (1, 1, 1, 1), (4, 5)])
WAYS = st.tuples(*[st.sampled_from(["nchw", "nhwc", "halo", "wide", "wide nchw"])] * 2)
UNARY = [
    *("neg", "abs", "exp", "expm1", "log", "log10", "log1p", "sqrt", "rsqrt", "reciprocal", "square", "erf", "sin"),
    *("cos", "tan", "sinh", "cosh", "tanh", "ceil", "floor", "round", "trunc", "torch.float"),
    *("acos", "acosh", "asin", "asinh", "atan", "atanh"),
]
BINARY = ["add", "sub", "mul", "div", "max", "min", "maximum", "minimum", "pow", "atan2", "logaddexp", "fmod"]


def positive(*shape):
    return RNG.uniform(0.1, 3, shape).astype(np.float32)


def numbers(*shape):
    return RNG.normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("steps", [lambda apply, x: None, lambda apply, x: [x]])
def test_faulty_steps_of_a_function_are_refused(monkeypatch, steps):
    monkeypatch.setitem(FUNCTIONS, "mine", Function("mine", "x", np.exp, "f", (1,), compiled=steps))
    with pytest.raises(KuiperError, match="steps of mine: expected the result of an apply returned"):
        LOWERINGS[ExpressionLayer](node_of(ExpressionLayer("mine(@0)"), Spec(SHAPE, F32)))


def node_of(layer, *specs):
    return Step([Operator("any", "here", layer=layer)], list(specs), [Spec(SHAPE, F32)])


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in UNARY if name != "torch.float"])
def test_functions_of_one_array(beside, name):
    x = 1 / positive(2, 70) if name == "acosh" else positive(2, 70) / 3.1
    x = 1 + x if name == "acosh" else x
    beside(ExpressionLayer(f"{name}(@0)"), x)


@pytest.mark.slow
@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("values", ["(@0,@1)", "(@0,3)", "(@0,0.7)", "(2,@0)", "(@0,@0)"])
def test_functions_of_two_values(beside, name, values):
    arrays = [positive(*SHAPE), positive(3, 1, 1)][: 1 + ("@1" in values)]
    beside(ExpressionLayer(name + values), *arrays)


@pytest.mark.parametrize("exponent", ["2", "3", "0.5", "-0.5", "-1", "-2", "2.5", "-3"])
def test_powers(beside, exponent):
    beside(ExpressionLayer(f"pow(@0,{exponent})"), positive(*SHAPE))


@st.composite
def formulas(draw, depth=4):
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(["@0", "@1", "@2", "2", "-0.5", "1.5e+00"]))
    if draw(st.booleans()):
        return f"{draw(st.sampled_from(['neg', 'abs', 'tanh', 'square', 'erf', 'cos']))}({draw(formulas(depth - 1))})"
    name = draw(st.sampled_from(["add", "sub", "mul", "max", "min"]))
    return f"{name}({draw(formulas(depth - 1))},{draw(formulas(depth - 1))})"


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(text=formulas(), shapes=st.tuples(SHAPES, SHAPES), ways=WAYS, threads=st.integers(1, 2))
def test_any_formula_of_arrays_that_broadcast(beside, text, shapes, ways, threads):
    arrays = [numbers(*SHAPE), *(numbers(*shape) for shape in shapes)]
    layer = ExpressionLayer(f"add(mul(@0,{text}),{text})")
    beside(layer, *arrays, layouts=ways, threads=threads, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(first=SHAPES, second=SHAPES, ways=WAYS)
def test_the_result_has_the_shape_to_which_all_broadcast(beside, first, second, ways):
    layer = ExpressionLayer("mul(add(@0,@1),exp(@0))")
    beside(layer, numbers(*first), numbers(*second), layouts=ways)


@pytest.mark.parametrize("text", ["max(@0,0)", "min(0.5,@0)", "maximum(@0,@1)", "min(@1,@0)"])
def test_nan_wins_over_every_bound(beside, text):
    arrays = [numbers(4, 6), numbers(4, 6)][: 1 + ("@1" in text)]
    arrays[0][1] = np.nan
    arrays[0][2] = np.inf
    beside(ExpressionLayer(text), *arrays)


def test_large_arrays_are_cut_into_tiles_for_all_threads(beside):
    image, gate = numbers(2, 16, 90, 70), numbers(2, 16, 1, 1)
    kernel = beside(ExpressionLayer("mul(cos(sin(@0)),tanh(@1))"), image, gate, layouts=("halo", "nhwc"), threads=2)
    specs = Spec(image.shape, F32), Spec(gate.shape, F32)
    first, stage = bind_kernel(kernel, specs, specs[:1], threads=2).stages
    assert [len(calls) for calls in first] == [1]
    assert [len(calls) for calls in stage] == [len(stage[0])] * 2


def test_numbers_among_themselves_stay_exact_integers(beside):
    layer = ExpressionLayer("mul(@0,sub(floor_divide(7,2),pow(2,-1)))")
    kernel = beside(layer, numbers(3, 4))
    assert [float(x) for op in kernel.program.operations for x in op.operands[1:]] == [2.5]


def test_inputs_that_are_constant_numbers(lowered):
    layer, x = ExpressionLayer("div(@0,@1)"), numbers(3, 4)
    kernel = lowered(layer, x, 4)
    bound = bind_kernel(kernel, [Spec(x.shape, F32)], [Spec(x.shape, F32)])
    bound.inputs[0].array[...] = x
    bound.run()
    np.testing.assert_array_equal(bound.outputs[0].array, x / 4)


@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        ("add(@0,2)", [np.zeros(3, np.float64)]),
        ("add(@0,mul(@1,@1))", [np.zeros((2, 3), np.float32), np.zeros((2, 3), np.int64)]),
        ("add(@0,True)", [np.zeros(3, np.float32)]),
        ("torch.long(@0)", [np.zeros(3, np.float32)]),
        ("remainder(@0,2)", [np.zeros(3, np.float32)]),
        ("add(2,3)", [np.zeros(3, np.float32)]),
        ("size(@0,0)", [np.zeros((2, 3), np.float32)]),
        ("[@0,@0]", [np.zeros((2, 3), np.float32)]),
        ("pow(@0,@1)", [np.ones((2, 3), np.float32), np.array(2, np.float32)]),
        ("add(@0,2j)", [np.zeros((2, 3), np.float32)]),
        ("@0", [np.zeros((2, 3), np.float32)]),
    ],
)
def test_no_kernel_for_what_is_not_of_float32(lowered, text, inputs):
    layer = ExpressionLayer(text)
    layer.forward(*inputs)
    assert lowered(layer, *inputs) is None


def test_no_kernel_for_a_number_that_is_not_known_yet():
    node = node_of(ExpressionLayer("add(@0,@1)"), Spec(SHAPE, F32), Spec(None, None))
    assert LOWERINGS[ExpressionLayer](node) is None


STANDING_ALONE = sorted(name for name, layer in LAYERS.items() if layer.function.steps)


@pytest.mark.parametrize("name", STANDING_ALONE)
def test_functions_that_stand_alone(beside, name):
    arrays = [positive(3, 4), positive(2, 1, 4), positive(4)]
    (arity,) = LAYERS[name].function.arity
    beside(LAYERS[name](), *arrays[:arity])
    if arity > 1:
        beside(LAYERS[name](other=0.75), *arrays[: arity - 1])
        beside(LAYERS[name](input=0.75), *arrays[: arity - 1])


KINDS = ["bool", "uint8", "int8", "int32", "int64", "float16", "float32", "float64", "complex64"]
LARGE_ARRAY = np.zeros((LARGEST + 1,), np.int64)


@pytest.mark.slow
@settings(max_examples=150)
@given(
    name=st.sampled_from(sorted({*LAYERS, *FUNCTIONS})),
    kinds=st.tuples(st.sampled_from(KINDS), st.sampled_from(KINDS)),
    shapes=st.tuples(*[st.sampled_from([(), (1,), (5,), (3, 1), (2, 3, 5), (0, 5)])] * 2),
    alone=st.booleans(),
    seed=st.integers(0, 9),
)
def test_a_function_of_small_arrays_of_any_type_is_one_call(beside, lowered, name, kinds, shapes, alone, seed):
    function = (LAYERS[name].function if alone and name in LAYERS else FUNCTIONS.get(name)) or LAYERS[name].function
    count = 2 if 2 in function.arity else function.arity[0]
    assume(count <= 2)
    draw = np.random.default_rng(seed)
    arrays = [draw.integers(0, 4, shape).astype(kind) for shape, kind in zip(shapes, kinds)][:count]
    if alone and name in LAYERS:
        layer = LAYERS[name]()
    else:
        layer = ExpressionLayer(f"{name}({','.join(f'@{i}' for i in range(count))})")
    try:
        result = layer.forward(*arrays)
    except Exception:
        assume(False)
    assume(isinstance(result, np.ndarray))
    if type(layer) in LOWERINGS and isinstance(lowered(layer, *arrays), UfuncKernel):
        with np.errstate(all="ignore"):
            beside(layer, *arrays, layouts=("wide nchw", "wide nchw"), rtol=0)


def test_what_has_one_call_and_what_has_none(lowered):
    integers, floats = np.arange(3), np.ones(3, np.float32)
    assert isinstance(lowered(LAYERS["lt"](), integers, integers), UfuncKernel)
    assert isinstance(lowered(LAYERS["log2"](), integers), UfuncKernel)
    assert isinstance(lowered(ExpressionLayer("mul(@1,@0)"), integers, floats), UfuncKernel)
    assert lowered(LAYERS["lt"](), LARGE_ARRAY, integers[:1]) is None
    assert lowered(LAYERS["lt"](other=2), integers) is None
    assert lowered(LAYERS["maximum"](), np.ones(3, np.float16), integers) is None
    assert lowered(LAYERS["maximum"](), np.ones((1, 2, 3, 4), np.int64), np.ones((1, 2, 3, 4), np.int64)) is None


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    case=st.sampled_from(
        [(BatchNorm, 2), (BatchNorm, 6), (BatchNorm1d, 2), (BatchNorm1d, 3), (BatchNorm2d, 4), (BatchNorm3d, 5)]
    ),
    weight=st.booleans(),
    bias=st.booleans(),
    ways=WAYS,
    threads=st.integers(1, 2),
)
def test_batch_norm(beside, case, weight, bias, ways, threads):
    kind, rank = case
    layer = kind(numbers(6), positive(6), numbers(6) if weight else None, numbers(6) if bias else None, eps=1e-3)
    x = numbers(2, 6, *(3, 4, 2, 1)[: rank - 2])
    beside(layer, x, layouts=ways, threads=threads)
    scale, shift = channel_affine(node_of(layer, Spec(x.shape, F32)))
    assert scale.dtype == shift.dtype == np.float32
    per_channel = (-1, *(1,) * (rank - 2))
    expected = x * scale.reshape(per_channel) + shift.reshape(per_channel)
    np.testing.assert_allclose(layer.forward(x), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("layer", "spec"),
    [
        (BatchNorm2d(None, None, num_features=3), Spec(SHAPE, F32)),
        (BatchNorm2d(np.zeros(3), np.ones(3)), Spec(SHAPE, F32)),
        (BatchNorm2d(np.zeros(3, "f4"), np.ones(3, "f4")), Spec(SHAPE, np.dtype(np.float16))),
        (BatchNorm2d(np.zeros(3, "f4"), np.ones(3, "f4")), Spec((2, 3), F32)),
        (BatchNorm2d(np.zeros(5, "f4"), np.ones(5, "f4")), Spec(SHAPE, F32)),
        (ExpressionLayer("mul(@0,2)"), Spec(SHAPE, F32)),
    ],
)
def test_what_is_no_scale_and_shift_of_float32(layer, spec):
    assert channel_affine(node_of(layer, spec)) is None
    if isinstance(layer, BatchNorm):
        assert LOWERINGS[type(layer)](node_of(layer, spec)) is None


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    weight=st.sampled_from([[0.25], [0.5, -0.1, 1.0], [0.5, 2.0, -3.0], [0.0, 0.5, 0.1]]),
    shape=st.sampled_from([SHAPE, (2, 3), (4, 3, 7)]),
    ways=WAYS,
)
def test_prelu(beside, weight, shape, ways):
    x = numbers(*shape)
    x.flat[:2] = np.nan, 1e9
    beside(PReLU(np.array(weight, np.float32)), x, layouts=ways)


def test_addition_is_known_for_two_arrays_of_one_shape_only():
    image, row, integers = Spec(SHAPE, F32), Spec((5,), F32), Spec(SHAPE, np.dtype(np.int64))
    assert is_addition(node_of(ExpressionLayer("add(@0,@1)"), image, image))
    assert is_addition(node_of(ExpressionLayer("add(@1,@0)"), image, image))
    assert not is_addition(node_of(ExpressionLayer("add(@0,@1)"), image, row))
    assert not is_addition(node_of(ExpressionLayer("add(@0,@1)"), integers, integers))
    assert not is_addition(node_of(ExpressionLayer("add(@0,@0)"), image, image))
    assert not is_addition(node_of(ExpressionLayer("add(@0,mul(@1,2))"), image, image))
    assert not is_addition(node_of(ExpressionLayer("add(@0,1)"), image))
    assert not is_addition(node_of(BatchNorm2d(np.zeros(3, "f4"), np.ones(3, "f4")), image))


def test_a_formula_that_occurs_twice_is_computed_once():
    layer = ExpressionLayer("mul(exp(@0),add(exp(@0),1))")
    kernel = LOWERINGS[ExpressionLayer](node_of(layer, Spec(SHAPE, F32)))
    assert isinstance(kernel, FormulaKernel)
    assert [op.function for op in kernel.program.operations] == [np.exp, np.add, np.multiply]


def test_a_chain_needs_no_scratch():
    program = Program([(9,), (9,)])
    x, y = program.inputs
    for function in (np.add, np.multiply, np.subtract):
        x = program.apply(function, program.apply(np.tanh, x), y)
    assert set(registers(program.operations).values()) == {0}


@settings(max_examples=80, deadline=None)
@given(
    order=st.permutations(range(4)),
    other=SHAPES,
    cut=st.tuples(*[st.integers(1, 2)] * 4),
    parts=st.integers(1, 70),
)
def test_walking_in_tiles_visits_every_element_once(order, other, cut, parts):
    back = np.argsort(order)
    whole = np.zeros(tuple(np.array((4, 6, 8, 10))[list(order)]), np.float32).transpose(back)
    target = whole[tuple(slice(None, None, step) for step in cut)][: SHAPE[0], : SHAPE[1], : SHAPE[2], : SHAPE[3]]
    source = numbers(*other)
    out, x = walk(target, source)
    assert out.shape == x.shape
    assert list(out.strides) == sorted(out.strides, reverse=True)
    for part in tiles(out.shape, parts):
        out[part] += x[part]
    np.testing.assert_array_equal(target, np.broadcast_to(source, SHAPE))
    assert np.count_nonzero(whole) == np.count_nonzero(target)


@pytest.mark.parametrize("shape", [(7000,), (7, 1000), (2, 5, 700)])
def test_tiles_are_at_most_as_large_as_asked_for_and_even_among_threads(shape):
    threads = thread_tiles(shape, Workspace(2), nanoseconds=1000, tile=600)
    assert len(threads) == 2
    assert abs(len(threads[0]) - len(threads[1])) <= 1
    x = np.zeros(shape)
    assert all(x[part].size <= 600 for thread in threads for part in thread)
    assert sum(x[part].size for thread in threads for part in thread) == x.size


def test_an_empty_array_has_no_tiles():
    assert thread_tiles((0, 3), Workspace(2), nanoseconds=1) == [[]]
