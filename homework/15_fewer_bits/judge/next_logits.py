r"""What a published language model says next: why the solution is as it is.

It is lesson 13's network, and nothing in it is new but where the numbers come from: sizes, eps and theta from
config.json, weights by their names. `tensor`, `norm` and `linear` are small functions inside, which see both files, so
that the loop over the layers reads as the network is drawn.

**The shapes tell.** `x @ weight.T`, since a weight is (outputs, inputs). q is (T, heads * D): the reshape to
(T, heads, D) gives each head its numbers, and swapping the first two axes makes one matrix product of all heads.
Before `o_proj` this has to be undone; a reshape of (heads, T, D) alone fits, and mixes tokens with heads.

**Pairs.** A rotation turns pairs of numbers. The paper pairs neighbours, 0 with 1; Hugging Face's files have their
weights ordered so that i belongs to i + D/2. Both are right with the weights that were made for them. A wrong pairing
gives a network that writes almost sensible text at first. Places may count from 0 or from 1: a score keeps only the
difference of two.

**What hides mistakes.** With one token, its only weight is 1, whatever the scores are. With one layer a missing mask
changes nothing for the last token, which sees all others anyway; from the second layer on it reads what they became.
With as many heads of keys as of queries no order of groups is wrong. So the tests take these steps one by one.

**The table as the head.** Small models save a large matrix by using the table twice. Qwen2.5-0.5B has 494 million
weights, of which the table is 136 million.

**Only the last row** goes through the last norm and the head: V times the width multiplications instead of T times as
many.

**Cost.** Each call reads the whole text again, and widens each weight again to float32. The cache of lesson 13 mends
the first, holding the weights the second.

**And kuiper?** [llama.py](../../../kuiper/convert/llama.py) writes the same network as a graph, with a cache, and
[rope.py](../../../kuiper/convert/rope.py) knows the scalings by which models read longer texts than they were trained
on, and which are refused here. A program that computes them as if they were not there gives no error, but worse text.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_refused, task

from ..public import LIGHT, PLAIN, TOLERANCE, published

Folder = Mapping[str, np.ndarray]
CLOSE = 20 * TOLERANCE
"""A wrong result that is nearer than this to the right one explains nothing."""


def weights_of(folder: Folder) -> dict[str, np.ndarray]:
    """Name -> float64, by struct."""
    file = folder["model.safetensors"].tobytes()
    (length,) = struct.unpack_from("<Q", file)
    found = {}
    for name, entry in json.loads(file[8 : 8 + length]).items():
        if name == "__metadata__":
            continue
        first, last = (8 + length + offset for offset in entry["data_offsets"])
        held = file[first:last]
        if entry["dtype"] == "BF16":
            held = b"".join(b"\0\0" + held[i : i + 2] for i in range(0, len(held), 2))
        numbers = struct.unpack(f"<{len(held) // 4}f", held)
        found[name] = np.array(numbers, np.float64).reshape(entry["shape"])
    return found


def root_of_squares(x: np.ndarray, eps: float) -> np.ndarray:
    """Each row divided by the root of the mean of its squares, one after the other."""
    return np.array([row / math.sqrt(math.fsum(row * row) / len(row) + eps) for row in x])


def halves(count: int) -> list[tuple[int, int]]:
    """Which numbers of a head are pairs."""
    return [(i, i + count // 2) for i in range(count // 2)]


def neighbours(count: int) -> list[tuple[int, int]]:
    """Which numbers are pairs in the paper."""
    return [(2 * i, 2 * i + 1) for i in range(count // 2)]


def shares_of(scores: np.ndarray) -> np.ndarray:
    """Softmax of each row."""
    return np.array([softmaxed(row) for row in scores])


@dataclass(frozen=True)
class How:
    """How the network is computed; each field is changed for some mistake.

    scale : by what scores are divided, made of width and config. group : (head, heads, key heads) -> head of keys.
    cut : (T, heads * D), heads -> (heads, T, D), and joined : back.
    """

    norm: Callable[[np.ndarray, float], np.ndarray] = root_of_squares
    eps: float | None = None
    last_right: bool = False
    weighted: bool = True
    pairs: Callable[[int], list[tuple[int, int]]] = halves
    turned: str = "qk"
    theta: float | None = None
    theta_missing: float = 1e4
    first_place: int = 0
    point: Callable[[Any, Any, float, float], tuple[Any, Any]] = lambda a, b, cos, sin: (
        a * cos - b * sin,
        b * cos + a * sin,
    )
    exponent: float = 2.0
    of_all_heads: bool = False
    scale: Callable[[int, dict[str, Any]], float] = lambda width, config: math.sqrt(width)
    sees: Callable[[int, int], bool] = lambda i, j: j <= i
    hidden: float = -math.inf
    hidden_late: bool = False
    exchanged: bool = False
    shares: Callable[[np.ndarray], np.ndarray] = shares_of
    taken: str = "v"
    out: bool = True
    group: Callable[[int, int, int], int] = lambda head, heads, key_heads: head // (heads // key_heads)
    cut: Callable[[np.ndarray, int], np.ndarray] = lambda x, heads: x.reshape(len(x), heads, -1).swapaxes(0, 1)
    joined: Callable[[np.ndarray], np.ndarray] = lambda y: y.swapaxes(0, 1).reshape(y.shape[1], -1)
    gate: Callable[[np.ndarray, np.ndarray], np.ndarray] = lambda gate, up: gate / (1 + np.exp(-gate)) * up
    added: str = "as"
    normed: str = "asf"
    norms: tuple[str, str] = ("input", "post_attention")
    switched: str = "after"
    base_normed: str = ""
    biases: str = "qkv"
    biased_late: str = ""
    transposed: str = ""
    layers: Callable[[int], int] = lambda count: count
    same_layer: bool = False
    row: Callable[[np.ndarray], np.ndarray] = lambda x: x[-1:]
    head: str = ""
    result: Callable[[np.ndarray], np.ndarray] = lambda scores: scores


def computed(folder: Folder, ids: list[int], how: How) -> np.ndarray:
    """(V,) float64: the scores, head by head and pair by pair."""
    config, w = json.loads(folder["config.json"].tobytes()), weights_of(folder)
    heads, hidden = config["num_attention_heads"], config["hidden_size"]
    key_heads = config.get("num_key_value_heads") or heads
    width = config.get("head_dim") or hidden // heads
    theta = how.theta or config.get("rope_theta", how.theta_missing)
    eps = config["rms_norm_eps"] if how.eps is None else how.eps

    def norm(x: np.ndarray, name: str, where: str) -> np.ndarray:
        if where not in how.normed:
            return x
        normed = root_of_squares if where == "f" and how.last_right else how.norm
        return normed(x, eps) * (w[f"{name}.weight"] if how.weighted else 1)

    def linear(x: np.ndarray, name: str, part: str) -> np.ndarray:
        weight = w[f"{name}.weight"]
        y = x @ (weight if part in how.transposed else weight.T)
        early = part in how.biases and part not in how.biased_late
        return y + w[f"{name}.bias"] if early and f"{name}.bias" in w else y

    def rotated(x: np.ndarray) -> np.ndarray:
        y, of = x.copy(), width * heads if how.of_all_heads else width
        for place in range(x.shape[1]):
            for number, (i, j) in enumerate(how.pairs(width)):
                angle = (place + how.first_place) * theta ** (-how.exponent * number / of)
                a, b, cos, sin = x[:, place, i], x[:, place, j], math.cos(angle), math.sin(angle)
                y[:, place, i], y[:, place, j] = how.point(a, b, cos, sin)
        return y

    def attention(x: np.ndarray, at: str) -> np.ndarray:
        parts = {}
        for part, count in (("q", heads), ("k", key_heads), ("v", key_heads)):
            parts[part] = how.cut(linear(x, f"{at}.{part}_proj", part), count)
            if part in how.turned:
                parts[part] = rotated(parts[part])
            if part in how.biased_late and f"{at}.{part}_proj.bias" in w:
                parts[part] = parts[part] + how.cut(w[f"{at}.{part}_proj.bias"][None], count)
        y = np.zeros((heads, len(x), width))
        for head in range(heads):
            shared = how.group(head, heads, key_heads)
            scores = parts["q"][head] @ parts["k"][shared].T / how.scale(width, config)
            scores = scores.T if how.exchanged else scores
            seen = np.array([[how.sees(i, j) for j in range(len(x))] for i in range(len(x))])
            shares = how.shares(scores if how.hidden_late else np.where(seen, scores, how.hidden))
            y[head] = (shares * seen if how.hidden_late else shares) @ parts[how.taken][shared]
        return linear(how.joined(y), f"{at}.o_proj", "o") if how.out else how.joined(y)

    def switch(x: np.ndarray, at: str) -> np.ndarray:
        gate, up = linear(x, f"{at}.gate_proj", "g"), linear(x, f"{at}.up_proj", "u")
        return linear(how.gate(gate, up), f"{at}.down_proj", "d")

    table = w["model.embed_tokens.weight"]
    x = table[list(ids)]
    for number in range(how.layers(config["num_hidden_layers"])):
        at = f"model.layers.{0 if how.same_layer else number}"
        before = norm(x, f"{at}.{how.norms[0]}_layernorm", "a")
        added = attention(before, f"{at}.self_attn")
        after = (before if "a" in how.base_normed else x) * ("a" in how.added) + added
        given = {"after": after, "x": x, "added": added}.get(how.switched)
        inner = before if given is None else norm(given, f"{at}.{how.norms[1]}_layernorm", "s")
        x = (inner if "s" in how.base_normed else after) * ("s" in how.added) + switch(inner, f"{at}.mlp")
    tied = config.get("tie_word_embeddings", False)
    head = w[how.head or ("model.embed_tokens.weight" if tied else "lm_head.weight")]
    return how.result(np.asarray(norm(how.row(x), "model.norm", "f") @ head.T).mean(axis=0))


def logits(folder: Folder, ids: list[int]) -> np.ndarray:
    """What has to come out."""
    return computed(folder, ids, How()).astype(np.float32)


def less_mean(x: np.ndarray, eps: float) -> np.ndarray:
    """A wrong norm: that of LayerNorm."""
    return root_of_squares(x - x.mean(axis=1, keepdims=True), eps)


def eps_outside(x: np.ndarray, eps: float) -> np.ndarray:
    """A wrong norm: eps is added to the root."""
    return x / (np.sqrt((x * x).mean(axis=1, keepdims=True)) + eps)


def of_sums(x: np.ndarray, eps: float) -> np.ndarray:
    """A wrong norm: the sum of the squares for their mean."""
    return x / np.sqrt((x * x).sum(axis=1, keepdims=True) + eps)


def of_squares(x: np.ndarray, eps: float) -> np.ndarray:
    """A wrong norm: no root."""
    return x / ((x * x).mean(axis=1, keepdims=True) + eps)


def of_all(x: np.ndarray, eps: float) -> np.ndarray:
    """A wrong norm: one mean for all tokens."""
    return x / np.sqrt((x * x).mean() + eps)


def over_tokens(x: np.ndarray, eps: float) -> np.ndarray:
    """A wrong norm: a mean for each column."""
    return np.asarray(x / np.sqrt((x * x).mean(axis=0) + eps))


def softmaxed(scores: np.ndarray) -> np.ndarray:
    """Shares for scores."""
    powers = np.exp(scores - scores.max())
    return np.asarray(powers / powers.sum())


def silu_of(x: np.ndarray) -> np.ndarray:
    """x / (1 + e^-x)."""
    return np.asarray(x / (1 + np.exp(-x)))


AFTER = "only the last norm and head are left: their row belongs to the LAST token, x[-1]"
NO_LAYER = "no layer changes anything here: there are num_hidden_layers, and the switch takes the norm of x + attention"
HEADS = "(T, heads * D) becomes (T, heads, D) first, and then the first two axes change places, for q, k and v alike"
PLACES = ' (section "lesson 13, Where does a token stand?")'
ATTENTION = ' (section "lesson 13, Attention")'
NETWORK = ' (section "lesson 13, The whole network")'
"""Behind a likely cause: what to read again."""
NORMS: dict[str, How] = {
    "the last norm, model.norm, is missing": How(normed="as"),
    "the norm before attention, input_layernorm, is missing": How(normed="sf"),
    "the norm before the switch, post_attention_layernorm, is missing": How(normed="af"),
    "the norms of the layers are missing: input_layernorm before attention, post_attention_layernorm before the "
    "switch": How(normed="f"),
    "all norms are missing": How(normed=""),
    "a norm multiplies by its weight": How(weighted=False),
    "the mean was subtracted: that is LayerNorm, and RMSNorm leaves it": How(norm=less_mean),
    "eps was added to the root: it belongs INSIDE, sqrt(mean(x^2) + eps)": How(norm=eps_outside),
    "eps is fixed at 1e-5: in config.json it is rms_norm_eps": How(eps=1e-5),
    "eps is missing, or fixed at 1e-6: in config.json it is rms_norm_eps": How(eps=1e-6),
    "the squares were summed: it is the root of their MEAN": How(norm=of_sums),
    "the root is missing: x / sqrt(mean(x^2) + eps)": How(norm=of_squares),
    "one mean was taken for all tokens: each has its own, mean(axis=-1, keepdims=True)": How(norm=of_all),
    "the mean was taken over the tokens: each token has its own, mean(axis=-1, keepdims=True)": How(
        norm=over_tokens, last_right=True
    ),
}
"""Likely cause -> how the norms are computed then."""
TURNS: dict[str, How] = {
    "neighbours were paired: in these files number i of a head belongs to i + D/2": How(pairs=neighbours),
    "nothing is rotated: queries and keys are turned by their place": How(turned=""),
    "k is not rotated: queries AND keys are": How(turned="q"),
    "q is not rotated: queries AND keys are": How(turned="k"),
    "v is rotated, too: only queries and keys are": How(turned="qkv"),
    "theta is fixed at 10000: rope_theta stands in config.json": How(theta=1e4),
    **{
        f"without rope_theta in config.json it is 10000, and yours is {theta:,.0f} then": How(theta_missing=theta)
        for theta in (1e6, 5e5)
    },
    "the angle is place * theta^(-2i/D), and yours has -i/D: of D numbers there are D/2 pairs": How(exponent=1.0),
    "the angle is place * theta^(-2i/D), and yours has 2i over HALF of D: D is the width of a whole head": How(
        exponent=4.0
    ),
    "the exponent is -2i/D, and its minus is missing: the first pair turns fastest": How(exponent=-2.0),
    "the angle is place * theta^(-2i/D), and D is the width of ONE head": How(of_all_heads=True),
    "the rotation turns backwards: compare the signs with lesson 13's (a, b)": How(
        point=lambda a, b, cos, sin: (a * cos + b * sin, b * cos - a * sin)
    ),
    "one sign of the rotation is wrong, that of its second half: compare with lesson 13's (a, b)": How(
        point=lambda a, b, cos, sin: (a * cos - b * sin, b * cos - a * sin)
    ),
    "one sign of the rotation is wrong, that of its first half: compare with lesson 13's (a, b)": How(
        point=lambda a, b, cos, sin: (a * cos + b * sin, b * cos + a * sin)
    ),
    "the second half of the rotation is b cos + a sin, and yours has b twice: compare with lesson 13's (a, b)": How(
        point=lambda a, b, cos, sin: (a * cos - b * sin, b * cos + b * sin)
    ),
    "the second half of the rotation is b cos + a sin, and yours is a cos + b sin: compare with lesson 13's (a, b)": (
        How(point=lambda a, b, cos, sin: (a * cos - b * sin, a * cos + b * sin))
    ),
    "the second half of the rotation is b cos + a sin, and yours has a twice: compare with lesson 13's (a, b)": How(
        point=lambda a, b, cos, sin: (a * cos - b * sin, a * cos + a * sin)
    ),
}
"""Likely cause -> how queries and keys are turned then."""
SCORES_AND_MASK: dict[str, How] = {
    "the scores are not divided by sqrt(D)": How(scale=lambda width, config: 1.0),
    "the scores are divided by D: it is sqrt(D)": How(scale=lambda width, config: width),
    "the scores are divided by sqrt(hidden_size): D is the width of ONE head": How(
        scale=lambda width, config: math.sqrt(config["hidden_size"])
    ),
    "the scores are divided by the root of the NUMBER of heads: D is the width of one": How(
        scale=lambda width, config: math.sqrt(config["num_attention_heads"])
    ),
    "softmax runs along the queries: the shares of what ONE query sees sum to 1, so it goes along the last axis of "
    "q @ k.swapaxes(-1, -2)": How(shares=lambda scores: shares_of(scores.T).T),
    "q and k are exchanged: a row of scores is ONE query with all keys, q @ k.swapaxes(-1, -2)": How(exchanged=True),
    "the shares are those of the VALUES: softmax(scores) @ v, not @ k": How(taken="k"),
    "nothing is masked: a token must not see those after it. With two layers or more the last one learns of it": How(
        sees=lambda i, j: True
    ),
    "the mask is upside down: a token sees itself and those before it": How(sees=lambda i, j: j >= i),
    "hidden scores are 0, and e^0 is a weight of 1: hide with -np.inf": How(hidden=0.0),
    "the mask came after softmax: then the weights of a token no longer sum to 1. Hide scores before it, with "
    "-np.inf": How(hidden_late=True),
    "a token does not see itself: place j is hidden from place i where j > i, not >=": How(
        sees=lambda i, j: j < i or i == 0
    ),
}
"""Likely cause -> how scores and shares are computed then."""
HOWS: dict[str, How] = {
    f"that is the FIRST token's row: {AFTER}": How(row=lambda x: x[:1]),
    f"the rows of all tokens were averaged: {AFTER}": How(row=lambda x: x.mean(axis=0, keepdims=True)),
    f"the scores of all tokens were averaged: {AFTER}": How(row=lambda x: x),
    **{f"{cause}{NETWORK}": how for cause, how in NORMS.items()},
    "softmax was applied to the result: the scores themselves are wanted": How(result=softmaxed),
    "gate and up are exchanged: silu(gate) * up": How(gate=lambda gate, up: gate * silu_of(up)),
    "silu is missing: silu(gate) * up": How(gate=lambda gate, up: gate * up),
    "gate and up were added: silu(gate) MULTIPLIES up": How(gate=lambda gate, up: silu_of(gate) + up),
    "silu belongs to the gate alone: silu(gate) * up": How(gate=lambda gate, up: silu_of(gate * up)),
    "up is missing: silu(gate) * up": How(gate=lambda gate, up: silu_of(gate)),
    "that is a sigmoid for silu: silu(g) = g / (1 + e^-g)": How(gate=lambda gate, up: up / (1 + np.exp(-gate))),
    "neither attention nor the switch is ADDED to x: x = x + ...": How(added=""),
    "what attention gives is ADDED to x, it doesn't replace it": How(added="s"),
    "what the switch gives is ADDED to x, it doesn't replace it": How(added="a"),
    NO_LAYER: How(layers=lambda count: 0),
    "x itself was replaced by its norm: what attention and the switch give is added to x as it was": How(
        base_normed="as"
    ),
    "x was replaced by its norm before attention: attention(norm(x)) is added to x as it was": How(base_normed="a"),
    "x was replaced by its norm before the switch: what the switch gives is added to x as it was": How(base_normed="s"),
    "the switch was given the x before attention: it takes the norm of x + attention": How(switched="x"),
    "the switch was given the norm of attention's result alone: it takes that of x + attention": How(switched="added"),
    "the switch takes the norm of x + attention, by post_attention_layernorm: yours was made by input_layernorm": How(
        switched="before"
    ),
    "the two norms of a layer are exchanged: input_layernorm is the one before attention": How(
        norms=("post_attention", "input")
    ),
    "input_layernorm is the norm before attention, and post_attention_layernorm that before the switch": How(
        norms=("post_attention", "post_attention")
    ),
    "both norms of a layer took input_layernorm: before the switch it is post_attention_layernorm": How(
        norms=("input", "input")
    ),
    "o_proj is missing: what the heads found is joined, and goes through this linear layer before it is added to x": (
        How(out=False)
    ),
    **{f"{cause}{PLACES}": how for cause, how in TURNS.items()},
    **{f"{cause}{ATTENTION}": how for cause, how in SCORES_AND_MASK.items()},
    "the heads of keys were tiled, 0 1 0 1: neighbouring heads of queries share one, 0 0 1 1, which np.repeat along "
    "the axis of heads gives": How(group=lambda head, heads, key_heads: head % key_heads),
    "all heads of queries look at the first head of keys: they are shared by groups": How(
        group=lambda head, heads, key_heads: 0
    ),
    f"the heads are cut wrongly: {HEADS}": How(cut=lambda x, heads: x.reshape(heads, len(x), -1)),
    f"the heads are cut wrongly: each has D NEIGHBOURING numbers; {HEADS}": How(
        cut=lambda x, heads: x.reshape(len(x), -1, heads).transpose(2, 0, 1)
    ),
    "the heads are joined wrongly: swap (heads, T, D) back to (T, heads, D) before the reshape to (T, heads * D)": How(
        joined=lambda y: y.reshape(y.shape[1], -1)
    ),
    "the heads are joined wrongly: of (heads, T, D) the FIRST two axes change places before the reshape": How(
        joined=lambda y: y.swapaxes(1, 2).reshape(y.shape[1], -1)
    ),
    "the heads are joined wrongly: (heads, T, D) becomes (T, heads, D) before the reshape, each head's D numbers "
    "side by side": How(joined=lambda y: y.transpose(1, 2, 0).reshape(y.shape[1], -1)),
    "a bias is left out: in a qwen2 q, k and v have one each": How(biases=""),
    "the bias of q is left out": How(biases="kv"),
    "the bias of k is left out": How(biases="qv"),
    "the bias of v is left out": How(biases="qk"),
    "the biases of q and k are added after the rotation: a bias belongs to x @ weight.T, and q and k are turned with "
    "theirs": How(biased_late="qk"),
    "the last layer is left out: there are num_hidden_layers": How(layers=lambda count: max(count - 1, 0)),
    "one layer was computed, but config.json says how many there are: num_hidden_layers": How(
        layers=lambda count: min(count, 1)
    ),
    "each layer took the weights of layer 0: model.layers.1 has its own": How(same_layer=True),
    "the weights are transposed: they are (outputs, inputs), so x @ weight.T": How(transposed="qkvogud"),
    "the weights of q, k, v and o are transposed: they are (outputs, inputs), so x @ weight.T": How(transposed="qkvo"),
    "the weights of q, k and v are transposed: they are (outputs, inputs), so x @ weight.T": How(transposed="qkv"),
    "o_proj is transposed: its weight is (outputs, inputs), so x @ weight.T": How(transposed="o"),
    "the table took the place of the head: without tie_word_embeddings that is lm_head.weight": How(
        head="model.embed_tokens.weight"
    ),
}
"""Likely cause -> how the network is computed then."""


def logits_mistakes(folder: Folder, ids: list[int]) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives, where that is not what has to come out."""
    right, found = logits(folder, ids), {}
    for cause, how in HOWS.items():
        try:
            with np.errstate(all="ignore"):
                wrong = computed(folder, ids, how).astype(np.float32)
        except (ValueError, KeyError, IndexError):  # shapes that do not fit, a tensor that is not there
            continue
        if np.isfinite(wrong).all() and not np.allclose(wrong, right, CLOSE, CLOSE):
            found[cause] = wrong
    return found


