"""Wrong homework that the tests must see: bad tests of convolution, and wrong im2col and conv2d."""

from __future__ import annotations


def _mutant(exercise: str, name: str, why: str, old: str, new: str) -> dict[str, str]:
    return {"exercise": exercise, "name": name, "why": why, "old": old, "new": new}


SHAPES = (
    '        assert got.shape == expected.shape, f"groups={groups}: expected shape {expected.shape}, got {got.shape}"\n'
)
VALUES = (
    "        assert np.allclose(got, expected, rtol=1e-6, atol=1e-6), "
    'f"groups={groups}, kernel {kh}x{kw}: wrong numbers"\n'
)
CASES = "    for groups, kh, kw in ((2, 3, 2), (3, 2, 3), (2, 1, 1)):\n"
X = "        x = rng.integers(-9, 10, (2, 2 * groups, 5, 7)).astype(np.float64)\n"
WEIGHT = "        weight = rng.integers(-9, 10, (3 * groups, 2, kh, kw)).astype(np.float64)\n"
BIAS = "        bias = np.arange(1.0, 3 * groups + 1)\n"
GOT = "        got = conv(x, weight, bias, groups)\n"

_TESTS = (
    ("asserts_nothing", "compares nothing, as the original course's test", SHAPES + VALUES, ""),
    ("shape_only", "compares the shape and no value", VALUES, ""),
    ("no_shape", "subtracts arrays of different shapes, which raises ValueError", SHAPES + VALUES,
     "        assert np.abs(got - expected).max() < 1e-6\n"),
    ("always_raises", "refuses every convolution", VALUES, VALUES + "        raise AssertionError('wrong')\n"),
    ("value_error", "raises ValueError where an assert belongs", VALUES,
     "        if not np.allclose(got, expected):\n            raise ValueError('wrong numbers')\n"),
    ("against_itself", "takes what is expected from the convolution under test", GOT,
     "        expected = got = conv(x, weight, bias, groups)\n"),
    ("equal_channels", "all input channels are equal, as in the original course's test", X,
     X + "        x[:] = x[:, :1]\n"),
    ("equal_kernels", "all kernels are equal, as in the original course's test", WEIGHT,
     WEIGHT + "        weight[:] = weight[:1]\n"),
    ("ones", "kernels of ones look the same in every direction", WEIGHT, WEIGHT + "        weight[:] = 1\n"),
    ("no_bias", "a bias of zeros", BIAS, "        bias = np.zeros(3 * groups)\n"),
    ("equal_bias", "the same bias for every channel", BIAS, "        bias = np.full(3 * groups, 7.0)\n"),
    ("one_group", "groups=1 only", CASES, "    for groups, kh, kw in ((1, 3, 2), (1, 2, 3), (1, 1, 1)):\n"),
    ("two_groups", "never three groups", CASES, CASES.replace("(3, 2, 3)", "(2, 2, 3)")),
    ("no_pointwise", "never a 1x1 kernel", CASES, CASES.replace("(2, 1, 1)", "(2, 2, 2)")),
    ("one_case", "one kernel size, the favourite of short cuts", CASES, "    for groups, kh, kw in ((2, 1, 1),):\n"),
    ("one_sample", "a batch of one", X, X.replace("(2, 2 * groups", "(1, 2 * groups")),
    ("equal_samples", "a batch of two equal samples", X, X + "        x[1] = x[0]\n"),
    ("one_channel_in_a_group", "one input channel in each group", X + WEIGHT,
     (X + WEIGHT).replace("(2, 2 * groups", "(2, groups").replace("(3 * groups, 2,", "(3 * groups, 1,")),
    ("one_kernel_in_a_group", "one output channel in each group", WEIGHT + BIAS,
     (WEIGHT + BIAS).replace("3 * groups", "groups")),
    ("tolerance", "a tolerance as large as the numbers", VALUES, VALUES.replace("atol=1e-6", "atol=1000")),
    ("sum_only", "compares the sum of all numbers", VALUES, "        assert np.isclose(got.sum(), expected.sum())\n"),
    ("first_number", "compares one number", VALUES, "        assert got.flat[0] == expected.flat[0]\n"),
    ("first_sample", "compares the first sample", VALUES, "        assert np.allclose(got[0], expected[0])\n"),
    ("any_number", "any() where all() belongs", VALUES, "        assert np.isclose(got, expected).any()\n"),
    ("exact", "compares with the exact numbers of one way to add", VALUES,
     "        x, weight = x / 7, weight / 3\n        assert (conv(x, weight, bias, groups) == "
     "slow_convolution(x, weight, bias, groups)).all()\n"),
    ("swallows", "catches the error of its own assert", VALUES,
     "        try:\n            assert np.allclose(got, expected)\n        except AssertionError:\n"
     "            print('wrong numbers')\n"),
    ("counts_calls", "passes the first call and refuses all later ones", "    rng = np.random.default_rng(6)\n",
     "    test_grouped_convolution.calls = getattr(test_grouped_convolution, 'calls', 0) + 1\n"
     "    assert test_grouped_convolution.calls == 1\n    rng = np.random.default_rng(6)\n"),
    ("wrong_formula", "expects a bias of the wrong channel", "(window * weight[o]).sum() + bias[o]",
     "(window * weight[o]).sum() + bias[o % (outputs // groups)]"),
)  # fmt: skip

