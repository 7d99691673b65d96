"""Axes of charts: numbers -> pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kuiper.show.svg import line


@dataclass(frozen=True)
class Ruler:
    """Numbers from `low` to `high` lie between the pixels `start` and `end`, by their logarithms if `log`.

    >>> Ruler(0, 4, 100, 300)(1), Ruler(1, 100, 0, 50, log=True)(10)
    (150.0, 25.0)
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, number: float) -> float:
        """The pixel of a number."""
        low, high, at = (math.log10(n) if self.log else n for n in (self.low, self.high, number))
        return self.start + (at - low) / (high - low) * (self.end - self.start)

    @property
    def powers(self) -> list[float]:
        """The powers of ten from `low` to `high`."""
        return [10.0**n for n in range(round(math.log10(self.low)), round(math.log10(self.high)) + 1)]


@dataclass(frozen=True)
class Axes:
    """To the right and upwards."""

    x: Ruler
    y: Ruler

    def column(self, number: float) -> str:
        """A faint line upwards, as tall as the chart."""
        return line(self.x(number), self.y.end, self.x(number), self.y.start, 0.5, stroke_opacity=0.35)

    def row(self, number: float) -> str:
        """A faint line to the right, as wide as the chart."""
        return line(self.x.start, self.y(number), self.x.end, self.y(number), 0.5, stroke_opacity=0.35)
