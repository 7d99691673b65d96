"""Padding against PyTorch: every mode, ranks 1 to 5, negative numbers, and models exported by pnnx."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import KuiperError
from kuiper.layers.image.padding import BORDERS, Pad

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
F, nn = torch.nn.functional, torch.nn


@pytest.mark.slow
@pytest.mark.parametrize("mode", BORDERS)
@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_any_padding_gives_pytorchs_elements_or_is_refused_as_by_pytorch(mode, data):
    shape = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))
    count = data.draw(st.integers(1, min(3, len(shape))))
    pad = data.draw(st.lists(st.integers(-2, 4), min_size=2 * count, max_size=2 * count))
    sizes = list(zip(reversed(shape), pad[::2], pad[1::2]))
    # where nothing is left PyTorch's answer depends on the rank; a ring shorter than its border it reads unfilled
    assume(mode == "constant" or all(n + a + b > 0 for n, a, b in sizes))
    assume(mode != "circular" or all(max(a, b) <= n + min(a, 0) + min(b, 0) for n, a, b in sizes))
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    try:
        expected = F.pad(torch.from_numpy(x), pad, mode)
    except (RuntimeError, NotImplementedError):
        with pytest.raises(KuiperError):
            Pad(pad, mode).forward(x)
        return
    np.testing.assert_array_equal(Pad(pad, mode).forward(x), expected.numpy(), strict=True)


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.bool_, np.float16, np.complex64])
def test_every_element_type_is_kept(dtype):
    x = np.ones((2, 3), dtype)
    for value in (None, 1):
        expected = F.pad(torch.from_numpy(x), (1, 2, -1, 1), value=value).numpy()
        np.testing.assert_array_equal(Pad([1, 2, -1, 1], value=value).forward(x), expected, strict=True)


class Modules(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = nn.ModuleList([nn.ConstantPad1d((2, 1), 3.0), nn.ZeroPad1d(2), nn.ReflectionPad1d((1, 2))])
        self.rows.extend([nn.ReplicationPad1d(2), nn.CircularPad1d((2, 0))])
        self.images = nn.ModuleList([nn.ConstantPad2d((1, 0, 2, -1), 0.5), nn.ZeroPad2d((0, 1, 2, 3))])
        self.images.extend([nn.ReflectionPad2d((1, 0, 1, 2)), nn.ReplicationPad2d(1), nn.CircularPad2d(1)])
        self.spaces = nn.ModuleList([nn.ConstantPad3d(1, 2.0), nn.ZeroPad3d((1, 0, 0, 1, 2, 0))])
        self.spaces.extend([nn.ReflectionPad3d(1), nn.ReplicationPad3d((0, 1, 1, 0, 2, 2)), nn.CircularPad3d(1)])

    def forward(self, row, image, space):
        groups = (self.rows, row), (self.images, image), (self.spaces, space)
        return tuple(layer(x) for layers, x in groups for layer in layers)


class FromTheShape(nn.Module):
    def forward(self, x):
        border = F.pad(x, (x.size(2) - 2, 1, 0, x.size(3) // 2))
        return border, F.pad(x, (x.size(2) - 3, 1, 0, 1), mode="reflect")


def test_an_exported_model_with_every_module(export):
    inputs = torch.randn(2, 3, 5), torch.randn(1, 3, 4, 5), torch.randn(1, 2, 3, 4, 5)
    model = Modules().eval()
    outputs = kuiper.load(export(model, *inputs))(*(x.numpy() for x in inputs))
    for got, expected in zip(outputs, model(*inputs), strict=True):
        np.testing.assert_array_equal(got, expected.numpy())


def test_an_exported_model_whose_padding_follows_from_the_shape(export):
    model, first, second = FromTheShape().eval(), torch.randn(1, 3, 4, 5), torch.randn(1, 3, 5, 7)
    graph = kuiper.load(export(model, first, dynamic=(second,)))
    for x in (first, second):
        for got, expected in zip(graph(x.numpy()), model(x), strict=True):
            np.testing.assert_array_equal(got, expected.numpy())
