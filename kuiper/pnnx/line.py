"""One line of the text file -> what it says about an operator, still as text."""

from __future__ import annotations

import re

OperatorLine = tuple[str, str, list[str], list[str], dict[str, str], dict[str, str]]
"""Type, name, operands read, operands written, parameters and attributes: key -> text of the value."""

_WHITE = " \t\n\r\v\f"
_GAP = re.compile(f"[{_WHITE}]+")


def parse_operator(line: str) -> OperatorLine:
    """The line as (type, name, inputs, outputs, params, attributes); names of slots ($) and shapes (#) are left out.

    >>> parse_operator("nn.Linear fc 1 1 0 1 bias=True @weight=(2,3)f32 #0=(1,3)f32")
    ('nn.Linear', 'fc', ['0'], ['1'], {'bias': 'True'}, {'weight': '(2,3)f32'})
    """
    tokens = _GAP.split(line.strip(_WHITE))
    start = 4 + int(tokens[2])
    end = start + int(tokens[3])
    pairs = [token.partition("=") for token in tokens[end:]]
    params = {key: value for key, _, value in pairs if key[:1] not in ("@", "$", "#")}
    attributes = {key[1:]: value for key, _, value in pairs if key[:1] == "@"}
    return tokens[0], tokens[1], tokens[4:start], tokens[start:end], params, attributes