FITS = """    if rows < 1 or cols < 1:
        raise ValueError(f"im2col: a kernel {kh}x{kw} does not fit into {height}x{width} with padding {ph}, {pw}")
"""
_ROWS = (
    ("stride_ignored", "moves by one pixel", "padded[:, i * sh : i * sh + kh, j * sw : j * sw + kw]",
     "padded[:, i : i + kh, j : j + kw]"),
    ("stride_swapped", "stride is (cols, rows)", "(kh, kw), (sh, sw), (ph, pw) = kernel_size, stride, padding",
     "(kh, kw), (sw, sh), (ph, pw) = kernel_size, stride, padding"),
    ("padding_swapped", "padding is (cols, rows)", "(kh, kw), (sh, sw), (ph, pw) = kernel_size, stride, padding",
     "(kh, kw), (sh, sw), (pw, ph) = kernel_size, stride, padding"),
    ("kernel_swapped", "kernel_size is (cols, rows)", "(kh, kw), (sh, sw), (ph, pw) = kernel_size, stride, padding",
     "(kw, kh), (sh, sw), (ph, pw) = kernel_size, stride, padding"),
    ("channels_last", "pixel by pixel instead of channel by channel", "window.reshape(-1)",
     "window.transpose(1, 2, 0).reshape(-1)"),
    ("column_by_column", "reads each window column by column", "window.reshape(-1)",
     "window.swapaxes(1, 2).reshape(-1)"),
    ("order_f", "numpy's order F puts the channels innermost", "window.reshape(-1)", 'window.reshape(-1, order="F")'),
    ("down_first", "the windows go down first", "result[i * cols + j]", "result[j * rows + i]"),
    ("columns", "one column per window", "    return result\n\n\n# conv2d",
     "    return np.ascontiguousarray(result.T)\n\n\n# conv2d"),
    ("row_length", "numbers the rows with H' instead of W'", "result[i * cols + j]",
     "result[(i * rows + j) % len(result)]"),
    ("always_float64", "forgets the element type", "np.empty((rows * cols, channels * kh * kw), x.dtype)",
     "np.empty((rows * cols, channels * kh * kw))"),
    ("edge_padding", "repeats the border instead of zeros", "np.pad(x, ((0, 0), (ph, ph), (pw, pw)))",
     'np.pad(x, ((0, 0), (ph, ph), (pw, pw)), mode="edge")'),
    ("padding_above_only", "all padding above and at the left", "np.pad(x, ((0, 0), (ph, ph), (pw, pw)))",
     "np.pad(x, ((0, 0), (2 * ph, 0), (2 * pw, 0)))"),
    ("ceil", "counts a last window that sticks out, on a border of zeros",
     "    padded = np.pad(x, ((0, 0), (ph, ph), (pw, pw)))\n",
     "    rows, cols = -(-(height + 2 * ph - kh) // sh) + 1, -(-(width + 2 * pw - kw) // sw) + 1\n"
     "    padded = np.pad(x, ((0, 0), (ph, ph + sh), (pw, pw + sw)))\n"),
    ("last_window", "misses the last window of each line", "for i, j in np.ndindex(rows, cols):",
     "result[:] = 0\n    for i, j in np.ndindex(rows, max(1, cols - 1)):"),
    ("no_check", "returns something empty when nothing fits", FITS, "    rows, cols = max(rows, 0), max(cols, 0)\n"),
    ("check_too_strict", "refuses a kernel that just fits", "if rows < 1 or cols < 1:", "if rows < 2 or cols < 2:"),
    ("check_without_padding", "compares the kernel with the image before it is padded", "if rows < 1 or cols < 1:",
     "if kh > height or kw > width:"),
    ("check_rows_only", "checks one direction", "if rows < 1 or cols < 1:", "cols = max(cols, 0)\n    if rows < 1:"),
    ("default_stride", "moves by a whole window unless told otherwise, as pooling does",
     "(kh, kw), (sh, sw), (ph, pw) = kernel_size, stride, padding",
     "(kh, kw), (ph, pw) = kernel_size, padding\n    sh, sw = kernel_size if stride == (1, 1) else stride"),
    ("first_channel", "every channel is the first", "window.reshape(-1)",
     "np.broadcast_to(window[:1], window.shape).reshape(-1)"),
)  # fmt: skip

