"""Read wanted files from an untrusted folder, .zip or .tar.gz. Nothing is ever extracted to disk.

Only wanted files are read, as streams, up to a size limit. Refused, with a reason: paths that escape, links, devices,
encrypted and sparse members, members larger than declared, decompression bombs.
"""

from __future__ import annotations

import gzip
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, Any

from classroom.grading.intake import limits
from classroom.grading.intake.limits import Bounded, Budget, Counted, Refused, TooMuch, too_much

SKIPPED = {"__MACOSX", "__pycache__", "venv", "node_modules", "site-packages", "judge"}
ARCHIVES = (".zip", ".tar.gz", ".tgz", ".tar")
OTHER_ARCHIVES = (".tar.xz", ".tar.bz2", ".tar.zst", ".txz", ".tbz2", ".7z", ".rar", ".gz", ".bz2", ".xz", ".zst")


@dataclass(frozen=True)
class Found:
    """One file read: its path in the source, its contents, its modification time.

    called : its name in messages if that is not its path.
    """

    path: tuple[str, ...]
    data: bytes = field(repr=False)
    time: datetime | None = None
    called: str = ""

    @property
    def name(self) -> str:
        """The file name without folders."""
        return self.path[-1]


@dataclass(frozen=True)
class Fault:
    """Why something could not be read; `path` is the file's, or () for the whole source."""

    text: str
    path: tuple[str, ...] = ()


@dataclass
class Taken:
    """The files and faults of one folder or archive."""

    found: list[Found] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


Wanted = Callable[[tuple[str, ...]], int]
"""A file's path -> its maximum size in bytes, 0 if not wanted."""


def archive_suffix(name: str) -> str:
    """The archive suffix of a file name, "" if it has none.

    >>> archive_suffix("ann.tar.gz"), archive_suffix("ann.py")
    ('.tar.gz', '')
    """
    return next((suffix for suffix in (*ARCHIVES, *OTHER_ARCHIVES) if name.lower().endswith(suffix)), "")


def take(source: Path, wanted: Wanted, budget: Budget | None = None, name: str = "") -> Taken:
    """Read the wanted files of a folder or archive; with a `name`, the file itself under that name.

    Problems with the source become faults; nothing is raised. `budget` is shared by all sources of a student; once it
    is spent, nothing more is read, and the source that spent it gets the fault.
    """
    taken, budget = Taken(), Budget() if budget is None else budget
    if budget.spent:
        return taken
    try:
        if source.is_symlink():
            raise Refused(f"{shown(source.name)} is a link")
        if source.is_dir():
            _take_folder(source, wanted, taken, budget)
        elif name and archive_suffix(name) not in ARCHIVES:
            _take_file(source, (name,), wanted, taken, budget)
        else:
            _take_archive(source, wanted, taken, budget)
        if budget.spent:
            raise Refused(too_much())
    except Refused as refused:
        taken.faults.append(Fault(str(refused)))
    except Exception as error:  # the standard library's parsers raise many kinds of exceptions on damaged input
        said = shown(str(error)) or type(error).__name__
        taken.faults.append(Fault(f"{shown(source.name)} cannot be read: {said}"))
    return taken


def _take_archive(source: Path, wanted: Wanted, taken: Taken, budget: Budget) -> None:
    suffix = archive_suffix(source.name)
    if suffix not in ARCHIVES:
        raise Refused(f"{shown(source.name)}: expected a folder, .zip or .tar.gz")
    with _opened(source) as file:
        size = os.fstat(file.fileno()).st_size
        if size > limits.MAX_ARCHIVE_BYTES:
            raise Refused(
                f"{shown(source.name)} has {size >> 20} MB; at most {limits.MAX_ARCHIVE_BYTES >> 20} are taken"
            )
        if suffix == ".zip":
            _take_zip(file, wanted, taken, budget)
        else:
            _take_tar(file, size, suffix != ".tar", wanted, taken, budget)


def _take_zip(file: IO[bytes], wanted: Wanted, taken: Taken, budget: Budget) -> None:
    bounded: Any = Bounded(file)
    with zipfile.ZipFile(bounded) as archive:
        for info in archive.infolist():
            path, limit = _look(info.filename, wanted, taken, info.is_dir())
            if path is None:
                continue
            kind = stat.S_IFMT(info.external_attr >> 16)
            if kind not in (0, stat.S_IFREG):
                taken.faults.append(Fault(f"{shown(path[-1])} is a link or device in the archive", path))
            elif info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                taken.faults.append(Fault(f"{shown(path[-1])} is encrypted or packed in an unusual way", path))
            elif info.file_size > limits.MAX_RATIO * info.compress_size + 4096:
                taken.faults.append(Fault(f"{shown(path[-1])} unpacks to far more than it is", path))
            else:
                found = Found(path, b"", _zip_time(info))
                _add(found, partial(archive.open, info), limit, taken, budget, info.file_size)


