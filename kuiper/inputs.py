"""Files -> the arrays that a network reads: .npy, .npz and pictures, batch first."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from kuiper.errors import KuiperError, ShapeError
from kuiper.graph import Operand, shape_text
from kuiper.vision.normalization import Normalization
from kuiper.vision.pictures import open_picture, shrink

PICTURES = (".png", ".jpg", ".jpeg", ".bmp")
Shape = tuple[int, ...]


def read_input(source: str, operand: Operand, normalization: Normalization | None = None) -> np.ndarray:
    """The array in a file, as the network's input `operand` asks for it.

    Parameters
    ----------
    source : FILE.npy, FILE.npz, FILE.npz:KEY, or a picture (.png, .jpg, .bmp).
    operand : the network's input; a picture takes its size, an array must have its rank.
    normalization : of pictures; by default 0..255 becomes 0..1.

    Raises KuiperError for a file that cannot be read, ShapeError for an array that does not fit.
    """
    file, key = _split_key(source)
    kind = os.path.splitext(file)[1].lower()
    if kind not in (".npy", ".npz", *PICTURES):
        raise KuiperError(
            f"{file}: expected .npy, .npz, or a picture ({', '.join(PICTURES)}), found {kind or 'no'} suffix"
        )
    if not Path(file).is_file():
        found = "a folder" if Path(file).is_dir() else "no such file"
        raise KuiperError(f"{file}: expected a file, found {found}")
    if kind in PICTURES:
        return read_picture(file, operand, normalization or Normalization())
    array = read_npz(file, key) if kind == ".npz" else read_npy(file)
    check_rank(file, array, operand)
    return array


def check_rank(file: str, array: np.ndarray, operand: Operand) -> None:
    """Refuse an array whose rank is not the network's, and say how to add a batch axis that is missing."""
    declared = operand.shape
    if declared is None or array.ndim == len(declared):
        return
    what, expected, found = f"{file} for input {operand.name}", shape_text(declared), shape_text(array.shape)
    if declared[1:2] == (1,) and array.ndim == len(declared) - 1 and array.shape[1:] == declared[2:]:
        found += ", without the channel axis; add it and save again: np.save(file, x[:, None])"
    elif array.ndim == len(declared) - 1:
        expected += ", batch first"
        found += ", without the batch axis; add it and save again: np.save(file, x[None])"
    raise ShapeError(what, expected, found)


def read_npy(file: str) -> np.ndarray:
    """The array of a .npy file. Python objects are refused: to load a pickle is to run what it says."""
    with open(file, "rb") as stream:
        if stream.read(6) != b"\x93NUMPY":
            raise KuiperError(f"{file}: expected a .npy file (np.save writes one), found other content")
    return _numbers(file, _load(file))


def read_npz(file: str, key: str | None = None) -> np.ndarray:
    """One array of a .npz file: the one called `key`, or the only one."""
    with _load(file) as archive:
        keys = list(getattr(archive, "files", []))
        if key is None and len(keys) != 1:
            listed = ", ".join(keys) or "none"
            raise KuiperError(f"{file}: expected one array, found {len(keys)} ({listed}); choose one with {file}:KEY")
        if key is not None and key not in keys:
            raise KuiperError(f"{file}: expected an array called {key!r}, found {', '.join(keys) or 'none'}")
        try:
            array = archive[key or keys[0]]
        except Exception as error:
            raise _unreadable(file, error) from error
    return _numbers(file, array)


def read_picture(file: str, operand: Operand, normalization: Normalization) -> np.ndarray:
    """A picture -> (1,C,H,W) of float32 in the network's size: resized (bilinear), grey for C = 1, RGB for C = 3.

    A dimension H or W that the network leaves open takes the picture's own.
    Raises KuiperError without Pillow, for a damaged file, and for a network that does not read pictures.
    """
    declared = operand.shape
    if declared is None or len(declared) != 4 or declared[1] not in (1, 3):
        found = "no declared shape" if declared is None else shape_text(declared)
        raise ShapeError(f"{file} for input {operand.name}", "an input (N,1,H,W) or (N,3,H,W) for a picture", found)
    picture = open_picture(file, "L" if declared[1] == 1 else "RGB")
    height, width = (declared[axis] if declared[axis] > 0 else picture.size[3 - axis] for axis in (2, 3))
    pixels = shrink(picture, height, width)
    channels_first = pixels[None] if declared[1] == 1 else pixels.transpose(2, 0, 1)
    return normalization(channels_first)[None]


def random_input(operand: Operand, rng: np.random.Generator, shape: Shape | None = None) -> np.ndarray:
    """An array for the network's input: standard normal; 0 or 1 where the network reads integers or booleans.

    Parameters
    ----------
    shape : instead of the declared one; an open batch axis counts as 1.

    Raises ShapeError when dimensions are left open.
    """
    extents = concrete_shape(operand, shape)
    if extents is None:
        found = "no declared shape" if operand.shape is None else shape_text(operand.shape)
        raise ShapeError(f"input {operand.name}", "a shape without open dimensions; give one with --shape", found)
    dtype = operand.dtype.compute if operand.dtype is not None else np.dtype("f4")
    try:
        if dtype.kind in "iub":
            return rng.integers(0, 2, extents).astype(dtype)
        array = rng.standard_normal(extents)
        return (array + 1j * rng.standard_normal(extents)).astype(dtype) if dtype.kind == "c" else array.astype(dtype)
    except (MemoryError, ValueError) as error:
        raise ShapeError(f"input {operand.name}", "a shape that fits into memory", shape_text(extents)) from error


def concrete_shape(operand: Operand, shape: Shape | None = None) -> Shape | None:
    """`shape`, or the declared one with a batch of 1 where that is open; None when other dimensions are open.

    >>> concrete_shape(Operand("0", (-1, 3, 8, 8)))
    (1, 3, 8, 8)
    """
    declared = operand.shape
    if shape is None and declared is not None:
        shape = (1, *declared[1:]) if declared and declared[0] < 0 else declared
    elif shape is not None and declared is not None and len(shape) != len(declared):
        raise ShapeError(f"--shape for input {operand.name}", f"a shape like {shape_text(declared)}", shape_text(shape))
    return None if shape is None or any(extent < 0 for extent in shape) else shape


def _split_key(source: str) -> tuple[str, str | None]:
    # the last ".npz:", because a path may hold colons of its own (C:\x.npz:key)
    at = source.lower().rfind(".npz:")
    return (source, None) if at < 0 else (source[: at + 4], source[at + 5 :])


def _load(file: str) -> Any:
    try:
        return np.load(file, allow_pickle=False)
    except Exception as error:
        raise _unreadable(file, error) from error


def _numbers(file: str, array: np.ndarray) -> np.ndarray:
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "biufc":
        raise KuiperError(
            f"{file}: expected an array of numbers, found {getattr(array, 'dtype', type(array).__name__)}"
        )
    return array


def _unreadable(file: str, error: Exception) -> KuiperError:
    """One sentence for the many kinds of exception that numpy, zipfile and Pillow raise for a damaged file."""
    if "allow_pickle" in str(error):
        return KuiperError(
            f"{file}: expected an array of numbers, found pickled Python objects, which could run any code when loaded"
        )
    reason = " ".join(str(error).split()) or type(error).__name__
    return KuiperError(f"{file}: expected a file that can be read, found it damaged: {reason}")
