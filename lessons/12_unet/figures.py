"""The figures of lesson 12: `python lessons/12_unet/figures.py` writes them all beside itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

import kuiper
from kuiper.show.palette import INK, swatch_of
from kuiper.show.svg import Svg, element, picture, text

HERE = Path(__file__).parent
SEGMENTER = HERE.parents[1] / "models" / "segmenter" / "segmenter.pnnx.param"
DARK, PLAIN, LINE = "#1d2530", "#f6f4ef", "#8794a3"
BLUE, GREEN, ORANGE, ROSE, VIOLET, YELLOW = (
    (swatch_of(t).fill, swatch_of(t).border)
    for t in ("nn.Conv2d", "nn.BatchNorm2d", "nn.ReLU", "pnnx.Attribute", "nn.Linear", "pnnx.Expression")
)
DEEP_ROSE = "#eda3bd"
PIXELS = np.array([[1, 2], [3, 4]])
KERNEL = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
STAMPS = (BLUE, ORANGE, GREEN, VIOLET)


def draw() -> dict[str, Svg]:
    """The figures: file name without its ending -> picture."""
    return {
        "levels": levels(),
        "unet": unet(),
        "stamps": stamps(),
        "zeros": zeros(),
        "channels": channels(),
        "checkerboard": checkerboard(),
        "overlap": overlap(),
    }


def note(content: str, x: float, y: float, size: float = 12.0, **more: object) -> str:
    """A line of text on the page."""
    return text(content, x, y, size, **{"fill": INK, **more})  # type: ignore[arg-type]


def cell(x: float, y: float, size: float, fill: str, label: object = "", font: float = 12.0) -> str:
    """A square with a short text."""
    box = element("rect", x=x, y=y, width=size, height=size, fill=fill, stroke=LINE, stroke_width=0.8)
    return box + (text(str(label), x + size / 2, y + size / 2, font, DARK) if label != "" else "")


def grid(
    values: np.ndarray, x: float, y: float, size: float, fill: Callable[[int, int], str], font: float = 12.0
) -> Iterable[str]:
    """The numbers of a matrix in squares whose colours `fill` knows."""
    return [cell(x + j * size, y + i * size, size, fill(i, j), v, font) for (i, j), v in np.ndenumerate(values)]


def frame(x: float, y: float, side: float, color: str) -> str:
    """An empty square with a strong line."""
    return element("rect", x=x, y=y, width=side, height=side, fill="none", stroke=color, stroke_width=2.6)


def arrow(d: str, x: float, y: float, dx: int, dy: int, color: str = INK, **more: object) -> str:
    """A line along `d` whose head comes to (x, y) in the direction (dx, dy), along an axis."""
    back_x, back_y = x - 7 * dx, y - 7 * dy
    corners = ((x, y), (back_x + 4 * dy, back_y + 4 * dx), (back_x - 4 * dy, back_y - 4 * dx))
    look = {"stroke_width": 1.5, **more}
    return element("path", d=f"{d}L{back_x:g} {back_y:g}", fill="none", stroke=color, **look) + element(
        "polygon", points=" ".join(f"{a:g},{b:g}" for a, b in corners), fill=color
    )


def levels() -> Svg:
    """One name for a picture, one for each box, one for each pixel."""
    digit = np.array([[0, 1, 1, 1, 0], [0, 0, 0, 1, 0], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0]])
    parts = []
    for k, (title, result) in enumerate((("classification", "(N, K)"), ("detection", "(N, boxes, 5 + K)"),
                                         ("segmentation", "(N, K, H, W)"))):  # fmt: skip
        x, y, size = 22.0 + 158 * k, 40.0, 24.0
        parts += [note(title, x + 2.5 * size, 18, 13.0, font_weight="bold")]
        shown = digit if k == 2 else np.full(digit.shape, "", object)
        parts += grid(shown, x, y, size, lambda i, j, k=k: ORANGE[0] if digit[i, j] else GREEN[0])
        if k == 1:
            outline = {"fill": "none", "stroke": ROSE[1], "stroke_width": 3.0}
            parts.append(element("rect", x=x + size, y=y, width=3 * size, height=4 * size, **outline))
            parts.append(element("rect", x=x + size, y=y, width=18.0, height=18.0, fill=ROSE[1]))
            parts.append(text("7", x + size + 9, y + 9, 13.0, "#ffffff"))
        parts.append(note(("one name: 7", "a name for each box", "a name for each pixel")[k], x + 2.5 * size, 154))
        parts.append(note(result, x + 2.5 * size, 174))
    return picture(
        480,
        190,
        "One name for a picture, for each box, for each pixel",
        "A picture of a seven three times: with one name, with a box around the digit, and with 0 or 1 in each pixel.",
        *parts,
    )


def unet() -> Svg:
    """The segmenter's operators as bars, drawn from its file: down to the right, up again, and the skips."""
    operators = kuiper.load(SEGMENTER).operators
    heights, step, width = (84.0, 58.0, 40.0, 28.0, 20.0), 19.0, 16.0
    tops = [26.0 + sum(heights[:k]) + 26 * k for k in range(5)]
    place: dict[str, tuple[float, int]] = {}
    parts, x, level = [], 8.0, 0
    ends = [0.0] * 5  # where the last bar of each level ends

    def middle(k: int) -> float:
        return tops[k] + heights[k] / 2

    for op in operators:
        kind = op.type.split(".")[-1]
        if kind == "MaxPool2d":
            start, level = x - step, level + 1
            x_down = start + width / 2
            d = f"M{x_down:g} {tops[level - 1] + heights[level - 1]:g}V{middle(level):g}"
            parts.append(arrow(d, x, middle(level), 1, 0, swatch_of("nn.MaxPool2d").border))
        elif kind == "ConvTranspose2d":
            level, start = level - 1, x - step + width
            end = tops[level] + heights[level]
            d = f"M{start:g} {middle(level + 1):g}H{x + width / 2:g}"
            parts.append(arrow(d, x + width / 2, end, 0, -1, ROSE[1]))
            outputs = str(op.params["out_channels"].value)
            parts.append(note(outputs, x + width / 2 - 5, end + 13, text_anchor="end"))
        elif kind == "cat":
            beside = place[op.producers[0].name]
            d = f"M{beside[0] + width:g} {middle(level):g}"
            parts.append(arrow(d, x, middle(level), 1, 0, INK, stroke_dasharray="5 4"))
            parts.append(bar("", x, tops[level], width, heights[level], swatch_of("torch.cat")))
            place[op.name] = x, level
            x += step
            ends[level] = x
        elif kind == "Conv2d":
            parts.append(
                bar(str(op.params["out_channels"].value), x, tops[level], width, heights[level], swatch_of("nn.Conv2d"))
            )
            if set(op.params["kernel_size"].value) == {1}:
                parts.append(note("1x1", x + width / 2, tops[level] + heights[level] + 12))
            place[op.name] = x, level
            x += step
            ends[level] = x
        elif op.producers:  # ReLU: where its convolution stands
            place[op.name] = place.get(op.producers[0].name, (x, level))
    bottom = tops[4] + heights[4] + 30
    maximum, cut = swatch_of("nn.MaxPool2d").border, {"stroke_dasharray": "5 4"}

    def symbol(kind: str, left: float, y: float) -> str:
        """What the figure draws for this kind of operator, 20 wide."""
        if kind == "maximum":
            return arrow(f"M{left + 4:g} {y - 9:g}V{y + 3:g}", left + 20, y + 3, 1, 0, maximum)
        if kind == "up":
            return arrow(f"M{left:g} {y + 5:g}H{left + 14:g}", left + 14, y - 9, 0, -1, ROSE[1])
        if kind == "skip":
            return arrow(f"M{left - 6:g} {y:g}", left + 20, y, 1, 0, INK, **cut)
        return bar("", left + 4, y - 8, 12, 16, swatch_of(kind))

    for label, kind, left, row in (
        ("3x3 convolution, its channels", "nn.Conv2d", 12.0, 0),
        ("max pooling", "maximum", 268.0, 0),
        ("skip", "skip", 404.0, 0),
        ("transposed convolution, its channels", "up", 12.0, 1),
        ("cat", "torch.cat", 404.0, 1),
    ):
        y = bottom + 26 * row
        parts += [symbol(kind, left, y), note(label, left + 26, y, text_anchor="start")]
    for k, size in enumerate(("H x W", "H/2 x W/2", "H/4 x W/4", "H/8 x W/8", "H/16 x W/16")):
        parts.append(note(size, ends[k] + (6 if k == 0 else 16), middle(k), text_anchor="start"))
    return picture(
        x + 46,
        bottom + 44,
        "The segmenter",
        "Two convolutions on each of five levels on the way down, max pooling between them; four transposed "
        "convolutions on the way up, each joined with the values of the same level on the way down; a 1x1 convolution "
        "at the end.",
        *parts,
    )