def places_do_not_matter(folder: Folder, ids: list[int]) -> bool:
    """Whether counting places from 1 gives the same: a score keeps the difference of two places only."""
    return np.allclose(computed(folder, ids, replace(How(), first_place=1)), computed(folder, ids, How()))


def expect_logits(student: Student, folder: Folder, ids: list[int], what: str) -> None:
    """Raise Failure unless next_logits gives the scores."""
    got = student.next_logits(dict(folder), ids)
    expect(got, logits(folder, ids), rtol=TOLERANCE, atol=TOLERANCE, what=what)


@task("next_logits")
def any_sizes(student: Student, rng: np.random.Generator) -> None:
    """Models of many sizes and both kinds, heads of 2 numbers, texts of 1 to 20 tokens."""
    for heads, key_heads, width, layers, length in (
        (1, 1, 2, 1, 1),
        (6, 3, 2, 2, 5),
        (6, 2, 4, 3, 9),
        (2, 1, 10, 2, 20),
        (3, 3, None, 4, 4),
    ):
        for kind in ("llama", "qwen2"):
            settings = PLAIN | {"model_type": kind, "num_attention_heads": heads, "num_key_value_heads": key_heads}
            settings |= {"head_dim": width, "num_hidden_layers": layers, "hidden_size": 12, "intermediate_size": 7}
            settings |= {"rope_theta": float(rng.choice([20.0, 500.0, 1e6])), "rms_norm_eps": 1e-3}
            settings |= {"tie_word_embeddings": bool(layers % 2)}
            folder = published(rng, store=str(rng.choice(["F32", "BF16"])), **settings)
            ids = rng.integers(0, 11, length).tolist()
            expect_logits(student, folder, ids, f"{kind}, {layers} layers, {heads} heads, {length} tokens")


