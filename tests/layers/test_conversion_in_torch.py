"""Conversions of element types against PyTorch."""

import numpy as np
import pytest

import kuiper
from kuiper.dtypes import as_array
from kuiper.errors import ParameterError
from kuiper.layers.elementwise.conversion import Clone, Copy, To, TypeAs, element_type

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

NAMES = ["float", "double", "half", "int", "long", "short", "int8", "uint8", "bool", "complex64", "complex128"]
VALUES = torch.tensor([[-3.7, -1.0, -0.0], [0.4, 1.5, 200.0]], dtype=torch.float64)


@pytest.mark.filterwarnings("ignore:Casting complex values")
@pytest.mark.parametrize("target", NAMES)
@pytest.mark.parametrize("source", NAMES)
def test_every_type_becomes_every_other(source, target):
    x = VALUES.to(getattr(torch, source))
    expected = x.to(getattr(torch, target)).numpy()
    np.testing.assert_array_equal(To(f"torch.{target}").forward(x.numpy()), expected, strict=True)
    np.testing.assert_array_equal(TypeAs().forward(x.numpy(), expected[:1]), expected, strict=True)
    np.testing.assert_array_equal(Copy().forward(expected, x.numpy()[:1]), np.stack([expected[0]] * 2), strict=True)


def test_bfloat16_is_float32_rounded_to_the_nearest():
    x = torch.cat([torch.linspace(-3, 3, 999), torch.tensor([1 + 2**-8, 1 + 3 * 2**-8, 1e-40, 3e38, float("inf")])])
    np.testing.assert_array_equal(To("torch.bfloat16").forward(x.numpy()), x.bfloat16().float().numpy(), strict=True)
    assert np.isnan(To("torch.bfloat16").forward(np.float32([np.nan]))).all()


def test_a_python_number_gets_the_type_that_pytorch_gives_it():
    for number in (2, 0.5, True, 1j):
        np.testing.assert_array_equal(as_array(number), torch.tensor(number).numpy(), strict=True)
    np.testing.assert_array_equal(To("torch.float").forward(2), torch.tensor(2.0).numpy(), strict=True)


def test_a_copy_is_made_where_one_is_asked_for():
    x = np.zeros(2, np.float32)
    assert To("torch.float").forward(x) is x
    assert To("torch.float", copy=True).forward(x) is not x
    np.testing.assert_array_equal(Clone(memory_format="torch.preserve_format").forward(x), x)


@pytest.mark.parametrize("dtype", ["torch.qint8", "float33", 99, 1.5])
def test_an_unknown_type_is_refused(dtype):
    with pytest.raises(ParameterError, match="dtype: expected None or torch"):
        element_type(dtype)


class Converted(torch.nn.Module):
    def forward(self, x, i):
        a = (x.double(), x.long(), x.int(), x.to(torch.int8), x.byte(), x.short(), x.to(torch.complex64))
        return (
            *a,
            i.float(),
            i.type_as(x),
            x.to(torch.float64, copy=True),
            i.bool(),
            x.clone(),
            x.clone().contiguous(),
        )


def test_exported_conversions(export):
    model, inputs = Converted().eval(), (torch.linspace(-2, 2, 6).view(2, 3), torch.tensor([0, 3]))
    graph = kuiper.load(export(model, *inputs))
    for got, expected in zip(graph(*(value.numpy() for value in inputs)), model(*inputs), strict=True):
        np.testing.assert_array_equal(got, expected.numpy(), strict=True)
