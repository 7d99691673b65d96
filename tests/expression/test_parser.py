from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.errors import ExpressionError
from kuiper.expression import FUNCTIONS, TokenType, parse, reverse_polish, to_text

FOUND_IN_MODELS = (Path(__file__).parents[1] / "data" / "expressions.txt").read_text().splitlines()
DEEP = 20_000

atoms = st.sampled_from(
    ["@0", "@1", "@2", "@3", "2", "-1", "0.5", "1.0e-05", "1+2j", "None", "a", "torch.float", "inf"]
)


def _combine(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def call(name: str) -> st.SearchStrategy[str]:
        arity = st.sampled_from(FUNCTIONS[name].arity)
        arguments = arity.flatmap(lambda count: st.lists(values, min_size=count, max_size=count))
        return arguments.map(lambda found: f"{name}({','.join(found)})")

    lists = st.lists(values, max_size=4).map(lambda found: f"[{','.join(found)}]")
    return st.sampled_from(sorted(FUNCTIONS)).flatmap(call) | lists


expressions = st.recursive(atoms, _combine, max_leaves=12)


def polish(text: str) -> str:
    return ",".join(node.text.removeprefix("@") for node in reverse_polish(parse(text)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("add(@0,mul(@1,@2))", "0,1,2,mul,add"),
        ("add(mul(@0,@1),@2)", "0,1,mul,2,add"),
        ("add(sin(@0),@1)", "0,sin,1,add"),
        ("sin(add(@0,@1))", "0,1,add,sin"),
        ("add(sin(@0),sin(@1))", "0,sin,1,sin,add"),
    ],
)
def test_reverse_polish_puts_every_function_after_its_values(text: str, expected: str) -> None:
    assert polish(text) == expected


def test_an_operand_node_bears_the_operands_own_number() -> None:
    root = parse("add(@0,mul(@1,@2))")
    assert root.num_index < 0
    assert root.left is not None
    assert root.right is not None
    assert root.left.num_index == 0
    assert root.right.num_index < 0
    assert [child.num_index for child in root.right.children] == [1, 2]


def test_sin_has_a_left_child_only() -> None:
    sin = parse("add(sin(@0),@1)").left
    assert sin is not None
    assert sin.left is not None
    assert (sin.text, sin.left.num_index, sin.right) == ("sin", 0, None)


def test_lists_keep_all_their_elements() -> None:
    node = parse("[size(@0,0),3,[],[mul(size(@0,2),2)]]")
    assert node.token.type is TokenType.LEFT_LIST
    assert [to_text(child) for child in node.children] == ["size(@0,0)", "3", "[]", "[mul(size(@0,2),2)]"]


@pytest.mark.parametrize(
    ("misplaced", "meant"),
    [
        ("log1p,@0", "log1p(@0)"),
        ("sub(mul(log1p,@0),@1),expm1,@1", "sub(mul(log1p(@0),@1),expm1(@1))"),
        (
            "add(sub(mul(log1p,@0),expm1),@0),expm1,log1p,@0,2",
            "add(sub(mul(log1p(@0),expm1(@0)),expm1(log1p(@0))),2)",
        ),
        ("[log1p,@0,[1,expm1,@1]]", "[log1p(@0),[1,expm1(@1)]]"),
        ("add(log1p,size(@0,1)),2", "add(log1p(size(@0,1)),2)"),
        ("log1p,[size(abs(@0)),@0]", "log1p([size(abs(@0)),@0])"),
        ("log1p,size([1,2])", "log1p(size([1,2]))"),
    ],
)
def test_pnnx_misplaced_brackets_are_read_by_the_number_of_values(misplaced: str, meant: str) -> None:
    assert parse(misplaced) == parse(meant)
    assert to_text(parse(misplaced)) == meant


@given(expressions)
@settings(max_examples=150, deadline=None)
def test_the_canonical_text_reads_as_the_same_tree(text: str) -> None:
    assert to_text(parse(text)) == text
    assert parse(to_text(parse(text))) == parse(text)


@given(expressions)
@settings(max_examples=100, deadline=None)
def test_reading_by_arity_agrees_with_the_brackets(text: str) -> None:
    root = parse(f"log1p({text})")
    assert parse("log1p," + text) == root


@pytest.mark.parametrize("text", FOUND_IN_MODELS)
def test_every_expression_found_in_exported_models_parses(text: str) -> None:
    node = parse(text)
    assert parse(to_text(node)) == node


@pytest.mark.parametrize("text", ["max", "sin", "a", "torch.float", "torch.bool", "size"])
def test_a_single_word_is_a_string(text: str) -> None:
    node = parse(text)
    assert (node.token.type, node.token.value) == (TokenType.NAME, text)


@pytest.mark.parametrize(
    ("text", "position", "says"),
    [
        ("", 0, "empty"),
        ("   ", 0, "empty"),
        ("sin(@0,@1)", 0, "sin takes 1 value, found 2"),
        ("add(@0,sin())", 7, "sin takes 1 value, found 0"),
        ("mul(@0)", 0, "mul takes 2 values, found 1"),
        ("size(@0,1,2)", 0, "size takes 1 or 2 values, found 3"),
        ("snh(@0)", 0, "unknown function snh; did you mean sinh?"),
        ("add(@0,foo(@1))", 7, "unknown function foo"),
        ("add(@0,@1", 3, "never closed"),
        ("add(@0,@1))", 10, "closes no bracket"),
        ("[@0,@1)", 6, "closes no bracket"),
        ("add(@0,[@1)]", 10, "closes no bracket"),
        ("add(@0,@1)@2", 10, "expected the end"),
        ("@0,@1", 2, "expected the end"),
        ("add(@0 @1)", 7, "expected , or a closing bracket"),
        ("add(,@0)", 4, "expected a value"),
        ("add(@0,)", 7, "expected a value"),
        ("[1,]", 3, "expected a value"),
        ("(@0)", 0, "expected a value"),
        ("sin((@0))", 4, "expected a value"),
        ("log1p,@0,@1", 9, "expected one value, found 2"),
        ("add(log1p,@0)", 0, "add takes 2 values, found 1"),
    ],
)
def test_a_faulty_text_is_refused_with_a_caret_under_the_fault(text: str, position: int, says: str) -> None:
    with pytest.raises(ExpressionError, match=re.escape(says)) as caught:
        parse(text)
    assert caught.value.position == position
    assert str(caught.value).endswith(f"\n  {text}\n  {' ' * position}^")


@given(st.text(alphabet="@01.,()[]-+ejainsdlogxp m", max_size=30) | st.text(max_size=20))
@settings(max_examples=400, deadline=None)
def test_any_text_gives_a_tree_or_an_expression_error(text: str) -> None:
    try:
        node = parse(text)
    except ExpressionError:
        return
    assert parse(to_text(node)) == node


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["neg(" * DEEP + "@0" + ")" * DEEP, "log1p," * DEEP + "@0", "add(" * DEEP + "@0" + ",1)" * DEEP],
    ids=["brackets", "arity", "left-deep"],
)
def test_twenty_thousand_levels_need_no_recursion(text: str) -> None:
    node = parse(text)
    assert len(reverse_polish(node)) == len(set(map(id, reverse_polish(node)))) >= DEEP + 1
    assert parse(to_text(node)) == node


def test_a_list_in_a_list_in_a_list_has_no_limit() -> None:
    assert to_text(parse("[" * DEEP + "]" * DEEP)) == "[" * DEEP + "]" * DEEP


@pytest.mark.parametrize("text", ["(" * DEEP, "1" * DEEP + "x", "+" * DEEP, "[1," * DEEP, "@" * DEEP, "1," * DEEP])
def test_long_nonsense_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse(text)


def test_trees_differ_where_token_or_shape_differ() -> None:
    assert parse("add(@0,@1)") != parse("add(@1,@0)")
    assert parse("[1,[2],3]") != parse("[1,[2,3]]")
    assert parse("sub(@0,1)") != parse("sub(@0,1.0)")
    assert parse("add( @0 , @1 )") == parse("add(@0,@1)")
