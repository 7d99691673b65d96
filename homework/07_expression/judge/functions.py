r"""A table of functions with their number of values: why the solution is as it is.

The lesson's reader had "a function takes two values" in three places: the grammar rule and `read_value` wanted a comma
and a second value, and `apply` popped twice. A language is a chain of such assumptions. As soon as the
number stands in a table, the steps ask the table, and none of them knows a function by name.

**The table.** Each entry says two things that belong together: how many values the function takes, and what computes
it. A dataclass, a tuple or two dictionaries all work. A dataclass gives both parts a name. Two dictionaries can
disagree: a function in one and not in the other. `if word == "sin"` in the steps works for four functions, and has
to be written again for each new one in every step; `evaluate_with` is where that breaks, since it gets a function
that nobody could foresee.

**Tree.** The grammar rule says "values with commas between them", so the code reads them all and counts when the
bracket closes. It could also expect just as many as the table says: then `sin(@0,@1)` is refused at the comma, with
"expected RIGHT_BRACKET, found ,". That is right, and of little help. Whoever counts first can say what is wrong.

**Value.** A function pops as many values as the table says. The one popped first is the last one in the text, so the
list is reversed. `np.maximum` goes element by element; Python's `max` compares whole arrays, and math.sin takes no
arrays at all. Nothing may write into the values: they are the caller's operands. `plain` turns `np.float64` into a
Python number, which matters when an array follows: `float32 * np.float64` is `float64` in numpy 2, `float32 * float`
stays `float32`.

**One function more.** The table is an argument of `evaluate`, as the registry is of `kuiper.load`. `{**table(), ...}`
makes a new one. Whoever keeps the table in a global dictionary and changes that gives every later caller the new
function, too, and takes the old one from them where the names are equal. Taking it out again afterwards is no cure:
the old one is lost, and an exception may come between.

*Cost.* Tokens, tree and value take time in proportion to the text. `reverse_polish` copies the list once per level,
which is quadratic for a long chain, and everything that recurses ends at Python's limit of about 1,000 nested calls.
Real expressions are some ten functions deep; the engine avoids both all the same, and
`kuiper/expression/functions.py` is its table, of 53 functions.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from classroom.judge import Failure, Mutant, Student, expect, expect_refused, task

from .shared import NAMES

ONE = {"sin": np.sin, "sqrt": np.sqrt, "abs": np.abs, "neg": np.negative}
TWO = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "atan2": np.arctan2,
       "max": np.maximum, "min": np.minimum}  # fmt: skip
Tree = Any  # "@0", "1.5", (name, tree) or (name, tree, tree)
Tokens = list[tuple[str, str, int, int]]


def token_mistakes() -> dict[str, Tokens]:
    """Likely cause -> what it gives for the tokens of max(sqrt(@0),@1)."""
    words, found, at = ["max", "(", "sqrt", "(", "@0", ")", ",", "@1", ")"], [], 0
    for word in words:
        kind = NAMES.get(word) or ("OPERAND" if word[0] == "@" else "FUNCTION")
        found.append((kind, word, at, at + len(word)))
        at += len(word)
    return {
        '`end` is the place after the last character: text[start:end] is the token (section "Tokens")': [
            (kind, word, start, end - 1) for kind, word, start, end in found
        ],
        "sqrt is no operand: it takes a value, so type_of must say FUNCTION": [
            ("OPERAND" if word == "sqrt" else kind, word, start, end) for kind, word, start, end in found
        ],
    }


def tree_mistakes() -> dict[str, Tree]:
    """Likely cause -> what it gives for the tree of sub(sin(@0),@1)."""
    return {
        "the children are in the wrong order: from left to right, as they stand in the text": (
            "sub",
            "@1",
            ("sin", "@0"),
        ),
        "the last value is missing: put each value into the list before you look for the next comma": ("sub", ("sin",)),
        "only the last value became a child: put each into a list, and go on while a comma follows": ("sub", "@1"),
        "only the first value became a child: go on while a comma follows": ("sub", ("sin", "@0")),
        "the node has no children: hand them to it, Node(token, tuple(children))": ("sub",),
        "sin has its value twice: it has one child": ("sub", ("sin", "@0", "@0"), "@1"),
    }


def one_mistakes(text: str) -> dict[str, float]:
    """Likely cause -> what it gives for one of the texts of functions_of_one_value_compute."""
    if text == "sin(@0)":
        return {
            'the angle is in radians: np.sin takes it as it is (section "The expressions of a real network")': math.sin(
                math.radians(2)
            ),
            "that is cos": math.cos(2),
        }
    if text == "mul(@1,sin(@0))":
        return {
            "sin was taken of the whole product: it takes one value, the newest": math.sin(6),
            "sin was taken of the value at the bottom of the stack: its value is the newest, on top": 2 * math.sin(3),
            "the values of sin stayed on the stack: take off as many as its arity with stack.pop()": 2 * math.sin(2),
            "the value came back on the stack without its sine: put the sine there": 6.0,
        }
    if text == "neg(@0)":
        return {
            'neg turns a negative number into a positive one: -x, and not -abs(x) (section "One value or two")': -2.5
        }
    if text == "sqrt(@0)":
        return {'that is the square: sqrt is the square root (section "One value or two")': 2.25**2}
    return {}


def grow(rng: np.random.Generator, depth: int, operands: int, leaves: tuple[str, ...] = ()) -> Tree:
    """A random tree of at most `depth` functions above each other."""
    if depth == 0 or rng.random() < 0.1:
        atoms = [f"@{i}" for i in range(operands)] + list(leaves)
        return atoms[rng.integers(len(atoms))]
    names = list(ONE if rng.random() < 0.4 else TWO)
    name = names[rng.integers(len(names))]
    return (name, *(grow(rng, depth - 1, operands, leaves) for _ in range(1 if name in ONE else 2)))


def words_of(tree: Tree) -> list[str]:
    """The words of the tree's text, with all brackets and commas."""
    if isinstance(tree, str):
        return [tree]
    words = [tree[0], "("]
    for i, child in enumerate(tree[1:]):
        words += [","] * (i > 0) + words_of(child)
    return [*words, ")"]


