"""Public tests of lesson 7: a table of functions at each step of the reader, and brackets put right."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, SubmissionError, expect, expect_refused, likely, task

ARITY = {"add": 2, "sub": 2, "mul": 2, "div": 2, "pow": 2, "log1p": 1, "expm1": 1, "neg": 1, "clamp": 3, "lerp": 4}
OF_ONE, OF_TWO = ("sin", "sqrt", "abs", "neg"), ("add", "sub", "mul", "div", "pow", "atan2", "max", "min")
MISSING = (
    "a function is missing in the table (the rules `one` and `two` of compute have all 12 names), or table() is no "
    "mapping: `word in table()` must be True"
)
SINGLE = (
    "`float`, `.item()` and the functions of `math` take single numbers only: numpy's take arrays, and plain(...) "
    "leaves an array as it is"
)
EXCHANGED = "the number of values and the function are exchanged: an entry of table() is taken apart in the other order"
RETURNED_ERROR = "an ExpressionError was returned, and nobody notices: `raise ExpressionError(...)`"
TURNED = (
    ".reverse() turns a list round where it is, and gives None: reversed(values) and values[::-1] give the values the "
    "other way round"
)
STACK = {
    "unknown word": MISSING,
    "non-iterable ExpressionError": RETURNED_ERROR,
    "return arrays must be of ArrayType": "a numpy function of one value was given two, and takes the second for "
    "`out`: look at atan2 in table(), which is numpy's arctan2",
    "inhomogeneous shape": "np.max([a, b]) makes one array of both values, and theirs may differ in shape: np.maximum "
    "and np.minimum compare two values",
    "<ufunc": EXCHANGED,
    "'numpy.ufunc' object cannot be interpreted": EXCHANGED,
    "numpy.ufunc": "the entry is the function alone: how many values it takes must stand in the table, too",
    "'Node' object is not iterable": "children is a tuple, of one node, too: tuple(children) or (child,)",
    "must be an iterable, not NoneType": TURNED,
    "object is not reversible": "a list can be turned round, and this is None: append, extend and reverse give None",
    "'Token' object has no attribute 'token'": "the children of a node are nodes, trees of their own, and not tokens: "
    "put in what read_value gives, child and not child.token",
    "expected RIGHT_BRACKET, found ,": "one value was read, and a comma follows it: read another value as long as a "
    "comma follows",
    "expected COMMA, found )": "the lesson's functions took two values, so there a comma had to follow the first; here "
    "another value is read only if a comma follows",
    "pop from empty list": "the stack is short of a value: a function takes as many off it as its arity, and what lies "
    "below them stays",
    "can only concatenate list": "one value cannot be added to a list: stack.append(...) puts it on top",
    "can only assign an iterable": "a slice takes a list, and the result is one value: stack.append(...) puts it there",
    "Node(token=": "the table has the names of functions as keys, and not nodes: `word` is the node's",
    "of type Node": "node.children are nodes of the tree: their values lie on the stack",
    "too many values to unpack": "a value is left on the stack: use stack.pop(), which takes it off, not stack[-1]",
    "cannot be interpreted as an integer": "np.max and np.min go through one array, and a second value is an "
    "axis: np.maximum and np.minimum compare two values",
    "expected LEFT_BRACKET": "tokens[at] is the name itself: its bracket stands at at + 1",
    "expected the end, found )": "the right bracket is still there when read_value returns: skip(...) gives the index "
    "after it",
    "expected RIGHT_BRACKET, found @": "the index did not move on: read_value returns it beside the tree, child, at = "
    "read_value(...)",
    "expected a value, found ,": "a value begins after the comma: go on at at + 1, or with skip(...)",
    "cannot unpack non-iterable Node": "read_value returns two things, the tree and the index of the token after it",
    "expected 1, got 0": "the stack is empty at the end: put the function's result there with stack.append(...)",
    "only 0-dimensional": SINGLE,
    "only length-1 arrays": SINGLE,
    "an array of size 1": SINGLE,
    "truth value of an array": "Python's max and min compare whole arrays: numpy's go element by element",
}
"""Words of an exception -> likely cause, where a function computes."""
RETURNED = "read_value came to its end without a return: it gives the tree and the index of the token after it"
APPENDED = "append puts a value on the stack and gives None: `stack = ...append(...)` loses the stack"
NUMPY = (
    "that is a numpy number, which has an element type of its own: a float64 widens a float32 array beside it. "
    'plain(...) makes a Python number of it (section "The expressions of a real network")'
)
GONE = (
    "an earlier evaluate_with replaced max in the table that all others use, and then took it out, so the old max is "
    "gone: put the new function into a copy, and leave that table as it is"
)
WHOLE = (
    "each function alone is read, with operands in it, and this text is not: read each value with read_value, and go "
    "on at the index that it returns. A value may be many tokens long, with commas of its own"
)
BELOW = (
    "sin(@0) and mul(@0,@1) alone come out right: a function takes as many values off the stack as its arity, and what "
    "lies below them stays for the next one"
)
SINGLE_PRECISION = (
    "the number came out as float32 has it, with some 7 digits: hand Python numbers to the function as they are, and "
    "make nothing of the result but plain(...)"
)
SHARED = (
    "the function of an earlier evaluate_with is still in the table that all others use: put it into a copy, and leave "
    "that table as it is"
)


NUMBERS = (
    "after the function's name, the first number is how many values it takes, the second how many it got: any other "
    "number, such as the place in the text, comes before the name or after these two"
)


def said_in_order(said: str, name: str, takes: int, found: int) -> bool:
    """Whether the first two numbers after the name, somewhere in the message, are these two."""
    behind = (said[match.end() :] for match in re.finditer(rf"\b{name}\b", said))
    return any(re.findall(r"\b[0-9]+\b", rest)[:2] == [str(takes), str(found)] for rest in behind)


def expect_refusal(call: Callable[..., Any], *args: Any, accepted: str, index_error: str) -> None:
    """An ExpressionError; the likely cause is `accepted` after an answer, `index_error` after an IndexError."""
    lesson = "the lesson raised ValueError; here it is ExpressionError, which stands at the top of the file"
    slips = dict.fromkeys(("AttributeError", "KeyError", "TypeError"), "")
    instead = {"IndexError": index_error, "ValueError": lesson, **slips}

    def with_cause(*args: Any) -> Any:
        try:
            return call(*args)
        except SubmissionError as error:
            if "non-iterable ExpressionError" in error.message:
                instead["TypeError"] = RETURNED_ERROR
            raise

    expect_refused(with_cause, *args, error="ExpressionError", cause=accepted, instead=instead)


def expect_value(got: Any, expected: Any, **more: Any) -> None:
    """As `expect`; of numpy's single numbers the failure says how this homework makes Python's."""
    try:
        expect(got, expected, **more)
    except Failure as failure:
        general = f"make it a plain number with {type(expected).__name__}(...)"
        if isinstance(got, np.ndarray) and got.ndim:
            failure.message = failure.message.removesuffix(f": {general}")
            failure.cause = "a function takes its values one by one, and not in a list: function(*values)"
        elif isinstance(got, np.ndarray):
            failure.message = failure.message.removesuffix(f": {general}")
            failure.cause = (
                "np.where, np.vectorize and np.array make an array of a single number, too, and plain(...) leaves "
                "arrays as they are: let a numpy function compute the value itself"
            )
        elif isinstance(expected, float) and isinstance(got, (float, np.float32)) and got == np.float32(expected):
            failure.cause = failure.cause or SINGLE_PRECISION
        elif isinstance(got, np.generic) and failure.of_type:
            failure.cause = failure.cause or NUMPY
        failure.message = failure.message.replace(general, "pass the function's result through plain(...)")
        raise


# --- functions ---


def refused_cause(student: Student, text: str) -> str:
    """Why `text` has no tree, seen in each function alone: its entry, or what stands inside it; "" if it has one."""

    def tree(text: str) -> Any:
        with student.aside(), suppress(Failure, SubmissionError):
            return student.tree(text)
        return None

    if tree(text) is not None:
        return ""
    refused = [name for name in OF_ONE if tree(f"{name}(@0)") != (name, "@0")]
    refused += [name for name in OF_TWO if tree(f"{name}(@0,@1)") != (name, "@0", "@1")]
    if not refused:
        return WHOLE
    if set(OF_ONE) <= set(refused) or set(OF_TWO) <= set(refused):
        return ""  # no single entry of the table is to blame
    one = refused[0]
    count = "one value" if one in OF_ONE else "two values"
    return f"{one} of {count} is refused, and other functions of {count} are not: look at its number in table()"


@contextmanager
def reading(student: Student, text: str) -> Iterator[None]:
    """As `likely(STACK)`; where the text is refused for another reason, the cause that each function alone shows."""
    try:
        with likely({**STACK, "non-iterable NoneType": RETURNED}):
            yield
    except SubmissionError as error:
        cause = refused_cause(student, text) if error.type == "ExpressionError" else ""
        with likely({"ExpressionError": cause} if cause else {}):
            raise


@contextmanager
def computing(student: Student, text: str) -> Iterator[None]:
    """As `reading`, for a text to compute: where functions alone come out right, the values below were lost."""
    try:
        with reading(student, text), likely({"non-iterable NoneType": APPENDED}):
            yield
    except SubmissionError:
        alone = None
        if text.count("(") > 1:
            with student.aside(), suppress(Failure, SubmissionError):
                alone = [student.evaluate("sin(@0)", [0.0]), student.evaluate("mul(@0,@1)", [2.0, 3.0])]
        with likely({"TypeError": BELOW, "ValueError": BELOW} if alone == [0.0, 6.0] else {}):
            raise


@task("functions", "words", section="Tokens")
def functions_are_words_of_the_language(student: Student, oracle: Any) -> None:
    """max(sqrt(@0),@1) has 9 tokens, each of the twelve names is a function, and sinh, Sin and maxi are none."""
    text = "max(sqrt(@0),@1)"
    expected = [
        ("FUNCTION", "max", 0, 3),
        ("LEFT_BRACKET", "(", 3, 4),
        ("FUNCTION", "sqrt", 4, 8),
        ("LEFT_BRACKET", "(", 8, 9),
        ("OPERAND", "@0", 9, 11),
        ("RIGHT_BRACKET", ")", 11, 12),
        ("COMMA", ",", 12, 13),
        ("OPERAND", "@1", 13, 15),
        ("RIGHT_BRACKET", ")", 15, 16),
    ]
    with likely(STACK):
        got = student.tokens(text)
        expect(got, expected, what=f"the tokens of {text}", mistakes=oracle.token_mistakes())
        for word in OF_ONE + OF_TWO:
            expect(student.tokens(word), [("FUNCTION", word, 0, len(word))], what=f"the token of {word}")
    for word in ("sinh", "s", "Sin", "maxi", "foo2"):
        cause = "that is no whole name of a function: the given type_of asks whether the table has the word"
        expect_refusal(student.tokens, f"{word}(@0)", accepted=cause, index_error="")
        if word not in (said := student.refusal(f"add(2,{word}(@0))")):
            raise Failure(f"the error of add(2,{word}(@0)): expected a message with {word}, got {said!r}")


@task("functions", "children", section="A tree")
def a_node_has_its_values_as_children(student: Student, oracle: Any) -> None:
    """In the tree a function has all its values as children, from left to right."""
    with reading(student, "sin(@0)"):
        student.tree("sin(@0)")
    with reading(student, "sub(sin(@0),@1)"):
        got = student.tree("sub(sin(@0),@1)")
    expected = ("sub", ("sin", "@0"), "@1")
    expect(got, expected, what="the tree of sub(sin(@0),@1)", mistakes=oracle.tree_mistakes())
    for text, expected in (
        ("sin(@0)", ("sin", "@0")),
        ("atan2(@1,@0)", ("atan2", "@1", "@0")),
        ("max(sqrt(@0),neg(@1))", ("max", ("sqrt", "@0"), ("neg", "@1"))),
    ):
        with reading(student, text):
            got = student.tree(text)
        expect(got, expected, what=f"the tree of {text}")


@task("functions", "nested", "children", section="A tree")
def any_value_may_stand_inside(student: Student) -> None:
    """A function takes an operand, a number, another function, and the same function once more."""
    for text, expected in (
        ("sin(2.5)", ("sin", "2.5")),
        ("sqrt(add(@0,-3))", ("sqrt", ("add", "@0", "-3"))),
        ("neg(neg(@0))", ("neg", ("neg", "@0"))),
        ("max(@0,max(@1,min(@2,abs(4))))", ("max", "@0", ("max", "@1", ("min", "@2", ("abs", "4"))))),
    ):
        with reading(student, text):
            got = student.tree(text)
        expect(got, expected, what=f"the tree of {text}")
    expect(student.polish("sin(add(@0,neg(@1)))"), ["@0", "@1", "neg", "add", "sin"], what="sin(add(@0,neg(@1)))")


@task("functions", "count", "words")
def a_wrong_number_of_values_is_refused(student: Student) -> None:
    """sin(@0,@1), atan2(@0), add(@0,@1,@0) and sqrt() raise an ExpressionError with the name, and then both numbers."""
    for text, name, takes, found in (
        ("sin(@0,@1)", "sin", 1, 2),
        ("atan2(@0)", "atan2", 2, 1),
        ("add(@0,@1,@0)", "add", 2, 3),
        ("sqrt()", "sqrt", 1, 0),
        ("mul(neg(@0,@1,@0,@1),@1)", "neg", 1, 4),
        ("sub(@0,max(@1))", "max", 2, 1),
        ("neg(max(@0,@1),@2)", "neg", 1, 2),
        ("max(min(@0,@1))", "max", 2, 1),
    ):
        accepted = (
            f"{name} takes {takes}, and {found} {'was' if found == 1 else 'were'} accepted: when the bracket closes, "
            "compare the number of children with the table"
        )
        ended = "the tokens had ended already: skip(...) and read_value(...) look before they read"
        expect_refusal(student.tree, text, accepted=accepted, index_error=ended)
        said = student.refusal(text)
        if not said_in_order(said, name, takes, found):
            failure = Failure(
                f"the error of {text}: expected a message with {name}, then {takes}, then {found}, got {said!r}"
            )
            failure.cause = "whoever wrote the text wants to know which function it was, what it takes, and what it got"
            if said_in_order(said, name, found, takes):
                failure.cause = "the two numbers are exchanged: first how many values it takes, then how many it got"
            elif re.fullmatch(rf".*\b{name}\D*{takes}\D+(?!{found}\b)[0-9]+\D*", said):
                failure.cause = "the second number is another one: it counts the values of this function, all of them"
            elif name in said and {str(takes), str(found)} <= set(re.findall(r"\b[0-9]+\b", said)):
                failure.cause = NUMBERS
            elif not found:
                failure.cause = "empty brackets hold no value to read: look for the right bracket first; the count is 0"
            elif "BRACKET" in said or "COMMA" in said:
                failure.cause = (
                    "the reader stops at the first comma too many, or misses one: read all values up to the bracket, "
                    "then compare their number with the table"
                )
            elif name in said and not re.search(r"[0-9]", said.split(name, 1)[1]):
                failure.cause = "both numbers are due in digits, behind the name"
            raise failure


@task("functions", "syntax", section="A tree")
def brackets_and_commas_have_their_places(student: Student) -> None:
    """sin(@0 and max(@0,) and max(@0 @1) and sin@0 and max(sin,@0) and sqrt(@0)) raise ExpressionError."""
    ended = "the tokens had ended already: skip(...) and read_value(...) look before they read"
    look = "let skip(...) look at the token"
    behind = "a comma was accepted without a value behind it: after a comma a value must follow"
    alone = "a function's name alone was accepted as a value: behind the name a left bracket is due, always"
    between = "two values were accepted without a comma between them: read another one only if a comma follows"
    for text, accepted in (
        ("sin(@0", f"a missing right bracket was accepted: {look}"),
        ("max(@0,@1", f"a missing right bracket was accepted: {look}"),
        ("sin(sin(@0)", f"a missing right bracket was accepted: {look}"),
        ("sin(@0,)", behind),
        ("max(@0,)", behind),
        ("add(sin(@0,),@1)", behind),
        ("max(,@0,@1)", "a comma was accepted without a value before it"),
        ("max(@0,,@1)", "two commas were accepted with no value between them: take one, and then a value must follow"),
        ("max(@0 @1)", between),
        ("sin@0", f"a missing left bracket was accepted: {look}"),
        ("sin@0)", f"a missing left bracket was accepted: {look}"),
        ("max@0,@1)", f"a missing left bracket was accepted: {look}"),
        ("add(sin@0),@1)", f"a missing left bracket was accepted: {look}"),
        ("sin", alone),
        ("max(sin,@0)", alone),
        ("add(@0,sqrt)", alone),
        ("sin,@0)", f"a comma was taken for the left bracket: {look}"),
        ("max(@0(@1)", f"a bracket was taken for the comma: {look}"),
        ("sin(@0,", "a comma was taken for the right bracket"),
        ("sqrt(@0))", "a second bracket was accepted: a value ends with one"),
    ):
        expect_refusal(student.tree, text, accepted=accepted, index_error=ended)


@task("functions", "one", "numbers", "nested", "children", section="A stack computes")
def functions_of_one_value_compute(student: Student, oracle: Any) -> None:
    """sin(2) is 0.909, sqrt(2.25) is 1.5, abs(-3.5) is 3.5, neg(-2.5) is 2.5; mul(@1,sin(@0)) leaves mul its values."""
    for text, operands, expected in (
        ("sin(@0)", [2.0], math.sin(2)),
        ("sqrt(@0)", [2.25], 1.5),
        ("abs(@0)", [-3.5], 3.5),
        ("neg(@0)", [4.0], -4.0),
        ("neg(@0)", [-2.5], 2.5),
        ("mul(@1,sin(@0))", [2.0, 3.0], 3 * math.sin(2)),
        ("add(sqrt(@0),neg(@1))", [2.25, 1.0], 0.5),
    ):
        with computing(student, text):
            got = student.evaluate(text, operands)
        what = f"{text} with {operands}"
        expect_value(got, expected, rtol=1e-9, what=what, mistakes=oracle.one_mistakes(text))


@task("functions", "two", "numbers", "children")
def functions_of_two_values_compute(student: Student) -> None:
    """add, mul, max and min of 2.5 and 4 are 6.5, 10, 4 and 2.5, in either order, and div(7,7) is 1."""
    for a, b in ((2.5, 4.0), (4.0, 2.5)):
        for name, expected in (("add", 6.5), ("mul", 10.0), ("max", 4.0), ("min", 2.5)):
            with reading(student, f"{name}(@0,@1)"):
                got = student.evaluate(f"{name}(@0,@1)", [a, b])
            expect_value(got, expected, rtol=1e-9, what=f"{name}(@0,@1) with {a}, {b}")
    for text, expected in (
        ("div(@0,@0)", 1.0),
        ("sub(@0,@0)", 0.0),
        ("pow(@0,@0)", 7.0**7),
        ("atan2(@0,@0)", math.pi / 4),
    ):
        with reading(student, text):
            got = student.evaluate(text, [7.0])
        expect_value(got, expected, rtol=1e-9, what=f"{text} with 7.0")
    quotient = {"-7 / -7 and 7 / 7 are the same number and other angles: np.arctan2 takes both values": math.pi / 4}
    positive = {
        "an exponent may be negative: np.power takes both values as they are, without abs": -27.0,
        "the left value may be negative: np.power takes both values as they are, without abs": 1 / 27,
    }
    got = student.evaluate("pow(@0,@0)", [-3.0])
    expect_value(got, -1 / 27, rtol=1e-9, what="pow(@0,@0) with -3.0", mistakes=positive)
    got = student.evaluate("atan2(@0,@0)", [-7.0])
    expect_value(got, -3 * math.pi / 4, rtol=1e-9, what="atan2(@0,@0) with -7.0", mistakes=quotient)


@task("functions", "left", "one", "two", "numbers", "nested", "children", section="A stack computes")
def the_left_value_comes_first(student: Student) -> None:
    """With 6 and 2, sub is 4, div 3, pow 36 and atan2 1.249046, and sub(@1,neg(@0)) is 8."""
    exchanged = "left and right are exchanged: the value popped first is the right one"
    for name, expected, turned in (
        ("sub", 4.0, -4.0),
        ("div", 3.0, 1 / 3),
        ("pow", 36.0, 64.0),
        ("atan2", math.atan2(6, 2), math.atan2(2, 6)),
    ):
        with reading(student, f"{name}(@0,@1)"):
            got = student.evaluate(f"{name}(@0,@1)", [6.0, 2.0])
        alone = (
            f"sub comes out right, so the stack is fine: it is the {name} in your table that exchanges its two values"
        )
        mistakes = {exchanged if name == "sub" else alone: turned}
        expect_value(got, expected, rtol=1e-9, what=f"{name}(@0,@1) with 6, 2", mistakes=mistakes)
    text = "sub(@1,neg(@0))"
    with computing(student, text):
        got = student.evaluate(text, [6.0, 2.0])
    bottom = "neg put its result at the bottom of the stack: it belongs on top, at the end of the list"
    expect_value(got, 8.0, rtol=1e-9, what=f"{text} with 6, 2", mistakes={bottom: -8.0})


@task(
    "functions", "arrays", "one", "two", "left", "nested", "children",
    section="The expressions of a real network",
)  # fmt: skip
def arrays_keep_shape_and_type(student: Student, rng: np.random.Generator) -> None:
    """Arrays of float32 stay float32, of one element too; shapes broadcast, and each element is computed by itself."""
    for dtype in (np.float32, np.float64):
        x, y, z = (rng.uniform(0.5, 1.5, shape).astype(dtype) for shape in ((3, 4), (3, 1), (1,)))
        for text, expected in (
            ("sin(@0)", np.sin(x)),
            ("max(@0,@1)", np.where(x > y, x, y + 0 * x)),
            ("min(neg(@1),@0)", -y + 0 * x),
            ("sqrt(@2)", z**0.5),
            ("sqrt(neg(@1))", np.full_like(y, np.nan)),
            ("sub(abs(@2),@0)", z - x),
            ("atan2(@0,pow(@1,2))", np.arctan2(x, y * y)),
        ):
            cause = (
                "float32 became float64: hand the values to numpy's functions as they are. Of 2, np.asarray(2) makes "
                "an array with an element type of its own"
            )
            with likely(STACK):
                got = student.evaluate(text, [x, y, z])
            mistakes = {cause: expected.astype(np.float64)}
            if text == "sqrt(neg(@1))":
                mistakes["the root of a negative number is nan: np.sqrt takes its value as it is, without abs"] = y**0.5
            if expected.size == 1:
                mistakes["an array of one element is no single number: plain(...) leaves it as it is"] = expected.item()
            expect(got, expected, rtol=1e-5, atol=1e-6, what=f"{text} for {x.dtype}", mistakes=mistakes)


@task(
    "functions", "numbers", "arrays", "one", "two", "left", "nested", "children",
    section="The expressions of a real network",
)  # fmt: skip
def numbers_give_numbers(student: Student, rng: np.random.Generator) -> None:
    """Whole numbers stay whole in mul, add, max, pow, neg and abs; div(3,2) is 1.5; mul(@0,sin(2)) stays float32."""
    cause = NUMPY
    exchanged = "left and right are exchanged: the value popped first is the right one"
    for text, expected, raw, turned in (
        ("mul(@2,add(@0,@1))", 20, np.int64(20), None),
        ("max(@0,@2)", 4, np.int64(4), None),
        ("pow(@0,@1)", 8, np.int64(8), 9),
        ("neg(@2)", -4, np.int64(-4), None),
        ("abs(sub(@0,@1))", 1, np.int64(1), None),
        ("div(@1,@0)", 1.5, np.float64(1.5), 2 / 3),
        ("div(@2,@0)", 2.0, np.float64(2), 0.5),
    ):
        mistakes = {cause: raw} if turned is None else {cause: raw, exchanged: turned}
        if text == "mul(@2,add(@0,@1))":
            mistakes["float(...) makes a float of every number: plain(...) keeps a whole number whole"] = 20.0
        if text == "abs(sub(@0,@1))":
            mistakes["np.fabs always gives a float: np.abs keeps whole numbers"] = 1.0
        if text == "pow(@0,@1)":
            mistakes["np.float_power, np.exp and math.pow always give a float: np.power keeps whole numbers"] = 8.0
        if text == "neg(@2)":
            mistakes["beside -1.0 or 0.0 a whole number becomes a float: -x keeps it whole"] = -4.0
        if text == "div(@1,@0)":
            mistakes["div is true division"] = 1
        expect_value(student.evaluate(text, [2, 3, 4]), expected, what=f"{text} with 2, 3, 4", mistakes=mistakes)
    x = rng.standard_normal(4).astype(np.float32)
    got = student.evaluate("mul(@0,sin(2))", [x])
    widened = {cause: x * np.sin(np.float64(2))}
    expect(got, np.float32(math.sin(2)) * x, rtol=1e-5, what="mul(@0,sin(2))", mistakes=widened)


@task("functions", "operands", "arrays", "one", "two", "left", "nested", "children")
def operands_can_be_read_again(student: Student, rng: np.random.Generator) -> None:
    """None of the 12 functions changes an operand: sub(neg(@0),@0), sub(add(@0,@1),@1) and the like read it again."""
    x = rng.uniform(1.5, 2.5, 4).astype(np.float32)
    y = x[::-1].copy()  # some are greater than their partner, some smaller
    values = {
        "sin": np.sin(x), "sqrt": np.sqrt(x), "abs": x, "neg": -x, "add": x + y, "sub": x - y, "mul": x * y,
        "div": x / y, "pow": x**y, "atan2": np.arctan2(x, y), "max": np.maximum(x, y), "min": np.minimum(x, y),
    }  # fmt: skip
    for name in OF_ONE + OF_TWO:
        left = -x if name == "abs" else x
        call = f"{name}(@0)" if name in OF_ONE else f"{name}(@0,@1)"
        for text, again in ((f"sub({call},@0)", left), (f"sub({call},@1)", y)):
            cause = f"{name} wrote its result into the operand: compute in a new array, without out= or a sign like +="
            got = student.evaluate(text, [left, y])
            expect(got, values[name] - again, rtol=1e-5, atol=1e-5, what=text, mistakes={cause: 0 * x})


@task("functions", "extend", "numbers", "left", "nested", "children")
def the_language_can_be_extended(student: Student) -> None:
    """evaluate_with reads a function of one, three or four values beside the others, and another one in max's place."""
    global_table = (
        "the new function never reached the reader: hand evaluate, as its third argument, the table that has it. "
        "(table() may make a new one at each call, and update(...) gives None.)"
    )
    asked = (
        "read_value and compute must ask the table that they are given, `functions`, and neither table() nor another "
        "one of your own"
    )
    alone = "the new function is there, and all others are missing: hand over a table that has both"
    exchanged = "the number of values and the function are exchanged: write the new entry as table() writes its own"
    causes = {"unknown word 'add'": alone, "unknown word": global_table, "KeyError": asked}
    causes |= dict.fromkeys(("<function", "'function' object cannot", "'int' object is not"), exchanged)
    bare = "the new entry is the function alone: it has two parts, as those of table() have"
    causes |= dict.fromkeys(("non-iterable function", "'function' object has no", "'function' object is not"), bare)
    causes["takes 1 positional argument"] = (
        "the new function computes only what stands in its own brackets: evaluate(...) computes the whole text"
    )
    causes["cube"] = (
        "how many values cube takes stands in the table that read_value is given: ask `functions`, and keep no list of "
        "names"
    )
    with likely(causes):
        got = student.evaluate_with("add(cube(@0),@1)", [2, 3], "cube", 1, lambda x: x**3)
    expect(got, 11, what="add(cube(@0),@1) with 2, 3 and a function cube")
    three = "this function takes three values: pop as many as its arity says, not one or two"
    text = "sub(clamp(mul(@0,10),2,@1),1)"
    entered = "the new function takes as many values as the argument `arity` says: put that number into the new entry"
    with likely({"positional argument": three, "takes 2": three, "clamp": entered}):
        got = student.evaluate_with(text, [3, 5], "clamp", 3, lambda x, a, b: min(max(x, a), b))
    expect(got, 4, what="sub(clamp(mul(@0,10),2,@1),1) with 3, 5 and a function clamp")
    got = student.evaluate_with("digits(@0,@1,@0,7)", [1, 2], "digits", 4, lambda a, b, c, d: int(f"{a}{b}{c}{d}"))
    popped = {"they come in the order in which they were popped: turn them round, of three values or four, too": 7121}
    expect(got, 1217, what="digits(@0,@1,@0,7) with 1, 2 and a function of four values", mistakes=popped)
    inside = {"min has `in` at its end, and is another function: go by whole words, which are the keys of a table": 40}
    got = student.evaluate_with("add(in(@0),min(@0,@1))", [2, 3], "in", 1, lambda x: 10 * x)
    expect(got, 22, what="add(in(@0),min(@0,@1)) with 2, 3 and a function in", mistakes=inside)
    replaced = "the old max is still there: of two entries with one name the later one stays"
    refused = "a name that the table has already is refused: the new function stands in the old one's place"
    try:
        got = student.evaluate_with("max(add(@0,@1))", [1, 2], "max", 1, lambda x: 100 * x)
    except SubmissionError:
        causes = {"Error": refused}
        with student.aside(), suppress(Failure, SubmissionError):
            student.evaluate_with("max(@0,@1)", [1, 2], "max", 2, lambda a, b: 7)
            causes = {"max": replaced}
        with likely(causes):
            raise
    expect(got, 300, what="max(add(@0,@1)) with 1, 2 and a function max of one value")


