"""Wrong homework that the tests must see: transposed convolutions and mean IoUs with one mistake each."""

from __future__ import annotations


def _mutant(exercise: str, name: str, why: str, old: str, new: str) -> dict[str, str]:
    return {"exercise": exercise, "name": name, "why": why, "old": old, "new": new}


STAMP = "        full[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw] += stamps\n"
CUT = "    y = full[:, :, ph : ph + rows, pw : pw + cols]\n"
BIAS = "    return y if bias is None else y + bias[:, None, None]\n"
SIZES = "(n, channels, height, width), (inputs, outputs, kh, kw) = x.shape, weight.shape"
STAMPS = "stamps = np.tensordot(x[:, :, i, j], weight, axes=1)"
FULL = "full = np.zeros((n, outputs, (height - 1) * sh + kh, (width - 1) * sw + kw), x.dtype)"
PAIRS = "(sh, sw), (ph, pw) = stride, padding\n"
CHANNELS = "    if inputs != channels:\n"
FITS = "    if rows < 1 or cols < 1:\n"

_STAMPS = (
    ("overwrite", "writes each stamp over the earlier ones", STAMP, STAMP.replace("+=", "=")),
    ("largest", "keeps the larger of two numbers where stamps overlap", STAMP,
     "        under = full[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw]\n"
     "        under[...] = np.where(np.abs(stamps) > np.abs(under), stamps, under)\n"),
    ("stride_ignored", "stamps one pixel apart", STAMP,
     "        full[:, :, i : i + kh, j : j + kw] += stamps\n"),
    ("stride_swapped", "stride is (columns, rows)", PAIRS, PAIRS.replace("(sh, sw)", "(sw, sh)")),
    ("kernel_as_stride", "stamps side by side, whatever the stride", PAIRS,
     PAIRS + "    sh, sw = (kh, kw) if stride != (1, 1) else stride\n"),
    ("default_stride", "a stride of 1 is taken for none, and the kernel's size used", PAIRS,
     PAIRS + "    sh, sw = (kh, kw) if stride == (1, 1) else stride\n"),
    ("padding_swapped", "padding is (columns, rows)", PAIRS, PAIRS.replace("(ph, pw)", "(pw, ph)")),
    ("padding_added", "adds a border of zeros, as a convolution does", CUT,
     "    y = np.pad(full, ((0, 0), (0, 0), (ph, ph), (pw, pw)))\n"),
    ("padding_ignored", "cuts nothing", CUT, "    y = full\n"),
    ("padding_once", "cuts above and at the left only", CUT, "    y = full[:, :, ph:, pw:]\n"),
    ("padding_above", "cuts all of it above and at the left", CUT, "    y = full[:, :, 2 * ph :, 2 * pw :]\n"),
    ("padding_minus", "cuts with [p:-p], which is empty for p = 0", CUT, "    y = full[:, :, ph:-ph, pw:-pw]\n"),
    ("outputs_first", "reads weight as (O, C, kh, kw), as in a convolution", SIZES,
     "weight = weight.swapaxes(0, 1)\n    " + SIZES),
    ("kernel_sizes_swapped", "takes the kernel's width for its height", STAMPS,
     "stamps = np.tensordot(x[:, :, i, j], weight.reshape(inputs, outputs, kw, kh).swapaxes(2, 3), axes=1)"),
    ("flipped", "stamps the kernel upside down, mirrored", STAMPS,
     STAMPS.replace("weight,", "weight[:, :, ::-1, ::-1],")),
    ("bias_per_stamp", "adds the bias with every stamp", STAMP,
     STAMP.replace("+= stamps", "+= stamps if bias is None else stamps + bias[:, None, None]")
     + "    bias = None\n"),
    ("bias_per_channel", "adds the bias once for each input channel", BIAS,
     BIAS.replace("y + bias", "y + channels * bias")),
    ("no_bias", "forgets the bias", BIAS, "    return y\n"),
    ("bias_needed", "fails without a bias", BIAS, "    return y + bias[:, None, None]\n"),
    ("bias_in_columns", "lines the bias up with the columns", BIAS,
     "    return y if bias is None else y + np.resize(bias, cols)\n"),
    ("bias_under_stamps", "adds the bias only where something was stamped", BIAS,
     "    return y if bias is None else y + (y != 0) * bias[:, None, None]\n"),
    ("first_channel", "stamps the first input channel only", STAMPS,
     "stamps = np.tensordot(x[:, :1, i, j], weight[:1], axes=1)"),
    ("depthwise", "each output channel sees one input channel, as with as many groups as channels", STAMPS,
     "stamps = np.stack([x[:, o % inputs, i, j, None, None] * weight[o % inputs, o] for o in range(outputs)], 1)"),
    ("two_groups", "two halves of the channels that do not see each other", STAMPS,
     "half = np.arange(inputs)[:, None] * 2 // inputs == np.arange(outputs) * 2 // outputs\n"
     "        stamps = np.tensordot(x[:, :, i, j], weight * half.astype(weight.dtype)[:, :, None, None], axes=1)"),
    ("first_sample", "every sample is the first", STAMPS, STAMPS.replace("x[:, :, i, j]", "x[:1, :, i, j]")),
    ("rows_of_width", "walks over a square of the smaller side", "for i, j in np.ndindex(height, width):",
     "for i, j in np.ndindex(min(height, width), min(height, width)):"),
    ("last_row", "loses the last row of pixels", "for i, j in np.ndindex(height, width):",
     "for i, j in np.ndindex(max(1, height - 1), width):"),
    ("size_times_stride", "expects H * stride rows and columns, whatever the kernel", CUT,
     CUT + "    room = np.zeros((n, outputs, max(1, height * sh - 2 * ph), max(1, width * sw - 2 * pw)), x.dtype)\n"
     "    y = y[:, :, : room.shape[2], : room.shape[3]]\n    room[:, :, : y.shape[2], : y.shape[3]] = y\n"
     "    y = room\n"),
    ("always_float64", "forgets the element type", FULL, FULL.replace(", x.dtype", "")),
    ("always_float32", "computes in float32, whatever comes", FULL, FULL.replace("x.dtype", "np.float32")),
    ("no_channel_check", "computes with as many channels as both have", CHANNELS,
     "    x, weight = x[:, : min(channels, inputs)], weight[: min(channels, inputs)]\n    if False:\n"),
    ("no_size_check", "returns something empty when the cut leaves nothing", FITS,
     "    rows, cols = max(rows, 0), max(cols, 0)\n    if False:\n"),
    ("check_rows_only", "checks one direction", FITS, "    cols = max(cols, 0)\n    if rows < 1:\n"),
    ("check_too_strict", "refuses a cut that leaves one pixel", FITS, "    if rows < 2 or cols < 2:\n"),
    ("check_of_kernel", "refuses a padding as large as the kernel allows", FITS,
     "    if rows < 1 or cols < 1 or 2 * ph >= kh or 2 * pw >= kw:\n"),
)  # fmt: skip

