"""The commands start (no arguments), next and map."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from classroom import gallery, status
from classroom.cli.base import LEARN, app, show, stop, the_course, the_progress
from classroom.page import paragraph, say


@app.callback(invoke_without_command=True)
def start(context: typer.Context) -> None:
    """Without a command: the main job, the map, the next step."""
    if context.invoked_subcommand is None:
        from classroom.gallery.show import show_piece

        code = show_piece()
        print_map()
        raise typer.Exit(code)


@app.command("next", rich_help_panel=LEARN)
def next_step() -> None:
    """What to do now: the first exercise that you have not solved, and the lesson that goes with it."""
    course, entries = the_course(), the_progress().entries()
    say(status.next_step(course, entries))
    score = status.score_line(course, entries)
    if score:
        say(paragraph(score))


@app.command("map", rich_help_panel=LEARN)
def show_map(
    svg: Annotated[Path | None, typer.Option(help="Draw the map into this file instead.", dir_okay=False)] = None,
) -> None:
    """Lessons, what each teaches with, and its homework; then the next step.

    In the last column x stands for solved, ~ for edited since it was solved, + for a bonus.
    """
    if svg is None:
        print_map()
        return
    from classroom.picture import draw_map
    from kuiper.errors import KuiperError

    try:
        draw_map(the_course()).save(svg)
    except KuiperError as error:
        stop(str(error))
    say(f"drew the map into {svg}")


def print_map() -> None:
    """Print the map as a table, the score, and the next step."""
    course, entries = the_course(), the_progress().entries()
    table = Table(title=course.title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("Lesson", no_wrap=True)
    table.add_column("Learn from", min_width=10, overflow="fold")
    table.add_column("Homework", no_wrap=True, overflow="ellipsis")
    for row in status.rows(course, entries):
        table.add_row(*row)
    say()
    show(table)
    say()
    score = status.score_line(course, entries)
    if score:
        say(paragraph(score))
    print_share(status.solved_exercises(course, entries))
    say(status.next_step(course, entries))


def print_share(solved: Sequence[str]) -> None:
    """Print how much of the digits' network the solved exercises compute, once they compute something."""
    if not solved:
        return
    from classroom.gallery import share
    from kuiper.errors import KuiperError

    if not share.computing_exercises(solved):
        return
    piece = gallery.find("digits")
    try:
        found = share.network_share(piece, solved)
    except (OSError, KuiperError):  # `doctor` names what is missing
        return
    say()
    say("\n".join(share.lines(piece.network, found)))
    say()
