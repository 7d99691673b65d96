"""`kuiper bench`: what it prints, draws and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kuiper import pnnx
from kuiper.compiled import llvm

pytest.importorskip("typer", reason="the command line needs typer and rich, which are not installed")
pytest.importorskip("rich", reason="the command line needs typer and rich, which are not installed")

from typer.testing import CliRunner, Result

from kuiper.cli import app, bench, versus
from kuiper.cli.text import count
from kuiper.fast import Choices
from kuiper.fast.kernels.base.kernel import Kernel
from kuiper.fast.kernels.elementwise.activation import ACTIVATIONS, ActivationSteps, clamp
from kuiper.layers.elementwise.activation import ReLU
from kuiper.peers import Difference, Measured, Workload
from kuiper.profile import Roof, roof

SIMPLE = """7767517
4 3
pnnx.Input      in    0 1 0 #0=(1,3,4,4)f32
nn.ReLU         relu  1 1 0 1 #0=(1,3,4,4)f32 #1=(1,3,4,4)f32
pnnx.Expression sum   2 1 0 1 2 expr=add(@0,@1) #0=(1,3,4,4)f32 #1=(1,3,4,4)f32 #2=(1,3,4,4)f32
pnnx.Output     out   1 0 2 #2=(1,3,4,4)f32
"""
DYNAMIC = SIMPLE.replace("(1,3,4,4)", "(?,3,?,?)")
LINEAR = """7767517
3 2
pnnx.Input  in  0 1 0 #0=(1,3)f32
nn.Linear   fc  1 1 0 1 bias=False in_features=3 out_features=2 #0=(1,3)f32 #1=(1,2)f32
pnnx.Output out 1 0 1 #1=(1,2)f32
"""


def write(folder: Path, text: str, name: str = "net") -> str:
    file = folder / f"{name}.pnnx.param"
    file.write_text(text)
    return str(file)


def write_linear(folder: Path) -> str:
    file = write(folder, LINEAR, "linear")
    graph = pnnx.read(file)
    graph.operator("fc").attributes["weight"] = pnnx.Attribute.from_array(np.ones((2, 3), np.float32))
    pnnx.write(graph, file)
    return file


def call(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, [str(a) for a in arguments], env={"NO_COLOR": "1", "COLUMNS": "100"})
    assert result.exit_code == code, result.output
    return result


def error_of(*arguments: object) -> str:
    """The message of a call that fails: explained, with exit code 2 and without a traceback."""
    result = call(*arguments, code=2)
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    return " ".join(result.stderr.split())


@pytest.fixture
def quick_roof(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("SECONDS", 0.0), ("GEMM_SIZES", (64,)), ("COPY_BYTES", 1 << 16)):
        monkeypatch.setattr(roof, name, value)


@pytest.mark.usefixtures("quick_roof")
def test_bench_reports_times_and_a_profile_of_every_operator(tmp_path: Path) -> None:
    out = call("bench", write(tmp_path, SIMPLE), "--repeat", 2, "--warmup", 1, "--profile").stdout
    for word in ("median", "range", "samples/s (batch 1)", "cores"):
        assert word in out
    profile = out.split("\n\n")[1]
    assert {line.split()[0] for line in profile.splitlines()[2:]} == {"relu", "sum"}


@pytest.mark.slow
@pytest.mark.skipif(not llvm.installed(), reason="the compiler needs llvmlite, of the extra speed")
def test_bench_says_which_steps_are_machine_code(tmp_path: Path) -> None:
    typed = ("--engine", "compiled", "--repeat", 1, "--warmup", 0, "--profile", "--threads", 1)
    assert call("bench", write(tmp_path, SIMPLE), *typed).stdout.endswith("all steps are machine code\n")
    text = SIMPLE.replace("nn.ReLU         relu  1 1 0 1", "torch.cumsum    sums  1 1 0 1 dim=1")
    out = call("bench", write(tmp_path, text), *typed).stdout
    assert out.endswith("no machine code for sums: the planned engine computes it in between\n")


def test_bench_takes_its_batch_from_the_shape(tmp_path: Path) -> None:
    assert "(batch 5)" in call("bench", write(tmp_path, DYNAMIC), "--shape", "5x3x2x2", "-r", 1, "-w", 0).stdout
    assert "--shape" in error_of("bench", write(tmp_path, DYNAMIC))


@pytest.mark.usefixtures("quick_roof")
def test_bench_draws_the_roofline_and_gives_speeds_as_a_share_of_the_measured_peak(tmp_path: Path) -> None:
    svg = tmp_path / "roof.svg"
    out = call("bench", write_linear(tmp_path), "-r", 1, "-w", 0, "--profile", "--roofline", svg, "--threads", 1)
    assert "of peak" in out.stdout
    assert "1 thread" in out.stdout
    text = svg.read_text(encoding="utf-8")
    assert "<title>linear</title>" in text
    assert "fc (nn.Linear)" in text


WINDOW = "dilation=(1,1) groups=1 kernel_size=(3,3) padding=(1,1) padding_mode=zeros stride=(1,1)"
CONVOLUTION = f"""7767517
4 3
pnnx.Input   in   0 1 0 #0=(1,16,32,32)f32
nn.Conv2d    conv 1 1 0 1 bias=False in_channels=16 out_channels=16 {WINDOW} #1=(1,16,32,32)f32
nn.ReLU      relu 1 1 1 2 #2=(1,16,32,32)f32
pnnx.Output  out  1 0 2
"""


def write_convolution(folder: Path) -> str:
    file = write(folder, CONVOLUTION, "conv")
    graph = pnnx.read(file)
    graph.operator("conv").attributes["weight"] = pnnx.Attribute.from_array(np.ones((16, 16, 3, 3), np.float32))
    pnnx.write(graph, file)
    return file


def no_peak(threads: int) -> Roof:
    """A machine that is said to be so slow that everything is faster than its peak."""
    return Roof(peak=1.0, bandwidth=1.0, threads=threads)


@pytest.mark.parametrize("engine", ["simple", "fast"])
def test_bench_explains_speeds_over_the_peak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    monkeypatch.setattr(bench, "measure_roof", no_peak)
    monkeypatch.setattr(Choices, "choose", lambda self, kernel, *rest: winograd(kernel))
    typed = ("bench", write_convolution(tmp_path), "-r", 1, "-t", 1, "--profile", "--engine", engine)
    out = " ".join(call(*typed).stdout.split())
    few = "conv: over 100%, since Winograd's algorithm takes up to 4 times fewer multiplications than FLOPs count"
    assert (few in out) == (engine == "fast")
    assert ("over 100%, which is impossible: the peak was measured too low" in out) == (engine == "simple")


def winograd(kernel: Kernel) -> Kernel:
    return next((one for one in kernel.candidates() if one.name == "Winograd(m=4)"), kernel)


@pytest.mark.usefixtures("quick_roof")
def test_bench_says_nothing_of_the_peak_where_all_are_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "measure_roof", lambda threads: Roof(peak=1e18, bandwidth=1e18, threads=threads))
    assert "over 100%" not in call("bench", write_convolution(tmp_path), "-r", 1, "--profile").stdout


def test_bench_counts_the_operations_of_what_is_computed_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "measure_roof", no_peak)
    model = write_convolution(tmp_path)
    out = call("bench", model, "-r", 1, "-t", 1, "--profile", "--engine", "fast").stdout
    (row,) = [line.split() for line in out.splitlines() if line.startswith("conv ")]
    total = json.loads(call("inspect", model, "--json").stdout)["flops"]
    assert " ".join(row[5:7]) == count(total)


def test_bench_computes_with_the_engine_that_is_asked_for(tmp_path: Path) -> None:
    model = write(tmp_path, SIMPLE)
    assert "simple, 1 thread" in call("bench", model, "-r", 1, "--engine", "simple", "-t", 1).stdout
    assert "simple, fast, compiled, auto" in error_of("bench", model, "--engine", "quick")


def wrong(layer: ReLU) -> ActivationSteps:
    """Steps of another function than the layer's."""
    return clamp(0.1, None)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["fast", "auto"])
