"""The .bin file: stored zip entries that become arrays where they lie."""

from __future__ import annotations

import gc
import io
import itertools
import mmap
import struct
import zipfile
import zlib

import numpy as np
import pytest

from kuiper import dtypes
from kuiper.errors import ModelFormatError
from kuiper.graph.alignment import ALIGNMENT
from kuiper.pnnx import Archive
from kuiper.pnnx import archive as archive_module
from kuiper.pnnx.archive import END, ENTRY, LOCAL, write_archive

F32 = dtypes.DTYPES["f32"]
A = np.arange(6, dtype="<f4").reshape(2, 3)
B = np.arange(3, dtype="<f4")


def written(**arrays):
    file = io.BytesIO()
    write_archive(file, arrays)
    return file.getvalue()


def zipped(*items, method=zipfile.ZIP_STORED):
    """(name, bytes)... -> a zip as Python's own library writes it: without zip64, for files so small."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in items:
            archive.writestr(name, data)
    return file.getvalue()


@pytest.fixture
def opened(tmp_path):
    numbers = itertools.count()  # a new folder each time: Windows does not overwrite a mapped file

    def opened(data, **options):
        path = tmp_path / str(next(numbers)) / "net.pnnx.bin"
        path.parent.mkdir()
        path.write_bytes(data)
        return Archive(path, **options)

    return opened


def patched(data, at, form, value):
    return data[:at] + struct.pack(form, value) + data[at + struct.calcsize(form) :]


def base_of(array):
    while isinstance(array, np.ndarray):
        array = array.base
    return array


def test_what_was_written_is_read(opened):
    archive = opened(written(a=A, b=B))
    assert list(archive.entries) == ["a", "b"]
    np.testing.assert_array_equal(archive.array("a", F32, (2, 3)), A)
    np.testing.assert_array_equal(archive.array("b", F32, (3,)), B)


def test_an_archive_with_plain_32_bit_sizes_is_read(opened):
    np.testing.assert_array_equal(opened(zipped(("a", A.tobytes()))).array("a", F32, (2, 3)), A)


def test_an_archive_written_as_a_stream_is_read(opened):
    class Stream(io.BytesIO):
        def seekable(self):
            return False

        def tell(self):
            raise io.UnsupportedOperation

    stream = Stream()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a", A.tobytes())
    np.testing.assert_array_equal(opened(stream.getvalue()).array("a", F32, (2, 3)), A)


def test_pythons_own_library_reads_what_was_written():
    with zipfile.ZipFile(io.BytesIO(written(a=A, b=B))) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["a", "b"]
        assert archive.read("a") == A.tobytes()


def test_every_size_stands_in_a_zip64_field():
    data = written(a=A)
    fields = LOCAL.unpack_from(data, 0)
    assert fields[6] == zlib.crc32(A.tobytes())
    assert fields[7:9] == (0xFFFFFFFF, 0xFFFFFFFF)
    assert struct.unpack_from("<HHQQ", data, LOCAL.size + 1) == (1, 28, A.nbytes, A.nbytes)


def test_an_archive_without_entries_is_an_archive(opened):
    assert opened(written()).entries == {}


def test_an_archive_may_end_with_a_comment(opened):
    data = zipped(("a", A.tobytes()))
    assert list(opened(patched(data, len(data) - 2, "<H", 5) + b"hello").entries) == ["a"]


def test_names_are_utf_8(opened):
    assert list(opened(written(**{"层.weight": B})).entries) == ["层.weight"]


def test_an_array_lies_in_the_mapped_file_and_nothing_is_copied(opened):
    archive = opened(written(a=A, b=B))
    a = archive.array("a", F32, (2, 3))
    owner = base_of(a)
    assert isinstance(getattr(owner, "obj", owner), mmap.mmap)
    assert np.shares_memory(a, archive.array("a", F32, (2, 3)))
    whole = np.frombuffer(getattr(owner, "obj", owner), np.uint8)
    assert np.shares_memory(a, whole)
    assert a.ctypes.data - whole.ctypes.data == archive.entries["a"].start


@pytest.mark.parametrize(("array", "shape"), [(A, (2, 3)), (np.empty((0, 3), "<f4"), (0, 3))])
def test_an_array_is_read_only(opened, array, shape):
    got = opened(written(a=array)).array("a", F32, shape)
    with pytest.raises(ValueError, match="read-only"):
        got[...] = 1


@pytest.mark.slow
def test_the_map_lives_as_long_as_an_array(opened):
    a = opened(written(a=A)).array("a", F32, (2, 3))
    gc.collect()
    np.testing.assert_array_equal(a, A)


def fault(make, expected):
    with pytest.raises(ModelFormatError) as caught:
        make()
    assert caught.value.line is None
    assert expected in str(caught.value)
    assert "net.pnnx.bin" in str(caught.value)


def test_a_missing_entry_is_refused(opened):
    fault(lambda: opened(written(a=A)).array("b", F32, (3,)), "an entry b")


@pytest.mark.parametrize("shape", [(2, 2), (6, 2), (0,), (10**9, 10**9)])
def test_a_size_that_differs_is_refused(opened, shape):
    fault(lambda: opened(written(a=A)).array("a", F32, shape), "found 24 bytes")


def test_a_changed_byte_is_refused_unless_the_check_is_off(opened):
    data = written(a=A).replace(A[1, 1:2].tobytes(), A[1, 2:3].tobytes(), 1)
    fault(lambda: opened(data).array("a", F32, (2, 3)), "CRC")
    assert opened(data, verify=False).array("a", F32, (2, 3))[1, 1] == 5


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_compressed_entry_is_refused(opened, method):
    data = zipped(("a", bytes(24)), method=method)
    fault(lambda: opened(data).array("a", F32, (2, 3)), "without compression")


@pytest.mark.parametrize("flag", [0x1, 0x40, 0x2000])
def test_an_encrypted_entry_is_refused(opened, flag):
    data = written(a=A)
    data = patched(data, 6, "<H", flag)
    data = patched(data, data.index(b"PK\1\2") + 8, "<H", flag)
    fault(lambda: opened(data).array("a", F32, (2, 3)), "without compression")


def test_two_entries_of_one_name_are_refused(opened):
    data = written(a=A, b=A).replace(b"b\x01\0\x1c", b"a\x01\0\x1c")
    fault(lambda: opened(data), "one entry a")


def test_entries_that_overlap_are_refused(opened):
    """The second entry's header lies inside the first one's data: a zip bomb's trick."""
    inner = written(b=B)
    header = inner[: inner.index(b"PK\1\2")]
    data = written(a=np.frombuffer(header + bytes(-len(header) % 4), "<f4"), b=B)
    start = data.index(header)
    directory = data.rindex(b"PK\1\2")
    offset_at = directory + ENTRY.size + 1 + 4 + 16
    assert start < struct.unpack_from("<Q", data, offset_at)[0]
    fault(lambda: opened(patched(data, offset_at, "<Q", start)), "where the entry before it ends")


