"""`kuiper partition`: the table, the comparison with the whole network, the pictures, and errors in words."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("typer", reason="the command line needs typer and rich, which are not installed")
pytest.importorskip("rich", reason="the command line needs typer and rich, which are not installed")

from typer.testing import CliRunner, Result

import kuiper
from kuiper.cli import app
from kuiper.cli import partition as cli_partition
from kuiper.cli.text import flop
from kuiper.partition import BACKENDS, Stats
from kuiper.partition.backends.protocol import Simple
from kuiper.runtime import RuntimeGraph

DIGITS = "models/digits"


def call(*arguments: object, code: int = 0) -> Result:
    typed = ["partition", *map(str, arguments)]
    result = CliRunner().invoke(app, typed, env={"NO_COLOR": "1", "COLUMNS": "160"})
    assert result.exit_code == code, result.output
    return result


def error_of(*arguments: object) -> str:
    result = call(*arguments, code=2)
    assert "Traceback" not in result.stderr
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", result.stderr).split())


def rows(result: Result) -> list[list[str]]:
    """The table's rows: number, device, operators, first and last name, reads, hands over, waits for, time."""
    return [line.split() for line in result.stdout.splitlines() if re.match(r"\s+\d+ ", line)]


def fact(result: Result, name: str) -> str:
    return " ".join(line.split(None, 1)[1].strip() for line in result.stdout.splitlines() if line.startswith(name))


def test_it_shows_the_subgraphs_and_what_fell_back() -> None:
    result = call(DIGITS, "--device", "simple", "--operators", "nn.Conv2d,nn.ReLU")
    table = rows(result)
    assert [row[0] for row in table] == [str(i) for i in range(len(table))]
    assert [row[1] for row in table] == ["host", "simple"] * 3 + ["host"]
    assert sum(int(row[2]) for row in table) == 22
    assert table[1][3:5] == ["convbn2d_0", "convbn2d_2"]
    assert fact(result, "sub-graphs") == "7 in mode fewest"
    assert fact(result, "operators") == "13 on simple, 9 on host"
    assert fact(result, "transfers").startswith("8, ")
    assert fact(result, "difference") == "0.0e+00 of the largest output"
    assert "classifier: simple does not take operator nn.Linear" in result.stdout
    assert "pnnx_expr_5, pnnx_expr_3, ... (3 in all): simple does not take" in result.stdout


@pytest.mark.parametrize(
    ("typed", "placed", "reason"),
    [
        ((), "0 on simple, 2 on host", "relu, tanh: too small for simple: min_nodes=3"),
        (("--min-nodes", 2), "2 on simple, 0 on host", ""),
        (("--min-nodes", 0, "--blocked", "F.tanh"), "1 on simple, 1 on host",
         "tanh: simple does not take operator F.tanh"),
        (("--blocked", "F.tanh"), "0 on simple, 2 on host",
         "relu: too small for simple: min_nodes=3 tanh: simple does not take operator F.tanh"),
        (("--mode", "cost"), "0 on simple, 2 on host", ""),
    ],
)  # fmt: skip
def test_it_says_that_a_group_was_too_small(tmp_path: Path, typed: Any, placed: str, reason: str) -> None:
    file = tmp_path / "net.pnnx.param"
    file.write_text(
        "7767517\n4 3\npnnx.Input in 0 1 0 #0=(1,4)f32\nnn.ReLU relu 1 1 0 1 #1=(1,4)f32\n"
        "F.tanh tanh 1 1 1 2 #2=(1,4)f32\npnnx.Output out 1 0 2\n"
    )
    result = call(file, "--device", "simple", *typed)
    assert fact(result, "operators") == placed
    falls_back = [
        line.split(None, 2)[2].strip() for line in result.stdout.splitlines() if line.startswith("falls back")
    ]
    assert " ".join(falls_back) == reason


def test_mode_tengine_says_that_a_range_was_too_small() -> None:
    result = call(DIGITS, "--device", "simple", "--mode", "tengine", "--operators", "nn.Conv2d,nn.ReLU")
    assert "too small: mode tengine asks for 3 operators" in result.stdout


@pytest.mark.parametrize("mode", ["tengine", "fewest", "cost"])
@pytest.mark.parametrize("backend", ["fast", "onnxruntime", "torch"])
def test_every_mode_and_back_end_agrees_with_the_whole_network(backend: str, mode: str) -> None:
    for package in {"onnxruntime": ("onnx", "onnxruntime"), "torch": ("torch",)}.get(backend, ()):
        pytest.importorskip(package, reason=f"runs on {package}, which is not installed")
    result = call(DIGITS, "--device", backend, "--mode", mode, "--blocked", "nn.Sigmoid", "--shape", "2,1,8,8")
    assert float(fact(result, "difference").split()[0]) < 1e-4
    assert fact(result, "input") == "(2,1,8,8) float32"


