"""The engine "compiled": the same numbers as the layers', whatever the processor, and a plan where it cannot be."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import kuiper
from kuiper.compiled import executor, llvm
from kuiper.compiled.executor import CompiledExecutor
from kuiper.fast import Plan

needs_llvm = pytest.mark.skipif(not llvm.installed(), reason="the compiler needs llvmlite, of the extra speed")
MODELS = Path(kuiper.__file__).parents[1] / "models"
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
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30])
def test_what_is_not_finite_arrives(value: float) -> None:
    x = np.random.default_rng(0).random((2, 1, 8, 8), np.float32)
    x[1, 0, 3, 4] = value
    with np.errstate(all="ignore"):
        (expected,), (found,) = both("digits", x)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@needs_llvm
def test_an_empty_batch_is_refused_as_by_the_layers() -> None:
    graph = kuiper.load(MODELS / "digits" / "digits.pnnx.param", engine="compiled")
    with pytest.raises(kuiper.ShapeError, match="at least one element"):
        graph(np.zeros((0, 1, 8, 8), np.float32))


@needs_llvm
def test_results_stay_when_the_next_pass_runs() -> None:
    graph = kuiper.load(MODELS / "digits" / "digits.pnnx.param", engine="compiled")
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
    yield
    executor.target_of_host.cache_clear()


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
    graph = kuiper.load(MODELS / "digits" / "digits.pnnx.param", engine="compiled")
    assert isinstance(graph.executor, CompiledExecutor)
