r"""One line of the file: why the solution is as it is.

**The counts come before everything else.** Nothing marks an operand: `7` is a name like any other, and a line without
options ends in operands. Only the two counts say where the inputs end, where the outputs end, and where the pairs
begin. Two sums, `start` and `end`, are easier to get right than four slices with arithmetic in them.

An operand's name may even have an = in it: whoever looks for the first token with an = to find the end takes it for
an option.

**`line.split()` and not `line.split(" ")`.** PNNX aligns type and name in columns with spaces; `split(" ")` makes an
empty token of each. Without an argument, split takes any run of white space as one gap, and drops the newline.

**`partition("=")` and not `split("=")`.** An expression may contain an = of its own. partition splits once, and never
fails: without an = the value is empty.

**The mark is the first character of the key.** `"@" in token` is true for `expr=add(@0,@1)`, which is an option.

What is skipped is not unimportant. `#0=(1,32)f32` tells a planner of memory how large a value is. `$weight=1` tells a
function such as F.linear which of its inputs is the weight. kuiper's reader keeps both, and reads them itself when it
calls a function of yours.

kuiper's reader also answers for what the task leaves out: a line that is cut off, a count that is no number, a key
that comes twice, a weight that the archive does not have.

Cost: one pass over the line.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Any

import numpy as np

from classroom.judge import Mutant, Student, expect, task
from kuiper import pnnx

from ..public import RAW

Parts = tuple[str, str, list[str], list[str], dict[str, str], dict[str, str]]


def parts(line: str) -> Parts:
    """The six parts, by regular expressions."""
    head = re.match(r"(\S+) +(\S+) +(\d+) +(\d+) *", line)
    assert head is not None
    rest = line[head.end() :]
    operands: list[str] = []
    for _ in range(int(head[3]) + int(head[4])):
        one = re.match(r"(\S+)\s*", rest)
        assert one is not None
        operands.append(one[1])
        rest = rest[one.end() :]
    pairs = re.findall(r"(?<!\S)([^\s=]+)=(\S*)", rest)
    params = {key: value for key, value in pairs if key[0] not in "@#$"}
    attributes = {key[1:]: value for key, value in pairs if key[0] == "@"}
    return head[1], head[2], operands[: int(head[3])], operands[int(head[3]) :], params, attributes


def line_mistakes(line: str) -> dict[str, Any]:
    """Likely cause -> what it gives for this line."""
    operator_type, name, inputs, outputs, params, attributes = parts(line)
    tokens, end = line.split(), 4 + len(inputs)
    further = tokens[end + len(outputs) :]
    pairs = dict(re.findall(r"(?<!\S)([^\s=]+)=(\S*)", " ".join(further)))
    marked = {key: value for key, value in pairs.items() if key[0] in "#$"}
    operands = [*inputs, *outputs]
    swapped = operands[: len(outputs)], operands[len(outputs) :]
    last_written = operands[:-1], operands[-1:]
    counts_swapped = "The counts are swapped: the third token counts the inputs, the fourth the outputs."
    last_taken = "The last operand was taken as the output: the counts decide how many inputs and outputs there are."
    either = (
        "Either the last operand was taken as the output, whatever the counts say, or the counts are swapped: the "
        "third token counts the inputs, the fourth the outputs."
    )
    fixed_or_swapped = (
        "Either the operands were taken at fixed places, tokens[4] and tokens[5], whatever the counts say, or the "
        "counts are swapped: the third token counts the inputs, the fourth the outputs."
    )
    tuples = tuple(inputs), tuple(outputs)
    early = tokens[3 : end - 1], tokens[end - 1 : end - 1 + len(outputs)]
    exchanged = "Inputs and outputs are exchanged: the inputs are the third part, the outputs the fourth."
    too_early = "The operands begin with the fifth token, tokens[4]: tokens[3] is the number of outputs."
    early_or_exchanged = (
        "Either inputs and outputs are exchanged in the result, where the inputs come first, or the operands were "
        "taken one token too early: the first of them is tokens[4]."
    )
    fixed = tokens[4:5], tokens[5:6]
    after_six = sorted_out(tokens[6:])
    until_a_mark = list(takewhile(lambda token: token[0] not in "#$", further))
    wrong: dict[str, Any] = {
        "The result is a list: return the six parts separated by commas, which is a tuple.": [
            operator_type, name, inputs, outputs, params, attributes,
        ],
        (either if swapped == last_written else fixed_or_swapped if swapped == fixed else counts_swapped): (
            operator_type, name, *swapped, params, attributes,
        ),
        last_taken: (operator_type, name, *last_written, params, attributes),
        "Each operator was given one input and one output: the two counts say how many there are.": (
            operator_type, name, operands[:1], operands[1:2], params, attributes,
        ),
        "The operands begin with the fifth token, tokens[4]: others were taken.": (
            operator_type, name, line.split()[2 : 2 + len(inputs)],
            line.split()[2 + len(inputs) : 2 + len(operands)], params, attributes,
        ),
        (early_or_exchanged if early == (outputs, inputs) else too_early): (
            operator_type, name, *early, params, attributes,
        ),
        exchanged: (operator_type, name, outputs, inputs, params, attributes),
        "The inputs stand in the order of the line: do not sort them.": (
            operator_type, name, sorted(inputs), outputs, params, attributes,
        ),
        "The inputs stand in the order of the line, each as often as there: a set keeps neither.": (
            operator_type, name, sorted(set(inputs)), outputs, params, attributes,
        ),
        "A key keeps its _, at the beginning, too.": (
            operator_type, name, inputs, outputs, {key.strip("_"): v for key, v in params.items()}, attributes,
        ),
        "Operands and options begin one token too early: the first operand is the fifth token, tokens[4].": (
            operator_type, name, *early, *sorted_out(tokens[end - 1 + len(outputs) :]),
        ),
        "The operands' names are strs, also where they look like numbers.": (
            operator_type, name, *([int(one) if one.isdigit() else one for one in side] for side in (inputs, outputs)),
            params, attributes,
        ),
        "The inputs' names are strs, also where they look like numbers.": (
            operator_type, name, [int(one) if one.isdigit() else one for one in inputs], outputs, params, attributes,
        ),
        "The outputs' names are strs, also where they look like numbers.": (
            operator_type, name, inputs, [int(one) if one.isdigit() else one for one in outputs], params, attributes,
        ),
        "The outputs begin where the inputs end: at 4 + the number of inputs.": (
            operator_type, name, inputs, line.split()[5 : 5 + len(outputs)], params, attributes,
        ),
        "Inputs and outputs are lists, not tuples.": (operator_type, name, *tuples, params, attributes),
        "The inputs are a list, not a tuple.": (operator_type, name, tuples[0], outputs, params, attributes),
        "The outputs are a list, not a tuple.": (operator_type, name, inputs, tuples[1], params, attributes),
        "An operand that is read twice is listed twice: a dictionary or a set keeps one.": (
            operator_type, name, list(dict.fromkeys(inputs)), outputs, params, attributes,
        ),
        "Attributes keep their @: leave it out of the key.": (
            operator_type, name, inputs, outputs, params, {f"@{key}": value for key, value in attributes.items()},
        ),
        "Attributes are among the options: a token that begins with @ goes to the sixth part.": (
            operator_type, name, inputs, outputs,
            {key: value for key, value in pairs.items() if key[0] not in "#$"}, {},
        ),
        "Attributes are among the options, too: a token that begins with @ goes to the sixth part only.": (
            operator_type, name, inputs, outputs, params | {f"@{key}": v for key, v in attributes.items()}, attributes,
        ),
        "Tokens that begin with # or $ are no options: skip them.": (
            operator_type, name, inputs, outputs, params | marked, attributes,
        ),
        "Tokens that begin with # are skipped, too, not only those with $.": (
            operator_type, name, inputs, outputs,
            params | {key: value for key, value in marked.items() if key[0] == "#"}, attributes,
        ),
        "Tokens that begin with $ are skipped, too, not only those with #.": (
            operator_type, name, inputs, outputs,
            params | {key: value for key, value in marked.items() if key[0] == "$"}, attributes,
        ),
        "Tokens that begin with # or $ are no attributes: skip them.": (
            operator_type, name, inputs, outputs, params, attributes | {key[1:]: v for key, v in marked.items()},
        ),
        "Tokens that begin with # are no attributes: skip them, too.": (
            operator_type, name, inputs, outputs, params,
            attributes | {key[1:]: v for key, v in marked.items() if key[0] == "#"},
        ),
        "Tokens that begin with $ are no attributes: skip them, too.": (
            operator_type, name, inputs, outputs, params,
            attributes | {key[1:]: v for key, v in marked.items() if key[0] == "$"},
        ),
        "A key may begin with any character but a mark, as _eps and 0 do: ask for @, # and $, not for a letter.": (
            operator_type, name, inputs, outputs, {key: v for key, v in params.items() if key[0].isalpha()}, attributes,
        ),
        "A mark counts only as the first character of a token: expr=add(@0,@1) is an option.": (
            operator_type, name, inputs, outputs, {key: v for key, v in params.items() if "@" not in v}, attributes,
        ),
        "A mark counts only as the first character of a token: expr=add(@0,@1) is an option, though it has an @.": (
            operator_type, name, inputs, outputs, {key: v for key, v in params.items() if "@" not in v},
            attributes | {key[1:]: v for key, v in params.items() if "@" in v},
        ),
        "A mark counts only as the first character of a token: expr=add(@0,@1), which has an @ later, is an option.": (
            operator_type, name, inputs, outputs, {key: v for key, v in params.items() if "@" not in v},
            attributes | {key: v for key, v in params.items() if "@" in v},
        ),
        "A mark counts only as the first character of a token: sep=# and price=a$ are options.": (
            operator_type, name, inputs, outputs, {key: v for key, v in params.items() if not set("#$") & set(v)},
            attributes,
        ),
        "An attribute is among the options, too, without its @: there it replaces an option of the same name.": (
            operator_type, name, inputs, outputs, params | attributes, attributes,
        ),
        "Attributes are among the options, without their @: a token that begins with @ goes to the sixth part only.": (
            operator_type, name, inputs, outputs, params | attributes, {},
        ),
        "Only the first input was taken: the third token says how many there are.": (
            operator_type, name, inputs[:1], outputs, params, attributes,
        ),
        "One input was taken, the fifth token, whatever the third says: it may be none, or several.": (
            operator_type, name, tokens[4:5], outputs, params, attributes,
        ),
        "Only the first output was taken: the fourth token says how many there are.": (
            operator_type, name, inputs, outputs[:1], params, attributes,
        ),
        "An attribute's value is all that follows the =, so the element type behind the bracket belongs to it.": (
            operator_type, name, inputs, outputs, params,
            {key: v.partition(")")[0] + ")" for key, v in attributes.items()},
        ),
        "An attribute's value stays raw text: kuiper reads the shape in it later.": (
            operator_type, name, inputs, outputs, params, {key: shape_of(v) for key, v in attributes.items()},
        ),
        "Operands and options were taken at fixed places: the two counts say how many operands there are, and what "
        "follows them is key=value.": (
            operator_type, name, *fixed, *after_six,
        ),
        "The options begin after the last operand, at 4 + both counts, which is 6 only for one input and one output.": (
            operator_type, name, inputs, outputs, *after_six,
        ),
        "params and attributes are one dictionary: `params = attributes = {}` makes only one, so write {} twice.": (
            operator_type, name, inputs, outputs, params | attributes, params | attributes,
        ),
        "An option whose value is empty has the empty str as its value, not None.": (
            operator_type, name, inputs, outputs, {key: v or None for key, v in params.items()}, attributes,
        ),
        "An option's value stays raw text, also where it looks like a number.": (
            operator_type, name, inputs, outputs, {key: int(v) if v.isdigit() else v for key, v in params.items()},
            attributes,
        ),
        RAW: (
            operator_type, name, inputs, outputs, {key: pair_of(v) for key, v in params.items()}, attributes,
        ),
        "Values stay raw text here, and kuiper calls parse_parameter on them later.": (
            operator_type, name, inputs, outputs, {key: pair_of(v)[1] for key, v in params.items()}, attributes,
        ),
        "An option whose value is empty is one all the same.": (
            operator_type, name, inputs, outputs, {key: v for key, v in params.items() if v}, attributes,
        ),
        "A value may contain an = too: split at the first one only, with partition.": (
            operator_type, name, inputs, outputs, {key: v.split("=")[0] for key, v in params.items()}, attributes,
        ),
        "The last = was taken to end the key: it is the first that does.": (
            operator_type, name, inputs, outputs,
            {f"{key}={v}".rpartition("=")[0]: f"{key}={v}".rpartition("=")[2] for key, v in params.items()}, attributes,
        ),
        "Name and type are swapped: the type comes first.": (
            name, operator_type, inputs, outputs, params, attributes,
        ),
        "Options and attributes are swapped: params is the fifth part, attributes the sixth.": (
            operator_type, name, inputs, outputs, attributes, params,
        ),
        "The second number of a slice is where it ends, not how long it is: the outputs end at 4 + both counts.": (
            operator_type, name, inputs, tokens[end : len(outputs)], params, attributes,
        ),
        "The second number of a slice is where it ends, not how long it is: the inputs end at 4 + their number.": (
            operator_type, name, tokens[4 : len(inputs)], outputs, params, attributes,
        ),
        "The second number of a slice is where it ends, not how long it is: inputs end at 4 + their number, outputs at "
        "4 + both counts.": (
            operator_type, name, tokens[4 : len(inputs)], tokens[end : len(outputs)], params, attributes,
        ),
        "A token with # or $ ends the loop: skip it alone, with continue and not break.": (
            operator_type, name, inputs, outputs, *sorted_out(until_a_mark),
        ),
        "The outputs go on to the end of the line: they end at 4 + both counts.": (
            operator_type, name, inputs, tokens[end:], params, attributes,
        ),
        "One output is a list, too: take a slice, tokens[a:b], and not tokens[a].": (
            operator_type, name, inputs, outputs[0] if outputs else outputs, params, attributes,
        ),
        "One operand is a list, too: take slices, tokens[a:b], and not tokens[a].": (
            operator_type, name, *(side[0] if side else side for side in (inputs, outputs)), params, attributes,
        ),
        "The operands are among the options: key=value begins after the last of them, at 4 + both counts.": (
            operator_type, name, inputs, outputs, *sorted_out(tokens[4:]),
        ),
        "The outputs are among the options: key=value begins after them, at 4 + both counts.": (
            operator_type, name, inputs, outputs, *sorted_out(tokens[end:]),
        ),
        "The loop ends in its first round: the return belongs behind it, not in it.": (
            operator_type, name, inputs, outputs, *sorted_out(further[:1]),
        ),
        "The token right after the outputs is lost: key=value begins at 4 + both counts.": (
            operator_type, name, inputs, outputs, *sorted_out(further[1:]),
        ),
        "An attribute's key loses only its first character, the mark: key[1:].": (
            operator_type, name, inputs, outputs, params, {key.replace("@", ""): v for key, v in attributes.items()},
        ),
        "An attribute's key loses one @, its first character: strip takes all that stand at the ends.": (
            operator_type, name, inputs, outputs, params, {key.strip("@"): v for key, v in attributes.items()},
        ),
        "Options come in a dictionary: the text before the first = is the key, the text after it the value.": (
            operator_type, name, inputs, outputs, [f"{key}={v}" for key, v in params.items()], attributes,
        ),
        "Options come in a dictionary, not in a list of pairs.": (
            operator_type, name, inputs, outputs, [(key, v) for key, v in params.items()], attributes,
        ),
        "A mark counts only as the first character of a token: e@f=3, with an @ inside its key, is an option.": (
            operator_type, name, inputs, outputs, {key: v for key, v in params.items() if "@" not in key},
            attributes | {key[1:]: v for key, v in params.items() if "@" in key},
        ),
        "A mark counts only as the first character of a token: a#b=1 and c$d=2 are options.": (
            operator_type, name, inputs, outputs, {key: v for key, v in params.items() if not set("#$") & set(key)},
            attributes,
        ),
        "A key keeps its capital letters.": (
            operator_type, name, inputs, outputs, {key.lower(): v for key, v in params.items()}, attributes,
        ),
        "Both dictionaries came back empty: the tokens after the operands, key=value, go into them.": (
            operator_type, name, inputs, outputs, {}, {},
        ),
        "The attributes are missing: a token that begins with @ goes to the sixth part.": (
            operator_type, name, inputs, outputs, params, {},
        ),
        "The options are missing: a token without a mark goes to the fifth part.": (
            operator_type, name, inputs, outputs, {}, attributes,
        ),
        "Where the line has no options or no attributes, the part is an empty dictionary, {}, and not None.": (
            operator_type, name, inputs, outputs, params or None, attributes or None,
        ),
        "Where the line has no attributes, the sixth part is an empty dictionary, {}, and not None.": (
            operator_type, name, inputs, outputs, params, attributes or None,
        ),
        "Where the line has no options, the fifth part is an empty dictionary, {}, and not None.": (
            operator_type, name, inputs, outputs, params or None, attributes,
        ),
        "Where a count is 0 the part is an empty list, [], and not None.": (
            operator_type, name, inputs or None, outputs or None, params, attributes,
        ),
    }  # fmt: skip
    split = 4 + int(tokens[2][0])
    close = split + int(tokens[3][0])
    if close < end + len(outputs):
        cause = "Only the first digit of each count was read: int(tokens[2]) reads all of them."
        few = operator_type, name, tokens[4:split], tokens[split:close], *sorted_out(tokens[close:])
        wrong = {cause: few, **wrong}
    if line.endswith("\n"):
        cause = "The newline at the end of the line belongs to no token: line.split(), without an argument, drops it."
        loose = [*tokens[:-1], f"{tokens[-1]}\n"]
        halves = [token.partition("=") for token in loose[end + len(outputs) :]]
        wrong[cause] = (
            operator_type, name, loose[4:end], loose[end : end + len(outputs)],
            {key: value for key, _, value in halves if key[0] not in "@#$"},
            {key[1:]: value for key, _, value in halves if key[0] == "@"},
        )  # fmt: skip
    if any("=" in operand for operand in operands):
        wrong = {**told_by_equals(line), **wrong}
    if inputs and not outputs:
        wrong["Where a count is 0 the list is empty."] = (operator_type, name, inputs, inputs, params, attributes)
    return wrong


def told_by_equals(line: str) -> dict[str, Any]:
    """Likely cause -> what it gives for a line in which an operand's name has an = in it."""
    operator_type, name, inputs, outputs, *_ = parts(line)
    tokens, count = line.split()[4:], len(inputs)
    plain = [token for token in tokens if "=" not in token]
    first = list(takewhile(lambda token: "=" not in token, tokens))
    equals = sorted_out([token for token in tokens if "=" in token])
    rest = sorted_out(tokens[len(first) :])
    return {
        "The counts alone decide what is an operand, not the =, which may stand in an operand's name, too.": (
            operator_type, name, plain[:count], plain[count:], *equals,
        ),
        "The counts alone tell where the operands end, not the first =, which may stand in an operand's name, too.": (
            operator_type, name, first[:count], first[count:], *rest,
        ),
        "The fourth token alone tells how many outputs there are: an = may stand in an operand's name, too.": (
            operator_type, name, inputs, tokens[count : len(first)], *rest,
        ),
        "An operand is no option, even with an = in its name: key=value begins at 4 + both counts.": (
            operator_type, name, inputs, outputs, *equals,
        ),
    }  # fmt: skip


