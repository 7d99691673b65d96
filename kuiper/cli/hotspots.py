"""Where a pass spends its time: operators, and types of operators, the slowest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import kuiper
from kuiper.cli.text import console, count, seconds, several, table
from kuiper.profile import NetworkCost, Roof, Times

MOST = 20
"""Operators that are shown unless all are asked for."""


def show(
    graph: kuiper.RuntimeGraph,
    times: Mapping[str, Times],
    cost: NetworkCost,
    roof: Roof,
    kernels: Mapping[str, str],
    all_rows: bool,
) -> None:
    """Operators by time, with their speed as a share of the fastest matrix product; then types by time.

    Operators that the fast engine computes together stand under the first of them, with the time and work of all.

    kernels : operator -> the fast engine's algorithm for it; empty where the layers compute.
    """
    total = sum(taken.median for taken in times.values()) or 1.0
    costs = {op.name: op for op in cost.operators}
    slowest = sorted(times, key=lambda name: -times[name].median)
    rows = table(
        "operator", "type", "time", "share", "FLOPs", "GFLOP/s", "of peak",
        right=("time", "share", "FLOPs", "GFLOP/s", "of peak"), fold=("operator", "type"),
    )  # fmt: skip
    listed = slowest if all_rows else slowest[:MOST]
    over = []
    for name in listed:
        op, taken = costs[name], times[name].median
        speed = op.flops / taken if op.flops and taken else None
        if speed and speed > roof.peak:
            over.append(name)
        rows.add_row(
            name,
            op.type,
            seconds(taken),
            f"{taken / total:.1%}",
            count(op.flops) if op.flops != 0 else "-",
            f"{speed / 1e9:.3g}" if speed else "-",
            f"{speed / roof.peak:.1%}" if speed else "-",
        )
    out = console()
    out.print(rows)
    if len(slowest) > MOST and not all_rows:
        rest = sum(times[name].median for name in slowest[MOST:])
        out.print(f"and {len(slowest) - MOST} more with {rest / total:.1%} of the time (--all shows them)")
    out.print()
    _show_types(graph, times, total)
    out.print()
    out.print(
        f"peak: {roof.peak / 1e9:.3g} GFLOP/s in a float32 matrix product, {roof.bandwidth / 1e9:.3g} GB/s in a copy, "
        f"measured now with {roof.threads} thread{'s' * (roof.threads != 1)}"
    )
    for line in over_peak(over, kernels):
        out.print(line)
    if graph.engine == "compiled":
        out.print(not_compiled(kernels))


def not_compiled(kernels: Mapping[str, str]) -> str:
    """Which steps of a plan in machine code are none, as a sentence.

    >>> not_compiled({"conv": "Direct, compiled", "flat": "View", "words": "Embedding"})
    'no machine code for words: the planned engine computes it in between'
    """
    others = [name for name, kernel in kernels.items() if kernel != "View" and not kernel.endswith(", compiled")]
    if not others:
        return "all steps are machine code"
    them = "it" if len(others) == 1 else "them"
    return f"no machine code for {several(others)}: the planned engine computes {them} in between"


def over_peak(names: Sequence[str], kernels: Mapping[str, str]) -> list[str]:
    """What it means that these operators are faster than the peak, in sentences.

    FLOPs count what the definition asks for; only Winograd's algorithm gets by with fewer.

    >>> over_peak(["conv"], {"conv": "Winograd(m=4)"})
    ["conv: over 100%, since Winograd's algorithm takes up to 4 times fewer multiplications than FLOPs count"]
    """
    fewer = [name for name in names if kernels.get(name, "").startswith("Winograd")]
    others = [name for name in names if name not in fewer]
    lines = []
    if fewer:
        why = "since Winograd's algorithm takes up to 4 times fewer multiplications than FLOPs count"
        lines.append(f"{several(fewer)}: over 100%, {why}")
    if others:
        why = "which is impossible: the peak was measured too low, perhaps as other programs ran; measure again"
        lines.append(f"{several(others)}: over 100%, {why}")
    return lines


def _show_types(graph: kuiper.RuntimeGraph, times: Mapping[str, Times], total: float) -> None:
    names: dict[str, list[str]] = {}
    for op in graph.operators:
        names.setdefault(op.type, []).append(op.name)
    taken = {kind: sum(times[name].median for name in own if name in times) for kind, own in names.items()}
    rows = table("type", "operators", "time", "share", right=("operators", "time", "share"), fold=("type",))
    for kind in sorted((k for k in taken if taken[k]), key=lambda k: -taken[k]):
        rows.add_row(kind, str(len(names[kind])), seconds(taken[kind]), f"{taken[kind] / total:.1%}")
    console().print(rows)
