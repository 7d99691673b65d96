"""Wrong homework that the tests must see: real mistakes in pooling, in the head, and in preparing a picture."""

from __future__ import annotations


def _mutant(exercise: str, name: str, why: str, old: str, new: str) -> dict[str, str]:
    return {"exercise": exercise, "name": name, "why": why, "old": old, "new": new}


SPANS = "[slice(i * length // count, -(-(i + 1) * length // count)) for i in range(count)]"
BEGIN, END = "i * length // count,", "-(-(i + 1) * length // count)"
EMPTY = "np.empty((*x.shape[:2], *size), x.dtype)"
MEANS = "x[:, :, rows, cols].mean(axis=(2, 3))"
_POOL = (
    ("fixed_window", "one size and one step for all windows, the original course's fault", SPANS,
     "[slice(i * (length // count), i * (length // count) + length - (count - 1) * (length // count)) "
     "for i in range(count)]"),
    ("blocks", "windows of length // count, and what is left over is dropped", SPANS,
     "[slice(i * max(length // count, 1) % length, i * max(length // count, 1) % length + max(length // count, 1)) "
     "for i in range(count)]"),
    ("end_down", "both borders rounded down: the windows never overlap", END,
     "max((i + 1) * length // count, i * length // count + 1)"),
    ("begin_up", "both borders rounded up", BEGIN, "min(-(-i * length // count), length - 1),"),
    ("exchanged", "ceil for the beginning and floor for the end", SPANS,
     "[slice(min(-(-i * length // count), (i + 1) * length // count), (i + 1) * length // count) "
     "for i in range(count)]"),
    ("always_one_more", "floor + 1 in place of ceil: one row too many where the sizes divide", END,
     "(i + 1) * length // count + 1"),
    ("rounded", "round to the nearest in place of floor and ceil", SPANS,
     "[slice(min(round(i * length / count), length - 1), max(round((i + 1) * length / count), "
     "round(i * length / count) + 1)) for i in range(count)]"),
    ("rounded_step", "multiplies by length / count as a float, whose error reaches the next row", SPANS,
     "[slice(int(i * (length / count)), int(np.ceil((i + 1) * (length / count)))) for i in range(count)]"),
    ("swapped", "size is (cols, rows)", "    y = np.empty((*x.shape[:2], *size), x.dtype)\n",
     "    size = size[::-1]\n    y = np.empty((*x.shape[:2], *size), x.dtype)\n"),
    ("square", "takes the first size for both directions", "    y = np.empty((*x.shape[:2], *size), x.dtype)\n",
     "    size = (size[0], size[0])\n    y = np.empty((*x.shape[:2], *size), x.dtype)\n"),
    ("axes_exchanged", "cuts the rows by the width", "enumerate(spans(x.shape[2], size[0]))",
     "enumerate(spans(x.shape[3], size[0]))"),
    ("sum", "adds up and does not divide", MEANS, "x[:, :, rows, cols].sum(axis=(2, 3))"),
    ("fixed_count", "divides every sum by one count, however large the window", MEANS,
     "x[:, :, rows, cols].sum(axis=(2, 3)) / (-(-x.shape[2] // size[0]) * -(-x.shape[3] // size[1]))"),
    ("max", "keeps the largest number, as the layer before it does", MEANS, "x[:, :, rows, cols].max(axis=(2, 3))"),
    ("mean_of_extremes", "the middle between the smallest and the largest number", MEANS,
     "(x[:, :, rows, cols].max(axis=(2, 3)) + x[:, :, rows, cols].min(axis=(2, 3))) / 2"),
    ("one_channel", "averages over the channels too", MEANS, "x[:, :, rows, cols].mean(axis=(1, 2, 3))[:, None]"),
    ("first_picture", "computes the first picture only", MEANS, "x[:1, :, rows, cols].mean(axis=(2, 3))"),
    ("always_float64", "forgets the element type", EMPTY, "np.empty((*x.shape[:2], *size))"),
    ("float16", "averages in half precision", MEANS, "x[:, :, rows, cols].astype(np.float16).mean(axis=(2, 3))"),
    ("global_only", "right for (1, 1), the one case of a classifier, and nothing else", MEANS,
     "x.mean(axis=(2, 3))"),
)  # fmt: skip

