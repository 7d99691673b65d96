"""Results in arrays of the caller's: parts of larger ones, in which machine code makes them without a copy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import kuiper
from kuiper.compiled.executor import target_of_host
from kuiper.errors import ShapeError
from kuiper.runtime import RuntimeGraph
from kuiper.text import Cache, last_scores, read

needs_llvm = pytest.mark.skipif(target_of_host()[0] is None, reason="machine code needs llvmlite, of the extra speed")
WRITER = Path(kuiper.__file__).parents[1] / "models" / "writer" / "writer.pnnx.param"
SHAPE = (2, 64, 2300)
"""Of each of the results that are stacked: more than a mebibyte."""
LINES = [
    "pnnx.Input in 0 1 0",
    "F.silu silu 1 1 0 1 $input=0",
    "F.relu relu 1 1 0 2 $input=0",
    "torch.stack stack 2 1 1 2 3 dim=0",
    "pnnx.Expression neg 1 1 0 4 expr=neg(@0)",
]
FLATTENED = ["torch.flatten flatten 1 1 3 5 start_dim=1 end_dim=-1 $input=3", "F.relu again 1 1 5 6 $input=5"]
ENGINES = ["simple", "fast", pytest.param("compiled", marks=needs_llvm)]


def network(folder: Path, engine: str, more: Sequence[str] = ()) -> RuntimeGraph:
    """silu(x) above relu(x), and -x or what `more` makes as 6."""
    lines = [*LINES, *more, f"prim::TupleConstruct both 2 1 3 {6 if more else 4} 9", "pnnx.Output out 1 0 9"]
    param = folder / "net.pnnx.param"
    param.write_text("\n".join(["7767517", f"{len(lines)} {6 + len(more)}", *lines]) + "\n")
    return kuiper.load(param, engine=engine, threads=2)


@pytest.fixture
def x() -> np.ndarray:
    return np.random.default_rng(0).standard_normal(SHAPE, np.float32)


def expected(x: np.ndarray) -> np.ndarray:
    return np.stack([x / (1 + np.exp(-x)), np.maximum(x, 0)])


def cut(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """An array of sevens, and the part of it that is a place for the stacked results."""
    n, rows, width = SHAPE
    whole = {
        "whole": np.full((2, *SHAPE), 7, np.float32),
        "rows": np.full((2, n, rows + 9, width), 7, np.float32),
        "columns": np.full((2, n, rows, width + 5), 7, np.float32),
        "turned": np.full((2, n, width, rows), 7, np.float32),
        "reversed": np.full((2, *SHAPE), 7, np.float32),
    }[kind]
    return whole, {
        "whole": whole,
        "rows": whole[:, :, 4 : 4 + rows],
        "columns": whole[..., 3 : 3 + width],
        "turned": whole.swapaxes(2, 3),
        "reversed": whole[..., ::-1],
    }[kind]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["whole", "rows", "columns", "turned", "reversed"])
def test_a_result_is_where_it_is_wanted_and_nothing_else_is_written(
    engine: str, kind: str, x: np.ndarray, tmp_path: Path
) -> None:
    graph = network(tmp_path, engine)
    for _ in range(2):
        whole, place = cut(kind)
        found, other = graph(x, into=[place])
        assert found is place
        np.testing.assert_allclose(place, expected(x), rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(other, -x)
        place[...] = 7
        assert (whole == 7).all()


@needs_llvm
@pytest.mark.parametrize(("kind", "there"), [("whole", True), ("rows", True), ("columns", True), ("turned", False)])
def test_machine_code_makes_it_there_if_its_rows_are_whole(
    kind: str, there: bool, x: np.ndarray, tmp_path: Path
) -> None:
    graph, (_, place) = network(tmp_path, "compiled"), cut(kind)
    graph(x, into=[place])
    (plan,) = graph.executor._compiled.values()
    found, _ = plan.run([x], places={"3": place})[0]
    assert (found is place) == there
    assert ("3" in plan._in_place and plan._own["3"].strides == place.strides) == there


@needs_llvm
def test_where_a_reshape_of_it_is_read_it_is_copied_there(x: np.ndarray, tmp_path: Path) -> None:
    """Parts of columns are no rows that follow one another: the flat array would not lie in the place."""
    graph, (_, place) = network(tmp_path, "compiled", FLATTENED), cut("columns")
    found, flat = graph(x, into=[place])
    assert found is place
    np.testing.assert_allclose(place, expected(x), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(flat, np.maximum(expected(x), 0).reshape(2, -1), rtol=1e-5, atol=1e-6)


@needs_llvm
def test_passes_with_places_of_other_strides_and_without_take_turns(x: np.ndarray, tmp_path: Path) -> None:
    graph = network(tmp_path, "compiled")
    for kind in ("rows", "", "columns", "rows", ""):
        place = cut(kind)[1] if kind else None
        found = graph(-x, into=[place])[0]
        assert place is None or found is place
        np.testing.assert_allclose(found, expected(-x), rtol=1e-5, atol=1e-6)
    assert len(graph.executor._compiled) == 3


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_no_place_for_a_result_is_refused(engine: str, x: np.ndarray, tmp_path: Path) -> None:
    graph = network(tmp_path, engine)
    with pytest.raises(ShapeError, match=r"into, for output 0: expected \(2,2,64,2300\) of float32, found \(2,2\) of "):
        graph(x, into=[np.empty((2, 2), np.float32)])
    with pytest.raises(ShapeError, match=r"expected .*float32, found .*float64"):
        graph(x, into=[np.empty((2, *SHAPE))])
    with pytest.raises(ShapeError, match=r"into: expected at most 2 place\(s\), one for each output, found 3"):
        graph(x, into=[None] * 3)


@pytest.mark.parametrize("engine", ENGINES)
def test_results_may_be_exchanged(engine: str, x: np.ndarray, tmp_path: Path) -> None:
    """The second result is wanted where the first was, and both are right."""
    graph = network(tmp_path, engine)
    _, first = cut("whole")
    graph(x, into=[first])
    second = np.empty(SHAPE, np.float32)
    outputs = graph(x, into=[None, second])
    assert outputs[1] is second
    np.testing.assert_array_equal(second, -x)
    np.testing.assert_allclose(first, outputs[0])


@needs_llvm
@pytest.mark.slow
def test_new_keys_and_values_are_made_in_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kuiper.compiled.plan.LARGE", 1 << 16)
    text = np.random.default_rng(3).integers(0, 1024, 300).tolist()
    simple, compiled = (
        kuiper.load(WRITER, engine=engine, threads=2, revise=last_scores) for engine in ("simple", "compiled")
    )
    caches = Cache.of(simple, 320), Cache.of(compiled, 320)
    for part in (text[:128], text[128:256], text[256:272], text[272:273]):
        wanted, found = (read(graph, part, cache) for graph, cache in zip((simple, compiled), caches))
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-3)
    assert caches[0].count == caches[1].count == 273
    np.testing.assert_allclose(caches[1].keys, caches[0].keys, rtol=0, atol=1e-4)
    np.testing.assert_allclose(caches[1].values, caches[0].values, rtol=0, atol=1e-4)
    in_place = [len(plan._in_place) for plan in compiled.executor._compiled.values()]
    assert in_place[0] == 4, "keys, values, and the new ones of 128 tokens"


@needs_llvm
@given(st.lists(st.tuples(st.integers(1, 3), st.integers(-2, 9)), min_size=1, max_size=4))
def test_nested_strides_are_those_of_arrays_that_overlap_nowhere(axes: list[tuple[int, int]]) -> None:
    from kuiper.compiled.parts import are_nested, extent

    shape, steps = tuple(size for size, _ in axes), tuple(4 * step for _, step in axes)
    if are_nested(shape, steps, 4):
        size = extent(shape, steps, 4)
        numbers = as_strided(np.arange(size // 4, dtype=np.int32), shape, steps)
        assert len(set(numbers.ravel().tolist())) == numbers.size
        assert numbers.ravel()[-1] == size // 4 - 1
        assert sorted(numbers.ravel().tolist()) == numbers.ravel().tolist()
