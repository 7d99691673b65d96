"""Chains of convolutions, a depthwise one between dense ones, as one kernel; and when that pays.

An inverted residual is such a chain: a 1x1 convolution widens an image sixfold, a depthwise one filters it, another 1x1
makes it narrow again. What lies between them is larger than all else in the network, and is read only once: computed
some rows at a time it never leaves the second-level cache (`bands.py` writes that code). Where squeeze and excitation
stand before the last one, which need the whole image's mean, the chain ends with the depthwise convolution.
Source: M. Sandler et al., MobileNetV2: Inverted residuals and linear bottlenecks, https://arxiv.org/abs/1801.04381.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from kuiper.compiled.kernels.registry import epilogue_compiles
from kuiper.compiled.kernels.winograd import pays as winograd_pays
from kuiper.compiled.target import Target
from kuiper.fast.kernels.base.buffer import Buffer, Halo
from kuiper.fast.kernels.base.calls import Stage
from kuiper.fast.kernels.base.kernel import Kernel, Step
from kuiper.fast.kernels.base.samples import always
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.conv.convolution import Convolution, Problem
from kuiper.fast.plan.plan import Draft


class Chain(Kernel):
    """Convolutions one after the other, the first or the second of them depthwise.

    inputs : the first one's, and the last one's residual if it adds one.
    wide : the dense convolution before the depthwise one, or None; narrow : the 1x1 behind it, or None.
    bands : how its rows are divided.
    """

    output_layout = "nhwc"
    by_sample = always

    def __init__(
        self, wide: Convolution | None, depthwise: Convolution, narrow: Convolution | None, bands: Bands
    ) -> None:
        self.wide, self.depthwise, self.narrow, self.bands = wide, depthwise, narrow, bands

    @property
    def convolutions(self) -> list[Convolution]:
        """Those that there are, in order."""
        return [each for each in (self.wide, self.depthwise, self.narrow) if each is not None]

    def halo(self, slot: int) -> Halo | None:
        """As the first one's."""
        return self.convolutions[0].halo(slot) if slot == 0 else None

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """The convolutions one by one, each by an algorithm that can compute it."""
        stages: list[Stage] = []
        x, *rest = inputs
        *before, last = self.convolutions
        for each in before:
            problem = each.problem
            between = space.shared((problem.batch, *problem.out_size, problem.out_channels))
            y = Buffer(between.transpose(0, 3, 1, 2))
            stages += each.candidates()[0].bind([x], [y], space)
            x = y
        return stages + last.candidates()[0].bind([x, *rest], outputs, space)


@dataclass(frozen=True)
class Bands:
    """How a chain's rows are divided.

    rows : of the chain's output that are computed together, a band.
    strips : of an image, each some bands one below the other, which one thread goes down. It keeps the rows of the wide
        image that the next band needs too; at the start of a strip they are computed once more.
    """

    rows: int
    strips: int


# When it pays. All there is to it stands here; sizes are bytes.

LEAST_OF_CACHE = 1 / 4
"""Of the second-level cache: where a thread's share of what lies between two convolutions is larger, it has left the
caches nearest to the core, and in part this one, before it is read. Measured on one processor, with 1 MiB: chains gain
from there on, smaller ones do not."""
MOST_OF_CACHE = 3 / 4
"""Of the second-level cache, for what a thread needs of a band and for the weights, which it reads for each band."""
MOST_AGAIN = 1 / 12
"""Of the rows of the wide image that are computed twice, where strips begin."""
STRIPS_EACH = 2
"""Strips for each thread, if that is not too many: threads that are held up leave theirs to the others."""