@task("functions", "same", "extend", "two", "left", "numbers", "children")
def the_table_stays_as_it_is(student: Student) -> None:
    """After evaluate_with, even if it raised an exception, its function is unknown again, and max is the old one."""
    with likely({"unknown word 'max'": GONE, "max": SHARED}):
        got = student.evaluate_with("twice(max(@0,@1))", [1, 2], "twice", 1, lambda x: 2 * x)
    expect(got, 4, what="twice(max(@0,@1)) with 1, 2 and a function twice")
    cause = "evaluate_with changed the table for good: copy it, and change the copy"
    expect_refusal(student.tokens, "twice(@0)", accepted=cause, index_error="")
    early = "an error ended evaluate_with before the table was put back: change a copy, and nothing has to be put back"
    expect_refused(student.evaluate_with, "late(@0,@1)", [1, 2], "late", 1, lambda x: x, error="ExpressionError")
    expect_refusal(student.tokens, "late(@0)", accepted=early, index_error="")
    failing: dict[str, Callable[[Any], Any]] = {
        "a ZeroDivisionError": lambda x: 1 / int(x),
        "a KeyError": lambda x: {}[x],
        "an AttributeError": lambda x: x.nothing,
    }
    for error, function in failing.items():
        with suppress(SubmissionError):
            student.evaluate_with("fails(@0)", [0], "fails", 1, function)
        raised = (
            f"the function of evaluate_with raised {error}, and the table was not put back: change a copy, and nothing "
            "has to be put back, whatever is raised"
        )
        expect_refusal(student.tokens, "fails(@0)", accepted=raised, index_error="")
    got = student.evaluate_with("max(@0,@1)", [1, 2], "max", 2, lambda a, b: 7)
    expect(got, 7, what="max(@0,@1) with a function max that gives 7")
    with likely({"unknown word 'max'": GONE}):
        got = student.evaluate("max(@0,@1)", [1, 2])
    expect(got, 2, what="max(@0,@1) afterwards", mistakes={cause: 7})


