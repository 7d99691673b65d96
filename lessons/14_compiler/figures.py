"""The figures of lesson 14: `python3 course.py dev figures 14` writes them into figures/."""

from __future__ import annotations

from kuiper.show import palette
from kuiper.show.palette import INK
from kuiper.show.svg import Svg, element, picture, text

DARK, PLAIN, LINE = "#1d2530", "#f6f4ef", "#8794a3"
BLUE, GREEN, ORANGE, ROSE, VIOLET = (
    (swatch.fill, swatch.border)
    for swatch in (
        palette.swatch_of(t) for t in ("nn.Conv2d", "nn.BatchNorm2d", "nn.ReLU", "pnnx.Attribute", "nn.Linear")
    )
)
Colours = tuple[str, str]


def note(content: str, x: float, y: float, size: float = 14.0, **more: object) -> str:
    """A line of text on the page."""
    return text(content, x, y, size, INK, **more)


def left(content: str, x: float, y: float, size: float = 14.0, **more: object) -> str:
    """A line of text on the page that begins at x."""
    return note(content, x, y, size, text_anchor="start", **more)


def box(
    label: str, x: float, y: float, width: float, colours: Colours, height: float = 30.0, size: float = 14.0
) -> str:
    """A rounded box with a text, centred at (x, y)."""
    fill, border = colours
    rect = element(
        "rect", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=5.0, fill=fill, stroke=border
    )
    return rect + text(label, x, y, size, DARK)


def cell(x: float, y: float, width: float, height: float, colours: Colours, label: str = "", size: float = 12.0) -> str:
    """A rectangle with a short text."""
    fill, border = colours
    rect = element("rect", x=x, y=y, width=width, height=height, fill=fill, stroke=border, stroke_width=0.8)
    return rect + (text(label, x + width / 2, y + height / 2, size, DARK) if label else "")


def arrow(x: float, y: float, to_x: float, to_y: float) -> str:
    """A straight arrow, level or upright, whose point is at (to_x, to_y)."""
    along, across = (to_x > x) - (to_x < x), (to_y > y) - (to_y < y)
    head = f"M{to_x - 6 * along - 4 * across:g} {to_y - 6 * across - 4 * along:g}L{to_x:g} {to_y:g}"
    head += f"L{to_x - 6 * along + 4 * across:g} {to_y - 6 * across + 4 * along:g}"
    return element("path", d=f"M{x:g} {y:g}L{to_x:g} {to_y:g}{head}", fill="none", stroke=INK, stroke_width=1.6)


def draw_walks() -> Svg:
    """Three calls, each from memory to memory, and one loop."""
    operations = (("matmul", VIOLET), ("add", ROSE), ("relu", ORANGE))
    xs = (36.0, 140.0, 244.0, 348.0)
    memory, work = 64.0, 130.0
    marks = [left("three calls", 8, 18, 16.0, font_weight="bold")]
    for name, at in zip("xaby", xs, strict=True):
        marks.append(box(name, at, memory, 30 if name == "x" else 56, BLUE if name == "x" else GREEN))
    for (operation, colours), here, there in zip(operations, xs, xs[1:], strict=False):
        middle = (here + there) / 2
        marks.append(box(operation, middle, work, 70, colours))
        marks.append(arrow(middle - 30, memory + 18, middle - 30, work - 17))
        marks.append(arrow(middle + 30, work - 17, middle + 30, memory + 18))
    marks.append(left("one loop", 8, 186, 16.0, font_weight="bold"))
    memory, work = 232.0, 302.0
    marks.append(box("x", xs[0], memory, 30, BLUE))
    marks.append(box("y", xs[3], memory, 56, GREEN))
    marks.append(cell(64, work - 26, 256, 52, (PLAIN, LINE)))
    for (operation, colours), at in zip(operations, (106.0, 192.0, 278.0), strict=True):
        marks.append(box(operation, at, work, 66, colours))
    marks += [arrow(140, work, 158, work), arrow(226, work, 244, work)]
    marks.append(element("path", d=f"M{xs[0]:g} {memory + 15:g}V{work:g}", fill="none", stroke=INK, stroke_width=1.6))
    marks.append(element("path", d=f"M320 {work:g}H{xs[3]:g}", fill="none", stroke=INK, stroke_width=1.6))
    marks += [arrow(xs[0], work, 64, work), arrow(xs[3], work, xs[3], memory + 17)]
    marks.append(note("a and b: registers only", 187, memory + 2))
    marks += [left("memory", 8, 38), left("processor", 8, 162), left("memory", 8, 204), left("processor", 8, 342)]
    marks.append(note("w and bias, 14 kB: not drawn", 376, 342, text_anchor="end"))
    description = (
        "Above, the calls matmul, add and relu each read an image from memory and write one: x, a, b, y. Below, the "
        "three are one loop, which reads x and writes y; a and b are in registers only. w and bias are not drawn."
    )
    return picture(384, 358, "Three calls and one loop", description, *marks)


