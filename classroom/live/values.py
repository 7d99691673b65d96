"""What every operator of a network computes for one input, in few numbers: for the viewer of the site's pages.

The summaries of a page's own runs (static/viewer-summary.js of the viewer) have the same fields.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from classroom.gallery.classify import preprocess
from classroom.gallery.digits import scan_of
from classroom.register import ROOT
from kuiper import dtypes
from kuiper.errors import KuiperError
from kuiper.runtime import RuntimeGraph
from kuiper.runtime.values import leaves
from kuiper.text import Cache, Tokens
from kuiper.vision import Letterbox

FIRST = 6
"""Numbers that are shown as they are."""
MAPS, SIDE, WIDEST = 8, 24, 64
"""At most so many maps (H,W), of so many rows and columns; a row alone has WIDEST."""
SIDE_OF_ANY = 192
"""Side of the picture, in pixels, for a network that takes any."""
TEXT_TOKENS = 24
"""Tokens of a text that are read; the first ones."""


def summary(value: Any) -> dict[str, Any]:
    """An array as JSON: shape, type, smallest, greatest and mean number, share of zeros, the first, and maps.

    Numbers that are not finite count for `odd` alone.

    >>> told = summary(np.array([[0.0, -1.0, 3.0, 2.0]], np.float32))
    >>> [told[key] for key in ("shape", "dtype", "min", "max", "mean", "zeros")]
    [[1, 4], 'f32', -1.0, 3.0, 1.0, 0.25]
    """
    array = np.asarray(value)
    told: dict[str, Any] = {"shape": list(array.shape), "dtype": dtypes.of(array).code}
    numbers = np.abs(array) if array.dtype.kind == "c" else array.astype(np.float64)
    finite = numbers[np.isfinite(numbers)]
    told["odd"] = int(numbers.size - finite.size)
    told["first"] = [round_to_six(one) for one in numbers.ravel()[:FIRST].tolist() if np.isfinite(one)]
    if finite.size:
        told |= {key: round_to_six(float(take(finite))) for key, take in STATISTICS.items()}
        told["zeros"] = round_to_six(float(np.mean(numbers == 0)))
        told["maps"] = maps(np.where(np.isfinite(numbers), numbers, 0))
    return told


STATISTICS: dict[str, Callable[[np.ndarray], Any]] = {"min": np.min, "max": np.max, "mean": np.mean}


def round_to_six(number: float) -> float:
    """A number with six digits that count.

    >>> round_to_six(0.12345678), round_to_six(123456789.0)
    (0.123457, 123457000.0)
    """
    return float(f"{number:.6g}")


def maps(numbers: np.ndarray) -> dict[str, Any]:
    """(..., H, W) -> the first maps, every `step`-th row and column, as signed bytes in base64: 127 is `peak`."""
    lines = numbers.reshape(-1, *numbers.shape[-2:]) if numbers.ndim > 2 else numbers.reshape(1, 1, -1)
    count, height, width = lines.shape
    across = WIDEST if height == 1 else SIDE
    step = [max(1, -(-height // SIDE)), max(1, -(-width // across))]
    if height == 1:
        step[1] = 1
    shown = lines[:MAPS, :: step[0], :: step[1]][:, :, :across]
    peak = float(np.abs(shown).max(initial=0)) or 1.0
    scaled = np.round(shown / peak * 127).astype(np.int8)
    return {
        "of": count,
        "shape": list(shown.shape),
        "step": step,
        "peak": round_to_six(peak),
        "data": base64.b64encode(scaled.tobytes()).decode(),
    }


def values_of(graph: RuntimeGraph, inputs: Sequence[np.ndarray]) -> dict[str, list[dict[str, Any]]]:
    """Operator -> the summaries of its outputs, for one input of the network. Raises KuiperError."""
    kept = graph.forward(*inputs, keep=True).kept
    return {name: [summary(one) for one in leaves(value)] for name, value in kept.items()}


def network_inputs(graph: RuntimeGraph, model: str, asked: Mapping[str, Any]) -> list[np.ndarray]:
    """What a page's reader gave -> the inputs of the network of the course that is called `model`.

    asked : {"text"} for the writer; {"pixels" (base64 of RGB bytes), "height", "width"} for all others.

    Raises KuiperError for what the network cannot take.
    """
    if model == "writer":
        return text_inputs(graph, str(asked["text"]))
    raw = np.frombuffer(base64.b64decode(asked["pixels"]), np.uint8)
    picture = raw.reshape(int(asked["height"]), int(asked["width"]), 3)
    if model == "digits":
        return [scan_of(picture.mean(axis=2))[None, None]]
    return [picture_input(graph, model, picture)]


def picture_input(graph: RuntimeGraph, model: str, picture: np.ndarray) -> np.ndarray:
    """(H,W,3) bytes -> the network's input (1,3,H',W') float32, as the demo makes it."""
    height, width = (size if size > 0 else SIDE_OF_ANY for size in (graph.inputs[0].shape or (-1, -1))[-2:])
    if model == "classifier":
        return preprocess(picture, height, width)
    canvas = Letterbox.fit((picture.shape[0], picture.shape[1]), (height, width)).apply(picture)
    return canvas.transpose(2, 0, 1)[None] / np.float32(255)