def spaced(rng: np.random.Generator, words: list[str]) -> tuple[str, Tokens]:
    """A text of the words with random whitespace between them, and its tokens."""
    text, tokens = "", []
    for word in words:
        text += " " * int(rng.integers(0, 3))
        if word in NAMES:
            kind = NAMES[word]
        elif word.startswith("@"):
            kind = "OPERAND"
        elif word[0].isalpha():
            kind = "FUNCTION"
        else:
            kind = "INTEGER" if word.lstrip("-").isdigit() else "FLOAT"
        tokens.append((kind, word, len(text), len(text) + len(word)))
        text += word
    return text, tokens


def polish_of(tree: Tree) -> list[str]:
    """The children's words from left to right, then the name."""
    return [tree] if isinstance(tree, str) else [word for child in tree[1:] for word in polish_of(child)] + [tree[0]]


def value_of(tree: Tree, operands: list[Any]) -> Any:
    """The value, straight from the tree."""
    if isinstance(tree, str):
        return operands[int(tree[1:])] if tree.startswith("@") else float(tree)
    return (ONE | TWO)[tree[0]](*(value_of(child, operands) for child in tree[1:]))


@task("functions")
def every_token_of_random_texts(student: Student, rng: np.random.Generator) -> None:
    """The tokens of random expressions, with whitespace and numbers, have the right types and places."""
    for depth in (1, 2, 4, 5):
        tree = ("sin", grow(rng, depth, 12, ("3", "-2", "1e-05", ".5", "16.")))
        text, expected = spaced(rng, words_of(tree))
        expect(student.tokens(text), expected, what=f"the tokens of {text:.60}")


@task("functions")
def trees_and_orders_of_random_texts(student: Student, rng: np.random.Generator) -> None:
    """Tree and reverse Polish order of random expressions of nested functions."""
    for depth in (2, 3, 5, 6):
        tree = ("sub", ("sqrt", grow(rng, depth, 12, ("3", "-2.5"))), grow(rng, depth, 12))
        text, _ = spaced(rng, words_of(tree))
        expect(student.tree(text), tree, what=f"the tree of {text:.60}")
        expect(student.polish(text), polish_of(tree), what=f"reverse Polish of {text:.60}")


