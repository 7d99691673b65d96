"""The engine "compiled": the same numbers as the layers', whatever the processor, and a plan where it cannot be."""

from __future__ import annotations

import gc
import platform
import re
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kuiper
from kuiper import RuntimeGraph, pnnx
from kuiper.compiled import background, executor, llvm
from kuiper.compiled.code import CodeSource, assembly
from kuiper.compiled.executor import CompiledExecutor
from kuiper.compiled.target import NAMED, Target
from kuiper.compiled.worker import WorkerError
from kuiper.fast import BatchPlan, Plan
from kuiper.fast.plan.planner import Planner
from kuiper.fast.plan.trace import plan_key
from kuiper.text import Cache, forward, last_scores, read

needs_llvm = pytest.mark.skipif(not llvm.installed(), reason="the compiler needs llvmlite, of the extra speed")
MODELS = Path(kuiper.__file__).parents[1] / "models"
DIGITS = MODELS / "digits" / "digits.pnnx.param"
SHAPES = {
    "digits": (3, 1, 8, 8), "classifier": (2, 3, 32, 32), "detector": (1, 3, 160, 160), "segmenter": (1, 1, 64, 64),
}  # fmt: skip


def both(name: str, x: np.ndarray, **options: object) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """A model's outputs by the layers and by machine code."""
    param = MODELS / name / f"{name}.pnnx.param"
    return list(kuiper.load(param)(x)), list(kuiper.load(param, engine="compiled", **options)(x))


def shape_of(name: str) -> tuple[int, ...]:
    (operand,) = kuiper.load(MODELS / name / f"{name}.pnnx.param").inputs
    return tuple(n if n and n > 0 else least for n, least in zip(operand.shape or (), SHAPES[name]))


@needs_llvm
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["digits", *(pytest.param(name, marks=pytest.mark.slow) for name in list(SHAPES)[1:])])
def test_the_models_give_what_their_layers_give(name: str, threads: int) -> None:
    x = np.random.default_rng(0).random(shape_of(name), np.float32)
    for expected, found in zip(*both(name, x, threads=threads), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@needs_llvm
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="a processor that is no x86-64")
@pytest.mark.parametrize("name", ["digits", pytest.param("segmenter", marks=pytest.mark.slow)])
def test_code_for_an_older_processor_gives_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    this, _ = executor.target_of_host()
    if this is None:
        pytest.skip("this processor's vectors are not known to the compiler")
    older = replace(NAMED["avx2"], triple=this.triple)
    monkeypatch.setattr(executor, "target_of_host", lambda: (older, ""))
    x = np.random.default_rng(0).random(shape_of(name), np.float32)
    for expected, found in zip(*both(name, x), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@needs_llvm
@pytest.mark.parametrize("name", NAMED)
def test_every_named_processor_gets_code_with_its_multiply_adds_and_no_calls_of_libraries(name: str) -> None:
    graph = kuiper.load(DIGITS, engine="simple")
    texts: list[str] = []

    def keep(text: str, target: Target) -> bytes:
        texts.append(assembly(text, target))
        raise Kept

    from kuiper.compiled.plan import CompiledPlan

    draft = Planner(graph).draft({graph.inputs[0].name: np.zeros((1, 1, 8, 8), np.float32)})
    with pytest.raises(Kept):
        CompiledPlan(draft, 2, lambda step: None, CodeSource(NAMED[name], None, keep))
    (text,) = texts
    of_neon = NAMED[name].triple.startswith("aarch64")
    assert len(re.findall(r"\sfmla\s" if of_neon else r"\svfn?madd\d+ps\s", text)) > 50
    called = set(re.findall(r"^\s(?:callq?|bl)\s+([A-Za-z_]\w*)", text, re.MULTILINE))
    assert {one for one in called if not one.startswith(("part_", "kernel_", "share", "enter"))} <= LINKED


class Kept(Exception):
    """There is no code to run, only to look at."""


LINKED = {"sched_yield", "memset", "memcpy"}
"""What code may call: the system's C library has it, in this process already."""


@needs_llvm
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30])
def test_what_is_not_finite_arrives(value: float) -> None:
    x = np.random.default_rng(0).random((2, 1, 8, 8), np.float32)
    x[1, 0, 3, 4] = value
    with np.errstate(all="ignore"):
        (expected,), (found,) = both("digits", x)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@needs_llvm
