"""Wrong homework that the tests must see: wrong transforms, too many products, plans that overlap or waste."""

from __future__ import annotations


def _mutant(exercise: str, name: str, why: str, old: str, new: str) -> dict[str, str]:
    return {"exercise": exercise, "name": name, "why": why, "old": old, "new": new}


STEP = "    products = multiply(into @ d, (kernel @ g)[:, None])\n    return back @ products"
SIZE = "    by_size = sorted(sizes, key=lambda name: -sizes[name])\n"
PLANS = "    plans = [place(order, lives, sizes) for order in (by_size, by_area, by_length)]\n"
MULTIPLIED = "    sums = multiply(inner, kernels[:, :, None, None]).sum(axis=1)  # (O, down, across, 4, 4)\n"
FACTOR = "    factor = gamma / np.sqrt(var + weight.dtype.type(eps))\n"
FOLDED = "    return weight * factor[:, None, None, None], (before - mean) * factor + beta"
TOGETHER = "        together = [other for other in offsets if lives[other][0] <= last and first <= lives[other][1]]\n"

_STEP = (
    ("six_products", "writes the formula down, with six products for each tile", STEP,
     "    return np.stack([sum(multiply(d[i + k], g[k : k + 1]) for k in range(3)) for i in range(2)])"),
    ("past_multiply", "multiplies with *, past multiply", STEP,
     STEP.replace("multiply(into @ d, (kernel @ g)[:, None])", "(into @ d) * (kernel @ g)[:, None]")),
    ("no_halves", "forgets the halves of the kernel's transform", STEP,
     STEP.replace("kernel @ g", "(kernel * np.array([1, 2, 2, 1], d.dtype)[:, None]) @ g")),
    ("last_sign", "adds the last product to the second output", STEP,
     STEP.replace("back @ products", "back @ (products * np.array([1, 1, 1, -1], d.dtype)[:, None])")),
    ("second_sum", "adds the middle products in both outputs", STEP,
     STEP.replace("back @ products", "(np.abs(back) * np.array([1, 1, 1, -1], d.dtype)) @ products")),
    ("turned", "turns the kernel round", STEP, STEP.replace("@ g)", "@ g[::-1])")),
    ("always_float64", "forgets the element type of the matrices", STEP,
     "    products = multiply(INTO @ d, (KERNEL @ g)[:, None])\n    return BACK @ products"),
    ("one_tile", "computes the first tile only", STEP,
     STEP.replace("back @ products", "np.repeat((back @ products)[:, :1], d.shape[1], axis=1)")),
    ("counted_transform", "makes the transform of the tiles with multiply, too", STEP,
     "    inner = multiply(into[:, :, None], d[None]).sum(axis=1)\n"
     "    return back @ multiply(inner, (kernel @ g)[:, None])"),
    ("exchanged", "exchanges the two outputs", STEP, STEP.replace("back @ products", "(back @ products)[::-1]")),
)  # fmt: skip

_IMAGE = (
    ("im2col", "calls the convolution that is given", MULTIPLIED,
     "    return im2col_conv(x, weight, multiply)\n" + MULTIPLIED),
    ("past_multiply", "multiplies with einsum, past multiply", MULTIPLIED,
     '    sums = np.einsum("cijab,ocab->oijab", inner, kernels)\n'),
    ("one_dimension", "transforms the rows only, and takes 24 products for each tile", MULTIPLIED,
     "    inner, kernels = into @ tiles, kernel @ weight\n"
     "    sums = sum(multiply(inner[..., j : j + 2], kernels[:, :, None, None, :, j : j + 1]) for j in range(3))\n"
     "    result = back @ sums.sum(axis=1)\n"
     "    rows = result.transpose(0, 1, 3, 2, 4).reshape(len(weight), -1, 2 * result.shape[2])\n"
     "    return rows[:, :height, :width]\n"),
    ("first_channel", "forgets the sum over the channels", MULTIPLIED, MULTIPLIED.replace(".sum(axis=1)", "[:, 0]")),
    ("kernels_transposed", "turns the kernels over", "kernels = kernel @ weight @ kernel.T",
     "kernels = kernel @ weight.swapaxes(2, 3) @ kernel.T"),
    ("kernels_turned", "turns the kernels by 180 degrees", "kernels = kernel @ weight @ kernel.T",
     "kernels = kernel @ weight[:, :, ::-1, ::-1] @ kernel.T"),
    ("no_transpose", "multiplies with the transform instead of its transpose on the right",
     "inner = into @ tiles @ into.T", "inner = into @ tiles @ into"),
    ("reshaped", "reshapes the tiles without putting their rows side by side", "result.transpose(0, 1, 3, 2, 4)",
     "result"),
    ("tiles_turned", "exchanges rows and columns inside the tiles", "result.transpose(0, 1, 3, 2, 4)",
     "result.transpose(0, 1, 4, 2, 3)"),
    ("even_only", "loses the last row and column where the size is odd",
     "np.pad(x, ((0, 0), (0, height % 2), (0, width % 2)))",
     "np.pad(x, ((0, 0), (0, height % 2), (0, width % 2)))\n"
     "    padded[:, x.shape[1] - height % 2 :] = 0\n    padded[:, :, x.shape[2] - width % 2 :] = 0"),
    ("not_cut", "does not cut what the padding added", "    return rows[:, :height, :width]", "    return rows"),
    ("always_padded", "pads by two, whatever the size, and multiplies in vain",
     "np.pad(x, ((0, 0), (0, height % 2), (0, width % 2)))",
     "np.pad(x, ((0, 0), (0, 2 + height % 2), (0, 2 + width % 2)))"),
    ("always_float64", "forgets the element type of the matrices",
     "    back, kernel, into = (matrix.astype(x.dtype) for matrix in (BACK, KERNEL, INTO))\n    height",
     "    back, kernel, into = BACK, KERNEL, INTO\n    height"),
)  # fmt: skip

