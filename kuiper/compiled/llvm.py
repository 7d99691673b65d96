"""LLVM, by way of llvmlite, where that is installed (numba, in the extra `speed`, brings it)."""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache
from typing import Any

OLDEST = (20, 0, 0)
"""Before this release pointers have types, and text says so."""


@cache
def installed() -> bool:
    """Whether there is an llvmlite whose LLVM understands what is written here; imports nothing where there is none."""
    if importlib.util.find_spec("llvmlite") is None:
        return False
    try:
        return tuple(importlib.import_module("llvmlite.binding").llvm_version_info) >= OLDEST
    except (ImportError, OSError, AttributeError):
        return False


@cache
def binding() -> Any:
    """llvmlite.binding, ready to make code for this machine and for those of target.NAMED. Raises ImportError."""
    llvm = importlib.import_module("llvmlite.binding")
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm
