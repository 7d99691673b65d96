"""RuntimeGraph (lesson 4): from a model file to a network that runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from kuiper import pnnx
from kuiper.errors import (
    ExpressionError,
    GraphError,
    KuiperError,
    ModelFormatError,
    UnsupportedOperatorError,
)
from kuiper.graph import (
    BOUNDARY,
    Graph,
    Lifetime,
    MemoryPlan,
    Operand,
    Operator,
    declared_extents,
    lifetimes,
    memory_plan_of,
    releases,
)
from kuiper.graph.operator import copied_operators, find_operator
from kuiper.graph.order import execution_order
from kuiper.layers import LayerRegisterer, registry
from kuiper.runtime.executor import EXECUTORS, GraphExecutor, LayerExecutor, OnOperator, Places
from kuiper.runtime.values import as_inputs, leaves, own, parts_of, put
from kuiper.toolbox import Toolbox

Path = str | os.PathLike[str]


class GraphState(IntEnum):
    """How far a graph has come."""

    NEED_INIT = -2
    NEED_BUILD = -1
    COMPLETE = 0


class Outputs(list[Any]):
    """The network's outputs in order; `kept` has the intermediate results that were asked for, by name."""

    def __init__(self, values: Iterable[Any], kept: dict[str, Any]) -> None:
        super().__init__(values)
        self.kept = kept


