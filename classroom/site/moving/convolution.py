"""Lesson 6: a kernel over the lesson's photograph, with sliders for kernel, stride, padding and dilation."""

from __future__ import annotations

from functools import cache

import numpy as np

from classroom.register import ROOT
from classroom.site.moving.pixels import base64_bytes, data_url, image
from classroom.site.moving.scene import Frame, Panel, Part, PartState, PartStates
from classroom.site.moving.shapes import rect, words
from classroom.site.moving.sliders import Adjustable, Settings, Slider
from kuiper.layers.image.convolution import Conv2d

PHOTO = 10
"""Which of the segmenter's held-out scenes: the one that the lesson takes."""
SIDE, K, MOST = 48, 3, 3
CUT = slice(16, 16 + 2 * SIDE)
"""The photograph's side in pixels, the kernel's, the largest padding, and which rows and columns are taken of it."""
KERNELS = {
    "blur": ((1, 1, 1, 1, 1, 1, 1, 1, 1), 9),
    "left-right": ((-1, 0, 1, -1, 0, 1, -1, 0, 1), 1),
    "up-down": ((-1, -1, -1, 0, 0, 0, 1, 1, 1), 1),
    "all outlines": ((0, -1, 0, -1, 4, -1, 0, -1, 0), 1),
    "sharpen": ((0, -1, 0, -1, 5, -1, 0, -1, 0), 1),
}
"""Name -> nine whole numbers, and what they are divided by."""
COLOURED = ("left-right", "up-down", "all outlines")
"""Kernels whose result is drawn with 0 white, positive numbers orange and negative ones blue."""
ORANGE, BLUE, STRONG = (217, 95, 2), (33, 102, 172), 384
"""Colours of a number of STRONG and of -STRONG, and of all beyond."""
STOPS = 10
"""The window stands at so many tenths of the way from the first place to the last."""
SCALE = 3.05
"""Pixels of the drawing for one of the photograph."""
ROOM = SIDE + 2 * MOST
RIGHT, TOP, CELL, LOW = 188.0, 22.0, 38.0, 23.0
WORDS = {
    "grey": "The window stands at row {row}, column {column} of the result: nine pixels times nine weights, added "
    "up, give {value}. {size} x {size} windows fit.",
    "coloured": "The window stands at row {row}, column {column} of the result: nine pixels times nine weights, added "
    "up, give {value}. {size} x {size} windows fit. White is 0, orange positive, blue negative.",
}


@cache
def photo() -> np.ndarray:
    """(SIDE,SIDE) grey values: the middle of the lesson's photograph, each pixel the mean of 2x2."""
    scene = np.load(ROOT / "models" / "segmenter" / "heldout.npz")["images"][PHOTO, CUT, CUT]
    grey = scene.mean(axis=2)
    return grey.reshape(SIDE, 2, SIDE, 2).mean(axis=(1, 3)).round().astype(np.uint8)


def weights(kernel: str) -> np.ndarray:
    """(3,3) weights of a kernel."""
    numbers, divisor = KERNELS[kernel]
    return (np.array(numbers) / divisor).reshape(K, K)


def result(settings: Settings) -> np.ndarray:
    """(H',W') what kuiper's layer makes of the photograph."""
    stride, padding, dilation = (int(settings[name]) for name in ("stride", "padding", "dilation"))
    kernel = weights(settings["kernel"])[None, None].astype(np.float32)
    layer = Conv2d(kernel, stride=stride, padding=padding, dilation=dilation)
    return layer.forward(photo()[None, None].astype(np.float32))[0, 0]


def coloured(values: np.ndarray, kernel: str) -> np.ndarray:
    """(H,W) numbers -> (H,W,3) bytes: grey from 0 to 255, or for a kernel of COLOURED white at 0, orange and blue."""
    if kernel not in COLOURED:
        grey = np.floor(np.clip(values.astype(np.float64), 0, 255) + 0.5)
        return np.repeat(grey[..., None], 3, axis=2).astype(np.uint8)
    share = np.minimum(np.abs(values.astype(np.float64)) / STRONG, 1)[..., None]
    colour = np.where(values[..., None] > 0, ORANGE, BLUE)
    return np.floor(255 + (colour - 255) * share + 0.5).astype(np.uint8)


def scene() -> Adjustable:
    """The photograph with the window, its result, and the window's numbers."""
    sliders = (
        Slider("kernel", "Kernel", tuple(KERNELS), "left-right"),
        Slider("stride", "Stride", ("1", "2", "3"), "1"),
        Slider("padding", "Padding", tuple(map(str, range(MOST + 1))), "0"),
        Slider("dilation", "Dilation", ("1", "2", "3"), "1"),
        Slider("window", "Window at", tuple(f"{10 * i} %" for i in range(STOPS + 1)), "60 %"),
    )
    data = {"photo": base64_bytes(photo()), "side": SIDE, "room": ROOM, "most": MOST, "scale": SCALE,
            "kernels": {name: [list(numbers), divisor, name in COLOURED] for name, (numbers, divisor) in
                        KERNELS.items()}, "colours": [ORANGE, BLUE], "strong": STRONG}  # fmt: skip
    return Adjustable("convolution", "Convolution: a kernel slides over a photograph", [_pictures(), _numbers()],
                      sliders, frame, data, WORDS)  # fmt: skip


