from __future__ import annotations

import math

import pytest

from kuiper.errors import ExpressionError
from kuiper.expression import Token, TokenType, tokenize


def test_the_lesson_example_has_eleven_tokens() -> None:
    tokens = tokenize("add(@0,mul(@1,@2))")
    assert [token.text for token in tokens] == ["add", "(", "@0", ",", "mul", "(", "@1", ",", "@2", ")", ")"]


def test_end_is_not_included_so_operand_0_spans_4_to_6() -> None:
    text = "add(@0,mul(@1,@2))"
    token = tokenize(text)[2]
    assert token == Token(TokenType.OPERAND, "@0", 4, 6)
    assert all(text[token.start : token.end] == token.text for token in tokenize(text))


def test_the_homework_example_has_nine_tokens() -> None:
    assert len(tokenize("add(sin(@0),@1)")) == 9


def test_a_second_call_gives_the_same_tokens_not_twice_as_many() -> None:
    assert tokenize("add(@0,@1)") == tokenize("add(@0,@1)")


@pytest.mark.parametrize("name", ["sinh", "square", "log1p", "log10", "atan2", "floor_divide", "expm1", "minimum"])
def test_the_longest_name_wins(name: str) -> None:
    assert [token.text for token in tokenize(f"{name}(@0)")] == [name, "(", "@0", ")"]
    assert tokenize(f"{name}(@0)")[0].type is TokenType.FUNCTION


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("@12", TokenType.OPERAND, 12),
        ("0", TokenType.INTEGER, 0),
        ("-1", TokenType.INTEGER, -1),
        ("2147483647", TokenType.INTEGER, 2147483647),
        ("-9223372036854775808", TokenType.INTEGER, -(2**63)),
        ("1.000000e-05", TokenType.FLOAT, 1e-5),
        ("1e-5", TokenType.FLOAT, 1e-5),
        ("-2.5", TokenType.FLOAT, -2.5),
        ("3.", TokenType.FLOAT, 3.0),
        (".5", TokenType.FLOAT, 0.5),
        ("inf", TokenType.FLOAT, math.inf),
        ("-inf", TokenType.FLOAT, -math.inf),
        ("3+4j", TokenType.COMPLEX, 3 + 4j),
        ("2j", TokenType.COMPLEX, 2j),
        ("1e-5j", TokenType.COMPLEX, 1e-5j),
        ("-1.5e+00-2.0e-01j", TokenType.COMPLEX, -1.5 - 0.2j),
        ("2.0e+00+-3.0e+00j", TokenType.COMPLEX, 2 - 3j),
        ("True", TokenType.CONSTANT, True),
        ("None", TokenType.CONSTANT, None),
        ("a", TokenType.NAME, "a"),
        ("layer-1.weight", TokenType.NAME, "layer-1.weight"),
        ("torch.float", TokenType.NAME, "torch.float"),
    ],
)
def test_a_word_has_its_type_and_value(text: str, kind: TokenType, value: object) -> None:
    (token,) = tokenize(text)
    assert token.type is kind
    assert token.value == value
    assert type(token.value) is type(value)


@pytest.mark.parametrize("text", ["nan", "-nan"])
def test_nan_is_a_number(text: str) -> None:
    assert math.isnan(tokenize(text)[0].value)


def test_torch_float_is_a_function_only_before_a_bracket() -> None:
    kinds = [token.type for token in tokenize("[torch.float(@0),torch.float]") if token.text == "torch.float"]
    assert kinds == [TokenType.FUNCTION, TokenType.NAME]


@pytest.mark.parametrize(
    ("text", "position"),
    [("@", 0), ("add(@,1)", 4), ("add(@0,1..2)", 7), ("mul(1x,@0)", 4), ("-@0", 0), ("9" * 30, 0), ("@" + "9" * 30, 0)],
)
def test_what_is_no_word_is_refused_with_its_position(text: str, position: int) -> None:
    with pytest.raises(ExpressionError) as caught:
        tokenize(text)
    assert caught.value.position == position


def test_white_space_is_skipped() -> None:
    assert [token.start for token in tokenize(" add ( @0 , 1 )\n")] == [1, 5, 7, 10, 12, 14]
