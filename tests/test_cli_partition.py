"""`kuiper partition`: the table, the comparison with the whole network, the pictures, and errors in words."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("typer", reason="the command line needs typer and rich, which are not installed")
pytest.importorskip("rich", reason="the command line needs typer and rich, which are not installed")

from typer.testing import CliRunner, Result

from kuiper.cli import app
from kuiper.cli.text import count
from kuiper.partition import BACKENDS
from kuiper.partition.backends import Network
from kuiper.partition.backends.simple import Simple

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
                  "--operators", "nn.ReLU", "--min-work", 0)  # fmt: skip
    assert fact(result, "operators") == "8 on simple, 6 on simple 2, 8 on host"


def test_float16_devices_are_compared_with_more_patience() -> None:
    typed = (DIGITS, "--device", "simple", "--operators", "nn.Conv2d,nn.ReLU", "--float16")
    result = call(*typed)
    assert fact(result, "casts") == "8 to and from float16"
    assert float(fact(result, "difference").split()[0]) > 1e-7
    assert "outputs differ by" in call(*typed, "--tolerance", 1e-9, code=1).stderr


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
    assert fact(call(*typed), "work").startswith(f"{count(inspected['flops'])}FLOP: 100% on fast")


def test_a_back_end_that_computes_something_else_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong(Simple):
        def compile(self, network: Network) -> Any:
            program = super().compile(network)

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
        "expected --operators once, or once for each of 1 devices, found 2": ("--operators", "nn.ReLU") * 2,
        "expected one accelerator and one device": ("--mode", "tengine", "--device", "fast", "--device", "simple"),
        "expected an existing folder": ("--svg", tmp_path / "none" / "x.svg"),
        "--gantt": ("--gantt", tmp_path / "none" / "x.svg"),
        "--operators: expected at least one operator type, found ''": ("--operators", ""),
        "--operators: expected at least one operator type, found ','": ("--operators", "nn.ReLU", "--operators", ","),
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
