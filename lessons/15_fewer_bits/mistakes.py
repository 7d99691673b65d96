"""What goes wrong in the cells of lesson 15 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

Mistakes = Mapping[str, Callable[..., Any]]


def _row(
    row: np.ndarray,
    rounding: Callable[[np.ndarray], np.ndarray] = np.rint,
    magnitude: Callable[[np.ndarray], Any] = lambda row: np.abs(row).max(),
    most: float = 127,
    made: Callable[[np.ndarray, Any], Any] = lambda values, scale: (values.astype(np.int64).astype(np.int8), scale),
) -> Any:
    """`quantized_row` with a mistake. made : what is returned of values and scale."""
    scale = magnitude(row) / most
    return made(rounding(row / scale), scale)


QUANTIZED_ROW: Mistakes = {
    "a cast drops what is after the decimal point: np.rint first, then astype(np.int8)": partial(
        _row, rounding=np.trunc
    ),
    "np.floor rounds down: np.rint goes to the nearest": partial(_row, rounding=np.floor),
    "a negative number can be the largest magnitude: np.abs first": partial(_row, magnitude=np.max),
    "the largest magnitude becomes 128, which int8 does not have: divide by 127": partial(_row, most=128),
    "the numbers are right, their form is not: .astype(np.int8) after np.rint, and `return values, scale`, which is a "
    "tuple": partial(_row, made=lambda values, scale: (values, scale)),
    "the row was cast to int8 before it was divided, and the cast drops what is after the decimal point: divide, "
    "np.rint, and then astype": lambda row: (
        row.astype(np.int8) / (np.abs(row).max() / 127),
        np.abs(row).max() / 127,
    ),
    "the row was rounded, but not divided by the scale: divide first": lambda row: (
        np.rint(row).astype(np.int8),
        np.abs(row).max() / 127,
    ),
    "divide by 127: with 128 the largest magnitude has to be cut off, and all others are stretched too little": partial(
        _row, rounding=lambda values: np.clip(np.rint(values), -127, 127), most=128
    ),
    "divide by 127: with 128 the largest positive number has to be cut off, and -128 stays unused": (
        partial(_row, rounding=lambda values: np.clip(np.rint(values), -128, 127), most=128)
    ),
    "a negative number can be the largest magnitude: np.abs first, and then there is nothing to cut off": partial(
        _row, rounding=lambda values: np.clip(np.rint(values), -127, 127), magnitude=np.max
    ),
    "a negative number can be the largest magnitude: np.abs first, and -128 stays unused": partial(
        _row, rounding=lambda values: np.clip(np.rint(values), -128, 127), magnitude=np.max
    ),
    "the scale is an array with one number in it: a row has one axis, so max without keepdims gives the number": (
        partial(_row, magnitude=lambda row: np.abs(row).max(keepdims=True))
    ),
    "int8 has 256 values, but the scale is the largest magnitude / 127: the values go from -127 to 127": partial(
        _row, most=256
    ),
    "int8 has 255 of these values, but the scale is the largest magnitude / 127, for both signs": partial(
        _row, most=255
    ),
    "that is the sum of the magnitudes: the LARGEST of them decides": partial(
        _row, magnitude=lambda row: np.abs(row).sum()
    ),
    "values and scale are exchanged: first the whole numbers, then the scale": partial(
        _row, made=lambda values, scale: (scale, values.astype(np.int8))
    ),
    "the scale is the largest magnitude / 127, and not the largest magnitude": partial(_row, most=1),
    "the values are right; the scale is what the row was divided by": partial(
        _row, made=lambda values, scale: (values.astype(np.int8), 127 * scale)
    ),
    "that is 127 / the largest magnitude: the scale is the other way round": partial(
        _row, made=lambda values, scale: (values.astype(np.int8), 1 / scale)
    ),
    "the scale is missing: return values, scale": partial(_row, made=lambda values, scale: values.astype(np.int8)),
    "each number has a scale of its own here: a row has one, which its largest magnitude decides": partial(
        _row, magnitude=np.abs
    ),
    "the row was multiplied by the scale: row / scale makes the largest magnitude 127": lambda row: (
        np.rint(row * np.abs(row).max() / 127).astype(np.int8),
        np.abs(row).max() / 127,
    ),
    "the row was rounded before it was divided: first row / scale, then np.rint": lambda row: (
        (np.rint(row) / (np.abs(row).max() / 127)).astype(np.int64).astype(np.int8),
        np.abs(row).max() / 127,
    ),
    "the row was rounded before it was divided: first row / scale, then np.rint, and int8 at the end": lambda row: (
        np.rint(row).astype(np.int8) / (np.abs(row).max() / 127),
        np.abs(row).max() / 127,
    ),
    "0.5 was added and then cut, which is right for positive numbers only: np.rint": partial(
        _row, rounding=lambda row: np.trunc(row + 0.5)
    ),
    "the range from smallest to largest was divided by 255, as where 0 may move: the largest MAGNITUDE / 127 is the "
    "scale": partial(_row, magnitude=np.ptp, most=255),
    "the range from smallest to largest was divided by 254: a scale is the largest MAGNITUDE / 127": partial(
        _row, magnitude=np.ptp, most=254
    ),
    "the range from smallest to largest was divided by 256: a scale is the largest MAGNITUDE / 127": partial(
        _row, magnitude=np.ptp, most=256
    ),
    "the range from smallest to largest was divided by 127: the largest MAGNITUDE is": partial(_row, magnitude=np.ptp),
    "that is the magnitude of the sum: np.abs belongs to each number, and the LARGEST decides": partial(
        _row, magnitude=lambda row: abs(row.sum())
    ),
    "that maps the smallest number to -128: here 0 stays 0, and nothing is subtracted from the row": lambda row: (
        np.rint((row - row.min()) / (np.ptp(row) / 255) - 128).astype(np.int8),
        np.ptp(row) / 255,
    ),
    "these are weights again, values * scale: the whole numbers are asked for": partial(
        _row, made=lambda values, scale: (values * scale, scale)
    ),
    "uint8 has no negative numbers: np.int8": partial(
        _row, made=lambda values, scale: (values.astype(np.int64).astype(np.uint8), scale)
    ),
    "np.ceil rounds up: np.rint goes to the nearest": partial(_row, rounding=np.ceil),
    "the values lost their signs: np.abs is for the scale only": partial(
        _row, rounding=lambda values: np.rint(np.abs(values))
    ),
    "the scale has the sign of the number with the largest magnitude: it is the magnitude / 127, so never negative": (
        partial(_row, magnitude=lambda row: row[np.abs(row).argmax()])
    ),
    "that is the mean of the magnitudes: the LARGEST of them decides": partial(
        _row, magnitude=lambda row: np.abs(row).mean()
    ),
    "// cuts the scale: / keeps what is after the decimal point": lambda row: (
        np.rint(row / (np.abs(row).max() // 127)).astype(np.int8),
        np.abs(row).max() // 127,
    ),
    "that is 127 / the largest magnitude, the scale the other way round: row / scale makes values only of the right "
    "one": lambda row: (np.rint(row * np.abs(row).max() / 127).astype(np.int8), 127 / np.abs(row).max()),
    "values were stretched by 127 twice: row / scale reaches 127 already": lambda row: (
        np.rint(row / (np.abs(row).max() / 127) * 127).astype(np.int64).astype(np.int8),
        np.abs(row).max() / 127,
    ),
    "int(...) takes one number: np.rint(...) and .astype(np.int8) take a whole array": lambda row: int(row),
    "round(...) takes one number: np.rint takes a whole array": lambda row: round(row),
}

BITS_PER_WEIGHT: Mistakes = {
    "these are bytes: a scale in float32 has 4 bytes, which are 32 bits": lambda block: 8 + 4 / block,
    "these are bytes: a value has 8 bits, a scale 32": lambda block: 1 + 4 / block,
    "ONE scale of 32 bits is divided among `block` weights: / block, not * block": lambda block: 8 + 32 * block,
    "that is block / 32: the scale's 32 bits are divided among `block` weights, 32 / block": lambda block: (
        8 + block / 32
    ),
    "the weight's own 8 bits are missing": lambda block: 32 / block,
    "the block shares ONE scale: its 32 bits are divided among `block` weights": lambda block: 8 + 32,
    "that is the whole block: divide by the number of its weights": lambda block: 8 * block + 32,
    "// drops what is left over: / keeps it": lambda block: 8 + 32 // block,
    "the 8 bits belong to each weight and are not shared: only the scale's 32 are divided by `block`": lambda block: (
        (8 + 32) / block
    ),
    "the weight is an int8: it takes 8 bits, not the 16 of float16": lambda block: 16 + 32 / block,
    "the scale is a float32: it has 32 bits, not 16": lambda block: 8 + 16 / block,
    "the scale is a float32: it has 32 bits, not 8": lambda block: 8 + 8 / block,
    "the scale is a float32: it has 32 bits, not one": lambda block: 8 + 1 / block,
    "the weight and the scale are exchanged: each weight has 8 bits, and shares a scale of 32": lambda block: (
        32 + 8 / block
    ),
    "a weight in int8 takes a byte, which is 8 bits": lambda block: 1 + 32 / block,
    "bytes of all are shared by all: 8 bits for each weight, and its share of the scale's 32": lambda block: (
        (8 + 32) / 8 / block
    ),
    "the scale's share is missing: 32 bits among `block` weights": lambda block: 8,
    "these are 8 bits and 4 bytes, and the scale is shared: 32 bits among `block` weights": lambda block: 8 + 4,
    "that is right for blocks of 32 only: `block` decides": lambda block: 9,
    "that is right for blocks of 128 only: `block` decides": lambda block: 8.25,
    "that is 8 + block: the scale's 32 bits are divided among `block` weights": lambda block: 8 + block,
}


def _slower(
    weights: float,
    bytes_each: float,
    bandwidth: float,
    peak: float,
    operations: float = 2,
    which: Callable[[float, float], float] = min,
) -> float:
    """`tokens_a_second` with a mistake. operations : for each weight; which : of the limits of memory and processor."""
    return which(bandwidth / (weights * bytes_each), peak / (operations * weights))


TOKENS_A_SECOND: Mistakes = {
    "each weight takes two operations, a multiplication and an addition": partial(_slower, operations=1),
    "the slower of the two decides: the fewer tokens a second, or the MORE seconds a token": partial(
        _slower, which=max
    ),
    "the slower of the two decides: the fewer tokens a second, or the MORE seconds a token; and each weight takes two "
    "operations": partial(_slower, operations=1, which=max),
    "memory alone decides here: the processor can be the slower one, and its tokens a second are `peak` over the "
    "operations of ALL weights": partial(_slower, which=lambda memory, _: memory),
    "only the processor was asked: memory can be the slower one": partial(
        _slower, which=lambda _, processor: processor
    ),
    "what is after the decimal point was dropped, as // and int do": lambda weights, bytes_each, bandwidth, peak: min(
        bandwidth // (weights * bytes_each), peak // (2 * weights)
    ),
    "the operations don't depend on the bytes of a weight": (
        lambda weights, bytes_each, bandwidth, peak: min(
            bandwidth / (weights * bytes_each), peak / (2 * weights * bytes_each)
        )
    ),
    "divide by 2, don't multiply: each weight takes two operations, so half as many tokens": partial(
        _slower, operations=0.5
    ),
    "memory gives bytes: each weight takes `bytes_each` of them": (
        lambda weights, bytes_each, bandwidth, peak: min(bandwidth / weights, peak / (2 * weights))
    ),
    "the network has weights * bytes_each bytes: multiply the two, don't divide": (
        lambda weights, bytes_each, bandwidth, peak: min(bandwidth / (weights / bytes_each), peak / (2 * weights))
    ),
    "bytes a second and operations a second were compared: first make tokens a second of each, then take the least": (
        lambda weights, bytes_each, bandwidth, peak: min(bandwidth, peak) / weights
    ),
    "`peak` counts OPERATIONS: two for each weight, whatever its bytes": (
        lambda weights, bytes_each, bandwidth, peak: min(bandwidth, peak) / (weights * bytes_each)
    ),
    "a weight was given 4 bytes: it takes `bytes_each`": lambda weights, bytes_each, bandwidth, peak: min(
        bandwidth / (weights * 4), peak / (2 * weights)
    ),
    "without brackets: a / b * c is (a / b) * c": lambda weights, bytes_each, bandwidth, peak: min(
        bandwidth / weights * bytes_each, peak / 2 * weights
    ),
    "the roofline gives operations a second, and a token takes two for EACH weight": (
        lambda weights, bytes_each, bandwidth, peak: min(peak, bandwidth * 2 / bytes_each) / weights
    ),
    "half an operation for a byte is the intensity in float32 only, and a token takes two operations for EACH weight": (
        lambda weights, bytes_each, bandwidth, peak: min(peak, bandwidth / 2) / weights
    ),
    "these are seconds a token: turn it round": lambda weights, bytes_each, bandwidth, peak: max(
        weights * bytes_each / bandwidth, 2 * weights / peak
    ),
    "these are seconds a token, and those of the faster one: turn both round, and take the fewer tokens": (
        lambda weights, bytes_each, bandwidth, peak: min(weights * bytes_each / bandwidth, 2 * weights / peak)
    ),
    "bandwidth and bytes_each both count bytes: no 8": lambda weights, bytes_each, bandwidth, peak: min(
        bandwidth / (8 * weights * bytes_each), peak / (2 * weights)
    ),
    "bandwidth and bytes_each both count bytes: neither * 8 nor / 8": lambda weights, bytes_each, bandwidth, peak: min(
        bandwidth / (weights * bytes_each / 8), peak / (2 * weights)
    ),
    "the bytes make the processor no faster: it takes two operations for each weight, whatever its bytes": (
        lambda weights, bytes_each, bandwidth, peak: min(
            bandwidth / (weights * bytes_each), peak * bytes_each / (2 * weights)
        )
    ),
    "half an operation for a byte was the intensity in float32 only: two for each weight, whatever its bytes": (
        lambda weights, bytes_each, bandwidth, peak: min(
            bandwidth / (weights * bytes_each), peak / (0.5 * weights * bytes_each)
        )
    ),
    "these are weights a second, and a token takes all of them: divide by how many there are": (
        lambda weights, bytes_each, bandwidth, peak: min(bandwidth / bytes_each, peak / 2)
    ),
    "these are operations a second, as on a roofline: a token takes two for each weight": (
        lambda weights, bytes_each, bandwidth, peak: min(peak, bandwidth * 2 / bytes_each)
    ),
    "that is the mean of the two: the slower one decides": partial(
        _slower, which=lambda memory, processor: (memory + processor) / 2
    ),
    "the two operations of each weight are the processor's: memory delivers each weight once": (
        lambda weights, bytes_each, bandwidth, peak: min(bandwidth / (2 * weights * bytes_each), peak / (2 * weights))
    ),
    "the two times were added: the processor computes while memory delivers": partial(
        _slower, which=lambda memory, processor: 1 / (1 / memory + 1 / processor)
    ),
}


def _dot(q: np.ndarray, s: float, p: np.ndarray, t: float, dtype: type, scales: int = 2) -> float:
    """`int8_dot` with products and sums of that type, and with the first `scales` scales."""
    return float(q.astype(dtype) @ p.astype(dtype)) * (1, s, s * t)[scales]


INT8_DOT: Mistakes = {
    "int8 ends at 127, and products and sums wrap: int32 BEFORE the product, and no cast back of the sum": partial(
        _dot, dtype=np.int8
    ),
    "int16 ends at 32,767, and three products may be more: np.int32, and no cast back of the sum": partial(
        _dot, dtype=np.int16
    ),
    "float32 holds whole numbers exactly up to 2^24 = 16,777,216 only, and a sum may go beyond: np.int32": partial(
        _dot, dtype=np.float32
    ),
    "products were added up as float32, which holds whole numbers exactly up to 2^24 = 16,777,216 only: np.int32": (
        lambda q, s, p, t: s * t * float((q.astype(np.float32) * p).sum())
    ),
    "float16 ends at 65,504, and holds whole numbers exactly up to 2,048 only: np.int32": (
        lambda q, s, p, t: s * t * (q.astype(np.float16) @ p.astype(np.float16))
    ),
    "each product wrapped around in int8, before the sum: int32 for one side BEFORE the product": (
        lambda q, s, p, t: s * t * int((q * p).sum(dtype=np.int32))
    ),
    "np.dot knows no dtype: make int32 of one side first, with astype": (
        lambda q, s, p, t: s * t * np.dot(q, p, dtype=np.int32)
    ),
    "the scales are multiplied into each number, which is rounded as a float: sum whole numbers, and multiply once": (
        lambda q, s, p, t: float((s * q) @ (t * p))
    ),
    "each product is multiplied by the scales, and rounded as a float: sum whole numbers, and multiply once": (
        lambda q, s, p, t: sum(a * s * b * t for a, b in zip(q.tolist(), p.tolist()))
    ),
    "one side was multiplied by its scale before the sum, so each product is rounded: sum whole numbers first": (
        lambda q, s, p, t: s * sum(a * t * b for a, b in zip(q.tolist(), p.tolist()))
    ),
    "the result is cut or rounded to a whole number: int32 is for products and sum, the scales make a float of it": (
        lambda q, s, p, t: int(s * t * float(q.astype(np.int32) @ p))
    ),
    "q was multiplied by its scale before the sum, so each product is rounded: sum whole numbers first": (
        lambda q, s, p, t: t * float((s * q.astype(float) * p).sum())
    ),
    "p was multiplied by its scale before the sum, so each product is rounded: sum whole numbers first": (
        lambda q, s, p, t: s * float((q * (t * p.astype(float))).sum())
    ),
    "the scales were multiplied into numbers of float32, which are rounded: sum whole numbers, and multiply once": (
        lambda q, s, p, t: float((np.float32(s) * q.astype(np.float32) * (np.float32(t) * p.astype(np.float32))).sum())
    ),
    "divided by the scales: they multiply, as in the formula": lambda q, s, p, t: (
        float(q.astype(np.int32) @ p) / (s * t)
    ),
    "both scales are missing": partial(_dot, dtype=np.int32, scales=0),
    "the scale t is missing": partial(_dot, dtype=np.int32, scales=1),
    "both scales came in twice: once, after the sum, is enough": lambda q, s, p, t: s * t * float((q * s) @ (p * t)),
    "the scale s came in twice, and t is missing": lambda q, s, p, t: s * s * float(q.astype(np.int32) @ p),
    "the scale t came in twice, and s is missing": lambda q, s, p, t: t * t * float(q.astype(np.int32) @ p),
    "the scales are added: they multiply": lambda q, s, p, t: (s + t) * float(q.astype(np.int32) @ p),
    "the products are not summed: q @ p does both": lambda q, s, p, t: s * t * (q.astype(np.int32) * p),
    "q was multiplied by both scales before the sum, so each product is rounded: brackets around the product of q and "
    "p": lambda q, s, p, t: float(((s * t * q.astype(np.int32)) * p).sum()),
    "p was multiplied by both scales before the sum, so each product is rounded: sum whole numbers first": (
        lambda q, s, p, t: float((q.astype(np.int32) * (s * t * p)).sum())
    ),
    "q was multiplied by its scale and then cut to whole numbers: q.astype(np.int32), and the scales at the end": (
        lambda q, s, p, t: float((q * s).astype(np.int32) @ (p * t))
    ),
    "the scales are floats: int cuts them": lambda q, s, p, t: int(s * t) * (q.astype(np.int32) @ p),
    "each scale was cut to a whole number: the scales are floats": lambda q, s, p, t: (
        int(s) * int(t) * float(q.astype(np.int32) @ p)
    ),
    "uint32 has no negative numbers: np.int32": lambda q, s, p, t: s * t * float(q.astype(np.uint32) @ p),
    "products of int8 wrap around, and the result is cut: astype(np.int32) belongs to q, before the product": (
        lambda q, s, p, t: int(s * t * float(q @ p))
    ),
}

WIDENED: Mistakes = {
    "all became 0: shift to the left, in a type with room for 32 bits": lambda halves: (
        (halves << 16).astype(np.uint32).view(np.float32)
    ),
    "two of them were taken together as one float32: give each its 32 bits first": lambda halves: halves.view(
        np.float32
    ),
    "view cuts the SAME bytes anew, and a float64 takes those of four numbers: give each its 32 bits first": (
        lambda halves: halves.view(np.float64)
    ),
    "16 bits shifted by 16 are gone, and two numbers were taken together as one: give each its 32 bits first": (
        lambda halves: (halves << 16).view(np.float32)
    ),
    "the bits were read as a whole number: they are the upper half of a float's bits, so move them up and look at them "
    "by view(np.float32)": (lambda halves: halves.astype(np.float32)),
    "astype converts the value of the whole number: the shifted bits ARE a float32, so view them as one": (
        lambda halves: (halves.astype(np.uint32) << 16).astype(np.float32)
    ),
    "these bits are the LOWER half of the float32: shift them first": lambda halves: halves.astype(np.uint32).view(
        np.float32
    ),
    "that is float16, which has other bits: bfloat16 is the upper half of a float32": lambda halves: halves.view(
        np.float16
    ).astype(np.float32),
    "the bits are right, but still a whole number: view(np.float32) looks at them as a float": lambda halves: (
        halves.astype(np.uint32) << 16
    ),
    "view cuts the SAME bytes anew, and 16 bits are no 32: give each number its 32 bits first, by astype": (
        lambda halves: (halves.view(np.uint32) << 16).view(np.float32)
    ),
    "floats have no shift: shift the whole numbers, in 32 bits, and view them as floats then": (
        lambda halves: halves.astype(np.float32) << 16
    ),
    "each number's 16 bits stand in both halves: the lower half is 0": lambda halves: np.repeat(halves, 2).view(
        np.float32
    ),
    "each number has a row of its own, (n, 1): one axis is expected, (n,)": lambda halves: (
        halves.astype(np.uint32) << 16
    ).view(np.float32)[:, None],
    "in 64 bits each number became two: 32 bits each, np.uint32": lambda halves: (halves.astype(np.uint64) << 16).view(
        np.float32
    ),
    "that is float64, which has other bits: bfloat16 is the upper half of a float32": lambda halves: (
        halves.astype(np.uint64) << 16
    ).view(np.float64),
    "that is float64, and a shift by 48: bfloat16 is the upper half of a float32": lambda halves: (
        halves.astype(np.uint64) << 48
    ).view(np.float64),
    "two of them were taken together as one float64: a float32 has the 32 bits of ONE": lambda halves: (
        halves.astype(np.uint32) << 16
    ).view(np.float64),
    "that is a shift by 8: half of 32 bits are 16": lambda halves: (halves.astype(np.uint32) << 8).view(np.float32),
}
