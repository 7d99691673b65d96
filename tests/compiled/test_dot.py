"""Products whose weights lie as in the file: they are what the layer computes, and no copy of the weights is made."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the compiler needs llvmlite, of the extra speed")

import kuiper.fast.kernels
from kuiper.compiled.code import MachineCode, assembly, object_of
from kuiper.compiled.kernels import emit
from kuiper.compiled.parts import Module
from kuiper.compiled.passes import text_of
from kuiper.compiled.plan import Stretch
from kuiper.compiled.target import NAMED, Target, host
from kuiper.fast.kernels.base.buffer import Buffer, Spec
from kuiper.fast.kernels.base.kernel import LOWERINGS, Step
from kuiper.fast.kernels.elementwise.activation import activation_of
from kuiper.graph import Operator
from kuiper.graph.alignment import aligned
from kuiper.layers.elementwise.activation import ReLU6
from kuiper.layers.linear.linear import Linear
from kuiper.quantize import QuantizedWeight, to_float16, to_int8

assert kuiper.fast.kernels

KINDS: dict[str, Callable[[np.ndarray], Any]] = {
    "float32": lambda w: w,
    "float16": to_float16,
    "int8": to_int8,
    "int8 in blocks of 16": lambda w: to_int8(w, 16),
    "int8 in blocks of 32": lambda w: to_int8(w, 32),
    "int8 in blocks of 48": lambda w: to_int8(w, 48),
    "int8 in blocks of 96": lambda w: to_int8(w, 96),
}
INTEGERS = {
    "int8 x int8": "int8",
    "int8 x int8 in blocks of 16": "int8 in blocks of 16",
    "int8 x int8 in blocks of 32": "int8 in blocks of 32",
    "int8 x int8 in blocks of 96": "int8 in blocks of 96",
}
"""Products of whole numbers, by the kinds of their weights."""


def linear(kind: str, weight: np.ndarray, bias: np.ndarray | None = None) -> Linear:
    """The layer with its weight in this kind; of INTEGERS x is rounded too."""
    integers = kind in INTEGERS
    return Linear(KINDS[INTEGERS.get(kind, kind)](weight), bias, activation_bits=8 if integers else 32)


def targets() -> list[Target]:
    """This machine's processor, and as an older one where it can stand in for it."""
    found = host()
    if found is None:
        return []
    return [found, NAMED["avx2"]] if found.triple.startswith("x86_64") else [found]


def numbers(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


class Compiled:
    """The machine code of a Linear for `rows` rows of x, with what follows it; a gap lies between any two rows."""

    def __init__(
        self, layer: Linear, rows: int, target: Target, threads: int, residual: bool = False, activation: Any = None,
        gap: int = 3, packs: bool = False, runs: bool = True,
    ) -> None:  # fmt: skip
        outputs, depth = layer.weight.shape
        self.arena = aligned(4 * 64 + 4 * rows * (depth + 2 * outputs + 3 * gap))
        self.arena.fill(255)  # NaN
        memory = self.arena.view(np.float32)
        self.x, rest = _cut(memory, rows, depth, gap)
        self.y, rest = _cut(rest, rows, outputs, gap)
        self.residual = _cut(rest, rows, outputs, gap)[0]
        specs = [Spec(each.shape, each.dtype) for each in (self.x, self.y)]
        kernel = LOWERINGS[Linear](Step([Operator("test", "here", layer=layer)], specs[:1], specs[1:]))
        assert kernel is not None
        assert kernel.epilogue is not None
        kernel.epilogue.residual, kernel.epilogue.activation = residual, activation
        self.module = Module(target, self.arena, threads, keeps_packs=packs)
        inputs = [Buffer(self.x), *([Buffer(self.residual)] if residual else [])]
        self.algorithm = emit(self.module, kernel, inputs, [Buffer(self.y)])
        if not (self.algorithm and runs):
            return
        code = MachineCode(object_of(text_of(self.module), target), target)
        scratch = aligned(self.module.scratch_bytes + 64)
        scratch.fill(255)
        self.outside = self.module.outside()
        self.stretch = Stretch(code, 0, len(self.module.parts), self.arena, self.outside, scratch, threads)

    def __call__(self, x: np.ndarray, residual: np.ndarray | None = None) -> np.ndarray:
        """One pass. Nothing is written between the rows of y."""
        self.x[...] = x
        if residual is not None:
            self.residual[...] = residual
        self.y[...] = np.nan
        before = self.arena.copy()
        self.stretch.run(None)
        found = self.y.copy()
        self.y[...] = np.nan
        np.testing.assert_array_equal(self.arena, before)
        return found


def _cut(memory: np.ndarray, rows: int, size: int, gap: int) -> tuple[np.ndarray, np.ndarray]:
    """(rows, size) with a gap behind each row, and the rest of the memory."""
    count = rows * (size + gap)
    return memory[:count].reshape(rows, size + gap)[:, :size], memory[count:]


on_targets = pytest.mark.parametrize("target", targets(), ids=lambda target: f"{target.lanes} lanes")


@on_targets
@pytest.mark.parametrize("kind", [*KINDS, *INTEGERS])
@pytest.mark.parametrize("rows", [1, 13, *(pytest.param(rows, marks=pytest.mark.slow) for rows in (2, 5, 40))])
@pytest.mark.parametrize(
    ("outputs", "depth"),
    [
        (33, 96),
        *(
            pytest.param(*sizes, marks=pytest.mark.slow)
            for sizes in [(1, 1), (16, 240), (50, 67), (3, 2256), (5, 1300)]
        ),
    ],
)
def test_products_are_those_of_the_layer(target: Target, kind: str, rows: int, outputs: int, depth: int) -> None:
    layer = linear(kind, numbers(1, outputs, depth), numbers(2, outputs))
    x = numbers(3, rows, depth)
    found = Compiled(layer, rows, target, threads=1 + rows % 2)(x)
    np.testing.assert_allclose(found, layer.forward(x), rtol=0, atol=1e-5 * depth**0.5)


@pytest.mark.slow
@on_targets
@pytest.mark.parametrize("kind", [*KINDS, *INTEGERS])
@pytest.mark.parametrize("rows", [1, 3, 20])
def test_what_follows_a_product(target: Target, kind: str, rows: int) -> None:
    layer = linear(kind, numbers(1, 37, 96))
    x, residual = 2 * numbers(3, rows, 96), numbers(4, rows, 37)
    found = Compiled(layer, rows, target, 2, True, activation_of(ReLU6()))(x, residual)
    expected = np.clip(layer.forward(x) + residual, 0, 6)
    assert 0 < expected.mean() < 6
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5)