def sorted_out(tokens: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Params and attributes among these tokens."""
    pairs = dict(re.findall(r"(?<!\S)([^\s=]+)=?(\S*)", " ".join(tokens)))
    params = {key: value for key, value in pairs.items() if key[0] not in "@#$"}
    return params, {key[1:]: value for key, value in pairs.items() if key[0] == "@"}


def shape_of(text: str) -> tuple[tuple[int, ...], str]:
    """What the lesson's read_shape gives for the text."""
    sizes, _, dtype = text.removeprefix("(").partition(")")
    return tuple(-1 if size == "?" else int(size) for size in sizes.split(",")), dtype


def pair_of(text: str) -> tuple[int, Any]:
    """What parse_parameter gives for the text."""
    parameter = pnnx.parse(text)
    return int(parameter.kind), parameter.value


@task("parse_operator")
def lines_of_every_length(student: Student, rng: np.random.Generator) -> None:
    """Operators with no option, with one, and with hundreds of operands."""
    for count in (0, 1, 2, 300):
        names = rng.integers(0, 1000, 2 * count).tolist()
        line = f"torch.stack s {count} {count} {' '.join(map(str, names))}".strip()
        expect_parts(student, line)
        expect_parts(student, f"{line} dim=-1\n")


def expect_parts(student: Student, line: str) -> None:
    """The six parts of the line."""
    expect(student.parse_operator(line), parts(line), what=f"the result for {line!r:.200}")


@task("parse_operator")
def marks_inside_of_values(student: Student, rng: np.random.Generator) -> None:
    """The marks @, # and $ inside a key or a value mean nothing."""
    for line in (
        "a.b c 1 1 0 1 color=#fff price=$5 at=@home",
        "pnnx.Expression e 3 1 1 2 3 4 expr=add(mul(@0,@1),@2) $a=1 #4=(1)f32",
        "x.y z 0 0 a#b=1 a$b=2 a@b=3 @c#d=(1)f32",
        "x.y z 0 0 a== @b==",
    ):
        expect_parts(student, line)


@task("parse_operator")
def names_that_look_like_counts(student: Student, rng: np.random.Generator) -> None:
    """A type, a name and operands may be numbers, and an operand may be called like an option."""
    for _ in range(8):
        kind, name, *operands = (str(int(n)) for n in rng.integers(0, 5, 6))
        n_in = int(rng.integers(0, 5))
        line = f"{kind} {name} {n_in} {4 - n_in} {' '.join(operands)} dim={n_in}"
        expect_parts(student, line)
    expect_parts(student, "nn.ReLU r 1 1 @x #y inplace=True")
    for line in ("F.a a 2 2 x=1 y z= dim=2 dim=1", "F.a a 1 1 x y=2", "F.a a 2 0 x y=2 bias=True", "F.a a 0 1 @y=2"):
        expect_parts(student, line)


@task("parse_operator")
def the_order_of_the_pairs(student: Student, rng: np.random.Generator) -> None:
    """Options, attributes, slots and shapes may come in any order."""
    pairs = ["bias=True", "stride=(1,1)", "@bias=(3)f32", "@weight=(3,1,2,2)f32", "$input=0", "#0=(1,1,?,?)f32"]
    for _ in range(6):
        rng.shuffle(pairs)
        expect_parts(student, f"nn.Conv2d   conv   1 1 0 1   {'  '.join(pairs)}\n")


@task("parse_operator")
def one_call_leaves_nothing_for_the_next(student: Student, rng: np.random.Generator) -> None:
    """A line without options, after one that has some, has none."""
    expect_parts(student, "nn.Linear a 1 1 0 1 bias=True @weight=(2,3)f32")
    expect_parts(student, "nn.ReLU b 1 1 1 2")


MUTANTS = [
    Mutant(
        "one digit of each count",
        "ten inputs are read as one",
        old="    start = 4 + int(tokens[2])\n    end = start + int(tokens[3])\n",
        new="    start = 4 + int(tokens[2][0])\n    end = start + int(tokens[3][0])\n",
        breaks="counts",
    ),
    Mutant(
        "a mark anywhere in the key",
        "an option with a # or a $ inside its key is skipped",
        old='        elif not key.startswith(("#", "$")):\n',
        new='        elif "#" not in key and "$" not in key:\n',
        breaks="skipped",
    ),
    Mutant(
        "the first = ends the operands",
        "the output count is never read",
        old="    end = start + int(tokens[3])\n",
        new='    end = next((i for i, token in enumerate(tokens) if i > 3 and "=" in token), len(tokens))\n',
        breaks="counts",
    ),
    Mutant(
        "operands have no =",
        "a token with an = is taken for an option wherever it stands",
        old="    return operator_type, name, tokens[4:start], tokens[start:end], params, attributes\n",
        new=(
            '    plain = [token for token in tokens[4:] if "=" not in token]\n'
            "    return operator_type, name, plain[: start - 4], plain[start - 4 :], params, attributes\n"
        ),
        breaks="counts",
    ),
    Mutant(
        "one space",
        "split at each space: columns of spaces give empty tokens",
        old="tokens = line.split()",
        new='tokens = line.strip().split(" ")',
        breaks="spaces",
    ),
    Mutant(
        "the newline stays",
        "the last value ends in a line break",
        old="tokens = line.split()",
        new='tokens = [token for token in line.split(" ") if token]',
        breaks="spaces",
    ),
    Mutant(
        "name first",
        "the type comes before the name",
        old="operator_type, name = tokens[:2]",
        new="name, operator_type = tokens[:2]",
        breaks="head",
    ),
    Mutant(
        "the last part of the type",
        "nn.Linear read as Linear",
        old="    return operator_type, name,",
        new='    return operator_type.split(".")[-1], name,',
        breaks="head",
    ),
    Mutant(
        "counts swapped",
        "the outputs are counted first",
        old="    start = 4 + int(tokens[2])\n    end = start + int(tokens[3])\n",
        new="    start = 4 + int(tokens[3])\n    end = start + int(tokens[2])\n",
        breaks="counts",
    ),
    Mutant(
        "one output",
        "most operators have one output, and split has several",
        old="    end = start + int(tokens[3])\n",
        new="    end = start + min(int(tokens[3]), 1)\n",
        breaks="counts",
    ),
    Mutant(
        "at least one input",
        "an input of the network reads nothing",
        old="    start = 4 + int(tokens[2])\n",
        new="    start = 4 + max(int(tokens[2]), 1)\n",
        breaks="counts",
    ),
    Mutant(
        "operands as numbers",
        "names that look like numbers become numbers",
        old="tokens[4:start], tokens[start:end], params",
        new="[int(t) if t.isdigit() else t for t in tokens[4:start]], tokens[start:end], params",
        breaks="operands",
    ),
    Mutant(
        "every input once",
        "matmul(x, x) loses an input",
        old="tokens[4:start], tokens[start:end], params",
        new="list(dict.fromkeys(tokens[4:start])), tokens[start:end], params",
        breaks="operands",
    ),
    Mutant(
        "inputs sorted",
        "the order of the inputs is their meaning",
        old="tokens[4:start], tokens[start:end], params",
        new="sorted(tokens[4:start], key=int), tokens[start:end], params",
    ),
    Mutant(
        "no more than words",
        "an option whose value is a list is left to somebody else",
        old="            params[key] = value\n",
        new='            params[key] = value.strip("()")\n',
        breaks="params",
    ),
    Mutant(
        "options are read at once",
        "the value is a number and no text",
        old="            params[key] = value\n",
        new="            params[key] = int(value) if value.isdigit() else value\n",
        breaks="params",
    ),
    Mutant(
        "split at every =",
        "what follows a second = is lost",
        old='key, _, value = token.partition("=")',
        new='key, value = token.split("=")[:2]',
        breaks="first_equals",
    ),
    Mutant(
        "split at the last =",
        "the key takes what belongs to the value",
        old='key, _, value = token.partition("=")',
        new='key, _, value = token.rpartition("=")',
        breaks="first_equals",
    ),
    Mutant(
        "empty values dropped",
        "an option without a value is an option",
        old='        elif not key.startswith(("#", "$")):\n',
        new='        elif value and not key.startswith(("#", "$")):\n',
        breaks="first_equals",
    ),
    Mutant(
        "the mark stays",
        "@weight is called weight",
        old="attributes[key[1:]] = value",
        new="attributes[key] = value",
        breaks="attributes",
    ),
    Mutant(
        "every mark removed",
        "only the first character is the mark",
        old="attributes[key[1:]] = value",
        new='attributes[key.replace("@", "")] = value',
        breaks="attributes",
    ),
    Mutant(
        "marks at both ends",
        "strip takes a last @, too",
        old="attributes[key[1:]] = value",
        new='attributes[key.strip("@")] = value',
        breaks="attributes",
    ),
    Mutant(
        "the shape alone",
        "the element type belongs to the text",
        old="attributes[key[1:]] = value",
        new='attributes[key[1:]] = value.partition(")")[0] + ")"',
        breaks="attributes",
    ),
    Mutant(
        "a mark anywhere",
        "expr=add(@0,@1) taken for an attribute",
        old='        if key.startswith("@"):\n',
        new='        if "@" in token:\n',
    ),
    Mutant(
        "shapes are options",
        "a token with # is kept",
        old='key.startswith(("#", "$"))',
        new='key.startswith("$")',
        breaks="skipped",
    ),
    Mutant(
        "slots are options",
        "a token with $ is kept",
        old='key.startswith(("#", "$"))',
        new='key.startswith("#")',
        breaks="skipped",
    ),
    Mutant(
        "marked tokens thrown out first",
        "an operand whose name begins with a mark is lost",
        old="    tokens = line.split()\n",
        new='    tokens = [one for one in line.split() if one[0] not in "#$"]\n',
        breaks="counts",
    ),
    Mutant(
        "a mark that skips anywhere",
        "an option whose value has a # or a $ in it is skipped",
        old='        elif not key.startswith(("#", "$")):\n',
        new='        elif "#" not in token and "$" not in token:\n',
        breaks="skipped",
    ),
    Mutant(
        "attributes among the options",
        "the mark is stripped from every key, and an attribute replaces the option of the same name",
        old='        if key.startswith("@"):\n',
        new='        if key.startswith("@"):\n            params[key[1:]] = value\n',
        breaks="attributes",
    ),
    Mutant(
        "nothing behind a shape",
        "the loop ends at the first token that is skipped",
        old='        elif not key.startswith(("#", "$")):\n            params[key] = value\n',
        new=(
            '        elif key.startswith(("#", "$")):\n'
            "            break\n"
            "        else:\n"
            "            params[key] = value\n"
        ),
        breaks="skipped",
    ),
    Mutant(
        "a list instead of a tuple",
        "the six parts come in a tuple",
        old="    return operator_type, name, tokens[4:start], tokens[start:end], params, attributes\n",
        new="    return [operator_type, name, tokens[4:start], tokens[start:end], params, attributes]\n",
        breaks="result",
    ),
    Mutant(
        "None for nothing",
        "no attributes are an empty dict",
        old="tokens[start:end], params, attributes\n",
        new="tokens[start:end], params, attributes or None\n",
        breaks="result",
    ),
]
