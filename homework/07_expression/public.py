"""The public tests of homework 7: run them with `python3 course.py check sine` and `python3 course.py check mend`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, expect, expect_raises, task

ARITY = {"add": 2, "sub": 2, "mul": 2, "div": 2, "pow": 2, "log1p": 1, "expm1": 1, "neg": 1}


def words_of(text: str, types: str) -> list[tuple[str, str, int, int]]:
    """The tokens of a text without white space; one letter of `types` for each: F(unction), O(perand), I(nteger)."""
    names = {"F": "FUNCTION", "O": "OPERAND", "I": "INTEGER", "(": "LEFT_BRACKET", ")": "RIGHT_BRACKET", ",": "COMMA"}
    texts = text.replace("(", " ( ").replace(")", " ) ").replace(",", " , ").split()
    found, at = [], 0
    for kind, word in zip(types, texts, strict=True):
        found.append((names[kind], word, at, at + len(word)))
        at += len(word)
    return found


def expect_refusal(call: Callable[..., Any], *args: Any, accepted: str, index_error: str) -> None:
    """An ExpressionError; the likely cause is `accepted` after an answer, `index_error` after an IndexError."""
    try:
        error = expect_raises(call, *args)
    except Failure as failure:
        failure.cause = None if failure.got is None else accepted
        raise
    expect(
        error, "ExpressionError", what=f"the type of the error for {args[0]!r}", mistakes={index_error: "IndexError"}
    )


# --- sine ---


@task("sine")
def sin_is_one_token(student: Student, rng: np.random.Generator) -> None:
    """add(sin(@0),@1) has 9 tokens: sin is a function at [4,7), and its operand stands at [8,10)."""
    text = "add(sin(@0),@1)"
    expected = words_of(text, "F(F(O),O)")
    mistakes = {
        '`end` is the place after the last character: text[start:end] is the token (section "Tokens")': [
            (name, word, start, end - 1) for name, word, start, end in expected
        ],
        'sin is no operand: it takes a value, so type_of must say FUNCTION (section "Tokens")': words_of(
            text, "F(O(O),O)"
        ),
    }
    expect(student.tokens(text), expected, what=f"the tokens of {text}", mistakes=mistakes)


@task("sine")
def sin_has_a_left_child_only(student: Student, rng: np.random.Generator) -> None:
    """In the tree sin has its value on the left and nothing on the right."""
    mistakes = {
        "the value of sin stands on the right; it is the first value, so it goes to the left": (
            "add",
            ("sin", None, "@0"),
            "@1",
        ),
        "sin has its value twice; its right child is None": ("add", ("sin", "@0", "@0"), "@1"),
    }
    expect(
        student.tree("add(sin(@0),@1)"),
        ("add", ("sin", "@0", None), "@1"),
        what="the tree of add(sin(@0),@1)",
        mistakes=mistakes,
    )
    for text, expected in (
        ("sin(@0)", ("sin", "@0", None)),
        ("sin(add(@0,@1))", ("sin", ("add", "@0", "@1"), None)),
        ("add(sin(@0),sin(@1))", ("add", ("sin", "@0", None), ("sin", "@1", None))),
    ):
        expect(student.tree(text), expected, what=f"the tree of {text}")


@task("sine")
def sin_stands_after_its_value(student: Student, rng: np.random.Generator) -> None:
    """In reverse Polish sin follows the value it takes; sin(add(@0,@1)) is @0, @1, add, sin."""
    for text, expected, first, childless, swapped in (
        ("add(sin(@0),@1)", "@0 sin @1 add", "sin @0 @1 add", "sin @1 add", "@1 @0 sin add"),
        ("sin(add(@0,@1))", "@0 @1 add sin", "sin @0 @1 add", "add sin", "@1 @0 add sin"),
        ("add(sin(@0),sin(@1))", "@0 sin @1 sin add", "sin @0 sin @1 add", "sin sin add", "@1 sin @0 sin add"),
    ):
        lost = " ".join(word for word in expected.split() if word != "sin")
        mistakes = {
            "sin comes before its value; a function comes after all that it takes": first,
            "the value of sin can be a whole tree: put in reverse_polish(node.left), not node.left": "add sin",
            "the value of sin is missing: put reverse_polish(node.left) before node": childless,
            "the right value stands before the left one; the order is left, right, node": swapped,
            "sin itself is missing: put node after the words of its value": lost,
        }
        wrong = {f'{cause} (section "Reverse Polish")': order.split() for cause, order in mistakes.items()}
        expect(student.polish(text), expected.split(), what=f"reverse Polish of {text}", mistakes=wrong)


@task("sine")
def sin_computes(student: Student, rng: np.random.Generator) -> None:
    """mul(@1,sin(@0)) with 2 and 3 is 3 * sin(2) = 2.727892; arrays keep their shape and element type."""
    mistakes = {
        "the angle is in radians: np.sin takes it as it is, without degrees": 3 * math.sin(math.radians(2)),
        "that is cos: call np.sin": 3 * math.cos(2),
        'sin was taken of the whole product: pop one value, the newest (section "A stack computes")': math.sin(6),
        '@0 and @1 are exchanged: @0 is operands[0], and num_index begins at 0 (section "A stack computes")': (
            2 * math.sin(3)
        ),
        'the value came back on the stack without its sine: push np.sin(value) (section "A stack computes")': 6,
    }
    got = student.evaluate("mul(@1,sin(@0))", [2, 3])
    expect(got, 3 * math.sin(2), rtol=1e-12, what="mul(@1,sin(@0)) with 2, 3", mistakes=mistakes)
    x, y = rng.standard_normal((2, 3, 4)).astype(np.float32)
    for text, expected in (
        ("sin(@0)", np.sin(x)),
        ("sin(add(@0,@1))", np.sin(x + y)),
        ("add(sin(@0),sin(@1))", np.sin(x) + np.sin(y)),
        ("sub(sin(@0),@1)", np.sin(x) - y),
    ):
        mistakes = {
            "float32 became float64: give np.sin the array itself, nothing made of it": expected.astype(np.float64),
            'left and right are exchanged: the value popped first is the right one (section "A stack computes")': (
                y - np.sin(x)
            ),
        }
        expect(student.evaluate(text, [x, y]), expected, rtol=1e-5, atol=1e-6, what=text, mistakes=mistakes)


@task("sine")
def sin_takes_exactly_one_value(student: Student, rng: np.random.Generator) -> None:
    """sin(@0,@1), sin() and sin(@0 are errors of type ExpressionError, and so is add(@0)."""
    del rng
    ended = "the tokens had ended already: go on with skip(...) and read_value(...), which look before they read"
    for text, accepted in (
        ("sin(@0,@1)", "a second value was accepted: after its value sin wants a right bracket, and no comma"),
        (
            "sin()",
            "sin without a value was accepted: call read_value(...) after the left bracket, whatever stands there",
        ),
        (
            "sin(@0",
            "a missing bracket was accepted: write skip(tokens, at, TokenType.RIGHT_BRACKET) instead of at + 1",
        ),
        ("add(@0)", "add with one value was accepted: only sin may end after its first value, the others want a comma"),
    ):
        expect_refusal(student.tree, text, accepted=accepted, index_error=ended)


# --- mend ---


@task("mend")
def brackets_of_pnnx_are_put_right(student: Student, rng: np.random.Generator) -> None:
    """A text that pnnx wrote with misplaced brackets is read by the number of values each function takes."""
    text = "sub(mul(log1p,@0),@1),expm1,@1"
    mistakes = {
        "the values are in the wrong order: from right to left, the value popped first is the LEFT one": (
            "sub(expm1(@1),mul(@1,log1p(@0)))"
        ),
        "the values came from the wrong end of the stack: take the newest, stack.pop(), not stack.pop(0)": (
            "sub(log1p(expm1(@1)),mul(@1,@0))"
        ),
        "a function of one value has brackets, too: write log1p(@0), not log1p,@0": "sub(mul(log1p,@0,@1),expm1,@1)",
        "the text came back as it was: its brackets and commas say nothing, count with `arity`": text,
    }
    expect(student.mend(text, ARITY), "sub(mul(log1p(@0),@1),expm1(@1))", what=f"mend {text}", mistakes=mistakes)
    expect(student.mend("log1p,@0", ARITY), "log1p(@0)", what="mend log1p,@0")


@task("mend")
def a_right_text_stays(student: Student, rng: np.random.Generator) -> None:
    """A text whose brackets are right already comes back as it was, a single value too."""
    number = f"{rng.integers(2, 90)}.5"
    for text in ("add(@0,mul(@1,@2))", "sub(@1,@0)", "neg(neg(@0))", f"pow(sub(@0,{number}),2)", "@3", number):
        expect(student.mend(text, ARITY), text, what=f"mend {text}")


@task("mend")
def too_few_and_too_many_values_are_errors(student: Student, rng: np.random.Generator) -> None:
    """add(@0) has too few values, and @0,@1 too many: both are an ExpressionError."""
    few = "a function took fewer values than it needs: compare len(stack) with arity[word] before you pop"
    many = "a value was left over: at the end the stack must hold exactly one, so check len(stack) != 1"
    empty = "an empty text was accepted: at the end the stack must hold exactly one value, so check len(stack) != 1"
    popped = "the stack was empty: compare its length with what you take, and raise ExpressionError yourself"
    for text, accepted in (("add(@0)", few), ("neg", few), ("@0,@1", many), ("neg(@0,@1)", many), ("", empty)):
        expect_refusal(student.mend, text, ARITY, accepted=accepted, index_error=popped)
