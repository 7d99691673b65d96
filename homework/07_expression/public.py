"""The public tests of homework 7: run them with `python3 course.py check sine` and `python3 course.py check mend`."""

from __future__ import annotations

import math

import numpy as np

from classroom.judge import Student, expect, expect_raises, task

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


# --- sine ---


@task("sine")
def sin_is_one_token(student: Student, rng: np.random.Generator) -> None:
    """add(sin(@0),@1) has 9 tokens: sin is a function at [4,7), and its operand stands at [8,10)."""
    text = "add(sin(@0),@1)"
    expected = words_of(text, "F(F(O),O)")
    inclusive = [(name, word, start, end - 1) for name, word, start, end in expected]
    mistakes = {"`end` is the place after the last character: text[start:end] is the token": inclusive}
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
    for text, expected, wrong in (
        ("add(sin(@0),@1)", "@0 sin @1 add", "sin @0 @1 add"),
        ("sin(add(@0,@1))", "@0 @1 add sin", "sin @0 @1 add"),
        ("add(sin(@0),sin(@1))", "@0 sin @1 sin add", "sin @0 sin @1 add"),
    ):
        mistakes = {"sin comes before its value; a function comes after all that it takes": wrong.split()}
        expect(student.polish(text), expected.split(), what=f"reverse Polish of {text}", mistakes=mistakes)


@task("sine")
def sin_computes(student: Student, rng: np.random.Generator) -> None:
    """mul(@1,sin(@0)) with 2 and 3 is 3 * sin(2) = 2.727892; arrays keep their shape and element type."""
    mistakes = {
        "the angle is in radians, not in degrees": 3 * math.sin(math.radians(2)),
        "that is cos": 3 * math.cos(2),
        "sin was taken of the whole product": math.sin(6),
        "sin was taken of @1, not of @0: look at the reverse Polish order, and at operands[0]": 2 * math.sin(3),
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
        expect(student.evaluate(text, [x, y]), expected, rtol=1e-5, atol=1e-6, what=text)


@task("sine")
def sin_takes_exactly_one_value(student: Student, rng: np.random.Generator) -> None:
    """sin(@0,@1), sin() and sin(@0 are errors of type ExpressionError, and so is add(@0)."""
    for text in ("sin(@0,@1)", "sin()", "sin(@0", "add(@0)"):
        expect(expect_raises(student.tree, text), "ExpressionError", what=f"the type of the error for {text}")


# --- mend ---


@task("mend")
def brackets_of_pnnx_are_put_right(student: Student, rng: np.random.Generator) -> None:
    """A text that pnnx wrote with misplaced brackets is read by the number of values each function takes."""
    text = "sub(mul(log1p,@0),@1),expm1,@1"
    mistakes = {
        "the values are in the wrong order: from right to left, the value popped first is the LEFT one": (
            "sub(expm1(@1),mul(@1,log1p(@0)))"
        )
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
    for text in ("add(@0)", "neg", "@0,@1", "neg(@0,@1)", ""):
        expect(expect_raises(student.mend, text, ARITY), "ExpressionError", what=f"the type of the error for {text!r}")
