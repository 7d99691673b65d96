"""Lesson 7: evaluating an expression in reverse Polish notation with a stack, and the order of popped operands."""

from __future__ import annotations

from collections.abc import Sequence

from classroom.site.moving.scene import Frame, Panel, Part, PartState, PartStates, Scene
from classroom.site.moving.shapes import box, words
from kuiper.expression import TokenNode, TokenType, evaluate, parse, reverse_polish

FIRST, FIRST_VALUES = "mul(@2,add(@0,@1))", (2, 3, 4)
SECOND, SECOND_VALUES = "sub(@0,@1)", (7, 2)
SLOTS = 5
"""Tokens of the longer expression."""
LEVEL = 38.0
"""Height of one value in the stack."""


def scene() -> Scene:
    """Evaluate the lesson's expression; then a subtraction, where the order of operands matters."""
    first, second = run(FIRST, FIRST_VALUES), run(SECOND, SECOND_VALUES)
    result = evaluate(parse(SECOND), SECOND_VALUES)
    turned = evaluate(parse(SECOND), SECOND_VALUES[::-1])
    say = f"With the two values the other way round it would be {turned} instead of {result}. "
    say += "add and mul do not show such a mistake; sub and div do."
    right, left = SECOND_VALUES
    wrong = {
        "left": str(left),
        "right": str(right),
        "call": f"{SECOND[:3]}({left}, {right}) = {turned}",
        "s0": str(turned),
    }
    moral = Frame(say, dict(second[-1].states) | {key: PartState("rose bold", text) for key, text in wrong.items()})
    depth = max(sum(key.startswith("s") for key in frame.states) for frame in first)
    telling = next(i for i, frame in enumerate(first) if "left" in frame.states and "right" in frame.states)
    frames = [*first, *second, moral]
    return Scene("reverse_polish", "A stack computes: push values, pop them for a function",
                 [_tokens(), _stack(depth)], frames, telling)  # fmt: skip


def run(text: str, operands: Sequence[int]) -> list[Frame]:
    """The frames of one expression, one per push or pop."""
    order = reverse_polish(parse(text))
    listed = " ".join(node.text for node in order)
    values = ", ".join(f"@{i} = {value}" for i, value in enumerate(operands))
    head = {"text": PartState("", text), "values": PartState("", values)}
    frames = [Frame(f"{text} in reverse Polish: {listed}. The stack is empty.", head | _strip(order, -1))]
    stack: list[TokenNode] = []

    def value(node: TokenNode) -> str:
        return str(evaluate(node, operands))

    def add(say: str, step: int, marks: PartStates, top: str = "blue") -> None:
        kinds = ["blue"] * len(stack)
        kinds[-1:] = [top] * bool(stack)
        piled = {f"s{i}": PartState(kind, value(node)) for i, (node, kind) in enumerate(zip(stack, kinds, strict=True))}
        frames.append(Frame(say, head | _strip(order, step) | piled | marks))

    for step, node in enumerate(order):
        if node.token.type is not TokenType.FUNCTION:
            stack.append(node)
            add(f"{node.text} is an operand: push its value {value(node)}.", step, {}, "now blue")
            continue
        marks: PartStates = {}
        for name, child in zip(("right", "left"), reversed(node.children), strict=True):
            stack.pop()
            marks |= {name: PartState("orange" if marks else "now", value(child)), f"{name}.name": PartState("")}
            place = "Pop the top value" if name == "right" else "Pop the next one"
            pushed = "pushed last" if name == "right" else "pushed before it"
            add(f"{node.text} takes two values. {place}, {value(child)}: it was {pushed}, so it is the {name} one.",
                step, dict(marks))  # fmt: skip
            marks[name] = PartState("orange", value(child))
        call = f"{node.text}({', '.join(map(value, node.children))}) = {value(node)}"
        stack.append(node)
        end = "" if step < len(order) - 1 else " One value is left: the result."
        add(f"{call}. Push the result.{end}", step, marks | {"call": PartState("green bold", call)}, "now done")
    return frames


def _strip(order: Sequence[TokenNode], step: int) -> PartStates:
    """The tokens: done, current, to come."""
    return {f"t{i}": PartState("now" if i == step else "done" if i < step else "plain", node.text)
            for i, node in enumerate(order)}  # fmt: skip


def _tokens() -> Panel:
    parts = [Part("text", "", "", 4, 28, 15.0, "start"), Part("values", "", "", 4, 54, 13.0, "start", "muted")]
    parts += [Part(f"t{i}", box(32 + 60.0 * i, 116, 54, 34), "", 32 + 60.0 * i, 116, 14.0, kind="hidden")
              for i in range(SLOTS)]  # fmt: skip
    ground = words("expression and operands", 4, 8, 11.0, "start", "note")
    ground += words("reverse Polish, from left to right", 4, 86, 11.0, "start", "note")
    return Panel(304, 140, "The expression, its operands, and its tokens in reverse Polish order.", parts, ground)


def _stack(depth: int) -> Panel:
    floor = 22 + LEVEL * depth
    parts = []
    for i in range(depth):
        y = floor - LEVEL * (i + 0.5)
        parts.append(Part(f"s{i}", box(47, y, 86, LEVEL - 5), "", 47, y, 15.0, kind="hidden"))
    for name, x in (("left", 165.0), ("right", 265.0)):
        parts.append(Part(name, box(x, 52, 76, 34), "", x, 52, 15.0, kind="ghost"))
        parts.append(Part(f"{name}.name", "", "popped first" if name == "right" else "popped second", x, 80, 11.0,
                          kind="hidden"))  # fmt: skip
    parts.append(Part("call", box(215, 116, 176, 32), "", 215, 116, 14.0, kind="hidden"))
    ground = words("stack", 4, 8, 11.0, "start", "note") + words("left value", 165, 24, 11.0, kind="note")
    ground += words("right value", 265, 24, 11.0, kind="note")
    ground += f'<path class="wire" d="M1 22V{floor:g}H93V22"/>'
    return Panel(306, floor + 4, "The stack of values, and the two values that a function has popped.", parts, ground)
