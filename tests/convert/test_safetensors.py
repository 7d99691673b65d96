"""safetensors: what the format says is read where it lies; whatever else is one error in words, in little memory."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kuiper import documents
from kuiper.convert import read_safetensors, read_weights
from kuiper.errors import KuiperError, ModelFormatError

A, B = np.arange(6, dtype="<f4"), np.array([1.5, -2], "<f2")
QUICK = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def entry(begin: object = 0, end: object = 24, dtype: object = "F32", shape: object = (2, 3)) -> dict:
    return {"dtype": dtype, "shape": list(shape) if isinstance(shape, tuple) else shape, "data_offsets": [begin, end]}


def raw(header: object, data: bytes = A.tobytes(), length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


def read(tmp_path: Path, data: bytes) -> dict:
    path = tmp_path / "model.safetensors"
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    return read_safetensors(path)


def test_tensors_share_memory_with_the_file_and_keep_their_types(tmp_path, file_of):
    found = read(tmp_path, file_of({"a": ("F32", (2, 3), A.tobytes()), "b": ("F16", (2,), B.tobytes())}))
    assert {name: (t.dtype.code, t.shape) for name, t in found.items()} == {"a": ("f32", (2, 3)), "b": ("f16", (2,))}
    np.testing.assert_array_equal(found["a"].raw, A.reshape(2, 3))
    np.testing.assert_array_equal(found["b"].raw, B)
    assert not any(t.raw.flags.owndata or t.raw.flags.writeable for t in found.values())


def test_tensors_may_stand_in_any_order_and_be_empty(tmp_path):
    header = {"late": entry(4, 28), "empty": entry(4, 4, shape=(0, 7)), "early": entry(0, 4, "BF16", (2,))}
    found = read(tmp_path, raw(header, bytes(4) + A.tobytes()))
    assert list(found) == ["early", "empty", "late"]
    assert found["late"].raw.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found["empty"].raw.shape == (0, 7)


def test_what_the_library_writes_is_read(tmp_path):
    library = pytest.importorskip("safetensors.numpy", reason="reads what safetensors writes, which is not installed")
    arrays = {"a": A.reshape(3, 2), "b": B, "c": np.arange(5), "d": np.array(3, np.float32)}
    library.save_file(arrays, tmp_path / "model.safetensors", {"format": "np"})
    found = read_safetensors(tmp_path / "model.safetensors")
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name].raw, array)


HOSTILE = {
    "empty file": (b"", "0 bytes in all"),
    "shorter than its length": (b"\0\0\0", "3 bytes in all"),
    "header of exabytes": (raw({"a": entry()}, length=(1 << 64) - 1), "expected a header of at most"),
    "header to the end and beyond": (raw({"a": entry()}, length=1000), "expected a header of at most"),
    "no header": (raw(b"", b"xxxx"), "as a JSON object"),
    "no JSON": (raw(b"{'a': 1}"), "as a JSON object"),
    "no UTF-8": (raw(b'{"\xff": 1}'), "as a JSON object"),
    "a list": (raw([1]), "found a list"),
    "deep": (raw(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"), "as a JSON object"),
    "many digits": (raw(b'{"a":' + b"9" * 5000 + b"}"), "as a JSON object"),
    "NaN": (raw(b'{"a": NaN}'), "NaN, which JSON has not"),
    "a name twice": (raw(b'{"a": 1, "a": 2}'), "'a' twice"),
    "a key twice": (raw(b'{"a": {"dtype": "F32", "dtype": "F16"}}'), "'dtype' twice"),
    "no object": (raw({"a": 3}), "tensor 'a': dtype, shape and data_offsets, found 3"),
    "a key missing": (raw({"a": {"dtype": "F32", "shape": [6]}}), "found 'dtype', 'shape'"),
    "a key too many": (raw({"a": {**entry(), "code": "os"}}), "'code'"),
    "an unknown type": (raw({"a": entry(dtype="F8_E4M3")}), "one of F64, F32, .*, found 'F8_E4M3'"),
    "a type that is no text": (raw({"a": entry(dtype=["F32"])}), "dtype, one of .*, found a list"),
    "a shape that is no list": (raw({"a": entry(shape=6)}), "shape, a list"),
    "a size of true": (raw({"a": entry(shape=(True, 6))}), "shape, a list"),
    "a size of 6.0": (raw({"a": entry(shape=(6.0,))}), "shape, a list"),
    "a negative size": (raw({"a": entry(shape=(-2, -3))}), "shape, a list"),
    "sizes whose product wraps": (raw({"a": entry(shape=(1 << 32, 1 << 32, 6))}), "24 bytes between them"),
    "a hundred axes": (raw({"a": entry(shape=(1,) * 100)}), "at most 16 sizes"),
    "a negative offset": (raw({"a": entry(begin=-24, end=0)}), "first byte and end"),
    "an end before the begin": (raw({"a": entry(begin=24, end=0)}), "-24 bytes between them"),
    "three offsets": (raw({"a": {**entry(), "data_offsets": [0, 24, 48]}}), "first byte and end"),
    "bytes of another shape": (raw({"a": entry(shape=(7,))}), "expected tensor 'a': 28 bytes for F32"),
    "outside the file": (raw({"a": entry(), "b": entry(24, 48)}), "48 bytes of tensors, for 'b', found 24"),
    "far outside": (raw({"a": entry(0, 1 << 61, shape=(1 << 59,))}), "bytes of tensors, for 'a', found 24"),
    "overlap": (raw({"a": entry(), "b": entry(0, 24)}), "at byte 24, where the one before it ends, found byte 0"),
    "a gap": (raw({"a": entry(4, 28)}, bytes(28)), "at byte 0, where the one before it ends, found byte 4"),
    "bytes of nobody": (raw({"a": entry()}, bytes(30)), "to end with its tensors"),
    "nothing but bytes": (raw({}, bytes(4)), "to end with its tensors"),
    "a name that no terminal shows": (raw(b'{"\\ud800\\u0000": 1}'), r"tensor '\\ud800\\x00'"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_is_not_as_the_format_says_is_refused(tmp_path, name):
    data, words = HOSTILE[name]
    tracemalloc.start()
    try:
        with pytest.raises(ModelFormatError, match=words) as caught:
            read(tmp_path, data)
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()
    assert "model.safetensors: expected" in str(caught.value)
    assert len(str(caught.value)) < 1000
    str(caught.value).encode("utf-8")


def test_a_header_larger_than_any_model_has_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr("kuiper.convert.safetensors.LARGEST", 50)
    with pytest.raises(ModelFormatError, match="a header of at most 50 bytes"):
        read(tmp_path, raw({"a": entry()}))


@pytest.mark.parametrize("cut", range(0, 90, 7))
def test_a_file_cut_short_is_refused(tmp_path, cut):
    whole = raw({"a": entry()})
    assert read(tmp_path, whole)
    with pytest.raises(ModelFormatError):
        read(tmp_path, whole[:cut])


# shards and their index


def index(tmp_path: Path, places: object, **files: bytes) -> Path:
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))
    for name, data in files.items():
        (tmp_path / f"{name}.safetensors").write_bytes(data)
    return tmp_path


def test_shards_are_read_together(tmp_path):
    one, two = raw({"a": entry()}), raw({"b": entry(0, 4, "F16", (2,))}, B.tobytes())
    found = read_weights(index(tmp_path, {"b": "two.safetensors", "a": "one.safetensors"}, one=one, two=two))
    assert {name: tensor.raw.size for name, tensor in found.items()} == {"a": 6, "b": 2}


@pytest.mark.parametrize(
    "shard",
    ["../model.safetensors", "/etc/passwd", "a/b.safetensors", "..\\x.safetensors", "C:x.safetensors", ".safetensors",
     "x.bin", "x.safetensors\n", "x\0.safetensors", 3, None, ["x.safetensors"]],
)  # fmt: skip
def test_a_shard_lies_in_the_folder(tmp_path, shard):
    folder = tmp_path / "inner"
    folder.mkdir()
    (tmp_path / "model.safetensors").write_bytes(raw({"a": entry()}))
    with pytest.raises(ModelFormatError, match=r"the name of a \.safetensors file in the same folder for 'a'"):
        read_weights(index(folder, {"a": shard}))


def test_index_and_shards_name_the_same_tensors(tmp_path):
    one = raw({"a": entry()})
    with pytest.raises(ModelFormatError, match="'b' not in the shard"):
        read_weights(index(tmp_path, {"a": "one.safetensors", "b": "one.safetensors"}, one=one))
    two = raw({"a": entry(), "c": entry(24, 48)}, A.tobytes() * 2)
    with pytest.raises(ModelFormatError, match="'c' not in the index, but in the shard"):
        read_weights(index(tmp_path, {"a": "two.safetensors"}, two=two))
    with pytest.raises(ModelFormatError, match=r"the shard three\.safetensors beside it, found no such file"):
        read_weights(index(tmp_path, {"a": "three.safetensors"}))


@pytest.mark.parametrize("places", [None, [], "x", 3])
def test_an_index_without_places_is_refused(tmp_path, places):
    with pytest.raises(ModelFormatError, match="weight_map: an object"):
        read_weights(index(tmp_path, places))


def test_an_index_of_gigabytes_is_not_read(tmp_path):
    with open(tmp_path / "model.safetensors.index.json", "wb") as file:
        file.truncate(documents.LARGEST + 1)  # a hole: no disk is needed
    with pytest.raises(ModelFormatError, match="in at most"):
        read_weights(tmp_path)


def test_a_folder_without_safetensors_says_what_is_there(tmp_path):
    with pytest.raises(ModelFormatError, match="none of them"):
        read_weights(tmp_path)
    with pytest.raises(ModelFormatError, match="no such folder"):
        read_weights(tmp_path / "missing")
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(ModelFormatError, match=r"pytorch_model\.bin; kuiper reads no pickled weights"):
        read_weights(tmp_path)


# fuzzing

SIZES = st.one_of(st.integers(-2, 30), st.sampled_from([1 << 31, 1 << 63, 10**30, True, 1.0, None, "2"]))
ENTRIES = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(["F32", "F16", "BF16", "U8", "F8", "", None, 3]),
        "shape": st.one_of(st.lists(SIZES, max_size=4), SIZES),
        "data_offsets": st.one_of(st.lists(SIZES, max_size=3), SIZES),
    },
    optional={"more": st.none()},
)
HEADERS = st.dictionaries(st.text(max_size=5), st.one_of(ENTRIES, SIZES), max_size=4)


def refused_or_right(tmp_path: Path, data: bytes) -> None:
    """A KuiperError, or tensors that together are exactly the bytes behind the header."""
    try:
        found = read(tmp_path, data)
    except KuiperError:
        return
    length = int.from_bytes(data[:8], "little")
    assert b"".join(tensor.raw.tobytes() for tensor in found.values()) == data[8 + length :]


@QUICK
@given(header=HEADERS, data=st.binary(max_size=40))
def test_any_header_is_refused_or_right(tmp_path, header, data):
    refused_or_right(tmp_path, raw(header, data))


@QUICK
@given(edits=st.lists(st.tuples(st.integers(0, 200), st.integers(0, 255)), min_size=1, max_size=4))
def test_any_damage_is_refused_or_harmless(tmp_path, edits):
    data = bytearray(raw({"ab": entry(), "cd": entry(24, 28, "BF16", (2, 1))}, A.tobytes() + bytes(4)))
    for at, value in edits:
        data[at % len(data)] = value
    refused_or_right(tmp_path, bytes(data))