def test_several_devices_have_their_own_operators_and_names() -> None:
    result = call(DIGITS, "--device", "simple", "--operators", "nn.Conv2d", "--device", "simple",
                  "--operators", "nn.ReLU", "--min-nodes", 0)  # fmt: skip
    assert fact(result, "operators") == "8 on simple, 6 on simple 2, 8 on host"


def test_float16_devices_are_compared_with_more_patience() -> None:
    typed = (DIGITS, "--device", "simple", "--operators", "nn.Conv2d,nn.ReLU", "--float16")
    result = call(*typed)
    assert fact(result, "casts") == "8 to and from float16"
    assert float(fact(result, "difference").split()[0]) > 1e-7
    assert "outputs differ by" in call(*typed, "--tolerance", 1e-9, code=1).stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "shapes"),
    [
        (DIGITS, ["1,1,8,8"]),
        (DIGITS, ["16,1,8,8"]),
        ("models/segmenter", ["1,3,64,64"]),
        ("models/segmenter", ["2,3,32,96"]),
        ("models/writer", ["1,5", "4,1,2,16,32", "4,1,2,16,32", "1"]),
    ],
)
def test_it_counts_the_operations_that_inspect_counts(model: str, shapes: list[str]) -> None:
    typed = [model, *(word for shape in shapes for word in ("--shape", shape))]
    inspected = json.loads(CliRunner().invoke(app, ["inspect", *typed, "--json"]).stdout)
    assert fact(call(*typed), "work").startswith(f"{flop(inspected['flops'])}: 100% on fast")


def test_what_no_layer_counts_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kuiper.registry.layer_class("torch.exp2"), "flops", kuiper.Layer.flops)
    file = tmp_path / "net.pnnx.param"
    file.write_text(
        "7767517\n4 3\npnnx.Input in 0 1 0 #0=(1,4)f32\nnn.ReLU relu 1 1 0 1 #1=(1,4)f32\n"
        "torch.exp2 half 1 1 1 2 #2=(1,4)f32\npnnx.Output out 1 0 2\n"
    )
    inspected = CliRunner().invoke(app, ["inspect", str(file)]).stdout
    assert "at least 4 for one pass" in inspected
    assert "without torch.exp2: no flops in the layer's class" in inspected
    benched = CliRunner().invoke(app, ["bench", str(file), "-r", "1"])
    assert "at least 4 FLOP a pass" in " ".join(benched.stdout.split())
    assert fact(call(file), "work").startswith("at least 4 FLOP")


ACCELERATOR = ("--device", "fast", "--operators", "nn.Conv2d,nn.ReLU,nn.MaxPool2d", "--shape", "64,1,8,8")
SPEEDS = ("--mode", "cost", "--speed", 100, "--host-speed", 10, "--latency", 10, "--launch", 10)


def compared(result: Result) -> dict[str, list[str]]:
    """The table of costs: placement -> computing on each device, transfers, starts, total."""
    lines = result.stdout[result.stdout.index("by the model") :].splitlines()[2:]
    cells = [re.split(r"\s{2,}", line.strip()) for line in lines[: lines.index("")]]
    return {row[0]: row[1:] for row in cells}


@pytest.mark.parametrize(("bandwidth", "chosen"), [(10, "chosen: split"), (0.001, "chosen: all on host")])
def test_mode_cost_splits_where_that_pays_and_shows_what_it_compared(bandwidth: float, chosen: str) -> None:
    result = call(DIGITS, *ACCELERATOR, *SPEEDS, "--bandwidth", bandwidth)
    table = compared(result)
    assert next(iter(table)) == chosen
    assert all(len(costs) == 5 for costs in table.values())
    assert {name.removeprefix("chosen: ") for name in table} == {"split", "fast has all it can", "all on host"} - (
        {"split"} if "host" in chosen else set()
    )
    on_fast, on_host = (int(text.split()[0]) for text in fact(result, "operators").split(", "))
    assert (on_fast > 0) == (chosen == "chosen: split")
    assert on_host > 0
    assert fact(result, "speeds") == "fast 100 GFLOP/s, 10.0 us to start a sub-graph; host 10 GFLOP/s"
    assert fact(result, "link") == f"10.0 us before a transfer, then {bandwidth:g} GB/s"