# --- mend ---


def needed(text: str) -> dict[str, int]:
    """What ARITY says of the functions of a text."""
    return {name: count for name, count in ARITY.items() if name in re.findall("[a-z0-9]+", text)} or {"add": 2}


NONE_MENDED = {
    "'NoneType' object is not iterable": ".reverse() turns a list round where it is, and gives None: "
    "reversed(WORD.findall(text)) gives the words from the last to the first",
    "can only join an iterable": ".reverse() turns a list round where it is, and gives None: turn it round first, and "
    "join it then",
    "object is not reversible": "a list can be turned round, and this is None: append, extend and reverse give None",
}


def mend_cause(student: Student) -> str:
    """Why a text that comes out right was refused, seen in shorter ones; "" if these do not tell."""

    def mended(text: str) -> str:
        with student.aside(), suppress(Failure, SubmissionError):
            return str(student.mend(text, ARITY))
        return ""

    if mended("12") == "21":
        return "the characters of the text were turned round, and each word with them: turn round the list of the words"
    if mended("@0 neg") == "neg(@0)":
        return "begin at the last word: then the values of a function lie on the stack already"
    if mended("neg @0") == "neg(@0)" != mended("neg,@0"):
        return "brackets and commas are among the words that WORD finds, and no values: leave them out"
    if mended("neg,@0") == "neg(@0)" != mended("neg(@0)"):
        return (
            "an empty word is on the stack: a split leaves one after the last bracket, and between a bracket and a "
            "comma; WORD.findall(text) leaves none"
        )
    if mended("neg(@0)") == "neg(@0)" and not mended("log1p(@0)"):
        return "log1p is a function, since it is in `arity`: table() says nothing here"
    if mended("@0") == "@0" and not mended("neg @0"):
        return "neg @0 alone is refused, too: neg takes its one value off the stack, and puts one text there"
    return ""


