"""What goes wrong in the cells of lesson 13 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations, pairwise
from typing import Any

import numpy as np

Mistakes = Mapping[str, Callable[..., Any]]
WIDTH = 32
"""Of a head of the writer."""


def _table(pairs: Callable[[Sequence[int]], Any], once: bool, ids: Sequence[int], size: int) -> np.ndarray:
    """(size, size): how often each of the pairs is there, or once: whether it is."""
    table = np.zeros((size, size))
    for first, second in pairs(ids):
        table[first, second] = 1 if once else table[first, second] + 1
    return table


def _shares(ids: Sequence[int], size: int, least: int) -> np.ndarray:
    """(size, size): the table, each row divided by its sum, or by `least` where the sum is smaller."""
    table = _table(pairwise, False, ids, size)
    return table / np.maximum(table.sum(axis=1, keepdims=True), least)


BIGRAM_TABLE: Mistakes = {
    "rows and columns are exchanged: table[i, j] counts j AFTER i": partial(
        _table, lambda ids: zip(ids[1:], ids), False
    ),
    "a pair that comes again is not counted again: table[i, j] += 1, pair by pair. With arrays for i and j, numpy adds "
    "once for each place": partial(_table, pairwise, True),
    "the last pair is missing": partial(_table, lambda ids: pairwise(ids[:-1]), False),
    "the first pair is missing": partial(_table, lambda ids: pairwise(ids[1:]), False),
    "the last token has none after it, and so there is no ids[i + 1]: range(len(ids) - 1), or pairwise(ids)": partial(
        _table, lambda ids: [(one, ids[i + 1]) for i, one in enumerate(ids)], False
    ),
    "i is a place in the text and no token: table[ids[i], ids[i + 1]] += 1": partial(
        _table, lambda ids: [(i, i + 1) for i in range(len(ids) - 1)], False
    ),
    "i is a place in the text and no token: the row is ids[i], the column ids[i + 1]": partial(
        _table, lambda ids: [(i, ids[i + 1]) for i in range(len(ids) - 1)], False
    ),
    "np.zeros takes the shape as ONE argument, a pair: np.zeros((size, size))": lambda ids, size: np.zeros(size, size),
    "each token belongs to TWO pairs, with the one before and with the one after: pairwise(ids)": partial(
        _table, lambda ids: zip(ids[::2], ids[1::2]), False
    ),
    "a `return` in the loop ends it after the first pair: it belongs behind the loop": partial(
        _table, lambda ids: pairwise(ids[:2]), False
    ),
    "[[0] * size] * size is one list, size times, and so all rows are the same: np.zeros((size, size))": (
        lambda ids, size: np.tile(np.bincount(ids[1:], minlength=size), (size, 1))
    ),
    "only the NEXT token counts, and not all that come later": partial(_table, lambda ids: combinations(ids, 2), False),
    "counts are asked, and each row was divided by its sum": lambda ids, size: _shares(ids, size, 0),
    "counts are asked, and each row was divided by its sum, or by 1": lambda ids, size: _shares(ids, size, 1),
    "rows and columns are exchanged, and ids[-1] is the last: begin with the second token": partial(
        _table, lambda ids: [(one, ids[i - 1]) for i, one in enumerate(ids)], False
    ),
    "the last token and the first one are no pair: in Python ids[-1] is the last": partial(
        _table, lambda ids: [(ids[i - 1], one) for i, one in enumerate(ids)], False
    ),
    "the order of the text counts: sorted tokens have other neighbours": partial(
        _table, lambda ids: pairwise(sorted(ids)), False
    ),
    "only what FOLLOWS i counts, and not what comes before it, too: table[i, j] += 1 alone": partial(
        _table, lambda ids: (pair for both in zip(pairwise(ids), pairwise(ids[::-1])) for pair in both), False
    ),
    "a token that follows itself is a pair, too: table[i, i] counts it": partial(
        _table, lambda ids: ((i, j) for i, j in pairwise(ids) if i != j), False
    ),
    "this counts each token with each: only NEIGHBOURS are a pair": partial(
        _table, lambda ids: ((i, j) for i in ids for j in ids), False
    ),
    "table[i] is a whole row: the count is table[i, j]": partial(
        _table, lambda ids: ((i, slice(None)) for i, _ in pairwise(ids)), False
    ),
    "this counts j in the whole text: add 1 for each pair": lambda ids, size: (
        _table(pairwise, True, ids, size) * [list(ids).count(j) for j in range(size)]
    ),
    "add 1 for each pair, and not the number of the token": lambda ids, size: (
        _table(pairwise, False, ids, size) * np.arange(size)
    ),
    "the text is longer than `size`, which counts tokens that there are: range(len(ids) - 1), or pairwise(ids)": (
        lambda ids, size: _table(pairwise, False, ids[:size], size)
    ),
    "an array is asked for, with a number for pairs that never come, too: table[i, j] += 1": lambda ids, size: dict(
        Counter(pairwise(ids))
    ),
}


def _mask(sees: Callable[[np.ndarray, np.ndarray], np.ndarray], count: int) -> np.ndarray:
    """(count, count): what sees(i, j) says of row i and column j."""
    places = np.arange(count)
    return np.broadcast_to(sees(places[:, None], places), (count, count))


CAUSAL_MASK: Mistakes = {
    "upside down: the row is the token that looks, and sees the columns 0 to its own": partial(
        _mask, lambda i, j: j >= i
    ),
    "True and False are exchanged: True is what a token MAY see": partial(_mask, lambda i, j: j > i),
    "a token sees itself, too: the diagonal is True": partial(_mask, lambda i, j: j < i),
    "nothing is hidden: what comes later is False": partial(_mask, lambda i, j: j == j),
    "a token sees the one after it, too: row i ends with column i, the diagonal, as np.tril and np.tri have it without "
    "a second number": partial(_mask, lambda i, j: j <= i + 1),
    "these are numbers to be added to the scores: what is asked for is booleans, True where a token may see": (
        lambda count: np.where(np.tri(count, dtype=bool), 0.0, -np.inf)
    ),
    "a 1 that is seen, and -inf that is not, is no mask yet: True and False, and attention_weights puts -inf there": (
        lambda count: np.where(np.tri(count, dtype=bool), 1.0, -np.inf)
    ),
    "a single row came: the tokens that look need an axis of their own, places[:, None]": lambda count: (
        np.arange(count) <= np.arange(count)
    ),
    "a token sees only itself: row i sees the columns 0 to i": partial(_mask, lambda i, j: i == j),
    "this is flat: give it a row for each token that looks, .reshape(count, count)": lambda count: np.tri(
        count, dtype=bool
    ).reshape(-1),
    "the rows are upside down: row 0 is the first token, which sees itself alone": partial(
        _mask, lambda i, j: j <= i[::-1]
    ),
}


def _turned(
    x: np.ndarray,
    place: Any,
    power: Callable[[np.ndarray, int], np.ndarray] = lambda i, width: -2 * i / width,
    back: bool = False,
    new_left: bool = False,
    zipped: bool = False,
    minus: bool = False,
    pairs: int = 2,
    axis: int = -1,
    unit: float = 1.0,
    neighbours: bool = False,
    rows: bool = False,
    exchanged: bool = False,
    plus: bool = False,
) -> np.ndarray:
    """`rotate` with a mistake.

    power : i and D -> the exponent of 10000; back : the other way round; new_left : the right numbers are made of the
    new left ones; zipped : left and right numbers in turns;
    minus : in the second half, too; pairs : D divided by how many there are; axis : along which the halves are joined;
    unit : of the angle, in radians; neighbours : taken as pairs, instead of one number of each half; rows : counted
    for i, instead of pairs; exchanged : left and right, where the right numbers are made; plus : in both
    halves.
    """
    left, right = (x[..., ::2], x[..., 1::2]) if neighbours else np.split(x, 2, axis=-1)
    i = np.arange(len(left) if rows else x.shape[-1] // pairs)
    angle = unit * place * 1e4 ** power(i, x.shape[-1]) * (-1 if back else 1)
    cos, sin = np.cos(angle), np.sin(angle)
    turned = left * cos + right * (sin if plus else -sin)
    first, second = (left, right) if exchanged else (right, turned if new_left else left)
    halves = turned, first * cos + second * (-sin if minus else sin)
    return np.stack(halves, axis=-1).reshape(x.shape) if zipped else np.concatenate(halves, axis=axis)


def _filled(x: np.ndarray, place: Any) -> np.ndarray:
    """`rotate` into an array like x."""
    turned, result = _turned(x, place), np.empty_like(x)
    half = x.shape[-1] // 2
    result[..., :half] = turned[..., :half]
    result[..., half:] = turned[..., half:]
    return result


def _written_into(x: np.ndarray, place: Any) -> np.ndarray:
    """`rotate` that writes into the halves of x itself, the left one first."""
    result = x.copy()
    left, right = np.split(result, 2, axis=-1)
    angle = place * 1e4 ** (-2 * np.arange(left.shape[-1]) / x.shape[-1])
    left[...] = left * np.cos(angle) - right * np.sin(angle)
    right[...] = right * np.cos(angle) + left * np.sin(angle)
    return result


def _by_index(x: np.ndarray, place: Any) -> np.ndarray:
    """`rotate` pair by pair, with x[i] for number i."""
    result, half = x.copy(), x.shape[-1] // 2
    for i in range(half):
        angle = place * 1e4 ** (-2 * i / x.shape[-1])
        result[i] = x[i] * np.cos(angle) - x[i + half] * np.sin(angle)
        result[i + half] = x[i + half] * np.cos(angle) + x[i] * np.sin(angle)
    return result


ROTATE: Mistakes = {
    "D / 2 stands for D: D is x.shape[-1], not the width of a half": partial(
        _turned, power=lambda i, width: -4 * i / width
    ),
    "the exponent is -i/D: it is -2i/D": partial(_turned, power=lambda i, width: -i / width),
    "the exponent is +2i/D: with the minus it gets slower from pair to pair": partial(
        _turned, power=lambda i, width: 2 * i / width
    ),
    "all pairs turn alike: i is 0, 1, 2, ... along the last axis": partial(_turned, power=lambda i, width: 0 * i),
    "i begins at 1: the first pair is pair 0": partial(_turned, power=lambda i, width: -2 * (i + 1) / width),
    "turned the other way: the minus belongs to b sin": partial(_turned, back=True),
    "both halves are sums: the left one is a difference, a cos - b sin": partial(_turned, plus=True),
    "b is turned with the NEW a: keep the old one until both are made": partial(_turned, new_left=True),
    "the minus belongs to the left half alone: the right one is b cos + a sin": partial(_turned, minus=True),
    "there are D / 2 pairs: i ends before D / 2, as wide as `left` is": partial(_turned, pairs=1),
    "the halves were joined along axis 0: np.concatenate(..., axis=-1)": partial(_turned, axis=0),
    "the angle is in radians already, which np.cos and np.sin take": partial(_turned, unit=math.pi / 180),
    "left and right stand in turns: first all of the left half, then all of the right": partial(_turned, zipped=True),
    "D is 32 in the writer alone: here it is x.shape[-1]": partial(_turned, power=lambda i, width: -2 * i / WIDTH),
    "-10000 ** a is -(10000 ** a): the minus belongs to the exponent, 10000 ** (-2 * i / D)": (
        lambda x, place: _turned(x, np.negative(place), power=lambda i, width: 2 * i / width)
    ),
    "10000 ** -2 is taken first here: the exponent needs brackets, 10000 ** (-2 * i / D)": lambda x, place: _turned(
        x, place * 1e-8 * np.arange(x.shape[-1] // 2) / x.shape[-1], power=lambda i, width: 0 * i
    ),
    "neighbours are pairs here, as in the paper on RoFormer: this network pairs numbers i and i + D/2": partial(
        _turned, neighbours=True, zipped=True
    ),
    "neighbours are pairs here, and the result has halves: pair numbers i and i + D/2, as np.split gives them": partial(
        _turned, neighbours=True
    ),
    "the right half is b cos + a sin: a and b are exchanged there": partial(_turned, exchanged=True),
    "np.stack adds an axis: np.concatenate joins the halves along one that is there, axis=-1": lambda x, place: (
        np.stack(np.split(_turned(x, place), 2, axis=-1), axis=-1)
    ),
    "np.stack adds an axis, and the first one: np.concatenate joins the halves along the last, axis=-1": (
        lambda x, place: np.stack(np.split(_turned(x, place), 2, axis=-1))
    ),
    "two halves came: join them, np.concatenate([...], axis=-1)": lambda x, place: tuple(
        np.split(_turned(x, place), 2, axis=-1)
    ),
    "the exponent is -2i: it is -2i/D": partial(_turned, power=lambda i, width: -2 * i),
    "the exponent is a whole number here, and numpy refuses negative ones: it is -2 * i / D, divided with /": (
        lambda x, place: _turned(x, place * 10000 ** (-2 * np.arange(x.shape[-1] // 2)), power=lambda i, width: 0 * i)
    ),
    "len(x) counts the rows where x has several: D is x.shape[-1]": lambda x, place: _turned(
        x, place, power=lambda i, width: -2 * i / len(x)
    ),
    "len(left) counts its rows: i runs along the last axis, np.arange(left.shape[-1])": partial(_turned, rows=True),
    "// rounds the exponent down: it is a fraction, -2 * i / D": partial(
        _turned, power=lambda i, width: -2 * i // width
    ),
    "linspace ends AT its last number, and i before D/2: -2 * np.arange(D // 2) / D": partial(
        _turned, power=lambda i, width: np.linspace(0, -1, len(i))
    ),
    "the exponents run from 0 to -1, and not to -2; and linspace ends AT its last number: -2 * np.arange(D // 2) / D": (
        partial(_turned, power=lambda i, width: np.linspace(0, -2, len(i)))
    ),
    "the base is 10000, and this is 1000": partial(_turned, power=lambda i, width: -2 * i / width * 3 / 4),
    "the place is missing: it multiplies the angle": lambda x, place: _turned(x, 1),
    "the place is a factor of the angle, and not added to it": lambda x, place: _turned(
        x, place + 1e4 ** (-2 * np.arange(x.shape[-1] // 2) / x.shape[-1]), power=lambda i, width: 0 * i
    ),
    "the brackets are wrong: only 10000 is raised to that power, and the place multiplies the result": (
        lambda x, place: _turned(
            x, (place * 1e4) ** (-2 * np.arange(x.shape[-1] // 2) / x.shape[-1]), power=lambda i, width: 0 * i
        )
    ),
    "sin and cos are exchanged: a cos - b sin on the left, b cos + a sin on the right": lambda x, place: _turned(
        x, math.pi / 2 - place * 1e4 ** (-2 * np.arange(x.shape[-1] // 2) / x.shape[-1]), power=lambda i, width: 0 * i
    ),
    "the halves are exchanged: a cos - b sin comes first": lambda x, place: np.concatenate(
        np.split(_turned(x, place), 2, axis=-1)[::-1], axis=-1
    ),
    "a list of two halves came: join them, np.concatenate([...], axis=-1)": lambda x, place: list(
        np.split(_turned(x, place), 2, axis=-1)
    ),
    "math.cos and math.sin take a single number: np.cos and np.sin take an array": lambda x, place: math.cos(
        np.zeros(2)  # type: ignore[arg-type]
    ),
    "every row has a place of its own here: `place` may be a column": lambda x, place: _turned(
        x, float(np.ravel(place)[0])
    ),
    "an array like x has too few rows where one x is turned to several places: np.concatenate makes as many": (_filled),
    "left and right are parts of x, so writing into left gives b the NEW a: make new halves, and join them": (
        _written_into
    ),
    "x[i] is a number only while x has one axis, and a column of places gives several rows: turn whole halves": (
        _by_index
    ),
    "len(x) counts the rows where x has several: D is x.shape[-1], and i ends before D / 2": lambda x, place: _turned(
        x, place, power=lambda i, width: -2 * np.arange(len(x) // 2) / len(x)
    ),
}


def _attended(
    weight: Callable[[str], np.ndarray],
    x: np.ndarray,
    n: int,
    scale: float = 1 / math.sqrt(WIDTH),
    masked: bool = True,
    queries_turned: bool = True,
    keys_turned: bool = True,
    values_turned: bool = False,
    shared: Callable[[np.ndarray], np.ndarray] = lambda heads: np.repeat(heads, 2, axis=0),
    shared_values: Callable[[np.ndarray], np.ndarray] | None = None,
    joined: bool = True,
    swapped: tuple[int, int] | None = (0, 1),
    tokens: int | None = None,
    out: Callable[[np.ndarray], np.ndarray] | None = np.transpose,
    out_block: int | None = None,
    keys_look: bool = False,
    added: bool = False,
    named: str = "qkv",
    weighted: bool = True,
    column: bool = True,
    all_shared: bool = False,
    times: bool = False,
    last: bool = False,
    normed: bool = False,
    halved: bool = False,
) -> np.ndarray:
    """`attend` with a mistake: (T,128) -> (T,128).

    scale : of the scores; shared : two heads of keys -> one for each head of queries; shared_values : those of
    values, if not as those of keys; joined : whether the heads are; swapped : the axes that are, before the heads are
    joined, or None; tokens : in the joined array, if not those of x; out : what is made of the last layer's weight, or
    None without that layer; out_block : whose weight that is, if not n's; keys_look : at the queries; added : whether x
    is; named : what is taken for q, k and v; weighted : whether the values are; column : whether the places are one;
    all_shared : queries, too; times : * for @, of weights and values; last : the heads, when they are joined; normed :
    whether x is, once more; halved : whether only two heads of queries are left, as many as there are keys.
    """
    if normed:
        x = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5) * weight(f"rmsnorm_{2 * n}")

    def heads(name: str) -> np.ndarray:
        rows = x @ weight(f"blocks.{n}.attention.{name}").T
        return rows.reshape(len(x), -1, WIDTH).swapaxes(0, 1)

    turned = partial(_turned, place=np.arange(len(x))[:, None] if column else np.arange(len(x)))
    q, k, v = (
        turned(heads(name)) if turns else heads(name)
        for name, turns in zip(named, (queries_turned, keys_turned, values_turned))
    )
    q, k = shared(q) if all_shared else q[:2] if halved else q, shared(k)
    scores = (k @ q.swapaxes(-1, -2) if keys_look else q @ k.swapaxes(-1, -2)) * scale
    if masked:
        scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=2, keepdims=True))
    weights = powers / powers.sum(axis=2, keepdims=True)
    values = (shared_values or shared)(v)
    y = (weights * values if times else weights @ values) if weighted else weights
    if last:
        y = y.transpose(1, 2, 0).reshape(len(x), -1)
    elif joined:
        y = (y if swapped is None else y.swapaxes(*swapped)).reshape(tokens or len(x), 4 * WIDTH if tokens else -1)
    y = y if out is None else y @ out(weight(f"blocks.{n if out_block is None else out_block}.attention.out"))
    return x + y if added else y


def attend(weight: Callable[[str], np.ndarray]) -> Mistakes:
    """Those of `attend`, for the function that gives a layer's weight by its name."""

    def wrong(**how: Any) -> Callable[..., Any]:
        return partial(_attended, weight, **how)

    return {
        "nothing is rotated, or all by the same number: queries and keys are, by `place`": wrong(
            queries_turned=False, keys_turned=False
        ),
        "the queries are not rotated": wrong(queries_turned=False),
        "the keys are not rotated": wrong(keys_turned=False),
        "the values are rotated, too: only queries and keys are": wrong(values_turned=True),
        "queries 0 and 1 share keys and values, 2 and 3 the others: np.repeat(..., 2, axis=0), np.tile makes another "
        "order": wrong(shared=lambda heads: np.tile(heads, (2, 1, 1))),
        "queries have four heads, keys and values two: np.repeat(..., 2, axis=0) gives each query its own": wrong(
            shared=np.array
        ),
        "only the keys are repeated: each head of queries needs its values, too": wrong(shared_values=np.array),
        "np.repeat along axis 1 repeats the tokens: the heads lie along axis 0": wrong(
            shared=lambda heads: np.repeat(heads, 2, axis=1)
        ),
        "the heads are still apart: swap heads and tokens, reshape to (tokens, 128), and end with the layer out": wrong(
            joined=False, out=None
        ),
        "the heads are still apart before the layer out, or were added up: swap heads and tokens, then reshape to "
        "(tokens, 128)": wrong(joined=False),
        "the scores are divided by D: attention_weights divides by sqrt(D) already": wrong(scale=1 / WIDTH),
        "the scores are not divided by sqrt(D)": wrong(scale=1.0),
        "D is the width of one head, 32, not of all": wrong(scale=1 / math.sqrt(4 * WIDTH)),
        "nothing is masked: attention_weights does it": wrong(masked=False),
        "the results are joined in the wrong order: swap heads and tokens back, then reshape": wrong(swapped=None),
        "the wrong axes were swapped before the heads were joined: heads are axis 0 and tokens axis 1": wrong(
            swapped=(1, 2)
        ),
        "the heads are joined number by number, in turns: one head's 32 numbers stay together": wrong(last=True),
        "x comes normed: attend begins with q, k and v, and the norm is in the next cell": wrong(normed=True),
        "two of the four heads of queries are left out: repeat keys and values instead": wrong(
            halved=True, shared=np.array
        ),
        "queries and keys are exchanged: attention_weights(q, k)": wrong(keys_look=True),
        "the weights of `out` are those of block 0: take block n's": wrong(out_block=0),
        "there are not always nine tokens: reshape(len(x), -1)": wrong(tokens=9),
        "the last linear layer, out, is missing": wrong(out=None),
        "the last linear layer is x @ weight.T, and here .T is missing": wrong(out=np.array),
        "the input is added already: that comes in the next cell": wrong(added=True),
        'the names of queries and keys are exchanged: heads("q") are the queries': wrong(named="kqv"),
        "these are the weights: the result is weights @ values": wrong(weighted=False),
        "the places are a column, one for each row: leave `place` as it is given": wrong(column=False),
        "queries have four heads already: repeat keys and values alone": wrong(all_shared=True),
        "two heads of keys and values become four: np.repeat(..., 2, axis=0), and not 4": wrong(
            shared=lambda heads: np.repeat(heads, 4, axis=0)
        ),
        "np.repeat along the last axis makes the heads wider: they lie along axis 0": wrong(
            shared=lambda heads: np.repeat(heads, 2, axis=-1)
        ),
        "np.repeat without an axis makes a flat array: axis=0 repeats heads": wrong(
            shared=lambda heads: np.repeat(heads, 2)
        ),
        "* multiplies number by number: each row of weights times the values is weights @ values": wrong(times=True),
        'the keys stand for the values: the weights are for heads("v")': wrong(named="qkk", values_turned=True),
    }


