r"""The whole U: why the solution is as it is.

The way down leaves a pile of arrays, and the way up takes them off again, the last one first: `kept.append` and
`kept.pop` are all that the shape of the U is. Whoever goes through `kept` from its beginning joins the largest array
with the smallest, and numpy refuses.

Where nobody notices:

- The wrong order in `np.concatenate`: both halves have as many channels in most U-Nets, so the shapes fit, and the
  next convolution multiplies each half with the weights of the other.
- A ReLU after the last convolution: the class with the largest logit stays the same as long as one logit is above 0.
  Where all are below, they all become 0, and argmax takes class 0.
- Mean pooling for max pooling, or every second pixel: the shapes are the same.

Max pooling without a loop: (N, C, H, W) becomes (N, C, H / 2, 2, W / 2, 2), a view, and the maximum over axes 3 and 5
takes the four pixels of a square. `x[:, :, ::2, ::2]` and its three neighbours, by np.maximum, do the same.

**Sides.** Each pooling halves rows and columns. Where one is odd, pooling drops the last row, the way up gives one row
less than the skip has, and they cannot be joined. So 2 to the number of levels has to divide both. The
reshape above would refuse an odd side by itself; asked before the first convolution, the message names the picture's
size, and not that of some array inside.

**Recursion** says the same in other words, and the oracle is written so: a U of n levels is a block, a U of n - 1
levels between pooling and a transposed convolution, a join, a block.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_refused, task

from .shared import between, wrong

Pair = tuple[np.ndarray, np.ndarray]
Block = list[Pair]


def convolved(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """A convolution of the same size, one number of the kernel after the other."""
    border, (rows, cols) = weight.shape[2] // 2, x.shape[2:]
    wide = np.pad(x, ((0, 0), (0, 0), (border, border), (border, border)))
    y = np.zeros((len(x), len(weight), rows, cols), x.dtype)
    for a, b in np.ndindex(weight.shape[2:]):
        y += np.einsum("nchw,oc->nohw", wide[:, :, a : a + rows, b : b + cols], weight[:, :, a, b])
    return np.asarray(y + bias.reshape(1, -1, 1, 1))


def blocks(x: np.ndarray, convolutions: Block) -> np.ndarray:
    """Convolutions with a ReLU after each."""
    for weight, bias in convolutions:
        x = convolved(x, weight, bias)
        x = x * (x > 0)
    return x


def pooled(x: np.ndarray, how: str) -> np.ndarray:
    """Half of the rows and columns."""
    four = [x[:, :, a::2, b::2] for a, b in np.ndindex(2, 2)]
    if how == "sum":
        return np.asarray(sum(four))
    if how == "mean":
        return np.asarray(sum(four) / x.dtype.type(4))
    if how == "first":
        return np.ascontiguousarray(four[0])
    if how == "apart":
        n, channels, height, width = x.shape
        return np.asarray(x.reshape(n, channels, 2, height // 2, 2, width // 2).max(axis=(2, 4)))
    return np.maximum.reduce(four)


def grown(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """Squares of 2x2 beside each other: what a kernel of 2 and a stride of 2 stamp."""
    n, _, height, width = x.shape
    squares = np.einsum("nchw,coab->nohawb", x, weight).reshape(n, weight.shape[1], 2 * height, 2 * width)
    return np.asarray(squares + bias.reshape(1, -1, 1, 1))


def logits(
    x: np.ndarray,
    down: list[Block],
    bottom: Block,
    up: list[tuple[Pair, Block]],
    last: Pair,
    pool: str = "max",
    join: str = "beside first",
    lacks: str = "",
) -> np.ndarray:
    """The logits of a U-Net, by recursion; `pool`, `join` and what it `lacks` make it a wrong one."""

    def inside(x: np.ndarray, level: int) -> np.ndarray:
        if level == len(down):
            return x if lacks == "bottom" else blocks(x, bottom)
        entry = down[-1 - level] if lacks == "down order" else down[level]
        if lacks == "down":
            beside = below = x
        elif lacks == "down relu":
            beside = below = convolved(blocks(x, entry[:-1]), *entry[-1])
        else:
            beside = below = blocks(x, entry)
        if join == "input":
            beside = x
        below = blocks(pooled(x, pool), entry) if lacks == "pool last" else pooled(below, pool)
        (weight, bias), convolutions = up[level if lacks == "order" else len(down) - 1 - level]
        below = grown(inside(below, level + 1), weight, 0 * bias if lacks == "bias" else bias)
        if lacks == "sign":
            below = np.maximum(below, 0)
        if lacks == "skip":
            beside = 0 * beside
        joined = np.concatenate([below, beside] if join == "below first" else [beside, below], axis=1)
        if lacks == "up":
            return convolved(joined, *convolutions[-1])
        return blocks(joined, convolutions)

    inner = inside(x, 0)
    if lacks == "head":
        return inner
    y = convolved(inner, *last)
    return np.maximum(y, 0) if lacks == "negative" else y


def logits_mistakes(
    x: np.ndarray, down: list[Block], bottom: Block, up: list[tuple[Pair, Block]], last: Pair
) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives."""
    net = (down, bottom, up, last)
    right = logits(x, *net)
    found = {
        "a ReLU follows the last convolution: logits may be below 0, so `convolution`, and not `block`": logits(
            x, *net, lacks="negative"
        ),
        "the last convolution is missing: convolution(x, *last)": logits(x, *net, lacks="head"),
        "`bottom` is missing: below the last level, `block` runs with it": logits(x, *net, lacks="bottom"),
    }
    if down:
        found |= {
            "what comes up is joined first: what was kept comes first, [kept, x]": logits(x, *net, join="below first"),
            "that is mean pooling: the LARGEST of each 2x2 pixels is left": logits(x, *net, pool="mean"),
            "each 2x2 pixels were added up: the LARGEST of them is left": logits(x, *net, pool="sum"),
            "a level keeps what came in, and should keep what `block` gave: first `block`, then keep, then pooling": (
                logits(x, *net, join="input")
            ),
            "pooling comes before `block`, and should come last: first `block`, then keep, then pooling": logits(
                x, *net, join="input", lacks="pool last"
            ),
            "the ReLU of the way down is missing: before the pooling `block` runs, and not `convolution`": logits(
                x, *net, lacks="down relu"
            ),
            "the four pixels lie half a picture apart: which of the two new axes has the 2, if they are neighbours?": (
                logits(x, *net, pool="apart")
            ),
            "a ReLU follows the transposed convolution: none does": logits(x, *net, lacks="sign"),
            "of each 2x2 pixels the first is left: take the largest": logits(x, *net, pool="first"),
            "the bias of the transposed convolution is missing: the third argument": logits(x, *net, lacks="bias"),
            "zeros are in the place of the skip: what did the level keep?": logits(x, *net, lacks="skip"),
            "the ReLU of the way up is missing: after the skip `block` runs, and not `convolution`": logits(
                x, *net, lacks="up"
            ),
            "the levels of the way down compute nothing: `block` comes before the pooling": logits(
                x, *net, lacks="down"
            ),
        }
    if len(down) > 1:
        alone = "only one level is computed: there are as many as `down` and `up` have entries"
        found[alone] = logits(x, down[:1], bottom, up[:1], last)
        found["`down` is taken from its end: its first entry is the UPPERMOST level"] = logits(
            x, *net, lacks="down order"
        )
        found["`up` is taken from its end: its first entry is the LOWEST level"] = logits(x, *net, lacks="order")
    return wrong(found, right)


