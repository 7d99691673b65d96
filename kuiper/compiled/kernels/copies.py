"""Copies, and images with the halo that a convolution reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kuiper.compiled.builder import I64, Value, VectorBuilder, i64
from kuiper.compiled.kernels.lines import each_vector, emit_lines
from kuiper.compiled.kernels.pointwise import Strided, emit_pointwise
from kuiper.compiled.kernels.registry import emits
from kuiper.compiled.parts import LARGE, Location, Module
from kuiper.fast.kernels.base.buffer import Buffer, Halo
from kuiper.fast.kernels.base.kernel import Join, Step, View
from kuiper.fast.kernels.move.reshape import ReshapeKernel, Shuffle, reshaped
from kuiper.fast.plan.plan import Draft

LONG = 16
"""Steps between a view and what joins it from which it is copied at once."""
LEAST = 8
"""Elements of an axis from which turning blocks in registers pays."""


@dataclass(frozen=True)
class StoredImage:
    """An image in one of the memories, (N, H, W, C): where it begins, its shape, and bytes along its axes."""

    place: Location
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def halo_image(module: Module, buffer: Buffer, halo: Halo) -> StoredImage:
    """The image channel-last with exactly this border of zeros: where it lies, or a copy in scratch memory."""
    lying = buffer.around(halo)
    if lying is not None and lying.strides[-1] == 4:
        return StoredImage(module.place(lying), lying.shape, lying.strides)
    n, c, h, w = buffer.array.shape
    shape = n, halo.up + h + halo.bottom, halo.left + w + halo.right, c
    strides = tuple(4 * int(np.prod(shape[axis + 1 :])) for axis in range(4))
    place = module.shared(int(np.prod(shape)))
    for offset, part in _borders(shape, strides, halo):
        module.fill_at(place.after(offset), part, strides)
    inside = halo.up * strides[1] + halo.left * strides[2]
    image = buffer.nhwc
    emit_strided_copy(module, (place.after(inside), strides), (module.place(image), image.strides), image.shape)
    return StoredImage(place, shape, strides)


def emit_copy(module: Module, source: np.ndarray, target: np.ndarray) -> None:
    """target[...] = source, both of one shape with any strides."""
    there, here = (module.place(target), target.strides), (module.place(source), source.strides)
    emit_strided_copy(module, there, here, target.shape)


def emit_strided_copy(
    module: Module, target: Strided, source: Strided, shape: Sequence[int], wanted: Strided | None = None
) -> None:
    """The same of arrays that are known by their places and strides.

    wanted : i64s, of which the two axes that change places have no strides: where one is 0 need not be copied.
    """
    across = crossed(shape, target[1], source[1])
    if across is None:
        emit_pointwise(module, target, [source], shape, lambda b, x: x, "copy")
    else:
        _emit_transposing(module, target, source, shape, *across, wanted)


def crossed(shape: Sequence[int], target: Sequence[int], source: Sequence[int]) -> tuple[int, int] | None:
    """The axis along which the target is contiguous, and that of the source, where these differ and are long."""
    axes = [i for i, extent in enumerate(shape) if extent >= LEAST]
    along = [next((i for i in axes if steps[i] == 4), None) for steps in (target, source)]
    if along[0] is None or along[1] is None or along[0] == along[1]:
        return None
    return along[0], along[1]


def _emit_transposing(
    module: Module, target: Strided, source: Strided, shape: Sequence[int], across: int, down: int,
    wanted: Strided | None,
) -> None:  # fmt: skip
    """Square blocks: vectors along `down` are read, turned in registers, and written along `across`."""
    lanes = module.target.lanes
    (_, to), (_, of) = target, source
    others = [i for i in range(len(shape)) if i not in (across, down)]
    wide, tall = shape[across], shape[down]
    strips = -(-tall // lanes)

    def build(count: int) -> Callable[..., None]:
        def strip(b: VectorBuilder, y: Value, x: Value) -> None:
            """`count` rows of the target."""

            def block(at: Value, width: int) -> None:
                j = b.udiv(at, i64(4))
                rows = [b.read(b.at(x, b.times(j, of[across]), i * of[across]), count) for i in range(width)]
                turned = b.transposed([*rows, *[b.splat(0)] * (lanes - width)])
                for i in range(count):
                    b.write(turned[i], b.at(y, at, i * to[down]), width)

            each_vector(b, wide, block)

        return strip

    key = "transpose", wide, of[across], to[down]

    def line(b: VectorBuilder, at: list[Value]) -> None:
        y, x, *asked, number = at
        rest = tall - (strips - 1) * lanes

        def strip(count: int) -> None:
            moved = [b.at(y, b.mul(number, i64(lanes * to[down]))), b.at(x, b.mul(number, i64(4 * lanes)))]
            b.call(module.shared_function((*key, count), 2, 0, build(count)), moved)

        def copy_strip() -> None:
            last = rest != lanes and b.icmp_signed("==", number, i64(strips - 1))
            b.either(last, lambda: strip(rest), lambda: strip(lanes))

        if not asked:
            copy_strip()
            return
        with b.if_then(b.icmp_signed("!=", b.load(asked[0], typ=I64, align=8), i64(0))):
            copy_strip()

    moved = [target, source, *([wanted] if wanted else [])]
    emit_lines(module, [place for place, _ in moved], [shape[i] for i in others],
               [[strides[i] for i in others] for _, strides in moved], line, strips,
               (*key, tall, to[down], of[across]))  # fmt: skip


def joined_early(draft: Draft) -> Draft:
    """The draft, with views that are joined long after they are made copied to their places at once.

    What they are views of need not stay until then: a language model's values of all blocks are joined at its end.
    """
    made_at = {name: number for number, step in enumerate(draft.steps) for name in step.writes}
    copies: dict[int, list[Step]] = {}
    specs = dict(draft.specs)
    steps = list(draft.steps)
    for number, step in enumerate(draft.steps):
        if not isinstance(step.kernel, Join) or step.outputs[0].bytes < LARGE or len(set(step.reads)) < len(step.reads):
            continue
        reads = list(step.reads)
        for slot, name in enumerate(step.reads):
            at = made_at.get(name, number)
            if number - at < LONG or not _is_view(draft.steps[at]) or not _is_made(name, draft.steps, made_at):
                continue
            reads[slot], spec = f"{name} in {step.writes[0]}", step.inputs[slot]
            copy = Step(step.operators, [spec], [spec], [name], [reads[slot]])
            copy.kernel, specs[reads[slot]] = Join(0), spec
            copies.setdefault(at, []).append(copy)
        if reads != step.reads:
            steps[number] = Step(step.operators, step.inputs, step.outputs, reads, step.writes, step.packs)
            steps[number].kernel = step.kernel
    if not copies:
        return draft
    steps = [each for number, step in enumerate(steps) for each in (step, *copies.get(number, ()))]
    return replace(draft, steps=steps, specs=specs)


def _is_view(step: Step) -> bool:
    return isinstance(step.kernel, (View, ReshapeKernel))


def _is_made(name: str, steps: Sequence[Step], made_at: Mapping[str, int]) -> bool:
    """Whether it is a view of what a step makes, and not of an input, which stays anyway."""
    while name in made_at and _is_view(steps[made_at[name]]):
        name = steps[made_at[name]].reads[0]
    return name in made_at


@emits(Join)
def join(module: Module, kernel: Join, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """Copies of those inputs that do not lie in the output already."""
    for buffer, index in zip(inputs, kernel.parts(each.array.shape for each in inputs)):
        part = outputs[0].array[index]
        if part.__array_interface__["data"] != buffer.array.__array_interface__["data"]:
            emit_copy(module, buffer.array, part)
    return True


@emits(ReshapeKernel)
def reshape(module: Module, kernel: ReshapeKernel, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """One copy, where one of the arrays can be seen in the other's shape."""
    source, target = inputs[0].array, outputs[0].array
    as_source, as_target = reshaped(target, source.shape), reshaped(source, target.shape)
    if as_source is not None:
        emit_copy(module, source, as_source)
    elif as_target is not None:
        emit_copy(module, as_target, target)
    else:
        return False
    return True


@emits(Shuffle)
def shuffle(module: Module, kernel: Shuffle, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> bool:
    """A copy between views with the groups apart."""
    source, target = inputs[0].array, outputs[0].array
    n, channels, *rest = source.shape
    dealt = reshaped(target, (n, channels // kernel.groups, kernel.groups, *rest))
    grouped = reshaped(source, (n, kernel.groups, channels // kernel.groups, *rest))
    if dealt is None or grouped is None:
        return False
    emit_copy(module, grouped.swapaxes(1, 2), dealt)
    return True


def _borders(shape: Sequence[int], strides: Sequence[int], halo: Halo) -> list[tuple[int, tuple[int, ...]]]:
    """(offset, shape) of the parts of an image with halo that are halo."""
    n, height, width, channels = shape
    middle = height - halo.up - halo.bottom
    parts = [
        (0, (n, halo.up, width, channels)),
        ((height - halo.bottom) * strides[1], (n, halo.bottom, width, channels)),
        (halo.up * strides[1], (n, middle, halo.left, channels)),
        (halo.up * strides[1] + (width - halo.right) * strides[2], (n, middle, halo.right, channels)),
    ]
    return [(offset, part) for offset, part in parts if 0 not in part]