@contextmanager
def explained(student: Student) -> Iterator[None]:
    """As `likely`, for a text that comes out right and was refused, with the cause that shorter texts show."""
    try:
        yield
    except SubmissionError:
        cause = mend_cause(student)
        with likely(dict.fromkeys(("ExpressionError", "IndexError", "KeyError"), cause) if cause else {}):
            raise


@task("mend", "order", "form")
def brackets_of_pnnx_are_put_right(student: Student, oracle: Any) -> None:
    """A text that pnnx wrote with misplaced brackets is read by the number of values each function takes."""
    text = "sub(mul(log1p,@0),@1),expm1,@1"
    whole = "that is the whole stack: what is asked for is the one text in it"
    mistakes = {**oracle.order_mistakes(), whole: ["sub(mul(log1p(@0),@1),expm1(@1))"]}
    unknown = (
        "any word that WORD finds may stand here, and `arity` says which are functions; tokenize refuses all that "
        "table() does not have"
    )
    with explained(student), likely({"unknown word": unknown, **NONE_MENDED}):
        got = student.mend(text, needed(text))
    expect(got, "sub(mul(log1p(@0),@1),expm1(@1))", what=f"mend {text}", mistakes=mistakes)
    expect(student.mend("log1p,@0", needed("log1p")), "log1p(@0)", what="mend log1p,@0")


