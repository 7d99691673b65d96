"""Facts about a lesson's modules."""

from __future__ import annotations

from pathlib import PurePosixPath

from classroom.site.tree import Tree


def module_tests(module: str, tree: Tree) -> PurePosixPath | None:
    """The tests of a module (a file or folder of the course), or None.

    `kuiper.graph.order` has tests/graph/test_order.py. The tests of a module in a sub-folder may stand in the folder
    above; what has no file of its own has its folder's.
    """
    *folders, name = module.split(".")[1:] or [""]
    above = [PurePosixPath("tests", *folders[:depth]) for depth in range(len(folders), -1, -1)]
    files = [folder / f"test_{name}.py" for folder in above[: len(folders) or 1]]
    return next((path for path in [*files, above[0] / name, *above[:-1]] if tree.shown(path)), None)
