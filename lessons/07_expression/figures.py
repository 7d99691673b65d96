"""The figures of lesson 7: `python lessons/07_expression/figures.py` writes them all beside itself."""

from __future__ import annotations

from pathlib import Path

from kuiper.show.palette import INK, PILL, PILL_TEXT, swatch_of
from kuiper.show.svg import Svg, element, picture, pill, pill_width, text

FUNCTION = swatch_of("pnnx.Expression")
SYMBOL = swatch_of("torch.flatten")
MARKED = swatch_of("nn.ReLU")


def draw() -> dict[str, Svg]:
    """The figures: file name without its ending -> picture."""
    return {
        "fold": fold(),
        "tokens": tokens(),
        "trees": trees(False),
        "order": trees(True),
        "stack": stack(),
        "arity": arity(),
    }


def box(content: str, x: float, y: float, width: float, kind: str = "function") -> str:
    """A rounded box centred at (x, y): a function, an operand, a symbol, or one that is marked."""
    fill, border, ink = {
        "function": (FUNCTION.fill, FUNCTION.border, FUNCTION.text),
        "symbol": (SYMBOL.fill, SYMBOL.border, SYMBOL.text),
        "marked": (MARKED.fill, MARKED.border, MARKED.text),
        "operand": (PILL, INK, PILL_TEXT),
    }[kind]
    shape = element("rect", x=x - width / 2, y=y - 13.0, width=width, height=26.0, rx=6, fill=fill, stroke=border)
    return shape + text(content, x, y, 13.0, ink)