@task("mend", "brackets", "order", "form")
def brackets_say_nothing(student: Student) -> None:
    """Brackets that look right, but give a function too many values, or none at all, are put right as well."""
    for text, expected in (
        ("add(neg(@0,@1))", "add(neg(@0),@1)"),
        ("neg(sub(@0),@1)", "neg(sub(@0,@1))"),
        ("sub,@0,mul,@1,@2", "sub(@0,mul(@1,@2))"),
    ):
        causes = {"the brackets were believed: skip them, and count the values with `arity`": text}
        with explained(student):
            got = student.mend(text, needed(text))
        expect(got, expected, what=f"mend {text}", mistakes=causes)


@task("mend", "words", "order", "form")
def a_right_text_stays(student: Student, rng: np.random.Generator) -> None:
    """A text whose brackets are right comes back as it was; what is no function is a value; an @ begins a new word."""
    number = f"{rng.integers(2, 90)}.5"
    for text in (
        "add(@0,mul(@1,@2))",
        "neg(neg(@0))",
        f"pow(sub(@0,{number}),2)",
        "@3",
        "sub(None,1e-05)",
        "sub(1.800000e+00,+2)",
        "add(inf,x)",
    ):
        value = "every word that is not in `arity` is a value: inf, None, x and 2.5 are, too, not only @0"
        with likely(dict.fromkeys(("ExpressionError", "IndexError", "KeyError"), value)), explained(student):
            got = student.mend(text, needed(text))
        expect(got, text, what=f"mend {text}")
    unknown = "a word that is not in `arity` is a value, and so it is where the language has a function of that name"
    for text, expected in (("neg,add", "neg(add)"), ("sub,sin,mul", "sub(sin,mul)"), ("sub,@,0x1F", "sub(@,0x1F)")):
        with likely({"ExpressionError": unknown, "KeyError": unknown}):
            got = student.mend(text, {"neg": 1, "sub": 2})
        expect(got, expected, what=f"mend {text} where add, mul and sin are no functions")
    begins = "a word ends where an @ begins the next one: WORD.findall(text) gives the words"
    for text, expected in (("neg@0", "neg(@0)"), ("sub@0@1", "sub(@0,@1)")):
        with likely({"ExpressionError": begins}), explained(student):
            got = student.mend(text, needed(text))
        expect(got, expected, what=f"mend {text}", mistakes={begins: text})


