"""JSON files that come from elsewhere: read strictly, and asked for values of one type.

A file holds one object; no name stands in it twice; NaN and Infinity are no numbers. Whatever is otherwise is a
ModelFormatError that names the file and the setting.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from kuiper.errors import ModelFormatError

LARGEST = 16 << 20
"""Bytes of a JSON text: more than any published model needs, little enough to be parsed in memory."""
LARGEST_SIZE = (1 << 31) - 1


def parse_object(path: Path, text: bytes, what: str) -> dict[str, Any]:
    """The object that the bytes say. Raises ModelFormatError.

    >>> parse_object(Path("a.json"), b'{"a": 1, "a": 2}', "settings")
    Traceback (most recent call last):
    kuiper.errors.ModelFormatError: a.json: expected settings as a JSON object, found 'a' twice
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key, value in pairs:
            if key in values:
                raise ValueError(f"{key!r:.80} twice")
            values[key] = value
        return values

    def refused(constant: str) -> None:
        raise ValueError(f"{constant}, which JSON has not")

    try:
        found = json.loads(text.decode("utf-8"), object_pairs_hook=unique, parse_constant=refused)
    except (ValueError, RecursionError) as error:
        raise ModelFormatError(path, None, f"{what} as a JSON object", f"{error!s:.200}") from None
    if not isinstance(found, dict):
        raise ModelFormatError(path, None, f"{what} as a JSON object", f"{kind_of(found)}")
    return found


def read_object(path: Path, what: str, largest: int | None = None) -> dict[str, Any]:
    """The object in a file of at most `largest` bytes (None: LARGEST). Raises as parse_object and read_bytes."""
    return parse_object(path, read_bytes(path, what, LARGEST if largest is None else largest), what)


def read_bytes(path: Path, what: str, largest: int) -> bytes:
    """A file of at most `largest` bytes. Raises ModelFormatError for a longer one, and one that cannot be read."""
    try:
        if not path.is_file():
            raise ModelFormatError(path, None, f"a file with {what}", "none")
        size = path.stat().st_size
        if size > largest:
            raise ModelFormatError(path, None, f"{what} in at most {largest} bytes", f"{size}")
        with open(path, "rb") as file:
            return file.read(size)
    except OSError as error:
        raise ModelFormatError(path, None, f"a file with {what}", f"{error.strerror or error}") from error


def kind_of(value: Any) -> str:
    """A value in an error: short, with its type in JSON's words.

    >>> kind_of([1, 2]), kind_of("gelu"), kind_of(None)
    ('a list', "'gelu'", 'null')
    """
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    return json.dumps(value) if value is None or isinstance(value, bool) else f"{value!r:.60}"


class Document:
    """An object of a JSON file, whose settings are read as one type each.

    A setting that is not there, or null, is the default; where there is none it is an error.
    """

    def __init__(self, path: Path, values: dict[str, Any], within: str = "") -> None:
        self.path, self.values, self.within = path, values, within

    def get(self, key: str) -> Any:
        """What stands there, of any type; None where nothing does."""
        return self.values.get(key)

    def fault(self, key: str, expected: str, found: str | None = None) -> ModelFormatError:
        """The error for a setting that is not as expected."""
        if found is None:
            found = kind_of(self.values[key]) if key in self.values else "nothing"
        return ModelFormatError(self.path, None, f"{self.within}{key}: {expected}", found)

    def size(self, key: str, default: int | None = None) -> int:
        """A whole number from 1 to LARGEST_SIZE."""
        value = self._value(key, default)
        if type(value) is not int or not 1 <= value <= LARGEST_SIZE:
            raise self.fault(key, f"a whole number from 1 to {LARGEST_SIZE}")
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """A finite number above 0."""
        value = self._value(key, default)
        try:
            if type(value) in (int, float) and math.isfinite(value) and value > 0:
                return float(value)
        except OverflowError:
            pass
        raise self.fault(key, "a finite number above 0")

    def flag(self, key: str, default: bool | None = None) -> bool:
        """True or false."""
        value = self._value(key, default)
        if not isinstance(value, bool):
            raise self.fault(key, "true or false")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """A text."""
        value = self._value(key, default)
        if not isinstance(value, str):
            raise self.fault(key, "a text")
        return value

    def only(self, *known: str) -> None:
        """Raise ModelFormatError for a setting of another name."""
        if unknown := self.values.keys() - set(known):
            raise self.fault(min(unknown), f"no setting but {', '.join(known)}")

    def inners(self, key: str) -> list[Document]:
        """The objects of a list."""
        found = self.get(key)
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise self.fault(key, "a list of objects")
        return [Document(self.path, one, f"{self.within}{key}[{i}].") for i, one in enumerate(found)]

    def inner(self, key: str) -> Document | None:
        """An object within this one; None where there is none."""
        value = self.get(key)
        if value is not None and not isinstance(value, dict):
            raise self.fault(key, "an object")
        return None if value is None else Document(self.path, value, f"{self.within}{key}.")

    def _value(self, key: str, default: Any) -> Any:
        value = self.get(key)
        return default if value is None else value
