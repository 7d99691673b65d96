from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kuiper
from kuiper import pnnx

pytest.importorskip("typer", reason="the command line needs typer and rich, which are not installed")
pytest.importorskip("rich", reason="the command line needs typer and rich, which are not installed")

from rich.console import Console
from typer.main import get_command
from typer.testing import CliRunner, Result

from kuiper.cli import app, arguments, waiting
from kuiper.cli.model import find_model
from kuiper.runtime import EXECUTORS

SIMPLE = """7767517
5 4
pnnx.Input      in    0 1 0 #0=(1,3,4,4)f32
nn.ReLU         relu  1 1 0 1 #0=(1,3,4,4)f32 #1=(1,3,4,4)f32
nn.Sigmoid      sig   1 1 1 2 #1=(1,3,4,4)f32 #2=(1,3,4,4)f32
pnnx.Expression sum   2 1 2 1 3 expr=add(@0,@1) #2=(1,3,4,4)f32 #1=(1,3,4,4)f32 #3=(1,3,4,4)f32
pnnx.Output     out   1 0 3 #3=(1,3,4,4)f32
"""
DYNAMIC = SIMPLE.replace("(1,3,4,4)", "(?,3,?,?)")
FOREIGN = SIMPLE.replace("nn.Sigmoid      ", "my.Sigmoid      ").replace("nn.ReLU         ", "my.ReLU         ")
CLASSES = """7767517
3 2
pnnx.Input  in   0 1 0 #0=(2,3)f32
nn.ReLU     relu 1 1 0 1 #0=(2,3)f32 #1=(2,3)f32
pnnx.Output out  1 0 1 #1=(2,3)f32
"""
PAIR = """7767517
4 3
pnnx.Input      a   0 1 0 #0=(2,3)f32
pnnx.Input      b   0 1 1 #1=(2,3)f32
pnnx.Expression sub 2 1 0 1 2 expr=sub(@0,@1) #0=(2,3)f32 #1=(2,3)f32 #2=(2,3)f32
pnnx.Output     out 1 0 2 #2=(2,3)f32
"""


def write(folder: Path, text: str, name: str = "net") -> str:
    file = folder / f"{name}.pnnx.param"
    file.write_text(text)
    return str(file)


def write_linear(folder: Path) -> str:
    """Linear 3 -> 2 with known weights, through the library's own writer."""
    file = write(folder, SIMPLE.splitlines()[0] + """
3 2
pnnx.Input  in  0 1 0 #0=(1,3)f32
nn.ReLU     fc  1 1 0 1 #0=(1,3)f32 #1=(1,3)f32
pnnx.Output out 1 0 1 #1=(1,3)f32
""", "linear")  # fmt: skip
    graph = pnnx.read(file)
    layer = graph.operator("fc")
    layer.type = "nn.Linear"
    kinds = pnnx.ParameterKind
    layer.params = {
        "bias": pnnx.Parameter(kinds.BOOL, True),
        "in_features": pnnx.Parameter(kinds.INT, 3),
        "out_features": pnnx.Parameter(kinds.INT, 2),
    }
    layer.attributes = {
        "bias": pnnx.Attribute.from_array(np.array([1, 2], np.float32)),
        "weight": pnnx.Attribute.from_array(np.array([[1, 0, 0], [0, 1, 1]], np.float32)),
    }
    layer.outputs[0].shape = (1, 2)
    pnnx.write(graph, file, file.replace(".param", ".bin"))
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


def saved(folder: Path, x: np.ndarray, name: str = "x.npy") -> Path:
    np.save(folder / name, x)
    return folder / name


# run


