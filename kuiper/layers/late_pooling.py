"""Pools whose options the graph computes: F.avg_pool2d(x, x.shape[2:]) of a network exported for any image size.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.avg_pool2d.html
"""

from __future__ import annotations

from functools import partial
from typing import Any

from kuiper.layers.layer import Layer
from kuiper.layers.pooling import AvgPool1d, AvgPool2d, AvgPool3d, MaxPool1d, MaxPool2d, MaxPool3d
from kuiper.layers.registry import registry
from kuiper.runtime.operator import RuntimeOperator


class LatePool(Layer):
    """x, kernel_size, stride, padding, ... -> `pool(kernel_size, stride, padding, ...)` of x, made anew at each call.

    PNNX leaves PyTorch's own operator in the file, whose inputs are x and then all options, in the order of the
    pool's constructor.

    >>> import numpy as np
    >>> LatePool(AvgPool1d).forward(np.array([[1.0, 2, 3, 4]]), [4], None, [0], False, True)
    array([[2.5]])
    """

    def __init__(self, pool: type[Layer], operator: RuntimeOperator | None = None) -> None:
        self.pool = pool
        if operator is not None:
            self.toolbox = operator.toolbox

    def forward(self, x: Any, *options: Any) -> Any:
        """The pool of `x` with these options."""
        layer = self.pool(*options)
        layer.toolbox = self.toolbox
        return layer.forward(x)


for _pool in (AvgPool1d, AvgPool2d, AvgPool3d):
    registry.add(f"aten::avg_pool{_pool.axes}d", partial(LatePool, _pool))
for _largest in (MaxPool1d, MaxPool2d, MaxPool3d):
    registry.add(f"aten::max_pool{_largest.axes}d", partial(LatePool, _largest))
