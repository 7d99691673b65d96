r"""Pad the four sides of every channel: why the solution is as it is.

Element (c, r, k) of `x` lands at (c, up + r, left + k): only `up` and `left` say where; `bottom` and `right` only
make the result larger. The block is written with one slice, for all channels at once.

A border that differs from channel to channel is broadcasting again, as the bias in lesson 1: numpy lines up shapes
from the right, where the columns are, so an array of (C,) becomes (C, 1, 1) first. A single number becomes (1, 1, 1),
and one line serves both. `np.pad` takes values for each *side*, and none for each channel: of two values it makes a
border of one in front and of the other behind, without a complaint.

**Typical mistakes.** The order of the pads: this course counts (up, bottom, left, right), PyTorch's `F.pad` (left,
right, up, bottom), ONNX all beginnings and then all ends, style sheets go clockwise. With pads of equal size all of
these agree; a test needs four different numbers. The slice `[up:-bottom]` is empty where bottom is 0, because -0 is
0; count from the front instead. `np.full` without a dtype takes that of `value`, and the network's float32 becomes
float64. And a negative pad often does not fail by itself: `padded` gets smaller, the slice gets cut, and one row is
broadcast into none. An array (C,) that is used as it is goes to the columns; where the result is C columns wide,
nothing fails.

**Why -inf?** Max-pooling pads with -inf, so that no border can be a maximum. With 0 a window of negative numbers
would answer 0.

**Cost.** O of the size of the result: each border element is written once, each inner one twice.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_raises, task

from .shared import DTYPES, numbers, sizes


def padded(x: np.ndarray, pads: tuple[int, ...], value: float | np.ndarray) -> np.ndarray:
    """(C, H, W) -> (C, up + H + bottom, left + W + right): channel by channel, each with its own value."""
    up, bottom, left, right = pads
    values = value if isinstance(value, np.ndarray) else [value] * len(x)
    sides = (up, bottom), (left, right)
    return np.stack([np.pad(one, sides, constant_values=own) for one, own in zip(x, values, strict=True)])


def padding_mistakes(x: np.ndarray, pads: Sequence[int], value: float) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x."""
    up, bottom, left, right = pads
    expected = padded(x, pads, value)
    if x.dtype.kind in "iu" and x.max() > 2**53:
        digits = (
            "digits were lost on the way through a float: keep the dtype of x from the beginning, and `value` as it is"
        )
        return {digits: expected.astype(np.float64).astype(x.dtype)}
    first_only = np.full_like(expected, expected.dtype.type(value))
    first_only[0] = expected[0]
    first_border = padded(x, pads, 0)
    first_border[0] = expected[0]
    first_everywhere = expected.copy()
    first_everywhere[:, up : up + x.shape[1], left : left + x.shape[2]] = x[0]
    masked = np.where(padded(np.ones(x.shape), pads, 0) > 0, np.nan, expected) if np.isinf(value) else expected
    corners = expected.copy()
    high, wide = x.shape[1:]
    for rows, cols in itertools.product((slice(up), slice(up + high, None)), (slice(left), slice(left + wide, None))):
        corners[:, rows, cols] = 0
    return {
        **_zeros_replaced(x, pads, value),
        "the channels were padded too: pads has no entry for the first axis, leave it": np.pad(
            x, ((up, bottom), (up, bottom), (left, right)), constant_values=value
        ),
        "the pads went to the channels and the rows: the channels come first, so (0, 0) is the first pair for np.pad": (
            np.pad(x, ((up, bottom), (left, right), (0, 0)), constant_values=value)
        ),
        "the pads went to the channels and the rows, and the border is 0: the channels come first, so (0, 0) is the "
        "first pair for np.pad, and constant_values is what fills it": np.pad(x, ((up, bottom), (left, right), (0, 0))),
        "the four corners are 0: the border above and below is as wide as the whole result": corners,
        "only the first channel was padded: all of them belong to the result, which has three axes": expected[0],
        "every channel has the numbers of x[0]: channel c has those of x[c]": first_everywhere,
        "only the first channel has a border of `value`: fill all of them": first_border,
        "0 times infinity is nan, and so is infinity minus infinity: write x into the border": masked.astype(x.dtype),
        "up and bottom are exchanged: pads are (up, bottom, left, right)": padded(x, (bottom, up, left, right), value),
        "x begins at bottom and right: up and left stand before it": padded(x, (bottom, up, right, left), value),
        **_off_by_one(x, pads, value),
        **_sizes_exchanged(x, pads, value),
        **_added(x, pads, value),
        "left and right are exchanged: pads are (up, bottom, left, right)": padded(x, (up, bottom, right, left), value),
        "pads were read in PyTorch's order (left, right, up, bottom); here they are (up, bottom, left, right)": padded(
            x, (left, right, up, bottom), value
        ),
        "pads were read as (up, left, bottom, right); here they are (up, bottom, left, right)": padded(
            x, (up, left, bottom, right), value
        ),
        "pads were read clockwise, (up, right, bottom, left); here they are (up, bottom, left, right)": padded(
            x, (up, left, right, bottom), value
        ),
        "the border is 0: fill it with `value`": padded(x, pads, 0),
        "x begins in the corner: up rows stand above it, and left columns before it": padded(
            x, (0, up + bottom, 0, left + right), value
        ),
        "that is x alone: the border belongs to the result": x,
        "there are no rows below x: with bottom of them the result has up + H + bottom rows": padded(
            x, (up, 0, left, right), value
        ),
        "there are no columns to the right of x: with right of them the result has left + W + right columns": padded(
            x, (up, bottom, left, 0), value
        ),
        "there are no rows below x and no columns to its right: count bottom and right in the sizes, too": padded(
            x, (up, 0, left, 0), value
        ),
        "the border repeats the edge of x: fill it with `value`": np.pad(
            x, ((0, 0), (up, bottom), (left, right)), mode="edge"
        ),
        "the border lost the sign of `value`: fill it with `value` as it is": padded(x, pads, abs(value)),
        "the integers lost digits on the way through float32: keep the dtype of x": expected.astype(np.float32).astype(
            x.dtype
        ),
        "the border lost what follows the point of `value`": padded(x, pads, np.trunc(value)),
        "x was written into the first channel only: write it into all of them": first_only,
        "the numbers changed their type to float64: keep the dtype of x": expected.astype(np.float64),
        "the numbers changed their type to float32: keep the dtype of x": expected.astype(np.float32),
    }


