"""A tile that is tried out: the network computes the same with it, in other code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import kuiper
from kuiper.compiled.code import CodeSource
from kuiper.compiled.plan import CompiledPlan
from kuiper.compiled.target import host
from kuiper.fast.plan.planner import Planner

DIGITS = Path(__file__).resolve().parents[2] / "models/digits/digits.pnnx.param"


@pytest.mark.slow
@pytest.mark.parametrize("sums", [(5, 5), (1, 1), (3, 7)])
def test_any_tile_computes_the_same(sums: tuple[int, int]) -> None:
    target = host()
    if target is None:
        pytest.skip("this processor is not compiled for")
    x = np.random.default_rng(0).uniform(0, 16, (1, 1, 8, 8)).astype(np.float32)
    graph = kuiper.load(DIGITS, engine="simple")
    planner, given = Planner(graph, threads=1), {graph.inputs[0].name: x}
    own, kuipers = (
        CompiledPlan.of(planner, planner.draft(given), CodeSource(each, None))
        for each in (replace(target, sums=sums), target)
    )
    assert not any(own.stages), "nothing is called"
    assert own.code_bytes != kuipers.code_bytes
    assert np.allclose(own.run([x])[0], graph(x)[0], rtol=1e-4, atol=1e-4)
