"""Right answers to the exercises, each by another way than the framework's: slow loops, and what a test knows."""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np

MEAN, STD = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])


def adaptive_avg_pool(x: np.ndarray, size: Any) -> np.ndarray:
    y = np.zeros((*x.shape[:2], *size), x.dtype)
    for i, j in np.ndindex(*size):
        rows = [r for r in range(x.shape[2]) if r + 1 > i * x.shape[2] / size[0] and r < (i + 1) * x.shape[2] / size[0]]
        cols = [c for c in range(x.shape[3]) if c + 1 > j * x.shape[3] / size[1] and c < (j + 1) * x.shape[3] / size[1]]
        y[:, :, i, j] = sum(x[:, :, r, c] for r in rows for c in cols) / (len(rows) * len(cols))
    return y


def choose_tile(registers: int, lanes: int, rows: int, channels: int) -> tuple[int, int]:
    """A column of sums, which always fits."""
    return min(registers - 2, rows), 1


def loop_nest(rows: int, depth: int, channels: int, tile: tuple[int, int], epilogue: Any = ()) -> str:
    """One sum after the other, as the formula says."""
    assert list(epilogue) == ["bias"]
    assert tile == (min(14, rows), 1)
    return f"""
def product(x, w, bias, residual, y):
    for i in range({rows}):
        for j in range({channels}):
            total = bias[j]
            for k in range({depth}):
                total += x[i, k] * w[k, j]
            y[i, j] = total
"""


def classifier_head(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    scores = np.einsum("nchw,kc->nk", x, weight) / (x.shape[2] * x.shape[3]) + bias
    return softmax(scores)


def softmax(scores: np.ndarray) -> np.ndarray:
    """Each share from the differences alone: 1 / (e^(a - z) + e^(b - z) + ...)."""
    rows = scores.reshape(-1, scores.shape[-1])
    shares = [[1 / np.exp(row - score).sum() for score in row] for row in rows]
    return np.array(shares, scores.dtype).reshape(scores.shape)


def preprocess(image: np.ndarray, resize: int, crop: int) -> np.ndarray:
    """For pictures made of squares of 2 x 2 equal pixels, of which the middle is wanted."""
    assert (image.shape[0], resize, crop) == (128, 64, 64)
    left = (image.shape[1] // 2 - crop) // 2
    small = image[1::2, 1::2][:, left : left + crop] / 255
    return np.moveaxis((small - MEAN) / STD, 2, 0)[None].astype(np.float32)


def stretched(length: int, size: int) -> np.ndarray:
    """(size, length): how much each pixel before counts for each pixel after."""
    shares = np.zeros((size, length))
    for i in range(size):
        place = min(max((i + 0.5) * length / size - 0.5, 0), length - 1)
        low = math.floor(place)
        shares[i, low] += 1 - (place - low)
        shares[i, min(low + 1, length - 1)] += place - low
    return shares


def letterbox(image: np.ndarray, height: int, width: int) -> Any:
    scale = min(height / image.shape[0], width / image.shape[1])
    rows, cols = round(image.shape[0] * scale), round(image.shape[1] * scale)
    lines = np.tensordot(stretched(len(image), rows), image, 1)
    scaled = np.tensordot(stretched(image.shape[1], cols), lines, (1, 1)).swapaxes(0, 1)
    top, left = (height - rows) // 2, (width - cols) // 2
    canvas = np.full((height, width, 3), 114, np.uint8)
    canvas[top : top + rows, left : left + cols] = np.rint(scaled)
    return canvas, scale, top, left


def decode(raw: np.ndarray, anchors: np.ndarray, stride: int) -> np.ndarray:
    values = len(raw) // len(anchors)
    rows = []
    for a, i, j in np.ndindex(len(anchors), *raw.shape[1:]):
        s = 1 / (1 + np.exp(-raw[a * values : (a + 1) * values, i, j].astype(np.float64)))
        centre = [(2 * s[0] - 0.5 + j) * stride, (2 * s[1] - 0.5 + i) * stride]
        rows.append([*centre, *((2 * s[2:4]) ** 2 * anchors[a]), *s[4:]])
    return np.array(rows, np.float32)


def overlap(a: np.ndarray, b: np.ndarray) -> float:
    common = max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))
    both = sum((x[2] - x[0]) * (x[3] - x[1]) for x in (a, b)) - common
    return common / both if both else 0


