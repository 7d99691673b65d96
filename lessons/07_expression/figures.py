"""The figures of lesson 7: `python lessons/07_expression/figures.py` writes them all beside itself."""

from __future__ import annotations

from pathlib import Path

from kuiper.show.palette import INK, PILL, PILL_TEXT, family
from kuiper.show.svg import Svg, element, picture, pill, pill_width, text

FUNCTION = family("pnnx.Expression")
SYMBOL = family("torch.flatten")
MARKED = family("nn.ReLU")


def draw() -> dict[str, Svg]:
    """The figures: file name without its ending -> picture."""
    return {"fold": fold(), "tokens": tokens(), "trees": trees(), "stack": stack(), "arity": arity()}


def box(content: str, x: float, y: float, width: float, kind: str = "function") -> str:
    """A rounded box centred at (x, y): a function, an operand, a symbol, or one that is marked."""
    fill, border, ink = {
        "function": (FUNCTION.fill, FUNCTION.border, FUNCTION.text),
        "symbol": (SYMBOL.fill, SYMBOL.border, SYMBOL.text),
        "marked": (MARKED.fill, MARKED.border, MARKED.text),
        "operand": (PILL, INK, PILL_TEXT),
    }[kind]
    shape = element("rect", x=x - width / 2, y=y - 13.0, width=width, height=26.0, rx=6, fill=fill, stroke=border)
    return shape + text(content, x, y, 12.0, ink)


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
    parts = [text("as written in PyTorch", 170, 14), text("as PNNX writes it", 530, 14)]
    for x, label in ((70, "#11"), (170, "#16"), (290, "#17")):
        parts.append(pill(label, x, 44))
    parts += [arrow(70, 54, 106, 81), arrow(170, 54, 134, 81), box("mul", 120, 95, 70)]
    parts += [line(120, 108, 120, 124), pill("an array in between", 120, 134), arrow(130, 144, 190, 168)]
    parts += [arrow(290, 54, 222, 168), box("add", 206, 182, 70), arrow(206, 195, 206, 222), pill("#18", 206, 232)]
    for x, label in ((440, "#11"), (530, "#16"), (620, "#17")):
        parts += [pill(label, x, 44), arrow(x, 54, 530 + (x - 530) * 0.7, 117)]
    parts += [box("add(mul(@0,@1),@2)", 530, 131, 190), arrow(530, 144, 530, 222), pill("#18", 530, 232)]
    for x, name in ((456, "@0"), (538, "@1"), (617, "@2")):
        parts.append(text(name, 530 + (x - 530) * 0.9, 84, 11.0, text_anchor="start"))
    return picture(
        690,
        246,
        "Two operators become one",
        "Left: mul makes an array that add reads. Right: one pnnx.Expression with three inputs and one output.",
        *parts,
    )


WORDS = ("add", "(", "@0", ",", "mul", "(", "@1", ",", "@2", ")", ")")


def tokens() -> Svg:
    """The text, letter by letter with its positions, and the eleven tokens below."""
    cell, left, parts, at = 36.0, 18.0, [], 0
    for index, word in enumerate(WORDS):
        kind = "symbol" if word in "()," else "operand" if word[0] == "@" else "function"
        middle = left + (at + len(word) / 2) * cell
        for i, letter in enumerate(word):
            x = left + (at + i) * cell
            parts.append(element("rect", x=x, y=24.0, width=cell, height=30.0, fill="none", stroke=INK))
            parts.append(text(letter, x + cell / 2, 39, 15.0))
        parts.append(line(middle, 54, middle, 70))
        parts.append(box(word, middle, 84, max(30.0, 30.0 * len(word) - 10), kind))
        parts.append(text(f"[{at},{at + len(word)})", middle, 108 + 13 * (index % 2), 9.5))
        at += len(word)
    parts += [text(str(i), left + i * cell, 12, 10.0) for i in range(at + 1)]
    return picture(
        2 * left + at * cell,
        136,
        "Eleven tokens",
        "add(@0,mul(@1,@2)) with the positions 0 to 18 between its letters, and each token with its start and end.",
        *parts,
    )


