"""Homework 3: read one line of a .pnnx.param file.

A line holds the options of an operator, such as `kernel_size=(3,3)`, as text. PNNX numbers the kinds of values:

    type        0      1      2     3      4     5             6               7
    kind        null   bool   int   float  str   list of ints  list of floats  list of strs

Lesson: lessons/03_pnnx/03_pnnx.ipynb. Check: python3 course.py check parse_parameter
"""

from __future__ import annotations

from typing import Any

NULL, BOOL, INT, FLOAT, STRING, INTS, FLOATS, STRINGS = range(8)
# <solution>

LIST_OF = {INT: INTS, FLOAT: FLOATS, STRING: STRINGS}
READ = {INT: int, FLOAT: float, STRING: str}
DIGITS = tuple("0123456789")
# </solution>


def parse_parameter(text: str) -> tuple[int, Any]:
    """The text of an option -> (type, value).

    Parameters
    ----------
    text : what follows the = of an option. You need not check that a text which begins like a number is one to its
        end, or that brackets come in pairs.

    Rules
    -----
    order : the rules are tried in the order of this list, from percent on, and the first that fits the text decides.
    percent : a text with a % anywhere is a str (in patterns, PNNX marks placeholders with it).
    null : None, () and [] are null, with the value None.
    bool : True and False are bools.
    list : a text that begins with ( or [ is a list, even of one element. What lies between its first and its last
        character is split at the commas; an empty element, such as the second one of (3,), is the empty str. Each
        element is read by the rules str, float and int alone.
    mixed : a list of ints and floats becomes floats; if one element is a str, all are strs and keep their text.
    str : a text that begins neither with a digit nor with - and a digit is a str, unchanged; so is the empty text.
    float : a number with a . or an e in it is a float.
    int : any other number is an int.
    pair : the result is a tuple (type, value); a list has the type 5, 6 or 7.

    >>> parse_parameter("(1,0.5)"), parse_parameter("1e-05"), parse_parameter("torch.float")
    ((6, [1.0, 0.5]), (3, 1e-05), (4, 'torch.float'))
    """
    # <solution parse_parameter>
    if "%" in text:
        return STRING, text
    if text in ("None", "()", "[]"):
        return NULL, None
    if text in ("True", "False"):
        return BOOL, text == "True"
    if text[:1] in ("(", "["):
        elements = text[1:-1].split(",")
        kind = max(kind_of(element) for element in elements)  # int < float < str
        return LIST_OF[kind], [READ[kind](element) for element in elements]
    kind = kind_of(text)
    return kind, READ[kind](text)


def kind_of(text: str) -> int:
    """INT, FLOAT or STRING, by the last three rules."""
    if not text.removeprefix("-").startswith(DIGITS):
        return STRING
    return FLOAT if "." in text or "e" in text else INT
    # </solution>


def parse_operator(line: str) -> tuple[str, str, list[str], list[str], dict[str, str], dict[str, str]]:
    """One line of a .pnnx.param file -> (type, name, inputs, outputs, params, attributes).

    Parameters
    ----------
    line : a line that describes an operator, as it stands in the file. You need not check that it is well formed.

    Rules
    -----
    spaces : one or more spaces separate the tokens, and the line may end in a newline.
    head : the first two tokens are the type and the name.
    counts : the third token says how many of the tokens after the fourth are inputs, and the fourth how many of the
        tokens after those are outputs, whatever these tokens look like; either may be 0.
    operands : inputs and outputs are lists of the operands' names, as strs, in the order of the line; an operand that
        is read twice is listed twice.
    params : each further token key=value becomes an entry of params: the key without the =, the value as raw text.
    attributes : a token that begins with @ becomes an entry of attributes instead: the key without the @, the value as
        raw text, such as "(32,1,3,3)f32".
    first_equals : the first = of a token ends its key; the value may contain others, or be empty.
    skipped : a token that begins with # (the shape and element type of an operand) or with $ (which operand fills a
        named input) is skipped.
    result : the six parts come in a tuple; those of which the line has none are empty.

    >>> parse_operator("nn.Linear  fc  1 1 0 1 bias=True @weight=(2,3)f32 $input=0 #0=(1,3)f32")
    ('nn.Linear', 'fc', ['0'], ['1'], {'bias': 'True'}, {'weight': '(2,3)f32'})
    """
    # <solution parse_operator>
    tokens = line.split()
    operator_type, name = tokens[:2]
    start = 4 + int(tokens[2])
    end = start + int(tokens[3])
    params: dict[str, str] = {}
    attributes: dict[str, str] = {}
    for token in tokens[end:]:
        key, _, value = token.partition("=")
        if key.startswith("@"):
            attributes[key[1:]] = value
        elif not key.startswith(("#", "$")):
            params[key] = value
    return operator_type, name, tokens[4:start], tokens[start:end], params, attributes
    # </solution>
