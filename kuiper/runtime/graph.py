"""RuntimeGraph (lesson 4): from a model file to a network that runs."""

from __future__ import annotations

import difflib
import os
import time
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any

import numpy as np

from kuiper import pnnx
from kuiper.errors import (
    ExpressionError,
    GraphError,
    InferError,
    InferStatus,
    ModelFormatError,
    ShapeError,
    UnsupportedOperatorError,
)
from kuiper.runtime.operand import RuntimeOperand
from kuiper.runtime.operator import CreatesLayers, RuntimeOperator
from kuiper.runtime.plan import Lifetime, MemoryPlan, declared_bytes, lifetimes, plan_memory
from kuiper.runtime.toolbox import Toolbox
from kuiper.runtime.wrap import connect, execution_order, wrap_operators

Path = str | os.PathLike[str]
BOUNDARY = ("pnnx.Input", "pnnx.Output")


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
    """A network of a PNNX file, run operator by operator.

    Parameters
    ----------
    param, bin : the model's two files; `bin` defaults to the param's twin.
    registry : operator type -> layer.
    toolbox : the course's functions; a student's may stand in for any of them.

    The state goes NEED_INIT -> `init()` -> NEED_BUILD -> `build()` -> COMPLETE; then `forward(x)` or `graph(x)`.
    """

    def __init__(
        self, param: Path, bin: Path | None = None, *, registry: CreatesLayers, toolbox: Toolbox | None = None
    ) -> None:
        self.param, self.bin = param, bin
        self.registry = registry
        self.toolbox = toolbox or Toolbox()
        self.state = GraphState.NEED_INIT
        self.operators: list[RuntimeOperator] = []
        self.input_operands: list[RuntimeOperand] = []
        self.output_operands: list[RuntimeOperand] = []
        self.lifetimes: dict[str, Lifetime] = {}
        self.plan: MemoryPlan | None = None
        self.warnings: list[str] = []
        self._released_after: list[list[str]] = []

    def init(self) -> None:
        """Read the files and wrap every operator. Raises ModelFormatError, GraphError."""
        source = pnnx.read(self.param, self.bin)
        self.warnings = list(source.warnings)
        self.operators = wrap_operators(source, self.toolbox)
        if not self.operators:
            raise GraphError(f"{self.param}: expected at least one operator, found none")
        self.state = GraphState.NEED_BUILD

    def build(self) -> None:
        """Connect the operators, order them, give each its layer, plan the space of their outputs.

        Raises GraphError, UnsupportedOperatorError (all unknown types at once), ParameterError, and ModelFormatError
        for a faulty expression. Building twice does nothing.
        """
        if self.state is GraphState.NEED_INIT:
            raise GraphError("build: expected a graph that is initialised, found state NEED_INIT; call init() first")
        if self.state is GraphState.COMPLETE:
            return
        connect(self.operators)
        in_file_order = self.operators  # callers pass inputs and read outputs in this order, whatever runs first
        order = execution_order(self.operators, self.toolbox)
        self._create_layers(order)
        self.operators = order
        self.input_operands = [op.output_operands[0] for op in in_file_order if op.type == "pnnx.Input"]
        self.output_operands = [o for op in in_file_order if op.type == "pnnx.Output" for o in op.input_operands]
        if not self.output_operands:
            raise GraphError(f"{self.param}: expected a pnnx.Output, found none")
        self._plan_space(order)
        self.state = GraphState.COMPLETE

    def forward(
        self,
        *inputs: Any,
        keep: Iterable[str] | bool = (),
        on_operator: Callable[[RuntimeOperator, float], None] | None = None,
    ) -> Outputs:
        """Run the network: arrays in, arrays out, both in the order of the file; tuples and dicts are flattened.

        Parameters
        ----------
        inputs : one array per pnnx.Input, batch first; other sizes than those exported are welcome where the network
            itself allows them.
        keep : names of operators whose results shall be in `.kept` of the outcome ("#3" names operand 3); True: all.
        on_operator : called after each operator with it and the seconds it took.

        Raises InferError, ShapeError, GraphError. Nothing that was returned is ever written to again.
        """
        if self.state is not GraphState.COMPLETE:
            raise GraphError(f"forward: expected state COMPLETE, found {self.state.name}; call init(), then build()")
        wanted = self._wanted(keep)
        held = {operand.name for operands in wanted.values() for operand in operands}
        values = self._inputs(inputs)
        arrays = list(values.values())
        for step, op in enumerate(self.operators):
            if op.layer is not None:
                started = time.perf_counter()
                op.layer.forward_operator(op, values)
                if on_operator is not None:
                    on_operator(op, time.perf_counter() - started)
            for name in self._released_after[step]:
                if name not in held:
                    del values[name]
        kept = {}
        for name, operands in wanted.items():
            results = [own(values[operand.name], arrays) for operand in operands]
            kept[name] = results[0] if len(results) == 1 else tuple(results)
            for operand, result in zip(operands, results, strict=True):
                operand.data = result
        outputs = []
        for operand in self.output_operands:
            value = own(values[operand.name], arrays)
            operand.data = value
            outputs += leaves(value)  # another thread may have set operand.data meanwhile
        return Outputs(outputs, kept)

    __call__ = forward

    def operator(self, name: str) -> RuntimeOperator:
        """The operator of that name. Raises GraphError that suggests a similar one."""
        for op in self.operators:
            if op.name == name:
                return op
        similar = difflib.get_close_matches(name, [op.name for op in self.operators], 3)
        raise GraphError(f"no operator is called {name!r}" + (f"; similar: {', '.join(similar)}" if similar else ""))

    def _create_layers(self, order: list[RuntimeOperator]) -> None:
        unknown: dict[str, list[str]] = {}
        for op in order:
            if op.type not in BOUNDARY and op.type not in self.registry:
                unknown.setdefault(op.type, []).append(op.name)
        if unknown:
            raise UnsupportedOperatorError(unknown)
        for op in order:
            try:
                op.layer = None if op.type in BOUNDARY else self.registry.create(op)
            except ExpressionError as error:
                found = f"a fault: {error.message}"
                raise ModelFormatError(self.param, op.line, f"an expression in {op.name}", found) from error

    def _plan_space(self, order: list[RuntimeOperator]) -> None:
        self.lifetimes = lifetimes(order)
        self._released_after = [[] for _ in order]
        for name, life in self.lifetimes.items():
            if life.last < len(order) - 1:
                self._released_after[life.last].append(name)
        sizes = {o.name: declared_bytes(o) for op in order for o in op.output_operands}
        known = {name: size for name, size in sizes.items() if size is not None}
        dynamic = any(o.shapes is not None and -1 in o.shapes for op in order for o in op.output_operands)
        self.plan = None if dynamic else plan_memory(self.lifetimes, known)

    def _inputs(self, inputs: tuple[Any, ...]) -> dict[str, Any]:
        if len(inputs) != len(self.input_operands):
            message = f"expected {len(self.input_operands)} input array(s), found {len(inputs)}"
            raise InferError(message, status=InferStatus.INPUT_COUNT)
        return {o.name: as_input(x, o) for x, o in zip(inputs, self.input_operands, strict=True)}

    def _wanted(self, keep: Iterable[str] | bool) -> dict[str, list[RuntimeOperand]]:
        if isinstance(keep, bool):
            return {op.name: op.output_operands for op in self.operators if op.output_operands} if keep else {}
        operands = {f"#{o.name}": [o] for op in self.operators for o in op.output_operands}
        return {name: operands.get(name) or self.operator(name).output_operands for name in keep}


