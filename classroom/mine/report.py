"""What `course mine` prints: the parts, what is missing and how to go on, and what the finished framework can do."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from rich.table import Table

from classroom import register
from classroom.explain import labelled
from classroom.mine.package import BONUS, PARTS, FrameworkPart
from classroom.mine.run import UNSEEN, BesideKuiper
from classroom.page import paragraph, styled
from classroom.started import COMMAND, short_name
from classroom.tasks import HomeworkTask

BEFORE_BONUS = "im2col"
"""The part in the table behind which the bonus stands."""


def parts_table(tasks: Sequence[HomeworkTask], solved: Collection[str]) -> Table:
    """Table of the parts: lesson, exercise, what it does in the framework, whether it is there."""
    lessons = {task.id: str(task.lesson.number) for task in tasks}
    drawn = Table(box=None, pad_edge=False)
    drawn.add_column("Lesson", justify="right")
    for name in ("Part", "What it does", ""):
        drawn.add_column(name, no_wrap=True)
    for part in PARTS:
        there = "there" if part.exercise in solved else "missing"
        drawn.add_row(lessons[part.exercise], part.exercise, part.does, there)
        if part.exercise == BEFORE_BONUS:
            drawn.add_row(lessons[part.exercise], BONUS, "nn.Conv2d, a bonus", "there" if BONUS in solved else "given")
    return drawn


def missing_text(folder: Path, missing: Sequence[FrameworkPart], begun: Collection[str]) -> str:
    """How many parts there are, and how to go on with the first that is missing."""
    first = missing[0].exercise
    lines = [paragraph(f"Your framework has {len(PARTS) - len(missing)} of {len(PARTS)} parts.")]
    word = "not right yet" if first in begun else "not solved yet"
    lines += [
        labelled("written", f"{shown(folder)}, with your homework files as they are now"),
        labelled("next", f"{first} ({missing[0].does}), which is {word}"),
        labelled("check", f"{COMMAND} check {first}"),
        labelled("stuck?", f"{COMMAND} hint {first}"),
    ]
    return "\n".join(lines)


def outcome_text(folder: Path, found: BesideKuiper) -> str:
    """What the finished framework does, or where it stops."""
    if found.error:
        place = ("the digits", "lesson 8's classifier", f"random network {found.stopped - 1} of {UNSEEN}")
        lines = [styled("Your framework has all its parts, and stops.", "bad")]
        return "\n".join(
            [*lines, labelled("at", place[min(found.stopped, 2)]), labelled("happened", found.error), *looked_for()]
        )
    reads = f"Your framework reads {found.right} of {found.digits} digits, without kuiper"
    if not found.good:
        lines = [styled(f"{reads}; kuiper reads {found.kuiper_right}.", "bad")]
        lines += [
            labelled("patches", f"{found.patches_right} of {found.patches} right; kuiper: {found.kuiper_patches}")
        ]
        lines += [labelled("networks", f"{found.agreeing} of {UNSEEN} random networks give what kuiper gives")]
        return "\n".join([*lines, *looked_for()])
    return "\n".join(
        [
            styled(f"{reads}.", "good"),
            labelled(
                "patches",
                f"{found.patches_right} of {found.patches} named right by the ResNet of lesson 8, as by kuiper",
            ),
            labelled("networks", f"{UNSEEN} of {UNSEEN} that it has never seen give what kuiper gives"),
            labelled("time", f"one digit takes {found.ratio:.1f} times as long as with kuiper's simple engine"),
            labelled("it is in", f"{shown(folder)}, a package that needs numpy only: take it along"),
            labelled(
                "try",
                f"{short_name(sys.executable)} -m {folder.name}, in the folder that holds it; with a model and "
                "an .npy file it runs a network of your own",
            ),
        ]
    )


def looked_for() -> list[str]:
    """How to find what is wrong though every exercise passes."""
    return [labelled("then", f"`{COMMAND} demo digits --mine` runs your parts one by one beside kuiper's")]


def shown(folder: Path) -> str:
    """The folder as a student reads it: from the course's folder on, if it lies there."""
    root = register.ROOT.resolve()
    return f"{folder.relative_to(root).as_posix()}/" if folder.is_relative_to(root) else str(folder)