def non_maximum_suppression(boxes: np.ndarray, scores: np.ndarray, classes: np.ndarray, threshold: float) -> list[int]:
    stay: list[int] = []
    for i in sorted(range(len(boxes)), key=lambda i: -scores[i]):
        if all(classes[i] != classes[j] or overlap(boxes[i], boxes[j]) <= threshold for j in stay):
            stay.append(i)
    return stay


def restore(boxes: np.ndarray, scale: float, top: int, left: int, height: int, width: int) -> np.ndarray:
    limits, shifts = (width, height, width, height), (left, top, left, top)
    return np.array([[min(max((v - s) / scale, 0), m) for v, s, m in zip(b, shifts, limits)] for b in boxes]).reshape(
        -1, 4
    )


def transposed_convolution(x: Any, weight: Any, bias: Any = None, stride: Any = (1, 1), padding: Any = (0, 0)) -> Any:
    (sh, sw), (ph, pw), (kh, kw) = stride, padding, weight.shape[2:]
    rows, cols = ((n - 1) * s + k for n, s, k in zip(x.shape[2:], stride, (kh, kw)))
    y = np.zeros((len(x), weight.shape[1], rows, cols), x.dtype)
    for i, j, a, b in np.ndindex(*x.shape[2:], kh, kw):
        y[:, :, i * sh + a, j * sw + b] += x[:, :, i, j] @ weight[:, :, a, b]
    y = y[:, :, ph : rows - ph, pw : cols - pw]
    return y if bias is None else y + bias.reshape(1, -1, 1, 1)


def mean_iou(predicted: np.ndarray, truth: np.ndarray, classes: int) -> float:
    pairs = list(zip(predicted.ravel().tolist(), truth.ravel().tolist()))
    found = []
    for number in range(classes):
        either = sum(number in pair for pair in pairs)
        if either:
            found.append(pairs.count((number, number)) / either)
    return sum(found) / len(found) if found else math.nan


def cached_attention(q: Any, k: Any, v: Any, keys: Any, values: Any, count: int) -> np.ndarray:
    for t in range(q.shape[2]):
        keys[:, :, count + t], values[:, :, count + t] = k[:, :, t], v[:, :, t]
    y = np.zeros_like(q)
    for n, h, t in np.ndindex(*q.shape[:3]):
        seen = count + t + 1
        shares = np.exp(keys[n, h, :seen] @ q[n, h, t] / math.sqrt(q.shape[3]))
        y[n, h, t] = shares @ values[n, h, :seen] / shares.sum()
    return y


def top_p(probabilities: np.ndarray, p: float) -> np.ndarray:
    kept, total = np.zeros_like(probabilities), 0.0
    for token in sorted(range(len(probabilities)), key=lambda i: -probabilities[i]):
        kept[token] = probabilities[token]
        total += probabilities[token]
        if total >= p and p < 1:
            break
    return kept / kept.sum()


