"""Public tests of lesson 7: what sin must do at every station of the reader, and what mend must put right."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, expect, expect_refused, likely, task

ARITY = {"add": 2, "sub": 2, "mul": 2, "div": 2, "pow": 2, "log1p": 1, "expm1": 1, "neg": 1, "clamp": 3, "lerp": 4}
STACK = {
    "pop from empty list": "the stack is short of a value: sin takes one, the newest, and leaves the others there",
    "too many values to unpack": "a value is left on the stack: sin takes its own off, stack.pop() and not stack[-1]",
    "only 0-dimensional": "math.sin takes single numbers only: np.sin takes arrays, too",
    "only length-1 arrays": "math.sin takes single numbers only: np.sin takes arrays, too",
}
"""Words of an exception -> likely cause, where sin computes."""


def expect_refusal(call: Callable[..., Any], *args: Any, accepted: str, index_error: str) -> None:
    """An ExpressionError; the likely cause is `accepted` after an answer, `index_error` after an IndexError."""
    try:
        expect_refused(call, *args, error="ExpressionError", cause=accepted)
    except Failure as failure:
        if failure.expected == "ExpressionError":
            failure.cause = index_error if failure.got == "IndexError" else None
        raise


# --- sine ---


@task("sine", "token")
def sin_is_one_token(student: Student, oracle: Any) -> None:
    """add(sin(@0),@1) has 9 tokens: sin is a function at [4,7), and its operand stands at [8,10)."""
    text = "add(sin(@0),@1)"
    expected = [
        ("FUNCTION", "add", 0, 3),
        ("LEFT_BRACKET", "(", 3, 4),
        ("FUNCTION", "sin", 4, 7),
        ("LEFT_BRACKET", "(", 7, 8),
        ("OPERAND", "@0", 8, 10),
        ("RIGHT_BRACKET", ")", 10, 11),
        ("COMMA", ",", 11, 12),
        ("OPERAND", "@1", 12, 14),
        ("RIGHT_BRACKET", ")", 14, 15),
    ]
    expect(student.tokens(text), expected, what=f"the tokens of {text}", mistakes=oracle.token_mistakes())


@task("sine", "whole")
def only_the_whole_word_is_sin(student: Student) -> None:
    """asin, sinh, s, sqrt and Sin are words that the language does not have, and raise ExpressionError."""
    cause = 'a word that is no sin was taken for it: the given line asks word == "sin", leave it so'
    for word in ("asin", "sinh", "s", "sqrt", "Sin"):
        expect_refusal(student.tokens, f"{word}(@0)", accepted=cause, index_error="")


@task("sine", "left", "token")
def sin_has_a_left_child_only(student: Student, oracle: Any) -> None:
    """In the tree sin has its value on the left and nothing on the right."""
    got = student.tree("add(sin(@0),@1)")
    expected = ("add", ("sin", "@0", None), "@1")
    expect(got, expected, what="the tree of add(sin(@0),@1)", mistakes=oracle.tree_mistakes())
    for text, expected in (
        ("sin(@0)", ("sin", "@0", None)),
        ("add(sin(@0),sin(@1))", ("add", ("sin", "@0", None), ("sin", "@1", None))),
    ):
        expect(student.tree(text), expected, what=f"the tree of {text}")


@task("sine", "nested", "left", "order", "value", "token")
def sin_takes_any_value(student: Student, oracle: Any) -> None:
    """sin takes an operand, a number, a function of two values, and another sin."""
    for text, expected in (
        ("sin(2.5)", ("sin", "2.5", None)),
        ("sin(add(@0,@1))", ("sin", ("add", "@0", "@1"), None)),
        ("sin(sin(@0))", ("sin", ("sin", "@0", None), None)),
    ):
        expect(student.tree(text), expected, what=f"the tree of {text}")
    for text, order in (("sin(add(@0,@1))", "@0 @1 add sin"), ("sin(sin(@0))", "@0 sin sin")):
        mistakes = oracle.polish_mistakes(text)
        expect(student.polish(text), order.split(), what=f"reverse Polish of {text}", mistakes=mistakes)
    with likely(STACK):
        got = student.evaluate("mul(@1,sin(add(@0,2)))", [3, 4])
    mistakes = oracle.nested_mistakes()
    expect(got, 4 * math.sin(5), rtol=1e-9, what="mul(@1,sin(add(@0,2))) with 3, 4", mistakes=mistakes)


@task("sine", "one")
def sin_takes_exactly_one_value(student: Student) -> None:
    """sin(@0,@1), sin() and sin(@0 are errors of type ExpressionError, and so is whatever follows sin(@0)."""
    ended = "the tokens had ended already: go on with skip(...) and read_value(...), which look before they read"
    look = "let skip(...) look at the token, as it does for functions of two values"
    for text, accepted in (
        ("sin(@0,@1)", "a second value was accepted: after its value sin wants a right bracket, and no comma"),
        ("sin(@0,)", "a comma was accepted: after its value sin wants a right bracket, and no comma"),
        ("add(sin(@0,@1),@2)", "a second value was accepted: after its value sin wants a right bracket, and no comma"),
        ("sin()", "sin without a value was accepted: a value is read after the left bracket, whatever is there"),
        ("sin(@0", f"a missing bracket was accepted: {look}"),
        ("sin(sin(@0)", f"a missing bracket was accepted: {look}"),
        ("add(sin(@0,@1)", f"a missing bracket was accepted: {look}"),
        ("sin(@0,", f"a comma was taken for the bracket: {look}"),
        ("sin,@0)", "a comma was taken for the left bracket: skip(...) has looked at it already, leave that line"),
        ("sin(@0))", "a second bracket was accepted: sin ends with one"),
    ):
        expect_refusal(student.tree, text, accepted=accepted, index_error=ended)


@task("sine", "order", "left", "token")
def sin_stands_after_its_value(student: Student, oracle: Any) -> None:
    """In reverse Polish sin follows the value it takes; add(sin(@0),@1) is @0, sin, @1, add."""
    for text, order in (("add(sin(@0),@1)", "@0 sin @1 add"), ("add(sin(@0),sin(@1))", "@0 sin @1 sin add")):
        mistakes = oracle.polish_mistakes(text)
        expect(student.polish(text), order.split(), what=f"reverse Polish of {text}", mistakes=mistakes)


@task("sine", "value", "order", "left", "token")
def sin_computes(student: Student, oracle: Any) -> None:
    """mul(@1,sin(@0)) with 2 and 3 is 3 * sin(2) = 2.727892."""
    with likely(STACK):
        got = student.evaluate("mul(@1,sin(@0))", [2, 3])
    mistakes = oracle.value_mistakes()
    expect(got, 3 * math.sin(2), rtol=1e-9, what="mul(@1,sin(@0)) with 2, 3", mistakes=mistakes)
    got = student.evaluate("add(sin(@0),sin(@1))", [2.5, -40.0])
    expect(got, math.sin(2.5) + math.sin(-40), rtol=1e-9, what="add(sin(@0),sin(@1)) with 2.5, -40")


@task("sine", "arrays", "value", "order", "left", "token")
def arrays_keep_shape_and_type(student: Student, rng: np.random.Generator) -> None:
    """The sine of a float32 array is a float32 array of the same shape, be it of one element; float64 stays float64."""
    for dtype, shape in ((np.float32, (3, 4)), (np.float64, (2, 1, 3)), (np.float32, (1,)), (np.float64, (1, 1))):
        x, y = rng.standard_normal((2, *shape)).astype(dtype)
        for text, expected in (("sin(@0)", np.sin(x)), ("add(sin(@0),sin(@1))", np.sin(x) + np.sin(y))):
            cause = "float32 became float64: give np.sin the array itself, nothing made of it"
            mistakes = {cause: expected.astype(np.float64)}
            with likely(STACK):
                got = student.evaluate(text, [x, y])
            expect(got, expected, rtol=1e-5, atol=1e-6, what=f"{text} for {x.dtype} {shape}", mistakes=mistakes)


@task("sine", "numbers", "arrays", "value", "order", "left", "token")
def the_sine_of_a_number_is_a_number(student: Student, rng: np.random.Generator) -> None:
    """The sine of a Python number is a Python float, which leaves a float32 array beside it float32."""
    cause = "that is a numpy number, which widens an array beside it: make a plain number of it, as the others do"
    mistakes: dict[str, Any] = {cause: np.sin(np.float64(2))}
    expect(student.evaluate("sin(@0)", [2]), math.sin(2), rtol=1e-9, what="sin(@0) with 2", mistakes=mistakes)
    x = rng.standard_normal(4).astype(np.float32)
    mistakes = {cause: x * np.sin(np.float64(2))}
    got = student.evaluate("mul(@0,sin(2))", [x])
    expect(got, np.float32(math.sin(2)) * x, rtol=1e-5, what="mul(@0,sin(2))", mistakes=mistakes)


@task("sine", "operands", "arrays", "value", "order", "left", "token")
def operands_can_be_read_again(student: Student, rng: np.random.Generator) -> None:
    """add(sin(@0),@0) adds the operand as it was, not its sine."""
    x = rng.uniform(0.5, 1.5, 4).astype(np.float32)
    mistakes = {"the sine was written into the operand: compute in a new array, without out=": 2 * np.sin(x)}
    got = student.evaluate("add(sin(@0),@0)", [x])
    expect(got, np.sin(x) + x, rtol=1e-5, what="add(sin(@0),@0)", mistakes=mistakes)


@task("sine", "before")
def what_worked_before_still_works(student: Student, rng: np.random.Generator) -> None:
    """add, sub, mul and div take two values as before, @10 is one operand, and whole numbers stay whole."""
    cause = "add with one value was accepted: only sin may end after its first value, the others want a comma"
    expect_refusal(student.tree, "add(@0)", accepted=cause, index_error="")
    expect(student.tree("sub(2,@10)"), ("sub", "2", "@10"), what="the tree of sub(2,@10)")
    expect(student.polish("sub(@0,div(@1,2))"), ["@0", "@1", "2", "div", "sub"], what="sub(@0,div(@1,2))")
    expect(student.evaluate("mul(@2,add(@0,@1))", [2, 3, 4]), 20, what="mul(@2,add(@0,@1)) with 2, 3, 4")
    exchanged = 'left and right are exchanged: the value popped first is the right one (section "A stack computes")'
    for text, expected, turned in (("sub(@0,@1)", 4, -4), ("div(@0,@1)", 3.0, 1 / 3)):
        expect(student.evaluate(text, [6, 2]), expected, what=f"{text} with 6, 2", mistakes={exchanged: turned})


# --- mend ---


@task("mend", "order", "form")
def brackets_of_pnnx_are_put_right(student: Student, oracle: Any) -> None:
    """A text that pnnx wrote with misplaced brackets is read by the number of values each function takes."""
    text = "sub(mul(log1p,@0),@1),expm1,@1"
    mistakes = oracle.order_mistakes()
    expect(student.mend(text, ARITY), "sub(mul(log1p(@0),@1),expm1(@1))", what=f"mend {text}", mistakes=mistakes)
    expect(student.mend("log1p,@0", ARITY), "log1p(@0)", what="mend log1p,@0")


@task("mend", "brackets", "order", "form")
def brackets_say_nothing(student: Student) -> None:
    """Brackets that look right, but give a function too many values, or none at all, are put right as well."""
    for text, expected in (
        ("add(neg(@0,@1))", "add(neg(@0),@1)"),
        ("neg(sub(@0),@1)", "neg(sub(@0,@1))"),
        ("sub,@0,mul,@1,@2", "sub(@0,mul(@1,@2))"),
    ):
        causes = {"the brackets were believed: skip them, and count the values with `arity`": text}
        expect(student.mend(text, ARITY), expected, what=f"mend {text}", mistakes=causes)


@task("mend", "words", "order", "form")
def a_right_text_stays(student: Student, rng: np.random.Generator) -> None:
    """A text whose brackets are right already comes back as it was; what is no function is a value, whatever it is."""
    number = f"{rng.integers(2, 90)}.5"
    for text in (
        "add(@0,mul(@1,@2))",
        "neg(neg(@0))",
        f"pow(sub(@0,{number}),2)",
        "@3",
        "sub(None,1e-05)",
        "add(inf,x)",
    ):
        expect(student.mend(text, ARITY), text, what=f"mend {text}")
    unknown = "a word that is not in `arity` is a value, and so it is where the language has a function of that name"
    for text, expected in (("neg,add", "neg(add)"), ("sub,sin,mul", "sub(sin,mul)"), ("sub,@,0x1F", "sub(@,0x1F)")):
        with likely({"ExpressionError": unknown}):
            got = student.mend(text, {"neg": 1, "sub": 2})
        expect(got, expected, what=f"mend {text} where add, mul and sin are no functions")


@task("mend", "arity", "order", "form")
def functions_of_three_and_four_values(student: Student, rng: np.random.Generator) -> None:
    """`arity` decides: clamp takes three values here, lerp four, and add three where `arity` says so."""
    high = int(rng.integers(3, 90))
    for text, expected in (
        (f"clamp,add(@0,@1),2,{high}", f"clamp(add(@0,@1),2,{high})"),
        ("lerp,@0,@1,@2,@3", "lerp(@0,@1,@2,@3)"),
    ):
        expect(student.mend(text, ARITY), expected, what=f"mend {text}")
    expect(student.mend("add,@0,@1,@2", {"add": 3}), "add(@0,@1,@2)", what="mend add,@0,@1,@2 where add takes 3")


@task("mend", "space", "order", "form")
def white_space_separates_words(student: Student) -> None:
    """Spaces, tabs and new lines stand between words as a comma does, and do not come back."""
    cause = "white space separates words, as a comma does: take the words that WORD finds in the text as it is"
    for text, expected in (
        ("add( @0 , neg( @1 ) )", "add(@0,neg(@1))"),
        ("add @0 neg @1", "add(@0,neg(@1))"),
        ("pow x 2", "pow(x,2)"),
        ("add\t(@0,\n\tneg(@1\n))\n", "add(@0,neg(@1))"),
    ):
        with likely({"ExpressionError": cause}):
            got = student.mend(text, ARITY)
        joined = "white space was taken out before the words were read: it separates them"
        expect(got, expected, what=f"mend {text!r}", mistakes={cause: text, joined: "".join(text.split())})


@task("mend", "few")
def too_few_values_are_an_error(student: Student) -> None:
    """add(@0) and neg have too few values: both are an ExpressionError."""
    few = "a function took fewer values than it needs: compare len(stack) with arity[word] before you pop"
    popped = "the stack was empty: compare its length with what you take, and raise ExpressionError yourself"
    for text in ("add(@0)", "neg", "sub(add(@0,@1))", "add()"):
        expect_refusal(student.mend, text, ARITY, accepted=few, index_error=popped)


@task("mend", "many")
def too_many_values_are_an_error(student: Student) -> None:
    """@0,@1 has a value too many, and an empty text none: both are an ExpressionError."""
    many = "a value was left over: at the end the stack must hold exactly one, so check len(stack) != 1"
    empty = "an empty text was accepted: at the end the stack must hold exactly one value, so check len(stack) != 1"
    popped = "the stack was empty: look at its length, and raise ExpressionError yourself"
    for text, accepted in (("@0,@1", many), ("neg(@0,@1)", many), ("add(@0,@1,@2)", many), ("", empty)):
        expect_refusal(student.mend, text, ARITY, accepted=accepted, index_error=popped)


@task("mend", "deep", "form")
def a_long_chain_is_mended(student: Student) -> None:
    """5,000 functions in each other are no deeper than any other text."""
    count = 5000
    got = student.mend("neg," * count + "@0", ARITY)
    if got != "neg(" * count + "@0" + ")" * count:
        raise Failure(f"a chain of {count} neg: expected neg(neg(...@0...)), got {got!r:.40}... of {len(got)} letters")