def bar(label: str, x: float, y: float, width: float, height: float, look: object) -> str:
    """An upright bar with a short text."""
    fill, border = look.fill, look.border  # type: ignore[attr-defined]
    shape = element("rect", x=x, y=y, width=width, height=height, rx=3, fill=fill, stroke=border, stroke_width=1.3)
    return shape + text(label, x + width / 2, y + height / 2, 12.0, DARK)


def stamped() -> tuple[np.ndarray, list[np.ndarray]]:
    """The result of stamping, (5, 5), and each pixel's own part of it."""
    parts = []
    for i, j in np.ndindex(2, 2):
        one = np.zeros((5, 5), int)
        one[2 * i : 2 * i + 3, 2 * j : 2 * j + 3] = PIXELS[i, j] * KERNEL
        parts.append(one)
    return sum(parts), parts  # type: ignore[return-value]


def stamps() -> Svg:
    """Four pixels, a kernel, and the sum of four stamps two apart."""
    total, _ = stamped()
    size, below = 34.0, 186.0
    covered = np.zeros((5, 5), int)
    for i, j in np.ndindex(2, 2):
        covered[2 * i : 2 * i + 3, 2 * j : 2 * j + 3] += 1
    parts = [note("pixels", 101 + size, 18, 14.0), note("kernel", 257 + 1.5 * size, 18, 14.0)]
    parts += grid(PIXELS, 101, 49, size, lambda i, j: STAMPS[2 * i + j][0], 14.0)
    parts += grid(KERNEL, 257, 32, size, lambda i, j: PLAIN, 14.0)
    parts += [note("*", 213, 83, 18.0), note("=", 220, below + 2.5 * size, 18.0)]
    parts += [note("four stamps, 2 apart", 16 + 2.5 * size, below - 18, 14.0)]
    parts += [note("their sum", 254 + 2.5 * size, below - 18, 14.0)]
    for k, (i, j) in enumerate(np.ndindex(2, 2)):
        x, y = 16 + 2 * size * j, below + 2 * size * i
        parts.append(frame(x + 2 - 4 * j, y + 2 - 4 * i, 3 * size, STAMPS[k][1]))
        parts.append(note(f"{PIXELS[i, j]} *", x + (31 if j == 0 else 69), y + (31 if i == 0 else 73), 14.0))

    def owner(i: int, j: int) -> str:
        if covered[i, j] > 1:
            return DEEP_ROSE if covered[i, j] == 4 else ROSE[0]
        return STAMPS[2 * (i > 2) + (j > 2)][0]

    parts += grid(total, 254, below, size, owner, 14.0)
    return picture(
        440,
        below + 5 * size + 14,
        "Four stamps",
        "Pixels 1, 2, 3, 4 stamp the kernel 123, 456, 789, two apart, on 5x5 pixels. Stamps overlap in the middle row "
        "and the middle column, and on the middle pixel all four: " + "; ".join(" ".join(map(str, r)) for r in total),
        *parts,
    )