def frame(settings: Settings) -> Frame:
    """The picture at some settings, with kuiper's numbers."""
    kernel, stride, padding, dilation = (settings[name] for name in ("kernel", "stride", "padding", "dilation"))
    s, p, d = int(stride), int(padding), int(dilation)
    values = result(settings)
    size = len(values)
    place = (int(settings["window"].removesuffix(" %")) // 10 * (size - 1) + STOPS // 2) // STOPS
    canvas = np.zeros((ROOM, ROOM, 4), np.uint8)
    canvas[:size, :size] = np.dstack([coloured(values, kernel), np.full((size, size), 255)])
    states: PartStates = {"result": PartState("", drawn=data_url(canvas))}
    states |= {f"border{i}": PartState("ghost" if i == p else "hidden") for i in range(1, MOST + 1)}
    states["spot"] = PartState("fine", None, place * SCALE, place * SCALE)
    numbers, divisor = KERNELS[kernel]
    for tap in range(K * K):
        i, j = (place * s - p + d * step for step in divmod(tap, K))
        inside = 0 <= i < SIDE and 0 <= j < SIDE
        states[f"tap{tap}"] = PartState("fine", None, j * SCALE, i * SCALE)
        states[f"x{tap}"] = PartState("blue" if inside else "ghost", str(photo()[i, j]) if inside else "0")
        weight = f"{numbers[tap]}/{divisor}" if divisor > 1 else str(numbers[tap])
        states[f"w{tap}"] = PartState("violet", weight)
    value = f"{values[place, place] + 0.0:.{1 if divisor > 1 else 0}f}"
    states["value"] = PartState("orange bold", value)
    states["formula"] = PartState("", f"({SIDE} + 2·{p} - {d}·({K} - 1) - 1) // {s} + 1 = {size}")
    say = WORDS["coloured" if kernel in COLOURED else "grey"]
    return Frame(say.format(row=place, column=place, value=value, size=size), states)


def _pictures() -> Panel:
    """The photograph with its border, and the result at the same scale."""
    margin, side, room = MOST * SCALE, SIDE * SCALE, ROOM * SCALE
    parts = [Part("result", image("", RIGHT, TOP, room, room), size=0)]
    for p in range(1, MOST + 1):
        grown = side + 2 * p * SCALE
        parts.append(Part(f"border{p}", rect(margin - p * SCALE, TOP + margin - p * SCALE, grown, grown, 0),
                          size=0, kind="hidden"))  # fmt: skip
    parts += [
        Part(f"tap{tap}", rect(margin, TOP + margin, SCALE, SCALE, 0), size=0, kind="fine") for tap in range(K * K)
    ]
    parts.append(Part("spot", rect(RIGHT, TOP, SCALE, SCALE, 0), size=0, kind="fine"))
    parts.append(Part("frame", rect(RIGHT, TOP, room, room, 0), size=0, kind="ghost"))
    ground = words(f"photograph, {SIDE} x {SIDE}", margin, 9, 11.0, "start", "note")
    ground += words("result, at the same scale", RIGHT, 9, 11.0, "start", "note")
    ground += image(data_url(photo()), margin, TOP + margin, side, side)
    label = "A grey photograph of a rocket and two digits with a window of 3x3 pixels, and what the "
    return Panel(RIGHT + room + 2, TOP + room + 2, label + "kernel makes of it.", parts, ground)


def _numbers() -> Panel:
    """The window's pixels, the kernel, their sum of products, and the formula of the result's size."""
    second, third = K * CELL + 24, 2 * K * CELL + 48
    parts = []
    for tap in range(K * K):
        i, j = divmod(tap, K)
        for key, x in (("x", 2.0), ("w", second)):
            parts.append(Part(f"{key}{tap}", rect(x + j * CELL, TOP + i * LOW, CELL, LOW, 0), "",
                              x + (j + 0.5) * CELL, TOP + (i + 0.5) * LOW))  # fmt: skip
    middle, bottom = TOP + 1.5 * LOW, TOP + K * LOW
    parts.append(Part("value", rect(third, middle - 15, 68, 30, 3), "", third + 34, middle, 14.0, kind="orange"))
    parts.append(Part("formula", "", "", 2, bottom + 40, 12.5, "start"))
    ground = words("pixels in the window", 2, 9, 11.0, "start", "note")
    ground += words("kernel", second, 9, 11.0, "start", "note") + words("sum", third, 9, 11.0, "start", "note")
    ground += words("·", second - 12, middle, 16.0) + words("=", third - 12, middle, 14.0)
    ground += words("windows that fit: (H + 2·p - d·(k - 1) - 1) // s + 1", 2, bottom + 20, 11.0, "start", "note")
    label = "Nine pixels times nine weights, their sum, and how many windows fit."
    return Panel(RIGHT + ROOM * SCALE + 2, bottom + 50, label, parts, ground)
