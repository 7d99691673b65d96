"""Wrong solutions of lesson 2's homework, drawn from mistakes that people make; the tests must catch every one."""

from __future__ import annotations

SWAP = "        x = x.swapaxes(1, 2)\n"
READ = "    return x.reshape(-1)\n"
FLATTEN = "def flatten(x: np.ndarray, row_major: bool = True)"
UNPACK = "    up, bottom, left, right = pads\n"
FULL = "np.full((channels, up + rows + bottom, left + cols + right), value, x.dtype)"
WRITE = "padded[:, up : up + rows, left : left + cols] = x"
FEWER = "    channels, rows, cols = (1,) * (3 - len(shapes)) + tuple(shapes)\n"
CHECK = "    if channels * rows * cols != x.size:\n"
BY_COLUMNS = "    by_columns = values.reshape(channels, cols, rows)\n"


def _mutant(exercise: str, name: str, why: str, old: str, new: str) -> dict[str, str]:
    return {"name": name, "exercise": exercise, "why": why, "old": old, "new": new}


MUTANTS: list[dict[str, str]] = [
    _mutant("flatten", "all_three_axes", "numpy's order='F': the columns run over all three axes", SWAP,
            "        x = x.swapaxes(0, 2)\n"),
    _mutant("flatten", "channels_exchanged", "the wrong two axes: rows of all channels come together", SWAP,
            "        x = x.swapaxes(0, 1)\n"),
    _mutant("flatten", "reshape_instead_of_swap", "a reshape to (C, W, H) moves no number", SWAP,
            "        x = x.reshape(x.shape[0], x.shape[2], x.shape[1])\n"),
    _mutant("flatten", "column_major_by_default", "the original course's default", FLATTEN,
            "def flatten(x: np.ndarray, row_major: bool = False)"),
    _mutant("flatten", "flag_inverted", "row-major and column-major exchanged", "    if not row_major:\n" + SWAP,
            "    if row_major:\n" + SWAP),
    _mutant("flatten", "flag_ignored", "only one order was written", "    if not row_major:\n" + SWAP, ""),
    _mutant("flatten", "always_float32", "the type of the lesson's examples, instead of the dtype of x", READ,
            "    return x.reshape(-1).astype(np.float32)\n"),
    _mutant("flatten", "through_a_list", "a list forgets float32, and numpy makes it float64", READ,
            "    return np.array(x.reshape(-1).tolist())\n"),
    _mutant("flatten", "one_row_of_a_matrix", "the result keeps a leading axis", READ, "    return x.reshape(1, -1)\n"),
    _mutant("flatten", "channels_kept", "each channel is flat, but they are still apart", READ,
            "    return x.reshape(len(x), -1)\n"),
    _mutant("flatten", "only_the_first_channel", "the loop over the channels is missing", READ,
            "    return x[0].reshape(-1)\n"),
    _mutant("flatten", "single_channel_special", "one channel taken for one row, which has one order only", SWAP,
            "        x = x.swapaxes(1, 2) if len(x) > 1 else x\n"),
    _mutant("flatten", "nan_removed", "clean-up that nobody asked for", READ,
            "    return np.nan_to_num(x.reshape(-1))\n"),
    _mutant("padding", "torch_order", "F.pad counts (left, right, up, bottom)", UNPACK,
            "    left, right, up, bottom = pads\n"),
    _mutant("padding", "css_order", "style sheets count clockwise: up, right, bottom, left", UNPACK,
            "    up, right, bottom, left = pads\n"),
    _mutant("padding", "up_left_bottom_right", "ONNX counts all beginnings, then all ends", UNPACK,
            "    up, left, bottom, right = pads\n"),
    _mutant("padding", "up_and_bottom_exchanged", "right shape, x in the wrong place", WRITE,
            "padded[:, bottom : bottom + rows, left : left + cols] = x"),
    _mutant("padding", "left_and_right_exchanged", "right shape, x in the wrong place", WRITE,
            "padded[:, up : up + rows, right : right + cols] = x"),
    _mutant("padding", "slice_to_minus_bottom", "x[up:-0] is empty: fails where a pad is 0", WRITE,
            "padded[:, up:-bottom, left:-right] = x"),
    _mutant("padding", "first_channel_only", "the other channels are all border", WRITE,
            "padded[0, up : up + rows, left : left + cols] = x[0]"),
    _mutant("padding", "zeros", "the value is forgotten", FULL,
            "np.zeros((channels, up + rows + bottom, left + cols + right), x.dtype)"),
    _mutant("padding", "dtype_of_value", "np.full without a dtype takes that of the value", FULL,
            "np.full((channels, up + rows + bottom, left + cols + right), value)"),
    _mutant("padding", "always_float32", "the type of the lesson's examples, instead of the dtype of x", FULL,
            "np.full((channels, up + rows + bottom, left + cols + right), value, np.float32)"),
    _mutant("padding", "value_cut", "3.14 becomes 3", FULL,
            "np.full((channels, up + rows + bottom, left + cols + right), np.trunc(value), x.dtype)"),
    _mutant("padding", "channels_padded", "a border in front of the first channel too", FULL,
            "np.full((channels + up, up + rows + bottom, left + cols + right), value, x.dtype)"),
    _mutant("padding", "edge_repeated", "replicate padding instead of constant padding", "    return padded\n",
            '    return np.pad(x, ((0, 0), (up, bottom), (left, right)), mode="edge")\n'),
    _mutant("padding", "default_one", "the wrong default", "value: float = 0.0", "value: float = 1.0"),
    _mutant("padding", "no_check", "numpy reads a negative number as 'from the end'", "    if min(pads) < 0:\n",
            "    if False:\n"),
    _mutant("padding", "only_first_checked", "a negative pad on another side passes", "    if min(pads) < 0:\n",
            "    if pads[0] < 0:\n"),
    _mutant("padding", "only_beginnings_checked", "a negative bottom or right passes", "    if min(pads) < 0:\n",
            "    if up < 0 or left < 0:\n"),
    _mutant("padding", "sum_checked", "a negative pad that another one makes good passes", "    if min(pads) < 0:\n",
            "    if sum(pads) < 0:\n"),
    _mutant("padding", "zero_refused", "a pad of 0 is a pad too", "    if min(pads) < 0:\n",
            "    if min(pads) <= 0:\n"),
    _mutant("reshape", "numpy_order_f", "the columns run over all three axes, reading and writing",
            "    values = flatten(x, row_major)\n",
            '    if not row_major:\n        return x.reshape((channels, rows, cols), order="F")\n'
            "    values = flatten(x, row_major)\n"),
    _mutant("reshape", "written_by_rows", "read column by column, written row by row",
            "    return by_columns.swapaxes(1, 2)\n", "    return values.reshape(channels, rows, cols)\n"),
    _mutant("reshape", "read_by_rows", "read row by row, written column by column",
            "    values = flatten(x, row_major)\n", "    values = flatten(x)\n"),
    _mutant("reshape", "not_swapped_back", "the result has W' rows and H' columns",
            "    return by_columns.swapaxes(1, 2)\n", "    return by_columns\n"),
    _mutant("reshape", "sizes_not_exchanged", "laid out with H' columns of W' numbers instead of W' columns of H'",
            BY_COLUMNS, "    by_columns = values.reshape(channels, rows, cols)\n"),
    _mutant("reshape", "always_swapped", "the row-major case goes through the column-major one",
            "    if row_major:\n        return values", "    if False:\n        return values"),
    _mutant("reshape", "flag_ignored", "only the row-major case was written",
            "    if row_major:\n        return values",
            "    values = flatten(x)\n    if True:\n        return values"),
    _mutant("reshape", "default_column_major", "the original course's default",
            "def reshape(x: np.ndarray, shapes: Sequence[int], row_major: bool = True)",
            "def reshape(x: np.ndarray, shapes: Sequence[int], row_major: bool = False)"),
    _mutant("reshape", "ones_behind", "missing sizes are the last ones: (H', W') becomes (H', W', 1)", FEWER,
            "    channels, rows, cols = tuple(shapes) + (1,) * (3 - len(shapes))\n"),
    _mutant("reshape", "three_sizes_only", "(H', W') and (W',) fail", FEWER, "    channels, rows, cols = shapes\n"),
    _mutant("reshape", "np_resize", "np.resize repeats or drops numbers until they fit", CHECK,
            CHECK + "        return np.resize(x, (channels, rows, cols))\n    if False:\n"),
    _mutant("reshape", "only_more_refused", "a smaller shape silently drops numbers", CHECK,
            "    x = x.reshape(1, 1, -1)[:, :, : channels * rows * cols] if channels * rows * cols < x.size else x\n"
            + CHECK),
    _mutant("reshape", "always_float32", "the type of the lesson's examples, instead of the dtype of x",
            "    values = flatten(x, row_major)\n", "    values = flatten(x, row_major).astype(np.float32)\n"),
]  # fmt: skip
