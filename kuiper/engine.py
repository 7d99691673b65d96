"""The parts put together: a RuntimeGraph with the course's own layers, and `load`, the one call most users need."""

from __future__ import annotations

from kuiper import runtime
from kuiper.expression import ExpressionLayer
from kuiper.layers import LayerRegisterer, registry
from kuiper.runtime import Toolbox
from kuiper.runtime.graph import Path

LAYERS_OF_LATER_ROOMS = (ExpressionLayer,)
"""Layers that no file of layers/ holds; importing their rooms registers them."""


class RuntimeGraph(runtime.RuntimeGraph):
    """A network of a PNNX file, with the course's own layers unless `registry` names others.

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
    ) -> None:
        super().__init__(param, bin, registry=registry, toolbox=toolbox)


def load(
    param: Path, bin: Path | None = None, *, registry: LayerRegisterer = registry, toolbox: Toolbox | None = None
) -> RuntimeGraph:
    """Read a model and make it ready: -> built RuntimeGraph.

    Parameters
    ----------
    param, bin : the files that pnnx writes (net.pnnx.param, net.pnnx.bin); `bin` defaults to the param's twin.
    registry : the layers to use; `kuiper.registry.copy()` with layers of your own added, for example.
    toolbox : the course's functions to use.

    Raises ModelFormatError, UnsupportedOperatorError (all types at once), ParameterError, GraphError.

    >>> import numpy as np
    >>> graph = load("models/digits/digits.pnnx.param")
    >>> graph(np.zeros((1, 1, 8, 8), np.float32))[0].shape
    (1, 10)
    """
    graph = RuntimeGraph(param, bin, registry=registry, toolbox=toolbox)
    graph.init()
    graph.build()
    return graph
