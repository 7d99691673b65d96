"""The whole table in one command: `python -m benchmarks` measures every network and writes RESULTS.md.

Every network is measured in processes of its own, kuiper and its peers in turns, with equal threads for everyone.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import compiling, loading
from benchmarks.measure import add_options
from benchmarks.networks import NETWORKS, ROOT
from kuiper.profile import machine, processor, usable_cores
from kuiper.profile.hardware import CORE_VARIABLE

RESULTS = Path(__file__).resolve().parent / "RESULTS.md"
BUSY = 0.15
"""Share of the processor that other programs may use."""
HEAD = """# Speed

Written by `python -m benchmarks`. Each framework runs the same exported file, in a process of its own, in turns with
kuiper on the same machine, with equal threads and in float32; every turn begins with a pass that does not count. A
ratio is kuiper's time divided by the other's: below 1, kuiper is faster. Medians, the middle half in brackets. "At
peak" is the time that the operations would take at the speed of the fastest matrix product measured in between.

Language models of real sizes, and weights in fewer bits, are in [LANGUAGE.md](LANGUAGE.md).
"""


CODE = """Every network in a process of its own, with an empty cache. The first answer is that of the engine "auto" with
the reading of the files: the layers compute it. Then the engine "compiled" makes its code, and at last it finds it in
the cache; that takes from a network that is loaded to a plan that can run. "Called" steps have no machine code."""
LOADING = "The file is in the system's cache; mapping copies no weight."
Results = Mapping[str, Mapping[str, Any]]
"""Network -> what benchmarks.measure found for it, or {"fault": why not}."""


def run_one(program: str, name: str, options: Sequence[str]) -> dict[str, Any]:
    """What a module of this folder finds for one network, or {"fault": why not}."""
    free = {key: value for key, value in os.environ.items() if key != CORE_VARIABLE}
    command = [sys.executable, "-m", f"benchmarks.{program}", name, *options]
    done = subprocess.run(command, cwd=ROOT, env=free, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return {"fault": lines[-1]}
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def report(results: Mapping[int, Results], peers: Sequence[str], code: str = "", load: str = "") -> str:
    """The Markdown text of RESULTS.md: threads -> results, and the tables of the other measurements."""
    lines = [HEAD, *_machine([found for each in results.values() for found in each.values()], peers)]
    for threads, found in results.items():
        lines += ["", f"## {threads} thread{'s' * (threads > 1)}", "", *_speeds(found, peers)]
    for title, about, table in (("Machine code", CODE, code), ("Loading ResNet18", LOADING, load)):
        if table:
            lines += ["", f"## {title}", "", about, "", table]
    return "\n".join(lines) + "\n"


def _speeds(results: Results, peers: Sequence[str]) -> list[str]:
    """The table for one number of threads, and its notes."""
    head = ["network", "GFLOP", "at peak, ms", "kuiper, ms"]
    for peer in peers:
        head += [f"{peer}, ms", f"kuiper / {peer}"]
    lines = [_row(head), _row(["---", *["--:"] * (len(head) - 1)])]
    peak = max((found["roof"]["peak"] for found in results.values() if "roof" in found), default=0.0)
    lines += [_row(_cells(NETWORKS[name].title, found, peers, peak)) for name, found in results.items()]
    notes = [note for name, found in results.items() for note in _notes(NETWORKS[name].title, found)]
    return [*lines, "", *notes] if notes else lines


def _machine(results: Sequence[Mapping[str, Any]], peers: Sequence[str]) -> list[str]:
    facts = machine()
    measured = [found for found in results if "roof" in found]
    peaks, copies = (_range([found["roof"][key] / 1e9 for found in measured]) for key in ("peak", "bandwidth"))
    rows = {
        "processor": f"{processor()}, {facts['cores']} cores, {platform.system()}",
        "software": ", ".join([f"Python {facts['python']}", f"numpy {facts['numpy']}", *_versions(peers)]),
        "numpy's matrix library": f"{facts['blas']}, kernels for {facts.get('blas_core', 'an unknown processor')}",
    }
    if measured:
        rows["measured in between"] = f"matrix product {peaks} GFLOP/s, copy {copies} GB/s"
    return ["| | |", "|---|---|", *(_row([name, text]) for name, text in rows.items())]


def _range(values: Sequence[float]) -> str:
    return f"{min(values):.0f} to {max(values):.0f}" if values else "-"


def _versions(peers: Sequence[str]) -> list[str]:
    found = []
    for name in (*peers, "pnnx", "llvmlite", "numba", "threadpoolctl"):
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _cells(title: str, found: Mapping[str, Any], peers: Sequence[str], peak: float) -> list[str]:
    if "fault" in found:
        return [title, *["-"] * (3 + 2 * len(peers))]
    named = {one["name"]: one for one in found["frameworks"]}
    cells = [title, f"{found['flops'] / 1e9:.2f}", f"{found['flops'] / peak * 1e3:.3g}"]
    cells.append(_milliseconds(named["kuiper"]["seconds"]))
    for peer in peers:
        one = named.get(peer, {"seconds": None, "ratio": None})
        cells += [_milliseconds(one["seconds"]), _ratio(one["ratio"])]
    return cells


def _notes(title: str, found: Mapping[str, Any]) -> list[str]:
    """Why something was not measured, and how well outputs agree."""
    if "fault" in found:
        return [f"- {title}: not measured: {found['fault']}"]
    notes = [f"- {title}, {one['name']}: {one['fault']}" for one in found["frameworks"] if one["fault"]]
    if found["busy"] > BUSY:
        notes.append(f"- {title}: other programs used {found['busy']:.0%} of the processor: **the ratios mislead**")
    agreed = [one for one in found["frameworks"] if one["difference"] is not None and not one["fault"]]
    if agreed:
        worst = max(agreed, key=lambda one: one["difference"])
        notes.append(f"- {title}: outputs differ by at most {worst['difference']:.0e} of the largest ({worst['name']})")
    return notes


def _milliseconds(quartiles: Sequence[float] | None) -> str:
    if quartiles is None:
        return "-"
    low, middle, high = (f"{value * 1e3:.3g}" for value in quartiles)
    return f"{middle} ({low} to {high})"


def _ratio(quartiles: Sequence[float] | None) -> str:
    if quartiles is None:
        return "-"
    low, middle, high = (f"{value:.2f}" for value in quartiles)
    return f"**{middle}** ({low} to {high})"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Measure what the command line names, and write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="kuiper beside torch, onnxruntime, ncnn.")
    parser.add_argument("--only", metavar="NAME", action="append", choices=NETWORKS, help="this network; repeatable")
    parser.add_argument("--output", type=Path, default=RESULTS, help="where to write (default: benchmarks/RESULTS.md)")
    parser.add_argument("--threads", default=f"1,{usable_cores()}", help="threads of everyone; several: a table each")
    add_options(parser)
    typed = parser.parse_args()
    options = [f"--vs={typed.vs}", f"--rounds={typed.rounds}", f"--engine={typed.engine}", f"--cache={typed.cache}"]
    peers = [name for name in typed.vs.split(",") if name]
    names = typed.only or list(NETWORKS)
    threads = sorted({int(number) for number in typed.threads.split(",")})
    results: dict[int, dict[str, Any]] = {number: {} for number in threads}
    for number in threads:
        for name in names:
            print(f"{NETWORKS[name].title}, {number} threads ...", flush=True)
            found = results[number][name] = run_one("measure", name, [*options, f"--threads={number}"])
            peak = found.get("roof", {}).get("peak", 0.0)
            print("  " + " | ".join(_cells("", found, peers, peak)[1:]), flush=True)
    costs = {}
    for name in names:
        cost = run_one("compiling", name, [f"--threads={threads[-1]}", f"--cache={typed.cache}"])
        if "fault" not in cost:
            costs[NETWORKS[name].title] = cost
    code = compiling.table(costs) if costs else ""
    load = ""
    if "resnet18" in names:
        load = loading.table(loading.loading_times(NETWORKS["resnet18"].export(typed.cache)))
    typed.output.write_text(report(results, peers, code, load), encoding="utf-8", newline="\n")
    print(f"wrote {typed.output}")
