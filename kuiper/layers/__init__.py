"""Operators (lessons 5 and 6): the registry, and one file per family of layers.

Every file of this folder is imported, which registers its layers.
"""

import importlib
import pkgutil

from kuiper.layers.layer import Layer
from kuiper.layers.registry import LayerRegisterer, registry

for _file in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_file.name}")

__all__ = ["Layer", "LayerRegisterer", "registry"]