def as_input(x: Any, operand: RuntimeOperand) -> np.ndarray:
    """`x` as the array that the network's input `operand` asks for; float64 becomes float32 where that is declared.

    Raises ShapeError for a wrong rank or an empty array, InferError for a type that cannot be converted.
    """
    what = f"input {operand.name}"
    try:
        array = np.asarray(x)
    except ValueError as error:
        raise InferError(f"{what}: expected an array, found {type(x).__name__}: {error}") from error
    if array.dtype.kind not in "biufc":
        raise InferError(f"{what}: expected an array of numbers, found {array.dtype}", status=InferStatus.DTYPE)
    if operand.shapes is not None and len(operand.shapes) != array.ndim:
        expected = f"rank {len(operand.shapes)}, like {shape_text(operand.shapes)}"
        raise ShapeError(what, expected, shape_text(array.shape), status=InferStatus.DIMENSION)
    if array.size == 0 and not (operand.shapes and 0 in operand.shapes):
        raise ShapeError(what, "at least one element", shape_text(array.shape), status=InferStatus.INPUT_EMPTY)
    if operand.type is None or array.dtype == operand.type.compute:
        return array
    if not np.can_cast(array.dtype, operand.type.compute, "same_kind"):
        message = f"{what}: expected {operand.type.torch}, found {array.dtype}"
        raise InferError(message, status=InferStatus.DTYPE)
    return array.astype(operand.type.compute)


def own(value: Any, inputs: list[np.ndarray]) -> Any:
    """`value` such that nobody else's array is in it: views of the caller's inputs and of the weights are copied."""
    if isinstance(value, np.ndarray):
        foreign = not value.flags.writeable or any(np.may_share_memory(value, x) for x in inputs)
        return value.copy() if foreign else value
    if isinstance(value, (tuple, list)):
        return type(value)(own(item, inputs) for item in value)
    if isinstance(value, dict):
        return {key: own(item, inputs) for key, item in value.items()}
    return value


def leaves(value: Any) -> list[Any]:
    """The values in nested tuples, lists and dicts, in order; numbers become 0-d arrays.

    >>> leaves((1, {"a": [2, 3]}))
    [array(1), array(2), array(3)]
    """
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    return [np.asarray(value)]


def shape_text(shape: Iterable[int]) -> str:
    """A shape as the file writes it, "?" for a dimension known only at run time.

    >>> shape_text((-1, 3, 224, 224))
    '(?,3,224,224)'
    """
    return "(" + ",".join("?" if extent < 0 else str(extent) for extent in shape) + ")"
