"""`kuiper inspect --engine fast`: the steps of the plan, and errors that say what is missing."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("typer", reason="the command line needs typer and rich, which are not installed")
pytest.importorskip("rich", reason="the command line needs typer and rich, which are not installed")

from typer.testing import CliRunner, Result

import kuiper
from kuiper.cli import app
from kuiper.fast.plan.summary import summary

DIGITS = "models/digits/digits.pnnx.param"
OPEN = """7767517
3 2
pnnx.Input  in   0 1 0 #0=(1,3,?,?)f32
nn.ReLU     relu 1 1 0 1 #0=(1,3,?,?)f32 #1=(1,3,?,?)f32
pnnx.Output out  1 0 1 #1=(1,3,?,?)f32
"""
TINY = """7767517
4 3
pnnx.Input  in    0 1 0 #0=(1,3,4,4)f32
nn.ReLU     relu  1 1 0 1 #0=(1,3,4,4)f32 #1=(1,3,4,4)f32
my.Halve    half  1 1 1 2 #1=(1,3,4,4)f32 #2=(1,3,4,4)f32
pnnx.Output out   1 0 2 #2=(1,3,4,4)f32
"""


def call(*arguments: object, code: int = 0) -> Result:
    environment = {"NO_COLOR": "1", "COLUMNS": "160", "OMP_NUM_THREADS": "1"}
    result = CliRunner().invoke(app, ["inspect", *map(str, arguments)], env=environment)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def steps(*arguments: object) -> list[list[str]]:
    """The words of each row of the plan's table."""
    out = call(*arguments, "--engine", "fast").stdout
    rows = out[out.index("step ") :].splitlines()[2:]
    return [row.split() for row in rows[: rows.index("")]]


def test_every_operator_that_computes_stands_in_one_step_of_the_plan() -> None:
    graph = kuiper.load(DIGITS)
    told = json.loads(call(DIGITS, "--json", "--engine", "fast").stdout)["plan"]
    names = [name for step in told["steps"] for name in step["operators"]]
    assert sorted(names) == sorted(op.name for op in graph.operators if op.type not in ("pnnx.Input", "pnnx.Output"))
    assert len(told["steps"]) < len(names), "no operator was fused"
    assert len(steps(DIGITS)) == len(told["steps"])
    assert "plan" not in json.loads(call(DIGITS, "--json").stdout)


def test_the_table_names_kernels_fused_operators_and_buffers() -> None:
    graph = kuiper.load(DIGITS, engine="fast", threads=1)
    plan = graph.executor.plan_for({"0": np.zeros((1, 1, 8, 8), np.float32)})
    table = steps(DIGITS)
    for number, (step, row) in enumerate(zip(plan.steps, table, strict=True)):
        assert row[0] == str(number)
        assert [name.rstrip(",") for name in row[1 : 1 + len(step.operators)]] == [op.name for op in step.operators]
        assert step.kernel.name.removesuffix("()") in row
    convolution = next(row for row in table if "convbn2d_2," in row)
    assert "block1.relu2" in convolution
    buffers = [buffer for each in summary(plan) for buffer in each.buffers]
    assert max(b.offset + b.size for b in buffers) <= plan.memory.planned_bytes
    assert {b.name for b in buffers} <= set(plan.memory.sizes)


def test_its_totals_say_how_many_steps_and_how_much_memory() -> None:
    out = call(DIGITS, "--engine", "fast").stdout
    facts = {line.split()[0]: " ".join(line.split()[1:]) for line in out.splitlines() if line.strip()}
    told = json.loads(call(DIGITS, "--json", "--engine", "fast").stdout)["plan"]
    operators = sum(len(step["operators"]) for step in told["steps"])
    assert facts["plan"] == f"{len(told['steps'])} steps for {operators} operators, 1 thread"
    assert told["arena_bytes"] == max(b["offset"] + b["bytes"] for step in told["steps"] for b in step["buffers"])
    assert "arena" in facts
    assert "scratch" in facts


def test_an_operator_without_a_kernel_is_said_to_be_computed_by_its_layer(tmp_path: Path) -> None:
    class Halve(kuiper.Layer):
        def forward(self, x: np.ndarray) -> np.ndarray:
            return x / 2

    file = tmp_path / "tiny.pnnx.param"
    file.write_text(TINY)
    layers = kuiper.registry.copy()
    layers.add("my.Halve", Halve)
    graph = kuiper.load(file, registry=layers, engine="fast", threads=1)
    plan = graph.executor.plan_for({"0": np.zeros((1, 3, 4, 4), np.float32)})
    assert [step.kernel for step in summary(plan)][-1] == "layer of my.Halve"


def test_a_plan_needs_known_shapes_and_a_network_that_can_run(tmp_path: Path) -> None:
    model = tmp_path / "open.pnnx.param"
    model.write_text(OPEN)
    error = call(model, "--engine", "fast", code=2).stderr
    assert "--engine fast: expected shapes that are known, found open ones (?); say them with --shape" in error
    assert len(steps(model, "--shape", "1,3,4,4")) == 1
    model.write_text(OPEN.replace("?,?", "4,4").replace("nn.ReLU", "my.ReLU"))
    assert "--engine fast: expected a network that can run" in call(model, "--engine", "fast", code=2).stderr