@task("next_logits")
def each_call_for_itself(student: Student, rng: np.random.Generator) -> None:
    """Two folders and two texts in turn, and a text again."""
    one, two = published(rng, **PLAIN), published(rng, **PLAIN | {"model_type": "qwen2", "num_key_value_heads": 2})
    for folder, ids in ((one, [1, 2, 3]), (two, [1, 2, 3]), (one, [3, 2, 1]), (one, [1, 2, 3]), (one, [1, 2, 3, 3])):
        expect_logits(student, folder, ids, f"tokens {ids}")


@task("next_logits")
def settings_that_change_nothing(student: Student, rng: np.random.Generator) -> None:
    """Settings that are there, and false or null, and others of training."""
    extra = {"rope_scaling": None, "attention_bias": False, "mlp_bias": False, "use_sliding_window": False}
    extra |= {"sliding_window": 32, "initializer_range": 0.02, "torch_dtype": "bfloat16", "head_dim": None}
    folder = published(rng, **PLAIN | extra)
    expect_logits(student, folder, [4, 0, 10], "settings without effect")


@task("next_logits")
def bad_tokens_and_settings(student: Student, rng: np.random.Generator) -> None:
    """Far too large ids, a negative one between others, other families."""
    folder = dict(published(rng, **LIGHT))
    for ids in ([10_000_000], [1, -11, 2], [0, 11], []):
        expect_refused(student.next_logits, folder, ids)
    expect_logits(student, folder, [10, 0], "the first and the last token")
    for kind in ("gemma", "qwen3", "qwen2_vl", "Llama", ""):
        expect_refused(student.next_logits, dict(published(rng, **LIGHT | {"model_type": kind})), [1])


