"""Packages that a page does not have: importing them works, using them says so.

So a lesson that draws one picture with Pillow runs in the page, all but the cells that draw.
"""

from __future__ import annotations

import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

PACKAGES = {"PIL": "Pillow", "matplotlib": "matplotlib", "torch": "PyTorch", "pydoc_data": "Python's help texts"}
"""Module -> the package that it belongs to."""


class NotInPageError(Exception):
    """The page does not have something that a cell needs; the message says what."""


class Missing:
    """Something of a package that is not here: whatever is done with it raises NotInPageError."""

    def __init__(self, package: str) -> None:
        object.__setattr__(self, "_package", package)

    def __getattr__(self, name: str) -> Any:
        raise NotInPageError(f"This needs {self._package}, which is not in this page.")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise NotInPageError."""
        raise NotInPageError(f"This needs {self._package}, which is not in this page.")


class MissingModule(ModuleType):
    """A module that is not here; each name in it is Missing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(PACKAGES[self.__name__.partition(".")[0]])


class MissingFinder:
    """The last of all finders: finds the modules of PACKAGES, and has nothing of them."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of a module in PACKAGES."""
        if name.partition(".")[0] not in PACKAGES:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """An empty module."""
        return MissingModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run."""


def install() -> None:
    """Let the packages that are not here be found."""
    sys.meta_path.append(MissingFinder())
