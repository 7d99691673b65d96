r"""A tensor of a file as it is published: why the solution is as it is.

A safetensors file is a length, a header and bytes. The header says where a tensor lies, so nothing else is read: of a
file of many gigabytes one tensor, if `data` is mapped. And nothing in it is code: older files, made by Python's pickle,
can run anything when they are opened.

**Offsets** count from the end of the header, so that the header's own length does not change them. `<` in numpy's types
says that the lowest byte comes first, whatever the processor does.

**BF16** keeps float32's sign and all 8 bits of its exponent, and 7 of its 23 bits of fraction: it is a float32 that was
cut in half. So widening it is a shift by 16 bits, and the view takes these bits as a float32. numpy has no such type.
F16 has 5 bits of exponent and 10 of fraction: more digits, but it ends at 65,504; its bits have to be taken apart,
which numpy's astype does.

**What is refused.** A slice beyond the end is shorter, without a word, so its length is compared with what the header
says, and with what the shape needs. Files come from elsewhere: what they say is checked before it is used.

**Typical mistakes.** Offsets from the beginning of the file; `big` instead of `little`; BF16 read as F16, which gives
plausible numbers that are all wrong; a shift after the view; `astype(np.float32)` of the 16 bits as a whole number.

**And kuiper?** [safetensors.py](../../../kuiper/convert/safetensors.py) maps the file, refuses overlaps and gaps, and
reads the shards of one network; [llama.py](../../../kuiper/convert/llama.py) makes a graph of the tensors' names.
"""

from __future__ import annotations

import json
import math
import struct

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_refused, task

from ..public import bf16, file_of, joined, upper_half


def entry_of(data: np.ndarray, name: str) -> tuple[str, list[int], bytes, int]:
    """(dtype, shape, bytes of the file, where tensors begin, plus the tensor's first offset)."""
    file = data.tobytes()
    (length,) = struct.unpack_from("<Q", file)
    entry = json.loads(file[8 : 8 + length])[name]
    return entry["dtype"], entry["shape"], file, 8 + length + entry["data_offsets"][0]


def numbers(dtype: str, count: int, file: bytes, place: int) -> list[float]:
    """The numbers, one after the other, by struct."""
    if dtype == "F32":
        return list(struct.unpack_from(f"<{count}f", file, place))
    if dtype == "F16":
        return list(struct.unpack_from(f"<{count}e", file, place))
    halves = [file[place + 2 * i : place + 2 * i + 2] for i in range(count)]
    return [struct.unpack("<f", b"\0\0" + half)[0] for half in halves]


def tensor(data: np.ndarray, name: str) -> np.ndarray:
    """What has to come out."""
    dtype, shape, file, place = entry_of(data, name)
    return np.array(numbers(dtype, math.prod(shape), file, place), np.float32).reshape(shape)