@pytest.mark.slow
@on_targets
@pytest.mark.parametrize("kind", [*KINDS, *INTEGERS])
@pytest.mark.parametrize("rows", [2, 7])
def test_what_is_not_finite_spoils_its_row_and_no_other(target: Target, kind: str, rows: int) -> None:
    layer = linear(kind, numbers(1, 19, 96))
    x = numbers(3, rows, 96)
    x[1, 5] = np.nan
    found = Compiled(layer, rows, target, 1)(x)
    assert np.isnan(found[1]).all()
    np.testing.assert_allclose(np.delete(found, 1, 0), np.delete(layer.forward(x), 1, 0), rtol=0, atol=2e-5)


@pytest.mark.slow
@on_targets
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [1, 64])
def test_no_copy_of_the_weights_is_made(target: Target, kind: str, rows: int) -> None:
    weight = KINDS[kind](numbers(1, 512, 480))
    made = Compiled(Linear(weight), rows, target, 1)
    own = [weight.values, weight.scale] if isinstance(weight, QuantizedWeight) else [weight]
    held = {id(array): array for array in own if array is not None}
    found = {id(array): array for array in made.outside.arrays}
    assert held.keys() <= found.keys()
    assert sum(array.nbytes for key, array in found.items() if key not in held) < 4 * 512 + 1024
    assert made.module.scratch_bytes <= (0 if rows == 1 else 4 * 480 * 8 * 16)


@on_targets
def test_plans_for_other_numbers_of_rows_share_the_panels_of_a_small_network(target: Target) -> None:
    layer = Linear(numbers(1, 512, 480))
    one, several, more = (Compiled(layer, rows, target, 1, packs=True) for rows in (1, 20, 64))
    panels = [array for array in several.outside.arrays if array.nbytes >= layer.weight.nbytes]
    assert len(panels) == 1
    assert panels[0] is not layer.weight
    assert not any(array is panels[0] for array in one.outside.arrays)
    x = numbers(3, 64, 480)
    np.testing.assert_allclose(more(x), layer.forward(x), rtol=0, atol=2e-4)


