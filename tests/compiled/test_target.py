"""A tile that is tried out: the network computes the same with it, in other code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import kuiper
from kuiper.compiled.plan import CompiledPlan
from kuiper.compiled.target import host
from kuiper.fast import Plan, PlanExecutor

DIGITS = Path(__file__).resolve().parents[2] / "models/digits/digits.pnnx.param"


@pytest.mark.parametrize("sums", [(5, 5), (1, 1), (3, 7)])
def test_any_tile_computes_the_same(sums: tuple[int, int]) -> None:
    target = host()
    if target is None:
        pytest.skip("this processor is not compiled for")
    x = np.random.default_rng(0).uniform(0, 16, (1, 1, 8, 8)).astype(np.float32)
    graph = kuiper.load(DIGITS, engine="fast", threads=1)
    assert isinstance(graph.executor, PlanExecutor)
    plan = graph.executor.plan_for({graph.inputs[0].name: x})
    assert isinstance(plan, Plan)
    own, kuipers = CompiledPlan(plan, replace(target, sums=sums)), CompiledPlan(plan, target)
    assert all(own.compiled)
    assert own.code.object_file != kuipers.code.object_file
    assert np.allclose(own.run([x])[0], graph(x)[0], rtol=1e-4, atol=1e-4)
