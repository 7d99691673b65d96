r"""A head's channels into rows of boxes: why the solution is as it is.

`reshape(A, 5+K, h, w)` splits the channels as they lie: anchor by anchor. `transpose(0, 2, 3, 1)` brings the numbers
of a box to the end, and leaves anchor, row, column in the order in which the rows shall come. After that each formula
is one line, and the last reshape joins three axes that stand in the right order. Without the transpose, `reshape(A,
h, w, 5+K)` has the right shape too, and mixes numbers of different cells.

`np.indices((h, w))` gives row and column of every cell, in this order; x goes with the column, so they are stacked
the other way round. Square heads and small pictures hide a mistake here for a long time: boxes are mirrored at the
diagonal.

`anchors[:, None, None]` has the shape (A, 1, 1, 2) and lines up with (A, h, w, 2). Without the two axes numpy would
line up A with w.

- The 0.5 belongs to the formula unless the grid contains it already. In YOLOv5's exported files it does, and
  with that grid `(2s + grid) * stride` is right.
- Sigmoids, not softmax: classes do not exclude each other in YOLO.
- Objectness and classes stay apart: what is multiplied comes later, with the threshold.
- Numpy's whole numbers turn float32 into float64: `np.indices(..., np.float32)`, or `astype` at the end.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Mutant, Student, expect, task

from ..public import random_anchors, random_head
from .shared import wrong


def slow_rows(raw: np.ndarray, anchors: np.ndarray, stride: int, mistake: str = "") -> np.ndarray:
    """What decode has to give, number by number; or what it gives with one mistake."""
    kinds, (channels, height, width) = len(anchors), raw.shape
    values = channels // kinds
    rows = np.zeros((kinds * height * width, values))
    for a, i, j in np.ndindex(kinds, height, width):
        if mistake == "channels":
            one = raw.reshape(values, kinds, height, width)[:, a, i, j].astype(np.float64)
        elif mistake == "reshape":
            one = raw.reshape(kinds, height, width, values)[a, i, j].astype(np.float64)
        elif mistake == "turned":
            column, row = divmod(i * width + j, height)
            one = raw[a * values : (a + 1) * values, row, column].astype(np.float64)
        else:
            one = raw[a * values : (a + 1) * values, i, j].astype(np.float64)
        s = one if mistake == "sigmoid" else 1 / (1 + np.exp(-one))
        bare = {"sigmoid of the box": (0, 4), "sigmoid of the centre": (0, 2), "sigmoid of the extent": (2, 4)}
        first, end = bare.get(mistake, (0, 0))
        box = np.concatenate([s[:first], one[first:end], s[end:]])
        across, down = (i * width + j) % height, (i * width + j) // height
        x, y = {"cell": (i, j), "no cell": (0, 0), "sides": (across, down)}.get(mistake, (j, i))
        middles = box[0] + x, box[1] + y
        if mistake != "version 3":
            half = {"half": 0.0, "half added": -0.5, "two halves": 1.0}.get(mistake, 0.5)
            middles = 2 * box[0] - half + x, 2 * box[1] - half + y
        if mistake == "not doubled":
            middles = box[0] - 0.5 + x, box[1] - 0.5 + y
        centre = [one * (1 if mistake == "stride" else stride) for one in middles]
        if mistake == "stride of the cell":
            centre = [2 * box[0] - 0.5 + x * stride, 2 * box[1] - 0.5 + y * stride]
        if mistake == "half a pixel":
            centre = [(2 * box[0] + x) * stride - 0.5, (2 * box[1] + y) * stride - 0.5]
        if mistake == "stride of the sigmoid":
            centre = [(2 * box[0] - 0.5) * stride + x, (2 * box[1] - 0.5) * stride + y]
        kind = anchors[0] if mistake == "one anchor" else anchors[a]
        kind = {"anchor exchanged": kind[::-1], "no anchor": stride, "anchor in cells": kind * stride}.get(
            mistake, kind
        )
        factors = {"exp": np.exp(one[2:4]), "square": 2 * box[2:4], "half square": 2 * box[2:4] ** 2}
        extent = factors.get(mistake, (2 * box[2:4]) ** 2) * kind
        scores = {
            "raw scores": one[4:],
            "raw classes": [s[4], *one[5:]],
            "twice": 1 / (1 + np.exp(-s[4:])),
            "softmax": [s[4], *np.exp(one[5:]) / np.exp(one[5:]).sum()],
        }.get(mistake, s[4:])
        place = (i * width + j) * kinds + a if mistake == "order" else (a * height + i) * width + j
        rows[place] = [*centre, *extent, *scores]
    return rows.astype(np.float32)


CAUSES = {
    "cell": "row and column of the cell are exchanged: x goes with the column j, y with the row i",
    "stride": "the centres count in cells: multiply by the stride",
    "half": "the 0.5 is missing: centre = (2 * s - 0.5 + cell) * stride",
    "half added": "the 0.5 was added: centre = (2 * s - 0.5 + cell) * stride",
    "two halves": "s is doubled first, and then 0.5 subtracted: 2 * s - 0.5, neither 2 * (s - 0.5) nor s - 0.5",
    "not doubled": "s is not doubled: centre = (2 * s - 0.5 + cell) * stride",
    "half a pixel": "the 0.5 is half a cell, not half a pixel: subtract it before you multiply by the stride",
    "version 3": "that is s + cell, as in YOLOv3: here it is 2 * s - 0.5 + cell",
    "no cell": "every centre lies in the first cell: add column and row of the cell before you multiply by the stride",
    "stride of the cell": "only the cell was multiplied by the stride: put brackets around 2 * s - 0.5 + cell",
    "stride of the sigmoid": "the cell was not multiplied by the stride: put brackets around 2 * s - 0.5 + cell",
    "exp": "that is e^w * anchor, as in YOLOv3: here it is (2 * s)^2 * anchor",
    "square": "the square is missing in width and height: (2 * s)^2 * anchor",
    "half square": "the 2 belongs into the square: (2 * s)^2 * anchor, not 2 * s^2 * anchor",
    "one anchor": "every box got the first anchor: each third of the channels has its own",
    "anchor exchanged": "width and height of the anchor are exchanged: anchors[a, 0] is the width",
    "anchor in cells": "the anchors are in pixels already: the stride is for the centre only",
    "no anchor": "width and height were multiplied by the stride: they go with the anchor, (2 * s)^2 * anchor",
    "channels": "the channels lie anchor by anchor: split them into (A, 5+K), not into (5+K, A)",
    "reshape": "reshape alone mixes the cells: split the channels first, (A, 5+K, h, w), then bring 5+K to the end",
    "turned": "rows and columns of the grid are exchanged: after the split the axes are (A, 5+K, h, w), and the rows "
    "need (A, h, w, 5+K), which is transpose(0, 2, 3, 1)",
    "sides": "height and width of the head are exchanged: raw.shape is (channels, h, w), h rows of w cells",
    "order": "the rows come in another order: anchor by anchor, in it row by row, in it cell by cell",
    "sigmoid": "the sigmoid is missing",
    "sigmoid of the box": "the sigmoid is missing in x, y, w and h: it belongs to all 5+K numbers",
    "sigmoid of the centre": "the sigmoid is missing in x and y: it belongs to all 5+K numbers",
    "sigmoid of the extent": "the sigmoid is missing in w and h: it belongs to all 5+K numbers",
    "raw classes": "the sigmoid is missing in the K scores: it belongs to all 5+K numbers",
    "twice": "objectness and scores went through the sigmoid twice: once is enough",
    "raw scores": "the sigmoid is missing in objectness and scores: it belongs to all 5+K numbers",
    "softmax": "the scores went through a softmax: each goes through the sigmoid by itself",
}


def rows_mistakes(raw: np.ndarray, anchors: np.ndarray, stride: int) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this head."""
    right = slow_rows(raw, anchors, stride)
    found = {cause: slow_rows(raw, anchors, stride, mistake) for mistake, cause in CAUSES.items()}
    grid = right.reshape(len(anchors), *raw.shape[1:], -1)
    late = grid.transpose(0, 3, 1, 2).reshape(right.shape)
    found["the last reshape mixes the boxes: before it, bring the 5+K numbers of a box to the end, (A, h, w, 5+K)"] = (
        late
    )
    columns = grid.transpose(0, 2, 1, 3).reshape(right.shape)
    found["the cells come column by column: (A, 5+K, h, w) becomes (A, h, w, 5+K) by transpose(0, 2, 3, 1)"] = columns
    found["the boxes are right: reshape(A * h * w, 5 + K) puts them one below the other"] = grid
    corners = np.concatenate([right[:, :2] - right[:, 2:4] / 2, right[:, :2] + right[:, 2:4] / 2, right[:, 4:]], axis=1)
    found["these are corners: decode gives centre x, centre y, width, height"] = corners
    found["the objectness is missing: a row is x, y, w, h, objectness, and then the K scores"] = np.delete(
        right, 4, axis=1
    )
    multiplied = right.copy()
    multiplied[:, 5:] *= right[:, 4:5]
    found["the scores were multiplied by the objectness: leave each by itself"] = multiplied
    found["the numbers are float64: make them float32"] = right.astype(np.float64)
    return wrong(found, right)


