"""What a report in a page tells its reader to do next: what is on the page, and no command of a terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence

from classroom.advice import Advice
from classroom.started import DOCUMENTED

COMMAND_IN_BRACKETS = re.compile(rf" \({re.escape(DOCUMENTED)} [^)]*\)")
"""How tests name a command in a likely cause."""


class PageAdvice(Advice):
    """The next steps for somebody who reads by themselves: nobody gives them points."""

    has_points = False

    def solved(self, tests: int) -> str:
        """The state of an exercise whose public tests all pass."""
        return f"solved, {tests} of {tests} public tests passed"

    def check(self, *exercises: str) -> str:
        """Each exercise has a button of this name."""
        return f"check {', '.join(exercises)}"

    def hint(self, exercise: str) -> str:
        """The hints are folded, below the exercise."""
        return "open Hint 1 below"

    def reset(self, name: str) -> str:
        """The button beside the exercise's check."""
        return "The Reset button"

    def try_again(self) -> str:
        """Python is started anew by the next check."""
        return "Try again; if that does not help, reload the page. Your answers are kept."

    def more_failures(self, count: int, exercise: str) -> str:
        """The page shows them folded, below the report."""
        return ""

    def more_lines(self, count: int) -> str:
        """Pages have no way to see them."""
        return f"... {count:,} more lines"

    def plug_in(self, piece: str, exercises: Sequence[str]) -> str:
        """Pages run solved exercises only."""
        return ""

    def cause(self, text: str) -> str:
        """The likely cause without the command in it."""
        return COMMAND_IN_BRACKETS.sub("", text)
