"""Zip archives with the same bytes for the same files, on every system and at any time."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

FIXED_TIME = (1980, 1, 1, 0, 0, 0)
UNIX = 3
"""The system that an entry says it was made on."""


def zipped(files: Mapping[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    """The bytes of an archive: name -> content. Stored files have the same bytes whatever the version of zlib."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in sorted(files.items()):
            archive.writestr(entry(name), content, compression, 9)
    return made.getvalue()


def entry(name: str) -> zipfile.ZipInfo:
    """What an archive says of a file besides its content."""
    info = zipfile.ZipInfo(name, FIXED_TIME)
    info.create_system = UNIX
    return info