def test_bench_says_so_where_a_plan_computes_something_else_than_the_layers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    typed = ("bench", write(tmp_path, SIMPLE), "-r", 1, "--engine")
    assert "the plan" not in call(*typed, engine).stderr
    monkeypatch.setitem(ACTIVATIONS, ReLU, wrong)
    monkeypatch.setenv("KUIPER_CACHE", str(tmp_path))  # machine code made before is right
    said = " ".join(call(*typed, engine).stderr.split())
    assert f"--engine {engine}: the plan computes something else: outputs differ by" in said
    assert "the plan" not in call(*typed, engine, "--tolerance", 1).stderr
    assert "the plan" not in call(*typed, "simple").stderr


def test_bench_compares_no_random_numbers(tmp_path: Path) -> None:
    text = SIMPLE.replace("nn.ReLU ", "torch.rand_like ")
    assert "the plan" not in call("bench", write(tmp_path, text), "-r", 1, "--engine", "fast").stderr


def test_bench_shows_ratios_of_those_that_agree_and_reasons_for_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(task: Workload, names: list[str], **options: object) -> list[Measured]:
        assert names == ["torch", "ncnn"]
        assert (task.threads, options["rounds"], options["tolerance"]) == (3, 2, 0.01)
        torch = Measured("torch", "torch 9", [0.002, 0.004], [0.5, 0.25], Difference(3e-6))
        return [Measured("kuiper", "kuiper", [0.001, 0.001]), torch, Measured("ncnn", fault="outputs differ by 1")]

    monkeypatch.setattr(versus, "measure", measured)
    monkeypatch.setattr(versus, "busy", lambda: 0.5)
    typed = ("--vs", "torch,ncnn", "-r", 2, "-t", 3, "--tolerance", 0.01)
    result = call("bench", write(tmp_path, SIMPLE), *typed)
    row = next(" ".join(line.split()) for line in result.stdout.splitlines() if line.startswith("torch 9"))
    assert row == "torch 9 3.00 ms 2.50 ms to 3.50 ms 0.38 of it 0.31 to 0.44 3e-06"
    assert not any(line.startswith("ncnn") for line in result.stdout.splitlines())
    assert "ncnn: outputs differ by 1; not measured" in result.stderr
    assert "the times scatter" in result.stderr
    assert "other programs use 50% of the processor" in result.stderr


@pytest.mark.slow
def test_bench_goes_on_without_a_framework_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError('none', name='torch')")
    monkeypatch.syspath_prepend(tmp_path)
    result = call("bench", write(tmp_path, SIMPLE), "-r", 1, "--vs", "torch", code=2)
    assert "median" in result.stdout
    assert "error: --vs: nothing to compare with: could not measure torch" in " ".join(result.stderr.split())
    assert "torch: not installed (no module torch); not measured" in " ".join(result.stderr.split())
    assert "of it" not in result.stdout
    assert "tensorflow" in error_of("bench", write(tmp_path, SIMPLE), "--vs", "tensorflow")


def test_bench_warns_of_kernels_for_another_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "forced_core", lambda: ("Haswell", "SkylakeX"))
    warned = " ".join(call("bench", write(tmp_path, SIMPLE), "-r", 1).stderr.split())
    assert "kernels for Haswell; this processor would get SkylakeX" in warned