def bands_of(
    wide: Problem | None, depthwise: Problem, narrow: Problem | None, target: Target, threads: int
) -> Bands | None:
    """How to divide the rows of a chain; None where its convolutions are as fast one by one.

    They are where all that lies between them stays near the core anyway: a thread writes its share of it, then reads
    it. Nor do bands pay whose rows, with the weights, have no room in the cache, nor short strips.
    """
    between = [problem for problem in (wide, depthwise if narrow else None) if problem is not None]
    if max(_output_bytes(problem) for problem in between) <= LEAST_OF_CACHE * target.level2 * threads:
        return None
    strips = _strips(wide, depthwise, threads)
    height = depthwise.out_size[0]
    tile, _ = target.tile(2)
    rows = min(height, -(-tile // depthwise.out_size[1]))
    if strips is None or _band_bytes(wide, depthwise, narrow, rows) > MOST_OF_CACHE * target.level2:
        return None
    return Bands(rows, strips)


def _output_bytes(problem: Problem) -> int:
    return 4 * problem.batch * problem.out_channels * prod(problem.out_size)


def _strips(wide: Problem | None, depthwise: Problem, threads: int) -> int | None:
    """Strips of an image; None where a strip for each thread means too many rows that are computed twice."""
    if threads == 1:
        return 1
    for each in range(STRIPS_EACH, 0, -1):
        strips = -(-threads * each // depthwise.batch)
        again = 0 if wide is None else (strips - 1) * kept_rows(depthwise)
        if strips <= depthwise.out_size[0] and again <= MOST_AGAIN * depthwise.size[0]:
            return strips
    return None


def _band_bytes(wide: Problem | None, depthwise: Problem, narrow: Problem | None, rows: int) -> int:
    weights = sum(each.weight.nbytes for each in (wide, depthwise, narrow) if each is not None)
    (height, width), channels = ring_size(depthwise, rows), depthwise.channels
    ring = height * width * channels if wide else 0
    band = rows * depthwise.out_size[1] * channels if narrow else 0
    return 4 * (ring + band) + weights


def seen_rows(depthwise: Problem) -> int:
    """Rows from the first to the last that a window sees."""
    return (depthwise.kernel[0] - 1) * depthwise.dilation[0] + 1


def kept_rows(depthwise: Problem) -> int:
    """Rows that the windows of one output row share with those of the next."""
    return seen_rows(depthwise) - depthwise.stride[0]


def ring_size(depthwise: Problem, rows: int) -> tuple[int, int]:
    """(rows, pixels) of the wide image, with its halo, that so many output rows see."""
    pads = depthwise.pads
    return (rows - 1) * depthwise.stride[0] + seen_rows(depthwise), pads.left + depthwise.size[1] + pads.right


# Which steps are such a chain.


def in_chains(draft: Draft, target: Target, threads: int) -> Draft:
    """The draft, with the convolutions of each chain as one step where that pays."""
    used = Counter(name for step in draft.steps for name in step.reads) + Counter(draft.returned)
    made_by = {name: step for step in draft.steps for name in step.writes}
    read_by = {step.reads[0]: step for step in draft.steps if step.reads and used[step.reads[0]] == 1}
    made: dict[int, Step] = {}
    gone: set[int] = set()
    for step in draft.steps:
        found = _chain(step, made_by, read_by, target, threads)
        if found is not None and not any(id(each) in gone for each in found[0]):
            steps, kernel = found
            made[id(steps[-1])] = _joined(steps, kernel)
            gone |= set(map(id, steps))
    steps = [made.get(id(step), step) for step in draft.steps if id(step) not in gone or id(step) in made]
    return replace(draft, steps=steps)


def _chain(
    step: Step, made_by: Mapping[str, Step], read_by: Mapping[str, Step], target: Target, threads: int
) -> tuple[list[Step], Chain] | None:
    """The longest chain around a depthwise step for which one kernel pays, and that kernel."""
    depthwise = _convolution(step)
    if depthwise is None or not _is_depthwise(depthwise.problem):
        return None
    before = made_by.get(step.reads[0]) if read_by.get(step.reads[0]) is step else None
    after = read_by.get(step.writes[0])
    wide, narrow = _convolution(before), _convolution(after)
    if wide is not None and (wide.epilogue.residual or not _may_be_wide(wide.problem, depthwise.problem)):
        before = wide = None
    if narrow is not None and (depthwise.epilogue.residual or not _may_be_narrow(narrow.problem)):
        after = narrow = None
    for ends in ((wide, narrow), (wide, None), (None, narrow)):
        first, last = (None if end is None else end.problem for end in ends)
        if first is None and last is None:
            continue
        bands = bands_of(first, depthwise.problem, last, target, threads)
        if bands is not None:
            steps = [before if ends[0] else None, step, after if ends[1] else None]
            return [each for each in steps if each is not None], Chain(ends[0], depthwise, ends[1], bands)
    return None


def _convolution(step: Step | None) -> Convolution | None:
    """The step's kernel, if it is a convolution and there is code for what follows it."""
    kernel = step.kernel if step is not None else None
    return kernel if isinstance(kernel, Convolution) and epilogue_compiles(kernel.epilogue) else None


def _is_depthwise(problem: Problem) -> bool:
    return problem.groups == problem.channels == problem.out_channels > 1


def _may_be_wide(problem: Problem, depthwise: Problem) -> bool:
    """Whether it is dense and computed directly, and all its rows are seen."""
    return problem.groups == 1 and not winograd_pays(problem) and kept_rows(depthwise) >= 0


def _may_be_narrow(problem: Problem) -> bool:
    """Whether it is dense, and needs a pixel at a time."""
    one = problem.kernel == problem.stride == (1, 1) and not any(problem.pads)
    return one and problem.groups == 1


def _joined(steps: Sequence[Step], kernel: Chain) -> Step:
    first, last = steps[0], steps[-1]
    operators = [op for step in steps for op in step.operators]
    inputs, reads = [first.inputs[0], *last.inputs[1:]], [first.reads[0], *last.reads[1:]]
    step = Step(operators, inputs, last.outputs, reads, last.writes)
    step.kernel = kernel
    return step