@task("mend", "arity", "order", "form")
def functions_of_three_and_four_values(student: Student, rng: np.random.Generator) -> None:
    """`arity` decides: clamp takes three values here, lerp four, and add three where `arity` says so."""
    high = int(rng.integers(3, 90))
    up_to_two = False
    with student.aside(), suppress(Failure, SubmissionError):
        up_to_two = student.mend("add(neg(@0),@1)", ARITY) == "add(neg(@0),@1)"
    more = "a function may take more than two values: pop as many as `arity` says"
    for text, expected in (
        (f"clamp,add(@0,@1),2,{high}", f"clamp(add(@0,@1),2,{high})"),
        ("lerp,@0,@1,@2,@3", "lerp(@0,@1,@2,@3)"),
    ):
        with likely({"ExpressionError": more} if up_to_two else {}):
            got = student.mend(text, needed(text))
        expect(got, expected, what=f"mend {text}")
    got = student.mend("floor_divide,@0,@1", {"floor_divide": 2})
    expect(got, "floor_divide(@0,@1)", what="mend floor_divide,@0,@1")
    expect(student.mend("add,@0,@1,@2", {"add": 3}), "add(@0,@1,@2)", what="mend add,@0,@1,@2 where add takes 3")


@task("mend", "space", "order", "form")
def white_space_separates_words(student: Student) -> None:
    """Spaces, tabs and new lines stand between words as a comma does, and do not come back."""
    cause = "whitespace separates words, as a comma does: take the words that WORD finds in the text as it is"
    for text, expected in (
        ("add( @0 , neg( @1 ) )", "add(@0,neg(@1))"),
        ("add @0 neg @1", "add(@0,neg(@1))"),
        ("pow x 2", "pow(x,2)"),
        ("add\t(@0,\n\tneg(@1\n))\n", "add(@0,neg(@1))"),
    ):
        with likely({"ExpressionError": cause}), explained(student):
            got = student.mend(text, needed(text))
        joined = "whitespace was taken out before the words were read: it separates them"
        expect(got, expected, what=f"mend {text!r}", mistakes={cause: text, joined: "".join(text.split())})


