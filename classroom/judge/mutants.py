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
        """The mutated solution. Raises MutantError unless `old` occurs exactly once, and `new` is something else."""
        found = solution.count(self.old)
        name = f"mutant {self.exercise}/{self.name}" if self.exercise else f"mutant {self.name}"
        if self.old == self.new:
            raise MutantError(f"{name}: `new` is what `old` is, so it is the solution itself")
        if found != 1:
            raise MutantError(f"{name}: expected `old` once in the solution, found it {found} times: {self.old!r:.200}")
        return solution.replace(self.old, self.new)