def test_each_device_has_a_speed_of_its_own() -> None:
    two = ("--device", "simple", "--device", "fast")
    result = call(DIGITS, *two, "--mode", "cost", "--speed", 20, "--speed", 80, "--host-speed", 5)
    assert fact(result, "speeds").startswith("simple 20 GFLOP/s, ")
    assert "fast 80 GFLOP/s" in fact(result, "speeds")
    assert fact(result, "operators") == "0 on simple, 22 on fast, 0 on host"


def test_speeds_are_refused_where_they_mean_nothing() -> None:
    for option in ("--speed", "--host-speed", "--bandwidth", "--latency", "--launch"):
        assert f"{option} means nothing to --mode fewest; it belongs to --mode cost" in error_of(DIGITS, option, 1)
    twice = ("--speed", 1, "--speed", 2)
    assert "expected --speed once for one device, found 2" in error_of(DIGITS, "--mode", "cost", *twice)
    three = ("--device", "fast", "--device", "simple", "--device", "fast")
    assert "expected --speed once, or once for each of 3 devices, found 2" in error_of(
        DIGITS, *three, "--mode", "cost", *twice
    )


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--speed", 0, "expected a number above 0, found 0"),
        ("--host-speed", "nan", "expected a number above 0, found nan"),
        ("--bandwidth", -2, "expected a number above 0, found -2"),
        ("--latency", -3, "expected 0 or more, found -3"),
        ("--launch", -0.5, "expected 0 or more, found -0.5"),
    ],
)
def test_a_figure_that_cannot_be_is_refused_in_the_unit_it_was_typed_in(option: str, value: object, said: str) -> None:
    assert f"error: {option}: {said}" in error_of(DIGITS, "--mode", "cost", option, value)


def test_transfers_and_starts_may_take_no_time() -> None:
    call(DIGITS, "--mode", "cost", "--latency", 0, "--launch", 0, "--repeat", 1)


class Recorded:
    """An executor that only tells times: slow at first, then 1, 2, 3, ... seconds for sub-graph 0."""

    def __init__(self) -> None:
        self.runs = 0
        self.stats = Stats()

    def run(self, inputs: Sequence[Any]) -> list[np.ndarray]:
        self.runs += 1
        number = self.runs - cli_partition.WARMUP
        end = 1000.0 if number < 1 else float(number)
        self.stats = Stats(times={0: (0.0, end), 1: (end, 2 * end + 0.5)})
        return [np.zeros(1)]


def test_times_are_medians_of_passes_that_come_after_others_to_warm_up() -> None:
    class Graph:
        runs = 0

        def forward(self, *inputs: Any) -> list[np.ndarray]:
            self.runs += 1
            return [np.zeros(1)]

    graph, executor = Graph(), Recorded()
    found = cli_partition.measure(cast(Any, graph), cast(Any, executor), [], repeat=5)
    assert graph.runs == executor.runs == cli_partition.WARMUP + 5
    assert found.times == {0: 3.0, 1: 3.5}
    assert found.seconds == 6.5
    assert found.stats.times[0] == (0.0, 3.0), "the schedule drawn is that of the median pass"
    result = call(DIGITS, "--repeat", 4)
    assert fact(result, "passes") == f"4, after {cli_partition.WARMUP} to warm up: times are medians"


def test_a_back_end_that_computes_something_else_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong(Simple):
        def compile(self, graph: RuntimeGraph) -> Any:
            program = super().compile(graph)

            def run(inputs: Sequence[Any]) -> list[np.ndarray]:
                return [y + 1 for y in program(inputs)]

            return run

    monkeypatch.setitem(BACKENDS, "wrong", Wrong)
    result = call(DIGITS, "--device", "wrong", code=1)
    assert "error: the split network computes something else: outputs differ by" in result.stderr


def test_it_draws_the_graph_and_the_measured_schedule(tmp_path: Path) -> None:
    graph, gantt = tmp_path / "graph.svg", tmp_path / "gantt.svg"
    result = call(DIGITS, "--device", "simple", "--operators", "nn.Conv2d,nn.ReLU",
                  "--svg", graph, "--gantt", gantt)  # fmt: skip
    texts = [element.text for element in ElementTree.parse(graph).iter("{http://www.w3.org/2000/svg}text")]
    assert "sub-graph 1, simple" in texts
    assert "1: convbn2d_0" in texts
    tips = [element.text or "" for element in ElementTree.parse(gantt).iter("{http://www.w3.org/2000/svg}title")]
    assert sum(tip.startswith("sub-graph ") for tip in tips) == len(rows(result))
    assert "0 ms" in gantt.read_text()


