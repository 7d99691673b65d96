r"""From a text to its kind and value: why the solution is as it is.

The file holds only text, so the rules have to be tried in order, and the order is the content: `5%` begins with a
digit and is a str because rule 1 comes first; `()` begins with a bracket and is null because of rule 2; `torch.float`
has a point and is a str because rule 5 comes before rule 6.

**A number begins with a digit, or with - and a digit.** So `-`, `-inf`, `.5`, `+1` are strs. Trying `float(text)` and
catching the error is shorter, and wrong: it accepts `inf` and `nan`, `+1`, `.5`.

**Find the kind of the list first.** Read each element as its own kind, and `(1,0.5)` becomes a list of floats that
holds an int. Let the first or the last element decide, and the others cannot be read. The kinds are numbered so that
the larger one can hold the smaller (int 2 < float 3 < str 4): `max` finds it. For a list with a str in it every
element keeps its text.

PNNX's own reader puts each element into the list of its own kind, ints to ints, floats to floats, and gives the whole
the type of the last one. Of `(1,0.5)` only 0.5 can then be found. kuiper keeps every element, and warns.

**`bool("False")` is True.** Every text that is not empty is. Compare with the word.

**The empty text exists.** `prefix=` says it. `text[0]` raises IndexError there; `text[:1]` does not.

What the exercise leaves out and `kuiper/pnnx/parameters.py` has: texts such as `2d`, of which PNNX reads the 2;
`1E5`, which is 1 because rule 6 looks for a small e; complex numbers; `inf` among floats; `(1,)`.

Cost: one pass over the text.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Mutant, Student, expect, task


@task("parse_parameter")
def the_order_of_the_rules(student: Student, rng: np.random.Generator) -> None:
    """Texts on which two rules fit, and the first decides."""
    for text, expected in (
        ("(1,%c,3)", (4, "(1,%c,3)")),
        ("%5", (4, "%5")),
        ("5%", (4, "5%")),
        ("(True,False)", (7, ["True", "False"])),
        ("(None,None)", (7, ["None", "None"])),
        ("[None]", (7, ["None"])),
        ("(None,3)", (7, ["None", "3"])),
        ("true", (4, "true")),
        ("none", (4, "none")),
        ("TrueFalse", (4, "TrueFalse")),
    ):
        expect(student.parse_parameter(text), expected, what=f"the result for {text!r}")


@task("parse_parameter")
def where_a_number_begins(student: Student, rng: np.random.Generator) -> None:
    """A number begins with a digit, or with - and a digit; everything else is a str."""
    for text in ("-", "--1", "-a", ".5", "-.5", "+1", "inf", "-inf", "nan", "e5", "-e5", "same.pad", "", "a1"):
        expect(student.parse_parameter(text), (4, text), what=f"the result for {text!r}")
    for text, expected in (
        ("007", (2, 7)),
        ("-0.0", (3, -0.0)),
        ("1.", (3, 1.0)),
        ("2e3", (3, 2000.0)),
        ("-1e-9", (3, -1e-9)),
        ("1.000000e+06", (3, 1e6)),
        ("2147483648", (2, 2147483648)),
    ):
        expect(student.parse_parameter(text), expected, what=f"the result for {text!r}")


@task("parse_parameter")
def random_numbers(student: Student, rng: np.random.Generator) -> None:
    """Whole numbers are ints, all others floats, alone and in lists of up to 300."""
    for _ in range(20):
        i = int(rng.integers(-(2**40), 2**40))
        f = float(rng.standard_normal() * 10.0 ** rng.integers(-20, 20))
        expect(student.parse_parameter(str(i)), (2, i), what=f"the result for {i}")
        expect(student.parse_parameter(repr(f)), (3, f), what=f"the result for {f!r}")
    for count in (1, 2, int(rng.integers(3, 300))):
        ints = rng.integers(-1000, 1000, count).tolist()
        floats = (rng.standard_normal(count) * 1e-4).tolist()
        for opening, closing in ("()", "[]"):
            expect(student.parse_parameter(opening + ",".join(map(str, ints)) + closing), (5, ints))
            expect(student.parse_parameter(opening + ",".join(map(repr, floats)) + closing), (6, floats))


@task("parse_parameter")
def random_mixtures(student: Student, rng: np.random.Generator) -> None:
    """Ints among floats become floats; a single str, wherever it stands, makes every element a str."""
    for _ in range(12):
        count = int(rng.integers(2, 12))
        texts = [str(int(n)) for n in rng.integers(-99, 99, count)]
        texts[int(rng.integers(count))] = repr(float(rng.integers(-99, 99) / 8))
        text = f"[{','.join(texts)}]"
        expect(student.parse_parameter(text), (6, [float(t) for t in texts]), what=f"the result for {text!r}")
        texts[int(rng.integers(count))] = str(rng.choice(["same", "-", "None", "x.y", "True", ".5"]))
        text = f"({','.join(texts)})"
        expect(student.parse_parameter(text), (7, texts), what=f"the result for {text!r}")


MUTANTS = [
    Mutant(
        "percent_forgotten",
        "rule 1 left out: (1,%c,3) becomes a list",
        old=('    if "%" in text:\n        return STRING, text\n'),
        new="",
    ),
    Mutant(
        "empty_lists",
        "() and [] read as lists without elements instead of null",
        old=('    if text in ("None", "()", "[]"):\n        return NULL, None\n'),
        new=(
            '    if text == "None":\n'
            "        return NULL, None\n"
            '    if text in ("()", "[]"):\n'
            "        return INT_ARRAY, []\n"
        ),
    ),
    Mutant(
        "false_is_true",
        "bool('False') is True",
        old='        return BOOL, text == "True"\n',
        new="        return BOOL, bool(text)\n",
    ),
    Mutant(
        "lower_case_bools",
        "true is a str in this format",
        old=('    if text in ("True", "False"):\n        return BOOL, text == "True"\n'),
        new=('    if text.lower() in ("true", "false"):\n        return BOOL, text.lower() == "true"\n'),
    ),
    Mutant(
        "round_brackets_only",
        "[1,2] is a list too",
        old='    if text[:1] in ("(", "["):\n',
        new='    if text[:1] == "(":\n',
    ),
    Mutant(
        "first_element_decides",
        "(1,0.5) has an int in front, and int('0.5') fails",
        old="        kind = max(kind_of(element) for element in elements)  # int < float < str\n",
        new="        kind = kind_of(elements[0])\n",
    ),
    Mutant(
        "last_element_decides",
        "the kind is overwritten in the loop: the last element wins",
        old="        kind = max(kind_of(element) for element in elements)  # int < float < str\n",
        new="        kind = kind_of(elements[-1])\n",
    ),
    Mutant(
        "each_element_its_own_kind",
        "the list is called floats and still holds ints",
        old="[READ[kind](element) for element in elements]",
        new="[READ[kind_of(element)](element) for element in elements]",
    ),
    Mutant(
        "other_kinds_dropped",
        "what PNNX's own reader does: of (1,0.5) only 0.5 is left",
        old="[READ[kind](element) for element in elements]",
        new="[READ[kind](element) for element in elements if kind_of(element) == kind]",
    ),
    Mutant(
        "one_element_is_no_list",
        "(1) read as brackets around a number, as Python does",
        old='    if text[:1] in ("(", "["):\n',
        new=(
            '    if text[:1] in ("(", "[") and "," not in text:\n'
            "        return parse_parameter(text[1:-1])\n"
            '    if text[:1] in ("(", "["):\n'
        ),
    ),
    Mutant(
        "type_of_the_element",
        "a list of ints called an int",
        old="        return LIST_OF[kind], [",
        new="        return kind, [",
    ),
    Mutant(
        "elements_by_all_rules",
        "(True,False) read as bools, for which there is no list",
        old="        return LIST_OF[kind], [",
        new=(
            '        if set(elements) <= {"True", "False"}:\n'
            '            return BOOL, [e == "True" for e in elements]\n'
            "        return LIST_OF[kind], ["
        ),
    ),
    Mutant(
        "minus_is_a_number",
        "-inf and - begin with - and are strs",
        old='    if not re.match("-?[0-9]", text):\n',
        new='    if not re.match("-|[0-9]", text):\n',
    ),
    Mutant(
        "negative_numbers_are_strings",
        "isdigit() of the first character: the minus was forgotten",
        old='    if not re.match("-?[0-9]", text):\n',
        new='    if not re.match("[0-9]", text):\n',
    ),
    Mutant(
        "point_first",
        ".5 read as a number: rule 5 says digit",
        old='    if not re.match("-?[0-9]", text):\n',
        new='    if not re.match(r"-?\\.?[0-9]", text):\n',
    ),
    Mutant(
        "plus_is_a_sign",
        "+1 read as a number: Python writes no plus, and PNNX reads none",
        old='    if not re.match("-?[0-9]", text):\n',
        new='    if not re.match("[-+]?[0-9]", text):\n',
    ),
    Mutant(
        "try_float",
        "whatever float() accepts: inf and nan become floats",
        old='    if not re.match("-?[0-9]", text):\n',
        new=(
            '    if text.lstrip("-") in ("inf", "nan"):\n        return FLOAT\n    if not re.match("-?[0-9]", text):\n'
        ),
    ),
    Mutant(
        "exponent_forgotten",
        "only the point makes a float, and int('1e-05') fails",
        old='FLOAT if "." in text or "e" in text else INT',
        new='FLOAT if "." in text else INT',
    ),
    Mutant(
        "numbers_stay_text",
        "classified, and never converted",
        old="    return kind, READ[kind](text)\n",
        new="    return kind, text\n",
    ),
    Mutant(
        "first_character_of_nothing",
        "text[0] of an empty text (prefix=) is an IndexError",
        old='    if text[:1] in ("(", "["):\n',
        new='    if text[0] in ("(", "["):\n',
    ),
    Mutant(
        "ints_by_float",
        "int(float(text)) loses the last digits of large numbers, and whole floats become ints",
        old='FLOAT if "." in text or "e" in text else INT',
        new='INT if float(text).is_integer() else FLOAT if "." in text or "e" in text else INT',
    ),
]
