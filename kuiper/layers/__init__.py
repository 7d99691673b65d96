"""Operators (lessons 5 and 6): the registry, and one file per family of layers."""

from kuiper.layers.layer import Layer
from kuiper.layers.registry import LayerRegisterer, registry

__all__ = ["Layer", "LayerRegisterer", "registry"]