def line(x1: float, y1: float, x2: float, y2: float, **attributes: object) -> str:
    """A straight line on the page."""
    return element("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), stroke=INK, **attributes)


def arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    """A line with a head at (x2, y2)."""
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    back_x, back_y = x2 - 7 * ux, y2 - 7 * uy
    corners = ((x2, y2), (back_x - 3 * uy, back_y + 3 * ux), (back_x + 3 * uy, back_y - 3 * ux))
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    return line(x1, y1, back_x, back_y) + element("polygon", points=points, fill=INK)


def fold() -> Svg:
    """Two operators and the operand between them, and the one operator that PNNX writes."""
    parts = [text("as written in PyTorch", 200, 14, 13.0, font_weight="bold")]
    for x, label in ((70, "#11"), (190, "#16"), (330, "#17")):
        parts.append(pill(label, x, 44, 12.0))
    parts += [arrow(70, 54, 114, 81), arrow(190, 54, 146, 81), box("mul", 130, 95, 70)]
    parts += [line(130, 108, 130, 126), pill("an array in between", 130, 135, 12.0), arrow(150, 145, 208, 169)]
    parts += [
        arrow(330, 54, 250, 169),
        box("add", 230, 183, 70),
        arrow(230, 196, 230, 220),
        pill("#18", 230, 230, 12.0),
    ]
    parts.append(text("as PNNX writes it", 200, 276, 13.0, font_weight="bold"))
    for x, label, name in ((90, "#11", "@0"), (200, "#16", "@1"), (310, "#17", "@2")):
        parts += [pill(label, x, 306, 12.0), arrow(x, 316, x, 363), text(name, x + 8, 338, 12.0, text_anchor="start")]
    parts += [box("add(mul(@0,@1),@2)", 200, 377, 290), arrow(200, 390, 200, 414), pill("#18", 200, 424, 12.0)]
    return picture(
        400,
        440,
        "Two operators become one",
        "Above: mul makes an array that add reads. Below: one pnnx.Expression with three inputs and one output.",
        *parts,
    )


WORDS = ("add", "(", "@0", ",", "mul", "(", "@1", ",", "@2", ")", ")")


def tokens() -> Svg:
    """The text, letter by letter with its positions, and the tokens below."""
    cell, left, parts, at = 21.0, 11.0, [], 0
    for word in WORDS:
        kind = "symbol" if word in "()," else "operand" if word[0] == "@" else "function"
        middle = left + (at + len(word) / 2) * cell
        for i, letter in enumerate(word):
            x = left + (at + i) * cell
            parts.append(element("rect", x=x, y=24.0, width=cell, height=30.0, fill="none", stroke=INK))
            parts.append(text(letter, x + cell / 2, 39, 15.0))
        parts.append(line(middle, 54, middle, 70))
        parts.append(box(word, middle, 84, len(word) * cell - 3, kind))
        at += len(word)
    parts += [text(str(i), left + i * cell, 12, 11.0) for i in range(at + 1)]
    return picture(
        2 * left + at * cell,
        104,
        "Tokens",
        "add(@0,mul(@1,@2)) with the positions 0 to 18 between its letters, and a box for each token.",
        *parts,
    )


def trees(ordered: bool) -> Svg:
    """The trees of two expressions; `ordered` : each node with its place in reverse Polish order, too."""
    upper = {"add": (170, 62, 5), "@0": (100, 122, 1), "mul": (240, 122, 4), "@1": (180, 182, 2), "@2": (300, 182, 3)}
    lower = {"add": (220, 62, 5), "mul": (150, 122, 3), "@2": (290, 122, 4), "@0": (90, 182, 1), "@1": (210, 182, 2)}
    parts, height = [], 300 if ordered else 236
    for top, title, nodes in ((0, "add(@0,mul(@1,@2))", upper), (height, "add(mul(@0,@1),@2)", lower)):
        parts.append(text(title, 200, top + 16, 14.0, font_weight="bold"))
        mul_children = ("@1", "@2") if nodes is upper else ("@0", "@1")
        add_children = ("@0", "mul") if nodes is upper else ("mul", "@2")
        for parent, children in (("add", add_children), ("mul", mul_children)):
            for child in children:
                (x1, y1, _), (x2, y2, _) = nodes[parent], nodes[child]
                parts.append(line(x1, top + y1 + 13, x2, top + y2 - 13))
        for name, (x, y, place) in nodes.items():
            kind = "operand" if name[0] == "@" else "function"
            parts.append(box(name, x, top + y, 56, kind))
            if ordered:
                parts.append(text(str(place), x + 38, top + y - 10, 14.0, font_weight="bold"))
                parts.append(box(name, 24 + place * 60, top + 236, 52, kind))
                parts.append(text(str(place), 24 + place * 60, top + 260, 13.0))
    above, below = "Above: add over @0 and mul", "Below: add over mul and @2"
    if not ordered:
        return picture(
            400, 2 * height - 32, "Two trees", f"{above}, mul over @1 and @2. {below}, mul over @0 and @1.", *parts
        )
    title = "Two trees and their reverse Polish order"
    read = f"{above}, read as @0 @1 @2 mul add. {below}, read as @0 @1 mul @2 add."
    return picture(400, 2 * height - 26, title, read, *parts)


def stack() -> Svg:
    """mul(@2,add(@0,@1)) with 2, 3, 4: the stack after each of the five steps."""
    steps = [
        ("@2", ["4"], ("push 4",)),
        ("@0", ["4", "2"], ("push 2",)),
        ("@1", ["4", "2", "3"], ("push 3",)),
        ("add", ["4", "5"], ("pop 3, 2", "push 5")),
        ("mul", ["20"], ("pop 5, 4", "push 20")),
    ]
    column, parts = 78.0, [text("mul(@2,add(@0,@1))", 200, 14, 14.0, font_weight="bold")]
    parts.append(text("@0 is 2, @1 is 3, @2 is 4", 200, 34, 13.0))
    for i, (word, values, notes) in enumerate(steps):
        x = 44 + i * column
        parts.append(box(word, x, 68, 52, "operand" if word[0] == "@" else "function"))
        parts += [text(note, x, 98 + 16 * k, 12.0) for k, note in enumerate(notes)]
        for side in (-31, 31):
            parts.append(line(x + side, 132, x + side, 230))
        parts.append(line(x - 31, 230, x + 31, 230))
        for height, value in enumerate(values):
            fresh = height == len(values) - 1
            parts.append(box(value, x, 213 - 30 * height, 52, "marked" if fresh else "operand"))
    return picture(
        400,
        238,
        "A stack computes",
        "Reverse Polish @2 @0 @1 add mul with 2, 3, 4: the stack holds 4; 4 2; 4 2 3; 4 5; 20.",
        *parts,
    )


def arity() -> Svg:
    """Reading sub(mul(log1p,@0),@1),expm1,@1 from right to left by arity: the stack after each word."""
    steps = [
        ("@1", "push", ["@1"]),
        ("expm1", "takes 1", ["expm1(@1)"]),
        ("@1", "push", ["expm1(@1)", "@1"]),
        ("@0", "push", ["expm1(@1)", "@1", "@0"]),
        ("log1p", "takes 1", ["expm1(@1)", "@1", "log1p(@0)"]),
        ("mul", "takes 2", ["expm1(@1)", "mul(log1p(@0),@1)"]),
        ("sub", "takes 2", ["sub(mul(log1p(@0),@1),expm1(@1))"]),
    ]
    parts = [text("word", 36, 14, 12.0), text("stack, its top on the right", 142, 14, 12.0, text_anchor="start")]
    for i, (word, action, values) in enumerate(steps):
        y, x = 42.0 + 34 * i, 142.0
        parts.append(box(word, 36, y, 60, "operand" if word[0] == "@" else "function"))
        parts.append(text(action, 102, y, 12.0))
        for value in values:
            width = pill_width(value, 12.0)
            parts.append(pill(value, x + width / 2, y, 12.0))
            x += width + 6
    return picture(
        396,
        266,
        "Brackets that say nothing",
        "The words from right to left, and the stack after each; the last stack holds one mended expression.",
        *parts,
    )


if __name__ == "__main__":
    folder = Path(__file__).with_name("figures")
    folder.mkdir(exist_ok=True)
    for name, svg in draw().items():
        svg.save(folder / f"{name}.svg")