def _off_by_one(x: np.ndarray, pads: Sequence[int], value: float) -> dict[str, np.ndarray]:
    """What comes of it if x is written one place too far or too early, as far as the border has room for that."""
    up, bottom, left, right = pads
    moved = {
        "x is one row too low: up rows stand above it": (up + 1, bottom - 1, left, right),
        "x is one row too high: up rows stand above it": (up - 1, bottom + 1, left, right),
        "x is one column too far to the right: left columns stand before it": (up, bottom, left + 1, right - 1),
        "x is one column too far to the left: left columns stand before it": (up, bottom, left - 1, right + 1),
        "x is one row too low and one column too far to the right: it begins at (up, left)": (
            (up + 1, bottom - 1, left + 1, right - 1)
        ),
        "x is one row too high and one column too far to the left: it begins at (up, left)": (
            (up - 1, bottom + 1, left - 1, right + 1)
        ),
    }
    return {cause: padded(x, sides, value) for cause, sides in moved.items() if min(sides) >= 0}


def _sizes_exchanged(x: np.ndarray, pads: Sequence[int], value: float) -> dict[str, np.ndarray]:
    """What comes of it if the result has as many rows as it should have columns; {} where x does not fit into it."""
    up, _, left, _ = pads
    (channels, rows, cols), (_, high, wide) = x.shape, padded(x, pads, value).shape
    if high == wide or up + rows > wide or left + cols > high:
        return {}
    result = np.full((channels, wide, high), value, x.dtype)
    result[:, up : up + rows, left : left + cols] = x
    return {"rows and columns of the result are exchanged: it is (C, up + H + bottom, left + W + right)": result}