def text_inputs(graph: RuntimeGraph, text: str) -> list[np.ndarray]:
    """A text -> the writer's inputs: its first tokens, and a cache that holds nothing yet.

    Raises KuiperError for an empty text.
    """
    tokens = Tokens.load(ROOT / "models/writer/tokens.json").encode(text)[:TEXT_TOKENS]
    if not tokens:
        raise KuiperError("a text: expected at least one character, found none")
    empty = Cache.of(graph, 1)
    return [np.array([tokens]), empty.keys, empty.values, np.array([0])]


def filled_inputs(graph: RuntimeGraph, asked: Sequence[Mapping[str, Any]]) -> list[np.ndarray]:
    """What a page's reader gave for a network of their own -> an array for each input.

    asked : for each input {"shape"}, and {"pixels", "height", "width"} or else {"fill": "random", "ones" or "zeros"}.
        Random numbers are normal, from seed 0; a picture is resized and becomes 0 to 1.

    Raises KuiperError for a shape that the input does not have.
    """
    if len(asked) != len(graph.inputs):
        raise KuiperError(f"expected {len(graph.inputs)} inputs, found {len(asked)}")
    return [_filled(one, operand.dtype) for one, operand in zip(asked, graph.inputs)]


def _filled(asked: Mapping[str, Any], dtype: dtypes.DType | None) -> np.ndarray:
    shape = tuple(int(size) for size in asked["shape"])
    if min(shape, default=1) < 1:
        raise KuiperError(f"a shape of an input: expected numbers from 1, found {shape}")
    if "pixels" in asked:
        raw = np.frombuffer(base64.b64decode(asked["pixels"]), np.uint8)
        picture = raw.reshape(int(asked["height"]), int(asked["width"]), 3).transpose(2, 0, 1) / np.float32(255)
        if len(shape) != 4 or shape[1] not in (1, 3) or shape[2:] != picture.shape[1:]:
            raise KuiperError(f"a picture: expected an input (N,1 or 3,H,W), found {shape}")
        channels = picture if shape[1] == 3 else picture.mean(axis=0, keepdims=True)
        array = np.broadcast_to(channels, shape).copy()
    elif asked["fill"] == "random":
        array = np.random.default_rng(0).standard_normal(shape)
    else:
        array = np.full(shape, {"ones": 1.0, "zeros": 0.0}[asked["fill"]])
    return array.astype(np.float32 if dtype is None else dtype.compute)


def sample(graph: RuntimeGraph, model: str) -> tuple[str, list[np.ndarray]]:
    """What the viewer shows the stored values for: in words, and as the network's inputs. Raises KuiperError, OSError.

    It is a thing that the network was not trained on.
    """
    folder: Path = ROOT / "models" / model
    if model == "writer":
        text = "The function returns"
        return f"the text “{text}”", text_inputs(graph, text)
    with np.load(folder / "heldout.npz") as data:
        images = data["images"]
        if model == "digits":
            place = int(np.flatnonzero(data["labels"] == 0)[0])
            return "a held-out scan of a 0", [images[place][None, None].astype(np.float32)]
    return "a held-out picture", [picture_input(graph, model, images[0])]