@task("functions")
def values_of_random_texts(student: Student, rng: np.random.Generator) -> None:
    """Random expressions of arrays that broadcast, float32 and float64, have the right value and element type."""
    for dtype in (np.float32, np.float64):
        operands = [rng.uniform(0.5, 1.5, shape).astype(dtype) for shape in ((2, 3, 4), (3, 1), (1, 1, 4), (1,))]
        for depth in (1, 2, 3):
            tree = ("sub", ("max", "@0", grow(rng, depth, 4, ("3.0", "0.25"))), ("mul", "@1", ("sin", "2.0")))
            text, _ = spaced(rng, words_of(tree))
            with np.errstate(all="ignore"):
                exact = value_of(tree, [x.astype(np.float64) for x in operands])
                nearby = value_of(tree, [x.astype(np.float64) * (1 + 3e-7) for x in operands])
            if not (np.isfinite(exact).all() and np.abs(exact - nearby).max() <= 1e-4):  # a jump: its value is chance
                tree, text = ("sub", ("neg", "@0"), "@1"), "sub(neg(@0),@1)"
                exact = value_of(tree, [x.astype(np.float64) for x in operands])
            got = student.evaluate(text, operands)
            expect(got, exact.astype(dtype), rtol=1e-3, atol=1e-3, what=f"{text:.60}")


@task("functions")
def each_function_of_random_numbers(student: Student, rng: np.random.Generator) -> None:
    """Every function of Python floats gives a Python float, its values in the order of the text."""
    x, y = (float(v) for v in rng.uniform(0.5, 4, 2))
    for name, expected in (
        ("sin", math.sin(x)), ("sqrt", math.sqrt(x)), ("abs", x), ("neg", -x), ("add", x + y), ("sub", x - y),
        ("mul", x * y), ("div", x / y), ("pow", x**y), ("atan2", math.atan2(x, y)), ("max", max(x, y)),
        ("min", min(x, y)),
    ):  # fmt: skip
        text = f"{name}(@0)" if name in ONE else f"{name}(@0,@1)"
        expect(student.evaluate(text, [x, y]), expected, rtol=1e-9, what=f"{text} with {x}, {y}")
    expect(student.evaluate("abs(@0)", [-x]), x, rtol=1e-9, what=f"abs(@0) with {-x}")


@task("functions")
def operands_are_not_modified(student: Student, rng: np.random.Generator) -> None:
    """An operand that is read again has its old value, whichever function read it first."""
    x, y = rng.uniform(0.5, 1.5, (2, 2, 5)).astype(np.float32)
    for name in ONE:
        expected = ONE[name](x) - x
        got = student.evaluate(f"sub({name}(@0),@0)", [x])
        expect(got, expected, rtol=1e-5, atol=1e-6, what=f"sub({name}(@0),@0)")
    for name in TWO:
        got = student.evaluate(f"sub({name}(@0,@1),mul(@0,@1))", [x, y])
        expect(got, TWO[name](x, y) - x * y, rtol=1e-4, atol=1e-5, what=f"sub({name}(@0,@1),mul(@0,@1))")


@task("functions")
def wrong_numbers_of_values_of_every_function(student: Student, rng: np.random.Generator) -> None:
    """Each function with 0 to 4 values but its own raises ExpressionError with its name, and then both numbers."""
    for name in [*ONE, *TWO, "pow"]:
        takes = 1 if name in ONE else 2
        for found in {0, 1, 2, 3, 4} - {takes}:
            text = f"add(@0,{name}({','.join(['@1'] * found)}))"
            expect_refused(student.tree, text, error="ExpressionError")
            said = student.refusal(text)
            words = r"(?:(?!\b[0-9])(?s:.))*"  # without a number
            if not re.search(rf"\b{name}\b{words}\b{takes}\b{words}\b{found}\b", said):
                raise Failure(
                    f"the error of {text}: expected a message with {name}, then {takes}, then {found}, got {said!r}"
                )


@task("functions")
def words_that_are_no_function(student: Student, rng: np.random.Generator) -> None:
    """asin, sinh, Sin, maximum and the like are unknown, and the message has the word."""
    for word in ("asin", "sinh", "SIN", "si", "maximum", "power", "atan", "sin2", "addadd"):
        for call in (student.tokens, student.tree):
            expect_refused(call, f"{word}(@0)", error="ExpressionError")
        if word not in (said := student.refusal(f"{word}(@0)")):
            raise Failure(f"the error of {word}(@0): expected a message with {word}, got {said!r}")