def test_an_empty_batch_is_refused_as_by_the_layers() -> None:
    graph = kuiper.load(DIGITS, engine="compiled")
    with pytest.raises(kuiper.ShapeError, match="at least one element"):
        graph(np.zeros((0, 1, 8, 8), np.float32))


@needs_llvm
def test_results_stay_when_the_next_pass_runs() -> None:
    graph = kuiper.load(DIGITS, engine="compiled")
    rng = np.random.default_rng(0)
    (first,) = graph(rng.random((1, 1, 8, 8), np.float32))
    kept = first.copy()
    graph(rng.random((1, 1, 8, 8), np.float32))
    np.testing.assert_array_equal(first, kept)


@needs_llvm
def test_a_profile_names_every_operator_once() -> None:
    graph = kuiper.load(MODELS / "segmenter" / "segmenter.pnnx.param", engine="compiled", threads=2)
    x = {graph.inputs[0].name: np.zeros(shape_of("segmenter"), np.float32)}
    told: list[str] = []
    graph.executor.run(x, lambda op, seconds: told.append(op.name))
    plan = graph.executor.plan_for(x)
    assert isinstance(plan, Plan)
    assert told == [group[0].name for group in plan.groups]
    assert len(set(told)) == len(told)


@pytest.fixture
def fresh() -> object:
    """What was found out about this machine is forgotten, before and after."""
    executor.target_of_host.cache_clear()
    executor._say.cache_clear()
    yield
    executor.target_of_host.cache_clear()
    executor._say.cache_clear()


@pytest.mark.usefixtures("fresh")
def test_without_llvm_the_planned_engine_serves_and_says_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llvm, "installed", lambda: False)
    x = np.random.default_rng(0).random((2, 1, 8, 8), np.float32)
    with pytest.warns(UserWarning, match=r"the planned engine computes instead.*the extra speed"):
        (expected,), (found,) = both("digits", x)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        both("digits", x)


def test_it_is_offered_by_its_name() -> None:
    graph = kuiper.load(DIGITS, engine="compiled")
    assert isinstance(graph.executor, CompiledExecutor)


def settled(graph: kuiper.RuntimeGraph, x: np.ndarray) -> list[int]:
    """Passes until machine code computes; for each before, how many plans were compiled."""
    (expected,) = kuiper.load(graph.param)(x)
    seen: list[int] = []
    deadline = time.monotonic() + 120
    while not seen or not seen[-1]:
        assert time.monotonic() < deadline, "no machine code came"
        (found,) = graph(x)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
        seen.append(len(graph.executor._compiled))
    return seen