def test_run_computes_what_the_library_computes(tmp_path: Path) -> None:
    model = write(tmp_path, SIMPLE)
    x = np.random.default_rng(0).standard_normal((1, 3, 4, 4), np.float32)
    call("run", model, saved(tmp_path, x), "--output", tmp_path / "y.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), kuiper.load(model)(x)[0])


def test_run_reads_weights_and_the_bin_option_names_them(tmp_path: Path) -> None:
    model = write_linear(tmp_path)
    x = saved(tmp_path, np.array([[1, 2, 3]], np.float32))
    (tmp_path / "linear.pnnx.bin").rename(tmp_path / "weights.bin")
    assert "linear.pnnx.bin" in error_of("run", model, x)
    call("run", model, x, "--bin", tmp_path / "weights.bin", "-o", tmp_path / "y.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), [[2, 7]])


def test_run_computes_with_the_engine_that_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = write(tmp_path, SIMPLE)
    x = saved(tmp_path, np.random.default_rng(0).standard_normal((1, 3, 4, 4), np.float32))
    made: list[str] = []
    for name in EXECUTORS:
        way = EXECUTORS[name]
        monkeypatch.setitem(
            EXECUTORS, name, lambda graph, way=way, name=name, **o: made.append(name) or way(graph, **o)
        )
        call("run", model, x, "--engine", name)
    call("run", model, x)
    assert made == [*EXECUTORS, "auto"]
    assert "simple, fast, compiled, auto" in error_of("run", model, x, "--engine", "quick")


def test_run_without_input_says_that_it_made_one_up_and_repeats_it_with_the_seed(tmp_path: Path) -> None:
    model = write(tmp_path, SIMPLE)
    first, again = call("run", model, "--seed", 3), call("run", model, "--seed", 3)
    assert "random input (1,3,4,4) float32, standard normal, seed 3" in first.stderr
    assert first.stdout == again.stdout != call("run", model, "--seed", 4).stdout


def test_run_shows_kept_intermediate_results_and_saves_them(tmp_path: Path) -> None:
    model = write(tmp_path, SIMPLE)
    result = call("run", model, "--keep", "relu", "--keep", "sig", "--output", tmp_path / "y.npz")
    assert "relu" in result.stdout
    with np.load(tmp_path / "y.npz") as arrays:
        assert set(arrays.files) == {"output_0", "kept_relu", "kept_sig"}
        np.testing.assert_allclose(arrays["output_0"], arrays["kept_relu"] + arrays["kept_sig"], rtol=1e-6)


def test_run_lists_the_greatest_values_of_each_row(tmp_path: Path) -> None:
    model = write(tmp_path, CLASSES)
    result = call("run", model, saved(tmp_path, np.array([[5, 1, 7], [9, 8, 3]], np.float32)), "--top", 2)
    rows = [line.split() for line in result.stdout.splitlines() if line.startswith("output_0")]
    assert [row[1:] for row in rows[1:]] == [
        ["0", "1", "2", "7"],
        ["0", "2", "0", "5"],
        ["1", "1", "0", "9"],
        ["1", "2", "1", "8"],
    ]


def test_run_takes_inputs_in_the_networks_order(tmp_path: Path) -> None:
    model = write(tmp_path, PAIR)
    one, two = (saved(tmp_path, np.full((2, 3), v, np.float32), f"{v}.npy") for v in (1, 2))
    call("run", model, one, two, "-o", tmp_path / "y.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), np.full((2, 3), -1))


def test_run_shows_a_picture_to_the_network(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="reads pictures, and Pillow is not installed")
    image.new("RGB", (9, 9), (255, 255, 255)).save(tmp_path / "white.png")
    call("run", write(tmp_path, SIMPLE), tmp_path / "white.png", "--mean", "0.5", "--std", "1/4", "--keep", "relu",
         "-o", tmp_path / "y.npz")  # fmt: skip
    with np.load(tmp_path / "y.npz") as arrays:
        np.testing.assert_allclose(arrays["kept_relu"], 2.0)


@pytest.mark.parametrize("text", [SIMPLE, DYNAMIC])
def test_a_picture_for_a_network_of_other_inputs_is_refused(tmp_path: Path, text: str) -> None:
    image = pytest.importorskip("PIL.Image", reason="reads pictures, and Pillow is not installed")
    image.new("RGB", (9, 9)).save(tmp_path / "x.png")
    call("run", write(tmp_path, text), tmp_path / "x.png")
    assert "for a picture" in error_of("run", write(tmp_path, CLASSES), tmp_path / "x.png")


def test_a_bad_input_is_explained_in_one_line(tmp_path: Path) -> None:
    model = write(tmp_path, SIMPLE)
    good = saved(tmp_path, np.zeros((1, 3, 4, 4), np.float32))
    (tmp_path / "text.npy").write_text("1 2 3")
    np.save(tmp_path / "pickle.npy", np.array([{}], object), allow_pickle=True)
    cases: dict[str, tuple[object, ...]] = {
        "no such file": (tmp_path / "missing.npy",),
        "expected a .npy file": (tmp_path / "text.npy",),
        "pickled Python objects": (tmp_path / "pickle.npy",),
        "x[None]": (saved(tmp_path, np.zeros((3, 4, 4)), "nobatch.npy"),),
        "expected 1 input file(s)": (good, good),
        "no operator is called 'rely'; similar: relu": (good, "--keep", "rely"),
        "ends in .npz or .npy": (good, "--output", tmp_path / "y.txt"),
        "existing folder": (good, "--output", tmp_path / "none" / "y.npy"),
        "found 2 (output_0, kept_relu)": (good, "--keep", "relu", "--output", tmp_path / "y.npy"),
    }
    for expected, typed in cases.items():
        if "y.npy" in str(typed[-1]) and "none" not in str(typed[-1]):
            result = call("run", model, *typed, code=2)
            assert expected in result.stderr
            continue
        assert expected in error_of("run", model, *typed)


def test_options_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    model = write(tmp_path, SIMPLE)
    for typed in (("--mean", "a"), ("--std", "1/0"), ("--scale", "1,2"), ("--shape", "1,b"), ("--shape", "0,3")):
        error_of("run", model, *typed)


# models


def test_a_model_is_found_by_file_stem_or_folder(tmp_path: Path) -> None:
    file = Path(write(tmp_path, SIMPLE))
    assert find_model(str(file)) == find_model(str(tmp_path / "net")) == find_model(str(tmp_path)) == file
    write(tmp_path, SIMPLE, "other")
    assert "found 2 (net.pnnx.param, other.pnnx.param)" in error_of("run", tmp_path)


def test_a_model_that_is_not_there_or_not_a_model_is_explained(tmp_path: Path) -> None:
    write(tmp_path, SIMPLE)
    assert "net.pnnx.param" in error_of("run", tmp_path / "nett")
    (tmp_path / "text.param").write_text("hello")
    (tmp_path / "binary.param").write_bytes(bytes(range(256)))
    (tmp_path / "net.onnx").write_bytes(b"\x08")
    (tmp_path / "net.bin").write_bytes(b"PK")
    for command in ("run", "inspect", "bench"):
        error_of(command, tmp_path / "text.param")
        error_of(command, tmp_path / "binary.param")
        assert "pip install pnnx" in error_of(command, tmp_path / "net.onnx")
        assert "only the weights" in error_of(command, tmp_path / "net.bin")


# inspect


def test_inspect_lists_operators_in_execution_order_with_their_costs(tmp_path: Path) -> None:
    found = json.loads(call("inspect", write_linear(tmp_path), "--json").stdout)
    assert [(op["name"], op["type"]) for op in found["operators"]] == [
        ("in", "pnnx.Input"),
        ("fc", "nn.Linear"),
        ("out", "pnnx.Output"),
    ]
    layer = found["operators"][1]
    assert (layer["outputs"], layer["parameters"], layer["flops"], layer["bytes_out"]) == ([[1, 2]], 8, 14, 8)
    assert found["weight_bytes"] == {"f32": 32}
    assert found["activation_bytes"] == {"without_reuse": 20, "planned": 20, "lower_bound": 20}
    assert found["runs"] is True


def test_inspect_says_which_types_it_cannot_count_for_lack_of_a_layer(tmp_path: Path) -> None:
    out = call("inspect", write(tmp_path, FOREIGN)).stdout
    assert "without my.ReLU, my.Sigmoid: no layer was made" in out
    assert "no flops" not in out


def test_inspect_prints_a_table_and_totals(tmp_path: Path) -> None:
    out = call("inspect", write_linear(tmp_path)).stdout
    assert any(line.split() == ["fc", "nn.Linear", "(1,2)", "8", "14", "8", "B"] for line in out.splitlines())
    assert "8 numbers, 32 B f32" in out
    assert "a multiply-add is 2" in out


def test_inspect_finds_open_shapes_by_running_and_leaves_them_open_otherwise(tmp_path: Path) -> None:
    model = write(tmp_path, DYNAMIC)
    found = json.loads(call("inspect", model, "--shape", "2,3,8,8", "--json").stdout)
    assert found["operators"][1]["outputs"] == [[2, 3, 8, 8]]
    assert found["flops"] == 2 * 3 * 8 * 8 * (1 + 4 + 1)
    open_ = json.loads(call("inspect", model, "--json").stdout)
    assert open_["operators"][1]["outputs"] == [[-1, 3, -1, -1]]
    assert open_["activation_bytes"] is None
    assert "--shape" in open_["warnings"][0]


def test_inspect_shows_all_unsupported_types_of_a_network_it_cannot_run(tmp_path: Path) -> None:
    model = write(tmp_path, FOREIGN)
    found = json.loads(call("inspect", model, "--json").stdout)
    assert found["unsupported"] == {"my.ReLU": ["relu"], "my.Sigmoid": ["sig"]}
    assert found["runs"] is False
    out = call("inspect", model).stdout
    assert "my.ReLU (no layer)" in out
    assert "(1,3,4,4)" in out
    error = error_of("run", model)
    assert "my.ReLU" in error
    assert "my.Sigmoid" in error


def test_inspect_says_why_a_network_of_known_operators_cannot_run(tmp_path: Path) -> None:
    model = write(tmp_path, SIMPLE.replace("relu  1 1 0 1", "relu  1 1 0 1 speed=3"))
    found = json.loads(call("inspect", model, "--json").stdout)
    assert found["runs"] is False
    assert found["fault"].startswith("relu: parameter speed: ")
    assert "cannot run" in call("inspect", model).stdout


def test_inspect_draws_the_graph(tmp_path: Path) -> None:
    call("inspect", write(tmp_path, SIMPLE), "--svg", tmp_path / "net.svg")
    assert "nn.Sigmoid" in (tmp_path / "net.svg").read_text(encoding="utf-8")
    call("inspect", write(tmp_path, SIMPLE), "--svg", tmp_path / "none" / "net.svg", code=2)


@pytest.mark.parametrize("typed", [("inspect", "--svg"), ("inspect", "--memory"), ("bench", "--roofline")])
def test_a_picture_is_refused_before_the_work_when_its_name_does_not_end_in_svg(
    tmp_path: Path, typed: tuple[str, str]
) -> None:
    file = tmp_path / "net.png"
    result = call(typed[0], write(tmp_path, SIMPLE), typed[1], file, code=2)
    assert f"error: {typed[1]}: expected a name that ends in .svg, found {file}" in " ".join(result.stderr.split())
    assert result.stdout == ""
    assert not file.exists()


def test_inspect_is_readable_at_80_columns(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["inspect", write(tmp_path, SIMPLE)], env={"COLUMNS": "80", "NO_COLOR": "1"})
    table = result.stdout.split("\n\n")[0]
    assert all(len(line) <= 80 for line in table.splitlines())
    assert "\x1b" not in result.stdout


# the command itself


def test_shapes_and_numbers_are_read_in_the_usual_spellings() -> None:
    assert arguments.shapes(["1,3,224,224", "1x3x8", "(2, 3)", "7"]) == [(1, 3, 224, 224), (1, 3, 8), (2, 3), (7,)]
    assert arguments.floats("1/4, 2,-1e-1") == [0.25, 2.0, -0.1]


def test_help_shows_an_example_of_each_command() -> None:
    assert "kuiper run" in call("--help").stdout
    commands = get_command(app).commands  # type: ignore[attr-defined]
    assert commands
    for command in commands:
        assert f"Example: kuiper {command}" in " ".join(call(command, "--help").stdout.split())


def test_version_is_that_of_the_package() -> None:
    assert call("--version").stdout == f"kuiper {kuiper.__version__}\n"


def run_process(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "kuiper", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "NO_COLOR": "1", **variables},
        check=False,
    )


@pytest.mark.slow
def test_the_command_runs_as_a_program_and_fails_without_a_traceback(tmp_path: Path) -> None:
    good = run_process("run", write(tmp_path, SIMPLE))
    assert (good.returncode, "output_0" in good.stdout) == (0, True)
    bad = run_process("run", str(tmp_path / "missing"))
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.startswith("error: ")
    assert bad.stderr.count("\n") == 1


def test_without_typer_one_sentence_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise ModuleNotFoundError('No module named typer', name='typer')")
    result = run_process("--version", PYTHONPATH=str(tmp_path))
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert 'pip install -e ".[cli]"' in result.stderr


def test_names_that_the_terminal_cannot_spell_do_not_stop_it(tmp_path: Path) -> None:
    file = tmp_path / "net.pnnx.param"
    file.write_text(SIMPLE.replace(" relu ", " 激活 "), encoding="utf-8")
    result = run_process("inspect", str(file), PYTHONIOENCODING="ascii")
    assert result.returncode == 0, result.stderr
    assert "\\u6fc0" in result.stdout


@pytest.mark.parametrize(("patience", "shown"), [(0.0, True), (60.0, False)])
def test_a_bar_is_shown_only_where_the_work_is_long(
    monkeypatch: pytest.MonkeyPatch, patience: float, shown: bool
) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(waiting, "console", lambda stderr: Console(file=screen, force_terminal=True, width=80))
    with waiting.progress("running", 3, patience) as advance:
        for _ in range(3):
            advance()
    assert ("running" in screen.getvalue()) is shown


def test_no_bar_goes_into_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(waiting, "console", lambda stderr: Console(file=screen))
    with waiting.progress("running", 1, 0.0) as advance:
        advance()
    assert screen.getvalue() == ""