@pytest.mark.parametrize("where", ["size", "crc", "name", "method"])
def test_headers_that_contradict_the_directory_are_refused(opened, where):
    data = written(a=A)
    at, form = {"size": (LOCAL.size + 5, "<Q"), "crc": (14, "<I"), "name": (30, "<B"), "method": (8, "<H")}[where]
    fault(lambda: opened(patched(data, at, form, 8)), "expected")


def test_every_truncation_is_refused(opened):
    data = written(a=A, b=B)
    for length in range(len(data)):
        with pytest.raises(ModelFormatError):
            opened(data[:length])


@pytest.mark.parametrize("count", [0, 1, 3, 2**63])
def test_a_directory_with_another_number_of_records_is_refused(opened, count):
    data = written(a=A, b=B)
    at = data.index(b"PK\6\6") + 32
    fault(lambda: opened(patched(data, at, "<Q", count)), "director")


def test_bytes_after_the_archive_are_refused(opened):
    fault(lambda: opened(written(a=A) + b"more"), "end record")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK",
        b"no zip at all, but long enough to be one",
        END.pack(b"PK\5\6", *[0xFFFF] * 4, 0xFFFFFFFF, 0xFFFFFFFF, 0),
    ],
)
def test_other_files_are_refused(opened, data):
    fault(lambda: opened(data), "net.pnnx.bin")


def test_a_name_too_long_for_the_format_cannot_be_written():
    with pytest.raises(ValueError, match="65535"):
        write_archive(io.BytesIO(), {"x" * 65536: B})


@pytest.mark.parametrize("length", range(60, 130, 7))
def test_weights_lie_aligned_whatever_the_lengths_of_names_and_of_the_weights_before(opened, length):
    archive = opened(written(**{"x" * length: B, "y": A, "z" * (length + 3): B[:1], "w": A}))
    for name, expected in [("x" * length, B), ("y", A), ("z" * (length + 3), B[:1]), ("w", A)]:
        found = archive.array(name, F32, expected.shape)
        assert found.ctypes.data % ALIGNMENT == 0
        np.testing.assert_array_equal(found, expected)


def test_other_readers_find_the_aligned_weights():
    with zipfile.ZipFile(io.BytesIO(written(a=A, b=B))) as archive:
        assert archive.testzip() is None
        assert (archive.read("a"), archive.read("b")) == (A.tobytes(), B.tobytes())


@pytest.mark.parametrize("size", [1, 12, 13, 1 << 20])
def test_the_bytes_do_not_depend_on_how_many_are_written_at_once(monkeypatch, size):
    arrays = {"a": A, "b": B, "c": A.T, "empty": A[:, :0], "none": A[:0]}
    whole = written(**arrays)
    monkeypatch.setattr(archive_module, "PIECE", size)
    assert written(**arrays) == whole
