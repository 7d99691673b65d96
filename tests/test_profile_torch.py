from __future__ import annotations

import pytest

from kuiper.profile import Work, flops

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")


@pytest.mark.parametrize(
    ("kind", "module", "shape"),
    [
        ("nn.Conv2d", torch.nn.Conv2d(4, 6, 3, groups=2, bias=False, stride=2, padding=1), (2, 4, 9, 7)),
        ("nn.Conv1d", torch.nn.Conv1d(4, 6, 3, bias=False, dilation=2), (2, 4, 9)),
        ("nn.Conv3d", torch.nn.Conv3d(2, 3, 2, bias=False), (1, 2, 4, 4, 3)),
        ("nn.ConvTranspose2d", torch.nn.ConvTranspose2d(4, 6, 3, groups=2, bias=False, stride=2), (2, 4, 5, 6)),
        ("nn.Linear", torch.nn.Linear(5, 7, bias=False), (2, 3, 5)),
    ],
)
def test_products_with_weights_are_counted_as_pytorch_counts_them(
    kind: str, module: torch.nn.Module, shape: tuple[int, ...]
) -> None:
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        y = module(torch.randn(shape))
    work = Work(kind, (shape,), (tuple(y.shape),), named={"weight": tuple(module.weight.shape)})
    assert flops(work) == counter.get_total_flops()


@pytest.mark.parametrize("shapes", [((2, 3, 4), (2, 4, 5)), ((3, 4), (4, 5))])
def test_matrix_products_are_counted_as_pytorch_counts_them(shapes: tuple[tuple[int, ...], ...]) -> None:
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        y = torch.matmul(*(torch.randn(shape) for shape in shapes))
    assert flops(Work("torch.matmul", shapes, (tuple(y.shape),))) == counter.get_total_flops()