def trees() -> Svg:
    """The trees of two expressions, each node with its place in reverse Polish order."""
    left = {"add": (150, 62, 5), "@0": (80, 122, 1), "mul": (220, 122, 4), "@1": (160, 182, 2), "@2": (280, 182, 3)}
    right = {"add": (550, 62, 5), "mul": (480, 122, 3), "@2": (620, 122, 4), "@0": (420, 182, 1), "@1": (540, 182, 2)}
    parts = [text("add(@0,mul(@1,@2))", 180, 16, 13.0), text("add(mul(@0,@1),@2)", 540, 16, 13.0)]
    for nodes in (left, right):
        mul_children = ("@1", "@2") if nodes is left else ("@0", "@1")
        add_children = ("@0", "mul") if nodes is left else ("mul", "@2")
        for parent, children in (("add", add_children), ("mul", mul_children)):
            for child in children:
                (x1, y1, _), (x2, y2, _) = nodes[parent], nodes[child]
                parts.append(line(x1, y1 + 13, x2, y2 - 13))
        for name, (x, y, place) in nodes.items():
            parts.append(box(name, x, y, 56, "operand" if name[0] == "@" else "function"))
            parts.append(text(str(place), x + 36, y - 12, 13.0, font_weight="bold"))
        start = 40 if nodes is left else 400
        for name, (_, _, place) in nodes.items():
            parts.append(box(name, start + place * 52, 240, 44, "operand" if name[0] == "@" else "function"))
            parts.append(text(str(place), start + place * 52, 265, 11.0))
    return picture(
        720,
        278,
        "Two trees and their reverse Polish order",
        "Left: add over @0 and mul, read as @0 @1 @2 mul add. Right: add over mul and @2, read as @0 @1 mul @2 add.",
        *parts,
    )


def stack() -> Svg:
    """mul(@2,add(@0,@1)) with 2, 3, 4: the stack after each of the five steps."""
    steps = [("@2", ["4"]), ("@0", ["4", "2"]), ("@1", ["4", "2", "3"]), ("add", ["4", "5"]), ("mul", ["20"])]
    notes = ["push 4", "push 2", "push 3", "pop 3: right", "pop 5: right"]
    more = ["", "", "", "pop 2: left, push 2+3", "pop 4: left, push 4*5"]
    column, parts = 140.0, []
    for i, (word, values) in enumerate(steps):
        x = 75 + i * column
        parts.append(box(word, x, 20, 56, "operand" if word[0] == "@" else "function"))
        parts += [text(notes[i], x, 48, 10.0), text(more[i], x, 63, 9.5)]
        for side in (-36, 36):
            parts.append(line(x + side, 78, x + side, 176))
        parts.append(line(x - 36, 176, x + 36, 176))
        for height, value in enumerate(values):
            fresh = height == len(values) - 1
            parts.append(box(value, x, 159 - 30 * height, 60, "marked" if fresh else "operand"))
        if i < 4:
            parts.append(arrow(x + 48, 130, x + 92, 130))
    return picture(
        710,
        190,
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
    parts = [text("word", 60, 14), text("stack, its top on the right", 190, 14, text_anchor="start")]
    for i, (word, action, values) in enumerate(steps):
        y, x = 42.0 + 32 * i, 190.0
        parts.append(box(word, 60, y, 64, "operand" if word[0] == "@" else "function"))
        parts.append(text(action, 136, y, 10.0))
        for value in values:
            width = pill_width(value, 12.0)
            parts.append(pill(value, x + width / 2, y, 12.0))
            x += width + 10
    return picture(
        560,
        256,
        "Brackets that say nothing",
        "The words from right to left, and the stack after each; the last stack holds one mended expression.",
        *parts,
    )


if __name__ == "__main__":
    folder = Path(__file__).with_name("figures")
    folder.mkdir(exist_ok=True)
    for name, svg in draw().items():
        svg.save(folder / f"{name}.svg")
