"""Lesson 13: at which tokens of the lesson's sentence each head of the writer looks."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

import kuiper
from classroom.register import ROOT
from classroom.site.moving.scene import Frame, Panel, Part, PartState, PartStates
from classroom.site.moving.shapes import rect, words
from classroom.site.moving.sliders import Adjustable, Settings, Slider
from kuiper.layers.sequence.attention import attention_weights, causal
from kuiper.text import Tokens, attention_of

WRITER = ROOT / "models" / "writer"
SENTENCE = "The name of the file is a string."
LEFT, CELL, HIGH, TOP, GAP = 52.0, 34.0, 34.0, 66.0, 8.0
"""Pixels: where the cells begin, their width and height, and the distance of rows."""
FAINTEST = 8
"""Percent below which a cell has no number, and no colour of its own."""
WORDS = {
    "first": "Block {block}. The first token has nothing before it, so all four heads look at itself.",
    "other": 'Block {block}. Token {place} is "{token}". In percent, how much each head takes of the tokens up to it. '
    "The strongest: head {head} looks at {best}. What comes later is hidden by the causal mask.",
}


@cache
def tokens() -> list[str]:
    """The sentence's tokens as text."""
    table = Tokens.load(WRITER / "tokens.json")
    return [table.decode([token]).strip() for token in table.encode(SENTENCE)]


@cache
def percents() -> np.ndarray:
    """(blocks, heads, T, T) the weights of attention in whole percent: row i is the token that looks."""
    graph = kuiper.load(WRITER / "writer.pnnx.param", engine="simple")
    ids = Tokens.load(WRITER / "tokens.json").encode(SENTENCE)
    blocks: list[np.ndarray] = []
    while True:
        try:
            q, k, _, _ = attention_of(graph, ids, len(blocks))
        except kuiper.KuiperError:
            break
        keys = np.repeat(k, len(q) // len(k), axis=0)
        blocks.append(attention_weights(q, keys, causal(len(ids), len(ids)), 1 / math.sqrt(q.shape[-1])))
    return (100 * np.array(blocks)).round().astype(int)


def scene() -> Adjustable:
    """A row for each head of a block, a column for each token."""
    names = [f"{i} {token}" for i, token in enumerate(tokens())]
    blocks = [str(block) for block in range(len(percents()))]
    sliders = (Slider("token", "Token", names, names[-4]), Slider("block", "Block", blocks, "2"))
    rows = [[[row[: i + 1].tolist() for i, row in enumerate(head)] for head in block] for block in percents()]
    data = {"percents": rows, "tokens": tokens(), "names": names, "faintest": FAINTEST}
    return Adjustable("attention", "Attention: choose a token, see where its heads look", [_rows()], sliders, frame,
                      data, WORDS)  # fmt: skip


def frame(settings: Settings) -> Frame:
    """One token of one block."""
    place, block = int(settings["token"].split()[0]), int(settings["block"])
    looks = percents()[block, :, place]
    states: PartStates = {f"pick token {j}": PartState("now" if j == place else "", token)
                          for j, token in enumerate(tokens())}  # fmt: skip
    for head, row in enumerate(looks):
        for j, percent in enumerate(row):
            key = f"look {head} {j}"
            if j > place:
                states[key] = PartState("ghost")
            elif percent < FAINTEST:
                states[key] = PartState("shade", "", share=0.0)
            else:
                states[key] = PartState("shade", str(percent), share=percent / 100)
    if not place:
        return Frame(WORDS["first"].format(block=block), states)
    head, best = divmod(int(looks.argmax()), looks.shape[1])
    said = f'"{tokens()[best]}"' if best != place else "itself"
    return Frame(WORDS["other"].format(block=block, place=place, token=tokens()[place], head=head, best=said), states)


def _rows() -> Panel:
    """The tokens on top, to be chosen, and below a row of cells for each head."""
    heads, count = percents().shape[1], len(tokens())
    parts, ground = [], words("the tokens; the chosen one looks back", LEFT, 9, 11.0, "start", "note")
    for j, token in enumerate(tokens()):
        x, y = LEFT + j * CELL, 22.0 + 17 * (j % 2)
        size = 12.0 if len(token) < 5 else 10.0
        parts.append(Part(f"pick token {j}", rect(x - 1, y - 1, CELL + 2, 19, 3), token, x + CELL / 2, y + 9, size))
    for head in range(heads):
        y = TOP + head * (HIGH + GAP)
        ground += words(f"head {head}", LEFT - 6, y + HIGH / 2, 11.0, "end", "note")
        for j in range(count):
            shape = rect(LEFT + j * CELL, y, CELL, HIGH, 0)
            parts.append(Part(f"look {head} {j}", shape, "", LEFT + (j + 0.5) * CELL, y + HIGH / 2, 12.0))
    label = f"Nine tokens, {SENTENCE} Below them a row for each of four heads: how much the chosen token takes of each."
    return Panel(LEFT + count * CELL + 2, TOP + heads * (HIGH + GAP), label, parts, ground)