FEATURES = "features = x.mean(axis=(2, 3))"
SCORES = "features @ weight.T + bias"
POWERS = "np.exp(scores - scores.max(axis=1, keepdims=True))"
SHARES = "return powers / powers.sum(axis=1, keepdims=True)"
_HEAD = (
    ("overflow", "softmax as the formula says, without subtracting the maximum", POWERS, "np.exp(scores)"),
    ("one_maximum", "one maximum for the whole batch: the others underflow, and 0 / 0 is nan", POWERS,
     "np.exp(scores - scores.max())"),
    ("minimum", "subtracts the smallest score, so that the exponents grow", POWERS,
     "np.exp(scores - scores.min(axis=1, keepdims=True))"),
    ("clipped", "avoids the overflow by cutting the scores off", POWERS, "np.exp(np.clip(scores, -80, 80))"),
    ("along_batch", "takes PNNX's dim=1 and forgets that it counts the batch: softmax along axis 0",
     POWERS + "\n    " + SHARES,
     "np.exp(scores - scores.max(axis=0, keepdims=True))\n    return powers / powers.sum(axis=0, keepdims=True)"),
    ("whole_batch", "all probabilities of the batch together add up to 1", SHARES, "return powers / powers.sum()"),
    ("maximum_on_top", "divides by the largest in place of the sum", SHARES,
     "return powers / powers.max(axis=1, keepdims=True)"),
    ("scores_only", "returns the scores", SHARES, "return scores"),
    ("sigmoid", "each class by itself, so that a row does not add up to 1", POWERS + "\n    " + SHARES,
     "np.exp(-np.abs(scores))\n    return np.where(scores >= 0, 1, powers) / (1 + powers)"),
    ("log_softmax", "the logarithm of the probabilities, as a training loss wants it", SHARES,
     "return scores - scores.max(axis=1, keepdims=True) - np.log(powers.sum(axis=1, keepdims=True))"),
    ("twice", "softmax of the softmax", SHARES,
     "powers = np.exp(powers / powers.sum(axis=1, keepdims=True))\n    " + SHARES),
    ("winner_takes_all", "1 for the best class and 0 for the others", SHARES, "return (powers == 1).astype(x.dtype)"),
    ("sum", "adds up the planes and does not divide", FEATURES, "features = x.sum(axis=(2, 3))"),
    ("fixed_count", "divides by 7 * 7, the plane of ResNet18", FEATURES,
     "features = x.sum(axis=(2, 3)) / np.asarray(49, x.dtype)"),
    ("max_pool", "keeps the largest number of each plane", FEATURES, "features = x.max(axis=(2, 3))"),
    ("rows_only", "averages over the rows and takes the first column", FEATURES, "features = x.mean(axis=2)[:, :, 0]"),
    ("no_transpose", "weight is used without transposing it", SCORES,
     "(features @ weight if weight.shape[0] == weight.shape[1] else features @ weight.T) + bias"),
    ("reshaped", "reshapes weight to (C, K) where it should transpose", SCORES,
     "features @ weight.reshape(weight.shape[::-1]) + bias"),
    ("no_bias", "forgets the bias", SCORES, "features @ weight.T"),
    ("late_bias", "adds the bias after softmax", SCORES + "\n    powers = " + POWERS + "\n    " + SHARES,
     "features @ weight.T\n    powers = " + POWERS + "\n    " + SHARES + " + bias"),
    ("first_picture", "gives every picture the probabilities of the first", SHARES,
     "return np.repeat((powers / powers.sum(axis=1, keepdims=True))[:1], len(x), axis=0)"),
    ("always_float64", "forgets the element type", FEATURES, "features = x.mean(axis=(2, 3), dtype=np.float64)"),
)  # fmt: skip