def expect_rows(student: Student, raw: np.ndarray, anchors: np.ndarray, stride: int, what: str) -> None:
    """Raise Failure unless decode gives the rows that the loops give."""
    expect(student.decode(raw, anchors, stride), slow_rows(raw, anchors, stride), rtol=1e-4, atol=1e-3, what=what)


@task("decode")
def heads_of_any_shape(student: Student, rng: np.random.Generator) -> None:
    """One class or many, one row of cells or one column, any number of anchors."""
    for kinds, classes, height, width in ((1, 1, 1, 1), (2, 1, 1, 6), (3, 3, 5, 1), (5, 4, 2, 3), (9, 4, 3, 2)):
        raw, anchors = random_head(rng, kinds, classes, height, width), random_anchors(rng, kinds)
        what = f"{kinds} anchors, {classes} classes, {height}x{width} cells"
        expect_rows(student, raw, anchors, int(rng.choice([4, 8, 16])), what)


@task("decode")
def many_anchors_as_values(student: Student, rng: np.random.Generator) -> None:
    """As many anchors as numbers in a row, as many rows of cells as columns: only their order tells the axes apart."""
    expect_rows(student, random_head(rng, 6, 1, 6, 6), random_anchors(rng, 6), 8, "six anchors, one class, 6x6")


