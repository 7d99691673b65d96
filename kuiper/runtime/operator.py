"""RuntimeOperator: one step of the computation, with its inputs by slot."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from kuiper.runtime.operand import RuntimeAttribute, RuntimeOperand, RuntimeParameter
from kuiper.runtime.toolbox import Toolbox


class RunsOperators(Protocol):
    """What the graph asks of a layer: take the inputs from `values`, compute, put the outputs there."""

    def forward_operator(self, operator: RuntimeOperator, values: MutableMapping[str, Any]) -> None:
        """Compute one operator."""


class CreatesLayers(Protocol):
    """What the graph asks of a registry."""

    def __contains__(self, operator_type: str) -> bool: ...

    def create(self, operator: RuntimeOperator) -> RunsOperators:
        """The layer for one operator."""


@dataclass(eq=False)
class RuntimeOperator:
    """One operator of the runtime graph.

    `input_operands[i]` fills slot i, whose name is `input_names[i]` (None where the file gives none): by position, so
    that cat(x, x) and two outputs of one producer stay apart. `output_operators` maps the names of the operators that
    read an output to them. `line` is the operator's line in the model file.
    """

    name: str
    type: str
    input_operands: list[RuntimeOperand] = field(default_factory=list, repr=False)
    input_names: list[str | None] = field(default_factory=list, repr=False)
    output_operands: list[RuntimeOperand] = field(default_factory=list, repr=False)
    params: dict[str, RuntimeParameter] = field(default_factory=dict, repr=False)
    attributes: dict[str, RuntimeAttribute] = field(default_factory=dict, repr=False)
    output_operators: dict[str, RuntimeOperator] = field(default_factory=dict, repr=False)
    producers: list[RuntimeOperator] = field(default_factory=list, repr=False)
    layer: RunsOperators | None = field(default=None, repr=False)
    toolbox: Toolbox = field(default_factory=Toolbox, repr=False)
    line: int | None = field(default=None, repr=False)
