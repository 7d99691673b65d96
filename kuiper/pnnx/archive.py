"""The .bin file: a zip archive of stored entries, whose bytes become arrays where they lie in the file.

    local header, name, extra | bytes | local header ... | directory: one record per entry | where the directory is

A reader starts at the end. An entry is stored, not compressed, so its bytes are the weights: `Archive.array` maps
them into memory and copies nothing. PNNX writes every size as 0xffffffff and the true one into a zip64 field.
kuiper's writer also fills up each header so that the bytes begin at a multiple of ALIGNMENT: a mapped weight then goes
to BLAS and to machine code as it lies. A file that PNNX wrote has weights at any byte.

Source: APPNOTE.TXT, https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (4.3 the records, 4.5.3 zip64);
padding as Android's zipalign writes it, https://developer.android.com/tools/zipalign
"""

from __future__ import annotations

import math
import mmap
import os
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from struct import Struct, unpack_from
from struct import error as StructError
from typing import BinaryIO, Protocol

import numpy as np

from kuiper import dtypes
from kuiper.errors import ModelFormatError
from kuiper.graph import Shape
from kuiper.graph.alignment import ALIGNMENT

# signature, versions and flags, method, time, date, CRC, two sizes, lengths of name and extra, ...
LOCAL = Struct("<4sHHHHHIIIHH")
ENTRY = Struct("<4sHHHHHHIIIHHHHHII")
END = Struct("<4sHHHHIIH")
END64 = Struct("<4sQHHIIQQQQ")
LOCATOR64 = Struct("<4sIQI")
LOCAL_MARK, ENTRY_MARK, END_MARK = b"PK\3\4", b"PK\1\2", b"PK\5\6"
END64_MARK, LOCATOR64_MARK = b"PK\6\6", b"PK\6\7"
_WIDE = Struct("<HHQQQI")  # a zip64 field: kind, length, size, size in the file, where the header is, disk
ZIP64 = 1  # the extra field that holds what does not fit 32 bits
FULL16, FULL32 = 0xFFFF, 0xFFFFFFFF  # "see the zip64 field"
_PADDING = Struct("<HHH")  # an extra field of zeros: kind, length, alignment
_PADDING_KIND = 0xD935
PIECE = 1 << 24
"""Bytes that are prepared and written at once."""
_ENCRYPTED = 0x0001 | 0x0040 | 0x2000
_SIZES_FOLLOW = 0x0008  # the local header was written before the sizes were known
_LONGEST_COMMENT = 0xFFFF


@dataclass(frozen=True)
class Entry:
    """Where one entry lies: its header at `header`, its bytes at [start, start + packed)."""

    header: int
    start: int
    packed: int
    size: int
    crc: int
    method: int
    flags: int

    @property
    def is_stored(self) -> bool:
        """Whether the bytes of the file are those of the weights: neither compressed nor encrypted."""
        return self.method == 0 and not self.flags & _ENCRYPTED and self.packed == self.size


