"""Kernels of the fast engine, one file per family. Every file is imported, which registers its kernels."""

import importlib
import pkgutil

for _file in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_file.name}")