_PLAN = (
    ("no_reuse", "gives each value a place of its own", TOGETHER, "        together = list(offsets)\n"),
    ("touching", "reuses a place at the very step at which it is read for the last time", TOGETHER,
     TOGETHER.replace("<= last and first <=", "< last and first <")),
    ("half_touching", "looks at one end of the lives only with <", TOGETHER,
     TOGETHER.replace("first <= lives", "first < lives")),
    ("starts_only", "asks only whether the other is alive when this one begins", TOGETHER,
     TOGETHER.replace("lives[other][0] <= last and first", "lives[other][0] <= first and first")),
    ("unsorted", "looks at the neighbours in the order in which they were placed",
     "sorted(together, key=offsets.__getitem__)", "together"),
    ("gap_too_small", "takes a gap without asking for its size",
     "            if start + sizes[name] <= offsets[other]:\n", "            if start < offsets[other]:\n"),
    ("start_moves_back", "forgets that an earlier neighbour may reach further up",
     "            start = max(start, offsets[other] + sizes[other])\n",
     "            start = offsets[other] + sizes[other]\n"),
    ("in_time", "places the values in the order in which they are written", PLANS,
     "    plans = [place(sorted(sizes, key=lambda name: lives[name]), lives, sizes)]\n"),
    ("smallest_first", "places the smallest first", PLANS,
     "    plans = [place(by_size[::-1], lives, sizes)]\n"),
    ("buffers", "keeps a list of buffers and takes a free one that is large enough", PLANS,
     "    pool, found, top = [], {}, 0\n"
     "    for name in sorted(sizes, key=lambda name: lives[name]):\n"
     "        buffer = next((b for b in pool if b[2] < lives[name][0] and b[1] >= sizes[name]), None)\n"
     "        if buffer is None:\n"
     "            buffer = [top, sizes[name], 0]\n            pool.append(buffer)\n            top += sizes[name]\n"
     "        buffer[2] = lives[name][1]\n        found[name] = buffer[0]\n"
     "    plans = [found]\n"),
    ("one_buffer_size", "makes all buffers as large as the largest value", PLANS,
     "    plans = [place(by_size, lives, dict.fromkeys(sizes, max(sizes.values(), default=0)))]\n"),
    ("by_name", "returns a list in the order of the names", "    return min(plans, key",
     "    return [plans[0][name] for name in sorted(sizes)]\n    return min(plans, key"),
)  # fmt: skip

_FOLD = (
    ("no_eps", "leaves eps out", FACTOR, "    factor = gamma / np.sqrt(np.maximum(var, 1e-20)).astype(weight.dtype)\n"),
    ("eps_outside", "adds eps to the root", FACTOR,
     "    factor = gamma / (np.sqrt(var) + weight.dtype.type(eps))\n"),
    ("no_root", "divides by the variance", FACTOR, "    factor = gamma / (var + weight.dtype.type(eps))\n"),
    ("multiplied_by_root", "multiplies by the root", FACTOR, FACTOR.replace("gamma /", "gamma *")),
    ("bias_forgotten", "forgets the convolution's own bias", FOLDED,
     FOLDED.replace("(before - mean)", "(0 * before - mean)")),
    ("bias_not_scaled", "adds the convolution's bias as it is", FOLDED,
     FOLDED.replace("(before - mean) * factor", "before - mean * factor")),
    ("mean_not_scaled", "subtracts the mean as it is", FOLDED,
     FOLDED.replace("(before - mean) * factor", "before * factor - mean")),
    ("mean_added", "adds the mean", FOLDED, FOLDED.replace("before - mean", "before + mean")),
    ("beta_scaled", "scales beta, too", FOLDED,
     FOLDED.replace("(before - mean) * factor + beta", "(before - mean + beta) * factor")),
    ("wrong_axis", "scales the input channels where there are as many", FOLDED,
     FOLDED.replace("weight * factor[:, None, None, None]",
                    "weight * factor.reshape((1, -1, 1, 1) if weight.shape[0] == weight.shape[1] else (-1, 1, 1, 1))")),
    ("last_axis", "lets numpy line the channels up with the columns of the kernel", FOLDED,
     FOLDED.replace("factor[:, None, None, None]",
                    "(factor if weight.shape[3] == len(factor) else factor[:, None, None, None])")),
    ("always_float64", "gives float64", FOLDED,
     FOLDED.replace("return weight *", "return weight.astype(np.float64) *")),
    ("bias_none", "returns no bias where there was none", FOLDED,
     "    if bias is None:\n        return weight * factor[:, None, None, None], np.zeros_like(mean)\n" + FOLDED),
)  # fmt: skip

MUTANTS = [
    *(_mutant("winograd_step", *rest) for rest in _STEP),
    *(_mutant("winograd", *rest) for rest in _IMAGE),
    *(_mutant("plan_memory", *rest) for rest in _PLAN),
    *(_mutant("fold_batchnorm", *rest) for rest in _FOLD),
]
