"""The command that builds the course's site."""

from __future__ import annotations

import time
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from classroom import register
from classroom.cli.base import LEARN, app, needs, stop, the_course
from classroom.page import paragraph, say

DEFAULT_OUT = Path("build/site")


@app.command(rich_help_panel=LEARN)
@needs("site", "sphinx", "myst_nb", "furo")
def site(
    out: Annotated[Path, typer.Option("--out", help="The folder to write to.", file_okay=False)] = DEFAULT_OUT,
    show: Annotated[bool, typer.Option("--open", help="Show it in the browser.")] = False,
    live: Annotated[
        Path | None,
        typer.Option(
            "--live", metavar="FOLDER", help="Pyodide's files: Python in the pages, offline.", file_okay=False
        ),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", "-W", help="Exit code 1 where anything is doubtful.")] = False,
) -> None:
    """Build the course's site: lessons, exercises, hints and the API as pages that need no server and no internet.

    Example: site --open
    """
    from classroom.site.build import build
    from classroom.site.tree import SiteError

    started = time.monotonic()
    folder = out if out.is_absolute() or out != DEFAULT_OUT else register.ROOT / out
    try:
        built = build(the_course(), folder, live=live)
    except SiteError as error:
        stop(str(error))
    except OSError as error:
        stop(f"{error.filename or folder}: {error.strerror or error}")
    for warning in built.warnings:
        say(warning)
    if built.without_course:
        say(f"The site has no course.zip to download: {built.without_course}")
    if built.solved:
        say(paragraph(f"Its course.zip has the exercises as they were handed out, without your {_and(built.solved)}."))
    say(f"{built.front}, in {time.monotonic() - started:.0f} s")
    if show:
        webbrowser.open(built.front.absolute().as_uri())
    raise typer.Exit(1 if strict and built.warnings else 0)


def _and(names: Sequence[str]) -> str:
    return " and ".join([*([", ".join(names[:-1])] if names[1:] else []), *names[-1:]])
