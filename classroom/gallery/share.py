"""How much of a network a student's exercises compute, counted in operators and in the time that these take."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kuiper
from classroom import gallery
from classroom.gallery.piece import Callbacks, DemoOptions, Piece
from classroom.gallery.pipeline import Pipeline, Replacements
from classroom.gallery.plugs import PLUGS
from classroom.gallery.plugs.plug import Computes
from classroom.page import styled
from kuiper.graph import Operator
from kuiper.pnnx import read

CELLS = 22
"""Characters of a bar."""
ENDS = ("pnnx.Input", "pnnx.Output", "pnnx.Attribute")
"""Operators that compute nothing."""
COUNTED = "operators that compute something"
"""Those that a share counts: an input, an output and a stored weight are operators of the file, too."""


@dataclass(frozen=True)
class Share:
    """A part of something, and the whole: 16 of 22 operators, 0.8 of 1.1 ms."""

    part: float
    whole: float

    @property
    def fraction(self) -> float:
        """Between 0 and 1; 0 of nothing is 0."""
        return self.part / self.whole if self.whole else 0.0


@dataclass(frozen=True)
class NetworkShare:
    """How many of a network's operators are the student's, and how much of its time these take."""

    operators: Share
    seconds: Share


def computed_by_exercises(operators: Iterable[Operator], exercises: Collection[str]) -> list[Operator]:
    """The operators whose results some of the exercises compute; reading and ordering them does not count."""
    tests = computing_exercises(exercises).values()
    return [operator for operator in operators if any(test(operator) for test in tests)]


def computing_exercises(exercises: Iterable[str]) -> dict[str, Computes]:
    """Those of the exercises that compute operators' results -> which operators they compute."""
    chosen = {name: PLUGS[name] for name in exercises if name in PLUGS}
    return {name: plug.computes for name, plug in chosen.items() if plug.computes is not None and plug.result}


def computing(operators: Iterable[Operator]) -> list[Operator]:
    """The operators that compute something."""
    return [operator for operator in operators if operator.type not in ENDS]


def uses(piece: Piece, operators: Iterable[Operator], exercise: str) -> bool:
    """Whether the exercise is a step of the piece, or is used by an operator of its network."""
    computes = PLUGS[exercise].computes
    return exercise in piece.steps if computes is None else any(map(computes, operators))


def first_with(exercise: str) -> tuple[str, list[Operator]] | None:
    """(name, the network's operators) of the first piece that uses the exercise; None if no piece does.

    Raises OSError, KuiperError.
    """
    if exercise in PLUGS:
        for name in gallery.NAMES:
            piece = gallery.find(name)
            operators = read(piece.model).operators
            if uses(piece, operators, exercise):
                return name, operators
    return None


def changes(passed: Sequence[str], solved: Collection[str]) -> dict[str, str]:
    """Piece -> what the exercises that passed do there, in a sentence or two.

    passed : the exercises to tell of. solved : all that are solved. Raises OSError, KuiperError.
    """
    found: dict[str, tuple[list[Operator], list[str]]] = {}
    for exercise in passed:
        place = first_with(exercise)
        if place is not None:
            found.setdefault(place[0], (place[1], []))[1].append(exercise)
    return {name: changed(operators, exercises, solved) for name, (operators, exercises) in found.items()}


def changed(operators: Sequence[Operator], exercises: Sequence[str], solved: Collection[str]) -> str:
    """What these exercises do in a network, and how many of its operators the solved ones compute."""
    text = f"yours now: {'; '.join(PLUGS[exercise].place for exercise in exercises)}."
    now = operator_share(operators, solved)
    before = operator_share(operators, [other for other in solved if other not in exercises])
    if now.part != before.part:
        text += f" Of the network's {now.whole} {COUNTED}, your code does {now.part} ({before.part} before)."
    return text


def operator_share(operators: Sequence[Operator], exercises: Collection[str]) -> Share:
    """How many of the operators that compute something are computed by the exercises."""
    whole = computing(operators)
    return Share(len(computed_by_exercises(whole, exercises)), len(whole))


def network_share(piece: Piece, exercises: Collection[str]) -> NetworkShare:
    """The exercises' share of a piece's network; the times are those of kuiper's own layers, one after the other.

    Raises OSError, KuiperError.
    """
    items = piece.sample(DemoOptions(), mine=True)[: piece.checked]
    timed = TimedPipeline(piece.model, piece.steps)
    for _ in range(2):  # the first pass allocates, and is not counted
        timed.seconds.clear()
        piece.look(timed, items, Callbacks())
    operators = timed.graph.operators
    mine = {operator.name for operator in computed_by_exercises(computing(operators), exercises)}
    spent = Share(sum(timed.seconds[name] for name in mine), sum(timed.seconds.values()))
    return NetworkShare(operator_share(operators, exercises), spent)


class TimedPipeline(Pipeline):
    """A pipeline of kuiper's layers that adds up the seconds of each operator."""

    def __init__(self, model: Path, steps: Mapping[str, Any]) -> None:
        super().__init__(model, steps, Replacements())
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def load(self, model: Path) -> Any:
        """Layers, one after the other: a plan computes several operators at once."""
        return kuiper.load(model, engine="simple")

    def network(self, *inputs: Any, keep: Iterable[str] = ()) -> Any:
        """Run the network; each operator's seconds are added to its own."""
        return self.graph.forward(*inputs, keep=list(keep), on_operator=self.record)

    def record(self, operator: Operator, seconds: float) -> None:
        """Add the seconds of one operator."""
        self.seconds[operator.name] += seconds


def drawn(share: Share) -> str:
    """A bar and its percentage.

    >>> drawn(Share(1, 2))
    '███████████░░░░░░░░░░░  50 %'
    """
    cells = round(share.fraction * CELLS)
    return f"{styled('█' * cells, 'good')}{'░' * (CELLS - cells)} {percent(share):>5}"


def percent(share: Share) -> str:
    """The percentage; 100 % and 0 % are said of all and nothing only.

    >>> percent(Share(999, 1000)), percent(Share(1, 1000)), percent(Share(0, 7))
    ('99 %', '1 %', '0 %')
    """
    whole = round(100 * share.fraction)
    if 0 < share.fraction < 1:
        whole = min(max(whole, 1), 99)
    return f"{whole} %"


def lines(network: str, share: NetworkShare) -> list[str]:
    """The two bars, by operators and by time, under what they are about."""
    if not share.operators.part:
        return [f"Your code works on {network}, and computes none of its operators: these are the reference's."]
    counted = f"{share.operators.part} of {share.operators.whole} {COUNTED}"
    return [
        f"Your code computes {percent(share.operators)} of {network}:",
        f"  {drawn(share.operators)}   {counted}",
        f"  {drawn(share.seconds)}   of the time, measured with kuiper's layers",
    ]
