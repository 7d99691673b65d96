"""The hidden tests of homework 7: random expressions, and texts that a careless reader accepts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, expect, expect_raises, task

BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.true_divide}
NAMES = {"(": "LEFT_BRACKET", ")": "RIGHT_BRACKET", ",": "COMMA"}
Tree = Any  # "@0", "1.5", (name, tree, tree) or (name, tree, None)


def grow(rng: np.random.Generator, depth: int, operands: int, leaves: tuple[str, ...] = ()) -> Tree:
    """A random tree of at most `depth` functions above each other."""
    if depth == 0 or rng.random() < 0.1:
        atoms = [f"@{i}" for i in range(operands)] + list(leaves)
        return atoms[rng.integers(len(atoms))]
    if rng.random() < 0.4:
        return "sin", grow(rng, depth - 1, operands, leaves), None
    name = list(BINARY)[rng.integers(len(BINARY))]
    return name, grow(rng, depth - 1, operands, leaves), grow(rng, depth - 1, operands, leaves)


def words_of(tree: Tree) -> list[str]:
    """The words of the tree's text, with all brackets and commas."""
    if isinstance(tree, str):
        return [tree]
    name, left, right = tree
    second = [] if right is None else [",", *words_of(right)]
    return [name, "(", *words_of(left), *second, ")"]


def spaced(rng: np.random.Generator, words: list[str]) -> tuple[str, list[tuple[str, str, int, int]]]:
    """A text of the words with random white space between them, and its tokens."""
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
    """Left, right, then the name."""
    if isinstance(tree, str):
        return [tree]
    name, left, right = tree
    return [*polish_of(left), *([] if right is None else polish_of(right)), name]


def value_of(tree: Tree, operands: list[Any]) -> Any:
    """The value, straight from the tree."""
    if isinstance(tree, str):
        return operands[int(tree[1:])] if tree.startswith("@") else float(tree)
    name, left, right = tree
    x = value_of(left, operands)
    return np.sin(x) if right is None else BINARY[name](x, value_of(right, operands))


# --- sine ---


@task("sine")
def every_token_of_random_texts(student: Student, rng: np.random.Generator) -> None:
    """The tokens of random expressions, with white space and numbers, have the right types and places."""
    for depth in (1, 2, 4, 5):
        tree = ("sin", grow(rng, depth, 12, ("3", "-2", "1e-05", ".5", "16.")), None)
        text, expected = spaced(rng, words_of(tree))
        expect(student.tokens(text), expected, what=f"the tokens of {text:.60}")


@task("sine")
def trees_and_orders_of_random_texts(student: Student, rng: np.random.Generator) -> None:
    """Tree and reverse Polish order of random expressions, of functions in functions in functions."""
    for depth in (2, 3, 5, 6):
        tree = ("sub", ("sin", grow(rng, depth, 12, ("3", "-2.5")), None), grow(rng, depth, 12))
        text, _ = spaced(rng, words_of(tree))
        expect(student.tree(text), tree, what=f"the tree of {text:.60}")
        expect(student.polish(text), polish_of(tree), what=f"reverse Polish of {text:.60}")


@task("sine")
def values_of_random_texts(student: Student, rng: np.random.Generator) -> None:
    """Random expressions of arrays that broadcast, float32 and float64, have the right value and element type."""
    for dtype in (np.float32, np.float64):
        shapes = [(2, 3, 4), (3, 1), (1, 1, 4), (1,)]
        operands = [(rng.uniform(0.5, 1.5, shape)).astype(dtype) for shape in shapes]
        for depth in (2, 3, 4):
            tree = ("add", "@0", ("sin", grow(rng, depth, 4, ("3.0", "0.25")), None))
            tree = ("sub", tree, ("mul", "@1", ("sin", "2.0", None)))
            text, _ = spaced(rng, words_of(tree))
            with np.errstate(all="ignore"):
                exact = value_of(tree, [x.astype(np.float64) for x in operands])
                nearby = value_of(tree, [x.astype(np.float64) * (1 + 3e-7) for x in operands])
            if not np.abs(exact - nearby).max() <= 1e-4:  # divided by nearly nothing: its sine would be chance
                tree, text = ("sin", "@0", None), "sin(@0)"
                exact = np.sin(operands[0].astype(np.float64))
            got = student.evaluate(text, operands)
            expect(got, exact.astype(dtype), rtol=1e-3, atol=1e-3, what=f"{text:.60}")


@task("sine")
def numbers_give_numbers(student: Student, rng: np.random.Generator) -> None:
    """Python numbers give a Python number, and the angle is in radians, whatever its size and sign."""
    for x in (0.0, -1.0, 50.0, float(rng.normal()), float(rng.uniform(-100, 100))):
        y = float(rng.normal())
        expect(student.evaluate("sin(@0)", [x]), math.sin(x), rtol=1e-9, atol=1e-12, what=f"sin({x})")
        expected = math.sin(y) - math.sin(x * y)
        got = student.evaluate("sub(sin(@1),sin(mul(@0,@1)))", [x, y])
        expect(got, expected, rtol=1e-9, atol=1e-12, what="sub(sin(@1),sin(mul(@0,@1)))")


@task("sine")
def operands_are_not_modified(student: Student, rng: np.random.Generator) -> None:
    """An operand that is read again after its sine has its old value: add(sin(@0),@0)."""
    x = rng.uniform(0.5, 1.5, (2, 5)).astype(np.float32)
    expect(student.evaluate("add(sin(@0),@0)", [x]), np.sin(x) + x, rtol=1e-5, what="add(sin(@0),@0)")
    expect(student.evaluate("div(@0,sin(@0))", [x]), x / np.sin(x), rtol=1e-5, what="div(@0,sin(@0))")