DIVIDES = "if x.shape[1] % groups or outputs % groups or depth != x.shape[1] // groups:"
RETURN = "return y if bias is None else y + bias[:, None, None]"
_CONV = (
    ("bias_in_group", "every group takes the first group's bias, the original course's fault", RETURN,
     "return y if bias is None else y + np.tile(bias[: outputs // groups], groups)[:, None, None]"),
    ("no_bias", "forgets the bias", RETURN, "return y"),
    ("bias_needed", "fails without a bias", RETURN, "return y + bias[:, None, None]"),
    ("bias_per_group", "adds the bias once for every group", RETURN,
     "return y if bias is None else y + groups * bias[:, None, None]"),
    ("first_channels", "every group looks at the first channels, as KuiperInfer's grouped 1x1",
     "x[n, g * depth : (g + 1) * depth]", "x[n, :depth]"),
    ("first_kernels", "every group uses the first kernels", "kernels[g].T", "kernels[0].T"),
    ("no_transpose", "reads (H'*W', O) as (O, H'*W')", "(windows @ kernels[g].T).T.reshape(-1, rows, cols)",
     "(windows @ kernels[g].T).reshape(-1, rows, cols)"),
    ("shuffled", "the outputs of the groups alternate", "y = y.reshape(len(x), outputs, rows, cols)",
     "y = y.swapaxes(1, 2).reshape(len(x), outputs, rows, cols)"),
    ("turned", "rows and columns exchanged in the result", "(windows @ kernels[g].T).T.reshape(-1, rows, cols)",
     "(windows @ kernels[g].T).T.reshape(-1, cols, rows).swapaxes(1, 2).reshape(-1, rows, cols)"),
    ("first_sample", "computes the first sample only", "for n, g in np.ndindex(len(x), groups):",
     "y[:] = 0\n    for n, g in np.ndindex(1, groups):"),
    ("stride_ignored", "stride never reaches im2col", "(kh, kw), stride, padding)\n        y[n, g]",
     "(kh, kw), (1, 1), padding)[: rows * cols]\n        y[n, g]"),
    ("padding_ignored", "padding never reaches im2col", "(kh, kw), stride, padding)\n        y[n, g]",
     "(kh, kw), stride, (0, 0))\n        y[n, g]"),
    ("flipped", "turns the kernels, as a mathematician's convolution does",
     "weight.reshape(groups, outputs // groups, depth * kh * kw)",
     "weight[:, :, ::-1, ::-1].reshape(groups, outputs // groups, depth * kh * kw)"),
    ("always_float64", "forgets the element type", "np.empty((len(x), groups, outputs // groups, rows, cols), x.dtype)",
     "np.empty((len(x), groups, outputs // groups, rows, cols))"),
    ("float16", "sums in half precision", "(windows @ kernels[g].T).T.reshape(-1, rows, cols)",
     "(windows @ kernels[g].T).astype(np.float16).T.reshape(-1, rows, cols)"),
    ("no_check", "computes something for shapes that do not fit", DIVIDES,
     "depth = min(depth, x.shape[1] // groups)\n    weight = weight[: outputs // groups * groups, :depth]\n"
     "    outputs = len(weight)\n    bias = None if bias is None else bias[:outputs]\n    if False:"),
    ("check_without_depth", "never looks at the kernels' depth", DIVIDES,
     "weight = weight[:, : x.shape[1] // groups]\n    depth = weight.shape[1]\n"
     "    if x.shape[1] % groups or outputs % groups:"),
    ("default_padding", "pads so that the size stays, unless told otherwise",
     "rows = output_size(x.shape[2], kh, stride[0], padding[0])",
     "padding = (kh // 2, kw // 2) if padding == (0, 0) else padding\n"
     "    rows = output_size(x.shape[2], kh, stride[0], padding[0])"),
)  # fmt: skip

MUTANTS = [
    *(_mutant("grouped_convolution_test", *rest) for rest in _TESTS),
    *(_mutant("im2col", *rest) for rest in _ROWS),
    *(_mutant("conv2d", *rest) for rest in _CONV),
]