def _take_tar(file: IO[bytes], size: int, packed: bool, wanted: Wanted, taken: Taken, budget: Budget) -> None:
    most = limits.MAX_RATIO * size + (1 << 20)
    stream: Any = Counted(gzip.GzipFile(fileobj=file) if packed else file, most, budget)
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for place, member in enumerate(archive):
            if place >= limits.MAX_MEMBERS:
                raise Refused(f"more than {limits.MAX_MEMBERS} files in the archive")
            path, limit = _look(member.name, wanted, taken, member.isdir())
            if path is None:
                continue
            if not member.isreg() or member.issparse():
                taken.faults.append(Fault(f"{shown(path[-1])} is a link, device or sparse file", path))
                continue
            found = Found(path, b"", _epoch(member.mtime))
            _add(found, partial(archive.extractfile, member), limit, taken, budget, member.size)


def _take_folder(folder: Path, wanted: Wanted, taken: Taken, budget: Budget) -> None:
    for place, (entry, path) in enumerate(_walk(folder, ())):
        if place >= limits.MAX_MEMBERS:
            raise Refused(f"more than {limits.MAX_MEMBERS} files in the folder")
        _take_file(Path(entry.path), path, wanted, taken, budget)


def _take_file(file_path: Path, path: tuple[str, ...], wanted: Wanted, taken: Taken, budget: Budget) -> None:
    """Read one file of a folder; `path` is its name in the result."""
    limit = wanted(path)
    if not limit:
        return
    try:
        with _opened(file_path) as file:
            time = _epoch(os.fstat(file.fileno()).st_mtime)
            _add(Found(path, b"", time), partial(_itself, file), limit, taken, budget)
    except TooMuch:
        raise
    except Refused as refused:
        taken.faults.append(Fault(str(refused), path))
    except OSError as error:
        taken.faults.append(Fault(f"{shown(path[-1])} cannot be read: {error.strerror}", path))


def _walk(folder: Path, above: tuple[str, ...]) -> Iterator[tuple[os.DirEntry[str], tuple[str, ...]]]:
    """All files below a folder, without following links and without folders that hold no homework."""
    with os.scandir(folder) as entries:
        ordered = sorted(entries, key=lambda entry: entry.name)
    for entry in ordered:
        path = (*above, entry.name)
        if not entry.is_dir(follow_symlinks=False):
            yield entry, path
        elif not _skipped(entry.name) and len(path) < limits.MAX_DEPTH:
            yield from _walk(Path(entry.path), path)


def _look(name: str, wanted: Wanted, taken: Taken, folder: bool) -> tuple[tuple[str, ...] | None, int]:
    """A member's name -> its path and maximum size; (None, 0) if it is not read."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    if folder or not parts or any(_skipped(part) for part in parts[:-1]) or len(parts) > limits.MAX_DEPTH:
        return None, 0
    if not (limit := wanted(tuple(parts))):
        return None, 0
    if name.startswith(("/", "\\")) or ".." in parts or parts[0][1:2] == ":" or "\0" in name:
        said = f"{shown(parts[-1])}: its path leads out of the archive: {shown(name)}"
        taken.faults.append(Fault(said, (parts[-1],)))
        return None, 0
    return tuple(parts), limit


def _add(
    empty: Found,
    opened: Callable[[], IO[bytes] | None],
    limit: int,
    taken: Taken,
    budget: Budget,
    size: int | None = None,
) -> None:
    """Read one member, at most one byte more than allowed; `size` is its declared size."""
    path = empty.path
    if budget.spent:
        raise TooMuch(too_much())
    try:
        stream = opened()
        data = stream.read(limit + 1) if stream else b""
    except Refused:
        raise
    except Exception as error:
        said = f"{shown(path[-1])} cannot be unpacked: {shown(str(error)) or type(error).__name__}"
        taken.faults.append(Fault(said, path))
        return
    budget.files -= 1
    budget.content -= len(data)
    if len(data) > limit:
        taken.faults.append(Fault(f"{shown(path[-1])} is larger than {limit >> 10} KB", path))
    elif size is not None and len(data) != size:
        said = f"{shown(path[-1])} has {len(data)} bytes where the archive says {size}"
        taken.faults.append(Fault(said, path))
    else:
        taken.found.append(replace(empty, data=data))


def _opened(path: Path) -> IO[bytes]:
    """Open a regular file; refuse a link, pipe or device without blocking on it."""
    if not stat.S_ISREG(os.lstat(path).st_mode):
        raise Refused(f"{shown(path.name)} is a link or device")
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Refused(f"{shown(path.name)} is a link or device")
    return os.fdopen(descriptor, "rb")


def _itself(file: IO[bytes]) -> IO[bytes]:
    return file


def _skipped(folder: str) -> bool:
    return (folder.startswith(".") and folder != "..") or folder in SKIPPED


def _zip_time(info: zipfile.ZipInfo) -> datetime | None:
    """A zip stores local time without a zone; it is read as this machine's."""
    try:
        return None if info.date_time[0] <= 1980 else datetime(*info.date_time).astimezone()
    except (ValueError, OverflowError, OSError):
        return None


def _epoch(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC) if seconds > 0 else None
    except (ValueError, OverflowError, OSError):
        return None


def shown(text: str) -> str:
    """An untrusted name or message for a sentence: one line, printable, shortened."""
    line = "".join(c if c.isprintable() else "?" for c in text)
    return line if len(line) <= 120 else line[:117] + "..."
