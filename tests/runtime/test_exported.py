"""What pnnx really writes, beyond plain chains: open sizes, several outputs, dictionaries, shared weights."""

import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import kuiper

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
nn, F = torch.nn, torch.nn.functional


def flat(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in flat(item)]
    return [torch.as_tensor(value).numpy()]


def assert_same(graph, model, *inputs):
    with torch.inference_mode():
        expected = flat(model(*inputs))
    got = graph(*(x.numpy() for x in inputs))
    assert len(got) == len(expected)
    for ours, theirs in zip(got, expected, strict=True):
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


class ShapeArithmetic(nn.Module):
    """Every size that the network computes from its input's size."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.pool = nn.MaxPool2d(2, return_indices=True)

    def forward(self, x, w):
        y = self.conv(x)
        n, c, height, width = y.shape
        values, indices = self.pool(y)
        halves = torch.chunk(y, 2, 1)
        return (
            y.view(n, c // 2, 2, height, width),
            F.interpolate(y, size=(height * 2, width * 2), mode="bilinear", align_corners=False),
            F.conv2d(x, w),
            torch.flatten(y, 1),
            torch.cat([y, y], 1),
            F.adaptive_avg_pool2d(y, (1, None)),
            (values, indices),
            halves[0] + halves[1] * 2,
            torch.split(y, [1, 3], 1)[1],
            y.mean((2, 3)),
        )


class SharedWeights(nn.Module):
    """Two modules with one weight: pnnx writes it as an attribute and as an input."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


class Dictionary(nn.Module):
    def forward(self, x):
        return {"second": x * 2, "first": torch.sin(x)}


@pytest.fixture(scope="module")
def shape_arithmetic(export):
    torch.manual_seed(0)
    model = ShapeArithmetic().eval()
    kernel = torch.rand(2, 3, 1, 1)
    path = export(model, torch.rand(1, 3, 8, 8), kernel, dynamic=(torch.rand(2, 3, 12, 12), kernel))
    return model, kuiper.load(path)


@pytest.mark.parametrize("shape", [(1, 3, 8, 8), (2, 3, 12, 12), (3, 3, 6, 6)])
def test_sizes_computed_from_the_input_follow_it(shape_arithmetic, shape):
    model, graph = shape_arithmetic
    assert_same(graph, model, torch.rand(shape), torch.rand(2, 3, 1, 1))


def test_a_weight_shared_by_two_modules_is_used_by_both(export):
    torch.manual_seed(0)
    model = SharedWeights().eval()
    graph = kuiper.load(export(model, torch.rand(3, 4)))
    assert any(len(op.inputs) == 2 for op in graph.operators if op.type == "nn.Linear")
    assert_same(graph, model, torch.rand(3, 4))


@pytest.mark.slow
def test_a_dictionary_comes_out_as_its_values_in_order(tmp_path):
    pytest.importorskip("pnnx", reason="exports with pnnx, which is not installed")
    model = Dictionary().eval()
    torch.jit.trace(model, torch.rand(3, 4), strict=False).save(str(tmp_path / "net.pt"))
    program = Path(sysconfig.get_path("scripts")) / "pnnx"
    command = [str(program), "net.pt", "inputshape=[3,4]"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    assert "prim::DictConstruct" in (tmp_path / "net.pnnx.param").read_text()
    assert_same(kuiper.load(tmp_path / "net.pnnx.param"), model, torch.rand(3, 4))