def zero_mistakes(x: np.ndarray, pads: Sequence[int], value: float) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x and pads of which some are 0."""
    all_border = (
        "a side without a border was filled from -0 on, which is all of the result: count its place from the beginning"
    )
    filled = np.full_like(padded(x, pads, value), value)
    return {**({} if pads[1] and pads[3] else {all_border: filled}), **padding_mistakes(x, pads, value)}


def _zeros_replaced(x: np.ndarray, pads: Sequence[int], value: float) -> dict[str, np.ndarray]:
    """What comes of it if zeros count as border; {} where x has none."""
    border = padded(x, pads, 0)
    cause = "the zeros of x were replaced, too: write x into a block of `value`, or fill the four sides"
    return {} if x.all() else {cause: np.where(border == 0, value, border).astype(x.dtype)}


def _added(x: np.ndarray, pads: Sequence[int], value: float) -> dict[str, np.ndarray]:
    """What comes of it if x is added to what is full of the value; {} where that is 0 or infinite."""
    if not value or not np.isfinite(value):
        return {}
    inside = np.where(padded(np.ones(x.shape), pads, 0) > 0, x.dtype.type(value), x.dtype.type(0))
    return {"x was added to the border's value: = writes it, += adds": padded(x, pads, value) + inside}


def each_mistakes(x: np.ndarray, pads: Sequence[int], value: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x and a value for each channel."""
    up, bottom, left, right = pads
    right_answer, own = padded(x, pads, value), value[:, None, None]
    inside = padded(np.ones(x.shape, bool), pads, False)

    def bordered(border: np.ndarray) -> np.ndarray:
        return np.where(inside, right_answer, border).astype(x.dtype)

    wrong = {
        "all channels have the first number of `value` as their border: number c belongs to channel c": bordered(
            value[:1]
        ),
        "all channels have the last number of `value` as their border: number c belongs to channel c": bordered(
            value[-1:]
        ),
        "the border is 0: fill it with `value`": bordered(np.zeros(1)),
        "the channels took the numbers of `value` in reverse: number c belongs to channel c": padded(
            x, pads, value[::-1]
        ),
    }
    if right_answer.shape[2] == len(value):
        wrong[
            "`value` of (C,) went to the columns, because numpy lines up shapes from the right: which shape of it "
            "meets the channels?"
        ] = bordered(value)
    if right_answer.shape[1] == len(value):
        wrong["`value` of (C,) went to the rows: which shape of it meets the channels?"] = bordered(value[:, None])
    if len(value) == 2:
        before_and_after = np.pad(x, ((0, 0), (up, bottom), (left, right)), constant_values=value)
        wrong[
            "np.pad takes two values for the border in front and the one behind, and none for each channel: make the "
            "result with np.full, or go channel by channel"
        ] = before_and_after
    if 0 in pads:
        all_border = (
            "a side without a border was filled from -0 on, which is all of the channel: count its place from the "
            "beginning"
        )
        wrong[all_border] = np.broadcast_to(own, right_answer.shape).astype(x.dtype)
    if np.isinf(value).any():
        masked = np.where(inside & np.isinf(own), np.nan, right_answer).astype(x.dtype)
        wrong["0 times infinity is nan, and so is infinity minus infinity: write x into the border"] = masked
    if x.dtype.kind in "iu" and abs(value).max() > 2**53:
        digits = "digits were lost on the way through a float: keep the dtype of x, and `value` as it is"
        wrong[digits] = right_answer.astype(np.float64).astype(x.dtype)
    return {
        **wrong,
        "the zeros of x were replaced, too: write x into a block of `value`, or fill the four sides": np.where(
            right_answer == 0, own, right_answer
        ).astype(x.dtype),
        "the numbers changed their type to float64: keep the dtype of x": right_answer.astype(np.float64),
        "the result has the type of `value`: keep the dtype of x": right_answer.astype(value.dtype),
    }


