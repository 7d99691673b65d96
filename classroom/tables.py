"""Read TOML tables into dataclasses, with errors that say where, which key, and what was expected."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")
KEY = "key"
"""In a field's metadata: its key in the file if not its name; "" for a field that is not in the file."""
TYPE_WORDS: dict[type, tuple[str, str]] = {
    str: ("a text in quotes", "texts in quotes"),
    int: ("a whole number", "whole numbers"),
    bool: ("true or false", "true or false"),
}
"""A type in words: singular, plural."""


class TableError(Exception):
    """A table is invalid; the message is a sentence."""


def read_table(kind: type[T], table: object, where: str, name: str = "", also: Iterable[str] = ()) -> T:
    """Read the table as a `kind`, lists as tuples, nested tables as dataclasses. Raises TableError.

    where : start of error messages. name : the table's name in the file. also : keys to ignore.
    """
    if not isinstance(table, dict):
        heading = f"tables with the heading [[{name}]]" if name else "a table"
        raise TableError(f"{where}: expected {heading}, found {_shown(table)}")
    keys = {key: one for one in fields(kind) if (key := one.metadata.get(KEY, one.name))}  # type: ignore[arg-type]
    unknown = [key for key in table if key not in {*keys, *also}]
    if unknown:
        raise TableError(f"{where}: {unknown[0]} is no key of this table; {suggestion(unknown[0], [*keys, *also])}")
    hints = get_type_hints(kind)
    missing = [key for key, one in keys.items() if key not in table and _is_needed(one)]
    if missing:
        raise TableError(f"{where}: expected {_example(missing[0], hints[keys[missing[0]].name], name)}")
    return kind(
        **{one.name: _value(hints[one.name], table[key], where, key, name) for key, one in keys.items() if key in table}
    )


def suggestion(word: str, known: Iterable[str]) -> str:
    """A suggestion for an unknown word: the most similar known word, or all of them.

    >>> suggestion("pionts", ["id", "points"])
    'did you mean points?'
    >>> suggestion("colour", ["id", "points"])
    'there are id, points'
    """
    known = list(known)
    alike = difflib.get_close_matches(word, known, 1)
    return f"did you mean {alike[0]}?" if alike else f"there are {', '.join(known)}"


def _is_needed(one: Field[Any]) -> bool:
    return one.default is MISSING and one.default_factory is MISSING


def _value(hint: Any, value: object, where: str, key: str, name: str) -> Any:
    """Convert the value to the field's type."""
    if get_origin(hint) is not tuple:
        if isinstance(hint, type) and is_dataclass(hint):
            inner = f"{name}.{key}" if name else key
            if not isinstance(value, dict):
                raise TableError(f"{where}: expected a table with the heading [{inner}], found {_shown(value)}")
            return read_table(hint, value, f"{where}, [{inner}]", inner)
        if issubclass(hint, Enum):
            known = [one.value for one in hint]
            if value not in known:
                raise TableError(f"{where}: expected {key} to be one of {', '.join(known)}, found {_shown(value)}")
            return hint(value)
        if type(value) is not hint:
            raise TableError(f"{where}: expected {key} to be {TYPE_WORDS[hint][0]}, found {_shown(value)}")
        return value
    of = get_args(hint)[0]
    if isinstance(of, type) and is_dataclass(of):
        inner = f"{name}.{key}" if name else key
        if not isinstance(value, list):
            raise TableError(f"{where}: expected tables with the heading [[{inner}]], in double brackets")
        return tuple(
            read_table(of, entry, f"{where}, [[{inner}]] {place}{_title(entry)}", inner)
            for place, entry in enumerate(value, 1)
        )
    if not isinstance(value, list) or any(type(entry) is not of for entry in value):
        raise TableError(f"{where}: expected {key} to be a list of {TYPE_WORDS[of][1]}, found {_shown(value)}")
    return tuple(value)


def _title(entry: object) -> str:
    """The table's title or id in parentheses, to identify it."""
    if not isinstance(entry, Mapping):
        return ""
    title = next((entry[key] for key in ("id", "title") if isinstance(entry.get(key), str)), "")
    return f" ({title:.60})" if title else ""


def _example(key: str, hint: Any, name: str) -> str:
    """An example line for a missing key."""
    if get_origin(hint) is not tuple:
        return f"the key {key} with {TYPE_WORDS[hint][0]}, which is missing"
    of = get_args(hint)[0]
    if is_dataclass(of):
        return f"tables with the heading [[{name + '.' if name else ''}{key}]], found none"
    return f"the key {key} with a list of {TYPE_WORDS[of][1]}, which is missing"


def _shown(value: object) -> str:
    """The value in approximate TOML syntax.

    >>> _shown(True), _shown("3"), _shown(2.5)
    ('true', "'3'", '2.5')
    """
    return str(value).lower() if isinstance(value, bool) else f"{value!r:.80}"
