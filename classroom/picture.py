"""The map of the course as SVG: each lesson, the modules it builds, its homework."""

from __future__ import annotations

from classroom.register import Course, Lesson
from kuiper.show.palette import INK
from kuiper.show.svg import Svg, element, picture, shorten, text

ROW, BOX, MARGIN = 44.0, 34.0, 14.0
LESSON, MODULES, HOMEWORK, GAP = 220.0, 270.0, 290.0, 34.0
COLOURS = {"lesson": ("#fde0c2", "#b8651b"), "modules": ("#cfe3fa", "#2f6db3"), "homework": ("#d5edcf", "#47843a")}


def draw_map(course: Course) -> Svg:
    """One row per lesson: lesson -> modules of kuiper -> exercises; dashed boxes are not written yet."""
    columns = [MARGIN, MARGIN + LESSON + GAP, MARGIN + LESSON + MODULES + 2 * GAP]
    parts = [part for one in course.lessons for part in (one.notebook(), one.sources(), one.homework())]
    heads = ["lesson", "what it builds", f"homework (points){'' if all(parts) else '; dashed: to come'}"]
    marks = [
        text(head, x, MARGIN + 8, 13.0, text_anchor="start", font_weight="bold")
        for head, x in zip(heads, columns, strict=True)
    ]
    for row, lesson in enumerate(course.lessons):
        marks.append(_row(lesson, columns, 2 * MARGIN + 16 + row * ROW))
    width = columns[-1] + HOMEWORK + MARGIN
    height = 2 * MARGIN + 16 + len(course.lessons) * ROW + MARGIN
    described = "; ".join(f"{one.number} {one.title}: {_modules(one)}" for one in course.lessons)
    return picture(width, height, f"Map of the course {course.title}", described, *marks)


def _row(lesson: Lesson, columns: list[float], y: float) -> str:
    exercises = ", ".join(exercise.id for exercise in lesson.exercises)
    parts = [
        _box("lesson", f"{lesson.number}  {lesson.title}", columns[0], y, LESSON, lesson.notebook() is not None),
        _box("modules", _modules(lesson), columns[1], y, MODULES, bool(lesson.sources())),
    ]
    ends = [columns[0] + LESSON]
    if exercises:
        content = f"{exercises} ({lesson.points})"
        parts.append(_box("homework", content, columns[2], y, HOMEWORK, lesson.homework() is not None))
        ends.append(columns[1] + MODULES)
    middle = y + BOX / 2
    arrows = [
        element("path", d=f"M{x + 4:.0f} {middle:.0f}H{x + GAP - 10:.0f}m-5 -4l6 4l-6 4", fill="none", stroke=INK)
        for x in ends
    ]
    return "".join([*parts, *arrows])


def _box(kind: str, content: str, x: float, y: float, width: float, exists: bool) -> str:
    fill, border = COLOURS[kind]
    look = {"fill": fill} if exists else {"fill": "none", "stroke_dasharray": "4 3"}
    box = element("rect", x=x, y=y, width=width, height=BOX, rx=6.0, stroke=border, **look)
    ink = "#1d2530" if exists else INK
    return box + text(shorten(content, int(width / 7)), x + 10, y + BOX / 2, fill=ink, text_anchor="start")


def _modules(lesson: Lesson) -> str:
    """kuiper.layers.layer, kuiper.layers.registry -> layers.layer, layers.registry."""
    return ", ".join(module.removeprefix("kuiper.") for module in lesson.modules)
