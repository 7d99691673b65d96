"""`kuiper bench --vs`: kuiper and its peers in turns, and what one takes as a share of the other."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from kuiper.cli.text import console, seconds, table, warn
from kuiper.cli.waiting import progress
from kuiper.peers import PEERS, Measured, Workload, measure
from kuiper.profile import Times, busy

BUSY = 0.15
"""Share of the processor that others may use before a measurement is doubtful."""
RESTLESS = 0.25
"""Middle half as a share of the median from which on it is doubtful."""


def check_names(names: Sequence[str]) -> None:
    """Raise typer.BadParameter for a name that is no peer's."""
    unknown = [name for name in names if name not in PEERS]
    if unknown:
        raise typer.BadParameter(f"--vs knows {', '.join(PEERS)}, not {unknown[0]!r}")


def take_turns(workload: Workload, names: Sequence[str], *, rounds: int, tolerance: float) -> list[Measured]:
    """Measure, with a bar while it lasts; kuiper's times come first. Raises PeerError where kuiper fails."""
    used = busy()
    if used is not None and used > BUSY:
        warn(f"other programs use {used:.0%} of the processor: ratios measured now mislead")
    with progress("measuring in turns", 2 * rounds * len(names)) as advance:
        return measure(workload, names, rounds=rounds, tolerance=tolerance, on_turn=advance)


def show(found: Sequence[Measured]) -> None:
    """The table of times and ratios; whoever could not be measured is named with the reason, without numbers."""
    rows = table(
        "framework", "median", "middle half", "kuiper takes", "middle half", "outputs differ by",
        right=("median", "middle half", "kuiper takes", "outputs differ by"), fold=("framework",),
    )  # fmt: skip
    for one in found:
        if one.fault or not one.seconds:
            continue
        low, high = one.times.quartiles
        cells = [one.about, seconds(one.times.median), f"{seconds(low)} to {seconds(high)}"]
        rows.add_row(*cells, *_compared(one))
    console().print(rows)
    for one in found:
        if one.fault:
            warn(f"{one.name}: {one.fault}; not measured")
    if max(one.times.spread for one in found if one.seconds) > RESTLESS:
        warn("the times scatter: something else is at work on this machine; measure again when it is idle")


def _compared(one: Measured) -> tuple[str, str, str]:
    if one.difference is None or not one.ratios:
        return "", "", ""
    ratios = Times(one.ratios)
    low, high = ratios.quartiles
    return f"{ratios.median:.2f} of it", f"{low:.2f} to {high:.2f}", f"{one.difference.relative:.0e}"
