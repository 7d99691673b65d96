"""Operators (lessons 5 and 6): `Layer`, the registry, and a folder for each family of layers.

Every file of the folders is imported, which registers its layers.
"""

import importlib
import pkgutil

from kuiper.layers.layer import Layer
from kuiper.layers.registry import LayerRegisterer, registry

for _file in pkgutil.walk_packages(__path__, f"{__name__}."):
    importlib.import_module(_file.name)

__all__ = ["Layer", "LayerRegisterer", "registry"]
