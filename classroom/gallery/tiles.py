"""A network compiled with the student's tile beside kuiper's: the sentence that says how long a pass takes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import kuiper
from classroom.gallery.piece import Callbacks, Piece
from classroom.gallery.pipeline import Pipeline
from classroom.gallery.plugs.compiler import chosen_tile
from kuiper.compiled import llvm
from kuiper.compiled.code import CodeSource, default_folder

LARGE = 10_000
"""Rows and channels of a product for which a tile is asked."""
PASSES = 40
"""Of each plan; they take turns."""
LEAST_GAIN = 0.05
"""A difference below is called none."""


class Listening(Pipeline):
    """A pipeline that keeps the network's first inputs."""

    def __init__(self, model: Path, steps: Mapping[str, Callable[..., Any]]) -> None:
        super().__init__(model, steps)
        self.inputs: list[np.ndarray] = []

    def network(self, *inputs: Any, keep: Any = ()) -> Any:
        """Run the network."""
        self.inputs = self.inputs or [np.array(x)[:1] for x in inputs]
        return super().network(*inputs, keep=keep)


def beside_kuipers(piece: Piece, items: Sequence[Any], choose_tile: Callable[..., Any]) -> str:
    """How long a pass of the piece's network takes with the student's tile, compared with kuiper's, in a sentence.

    Where nothing can be compiled it says what is needed. Raises KuiperError for what is no tile.
    """
    if not llvm.installed():
        return "choose_tile: with llvmlite (the extra speed) the network would be compiled with your tile, too."
    from kuiper.compiled.plan import CompiledPlan
    from kuiper.compiled.target import host
    from kuiper.fast.plan.planner import Planner

    target = host()
    if target is None:
        return "choose_tile: kuiper compiles for AVX-512, AVX2 and NEON; this processor has none of them."
    own = replace(target, sums=chosen_tile(choose_tile, target.registers, target.lanes, LARGE, LARGE))
    listening = Listening(piece.model, piece.steps)
    piece.look(listening, items[:1], Callbacks())
    graph = kuiper.load(piece.model, engine="simple")
    given = {operand.name: x for operand, x in zip(graph.inputs, listening.inputs)}
    planner = Planner(graph, threads=1)
    plans = [
        CompiledPlan.of(planner, planner.draft(given), CodeSource(each, default_folder())) for each in (own, target)
    ]
    ratio = median_ratio([partial(each.run, listening.inputs) for each in plans])
    return told(own.sums or (0, 0), target.tile(2), target.registers, target.lanes, piece.network, ratio)


def median_ratio(calls: Sequence[Callable[[], Any]]) -> float:
    """The median time of the first call over that of the second; they take turns."""
    taken: list[list[float]] = [[], []]
    for _ in range(PASSES):
        for call, times in zip(calls, taken, strict=True):
            started = time.perf_counter()
            call()
            times.append(time.perf_counter() - started)
    return statistics.median(taken[0]) / statistics.median(taken[1])


def told(own: tuple[int, int], kuipers: tuple[int, int], registers: int, lanes: int, network: str, ratio: float) -> str:
    """The comparison as a sentence.

    >>> told((5, 5), (14, 2), 32, 16, "digits", 1.23)[-84:]
    'Compiled so, a pass of digits takes 1.23 times as long as with the 14 x 2 of kuiper.'
    """
    start = f"choose_tile: for {registers} registers of {lanes} numbers you choose {own[0]} x {own[1]} sums."
    if own == kuipers:
        return f"{start} So does kuiper."
    much = "as long as" if abs(ratio - 1) < LEAST_GAIN else f"{ratio:.2f} times as long as"
    return f"{start} Compiled so, a pass of {network} takes {much} with the {kuipers[0]} x {kuipers[1]} of kuiper."
