"""The figures of lesson 8: `python lessons/08_resnet/figures.py` writes them all beside itself."""

from __future__ import annotations

import base64
import struct
import zlib
from pathlib import Path

import numpy as np

import kuiper
from kuiper.layers.image.convolution import Conv2d
from kuiper.show import palette
from kuiper.show.palette import INK
from kuiper.show.svg import Svg, element, picture, text
from kuiper.vision import preprocess, read_labels, top_classes

HERE = Path(__file__).parent
MODEL = HERE.parents[1] / "models" / "classifier"
DARK, PLAIN, LINE = "#1d2530", "#f6f4ef", "#8794a3"
BLUE, TEAL, VIOLET, ORANGE, ROSE, YELLOW = (
    (swatch.fill, swatch.border)
    for swatch in map(
        palette.swatch_of, ("nn.Conv2d", "nn.MaxPool2d", "nn.Linear", "nn.ReLU", "pnnx.Attribute", "pnnx.Expression")
    )
)
Colours = tuple[str, str]


def note(content: str, x: float, y: float, size: float = 12.0, **more: object) -> str:
    """A line of text on the page."""
    return text(content, x, y, size, **{"fill": INK, **more})  # type: ignore[arg-type]


def left(content: str, x: float, y: float, size: float = 12.0, **more: object) -> str:
    """A line of text that begins at x."""
    return note(content, x, y, size, text_anchor="start", **more)


def block(
    x: float, y: float, width: float, height: float, colours: Colours, label: str = "", size: float = 12.0
) -> str:
    """A filled rectangle with a label in its middle; (x, y) is the upper left corner."""
    shape = element("rect", x=x, y=y, width=width, height=height, rx=3.0, fill=colours[0], stroke=colours[1],
                    stroke_width=1.4)  # fmt: skip
    return shape + (text(label, x + width / 2, y + height / 2, size, DARK) if label else "")


def path(d: str, color: str = INK, width: float = 1.5, **more: object) -> str:
    """A line without filling."""
    return element("path", d=d, fill="none", stroke=color, stroke_width=width, **more)


def arrow(x: float, y: float, to_x: float, to_y: float, color: str = INK) -> str:
    """An arrow along an axis."""
    dx, dy = float(np.sign(to_x - x)), float(np.sign(to_y - y))
    wings = [(to_x - 7 * dx + side * dy, to_y - 7 * dy + side * dx) for side in (5, -5)]
    heads = "".join(f"M{a:g} {b:g}L{to_x:g} {to_y:g}" for a, b in wings)
    return path(f"M{x:g} {y:g}L{to_x:g} {to_y:g}{heads}", color)


def image(indices: np.ndarray, colours: np.ndarray, x: float, y: float, width: float) -> str:
    """(H, W) numbers of colours and (256, 3) bytes -> the picture, `width` pixels wide, as a PNG in the SVG."""

    shape = indices.shape

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    used, indices = np.unique(indices, return_inverse=True)  # colours that do not occur would only take room
    lines = np.pad(indices.reshape(shape).astype(np.uint8), ((0, 0), (1, 0))).tobytes()
    stored = struct.pack("<BHH", 1, len(lines), len(lines) ^ 0xFFFF)  # not compressed: the same bytes everywhere
    data = b"\x78\x01" + stored + lines + struct.pack(">I", zlib.adler32(lines))
    header = struct.pack(">IIBBBBB", *shape[::-1], 8, 3, 0, 0, 0)
    parts = ((b"IHDR", header), (b"PLTE", colours[used].tobytes()), (b"IDAT", data), (b"IEND", b""))
    png = b"\x89PNG\r\n\x1a\n" + b"".join(chunk(kind, body) for kind, body in parts)
    href = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    height = width * shape[0] / shape[1]
    return element("image", x=x, y=y, width=width, height=height, href=href, style="image-rendering:pixelated")


