"""Small branches side by side: which steps may run together, and that they give the same numbers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import kuiper
from kuiper.fast.plan.branches import ParallelStretch, branches_of, stretches_of

POOL = "kernel_size=(3,3) stride=(1,1) padding=(1,1) dilation=(1,1) ceil_mode=False return_indices=False"
LINES = [
    "nn.SiLU a1 1 1 0 1",
    "nn.Tanh b1 1 1 0 2",
    f"nn.MaxPool2d a2 1 1 1 3 {POOL}",
    f"nn.AvgPool2d b2 1 1 2 4 {POOL.split('dilation')[0]} ceil_mode=False count_include_pad=True",
    "nn.Softmax a3 1 1 3 5 dim=3",
    "torch.cat c 2 1 5 4 6 dim=1",
    "nn.Sigmoid d 1 1 6 7",
]


@pytest.fixture
def param(tmp_path):
    whole = ["pnnx.Input in 0 1 0 #0=(1,6,9,8)f32", *LINES, "pnnx.Output out 1 0 7"]
    operands = sum(int(line.split()[3]) for line in whole)
    path = tmp_path / "net.pnnx.param"
    path.write_text("\n".join(["7767517", f"{len(whole)} {operands}", *whole]) + "\n")
    return path


@pytest.fixture
def image():
    return np.random.default_rng(1).standard_normal((1, 6, 9, 8)).astype(np.float32)


def planned(param, image, choices=None):
    graph = kuiper.load(param, engine="fast", threads=2, choices=choices)
    result = graph(image)[0]
    return graph, graph.executor.plan_for({"0": image}), result


def names(plan, steps):
    return {plan.steps[i].operators[0].name for i in steps}


def test_branches_are_the_steps_that_need_each_other(param, image):
    _, plan, _ = planned(param, image)
    order = [step.operators[0].name for step in plan.steps]
    before_join = order.index("c")
    found = sorted(sorted(names(plan, branch)) for branch in branches_of(plan.layout, 0, before_join))
    assert found == [["a1", "a2", "a3"], ["b1", "b2"]]
    assert len(branches_of(plan.layout, 0, len(order))) == 1


def test_a_run_is_found_when_it_saves_enough_and_only_then(param, image):
    _, plan, _ = planned(param, image)
    count = len(plan.steps)
    join = [step.operators[0].name for step in plan.steps].index("c")
    stages = [[[[]]] for _ in range(join)] + [[[[], []]] for _ in range(count - join)]
    found = stretches_of(plan.layout, stages, [1e-3] * count, 2)
    assert [(run.start, run.stop) for run in found] == [(0, join)]
    threads = {plan.steps[i].operators[0].name: thread for i, thread in enumerate(found[0].assigned)}
    assert threads["a1"] == threads["a2"] == threads["a3"] != threads["b1"] == threads["b2"]
    assert stretches_of(plan.layout, stages, [1e-6] * count, 2) == []


def test_branches_side_by_side_give_the_same(param, image):
    graph, plan, expected = planned(param, image)
    key = next(key for key in graph.choices if key.startswith("branches"))
    join = [step.operators[0].name for step in plan.steps].index("c")
    threads = [0 if step.operators[0].name.startswith("a") else 1 for step in plan.steps[:join]]
    beside, other, got = planned(param, image, {key: str(ParallelStretch(0, tuple(threads)))})
    assert len(other.stages[0][0]) == 2
    assert not any(other.stages[i] for i in range(1, join))
    np.testing.assert_array_equal(got, expected)
    for _ in range(20):
        np.testing.assert_array_equal(beside(image)[0], expected)


def test_steps_side_by_side_have_one_time_and_are_named_together(param, image):
    graph, plan, _ = planned(param, image)
    key = next(key for key in graph.choices if key.startswith("branches"))
    join = [step.operators[0].name for step in plan.steps].index("c")
    threads = [0 if step.operators[0].name.startswith("a") else 1 for step in plan.steps[:join]]
    beside, other, _ = planned(param, image, {key: str(ParallelStretch(0, tuple(threads)))})
    seen = []
    beside.forward(image, on_operator=lambda op, seconds: seen.append(op.name))
    together = [[op.name for op in group] for group in other.groups]
    assert [group[0] for group in together] == seen
    assert sorted(together[0]) == ["a1", "a2", "a3", "b1", "b2"]
    assert [group for group in together if len(group) > 1] == together[:1]


def test_what_runs_side_by_side_never_shares_memory(param, image):
    graph, plan, _ = planned(param, image)
    key = next(key for key in graph.choices if key.startswith("branches"))
    join = [step.operators[0].name for step in plan.steps].index("c")
    threads = [0 if step.operators[0].name.startswith("a") else 1 for step in plan.steps[:join]]
    _, other, _ = planned(param, image, {key: str(ParallelStretch(0, tuple(threads)))})
    memory = other.memory
    alive = {other.layout.root(name).name for step in other.steps[:join] for name in (*step.reads, *step.writes)}
    spans = sorted((memory.offsets[name], memory.offsets[name] + memory.sizes[name]) for name in alive)
    assert len(spans) > 3
    assert all(one[1] <= two[0] for one, two in itertools.pairwise(spans))


@pytest.mark.parametrize("text", ["0:0,1,0", "12:1"])
def test_a_run_reads_what_it_writes(text):
    assert str(ParallelStretch.read(text)) == text
