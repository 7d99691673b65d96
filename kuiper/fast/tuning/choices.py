"""Choosing algorithms: candidates for a shape are timed once, and the fastest is remembered on disk."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from kuiper.fast.kernels.base import compiler
from kuiper.fast.kernels.base.buffer import Spec
from kuiper.fast.kernels.base.cache import cache_folder
from kuiper.fast.kernels.base.calls import Stage
from kuiper.fast.kernels.base.kernel import Kernel
from kuiper.fast.threads import parallel
from kuiper.fast.tuning.benchmark import BoundKernel, bind_kernel

ROUNDS = 4
FORK = 40e-6
"""Seconds that it takes to start a stage on several threads."""
HOPELESS = 1.6
"""A candidate this many times slower than the best in the first round is dropped."""


class Choices:
    """What was fastest for each key (kernel, shape, options, threads), kept in a file for the next process.

    Parameters
    ----------
    known : key -> name of the algorithm; for a whole plan, whether its branches run at the same time (`branches`)
        or its batch is split (`batch`). A plan made from all its choices is always the same.
    file : where more are read, when first needed, and stored; None: nowhere.
    """

    def __init__(self, known: dict[str, str] | None = None, file: Path | None = None) -> None:
        self.known = dict(known or {})
        self.used: dict[str, str] = {}
        self._file = file
        self._read = False
        self._new: dict[str, str] = {}

    @classmethod
    def of_user(cls, known: dict[str, str] | None = None) -> Choices:
        """The choices in the user's cache folder; `known` takes precedence."""
        return cls(known, default_file())

    def choose(self, kernel: Kernel, inputs: Sequence[Spec], outputs: Sequence[Spec], key: str, threads: int) -> Kernel:
        """The candidate known to be fastest for `key`; if none is known, candidates are timed."""
        candidates = kernel.candidates()
        if len(candidates) == 1:
            return candidates[0]
        named = {candidate.name: candidate for candidate in candidates}
        found = named.get(self.find(key) or "") or fastest(candidates, inputs, outputs, threads)
        self.note(key, found.name)
        return found

    def find(self, key: str) -> str | None:
        """The name known to be fastest, or None."""
        if self._file is not None and not self._read:
            self._read = True
            self.known = {**_read(self._file), **self.known}
        return self.known.get(key)

    def note(self, key: str, name: str) -> None:
        """Remember what was chosen."""
        self.used[key] = name
        if self.known.get(key) != name:
            self.known[key] = self._new[key] = name

    def keep(self) -> None:
        """Write new choices to the file. If that fails, the next process times again."""
        if self._file is None or not self._new:
            return
        new, self._new = self._new, {}
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            _write(self._file, {**_read(self._file), **new})


def fastest(candidates: Sequence[Kernel], inputs: Sequence[Spec], outputs: Sequence[Spec], threads: int) -> Kernel:
    """The candidate with the fastest pass, over some interleaved rounds."""
    best: dict[int, float] = {}
    with parallel(1):
        bound: dict[int, BoundKernel] = {}
        for i, candidate in enumerate(candidates):
            bound[i] = bind_kernel(candidate, inputs, outputs, threads)
            bound[i].run()  # fetches weights, touches memory
            best[i] = timed(bound[i].stages)
            limit = HOPELESS * min(best.values())
            for slow in [j for j in bound if best[j] > limit]:
                del bound[slow]
        for _ in range(ROUNDS):
            for i, alone in bound.items():
                best[i] = min(best[i], timed(alone.stages))
    return candidates[min(best, key=best.__getitem__)]


def timed(stages: Sequence[Stage]) -> float:
    """Seconds of one pass if every thread had its own core: in each stage those of the slowest thread.

    Each thread's calls are made on this thread, one list after the other, and where the system offers it only CPU time
    of this thread counts: so the choice hardly depends on what else the machine is doing.
    """
    seconds = 0.0
    for stage in stages:
        slowest = 0.0
        for calls in stage:
            started = CLOCK()
            for call in calls:
                call()
            slowest = max(slowest, CLOCK() - started)
        seconds += slowest + (FORK if len(stage) > 1 else 0.0)
    return seconds


def _clock() -> Callable[[], float]:
    with contextlib.suppress(ValueError):
        if time.get_clock_info("thread_time").resolution < 1e-6:
            return time.thread_time
    return time.perf_counter


def _read(file: Path) -> dict[str, str]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {k: v for k, v in found.items() if isinstance(v, str)} if isinstance(found, dict) else {}


def _write(file: Path, choices: dict[str, str]) -> None:
    """Replace the file atomically. Raises OSError."""
    handle, name = tempfile.mkstemp(dir=file.parent, suffix=".json")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as text:
            json.dump(choices, text, indent=0, sort_keys=True)
        os.replace(name, file)
    except OSError:
        os.unlink(name)
        raise


def default_file() -> Path:
    """The file for this machine, numpy and BLAS, in the cache folder."""
    about = f"{platform.machine()} {platform.processor()} {os.cpu_count()} {np.__version__} {_environment()}"
    name = f"choices-{hashlib.sha256(about.encode()).hexdigest()[:16]}.json"
    return cache_folder() / name


def _environment() -> str:
    return os.environ.get("OPENBLAS_CORETYPE", "") + " numba" * compiler.installed()


CLOCK = _clock()
