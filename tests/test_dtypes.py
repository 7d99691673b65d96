"""The element types of PNNX and how they mix."""

import itertools

import numpy as np
import pytest

from kuiper import KuiperError, dtypes

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

TYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]
OPERANDS = [
    *((np.zeros(2, t), torch.zeros(2, dtype=getattr(torch, t))) for t in TYPES),
    *((np.zeros((), t), torch.zeros((), dtype=getattr(torch, t))) for t in TYPES),
    *((number, number) for number in (True, 3, 0.5, 1j)),
]


@pytest.mark.parametrize(("a", "b"), list(itertools.product(OPERANDS[: len(TYPES) * 2], OPERANDS)))
def test_two_operands_mix_as_in_pytorch(a, b):
    expected = str(torch.result_type(a[1], b[1])).removeprefix("torch.")
    widened = expected.replace("complex32", "complex64")  # numpy has no complex32
    assert str(dtypes.result_type(a[0], b[0])) == widened


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize("code", list(dtypes.DTYPES))
def test_every_type_stores_as_many_bytes_as_pytorch(code):
    dtype = dtypes.find(code)
    assert dtype.itemsize == torch.empty((), dtype=getattr(torch, dtype.torch)).element_size()


@pytest.mark.parametrize(("old", "new"), list(dtypes.OLD_CODES.items()))
def test_codes_of_older_files_are_known(old, new):
    assert dtypes.find(old) is dtypes.find(new)


def test_bfloat16_is_widened_exactly():
    values = torch.tensor([0.0, 1.5, -3.25, 1e30, float("inf"), 0.1]).to(torch.bfloat16)
    raw = values.view(torch.int16).numpy().view(np.uint16)
    np.testing.assert_array_equal(dtypes.widen(raw, dtypes.DTYPES["bf16"]), values.float().numpy())


def test_complex32_is_widened_exactly():
    values = np.array([1.5 - 2j, 0.25j], np.complex64)
    raw = values.view(np.float32).astype(np.float16).view(np.uint32)
    np.testing.assert_array_equal(dtypes.widen(raw, dtypes.DTYPES["c32"]), values)


def test_an_array_type_that_pnnx_lacks_is_an_error():
    with pytest.raises(KuiperError, match="uint32"):
        dtypes.of(np.zeros(1, np.uint32))
