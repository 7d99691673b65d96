"""Lesson 11: one tile of Winograd's convolution, with kuiper's matrices: 4x4 pixels give 2x2 results by 16 products."""

from __future__ import annotations

from typing import Any

import numpy as np

from classroom.register import ROOT
from classroom.site.moving.errors import MovingError
from classroom.site.moving.im2col import KERNEL
from classroom.site.moving.scene import Frame, Panel, Part, PartState, PartStates, Scene
from classroom.site.moving.shapes import rect, words
from kuiper.fast.kernels.conv.winograd import transforms
from kuiper.layers.image.convolution import Conv2d

M, K, TILE = 2, 3, 4
"""The sides of the tile of results, of the kernel, and of the tile of pixels."""
SCAN, CORNER = 1, (2, 1)
"""Which held-out scan of the digits, and where in it the tile begins."""
WIDE, HIGH, GAP, TOP, SIZE = 30.0, 23.0, 13.0, 22.0, 10.5
LOWER = TOP + TILE * HIGH + 26
COLUMNS = tuple(2 + i * (TILE * WIDE + GAP) for i in range(3))
"""Where the three columns of matrices begin."""


def tile() -> np.ndarray:
    """(4,4) pixels of a digit, 0 to 16."""
    i, j = CORNER
    return np.load(ROOT / "models" / "digits" / "heldout.npz")["images"][SCAN, i : i + TILE, j : j + TILE].astype(int)


def direct() -> np.ndarray:
    """(2,2) what kuiper's layer makes of the tile."""
    layer = Conv2d(KERNEL[None, None].astype(np.float32))
    return layer.forward(tile()[None, None].astype(np.float32))[0, 0]


def scene() -> Scene:
    """The tile by sums of nine products, then by Winograd's transforms."""
    back, g, into = transforms(M)
    pixels, known = tile(), direct()
    result = back @ ((g @ KERNEL @ g.T) * (into @ pixels @ into.T)) @ back.T
    if not np.allclose(result, known):
        raise MovingError(f"winograd: expected what Conv2d gives, {known.tolist()}, found {result.tolist()}")
    frames = _by_sums(pixels, known)
    frames += _by_winograd(pixels, dict(frames[-1].states))
    still = next(i for i, frame in enumerate(frames) if "p15" in frame.states)
    return Scene("winograd", "Winograd: 16 products instead of 36", [_matrices()], frames, still)


def said(value: Any) -> str:
    """A number as short as it can be told exactly.

    >>> said(2.0), said(-0.25)
    ('2', '-0.25')
    """
    return f"{value + 0.0:g}"


def _filled(letter: str, matrix: np.ndarray, kind: str) -> PartStates:
    return {f"{letter}{i}": PartState(kind, said(value)) for i, value in enumerate(matrix.reshape(-1))}


def _by_sums(pixels: np.ndarray, known: np.ndarray) -> list[Frame]:
    """The frames of the direct way: four windows, each with nine products."""
    base = _filled("d", pixels, "blue") | _filled("g", KERNEL, "violet")
    say = (
        "Four by four pixels of a scanned digit, and a kernel of 3x3 weights. Its window has four places in this tile. "
    )
    frames = [Frame(say + "First the way you know: nine products for each.", dict(base))]
    for number, (i, j) in enumerate(np.ndindex(known.shape)):
        window = pixels[i : i + K, j : j + K]
        terms = " + ".join(f"{a}·{b}" for a, b in zip(window.reshape(-1), KERNEL.reshape(-1), strict=True))
        base |= {f"s{number}": PartState("orange", said(known[i, j]))}
        base |= {"by sums": PartState("bold", str((number + 1) * K * K))}
        ring = {
            "window": PartState("ring", None, j * WIDE, i * HIGH),
            f"s{number}": PartState("now", said(known[i, j])),
        }
        frames.append(Frame(f"{terms} = {said(known[i, j])}.", base | ring))
    return frames


def _terms(row: np.ndarray, column: np.ndarray) -> str:
    """The sum of a row's numbers times a column's, without those times 0.

    >>> _terms(np.array([1.0, 0, -1, 0.5]), np.array([7, 8, 9, 3]))
    '7 - 9 + 0.5·3'
    """
    pairs = [(factor, value) for factor, value in zip(row, column, strict=True) if factor]
    told = [
        f"{'-' if factor < 0 else '+'} {'' if abs(factor) == 1 else f'{abs(factor):g}·'}{said(value)}"
        for factor, value in pairs
    ]
    return " ".join(told).removeprefix("+ ").replace("- ", "-", 1 if pairs[0][0] < 0 else 0)