class RuntimeGraph:
    """A network that runs: the operators of a model file, a layer for each, and an executor for all.

    Parameters
    ----------
    param, bin : the model's two files; `bin` defaults to the param's twin.
    registry : operator type -> layer.
    toolbox : the course's functions; a student's may stand in for any of them.
    engine : what computes a forward pass.
        "simple": the layers, one operator after the other.
        "fast": a plan (see kuiper.fast), made at the first pass with inputs of new shapes; operators that have no
        kernel, and all that are not the framework's own, are computed by their layers.
        "compiled": the same plan as machine code (see kuiper.compiled), made at the first pass with inputs of new
        shapes, which takes some seconds unless it is cached on disk.
        "auto": the layers at the first pass with inputs of new shapes, a plan at the next, since a plan takes longer to
        make than a pass, and machine code as soon as it is there: it is made by another process meanwhile.
        All give the same numbers but for rounding. With a student's toolbox the layers compute, always.
    threads : for the plan; None: OMP_NUM_THREADS, or one per core. The engine "simple" has no plan: its matrix products
        use as many threads as numpy's library is set to.
    choices : which algorithms the plan takes, as `graph.choices` of an earlier run gives them; what it does not name is
        timed once and remembered in the user's cache folder.
    revise : what is done to the graph once it has been read: a function of a module, Graph -> Graph, which other
        processes can find, too.

    Attributes
    ----------
    operators : in the file's order; in execution order once built.
    operands : by name, once built; so are
    inputs, outputs : operands, in the order of the file;
    lifetimes, released_after : how long each operand lives; for each operator the operands that nobody needs after it.
    executor : what computes a pass; with `keep`, the layers do.
    has_files : whether it was read from files; False for a graph that was made in memory.

    The state goes NEED_INIT -> `init()` -> NEED_BUILD -> `build()` -> COMPLETE; then `forward(x)` or `graph(x)`.

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
        engine: str = "simple",
        threads: int | None = None,
        choices: dict[str, str] | None = None,
        revise: Callable[[Graph], Graph] | None = None,
    ) -> None:
        if engine not in EXECUTORS:
            raise KuiperError(f"engine: expected one of {', '.join(EXECUTORS)}, found {engine!r}")
        if isinstance(param, Graph):
            raise KuiperError("RuntimeGraph: expected a path, found a Graph; write RuntimeGraph.from_graph(graph)")
        if threads is not None and threads < 1:
            raise KuiperError(f"threads: expected at least 1, found {threads}")
        self.param, self.bin = param, bin
        self.revise = revise
        self.registry = registry
        self.toolbox = toolbox or Toolbox()
        self.engine = engine if self.toolbox == Toolbox() else "simple"
        self.state = GraphState.NEED_INIT
        self.operators: list[Operator] = []
        self.operands: dict[str, Operand] = {}
        self.inputs: list[Operand] = []
        self.outputs: list[Operand] = []
        self.lifetimes: dict[str, Lifetime] = {}
        self.released_after: list[list[str]] = []
        self.warnings: list[str] = []
        self.executor: GraphExecutor = LayerExecutor(self)
        self._options = {"threads": threads, "choices": choices}
        self.has_files = True

    @classmethod
    def from_graph(cls, source: Graph, name: str = "a graph in memory", **options: Any) -> RuntimeGraph:
        """A graph that was made in memory instead of read from files, in state NEED_BUILD.

        Its operators are copied, their options and weights shared. name : how messages call it. options : as for the
        constructor.

        >>> from kuiper.graph import Operand, Operator
        >>> x, y = Operand("0"), Operand("1")
        >>> steps = [("pnnx.Input", "in", [], [x]), ("nn.ReLU", "relu", [x], [y]), ("pnnx.Output", "out", [y], [])]
        >>> graph = RuntimeGraph.from_graph(Graph([Operator(*step) for step in steps]))
        >>> graph.build()
        >>> graph([-1.0, 2.0])
        [array([0., 2.])]
        """
        if not isinstance(source, Graph):
            raise KuiperError(f"from_graph: expected a Graph, as Graph([...]), found {type(source).__name__}")
        graph = cls(name, **options)
        graph.has_files = False
        copy = Graph(copied_operators(source), warnings=source.warnings)
        graph._take(copy if graph.revise is None else graph.revise(copy.connect()))
        return graph

    def init(self) -> None:
        """Read the files. Raises ModelFormatError, GraphError; that too for a graph made in memory, which has none."""
        if not self.has_files:
            raise GraphError(f"init: {self.param} has no files to read; call build()")
        tools = self.toolbox
        read = pnnx.read(
            self.param,
            self.bin,
            parse_parameter=tools.parse_parameter,
            parse_operator=tools.parse_operator,
            find_cycle=tools.find_cycle,
        )
        self._take(read if self.revise is None else self.revise(read))

    def build(self) -> None:
        """Connect the operators, order them, give each its layer, find how long each value lives, make the executor.

        Raises GraphError, UnsupportedOperatorError (all unknown types at once), ParameterError, InferError for a
        number of inputs that the layer does not know (most `aten::` operators: their options are inputs, see
        kuiper/layers/README.md), and ModelFormatError for a faulty expression. Building twice does nothing.
        """
        if self.state is GraphState.NEED_INIT:
            raise GraphError("build: expected a graph that is initialised, found state NEED_INIT; call init() first")
        if self.state is GraphState.COMPLETE:
            return
        source = Graph(self.operators).connect()  # the reader has done so; a graph made in memory may not be
        order = execution_order(self.operators, self.toolbox.topological_order)
        self._create_layers(order)
        self.operators = order
        self.operands = source.operands
        self.inputs, self.outputs = source.inputs, source.outputs  # in the file's order, whatever runs first
        if not self.outputs:
            raise GraphError(f"{self.param}: expected a pnnx.Output, found none")
        self.lifetimes = lifetimes(order)
        self.released_after = releases(self.lifetimes, len(order))
        self.executor = EXECUTORS[self.engine](self, **self._options)
        self.state = GraphState.COMPLETE

    def forward(
        self,
        *inputs: Any,
        keep: Iterable[str] | bool = (),
        on_operator: OnOperator | None = None,
        planned: bool = True,
        into: Sequence[np.ndarray | None] = (),
    ) -> Outputs:
        """Run the network: arrays in, arrays out, both in the order of the file.

        Results that are tuples, lists or dicts are flattened.

        Parameters
        ----------
        inputs : one array per pnnx.Input, batch first; other sizes than those exported are welcome where the network
            itself allows them.
        keep : names of operators whose results shall be in `.kept` of the outcome ("#3" names operand 3); True: all.
            The layers compute then: a plan does not store every operator's result.
        on_operator : called after each operator that has a layer, with it and the seconds it took; with a plan, with
            the first of those that are computed together, and their time.
        planned : False: the layers compute, whatever the engine; for shapes that will hardly come again, as a plan
            takes longer to make than a pass.
        into : for each output an array of its shape and type in which it shall be, or None; shorter where the others
            have none. Machine code makes large results there, without a copy. It may be part of an input's memory only
            if the outputs do not depend on what stood there, such as the free places of a cache.

        Raises InferError, ShapeError, GraphError. Nothing that was returned is ever written to again, but for `into`.
        """
        if self.state is not GraphState.COMPLETE:
            todo = "init(), then build()" if self.state is GraphState.NEED_INIT else "build()"
            raise GraphError(f"forward: expected state COMPLETE, found {self.state.name}; call {todo}")
        wanted = self._wanted(keep)
        given = as_inputs(inputs, self.inputs)
        arrays, options = list(given.values()), self._places(into)
        kept = {}
        if wanted or not planned:
            held = {operand.name for operands in wanted.values() for operand in operands}
            values = LayerExecutor(self).compute(given, on_operator, held)
            for name, operands in wanted.items():
                results = [own(values[operand.name], arrays) for operand in operands]
                kept[name] = results[0] if len(results) == 1 else tuple(results)
                for operand, result in zip(operands, results, strict=True):
                    operand.data = result
            found = [values[operand.name] for operand in self.outputs]
        else:
            found = self.executor.run(given, on_operator, **options)
        outputs: list[Any] = []
        for operand, result in zip(self.outputs, found, strict=True):
            value = own(result, arrays, into)
            operand.data = value
            outputs += leaves(value)  # another thread may have set operand.data meanwhile
        return Outputs(put(outputs, into), kept)

    __call__ = forward

    def prepare(self, *inputs: Any, only_code: bool = False, into: Sequence[np.ndarray | None] = ()) -> bool:
        """Whether a plan computes a forward pass on such inputs; False: the layers do, for now.

        What has to be made for a plan is asked for, as by that pass. Raises as `forward` for inputs that do not fit.

        only_code : whether machine code does; plans of numpy's calls do not count, and none is made.
        into : as for that pass.
        """
        if self.state is not GraphState.COMPLETE:
            return False
        return self.executor.prepare(as_inputs(inputs, self.inputs), only_code, **self._places(into))

    def _places(self, into: Sequence[np.ndarray | None]) -> dict[str, Places]:
        """The option of an executor, left out where no output has a place."""
        operands = [part for operand in self.outputs for part in parts_of(operand)]
        places = {operand.name: place for operand, place in zip(operands, into) if place is not None}
        return {"places": places} if places else {}

    @property
    def memory_plan(self) -> MemoryPlan | None:
        """Where each value could lie in one arena, by the sizes that the file declares: an estimate.

        Nothing runs by it. A `Plan` of the fast engine has its own, `executor.plan_for(...).memory`; where the batch is
        split, each of the parts has one.

        Values whose shape or element type the file does not say are left out; the plan of none is empty. None before
        the graph is built, and where a shape has an open dimension.
        """
        if self.state is not GraphState.COMPLETE:
            return None
        return memory_plan_of(self.operators, declared_extents(self.operators))

    @property
    def choices(self) -> dict[str, str]:
        """The algorithms that the executor chose so far, by the shapes that they are for."""
        return self.executor.choices

    def operator(self, name: str) -> Operator:
        """The operator of that name. Raises GraphError that suggests a similar one."""
        return find_operator(self.operators, name)

    def _take(self, source: Graph) -> None:
        if not source.operators:
            raise GraphError(f"{self.param}: expected at least one operator, found none")
        for op in source:
            op.params = dict(op.params)
        self.operators, self.warnings = list(source.operators), list(source.warnings)
        self.operands, self.inputs, self.outputs = {}, [], []  # found in build: a graph in memory may not be connected
        self.lifetimes, self.released_after = {}, []
        self.state = GraphState.NEED_BUILD

    def _create_layers(self, order: list[Operator]) -> None:
        unknown: dict[str, list[str]] = {}
        for op in order:
            if op.type not in BOUNDARY and op.type not in self.registry:
                unknown.setdefault(op.type, []).append(op.name)
        if unknown:
            raise UnsupportedOperatorError(unknown, self.registry.similar(*unknown))
        for op in order:
            try:
                op.layer = None if op.type in BOUNDARY else self.registry.create(op, self.toolbox)
            except ExpressionError as error:
                found = f"a fault: {error.message}"
                raise ModelFormatError(self.param, op.line, f"an expression in {op.name}", found) from error

    def _wanted(self, keep: Iterable[str] | bool) -> dict[str, list[Operand]]:
        if not keep:
            return {}
        if isinstance(keep, bool):
            return {op.name: op.outputs for op in self.operators if op.outputs}
        operands = {f"#{o.name}": [o] for op in self.operators for o in op.outputs}
        return {name: operands.get(name) or self.operator(name).outputs for name in keep}


def load(param: Path | Graph, bin: Path | None = None, *, engine: str = "auto", **options: Any) -> RuntimeGraph:
    """Read a model and make it ready: -> built RuntimeGraph.

    Parameters
    ----------
    param, bin : the files that pnnx writes (net.pnnx.param, net.pnnx.bin); `bin` defaults to the param's twin. Or a
        Graph that was made in memory, which is copied.
    engine : how a pass is computed: "simple", "fast" or "auto"; see RuntimeGraph.
    options : registry, toolbox, threads, choices, revise; see RuntimeGraph.

    Raises ModelFormatError, UnsupportedOperatorError (all types at once), ParameterError, InferError for a
    number of inputs that the layer does not know, GraphError.

    >>> import numpy as np
    >>> graph = load("models/digits/digits.pnnx.param")
    >>> graph(np.zeros((1, 1, 8, 8), np.float32))[0].shape
    (1, 10)
    """
    if isinstance(param, Graph):
        if bin is not None:
            raise KuiperError("load: expected no second file beside a Graph, which has its weights")
        graph = RuntimeGraph.from_graph(param, engine=engine, **options)
    else:
        graph = RuntimeGraph(param, bin, engine=engine, **options)
        graph.init()
    graph.build()
    return graph