def default_mistakes(x: np.ndarray, pads: Sequence[int]) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x without a value."""
    return {"value is not 0 when nobody says it: its default must be 0": padded(x, pads, 1.0)}


@task("padding")
def random_borders(student: Student, rng: np.random.Generator) -> None:
    """Random shapes, sizes of 1 among them, with random pads and values of either sign."""
    for low, high in ((1, 4), (2, 9), (9, 19)):
        x = rng.standard_normal(sizes(rng, low, high)).astype(np.float32)
        pads = tuple(int(n) for n in rng.permutation(7)[:4])
        value = float(rng.standard_normal())
        got = student.padding(x, pads, value)
        expect(got, padded(x, pads, value), what=f"{x.shape} with pads {pads}")


@task("padding")
def random_borders_of_each_channel(student: Student, rng: np.random.Generator) -> None:
    """One random value for each channel, one to five of them, also where C is H, W, or the size of the result."""
    for shape, pads in (((1, 2, 3), (1, 1, 1, 1)), ((5, 5, 5), (0, 2, 1, 0)), ((3, 2, 1), (1, 0, 1, 1))):
        x, values = rng.standard_normal(shape), rng.standard_normal(shape[0])
        expect(student.padding(x, pads, values), padded(x, pads, values), what=f"{shape}, values ({len(values)},)")
        x.reshape(-1)[:5] = [np.nan, -np.inf, 0.0, -1.0, -999.0]  # inside, and no border
        values[0] = -np.inf
        expect(student.padding(x, pads, values), padded(x, pads, values), what=f"{shape}, values with -inf")
        whole = rng.integers(2**60, 2**61, shape)
        values = rng.integers(2**60, 2**61, shape[0])
        expect(student.padding(whole, pads, values), padded(whole, pads, values), what=f"{shape}, large int64")
        values = np.arange(1, 1 + shape[0], dtype=np.int16)
        expect(student.padding(x, pads, values), padded(x, pads, values), what=f"{shape}, values of int16")


@task("padding")
def one_side_at_a_time(student: Student, rng: np.random.Generator) -> None:
    """A border on one side alone leaves the other three as they are."""
    x = rng.standard_normal((3, 2, 4))
    for side in range(4):
        pads = tuple(int(n) for n in np.eye(4, dtype=int)[side] * rng.integers(1, 5))
        expect(student.padding(x, pads, -1.5), padded(x, pads, -1.5), what=f"pads {pads}")
    expect(student.padding(x, (0, 0, 0, 0), 2.0), x, what="pads (0, 0, 0, 0)")


@task("padding")
def border_of_minus_infinity(student: Student, rng: np.random.Generator) -> None:
    """A border of -inf, which max-pooling asks for, or of nan is written as it is; no value means 0."""
    x = rng.standard_normal((2, 3, 5)).astype(np.float32)
    for value in (float("-inf"), float("nan"), -0.25):
        expect(student.padding(x, (1, 0, 2, 1), value), padded(x, (1, 0, 2, 1), value), what=f"value {value}")
    expect(student.padding(x, (3, 0, 0, 1)), padded(x, (3, 0, 0, 1), 0.0), what="the result without value")


@task("padding")
def the_dtype_of_x_decides(student: Student, rng: np.random.Generator) -> None:
    """The result has the dtype of x, also where `value` is of another type."""
    for dtype in DTYPES:
        x = numbers(rng, sizes(rng, 1, 5), dtype)
        for value in (1.0, 1, 0.0, np.float32(1), np.uint8(1), np.True_):
            got = student.padding(x, (0, 2, 1, 0), value)
            expect(got, padded(x, (0, 2, 1, 0), value), what=f"padding of {dtype} with {value!r}")


@task("padding")
def each_negative_pad_is_refused(student: Student, rng: np.random.Generator) -> None:
    """One negative pad raises an error, on every side, whatever the other pads are."""
    for shape in ((1, 1, 1), (2, 1, 1), (3, 4, 5)):
        x = rng.standard_normal(shape)
        for side in range(4):
            pads = [int(n) for n in rng.integers(0, 4, 4)]
            pads[side] = -1
            expect_raises(student.padding, x, pads, 1.0)
            pads[side ^ 1] = 1
            expect_raises(student.padding, x, tuple(pads), 1.0)


UNPACK = "    up, bottom, left, right = pads\n"
BORDER = "    border = np.reshape(value, (-1, 1, 1))\n"
WRITE = "padded[:, up : up + rows, left : left + cols] = x"
FULL = "np.full((channels, up + rows + bottom, left + cols + right), border, x.dtype)"

MUTANTS = [
    Mutant(
        "python_numbers_only",
        "a number of numpy's is neither int nor float",
        old=BORDER,
        new=(
            "    border = value\n"
            "    if not isinstance(value, (int, float)):\n"
            "        border = np.array([[[value[c]]] for c in range(channels)])\n"
        ),
        breaks="value",
    ),
    Mutant(
        "shape_of_value_in_place",
        "the caller's array of values gets three axes",
        old=BORDER,
        new="    border = value\n    if np.ndim(value):\n        value.resize((channels, 1, 1), refcheck=False)\n",
        breaks="argument",
    ),
    Mutant(
        "values_decide_the_dtype",
        "where there are several values the block is made with their type",
        old=FULL,
        new=(
            "np.full((channels, up + rows + bottom, left + cols + right), border, "
            "value.dtype if np.ndim(value) else x.dtype)"
        ),
    ),
    Mutant(
        "zeros_replaced_by_values",
        "with several values zeros of x count as border",
        old="    return padded\n",
        new="    return np.where(padded == 0, border, padded).astype(x.dtype) if np.ndim(value) else padded\n",
        breaks="each",
    ),
    Mutant(
        "one_channel_squeezed",
        "of a single channel np.squeeze leaves rows",
        old="    channels, rows, cols = x.shape\n",
        new="    x = np.atleast_3d(np.squeeze(x)) if len(x) == 1 else x\n    channels, rows, cols = x.shape\n",
    ),
    Mutant(
        "value_to_the_columns",
        "numpy lines up (C,) with the columns",
        old=BORDER,
        new="    border = value\n",
        breaks="each",
    ),
    Mutant(
        "value_to_the_rows",
        "one axis of 1 instead of two",
        old=BORDER,
        new="    border = np.reshape(value, (-1, 1))\n",
        breaks="each",
    ),
    Mutant(
        "value_by_its_length",
        "as many numbers as x has columns go to the columns",
        old=BORDER,
        new=(
            "    of_columns = np.ndim(value) == 1 and len(value) == x.shape[2]\n"
            "    border = np.reshape(value, (1, 1, -1) if of_columns else (-1, 1, 1))\n"
        ),
        breaks="each",
    ),
    Mutant(
        "first_value_everywhere",
        "one number for all channels",
        old=BORDER,
        new="    border = np.ravel(value)[0]\n",
        breaks="each",
    ),
    Mutant(
        "np_pad_alone",
        "the line that fills all borders with one value, and makes of two a front and a back",
        old="    channels, rows, cols = x.shape\n",
        new="    return np.pad(x, ((0, 0), (up, bottom), (left, right)), constant_values=value)\n"
        "    channels, rows, cols = x.shape\n",
        breaks="each",
    ),
    Mutant(
        "value_through_float",
        "a large whole value loses its last digits",
        old=FULL,
        new="np.full((channels, up + rows + bottom, left + cols + right), border.astype(float), x.dtype)",
        breaks="value",
    ),
    Mutant(
        "mask_times_value",
        "0 times infinity is nan",
        old="    return padded\n",
        new=(
            "    inside = np.pad(np.ones_like(x), ((0, 0), (up, bottom), (left, right)))\n"
            "    padded = np.pad(x, ((0, 0), (up, bottom), (left, right)))\n"
            "    return padded + ((1 - inside) * border.astype(x.dtype)).astype(x.dtype)\n"
        ),
        breaks="value",
    ),
    Mutant(
        "torch_order",
        "F.pad counts (left, right, up, bottom)",
        old=UNPACK,
        new="    left, right, up, bottom = pads\n",
        breaks="sides",
    ),
    Mutant(
        "css_order",
        "style sheets count clockwise: up, right, bottom, left",
        old=UNPACK,
        new="    up, right, bottom, left = pads\n",
        breaks="sides",
    ),
    Mutant(
        "up_left_bottom_right",
        "ONNX counts all beginnings, then all ends",
        old=UNPACK,
        new="    up, left, bottom, right = pads\n",
        breaks="sides",
    ),
    Mutant(
        "up_and_bottom_exchanged",
        "right shape, x in the wrong place",
        old=WRITE,
        new="padded[:, bottom : bottom + rows, left : left + cols] = x",
        breaks="sides",
    ),
    Mutant(
        "left_and_right_exchanged",
        "right shape, x in the wrong place",
        old=WRITE,
        new="padded[:, up : up + rows, right : right + cols] = x",
        breaks="sides",
    ),
    Mutant(
        "both_exchanged",
        "right shape, x as far from the end as it should be from the beginning",
        old=WRITE,
        new="padded[:, bottom : bottom + rows, right : right + cols] = x",
        breaks="sides",
    ),
    Mutant(
        "added",
        "adds x to a block that is full of the value",
        old=WRITE,
        new="padded[:, up : up + rows, left : left + cols] += x",
    ),
    Mutant(
        "slice_to_minus_bottom",
        "x[up:-0] is empty: fails where a pad is 0",
        old=WRITE,
        new="padded[:, up:-bottom, left:-right] = x",
        breaks="zero",
    ),
    Mutant(
        "first_channel_only",
        "the other channels are all border",
        old=WRITE,
        new="padded[0, up : up + rows, left : left + cols] = x[0]",
    ),
    Mutant(
        "zeros",
        "the value is forgotten",
        old=FULL,
        new="np.zeros((channels, up + rows + bottom, left + cols + right), x.dtype)",
        breaks="value",
    ),
    Mutant(
        "sign_lost",
        "a border is never negative, as in pictures",
        old=FULL,
        new="np.full((channels, up + rows + bottom, left + cols + right), abs(border), x.dtype)",
        breaks="value",
    ),
    Mutant(
        "integers_through_float32",
        "the work is done in float32, and the type of x comes back at the end",
        old="    return padded\n",
        new="    return padded.astype(np.float32).astype(x.dtype) if x.dtype.kind in 'iu' else padded\n",
        breaks="dtype",
    ),
    Mutant(
        "dtype_of_value",
        "np.full without a dtype takes that of the value",
        old=FULL,
        new="np.full((channels, up + rows + bottom, left + cols + right), border)",
        breaks="dtype",
    ),
    Mutant(
        "always_float32",
        "the type of the lesson's examples, instead of the dtype of x",
        old=FULL,
        new="np.full((channels, up + rows + bottom, left + cols + right), border, np.float32)",
        breaks="dtype",
    ),
    Mutant(
        "value_cut",
        "3.14 becomes 3",
        old=FULL,
        new="np.full((channels, up + rows + bottom, left + cols + right), np.trunc(border), x.dtype)",
        breaks="value",
    ),
    Mutant(
        "channels_padded",
        "a border in front of the first channel too",
        old=FULL,
        new="np.full((channels + up, up + rows + bottom, left + cols + right), border, x.dtype)",
        breaks="channels",
    ),
    Mutant(
        "edge_repeated",
        "replicate padding instead of constant padding",
        old="    return padded\n",
        new='    return np.pad(x, ((0, 0), (up, bottom), (left, right)), mode="edge")\n',
        breaks="value",
    ),
    Mutant(
        "zeros_replaced",
        "the zeros of x count as border",
        old="    return padded\n",
        new=(
            "    padded = np.pad(x, ((0, 0), (up, bottom), (left, right)))\n"
            "    return np.where(padded == 0, border, padded).astype(x.dtype)\n"
        ),
        breaks="sides",
    ),
    Mutant(
        "array_or_float",
        "an int is neither",
        old=BORDER,
        new="    border = value if isinstance(value, float) else value[:, None, None]\n",
        breaks="value",
    ),
    Mutant("default_one", "the wrong default", old="np.ndarray = 0.0", new="np.ndarray = 1.0", breaks="default"),
    Mutant(
        "x_zeroed",
        "the numbers are moved instead of copied",
        old=WRITE,
        new=WRITE + "\n    x[...] = 0",
        breaks="argument",
    ),
    Mutant(
        "no_check",
        "numpy reads a negative number as 'from the end'",
        old="    if min(pads) < 0:\n",
        new="    if False:\n",
        breaks="negative",
    ),
    Mutant(
        "only_first_checked",
        "a negative pad on another side passes",
        old="    if min(pads) < 0:\n",
        new="    if pads[0] < 0:\n",
        breaks="negative",
    ),
    Mutant(
        "only_beginnings_checked",
        "a negative bottom or right passes",
        old="    if min(pads) < 0:\n",
        new="    if up < 0 or left < 0:\n",
        breaks="negative",
    ),
    Mutant(
        "sum_checked",
        "a negative pad that another one makes good passes",
        old="    if min(pads) < 0:\n",
        new="    if sum(pads) < 0:\n",
        breaks="negative",
    ),
    Mutant(
        "zero_refused",
        "a pad of 0 is a pad too",
        old="    if min(pads) < 0:\n",
        new="    if min(pads) <= 0:\n",
        breaks="zero",
    ),
]
