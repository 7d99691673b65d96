"""The engines "compiled" and "auto": plans as machine code; plans of numpy's calls where LLVM is not installed."""

from __future__ import annotations

import ctypes
import gc
import sys
import warnings
import weakref
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from functools import cache, partial
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from kuiper.compiled import background, llvm
from kuiper.compiled.code import CodeSource, NotCachedError, default_folder
from kuiper.compiled.worker import made_elsewhere
from kuiper.fast import BatchPlan, Plan, PlanExecutor
from kuiper.fast.plan.planner import MOST_PLANS
from kuiper.fast.plan.trace import PlanKey
from kuiper.layers.linear.linear import Linear
from kuiper.runtime import EXECUTORS, RuntimeGraph

if TYPE_CHECKING:
    from kuiper.compiled.plan import CompiledPlan
    from kuiper.compiled.target import Target

Meanwhile = Callable[[PlanKey, Mapping[str, np.ndarray]], Plan | BatchPlan | None]
MOST_MEANWHILE = 64 << 20
"""Bytes that a plan may copy which computes only until machine code is there."""


class CompiledExecutor(PlanExecutor):
    """Plans in machine code, made at the first pass with inputs of new shapes.

    The planned engine serves where there is no LLVM (the extra `speed` brings it), and on processors whose vectors are
    not known.
    """

    def __init__(self, graph: RuntimeGraph, threads: int | None = None, choices: dict[str, str] | None = None) -> None:
        super().__init__(graph, threads, choices)
        self._compiled: OrderedDict[PlanKey, CompiledPlan] = OrderedDict()
        self._compiling: dict[PlanKey, Lock] = {}

    def _made(self, key: PlanKey, inputs: Mapping[str, np.ndarray]) -> Plan | BatchPlan:
        target, _ = target_of_host()
        if target is None:
            return self._planned(key, inputs)
        return self._compiled.get(key) or self._compile(key, inputs, CodeSource(target, default_folder()))

    def _code_of_pass(self, key: PlanKey, inputs: Mapping[str, np.ndarray]) -> Plan | None:
        plan = self._plan_of_pass(key, inputs) if target_of_host()[0] else None
        return plan if key in self._compiled and isinstance(plan, Plan) else None

    def _planned(self, key: PlanKey, inputs: Mapping[str, np.ndarray]) -> Plan | BatchPlan:
        """The plan of numpy's calls."""
        return super()._made(key, inputs)

    def _compile(self, key: PlanKey, inputs: Mapping[str, np.ndarray], source: CodeSource) -> CompiledPlan:
        """The plan for inputs of these shapes, made if need be. Raises NotCachedError as `source` does."""
        from kuiper.compiled.plan import CompiledPlan  # imports llvmlite

        with self._compiling.setdefault(key, Lock()):
            plan = self._compiled.get(key)
            if plan is None:
                _give_back_memory()  # of passes through the layers
                draft = self._planner.draft(inputs)
                _give_back_memory()  # of one more such pass, which tells shapes
                plan = CompiledPlan.of(self._planner, draft, source, key.strides)
                _give_back_memory()  # of drafts, and of LLVM's linker
                self._choices.keep()
                self._compiled[key] = plan
                if len(self._compiled) > MOST_PLANS:
                    self._dropped(self._compiled.popitem(last=False)[0])
            return plan

    def _dropped(self, key: PlanKey) -> None:
        """The machine code for inputs of these shapes is no longer kept."""


