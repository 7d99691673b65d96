"""Lesson 13: the writer goes on with a text, without and with a cache of keys and values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import kuiper
from classroom.register import ROOT
from classroom.site.moving.errors import MovingError
from classroom.site.moving.scene import Frame, Panel, Part, PartState, PartStates, Scene
from classroom.site.moving.shapes import path, words
from kuiper.runtime import RuntimeGraph
from kuiper.text import Cache, Sampler, Tokens, attention_of, forward

WRITER = ROOT / "models" / "writer"
PROMPT, COUNT, SEED = "The function returns", 6, 1
"""The lesson's prompt, how many tokens are written after it, and the lesson's seed."""
LEFT, CELL, LINE, TOP, RIGHT = 46.0, 27.0, 18.0, 58.0, 62.0
"""Pixels: where the squares begin, the width and the height of one, where the lines begin, room for the counts."""
MILLION = 1_000_000


@dataclass(frozen=True)
class Written:
    """A text as tokens, how many of them are the prompt, and what a pass of the network costs.

    `linear` : products of the linear layers for a token.
    `pair` : products of attention, in all blocks, for a token and one that it looks at.
    `kept` : bytes of the cache for a token.
    """

    tokens: list[str]
    prompt: int
    linear: int
    pair: int
    kept: int

    def passes(self) -> list[int]:
        """How many tokens there are at each pass: the prompt, then one more each time."""
        return list(range(self.prompt, len(self.tokens) + 1))

    def products(self, new: int, seen: int) -> int:
        """Products of a pass over `new` tokens that look at `seen`."""
        return new * self.linear + new * seen * self.pair

    def counts(self, number: int) -> tuple[int, int]:
        """Products of a pass without a cache, and with it."""
        seen = self.passes()[number]
        before = self.passes()[number - 1] if number else 0
        return self.products(seen, seen), self.products(seen - before, seen)


def written() -> Written:
    """The writer goes on with the prompt; that both ways give the same scores is checked at every pass."""
    graph, table = kuiper.load(WRITER / "writer.pnnx.param", engine="simple"), Tokens.load(WRITER / "tokens.json")
    sampler, random = Sampler(temperature=0.7, top_p=0.9), np.random.default_rng(SEED)
    ids = table.encode(PROMPT)
    prompt = len(ids)
    cache = Cache.of(graph, prompt + COUNT)
    new = list(ids)
    for _ in range(COUNT):
        with_cache = forward(graph, new, cache)[-1]
        without = forward(graph, ids, Cache.of(graph, len(ids)))[-1]
        if not np.allclose(with_cache, without, atol=1e-3):
            raise MovingError("cache: expected the same scores with and without it")
        new = [sampler(with_cache, random)]
        ids += new
    linear = sum(op.attributes["weight"].data.size for op in graph.operators if op.type == "nn.Linear")
    room = Cache.of(graph, 1)
    shown = [table.decode([token]).strip(" ").replace("\n", "⏎") for token in ids]
    return Written(shown, prompt, linear, _pair(graph, ids), room.keys.nbytes + room.values.nbytes)


def _pair(graph: RuntimeGraph, ids: list[int]) -> int:
    """Products of attention for one token that looks at one other: a score and a weighted value, in all heads."""
    blocks = sum(op.type == "F.scaled_dot_product_attention" for op in graph.operators)
    heads, _, width = attention_of(graph, ids)[0].shape
    return 2 * blocks * heads * width


def scene() -> Scene:
    """Pass by pass: without the cache all tokens again, with it the new one only."""
    text = written()
    return Scene("cache", "What a cache of keys and values saves", [_panel(text, "all"), _panel(text, "new")],
                 frames := _frames(text), len(frames) - 1)  # fmt: skip


def _row(text: Written, number: int, way: str) -> PartStates:
    """One pass: what is computed now, and what was known before."""
    states = {f"{way} old {number}": PartState("rose" if way == "all" else "green")} if number else {}
    count = text.counts(number)[way == "new"]
    states |= {f"{way} new {number}": PartState("orange")}
    return states | {f"{way} count {number}": PartState("", f"{count / MILLION:.1f} M")}


def _frames(text: Written) -> list[Frame]:
    names = text.tokens
    known = {f"{way} token {i}": PartState("", name if i < text.prompt else "")
             for way in ("all", "new") for i, name in enumerate(names)}  # fmt: skip
    frames = [Frame(f'The writer is to go on with "{PROMPT}", {text.prompt} tokens. A square is a token that the '
                    "network computes: keys, values and all else, in every block.", dict(known))]  # fmt: skip
    states: PartStates = known | _row(text, 0, "all") | _row(text, 0, "new")
    say = f"Pass 1 reads the prompt. Nothing is known yet, so both ways compute {text.prompt} tokens, "
    frames.append(Frame(f"{say}{text.counts(0)[0]:,} products.", dict(states)))
    for number in range(1, len(text.passes())):
        seen = text.passes()[number]
        new = names[seen - 1]
        states |= {f"{way} token {seen - 1}": PartState("", new) for way in ("all", "new")}
        without, with_ = text.counts(number)
        every, one = _row(text, number, "all"), _row(text, number, "new")
        if number == 1:
            say = f'The writer has drawn "{new}". Without a cache pass 2 reads all {seen} tokens, and computes for '
            say += f"{seen - 1} of them, red, what it knew already: {without:,} products."
            frames.append(Frame(say, states | every))
            say = "With the cache, the keys and values of the old tokens, green, are there. Only the new token is "
            say += f"computed, and looks at all {seen}: {with_:,} products. The scores are the same."
        else:
            say = f'Then "{new}": {seen} tokens again, {without:,} products; or one, {with_:,}.'
        states |= every | one
        frames.append(Frame(say, dict(states)))
    all_, few = (sum(text.counts(number)[way] for number in range(len(text.passes()))) for way in (0, 1))
    states |= {"all sum": PartState("bold", f"{all_ / MILLION:.1f} M")}
    states |= {"new sum": PartState("bold", f"{few / MILLION:.1f} M")}
    say = f"Together {all_:,} products without the cache and {few:,} with it, {all_ / few:.1f} times fewer; the longer "
    say += f"the text, the more. The price: {text.kept:,} bytes for each token."
    return [*frames, Frame(say, states)]


def _panel(text: Written, way: str) -> Panel:
    """A line for each pass, a square for each token."""
    title = "without a cache" if way == "all" else "with the cache"
    parts, ground = [], words(title, 2, 9, 12.0, "start", "strong")
    count, passes = len(text.tokens), len(text.passes())
    right = LEFT + count * CELL + RIGHT
    ground += words("products", right - 2, TOP - 9, 11.0, "end", "note")
    for i in range(count):
        x = LEFT + (i + 0.5) * CELL
        parts.append(Part(f"{way} token {i}", "", "", x, 27 + 13 * (i % 2), 11.0))
    for number in range(passes):
        y = TOP + number * LINE
        ground += words(f"pass {number + 1}", LEFT - 6, y + LINE / 2, 10.5, "end", "note")
        before, seen = text.passes()[number - 1] if number else 0, text.passes()[number]
        for key, first, stop in (("old", 0, before), ("new", before, seen)):
            if first < stop:
                parts.append(Part(f"{way} {key} {number}", _squares(y, first, stop), size=0, kind="ghost"))
        parts.append(Part(f"{way} count {number}", "", "", right - 2, y + LINE / 2, 11.0, "end"))
    bottom = TOP + passes * LINE
    parts.append(Part(f"{way} sum", "", "", right - 2, bottom + 10, 11.0, "end"))
    label = f"Passes of the network {title}: which tokens each computes, and how many products that takes."
    return Panel(right, bottom + 20, label, parts, ground)


def _squares(y: float, first: int, stop: int) -> str:
    """A square for each token from `first` on and before `stop`, in the line at y."""
    one = f"h{CELL - 3:g}v{LINE - 3:g}h{3 - CELL:g}z"
    return path("".join(f"M{LEFT + i * CELL + 1.5:g} {y + 1.5:g}{one}" for i in range(first, stop)), "squares")
