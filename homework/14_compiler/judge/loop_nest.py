r"""A program that writes a program: why the solution is as it is.

`lines_of_tile` writes one tile, at y[i, j], and nothing about where that is: so the same lines serve in the middle and
at the edges, with other h and w. `cuts` gives the tiles along an axis: whole ones, and a smaller one for what is left.
Two axes make up to four pairs of loops. The loops stay loops in the text; what is written out is the tile alone, as its
sums have to be variables with names. A compiler then keeps them in registers: of y[i, j] += ... it could not know that
y, x and w do not overlap.

The loads are where the work is. A multiply-add on arrays loads two numbers. In a tile, `a0` is loaded once and used w
times, `b0` is loaded once and used h times.

The epilogue is text put around text: the value begins as "s0_0", and each step wraps it, "s0_0 + bias[j + 0]", then
"max(s0_0 + bias[j + 0], 0.0)". Nothing is stored in between. `max` brings its own parentheses; a step that multiplies
would need them around a sum.

**Typical mistakes.** To add what is left to the last tile, or to take a larger one: there are fewer loads then, but the
registers that `tile` was made for do not hold its sums. `range(0, rows, h)` goes one tile too far if rows is no
multiple of h, and rows // h * h leaves some out. To generate the text with the loops already run: it is right, and has
a line for each multiply-add. To make the epilogue part of the loop over k.

**Other ways.** The last tile may begin earlier and overlap the one before, so that all tiles are of one size: that is
what [product.py](../../../kuiper/compiled/kernels/product.py) does along rows, where computing a sum twice is cheaper
than more code. Here it breaks `stores`. For channels it fills the last vector with zeros.

**Cost.** The text is as long as four tiles at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from classroom.judge import Failure, Mutant, Student, task

from ..public import MISSING_STEP, Program, expect_nest


def product(
    x: np.ndarray, w: np.ndarray, bias: np.ndarray, residual: np.ndarray, epilogue: Sequence[str]
) -> np.ndarray:
    """x @ w, and the steps of the epilogue."""
    return finished(x @ w, bias, residual, epilogue)


def finished(y: np.ndarray, bias: np.ndarray, residual: np.ndarray, epilogue: Sequence[str]) -> np.ndarray:
    """y after the steps of the epilogue."""
    for step in epilogue:
        if step == "bias":
            y = y + bias
        elif step == "residual":
            y = y + residual
        else:
            y = np.where(y > 0, y, 0.0)
    return y


def nest_mistakes(
    x: np.ndarray, w: np.ndarray, bias: np.ndarray, residual: np.ndarray, epilogue: Sequence[str], tile: tuple[int, int]
) -> dict[str, np.ndarray]:
    """Likely cause -> what comes of it."""
    given = x, w, bias, residual
    wrong = {}
    for step in epilogue:
        others = [other for other in epilogue if other != step]
        wrong[MISSING_STEP.format(repr(step))] = product(*given, others)
    fixed = [step for step in ("bias", "residual", "relu") if step in epilogue]
    wrong["the steps of the epilogue were put into another order: they come as they stand in `epilogue`"] = product(
        *given, fixed
    )
    wrong["the steps of the epilogue come in reverse: they come as they stand in `epilogue`"] = product(
        *given, epilogue[::-1]
    )
    wrong["the epilogue is always bias and ReLU: do the steps that `epilogue` names"] = product(
        *given, ["bias", "relu"]
    )
    for step in ("bias", "residual", "relu"):
        if step not in epilogue:
            cause = f"{step!r} is not asked for here: do only the steps that `epilogue` names, which may be none"
            wrong[cause] = product(*given, [*epilogue, step])
    wrong["the last step of the depth is missing: range(depth) ends with depth - 1"] = product(
        x[:, :-1], w[:-1], bias, residual, epilogue
    )
    wrong["the first step of the depth is missing: k counts from 0"] = product(
        x[:, 1:], w[1:], bias, residual, epilogue
    )
    wrong["only the last step of the depth counts: each sum begins at 0.0 before the loop over k, and grows by +="] = (
        product(x[:, -1:], w[-1:], bias, residual, epilogue)
    )
    wrong.update(other_indices(x, w, bias, residual, epilogue, tile))
    per_step = np.zeros((len(x), w.shape[1]))
    for k in range(x.shape[1]):
        per_step = finished(per_step + np.outer(x[:, k], w[k]), bias, residual, epilogue)
    wrong["the epilogue is done at each step of the depth: it belongs after that loop"] = per_step
    for cause, begins in {
        "the sums are set to 0.0 once, before all tiles: each tile begins anew, right before its loop over k": "",
        "the sums go on from one tile to the next in its row: set them to 0.0 for each, right before its loop over k": (
            "row"
        ),
        "the sums go on from one tile to the next below: set them to 0.0 for each, right before its loop over k": (
            "column"
        ),
    }.items():
        wrong[cause] = finished(carried(x @ w, tile, begins), bias, residual, epilogue)
    wrong["each sum begins at 0.0"] = finished(x @ w + 1.0, bias, residual, epilogue)
    wrong["the products are added to a sum, and not subtracted"] = finished(-(x @ w), bias, residual, epilogue)
    wrong.update(mistakes_in_a_tile(x @ w, bias, residual, epilogue, tile))
    wrong[
        "two sums have one name: s111 is row 1 and column 11, and row 11 and column 1. Put something in between: s1_11"
    ] = finished(one_name_twice(x @ w, tile), bias, residual, epilogue)
    if "bias" in epilogue and len(x) <= len(bias):
        by_row = np.broadcast_to(bias[: len(x), None], residual.shape)
        wrong["bias has a number for each column: bias[j + c], and not that of the row"] = finished(
            x @ w, by_row, residual, epilogue
        )
    if "relu" in epilogue:
        least = np.minimum(finished(x @ w, bias, residual, epilogue[: epilogue.index("relu")]), 0.0)
        after = epilogue[epilogue.index("relu") + 1 :]
        wrong["a ReLU keeps what is positive: max(a, 0.0), and not min"] = finished(least, bias, residual, after)
    return wrong


def other_indices(
    x: np.ndarray, w: np.ndarray, bias: np.ndarray, residual: np.ndarray, epilogue: Sequence[str], tile: tuple[int, int]
) -> dict[str, np.ndarray]:
    """Likely cause -> what comes of it, where k goes in steps, or i or j stands in the place of k."""
    (rows, depth), channels = x.shape, w.shape[1]
    row, column = (np.arange(size) // step * step for size, step in zip((rows, channels), tile))
    wrong = {}
    for by in {2, *tile} - {1}:
        wrong[f"k goes up by {by}, and skips steps of the depth: range(depth)"] = product(
            x[:, ::by], w[::by], bias, residual, epilogue
        )
    if row[-1] < depth:
        wrong["the row of w is the step of the depth, and not that of x: w[k, j + c]"] = finished(
            x.sum(axis=1, keepdims=True) * w[row], bias, residual, epilogue
        )
    if column[-1] < depth:
        wrong["the column of x is the step of the depth, and not that of w: x[i + r, k]"] = finished(
            x[:, column] * w.sum(axis=0), bias, residual, epilogue
        )
    return wrong


def mistakes_in_a_tile(
    y: np.ndarray, bias: np.ndarray, residual: np.ndarray, epilogue: Sequence[str], tile: tuple[int, int]
) -> dict[str, np.ndarray]:
    """Likely cause -> what comes of it, where the first row or column of a tile stands for all of them."""
    row, column = (np.arange(size) // step * step for size, step in zip(y.shape, tile))
    of_rows, of_columns = np.zeros_like(y), np.zeros_like(y)
    np.add.at(of_rows, row, y)
    np.add.at(of_columns.T, column, y.T)
    return {
        "the rows of a tile share their sums: the name of a sum has its row and its column, such as s0_1": finished(
            of_rows[row], bias, residual, epilogue
        ),
        "the columns of a tile share their sums: the name of a sum has its row and its column, such as s0_1": finished(
            of_columns[:, column], bias, residual, epilogue
        ),
        "all rows of a tile take the first one's numbers of x: row r takes x[i + r, k]": finished(
            y[row], bias, residual, epilogue
        ),
        "all columns of a tile take the first one's numbers of w: column c takes w[k, j + c]": finished(
            y[:, column], bias, residual, epilogue
        ),
        "all sums of a tile take the same numbers: row r takes x[i + r, k], and column c takes w[k, j + c]": finished(
            y[row][:, column], bias, residual, epilogue
        ),
        "all tiles take the numbers of x of the uppermost: does i stand in the index x[i + r, k]?": finished(
            y[np.arange(len(y)) % tile[0]], bias, residual, epilogue
        ),
        "all tiles take the numbers of w of the leftmost: does j stand in the index w[k, j + c]?": finished(
            y[:, np.arange(y.shape[1]) % tile[1]], bias, residual, epilogue
        ),
        "all columns of a tile take the first one's bias: column c takes bias[j + c]": finished(
            y, bias[column], residual, epilogue
        ),
        "all tiles take the residual of the first one: it is residual[i + r, j + c], with i and j": finished(
            y, bias, residual[np.arange(len(y)) % tile[0]][:, np.arange(y.shape[1]) % tile[1]], epilogue
        ),
        "all tiles take the bias of the leftmost: it is bias[j + c], with j": finished(
            y, bias[np.arange(y.shape[1]) % tile[1]], residual, epilogue
        ),
        "all sums of a tile take the first one's residual: it is residual[i + r, j + c]": finished(
            y, bias, residual[row][:, column], epilogue
        ),
    }


def one_name_twice(y: np.ndarray, tile: tuple[int, int]) -> np.ndarray:
    """What becomes of y if row and column of a sum are written side by side in its name, as in s111."""
    (height, width), made = tile, y.copy()
    named: dict[tuple[int, int, str], list[tuple[int, int]]] = {}
    for i, j in np.ndindex(y.shape[0], y.shape[1]):
        named.setdefault((i // height, j // width, f"{i % height}{j % width}"), []).append((i, j))
    for places in named.values():
        for place in places:
            made[place] = sum(y[each] for each in places)
    return made


def carried(y: np.ndarray, tile: tuple[int, int], begins: str) -> np.ndarray:
    """What becomes of y if the sums of a tile go on from those of the one before.

    begins : where they are set to 0: for each "row" of tiles, for each "column" of tiles, or once, for "".
    """
    (height, width), made = tile, np.empty_like(y)
    tops, lefts = range(0, len(y), height), range(0, y.shape[1], width)
    places = [(i, j) for j in lefts for i in tops] if begins == "column" else [(i, j) for i in tops for j in lefts]
    sums = np.zeros(tile)
    for i, j in places:
        if (begins == "row" and j == 0) or (begins == "column" and i == 0):
            sums[:] = 0.0
        block = y[i : i + height, j : j + width]
        h, w = block.shape
        sums[:h, :w] += block
        made[i : i + h, j : j + w] = sums[:h, :w]
    return made


class Oracle:
    """What expect_nest asks for."""

    product = staticmethod(product)

    @staticmethod
    def nest_mistakes(*_: Any) -> dict[str, np.ndarray]:
        """No causes: nobody reads them here."""
        return {}


@task("loop_nest")
def any_sizes(student: Student, rng: np.random.Generator) -> None:
    """Random sizes, tiles and epilogues."""
    steps = ["bias", "residual", "relu"]
    for _ in range(12):
        rows, depth, channels = (int(n) for n in rng.integers(1, 10, 3))
        tile = int(rng.integers(1, 6)), int(rng.integers(1, 6))
        epilogue = [str(step) for step in rng.permutation(steps)[: rng.integers(4)]]
        expect_nest(student, rng, Oracle, (rows, depth, channels), tile, epilogue)


@task("loop_nest")
def one_of_everything(student: Student, rng: np.random.Generator) -> None:
    """A single row, step or channel, and tiles that are much larger."""
    for sizes in ((1, 5, 7), (6, 1, 7), (6, 5, 1), (1, 1, 1)):
        for tile in ((1, 1), (4, 3), (16, 16)):
            expect_nest(student, rng, Oracle, sizes, tile, ["bias", "relu"])


@task("loop_nest")
def the_text_does_not_grow(student: Student) -> None:
    """The text for 3,000 rows is not longer than the one for 30."""
    few, many = (len(Program(student.loop_nest(n, n, n, (3, 5), ["bias"])).lines) for n in (30, 3000))
    if many > few:
        raise Failure(f"the text for 30 x 30 x 30 has {few} lines, the one for 3000 x 3000 x 3000 has {many}")


TILES = "        for left, right, v in cuts(channels, width):\n"
CUTS = "    return [cut for cut in ((0, whole, step), (whole, size, size - whole)) if cut[0] < cut[1]]\n"
ZEROS = '    lines = [f"s{r}_{c} = 0.0" for r, c in grid]\n'
LOOP_I = '            lines.append(f"    for i in range({top}, {bottom}, {h}):")\n'
LOOP_J = '            lines.append(f"        for j in range({left}, {right}, {v}):")\n'
TILE = '            lines += [" " * 12 + line for line in lines_of_tile(h, v, depth, epilogue)]\n'
TILE_WITHOUT_ZEROS = TILE.replace(")]", ') if not line.endswith(" = 0.0")]')
LOOPS = LOOP_I + LOOP_J + TILE
LOAD_W = '    lines += [f"    b{c} = w[k, j + {c}]" for c in range(w)]\n'
SUMS = '    lines += [f"    s{r}_{c} += a{r} * b{c}" for r, c in grid]\n'
LOAD_X = '    lines += [f"    a{r} = x[i + {r}, k]" for r in range(h)]\n'
STEPS = "        for step in epilogue:\n"
RELU = '                "relu": f"max({value}, 0.0)",\n'
STORE = '        lines.append(f"y[i + {r}, j + {c}] = {value}")\n'
JOINED = '    return "\\n".join(lines) + "\\n"\n'

OVERLAPPING = (
    "    if size < step:\n        return [(0, size, size)]\n"
    "    return [(0, whole, step)] + [(size - step, size, step)] * (size > whole)\n"
)
VALUES = "    for r, c in grid:\n"

MUTANTS = [
    Mutant(
        "no_start",
        "ranges without a start, which are empty",
        LOOP_I,
        LOOP_I.replace("{top}, ", ""),
        "result",
    ),
    Mutant(
        "residual_of_the_first_tile",
        "the residual's place within the tile",
        '"residual": f"{value} + residual[i + {r}, j + {c}]"',
        '"residual": f"{value} + residual[{r}, {c}]"',
        "epilogue",
    ),
    Mutant(
        "bias_of_the_first_tile",
        "the bias' place within the tile",
        '"bias": f"{value} + bias[j + {c}]"',
        '"bias": f"{value} + bias[{c}]"',
        "epilogue",
    ),
    Mutant(
        "returned",
        "y is returned, too",
        JOINED,
        '    return "\\n".join([*lines, "    return y"]) + "\\n"\n',
        "language",
    ),
    Mutant("whole_tiles", "leaves out what is left", CUTS, "    return [(0, whole, step)]\n", "edges"),
    Mutant(
        "no_corner",
        "leaves out the corner",
        LOOPS,
        "            if h < height and v < width and rows > h and channels > v:\n                continue\n" + LOOPS,
        "edges",
    ),
    Mutant("too_far", "tiles of full size at the edges", CUTS, "    return [(0, size, step)]\n", "edges"),
    Mutant(
        "narrow",
        "one by one what is left",
        CUTS,
        "    return [cut for cut in ((0, whole, step), (whole, size, 1)) if cut[0] < cut[1]]\n",
        "edges",
    ),
    Mutant(
        "overlapping",
        "the last tile begins earlier",
        CUTS,
        OVERLAPPING,
        "edges",
    ),
    Mutant(
        "no_residual",
        "forgets the residual",
        '                "residual": f"{value} + residual[i + {r}, j + {c}]",\n',
        '                "residual": value,\n',
        "epilogue",
    ),
    Mutant(
        "fixed_order",
        "bias, residual, ReLU, whatever the order",
        STEPS,
        '        for step in sorted(epilogue, key=["bias", "residual", "relu"].index):\n',
        "epilogue",
    ),
    Mutant(
        "backwards", "steps from the last to the first", STEPS, "        for step in reversed(epilogue):\n", "epilogue"
    ),
    Mutant(
        "relu_is_abs",
        "a ReLU that keeps what is negative",
        RELU,
        '                "relu": f"min({value}, 0.0)",\n',
        "epilogue",
    ),
    Mutant(
        "relu_of_the_sum",
        "a ReLU of the sum, whatever was done to it before",
        RELU,
        RELU.replace("{value}", "s{r}_{c}"),
        "epilogue",
    ),
    Mutant(
        "bias_of_rows",
        "the bias of the row",
        '                "bias": f"{value} + bias[j + {c}]",\n',
        '                "bias": f"{value} + bias[i + {r}]",\n',
        "epilogue",
    ),
    Mutant(
        "loads_each",
        "loads both numbers of each multiply-add",
        SUMS,
        '    lines += [f"    s{r}_{c} += x[i + {r}, k] * w[k, j + {c}]" for r, c in grid]\n',
        "loads",
    ),
    Mutant(
        "loads_weights",
        "loads the weights for each row",
        SUMS,
        '    lines += [f"    s{r}_{c} += a{r} * w[k, j + {c}]" for r, c in grid]\n',
        "loads",
    ),
    Mutant("one_by_one", "no tile at all", "    height, width = tile\n", "    height, width = 1, 1\n", "loads"),
    Mutant(
        "in_memory",
        "adds to y at each step",
        SUMS,
        '    lines += [f"    y[i + {r}, j + {c}] = a{r} * b{c} + s{r}_{c}" for r, c in grid]\n' + SUMS,
        "stores",
    ),
    Mutant(
        "stored_twice",
        "stores the sum and then the value",
        STORE,
        '        lines.append(f"y[i + {r}, j + {c}] = s{r}_{c}")\n' + STORE,
        "stores",
    ),
    Mutant(
        "y_read",
        "the ReLU reads y",
        STORE,
        STORE + '        lines.append(f"y[i + {r}, j + {c}] = max(y[i + {r}, j + {c}], y[i + {r}, j + {c}])")\n',
        "stores",
    ),
    Mutant("negative", "subtracts", SUMS, SUMS.replace("+= a", "+= 0 - a"), "result"),
    Mutant(
        "begins_at_one",
        "sums that begin at 1",
        ZEROS,
        ZEROS.replace("0.0", "1.0"),
        "result",
    ),
    Mutant(
        "begun_once",
        "sets the sums to 0 once, before all tiles",
        LOOPS,
        '            zeros = [line for line in lines_of_tile(h, v, depth, epilogue) if line.endswith(" = 0.0")]\n'
        '            lines += [" " * 4 + line for line in zeros]\n' + LOOP_I + LOOP_J + TILE_WITHOUT_ZEROS,
        "result",
    ),
    Mutant(
        "begun_in_a_row",
        "sets the sums to 0 for each row of tiles",
        LOOPS,
        LOOP_I
        + '            zeros = [line for line in lines_of_tile(h, v, depth, epilogue) if line.endswith(" = 0.0")]\n'
        '            lines += [" " * 8 + line for line in zeros]\n' + LOOP_J + TILE_WITHOUT_ZEROS,
        "result",
    ),
    Mutant("never_begun", "sets no sum to 0", ZEROS, "    lines: list[str] = []\n", "result"),
    Mutant(
        "exchanged_w",
        "the indices of w in the wrong order",
        LOAD_W,
        LOAD_W.replace("k, j + {c}", "j + {c}, k"),
        "result",
    ),
    Mutant(
        "exchanged_x",
        "the indices of x in the wrong order",
        LOAD_X,
        LOAD_X.replace("i + {r}, k", "k, i + {r}"),
        "result",
    ),
    Mutant(
        "epilogue_on_y",
        "stores the sum, and does the epilogue to y",
        VALUES + '        value = f"s{r}_{c}"\n',
        VALUES + '        lines.append(f"y[i + {r}, j + {c}] = s{r}_{c}")\n        value = f"y[i + {r}, j + {c}]"\n',
        "stores",
    ),
    Mutant(
        "epilogue_at_each_step",
        "does the epilogue at each step of the depth",
        STORE,
        '        lines.append(f"    s{r}_{c} = {value}")\n'
        '    lines += [f"y[i + {r}, j + {c}] = s{r}_{c}" for r, c in grid]\n',
        "epilogue",
    ),
    Mutant(
        "stored_at_each_step",
        "stores in the loop over the depth",
        STORE,
        STORE.replace('f"y[', 'f"    y['),
        "stores",
    ),
    Mutant(
        "rest_in_sums",
        "computes what is left one sum at a time",
        LOOPS,
        "            if (h, v) != (height, width):\n                h = v = 1\n" + LOOPS,
        "edges",
    ),
    Mutant("loads_x", "loads x for each multiply-add", SUMS, SUMS.replace("a{r} *", "x[i + {r}, k] *"), "loads"),
    Mutant(
        "twice_as_tall",
        "tiles of twice the rows",
        "    height, width = tile\n",
        "    height, width = tile[0] * 2, tile[1]\n",
        "loads",
    ),
    Mutant(
        "twice_as_wide",
        "tiles of twice the columns",
        "    height, width = tile\n",
        "    height, width = tile[0], tile[1] * 2\n",
        "loads",
    ),
    Mutant(
        "width_in_vectors",
        "takes w for vectors",
        "    height, width = tile\n",
        "    height, width = tile[0], tile[1] * 8\n",
        "loads",
    ),
    Mutant(
        "rest_joined",
        "adds what is left to the last whole tile",
        CUTS,
        "    if step <= whole < size:\n        whole -= step\n" + CUTS,
        "edges",
    ),
    Mutant(
        "empty_rest",
        "a tile for the rest, where nothing is left, too",
        CUTS,
        CUTS.replace(" if cut[0] < cut[1]]", "]"),
        "edges",
    ),
    Mutant(
        "stored_after_j",
        "stores after the loop over j",
        TILE,
        TILE.replace('" " * 12', '" " * (8 if line.startswith("y[") else 12)'),
        "result",
    ),
    Mutant("turned_tile", "h columns and w rows", "    height, width = tile\n", "    width, height = tile\n", "loads"),
    Mutant(
        "first_row_as_bound",
        "goes up row by row, and not tile by tile",
        LOOP_I,
        LOOP_I.replace(", {h})", ")"),
        "result",
    ),
    Mutant("sizes_by_name", "writes depth, and not its number", "for k in range({depth}):", "for k in range(depth):"),
    Mutant(
        "unrolled",
        "writes all tiles out",
        TILES,
        TILES.replace(
            "cuts(channels, width)",
            "[(n, min(n + width, channels), min(width, channels - n)) for n in range(0, channels, width)]",
        ),
        "short",
    ),
    Mutant(
        "unrolled_depth",
        "writes the steps of the depth out",
        SUMS + VALUES,
        SUMS + '    lines += ["pass"] * depth\n' + VALUES,
        "short",
    ),
    Mutant("divided", "a ReLU with abs", RELU, '                "relu": f"({value} + abs({value})) * 0.5",\n'),
    Mutant(
        "numpy_sum",
        "asks for numpy in the text",
        JOINED,
        '    return "import numpy as np\\n" + "\\n".join(lines) + "\\n"\n',
        "language",
    ),
    Mutant(
        "while_loop",
        "a conditional in the text",
        STORE,
        '        lines.append(f"if True: y[i + {r}, j + {c}] = {value}")\n',
        "language",
    ),
    Mutant(
        "joined_names",
        "writes row and column side by side in a name",
        JOINED,
        '    import re\n\n    return re.sub(r"(s\\d+)_(\\d+)", r"\\1\\2", "\\n".join(lines)) + "\\n"\n',
        "result",
    ),
    Mutant("nothing", "prints the text", JOINED, '    print("\\n".join(lines))\n'),
    Mutant(
        "list_of_sums",
        "keeps the sums in a list",
        JOINED,
        '    import re\n\n    return re.sub(r"s(\\d+)_(\\d+)", r"s[\\1][\\2]", "\\n".join(lines)) + "\\n"\n',
        "language",
    ),
    Mutant(
        "docstring",
        "a docstring in the text",
        JOINED,
        '    lines.insert(1, \'    """y = x @ w."""\')\n' + JOINED,
        "language",
    ),
    Mutant("whole_arrays", "lets Python multiply", STORE, STORE.replace("= {value}", "= {value} + x @ w"), "language"),
    Mutant(
        "sizes_by_shape", "asks x for its shape", "for k in range({depth}):", "for k in range(x.shape[1]):", "language"
    ),
    Mutant("one_line", "no line breaks", JOINED, '    return "".join(lines)\n'),
    Mutant("list", "the lines and not the text", JOINED, "    return lines\n"),
]