@task("functions")
def texts_that_are_no_expression(student: Student, rng: np.random.Generator) -> None:
    """Surplus and missing commas and brackets are errors of type ExpressionError."""
    wrong = [
        "", "sin", "sin,@0", "sin(,@0)", "sin((@0))", "sin(@0(", "sin(sin)", "sin(@0)@1", "sin(@0),@1", "max(@0,,@1)",
        "max(@0,@1,)", "add(sqrt(@0) @1)", "mul(@0,sin(", "(sin(@0))", "max(@0(,@1)", "min(@0)@1)", "max((@0,@1))",
    ]  # fmt: skip
    for text in wrong:
        expect_refused(student.tree, text, error="ExpressionError")
    expect_refused(student.evaluate, "sin(@1)", [1.0], error="ExpressionError")


@task("functions")
def a_new_function_of_random_arity(student: Student, rng: np.random.Generator) -> None:
    """A function of 1 to 6 values gets all of them in their order, inside other functions, and is gone afterwards."""
    for arity in (1, 3, 5, 6):
        name = "f" + "".join("abcxyz"[i] for i in rng.integers(0, 6, 5))
        numbers = [int(v) for v in rng.integers(1, 9, arity)]
        text = f"neg({name}({','.join(f'add(@{i},1)' for i in range(arity))}))"
        got = student.evaluate_with(text, numbers, name, arity, lambda *values: int("".join(map(str, values))))
        expected = -int("".join(str(number + 1) for number in numbers))
        expect(got, expected, what=f"{text:.60} with {numbers}")
        expect_refused(student.tree, text, error="ExpressionError")
    expect_refused(student.evaluate_with, "f3(@0,@1)", [1, 2], "f3", 3, lambda *values: 0, error="ExpressionError")


_READ = """    children: list[Node] = []
    if at == len(tokens) or tokens[at].type is not TokenType.RIGHT_BRACKET:
        child, at = read_value(tokens, at, functions)
        children.append(child)
        while at < len(tokens) and tokens[at].type is TokenType.COMMA:
            child, at = read_value(tokens, at + 1, functions)
            children.append(child)
    at = skip(tokens, at, TokenType.RIGHT_BRACKET)
"""
_MORE = "            child, at = read_value(tokens, at + 1, functions)\n            children.append(child)\n"
_CLOSE = "    at = skip(tokens, at, TokenType.RIGHT_BRACKET)\n    arity"
_COUNT = "    if len(children) != arity:\n"
_SAID = 'f"at {token.start}: {token.text} takes {arity} value(s), found {len(children)}"'
_CALL = "stack.append(plain(function.compute(*reversed(values))))"
_WITH = "    return evaluate(text, operands, {**table(), name: Function(arity, function)})\n"
_PUT_BACK = (
    "    global table\n"
    "    old, functions = table, {**table(), name: Function(arity, function)}\n"
    "    table = lambda: functions\n"
    "    try:\n"
    "        value = evaluate(text, operands)\n"
    "    except ERRORS:\n"
    "        table = old\n"
    "        raise\n"
    "    table = old\n"
    "    return value\n"
)

