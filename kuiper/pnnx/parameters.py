"""Parameters: the text of `kernel_size=(3,3)` -> kind and value, and back.

PNNX writes no types, so the text alone decides (but for VERBATIM, which stays text). The rules are those of PNNX's own
reader, with three exceptions where that reader loses something: a list with elements of several kinds keeps every
element, complex numbers keep both parts, and numbers beyond 32 bits keep their value.

Source: PNNX, https://github.com/pnnx/pnnx (ir.cpp, Parameter::parse_from_string)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from kuiper.errors import KuiperError
from kuiper.graph import Parameter, ParameterKind
from kuiper.graph.operator import LIST_OF

VERBATIM = {("pnnx.Expression", "expr")}
"""Parameters, by operator type and key, that are code and stay text: `[@0,1]` is no list there, and `2` no integer."""

_NULL = {"None", "()", "[]"}
_BOOL = {"True": True, "False": False}
_NOT_FINITE = {"inf", "-inf", "nan", "-nan"}
_NUMBER = r"[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?"
_LEADING_NUMBER = re.compile(f"-?{_NUMBER}")
_LEADING_INTEGER = re.compile(r"-?[0-9]+")
_COMPLEX = re.compile(rf"(?:(-?{_NUMBER})\+?(?=[+-]))?([+-]?(?:{_NUMBER}|inf|nan))j")
_LONGEST_INTEGER = 4000  # digits; Python refuses to read more than 4300, because that takes quadratic time

_ELEMENT_OF = {many: one for one, many in LIST_OF.items()}


def parse(text: str) -> Parameter:
    """The kind and value of a parameter's text; white space has no meaning here, since the file cannot hold it.

    A list of several kinds takes the kind that can hold every element: int < float < complex < string. Numbers follow
    C's rule: the longest beginning that is a number counts, the rest is ignored ("3d" is 3, "1_000" is 1). Values
    beyond float64 become inf or 0.

    Raises KuiperError for an integer of more than 4000 digits.

    >>> parse("(3,3)").value, parse("1.000000e-5").value, parse("same").value
    ([3, 3], 1e-05, 'same')
    >>> parse("(1,0.5)").value
    [1.0, 0.5]
    """
    if "%" in text:
        return Parameter(ParameterKind.STRING, text)
    if text in _NULL:
        return Parameter(ParameterKind.NULL)
    if text in _BOOL:
        return Parameter(ParameterKind.BOOL, _BOOL[text])
    if text[:1] in ("(", "["):
        return _parse_list(text)
    kind = _kind(text)
    return Parameter(kind, _READ[kind](text))


def parse_parameter(text: str) -> tuple[int, Any]:
    """The same as a pair (kind, value).

    >>> parse_parameter("(3,3)") == (5, [3, 3])
    True
    """
    parameter = parse(text)
    return parameter.kind, parameter.value


def is_mixed(text: str) -> bool:
    """Whether the text is a list whose elements are of several kinds.

    >>> is_mixed("(1,0.5)"), is_mixed("(1,5)")
    (True, False)
    """
    if "%" in text or text[:1] not in ("(", "["):
        return False
    return len({_kind(element) for element in _elements(text)}) > 1


def to_text(parameter: Parameter) -> str:
    """The text that `parse` reads as the same kind and value.

    Raises KuiperError when there is none: the string "5" would come back as a number, an empty list as None.

    >>> to_text(Parameter(ParameterKind.FLOATS, [1.0, 1e-05]))
    '(1.0,1e-05)'
    """
    value = parameter.value
    try:
        kind = ParameterKind(parameter.kind)
        if kind in _ELEMENT_OF:
            plain: Any = [_PLAIN[_ELEMENT_OF[kind]](element) for element in value]
            text = "(" + ",".join(_WRITE[_ELEMENT_OF[kind]](element) for element in plain) + ")"
        else:
            plain = _PLAIN[kind](value)
            text = _WRITE[kind](plain)
    except (TypeError, ValueError, OverflowError) as error:
        raise KuiperError(f"a parameter of kind {parameter.kind!r} cannot be written: {error}") from error
    back = parse(text)
    if back.kind != kind or repr(back.value) != repr(plain):  # repr, because nan != nan
        raise KuiperError(
            f"a parameter of kind {kind.name} with value {value!r:.80} cannot be written: "
            f"its text {text!r:.80} reads as {back.kind.name} {back.value!r:.80}"
        )
    return text


def _elements(text: str) -> list[str]:
    body = text[1:-1] if text[-1] in ")]" else text[1:]
    elements = body.split(",") if body else []
    if len(elements) > 1 and elements[-1] == "" and ParameterKind.STRING not in map(_kind, elements[:-1]):
        del elements[-1]  # (1,) is Python's way to write a list of one number
    return elements


def _parse_list(text: str) -> Parameter:
    elements = _elements(text)
    if not elements:
        return Parameter(ParameterKind.NULL)
    kinds = {_kind(element) for element in elements}
    if ParameterKind.STRING in kinds:
        numbers = [e for e in elements if e not in _NOT_FINITE]
        # inf alone is a string, but among numbers it can only be one of them
        all_float = bool(numbers) and all(_kind(e) in (ParameterKind.INT, ParameterKind.FLOAT) for e in numbers)
        kind = ParameterKind.FLOAT if all_float else ParameterKind.STRING
    else:
        kind = max(kinds)  # the numbers of the kinds grow with what they can hold: INT < FLOAT < COMPLEX
    return Parameter(LIST_OF[kind], [_READ[kind](element) for element in elements])


def _kind(text: str) -> ParameterKind:
    if not _LEADING_INTEGER.match(text):
        return ParameterKind.STRING
    if text[-1] == "j" and _COMPLEX.fullmatch(text):
        return ParameterKind.COMPLEX
    return ParameterKind.FLOAT if "." in text or "e" in text else ParameterKind.INT


def _read_int(text: str) -> int:
    match = _LEADING_INTEGER.match(text)
    assert match is not None
    if len(match[0]) > _LONGEST_INTEGER:
        raise KuiperError(f"an integer of {len(match[0])} digits; at most {_LONGEST_INTEGER} can be read")
    return int(match[0])


def _read_float(text: str) -> float:
    match = _LEADING_NUMBER.match(text)
    return float(match[0] if match else text)


def _read_complex(text: str) -> complex:
    match = _COMPLEX.fullmatch(text)
    if match is None:
        return complex(_read_float(text))
    return complex(float(match[1] or 0), float(match[2]))


def _write_float(value: float) -> str:
    # "inf" alone would read as a string; a number too large for float64 reads as the infinity that is meant
    return {"inf": "1e999", "-inf": "-1e999"}.get(repr(value), repr(value))


def _write_complex(value: complex) -> str:
    return f"{_write_float(value.real)}+{_write_float(value.imag)}j"


_READ: dict[ParameterKind, Callable[[str], Any]] = {
    ParameterKind.INT: _read_int,
    ParameterKind.FLOAT: _read_float,
    ParameterKind.STRING: str,
    ParameterKind.COMPLEX: _read_complex,
}
_PLAIN: dict[ParameterKind, Callable[[Any], Any]] = {
    ParameterKind.NULL: lambda value: None,
    ParameterKind.BOOL: bool,
    ParameterKind.INT: int,
    ParameterKind.FLOAT: float,
    ParameterKind.STRING: str,
    ParameterKind.COMPLEX: complex,
}
_WRITE: dict[ParameterKind, Callable[[Any], str]] = {
    **dict.fromkeys(_PLAIN, str),
    ParameterKind.FLOAT: _write_float,
    ParameterKind.COMPLEX: _write_complex,
}