FITS = """    if crop > resize:
        raise ValueError(f"preprocess: a crop of {crop} does not fit into a shorter side of {resize}")
"""
SIZES = "rows, cols = resize * height // shorter, resize * width // shorter"
CORNER = "top, left = round((rows - crop) / 2), round((cols - crop) / 2)"
CUT = "cut = resize_picture(image, rows, cols)[top : top + crop, left : left + crop]"
NUMBERS = "x = (cut.astype(np.float32) / 255 - MEAN) / STD"
_PREPARE = (
    ("longer_side", "resizes the longer side, and cuts less than asked for", "shorter = min(height, width)",
     "shorter = max(height, width)"),
    ("height_counts", "takes the height for the shorter side", "shorter = min(height, width)", "shorter = height"),
    ("squeezed", "resizes to a square, which changes the shape of things", SIZES, "rows, cols = resize, resize"),
    ("longer_rounded", "rounds the longer side to the nearest", SIZES,
     "rows, cols = round(resize * height / shorter), round(resize * width / shorter)"),
    ("factor_first", "computes resize // shorter first, in whole numbers", SIZES,
     "rows, cols = (max(resize, height * (resize // shorter)), max(resize, width * (resize // shorter)))"),
    ("sizes_exchanged", "asks for (width, height), as other libraries want it",
     "resize_picture(image, rows, cols)", "resize_picture(image, cols, rows)"),
    ("upper_left", "cuts the upper left corner", CORNER, "top, left = 0, 0"),
    ("one_direction", "cuts from the middle in one direction only", CORNER,
     "top, left = round((rows - crop) / 2), 0"),
    ("rounded_down", "rounds the corner down, in whole numbers", CORNER,
     "top, left = (rows - crop) // 2, (cols - crop) // 2"),
    ("crop_first", "cuts first, and resizes what is left", CUT,
     "side = min(shorter, max(1, shorter * crop // resize))\n"
     "    top, left = round((height - side) / 2), round((width - side) / 2)\n"
     "    cut = resize_picture(image[top : top + side, left : left + side], crop, crop)"),
    ("no_crop", "resizes straight to the size of the crop", CUT, "cut = resize_picture(image, crop, crop)"),
    ("nearest", "takes the nearest pixel in place of a weighted mean", "resize_picture(image, rows, cols)[",
     "image[np.arange(rows) * height // rows][:, np.arange(cols) * width // cols]["),
    ("bgr", "blue first, as OpenCV reads files", NUMBERS,
     "x = (cut[..., ::-1].astype(np.float32) / 255 - MEAN) / STD"),
    ("bgr_mean", "the means in the order blue, green, red", NUMBERS,
     "x = (cut.astype(np.float32) / 255 - MEAN[::-1]) / STD[::-1]"),
    ("bytes", "forgets to divide by 255", NUMBERS, "x = (cut.astype(np.float32) - MEAN) / STD"),
    ("whole_division", "divides bytes by 255 in whole numbers", NUMBERS,
     "x = ((cut // 255).astype(np.float32) - MEAN) / STD"),
    ("std_first", "divides by STD before it subtracts MEAN", NUMBERS,
     "x = cut.astype(np.float32) / 255 / STD - MEAN"),
    ("no_mean", "forgets the mean", NUMBERS, "x = cut.astype(np.float32) / 255 / STD"),
    ("no_std", "forgets the standard deviation", NUMBERS, "x = cut.astype(np.float32) / 255 - MEAN"),
    ("times_std", "multiplies by STD", NUMBERS, "x = (cut.astype(np.float32) / 255 - MEAN) * STD"),
    ("own_mean", "subtracts the picture's own mean and divides by its own deviation", NUMBERS,
     "x = cut.astype(np.float32) / 255\n"
     "    x = (x - x.mean(axis=(0, 1))) / np.maximum(x.std(axis=(0, 1)), np.float32(1e-6))"),
    ("grey", "one mean for all three channels", NUMBERS,
     "x = (cut.astype(np.float32) / 255 - MEAN.mean()) / STD.mean()"),
    ("reshaped", "reshapes to (3, H, W), which mixes pixels and channels", "x.transpose(2, 0, 1)[None]",
     "x.reshape(3, crop, crop)[None]"),
    ("turned", "exchanges rows and columns on the way", "x.transpose(2, 0, 1)[None]", "x.T[None]"),
    ("channels_last", "leaves the channels at the end", "x.transpose(2, 0, 1)[None]", "x[None]"),
    ("no_batch", "gives (3, crop, crop)", "x.transpose(2, 0, 1)[None]", "x.transpose(2, 0, 1)"),
    ("float64", "forgets the element type", NUMBERS,
     "x = (cut / 255 - MEAN.astype(float)) / STD.astype(float)"),
    ("no_check", "cuts less than asked for when the crop does not fit", FITS, ""),
    ("check_too_strict", "refuses a crop that just fits", "if crop > resize:", "if crop >= resize:"),
    ("check_longer", "compares the crop with the longer side of the file", "if crop > resize:",
     "if crop > max(image.shape[:2]):"),
)  # fmt: skip

MUTANTS = [
    *(_mutant("adaptive_avg_pool", *rest) for rest in _POOL),
    *(_mutant("classifier_head", *rest) for rest in _HEAD),
    *(_mutant("preprocess", *rest) for rest in _PREPARE),
]
