"""What a machine can do at most: the roof, the operators' bytes, and whose kernels the matrix library uses."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from kuiper import dtypes
from kuiper.graph import Attribute, Graph, Operand, Operator, declared_extents
from kuiper.layers import registry
from kuiper.profile import (
    Roof,
    Times,
    blas_threads,
    cost_together,
    hardware,
    network_cost,
    roof,
    roofline_points,
)

F32 = dtypes.DTYPES["f32"]


def test_memory_limits_below_the_ridge_and_operations_above_it() -> None:
    limit = Roof(peak=100.0, bandwidth=10.0, threads=1)
    assert limit.ridge == 10.0
    assert [limit.at(x) for x in (0.5, 10.0, 50.0)] == [5.0, 100.0, 100.0]


def linear() -> list[Operator]:
    x, y, z = (Operand(name, shape, F32) for name, shape in (("x", (1, 8)), ("y", (1, 4)), ("z", (1, 4))))
    weights = {
        "weight": Attribute(F32, (4, 8), np.zeros((4, 8), np.float32)),
        "bias": Attribute(F32, (4,), np.zeros(4, np.float32)),
    }
    operators = [
        Operator("pnnx.Input", "in", [], [x]),
        Operator("nn.Linear", "fc", [x], [y], attributes=weights),
        Operator("torch.matmul", "mul", [y, y], [z]),
    ]
    for op in operators[1:]:
        op.layer = registry.create(op)
    return operators


def test_an_operator_touches_its_inputs_weights_and_outputs_once_each() -> None:
    _, fc, mul = network_cost(linear()).operators
    assert fc.bytes_touched == 4 * (8 + 4 * 8 + 4 + 4)
    assert mul.bytes_touched == 4 * (4 + 4), "an input that fills two slots is read once"


def test_operators_computed_together_add_up_and_what_passes_between_them_does_not_move() -> None:
    operators = linear()
    _, fc, mul = Graph(operators).connect()
    apart = network_cost([*linear()])
    (both,) = cost_together(apart, [[fc, mul]], declared_extents(linear())).operators
    _, first, second = apart.operators
    assert (both.name, both.type) == ("fc", "nn.Linear")
    assert first.flops is not None
    assert second.flops is not None
    assert both.flops == first.flops + second.flops
    assert both.bytes_touched == 4 * (8 + 4 * 8 + 4 + 4), "y is made and read inside"
    Graph([*operators, Operator("pnnx.Output", "out", fc.outputs)]).connect()
    (shown,) = cost_together(apart, [[fc, mul]], declared_extents(linear())).operators
    assert shown.bytes_touched == both.bytes_touched + 4 * 4, "y is read outside too"


def test_points_are_the_operators_whose_operations_time_and_bytes_are_known() -> None:
    cost = network_cost(linear())
    (point,) = roofline_points(cost, {"in": Times([1.0]), "fc": Times([2.0])})
    assert (point.name, point.type, point.seconds) == ("fc", "nn.Linear", 2.0)
    assert point.intensity == (2 * 4 * 8 + 4) / 192
    assert point.speed == (2 * 4 * 8 + 4) / 2.0


def test_the_roof_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roof, "SECONDS", 0.0)
    monkeypatch.setattr(roof, "GEMM_SIZES", (64,))
    monkeypatch.setattr(roof, "COPY_BYTES", 1 << 16)
    monkeypatch.setattr(roof, "_fastest", lambda call: call() is None or 0.5)
    found = roof.measure_roof(2)
    assert found == Roof(peak=2 * 64**3 / 0.5, bandwidth=2 * (1 << 16) / 0.5, threads=2)


@pytest.mark.parametrize(("speed", "sizes"), [(1e9, [512]), (3e9, [512, 1024]), (1e11, [512, 1024, 1536])])
def test_a_product_that_would_take_long_is_not_tried(
    monkeypatch: pytest.MonkeyPatch, speed: float, sizes: list[int]
) -> None:
    tried: list[int] = []
    monkeypatch.setattr(roof.np, "matmul", lambda a, b, out: tried.append(len(a)))

    def fastest(call: Any) -> float:
        call()
        return float(2 * tried[-1] ** 3 / speed)

    monkeypatch.setattr(roof, "_fastest", fastest)
    assert roof.gemm_peak(1) == pytest.approx(speed)
    assert tried == sizes


def test_a_copy_covers_every_byte_whatever_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[np.ndarray] = []
    real = np.copyto
    monkeypatch.setattr(roof.np, "copyto", lambda target, source: (real(target, source), seen.append(target)))
    monkeypatch.setattr(roof, "COPY_BYTES", 1001)
    monkeypatch.setattr(roof, "_fastest", lambda call: call() and 1.0)
    roof.copy_bandwidth(3)
    assert sum(part.size for part in seen) == 1001
    assert all((part == 1).all() for part in seen)


def test_threads_of_the_matrix_library_are_set_and_set_back() -> None:
    info = pytest.importorskip("threadpoolctl", reason="sets threads with threadpoolctl, which is not installed")

    def threads() -> list[int]:
        return [pool["num_threads"] for pool in info.threadpool_info() if pool["user_api"] == "blas"]

    before = threads()
    with blas_threads(1) as arranged:
        assert arranged
        assert set(threads()) <= {1}
    assert threads() == before


def test_the_share_of_the_processor_that_others_use_is_what_is_not_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardware.time, "process_time", lambda: 7.0)
    monkeypatch.setattr(hardware, "_ticks", iter([(1000, 5000), (1030, 5040)]).__next__)
    assert hardware.busy(0.0) == pytest.approx(0.25)
    monkeypatch.setattr(hardware, "_ticks", lambda: None)
    assert hardware.busy(0.0) is None


@pytest.mark.skipif(not hasattr(os, "sysconf"), reason="clock ticks are known on Linux only")
def test_what_this_process_uses_itself_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    second = os.sysconf("SC_CLK_TCK")
    monkeypatch.setattr(hardware.time, "process_time", iter([7.0, 7.5]).__next__)
    monkeypatch.setattr(hardware, "_ticks", iter([(0, 0), (second, 2 * second)]).__next__)
    assert hardware.busy(0.0) == pytest.approx(0.25)


def test_idle_ticks_are_some_of_all_ticks() -> None:
    found = hardware._ticks()
    if found is None:
        pytest.skip("the system does not count ticks in /proc/stat")
    assert 0 < found[0] < found[1]


@pytest.mark.slow
def test_kernels_that_the_environment_forces_are_noticed() -> None:
    pytest.importorskip("threadpoolctl", reason="asks threadpoolctl, which is not installed")
    if platform.machine().lower() not in ("x86_64", "amd64"):
        pytest.skip("the kernels forced here are those of an x86 processor")
    code = "from kuiper.profile import forced_core; from kuiper.profile.hardware import blas_core\n"
    code += "print(blas_core(), *(forced_core() or ()))"

    def ask(**variables: str) -> list[str]:
        env = {k: v for k, v in os.environ.items() if k != "OPENBLAS_CORETYPE"} | variables
        done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
        return done.stdout.split()

    (natural,) = ask()
    if natural in ("None", "Nehalem"):
        pytest.skip("numpy's matrix library is not OpenBLAS, or has no better kernels here")
    assert ask(OPENBLAS_CORETYPE="Nehalem") == ["Nehalem", "Nehalem", natural]
    assert ask(OPENBLAS_CORETYPE=natural) == [natural]
