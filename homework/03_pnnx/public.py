"""Public tests of homework 3: run them with `python3 course.py check parse_parameter`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import kuiper
from classroom.judge import Failure, Student, SubmissionError, expect, likely, task
from kuiper import pnnx

DIGITS = Path(__file__).resolve().parents[2] / "models" / "digits" / "digits.pnnx.param"


KINDS = ("null", "bool", "int", "float", "str", "list of ints", "list of floats", "list of strs")
NUMBERS = "The type is a number from 0 to 7: above the function each has a name, NULL = 0, BOOL = 1 and so on."


def expect_pair(got: Any, expected: tuple[int, Any], text: str, mistakes: Mapping[str, Any] | None = None) -> None:
    """As `expect`; a wrong type is told in words, too, and the two parts by their names."""
    try:
        expect(got, expected, what=f"the result for {text!r}", names=("type", "value"), mistakes=mistakes)
    except Failure as failure:
        if type(got) is tuple and len(got) == 2 and got[0] != expected[0]:
            kind = f" ({KINDS[got[0]]})" if type(got[0]) is int and got[0] in range(len(KINDS)) else ""
            wanted = f"{expected[0]} ({KINDS[expected[0]]})"
            failure.message = f"the type for {text!r}: expected {wanted}, got {got[0]!r:.80}{kind}"
            failure.args = (failure.message,)
            if not isinstance(got[0], (int, float, np.number)) and repr(got[1]) == repr(expected[1]):
                failure.cause = failure.cause or NUMBERS
        raise


def too_short(text: str) -> str:
    """Why an index fails on this text, or on an element of it."""
    if not text:
        return "text[0] fails where the text is empty: text[:1] does not, nor does startswith."
    if len(text) == 1:
        return f"An index fails on {text!r}, which has no second character: a slice such as text[1:2] is empty there."
    if "" in text[1:-1].split(","):
        return "An element may be empty, and then [0] fails: [:1] does not, nor does startswith."
    return "An index fails where the text, or an element, is too short: a slice does not."


def rule_for(text: str, kind: int) -> str:
    """Why int() or float() cannot read a text of this kind, which is no list."""
    if kind == 0:
        later = "list" if text[0] in "([" else "the numbers"
        return f"{text} is null, and the rule null comes before {later}."
    if kind == 1:
        return f"{text} is a bool, and the rule bool comes before the numbers."
    if kind == 4:
        return "what begins neither with a digit nor with - and a digit is a str."
    return "with . or e in it, a number is a float."


def expect_values(student: Student, oracle: Any, *cases: tuple[str, tuple[int, Any]]) -> None:
    """Each text gives its (type, value)."""
    for text, expected in cases:
        why = rule_for(text, expected[0])
        element = "cannot read an element: split at each comma, and find one kind that fits all elements first."
        listed = expected[0] > 4
        if expected[0] == 6:
            element = (
                "cannot read an element: with . or e in it, a number is a float, in a list, too. Find one kind that "
                "fits all elements first."
            )
        causes = {
            "IndexError": too_short(text),
            "for int()": f"int() {element}" if listed else f"int() cannot read this text: {why}",
            "string to float": f"float() {element}" if listed else f"float() cannot read this text: {why}",
        }
        python = "eval and ast.literal_eval read Python, and this text is none: only int() and float() read a number."
        if listed:
            python = (
                "eval and ast.literal_eval read Python, where (7) is a number and ij a name: split the text instead."
            )
            causes["'int' object is not iterable"] = python
        causes |= dict.fromkeys(("malformed node", "SyntaxError", f"name '{text.split('.')[0]}' is not"), python)
        with likely(causes):
            got = student.parse_parameter(text)
        expect_pair(got, expected, text, oracle.value_mistakes(text, expected))


@task("parse_parameter", "null", "bool", "str", "float", "int", "pair", "order")
def single_values(student: Student, oracle: Any) -> None:
    """Null, bool, int, float and str are told apart by their text alone."""
    expect_values(
        student,
        oracle,
        ("None", (0, None)),
        ("True", (1, True)),
        ("False", (1, False)),
        ("3", (2, 3)),
        ("-1", (2, -1)),
        ("0.5", (3, 0.5)),
        ("1.000000e-5", (3, 1e-5)),
        ("1e-05", (3, 1e-5)),
        ("zeros", (4, "zeros")),
        ("torch.float", (4, "torch.float")),
    )


@task("parse_parameter", "null", "bool")
def small_letters_are_words(student: Student, oracle: Any) -> None:
    """none, true and false, and longer words that begin with True, are strs."""
    words = ("none", "null", "true", "false", "TrueFalse", "Nones")
    expect_values(student, oracle, *((word, (4, word)) for word in words))


@task("parse_parameter", "str")
def a_number_begins_with_a_digit(student: Student, oracle: Any) -> None:
    """A number begins with a digit, or with - and a digit; everything else, the empty text included, is a str."""
    for text in ("inf", "-inf", "nan", "-", "--1", "-a", ".5", "-.5", "+1", "+0.5", "e5", "same.pad", "x1", ""):
        expect_values(student, oracle, (text, (4, text)))


@task("parse_parameter", "list", "null", "pair", "order", "str")
def lists_of_one_kind(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Lists in round or square brackets, also of one element; empty ones are null."""
    ints = rng.integers(-9, 10, int(rng.integers(2, 6))).tolist()
    floats = (rng.integers(-99, 99, 3) / 8).tolist()
    expect_values(
        student,
        oracle,
        ("(3,3)", (5, [3, 3])),
        ("[1]", (5, [1])),
        ("(7)", (5, [7])),
        ("()", (0, None)),
        ("[]", (0, None)),
        ("(ij,jk)", (7, ["ij", "jk"])),
        (f"[{','.join(map(str, ints))}]", (5, ints)),
        (f"({','.join(map(str, floats))})", (6, floats)),
    )


