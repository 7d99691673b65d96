"""Histograms of points as SVG, readable on light and dark pages."""

from __future__ import annotations

from collections.abc import Sequence

from classroom.grading.safe import one_line
from kuiper.show.svg import Svg, element, picture, text

LABELS = ("0", "≤25%", "≤50%", "≤75%", "<100%", "100%")
"""The shares of the points that a bar counts."""
COLOURS = ("#c0603a", "#c98a3c", "#b9a23a", "#8fa648", "#5f9a55", "#3f8a5f")
WIDTH, HEIGHT, TOP, BOTTOM = 288.0, 128.0, 18.0, 20.0


def histogram(points: Sequence[float], most: float) -> list[int]:
    """Counts of `points` that are 0, up to 25%, 50%, 75%, below 100%, and 100% of `most`.

    >>> histogram([0, 1, 2, 3.5, 4, 4], 4)
    [1, 1, 1, 0, 1, 2]
    """
    counts = [0] * len(LABELS)
    for value in points:
        share = value / most if most else 1.0
        place = 0 if share <= 0 else 5 if share >= 1 else next(i for i in (1, 2, 3, 4) if share <= i / 4)
        counts[place] += 1
    return counts


def distribution(title: str, points: Sequence[float], most: float) -> Svg:
    """A bar chart of `histogram`. Deterministic."""
    counts = histogram(points, most)
    step, highest = WIDTH / len(counts), max(*counts, 1)
    marks = []
    for place, (count, label, colour) in enumerate(zip(counts, LABELS, COLOURS)):
        x, height = place * step, (HEIGHT - TOP - BOTTOM) * count / highest
        y = HEIGHT - BOTTOM - height
        bar = element("rect", x=x + 4, y=y, width=step - 8, height=height, rx=2.0, fill=colour)
        marks.append(bar if count else "")
        marks.append(text(str(count), x + step / 2, y - 9, 12.0, "currentColor"))
        marks.append(text(label, x + step / 2, HEIGHT - 8, 11.0, "currentColor"))
    floor = HEIGHT - BOTTOM
    marks.append(element("path", d=f"M0 {floor}H{WIDTH}", stroke="currentColor", stroke_opacity=0.4))
    described = ", ".join(f"{label}: {count}" for label, count in zip(LABELS, counts))
    return picture(
        WIDTH, HEIGHT, one_line(title, 120), f"Submissions by their share of the points. {described}", *marks
    )
