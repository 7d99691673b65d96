"""Attention of one query over keys and values in two halves, and large inputs that are read where they lie."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("llvmlite", reason="the compiler needs llvmlite, of the extra speed")

import kuiper
from kuiper.compiled.kernels.attention import CHUNK
from kuiper.compiled.parts import LARGE
from kuiper.compiled.plan import CompiledPlan
from kuiper.compiled.target import host
from kuiper.runtime import RuntimeGraph

pytestmark = pytest.mark.skipif(host() is None, reason="machine code is not made for this processor")


def text(shape: str, mask: str | None, returned: str = "7") -> str:
    """A network: attention of `q` over the keys and values in two parts."""
    given = ["q 0", "k0 1", "k1 2", "v0 3", "v1 4"] + (["mask 8"] if mask else [])
    lines = [f"pnnx.Input {line.split()[0]} 0 1 {line.split()[1]}" for line in given]
    lines += [
        "torch.cat join_k 2 1 1 2 5 dim=2",
        "torch.cat join_v 2 1 3 4 6 dim=2",
        f"F.scaled_dot_product_attention attend {4 if mask else 3} 1 0 5 6{' 8' if mask else ''} 7 "
        f"dropout_p=0.0 is_causal=False enable_gqa=True{'' if mask else ' attn_mask=None'} "
        f"$query=0 $key=5 $value=6{' $attn_mask=8' if mask else ''}",
        f"pnnx.Output out 1 0 {returned}",
    ]
    return "\n".join(["7767517", f"{len(lines)} {8 + bool(mask)}", *lines]) + "\n"


def network(folder: Path, mask: str | None, returned: str = "7", engine: str = "compiled") -> RuntimeGraph:
    param = folder / "net.pnnx.param"
    param.write_text(text("", mask, returned))
    return kuiper.load(param, engine=engine, threads=2)


def numbers(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def arrays(heads: int, group: int, earlier: int, new: int, size: int, width: int, queries: int = 1) -> list[np.ndarray]:
    return [
        numbers(0, 1, heads * group, queries, size),
        numbers(1, 1, heads, earlier, size),
        numbers(2, 1, heads, new, size),
        numbers(3, 1, heads, earlier, width),
        numbers(4, 1, heads, new, width),
    ]


def plan_of(graph: RuntimeGraph) -> CompiledPlan:
    (plan,) = graph.executor._compiled.values()
    return plan


def agree(folder: Path, inputs: list[np.ndarray], mask: str | None) -> CompiledPlan:
    """Both engines give the same; the plan that gave it."""
    graph = network(folder, mask)
    (expected,) = network(folder, mask, engine="simple")(*inputs)
    (found,) = graph(*inputs)
    np.testing.assert_allclose(found, expected, atol=2e-6)
    return plan_of(graph)


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_two_halves_give_what_the_layers_give(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    heads, group, earlier, new = (data.draw(st.integers(1, most), name) for most, name in zip((3, 3, 70, 2), "hgen"))
    inputs = arrays(heads, group, earlier, new, data.draw(st.integers(1, 70), "E"), data.draw(st.integers(1, 70), "Ev"))
    mask = data.draw(st.sampled_from([None, "bool", "float"]), "mask")
    if mask:
        hidden = np.random.default_rng(data.draw(st.integers(0, 99))).random((1, earlier + new)) < 0.6
        inputs.append(~hidden if mask == "bool" else np.where(hidden, -np.inf, numbers(5, 1, 1)).astype(np.float32))
    plan = agree(tmp_path_factory.mktemp("net"), inputs, mask)
    assert len(plan.steps) == 1, "nothing is joined"
    assert all(plan.compiled)


@pytest.mark.parametrize("used", [0, 1, 15, 16, 17, 100])
def test_places_that_are_not_in_use_are_not_read(tmp_path: Path, used: int) -> None:
    inputs = arrays(2, 2, 100, 1, 24, 40)
    mask = np.arange(101) < used
    mask[100] = True
    first_free = -(-used // 64) * 64  # whole vectors of the widest processor are passed over
    expected = network(tmp_path, "bool", engine="simple")(*inputs, mask[None])[0]
    for x in (inputs[1], inputs[3]):
        x[:, :, first_free:] = np.nan
    (found,) = network(tmp_path, "bool")(*inputs, mask[None])
    np.testing.assert_allclose(found, expected, atol=2e-6)


def test_a_query_that_sees_nothing_gets_zeros(tmp_path: Path) -> None:
    inputs = [*arrays(1, 1, 40, 1, 8, 8), np.zeros((1, 41), bool)]
    np.testing.assert_array_equal(network(tmp_path, "bool")(*inputs)[0], 0)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30])
@pytest.mark.parametrize("which", range(5))
def test_what_is_not_finite_arrives(tmp_path: Path, value: float, which: int) -> None:
    inputs = arrays(1, 1, 35, 1, 20, 20)
    inputs[which].flat[7] = value
    with np.errstate(all="ignore"):
        (expected,) = network(tmp_path, None, engine="simple")(*inputs)
    (found,) = network(tmp_path, None)(*inputs)
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(expected))
    np.testing.assert_allclose(found[np.isfinite(found)], expected[np.isfinite(expected)], rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize("mask", [None, "bool", "float"])
@pytest.mark.parametrize(("earlier", "queries"), [(9, 3), (300, 20), (CHUNK, 33), (2 * CHUNK + 7, 15)])
def test_several_queries_take_two_halves(tmp_path: Path, mask: str | None, earlier: int, queries: int) -> None:
    inputs = arrays(2, 2, earlier, queries, 24, 40, queries=queries)
    hidden = np.random.default_rng(6).random((queries, earlier + queries)) < 0.6
    hidden[1] = True  # one that sees nothing
    if mask:
        inputs.append(~hidden if mask == "bool" else np.where(hidden, -np.inf, numbers(5, 1, 1)).astype(np.float32))
    plan = agree(tmp_path, inputs, mask)
    assert len(plan.steps) == 1, "nothing is joined"
    assert all(plan.compiled)


@pytest.mark.parametrize("used", [0, 1, CHUNK, CHUNK + 1, 2 * CHUNK])
def test_several_queries_do_not_read_places_that_are_not_in_use(tmp_path: Path, used: int) -> None:
    inputs = arrays(2, 2, 2 * CHUNK, 17, 24, 40, queries=17)
    own = np.tri(17, dtype=bool)
    mask = np.concatenate([np.broadcast_to(np.arange(2 * CHUNK) < used, (17, 2 * CHUNK)), own], 1)
    expected = network(tmp_path, "bool", engine="simple")(*inputs, mask)[0]
    for x in (inputs[1], inputs[3]):
        x[:, :, -(-used // CHUNK) * CHUNK :] = np.nan
    (found,) = network(tmp_path, "bool")(*inputs, mask)
    np.testing.assert_allclose(found, expected, atol=2e-6)


def test_a_mask_for_each_head_shows_each_its_own_places(tmp_path: Path) -> None:
    inputs = arrays(2, 2, 2 * CHUNK, 17, 24, 40, queries=17)
    mask = np.zeros((1, 4, 17, 2 * CHUNK + 17), bool)
    mask[..., 2 * CHUNK] = True
    mask[0, 2, 5, CHUNK + 3] = True  # one query of one head
    expected = network(tmp_path, "bool", engine="simple")(*inputs, mask)[0]
    (found,) = network(tmp_path, "bool")(*inputs, mask)
    np.testing.assert_allclose(found, expected, atol=2e-6)


def test_joins_that_others_read_are_joined(tmp_path: Path) -> None:
    graph = network(tmp_path, None, returned="5")
    inputs = arrays(2, 1, 9, 1, 8, 8)
    np.testing.assert_array_equal(graph(*inputs)[0], np.concatenate(inputs[1:3], 2))


def test_new_keys_that_are_cut_from_the_joined_ones_are_read_where_they_lie(tmp_path: Path) -> None:
    param = tmp_path / "net.pnnx.param"
    lines = text("", None).split("\n")[2:-2]  # without the output, and the line's end behind it
    lines += ["Tensor.slice cut 1 1 5 8 dim=2 start=9 end=9223372036854775807 step=1", "F.relu relu 1 1 8 9"]
    lines += ["pnnx.Output out 1 0 7", "pnnx.Output new 1 0 9"]
    lines = [f"{len(lines)} 10", *lines]
    param.write_text("\n".join(["7767517", *lines]) + "\n")
    inputs = arrays(2, 1, 9, 3, 8, 8, queries=3)
    graph = kuiper.load(param, engine="compiled", threads=2)
    y, new = graph(*inputs)
    np.testing.assert_array_equal(new, np.maximum(inputs[2], 0))
    np.testing.assert_allclose(y, network(tmp_path, None, engine="simple")(*inputs)[0], atol=2e-6)
    assert "torch.cat" not in [step.operators[0].type for step in plan_of(graph).steps]


class TestInputsInPlace:
    """Keys and values of more than LARGE bytes."""

    @pytest.fixture
    def inputs(self) -> list[np.ndarray]:
        found = arrays(2, 1, 4500, 1, 32, 32)
        assert found[1].nbytes >= LARGE
        return found

    def test_they_are_read_where_they_lie_at_every_pass(self, tmp_path: Path, inputs: list[np.ndarray]) -> None:
        graph, simple = network(tmp_path, None), network(tmp_path, None, engine="simple")
        for turn in range(3):
            if turn == 1:
                inputs[1] *= 2  # the same memory, other numbers
            if turn == 2:
                inputs[1], inputs[3] = inputs[3].copy(), inputs[1].copy()  # other memory
            np.testing.assert_allclose(graph(*inputs)[0], simple(*inputs)[0], atol=2e-6)
        plan = plan_of(graph)
        assert plan._in_place == {"1", "3"}
        assert plan.memory.planned_bytes < LARGE, "they are not in the arena"
        for number, x in enumerate((inputs[1], inputs[3])):
            assert plan._outside.addresses[number] == x.ctypes.data

    def test_one_with_other_strides_is_copied(self, tmp_path: Path, inputs: list[np.ndarray]) -> None:
        graph = network(tmp_path, None)
        (expected,) = graph(*inputs)
        for turned in (np.asfortranarray(inputs[1]), np.repeat(inputs[1], 2, axis=2)[:, :, ::2]):
            np.testing.assert_array_equal(graph(inputs[0], turned, *inputs[2:])[0], expected)
        np.testing.assert_array_equal(graph(*inputs)[0], expected)

    def test_one_that_is_returned_or_read_by_calls_is_copied(self, tmp_path: Path, inputs: list[np.ndarray]) -> None:
        graph = network(tmp_path, None, returned="1")
        np.testing.assert_array_equal(graph(*inputs)[0], inputs[1])
        assert not plan_of(graph)._in_place & {"1"}
        param = tmp_path / "called.pnnx.param"
        param.write_text(
            "7767517\n4 3\npnnx.Input x 0 1 0\ntorch.cumsum sum 1 1 0 1 dim=0\n"
            "F.relu relu 1 1 1 2\npnnx.Output y 1 0 2\n"
        )
        called = kuiper.load(param, engine="compiled")
        x = numbers(0, 600, 600)
        for factor in (1, 2):
            expected = np.maximum(np.cumsum(factor * x, 0), 0)
            np.testing.assert_allclose(called(factor * x)[0], expected, rtol=1e-5, atol=1e-4)
        assert plan_of(called)._in_place == {"2"}, "the result alone"

    def test_the_plan_never_writes_into_them(self, tmp_path: Path, inputs: list[np.ndarray]) -> None:
        graph = network(tmp_path, None)
        before = [x.copy() for x in inputs]
        for x in inputs:
            x.flags.writeable = False
        for _ in range(2):
            graph(*inputs)
        for x, old in zip(inputs, before):
            np.testing.assert_array_equal(x, old)


class TestMemoryOfALanguageModel:
    """A plan of many tokens through some blocks that return what later tokens are to attend to."""

    TOKENS, ROOM, BLOCKS, WIDTH = 128, 1024, 6, 64

    @pytest.fixture
    def graph(self, tmp_path: Path) -> RuntimeGraph:
        text = ["pnnx.Input x 0 1 x", "pnnx.Input keys 0 1 keys", "pnnx.Input mask 0 1 mask"]
        at = "x"
        for i in range(self.BLOCKS):
            text += [
                f"Tensor.select select{i} 1 1 keys k{i} dim=0 index={i}",
                f"F.relu relu{i} 1 1 {at} r{i}",
                f"torch.transpose turn{i} 1 1 r{i} t{i} dim0=1 dim1=2",
                f"torch.cat cat{i} 2 1 k{i} t{i} c{i} dim=2",
                f"torch.cat join{i} 2 1 k{i} t{i} v{i} dim=2",
                f"F.scaled_dot_product_attention attend{i} 4 1 t{i} c{i} v{i} mask a{i} dropout_p=0.0 is_causal=False "
                f"$query=t{i} $key=c{i} $value=v{i} $attn_mask=mask",
                f"torch.transpose back{i} 1 1 a{i} b{i} dim0=1 dim1=2",
            ]
            at = f"b{i}"
        names = " ".join(f"t{i}" for i in range(self.BLOCKS))
        text += [
            f"torch.stack stack {self.BLOCKS} 1 {names} s dim=0",
            f"prim::TupleConstruct pair 2 1 {at} s both",
            "pnnx.Output out 1 0 both",
        ]
        param = tmp_path / "net.pnnx.param"
        param.write_text("\n".join(["7767517", f"{len(text)} {5 + 7 * self.BLOCKS}", *text]) + "\n")
        return kuiper.load(param, engine="compiled", threads=2)

    def inputs(self) -> list[np.ndarray]:
        mask = np.concatenate([np.zeros((self.TOKENS, self.ROOM), bool), np.tri(self.TOKENS, dtype=bool)], 1)
        x, keys = numbers(1, 1, self.TOKENS, 8, self.WIDTH), numbers(2, self.BLOCKS, 1, 8, self.ROOM, self.WIDTH)
        return [x, keys, mask]

    def test_the_arena_has_neither_the_cache_nor_what_is_returned(self, graph: RuntimeGraph) -> None:
        inputs = self.inputs()
        y, kept = graph(*inputs)
        again = graph(*inputs)
        (expected, keys) = graph.forward(*inputs, planned=False)
        np.testing.assert_allclose(y, expected, atol=1e-5)
        np.testing.assert_allclose(kept, keys, atol=1e-5)
        np.testing.assert_array_equal(again[1], kept)
        assert not np.shares_memory(again[1], kept), "each pass has results of its own"
        plan = plan_of(graph)
        values = 4 * self.TOKENS * 8 * self.WIDTH  # bytes of one block's
        assert kept.nbytes == self.BLOCKS * values >= LARGE
        assert plan.memory.planned_bytes < inputs[2].nbytes + 4.5 * values
        assert plan.scratch_bytes < 2.2 * (inputs[1].nbytes // self.BLOCKS)
