"""Leftovers: operators that PNNX knows no name for and leaves as it found them in PyTorch's own graph.

There every option is an input, without a name, in the order of PyTorch's core function. The table gives that order, and
the layer that computes the operator.
Source: https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/native_functions.yaml
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kuiper.layers.arrays import creation, diagonals, indexing, joining, random, rearranging, scatter, shape, slicing
from kuiper.layers.elementwise import conversion
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry


def _split_along(dim: int) -> Callable[..., Any]:
    """A function (x, a number of parts or a list of places) -> the parts of x along `dim`."""

    def split(x: np.ndarray, at: Any) -> Any:
        how: dict[str, Any] = {"indices": at} if isinstance(at, (list, tuple)) else {"sections": at}
        return joining.TensorSplit(**how, dim=dim).forward(x)

    return split


def _nonzero_by_dimension(x: np.ndarray) -> list[np.ndarray]:
    """(a, b, ...) -> for each dimension, (k): the indices of the k elements that are not zero."""
    return list(np.nonzero(np.atleast_1d(x)))


NEW = "dtype _ _ _"
"""How PyTorch's functions that create an array end: element type, layout, device, pinned memory."""

TABLE: dict[str, tuple[Any, ...]] = {
    "aten::arange": (creation.Arange, f"end {NEW}", f"start end {NEW}", f"start end step {NEW}"),
    "aten::argwhere": (indexing.Nonzero, "x"),
    "aten::as_strided": (slicing.AsStrided, "x size stride storage_offset"),
    "aten::atleast_1d": (np.atleast_1d, "x"),
    "aten::atleast_2d": (np.atleast_2d, "x"),
    "aten::atleast_3d": (np.atleast_3d, "x"),
    "aten::bernoulli": (random.Bernoulli, "x _"),
    "aten::broadcast_tensors": (joining.BroadcastTensors, "x"),
    "aten::broadcast_to": (shape.Expand, "x sizes"),
    "aten::column_stack": (joining.ColumnStack, "x"),
    "aten::contiguous": (conversion.Clone, "x _"),
    "aten::copy": (conversion.Copy, "x x _"),
    "aten::detach": (conversion.Clone, "x"),
    "aten::diag_embed": (diagonals.DiagEmbed, "x offset dim1 dim2"),
    "aten::diagonal": (diagonals.Diagonal, "x offset dim1 dim2"),
    "aten::dim": (np.ndim, "x"),
    "aten::dsplit": (_split_along(2), "x at"),
    "aten::dstack": (joining.Dstack, "x"),
    "aten::empty": (creation.Zeros, f"size {NEW} _"),
    "aten::empty_like": (creation.ZerosLike, f"x {NEW} _"),
    "aten::eye": (creation.Eye, f"n {NEW}", f"n m {NEW}"),
    "aten::fill": (creation.FullLike, "x value"),
    "aten::fliplr": (lambda x: np.flip(x, 1), "x"),
    "aten::flipud": (lambda x: np.flip(x, 0), "x"),
    "aten::full": (creation.Full, f"size fill_value {NEW}"),
    "aten::full_like": (creation.FullLike, f"x fill_value {NEW} _"),
    "aten::gather": (indexing.Gather, "x dim index _"),
    "aten::hsplit": (lambda x, at: _split_along(int(x.ndim > 1))(x, at), "x at"),
    "aten::hstack": (joining.Hstack, "x"),
    "aten::index_add": (scatter.IndexAdd, "x dim index source alpha"),
    "aten::index_copy": (scatter.IndexCopy, "x dim index source"),
    "aten::index_fill": (scatter.IndexFill, "x dim index value"),
    "aten::linspace": (creation.Linspace, f"start end steps {NEW}"),
    "aten::logspace": (creation.Logspace, f"start end steps base {NEW}"),
    "aten::mT": (lambda x: x.swapaxes(-1, -2), "x"),
    "aten::mH": (lambda x: x.swapaxes(-1, -2).conj(), "x"),
    "aten::masked_scatter": (scatter.MaskedScatter, "x x x"),
    "aten::meshgrid": (joining.Meshgrid, "x", "x indexing"),
    "aten::movedim": (shape.Movedim, "x source destination"),
    "aten::new_full": (creation.FullLike, f"x size fill_value {NEW}"),
    "aten::nonzero": (indexing.Nonzero, "x"),
    "aten::nonzero_numpy": (_nonzero_by_dimension, "x"),
    "aten::normal": (random.Normal, f"mean std size _ {NEW}"),
    "aten::numel": (np.size, "x"),
    "aten::numpy_T": (np.transpose, "x"),
    "aten::rand": (random.Rand, f"size {NEW}"),
    "aten::rand_like": (random.Rand, f"x {NEW} _"),
    "aten::randint": (random.Randint, f"high size {NEW}", f"low high size {NEW}"),
    "aten::randint_like": (random.Randint, f"x high {NEW} _", f"x low high {NEW} _"),
    "aten::randn": (random.Randn, f"size {NEW}"),
    "aten::randn_like": (random.Randn, f"x {NEW} _"),
    "aten::randperm": (random.Randperm, f"n {NEW}"),
    "aten::ravel": (np.ravel, "x"),
    "aten::repeat_interleave": (rearranging.RepeatIndices, "x output_size"),
    "aten::rot90": (rearranging.Rot90, "x k dims"),
    "aten::scalar_tensor": (creation.ScalarTensor, f"x {NEW}"),
    "aten::scatter": (scatter.Scatter, "x dim index src", "x dim index src reduce"),
    "aten::scatter_reduce": (scatter.Scatter, "x dim index src reduce include_self"),
    "aten::select_scatter": (slicing.SelectScatter, "x x dim index"),
    "aten::take": (indexing.Take, "x index"),
    "aten::take_along_dim": (indexing.TakeAlongDim, "x indices dim"),
    "aten::trace": (diagonals.Trace, "x"),
    "aten::tril": (diagonals.Tril, "x diagonal"),
    "aten::triu": (diagonals.Triu, "x diagonal"),
    "aten::unfold": (rearranging.Unfold, "x dimension size step"),
    "aten::unfold_copy": (rearranging.Unfold, "x dimension size step"),
    "aten::view_as": (shape.ReshapeAs, "x x"),
    "aten::vsplit": (_split_along(0), "x at"),
    "aten::vstack": (joining.Vstack, "x"),
    "aten::where": (_nonzero_by_dimension, "x"),
    "aten::zero": (creation.ZerosLike, "x"),
}
"""Operator type -> its layer, and the order of its inputs."""


def of_function(function: Callable[..., Any]) -> type[Layer]:
    """The layer whose `forward` is the function."""
    return type("Function", (Layer,), {"__doc__": function.__doc__, "forward": lambda self, *xs: function(*xs)})


for _type, (_layer, *_signatures) in TABLE.items():
    if not isinstance(_layer, type):
        _layer, _signatures = of_function(_layer), [" ".join("_" if w == "_" else "x" for w in _signatures[0].split())]
    registry.register(_type, inputs=tuple(_signatures))(_layer)
