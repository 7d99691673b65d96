"""Mutants: wrong submissions, each the worked solution with one mistake that somebody makes."""

from __future__ import annotations

from dataclasses import dataclass


class MutantError(Exception):
    """A mutant does not fit the solution."""


@dataclass(frozen=True)
class Mutant:
    """The worked solution with `old`, which must occur exactly once, replaced by `new`.

    why : what the person thought. breaks : the one rule of the task that it breaks, "" if several or none by name.
    exercise : set when the file that holds it is read.
    """

    name: str
    why: str
    old: str
    new: str
    breaks: str = ""
    exercise: str = ""

    def applied(self, solution: str) -> str:
        """The mutated solution. Raises MutantError unless `old` occurs exactly once."""
        found = solution.count(self.old)
        if found != 1 or self.old == self.new:
            raise MutantError(f"mutant {self.name}: expected `old` once in the solution, found it {found} times")
        return solution.replace(self.old, self.new)