@task("mend", "few")
def too_few_values_are_an_error(student: Student) -> None:
    """add(@0) and neg have too few values: both are an ExpressionError."""
    few = "a function took fewer values than it needs: compare len(stack) with arity[word] before you pop"
    popped = "the stack was empty: compare its length with what you take, and raise ExpressionError yourself"
    for text in ("add(@0)", "neg", "sub(add(@0,@1))", "add()", "clamp(@0,@1)", "lerp(@0,@1,@2)"):
        expect_refusal(student.mend, text, needed(text), accepted=few, index_error=popped)


@task("mend", "many")
def too_many_values_are_an_error(student: Student) -> None:
    """@0,@1 has a value too many, and an empty text none: both are an ExpressionError."""
    many = "a value was left over: at the end the stack must hold exactly one, so check len(stack) != 1"
    empty = "an empty text was accepted: at the end the stack must hold exactly one value, so check len(stack) != 1"
    popped = "the stack was empty: look at its length, and raise ExpressionError yourself"
    for text, accepted in (
        ("@0,@1", many),
        ("@0,@0", many),
        ("neg(@0,@1)", many),
        ("add(@0,@1,@2)", many),
        ("", empty),
    ):
        expect_refusal(student.mend, text, needed(text), accepted=accepted, index_error=popped)


@task("mend", "deep", "form")
def a_long_chain_is_mended(student: Student) -> None:
    """A chain of 5,000 nested functions is read like any other text."""
    count = 5000
    nested = "Python allows about 1,000 calls inside each other: keep a stack of your own, a list (lesson 4)"
    with likely({"RecursionError": nested}):
        got = student.mend("neg," * count + "@0", {"neg": 1})
    if got != "neg(" * count + "@0" + ")" * count:
        raise Failure(f"a chain of {count} neg: expected neg(neg(...@0...)), got {got!r:.40}... of {len(got)} letters")
