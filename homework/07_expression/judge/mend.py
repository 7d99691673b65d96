r"""PNNX's brackets put right: why the solution is as it is.

Brackets that may be wrong carry no information, so all information must come from elsewhere: each function stands
before its values, and its arity says how many they are. That is Polish notation, and read from *right to left* it
needs only a stack: a value is pushed, a function takes what it needs and pushes one value.

Two things go wrong easily. Read backwards, the values were pushed last to first, so the value popped first is the
*left* one. It is the reverse of evaluation, where the text runs forwards. And two checks belong together: a function
that finds too few values, and a stack that does not end with exactly one. Without the second, `@0,@1` is quietly read
as `@1`.

A stack has no depth limit; a function that calls itself ends at about 1,000 nested functions. The pieces of
text are joined again and again, so a chain of *n* functions copies about *n*²/2 pieces: fine for 5,000, and a reason
why the engine builds a tree and writes the text once at the end.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from classroom.judge import Failure, Mutant, Student, expect, expect_refused, task

from .shared import NAMES


def _in_python(kind: type) -> str:
    """The text where each function has str(kind(values)) after its name."""

    def call(name: str, *values: str) -> str:
        return f"{name}{kind(values)}"

    return call("sub", call("mul", call("log1p", "@0"), "@1"), call("expm1", "@1"))


def order_mistakes() -> dict[str, str]:
    """Likely cause -> what it gives for sub(mul(log1p,@0),@1),expm1,@1."""
    return {
        "the values are in the wrong order: from right to left, the value popped first is the LEFT one": (
            "sub(expm1(@1),mul(@1,log1p(@0)))"
        ),
        "the values came from the wrong end of the stack: take the newest, stack.pop(), not stack.pop(0)": (
            "sub(log1p(expm1(@1)),mul(@1,@0))"
        ),
        "a function of one value has brackets, too: write log1p(@0), not log1p,@0": "sub(mul(log1p,@0,@1),expm1,@1)",
        "a function of one value has brackets, too: write log1p(@0), not log1p@0": "sub(mul(log1p@0,@1),expm1@1)",
        "the text came back as it was: its brackets and commas say nothing, count with `arity`": (
            "sub(mul(log1p,@0),@1),expm1,@1"
        ),
        "the values stand side by side: join them with ','": "sub(mul(log1p(@0)@1)expm1(@1))",
        "that is how Python writes a tuple: ','.join(values) makes one text of the values": _in_python(tuple),
        "that is how Python writes a list: ','.join(values) makes one text of the values": _in_python(list),
        "that is the first function that was finished: `return` belongs after the loop": "expm1(@1)",
        "the answer has whitespace: join the values with ',' alone": "sub(mul(log1p(@0), @1), expm1(@1))",
    }


def scrambled(rng: np.random.Generator, words: list[str]) -> str:
    """The words that are no bracket and no comma, in their order, with random brackets, commas and spaces between."""
    between = [",", "(", ")", "),", " , ", ",(", " "]
    bare = [word for word in words if word not in NAMES]
    text = ""
    for word, after in pairwise([*bare, ""]):
        here = [*between, ""] if after.startswith("@") else between  # an @ begins a new word
        text += word + here[rng.integers(len(here))]
    return text


def random_language(rng: np.random.Generator) -> dict[str, int]:
    """Function names drawn for this test, with one to six values."""
    letters = "abcdefgxyz"
    names = {"f" + "".join(letters[i] for i in rng.integers(0, 10, 4)) for _ in range(6)}
    return {name: 1 + i for i, name in enumerate(sorted(names))}


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
    """Whatever the brackets say, the number of values of each function decides; functions may take 1 to 6."""
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
            expect_refused(student.mend, ",".join(wrong), arity, error="ExpressionError")


@task("mend")
def a_long_chain(student: Student, rng: np.random.Generator) -> None:
    """A chain of 5,000 nested functions is read like any other text."""
    count = 5000
    got = student.mend("neg," * count + "@0", {"neg": 1})
    if got != "neg(" * count + "@0" + ")" * count:
        raise Failure(
            f"a chain of {count} neg: expected neg(neg(...@0...)), got something else of {len(str(got))} letters"
        )


MUTANTS = [
    Mutant(
        "values reversed",
        "the values are put back as if the text had been read from left to right",
        old="for _ in range(arity[word])]",
        new="for _ in range(arity[word])][::-1]",
        breaks="order",
    ),
    Mutant(
        "left to right",
        "a function is met before its values",
        old="in reversed(WORD.findall(text))",
        new="in WORD.findall(text)",
    ),
    Mutant(
        "always two values",
        "what holds for add and mul is taken to hold for log1p",
        old="for _ in range(arity[word])]",
        new="for _ in range(2)]",
    ),
    Mutant(
        "at most two values",
        "a function of three values keeps two of them",
        old="for _ in range(arity[word])]",
        new="for _ in range(min(2, arity[word]))]",
        breaks="arity",
    ),
    Mutant(
        "too few values accepted",
        "a function takes what there is",
        old=("if len(stack) < arity[word]:\n            raise"),
        new=("if False:\n            raise"),
        breaks="few",
    ),
    Mutant(
        "as many as there are",
        "add(@0) is written back as it was",
        old=(
            "if len(stack) < arity[word]:\n"
            '            raise ExpressionError(f"{word} takes {arity[word]} values, found {len(stack)}")\n'
            "        values = [stack.pop() for _ in range(arity[word])]"
        ),
        new="values = [stack.pop() for _ in range(min(arity[word], len(stack)))]",
        breaks="few",
    ),
    Mutant(
        "one value too strict",
        "off by one: the last value on the stack cannot be taken",
        old="if len(stack) < arity[word]:",
        new="if len(stack) <= arity[word]:",
    ),
    Mutant(
        "rest ignored",
        "values that no function takes are dropped silently",
        old="if len(stack) != 1:",
        new="if not stack:",
        breaks="many",
    ),
    Mutant(
        "the wrong end of the stack",
        "a function takes the oldest values instead of the newest",
        old="[stack.pop() for _ in range(arity[word])]",
        new="[stack.pop(0) for _ in range(arity[word])]",
    ),
    Mutant(
        "one value without brackets",
        "a function of one value is written back the way pnnx wrote it",
        old="stack.append(f\"{word}({','.join(values)})\")",
        new='stack.append(f"{word}({\',\'.join(values)})" if len(values) > 1 else f"{word},{values[0]}")',
        breaks="form",
    ),
    Mutant(
        "by recursion",
        ("a function that calls itself for every nested function ends at Python's limit, about 1,000 deep"),
        old=("    stack: list[str] = []\n    for word in reversed"),
        new=(
            "    def depth(i: int) -> int:\n"
            "        return depth(i - 1) + 1 if i else 0\n"
            "\n"
            "    depth(len(WORD.findall(text)))\n"
            "    stack: list[str] = []\n"
            "    for word in reversed"
        ),
        breaks="deep",
    ),
    Mutant(
        "brackets that look right",
        "a bracket behind every function is taken for a sign that nothing is wrong",
        old="    return stack[0]\n",
        new=(
            "    if all(f'{word}(' in text for word in WORD.findall(text) if word in arity):\n"
            "        return ''.join(text.split())\n"
            "    return stack[0]\n"
        ),
        breaks="brackets",
    ),
    Mutant(
        "known values only",
        "a value is an operand or a number, and None or inf is refused",
        old="        if word not in arity:\n",
        new=(
            "        if word not in arity and not word.startswith('@') and not FLOAT.fullmatch(word):\n"
            "            raise ExpressionError(word)\n"
            "        if word not in arity:\n"
        ),
        breaks="words",
    ),
    Mutant(
        "the functions of the file beside arity",
        "add is a function, whatever `arity` says",
        old="        if word not in arity:\n",
        new="        arity = {**dict.fromkeys(table(), 2), **arity}\n        if word not in arity:\n",
        breaks="words",
    ),
    Mutant(
        "numbers as Python writes them",
        "1.800000e+00 comes back as 1.8",
        old="            stack.append(word)\n",
        new="            stack.append(str(float(word)) if FLOAT.fullmatch(word) and '.' in word else word)\n",
        breaks="words",
    ),
    Mutant(
        "four values at most",
        "a function of five values keeps four of them",
        old="for _ in range(arity[word])]",
        new="for _ in range(min(4, arity[word]))]",
    ),
    Mutant(
        "types of the words",
        "a word must be one of the lesson's language",
        old="        if word not in arity:\n",
        new=(
            "        if word in ('sin', '@'):\n            raise ExpressionError(word)\n        if word not in arity:\n"
        ),
        breaks="words",
    ),
    Mutant(
        "an @ inside a word",
        "only brackets, commas and whitespace end a word, so neg@0 is one",
        old="in reversed(WORD.findall(text))",
        new="in reversed(re.findall(r'[(),]|[^(),\\s]+', text))",
        breaks="words",
    ),
    Mutant(
        "whitespace taken out first",
        "pow x becomes one word",
        old="in reversed(WORD.findall(text))",
        new="in reversed(WORD.findall(''.join(text.split())))",
        breaks="space",
    ),
    Mutant(
        "spaces only",
        "tabs and new lines stay in the words",
        old="in reversed(WORD.findall(text))",
        new="in reversed(re.findall(r'[(),]|[^(), ]+', text))",
        breaks="space",
    ),
    Mutant(
        "whitespace kept",
        "the text is split at brackets and commas alone",
        old="in reversed(WORD.findall(text))",
        new="in reversed(re.findall(r'[(),]|[^(),]+', text))",
        breaks="space",
    ),
    Mutant(
        "whitespace added",
        "the answer is written as people write",
        old="','.join(values)",
        new="', '.join(values)",
    ),
    Mutant(
        "arity of the language",
        "the numbers of values of the lesson's functions instead of those that are given",
        old="    stack: list[str] = []\n    for word in reversed",
        new="    arity = {**arity, **{name: 2 for name in table() if name in arity}}\n"
        "    stack: list[str] = []\n    for word in reversed",
        breaks="arity",
    ),
    Mutant(
        "other error",
        "an IndexError of pop instead of an ExpressionError",
        old="if len(stack) < arity[word]:\n            raise",
        new="if len(stack) < arity[word]:\n            [].pop()\n            raise",
        breaks="few",
    ),
    Mutant(
        "empty text accepted",
        "nothing is left at the end, and nothing comes back",
        old="    if len(stack) != 1:\n",
        new="    if not stack:\n        return ''\n    if len(stack) != 1:\n",
        breaks="many",
    ),
]