@task("sine")
def functions_of_two_values_still_work(student: Student, rng: np.random.Generator) -> None:
    """add, sub, mul and div are as before, the popped first value is the right one, and integers stay integers."""
    expect(student.evaluate("mul(@2,add(@0,@1))", [2, 3, 4]), 20, what="mul(@2,add(@0,@1)) with 2, 3, 4")
    x, y = rng.uniform(0.5, 1.5, (2, 3, 4)).astype(np.float32)
    expect(student.evaluate("div(@0,16)", [x]), x / 16, rtol=1e-6, what="div(@0,16)")
    expect(student.evaluate("sub(@0,div(@1,@0))", [x, y]), x - y / x, rtol=1e-5, atol=1e-6, what="sub(@0,div(@1,@0))")
    expect(student.tree("sub(2,@10)"), ("sub", "2", "@10"), what="the tree of sub(2,@10)")


@task("sine")
def words_that_look_like_sin(student: Student, rng: np.random.Generator) -> None:
    """asin, sinh, sine, Sin, s and sqrt are no sin, and a word is taken as a whole."""
    for word in ("asin", "sinh", "sine", "Sin", "SIN", "s", "si", "sqrt", "sin2", "sinsin"):
        for call in (student.tokens, student.tree):
            got = expect_raises(call, f"{word}(@0)")
            expect(got, "ExpressionError", what=f"the type of the error for {word}(@0)")


@task("sine")
def texts_that_are_no_expression(student: Student, rng: np.random.Generator) -> None:
    """Missing and superfluous values, commas, brackets and operands are errors of type ExpressionError."""
    wrong = [
        "", "sin", "sin@0", "sin,@0", "sin(@0,)", "sin(,@0)", "sin((@0))", "sin(@0))", "sin(@0(", "sin(@0,@1,@2)",
        "sin(@0 @1)", "sin(sin)", "sin(sin(@0)", "sin(@0)@1", "sin(@0),@1", "add(sin(@0))", "add(sin(@0,@1))",
        "add(sin(@0),@1,@2)", "add(sin(@0) @1)", "mul(@0,sin())", "(sin(@0))", "add(sin(@0,@1),@2)",
    ]  # fmt: skip
    for text in wrong:
        got = expect_raises(student.tree, text)
        expect(got, "ExpressionError", what=f"the type of the error for {text!r}")
    expect(expect_raises(student.evaluate, "sin(@1)", [1.0]), "ExpressionError", what="the type of the error for @1")


# --- mend ---


def scrambled(rng: np.random.Generator, words: list[str]) -> str:
    """The words that are no bracket and no comma, in their order, with random brackets, commas and spaces between."""
    between = [",", "(", ")", "),", " , ", ",(", " "]
    bare = [word for word in words if word not in NAMES]
    return "".join(word + between[rng.integers(len(between))] for word in bare)


def random_language(rng: np.random.Generator) -> dict[str, int]:
    """Function names drawn for this test, each with one to four values."""
    letters = "abcdefgxyz"
    names = {"f" + "".join(letters[i] for i in rng.integers(0, 10, 4)) for _ in range(6)}
    return {name: 1 + i % 4 for i, name in enumerate(sorted(names))}


def grow_call(rng: np.random.Generator, arity: dict[str, int], depth: int) -> list[str]:
    """The words of a random call of functions with any number of values."""
    if depth == 0:
        atoms = [f"@{rng.integers(100)}", "2", "-1.5", "1e-05", "None", "inf"]
        return [atoms[rng.integers(len(atoms))]]
    name = list(arity)[rng.integers(len(arity))]
    words = [name, "("]
    for i in range(arity[name]):
        words += [","] * (i > 0) + grow_call(rng, arity, int(rng.integers(0, depth)))
    return [*words, ")"]


@task("mend")
def random_texts_with_random_brackets(student: Student, rng: np.random.Generator) -> None:
    """Whatever the brackets say, the number of values of each function decides; functions may take 1 to 4."""
    arity = random_language(rng)
    for depth in (0, 1, 2, 3, 4, 5):
        words = grow_call(rng, arity, depth)
        text = scrambled(rng, words)
        expect(student.mend(text, arity), "".join(words), what=f"mend {text:.60}")


@task("mend")
def random_texts_that_do_not_come_out(student: Student, rng: np.random.Generator) -> None:
    """A word too few or too many anywhere is an ExpressionError."""
    arity = random_language(rng)
    for depth in (1, 2, 3, 4):
        words = [word for word in grow_call(rng, arity, depth) if word not in NAMES]
        values = [i for i, word in enumerate(words) if word not in arity]
        i = values[rng.integers(len(values))]
        for wrong in (words[:i] + words[i + 1 :], [*words[:i], "@7", *words[i:]], [*words, words[i]]):
            got = expect_raises(student.mend, ",".join(wrong), arity)
            expect(got, "ExpressionError", what=f"the type of the error for {','.join(wrong):.60}")


@task("mend")
def a_long_chain(student: Student, rng: np.random.Generator) -> None:
    """A chain of 5,000 functions in each other is no deeper than any other text."""
    count = 5000
    got = student.mend("neg," * count + "@0", {"neg": 1})
    if got != "neg(" * count + "@0" + ")" * count:
        raise Failure(
            f"a chain of {count} neg: expected neg(neg(...@0...)), got something else of {len(str(got))} letters"
        )
