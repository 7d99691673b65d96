"""CONTRIBUTING.md's walk through a new operator, walked: a copy of kuiper/ is edited as the text says, and used."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LAYERS = "kuiper/layers/elementwise/activation.py"
KERNELS = "kuiper/fast/kernels/elementwise/activation.py"
TESTS = (Path("tests/fast/test_activation.py"), Path("tests/partition/test_backends.py"))
PROGRAM = """
import numpy as np, kuiper
from kuiper.fast.plan.summary import summary
from kuiper.profile import network_cost

text = '''7767517
4 3
pnnx.Input in 0 1 0 #0=(2,3,5,5)f32
nn.ReLU relu 1 1 0 1 #0=(2,3,5,5)f32 #1=(2,3,5,5)f32
nn.Squareplus plus 1 1 1 2 b=9.0 #1=(2,3,5,5)f32 #2=(2,3,5,5)f32
pnnx.Output out 1 0 2 #2=(2,3,5,5)f32
'''
with open("net.pnnx.param", "w") as file:
    file.write(text)
x = np.random.default_rng(0).standard_normal((2, 3, 5, 5)).astype(np.float32)
r = np.maximum(x, 0)
for engine in ("simple", "compiled", "fast"):
    graph = kuiper.load("net.pnnx.param", engine=engine)
    np.testing.assert_allclose(graph(x)[0], (r + np.sqrt(r * r + 9)) / 2, rtol=1e-6)
layer = graph.operator("plus").layer
cost = network_cost(graph.operators)
print(kuiper.__file__)
print(layer.family, cost.flops, cost.not_counted, [step.kernel for step in summary(graph.executor.plan_for({"0": x}))])
"""


def blocks() -> list[str]:
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Add an operator")[1].split("\n## ")[0]
    return re.findall(r"```python\n(.*?)```", section, re.S)


@pytest.fixture
def copy(tmp_path):
    shutil.copytree(ROOT / "kuiper", tmp_path / "kuiper", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def use(copy: Path) -> tuple[str, str]:
    """Run the program with the copy -> the folder of its kuiper, and what it says of the operator."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=copy, env={"PYTHONPATH": str(copy), "KUIPER_CACHE": str(copy / "cache")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    place, said = run.stdout.splitlines()
    return str(Path(place).parent), said


def add_layer(copy: Path, layer: str) -> None:
    with open(copy / LAYERS, "a", encoding="utf-8") as file:
        file.write("\n\n" + layer)


def add_kernel(copy: Path, steps: str, line: str) -> None:
    head = 'ACTIVATIONS: dict[type, Callable[[Any], ActivationSteps | None]] = unique(\n    "has steps already",\n'
    whole = (copy / KERNELS).read_text(encoding="utf-8")
    assert head in whole
    (copy / KERNELS).write_text(whole.replace(head, steps + "\n\n" + head + line, 1), encoding="utf-8")


def passed(copy: Path) -> int:
    """How many of the tests of Squareplus pass with the copy: all of them."""
    for tests in TESTS:
        shutil.copytree(ROOT / tests.parent, copy / tests.parent, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-k", "Squareplus", *map(str, TESTS)], cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout
    return int(re.findall(r"(\d+) passed", run.stdout)[0])


def test_an_operator_is_one_file(copy):
    layer, *_ = blocks()
    add_layer(copy, layer)
    place, said = use(copy)
    assert place == str(copy / "kuiper")
    assert said == f"activation {6 * 150} {{}} ['clamp', 'layer of nn.Squareplus']"


@pytest.mark.slow
def test_a_kernel_is_one_more(copy):
    layer, steps, line = blocks()
    add_layer(copy, layer)
    add_kernel(copy, steps, line)
    _, said = use(copy)
    assert said == f"activation {6 * 150} {{}} ['clamp', 'squareplus']"


NO_DEFAULT = ("def __init__(self, b: float = 4.0)", "def __init__(self, b: float)")


@pytest.mark.slow
@pytest.mark.parametrize("change", [("", ""), NO_DEFAULT], ids=["as it stands", "an option without a default"])
def test_the_tests_that_take_every_line_pass_with_the_new_one(copy, change):
    layer, steps, line = blocks()
    assert change[0] in layer
    add_layer(copy, layer.replace(*change))
    add_kernel(copy, steps, line)
    assert passed(copy) > len(TESTS)
