r"""sin: a function of one operand: why the solution is as it is.

A function of one value is a small change, and it is felt at every station. That is the point of the exercise: a
language is a chain of agreements, and each link here assumed "a function takes two values".

**Tokens.** `sin` is a `FUNCTION` like the others; `start` and `end` come from the match and need no work. The type
must follow from the whole word. The original course's tokenizer looked at the first letters, so `sqrt` would have
passed for whatever begins with `s`; a test `"sin" in word` takes `asin` and `sinh` for `sin`. A wrong answer is worse
than an error.

**Tree.** Two grammar rules instead of one:

    value = operand | number | function ( value , value ) | sin ( value )

The code follows the rule: the bracket, a *value* (not a token, or `sin(add(@0,@1))` fails), the closing bracket.
`skip` does the checking, and so `sin(@0,@1)` is refused with no line of its own: where the bracket should be, there
is a comma. The only child is the left one. Putting the same child on both sides looks harmless, but then `sin` is
computed from a row with two values in it, and one of them stays on the stack for ever.

**Reverse Polish.** Left, right, node; without a right child: left, node. The child may be a whole tree, so the call
is recursive here, too.

**Value.** `sin` pops one value. If it is handled together with `add` and `mul`, it pops two, and the second belongs
to somebody else: in `mul(@1,sin(@0))` it is the 3 that `mul` waits for. If it only looks at the top, the stack ends
with two values. And it must not write into the array it pops: that array is the caller's operand, and
`add(sin(@0),@0)` reads it again. `plain` turns `np.float64` into a Python number, which matters when an array
follows: `float32 * np.float64` is `float64` in numpy 2, `float32 * float` stays `float32`.

A cleaner way, if more functions are to come, is a table: name -> number of values and what it computes. Then
`read_value` reads as many values as the table says, `compute` pops as many, and `sin` costs one line.
`kuiper/expression/functions.py` does so for 53 functions. With two kinds of functions an `if` is enough; with three
it is not.

*Cost.* Tokens, tree and value take time in proportion to the text. `reverse_polish` as given copies the row once per
level, which is quadratic for a long chain, and everything that recurses ends at Python's limit of about 1,000 calls.
Real expressions are some ten functions deep; the engine avoids both all the same.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_refused, task

from .shared import NAMES

BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.true_divide}
Tree = Any  # "@0", "1.5", (name, tree, tree) or (name, tree, None)
Tokens = list[tuple[str, str, int, int]]
WRONG_ORDERS = {
    "add(sin(@0),@1)": ("sin @0 @1 add", "sin @1 add", "@1 @0 sin add"),
    "add(sin(@0),sin(@1))": ("sin @0 sin @1 add", "sin sin add", "@1 sin @0 sin add"),
    "sin(add(@0,@1))": ("sin @0 @1 add", "add sin", "@1 @0 add sin"),
    "sin(sin(@0))": ("sin sin @0", "sin", "@0 sin"),
}
"""Text -> its reverse Polish with sin before its value, with only the child or no value, and another wrong one."""
WHOLE_TREE = "the value of sin can be a whole tree: put in all its nodes, in their order, and not the child alone"
MISSING = "the value of sin is missing: all its nodes come before sin"
DEGREES = "the angle is in radians: np.sin takes it as it is, without degrees"


def tokens_of(text: str, types: str) -> Tokens:
    """The tokens of a text without white space; one letter of `types` for each: F(unction), O(perand)."""
    names = {"F": "FUNCTION", "O": "OPERAND"} | NAMES
    words = text.replace("(", " ( ").replace(")", " ) ").replace(",", " , ").split()
    found, at = [], 0
    for kind, word in zip(types, words, strict=True):
        found.append((names[kind], word, at, at + len(word)))
        at += len(word)
    return found


def token_mistakes() -> dict[str, Tokens]:
    """Likely cause -> what it gives for the tokens of add(sin(@0),@1)."""
    text = "add(sin(@0),@1)"
    return {
        '`end` is the place after the last character: text[start:end] is the token (section "Tokens")': [
            (name, word, start, end - 1) for name, word, start, end in tokens_of(text, "F(F(O),O)")
        ],
        'sin is no operand: it takes a value, so type_of must say FUNCTION (section "Tokens")': (
            tokens_of(text, "F(O(O),O)")
        ),
    }


def tree_mistakes() -> dict[str, Tree]:
    """Likely cause -> what it gives for the tree of add(sin(@0),@1)."""
    return {
        "the value of sin stands on the right; it is the first value, so it goes to the left": (
            ("add", ("sin", None, "@0"), "@1")
        ),
        "sin has its value twice; its right child is None": ("add", ("sin", "@0", "@0"), "@1"),
    }


def polish_mistakes(text: str) -> dict[str, list[str]]:
    """Likely cause -> what it gives for the reverse Polish of one of WRONG_ORDERS."""
    first, childless, swapped = WRONG_ORDERS[text]
    lost = " ".join(word for word in swapped.split() if word != "sin")
    right = lost.replace("@1 @0", "@0 @1")
    causes = {
        "sin comes before its value; a function comes after all that it takes": first,
        WHOLE_TREE: childless,
        MISSING: childless,
        "the right value stands before the left one; the order is left, right, node": swapped,
        "sin itself is missing: put node after the words of its value": right,
    }
    if text.startswith("sin"):
        del causes[MISSING]
    else:
        del causes[WHOLE_TREE]
    if text == "sin(sin(@0))":
        del causes["the right value stands before the left one; the order is left, right, node"]
    return {f'{cause} (section "Reverse Polish")': order.split() for cause, order in causes.items()}


def value_mistakes() -> dict[str, float]:
    """Likely cause -> what it gives for mul(@1,sin(@0)) with 2 and 3."""
    return {
        DEGREES: 3 * math.sin(math.radians(2)),
        "that is cos": 3 * math.cos(2),
        'sin was taken of the whole product: pop one value, the newest (section "A stack computes")': math.sin(6),
        '@0 and @1 are exchanged: @0 is operands[0], and num_index begins at 0 (section "A stack computes")': (
            2 * math.sin(3)
        ),
        'the value came back on the stack without its sine: put the sine there (section "A stack computes")': 6,
    }


def nested_mistakes() -> dict[str, float]:
    """Likely cause -> what it gives for mul(@1,sin(add(@0,2))) with 3 and 4."""
    return {
        DEGREES: 4 * math.sin(math.radians(5)),
        "that is cos": 4 * math.cos(5),
        'sin was taken of the whole product: pop one value, the newest (section "A stack computes")': math.sin(20),
        'the value came back on the stack without its sine: put the sine there (section "A stack computes")': 20,
    }


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
            expect_refused(call, f"{word}(@0)", error="ExpressionError")


@task("sine")
def texts_that_are_no_expression(student: Student, rng: np.random.Generator) -> None:
    """Missing and superfluous values, commas, brackets and operands are errors of type ExpressionError."""
    wrong = [
        "", "sin", "sin@0", "sin,@0", "sin(@0,)", "sin(,@0)", "sin((@0))", "sin(@0))", "sin(@0(", "sin(@0,@1,@2)",
        "sin(@0 @1)", "sin(sin)", "sin(sin(@0)", "sin(@0)@1", "sin(@0),@1", "add(sin(@0))", "add(sin(@0,@1))",
        "add(sin(@0),@1,@2)", "add(sin(@0) @1)", "mul(@0,sin())", "(sin(@0))", "add(sin(@0,@1),@2)",
    ]  # fmt: skip
    for text in wrong:
        expect_refused(student.tree, text, error="ExpressionError")
    expect_refused(student.evaluate, "sin(@1)", [1.0], error="ExpressionError")


MUTANTS = [
    Mutant(
        "first letter",
        "the function is recognised by its first letter, so sqrt and sinh pass for sin",
        old='    if word == "sin":\n',
        new='    if word[0] == "s":\n',
        breaks="whole",
    ),
    Mutant(
        "part of a word",
        "sin is looked for anywhere in the word, so asin passes for it",
        old='    if word == "sin":\n',
        new='    if "sin" in word:\n',
        breaks="whole",
    ),
    Mutant(
        "any case",
        "Sin and SIN are taken for sin",
        old='    if word == "sin":\n',
        new='    if word.lower() == "sin":\n',
        breaks="whole",
    ),
    Mutant(
        "end included",
        "a token's end is its last character instead of the place after it",
        old="word.start(), word.end())",
        new="word.start(), word.end() - 1)",
        breaks="token",
    ),
    Mutant(
        "wrong type of token",
        "sin becomes an operand, because it stands where a value stands",
        old="        return TokenType.FUNCTION\n        # </solution>\n",
        new="        return TokenType.OPERAND\n",
        breaks="token",
    ),
    Mutant(
        "value on the right",
        "the only child of sin is its right one",
        old="return Node(token, left), skip(",
        new="return Node(token, None, left), skip(",
        breaks="left",
    ),
    Mutant(
        "value on both sides",
        "sin is given its value twice, so that it looks like add",
        old="return Node(token, left), skip(",
        new="return Node(token, left, left), skip(",
        breaks="left",
    ),
    Mutant(
        "second value ignored",
        "sin(@0,@1) is read as sin(@0)",
        old="        return Node(token, left),",
        new=(
            "        if at < len(tokens) and tokens[at].type is TokenType.COMMA:\n"
            "            _, at = read_value(tokens, at + 1)\n"
            "        return Node(token, left),"
        ),
        breaks="one",
    ),
    Mutant(
        "closing bracket not checked",
        "whatever follows the value of sin is skipped as if it were its bracket",
        old="return Node(token, left), skip(tokens, at, TokenType.RIGHT_BRACKET)",
        new="return Node(token, left), at + 1",
        breaks="one",
    ),
    Mutant(
        "closing bracket forgotten",
        "the bracket after the value of sin is not skipped",
        old="return Node(token, left), skip(tokens, at, TokenType.RIGHT_BRACKET)",
        new="return Node(token, left), at",
    ),
    Mutant(
        "sin without brackets",
        "an opening bracket that is missing is not noticed, so sin@0) would be read",
        old="    at = skip(tokens, at + 1, TokenType.LEFT_BRACKET)\n",
        new='    at = at + 2 if token.text == "sin" else skip(tokens, at + 1, TokenType.LEFT_BRACKET)\n',
        breaks="one",
    ),
    Mutant(
        "operands only",
        "sin takes the next token instead of the next value, so sin(add(@0,@1)) fails",
        old="    left, at = read_value(tokens, at)\n",
        new='    left, at = (Node(tokens[at]), at + 1) if token.text == "sin" else read_value(tokens, at)\n',
        breaks="nested",
    ),
    Mutant(
        "rest of the text ignored",
        "what follows a whole expression is not looked at",
        old=("if at < len(tokens):\n        raise"),
        new=("if False:\n        raise"),
        breaks="one",
    ),
    Mutant(
        "sin before its value",
        "pre-order instead of post-order",
        old="return [*reverse_polish(node.left), node]",
        new="return [node, *reverse_polish(node.left)]",
        breaks="order",
    ),
    Mutant(
        "only the child",
        "the order has the child of sin, but not the child's own children",
        old="return [*reverse_polish(node.left), node]",
        new="return [node.left, node]",
        breaks="nested",
    ),
    Mutant(
        "children swapped",
        "the right value is put before the left one",
        old="return [*reverse_polish(node.left), *reverse_polish(node.right), node]",
        new="return [*reverse_polish(node.right), *reverse_polish(node.left), node]",
        breaks="before",
    ),
    Mutant(
        "sin pops two values",
        "sin is handled together with add and mul, and takes the value of another function away",
        old="stack.append(plain(np.sin(stack.pop())))",
        new=("value = stack.pop()\n            stack and stack.pop()\n            stack.append(plain(np.sin(value)))"),
        breaks="value",
    ),
    Mutant(
        "value left on the stack",
        "sin looks at the top of the stack without taking it",
        old="np.sin(stack.pop())",
        new="np.sin(stack[-1])",
        breaks="value",
    ),
    Mutant(
        "result not pushed",
        "the sine is computed, and the value pushed again instead of it",
        old="stack.append(plain(np.sin(stack.pop())))",
        new=("value = stack.pop()\n            np.sin(value)\n            stack.append(value)"),
        breaks="value",
    ),
    Mutant(
        "degrees",
        "the angle is taken for degrees",
        old="np.sin(stack.pop())",
        new="np.sin(np.radians(stack.pop()))",
        breaks="value",
    ),
    Mutant(
        "math.sin",
        "works for numbers, fails for arrays",
        old="plain(np.sin(stack.pop()))",
        new="__import__('math').sin(stack.pop())",
        breaks="arrays",
    ),
    Mutant(
        "arrays of one element",
        "whatever has one element is taken for a number",
        old="plain(np.sin(stack.pop()))",
        new="(lambda y: y.item() if np.size(y) == 1 else y)(np.sin(stack.pop()))",
        breaks="arrays",
    ),
    Mutant(
        "comma before the bracket",
        "sin(@0,) is read as sin(@0)",
        old="        return Node(token, left),",
        new=(
            "        if at < len(tokens) and tokens[at].type is TokenType.COMMA:\n"
            "            at += 1\n"
            "        return Node(token, left),"
        ),
        breaks="one",
    ),
    Mutant(
        "in place",
        "the sine overwrites the operand, which may be read again",
        old="stack.append(plain(np.sin(stack.pop())))",
        new=(
            "value = stack.pop()\n"
            "            out = value if isinstance(value, np.ndarray) else None\n"
            "            stack.append(plain(np.sin(value, out=out)))"
        ),
        breaks="operands",
    ),
    Mutant(
        "double precision",
        "float32 becomes float64 on the way through sin",
        old="np.sin(stack.pop())",
        new="np.sin(np.asarray(stack.pop(), np.float64))",
        breaks="arrays",
    ),
    Mutant(
        "numpy's numbers",
        "without plain, the sine of a number is a float64 that makes float64 of a float32 array",
        old="plain(np.sin(stack.pop()))",
        new="np.sin(stack.pop())",
        breaks="numbers",
    ),
    Mutant(
        "popped in the wrong order",
        "the value popped first is taken for the left one, so sub and div are turned round",
        old="FUNCTIONS[node.token.text](left, right)",
        new="FUNCTIONS[node.token.text](right, left)",
        breaks="before",
    ),
    Mutant(
        "operands counted from 1",
        "the course's old text says that num_index of @0 is 1",
        old="stack.append(operands[node.num_index])",
        new="stack.append(operands[node.num_index - 1])",
    ),
    Mutant(
        "one digit",
        "an operand's number is one digit long, so @10 is read as @1 and 0",
        old="|@[0-9]*|",
        new="|@[0-9]?|",
        breaks="before",
    ),
    Mutant(
        "floats only",
        "every number is pushed as the sine needs it, so that integers do not stay integers",
        old="stack.append(operands[node.num_index])",
        new=(
            "value = operands[node.num_index]\n"
            "            stack.append(float(value) if isinstance(value, int) else value)"
        ),
        breaks="before",
    ),
]