@pytest.fixture
def behind_the_scenes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Compiling, with an empty cache."""
    monkeypatch.setattr("kuiper.compiled.background.enabled", True)
    monkeypatch.setenv("KUIPER_CACHE", str(tmp_path / "cache"))


@needs_llvm
@pytest.mark.slow
@pytest.mark.usefixtures("behind_the_scenes")
def test_auto_takes_machine_code_when_it_is_ready_and_at_the_second_pass_from_the_cache() -> None:
    x = np.random.default_rng(0).random((2, 1, 8, 8), np.float32)
    graph = kuiper.load(DIGITS, threads=2)
    seen = settled(graph, x)
    assert seen[0] == 0
    assert len(seen) > 2, "the layers, then a plan, compute until it is there"
    graph = kuiper.load(DIGITS, threads=2)
    assert settled(graph, x) == [0, 1]
    (compiled,) = graph.executor._compiled.values()
    assert graph.executor.plan_for({graph.inputs[0].name: x}) is compiled


@needs_llvm
@pytest.mark.slow
@pytest.mark.usefixtures("behind_the_scenes")
def test_auto_returns_to_machine_code_that_made_room_for_other_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "MOST_PLANS", 1)
    one, two = (np.random.default_rng(0).random((n, 1, 8, 8), np.float32) for n in (1, 2))
    graph = kuiper.load(DIGITS, threads=1)
    for x in one, two, one, two:
        deadline = time.monotonic() + 120
        while list(graph.executor._compiled) != [plan_key([x])]:
            assert time.monotonic() < deadline, "no machine code came"
            graph(x)


@needs_llvm
@pytest.mark.slow
@pytest.mark.usefixtures("behind_the_scenes")
def test_auto_compiles_graphs_made_in_memory_too() -> None:
    x = np.random.default_rng(0).random((2, 1, 8, 8), np.float32)
    graph = RuntimeGraph.from_graph(pnnx.read(DIGITS), DIGITS, engine="auto")
    graph.build()
    assert settled(graph, x)[-1] == 1


@needs_llvm
@pytest.mark.usefixtures("behind_the_scenes")
def test_where_no_machine_code_can_be_made_the_plan_stays_and_a_warning_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise WorkerError("no room")

    monkeypatch.setattr(executor, "made_elsewhere", fail)
    asked: list[Callable[[], None]] = []
    monkeypatch.setattr(background.background, "ask", asked.append)
    graph, x = kuiper.load(DIGITS), np.zeros((1, 1, 8, 8), np.float32)
    (first,), (second,) = graph(x), graph(x)
    (job,) = asked
    with pytest.warns(UserWarning, match="a plan computes.*no room"):
        job()
    (third,) = graph(x)
    assert len(asked) == 1
    assert isinstance(graph.executor.plan_for({graph.inputs[0].name: x}), Plan)
    np.testing.assert_allclose([second, third], [first, first], rtol=1e-4, atol=1e-5)


@pytest.mark.slow
@needs_llvm
@pytest.mark.usefixtures("behind_the_scenes")
def test_nothing_is_compiled_for_a_graph_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Callable[[], None]] = []
    monkeypatch.setattr(background.background, "ask", asked.append)
    monkeypatch.setattr(executor, "made_elsewhere", lambda *_: pytest.fail("its graph is gone"))
    graph, x = kuiper.load(DIGITS), np.zeros((1, 1, 8, 8), np.float32)
    for _ in range(3):
        graph(x)
    del graph
    gc.collect()
    (job,) = asked
    job()


@pytest.mark.usefixtures("fresh", "behind_the_scenes")
def test_auto_needs_no_llvm_and_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llvm, "installed", lambda: False)
    graph, x = kuiper.load(DIGITS), np.random.default_rng(0).random((1, 1, 8, 8), np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first, *others = (graph(x)[0] for _ in range(4))
    np.testing.assert_allclose(others, [first] * 3, rtol=1e-4, atol=1e-5)
    assert type(graph.executor.plan_for({graph.inputs[0].name: x})) in (Plan, BatchPlan)


@needs_llvm
@pytest.mark.usefixtures("behind_the_scenes")
def test_while_code_is_made_for_large_weights_the_layers_compute_and_nothing_is_copied(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Callable[[], None]] = []
    monkeypatch.setattr(background.background, "ask", asked.append)
    monkeypatch.setattr(executor, "MOST_MEANWHILE", 1000)
    graph, x = kuiper.load(DIGITS), np.zeros((1, 1, 8, 8), np.float32)
    for _ in range(4):
        graph(x)
        assert not graph.prepare(x)
    assert len(asked) == 1
    assert graph.executor._planner.find(plan_key([x])) is None
    monkeypatch.setattr(executor, "MOST_MEANWHILE", 64 << 20)
    assert graph.prepare(x)
    assert graph.executor._planner.find(plan_key([x])) is not None


@needs_llvm
@pytest.mark.slow
@pytest.mark.usefixtures("behind_the_scenes")
def test_a_graph_that_is_revised_when_read_is_revised_by_the_other_process_too() -> None:
    writer = MODELS / "writer" / "writer.pnnx.param"
    graph, text = kuiper.load(writer, revise=last_scores), list(range(100, 130))
    cache, deadline = Cache.of(graph, 2048), time.monotonic() + 120
    expected = forward(kuiper.load(writer, engine="simple"), text, Cache.of(graph, 2048))
    read(graph, text[:10], cache)
    for at in range(10, 30):
        while at == 20 and not graph.executor._compiled:
            assert time.monotonic() < deadline, "no machine code came"
            time.sleep(0.1)
        np.testing.assert_allclose(read(graph, [text[at]], cache), expected[at], rtol=0, atol=1e-3)