@task("decode")
def the_coarse_head_of_the_detector(student: Student, rng: np.random.Generator) -> None:
    """Three anchors, ten classes, 8x8 cells of 32 pixels."""
    anchors = np.array([[44, 68], [60, 62], [64, 88]], np.float32)
    expect_rows(student, random_head(rng, 3, 10, 8, 8), anchors, 32, "the detector's coarse head")


@task("decode")
def far_from_zero(student: Student, rng: np.random.Generator) -> None:
    """Large numbers: a box is at most four anchors wide, and its centre at most half a cell outside of its own."""
    raw = rng.choice(np.array([-60, -9, 9, 60], np.float32), (2 * 8, 3, 4))
    expect_rows(student, raw, random_anchors(rng, 2), 16, "numbers up to 60")


CELL = "    cell = np.stack([column, row], -1)\n"
CENTRE = "    centre = (2 * y[..., :2] - 0.5 + cell) * stride\n"
EXTENT = "    extent = (2 * y[..., 2:4]) ** 2 * anchors[:, None, None]\n"
SPLIT = "    y = sigmoid(raw).reshape(kinds, -1, height, width).transpose(0, 2, 3, 1)\n"
FLAT = "    return rows.reshape(kinds * height * width, -1).astype(np.float32)"
ROWS = "    rows = np.concatenate([centre, extent, y[..., 4:]], -1)\n"

