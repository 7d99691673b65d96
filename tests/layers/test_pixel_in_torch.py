"""Pixel shuffle against PyTorch, and from a model exported by pnnx."""

import numpy as np
import pytest

import kuiper
from kuiper.layers.image.pixel import PixelShuffle, PixelUnshuffle

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
F, nn = torch.nn.functional, torch.nn


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
@pytest.mark.parametrize("r", [1, 2, 3])
def test_any_factor_and_leading_dimensions(batch, r):
    x = np.arange(np.prod([*batch, 2 * r * r, 3, 4]), dtype=np.float32).reshape(*batch, 2 * r * r, 3, 4)
    y = PixelShuffle(r).forward(x)
    np.testing.assert_array_equal(y, F.pixel_shuffle(torch.from_numpy(x), r).numpy(), strict=True)
    back = F.pixel_unshuffle(torch.from_numpy(y.copy()), r).numpy()
    np.testing.assert_array_equal(PixelUnshuffle(r).forward(y), back, strict=True)


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.PixelShuffle(2), nn.PixelUnshuffle(3)

    def forward(self, x):
        return self.up(x), self.down(x), F.pixel_shuffle(x[0], 2), F.pixel_unshuffle(x, 3)


def test_an_exported_model_with_modules_and_functions(export):
    model, x = Both().eval(), torch.randn(2, 8, 6, 3)
    outputs = kuiper.load(export(model, x))(x.numpy())
    for got, expected in zip(outputs, model(x), strict=True):
        np.testing.assert_array_equal(got, expected.numpy())