BITS_PER_CHARACTER: Mistakes = {
    "np.log counts in nats: bits are np.log2": lambda chances, characters: -np.log(chances).sum() / characters,
    "the minus is missing: a logarithm of a chance is 0 or below": lambda chances, characters: (
        np.log2(chances).sum() / characters
    ),
    "divided by the number of tokens: it is bits per CHARACTER": lambda chances, characters: -np.log2(chances).mean(),
    "not divided by the number of characters": lambda chances, characters: -np.log2(chances).sum(),
    "each bit is weighted with p once more: what came is there once": lambda chances, characters: (
        -(chances * np.log2(chances)).sum() / characters
    ),
    "divided by the characters and, by mean(), by the tokens too: take sum()": lambda chances, characters: (
        -np.log2(chances).mean() / characters
    ),
    "one number is asked for: sum the bits of all tokens": lambda chances, characters: -np.log2(chances) / characters,
    "math.log2 takes a single number: np.log2 takes an array": lambda chances, characters: (
        -math.log2(chances).sum() / characters
    ),
    "upside down: bits are divided by characters": lambda chances, characters: characters / -np.log2(chances).sum(),
    "the logarithm of a mean: sum the logarithms, and divide by the number of characters": lambda chances, characters: (
        -np.log2(chances.mean())
    ),
    "the logarithm of a mean, divided by the characters: sum the logarithms": lambda chances, characters: (
        -np.log2(chances.mean()) / characters
    ),
    "np.log10 counts in decimal digits: bits are np.log2": lambda chances, characters: (
        -np.log10(chances).sum() / characters
    ),
    "2 to that power is among how many characters the network hesitates: the bits are the exponent": (
        lambda chances, characters: 2 ** (-np.log2(chances).sum() / characters)
    ),
    "the logarithm of a sum: sum the logarithms": lambda chances, characters: -np.log2(chances.sum()) / characters,
    "the product of so many chances is 0 in float64: sum their logarithms": lambda chances, characters: (
        -np.log2(chances.prod()) / characters
    ),
    "multiplied by the number of characters: divide by it": lambda chances, characters: (
        -np.log2(chances).sum() * characters
    ),
    "divided inside of the logarithm: divide the sum of the bits": lambda chances, characters: (
        -np.log2(chances / characters).sum()
    ),
    "// drops the fraction: bits per character have one": lambda chances, characters: (
        -np.log2(chances).sum() // characters
    ),
    "the bits of a token are a fraction here, and not rounded up": lambda chances, characters: (
        np.ceil(-np.log2(chances)).sum() / characters
    ),
    "these are the chances of other tokens, 1 - p: take those of what came": lambda chances, characters: (
        -np.log2(1 - chances).sum() / characters
    ),
    "only the last token is counted: set the sum to 0 before the loop, and add with +=": lambda chances, characters: (
        -math.log2(chances[-1]) / characters
    ),
    "a `return` in the loop ends it after the first token: it belongs behind the loop": lambda chances, characters: (
        -math.log2(chances[0]) / characters
    ),
    "the product of so many chances is 0 in float64, which has no logarithm: sum their logarithms": (
        lambda chances, characters: -math.log2(math.prod(chances)) / characters
    ),
    "an array has no method log2: np.log2(chances)": lambda chances, characters: -chances.log2().sum() / characters,
    "np.log has no base: np.log2(chances)": lambda chances, characters: -np.log(chances, 2).sum() / characters,
    "each bit is weighted with p once more, and they are not summed: what came is there once": (
        lambda chances, characters: -chances * np.log2(chances) / characters
    ),
}