NORM = '        return x / np.sqrt(mean + config["rms_norm_eps"]) * tensor(f"{name}.weight")\n'
LAYERS = '    for n in range(config["num_hidden_layers"]):\n        at = f"model.layers.{n}"\n        x = x + attention'
SCALED = "        scores = rotate(q) @ k.swapaxes(1, 2) / width**0.5\n"
MASK = "        scores[:, later] = -np.inf\n"
TURNED = "        return np.concatenate([left * cos - right * sin, right * cos + left * sin], axis=-1)\n"
GROUPS = "        k, v = (np.repeat(shared, heads // key_heads, axis=0) for shared in (rotate(k), v))\n"
WIDTH = '    width = config.get("head_dim") or config["hidden_size"] // heads\n'
SWITCH = '        x = x + linear(silu(gate) * up, f"{at}.mlp.down_proj")\n'
BIAS = 'if config["model_type"] == "qwen2" and name[-6] in "qkv" else y'
HEAD = '    head = table if config.get("tie_word_embeddings") else tensor("lm_head.weight")\n'
RESULT = '    return (norm(x[-1], "model.norm") @ head.T).astype(np.float32)\n'
OFF = "any(config.get(name) not in (None, False) for name in REFUSED)"
KIND = f'    if config["model_type"] not in ("llama", "qwen2") or {OFF}:\n'
IDS = '    if not ids or min(ids) < 0 or max(ids) >= config["vocab_size"]:\n'
SPEEDS = '    speeds = config.get("rope_theta", 10000.0) ** (-np.arange(0, width, 2) / width)\n'

