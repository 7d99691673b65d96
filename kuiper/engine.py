"""The parts put together: a RuntimeGraph with the course's own layers, and `load`, the one call most users need."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, get_args

import numpy as np

from kuiper import runtime
from kuiper.errors import KuiperError
from kuiper.expression import ExpressionLayer
from kuiper.fast import BatchPlan, Choices, Plan, PlanMismatchError, Planner
from kuiper.layers import LayerRegisterer, registry
from kuiper.runtime import GraphState, RuntimeOperator, Toolbox
from kuiper.runtime.graph import Outputs, Path, leaves, own

Engine = Literal["simple", "fast", "auto"]

LAYERS_OF_LATER_ROOMS = (ExpressionLayer,)
"""Layers that no file of layers/ holds; importing their rooms registers them."""


class RuntimeGraph(runtime.RuntimeGraph):
    """A network of a PNNX file, with the course's own layers unless `registry` names others.

    engine : how a forward pass is computed.
        "simple": by the layers, one operator after the other.
        "fast": by a plan (see kuiper.fast), made at the first pass with inputs of new shapes; operators that have no
        kernel, and all that are not the framework's own, are computed by their layers.
        "auto": by the layers at the first pass with inputs of new shapes, by a plan from the second on, since a plan
        takes longer to make than a pass.
        Both give the same numbers but for rounding. With a student's toolbox the layers compute, always.
    threads : for the plan; None: OMP_NUM_THREADS, or one per core.
    choices : which algorithms the plan takes, as `graph.choices` of an earlier run gives them; what it does not name is
        timed once and remembered in the user's cache folder.

    >>> graph = RuntimeGraph("models/digits/digits.pnnx.param")
    >>> graph.state.name
    'NEED_INIT'
    >>> graph.init(); graph.build(); graph.state.name
    'COMPLETE'
    """

    def __init__(
        self,
        param: Path,
        bin: Path | None = None,
        *,
        registry: LayerRegisterer = registry,
        toolbox: Toolbox | None = None,
        engine: Engine = "simple",
        threads: int | None = None,
        choices: dict[str, str] | None = None,
    ) -> None:
        if engine not in get_args(Engine):
            raise KuiperError(f"engine: expected one of {', '.join(get_args(Engine))}, found {engine!r}")
        if threads is not None and threads < 1:
            raise KuiperError(f"threads: expected at least 1, found {threads}")
        super().__init__(param, bin, registry=registry, toolbox=toolbox)
        self.engine: Engine = engine if self.toolbox == Toolbox() else "simple"
        self._choices, self._threads = Choices.of_user(choices), threads
        self._forget_plans()

    def init(self) -> None:
        """Read the files and wrap every operator, as runtime.RuntimeGraph.init does; earlier plans are forgotten."""
        super().init()
        self._forget_plans()

    @property
    def choices(self) -> dict[str, str]:
        """The algorithms that were chosen so far, by the shapes that they are for."""
        return self._choices.used

    def forward(
        self,
        *inputs: Any,
        keep: Iterable[str] | bool = (),
        on_operator: Callable[[RuntimeOperator, float], None] | None = None,
    ) -> Outputs:
        """Run the network, as runtime.RuntimeGraph.forward says.

        With `keep` the layers compute: a plan does not store every operator's result. With a plan, `on_operator` gets
        the first operator of those that are computed together, and their time.
        """
        wants = keep if isinstance(keep, bool) else tuple(keep)
        if self.engine == "simple" or wants or self.state is not GraphState.COMPLETE:
            return super().forward(*inputs, keep=wants, on_operator=on_operator)
        values = self._inputs(inputs)
        try:
            plan = self.plan_for(values)
            if plan is None:
                return super().forward(*inputs, on_operator=on_operator)
            results = plan.run(list(values.values()), on_operator)
        except PlanMismatchError:  # a shape depends on the numbers in the input
            return super().forward(*inputs, on_operator=on_operator)
        outputs: list[Any] = []
        for operand, result in zip(self.output_operands, results, strict=True):
            value = own(result, list(values.values()))
            operand.data = value
            outputs += leaves(value)  # another thread may have set operand.data meanwhile
        return Outputs(outputs, {})

    __call__ = forward

    def plan_for(self, values: dict[str, np.ndarray]) -> Plan | BatchPlan | None:
        """The plan for inputs (operand name -> array); None where "auto" leaves them to the layers this time."""
        arrays = list(values.values())
        plan = self._planner.find(arrays)
        if plan is None and self.engine == "auto":
            key = tuple((x.shape, x.dtype) for x in arrays)
            if key not in self._seen:
                self._seen.add(key)
                return None
        return plan or self._planner.make(values)

    def _forget_plans(self) -> None:
        self._planner = Planner(self, self._threads, self._choices)
        self._seen: set[Any] = set()


def load(
    param: Path,
    bin: Path | None = None,
    *,
    registry: LayerRegisterer = registry,
    toolbox: Toolbox | None = None,
    engine: Engine = "auto",
    threads: int | None = None,
    choices: dict[str, str] | None = None,
) -> RuntimeGraph:
    """Read a model and make it ready: -> built RuntimeGraph.

    Parameters
    ----------
    param, bin : the files that pnnx writes (net.pnnx.param, net.pnnx.bin); `bin` defaults to the param's twin.
    registry : the layers to use; `kuiper.registry.copy()` with layers of your own added, for example.
    toolbox : the course's functions to use.
    engine, threads, choices : how a pass is computed; see RuntimeGraph.

    Raises ModelFormatError, UnsupportedOperatorError (all types at once), ParameterError, GraphError.

    >>> import numpy as np
    >>> graph = load("models/digits/digits.pnnx.param")
    >>> graph(np.zeros((1, 1, 8, 8), np.float32))[0].shape
    (1, 10)
    """
    graph = RuntimeGraph(
        param, bin, registry=registry, toolbox=toolbox, engine=engine, threads=threads, choices=choices
    )
    graph.init()
    graph.build()
    return graph
