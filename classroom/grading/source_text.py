"""Decode the bytes of a homework file, or say why Python cannot."""

from __future__ import annotations

import codecs
import io
import tokenize

WIDE_ENCODINGS = {codecs.BOM_UTF32_LE: "UTF-32", codecs.BOM_UTF32_BE: "UTF-32", codecs.BOM_UTF16_LE: "UTF-16",
        codecs.BOM_UTF16_BE: "UTF-16"}  # fmt: skip
"""BOM -> encoding; longer ones first, since they start with the shorter ones."""
WHAT_TO_DO = "save it as UTF-8 and hand it in again"


def significant_lines(data: bytes) -> list[str]:
    """The lines that matter: without BOM, line ends, empty lines and comment lines.

    >>> significant_lines(b"# mine\\r\\n\\r\\nx = 1  \\r\\n") == significant_lines(b"x = 1")
    True
    """
    lines = (line.rstrip() for line in decoded(data).splitlines())
    return [line for line in lines if line and not line.lstrip().startswith("#")]


def decoded(data: bytes) -> str:
    """The bytes as text; never raises."""
    wide = next((name for mark, name in WIDE_ENCODINGS.items() if data.startswith(mark)), None)
    return data.decode(wide or "utf-8-sig", "replace")


def wide_fault(name: str, data: bytes) -> str:
    """Why a UTF-16, UTF-32 or binary file cannot be judged; "" for other files."""
    wide = next((kind for mark, kind in WIDE_ENCODINGS.items() if data.startswith(mark)), None)
    if wide is None and b"\0" not in data:
        return ""
    saved = f"is saved as {wide}" if wide else "is no text, or text in UTF-16"
    return f"{name} {saved}, which Python cannot read: {WHAT_TO_DO}"


def encoding_fault(name: str, data: bytes) -> str:
    """Why the bytes cannot be decoded with the declared encoding, or UTF-8; "" if they can."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        data.decode(encoding)
    except (SyntaxError, LookupError):
        return f"{name} is not in the encoding that it names: {WHAT_TO_DO}"
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return f"{name}, line {line} is not in UTF-8, which Python expects: {WHAT_TO_DO}"
    return ""