MUTANTS = [
    Mutant(
        "cell_exchanged",
        "adds the row to x and the column to y",
        old=CELL,
        new="    cell = np.stack([row, column], -1)\n",
        breaks="centre",
    ),
    Mutant(
        "no_cell",
        "forgets the cell",
        old=CENTRE,
        new="    centre = (2 * y[..., :2] - 0.5) * stride\n",
        breaks="centre",
    ),
    Mutant(
        "no_stride",
        "leaves the centres in cells",
        old=CENTRE,
        new="    centre = (2 * y[..., :2] - 0.5 + cell)\n",
        breaks="centre",
    ),
    Mutant(
        "stride_of_the_cell_only",
        "multiplies the cell by the stride, and not the shift",
        old=CENTRE,
        new="    centre = 2 * y[..., :2] - 0.5 + cell * stride\n",
        breaks="centre",
    ),
    Mutant(
        "no_half",
        "forgets the 0.5, which an exported grid contains already",
        old=CENTRE,
        new="    centre = (2 * y[..., :2] + cell) * stride\n",
        breaks="centre",
    ),
    Mutant(
        "half_added",
        "adds the 0.5, as if the grid were the middles of the cells",
        old=CENTRE,
        new="    centre = (2 * y[..., :2] + 0.5 + cell) * stride\n",
        breaks="centre",
    ),
    Mutant(
        "not_doubled",
        "forgets the 2 of the centre, and keeps the shift",
        old=CENTRE,
        new="    centre = (y[..., :2] - 0.5 + cell) * stride\n",
        breaks="centre",
    ),
    Mutant(
        "half_a_pixel",
        "shifts by half a pixel in place of half a cell",
        old=CENTRE,
        new="    centre = (2 * y[..., :2] + cell) * stride - 0.5\n",
        breaks="centre",
    ),
    Mutant(
        "version_three",
        "decodes as YOLOv3 did: the sigmoid plus the cell",
        old=CENTRE,
        new="    centre = (y[..., :2] + cell) * stride\n",
        breaks="centre",
    ),
    Mutant(
        "exponential",
        "takes e^w for the width, as YOLOv3 did",
        old=EXTENT,
        new=(
            "    extent = (\n"
            "        np.exp(raw.reshape(kinds, -1, height, width).transpose(0, 2, 3, 1)[..., 2:4]) * "
            "anchors[:, None, None]\n"
            "    )\n"
        ),
        breaks="extent",
    ),
    Mutant(
        "no_square",
        "forgets the square",
        old=EXTENT,
        new="    extent = (2 * y[..., 2:4]) * anchors[:, None, None]\n",
        breaks="extent",
    ),
    Mutant(
        "half_of_the_square",
        "squares the sigmoid, and doubles it afterwards",
        old=EXTENT,
        new="    extent = 2 * y[..., 2:4] ** 2 * anchors[:, None, None]\n",
        breaks="extent",
    ),
    Mutant(
        "first_anchor",
        "takes the first anchor for every box",
        old=EXTENT,
        new="    extent = (2 * y[..., 2:4]) ** 2 * anchors[0]\n",
        breaks="extent",
    ),
    Mutant(
        "anchors_turned",
        "takes the anchors from the last to the first",
        old=EXTENT,
        new="    extent = (2 * y[..., 2:4]) ** 2 * anchors[::-1, None, None]\n",
        breaks="extent",
    ),
    Mutant(
        "height_width",
        "takes an anchor for height and width",
        old=EXTENT,
        new="    extent = (2 * y[..., 2:4]) ** 2 * anchors[:, None, None, ::-1]\n",
        breaks="extent",
    ),
    Mutant(
        "anchors_in_cells",
        "takes the anchors for multiples of the stride",
        old=EXTENT,
        new="    extent = (2 * y[..., 2:4]) ** 2 * stride * anchors[:, None, None]\n",
        breaks="extent",
    ),
    Mutant(
        "values_first",
        "splits the channels into (5+K, A)",
        old=SPLIT,
        new="    y = sigmoid(raw).reshape(-1, kinds, height, width).transpose(1, 2, 3, 0)\n",
        breaks="channels",
    ),
    Mutant(
        "only_reshaped",
        "reshapes where the numbers of a box have to be brought together first",
        old=SPLIT,
        new="    y = sigmoid(raw).reshape(kinds, height, width, -1)\n",
        breaks="channels",
    ),
    Mutant(
        "columns_first",
        "reads the cells column by column",
        old=FLAT,
        new="    return rows.swapaxes(1, 2).reshape(kinds * height * width, -1).astype(np.float32)",
        breaks="rows",
    ),
    Mutant(
        "cells_first",
        "puts the anchors of a cell one after the other",
        old=FLAT,
        new="    return rows.transpose(1, 2, 0, 3).reshape(kinds * height * width, -1).astype(np.float32)",
        breaks="rows",
    ),
    Mutant(
        "one_row",
        "gives a single row without its axis",
        old=FLAT,
        new=(
            "    rows = rows.reshape(kinds * height * width, -1).astype(np.float32)\n"
            "    return rows[0] if len(rows) == 1 else rows"
        ),
        breaks="rows",
    ),
    Mutant(
        "objectness_multiplied",
        "multiplies the classes by the objectness, which comes later",
        old=ROWS,
        new="    rows = np.concatenate([centre, extent, y[..., 4:5], y[..., 4:5] * y[..., 5:]], -1)\n",
        breaks="scores",
    ),
    Mutant(
        "raw_classes",
        "forgets the sigmoid of the classes",
        old=ROWS,
        new=(
            "    bare = raw.reshape(kinds, -1, height, width).transpose(0, 2, 3, 1)\n"
            "    rows = np.concatenate([centre, extent, y[..., 4:5], bare[..., 5:]], -1)\n"
        ),
        breaks="scores",
    ),
    Mutant(
        "softmax_classes",
        "takes the softmax of the classes, as a classifier does",
        old=ROWS,
        new=(
            "    powers = np.exp(raw.reshape(kinds, -1, height, width).transpose(0, 2, 3, 1)[..., 5:] "
            "/ 10)\n"
            "    shares = powers / powers.sum(-1, keepdims=True)\n"
            "    rows = np.concatenate([centre, extent, y[..., 4:5], shares], -1)\n"
        ),
        breaks="scores",
    ),
    Mutant(
        "corners",
        "returns corners where centre and size are asked for",
        old=ROWS,
        new="    rows = np.concatenate([centre - extent / 2, centre + extent / 2, y[..., 4:]], -1)\n",
        breaks="rows",
    ),
    Mutant(
        "always_float64",
        "forgets the element type",
        old=FLAT,
        new="    return rows.reshape(kinds * height * width, -1).astype(np.float64)",
        breaks="dtype",
    ),
    Mutant(
        "square_heads",
        "takes the head for square",
        old="np.indices((height, width), np.float32)",
        new="np.indices((width, height), np.float32).reshape(2, height, width)",
    ),
]
