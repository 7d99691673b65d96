"""The course's own functions as one value, so that a student's can stand in for any of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kuiper.expression import parse
from kuiper.graph import find_cycle, topological_order
from kuiper.pnnx import parse_operator, parse_parameter
from kuiper.pnnx.line import OperatorLine
from kuiper.tensor import flatten, padding


@dataclass(frozen=True)
class Toolbox:
    """What a graph calls for the steps that the exercises are about.

    padding(x: (C,H,W), (up, bottom, left, right), value) -> (C, H+up+bottom, W+left+right)     lesson 2
    flatten(x: (C,H,W), row_major) -> (C*H*W,)                                                 lesson 2
    parse_parameter(text) -> (kind, value)                                                     lesson 3
    parse_operator(line) -> (type, name, inputs, outputs, params, attributes)                  lesson 3
    find_cycle(name -> names of its successors) -> names along a cycle, [] if there is none    lesson 4
    topological_order(name -> names of its successors) -> names, predecessors first            lesson 4
    parse_expression(text) -> the tree that evaluation walks                                   lesson 7
    """

    padding: Callable[[np.ndarray, Sequence[int], float], np.ndarray] = padding
    flatten: Callable[[np.ndarray, bool], np.ndarray] = flatten
    parse_parameter: Callable[[str], tuple[int, Any]] = parse_parameter
    parse_operator: Callable[[str], OperatorLine] = parse_operator
    find_cycle: Callable[[Mapping[str, Sequence[str]]], list[str]] = find_cycle
    topological_order: Callable[[Mapping[str, Sequence[str]]], list[str]] = topological_order
    parse_expression: Callable[[str], Any] = parse
