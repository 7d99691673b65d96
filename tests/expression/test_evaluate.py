from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

from kuiper.errors import ExpressionError, InferError, KuiperError, ShapeError
from kuiper.expression import FUNCTIONS, evaluate, inputs_of, parse, reverse_polish


def value(text: str, *operands: Any) -> Any:
    return evaluate(parse(text), operands)


def test_the_lesson_example_gives_20() -> None:
    assert value("mul(@2,add(@0,@1))", 2, 3, 4) == 20
    np.testing.assert_array_equal(
        value("mul(@2,add(@0,@1))", *(np.full((2, 3), n, np.float32) for n in (2, 3, 4))), np.full((2, 3), 20)
    )


def test_the_homework_example_gives_2_727892() -> None:
    assert value("mul(@1,sin(@0))", 2, 3) == pytest.approx(2.727892, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sub(@0,@1)", 7 - 2),
        ("div(@0,@1)", 7 / 2),
        ("pow(@0,@1)", 7**2),
        ("floor_divide(@0,@1)", 7 // 2),
        ("remainder(@0,@1)", 7 % 2),
        ("lshift(@0,@1)", 7 << 2),
        ("sub(@1,@0)", 2 - 7),
    ],
)
def test_the_value_popped_first_is_the_right_operand(text: str, expected: float) -> None:
    assert value(text, 7, 2) == expected
    assert value(text, np.array([7.0 if "shift" not in text else 7]).astype("i8"), 2).tolist() == [expected]


def test_the_reverse_polish_order_can_be_given_instead_of_the_tree() -> None:
    assert evaluate(reverse_polish(parse("sub(@0,mul(@1,@1))")), [10, 3]) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[size(@0,0),3,mul(size(@0,2),size(@0,-1))]", [2, 3, 20]),
        ("floor_divide(mul(size(@0,1),size(@0,2)),2)", 6),
        ("int(mul(size(@0,1),1.5))", 4),
        ("int(div(neg(size(@0,2)),3))", -1),
        ("floor(mul(size(@0,1),1.5))", 4),
        ("round(2.5)", 2),
        ("size(@0)", [2, 3, 4, 5]),
        ("max(size(@0,0),4)", 4),
        ("torch.long(2.9)", 2),
        ("pow(3,39)", 3**39),
        ("add(4611686018427387904,4611686018427387903)", 2**63 - 1),
        ("and(True,False)", False),
        ("add(True,True)", 2),
    ],
)
def test_sizes_are_exact_python_integers(text: str, expected: Any) -> None:
    result = value(text, np.zeros((2, 3, 4, 5), np.float32))
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("div(1,2)", 0.5),
        ("div(1,0)", math.inf),
        ("div(-1,0)", -math.inf),
        ("log(0)", -math.inf),
        ("pow(2,-1)", 0.5),
        ("remainder(-7,3)", 2),
        ("fmod(-7,3)", -1),
        ("floor_divide(-7,2)", -4),
        ("floor(-inf)", -math.inf),
        ("3+4j", 3 + 4j),
        ("abs(3+4j)", 5.0),
        ("None", None),
        ("True", True),
        ("a", "a"),
        ("torch.float", "torch.float"),
        ("[]", []),
        ("[[1,2],[a,None]]", [[1, 2], ["a", None]]),
    ],
)
def test_a_text_without_operands_has_a_value(text: str, expected: Any) -> None:
    result = value(text)
    assert result == expected
    assert type(result) is type(expected)


def test_an_operand_stands_for_any_kind_of_value() -> None:
    assert value("@0", "text") == "text"
    assert value("[@1,@0]", 1, None) == [None, 1]


def test_arrays_broadcast() -> None:
    result = value("add(@0,@1)", np.zeros((2, 3, 1), np.float32), np.ones((4,), np.float32))
    assert result.shape == (2, 3, 4)


def test_a_result_without_axes_is_still_an_array_of_its_type() -> None:
    result = value("mul(add(@0,1),0.5)", np.array(3, np.float32))
    assert isinstance(result, np.ndarray)
    assert (result.shape, result.dtype, result.item()) == ((), np.float32, 2.0)


def test_operands_are_never_written_to() -> None:
    x = np.array([-1.5, 2.5], np.float32)
    x.flags.writeable = False
    y = np.array([3, 4])
    y.flags.writeable = False
    for name, function in FUNCTIONS.items():
        arity = function.arity[0]
        for operand in (x, y):
            try:
                result = value(f"{name}({','.join(['@0'] * arity)})", operand)
            except InferError:
                continue
            assert not np.shares_memory(result, operand), name