def test_errors_are_in_words(tmp_path: Path) -> None:
    cases: dict[str, tuple[object, ...]] = {
        "--device is one of simple, fast, onnxruntime, torch, cupy, not 'gpu'": ("--device", "gpu"),
        "--mode is one of tengine, fewest, cost, not 'best'": ("--mode", "best"),
        "--host is one of simple, fast, not 'torch'": ("--host", "torch"),
        "no operator of the network has the type nn.Conv2; it has nn.Conv2d": ("--operators", "nn.Conv2"),
        "has the type nn.relu6": ("--blocked", "nn.relu6"),
        "expected --operators once for one device, found 2": ("--operators", "nn.ReLU") * 2,
        "expected one accelerator and one device": ("--mode", "tengine", "--device", "fast", "--device", "simple"),
        "expected an existing folder": ("--svg", tmp_path / "none" / "x.svg"),
        "--gantt": ("--gantt", tmp_path / "none" / "x.svg"),
        "--operators: expected at least one operator type, found ''": ("--operators", ""),
        "--operators: expected at least one operator type, found ','": ("--operators", ","),
        "nn.ReLU: expected either in --operators or in --blocked, found in both": (
            "--operators",
            "nn.Conv2d,nn.ReLU",
            "--blocked",
            "nn.ReLU",
        ),
        "--svg: expected a name that ends in .svg, found split.png": ("--svg", "split.png"),
        "--gantt: expected a name that ends in .svg, found runs": ("--gantt", "runs"),
        "expected --shape once for each of 1": ("--shape", "1,1,8,8", "--shape", "1"),
        "expected a shape like (?,1,8,8)": ("--shape", "1,8"),
    }
    for expected, typed in cases.items():
        assert expected in error_of(DIGITS, *typed)
    assert "found no such file" in error_of(tmp_path / "missing")


def own_split(folder: Path, body: str) -> Path:
    """A file whose function fewest(predecessors, devices) has this body."""
    file = folder / "my_split.py"
    file.write_text(f"def fewest(predecessors, devices):\n    {body}\n", encoding="utf-8")
    return file


CONVOLUTIONS = (DIGITS, "--device", "fast", "--operators", "nn.Conv2d,nn.ReLU", "--repeat", 1)


def test_a_split_of_ones_own_runs_and_is_compared_with_kuipers(tmp_path: Path) -> None:
    mine = own_split(tmp_path, "return [(device, [node]) for node, device in enumerate(devices)]")
    result = call(*CONVOLUTIONS, "--min-nodes", 0, "--mine", mine)
    assert len(rows(result)) == 22
    assert "into 22 sub-graphs; kuiper's own function into 9" in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return [(d, [v]) for v, d in reversed(list(enumerate(devices)))]", "order: "),
        ("return [('fast', list(range(len(devices))))]", "node 0: expected 'host', its device, found 'fast'"),
        ("return [(d, [v]) for v, d in enumerate(devices)][1:]", "cover: "),
        ("return [(d, [v]) for v, d in enumerate(devices)] * 2", "cover: "),
        ("return [('host', [])]", "part 0: expected at least one node, found none"),
        ("return [('host', [99])]", "expected nodes from 0 to 21, found 99"),
        ("return {0: devices}", "expected a list of (name of the device, list of its nodes' numbers), found dict"),
        ("return [devices]", "part 0: expected (name of the device, list of nodes), found ["),
        ("raise IndexError('too far')", "fewest raised IndexError: too far"),
    ],
)
def test_a_split_of_ones_own_that_breaks_a_rule_is_refused_by_that_rule(tmp_path: Path, body: str, told: str) -> None:
    assert told in error_of(*CONVOLUTIONS, "--min-nodes", 0, "--mine", own_split(tmp_path, body))


def test_a_file_without_the_function_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "my_split.py"
    assert "found nothing called" in error_of(DIGITS, "--mine", file)
    file.write_text("def merge(parts): ...", encoding="utf-8")
    assert "expected a function fewest(predecessors, devices)" in error_of(DIGITS, "--mine", file)
    file.write_text("1 / 0", encoding="utf-8")
    assert "raised ZeroDivisionError" in error_of(DIGITS, "--mine", file)
    assert "it belongs to --mode fewest" in error_of(DIGITS, "--mine", file, "--mode", "cost")