@pytest.mark.slow
@on_targets
@pytest.mark.parametrize("kind", [*KINDS, *INTEGERS])
@pytest.mark.parametrize("rows", [1, 4, 8])
def test_weights_may_lie_at_any_byte(target: Target, kind: str, rows: int) -> None:
    def moved(array: np.ndarray) -> np.ndarray:
        memory = np.empty(array.nbytes + 65, np.uint8)
        start = 1 - memory.ctypes.data % 64 + 64
        there = memory[start % 64 : start % 64 + array.nbytes].view(array.dtype).reshape(array.shape)
        there[...] = array
        assert there.ctypes.data % 2
        return there

    layer = linear(kind, numbers(1, 21, 96))
    weight = layer.weight
    if isinstance(weight, QuantizedWeight):
        scale = weight.scale
        odd: Any = QuantizedWeight(moved(weight.values), None if scale is None else moved(scale))
    else:
        odd = moved(weight)
    x = numbers(3, rows, 96)
    found = Compiled(Linear(odd, activation_bits=layer.activation_bits), rows, target, 1)(x)
    np.testing.assert_allclose(found, layer.forward(x), rtol=0, atol=2e-5)


@pytest.mark.parametrize("start", [0, 1])
def test_one_row_meets_weights_where_they_lie_if_that_is_aligned(start: int) -> None:
    weight = aligned(4 * 64 * 480 + 4).view(np.float32)[start : start + 64 * 480].reshape(64, 480)
    made = Compiled(Linear(weight), 1, targets()[0], 1, packs=True)
    assert any(array is weight for array in made.outside.arrays) == (start == 0)


@on_targets
def test_there_is_no_code_for_blocks_that_cut_a_vector(target: Target) -> None:
    layer = Linear(to_int8(numbers(1, 8, 60), 10))
    assert Compiled(layer, 1, target, 1).algorithm == ""
    integers = Linear(to_int8(numbers(1, 8, 240), 48), activation_bits=8)
    assert Compiled(integers, 1, target, 1).algorithm == ""


@on_targets
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 30))])
def test_products_of_whole_numbers_are_those_of_the_reference(target: Target, seed: int) -> None:
    rng = np.random.default_rng(seed)
    block = [None, 4, 8, 16, 32, 64, 128, 192, 576, 1024][seed % 10]
    depth = int(rng.integers(1, 400)) if block is None else block * int(rng.integers(1, 9))
    rows, outputs = int(rng.choice([1, 2, 3, 4, 5, 7, 24, 25, 33])), int(rng.integers(1, 90))
    layer = Linear(to_int8(numbers(1, outputs, depth), block), numbers(2, outputs), activation_bits=8)
    x = numbers(3, rows, depth)
    x[0, : depth // 2] = 0
    made = Compiled(layer, rows, target, 1 + seed % 2)
    assert made.algorithm == "Linear(int8 x int8)"
    np.testing.assert_allclose(made(x), layer.forward(x), rtol=0, atol=1e-6 * depth**0.5)


@on_targets
@pytest.mark.parametrize("rows", [1, 5])
@pytest.mark.parametrize("block", [4, 8, 12])
@pytest.mark.parametrize("depth", [48, 192])
def test_a_block_smaller_than_a_vector_writes_over_nothing_behind_its_row(
    target: Target, rows: int, block: int, depth: int
) -> None:
    """Integers of a row that end with a line of the cache, before its scales."""
    layer = Linear(to_int8(numbers(1, 19, depth), block), activation_bits=8)
    x = numbers(3, rows, depth)
    made = Compiled(layer, rows, target, 1)
    if made.algorithm:
        np.testing.assert_allclose(made(x), layer.forward(x), rtol=0, atol=1e-6 * depth**0.5)
    else:
        assert (4 * target.lanes) % block != 0


INSTRUCTIONS = {
    "avx2": "vpmaddubsw", "avx512": "vpmaddubsw", "avxvnni": "vpdpbusd", "avx512vnni": "vpdpbusd", "dotprod": "sdot",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("rows", [1, 40])
@pytest.mark.parametrize("block", [None, 32])
def test_every_processor_multiplies_bytes_by_its_own_instruction(name: str, rows: int, block: int | None) -> None:
    layer = Linear(to_int8(numbers(1, 40, 256), block), activation_bits=8)
    made = Compiled(layer, rows, NAMED[name], 1, runs=False)
    if name not in INSTRUCTIONS:
        assert made.algorithm == ""
        return
    text = assembly(text_of(made.module), NAMED[name])
    assert len(re.findall(rf"\s{INSTRUCTIONS[name]}\s", text)) >= 8


@pytest.mark.slow
@on_targets
@pytest.mark.parametrize("count", range(1, 17))
def test_totals_are_the_sums_of_vectors(target: Target, count: int) -> None:
    if count > target.lanes:
        pytest.skip("a vector has fewer lanes")
    layer = Linear(np.eye(count, 3 * target.lanes, dtype=np.float32) + 1)
    x = numbers(0, 1, 3 * target.lanes)
    np.testing.assert_allclose(Compiled(layer, 1, target, 1)(x), layer.forward(x), rtol=0, atol=1e-5)