def test_misplaced_brackets_give_the_meant_value() -> None:
    x, y = np.array([0.5, 2.0]), np.array([1.0, -1.0])
    np.testing.assert_allclose(value("sub(mul(log1p,@0),@1),expm1,@1", x, y), np.log1p(x) * y - np.expm1(y))


@pytest.mark.slow
def test_twenty_thousand_levels_evaluate() -> None:
    assert value("neg(" * 20_000 + "@0" + ")" * 20_000, 3) == 3


@pytest.mark.parametrize(("text", "count"), [("add(@0,@3)", 4), ("2", 0), ("[size(@1,0),a]", 2), ("@0", 1)])
def test_inputs_of_counts_up_to_the_highest_operand(text: str, count: int) -> None:
    assert inputs_of(parse(text)) == inputs_of(reverse_polish(parse(text))) == count


def test_an_operand_out_of_range_is_refused() -> None:
    with pytest.raises(ExpressionError, match="@2 is not among the 2 operands"):
        value("add(@0,@2)", 1, 2)


def test_an_order_that_leaves_two_values_is_refused() -> None:
    with pytest.raises(ExpressionError, match="leaves 2 values"):
        evaluate(reverse_polish(parse("add(@0,@1)"))[:2], [1, 2])
    with pytest.raises(ExpressionError, match="takes 2 values, found 1"):
        evaluate(reverse_polish(parse("add(@0,@1)"))[1:], [1, 2])


def test_shapes_that_do_not_broadcast_are_named() -> None:
    with pytest.raises(ShapeError, match=r"add: .*found \(2,\) and \(3,\)"):
        value("add(@0,@1)", np.zeros(2), np.zeros(3))


@pytest.mark.parametrize(
    ("text", "operands", "says"),
    [
        ("add(@0,a)", (1,), "found 'a'"),
        ("mul(@0,[1,2])", (np.zeros(2),), "found [1, 2]"),
        ("add(@0,None)", (1,), "found None"),
        ("floor_divide(@0,0)", (np.arange(3),), "divided by zero"),
        ("remainder(1,0)", (), "zero"),
        ("pow(@0,-1)", (np.arange(3),), "negative"),
        ("size(@0,3)", (np.zeros((2, 2)),), "out of range"),
        ("size(@0,1.5)", (np.zeros((2, 2)),), "size(float64[2, 2], 1.5)"),
        ("size(@0)", (3,), "expected an array"),
        ("int(@0)", (np.arange(3),), "size 1"),
        ("int(nan)", (), "NaN"),
        ("int(@0)", ("3",), "found '3'"),
        ("ceil(1+2j)", (), "not defined for complex128"),
        ("sub(@0,True)", (np.zeros(2),), "bool"),
        ("and(@0,1)", (np.zeros(2, np.float32),), "not defined for float32"),
        ("mul(9223372036854775807,2)", (), "64 bits"),
        ("pow(10,100000000)", (), "64 bits"),
        ("square(" * 60 + "2" + ")" * 60, (), "64 bits"),
        ("add(@0,1)", (10**30,), "64 bits"),
        ("add(@0,1)", (np.array([None]),), "expected arrays or numbers"),
    ],
)
def test_values_a_function_is_not_defined_for_are_refused(text: str, operands: tuple[Any, ...], says: str) -> None:
    with pytest.raises(InferError) as caught:
        value(text, *operands)
    assert says in str(caught.value)


SAMPLES = [0, 3, -2, True, 0.0, -0.5, 1e308, math.inf, math.nan, 1 - 2j, "a", None, [1], 2**62]
ARRAYS = [
    np.array([0, -1, 7]),
    np.array([0.0, -1.0, np.inf], np.float32),
    np.array([True, False, True]),
    np.zeros((0,)),
]


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_whatever_a_function_gets_only_kuiper_errors_escape_and_no_warning(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in SAMPLES + ARRAYS:
            for y in SAMPLES + ARRAYS:
                operands = ",".join(["@0", "@1"][: FUNCTIONS[name].arity[-1]])
                try:
                    result = value(f"{name}({operands})", x, y)
                except KuiperError:
                    continue
                assert isinstance(result, (np.ndarray, bool, int, float, complex, list))
