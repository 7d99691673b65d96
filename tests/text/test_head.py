"""A graph for the last token's scores gives just these, and computes no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kuiper
from kuiper import RuntimeGraph, ShapeError, pnnx
from kuiper.graph import Graph, Operand, Operator
from kuiper.text import Cache, forward, last_scores, read

WRITER = Path(__file__).resolve().parents[2] / "models" / "writer" / "writer.pnnx.param"
ENGINES = ("simple", "fast", "compiled", "auto")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_the_scores_are_those_of_the_last_token(writer: RuntimeGraph, words: np.ndarray, engine: str) -> None:
    last, text = kuiper.load(WRITER, engine=engine, revise=last_scores), words[0, :9].tolist()
    cache, expected = Cache.of(last, 16), forward(writer, text, Cache.of(writer, 16))
    np.testing.assert_allclose(read(last, text[:8], cache), expected[7], rtol=0, atol=1e-4)
    np.testing.assert_allclose(read(last, text[8:], cache), expected[8], rtol=0, atol=1e-4)


def test_of_a_long_text_only_one_row_of_scores_is_made(words: np.ndarray) -> None:
    sizes = {}
    for name, revise in (("all", None), ("last", last_scores)):
        graph, seen = kuiper.load(WRITER, engine="simple", revise=revise), []
        head, cache = graph.operator("head"), Cache.of(graph, 192)
        made = head.layer.forward
        head.layer.forward = lambda x, made=made, seen=seen: seen.append(made(x)) or seen[-1]
        read(graph, words[0, :100].tolist(), cache)
        sizes[name] = sum(array.nbytes for array in seen)
    assert sizes["all"] == 100 * sizes["last"] > 0


def test_weights_are_shared_and_the_graph_is_left_as_it_was() -> None:
    graph = pnnx.read(WRITER)
    before = [(op.name, [x.name for x in op.inputs]) for op in graph]
    made = last_scores(graph)
    assert made.operator("head").attributes["weight"] is graph.operator("head").attributes["weight"]
    assert [(op.name, [x.name for x in op.inputs]) for op in graph] == before
    assert graph.operator("head").outputs[0].shape == (-1, -1, 1024)
    assert made.operator("head").outputs[0].shape == (-1, 1, 1024)


def test_all_scores_are_not_there_to_be_asked_for() -> None:
    graph = kuiper.load(WRITER, engine="simple", revise=last_scores)
    with pytest.raises(ShapeError, match=r"logits \(N,T,V\)"):
        forward(graph, [1, 2, 3], Cache.of(graph, 8))


def small(kind: str, shape: tuple[int, ...], read_twice: bool = False) -> Graph:
    x, y = Operand("0", shape, "f32"), Operand("1", shape, "f32")
    weight = {"weight": np.eye(shape[-1], dtype=np.float32)} if kind == "nn.Linear" else {}
    options = {"bias": False, "in_features": shape[-1], "out_features": shape[-1]} if weight else {}
    ends = [Operator("pnnx.Output", f"out{i}", [y]) for i in range(1 + read_twice)]
    middle = Operator(kind, "last_row", [x], [y], params=options, attributes=weight)
    return Graph([Operator("pnnx.Input", "in", [], [x]), middle, *ends]).connect()


@pytest.mark.parametrize("graph", [
    small("nn.ReLU", (1, 4, 3)),
    small("nn.Linear", (4, 3)),
    small("nn.Linear", (1, 4, 3), read_twice=True),
], ids=["no head", "no rows", "scores are read"])  # fmt: skip
def test_other_networks_stay_as_they_are(graph: Graph) -> None:
    assert [op.type for op in last_scores(graph)] == [op.type for op in graph]


def test_names_that_are_taken_are_left_to_those_who_have_them() -> None:
    made = kuiper.load(small("nn.Linear", (1, 4, 3)), engine="simple", revise=last_scores)
    x = np.arange(12, dtype=np.float32).reshape(1, 4, 3)
    np.testing.assert_array_equal(made(x)[0], x[:, -1:])


@pytest.mark.slow
def test_machine_code_reads_a_text_in_pieces_and_the_layers_the_rest(writer: RuntimeGraph, words: np.ndarray) -> None:
    pytest.importorskip("llvmlite", reason="the compiler needs llvmlite, of the extra speed")
    text = words[:, :193].reshape(-1)[:167].tolist()
    expected = forward(writer, text, Cache.of(writer, 200))[-1]
    graph = kuiper.load(WRITER, engine="compiled", threads=1, revise=last_scores)
    sizes, cache = [], Cache.of(graph, 200)
    run = graph.forward

    def noted(*arrays: np.ndarray, planned: bool = True, **options: Any) -> list[np.ndarray]:
        sizes.append((arrays[0].shape[1], planned))
        return run(*arrays, planned=planned, **options)

    graph = _Noted(graph, noted)
    np.testing.assert_allclose(read(graph, text, cache), expected, rtol=0, atol=1e-3)
    assert sizes == [(128, True), (16, True), (16, True), *[(1, True)] * 7]
    sizes.clear()
    read(graph, text[:15], cache)
    assert sizes == [(15, False)]
    assert cache.count == 182


class _Noted:
    """A graph whose passes are noted."""

    def __init__(self, graph: RuntimeGraph, run: object) -> None:
        self.inputs, self.prepare, self._run = graph.inputs, graph.prepare, run

    def __call__(self, *arrays: np.ndarray, **options: Any) -> list[np.ndarray]:
        return self._run(*arrays, **options)


@pytest.mark.slow
def test_while_there_is_no_machine_code_the_layers_read_a_text_at_once(words: np.ndarray) -> None:
    for engine in ("simple", "fast", "auto"):
        graph, sizes = kuiper.load(WRITER, engine=engine, revise=last_scores), []
        run = graph.forward

        def noted(*arrays: np.ndarray, planned: bool = True, run=run, sizes=sizes, **options: Any) -> list[np.ndarray]:
            sizes.append((arrays[0].shape[1], planned))
            return run(*arrays, planned=planned, **options)

        read(_Noted(graph, noted), words[0, :40].tolist(), Cache.of(graph, 64))
        assert sizes == [(40, False)]