def made_up(rng: np.random.Generator, levels: int, inputs: int, classes: int) -> list[Any]:
    """down, bottom, up and last of a U-Net whose channels grow on the way down, in float32."""

    def pair(*shape: int, outputs: int) -> Pair:
        spread = 1 / np.sqrt(np.prod(shape) / outputs)
        return rng.normal(0.1, spread, shape).astype(np.float32), rng.normal(0.2, 0.3, outputs).astype(np.float32)

    def double(before: int, after: int) -> Block:
        return [pair(after, before, 3, 3, outputs=after), pair(after, after, 3, 3, outputs=after)]

    channels = [inputs, *(between(rng, 1, 3) + level for level in range(levels + 1))]
    down = [double(a, b) for a, b in pairwise(channels[:-1])]
    up = []
    for level in range(levels, 0, -1):
        after, beyond = channels[level], between(rng, 1, 3)
        up.append((pair(channels[level + 1], beyond, 2, 2, outputs=beyond), double(after + beyond, after)))
    return [down, double(channels[-2], channels[-1]), up, pair(classes, channels[1], 1, 1, outputs=classes)]


@task("u_net")
def any_network(student: Student, rng: np.random.Generator) -> None:
    """Networks of none to four levels, with other numbers of channels everywhere, give the logits."""
    for levels in range(5):
        net = made_up(rng, levels, between(rng, 1, 3), between(rng, 1, 4))
        side, first = 2**levels, (net[0] or [net[1]])[0]
        shape = (between(rng, 1, 2), first[0][0].shape[1], side * between(rng, 1, 2), side * between(rng, 1, 3))
        x = rng.normal(size=shape).astype(np.float32)
        expected = logits(x, *net)
        limit = 1e-4 * float(np.abs(expected).max())
        expect(student.u_net(x, *net), expected, atol=limit, what=f"{levels} levels, {shape[2]}x{shape[3]} pixels")


