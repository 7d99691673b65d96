"""One network measured: kuiper and its peers in turns. The table starts this in a process of its own per network.

`python -m benchmarks.measure NAME` prints one line of JSON.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import kuiper
from benchmarks.networks import CACHE, NETWORKS
from kuiper.peers import PEERS, Measured, Workload, measure
from kuiper.profile import Times, busy, measure_roof, measured_extents, network_cost, usable_cores
from kuiper.runtime import EXECUTORS


def measure_model(
    param: Path, inputs: Sequence[np.ndarray], peers: Sequence[str], *, threads: int, rounds: int, engine: str = "auto"
) -> dict[str, Any]:
    """Operations, this machine's peak with as many threads, and each framework's times and ratios, for JSON."""
    graph = kuiper.load(param, engine="simple")
    cost = network_cost(graph.operators, measured_extents(graph, *inputs))
    used = busy()
    found = measure(Workload(param, None, list(inputs), threads, engine), peers, rounds=rounds)  # type: ignore[arg-type]
    roof = measure_roof(threads)
    return {
        "flops": cost.flops,
        "roof": asdict(roof),
        "threads": threads,
        "busy": max(used or 0.0, busy() or 0.0),
        "frameworks": [_as_dict(one) for one in found],
    }


def _as_dict(one: Measured) -> dict[str, Any]:
    return {
        "name": one.name,
        "about": one.about,
        "fault": one.fault,
        "seconds": _quartiles(one.seconds),
        "ratio": _quartiles(one.ratios),
        "difference": None if one.difference is None else one.difference.relative,
    }


def _quartiles(values: Sequence[float]) -> list[float] | None:
    """First quartile, median, third quartile."""
    if not values:
        return None
    times = Times(values)
    return [times.quartiles[0], times.median, times.quartiles[1]]


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that one network and the whole table share."""
    parser.add_argument("--vs", default=",".join(PEERS), help=f"whom to measure against (default: {','.join(PEERS)})")
    parser.add_argument("--rounds", type=int, default=20, help="turns of everyone (default: 20)")
    parser.add_argument("--engine", default="auto", choices=list(EXECUTORS), help="how kuiper computes")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder of the exported networks")


def main() -> None:
    """Measure the network that the command line names, and print the result."""
    parser = argparse.ArgumentParser(description="Measure one network.")
    parser.add_argument("name", choices=NETWORKS)
    parser.add_argument("--threads", type=int, default=usable_cores(), help="threads of everyone (default: one a core)")
    add_options(parser)
    typed = parser.parse_args()
    network = NETWORKS[typed.name]
    param, inputs = network.export(typed.cache), network.inputs()
    peers = [name for name in typed.vs.split(",") if name]
    print(
        json.dumps(measure_model(param, inputs, peers, threads=typed.threads, rounds=typed.rounds, engine=typed.engine))
    )


if __name__ == "__main__":
    main()