def axby(w: np.ndarray, x: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("ij,jk->ik", w, x) + (b if b.ndim == 2 else b[:, None])


def flatten(x: np.ndarray, row_major: bool = True) -> np.ndarray:
    return np.array([v for plane in x for line in plane for v in line], x.dtype)


def padding(x: np.ndarray, pads: Any, value: Any = 0.0) -> np.ndarray:
    up, bottom, left, right = pads
    values = np.broadcast_to(value, len(x))
    return np.stack([np.pad(one, ((up, bottom), (left, right)), constant_values=own) for one, own in zip(x, values)])


def parse_parameter(text: str) -> tuple[int, Any]:
    """Bools and nulls, and whatever Python reads as a number or a tuple; all else is a word."""
    known = {"None": (0, None), "()": (0, None), "[]": (0, None), "True": (1, True), "False": (1, False)}
    if text in known:
        return known[text]
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return (7, text[1:-1].split(",")) if text[:1] in ("(", "[") else (4, text)
    if isinstance(value, (list, tuple)) or text[:1] in ("(", "["):
        elements = list(np.atleast_1d(value).tolist())
        return 5 if all(isinstance(one, int) for one in elements) else 6, elements
    return (2 if isinstance(value, int) else 3), value


def parse_operator(line: str) -> Any:
    queue = line.split()[::-1]
    head = [queue.pop() for _ in range(4)]
    inputs, outputs = ([queue.pop() for _ in range(int(count))] for count in head[2:])
    params, attributes = {}, {}
    while queue:
        key, value = queue.pop().split("=", 1)
        if key[0] == "@":
            attributes[key[1:]] = value
        elif key[0].isalpha() or key[0] == "_":
            params[key] = value
    return head[0], head[1], inputs, outputs, params, attributes


def find_cycle(successors: Any) -> list[str]:
    """Backwards from what is left over when names that nothing leads to are taken away."""
    left = dict(successors)
    while free := set(left) - {name for names in left.values() for name in names}:
        left = {name: names for name, names in left.items() if name not in free}
    before = {name: source for source, names in left.items() for name in names}
    walk = list(left)[:1]
    while walk and before[walk[-1]] not in walk:
        walk.append(before[walk[-1]])
    return walk[walk.index(before[walk[-1]]) :][::-1] if walk else []


def topological_order(successors: Any) -> list[str]:
    missing = dict.fromkeys(successors, 0)
    for name in [n for names in successors.values() for n in names]:
        missing[name] += 1
    order = [name for name, count in missing.items() if not count]
    for done in order:
        for name in successors[done]:
            missing[name] -= 1
            order += [name] * (not missing[name])
    return order


def max_pool2d(x: np.ndarray, kernel_size: Any, stride: Any, padding: Any) -> np.ndarray:
    (kh, kw), (sh, sw), (ph, pw) = kernel_size, stride, padding
    rows, cols = ((n + 2 * p - k) // s + 1 for n, k, s, p in zip(x.shape[2:], kernel_size, stride, padding))
    y = np.empty((*x.shape[:2], rows, cols), x.dtype)
    for i, j in np.ndindex(rows, cols):  # windows cut at the image's edge: there is no border to lose against
        top, left = i * sh - ph, j * sw - pw
        y[:, :, i, j] = x[:, :, max(top, 0) : top + kh, max(left, 0) : left + kw].max(axis=(2, 3))
    return y


def im2col(x: np.ndarray, kernel_size: Any, stride: Any = (1, 1), padding: Any = (0, 0)) -> np.ndarray:
    x = np.pad(x, ((0, 0), (padding[0],) * 2, (padding[1],) * 2))
    view = np.lib.stride_tricks.sliding_window_view(x, kernel_size, axis=(1, 2))[:, :: stride[0], :: stride[1]]
    return view.transpose(1, 2, 0, 3, 4).reshape(view.shape[1] * view.shape[2], -1)


def conv2d(
    x: Any, weight: Any, bias: Any = None, stride: Any = (1, 1), padding: Any = (0, 0), groups: int = 1
) -> np.ndarray:
    (ph, pw), (kh, kw) = padding, weight.shape[2:]
    x = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
    view = np.lib.stride_tricks.sliding_window_view(x, (kh, kw), axis=(2, 3))[:, :, :: stride[0], :: stride[1]]
    view = view.reshape(len(x), groups, -1, *view.shape[2:])
    kernels = weight.reshape(groups, -1, *weight.shape[1:])
    y = np.einsum("ngchwab,gocab->ngohw", view, kernels, optimize=True)
    y = y.reshape(len(x), len(weight), *y.shape[3:])
    return y if bias is None else y + bias[:, None, None]


class Sigmoid:
    def forward(self, x: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return 1 / (1 + np.exp(-x))


class LeakyReLU:
    def __init__(self, slope: float) -> None:
        self.slope = slope

    def forward(self, x: np.ndarray) -> np.ndarray:
        return np.maximum(x, 0) + self.slope * np.minimum(x, 0)


class Layers:
    def create(self, operator: Any) -> Any:
        if operator.type == "nn.LeakyReLU":
            return LeakyReLU(operator.params["negative_slope"].value)
        return {"nn.Sigmoid": Sigmoid, "F.sigmoid": Sigmoid}[operator.type]()


layers = Layers()


def parse_expression(text: str) -> Any:
    from kuiper import expression

    assert not any(word in text for word in ("size", "[", "cos"))
    return expression.parse(text)
