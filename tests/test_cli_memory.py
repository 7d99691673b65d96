"""`kuiper inspect --memory`: the chart of either engine's plan, and errors that say what to do."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

pytest.importorskip("typer", reason="the command line needs typer and rich, which are not installed")
pytest.importorskip("rich", reason="the command line needs typer and rich, which are not installed")

from typer.testing import CliRunner, Result

from kuiper.cli import app

DIGITS = "models/digits/digits.pnnx.param"
OPEN = """7767517
3 2
pnnx.Input  in   0 1 0 #0=(1,3,?,?)f32
nn.ReLU     relu 1 1 0 1 #0=(1,3,?,?)f32 #1=(1,3,?,?)f32
pnnx.Output out  1 0 1 #1=(1,3,?,?)f32
"""


def call(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(
        app, [str(a) for a in arguments], env={"NO_COLOR": "1", "COLUMNS": "100", "OMP_NUM_THREADS": "1"}
    )
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def words(file: Path) -> str:
    return " ".join(ElementTree.fromstring(file.read_text(encoding="utf-8")).itertext())


def arena(file: Path) -> float:
    """Bytes, as the chart says them."""
    number, unit = re.findall(r"arena (\S+) (\S+) \(", words(file))[0]
    return float(number) * {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}[unit]


@pytest.mark.parametrize("engine", ["simple", "fast"])
def test_the_chart_is_of_the_engine_that_was_asked_for(tmp_path: Path, engine: str) -> None:
    file = tmp_path / "memory.svg"
    result = call("inspect", DIGITS, "--memory", file, "--engine", engine)
    assert f"drew the memory plan into {file}" in result.stderr.replace("\n", "")
    assert f"digits, {engine} engine" in words(file)
    assert ("scratch" in words(file)) == (engine == "fast")


@pytest.mark.parametrize("engine", ["simple", "fast"])
def test_the_chart_is_for_the_shape_that_was_given(tmp_path: Path, engine: str) -> None:
    one, eight = tmp_path / "1.svg", tmp_path / "8.svg"
    call("inspect", DIGITS, "--memory", one, "--engine", engine)
    call("inspect", DIGITS, "--memory", eight, "--engine", engine, "--shape", "8,1,8,8")
    assert arena(eight) > 4 * arena(one)


def test_sizes_are_those_that_inspect_tells(tmp_path: Path) -> None:
    told = json.loads(call("inspect", DIGITS, "--json", "--memory", tmp_path / "m.svg").stdout)["activation_bytes"]
    assert f"{told['planned'] / 1024:#.3g} KiB (" in words(tmp_path / "m.svg")


@pytest.mark.parametrize("engine", ["simple", "fast"])
def test_open_shapes_must_be_said(tmp_path: Path, engine: str) -> None:
    model = tmp_path / "open.pnnx.param"
    model.write_text(OPEN)
    error = call("inspect", model, "--memory", tmp_path / "m.svg", "--engine", engine, code=2).stderr
    assert "say them with --shape" in " ".join(error.split())
    call("inspect", model, "--memory", tmp_path / "m.svg", "--engine", engine, "--shape", "1,3,4,4")
    assert "relu" in words(tmp_path / "m.svg")


def test_a_network_that_cannot_run_has_the_courses_plan_but_none_of_the_fast_engine(tmp_path: Path) -> None:
    model = tmp_path / "foreign.pnnx.param"
    model.write_text(OPEN.replace("?,?", "4,4").replace("nn.ReLU", "my.ReLU"))
    call("inspect", model, "--memory", tmp_path / "m.svg")
    assert "relu" in words(tmp_path / "m.svg")
    error = call("inspect", model, "--memory", tmp_path / "f.svg", "--engine", "fast", code=2).stderr
    assert "a network that can run" in " ".join(error.split())


def test_other_engines_and_files_that_cannot_be_written_are_errors(tmp_path: Path) -> None:
    assert "simple, fast" in call("inspect", DIGITS, "--engine", "auto", code=2).stderr
    assert (
        "expected an existing folder" in call("inspect", DIGITS, "--memory", tmp_path / "no" / "m.svg", code=2).stderr
    )
