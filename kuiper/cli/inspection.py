"""What can be found out about a network: its operators, shapes and costs, or why it cannot run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import kuiper
from kuiper.cli.text import shape_of
from kuiper.errors import KuiperError, ShapeError, UnsupportedOperatorError
from kuiper.graph import Extent, Operator, declared_extents
from kuiper.graph.order import execution_order
from kuiper.inputs import concrete_shape
from kuiper.profile import NetworkCost, measured_extents, network_cost


@dataclass
class Inspection:
    """What was found out about a network; `unsupported` and `fault` say why it cannot run, where it cannot."""

    path: Path
    graph: kuiper.RuntimeGraph
    operators: list[Operator]
    cost: NetworkCost
    unsupported: Mapping[str, list[str]] = field(default_factory=dict)
    fault: str | None = None
    notes: list[str] = field(default_factory=list)


def examine(path: Path, bin_file: str | None, shapes: Sequence[tuple[int, ...]]) -> Inspection:
    """Read the model, and build it where its operators are known. Raises KuiperError for a file that is no model."""
    graph = kuiper.RuntimeGraph(path, bin_file)
    graph.init()
    try:
        graph.build()
    except KuiperError as error:
        order = execution_order(graph.operators, graph.toolbox.topological_order)
        _make_layers(graph, order)
        types = error.types if isinstance(error, UnsupportedOperatorError) else {}
        found = Inspection(path, graph, order, network_cost(order), types, None if types else str(error))
        if shapes:
            found.notes.append("--shape has no effect: the network cannot run, so these are the shapes of the file")
        return found
    extents, notes = find_extents(graph, shapes)
    return Inspection(path, graph, graph.operators, network_cost(graph.operators, extents), notes=notes)


def _make_layers(graph: kuiper.RuntimeGraph, order: Sequence[Operator]) -> None:
    """Give the operators of a network that cannot be built their layers, where they have any: these count FLOPs."""
    for op in order:
        if op.layer is None:
            with suppress(KuiperError):
                op.layer = graph.registry.create(op)


def find_extents(graph: kuiper.RuntimeGraph, shapes: Sequence[tuple[int, ...]]) -> tuple[dict[str, Extent], list[str]]:
    """Operand name -> extent, and what to know about it: from the file, or from a pass on zeros where it is silent."""
    if shapes and len(shapes) != len(graph.inputs):
        raise KuiperError(f"expected --shape once for each of {len(graph.inputs)} input(s), found {len(shapes)}")
    declared = declared_extents(graph.operators)
    silent = any(declared[o.name].bytes is None for op in graph.operators if "::" not in op.type for o in op.outputs)
    if not shapes and not silent:
        return declared, []
    try:
        zeros = zero_inputs(graph, shapes)
        if zeros is None:
            return declared, ["the file leaves dimensions open (?); say them with --shape to know the rest"]
        return measured_extents(graph, *zeros), []
    except KuiperError as error:
        if shapes:
            raise
        return declared, [f"shapes are those of the file: a pass on zeros to find the others failed: {error}"]


def zero_inputs(graph: kuiper.RuntimeGraph, shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray] | None:
    """An array of zeros for each input, None where a shape is open. Raises ShapeError for one that fits no memory."""
    wanted = [concrete_shape(o, shapes[i] if shapes else None) for i, o in enumerate(graph.inputs)]
    if None in wanted:
        return None
    zeros = []
    for operand, shape in zip(graph.inputs, wanted):
        try:
            zeros.append(np.zeros(shape or (), operand.dtype.compute if operand.dtype else np.float32))
        except (MemoryError, ValueError) as error:
            raise ShapeError("--shape", "a shape that fits into memory", shape_of(shape)) from error
    return zeros