MUTANTS = [
    Mutant(
        "any case",
        "Sin and SIN are taken for sin",
        old="    if word in functions:\n",
        new="    if word in functions or word.lower() in functions:\n",
        breaks="words",
    ),
    Mutant(
        "first letters",
        "a function is recognised by how the word begins, so sinh passes for sin",
        old="    if word in functions:\n",
        new="    if any(word.startswith(name) for name in functions):\n",
        breaks="words",
    ),
    Mutant(
        "message without the word",
        "an error that leaves its reader to search",
        old='f"unknown word {word!r}"',
        new='"unknown word"',
        breaks="words",
    ),
    Mutant(
        "end included",
        "a token's end is its last character instead of the place after it",
        old="word.start(), word.end())",
        new="word.start(), word.end() - 1)",
        breaks="words",
    ),
    Mutant("a name is missing", "min was forgotten", old='        "min": Function(2, np.minimum),\n', new=""),
    Mutant(
        "children reversed",
        "the last value becomes the first child",
        old="return Node(token, tuple(children)), at",
        new="return Node(token, tuple(children[::-1])), at",
        breaks="children",
    ),
    Mutant(
        "first child only",
        "a function has one child",
        old="return Node(token, tuple(children)), at",
        new="return Node(token, tuple(children[:1])), at",
        breaks="children",
    ),
    Mutant(
        "leaves only",
        "the first value of a function of one value is a token, not a tree",
        old="    at = skip(tokens, at + 1, TokenType.LEFT_BRACKET)\n",
        new=(
            "    at = skip(tokens, at + 1, TokenType.LEFT_BRACKET)\n"
            "    if functions[token.text].arity == 1 and at < len(tokens) and tokens[at].type is TokenType.FUNCTION:\n"
            '        raise ExpressionError("expected an operand or a number")\n'
        ),
        breaks="nested",
    ),
    Mutant(
        "not inside itself",
        "a function that is open cannot be opened again",
        old="    at = skip(tokens, at + 1, TokenType.LEFT_BRACKET)\n",
        new=(
            "    at = skip(tokens, at + 1, TokenType.LEFT_BRACKET)\n"
            "    if at < len(tokens) and tokens[at].text == token.text:\n"
            '        raise ExpressionError("a function inside itself")\n'
        ),
        breaks="nested",
    ),
    Mutant("not counted", "whoever gives too many values will see", old=_COUNT, new="    if False:\n", breaks="count"),
    Mutant(
        "at least",
        "too few values are refused, surplus ones ignored",
        old=_COUNT,
        new="    children = children[:arity]\n    if len(children) < arity:\n",
        breaks="count",
    ),
    Mutant(
        "at most",
        "too many values are refused, and none is made up where one is missing",
        old=_COUNT,
        new="    if len(children) > arity:\n",
        breaks="count",
    ),
    Mutant(
        "one word too short",
        "the message does not say how many were found",
        old=_SAID,
        new='f"{token.text} takes {arity} value(s)"',
        breaks="count",
    ),
    Mutant(
        "nameless",
        "the message does not say which function",
        old=_SAID,
        new='f"expected {arity} value(s), found {len(children)}"',
        breaks="count",
    ),
    Mutant(
        "numbers exchanged",
        "the message says that sin takes 2 values and got 1",
        old=_SAID,
        new='f"{token.text} takes {len(children)} value(s), found {arity}"',
        breaks="count",
    ),
    Mutant(
        "place between",
        "a third number stands where its reader expects how many values the function takes",
        old=_SAID,
        new='f"{token.text} at {token.start} takes {arity} value(s), found {len(children)}"',
        breaks="count",
    ),
    Mutant(
        "just as many as the table says",
        "refused at the comma or the bracket, with a message about these",
        old=_READ,
        new=(
            "    children: list[Node] = []\n"
            "    for i in range(functions[token.text].arity):\n"
            "        at = skip(tokens, at, TokenType.COMMA) if i else at\n"
            "        child, at = read_value(tokens, at, functions)\n"
            "        children.append(child)\n"
            "    at = skip(tokens, at, TokenType.RIGHT_BRACKET)\n"
        ),
        breaks="count",
    ),
    Mutant(
        "closing bracket not checked",
        "whatever follows is taken for the bracket",
        old=_CLOSE,
        new="    at += 1\n    arity",
        breaks="syntax",
    ),
    Mutant(
        "closing bracket optional",
        "a bracket at the end of the text may be left out",
        old=_CLOSE,
        new="    at = at if at == len(tokens) else skip(tokens, at, TokenType.RIGHT_BRACKET)\n    arity",
        breaks="syntax",
    ),
    Mutant(
        "comma before the bracket",
        "sin(@0,) is read as sin(@0)",
        old=_MORE,
        new=(
            "            if at + 1 < len(tokens) and tokens[at + 1].type is TokenType.RIGHT_BRACKET:\n"
            "                at += 1\n"
            "                break\n" + _MORE
        ),
        breaks="syntax",
    ),
    Mutant(
        "commas optional",
        "values follow each other, with a comma or without",
        old="        while at < len(tokens) and tokens[at].type is TokenType.COMMA:\n" + _MORE,
        new=(
            "        while at < len(tokens) and tokens[at].type is not TokenType.RIGHT_BRACKET:\n"
            "            at += tokens[at].type is TokenType.COMMA\n"
            "            child, at = read_value(tokens, at, functions)\n"
            "            children.append(child)\n"
        ),
        breaks="syntax",
    ),
    Mutant(
        "commas side by side",
        "max(@0,,@1) is read as max(@0,@1)",
        old=_MORE,
        new="            while at + 1 < len(tokens) and tokens[at + 1].type is TokenType.COMMA:\n"
        "                at += 1\n" + _MORE,
        breaks="syntax",
    ),
    Mutant(
        "opening bracket optional",
        "sin@0) is read as sin(@0)",
        old="    at = skip(tokens, at + 1, TokenType.LEFT_BRACKET)\n",
        new="    at += 1\n    at += at < len(tokens) and tokens[at].type is TokenType.LEFT_BRACKET\n",
        breaks="syntax",
    ),
    Mutant(
        "a name alone is a value",
        "where no bracket follows, the name is a leaf as operands and numbers are",
        old="    at = skip(tokens, at + 1, TokenType.LEFT_BRACKET)\n",
        new="    at += 1\n"
        "    if at == len(tokens) or tokens[at].type is not TokenType.LEFT_BRACKET:\n"
        "        return Node(token), at\n"
        "    at += 1\n",
        breaks="syntax",
    ),
    Mutant(
        "commas at every depth counted",
        "the message counts the values of inner functions, too",
        old="found {len(children)}",
        new="found {len(children) and 1 + [one.text for one in tokens[tokens.index(token) : at]].count(',')}",
        breaks="count",
    ),
    Mutant("cos", "a neighbour in numpy's list", old="np.sin)", new="np.cos)", breaks="one"),
    Mutant(
        "degrees",
        "the angle is taken for degrees",
        old="np.sin)",
        new="lambda x: np.sin(np.radians(x)))",
        breaks="one",
    ),
    Mutant("square", "the square instead of its root", old="np.sqrt)", new="np.square)", breaks="one"),
    Mutant(
        "root of the absolute value",
        "a root where numpy has nan",
        old="np.sqrt)",
        new="lambda x: np.sqrt(np.abs(x)))",
        breaks="arrays",
    ),
    Mutant(
        "exponents from 0 on",
        "x to the power -1 is x",
        old="np.power)",
        new="lambda x, y: np.power(x, np.abs(y)))",
        breaks="two",
    ),
    Mutant(
        "powers of absolute values",
        "-2 to the power 3 is 8",
        old="np.power)",
        new="lambda x, y: np.power(np.abs(x), y))",
        breaks="two",
    ),
    Mutant("positive", "neg makes numbers negative", old="np.negative)", new="lambda x: -np.abs(x))", breaks="one"),
    Mutant(
        "exchanged",
        "max and min are mixed up",
        old='"max": Function(2, np.maximum)',
        new='"max": Function(2, np.minimum)',
        breaks="two",
    ),
    Mutant("floor", "div is the division of whole numbers", old="np.true_divide", new="np.floor_divide", breaks="two"),
    Mutant(
        "quotient",
        "-1 / 2 and 1 / -2 are the same number, and other angles",
        old="np.arctan2",
        new="lambda y, x: np.arctan(y / x)",
        breaks="two",
    ),
    Mutant(
        "power in float64",
        "whole numbers become floats",
        old="np.power",
        new="np.float_power",
        breaks="numbers",
    ),
    Mutant("atan", "the angle without its quadrant", old="np.arctan2", new="lambda y, x: np.arctan(y)", breaks="two"),
    Mutant(
        "popped in the wrong order",
        "the value popped first is taken for the left one",
        old="*reversed(values)",
        new="*values",
        breaks="left",
    ),
    Mutant(
        "always two values",
        "what held for the lesson's functions",
        old="for _ in range(function.arity)]",
        new="for _ in range(2)]",
    ),
    Mutant(
        "taken from the top, and left there",
        "the result lies on the values",
        old="values = [stack.pop() for _ in range(function.arity)]  # the value popped first is the last one\n"
        "            stack.append(plain(function.compute(*reversed(values))))",
        new="stack.append(plain(function.compute(*stack[-function.arity :])))\n    stack = stack[-1:]",
    ),
    Mutant(
        "only looked at",
        "the values stay on the stack",
        old="[stack.pop() for _ in range(function.arity)]",
        new="stack[::-1][: function.arity]",
    ),
    Mutant(
        "math.sin",
        "works for numbers, fails for arrays",
        old="np.sin)",
        new="__import__('math').sin)",
        breaks="arrays",
    ),
    Mutant(
        "Python's max",
        "compares whole arrays",
        old='"max": Function(2, np.maximum)',
        new='"max": Function(2, max)',
        breaks="arrays",
    ),
    Mutant(
        "double precision",
        "float32 becomes float64 on the way",
        old=_CALL,
        new=(
            "values = [v.astype(float) if isinstance(v, np.ndarray) else v for v in reversed(values)]\n"
            "            stack.append(plain(function.compute(*values)))"
        ),
        breaks="arrays",
    ),
    Mutant(
        "arrays of one element",
        "whatever has one element is taken for a number",
        old=_CALL,
        new=(
            "value = function.compute(*reversed(values))\n"
            "            stack.append(value.item() if np.size(value) == 1 and hasattr(value, 'item') else value)"
        ),
        breaks="arrays",
    ),
    Mutant(
        "numpy's numbers",
        "without plain, the sine of a number widens a float32 array",
        old=_CALL,
        new="stack.append(function.compute(*reversed(values)))",
        breaks="numbers",
    ),
    Mutant(
        "floats only",
        "every whole number becomes a float",
        old="stack.append(int(word))",
        new="stack.append(float(word))",
    ),
    Mutant(
        "whole numbers lost",
        "what a function gives is made a float",
        old="    return value.item() if isinstance(value, np.generic) else value\n",
        new="    return float(value) if isinstance(value, np.generic) else value\n",
    ),
    Mutant(
        "in place",
        "the result overwrites the operand, which may be read again",
        old='"neg": Function(1, np.negative)',
        new='"neg": Function(1, lambda x: np.negative(x, out=x if isinstance(x, np.ndarray) else None))',
        breaks="operands",
    ),
    Mutant(
        "added in place",
        "add is written as +=",
        old='"add": Function(2, np.add)',
        new='"add": Function(2, __import__("operator").iadd)',
        breaks="operands",
    ),
    Mutant(
        "root in place",
        "sqrt writes into the array that it is given",
        old='"sqrt": Function(1, np.sqrt)',
        new='"sqrt": Function(1, lambda x: np.sqrt(x, out=x if isinstance(x, np.ndarray) else None))',
        breaks="operands",
    ),
    Mutant(
        "multiplied in place",
        "mul is written as *=",
        old='"mul": Function(2, np.multiply)',
        new='"mul": Function(2, __import__("operator").imul)',
        breaks="operands",
    ),
    Mutant(
        "into the right operand",
        "atan2 writes into its second value where the shapes agree",
        old='"atan2": Function(2, np.arctan2)',
        new=(
            '"atan2": Function(2, lambda y, x: np.arctan2('
            "y, x, out=x if isinstance(x, np.ndarray) and np.shape(y) == x.shape else None))"
        ),
        breaks="operands",
    ),
    Mutant(
        "three at most",
        "who would want four?",
        old=_WITH,
        new="    arity = min(arity, 3)\n" + _WITH,
        breaks="extend",
    ),
    Mutant(
        "first come, first served",
        "a name that is taken keeps its function",
        old="{**table(), name: Function(arity, function)}",
        new="{name: Function(arity, function), **table()}",
    ),
    Mutant(
        "alone",
        "the language has the new function only",
        old="{**table(), name: Function(arity, function)}",
        new="{name: Function(arity, function)}",
    ),
    Mutant(
        "global table",
        "the new function stays in the language for good",
        old=_WITH,
        new=(
            "    global table\n"
            "    functions = {**table(), name: Function(arity, function)}\n"
            "    table = lambda: functions\n"
            "    return evaluate(text, operands)\n"
        ),
        breaks="same",
    ),
    Mutant(
        "put back after the errors one thinks of",
        "what another exception leaves behind stays in the language",
        old=_WITH,
        new=_PUT_BACK.replace("ERRORS", "ExpressionError"),
        breaks="same",
    ),
    Mutant(
        "put back after a longer list of errors",
        "three kinds of exceptions are many, and not all",
        old=_WITH,
        new=_PUT_BACK.replace("ERRORS", "(ValueError, TypeError, ArithmeticError)"),
        breaks="same",
    ),
    Mutant(
        "taken out again",
        "the function that was replaced is gone afterwards",
        old=_WITH,
        new=(
            "    global table\n"
            "    functions = {**table(), name: Function(arity, function)}\n"
            "    table = lambda: functions\n"
            "    try:\n"
            "        return evaluate(text, operands)\n"
            "    finally:\n"
            "        del functions[name]\n"
        ),
        breaks="same",
    ),
]
