"""CONTRIBUTING.md's walk through a new operator, walked: a copy of kuiper/ is edited as the text says, and used."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LAYERS = "kuiper/layers/elementwise/activation.py"
KERNELS = "kuiper/fast/kernels/elementwise/activation.py"
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
for engine in ("simple", "fast"):
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


def edit(file: Path, after: str, text: str) -> None:
    whole = file.read_text(encoding="utf-8")
    assert after in whole
    file.write_text(whole.replace(after, after + text, 1), encoding="utf-8")


def use(copy: Path) -> tuple[str, str]:
    """Run the program with the copy -> the folder of its kuiper, and what it says of the operator."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=copy, env={"PYTHONPATH": str(copy), "KUIPER_CACHE": str(copy / "cache")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    place, said = run.stdout.splitlines()
    return str(Path(place).parent), said


def test_an_operator_is_one_file(copy):
    layer, *_ = blocks()
    with open(copy / LAYERS, "a", encoding="utf-8") as file:
        file.write("\n\n" + layer)
    place, said = use(copy)
    assert place == str(copy / "kuiper")
    assert said == f"activation {6 * 150} {{}} ['clamp', 'layer of nn.Squareplus']"


def test_a_kernel_is_one_more(copy):
    layer, steps, line = blocks()
    with open(copy / LAYERS, "a", encoding="utf-8") as file:
        file.write("\n\n" + layer)
    head = 'ACTIVATIONS: dict[type, Callable[[Any], ActivationSteps | None]] = unique(\n    "has steps already",\n'
    edit(copy / KERNELS, head, line)
    whole = (copy / KERNELS).read_text(encoding="utf-8")
    (copy / KERNELS).write_text(whole.replace(head, steps + "\n\n" + head), encoding="utf-8")
    _, said = use(copy)
    assert said == f"activation {6 * 150} {{}} ['clamp', 'squareplus']"