@task("parse_parameter", "int", "float", "str", "list", "pair")
def numbers_keep_their_digits(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Ints of any size keep every digit, in a list too, and a point or an e makes a float, whatever follows."""
    large = int(rng.integers(2**60, 2**62)) | 1
    expect_values(
        student,
        oracle,
        (str(large), (2, large)),
        (f"({large},1)", (5, [large, 1])),
        ("007", (2, 7)),
        ("3.0", (3, 3.0)),
        ("1.", (3, 1.0)),
        ("2e3", (3, 2000.0)),
        ("-4e0", (3, -4.0)),
        ("1.25e-12", (3, 1.25e-12)),
    )


@task("parse_parameter", "list", "pair")
def words_in_a_list_are_strs(student: Student, oracle: Any) -> None:
    """True, False and None are strs when they stand in a list."""
    cause = (
        "In a list True, False and None are words: the rules str, float and int alone say what the elements are (to "
        "Python a bool is an int, too)."
    )
    letter = (
        "The e in a word such as True makes no float: ask first whether an element is a str, and look for . and e only "
        "in those that begin like a number."
    )
    for text in ("(True,False)", "[None]", "(None,None)", "[True]"):
        try:
            expect_values(student, oracle, (text, (7, text[1:-1].split(","))))
        except Failure as failure:
            if failure.line and "string to float" in failure.message:
                failure.cause = letter
                raise
            failure.cause = cause if failure.line else failure.cause or cause  # with a line: int() or float() failed
            raise


@task("parse_parameter", "list", "mixed", "pair", "str")
def nothing_is_dropped(student: Student, oracle: Any) -> None:
    """Inner brackets belong to their elements, and an empty element is one: both lists hold strs."""
    expect_values(
        student,
        oracle,
        ("(1,)", (7, ["1", ""])),
        ("((a,b))", (7, ["(a", "b)"])),
    )


FIRST = "The first element alone decides the kind of the list: look at all elements."
DECIDES = {
    (5, 6): FIRST,
    (6, 5): "The last element alone decides the kind of the list: look at all elements.",
    (5, 5): "One float is enough to make the list floats: the others need not be.",
}
"""The types of a list that ends in a float, and of one that begins with it -> why."""


def which_element_decides(student: Student, *texts: str) -> str | None:
    """Why an int beside a float is no list of floats, by both orders; None if these do not tell."""
    try:
        results = [student.parse_parameter(text) for text in texts]
    except SubmissionError:
        return None
    kinds = tuple(got[0] for got in results if type(got) is tuple and got and type(got[0]) is int)
    return DECIDES.get(kinds)


@task("parse_parameter", "mixed", "list", "pair")
def lists_of_several_kinds(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Numbers of both kinds become floats, none is lost; one str makes all of them strs."""
    i, f = int(rng.integers(1, 100)), float(rng.integers(1, 99) / 8)
    causes = {
        "could not convert": "An element cannot be read as the kind of the list: find the kind of all elements first.",
        "invalid literal": "An element cannot be read as the kind of the list: find the kind of all elements first.",
    }
    for text, expected, unread in (
        (f"({i},{f})", (6, [float(i), f]), [i, f]),
        (f"({f},{i})", (6, [f, float(i)]), [f, i]),
        (f"({i},a)", (7, [str(i), "a"]), [i, "a"]),
        (f"(b,{f})", (7, ["b", str(f)]), ["b", f]),
        ("(1.50,same,007)", (7, ["1.50", "same", "007"]), [1.5, "same", 7]),
        (f"({i},2,0.5,3,4)", (6, [float(i), 2.0, 0.5, 3.0, 4.0]), [i, 2, 0.5, 3, 4]),
        (f"[1,{f},x,3,4]", (7, ["1", str(f), "x", "3", "4"]), [1, f, "x", 3, 4]),
    ):
        with likely(causes):
            got = student.parse_parameter(text)
        try:
            expect_pair(got, expected, text, oracle.mixed_mistakes(text, expected, unread))
        except Failure as failure:
            if expected[0] == 6 and (failure.cause is None or failure.cause == FIRST):
                failure.cause = which_element_decides(student, f"({i},{f})", f"({f},{i})") or failure.cause
            raise


@task("parse_parameter", "list", "mixed", "str", "float", "pair")
def elements_are_told_apart_as_single_values_are(student: Student, oracle: Any) -> None:
    """In a list, too, inf, - and .5 are strs, and an e alone makes a float."""
    expect_values(
        student,
        oracle,
        ("(1,1e-05)", (6, [1.0, 1e-05])),
        ("(1,inf)", (7, ["1", "inf"])),
        ("[.5,2.5]", (7, [".5", "2.5"])),
        ("(-0.5,-1e-3)", (6, [-0.5, -1e-3])),
        ("(1,-inf)", (7, ["1", "-inf"])),
        ("(1,-)", (7, ["1", "-"])),
        ("(--1,2)", (7, ["--1", "2"])),
    )


@task("parse_parameter", "percent", "order")
def a_percent_decides_first(student: Student, oracle: Any) -> None:
    """A text with a % is a str, also where it begins like a number or a list."""
    for text in ("5%", "%5", "10%d", "(1,%c,3)", "[%d]", "[%c,%d]", "(10,20,30%,40)"):
        with likely({"": "A text with a % is a str, whatever else it looks like: this rule comes before all others."}):
            got = student.parse_parameter(text)
        expected = (4, text)
        expect_pair(got, expected, text, oracle.value_mistakes(text, expected))


@task("parse_parameter", "order", "null", "bool", "list", "str", "float", "int", "pair")
def every_option_of_the_digit_network(student: Student) -> None:
    """Each key=value of models/digits/digits.pnnx.param reads as kuiper reads it."""
    tokens = dict.fromkeys(token for line in DIGITS.read_text().splitlines()[2:] for token in line.split())
    for token in tokens:
        key, equals, text = token.partition("=")
        if equals and key[0] not in "@$#" and key != "expr":
            parameter = pnnx.parse(text)
            expected = (int(parameter.kind), parameter.value)
            expect_pair(student.parse_parameter(text), expected, text)


SIX = ("type", "name", "inputs", "outputs", "params", "attributes")
PARTS = ("head", "counts", "operands", "result")
"""Rules that every line asks about."""
LINEAR = (
    "nn.Linear linear 1 1 0 1 bias=True in_features=32 @bias=(128)f32 @weight=(128,32)f32 #0=(1,32)f32 #1=(1,128)f32"
)
BROKEN = {
    "not enough values to unpack": "Splitting failed: line.split() splits at any run of spaces, and only what follows "
    "the operands has an =.",
    "IndexError": "There is no such place: an operator may read or write nothing, and only what follows the operands "
    "has an =. Slices by the two counts give each part, however long it is.",
    "too many values to unpack": "A value may contain an = too: split at the first one only, with partition.",
    **dict.fromkeys(
        ("unsupported operand type(s) for +", "can only concatenate str", "slice indices must be integers"),
        "The counts are still text: int() makes numbers of them.",
    ),
    "invalid literal for int": "int() read the wrong token: the counts are the third and the fourth. line.split(' ') "
    "makes empty tokens where several spaces follow each other; line.split() does not.",
}


RAW = "Values stay raw text here: kuiper calls parse_parameter on them later."
KEPT = (
    "A key of this result stands in another line: begin each call with new dictionaries, neither global nor default "
    "arguments."
)
TRIMMED = "Values stay raw text here: brackets belong to them."
WHOLE = "An attribute's value stays raw text here, shape and element type together: kuiper takes it apart later."
SETS = "Inputs and outputs are lists: a set has no order, and keeps an operand that is read twice once."


def parts_of(student: Student, line: str) -> Any:
    """What the student's function returns; an error in it has its likely cause, and so has a call of the other task."""
    try:
        with likely(BROKEN):
            return student.parse_operator(line)
    except SubmissionError as error:
        if error.type != "NotImplementedError" or not error.message.startswith("parse_parameter"):
            raise
        failure = Failure("parse_operator calls parse_parameter")
        failure.cause = RAW
        raise failure from None


def why_not_raw(options: Any, attributes: Any, expected: tuple[Any, ...]) -> str | None:
    """Why a value of the last two parts is not the text of the line; None if each is, or is wrong in another way."""
    for part, right, parsed in ((options, expected[4], RAW), (attributes, expected[5], WHOLE)):
        for key, value in part.items() if type(part) is dict else ():
            if key in right and not isinstance(value, str):
                return parsed
            if key in right and value != right[key] and value == right[key].strip("()[]"):
                return TRIMMED
    return None


def expect_line(student: Student, oracle: Any, *lines: str) -> None:
    """Each line gives its six parts."""
    for line in lines:
        got = parts_of(student, line)
        expected = oracle.parts(line)
        try:
            expect(got, expected, names=SIX, mistakes=oracle.line_mistakes(line))
        except Failure as failure:
            if type(got) is list:  # both are shown in full below
                failure.message = "the result: expected a tuple, got a list"
                failure.args = (failure.message,)
            parts = got[4:] if type(got) is tuple and len(got) == len(SIX) else ()
            tokens = line.split()
            keys = [key for part in parts if type(part) is dict for key in part]
            if any(key.endswith("=") for key in keys if isinstance(key, str)):
                failure.cause = "The key goes without its =: it ends before it, and the value begins behind it."
            elif any(f"{key}=" not in line and key not in tokens for key in keys):
                failure.cause = failure.cause or KEPT
            if {*tokens[4:6]} == {"#a", "$b"} and type(got) is tuple and [*got[2:4]] != [["#a"], ["$b"]]:
                failure.cause = (
                    "An operand was skipped for its first character: marks are on what follows the operands."
                )
            if parts:
                failure.cause = failure.cause or why_not_raw(*parts, expected)
            if type(got) is tuple and any(type(part) is set for part in got[2:4]):
                failure.cause = SETS
            raise


@task("parse_operator", *PARTS, "params", "attributes", "skipped")
def the_line_of_the_lesson(student: Student, oracle: Any) -> None:
    """The linear layer's line gives its type, name, operands, options and attributes."""
    expect_line(student, oracle, LINEAR)


@task("parse_operator", *PARTS)
def counts_decide(student: Student, oracle: Any) -> None:
    """The two counts say how many operands are read and how many are written."""
    expect_line(
        student,
        oracle,
        "pnnx.Input in 0 1 7",
        "pnnx.Output out 1 0 7",
        "torch.cat cat 3 1 4 5 6 7",
        "torch.cat cat 10 1 4 5 6 7 8 9 10 11 12 13 14",
        "torch.unbind unbind 1 12 0 1 2 3 4 5 6 7 8 9 10 11 12",
        "torch.split split 1 3 7 8 9 10",
        "torch.unbind unbind 1 2 a b c",
        "pnnx.Expression e 2 1 1 2 3",
    )


@task("parse_operator", *PARTS, "params")
def an_operand_may_contain_equals(student: Student, oracle: Any) -> None:
    """The counts alone tell an operand from an option, also where its name has an = in it, or begins with a mark."""
    expect_line(
        student, oracle, "F.relu r 1 1 a=b c", "F.relu r 1 1 c a=b inplace=True", "F.relu r 1 1 #a $b inplace=True"
    )


@task("parse_operator", *PARTS)
def operands_stay_as_they_are(student: Student, oracle: Any) -> None:
    """Operands are strs in the order of the line, even if one is read twice."""
    expect_line(student, oracle, "torch.matmul square 2 1 10 10 9", "F.gelu gelu 1 1 007 b", "Tensor.add 3 2 1 5 4 6")


@task("parse_operator", *PARTS, "spaces")
def columns_of_spaces(student: Student, oracle: Any) -> None:
    """Several spaces separate two tokens as one does, and a newline at the end belongs to no token."""
    expect_line(
        student,
        oracle,
        "nn.ReLU                  relu                     1 1 2 3\n",
        "nn.Flatten    flat  1 1 3 4  end_dim=-1   start_dim=1\n",
    )


@task("parse_operator", *PARTS, "params", "first_equals")
def options_are_raw_text(student: Student, oracle: Any) -> None:
    """An option's value is the text after its first =, whatever it looks like."""
    expect_line(
        student,
        oracle,
        "nn.MaxPool2d pool 1 1 3 4 ceil_mode=False kernel_size=(2,2) padding=0 stride=None",
        "pnnx.Expression expr 2 1 3 4 5 expr=add(@0,mul(@1,16))",
        "F.odd odd 1 1 0 1 _eps=1e-5 0=1 Alpha=0.5 dim=2",
    )


@task("parse_operator", *PARTS, "first_equals", "params")
def a_value_may_contain_equals(student: Student, oracle: Any) -> None:
    """The first = ends the key: what follows is the value, with every further = in it, and may be empty."""
    expect_line(student, oracle, "F.odd odd 1 1 0 1 where=a=b prefix= expr=eq(@0,x==y) last=a=")


@task("parse_operator", *PARTS, "attributes")
def weights_lose_their_mark(student: Student, oracle: Any) -> None:
    """An attribute's key loses its @, and only that; its value is shape and element type as text."""
    expect_line(
        student,
        oracle,
        "nn.PReLU act 1 1 0 1 @weight=(32)f32",
        "pnnx.Attribute a 0 1 0 @a.b=(1,3)i64 @x@y@=(2)f16",
        "pnnx.Attribute b 0 1 0 @@z=(1)bf16",
    )


@task("parse_operator", *PARTS, "skipped", "params", "attributes")
def shapes_and_slots_are_skipped(student: Student, oracle: Any) -> None:
    """What begins with # or $ is in no part of the result; what comes after it is, and so is a later # or $."""
    expect_line(
        student,
        oracle,
        "F.linear fc 2 1 0 1 2 $input=0 $weight=1 #0=(?,3)f32 #2=(?,2)f32",
        "nn.Linear fc 1 1 0 1 #0=(1,3)f32 bias=False $input=0 @weight=(2,3)f32 in_features=3",
        "F.odd odd 1 1 0 1 sep=# price=a$ dim=1",
        "torch.cat cat 2 1 10 11 12 $tensors=10 #10=(1,2)f32 #11=(1,2)f32 #12=(1,4)f32 dim=1",
        "F.odd odd 1 1 0 1 a#b=1 c$d=2 e@f=3",
    )


@task("parse_operator", *PARTS, "params", "attributes")
def random_lines(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Random operators with up to four operands on each side."""
    for number in range(4):
        n_in, n_out = (int(n) for n in rng.integers(0, 5, 2))
        names = " ".join(f"{n}" for n in rng.integers(0, 100, n_in + n_out))
        options = " ".join(f"o{n}={n}" for n in rng.integers(0, 100, int(rng.integers(0, 4))))
        line = f"aten::op{number} op{number} {n_in} {n_out} {names} {options} @w{n_in}=({n_out},3)f32"
        expect_line(student, oracle, " ".join(line.split()))


@task("parse_operator", *PARTS, "spaces", "params", "attributes", "skipped")
def every_line_of_the_digit_network(student: Student) -> None:
    """Each line of models/digits/digits.pnnx.param says what kuiper reads from it."""
    graph = pnnx.read(DIGITS)
    for line, op in zip(DIGITS.read_text().splitlines(keepends=True)[2:], graph.operators, strict=True):
        got = parts_of(student, line)
        expect(got, pnnx.parse_operator(line), what=f"the result for {op.name}", names=SIX)


@task("parse_operator", *PARTS, "spaces", "params", "attributes", "skipped")
def kuiper_reads_the_digit_network_with_it(student: Student) -> None:
    """kuiper reads the network with this function, and its results are those that PyTorch computed."""
    parts_of(student, LINEAR)
    toolbox = kuiper.Toolbox(parse_operator=student.parse_operator)
    try:
        graph = kuiper.load(DIGITS, toolbox=toolbox)
    except kuiper.KuiperError as error:
        raise Failure(f"kuiper cannot read the network: {error}") from None
    with np.load(DIGITS.with_name("heldout.npz")) as data:
        images, logits = data["images"][:16], data["logits"][:16]
    expect(graph(images[:, None].astype(np.float32))[0], logits, rtol=1e-3, atol=1e-3, what="the network's result")
