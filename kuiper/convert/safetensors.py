"""*.safetensors -> weights, mapped into memory where they lie.

    length of the header (8 bytes) | header: JSON, name -> dtype, shape, data_offsets | bytes of all tensors

Offsets count from the header's end. Tensors follow each other without a gap, to the end of the file: so says the
format, and a file in which two overlap, or bytes belong to none, is refused. Nothing in such a file is code.

Source: https://huggingface.co/docs/safetensors (format)
"""

from __future__ import annotations

import math
import mmap
import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from kuiper.documents import LARGEST, kind_of, parse_object, read_object
from kuiper.dtypes import DTYPES, DType
from kuiper.errors import ModelFormatError
from kuiper.graph import Attribute

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
_SHARD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*\.safetensors")  # a name alone: no path leads out of the folder
_TYPES = {
    name: DTYPES[code]
    for name, code in {
        "F64": "f64", "F32": "f32", "F16": "f16", "BF16": "bf16", "I64": "i64", "I32": "i32", "I16": "i16",
        "I8": "i8", "U8": "u8", "BOOL": "bool",
    }.items()
}  # fmt: skip
_LENGTH = 8
_MOST_AXES = 16


def read_weights(folder: Path) -> dict[str, Attribute]:
    """The tensors of a folder, by name: of model.safetensors, or of the shards that its index names.

    Raises ModelFormatError for a folder without such files, for a shard that is not there or lies elsewhere, and where
    index and shards name different tensors.
    """
    if (folder / WEIGHTS).is_file():
        return read_safetensors(folder / WEIGHTS)
    path = folder / INDEX
    if not path.is_file():
        raise ModelFormatError(folder, None, f"{WEIGHTS} or {INDEX}", _others(folder))
    places = read_object(path, "where each tensor lies").get("weight_map")
    if not isinstance(places, dict):
        raise ModelFormatError(path, None, "weight_map: an object", kind_of(places))
    named: dict[str, set[str]] = {}
    for name, shard in places.items():
        if not isinstance(shard, str) or not _SHARD.fullmatch(shard):
            expected = f"the name of a .safetensors file in the same folder for {name!r:.80}"
            raise ModelFormatError(path, None, expected, kind_of(shard))
        named.setdefault(shard, set()).add(name)
    weights: dict[str, Attribute] = {}
    for shard, names in named.items():
        if not (folder / shard).is_file():
            raise ModelFormatError(path, None, f"the shard {shard} beside it", "no such file: is it downloaded?")
        found = read_safetensors(folder / shard)
        if names != found.keys():
            name = min(names ^ found.keys())
            where = "not in the shard" if name in names else "not in the index, but in the shard"
            raise ModelFormatError(folder / shard, None, "the tensors that the index names", f"{name!r:.80} {where}")
        weights |= found
    return weights


def _others(folder: Path) -> str:
    """What a folder has in the place of weights, for an error."""
    if not folder.is_dir():
        return "no such folder"
    names = sorted(path.name for path in folder.iterdir() if path.suffix in (".safetensors", ".bin", ".pt", ".gguf"))
    if any(name.endswith((".bin", ".pt")) for name in names):
        return f"{', '.join(names[:3])}; kuiper reads no pickled weights, which can run code: download safetensors"
    return ", ".join(names[:3]) or "none of them"


def read_safetensors(path: Path) -> dict[str, Attribute]:
    """The tensors of one file, by name, in the order in which they lie. They share memory with the file.

    Raises ModelFormatError for a file that is not as the format says; nothing is allocated for a size that the file
    has not. Do not truncate the file while it is mapped.
    """
    data, start, header = _open(path)
    weights: dict[str, Attribute] = {}
    end = start
    for name, dtype, shape, begin, stop in sorted(_entries(path, header), key=lambda entry: entry[3:]):
        if start + begin != end:
            expected = f"tensor {name!r:.80} at byte {end - start}, where the one before it ends"
            raise ModelFormatError(path, None, expected, f"byte {begin}")
        end = start + stop
        if end > len(data):
            raise ModelFormatError(path, None, f"{stop} bytes of tensors, for {name!r:.80}", f"{len(data) - start}")
        weights[name] = Attribute(dtype, shape, _array(data, dtype, shape, start + begin))
    if end != len(data):
        raise ModelFormatError(path, None, f"the file to end with its tensors, at byte {end}", f"{len(data)} bytes")
    return weights


def _open(path: Path) -> tuple[mmap.mmap, int, dict[str, Any]]:
    """The file, mapped; the byte at which tensors begin; and what the header says."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            length = int.from_bytes(file.read(_LENGTH), "little")
            if size < _LENGTH + 2:
                raise ModelFormatError(path, None, "a length in 8 bytes, then a header", f"{size} bytes in all")
            if length > min(size - _LENGTH, LARGEST):
                expected = f"a header of at most {min(size - _LENGTH, LARGEST)} bytes"
                raise ModelFormatError(path, None, expected, f"one of {length}")
            header = parse_object(path, file.read(length), "the header")
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), _LENGTH + length, header
    except (OSError, ValueError) as error:
        raise ModelFormatError(path, None, "a file that can be read", f"{error!s:.200}") from error


def _entries(path: Path, header: dict[str, Any]) -> list[tuple[str, DType, tuple[int, ...], int, int]]:
    """(name, type, shape, first byte, byte after the last) of each tensor, each checked for itself."""
    entries = []
    for name, said in header.items():
        if name == "__metadata__":
            continue
        where = f"tensor {name!r:.80}"
        if not isinstance(said, dict) or said.keys() != {"dtype", "shape", "data_offsets"}:
            found = f"{', '.join(map(repr, said)):.80}" if isinstance(said, dict) else kind_of(said)
            raise ModelFormatError(path, None, f"{where}: dtype, shape and data_offsets", found or "none of them")
        kind, shape, offsets = said["dtype"], said["shape"], said["data_offsets"]
        dtype = _TYPES.get(kind) if isinstance(kind, str) else None
        if dtype is None:
            raise ModelFormatError(path, None, f"{where}: dtype, one of {', '.join(_TYPES)}", kind_of(kind))
        if not _are_sizes(shape) or len(shape) > _MOST_AXES:
            raise ModelFormatError(
                path, None, f"{where}: shape, a list of at most {_MOST_AXES} sizes", f"{shape!r:.80}"
            )
        if not _are_sizes(offsets) or len(offsets) != 2:
            raise ModelFormatError(path, None, f"{where}: data_offsets, first byte and end", f"{offsets!r:.80}")
        begin, stop = offsets
        size = math.prod(shape) * dtype.itemsize
        if stop - begin != size:
            expected = f"{where}: {size} bytes for {kind} {tuple(shape)!s:.80}"
            raise ModelFormatError(path, None, expected, f"data_offsets with {stop - begin} bytes between them")
        entries.append((name, dtype, tuple(shape), begin, stop))
    return entries


def _are_sizes(value: Any) -> bool:
    return isinstance(value, list) and all(type(size) is int and 0 <= size < 1 << 62 for size in value)


def _array(data: mmap.mmap, dtype: DType, shape: tuple[int, ...], start: int) -> np.ndarray:
    """The elements at a byte, as a read-only array that shares memory with the file."""
    if 0 in shape:
        return np.empty(shape, dtype.storage)
    return np.frombuffer(data, dtype.storage, math.prod(shape), start).reshape(shape)