class Archive:
    """A .bin file opened for reading. The map stays alive as long as one of its arrays does.

    Parameters
    ----------
    path : the file. Do not truncate it while it is mapped. Replacing it, as `write` does, is safe; Windows does not
        allow it.
    verify : check each entry's CRC when it is read; that touches every byte once and copies none.

    Raises ModelFormatError for a file that is no whole archive: truncated, two entries of one name, entries that
    overlap, headers that contradict each other. Nothing is allocated for a size before the file is seen to have it.
    """

    def __init__(self, path: Path, *, verify: bool = True) -> None:
        self.path, self.verify = path, verify
        self._map = self._open()
        try:
            count, start, end = self._where_directory()
            self.entries = self._directory(count, start, end)
        except (StructError, OverflowError) as cause:
            raise self._fault("a whole zip archive", f"a record cut short ({cause})") from cause
        self._check_spans(start)

    def array(self, name: str, dtype: dtypes.DType, shape: Shape) -> np.ndarray:
        """The entry's bytes as a read-only array of `shape`, sharing memory with the file.

        Raises ModelFormatError when there is no such entry, it is compressed, its size is not that of the shape, or
        its CRC is wrong.
        """
        entry = self.entries.get(name)
        if entry is None:
            raise self._fault(f"an entry {name}", "none of that name")
        if not entry.is_stored:
            found = f"compression method {entry.method}, flags {entry.flags:#06x}"
            raise self._fault(f"entry {name} stored without compression", found)
        size = math.prod(shape) * dtype.itemsize
        if size != entry.size:
            raise self._fault(f"{size} bytes in {name}, for {shape} {dtype.code}", f"{entry.size} bytes")
        if self.verify:
            with memoryview(self._map) as view, view[entry.start : entry.start + size] as data:
                crc = zlib.crc32(data)
            if crc != entry.crc:
                raise self._fault(f"CRC {entry.crc:08x} over {name}", f"{crc:08x}: the file is damaged")
        try:
            if size == 0:
                empty = np.empty(shape, dtype.storage)
                empty.flags.writeable = False
                return empty
            return np.frombuffer(self._map, dtype.storage, math.prod(shape), entry.start).reshape(shape)
        except ValueError as cause:
            raise self._fault(f"a shape that numpy can hold for {name}", f"{len(shape)} axes ({cause})") from cause

    def _fault(self, expected: str, found: str) -> ModelFormatError:
        return ModelFormatError(self.path, None, expected, found)

    def _open(self) -> mmap.mmap:
        try:
            with open(self.path, "rb") as file:
                if os.fstat(file.fileno()).st_size < END.size:
                    raise self._fault("a zip archive", "a file too short to be one")
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as cause:
            raise self._fault("a file that can be read", str(cause)) from cause

    def _directory(self, count: int, at: int, end: int) -> dict[str, Entry]:
        entries: dict[str, Entry] = {}
        for _ in range(count):
            fields = ENTRY.unpack_from(self._map, at)
            mark, _, _, flags, method, _, _, crc, packed, size, n_name, n_extra, n_comment, _, _, _, header = fields
            if mark != ENTRY_MARK:
                raise self._fault(f"{count} directory records", f"{len(entries)}, then other bytes")
            name_at = at + ENTRY.size
            at = name_at + n_name + n_extra + n_comment
            if at > end:
                raise self._fault(f"the directory to end at byte {end}", f"a record that ends at {at}")
            raw_name = self._map[name_at : name_at + n_name]
            name = raw_name.decode("utf-8", "backslashreplace")
            size, packed, header = self._zip64(name, name_at + n_name, n_extra, (size, packed, header))
            if name in entries:
                raise self._fault(f"one entry {name}", "two")
            start = self._check_local(raw_name, header, (flags, method, crc, size, packed))
            entries[name] = Entry(header, start, packed, size, crc, method, flags)
        if at != end:
            raise self._fault(f"the directory to end at byte {end}", f"its {count} records end at {at}")
        return entries

    def _where_directory(self) -> tuple[int, int, int]:
        """Number of records, and the bytes where they begin and end."""
        length = len(self._map)
        last = self._map.rfind(END_MARK, max(0, length - END.size - _LONGEST_COMMENT))
        if last < 0 or last + END.size > length:
            raise self._fault("a zip archive", "no end record: the file is truncated or no archive")
        _, _, _, _, count, size, at, comment = END.unpack_from(self._map, last)
        if last + END.size + comment != length:
            raise self._fault("the archive to end with its end record", "more bytes, or fewer")
        limit = last
        if count == FULL16 or FULL32 in (size, at):
            mark, _, record, _ = LOCATOR64.unpack_from(self._map, max(last - LOCATOR64.size, 0))
            if mark != LOCATOR64_MARK or record + END64.size > last:
                raise self._fault("a zip64 locator", "none, or one that points outside the file")
            mark, _, _, _, _, _, _, count, size, at = END64.unpack_from(self._map, record)
            if mark != END64_MARK:
                raise self._fault(f"the zip64 end record at byte {record}", "other bytes")
            limit = record
        if at + size != limit or count * ENTRY.size > size:
            raise self._fault(f"a directory of {count} records that ends at byte {limit}", f"{size} bytes from {at}")
        return count, at, at + size

    def _zip64(self, name: str, at: int, n_extra: int, values: tuple[int, ...]) -> list[int]:
        """`values` with those that are 0xffffffff replaced from the extra field, which holds only them, in order."""
        wide = [i for i, value in enumerate(values) if value == FULL32]
        result, end = list(values), at + n_extra
        while wide and at + 4 <= end:
            kind, length = unpack_from("<HH", self._map, at)
            at += 4
            if kind == ZIP64 and length >= 8 * len(wide) and at + length <= end:
                for i in wide:
                    (result[i],) = unpack_from("<Q", self._map, at)
                    at += 8
                return result
            at += length
        if wide:
            raise self._fault(f"a zip64 field with the sizes of {name}", "none")
        return result

    def _check_local(self, name: bytes, header: int, expected: tuple[int, ...]) -> int:
        """The first byte of the entry's data, after a local header that must agree with the directory."""
        shown = name.decode("utf-8", "backslashreplace")
        if header + LOCAL.size > len(self._map):
            raise self._fault(f"the header of {shown} inside the file", f"byte {header}")
        mark, _, flags, method, _, _, crc, packed, size, n_name, n_extra = LOCAL.unpack_from(self._map, header)
        name_at = header + LOCAL.size
        if mark != LOCAL_MARK or self._map[name_at : name_at + n_name] != name:
            raise self._fault(f"the header of {shown} at byte {header}", "other bytes")
        size, packed = self._zip64(shown, name_at + n_name, n_extra, (size, packed))
        found = (flags, method, crc, size, packed)
        compared = 2 if flags & _SIZES_FOLLOW else len(found)
        if found[:compared] != expected[:compared]:
            want = f"flags, method, CRC and sizes {expected} for {shown}, as the directory says"
            raise self._fault(want, f"{found} in its header")
        return name_at + n_name + n_extra

    def _check_spans(self, directory: int) -> None:
        """No byte belongs to two entries, or to an entry and the directory."""
        previous = 0
        for name, entry in sorted(self.entries.items(), key=lambda item: item[1].header):
            if entry.header < previous:
                want = f"{name} to begin at byte {previous} or later, where the entry before it ends"
                raise self._fault(want, f"byte {entry.header}")
            previous = entry.start + entry.packed
        if previous > directory:
            raise self._fault(f"entries to end before the directory, byte {directory}", f"byte {previous}")


