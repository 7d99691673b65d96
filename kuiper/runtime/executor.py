"""Executors: what carries out the computation of a built graph. The loop here is the one that runs layers."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, MutableMapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from kuiper.graph import Operator

if TYPE_CHECKING:
    from kuiper.runtime.graph import RuntimeGraph

Places = Mapping[str, np.ndarray]
"""Operand name -> array: where a result is wanted."""
NO_PLACES: Places = MappingProxyType({})
"""No result has a place of the caller's."""
OnOperator = Callable[[Operator, float], None]
"""Called with an operator and its seconds: by run_layers after each that has a layer, before anything is released; by
the fast engine's plan (the calls of a pass: kuiper.fast) with the first of those that are computed together."""


def run_layers(
    operators: Sequence[Operator],
    released_after: Sequence[Sequence[str]],
    values: MutableMapping[str, Any],
    on_operator: OnOperator | None = None,
    keep: Collection[str] = (),
) -> None:
    """Compute operators one after the other in `values`, and release what nobody reads again.

    values : operand name -> value; holds the graph's inputs at the start.
    released_after : for each operator the operands that nobody needs after it.
    keep : operands that are not released.
    """
    for op, dead in zip(operators, released_after, strict=True):
        if op.layer is not None:
            started = time.perf_counter()
            op.layer.forward_operator(op, values)
            if on_operator is not None:
                on_operator(op, time.perf_counter() - started)
        for name in dead:
            if name not in keep:
                del values[name]


class GraphExecutor(Protocol):
    """A way to compute a built graph: the field `executor` of a RuntimeGraph."""

    def run(
        self, inputs: Mapping[str, Any], on_operator: OnOperator | None = None, places: Places = NO_PLACES
    ) -> list[Any]:
        """One pass: operand name -> array for the graph's inputs -> the values of its outputs, in order.

        places : operand name -> array where a result may be written; it is returned then. It is left out where it is
            empty.
        """

    def prepare(self, inputs: Mapping[str, Any], only_code: bool = False, places: Places = NO_PLACES) -> bool:
        """Whether a plan computes the next pass on such inputs; what has to be made for one is asked for.

        only_code : whether machine code does; no other plan is made. places : as for `run`.
        """

    def plan_for(self, inputs: Mapping[str, Any]) -> Any:
        """The fast engine's plan for a pass on these inputs, made if need be; None if only layers compute."""

    @property
    def choices(self) -> dict[str, str]:
        """What was measured and chosen so far: key (what, shape) -> name of the algorithm or of the way to run."""


class LayerExecutor:
    """Engine "simple": the layers, one operator after the other. Keeps nothing of a pass; threads may share it.

    PlanExecutor extends it, to fall back on the layers.
    """

    def __init__(self, graph: RuntimeGraph) -> None:
        self.graph = graph

    def run(
        self, inputs: Mapping[str, Any], on_operator: OnOperator | None = None, places: Places = NO_PLACES
    ) -> list[Any]:
        """One pass; the inputs may be values of any kind that the layers take. No result is written elsewhere."""
        values = self.compute(inputs, on_operator)
        return [values[operand.name] for operand in self.graph.outputs]

    def prepare(self, inputs: Mapping[str, Any], only_code: bool = False, places: Places = NO_PLACES) -> bool:
        """False: the layers compute every pass."""
        return False

    def plan_for(self, inputs: Mapping[str, Any]) -> Any:
        """None: the layers compute every pass."""
        return None

    @property
    def choices(self) -> dict[str, str]:
        """Empty: there is nothing to choose."""
        return {}

    def compute(
        self, inputs: Mapping[str, Any], on_operator: OnOperator | None = None, keep: Collection[str] = ()
    ) -> dict[str, Any]:
        """One pass -> values by operand name, the outputs and all that is in `keep` among them."""
        values = dict(inputs)
        run_layers(self.graph.operators, self.graph.released_after, values, on_operator, keep)
        return values


EXECUTORS: dict[str, Callable[..., GraphExecutor]] = {"simple": lambda graph, **options: LayerExecutor(graph)}
"""Engine -> the function (graph, threads=, choices=) that makes its executor for a built graph. Rooms add theirs."""
