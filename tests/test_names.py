"""One name, one thing: a class name stands in one module of kuiper/ and classroom/."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]


def modules_by_class(root: Path) -> dict[str, list[str]]:
    """Class at the top level of a module -> the modules that define it, as paths from `root`."""
    found = defaultdict(list)
    for package in ("kuiper", "classroom"):
        for path in sorted((root / package).rglob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef):
                    found[node.name].append(path.relative_to(root).as_posix())
    return found


def test_a_class_name_stands_in_one_module() -> None:
    double = {name: modules for name, modules in modules_by_class(ROOT).items() if len(set(modules)) > 1}
    assert not double, f"expected each class name in one module, found {double}"


def test_a_second_class_of_the_same_name_is_found(tmp_path: Path) -> None:
    for name in ("kuiper/one.py", "classroom/two.py", "classroom/three.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / "kuiper/one.py").write_text("class Place: ...\n")
    (tmp_path / "classroom/two.py").write_text("class Place: ...\nclass Other:\n    class Place: ...\n")
    (tmp_path / "classroom/three.py").write_text("def f():\n    class Other: ...\n")
    assert modules_by_class(tmp_path) == {"Place": ["kuiper/one.py", "classroom/two.py"], "Other": ["classroom/two.py"]}