def zeros() -> Svg:
    """The same result as an ordinary convolution: zeros between and around, and the kernel rotated by 180 degrees."""
    total, _ = stamped()
    wide = np.zeros((7, 7), int)
    wide[2:5:2, 2:5:2] = PIXELS
    size, top, below, parts = 28.0, 36.0, 274.0, []
    parts += [note("zeros between and around", 20 + 3.5 * size, 18, 13.0)]
    parts += [note("kernel, rotated", 276 + 1.5 * size, top + 2 * size - 18, 13.0)]

    def ground(i: int, j: int) -> str:
        if wide[i, j]:
            return STAMPS[wide[i, j] - 1][0]
        return "#e2e5ea" if 2 <= i < 5 and 2 <= j < 5 else PLAIN

    parts += grid(wide, 20, top, size, ground, 13.0)
    parts += grid(KERNEL[::-1, ::-1], 276, top + 2 * size, size, lambda i, j: PLAIN, 13.0)
    parts += grid(total, 48, below, size, lambda i, j: DEEP_ROSE if (i, j) == (2, 2) else PLAIN, 13.0)
    parts += [frame(20 + 2 * size, top + 2 * size, 3 * size, ROSE[1]), note("*", 246, top + 3.5 * size, 18.0)]
    parts.append(note("=", 28, below + 2.5 * size, 18.0))
    sums = " + ".join(f"{KERNEL[2 - 2 * i, 2 - 2 * j]}·{PIXELS[i, j]}" for i, j in np.ndindex(2, 2))
    for k, line in enumerate(("the middle:", f"{sums}", f"= {total[2, 2]}")):
        parts.append(note(line, 208, below + 46 + 24 * k, 14.0, text_anchor="start"))
    return picture(
        384,
        below + 5 * size + 14,
        "Zeros, and a convolution",
        "The four pixels with a zero between them and two all around, convolved with the kernel rotated by 180 degrees "
        "give the same 5x5 numbers.",
        *parts,
    )


