"""What may be taken of one student's archives, and streams that end in a refusal where that is exceeded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import IO, Any

LARGEST_ARCHIVE = 256 << 20
LARGEST_DIRECTORY = 4 << 20
"""Bytes of a zip's central directory, some 40,000 names."""
LARGEST_UNPACKED = 512 << 20
"""Bytes that a .tar.gz may unpack to on the way; a student's environment may be in it."""
MOST_MEMBERS = 40_000
MOST_WANTED = 200
LARGEST_TOTAL = 64 << 20
DEEPEST = 24
HIGHEST_RATIO = 120
"""Unpacked to packed size; text packs to a fifth, and zeros to a thousandth."""
MOST_EMPTY = 16
"""Reads behind the end of a .tar.gz; a whole one needs one or two."""


class Refused(Exception):
    """A sentence for a fault."""


class TooMuch(Refused):
    """A sentence for a student's budget that is spent."""


@dataclass
class Budget:
    """What may be taken of one student, out of all folders and archives together."""

    files: int = field(default_factory=lambda: MOST_WANTED)
    content: int = field(default_factory=lambda: LARGEST_TOTAL)
    unpacked: int = field(default_factory=lambda: LARGEST_UNPACKED)

    @property
    def spent(self) -> bool:
        """Whether nothing more may be taken."""
        return self.files <= 0 or self.content <= 0 or self.unpacked <= 0


def too_much() -> str:
    """Why no more is taken of a student."""
    what = f"{MOST_WANTED} files, {LARGEST_TOTAL >> 20} MB of them and {LARGEST_UNPACKED >> 20} MB unpacked"
    return f"at most {what} are taken of one student; the rest was not looked at"


class Bounded:
    """A file of which no single read gives more than a central directory may have."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell, self.close = file.seek, file.tell, lambda: None

    def seekable(self) -> bool:
        """True: zipfile asks."""
        return True

    def read(self, count: int = -1) -> bytes:
        """As a file's."""
        if count > LARGEST_DIRECTORY:
            raise Refused(f"its directory is larger than {LARGEST_DIRECTORY >> 20} MB")
        data = self._file.read(LARGEST_DIRECTORY + 1 if count < 0 else count)
        if len(data) > LARGEST_DIRECTORY:
            raise Refused(f"its directory is larger than {LARGEST_DIRECTORY >> 20} MB")
        return data


class Counted:
    """A stream that ends in a refusal after so many bytes, and where someone goes on reading behind its end.

    tarfile does: it skips a member of a claimed size block by block, whether there are blocks or not.
    """

    def __init__(self, stream: Any, most: int, budget: Budget) -> None:
        self._stream, self._left, self._budget, self._empty = stream, most, budget, 0

    def read(self, count: int) -> bytes:
        """As a file's."""
        data = self._stream.read(count)
        self._left -= len(data)
        self._budget.unpacked -= len(data)
        self._empty += not data
        if self._left < 0:
            raise Refused("the archive unpacks to far more than it is")
        if self._budget.unpacked < 0:
            raise TooMuch(too_much())
        if self._empty > MOST_EMPTY:
            raise Refused("the archive ends too early")
        return data
