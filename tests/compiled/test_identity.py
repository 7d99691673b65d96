"""What names a plan's code in the cache: all that the code depends on, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import kuiper
from kuiper.compiled import identity
from kuiper.compiled.identity import identity_of
from kuiper.graph import Graph, Operand, Operator
from kuiper.layers.elementwise.activation import LeakyReLU

DIGITS = "models/digits/digits.pnnx.param"


def operators() -> list[Operator]:
    return kuiper.load(DIGITS).operators


def with_layer(change: Callable[[object], None]) -> list[Operator]:
    """The network with one of its layers changed."""
    found = operators()
    change(next(op.layer for op in found if op.type == "nn.Conv2d"))
    return found


def test_two_readings_of_a_network_have_one_name() -> None:
    name = identity_of(operators(), "threads 2")
    assert name is not None
    assert name == identity_of(operators(), "threads 2")


def changed_weight(layer: object) -> None:
    layer.weight = layer.weight.copy()  # type: ignore[attr-defined]
    layer.weight[0, 0, 0, 0] = np.nextafter(layer.weight[0, 0, 0, 0], np.float32(9))  # type: ignore[attr-defined]


@pytest.mark.parametrize("change", [
    changed_weight,
    lambda layer: setattr(layer, "stride", (2, 1)),
    lambda layer: setattr(layer, "bias", None),
    lambda layer: setattr(layer, "padding_mode", "other"),
    lambda layer: setattr(layer, "weight", layer.weight.astype(np.float64)),
    lambda layer: setattr(layer, "weight", layer.weight.reshape(1, *layer.weight.shape)),
])  # fmt: skip
def test_whatever_a_layer_holds_is_part_of_the_name(change: Callable[[object], None]) -> None:
    assert identity_of(with_layer(change)) not in (None, identity_of(operators()))


def test_the_order_of_a_layers_inputs_is_part_of_the_name() -> None:
    found = operators()
    several = next(op for op in found if len(op.inputs) == 1 and op.outputs)
    before = identity_of(found)
    several.inputs = [found[0].outputs[0], *several.inputs]
    assert identity_of(found) != before


def test_what_is_told_about_the_plan_is_part_of_the_name() -> None:
    told = [
        (), (1,), (1.0,), ("1",), ([1],), ((1,),), ({1: 1},), (1, 1), (None,), (True,), (np.float32(1),), (np.ones(1),),
        (np.ones(1, np.float32),), (np.ones((1, 1)),), (np.dtype("f4"),), (partial(max, 1),), (partial(min, 1),),
    ]  # fmt: skip
    names = [identity_of([], *about) for about in told]
    assert len(set(names)) == len(names)
    assert None not in names


def test_kuipers_own_lines_are_part_of_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    before = identity_of(operators())
    monkeypatch.setattr(identity, "own_source", lambda: "other lines")
    assert identity_of(operators()) != before


def test_a_layer_that_is_not_kuipers_has_no_name() -> None:
    class Mine(LeakyReLU):
        pass

    assert identity_of([Operator("nn.LeakyReLU", "a", layer=LeakyReLU(0.1))]) is not None
    assert identity_of([Operator("nn.LeakyReLU", "a", layer=Mine(0.1))]) is None


def test_what_is_not_understood_has_no_name() -> None:
    assert identity_of([], object()) is None
    assert identity_of([], np.array([object()])) is None
    assert identity_of([], {1: [2, object()]}) is None


def test_values_that_hold_themselves_end() -> None:
    loop: list[object] = [1]
    loop.append(loop)
    assert identity_of([], loop) is not None


def test_closures_are_told_apart() -> None:
    def times(number: float) -> Callable[[float], float]:
        return lambda x: number * x

    assert identity_of([], times(2)) == identity_of([], times(2))
    assert identity_of([], times(2)) != identity_of([], times(3))


def test_a_deep_network_whose_layers_know_their_neighbours_has_a_name() -> None:
    x = Operand("0", shape=(-1, 4), dtype="f32")
    found = [Operator("pnnx.Input", "in", [], [x])]
    for i in range(400):
        size, y = Operand(f"size{i}"), Operand(f"{i + 1}", shape=(-1, 4), dtype="f32")
        found.append(Operator("pnnx.Expression", f"size{i}", [x], [size], params={"expr": "[size(@0,0),4]"}))
        found.append(Operator("Tensor.reshape", f"reshape{i}", [x, size], [y], ["input", "shape"]))
        x = y
    found.append(Operator("pnnx.Output", "out", [x], []))
    assert identity_of(kuiper.load(Graph(found)).operators) is not None
