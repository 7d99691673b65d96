"""A course system's bulk download as it comes, a .zip: its entries laid out in a folder for as long as they are read.

The download's own entries are written to the disk, no archive of a student is opened. Names and sizes in it are the
students': an entry that leads out of the folder, is a link, or unpacks to far more than it is, is left out and told.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from classroom.grading.errors import GradingError
from classroom.grading.intake import limits
from classroom.grading.intake.archives import shown

MAX_ENTRIES = 500_000
MAX_BYTES = 32 << 30
"""Of all entries together: a class of 2,000 with 16 MB each."""
MAX_NAME_BYTES = 240
FREE = 1 << 30
"""Bytes of the disk that stay free."""


@dataclass
class Download:
    """A folder of submissions, and what of a .zip could not be laid out in it."""

    folder: Path
    refused: list[str] = field(default_factory=list)


@contextmanager
def laid_out(path: Path, beside: Path | None = None) -> Iterator[Download]:
    """The folder itself, or the entries of a .zip in a folder that is removed afterwards.

    beside : folder in which that folder is made; default: the system's for temporary files. Raises GradingError.
    """
    if path.is_dir() or not path.name.lower().endswith(".zip"):
        yield Download(path)
        return
    if beside is not None:
        beside.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="download-", dir=beside, ignore_cleanup_errors=True) as folder:
        try:
            yield Download(Path(folder), _unpack(path, Path(folder)))
        except (OSError, zipfile.BadZipFile, NotImplementedError) as error:
            raise GradingError(f"{path}: expected a download of submissions, a .zip: {error}") from error


def _unpack(path: Path, folder: Path) -> list[str]:
    refused: list[str] = []
    left = min(MAX_BYTES, shutil.disk_usage(folder).free - FREE)
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        if len(entries) > MAX_ENTRIES:
            raise GradingError(f"{path}: {len(entries)} entries; at most {MAX_ENTRIES} are taken")
        for info in entries:
            if info.is_dir():
                continue
            if why := _fault(info):
                refused.append(f"{shown(info.filename)}: {why}")
                continue
            if info.file_size > left:
                raise GradingError(
                    f"{path}: unpacks to more than fits: {left >> 20} MB were left for {info.filename!r}"
                )
            target = folder.joinpath(*info.filename.replace("\\", "/").split("/"))
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                left -= _write(archive, info, target)
            except (OSError, ValueError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
                target.unlink(missing_ok=True) if not isinstance(error, FileExistsError) else None
                refused.append(f"{shown(info.filename)}: {_words(error)}")
    return refused


def _words(error: Exception) -> str:
    if isinstance(error, FileExistsError | NotADirectoryError):
        return "another entry has this name"
    return shown(getattr(error, "strerror", "") or str(error)) or type(error).__name__


def _fault(info: zipfile.ZipInfo) -> str:
    """Why an entry is not laid out; "" if it is."""
    parts = info.filename.replace("\\", "/").split("/")
    if any(part in ("", ".", "..") for part in parts) or parts[0][1:2] == ":":
        return "its path leads out of the archive"
    if "\0" in info.orig_filename or any(len(os.fsencode(part)) > MAX_NAME_BYTES for part in parts):
        return "its name is too long, or none"
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
        return "a link or device"
    if info.file_size > limits.MAX_ARCHIVE_BYTES:
        return f"{info.file_size >> 20} MB; at most {limits.MAX_ARCHIVE_BYTES >> 20} are taken"
    if info.file_size > limits.MAX_RATIO * info.compress_size + 4096:
        return "it unpacks to far more than it is"
    return "" if not info.flag_bits & 1 else "it is encrypted"


def _write(archive: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path) -> int:
    """Write one entry to a new file -> its size. An entry larger than declared is an error of zipfile's."""
    with archive.open(info) as source, target.open("xb") as file:
        shutil.copyfileobj(source, file, 1 << 20)
        return file.tell()
