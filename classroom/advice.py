"""What a report tells its reader to do next: commands in a terminal; pages of the site have `PageAdvice` instead."""

from __future__ import annotations

from collections.abc import Sequence

from classroom.started import COMMAND


class Advice:
    """The next steps for a reader at a terminal."""

    has_points = True
    """Whether reports of solved exercises say how many points depend on which tests."""

    def solved(self, tests: int) -> str:
        """The state of an exercise whose public tests all pass."""
        return f"public tests passed ({tests} of {tests})"

    def check(self, *exercises: str) -> str:
        """How to check exercises."""
        return f"{COMMAND} check {' '.join(exercises)}"

    def hint(self, exercise: str) -> str:
        """How to get a hint."""
        return f"{COMMAND} hint {exercise}"

    def reset(self, name: str) -> str:
        """What puts an exercise or a homework file back, as the subject of a sentence."""
        return f"`{COMMAND} reset {name}`"

    def try_again(self) -> str:
        """What to do when the judge itself does not work."""
        return f"Try again; `{COMMAND} doctor` shows what this machine has."

    def more_failures(self, count: int, exercise: str) -> str:
        """That other tests failed too, and how to see them; "" where they are in sight."""
        return f"{count} more public test{'s' * (count > 1)} failed: {self.check(exercise)} --all-failures"

    def more_lines(self, count: int) -> str:
        """That so many printed lines are left out, and how to see them."""
        return f"... {count:,} more lines: --show-output shows all"

    def plug_in(self, piece: str, exercises: Sequence[str]) -> str:
        """How to run a piece of the demo with exercises that are not right yet, in a sentence; "" if impossible."""
        also = " ".join(f"--also {exercise}" for exercise in exercises)
        return (
            f"`{COMMAND} demo {piece} --mine {also}` runs {'it' if len(exercises) == 1 else 'them'} all the same, and "
            "says where the result first departs."
        )

    def cause(self, text: str) -> str:
        """The likely cause, as a test gives it."""
        return text


here = Advice()
"""For the reader of this process's reports."""