def _by_winograd(pixels: np.ndarray, base: PartStates) -> list[Frame]:
    """The frames of Winograd's way: transforms of pixels and of weights, 16 products, and the way back."""
    back, g, into = transforms(M)
    base = {key: state for key, state in base.items() if key != "window"}
    base |= {f"s{i}": PartState("orange", state.text) for i in range(M * M) if (state := base[f"s{i}"])}
    rows, columns = into @ pixels, into @ pixels @ into.T
    wide, weights = g @ KERNEL, g @ KERNEL @ g.T
    products = weights * columns
    half, result = back @ products, back @ products @ back.T
    frames = [
        Frame("Now Winograd. B^T d: each column of pixels becomes four sums and differences. "
              f"The first number is {_terms(into[0], pixels[:, 0])} = {said(rows[0, 0])}. Nothing is multiplied.",
              base | _filled("v", rows, "now blue")),
        Frame("(B^T d) B: the same along the rows. "
              f"The first number is {_terms(into[0], rows[0])} = {said(columns[0, 0])}. Still no product.",
              base | _filled("v", columns, "now blue")),
    ]  # fmt: skip
    base |= _filled("v", columns, "blue")
    frames += [
        Frame("G g: each column of the kernel becomes four sums. The second number of the first column is "
              f"{_terms(g[1], KERNEL[:, 0])} = {said(wide[1, 0])}.", base | _narrow(wide)),
        Frame("(G g) G^T: the same along the rows. This is done once for each kernel, before any image comes, so its "
              "halves cost nothing.", base | _filled("u", weights, "now violet")),
    ]  # fmt: skip
    base |= _filled("u", weights, "violet")
    first = {f"p{i}": PartState("now", said(products.reshape(-1)[i])) for i in range(TILE)}
    one = {"by winograd": PartState("bold", f"{TILE} products")}
    frames.append(Frame("Now the products, number by number: "
                        f"{said(weights[0, 0])}·{said(columns[0, 0])} = {said(products[0, 0])}. The first row: four.",
                        base | first | one))  # fmt: skip
    base |= {"by winograd": PartState("bold", f"{products.size} products")}
    frames.append(Frame(f"All of them: {products.size} products, one for each place of the 4x4 tile.",
                        base | _filled("p", products, "now")))  # fmt: skip
    base |= _filled("p", products, "orange")
    frames += [
        Frame("The way back. A^T adds up each column. The first number is "
              f"{_terms(back[0], products[:, 0])} = {said(half[0, 0])}.", base | _filled("h", half, "now teal")),
        Frame(f"A does the same along the rows: {_terms(back[0], half[0])} = {said(result[0, 0])}. "
              "The four results are those of the four windows.", base | _final(result, "now teal")),
        Frame(f"{products.size} products instead of {M * M * K * K}, {M * M * K * K / products.size:g} times fewer, "
              "and some additions more. The next tile begins two pixels on.", base | _final(result, "teal")),
    ]  # fmt: skip
    return frames


def _narrow(wide: np.ndarray) -> PartStates:
    """(4,3) numbers in the left columns of the 4x4 place of the weights."""
    return {f"u{TILE * i + j}": PartState("now violet", said(wide[i, j])) for i, j in np.ndindex(wide.shape)}


def _final(result: np.ndarray, kind: str) -> PartStates:
    """(2,2) results in the left columns of the 2x4 place; the others are done with."""
    return {f"h{TILE * i + j}": PartState(kind, said(result[i, j])) for i, j in np.ndindex(result.shape)}


def _matrices() -> Panel:
    """Two rows of matrices: pixels and their transform, kernel and its transform, products, results."""
    first, second, third = COLUMNS
    parts = [
        *_grid("d", first, TOP, TILE, TILE),
        *_grid("v", second, TOP, TILE, TILE),
        *_grid("p", third, TOP, TILE, TILE),
        *_grid("g", first, LOWER, K, K),
        *_grid("u", second, LOWER, TILE, TILE),
        *_grid("h", third, LOWER, M, TILE),
        *_grid("s", third, LOWER + M * HIGH + 24, M, M),
        Part("window", rect(first, TOP, K * WIDE, K * HIGH, 3), kind="hidden"),
        Part("by sums", "", "", third + 3 * WIDE, LOWER + (M + 0.5) * HIGH + 24, 13.0),
        Part("by winograd", "", "", third + TILE * WIDE, 10, 10.5, "end", "muted"),
    ]
    titles = (("pixels d", first, 10), ("B^T d B", second, 10), ("product", third, 10),
              ("weights g", first, LOWER - 12), ("G g G^T", second, LOWER - 12), ("result", third, LOWER - 12),
              ("by four windows", third, LOWER + M * HIGH + 12),
              ("products", third + M * WIDE + 8, LOWER + (M + 1.4) * HIGH + 24))  # fmt: skip
    ground = "".join(words(title, x, y, 11.0, "start", "note") for title, x, y in titles)
    label = "A tile of pixels and a kernel, the transforms of both, their products, and the four results."
    height = LOWER + TILE * HIGH + 2
    return Panel(third + TILE * WIDE + 2, max(height, LOWER + 2 * M * HIGH + 26), label, parts, ground)


def _grid(letter: str, x: float, y: float, rows: int, columns: int) -> list[Part]:
    return [
        Part(f"{letter}{i * columns + j}", rect(x + j * WIDE, y + i * HIGH, WIDE, HIGH, 0), "",
             x + (j + 0.5) * WIDE, y + (i + 0.5) * HIGH, SIZE, kind="ghost")
        for i in range(rows) for j in range(columns)
    ]  # fmt: skip
