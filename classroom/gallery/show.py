"""`course demo`: run a piece with the framework's own code, print the result and save its pictures."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import kuiper
from classroom import gallery
from classroom.gallery.piece import Callbacks, DemoOptions, Drawing, Piece
from classroom.gallery.pipeline import Pipeline
from classroom.gallery.terminal import Typewriter
from classroom.page import say, styled


def show_piece(name: str = "digits", options: DemoOptions | None = None, out: Path = gallery.OUT) -> int:
    """Run a piece and print the result. Returns the exit code."""
    piece, options = gallery.find(name), options or DemoOptions()
    with errors_explained() as code:
        ready(piece, out)
        items = piece.sample(options)
        pipeline = Pipeline(piece.model, piece.steps)
        say(styled(piece.title, "bold"))
        say()
        writer = Typewriter()
        with bar(f"demo {name}", piece.work(items) if piece.draws else 0) as advance:
            answer = piece.look(pipeline, items, Callbacks(advance, writer))
        writer.end()
        drawings = piece.tell(answer, items)
        say(f"The network has {pipeline.facts()}. PyTorch trained it,")
        say("PNNX wrote it down, and kuiper computed it here with numpy.")
        save_drawings(drawings, out)
    return code[0]


@contextmanager
def errors_explained() -> Iterator[list[int]]:
    """Yield [0], which becomes [2] after an error that is printed as a sentence."""
    code = [0]
    try:
        yield code
    except FileNotFoundError as error:
        complain(f"{error.filename} is missing; the demo needs the course's folder")
        code[0] = 2
    except BrokenPipeError:
        raise
    except (OSError, kuiper.KuiperError) as error:
        complain(str(error))
        code[0] = 2


def complain(sentence: str) -> None:
    """Print an error message."""
    sys.stdout.flush()
    print(f"course: {sentence}", file=sys.stderr)


def ready(piece: Piece, out: Path) -> None:
    """Check files and folders before the work starts. Raises FileNotFoundError, KuiperError, OSError."""
    if not piece.model.is_file():
        raise FileNotFoundError(2, "missing", str(piece.model))
    if piece.draws:
        from kuiper.vision.pictures import to_pillow

        to_pillow(np.zeros((1, 1, 3), np.uint8))
        check_folder(out)


def check_folder(out: Path) -> None:
    """Raise KuiperError if no file could be written to the folder."""
    if out.exists() and not out.is_dir():
        raise kuiper.KuiperError(f"{out} is a file: pictures need a folder (--out)")
    place = next(folder for folder in (out, *out.resolve().parents) if folder.is_dir())
    if not os.access(place, os.W_OK):
        raise kuiper.KuiperError(f"{place} cannot be written to: --out names another folder for pictures")


def save_drawings(drawings: Sequence[Drawing], out: Path) -> None:
    """Write the pictures and print their paths. Raises KuiperError."""
    if not drawings:
        return
    from kuiper.vision import save_picture

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise kuiper.KuiperError(f"{out} cannot be made ({error.strerror}): --out names another folder") from error
    files = [out / f"{stem}.png" for stem, _ in drawings]
    for file, (_, picture) in zip(files, drawings):
        save_picture(file, picture)
    say()
    listed = str(files[0]) if len(files) == 1 else f"{files[0]} to {files[-1].name}"
    say(f"Saved {listed}")


@contextmanager
def bar(what: str, total: int) -> Iterator[Callable[[], None]]:
    """A progress bar on a terminal for long work; call what is yielded to advance it."""
    if not total:
        yield lambda: None
        return
    from kuiper.cli.waiting import progress

    with progress(what, total) as advance:
        yield advance