MUTANTS = [
    Mutant("eps", "eps is always 1e-5", NORM, NORM.replace('config["rms_norm_eps"]', "1e-5"), "norm"),
    Mutant("mean", "subtracts the mean", NORM, NORM.replace("x / ", "(x - x.mean(axis=-1, keepdims=True)) / "), "norm"),
    Mutant(
        "outside",
        "eps outside the root",
        NORM,
        NORM.replace('(mean + config["rms_norm_eps"])', "(mean)").replace(
            "np.sqrt(mean)", '(np.sqrt(mean) + config["rms_norm_eps"])'
        ),
        "norm",
    ),
    Mutant(
        "one_layer",
        "one layer at most",
        LAYERS,
        LAYERS.replace('config["num_hidden_layers"]', 'min(1, config["num_hidden_layers"])'),
        "layers",
    ),
    Mutant(
        "same_layer",
        "the weights of layer 0 for all",
        '        at = f"model.layers.{n}"\n        x = x + att',
        '        at = "model.layers.0"\n        x = x + att',
        "layers",
    ),
    Mutant("unscaled", "no division by sqrt(D)", SCALED, SCALED.replace(" / width**0.5", ""), "attention"),
    Mutant(
        "by_all",
        "divides by sqrt(hidden_size)",
        SCALED,
        SCALED.replace("/ width", '/ config["hidden_size"]'),
        "attention",
    ),
    Mutant("unmasked", "no mask", MASK, "", "attention"),
    Mutant("one_rotated", "keys are not rotated", GROUPS, GROUPS.replace("rotate(k)", "k"), "rotated"),
    Mutant("backwards", "v rotated too", GROUPS, GROUPS.replace(", v))", ", rotate(v)))"), "rotated"),
    Mutant(
        "neighbours",
        "neighbours as pairs",
        TURNED,
        "        left, right = x[..., 0::2], x[..., 1::2]\n"
        "        return np.stack([left * cos - right * sin, right * cos + left * sin], axis=-1).reshape(x.shape)\n",
        "rotated",
    ),
    Mutant(
        "theta", "theta is always 10000", SPEEDS, SPEEDS.replace('config.get("rope_theta", 10000.0)', "1e4"), "rotated"
    ),
    Mutant(
        "tiled",
        "tile for repeat",
        GROUPS,
        GROUPS.replace("np.repeat(shared, heads // key_heads, axis=0)", "np.tile(shared, (heads // key_heads, 1, 1))"),
        "groups",
    ),
    Mutant("width", "head_dim is not read", WIDTH, WIDTH.replace('config.get("head_dim") or ', ""), "attention"),
    Mutant("swapped", "gate and up exchanged", SWITCH, SWITCH.replace("silu(gate) * up", "gate * silu(up)"), "switch"),
    Mutant("replaced", "the switch replaces x", SWITCH, SWITCH.replace("x = x + ", "x = ")),
    Mutant("no_bias", "no biases", BIAS, "if False else y", "biases"),
    Mutant("first", "the first token", RESULT, RESULT.replace("x[-1]", "x[0]"), "head"),
    Mutant("bare", "no last norm", RESULT, RESULT.replace('norm(x[-1], "model.norm")', "x[-1]"), "head"),
    Mutant("untied", "always lm_head", HEAD, '    head = tensor("lm_head.weight")\n', "tied"),
    Mutant(
        "tie_needed",
        "tie_word_embeddings has to be there",
        HEAD,
        HEAD.replace('config.get("tie_word_embeddings")', 'config["tie_word_embeddings"]'),
        "tied",
    ),
    Mutant("tied", "always the table", HEAD, "    head = table\n", "head"),
    Mutant("float64", "float64", RESULT, RESULT.replace("np.float32", "np.float64"), "dtype"),
    Mutant(
        "any_kind",
        "any kind of model",
        KIND,
        KIND.replace('config["model_type"] not in ("llama", "qwen2") or ', ""),
        "refused",
    ),
    Mutant(
        "begins",
        "any kind whose name begins with llama or qwen",
        KIND,
        KIND.replace(
            'config["model_type"] not in ("llama", "qwen2")', 'not config["model_type"].startswith(("llama", "qwen"))'
        ),
        "refused",
    ),
    Mutant(
        "contains",
        "any kind whose name contains llama or qwen2",
        KIND,
        KIND.replace(
            'config["model_type"] not in ("llama", "qwen2")',
            'not any(kind in config["model_type"] for kind in ("llama", "qwen2"))',
        ),
        "refused",
    ),
    *(
        Mutant(
            f"no_{name}",
            f"{name} is not refused",
            KIND,
            KIND.replace("in REFUSED", f'in REFUSED if name != "{name}"'),
            "refused",
        )
        for name in ("mlp_bias", "rope_interleaved")
    ),
    Mutant(
        "scaled",
        "scalings are left out",
        KIND,
        KIND.replace(f" or {OFF}", ""),
        "refused",
    ),
    Mutant(
        "null",
        "null is refused",
        KIND,
        KIND.replace(OFF, "any(name in config for name in REFUSED)"),
        "refused",
    ),
    Mutant(
        "empty",
        "takes an empty setting for off",
        KIND,
        KIND.replace(OFF, "any(config.get(name) for name in REFUSED)"),
        "refused",
    ),
    Mutant("negative", "counts from the end", IDS, IDS.replace(" or min(ids) < 0", ""), "refused"),
    Mutant(
        "beyond", "IndexError beyond the table", IDS, IDS.replace(' or max(ids) >= config["vocab_size"]', ""), "refused"
    ),
    Mutant("none", "no tokens", IDS, IDS.replace("not ids or ", "ids and (").replace("]:\n", "]):\n"), "refused"),
]