def draw_groups() -> Svg:
    """Seven calls in two groups."""
    width = 96.0
    left_x, right_x, far = 84.0, 222.0, 356.0
    ground = {"rx": 10.0, "fill": "none", "stroke_width": 2.0, "stroke_dasharray": "6 4"}
    marks = [
        element("rect", x=20, y=42, width=268, height=216, stroke=VIOLET[1], **ground),
        element("rect", x=20, y=290, width=268, height=158, stroke=GREEN[1], **ground),
        box("x", left_x, 16, 40, BLUE, 26),
        arrow(left_x, 29, left_x, 56),
        box("conv", left_x, 72, width, VIOLET),
        arrow(left_x, 88, left_x, 114),
        box("add bias", left_x, 130, width, VIOLET),
        arrow(left_x, 146, left_x, 210),
        element("path", d=f"M{left_x + width / 2:g} 130H{right_x:g}V148", fill="none", stroke=INK, stroke_width=1.6),
        arrow(right_x, 140, right_x, 164),
        box("sigmoid", right_x, 180, width, VIOLET),
        element("path", d=f"M{right_x:g} 196V226", fill="none", stroke=INK, stroke_width=1.6),
        arrow(right_x, 226, left_x + width / 2, 226),
        box("mul", left_x, 226, width, VIOLET),
        arrow(left_x, 242, left_x, 306),
        note("written", left_x + 42, 274),
        box("conv", left_x, 322, width, GREEN),
        arrow(left_x, 338, left_x, 356),
        box("add bias", left_x, 372, width, GREEN),
        arrow(left_x, 388, left_x, 406),
        box("add x", left_x, 422, width, GREEN),
        element("path", d=f"M{left_x + 20:g} 16H{far:g}V422", fill="none", stroke=INK, stroke_width=1.6),
        arrow(far, 422, left_x + width / 2, 422),
        arrow(left_x, 438, left_x, 474),
        note("written", left_x + 42, 464),
        left("first loop", 190, 68, 14.0, font_weight="bold"),
        left("second loop", 184, 316, 14.0, font_weight="bold"),
        note("shortcut", far - 8, 274, text_anchor="end"),
    ]
    description = (
        "Seven calls. The first loop computes a convolution, its bias, the sigmoid of that, and the product of both, "
        "which is written. The second computes a convolution of it, its bias, and adds x, which comes by a shortcut."
    )
    return picture(376, 486, "Calls in two groups", description, *marks)


def draw_tile() -> Svg:
    """A tile of 4 x 3 sums."""
    step, across = 30.0, 74.0
    x0, y0 = 116.0, 112.0
    marks = [note("w: 3 vectors of 8, one step", x0 + 1.5 * across, 26)]
    for c in range(3):
        for n in range(8):
            marks.append(cell(x0 + c * across + n * 8.4, 42, 8.4, 26, ORANGE))
        marks.append(arrow(x0 + c * across + 33, 72, x0 + c * across + 33, y0 - 8))
    marks.append(left("x: 4 of", 6, 62))
    marks.append(left("its numbers", 6, 80))
    for r in range(4):
        y = y0 + r * (step + 8)
        marks.append(cell(46, y + 2, 26, 26, BLUE, f"x{r}", 13.0))
        marks.append(arrow(76, y + 15, x0 - 8, y + 15))
        for c in range(3):
            marks.append(cell(x0 + c * across, y, 67.2, step, VIOLET, f"sum {r}.{c}", 13.0))
    description = (
        "A tile of 4 rows and 3 vectors: three vectors of weights come from above, four numbers of x from the left, "
        "and each of the 12 sums gets the product of its row and column."
    )
    return picture(350, y0 + 4 * (step + 8) + 4, "A tile", description, *marks)


def draw_registers() -> Svg:
    """The sixteen registers that a tile of 4 x 3 takes."""
    marks = [left("16 registers", 6, 16, 14.0, font_weight="bold")]
    for n in range(16):
        colours = VIOLET if n < 12 else ORANGE if n < 15 else BLUE
        label = "s" if n < 12 else "w" if n < 15 else "x"
        marks.append(cell(6 + 20.6 * n, 32, 20.6, 26, colours, label, 13.0))
    marks.append(left("12 sums, 3 for w, 1 for x", 6, 76))
    description = "16 registers in a line: 12 hold the sums of a tile of 4 x 3, 3 vectors of w, and 1 a number of x."
    return picture(350, 92, "Registers of a tile", description, *marks)


