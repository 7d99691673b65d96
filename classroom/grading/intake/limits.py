"""Limits on what is read from one student's archives, and streams that enforce them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import IO, Any

MAX_ARCHIVE_BYTES = 256 << 20
MAX_DIRECTORY_BYTES = 4 << 20
"""Bytes of a zip's central directory, some 40,000 names."""
MAX_UNPACKED_BYTES = 512 << 20
"""Maximum total size of an unpacked .tar.gz; a student's environment may be in it."""
MAX_MEMBERS = 40_000
MAX_WANTED_FILES = 200
MAX_TOTAL_BYTES = 64 << 20
MAX_DEPTH = 24
MAX_RATIO = 120
"""Maximum ratio of unpacked to packed size; text compresses to a fifth, zeros to a thousandth."""
MAX_EMPTY_READS = 16
"""Maximum reads past the end of a .tar.gz; an intact one needs one or two."""


class Refused(Exception):
    """An archive exceeds a limit; the message becomes a fault."""


class TooMuch(Refused):
    """The student's budget is spent; the message becomes a fault."""


@dataclass
class Budget:
    """What may still be read from all folders and archives of one student together."""

    files: int = field(default_factory=lambda: MAX_WANTED_FILES)
    content: int = field(default_factory=lambda: MAX_TOTAL_BYTES)
    unpacked: int = field(default_factory=lambda: MAX_UNPACKED_BYTES)

    @property
    def spent(self) -> bool:
        """Whether nothing more may be read."""
        return self.files <= 0 or self.content <= 0 or self.unpacked <= 0


def too_much() -> str:
    """The message for a spent budget."""
    what = f"{MAX_WANTED_FILES} files, {MAX_TOTAL_BYTES >> 20} MB of them and {MAX_UNPACKED_BYTES >> 20} MB unpacked"
    return f"at most {what} are taken of one student; the rest was not looked at"


class Bounded:
    """A file that refuses single reads larger than MAX_DIRECTORY_BYTES, the limit for a zip's central directory."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell, self.close = file.seek, file.tell, lambda: None

    def seekable(self) -> bool:
        """True; zipfile asks."""
        return True

    def read(self, count: int = -1) -> bytes:
        """As a file's."""
        if count > MAX_DIRECTORY_BYTES:
            raise Refused(f"its directory is larger than {MAX_DIRECTORY_BYTES >> 20} MB")
        data = self._file.read(MAX_DIRECTORY_BYTES + 1 if count < 0 else count)
        if len(data) > MAX_DIRECTORY_BYTES:
            raise Refused(f"its directory is larger than {MAX_DIRECTORY_BYTES >> 20} MB")
        return data


class Counted:
    """A stream that raises Refused after a number of bytes, and on repeated reads past its end.

    tarfile reads past the end: it skips a member by its declared size, block by block, whether it is there or not.
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
        if self._empty > MAX_EMPTY_READS:
            raise Refused("the archive ends too early")
        return data