class Rows(Protocol):
    """What the writer needs of a weight: an array, or something that makes its rows when they are asked for."""

    @property
    def shape(self) -> Shape:
        """Extents; at least one axis."""

    @property
    def dtype(self) -> np.dtype:
        """Type of the elements that a slice of rows has."""

    def __getitem__(self, rows: slice) -> np.ndarray:
        """Some rows, as an array."""


def write_archive(file: BinaryIO, arrays: Mapping[str, Rows]) -> None:
    """Write arrays as stored entries, in order, every size in a zip64 field as PNNX writes them, every entry aligned.

    Memory for about PIECE bytes is needed beside the arrays, or for one row where that is more.
    Raises ValueError for a name of more than 65535 bytes.
    """
    directory: list[bytes] = []
    offset = 0
    for name, array in arrays.items():
        raw_name = name.encode("utf-8")
        if len(raw_name) > FULL16:
            raise ValueError(f"the name of an entry can have {FULL16} bytes, {name:.40}... has {len(raw_name)}")
        crc = size = 0
        for piece in _pieces(array):
            crc, size = zlib.crc32(piece, crc), size + len(piece)
        extra = _WIDE.pack(ZIP64, _WIDE.size - 4, size, size, 0, 0)
        gap = -(offset + LOCAL.size + len(raw_name) + len(extra) + _PADDING.size) % ALIGNMENT
        extra += _PADDING.pack(_PADDING_KIND, _PADDING.size - 4 + gap, ALIGNMENT) + bytes(gap)
        fields = (0, 0, 0, 0, crc, FULL32, FULL32, len(raw_name))
        header = LOCAL.pack(LOCAL_MARK, 0, *fields, len(extra)) + raw_name + extra
        file.write(header)
        for piece in _pieces(array):
            file.write(piece)
        extra = _WIDE.pack(ZIP64, _WIDE.size - 4, size, size, offset, 0)
        record = ENTRY.pack(ENTRY_MARK, 0, 0, *fields, len(extra), 0, FULL16, 0, 0, FULL32)
        directory.append(record + raw_name + extra)
        offset += len(header) + size
    length, count = sum(map(len, directory)), len(directory)
    file.write(b"".join(directory))
    file.write(END64.pack(END64_MARK, END64.size - 12, 0, 0, 0, 0, count, count, length, offset))
    file.write(LOCATOR64.pack(LOCATOR64_MARK, 0, offset + length, 1))
    file.write(END.pack(END_MARK, FULL16, FULL16, FULL16, FULL16, FULL32, FULL32, 0))


def _pieces(array: Rows) -> Iterator[memoryview]:
    """The bytes of the elements in order, some rows at a time."""
    rows, *rest = array.shape
    step = max(1, PIECE // max(1, math.prod(rest) * array.dtype.itemsize))
    for start in range(0, rows, step):
        yield np.ascontiguousarray(array[start : start + step]).reshape(-1).view(np.uint8).data