def tensor_mistakes(data: np.ndarray, name: str) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives, where that is not what has to come out."""
    dtype, shape, file, place = entry_of(data, name)
    count, start = math.prod(shape), 8 + struct.unpack_from("<Q", file)[0]
    spaces = start - len(file[:start].rstrip(b" "))
    held = file[place : place + count * (4 if dtype == "F32" else 2)]
    right = tensor(data, name)
    found = {}
    if dtype != "F32":
        whole = np.frombuffer(held, "<u2")
        found["the two bytes were taken as a whole number: they are a float's bits, to be looked at as a float"] = (
            whole.astype(np.float32).reshape(shape)
        )
        found["the bits are the LOWER half of the float32: shift them by 16 first"] = (
            whole.astype(np.uint32).view(np.float32).reshape(shape)
        )
        with np.errstate(all="ignore"):
            found["a number was made of the shifted bits: they ARE a float32, so look at them as one"] = (
                (whole.astype(np.uint32) << 16).astype(np.float32).reshape(shape)
            )
    if dtype == "BF16":
        found["that is BF16 read as F16: BF16 is the upper half of a float32"] = (
            np.frombuffer(held, "<f2").astype(np.float32).reshape(shape)
        )
    if dtype == "F16":
        found["that is F16 read as BF16: F16 is numpy's float16"] = (
            (np.frombuffer(held, "<u2").astype(np.uint32) << 16).view(np.float32).reshape(shape)
        )
    for cause, wrong_place in (
        ("the offsets count from the END of the header, not from the beginning of the file", place - start),
        ("the offsets count from the END of the header: its length is in the first 8 bytes", place - start + 8),
        ("the 8 bytes of the length were left out: tensors begin at 8 + length", place - 8),
        ("the header ends where its length says, and not at its last }: spaces may follow", place - spaces),
    ):
        if len(file) - wrong_place >= len(held):
            found[cause] = np.array(numbers(dtype, count, file, wrong_place), np.float32).reshape(shape)
    kind = {"F32": "f4", "F16": "f2", "BF16": "u2"}[dtype]
    turned = np.frombuffer(held, f">{kind}")
    if dtype == "BF16":
        turned = (turned.astype(np.uint32) << 16).view(np.float32)
    found[f"the highest byte of a number comes last: '<{kind}', not '>{kind}'"] = turned.astype(np.float32).reshape(
        shape
    )
    found["the shape is missing: reshape to what the header says"] = right.ravel()
    found["the numbers stand row by row: reshape, without a transpose"] = right.ravel().reshape(shape[::-1]).T
    result = {}
    for cause, wrong in found.items():
        wrong = np.where(np.isnan(wrong), np.float32(np.nan), wrong)  # one kind of NaN, which casts without a warning
        if wrong.shape != right.shape or not np.array_equal(wrong, right, equal_nan=True):
            result[cause] = wrong
    return result


@task("read_tensor")
def a_file_of_many(student: Student, rng: np.random.Generator) -> None:
    """Twenty tensors of all three types and several shapes, each of which is found."""
    arrays, tensors = {}, {}
    for number in range(20):
        shape = [int(n) for n in rng.integers(1, 5, rng.integers(0, 4))]
        dtype = str(rng.choice(["F32", "F16", "BF16"]))
        wide = np.asarray(rng.standard_normal(shape), np.float32)
        array = {"F32": wide, "F16": wide.astype("<f2").astype(np.float32), "BF16": upper_half(wide)}
        held = {"F32": wide.tobytes(), "F16": wide.astype("<f2").tobytes(), "BF16": bf16(np.atleast_1d(wide))}
        arrays[f"model.{number}"], tensors[f"model.{number}"] = array[dtype], (dtype, shape, held[dtype])
    data = file_of(tensors, spaces=int(rng.integers(0, 8)), notes=True)
    for name, array in arrays.items():
        expect(student.read_tensor(data, name), array, what=f"tensor {name} of {len(arrays)}")


@task("read_tensor")
def the_ends_of_the_types(student: Student) -> None:
    """Infinity, the largest and the smallest numbers of each type, and -0."""
    ends = np.array([np.inf, -np.inf, 3.3895314e38, 1e-38, 0.0, 9.18e-41], np.float32)
    data = file_of({"w": ("BF16", [6], bf16(ends))})
    expect(student.read_tensor(data, "w"), upper_half(ends), what="BF16")
    ends = np.array([np.inf, -np.inf, 65504, -65504, 6e-8, 6.1e-5], np.float16)
    data = file_of({"w": ("F16", [6], ends.tobytes())})
    expect(student.read_tensor(data, "w"), ends.astype(np.float32), what="F16")


@task("read_tensor")
def names_of_all_kinds(student: Student, rng: np.random.Generator) -> None:
    """Names with other letters, which take more bytes than characters, and a name that looks like a key of an entry."""
    arrays = {name: rng.standard_normal(2).astype("<f4") for name in ("größe", "dtype", "層.0", "")}
    header, end = {}, 0
    for name, array in arrays.items():
        header[name] = {"data_offsets": [end, end + 8], "shape": [2], "dtype": "F32"}
        end += array.nbytes
    written = json.dumps(header, ensure_ascii=False).encode()
    file = len(written).to_bytes(8, "little") + written + b"".join(array.tobytes() for array in arrays.values())
    for name, array in arrays.items():
        expect(student.read_tensor(np.frombuffer(file, np.uint8).copy(), name), array, what=f"tensor {name!r}")


@task("read_tensor")
def damaged_files(student: Student) -> None:
    """Files whose end is missing, and entries whose offsets do not fit their shapes."""
    whole = file_of({"a": ("F32", [2], bytes(8)), "b": ("BF16", [3], bytes(6))})
    for missing in (1, 2, 4, 6):
        expect_refused(student.read_tensor, whole[:-missing].copy(), "b")
    expect(student.read_tensor(whole[:-6].copy(), "a"), np.zeros(2, np.float32), what="the tensor that is whole")
    for dtype, shape, offsets, held in (("F16", [2], [0, 8], 4), ("U16", [2], [0, 4], 4), ("F32", [], [0, 8], 8)):
        data = joined({"w": {"dtype": dtype, "shape": shape, "data_offsets": offsets}}, bytes(held))
        expect_refused(student.read_tensor, data, "w")
    expect_refused(student.read_tensor, whole, "c", error="KeyError")


START = '    start = 8 + int.from_bytes(file[:8], "little")\n'
LONGER = "    if start > len(file):\n"
HELD = "    held = file[start + first : start + last]\n"
SIZES = '    size = {"F32": 4, "F16": 2, "BF16": 2}.get(entry["dtype"])\n'
MISSING = '    if name == "__metadata__" or name not in header:\n'
FITS = '    if len(held) != last - first or len(held) != size * int(np.prod(entry["shape"])):\n'
WIDER = '        numbers = (np.frombuffer(held, "<u2").astype(np.uint32) << 16).view(np.float32)\n'
FLOATS = '        numbers = np.frombuffer(held, "<f4" if size == 4 else "<f2").astype(np.float32)\n'
RESULT = '    return numbers.reshape(entry["shape"])\n'

MUTANTS = [
    Mutant("one_byte", "takes one byte for the length", START, START.replace("file[:8]", "file[:1]"), "length"),
    Mutant("two_bytes", "takes two bytes for the length", START, START.replace("file[:8]", "file[:2]"), "length"),
    Mutant("four_bytes", "takes four bytes for the length", START, START.replace("file[:8]", "file[:4]"), "length"),
    Mutant("longer", "takes what there is of a header", LONGER, "    if False:\n", "length"),
    Mutant("equal", "refuses a header that ends the file", LONGER, "    if start >= len(file):\n", "length"),
    Mutant("eight_more", "counts the length's bytes, too", LONGER, "    if start - 8 > len(file):\n", "length"),
    Mutant(
        "first",
        "the tensor that lies first",
        HELD,
        "    held = file[start : start + last - first]\n",
        "offsets",
    ),
    Mutant("last", "counts from the end of the file", HELD, "    held = file[len(file) - last + first :][: last]\n"),
    Mutant(
        "flat",
        "one axis",
        RESULT,
        "    return numbers.ravel()\n",
        "shape",
    ),
    Mutant(
        "turned",
        "column by column",
        RESULT,
        '    return numbers.reshape(entry["shape"], order="F")\n',
        "shape",
    ),
    Mutant("narrow", "F16 stays float16", FLOATS, FLOATS.replace(".astype(np.float32)", ""), "f16"),
    Mutant("wide", "F32 made wide", FLOATS, FLOATS.replace("np.float32)", 'float if size == 4 else "f4")'), "f32"),
    Mutant("half", "BF16 as if it were F16", '    if entry["dtype"] == "BF16":\n', "    if False:\n", "bf16"),
    Mutant("brain", "F16 as if it were BF16", '    if entry["dtype"] == "BF16":\n', "    if size == 2:\n", "f16"),
    Mutant("low", "BF16 as the lower half", WIDER, WIDER.replace(" << 16", ""), "bf16"),
    Mutant("shifted", "the number shifted", WIDER, WIDER.replace("view", "astype"), "bf16"),
    Mutant(
        "notes",
        "takes __metadata__ for a tensor",
        MISSING,
        '    if name == "__metadata__" and name in header:\n        return np.zeros(1, np.float32)\n'
        "    if name not in header:\n",
        "missing",
    ),
    Mutant("notes_too", "looks for offsets in __metadata__", MISSING, "    if name not in header:\n", "missing"),
    Mutant(
        "nothing",
        "None for what is not there",
        "        raise KeyError(name)\n",
        "        return None\n",
        "missing",
    ),
    Mutant("other", "ValueError for what is not there", "raise KeyError(name)", "raise ValueError(name)", "missing"),
    Mutant("any_type", "takes four bytes for any type", SIZES, SIZES.replace('"])\n', '"], 4)\n'), "refused"),
    Mutant(
        "cut",
        "takes what there is beyond the end",
        FITS,
        '    if len(held) != size * int(np.prod(entry["shape"])):\n',
        "refused",
    ),
    Mutant(
        "more",
        "takes more bytes than the shape needs",
        FITS,
        '    held = held[: size * int(np.prod(entry["shape"]))] if len(held) == last - first else held\n'
        '    if len(held) != size * int(np.prod(entry["shape"])):\n',
        "refused",
    ),
]
