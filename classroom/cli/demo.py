"""`course demo`: the gallery of networks, by the framework's own code or by the student's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from classroom import gallery
from classroom.cli.base import LEARN, app, show, stop, tasks_called, the_course, the_progress
from classroom.page import say

if TYPE_CHECKING:
    from classroom.gallery.piece import DemoOptions

ALL = "all"
OWN_PANEL = "A picture or a network of your own"
TEXT_PANEL = "What write writes"


def option(text: str, panel: str | None = None, **more: Any) -> Any:
    """A Typer option with its help text."""
    return typer.Option(help=text, rich_help_panel=panel, **more)


@app.command(rich_help_panel=LEARN)
def demo(
    piece: Annotated[
        str, typer.Argument(metavar="PIECE", help=f"{', '.join(gallery.NAMES)}, or all.", show_default=False)
    ] = gallery.NAMES[0],
    listed: Annotated[bool, typer.Option("--list", help="Name the pieces, and leave it at that.")] = False,
    mine: Annotated[bool, typer.Option("--mine", help="With your own code wherever an exercise is solved.")] = False,
    also: Annotated[
        list[str] | None,
        typer.Option("--also", metavar="EXERCISE", help="With --mine: this too, though it is not solved."),
    ] = None,
    out: Annotated[Path, option("The folder for pictures.", metavar="FOLDER")] = gallery.OUT,
    picture: Annotated[
        str | None, option("A picture of yours instead of those held out.", OWN_PANEL, metavar="FILE")
    ] = None,
    model: Annotated[
        str | None, option("With --picture: a network of yours, as pnnx wrote it.", OWN_PANEL, metavar="FILE")
    ] = None,
    prompt: Annotated[str | None, option("How the text begins.", TEXT_PANEL, metavar="TEXT")] = None,
    tokens: Annotated[int | None, option("How many tokens follow (100).", TEXT_PANEL, metavar="N", min=1)] = None,
    temperature: Annotated[
        float | None,
        option("0: always the likeliest; 1: as likely as it is (0.7).", TEXT_PANEL, metavar="NUMBER", min=0),
    ] = None,
    top_p: Annotated[
        float | None,
        option("Only the likeliest, until they sum up to this (0.9).", TEXT_PANEL, metavar="0..1", min=0, max=1),
    ] = None,
    seed: Annotated[int | None, option("Another one, another text (1).", TEXT_PANEL, metavar="N", min=0)] = None,
) -> None:
    """Trained networks at work on data they have never seen; without a PIECE: one reads handwritten digits.

    classify, detect and segment save pictures, write prints as it writes.

    With --mine your solved exercises take the place of the framework's own
    functions: it says what is yours, and where a result first departs.

    Example: demo detect --mine --also letterbox
    """
    if listed:
        show(piece_table())
        return
    if piece != ALL and piece not in gallery.NAMES:
        stop(f"the demo has {', '.join(gallery.NAMES)} and all, not {piece!r}")
    from classroom.gallery.piece import DemoOptions

    options = DemoOptions(picture, model, prompt, tokens, temperature, top_p, seed)
    mine = mine or bool(also)
    names = gallery.NAMES if piece == ALL else (piece,)
    check_options(piece, options, mine)
    course = the_course() if mine else None
    more = tasks_called(course, also or []) if course else []
    code = 0
    work = None
    for number, name in enumerate(names):
        if number:
            say()
        if course is not None:
            from classroom.gallery.mine import show_mine, work_of

            work = work_of(course, the_progress()) if work is None else work
            code = max(code, show_mine(name, options, out, work, more))
        elif options.picture is not None:
            from classroom.gallery.own import show_own

            code = show_own(name, options, out)
        else:
            from classroom.gallery.show import show_piece

            code = max(code, show_piece(name, options, out))
    raise typer.Exit(code)


def check_options(piece: str, options: DemoOptions, mine: bool) -> None:
    """Exit with an error if the options cannot be combined."""
    taken = {name: gallery.find(name).options for name in gallery.NAMES}
    for given in options.given():
        if given not in taken.get(piece, ()):
            owners = ", ".join(name for name in gallery.NAMES if given in taken[name])
            stop(f"{given} means nothing to demo {piece}; it belongs to {owners}")
    if options.model is not None and options.picture is None:
        stop("--model needs --picture: which picture is the network to look at?")
    if options.picture is not None and mine:
        stop("--mine runs on held-out data, where it is known what is right: leave --picture out")


def piece_table() -> Table:
    """Table of the pieces: name, what it does, network, lessons."""
    drawn = Table(box=None, pad_edge=False)
    for heading in ("Piece", "What the network does", "Network", "Lesson"):
        drawn.add_column(heading, no_wrap=True)
    for name in gallery.NAMES:
        piece = gallery.find(name)
        place = f"models/{piece.network}" if piece.model.is_file() else "missing"
        drawn.add_row(name, piece.summary, place, piece.lessons)
    return drawn