BOTH = "            ious.append(np.count_nonzero(a & b) / either)\n"
COUNTED = "        if either:\n"
CLASSES = "    for number in range(classes):\n"
MEAN = '    return float(sum(ious) / len(ious)) if ious else float("nan")\n'
SHAPES = "    if predicted.shape != truth.shape:\n"
RANGE = "        if ((mask < 0) | (mask >= classes)).any():\n"
EITHER = "either = np.count_nonzero(a | b)"

_MASKS = (
    ("accuracy", "the share of pixels with the right class", MEAN,
     '    return float((predicted == truth).mean()) if ious else float("nan")\n'),
    ("dice", "Dice instead of IoU", BOTH,
     "            ious.append(2 * np.count_nonzero(a & b) / (np.count_nonzero(a) + np.count_nonzero(b)))\n"),
    ("union_twice", "counts the common pixels twice in the union", EITHER,
     "either = np.count_nonzero(a) + np.count_nonzero(b)"),
    ("over_all_pixels", "throws all classes together: one IoU over all pixels", MEAN,
     "    right = np.count_nonzero(predicted == truth)\n"
     '    return float(right / (2 * truth.size - right)) if ious else float("nan")\n'),
    ("absent_is_zero", "a class in neither mask counts as 0", BOTH,
     BOTH + "        elif truth.size:\n            ious.append(0.0)\n"),
    ("absent_is_one", "a class in neither mask counts as 1", BOTH,
     BOTH + "        elif truth.size:\n            ious.append(1.0)\n"),
    ("true_classes_only", "forgets classes that were predicted and are not there", COUNTED, "        if b.any():\n"),
    ("predicted_classes_only", "forgets classes that were not predicted", COUNTED, "        if a.any():\n"),
    ("common_classes_only", "forgets classes with an IoU of 0", COUNTED, "        if (a & b).any():\n"),
    ("no_background", "leaves class 0 out", CLASSES,
     "    for number in range(1 if classes > 1 and predicted.any() else 0, classes):\n"),
    ("last_class", "leaves the last class out", CLASSES, "    for number in range(max(1, classes - 1)):\n"),
    ("classes_from_masks", "takes the number of classes from the truth", CLASSES,
     "    for number in range(int(truth.max()) + 1 if truth.size else 0):\n"),
    ("by_frequency", "weighs the classes by their pixels", BOTH,
     "            ious += [np.count_nonzero(a & b) / either] * np.count_nonzero(b)\n"),
    ("share_of_truth", "divides by the pixels of the truth: that is recall", EITHER, "either = np.count_nonzero(b)"),
    ("overflow", "numbers the pairs in bytes, where 20 * 20 is 144", "    ious = []\n",
     "    if predicted.dtype == np.uint8:\n        pairs = predicted * np.uint8(classes) + truth\n"
     "        table = np.bincount(pairs.ravel(), minlength=classes**2)[: classes**2].reshape(classes, classes)\n"
     "        union = table.sum(0) + table.sum(1) - np.diag(table)\n"
     "        return float((np.diag(table)[union > 0] / union[union > 0]).mean())\n    ious = []\n"),
    ("whole_division", "divides whole numbers", BOTH, BOTH.replace(" / either", " // either")),
    ("numpy_number", "gives one of numpy's numbers", MEAN,
     '    return np.float64(sum(ious) / len(ious)) if ious else float("nan")\n'),
    ("nothing_is_zero", "gives 0 where no class counts", MEAN, MEAN.replace('float("nan")', "0.0")),
    ("nothing_is_one", "gives 1 where no class counts", MEAN, MEAN.replace('float("nan")', "1.0")),
    ("nothing_fails", "divides by zero where no class counts", MEAN, "    return float(sum(ious) / len(ious))\n"),
    ("no_shape_check", "lets numpy broadcast masks of different shapes", SHAPES, "    if False:\n"),
    ("sizes_compared", "compares the numbers of pixels only", SHAPES,
     "    truth = truth.reshape(predicted.shape) if truth.size == predicted.size else truth\n" + SHAPES),
    ("no_class_check", "ignores numbers that are no class", RANGE, "        if False:\n"),
    ("check_above_only", "ignores numbers below 0", RANGE, "        if (mask >= classes).any():\n"),
    ("check_too_lax", "takes `classes` for a class", RANGE,
     "        if ((mask < 0) | (mask > classes)).any():\n"),
    ("truth_unchecked", "checks one mask only", 'for name, mask in (("predicted", predicted), ("truth", truth)):',
     'for name, mask in (("predicted", predicted),):'),
)  # fmt: skip

MUTANTS = [
    *(_mutant("transposed_convolution", *rest) for rest in _STAMPS),
    *(_mutant("mean_iou", *rest) for rest in _MASKS),
]
