"""What `course mine` prints: the parts, what is missing and how to go on, and what the finished framework can do."""

from __future__ import annotations

import ast
import os
import shutil
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from classroom import register
from classroom.check import syntax_error
from classroom.explain import fault_in_words, labelled
from classroom.mine.package import PARTS, PHOTOGRAPH, FrameworkPart, quoted
from classroom.mine.run import UNSEEN, BesideKuiper
from classroom.page import paragraph, styled
from classroom.started import COMMAND
from classroom.tasks import HomeworkTask, files_of

if TYPE_CHECKING:
    from classroom.gallery.mine import StudentWork


def parts_table(
    tasks: Sequence[HomeworkTask], solved: Collection[str], begun: Collection[str] = (), faults: Collection[str] = ()
) -> Table:
    """Table of the parts: lesson, exercise, what it does in the framework, whose code runs.

    begun : those that are written, and not right yet. faults : those whose file is Python and cannot be loaded.
    """
    lessons = {task.id: str(task.lesson.number) for task in tasks}
    unread = {task.id for task in tasks if task.id not in solved and isinstance(syntax_error(task.file), SyntaxError)}
    drawn = Table(box=None, pad_edge=False)
    drawn.add_column("Lesson", justify="right", no_wrap=True)
    for name in ("Part", "What it does", ""):
        drawn.add_column(name, no_wrap=True)
    for part in PARTS:
        stands = "yours" if part.exercise in solved else "not right" if part.exercise in begun else "missing"
        stands = "not loaded" if part.exercise in faults else stands
        stands = "not Python yet" if part.exercise in unread else stands
        drawn.add_row(lessons[part.exercise], part.exercise, part.does, stands)
    drawn.add_row("6", "conv2d", "nn.Conv2d, of these windows (a bonus)", "yours" if "conv2d" in solved else "given")
    drawn.add_row("5", "ReLU", "nn.ReLU, the lesson's example", "given")
    return drawn


def conv2d_text(work: StudentWork) -> str:
    """That the given convolution runs because the student's own is not right; "" if there is none, or it is right."""
    if "conv2d" in work.broken:
        why = f"must hold: {work.broken['conv2d']}"
    elif "conv2d" in work.faults and "conv2d" not in {task.id for task in work.solved}:
        why = f"{COMMAND} check conv2d says why"
    else:
        return ""
    return labelled("conv2d", f"yours is not right yet, and the given one runs in its place; {why}")


def missing_text(
    folder: Path, missing: Sequence[FrameworkPart], work: StudentWork, done: Sequence[str] = (), reach: str = ""
) -> str:
    """How many parts there are, what they do already, and how to go on with the first that is missing.

    done : what the parts show on the digits' network. reach : how many of its operators they compute.
    """
    first = missing[0].exercise
    lines = [paragraph(f"Your framework has {len(PARTS) - len(missing)} of {len(PARTS)} parts.")]
    lines += [labelled("they read" if not n else "and then", line) for n, line in enumerate(done)]
    lines += [labelled("compute", reach)] if reach else []
    broken = [part.exercise for part in missing if part.exercise in work.broken and part.exercise != first]
    lines += [labelled("written", f"{shown(folder)}, a package with your homework files as they are now"), ""]
    following, word = first, "not right yet" if first in work.broken else "not solved yet"
    says = f"{first} ({missing[0].does}), which is {word}"
    for task in work.unsolved:
        if task.id == first and (fault := syntax_error(task.file) or work.faults.get(first)):
            says = f"{first} ({missing[0].does}): {fault_in_words(task, fault)}"
    if first in work.waiting:
        following = work.waiting[first]
        says = f"{following}, which {first} ({missing[0].does}) calls, and which is not written yet"
    lines += [labelled("next", says)]
    if first in work.broken:
        lines += [labelled("must hold", work.broken[first])]
        lines += [labelled("likely why", why)] if (why := work.causes.get(first)) else []
        if first in work.late and len(missing) == 1:
            lines += [labelled("time", f"a busy machine can be the reason: `{run_by_hand(folder)}` has no limit")]
    lines += [labelled("check", f"{COMMAND} check {following}"), labelled("stuck?", f"{COMMAND} hint {following}")]
    if broken:
        lines += ["", paragraph("Also not right yet:")]
        lines += [labelled("must hold", f"{exercise}: {work.broken[exercise]}") for exercise in broken]
    return "\n".join(lines)


def reach_text(text: str, solved: Collection[str]) -> str:
    """How many operators of a model file have their part among the solved exercises, and which types have none.

    >>> reach_text("1\\n2 2\\nnn.ReLU a 1 1 0 1\\nnn.Sigmoid b 1 1 1 2\\n", [])
    '1 of 2 operators have their part; without one: nn.Sigmoid'
    """
    kinds = [line.split()[0] for line in text.splitlines()[2:] if line.strip()]
    needed = {kind: {part.exercise for part in PARTS if kind in part.types} for kind in kinds}
    without = [kind for kind in kinds if not needed[kind] <= set(solved)]
    said = f"{len(kinds) - len(without)} of {len(kinds)} operators have their part"
    last = list(dict.fromkeys(kind for kind in without if needed[kind] == {"framework"}))
    others = [kind for kind in dict.fromkeys(without) if kind not in last]
    said += f"; without one: {', '.join(others)}" if others else ""
    return said + (f"; of framework itself: {', '.join(last)}" if last else "")


