"""Random numbers: arrays whose elements are drawn anew at each call. Only shape and type can be foreseen.

Source: https://docs.pytorch.org/docs/stable/torch.html#random-sampling
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kuiper.dtypes import as_array
from kuiper.layers.arrays.creation import NEW
from kuiper.layers.arrays.shape import integers
from kuiper.layers.cost import per_output
from kuiper.layers.elementwise.conversion import numpy_type
from kuiper.layers.families import ARITHMETIC
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry

generator = np.random.default_rng()
"""Where the numbers come from: give it a seed, or replace it, to have the same ones again."""


class _Drawn(Layer):
    """size, or an array whose shape is taken -> (size): numbers of one distribution.

    Parameters
    ----------
    size : None takes the shape, and without a dtype the element type too, of the input.
    """

    family = ARITHMETIC
    flops = per_output(1)
    random = True

    def __init__(self, size: Any = None, dtype: Any = None) -> None:
        self.size, self.dtype = size, dtype

    def forward(self, *like: Any) -> np.ndarray:
        """Draw the numbers."""
        shape = np.shape(like[0]) if self.size is None else integers(self.size)
        default = as_array(like[0]).dtype if like else self.default
        return np.asarray(self.draw(shape)).astype(numpy_type(self.dtype, default))

    default: Any = np.float32

    def draw(self, shape: tuple[int, ...]) -> Any:
        """Numbers of the distribution."""
        raise NotImplementedError(f"{type(self).__name__}.draw")


@registry.register("torch.randn", "torch.randn_like")
@registry.register("aten::randn", inputs=(f"size {NEW}",))
@registry.register("aten::randn_like", inputs=(f"x {NEW} _",))
class Randn(_Drawn):
    """size -> (size): the normal distribution with mean 0 and variance 1.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.randn.html
    """

    def draw(self, shape: tuple[int, ...]) -> Any:
        """Draw from the normal distribution."""
        return generator.standard_normal(shape)


@registry.register("torch.rand", "torch.rand_like")
@registry.register("aten::rand", inputs=(f"size {NEW}",))
@registry.register("aten::rand_like", inputs=(f"x {NEW} _",))
class Rand(_Drawn):
    """size -> (size): all numbers from 0 to 1 (without 1) alike.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.rand.html
    """

    def draw(self, shape: tuple[int, ...]) -> Any:
        """Draw from 0 to 1; rounding to float32 must not give 1."""
        return generator.random(shape, np.float32)


@registry.register("torch.normal")
@registry.register("aten::normal", inputs=(f"mean std size _ {NEW}",))
class Normal(_Drawn):
    """size -> (size): the normal distribution with mean `mean` and standard deviation `std`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.normal.html
    """

    flops = per_output(3)  # drawn with mean 0 and variance 1, then scaled and shifted

    def __init__(self, mean: Any = 0.0, std: Any = 1.0, size: Any = None, dtype: Any = None) -> None:
        super().__init__(np.broadcast_shapes(np.shape(mean), np.shape(std)) if size is None else size, dtype)
        self.mean, self.std = mean, std

    def draw(self, shape: tuple[int, ...]) -> Any:
        """Draw from the normal distribution."""
        return generator.normal(self.mean, self.std, shape)


@registry.register("torch.randint", "torch.randint_like")
@registry.register("aten::randint", inputs=(f"high size {NEW}", f"low high size {NEW}"))
@registry.register("aten::randint_like", inputs=(f"x high {NEW} _", f"x low high {NEW} _"))
class Randint(_Drawn):
    """size -> (size): the integers low ... high - 1 alike; int64 unless dtype or the input says otherwise.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.randint.html
    """

    default = np.int64

    def __init__(self, high: Any, low: Any = 0, size: Any = None, dtype: Any = None) -> None:
        super().__init__(size, dtype)
        self.low, self.high = int(low), int(high)

    def draw(self, shape: tuple[int, ...]) -> Any:
        """Draw integers."""
        return generator.integers(self.low, self.high, shape)


@registry.register("torch.randperm")
@registry.register("aten::randperm", inputs=(f"n {NEW}",))
class Randperm(_Drawn):
    """n -> (n): the integers 0 ... n - 1 in any order.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.randperm.html
    """

    default = np.int64

    def __init__(self, n: Any, dtype: Any = None) -> None:
        super().__init__((int(n),), dtype)

    def draw(self, shape: tuple[int, ...]) -> Any:
        """Shuffle the integers."""
        return generator.permutation(shape[0])


@registry.register("torch.bernoulli", "Tensor.bernoulli")
@registry.register("aten::bernoulli", inputs=("x _",))
class Bernoulli(Layer):
    """probabilities (...) -> (...): 1 with the given probability, 0 otherwise.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.bernoulli.html
    """

    family = ARITHMETIC
    flops = per_output(2)  # drawn and compared
    random = True

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Toss the coins."""
        return (generator.random(x.shape) < x).astype(x.dtype)
