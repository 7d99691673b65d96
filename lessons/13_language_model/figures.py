"""The figures of lesson 13: `python lessons/13_language_model/figures.py` writes them all."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np

import kuiper
from kuiper.graph import Operator
from kuiper.layers.sequence.attention import attention_weights, causal
from kuiper.show.palette import INK, SWATCHES, swatch_of
from kuiper.show.svg import Svg, element, picture, pill, text
from kuiper.text import Cache, Tokens, attention_of, forward, probabilities, top_p
from kuiper.text.tokens import merged

HERE = Path(__file__).parent
WRITER = HERE.parents[1] / "models" / "writer"
DARK, PLAIN, LINE = "#1d2530", "#f6f4ef", "#8794a3"
COLOURS = {found.name: (found.fill, found.border) for found in SWATCHES}
BLUE, GREEN, ORANGE = (COLOURS[name] for name in ("convolution", "normalization", "activation"))
ROSE, VIOLET = COLOURS["weight"], COLOURS["linear, attention"]


def draw() -> dict[str, Svg]:
    """The figures: file name without its ending -> picture."""
    graph, tokens = kuiper.load(WRITER / "writer.pnnx.param", engine="simple"), Tokens.load(WRITER / "tokens.json")
    return {
        "pairs": draw_pairs(),
        "block": draw_block(graph),
        "attention": draw_attention(),
        "heads": draw_heads(graph, tokens),
        "rotary": draw_rotary(),
        "cache": draw_cache(),
        "cost": draw_cost(graph),
        "choice": draw_choice(graph, tokens),
    }


def note(content: str, x: float, y: float, size: float = 12.0, **more: object) -> str:
    """A line of text on the page."""
    return text(content, x, y, size, INK, **more)


def left(content: str, x: float, y: float, size: float = 12.0, **more: object) -> str:
    """A line of text on the page that begins at x."""
    return note(content, x, y, size, text_anchor="start", **more)


def box(label: str, x: float, y: float, width: float, colours: tuple[str, str], height: float = 26.0) -> str:
    """A rounded box with a text, centred at (x, y)."""
    fill, border = colours
    shape = element("rect", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=4.0, fill=fill,
                    stroke=border)  # fmt: skip
    return shape + text(label, x, y, 11.5, DARK)


def path(d: str, color: str = INK, **more: object) -> str:
    """A line without filling."""
    return element("path", d=d, fill="none", stroke=color, **{"stroke_width": 1.3, **more})


def head(x: float, y: float, angle: float, color: str = INK) -> str:
    """The head of an arrow that comes to (x, y); angle 0 points to the right, 90 down."""
    corners = [(x, y)] + [
        (x - 8 * math.cos(turn), y - 8 * math.sin(turn))
        for turn in (math.radians(angle + side) for side in (25, -25))
    ]  # fmt: skip
    return element("polygon", points=" ".join(f"{a:.1f},{b:.1f}" for a, b in corners), fill=color)


def draw_pairs() -> Svg:
    """Byte pairs by hand: four words, two pairs joined."""
    words, y, marks = [list(word) for word in ("hug", "pug", "hugs", "bug")], 30.0, []
    size = 27.0
    for step in range(3):
        x = 12.0
        for word in words:
            for token in word:
                width = size * len(token)
                marks.append(box(token, x + width / 2, y, width - 3, PLAIN_BOX if len(token) == 1 else ORANGE, 28.0))
                x += width
            x += 14
        counts = Counter(pair for word in words for pair in pairwise(word))
        best, times = counts.most_common(1)[0]
        said = f"{best[0]} {best[1]} stand together {times} times: join them" if times > 1 else "each pair only once"
        marks.append(left(said, 14, y + 32, 14.0))
        if step < 2:
            marks += [path(f"M205 {y + 46}V{y + 58}"), head(205, y + 64, 90)]
            words = [merged(word, best, "".join(best)) for word in words]  # type: ignore[arg-type, type-var]
        y += 86
    description = "h u g, p u g, h u g s, b u g. First u and g are joined, four times; then h and ug, two times."
    return picture(422, 256, "Byte pairs, by hand", description, *marks)


SENTENCE = "The name of the file is a string."
LOOKS = (
    (1, 0, "block 1, head 0: the token before"),
    (2, 1, "block 2, head 1: the latest noun"),
)
"""A block, a head, and what it looks at in SENTENCE."""


def sentence_weights(graph: kuiper.RuntimeGraph, tokens: Tokens, sentence: str, block: int) -> np.ndarray:
    """The weights (heads, T, T) of a block's attention for a sentence of T tokens."""
    q, k, _, _ = attention_of(graph, tokens.encode(sentence), block)
    k = np.repeat(k, len(q) // len(k), axis=0)
    return attention_weights(q, k, causal(q.shape[1], q.shape[1]), 1 / math.sqrt(q.shape[-1]))


def mixed(share: float) -> str:
    """A colour between PLAIN (0) and a blue (1) on which dark text can still be read."""
    ends = ([int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in (PLAIN, "#78abe4"))
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(*ends, strict=True))


def draw_heads(graph: kuiper.RuntimeGraph, tokens: Tokens) -> Svg:
    """Where two of the writer's heads look in a sentence: a row for each query, a column for each key."""
    words = [tokens.decode([token]).strip() for token in tokens.encode(SENTENCE)]
    size, x0, marks = 34.0, 74.0, []
    tall = 94 + size * len(words)
    for number, (block, head_number, title) in enumerate(LOOKS):
        top, weights = 78 + number * tall, sentence_weights(graph, tokens, SENTENCE, block)
        marks.append(left(title, 12, top - 62, 14.0, font_weight="bold"))
        marks.append(left("a row: who looks; a column: who is looked at", 12, top - 42, 12.0))
        for i, word in enumerate(words):
            marks.append(note(word, x0 - 8, top + (i + 0.5) * size, 13.0, text_anchor="end"))
            marks.append(note(word, x0 + (i + 0.5) * size, top - 12 - 12 * (i % 2), 12.0))
            for j in range(i + 1):
                weight = float(weights[head_number, i, j])
                square = {"x": x0 + j * size, "y": top + i * size, "width": size, "height": size}
                marks.append(element("rect", **square, fill=mixed(weight), stroke=LINE, stroke_width=0.7))
                if weight >= 0.25:
                    middle = x0 + (j + 0.5) * size, top + (i + 0.5) * size
                    marks.append(text(f"{weight:.1f}", *middle, 13.0, DARK))
    description = (
        "Two triangles of squares for the nine tokens of a sentence. In the first nearly every row is blue one place "
        "before its own. In the second 'of' and 'the' are blue in the column of 'name', 'is' and 'a' in that of 'file'."
    )
    return picture(round(x0 + size * len(words) + 12), round(2 * tall + 4), "Where two heads look", description, *marks)


PLAIN_BOX = (PLAIN, LINE)
PLACES = {
    "x": (210, 24, 92), "norm1": (210, 76, 100), "q": (100, 138, 96), "k": (210, 138, 96), "v": (320, 138, 96),
    "rotate q": (100, 192, 96), "rotate k": (210, 192, 96), "keys": (210, 250, 94), "values": (320, 250, 94),
    "attention": (210, 312, 220), "out": (210, 366, 110), "add1": (210, 420, 70),
    "norm2": (210, 480, 100), "gate": (150, 542, 108), "up": (270, 542, 108), "silu": (150, 596, 108),
    "mul": (210, 654, 70), "down": (210, 716, 120), "add2": (210, 770, 70),
}  # fmt: skip


RULES = {
    ("Embedding",): "x", ("RMSNorm", "x"): "norm1", ("add", "q"): "rotate q", ("add", "k"): "rotate k",
    ("cat", "rotate k"): "keys", ("cat", "v"): "values",
    ("scaled_dot_product_attention", "keys", "rotate q", "values"): "attention",
    ("add", "out", "x"): "add1", ("RMSNorm", "add1"): "norm2", ("silu", "gate"): "silu", ("mul", "silu", "up"): "mul",
    ("add", "add1", "down"): "add2",
}  # fmt: skip
"""What an operator does and whose results it gets -> its role."""


def roles_of(graph: kuiper.RuntimeGraph) -> dict[str, Operator]:
    """What is what in the first block of the writer: role -> operator, in the order of execution."""
    found: dict[str, Operator] = {}
    for op in graph.operators:
        expression = op.type == "pnnx.Expression"
        kind = op.params["expr"].value.split("(")[0] if expression else op.type.split(".")[-1]
        sources = edges_of(op, {o.name: role for role, o in found.items()})
        role = op.name.split(".")[-1] if kind == "Linear" else RULES.get((kind, *sorted(sources)))
        if role is not None:
            found[role] = op
        if role == "add2":
            break
    assert found.keys() == PLACES.keys()
    return found


def edges_of(op: Operator, roles: Mapping[str, str]) -> set[str]:
    """The roles whose results reach the operator, perhaps through operators that have none; sizes do not count."""
    reached: set[str] = set()
    for producer in op.producers:
        if producer.name in roles:
            reached.add(roles[producer.name])
        elif producer.type != "pnnx.Expression" or "size(" not in producer.params["expr"].value:
            reached |= edges_of(producer, roles)
    return reached


def label_of(role: str, op: Operator) -> str:
    """What stands in the box."""
    if op.type == "nn.Linear":
        return f"{role} {op.params['in_features'].value}→{op.params['out_features'].value}"
    names = {"x": "x (N,T,128)", "norm1": "RMSNorm", "norm2": "RMSNorm", "keys": "all keys", "values": "all values",
             "rotate q": "rotate", "rotate k": "rotate", "add1": "add", "add2": "add"}  # fmt: skip
    return names.get(role, role)


def draw_block(graph: kuiper.RuntimeGraph) -> Svg:
    """The first block of the writer, as it stands in the file; operators that only reshape are left out."""
    roles = roles_of(graph)
    by_name = {op.name: role for role, op in roles.items()}
    marks, listed = [], []
    for role, op in roles.items():
        x, y, _ = PLACES[role]
        for source in sorted(edges_of(op, by_name)):
            listed.append(f"{source} to {role}")
            if (source, role) in (("x", "add1"), ("add1", "add2")):
                continue
            x1, y1, _ = PLACES[source]
            enter = x1 if role == "attention" else x
            bend = f"V{y - 27}H{enter}" if x1 != enter else ""
            marks += [path(f"M{x1} {y1 + 13}{bend}V{y - 15}"), head(enter, y - 13, 90)]
    marks += [path("M164 24H24V420H170"), head(175, 420, 0), path("M175 426H152V448H24V770H170"), head(175, 770, 0)]
    marks += [path("M210 783V802"), head(210, 808, 90)]
    for role, x, edge in (("keys", 140, 161), ("values", 392, 369)):
        y = PLACES[role][1]
        marks += [path(f"M{x} {y}H{edge}"), pill("old", x, y, 12.0)]
    for role, op in roles.items():
        x, y, width = PLACES[role]
        kind = swatch_of("pnnx.Input") if role == "x" else swatch_of(op.type)
        colours = PLAIN_BOX if role == "x" else (kind.fill, kind.border)
        marks.append(box(label_of(role, op), x, y, width, colours))
    description = "Edges: " + ", ".join(listed) + "."
    return picture(440, 820, "One block of the writer", description, *marks)


Q, K, V = (
    np.array(rows, float)
    for rows in (
        [[1, 0, 1, 0], [1, 2, 0, 1], [0, 2, 2, 0]],
        [[1, 1, 0, 0], [0, 2, 0, 2], [2, 0, 1, 0]],
        [[4, 0, 0, 0], [0, 4, 0, 0], [0, 0, 4, 4]],
    )
)


def table(
    rows: np.ndarray, x: float, y: float, title: str, digits: int, hidden: bool = False, wide: float = 46.0
) -> list[str]:
    """A small matrix of numbers in columns `wide` apart; above the diagonal a dash where it is hidden."""
    high = 34.0
    marks = [left(title, x, y - 18)]
    for (i, j), value in np.ndenumerate(rows):
        dark = hidden and j > i
        shape = element("rect", x=x + j * wide, y=y + i * high, width=wide - 2, height=high - 2,
                        fill="#c9ced6" if dark else GREEN[0] if hidden else PLAIN, stroke=LINE)  # fmt: skip
        label = "-∞" if dark and digits == 1 else f"{value:.{digits}f}"
        marks += [shape, text(label, x + j * wide + wide / 2 - 1, y + i * high + high / 2 - 1, 12.0, DARK)]
    return marks


def draw_attention() -> Svg:
    """Queries, keys and values of three tokens, their scores, weights and results."""
    weights = attention_weights(Q, K, causal(3, 3), 0.5)
    first, second, third = 46, 204, 362
    marks = [left(f"token {i}", 6, top + 34 * i + 16) for top in (first, second, third) for i in range(3)]
    for x, rows_of_numbers, title in ((68, Q, "queries q"), (190, K, "keys k"), (312, V, "values v")):
        marks += table(rows_of_numbers, x, first, title, 0, wide=28.0)
    marks += table(Q @ K.T / 2, 68, second, "scores q·k / √4", 1, hidden=True)
    marks += table(weights, 282, second, "weights", 2, hidden=True)
    marks += table(weights @ V, 68, third, "results: weights @ v", 2)
    marks += [note("softmax", 242, second + 36), path(f"M212 {second + 50}H268"), head(274, second + 50, 0)]
    marks += [path(f"M350 {second + 106}V{third + 50}H264"), head(258, third + 50, 180)]
    marks += [left("Grey: a token that comes later.", 6, third + 120)]
    marks += [left("Each row of weights sums to 1.", 6, third + 140)]
    rows = "; ".join(" ".join(f"{w:.2f}" for w in row) for row in weights)
    return picture(430, third + 156, "Attention of three tokens", f"Weights by row: {rows}.", *marks)


def arrow(x: float, y: float, degrees: float, length: float, colours: tuple[str, str], label: str = "") -> list[str]:
    """An arrow from (x, y), counterclockwise from the right."""
    turn = math.radians(degrees)
    end_x, end_y = x + length * math.cos(turn), y - length * math.sin(turn)
    marks = [path(f"M{x:g} {y:g}L{end_x:.1f} {end_y:.1f}", colours[1], stroke_width=2.0)]
    marks.append(head(end_x, end_y, -degrees, colours[1]))
    if label:
        far = length + (10 if len(label) == 1 else 18)
        marks.append(note(label, x + far * math.cos(turn), y - far * math.sin(turn), 12.0))
    return marks


def draw_rotary() -> Svg:
    """Pairs of numbers turned by the position; what stays is the angle between two of them."""
    marks = []
    for centre, pair in ((110.0, 0), (310.0, 3)):
        step = math.degrees(1e4 ** (-2 * pair / 32))
        title = f"pair {pair}: {step:.1f}° a place"
        marks.append(element("circle", cx=centre, cy=96.0, r=66.0, fill="none", stroke=LINE, stroke_dasharray="3 4"))
        marks.append(note(title, centre, 190, 13.0))
        for place in range(5):
            marks += arrow(centre, 96, 10 + step * place, 66, BLUE, str(place))
    for centre, place in ((110.0, 1), (310.0, 6)):
        marks.append(element("circle", cx=centre, cy=304.0, r=60.0, fill="none", stroke=LINE, stroke_dasharray="3 4"))
        marks += arrow(centre, 304, 60 + 25 * place, 60, ORANGE, f"k, {place}")
        marks += arrow(centre, 304, 60 + 25 * (place + 2), 60, BLUE, f"q, {place + 2}")
    marks.append(note("places 1, 3 and 6, 8: the same angle", 210, 400, 13.0))
    description = (
        "For D = 32: pair 0 turns by 57.3 degrees from place to place, pair 3 by 10.2. A key at place 1 and a query at "
        "3 have the same angle between them as a key at 6 and a query at 8."
    )
    return picture(420, 416, "Rotary positions", description, *marks)


def draw_cache() -> Svg:
    """One step with the cache: one place is written, all places in use are read."""
    marks, wide, x0 = [], 45.0, 66.0
    for name, y in (("keys", 66.0), ("values", 112.0)):
        marks.append(left(name, 6, y))
        for place in range(8):
            x = x0 + wide * (place + 0.5)
            if place > 5:
                marks.append(element("rect", x=x - 20, y=y - 16, width=40.0, height=32.0, rx=4.0, fill="none",
                                     stroke=LINE, stroke_dasharray="4 3"))  # fmt: skip
            else:
                marks.append(box(f"{name[0]}{place}", x, y, 40, ORANGE if place == 5 else BLUE, 32.0))
    marks += [note(str(place), x0 + wide * (place + 0.5), 34) for place in range(8)]
    marks.append(left("place", 6, 34))
    end = x0 + 6 * wide - 3
    marks += [path(f"M{x0 + 3:g} 138V146H{end:g}V138")]
    marks += [note("its query looks at these:", (x0 + end) / 2, 164), note("count + 1 places", (x0 + end) / 2, 182)]
    marks += [note("rubbish", x0 + 7 * wide, 164), path(f"M{x0 + 5 * wide:g} 44V134", ROSE[1], stroke_dasharray="4 4")]
    marks += [note("count = 5", x0 + 5 * wide, 14)]
    marks.append(element("rect", x=6.0, y=200.0, width=22.0, height=18.0, rx=4.0, fill=ORANGE[0], stroke=ORANGE[1]))
    marks.append(left("the new token", 36, 209))
    description = "Places 0 to 4 are in use. The new token writes key and value to place 5 and looks at places 0 to 5."
    return picture(432, 226, "A cache of keys and values", description, *marks)


def draw_cost(graph: kuiper.RuntimeGraph) -> Svg:
    """Multiplications to write so many tokens, with a cache and without."""
    linear = sum(op.attributes["weight"].data.size for op in graph.operators if op.type == "nn.Linear")
    x0, x1, y0, y1, most = 84.0, 410.0, 246.0, 24.0, 192
    counted = {
        "without a cache": [t * linear + 1024 * t * t for t in range(1, most + 1)],
        "with a cache": [linear + 1024 * t for t in range(1, most + 1)],
    }
    sums = {name: np.cumsum(values) for name, values in counted.items()}
    top = 2e10
    marks = []
    for tick in range(0, 21, 5):
        y = y0 - tick / 20 * (y0 - y1)
        marks.append(path(f"M{x0:g} {y:.1f}H{x1:g}", stroke_width=0.5, stroke_opacity=0.4))
        marks.append(note(f"{tick} billion", x0 - 8, y, 12.0, text_anchor="end"))
    for tick in range(0, most + 1, 48):
        marks.append(note(str(tick), x0 + tick / most * (x1 - x0), y0 + 16, 12.0))
    for (name, total), colours, at in zip(sums.items(), (ROSE, BLUE), (110, 188)):
        line = " ".join(f"{x0 + (t + 1) / most * (x1 - x0):.1f},{y0 - value / top * (y0 - y1):.1f}"
                        for t, value in enumerate(total.tolist()) if (t + 1) % 4 == 0)  # fmt: skip
        marks.append(element("polyline", points=line, fill="none", stroke=colours[1], stroke_width=2.4))
        y = y0 - total[at] / top * (y0 - y1)
        marks.append(note(name, x0 + at / most * (x1 - x0) - 12, y - 14, text_anchor="end"))
    marks.append(note("tokens written", (x0 + x1) / 2, y0 + 36))
    description = f"After {most} tokens: " + ", ".join(
        f"{name} {total[-1] / 1e9:.2f} billion" for name, total in sums.items()
    )
    return picture(426, 294, "Multiplications", description + ".", *marks)


def draw_choice(graph: kuiper.RuntimeGraph, tokens: Tokens) -> Svg:
    """What may follow "The function returns" at three temperatures, and the nucleus of 0.9."""
    logits = forward(graph, tokens.encode("The function returns"), Cache.of(graph, 8))[-1]
    shown = np.argsort(-logits, kind="stable")[:8]
    marks, said = [], []
    x0 = 108.0
    for panel, temperature in enumerate((0.5, 1.0, 1.5)):
        top = 20.0 + 255 * panel
        chances = probabilities(logits, temperature)
        nucleus = np.count_nonzero(top_p(chances, 0.9))
        marks.append(left(f"temperature {temperature}: {nucleus} tokens reach 0.9", 6, top, 13.0, font_weight="bold"))
        for row, token in enumerate(shown):
            y = top + 26 + 23 * row
            fill, border = BLUE if row < nucleus else PLAIN_BOX
            width = 240 * float(chances[token])
            marks.append(element("rect", x=x0, y=y - 9, width=max(width, 0.5), height=18.0, fill=fill, stroke=border))
            marks.append(left(f"{chances[token]:.3f}", x0 + width + 6, y))
            marks.append(note(repr(tokens.decode([int(token)])), x0 - 8, y, text_anchor="end"))
        y, start = top + 26 + 23 * len(shown), x0
        ranked = np.sort(chances)[::-1]
        cut = max(nucleus, len(shown))
        for share, (fill, border) in ((ranked[len(shown) : cut].sum(), BLUE), (ranked[cut:].sum(), PLAIN_BOX)):
            marks.append(element("rect", x=start, y=y - 9, width=max(240 * float(share), 0.5), height=18.0, fill=fill,
                                 stroke=border))  # fmt: skip
            start += 240 * float(share)
        marks.append(left(f"{ranked[len(shown) :].sum():.3f}", start + 6, y))
        marks.append(note("all others", x0 - 8, y, text_anchor="end"))
        said.append(f"{temperature}: {nucleus} tokens reach 0.9, the first has {chances[shown[0]]:.2f}")
    y = 20.0 + 255 * 3
    for x, (fill, border), label in ((6.0, BLUE, "kept with p = 0.9"), (190.0, PLAIN_BOX, "cut off")):
        marks.append(element("rect", x=x, y=y - 9, width=18.0, height=18.0, fill=fill, stroke=border))
        marks.append(left(label, x + 26, y))
    return picture(400, 800, "What follows: The function returns", "Temperature " + "; ".join(said) + ".", *marks)


if __name__ == "__main__":
    folder = HERE / "figures"
    folder.mkdir(exist_ok=True)
    for name, svg in draw().items():
        svg.save(folder / f"{name}.svg")