def piece(pixels: np.ndarray, x: float, y: float, side: float) -> str:
    """(64, 64, 3) bytes -> the picture: grey levels with the tint that was laid over them."""
    tint = 3 * pixels.sum(axis=(0, 1)) / pixels.sum()
    colours = np.clip(np.outer(np.arange(256), tint).round(), 0, 255).astype(np.uint8)
    return image(pixels.astype(int).sum(axis=2) // 3, colours, x, y, side)


def heat(values: np.ndarray, x: float, y: float, side: float) -> str:
    """(H, W) -> a heat map in 32 steps from its smallest to its largest number."""
    low, high = values.min(), values.max()
    share = (values - low) / (high - low) if high > low else np.zeros_like(values)
    steps = (share * 31.999).astype(int) * 8
    frame = element("rect", x=x, y=y, width=side, height=side, fill="none", stroke=INK, stroke_width=0.8)
    return image(steps, palette.SEQUENTIAL, x, y, side) + frame


def results(x: np.ndarray) -> dict[str, np.ndarray]:
    """The result of every operator of the classifier on one piece, in float64: the same on every machine."""
    graph = kuiper.load(MODEL / "classifier.pnnx.param")
    values, found = {graph.inputs[0].name: x.astype(np.float64)}, {}
    for op in graph.operators:
        inputs = [values[operand.name] for operand in op.inputs]
        if op.type == "nn.Conv2d":
            weight, bias = (op.attributes[name].data.astype(np.float64) for name in ("weight", "bias"))
            result = Conv2d(weight, bias, stride=op.params["stride"].value, padding=op.params["padding"].value).forward(
                *inputs
            )
        elif op.type == "nn.Linear":
            weight, bias = (op.attributes[name].data.astype(np.float64) for name in ("weight", "bias"))
            result = inputs[0] @ weight.T + bias
        elif op.layer is not None:
            result = op.layer.forward(*inputs)
        else:
            continue
        values[op.outputs[0].name] = found[op.name] = result
    return found


def held_out() -> tuple[np.ndarray, np.ndarray, list[str]]:
    """The pieces, their classes, and the names of the classes."""
    with np.load(MODEL / "heldout.npz") as data:
        return data["images"], data["labels"], read_labels(str(MODEL / "labels.txt"))


def draw_network() -> Svg:
    """What becomes of a patch on its way: planes get smaller and more, and end as ten scores."""
    rows = (
        (("patch", "3 x 64x64", 84.0, 1, None), ("stem", "16 x 32x32", 60.0, 4, BLUE),
         ("max pool", "16 x 16x16", 42.0, 4, TEAL), ("stage 1", "16 x 16x16", 42.0, 4, BLUE)),
        (("stage 2", "32 x 8x8", 30.0, 6, BLUE), ("stage 3", "64 x 4x4", 20.0, 9, BLUE), ("mean", "64", 10.0, 9, TEAL),
         ("linear", "10", 10.0, 5, VIOLET), ("softmax", "10", 10.0, 5, ORANGE)),
    )  # fmt: skip
    images, _, _ = held_out()
    marks: list[str] = []
    for row, stations in enumerate(rows):
        middle, step, end = 62.0 + 140 * row, 408 / len(stations), 0.0
        for number, (name, shape, side, planes, colours) in enumerate(stations):
            width = side + 4.0 * (planes - 1)
            x = 6 + step * (number + 0.5) - width / 2
            if number or row:
                marks.append(arrow(end + 6 if number else 0, middle, x - 6, middle))
            for k in range(planes):
                place = x + 4.0 * (planes - 1 - k), middle - side / 2 + 2.0 * (planes - 1) - 4.0 * (planes - 1 - k)
                marks.append(block(*place, side, side, colours) if colours else piece(images[5], *place, side))
            marks.append(note(name, x + width / 2, middle + 56, 12.5, font_weight="bold"))
            marks.append(note(shape, x + width / 2, middle + 73, 12.0))
            end = x + width
        if not row:
            marks.append(arrow(end + 6, middle, 420, middle))
    description = (
        "A patch of 3 planes of 64x64; the stem with 16 planes of 32x32; 16 of 16x16 after pooling and in stage 1; "
        "stage 2 with 32 of 8x8, stage 3 with 64 of 4x4; then 64 means, ten scores, ten probabilities."
    )
    return picture(420, 284, "A classifier from the patch to the probabilities", description, *marks)


def draw_residual() -> Svg:
    """Two layers without and with a shortcut, one below the other."""
    marks = []
    for top, title, shortcut in ((0.0, "plain: y = relu(F(x))", False), (122.0, "residual: y = relu(x + F(x))", True)):
        y, at = top + (94.0 if shortcut else 58.0), 26.0
        marks += [left(title, 8, top + 18, 14.0, font_weight="bold"), note("x", 14, y, 15.0)]
        for name, colours in (("conv", BLUE), ("relu", ORANGE), ("conv", BLUE)):
            marks += [arrow(at, y, at + 22, y), block(at + 22, y - 20, 56, 40, colours, name, 14.0)]
            at += 78
        marks += [path(f"M48 {y + 26:g}v6H260v-6", LINE, 1.5), note("F(x)", 154, y + 44, 14.0)]
        if shortcut:
            ring = element("circle", cx=at + 31, cy=y, r=13.0, fill=YELLOW[0], stroke=YELLOW[1], stroke_width=1.4)
            marks += [arrow(at, y, at + 18, y), ring, text("+", at + 31, y, 17.0, DARK)]
            marks.append(path(f"M36 {y:g}V{y - 38:g}H{at + 31:g}", ROSE[1], 2.4))
            marks.append(arrow(at + 31, y - 38, at + 31, y - 13, ROSE[1]))
            marks.append(note("the shortcut: x as it is", 154, y - 49, 13.0))
        marks += [
            arrow(at + 44 if shortcut else at, y, at + 68, y),
            block(at + 68, y - 20, 50, 40, ORANGE, "relu", 14.0),
        ]
        marks += [arrow(at + 118, y, at + 134, y), note("y", at + 142, y, 15.0)]
    description = (
        "Above, x goes through convolution, relu, convolution, relu. Below, a line leads x past the first three, and "
        "it is added to their result before the last relu."
    )
    return picture(420, 270, "Why a block is called residual", description, *marks)


def draw_adaptive() -> Svg:
    """Five numbers in three windows: by the formula, and with one size and one step."""
    cell, x, marks = 76.0, 16.0, []
    colours = (BLUE, ORANGE, TEAL)
    right = [(0, 2), (1, 4), (3, 5)]
    fixed = [(0, 3), (1, 4), (2, 5)]
    for top, title, windows in ((0.0, "adaptive: equal parts end at 5/3 and 10/3", right),
                                (198.0, "one size 3, one step 1: not the rule", fixed)):  # fmt: skip
        marks.append(left(title, x, top + 18, 14.0, font_weight="bold"))
        for i in range(5):
            marks.append(block(x + i * cell, top + 42, cell, 40, (PLAIN, LINE), str(i), 17.0))
        for k, ((start, stop), pair) in enumerate(zip(windows, colours, strict=True)):
            mean = (start + stop - 1) / 2
            place = x + start * cell + 2, top + 96 + 29 * k
            marks.append(block(*place, (stop - start) * cell - 4, 25, pair, f"window {k}: mean {mean:g}", 12.5))
        if windows is right:
            for third in (5 / 3, 10 / 3):
                at = x + third * cell
                marks.append(path(f"M{at:g} {top + 34:g}v56", ROSE[1], 2.4, stroke_dasharray="5 4"))
    description = (
        "The numbers 0 to 4. Dashed lines at 5/3 and 10/3 cut them in three equal parts; each window has every number "
        "that its part touches: 0 1, 1 2 3, 3 4, with means 0.5, 2, 3.5. Windows of one size give 1, 2, 3."
    )
    return picture(420, 390, "Adaptive average pooling", description, *marks)


def draw_preprocess() -> Svg:
    """The four steps from a photograph to the network's input, and one red byte on its way."""
    base, scale, marks = 148.0, 0.32, []
    with np.load(MODEL.parent / "detector" / "heldout.npz") as data:
        cat = data["images"][1][32:203]  # as wide for its height as 640 is for 427
    sizes = ((8.0, 427, 640, 2, "photograph"), (268.0, 256, 383, 3, "shorter side to 256"))
    for x, height, width, step, name in sizes:
        w, h = width * scale, height * scale
        marks.append(coloured(cat[::step, ::step], x, base - h, w))
        marks.append(note(name, x + w / 2, base + 16, 13.0, font_weight="bold"))
        marks.append(note(f"{height} x {width}", x + w / 2, base + 34, 13.0))
    marks.append(arrow(220, base - 41, 260, base - 41))
    side = 224 * scale
    frame = 268 + (383 * scale - side) / 2, base - (256 * scale + side) / 2
    marks.append(element("rect", x=frame[0], y=frame[1], width=side, height=side, fill="none", stroke=ROSE[1],
                         stroke_width=4.0))  # fmt: skip
    top, cut = 216.0, len(cat) * 224 // 256
    row, column = (len(cat) - cut) // 2, (len(cat[0]) - cut) // 2
    middle = cat[row : row + cut : 2, column : column + cut : 2]
    marks += [arrow(0, top + 40, 44, top + 40), coloured(middle, 54, top + 4, side)]
    marks.append(
        element("rect", x=54.0, y=top + 4, width=side, height=side, fill="none", stroke=ROSE[1], stroke_width=4.0)
    )
    marks.append(note("centre crop", 54 + side / 2, top + 100, 13.0, font_weight="bold"))
    marks.append(note("224 x 224 x 3 bytes", 54 + side / 2, top + 118, 13.0))
    marks.append(arrow(142, top + 40, 224, top + 40))
    for k, colours in enumerate((VIOLET, BLUE, ORANGE)):
        marks.append(block(240 + 14 * k, top - 10 + 10 * k, side, side, colours))
    marks.append(note("channels first", 290, top + 100, 13.0, font_weight="bold"))
    marks.append(note("3 x 224 x 224 numbers", 290, top + 118, 13.0))
    steps = (("a red byte", "150"), ("/ 255", "0.588"), ("- 0.485", "0.103"), ("/ 0.229", "0.451"))
    for k, (step, value) in enumerate(steps):
        x = 50.0 + 106 * k
        colours = ORANGE if k == 3 else (PLAIN, LINE)
        marks += [note(step, x, 376, 14.0), block(x - 38, 390, 76, 34, colours, value, 15.0)]
        if k:
            marks.append(arrow(x - 64, 407, x - 43, 407))
    description = (
        "A photograph of 427x640 becomes 256x383, its middle 224x224 is cut out and becomes three planes of numbers. "
        "A red byte of 150 becomes 0.588, then 0.103, then 0.451."
    )
    return picture(420, 438, "What the network expects", description, *marks)


def draw_guesses() -> Svg:
    """Eight held-out pieces, and what the network takes each of them for."""
    images, truth, labels = held_out()
    marks: list[str] = []
    for k, i in enumerate((5, 3, 1, 8, 0, 7, 11, 2)):
        x, y = 8.0 + 208 * (k % 2), 6.0 + 118 * (k // 2)
        scores = results(preprocess(images[i], resize=64, crop=64))["fc"][0]
        marks.append(piece(images[i], x, y, 84.0))
        marks.append(note(labels[truth[i]], x + 42, y + 97, 14.0, font_weight="bold"))
        for row, guess in enumerate(top_classes(scores, 3, labels)):
            at = y + 8 + 29 * row
            colours = TEAL if guess.label == labels[truth[i]] else ORANGE
            marks.append(left(f"{guess.label} {guess.probability:.0%}", x + 94, at, 13.5))
            marks.append(block(x + 94, at + 9, max(2.0, 100.0 * round(guess.probability, 2)), 8, colours))
    description = (
        "Eight pieces with their true names and three guesses each. Grass, coins, cat, temple, brick and stars are "
        "right; a piece of the cat is taken for the flower, and a piece of coffee for grass."
    )
    return picture(420, 474, "Held-out pieces and guesses", description, *marks)


def coloured(pixels: np.ndarray, x: float, y: float, width: float) -> str:
    """(H, W, 3) bytes -> the picture in 6 x 7 x 6 levels of red, green and blue."""
    levels = np.array([6, 7, 6])
    steps = pixels.astype(int) * levels // 256
    grid = np.indices(levels).reshape(3, -1).T * 255 // (levels - 1)
    colours = np.zeros((256, 3), np.uint8)
    colours[: len(grid)] = grid
    return image((steps[..., 0] * 7 + steps[..., 1]) * 6 + steps[..., 2], colours, x, y, width)


def draw_maps() -> Svg:
    """Four photographs in one picture, and where the network sees each of their classes."""
    with np.load(MODEL.parent / "detector" / "heldout.npz") as data:
        cat, gravel, coffee, brick = data["images"][[1, 10, 13, 11]]
    four = np.vstack([np.hstack([cat, gravel]), np.hstack([coffee, brick])])
    found = results(preprocess(four, resize=len(four), crop=len(four)))
    attributes = kuiper.load(MODEL / "classifier.pnnx.param").operator("fc").attributes
    weight, bias = (attributes[name].data.astype(np.float64) for name in ("weight", "bias"))
    maps = np.einsum("kc,chw->khw", weight, found["pnnx_unique_5"][0]) + bias[:, None, None]
    labels = read_labels(str(MODEL / "labels.txt"))
    marks = [note("the picture", 98, 14, 12.5, font_weight="bold"), coloured(four[::4, ::4], 8, 26, 180.0)]
    marks.append(note("score of each class, by pixel", 312, 14, 12.5, font_weight="bold"))
    for k, name in enumerate(("cat", "gravel", "coffee", "brick")):
        x, y = 212.0 + 106 * (k % 2), 26.0 + 116 * (k // 2)
        steps = (np.clip(maps[labels.index(name)] / HIGHEST_SCORE, 0, 1) * 31.999).astype(int) * 8
        marks.append(image(steps, palette.SEQUENTIAL, x, y, 92.0))
        marks.append(element("rect", x=x, y=y, width=92.0, height=92.0, fill="none", stroke=INK, stroke_width=0.8))
        marks.append(note(name, x + 46, y + 103, 12.5))
    marks.append(left(f"dark: a score of {HIGHEST_SCORE:g} or more", 8, 228, 12.0))
    marks.append(left("light: 0 or less", 8, 245, 12.0))
    description = (
        "Four photographs in a square: cat, gravel, coffee, brick. The map of each class has high scores in the "
        "quarter where its photograph is, and hardly any elsewhere."
    )
    return picture(420, 262, "Where the network sees what", description, *marks)


HIGHEST_SCORE = 6.0
"""Of the maps: what is higher has the same colour."""


def draw() -> dict[str, Svg]:
    """Name -> picture."""
    return {
        "network": draw_network(),
        "residual": draw_residual(),
        "adaptive": draw_adaptive(),
        "preprocess": draw_preprocess(),
        "guesses": draw_guesses(),
        "maps": draw_maps(),
    }


if __name__ == "__main__":
    (HERE / "figures").mkdir(exist_ok=True)
    for name, svg in draw().items():
        svg.save(HERE / "figures" / f"{name}.svg")
