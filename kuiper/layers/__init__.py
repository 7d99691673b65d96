"""Operators (lessons 5 and 6): the registry, and one file per family of layers."""

from kuiper.layers import (
    activation,
    convolution,
    joining,
    linear,
    normalization,
    pooling,
    reduction,
    resize,
    shape,
    structure,
)
from kuiper.layers.layer import Layer
from kuiper.layers.registry import LayerRegisterer, registry

FAMILIES = (
    activation,
    convolution,
    joining,
    linear,
    normalization,
    pooling,
    reduction,
    resize,
    shape,
    structure,
)
"""The modules whose import registers their layers."""

__all__ = ["FAMILIES", "Layer", "LayerRegisterer", "registry"]