def shorter_order(line: str) -> str:
    """The order in which the operators run, where it has been shown before.

    >>> shorter_order("they run in the order in, a, b, out")
    'they run in the order in, ..., out'
    """
    first, *_, last = line.split(", ")
    return f"{first}, ..., {last}"


def outcome_text(folder: Path, found: BesideKuiper) -> str:
    """What the finished framework does, or where it stops."""
    if found.error:
        place = f"random network {found.stopped} of {UNSEEN}" if found.stopped else "the digits"
        place = "the ResNet of lesson 8" if found.stopped > UNSEEN else place
        lines = [styled("Your framework has all its parts, and stops.", "bad")]
        lines += [labelled("at", place), labelled("happened", found.error)]
        if not 0 < found.stopped <= UNSEEN:
            lines += [labelled("then", f"`{run_by_hand(folder)}` shows all the calls that lead there")]
        return "\n".join([*lines, *looked_for()])
    reads = f"Your framework reads {found.right} of {found.digits} digits, without kuiper"
    if not found.good:
        lines = [styled(f"{reads}; kuiper reads {found.kuiper_right}.", "bad")]
        lines += [labelled("networks", f"{found.agreeing} of {UNSEEN} random networks give what kuiper gives")]
        lines += [labelled("ResNet", f"{patches_text(found)}; kuiper names {found.patches_kuiper}")]
        return "\n".join([*lines, *looked_for()])
    return "\n".join(
        [
            styled(f"{reads}.", "good"),
            labelled("networks", f"{UNSEEN} of {UNSEEN} that it has never seen give what kuiper gives"),
            labelled("ResNet", f"{patches_text(found)}, as by kuiper"),
            labelled("it is in", f"{shown(folder)}, a package that needs numpy only: take it along"),
            in_one_line("run it", run_by_hand(folder)),
            in_one_line("a picture", run_by_hand(folder, f"{folder.name}/classifier {folder.name}/{PHOTOGRAPH}")),
        ]
    )


def patches_text(found: BesideKuiper) -> str:
    """How many patches the ResNet of lesson 8 names right."""
    return f"the network of lesson 8 names {found.patches_right} of {found.patches} patches of photographs right"


def own_parts_text(passed: Sequence[HomeworkTask], solved: Collection[str]) -> str:
    """How many parts of the framework are there, where one of them has just passed; "" where none has."""
    ids = [part.exercise for part in PARTS]
    parts = [task for task in passed if task.id in ids]
    if not parts:
        return ""
    left = [name for name in ids if name not in solved]
    without = f", {' and '.join(left)} not checked or not right yet" if 0 < len(left) <= 2 else ""
    said = f"{len(ids) - len(left)} of {len(ids)} parts of your own framework{without}: {COMMAND} mine"
    for file in files_of(parts):
        for module in modules_beside(file):
            said += f". It copies {file.name} without {module}.py: write what you need of that into {file.name}"
    return said


def modules_beside(file: Path) -> list[str]:
    """The modules of the student's own that a homework file imports: those that lie beside it."""
    names = list[str]()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names += [one.name for one in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
    return sorted({name for name in names if name.isidentifier() and file.with_name(f"{name}.py").is_file()})


def looked_for() -> list[str]:
    """How to find what is wrong though every exercise passes."""
    return [
        labelled("framework", f"`{COMMAND} check framework` tests it by itself, with kuiper's parts"),
        labelled(
            "the others", f"`{COMMAND} demo digits --mine` runs them one by one beside kuiper's, and no framework"
        ),
    ]


def run_by_hand(folder: Path, arguments: str = "") -> str:
    """The command that runs the package, from the folder that the reader is in; `arguments` come after its name."""
    before = "" if Path.cwd() == folder.parent else f"cd {quoted(folder.parent)} && "
    python = interpreter(folder.parent)
    return f"{before}{quoted(python)} -m {folder.name} {arguments}".rstrip()


def in_one_line(label: str, command: str) -> str:
    """A command with its label in the margin: never broken, so that it can be copied.

    >>> in_one_line("run it", "python -m mine")
    '  run it      python -m mine'
    """
    return labelled(label, f"`{command}`").replace("`", "")


def interpreter(place: Path) -> Path:
    """This interpreter, which has numpy, as one types it in `place`: by its name where a shell finds it by that.

    A link of the same name elsewhere leads to the same file, and to other libraries.
    """
    here = Path(os.path.abspath(sys.executable))
    named = shutil.which(here.name)
    if named and Path(os.path.abspath(named)) == here:
        return Path(here.name)
    return here.relative_to(place) if here.is_relative_to(place) else here


def shown(folder: Path) -> str:
    """The folder as a student reads it: from the course's folder on, if it lies there."""
    root = register.ROOT.resolve()
    return f"{folder.relative_to(root).as_posix()}/" if folder.is_relative_to(root) else str(folder)
