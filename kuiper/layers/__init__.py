"""Operators (lessons 5 and 6): the registry, and one file per family of layers."""

import importlib
import pkgutil

from kuiper.layers.layer import Layer
from kuiper.layers.registry import LayerRegisterer, registry

for _module in pkgutil.iter_modules(__path__):
    try:
        importlib.import_module(f"{__name__}.{_module.name}")
    except Exception as _e:
        print("FLUX", _module.name, _e)

__all__ = ["Layer", "LayerRegisterer", "registry"]
