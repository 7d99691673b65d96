r"""From a text to its kind and value: why the solution is as it is.

The file holds only text, so the rules have to be tried in order, and the order is the content: `5%` begins with a
digit and is a str because the rule percent comes first; `()` begins with a bracket and is null because null comes
before list; `torch.float` has a point and is a str because str comes before float.

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
`1E5`, which is 1 because the rule float looks for a small e; complex numbers; `inf` among floats.

Cost: one pass over the text.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from classroom.judge import Mutant, Student, expect, task
from kuiper import pnnx

NO_STR = {
    0: "It is no str: None, () and [] are null, and the rule null comes before str.",
    1: "It is no str: True and False are bools, and the rule bool comes before str.",
    **dict.fromkeys((2, 3), "It is no str: a number begins with a digit, or with - and a digit."),
    **dict.fromkeys((5, 6, 7), "It is no str: a list begins with ( or with [."),
}
"""Type -> why a text of this type must not be returned as it is."""


def value_mistakes(text: str, expected: tuple[int, Any]) -> dict[str, Any]:
    """Likely cause -> what it gives for this text, of which `expected` comes."""
    kind, value = expected
    alone = "The value alone came back: return the tuple (type, value)."
    if value is None:
        alone = (
            "None came back: is there a return on every way through the function? Where the value is None, the pair "
            "(type, value) is due, too."
        )
    wrong: dict[str, Any] = {
        "The pair is a list: write (kind, value), which is a tuple.": [kind, value],
        "The two parts are swapped: the type comes first, then the value.": (value, kind),
        alone: value,
        "The text is returned as it came: turn it into what its type says.": (kind, text),
    }
    if kind == 1:
        wrong["The value is a bool, True or False, and not the number 1 or 0: text == 'True' gives one."] = (
            1,
            int(value),
        )
        wrong["bool('False') is True, as for every text that is not empty: compare with 'True'."] = (1, True)
    else:
        wrong[
            "Only True and False are bools: `text == 'True' or 'False'` holds for every text, so write text in "
            "('True', 'False')."
        ] = (1, False)
    if kind != 0:
        wrong[
            "Only None, () and [] are null: `text == 'None' or '()'` holds for every text, so write text in ('None', "
            "'()', '[]')."
        ] = (0, None)
    if kind in NO_STR:
        wrong = {NO_STR[kind]: (4, text), **wrong}
    if kind == 2:
        wrong["A number without . and e is an int."] = (3, float(value))
        wrong["The type is right, but float() made a float of the value: an int is read by int()."] = (2, float(value))
        wrong["int(float(text)) loses the last digits of a large number: take int(text)."] = (2, int(float(value)))
    for number, python, reader in ((2, np.int64, "int()"), (3, np.float32, "float()"), (3, np.float64, "float()")):
        if kind == number:
            own = f"The value is one of Python's own numbers, as {reader} makes it, and not np.{python.__name__}."
            wrong[own] = (kind, python(value))
    if kind == 3 and value == int(value):
        wrong["A number with . or e is a float, also where nothing follows the point."] = (2, int(value))
    if text in ("()", "[]"):
        wrong |= {
            "The value of null is None, also for () and [].": (0, []),
            "() and [] are null: the rule null comes before list.": (5, []),
            "Nothing split at the commas is [''], not []: () and [] are null, and the rule null comes before list.": (
                7,
                [""],
            ),
        }
    if kind >= 5:
        wrong |= _list_mistakes(text, kind, value)
    if kind == 4:
        wrong = {**_str_mistakes(text), **wrong}
    return wrong


def _list_mistakes(text: str, kind: int, value: list[Any]) -> dict[str, Any]:
    elements = text[1:-1].split(",")
    wrong = {
        "A list of ints has type 5, of floats 6, of strs 7: the single value's number plus 3.": (kind - 3, value),
        "A list of floats has type 6, one of strs 7: they are exchanged.": (13 - kind if kind > 5 else kind, value),
        "A list of one element is a list all the same: the brackets decide.": (kind - 3, value[0]),
        "The elements are still text: read each of them as the kind of the list.": (kind, elements),
        "The brackets were read as elements: split what stands between them, text[1:-1].": (7, text.split(",")),
        "A tuple came back: the value is a list.": (kind, tuple(value)),
    }
    if len(value) == 1:
        wrong["One element stands in a list, too: [7], and not 7."] = (kind, value[0])
    if kind < 7:
        wrong["An array came back: the value is a list of Python's own numbers."] = (kind, np.array(value))
    if kind == 5:
        wrong["Ints become floats only beside a float: a list of ints alone has type 5."] = (
            6,
            [float(one) for one in elements],
        )
        wrong["int(float(text)) loses the last digits of a large number in a list, too: take int(text)."] = (
            5,
            [int(float(one)) for one in elements],
        )
    for cause, others in {
        "An empty element was dropped: it is an element, the empty str.": [one for one in elements if one],
        "More brackets were stripped than the first and the last character.": text.strip("()[]").split(","),
    }.items():
        if others != elements:
            numbers = all(one.isdigit() for one in others)
            wrong[cause] = (5, [int(one) for one in others]) if numbers else (7, others)
    if kind == 7 and "" in elements:
        wrong["The empty element is missing: it is an element, too, the empty str."] = (
            7,
            [one for one in elements if one],
        )
    if kind == 6:
        wrong["Find the kind of the whole list first, then read every element as that kind."] = (
            6,
            [pnnx.parse(one).value for one in elements],
        )
        if any(pnnx.parse(one).kind == 2 for one in elements):
            wrong["An int beside a float becomes a float: a list is made of strs only if one element is a str."] = (
                7,
                elements,
            )
    own = [pnnx.parse(one) for one in elements]
    if kind < 7 and {one.kind for one in own} == {own[0].kind}:
        cause = "No element is a str: a number begins with a digit, or with - and a digit, in a list, too."
        wrong[cause] = (7, elements)
    if kind == 7:
        cause = "One str makes all elements strs: each keeps its text, also where that looks like a number."
        wrong[cause] = (7, [one.value if one.kind in (2, 3) else word for one, word in zip(own, elements, strict=True)])
        if numbers := _by_float(elements):
            cause = (
                "float() reads inf and .5, but for PNNX they are strs in a list, too: the rule str comes before float."
            )
            wrong[cause] = (6, numbers)
    if {int(one.kind) for one in own} <= {2, 3, 4} and own[0].kind + 3 != kind:
        cause = "The first element alone decides the kind of the list: look at all elements."
        wrong[cause] = (int(own[0].kind) + 3, [one.value for one in own])
    if set(elements) <= {"True", "False", "None"}:
        read = [{"True": True, "False": False, "None": None}[one] for one in elements]
        cause = "True, False and None are strs in a list: its elements are read by the rules str, float and int alone."
        wrong |= {cause: (7, read), cause[:-1] + ", and no list is a bool.": (1, read)}
    return wrong


def _by_float(elements: list[str]) -> list[float]:
    """What float() makes of the elements; [] if it cannot read one of them."""
    try:
        return [float(one) for one in elements]
    except ValueError:
        return []


def _str_mistakes(text: str) -> dict[str, Any]:
    wrong: dict[str, Any] = {}
    if text.lower() in ("true", "false"):
        wrong["True and False are written with a capital letter; other words are strs."] = (1, text.lower() == "true")
    if text in ("none", "null"):
        wrong["None is written with a capital letter; other words are strs."] = (0, None)
    if text.startswith(("True", "False")):
        wrong |= {
            "Only the words True and False alone are bools: a longer one that begins so is a str.": (1, False),
            "Only the words True and False alone are bools: a longer one that begins so is a str, too.": (1, True),
        }
    if text.startswith("None"):
        wrong["Only the word None alone is null: a longer one that begins so is a str."] = (0, None)
    if not text:
        wrong[
            "The empty text is a str: only None, () and [] are null. ('' in 'None' is True: compare whole texts.)"
        ] = (0, None)
    try:
        number = float(text)
    except ValueError:
        number = None
    if number is not None:
        reader = "float()" if text.isalpha() or text[1:].isalpha() else "Python, in float() or ast.literal_eval,"
        wrong |= {
            f"{reader} reads {text}, but for PNNX it is a str: the rule str comes before float.": (3, number),
        }
        if number.is_integer():
            wrong[f"Python reads {text} as a number, but for PNNX it is a str: a number has no plus."] = (
                2,
                int(number),
            )
    if not text:
        wrong["The empty text is taken for a list: '' is in every text, so '' in '([' is True."] = (7, [""])
    if "%" in text:
        wrong["A text with a % is a str, whatever else it looks like: this rule comes before all others."] = (
            7,
            text[1:-1].split(","),
        )
    return wrong


def mixed_mistakes(text: str, expected: tuple[int, Any], unread: list[Any]) -> dict[str, Any]:
    """Likely cause -> what it gives for a list of two kinds. `unread` : each element as its own kind."""
    kind, value = expected
    return {
        "Find the kind of the whole list first, then read every element as that kind.": (kind, unread),
        "The type of the list is right, but elements of the other kinds were lost: leave none out.": (
            kind,
            [one for one, own in zip(value, unread, strict=True) if type(own) is type(one)],
        ),
        "The elements were read as numbers and turned into text again: they keep the text that they have.": (
            kind,
            [str(one) for one in unread],
        ),
        **value_mistakes(text, expected),
    }


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
    for text, expected in (("(3,2e3)", (6, [3.0, 2000.0])), ("[-inf,1.5]", (7, ["-inf", "1.5"]))):
        expect(student.parse_parameter(text), expected, what=f"the result for {text!r}")
    for _ in range(12):
        count = int(rng.integers(2, 12))
        texts = [str(int(n)) for n in rng.integers(-99, 99, count)]
        texts[int(rng.integers(count))] = repr(float(rng.integers(-99, 99) / 8))
        text = f"[{','.join(texts)}]"
        expect(student.parse_parameter(text), (6, [float(t) for t in texts]), what=f"the result for {text!r}")
        texts[int(rng.integers(count))] = str(rng.choice(["same", "-", "None", "x.y", "True", ".5"]))
        text = f"({','.join(texts)})"
        expect(student.parse_parameter(text), (7, texts), what=f"the result for {text!r}")


BEGINS = '    if not text.removeprefix("-").startswith(DIGITS):\n'

MUTANTS = [
    Mutant(
        "percent_behind_the_lists",
        "the rules in another order: (1,%c,3) begins with a bracket",
        old=('    if "%" in text:\n        return STRING, text\n    if text in ("None", "()", "[]"):\n'),
        new=(
            '    if "%" in text and text[0] not in "([":\n'
            "        return STRING, text\n"
            '    if text in ("None", "()", "[]"):\n'
        ),
        breaks="order",
    ),
    Mutant(
        "percent_at_the_end_only",
        "5% was thought of, and %d was not",
        old='    if "%" in text:\n',
        new='    if text.endswith("%"):\n',
        breaks="percent",
    ),
    Mutant(
        "lower_case_null",
        "none is a str in this format",
        old='    if text in ("None", "()", "[]"):\n',
        new='    if text in ("None", "none", "null", "()", "[]"):\n',
        breaks="null",
    ),
    Mutant(
        "null_as_text",
        "None as the word that stands there",
        old="        return NULL, None\n",
        new="        return NULL, text\n",
        breaks="null",
    ),
    Mutant(
        "lists_in_lists",
        "[type, value] is a pair as well, but no tuple",
        old="        return LIST_OF[kind], [READ[kind](element) for element in elements]\n",
        new="        return [LIST_OF[kind], [READ[kind](element) for element in elements]]\n",
        breaks="pair",
    ),
    Mutant(
        "numbers_rewritten_in_lists_of_strs",
        "the elements are read first and turned into text again: 1.50 becomes 1.5",
        old="[READ[kind](element) for element in elements]",
        new="[READ[kind](READ[kind_of(element)](element)) for element in elements]",
        breaks="mixed",
    ),
    Mutant(
        "percent_forgotten",
        "rule 1 left out: (1,%c,3) becomes a list",
        old=('    if "%" in text:\n        return STRING, text\n'),
        new="",
        breaks="percent",
    ),
    Mutant(
        "empty_lists",
        "() and [] read as lists without elements instead of null",
        old=('    if text in ("None", "()", "[]"):\n        return NULL, None\n'),
        new=(
            '    if text == "None":\n        return NULL, None\n    if text in ("()", "[]"):\n        return INTS, []\n'
        ),
        breaks="null",
    ),
    Mutant(
        "false_is_true",
        "bool('False') is True",
        old='        return BOOL, text == "True"\n',
        new="        return BOOL, bool(text)\n",
        breaks="bool",
    ),
    Mutant(
        "lower_case_bools",
        "true is a str in this format",
        old=('    if text in ("True", "False"):\n        return BOOL, text == "True"\n'),
        new=('    if text.lower() in ("true", "false"):\n        return BOOL, text.lower() == "true"\n'),
        breaks="bool",
    ),
    Mutant(
        "round_brackets_only",
        "[1,2] is a list too",
        old='    if text[:1] in ("(", "["):\n',
        new='    if text[:1] == "(":\n',
        breaks="list",
    ),
    Mutant(
        "first_element_decides",
        "(1,0.5) has an int in front, and int('0.5') fails",
        old="        kind = max(kind_of(element) for element in elements)  # int < float < str\n",
        new="        kind = kind_of(elements[0])\n",
        breaks="mixed",
    ),
    Mutant(
        "last_element_decides",
        "the kind is overwritten in the loop: the last element wins",
        old="        kind = max(kind_of(element) for element in elements)  # int < float < str\n",
        new="        kind = kind_of(elements[-1])\n",
        breaks="mixed",
    ),
    Mutant(
        "numbers_of_two_kinds_as_strs",
        "floats only if all elements are floats: the ints of (1,0.5) make strs of both",
        old="        kind = max(kind_of(element) for element in elements)  # int < float < str\n",
        new="        kinds = {kind_of(element) for element in elements}\n"
        "        kind = kinds.pop() if len(kinds) == 1 else STRING\n",
        breaks="mixed",
    ),
    Mutant(
        "each_element_its_own_kind",
        "the list is called floats and still holds ints",
        old="[READ[kind](element) for element in elements]",
        new="[READ[kind_of(element)](element) for element in elements]",
        breaks="mixed",
    ),
    Mutant(
        "other_kinds_dropped",
        "what PNNX's own reader does: of (1,0.5) only 0.5 is left",
        old="[READ[kind](element) for element in elements]",
        new="[READ[kind](element) for element in elements if kind_of(element) == kind]",
        breaks="mixed",
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
        breaks="list",
    ),
    Mutant(
        "type_of_the_element",
        "a list of ints called an int",
        old="        return LIST_OF[kind], [",
        new="        return kind, [",
        breaks="pair",
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
        breaks="list",
    ),
    Mutant(
        "empty_elements_dropped",
        "(1,) is how Python writes a tuple of one",
        old='        elements = text[1:-1].split(",")\n',
        new='        elements = [element for element in text[1:-1].split(",") if element]\n',
        breaks="list",
    ),
    Mutant(
        "all_brackets_stripped",
        "strip takes away all brackets at the ends, not one",
        old='        elements = text[1:-1].split(",")\n',
        new='        elements = text.strip("()[]").split(",")\n',
        breaks="list",
    ),
    Mutant(
        "elements_by_float",
        "the rule str holds for a text alone, and inf in a list becomes a float",
        old="        kind = max(kind_of(element) for element in elements)  # int < float < str\n",
        new=(
            "        kind = max(kind_of(element) for element in elements)\n"
            "        try:\n"
            "            if kind == STRING:\n"
            "                return FLOATS, [float(element) for element in elements]\n"
            "        except ValueError:\n"
            "            pass\n"
        ),
        breaks="list",
    ),
    Mutant(
        "exponent_forgotten_in_lists",
        "only the point makes a list of floats, and int('1e-05') fails",
        old="        kind = max(kind_of(element) for element in elements)  # int < float < str\n",
        new=(
            "        kind = max(kind_of(element) for element in elements)\n"
            '        if kind == FLOAT and not any("." in element for element in elements):\n'
            "            kind = INT\n"
        ),
        breaks="list",
    ),
    Mutant(
        "ints_in_lists_by_float",
        "a list of numbers is read as floats, and its ints are made of them",
        old="[READ[kind](element) for element in elements]",
        new="[int(float(element)) if kind == INT else READ[kind](element) for element in elements]",
        breaks="int",
    ),
    Mutant(
        "minus_is_a_number",
        "-inf and - begin with - and are strs",
        old=BEGINS,
        new='    if not text.startswith(("-", *DIGITS)):\n',
        breaks="str",
    ),
    Mutant(
        "negative_numbers_are_strings",
        "isdigit() of the first character: the minus was forgotten",
        old=BEGINS,
        new="    if not text.startswith(DIGITS):\n",
        breaks="str",
    ),
    Mutant(
        "point_first",
        ".5 read as a number: rule 5 says digit",
        old=BEGINS,
        new='    if not text.removeprefix("-").removeprefix(".").startswith(DIGITS):\n',
        breaks="str",
    ),
    Mutant(
        "plus_is_a_sign",
        "+1 read as a number: Python writes no plus, and PNNX reads none",
        old=BEGINS,
        new='    if not text.removeprefix("-").removeprefix("+").startswith(DIGITS):\n',
        breaks="str",
    ),
    Mutant(
        "try_float",
        "whatever float() accepts: inf and nan become floats",
        old=BEGINS,
        new='    if text.lstrip("-") in ("inf", "nan"):\n        return FLOAT\n' + BEGINS,
        breaks="str",
    ),
    Mutant(
        "exponent_forgotten",
        "only the point makes a float, and int('1e-05') fails",
        old='FLOAT if "." in text or "e" in text else INT',
        new='FLOAT if "." in text else INT',
        breaks="float",
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
        breaks="str",
    ),
    Mutant(
        "ints_by_float",
        "int(float(text)) loses the last digits of large numbers, and whole floats become ints",
        old='FLOAT if "." in text or "e" in text else INT',
        new='INT if float(text).is_integer() else FLOAT if "." in text or "e" in text else INT',
        breaks="int",
    ),
]
