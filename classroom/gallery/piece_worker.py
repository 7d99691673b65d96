"""The process in which a piece runs with a student's code: `python piece_worker.py REQUEST`; JSON in, JSON out.

The request is {"piece": name, "options": DemoOptions, "plugs": [[exercise, homework file], ...], "check_only": bool}.
It prints a line "." for each step of progress, then the answer. The student's output is discarded; whatever the code
raises is reported in the answer.
"""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[2]))

import kuiper
from classroom import gallery
from classroom.gallery.departure import CheckingPipeline
from classroom.gallery.fewer_bits import in_eight_bits
from classroom.gallery.piece import Callbacks, DemoOptions
from classroom.gallery.pipeline import Pipeline, Replacements
from classroom.gallery.plugs import PLUGS
from classroom.gallery.plugs.bits import EXERCISES
from classroom.gallery.tiles import beside_kuipers
from classroom.judge.tests import load_file

LONGEST = 300
"""Characters of an error message; one that prints an array is cut."""


def answer(request: dict[str, Any], advance: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """Run the piece with the requested plugs -> its answer, and where it departs from the reference."""
    callbacks = Callbacks(advance)
    piece = gallery.find(request["piece"])
    replacements, errors = plugged(request["plugs"])
    result: dict[str, Any] = {"errors": errors, "error": "", "answer": None, "departure": None}
    try:
        items = piece.sample(DemoOptions(**request["options"]), mine=True)
        checking = CheckingPipeline(piece.model, piece.steps, replacements)
        piece.look(checking, items[: piece.checked], callbacks)
        result["departure"] = next(iter(checking.departures), None)
        replacements.calls.clear()
        if not request["check_only"]:
            result["answer"] = piece.look(Pipeline(piece.model, piece.steps, replacements), items, callbacks)
            if "choose_tile" in replacements.steps:
                result["tile"] = beside_kuipers(piece, items, replacements.steps["choose_tile"])
        if any(exercise in replacements.steps for exercise in EXERCISES):
            few = items[: piece.checked] if request["check_only"] else items
            result["bits"] = in_eight_bits(piece, few, replacements.steps)
    except BaseException as error:
        result["error"] = error_sentence(error)
    result["calls"] = dict(replacements.calls)
    return result


def plugged(plugs: list[tuple[str, str]]) -> tuple[Replacements, dict[str, str]]:
    """Plug in these exercises -> replacements, and an error for each exercise that could not be plugged in."""
    replacements, errors = Replacements(), {}
    modules: dict[str, ModuleType] = {}
    in_order = list(PLUGS)  # a later one may take over part of what an earlier one computes
    for exercise, file in sorted(plugs, key=lambda plug: in_order.index(plug[0])):
        plug = PLUGS[exercise]
        try:
            if file not in modules:
                modules[file] = load_file(Path(file))
            if not hasattr(modules[file], plug.function):
                errors[exercise] = f"{Path(file).name} has no {plug.function}"
                continue
            replacements = plug.attach(replacements, exercise, getattr(modules[file], plug.function))
        except BaseException as error:
            errors[exercise] = error_sentence(error)
    return replacements, errors


def error_sentence(error: BaseException) -> str:
    """The exception as a sentence of at most LONGEST characters; a KuiperError without its type name."""
    said = textwrap.shorten(str(error), LONGEST, placeholder=" ...") or type(error).__name__
    return said if isinstance(error, kuiper.KuiperError) else f"{type(error).__name__}: {said}"


def main() -> None:
    """Answer the request on the original standard output."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)
        json.dump(answer(json.loads(sys.argv[1]), lambda: print(".", file=out, flush=True)), out)
    os._exit(0)  # in spite of threads that the student's code has left running


if __name__ == "__main__":
    main()
