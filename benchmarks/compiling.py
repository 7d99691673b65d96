"""What machine code costs: the first answer, the time to make it and to take it from the cache, and its size.

`python -m benchmarks.compiling NAME` prints one line of JSON for one of the networks of this folder.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import kuiper
from benchmarks.networks import CACHE, NETWORKS
from kuiper.profile import usable_cores

if TYPE_CHECKING:
    from kuiper.compiled.plan import CompiledPlan


def compiling(param: Path, inputs: Sequence[np.ndarray], threads: int) -> dict[str, Any]:
    """Seconds from the files to the first answer; to make the code; to take it from the cache; bytes; steps."""
    before = os.environ.get("KUIPER_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KUIPER_CACHE"] = folder
        try:
            first = _timed(lambda: kuiper.load(param, threads=threads)(*inputs))
            made, plan = _plan(param, inputs, threads)
            found, _ = _plan(param, inputs, threads)
        finally:
            if before is None:
                del os.environ["KUIPER_CACHE"]
            else:
                os.environ["KUIPER_CACHE"] = before
    called = sum(bool(stages) for stages in plan.stages)
    return {
        "first": first, "made": made, "found": found, "bytes": plan.code_bytes, "compiled": sum(plan.compiled),
        "called": called,
    }  # fmt: skip


def _plan(param: Path, inputs: Sequence[np.ndarray], threads: int) -> tuple[float, CompiledPlan]:
    graph = kuiper.load(param, engine="compiled", threads=threads)
    values = {operand.name: x for operand, x in zip(graph.inputs, inputs)}
    plans: list[CompiledPlan] = []
    seconds = _timed(lambda: plans.append(graph.executor.plan_for(values)))
    return seconds, plans[0]


def _timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def table(found: Mapping[str, Mapping[str, Any]]) -> str:
    """title -> what `compiling` found, as Markdown."""
    lines = [
        "| network | first answer, s | code made, s | from the cache, s | code, KB | steps compiled | called |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for title, one in found.items():
        times = " | ".join(f"{one[name]:.2f}" for name in ("first", "made", "found"))
        lines.append(f"| {title} | {times} | {one['bytes'] / 1024:.0f} | {one['compiled']} | {one['called']} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What machine code costs.")
    parser.add_argument("name", choices=NETWORKS)
    parser.add_argument("--threads", type=int, default=usable_cores())
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder of the exported networks")
    typed = parser.parse_args()
    network = NETWORKS[typed.name]
    print(json.dumps(compiling(network.export(typed.cache), network.inputs(), typed.threads)))


if __name__ == "__main__":
    main()
