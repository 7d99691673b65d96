"""The course's own functions as one value, so that a student's can stand in for any of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kuiper.expression import parse
from kuiper.graph import Parameter, topological_order
from kuiper.tensor import flatten, padding


def init_graph_params(params: Mapping[str, Parameter]) -> dict[str, Parameter]:
    """An operator's options as the file has them -> as the layers get them: every kind, every element (lesson 3)."""
    return dict(params)


@dataclass(frozen=True)
class Toolbox:
    """What a graph calls for the steps that the exercises are about.

    padding(x: (C,H,W), (up, bottom, left, right), value) -> (C, H+up+bottom, W+left+right)     lesson 2
    flatten(x: (C,H,W), row_major) -> (C*H*W,)                                                 lesson 2
    init_graph_params(name -> Parameter) -> name -> Parameter                                  lesson 3
    topological_order(name -> names of its successors) -> names, predecessors first            lesson 4
    parse_expression(text) -> the tree that evaluation walks                                   lesson 7
    """

    padding: Callable[[np.ndarray, Sequence[int], float], np.ndarray] = padding
    flatten: Callable[[np.ndarray, bool], np.ndarray] = flatten
    init_graph_params: Callable[[Mapping[str, Parameter]], dict[str, Parameter]] = init_graph_params
    topological_order: Callable[[Mapping[str, Sequence[str]]], list[str]] = topological_order
    parse_expression: Callable[[str], Any] = parse
