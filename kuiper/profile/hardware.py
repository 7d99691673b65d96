"""What a measurement depends on: the processor, numpy's matrix library, and the kernels and threads it uses."""

from __future__ import annotations

import importlib
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from kuiper.fast.threads import usable_cores

CORE_VARIABLE = "OPENBLAS_CORETYPE"
"""By this variable OpenBLAS takes the kernels of another processor than the one it finds."""


def machine() -> dict[str, Any]:
    """Names and values; what cannot be found out is left out."""
    facts: dict[str, Any] = {
        "system": f"{platform.system()} {platform.machine()}",
        "cores": usable_cores(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "blas": _blas(),
    }
    pools = _blas_pools()
    if pools:
        facts["blas_threads"] = max(pool["num_threads"] for pool in pools)
    core = blas_core()
    return {**facts, "blas_core": core} if core else facts


def processor() -> str:
    """The processor's name as the system gives it, such as "AMD EPYC"."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    with suppress(OSError, subprocess.SubprocessError):
        asked = ["sysctl", "-n", "machdep.cpu.brand_string"]
        if found := subprocess.run(asked, capture_output=True, text=True, check=False, timeout=10).stdout.strip():
            return found
    return platform.processor() or platform.machine()


def busy(seconds: float = 0.3) -> float | None:
    """Share of the processor that others use while this process sleeps: 1 = all cores. None where it is not known.

    What this process's own threads still use, as those of a matrix library that wait for more work, does not count.
    Frameworks whose threads wait for each other suffer most from company, so that ratios measured then mislead.
    """
    before, own = _ticks(), time.process_time()
    time.sleep(seconds)
    after, own = _ticks(), time.process_time() - own
    if before is None or after is None or after[1] <= before[1]:
        return None
    idle, ticks = after[0] - before[0], after[1] - before[1]
    return max(0.0, 1.0 - (idle + own * os.sysconf("SC_CLK_TCK")) / ticks)


def peak_memory() -> int | None:
    """The most bytes of memory that this process has held so far; None where that is not known (Windows)."""
    with suppress(OSError, ValueError):
        for line in Path("/proc/self/status").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) << 10
    try:
        usage = importlib.import_module("resource")
    except ModuleNotFoundError:
        return None
    return int(usage.getrusage(usage.RUSAGE_SELF).ru_maxrss) << (0 if sys.platform == "darwin" else 10)


def _ticks() -> tuple[int, int] | None:
    """(idle, all) clock ticks of all cores since the system started; Linux only."""
    try:
        numbers = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    except (OSError, ValueError, IndexError):
        return None
    return numbers[3] + numbers[4], sum(numbers)


def blas_core() -> str | None:
    """The processor whose kernels numpy's matrix library uses, such as "SkylakeX"; None where that is not known."""
    return next((pool["architecture"] for pool in _blas_pools() if pool.get("architecture")), None)


def forced_core() -> tuple[str, str] | None:
    """(core in use, core that this processor would get) where OPENBLAS_CORETYPE makes the two differ; else None.

    Another Python is started without the variable to see what it gets.
    """
    here = blas_core()
    if here is None or not os.environ.get(CORE_VARIABLE):
        return None
    free = {name: value for name, value in os.environ.items() if name != CORE_VARIABLE}
    code = "from kuiper.profile.hardware import blas_core; print(blas_core())"
    with suppress(OSError, subprocess.SubprocessError):
        asked = subprocess.run(
            [sys.executable, "-c", code], env=free, capture_output=True, text=True, check=True, timeout=60
        )
        natural = asked.stdout.strip()
        return None if natural in (here, "None") else (here, natural)
    return None


@contextmanager
def blas_threads(threads: int) -> Iterator[bool]:
    """Inside, numpy's matrix library uses that many threads; yields whether that could be arranged."""
    try:
        limits = importlib.import_module("threadpoolctl").threadpool_limits
    except ModuleNotFoundError:
        yield False
        return
    with limits(limits=threads, user_api="blas"):
        yield True


def _blas_pools() -> list[dict[str, Any]]:
    try:
        threadpool_info = importlib.import_module("threadpoolctl").threadpool_info
    except ModuleNotFoundError:
        return []
    return [pool for pool in threadpool_info() if pool.get("user_api") == "blas"]


def _blas() -> str:
    blas = np.show_config(mode="dicts")["Build Dependencies"].get("blas", {})
    return f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()
