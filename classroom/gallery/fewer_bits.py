"""A piece once more, with its network's weights in 8 bits by the student: what it takes then, and how good it is."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import kuiper
from classroom.gallery.piece import Callbacks, Piece
from classroom.gallery.pipeline import Pipeline, Replacements, call_student
from classroom.gallery.plugs.bits import LINEAR
from kuiper import pnnx
from kuiper.graph import Attribute
from kuiper.layers.linear.linear import Linear
from kuiper.quantize import small_weights, to_int8

OFF = 0.51
"""Scales that a weight may be off: a half, and what rounding in float32 adds."""
FEW = 10
"""Examples of which nobody should expect to see what rounding costs."""
Stored = tuple[np.ndarray, np.ndarray]
"""Values (R, C) int8 and scales (R, 1) float32, as the exercise `quantize` gives them."""
Steps = Mapping[str, Callable[..., Any]]


def in_eight_bits(piece: Piece, items: Sequence[Any], steps: Steps) -> str:
    """How large the weights are in 8 bits, and how good the piece was before and is then, in two or three sentences.

    steps : the student's quantize, dequantize and int8_matvec, as far as they are there; the others are kuiper's.

    Raises KuiperError for what these functions raise, and for results that are further off than rounding explains.
    """
    graph, stored, before, after = pnnx.read(piece.model), {}, 0, 0
    for operator, key in small_weights(graph):
        weight = operator.attributes[key].data.astype(np.float32)
        values, scale, back = there_and_back(steps, weight.reshape(len(weight), -1), operator.name)
        operator.attributes[key] = Attribute.from_array(back.reshape(weight.shape))
        before, after = before + weight.nbytes, after + values.nbytes + scale.nbytes
        if operator.type == LINEAR:
            stored[operator.name] = values, scale
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / piece.model.name
        pnnx.write(graph, model)
        replacements = Replacements()
        if "int8_matvec" in steps and stored:
            replacements.registry.override(LINEAR, products(steps["int8_matvec"], stored))
        rounded = piece.look(Pipeline(model, piece.steps, replacements), items, Callbacks())
    reference = piece.look(Pipeline(piece.model, piece.steps), items, Callbacks())
    good, now = (piece.quality(answer, items) for answer in (reference, rounded))
    few = f" Of {len(items)} examples a small change, up or down, is chance." if len(items) <= FEW else ""
    said = f"In 8 bits by your code the weights take {after:,} bytes instead of {before:,}."
    return f"{said} Before: {good}; now: {now}.{few}"


def there_and_back(steps: Steps, weight: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """An operator's weight (R, C) -> values (R, C) int8, scales (R, 1) float32, and (R, C) float32 made of these.

    Raises KuiperError for other types and shapes, and where a number is off by more than half a scale.
    """
    if "quantize" in steps:
        made = call_student("quantize", steps["quantize"], [weight])
        if not isinstance(made, tuple) or len(made) != 2:
            raise kuiper.KuiperError(f"quantize: expected (values, scale), got {type(made).__name__}")
        values = as_meant(made[0], weight.shape, np.int8, f"quantize, values of {name}")
        scale = as_meant(made[1], (len(weight), 1), np.float32, f"quantize, scales of {name}")
    else:
        kuipers = to_int8(weight, weight.shape[1])
        values, scale = kuipers.values, np.asarray(kuipers.scale)
    back = values * scale
    if "dequantize" in steps:
        made = call_student("dequantize", steps["dequantize"], [values, scale])
        back = as_meant(made, weight.shape, np.float32, f"dequantize for {name}")
    allowed = OFF * np.abs(weight).max(axis=1, keepdims=True) / 127
    wrong = np.argwhere(~(np.abs(back - weight) <= allowed))
    if len(wrong):
        place = tuple(int(i) for i in wrong[0])
        whose = " and ".join(exercise for exercise in ("quantize", "dequantize") if exercise in steps)
        said = f"{weight[place]:.6g} at {place} came back as {back[place]:.6g}"
        raise kuiper.KuiperError(
            f"{whose}: of the weight of {name}, {said}; rounding explains {allowed[place[0], 0]:.2g}"
        )
    return values, scale, back


def products(int8_matvec: Callable[..., Any], stored: Mapping[str, Stored]) -> Callable[..., Any]:
    """What makes the layer of an nn.Linear: one that multiplies whole numbers, row by row."""

    def layer(operator: kuiper.RuntimeOperator) -> Linear:
        values, scale = stored[operator.name]
        attributes = {key: attribute.data for key, attribute in operator.attributes.items()}
        weight = attributes["weight"]
        magnitudes = np.abs(weight).sum(axis=1)

        class WholeNumbers(Linear):
            def forward(self, x: np.ndarray) -> np.ndarray:
                rows = x.reshape(-1, x.shape[-1])
                y = np.empty((len(rows), len(weight)), np.float32)
                for number, row in enumerate(rows):
                    made = call_student("int8_matvec", int8_matvec, [values, scale, row])
                    y[number] = as_meant(made, y[number].shape, np.float32, f"int8_matvec for {operator.name}")
                    allowed = OFF * np.abs(row).max() / 127 * magnitudes
                    wrong = np.argwhere(~(np.abs(y[number] - weight @ row) <= allowed))
                    if len(wrong):
                        place = int(wrong[0, 0])
                        said = f"expected about {weight[place] @ row:.6g}, got {y[number, place]:.6g}"
                        raise kuiper.KuiperError(f"int8_matvec for {operator.name}: at {place} {said}")
                if self.bias is not None:
                    y += self.bias
                return y.reshape(*x.shape[:-1], -1)

        return WholeNumbers(weight, attributes.get("bias"))

    return layer


def as_meant(got: Any, shape: tuple[int, ...], dtype: Any, what: str) -> np.ndarray:
    """The array, of this shape and type. Raises KuiperError for anything else."""
    if not isinstance(got, np.ndarray) or got.shape != shape or got.dtype != dtype:
        said = f"{got.dtype} {got.shape}" if isinstance(got, np.ndarray) else type(got).__name__
        raise kuiper.KuiperError(f"{what}: expected {np.dtype(dtype)} {shape}, got {said}")
    return got
