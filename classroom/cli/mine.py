"""`course mine`: a framework of the student's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from classroom import register
from classroom.cli.base import LEARN, app, show, stop, the_course, the_progress
from classroom.page import say, styled


@app.command(rich_help_panel=LEARN)
def mine(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="Where to write the package.", show_default="mine/")
    ] = None,
) -> None:
    """Your own framework: what you solved in lessons 2 to 8 becomes a package that reads digits and names
    photographs without kuiper.

    It says which part is still missing. The last one is framework, of lesson 8.

    Exit code: 0 it does what kuiper does, 1 something is missing or wrong.

    Examples: mine; mine ~/my_framework
    """
    from classroom.gallery.mine import work_of
    from classroom.mine.package import PARTS, PackageError, files_of_package, write_package, written_before
    from classroom.mine.report import conv2d_text, missing_text, outcome_text, parts_table, reach_text, shorter_order
    from classroom.mine.run import compare, so_far
    from classroom.tasks import all_tasks

    course = the_course()
    folder = (register.ROOT / "mine" if folder is None else folder.expanduser()).resolve()
    parts = {part.exercise for part in PARTS}
    try:
        written_before(folder)
    except PackageError as error:
        stop(str(error))
    say(styled("A framework of your own", "bold"))
    say(styled(f"checking {len(parts)} parts: those that you have changed take a few seconds each ...", "dim"))
    say()
    work = work_of(course, the_progress(), parts | {"conv2d"})
    solved = {task.id for task in work.solved}
    show(parts_table([task for task in all_tasks(course) if task.id in parts], solved, work.broken, work.faults))
    if beside := conv2d_text(work):
        say(beside)
    say()
    try:
        changed = write_package(folder, files_of_package(course, folder.name, solved))
    except PackageError as error:
        stop(str(error))
    missing = [part for part in PARTS if part.exercise not in solved]
    if missing:
        done = so_far(folder, solved)
        known = [] if "order.py" in changed else list(map(shorter_order, done[1:]))
        reach = reach_text((folder / "digits" / "digits.pnnx.param").read_text(encoding="utf-8"), solved)
        say(missing_text(folder, missing, work, [*done[:1], *(known or done[1:])], reach if done else ""))
        raise typer.Exit(1)
    found = compare(folder)
    say(outcome_text(folder, found))
    raise typer.Exit(int(not found.good))