class AutoExecutor(CompiledExecutor):
    """The fastest that there is by now, without waiting for it.

    The layers compute the first pass with inputs of new shapes, since a plan takes longer to make than a pass, and a
    plan the next ones. Machine code takes over as soon as it is there: from the second pass on if it is in the cache,
    else when it has been made behind the scenes. Where it cannot be made the plan stays.

    A plan of numpy's calls has a copy of the weights of products, and of the inputs. Where these take more than
    MOST_MEANWHILE, the layers go on until machine code is there, which has none.
    """

    def __init__(self, graph: RuntimeGraph, threads: int | None = None, choices: dict[str, str] | None = None) -> None:
        super().__init__(graph, threads, choices)
        self._passes: Counter[PlanKey] = Counter()
        self._failed: set[PlanKey] = set()

    def _plan_of_pass(self, key: PlanKey, inputs: Mapping[str, np.ndarray]) -> Plan | BatchPlan | None:
        return self._best(key, inputs, self._meanwhile)

    def _code_of_pass(self, key: PlanKey, inputs: Mapping[str, np.ndarray]) -> Plan | None:
        plan = self._best(key, inputs, lambda key, inputs: None)
        return plan if key in self._compiled and isinstance(plan, Plan) else None

    def _best(self, key: PlanKey, inputs: Mapping[str, np.ndarray], meanwhile: Meanwhile) -> Plan | BatchPlan | None:
        """Machine code if it is there; else it is asked for, once, and `meanwhile` says what computes until then."""
        compiled = self._compiled.get(key)
        if compiled is not None:
            return compiled
        self._passes[key] += 1
        if self._passes[key] == 1:
            return self._planner.find(key)
        target, _ = target_of_host()
        if target is None or not background.enabled or key in self._failed or self._passes[key] > 2:
            return meanwhile(key, inputs)
        try:
            return self._compile(key, inputs, CodeSource(target, default_folder(), make=None))
        except NotCachedError as error:
            if error.name is None:
                self._failed.add(key)
                return meanwhile(key, inputs)
            plan = meanwhile(key, inputs)  # first: kernels are timed, undisturbed
            background.background.ask(partial(_behind_the_scenes, weakref.ref(self), key, dict(inputs), target))
            return plan

    def _meanwhile(self, key: PlanKey, inputs: Mapping[str, np.ndarray]) -> Plan | BatchPlan | None:
        """What computes until machine code is there: a plan, or the layers where that would take much memory.

        Where no code will come it is the plan.
        """
        target, _ = target_of_host()
        if target is None or not background.enabled or key in self._failed:
            return self._planned(key, inputs)
        weights = (getattr(op.layer, "weight", None) for op in self.graph.operators if isinstance(op.layer, Linear))
        copied = sum(weight.nbytes for weight in weights if isinstance(weight, np.ndarray))
        copied += sum(x.nbytes for x in inputs.values())
        return self._planned(key, inputs) if copied <= MOST_MEANWHILE else None

    def _dropped(self, key: PlanKey) -> None:
        self._failed.discard(key)
        del self._passes[key]  # it is made again, from the cache, when such inputs come again

    def _replace(self, key: PlanKey, inputs: Mapping[str, np.ndarray], target: Target) -> None:
        """Machine code instead of the plan, or a warning that it cannot be made."""
        source = CodeSource(target, default_folder(), make=None)
        try:
            source.keep(*made_elsewhere(self.graph, inputs, self._planner.most_threads, target, key.strides))
            self._compile(key, inputs, source)
        except Exception as error:
            self._failed.add(key)
            warnings.warn(f'engine "auto": no machine code was made, a plan computes: {error!r}', stacklevel=2)
        else:
            self._planner.forget(key)


def _behind_the_scenes(
    executor: weakref.ref[AutoExecutor], key: PlanKey, inputs: Mapping[str, np.ndarray], target: Target
) -> None:
    found = executor()
    if found is not None:  # its graph is still in use
        found._replace(key, inputs, target)


@cache
def target_of_host() -> tuple[Target | None, str]:
    """The processor to compile for; None, and the reason, where that cannot be done."""
    if not llvm.installed():
        return None, "llvmlite with LLVM 20 or later is not installed: the extra speed brings it"
    from kuiper.compiled.target import host

    found = host()
    return found, "" if found else "this processor's vectors are not known (AVX-512, AVX2 with FMA, and NEON are)"


def _give_back_memory() -> None:
    """Let the system have what was freed and what the C library keeps for later: megabytes around each plan's making.

    Steps and what made them hold each other, so Python's collector has to find those of a plan that came to nothing.
    Source: malloc_trim(3) of glibc; with another C library nothing happens.
    """
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(ctypes.c_size_t(0))


def _compiled(graph: RuntimeGraph, **options: Any) -> CompiledExecutor:
    """The executor; a warning, once, where the planned engine has to serve."""
    _, lacking = target_of_host()
    if lacking:
        _say(lacking)
    return CompiledExecutor(graph, **options)


@cache
def _say(lacking: str) -> None:
    warnings.warn(f'engine "compiled": the planned engine computes instead, as {lacking}', stacklevel=2)


EXECUTORS |= {"compiled": _compiled, "auto": AutoExecutor}