def channels() -> Svg:
    """A pixel of two channels, six kernels, and the three planes of its stamp."""
    pixel, weights = np.array([1, 10]), np.arange(24).reshape(2, 3, 2, 2)
    stamp = np.tensordot(pixel, weights, axes=1)
    size, first, wide = 36.0, 116.0, 100.0
    tops = (46.0, 150.0)
    parts = [note("pixel", 34 + size / 2, 18, 14.0), note("weight (C, O, kh, kw)", first + 136, 18, 14.0)]
    for c, top in enumerate(tops):
        look = (BLUE, ORANGE)[c][0]
        parts += [cell(34, top + size / 2, size, look, pixel[c], 14.0), note("*", 94, top + size, 18.0)]
        for o in range(3):
            parts += grid(weights[c, o], first + wide * o, top, size, lambda i, j, look=look: look, 14.0)
    below = 274.0
    for o in range(3):
        x = first + wide * o
        parts.append(note("+", x + size, (tops[0] + tops[1] + 2 * size) / 2, 18.0))
        parts.append(arrow(f"M{x + size:g} {tops[1] + 2 * size + 8:g}", x + size, below - 6, 0, 1))
        parts += grid(stamp[o], x, below, size, lambda i, j: ROSE[0], 14.0)
    parts.append(note("stamp", 34 + size / 2, below + size, 14.0))
    parts.append(note("output channels 0, 1, 2", first + 136, below + 2 * size + 20, 14.0))
    return picture(
        410,
        below + 2 * size + 38,
        "A stamp with channels",
        "The numbers 1 and 10 of a pixel, each multiplied with the three kernels of its channel; the products for an "
        "output channel add up to one plane of the stamp.",
        *parts,
    )


def checkerboard() -> Svg:
    """How many stamps lie on each pixel, for kernels of 2, 3 and 4 with stride 2."""
    size, top, parts = 20.0, 52.0, []
    shades = {1: PLAIN, 2: YELLOW[0], 4: ORANGE[0]}
    for n, (k, x) in enumerate(((2, 14.0), (3, 152.0), (4, 310.0))):
        count = np.zeros((4 + k, 4 + k), int)
        for i, j in np.ndindex(3, 3):
            count[2 * i : 2 * i + k, 2 * j : 2 * j + k] += 1
        side = size * len(count)
        parts.append(note(f"kernel {k}x{k}", x + side / 2, 18, 13.0, font_weight="bold"))
        parts.append(note(("side by side", "a checkerboard", "4, but for the border")[n], x + side / 2, 36))
        parts += grid(count, x, top, size, lambda i, j, count=count: shades[int(count[i, j])])
    return picture(
        484,
        226,
        "Where stamps overlap",
        "9 pixels stamp, two apart. A 2x2 kernel covers each pixel once; 3x3 once, twice or four times in turns; 4x4 "
        "four times everywhere but at the border.",
        *parts,
    )


def overlap() -> Svg:
    """Truth, prediction, both together, and below them what IoU, Dice and accuracy make of the counts."""
    truth, found = np.zeros((2, 6, 8), bool)
    truth[1:4, 2:5], found[2:5, 2:5] = True, True
    shades = {(True, True): DEEP_ROSE, (True, False): GREEN[0], (False, True): ORANGE[0], (False, False): PLAIN}
    empty = np.zeros_like(truth)
    a, b, common = truth.sum(), found.sum(), (truth & found).sum()
    size, top, blank, parts = 20.0, 38.0, np.full(truth.shape, "", object), []
    titles = (f"truth A: {a}", f"found B: {b}", "A and B together")
    for k, (title, one, other) in enumerate(zip(titles, (truth, empty, truth), (empty, found, found), strict=True)):
        x = 16.0 + 184 * k
        parts.append(note(title, x + 4 * size, 20, 14.0))
        parts += grid(
            blank, x, top, size, lambda i, j, one=one, other=other: shades[bool(one[i, j]), bool(other[i, j])]
        )
    names = (("in both", common, True, True), ("only in A", a - common, True, False),
             ("only in B", b - common, False, True))  # fmt: skip
    for k, (name, count, *key) in enumerate(names):
        x = 16.0 + 184 * k
        parts.append(cell(x, top + 6 * size + 18, 18.0, shades[key[0], key[1]]))
        parts.append(note(f"{name}: {count}", x + 26, top + 6 * size + 27, 14.0, text_anchor="start"))
    right, either = (truth == found).sum(), (truth | found).sum()
    lines = (
        f"IoU       both / (both + only A + only B)  = {common} / {either} = {common / either:.2f}",
        f"Dice      2 both / (A + B)                 = {2 * common} / {a + b} = {2 * common / (a + b):.2f}",
        f"accuracy  right pixels / all pixels        = {right} / {truth.size} = {right / truth.size:.2f}",
    )
    for k, line in enumerate(lines):
        parts.append(note(line, 16, top + 6 * size + 66 + 26 * k, 14.0, text_anchor="start", style="white-space:pre"))
    return picture(
        560,
        300,
        "Two masks",
        f"Truth and prediction have {a} of {truth.size} pixels each and {common} in common. " + "; ".join(lines),
        *parts,
    )


if __name__ == "__main__":
    folder = HERE / "figures"
    folder.mkdir(exist_ok=True)
    for name, svg in draw().items():
        svg.save(folder / f"{name}.svg")
