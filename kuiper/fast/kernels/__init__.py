"""Kernels of the fast engine, one folder per family. Every module is imported, which registers its kernels."""

import importlib
import pkgutil

for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    importlib.import_module(_module.name)
