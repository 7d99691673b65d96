"""Reshaping: a view where the input's strides allow it, else one cache-friendly copy."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.calls import Call, Stage, blocks, copy
from kuiper.fast.kernels.base.kernel import ImageLayout, Kernel, Step, lowers
from kuiper.fast.kernels.base.samples import always, by_element
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.layers.arrays import shape

SHORT = 8
"""Axes of fewer elements get one call per element: they are too short for numpy's inner loop."""
LINE, LINES, WAYS = 64, 64, 8
"""The first-level cache: bytes of a line, number of sets, lines of a set."""


class ReshapeKernel(Kernel):
    """(any shape) -> `shape`, elements in row-major order.

    Where only channels are split or merged, (N, C, H, W) -> (N, a, b, H, W) or back, an image stays channel-last.
    """

    label = "Reshape"
    by_sample = by_element

    def __init__(self, old: tuple[int, ...], new: tuple[int, ...]) -> None:
        self.shape = new
        planes = len(old) > 3 and len(new) == 4 and (old[0], *old[-2:]) == (new[0], *new[-2:])
        self.output_layout: ImageLayout = "nhwc" if planes else "nchw"

    def view(self, array: np.ndarray) -> np.ndarray | None:
        """The array as the output, in the same memory; None where it would have to be copied."""
        return reshaped(array, self.shape)

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """One copy; two where neither array can be viewed in the other's shape."""
        return reshaping_copies(inputs[0].array, outputs[0].array, space)


class Shuffle(Kernel):
    """(N, g*k, ...) -> (N, k*g, ...): takes one channel from each of g groups in turn."""

    output_layout = "nhwc"
    by_sample = always

    def __init__(self, groups: int) -> None:
        self.groups = groups

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """One copy between views with the groups apart."""
        source, target = inputs[0].array, outputs[0].array
        n, channels, *rest = source.shape
        grouped = source.reshape(n, self.groups, channels // self.groups, *rest)
        dealt = reshaped(target, (n, channels // self.groups, self.groups, *rest))
        assert dealt is not None  # an axis can always be split
        return [transposing_copies(grouped.swapaxes(1, 2), dealt, space)]


@lowers(shape.Reshape, shape.ReshapeAs, shape.Flatten)
def reshape(step: Step) -> ReshapeKernel | None:
    """(any shape) -> the output's shape."""
    given, result = step.inputs[0], step.outputs[0]
    if given.shape is None or result.shape is None or given.dtype != result.dtype:
        return None
    return ReshapeKernel(given.shape, result.shape)


@lowers(shape.ChannelShuffle)
def channel_shuffle(step: Step) -> Shuffle | None:
    """(N, g*k, ...) -> (N, k*g, ...)."""
    given = step.inputs[0].shape
    return None if given is None or len(given) < 2 or 0 in given else Shuffle(int(step.layer.groups))


def reshaped(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray | None:
    """The same memory as `shape`, in row-major order of the elements; None where numpy would have to copy it.

    >>> x = np.arange(6).reshape(2, 3)
    >>> reshaped(x, (6,)), reshaped(x.T, (6,))
    (array([0, 1, 2, 3, 4, 5]), None)
    """
    view = array.reshape(shape)
    return view if np.may_share_memory(view, array) else None


def reshaping_copies(source: np.ndarray, target: np.ndarray, space: Workspace) -> list[Stage]:
    """target = source.reshape(target.shape)."""
    if source.size == 0:
        return []
    as_source = reshaped(target, source.shape)
    if as_source is not None:
        return [transposing_copies(source, as_source, space)]
    as_target = reshaped(source, target.shape)
    if as_target is not None:
        return [transposing_copies(as_target, target, space)]
    rows = space.shared(source.shape, source.dtype.type)
    return [transposing_copies(source, rows, space), transposing_copies(rows.reshape(target.shape), target, space)]


def transposing_copies(source: np.ndarray, target: np.ndarray, space: Workspace) -> Stage:
    """target[...] = source, both of one shape with any strides, on as many threads as it is worth."""
    source, target = source[...], target[...]
    threads = space.threads_for(source.size * 0.8)
    return [_copies(source[part], target[part]) for part in blocks(source.shape, threads)]


def _copies(source: np.ndarray, target: np.ndarray) -> list[Call]:
    """The calls of one thread. numpy's inner loop runs along the target; the source's cache lines should survive it.

    An axis that is contiguous in the target but not in the source is therefore cut into pieces whose source lines fit
    into the first-level cache. Strides that are powers of two use few of its sets.
    """
    if source.size == 0:
        return []
    source, target = _merged(source, target)
    axis = _innermost(target)
    if axis is None or axis == _innermost(source):
        return [copy(source, target)]
    extent, stride = source.shape[axis], abs(source.strides[axis])
    sets = LINES // math.gcd(LINES, stride // LINE) if stride % LINE == 0 else LINES
    step = 1 if extent < SHORT else max(1, sets * WAYS)
    cuts = [(slice(None),) * axis + (slice(start, start + step),) for start in range(0, extent, step)]
    return [copy(source[cut], target[cut]) for cut in cuts]


def _merged(source: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both with axes merged that are contiguous in both, such as H and W of images without a halo."""
    for axis in range(source.ndim - 2, -1, -1):
        if _follow(source, axis) and _follow(target, axis):
            shape = (*source.shape[:axis], source.shape[axis] * source.shape[axis + 1], *source.shape[axis + 2 :])
            source, target = source.reshape(shape), target.reshape(shape)
    return source, target


def _follow(array: np.ndarray, axis: int) -> bool:
    """Whether `axis` and the next one can be merged without a copy."""
    count, following = array.shape[axis : axis + 2]
    return 1 in (count, following) or array.strides[axis] == array.strides[axis + 1] * following


def _innermost(array: np.ndarray) -> int | None:
    """The axis with the smallest stride; None for a single element."""
    axes = [axis for axis, extent in enumerate(array.shape) if extent > 1]
    return min(axes, key=lambda axis: abs(array.strides[axis]), default=None)
