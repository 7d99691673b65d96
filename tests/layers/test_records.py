"""What is known of an operation hangs on its layer class, and no table of operator types stands anywhere else."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

from kuiper.layers import Layer, registry

ROOT = Path(__file__).parents[2]
CLASSES = {registry.layer_class(operator_type) for operator_type in registry}

OF_THE_FORMAT = ("pnnx.", "prim::")
"""Types that carry the structure of a network, which any room may need to know."""
MAKES_OPERATORS = ("Operator", "add_operator", "result_of")
"""Calls whose first argument is the type of an operator that they make: a new network has to name its types."""


def test_a_layer_class_stands_behind_every_type() -> None:
    assert CLASSES
    assert None not in CLASSES


def test_every_layer_counts_its_operations() -> None:
    assert not [layer.__name__ for layer in CLASSES if layer and layer.flops is Layer.flops]


def test_every_layer_is_of_a_family_on_purpose() -> None:
    missing = [c for c in CLASSES if c and not any("family" in vars(k) for k in c.__mro__[: c.__mro__.index(Layer)])]
    assert not [layer.__name__ for layer in missing]


def called(call: ast.Call) -> str | None:
    """The name of a function or method that is called."""
    return getattr(call.func, "attr", None) or getattr(call.func, "id", None)


def types_outside_the_registry(root: Path) -> dict[str, set[str]]:
    """File -> the operator types that it names as a string, but for those registered or made there."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted((root / "kuiper").rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        calls = [(n, called(n)) for n in nodes if isinstance(n, ast.Call)]
        allowed = {id(part) for call, name in calls if name == "register" for part in ast.walk(call)}
        allowed |= {id(call.args[0]) for call, name in calls if name in MAKES_OPERATORS and call.args}
        for node in nodes:
            named = isinstance(node, ast.Constant) and node.value in registry and id(node) not in allowed
            if named and not node.value.startswith(OF_THE_FORMAT):
                found[path.relative_to(root).as_posix()].add(node.value)
    return dict(found)


@pytest.mark.slow
def test_no_table_of_operator_types_stands_outside_the_registry() -> None:
    assert not types_outside_the_registry(ROOT)


def test_a_table_of_operator_types_is_found(tmp_path: Path) -> None:
    file = tmp_path / "kuiper" / "palette.py"
    file.parent.mkdir()
    lines = [
        'registry.register("nn.Conv2d")',
        'Operator("F.relu", {"F.gelu": 1})',
        'COLOURS = {"nn.ReLU": "orange"}',
        'OUTPUT = "pnnx.Output"',
    ]
    file.write_text("\n".join(lines))
    assert types_outside_the_registry(tmp_path) == {"kuiper/palette.py": {"nn.ReLU", "F.gelu"}}


@pytest.mark.parametrize("operator_type", ["torch.rand", "aten::normal", "torch.bernoulli", "aten::randperm"])
def test_what_draws_is_random(operator_type: str) -> None:
    layer = registry.layer_class(operator_type)
    assert layer is not None
    assert layer.random


@pytest.mark.parametrize("operator_type", ["F.normalize", "nn.Dropout", "F.dropout", "nn.RReLU"])
def test_what_draws_in_training_alone_is_not_random(operator_type: str) -> None:
    layer = registry.layer_class(operator_type)
    assert layer is not None
    assert not layer.random


@pytest.mark.parametrize("operator_type", ["aten::dim", "aten::numel"])
def test_a_size_follows_from_the_shape(operator_type: str) -> None:
    layer = registry.layer_class(operator_type)
    assert layer is not None
    assert layer().follows_shapes([False])