@task("u_net")
def sides_that_leave_something_over(student: Student, rng: np.random.Generator) -> None:
    """Rows or columns that cannot be halved once for each level raise ValueError."""
    for levels in (1, 2, 3):
        net, side = made_up(rng, levels, 1, 2), 2**levels
        for rows, cols in ((side + 1, side), (side, side - 1), (side // 2, side), (2 * side, 3 * side // 2)):
            expect_refused(student.u_net, rng.normal(size=(1, 1, rows, cols)).astype(np.float32), *net)
        x = rng.normal(size=(1, 1, side, 2 * side)).astype(np.float32)
        expected = logits(x, *net)
        expect(student.u_net(x, *net), expected, atol=1e-4 * float(np.abs(expected).max()), what="sides that fit")


@task("u_net")
def logits_below_zero(student: Student, rng: np.random.Generator) -> None:
    """A network whose logits are all below 0 gives them as they are."""
    net = made_up(rng, 1, 2, 3)
    net[3] = (-np.abs(net[3][0]), -np.abs(net[3][1]) - np.float32(1))
    x = rng.normal(size=(1, 2, 4, 4)).astype(np.float32)
    expected = logits(x, *net)
    expect(student.u_net(x, *net), expected, atol=1e-4 * float(np.abs(expected).max()))


LAST = "    return convolution(x, *last)\n"
POOL = ".max(axis=(3, 5))"
JOIN = "[kept.pop(), x]"
ASK = "    if rows % 2 ** len(down) or cols % 2 ** len(down):\n"
BOTTOM = "    x = block(x, bottom)\n"
UP = "transposed_convolution(x, weight, bias, stride=(2, 2))"
WAY_UP = "    for (weight, bias), convolutions in up:\n"
BLOCK_UP = "axis=1)\n        x = block(x, convolutions)\n"
BLOCK_DOWN = "    for convolutions in down:\n        x = block(x, convolutions)\n"

MUTANTS = [
    Mutant("mean_pooling", "takes the mean of 2x2 pixels", old=POOL, new=".mean(axis=(3, 5))", breaks="down"),
    Mutant("min_pooling", "takes the smallest of 2x2 pixels", old=POOL, new=".min(axis=(3, 5))", breaks="down"),
    Mutant("first_pixel", "keeps every second pixel", old=POOL, new="[:, :, :, 0, :, 0]", breaks="down"),
    Mutant("no_pooling", "does not pool", old=POOL, new=".reshape(x.shape)", breaks="down"),
    Mutant(
        "kept_after_pooling",
        "keeps what was pooled",
        old="        kept.append(x)\n        n, channels, height, width = x.shape\n"
        "        x = x.reshape(n, channels, height // 2, 2, width // 2, 2).max(axis=(3, 5))\n",
        new="        n, channels, height, width = x.shape\n"
        "        x = x.reshape(n, channels, height // 2, 2, width // 2, 2).max(axis=(3, 5))\n"
        "        kept.append(x)\n",
        breaks="skip",
    ),
    Mutant(
        "kept_before_block",
        "keeps what came in, where the channels allow it",
        old=BLOCK_DOWN + "        kept.append(x)\n",
        new="    for convolutions in down:\n        before, x = x, block(x, convolutions)\n"
        "        kept.append(before if before.shape == x.shape else x)\n",
        breaks="skip",
    ),
    Mutant("below_first", "joins what comes up first", old=JOIN, new="[x, kept.pop()]", breaks="skip"),
    Mutant("first_kept_first", "begins with the uppermost skip", old=JOIN, new="[kept.pop(0), x]", breaks="skip"),
    Mutant("zeros_for_skip", "joins zeros", old=JOIN, new="[0 * kept.pop(), x]", breaks="skip"),
    Mutant("skip_twice", "joins the skip with itself", old=JOIN, new="[kept[-1], kept.pop()]", breaks="skip"),
    Mutant("no_bottom", "forgets the bottom, where the channels allow it", old=BOTTOM, new="", breaks="bottom"),
    Mutant(
        "one_pooling_more",
        "pools once more before the bottom, where rows and columns are even there",
        old=BOTTOM,
        new="    if down and x.shape[2] % 2 == x.shape[3] % 2 == 0:\n        x = x[:, :, ::2, ::2]\n"
        "        x = block(x, bottom).repeat(2, axis=2).repeat(2, axis=3)\n    else:\n        x = block(x, bottom)\n",
        breaks="bottom",
    ),
    Mutant(
        "half_a_bottom",
        "runs the first convolution of the bottom",
        old=BOTTOM,
        new="    x = block(x, bottom[:1])\n",
        breaks="bottom",
    ),
    Mutant(
        "bottom_twice",
        "runs the bottom twice",
        old=BOTTOM,
        new=BOTTOM + "    x = block(x, bottom[1:])\n",
        breaks="bottom",
    ),
    Mutant(
        "no_stamp_bias",
        "forgets the bias of the transposed convolution",
        old=UP,
        new="transposed_convolution(x, weight, stride=(2, 2))",
        breaks="up",
    ),
    Mutant(
        "relu_after_stamps",
        "puts a ReLU after the transposed convolution",
        old=UP,
        new=f"np.maximum({UP}, 0)",
        breaks="up",
    ),
    Mutant(
        "turned_stamps",
        "rotates the stamps",
        old=UP,
        new="transposed_convolution(x, weight[:, :, ::-1, ::-1], bias, stride=(2, 2))",
        breaks="up",
    ),
    Mutant("stride_one", "stamps one pixel apart", old=UP, new="transposed_convolution(x, weight, bias)", breaks="up"),
    Mutant(
        "up_without_relu",
        "forgets the ReLU on the way up",
        old=BLOCK_UP,
        new="axis=1)\n        for pair in convolutions:\n            x = convolution(x, *pair)\n",
        breaks="up",
    ),
    Mutant(
        "up_from_its_end",
        "takes the uppermost level of `up` first",
        old=WAY_UP,
        new="    for (weight, bias), convolutions in up[::-1]:\n",
        breaks="up",
    ),
    Mutant(
        "relu_at_the_end",
        "puts a ReLU after the last convolution",
        old=LAST,
        new="    return np.maximum(convolution(x, *last), 0)\n",
        breaks="last",
    ),
    Mutant(
        "block_at_the_end",
        "runs the last convolution as a block",
        old=LAST,
        new="    return block(x, [last])\n",
        breaks="last",
    ),
    Mutant(
        "no_last_bias",
        "forgets the last bias",
        old=LAST,
        new="    return convolution(x, last[0], 0 * last[1])\n",
        breaks="last",
    ),
    Mutant("no_last", "returns what the last block gave", old=LAST, new="    return x\n", breaks="last"),
    Mutant("masks", "returns masks", old=LAST, new="    return convolution(x, *last).argmax(axis=1)\n", breaks="last"),
    Mutant(
        "at_most_two_levels",
        "knows two levels",
        old=BLOCK_DOWN.splitlines(keepends=True)[0],
        new="    up = up[-2:] if len(down) > 2 else up\n    for convolutions in down[:2]:\n",
        breaks="levels",
    ),
    Mutant(
        "at_least_one_level",
        "needs a level",
        old="    kept = []\n",
        new="    kept, first = [], down[0]\n",
        breaks="levels",
    ),
    Mutant(
        "odd_rows_dropped",
        "cuts rows and columns off until it fits",
        old=ASK,
        new="    side = 2 ** len(down)\n    x = x[:, :, : max(rows // side, 1) * side, : max(cols // side, 1) * side]\n"
        "    if x.shape[2] % side or x.shape[3] % side:\n",
        breaks="sides",
    ),
    Mutant(
        "odd_rows_padded",
        "puts a border on until it fits",
        old=ASK,
        new="    side = 2 ** len(down)\n"
        "    x = np.pad(x, ((0, 0), (0, 0), (0, -rows % side), (0, -cols % side)))\n    if False:\n",
        breaks="sides",
    ),
    Mutant(
        "columns_not_asked",
        "asks for the rows only, and cuts columns off",
        old=ASK,
        new="    x = x[:, :, :, : cols // 2 ** len(down) * 2 ** len(down)]\n    if rows % 2 ** len(down):\n",
        breaks="sides",
    ),
    Mutant(
        "sixteen",
        "wants multiples of 4 at least, as if there were two levels",
        old=ASK,
        new="    if rows % 2 ** max(2, len(down)) and down or cols % 2 ** len(down):\n",
        breaks="sides",
    ),
    Mutant(
        "one_level_too_many",
        "wants sides that can be halved once more",
        old=ASK,
        new="    if down and (rows % 2 ** (len(down) + 1) or cols % 2 ** (len(down) + 1)):\n",
        breaks="sides",
    ),
    Mutant(
        "another_error",
        "raises another error",
        old='        raise ValueError(f"u_net:',
        new='        raise TypeError(f"u_net:',
        breaks="sides",
    ),
    Mutant(
        "float64",
        "computes in float64",
        old="    rows, cols = x.shape[2:]\n    if rows % 2",
        new="    x = x.astype(np.float64)\n    rows, cols = x.shape[2:]\n    if rows % 2",
        breaks="dtype",
    ),
    Mutant(
        "float16",
        "computes in float16",
        old=LAST,
        new="    return convolution(x.astype(np.float16).astype(np.float32), *last)\n",
        breaks="dtype",
    ),
]