def draw_loop() -> Svg:
    """A loop that counts: blocks of IR, and beside them the same in Python."""
    size, tall, x0, x1, wide = 13.0, 21.0, 8.0, 156.0, 296.0
    right = x1 + wide
    before_k = ("br label %loop.k", "k = 0")
    loop_k = (
        ("%k = phi i64 [ 0, %before.k ],", "while True:"),
        (" " * 13 + "[ %k.next, %end.k ]", ""),
        ("; the body", "    ..."),
        ("br label %end.k", ""),
    )
    end_k = (
        ("%k.next = add i64 %k, 1", "    k = k + 1"),
        ("%k.more = icmp slt i64 %k.next, 24", "    if not k < 24:"),
        ("br i1 %k.more, label %loop.k,", "        break"),
        (" " * 15 + "label %after.k", ""),
    )
    blocks = (("before.k:", BLUE, (before_k,)), ("loop.k:", GREEN, loop_k), ("end.k:", ORANGE, end_k))
    marks = [left("Python", x0, 14, font_weight="bold"), left("IR", x1, 14, font_weight="bold")]

    def written(content: str, x: float, y: float, **more: object) -> str:
        indent = len(content) - len(content.lstrip())
        return text(content.lstrip(), x + 0.6 * size * indent, y, size, text_anchor="start", **more)

    top, rows = 30.0, {}
    for label, (fill, border), lines in (*blocks, ("after.k:", (PLAIN, LINE), ())):
        height = tall * (1 + len(lines)) + 6
        marks.append(element("rect", x=x1, y=top, width=wide, height=height, rx=5.0, fill=fill, stroke=border))
        marks.append(written(label, x1 + 6, top + 3 + tall / 2, fill=DARK, font_weight="bold"))
        for n, (line, python) in enumerate(lines, 1):
            rows[line] = y = top + 3 + tall * (n + 0.5)
            marks += [written(line, x1 + 20, y, fill=DARK), written(python, x0, y)]
        if label != "after.k:":
            marks.append(arrow(x1 + 40, top + height, x1 + 40, top + height + 18))
        top += height + 20
    first, second, back = rows[loop_k[0][0]], rows[loop_k[1][0]], rows[end_k[2][0]]
    entry, start = x1 + 20 + 0.6 * size * 33, rows[before_k[0]]
    for out, begin, end, colours in ((14.0, start, first, BLUE), (14.0, back, second, ORANGE)):
        track = f"M{right:g} {begin:g}H{right + out:g}V{end:g}H{right - 2:g}"
        head = f"M{entry + 7:g} {end - 4:g}L{entry + 1:g} {end:g}L{entry + 7:g} {end + 4:g}"
        marks.append(
            element("path", d=f"{track}H{entry + 1:g}{head}", fill="none", stroke=colours[1], stroke_width=2.2)
        )
    marks.append(left("0", right + 20, (start + first) / 2, size))
    marks.append(left("k.next", right + 20, (back + second) / 2, size))
    description = (
        "Four blocks: before.k jumps to loop.k, which begins with a phi and jumps to end.k after the body. end.k adds "
        "1 to k, compares k.next with 24, and jumps back to loop.k or on to after.k. The phi takes 0 when the jump "
        "came from before.k, and k.next when it came from end.k. Beside them the same loop in Python: k = 0, while "
        "True, k = k + 1, break if k is not less than 24."
    )
    return picture(right + 72, top - 12, "A loop in Python and in IR", description, *marks)


def draw_threads() -> Svg:
    """Two threads and eight rows, with fixed shares and with a counter."""
    x0, unit, tall = 84.0, 23.0, 30.0
    marks = []
    fixed = ([(n, n + 1) for n in range(4)], [(3 * n, 3 * n + 3) for n in range(4)])
    counted = ([(n, n + 1) for n in range(6)], [(0, 3), (3, 6)])
    for title, lanes, end, y in (
        ("fixed shares: 4 rows each", fixed, 12, 22.0),
        ("one row at a time", counted, 6, 164.0),
    ):
        marks.append(left(title, 8, y, 16.0, font_weight="bold"))
        for number, (rows, name, colours) in enumerate(
            zip(lanes, ("thread 0", "thread 1"), (BLUE, ORANGE), strict=True)
        ):
            top = y + 18 + number * (tall + 8)
            marks.append(left(name, 8, top + tall / 2))
            for start, stop in rows:
                marks.append(cell(x0 + start * unit, top, (stop - start) * unit, tall, colours))
            done = rows[-1][1]
            if done < end:
                marks.append(note("waits", x0 + (done + end) / 2 * unit, top + tall / 2))
        at = x0 + end * unit
        marks.append(element("line", x1=at, y1=y + 12, x2=at, y2=y + 92, stroke=INK, stroke_width=3.0))
        for time in (0, 6, 12) if end == 12 else (0, 6):
            marks.append(note(str(time), x0 + time * unit, y + 104))
    marks.append(left("Thread 1 is slow: its core is busy.", 8, 292))
    description = (
        "Two threads, 8 rows. Thread 0 needs 1 for a row, thread 1 needs 3. With fixed shares of 4 rows thread 0 is "
        "done at 4 and waits until 12. If each takes a row when it is free, thread 0 does 6 rows, thread 1 two, and "
        "both are done at 6."
    )
    return picture(376, 308, "Fixed shares and a counter", description, *marks)


def draw() -> dict[str, Svg]:
    """Name -> picture."""
    return {
        "walks": draw_walks(),
        "groups": draw_groups(),
        "tile": draw_tile(),
        "registers": draw_registers(),
        "loop": draw_loop(),
        "threads": draw_threads(),
    }
