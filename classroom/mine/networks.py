"""Small random networks, made of the operators that a framework of one's own has to know.

They are written line by line as PNNX writes its files: no two are alike, and none is stored anywhere.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from classroom.fixed_zip import zipped

MAGIC = "7767517"
SUFFIXES = (".pnnx.param", ".pnnx.bin")
LETTERS = "bcdfghjklmnpqrstvwxz"
"""Of random names: three of them make no word."""
Pair = tuple[int, int]
"""Rows and columns."""


@dataclass(frozen=True)
class Network:
    """A network: the content of its .pnnx.param file, "operator.attribute" -> weight, and the sizes of its input."""

    text: str
    weights: dict[str, np.ndarray]
    sizes: tuple[int, ...]

    def batch(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """(count, *sizes) of random numbers."""
        return rng.normal(size=(count, *self.sizes)).astype(np.float32)

    def save(self, folder: Path, name: str) -> Path:
        """Write NAME.pnnx.param and NAME.pnnx.bin -> the path of the first."""
        param, weights = (folder / f"{name}{suffix}" for suffix in SUFFIXES)
        param.write_text(self.text, encoding="utf-8", newline="\n")
        weights.write_bytes(zipped({key: array.tobytes() for key, array in self.weights.items()}, zipfile.ZIP_STORED))
        return param


@dataclass(frozen=True)
class Image:
    """An operand that holds images: its name, and its shape without the batch."""

    name: str
    channels: int
    rows: int
    cols: int


def shuffled(text: str, rng: np.random.Generator) -> str:
    """The same network, its operators in another order."""
    head, lines = text.splitlines()[:2], text.splitlines()[2:]
    return "\n".join([*head, *(lines[i] for i in rng.permutation(len(lines)))]) + "\n"


def renamed(network: Network, rng: np.random.Generator) -> Network:
    """The same network under names that say nothing: random letters for its operators and for its operands."""
    head, lines = network.text.splitlines()[:2], [line.split(" ") for line in network.text.splitlines()[2:]]
    ends = {line[1]: slice(4, 4 + int(line[2]) + int(line[3])) for line in lines}
    operands = sorted({operand for line in lines for operand in line[ends[line[1]]]})
    names = ["".join(LETTERS[digit] for digit in digits) for digits in np.ndindex(*[len(LETTERS)] * 3)]
    drawn = iter(rng.choice(names, len(lines) + len(operands), replace=False).tolist())
    new = {line[1]: next(drawn) for line in lines}
    new_operands = {operand: next(drawn) for operand in operands}
    for line in lines:
        between = ends[line[1]]
        line[between] = [new_operands[operand] for operand in line[between]]
        line[1] = new[line[1]]
    weights = {}
    for key, array in network.weights.items():
        name, _, attribute = key.rpartition(".")
        weights[f"{new[name]}.{attribute}"] = array
    return Network("\n".join([*head, *map(" ".join, lines)]) + "\n", weights, network.sizes)


class Writer:
    """A network that is being written: each method adds operators and gives what they write."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.weights: dict[str, np.ndarray] = {}
        self.operands = 0
        self.sizes: tuple[int, ...] = ()

    def add(
        self,
        kind: str,
        inputs: Sequence[str],
        options: Mapping[str, Any] = MappingProxyType({}),
        weights: Mapping[str, np.ndarray] = MappingProxyType({}),
        *,
        stem: str = "",
        writes: bool = True,
    ) -> str:
        """Add an operator -> the name of the operand that it writes, "" if it writes none."""
        name = f"{stem or kind.rpartition('.')[2].lower()}_{len(self.lines)}"
        written = [str(self.operands)] * writes
        self.operands += writes
        self.weights.update({f"{name}.{key}": array for key, array in weights.items()})
        texts = [f"{key}={value}".replace(" ", "") for key, value in options.items()]
        texts += [f"@{key}=({','.join(map(str, array.shape))})f32" for key, array in weights.items()]
        ends = [str(len(inputs)), str(len(written)), *inputs, *written]
        self.lines.append(" ".join([kind, name, *ends, *texts]))
        return "".join(written)

    def random(self, *shape: int) -> np.ndarray:
        """Weights of a size at which values neither vanish nor explode."""
        return self.rng.normal(0, 1 / np.sqrt(np.prod(shape[1:])), shape).astype(np.float32)

    def image(self, channels: int, rows: int, cols: int) -> Image:
        """The network's input."""
        self.sizes = (channels, rows, cols)
        return Image(self.add("pnnx.Input", [], stem="pnnx_input"), channels, rows, cols)

    def conv(
        self,
        x: Image,
        channels: int,
        kernel: Pair = (3, 3),
        stride: Pair = (1, 1),
        padding: Pair = (1, 1),
        groups: int = 1,
        bias: bool = True,
    ) -> Image:
        """A convolution."""
        options = {"bias": bias, "dilation": (1, 1), "groups": groups, "in_channels": x.channels}
        options |= {"kernel_size": kernel, "out_channels": channels, "padding": padding, "padding_mode": "zeros"}
        weights = self.with_bias(self.random(channels, x.channels // groups, *kernel), bias)
        y = self.add("nn.Conv2d", [x.name], {**options, "stride": stride}, weights)
        return Image(y, channels, *windows(x, kernel, stride, padding))

    def max_pool(self, x: Image, kernel: Pair, stride: Pair, padding: Pair) -> Image:
        """The largest number in each window."""
        options = {"ceil_mode": False, "dilation": (1, 1), "kernel_size": kernel, "padding": padding}
        y = self.add("nn.MaxPool2d", [x.name], {**options, "return_indices": False, "stride": stride})
        return Image(y, x.channels, *windows(x, kernel, stride, padding))

    def average(self, x: Image, size: Pair) -> Image:
        """The means of as many windows as `size` says."""
        return Image(self.add("nn.AdaptiveAvgPool2d", [x.name], {"output_size": size}), x.channels, *size)

    def each(self, kind: str, x: Image) -> Image:
        """nn.ReLU or nn.Sigmoid."""
        return replace(x, name=self.add(kind, [x.name]))

    def expression(self, text: str, *inputs: Image) -> Image:
        """An expression whose value has the shape of @0."""
        y = self.add("pnnx.Expression", [one.name for one in inputs], {"expr": text}, stem="pnnx_expr")
        return replace(inputs[0], name=y)

    def linear(self, x: Image, classes: int, bias: bool = True) -> str:
        """Each image flattened, and a linear layer."""
        return self.dense(self.flat(x), x.channels * x.rows * x.cols, classes, bias)

    def flat(self, x: Image) -> str:
        """Each image as a row."""
        return self.add("torch.flatten", [x.name], {"end_dim": -1, "start_dim": 1})

    def dense(self, x: str, features: int, classes: int, bias: bool = True) -> str:
        """A linear layer over rows of `features` numbers."""
        weights = self.with_bias(self.random(classes, features), bias)
        options = {"bias": bias, "in_features": features, "out_features": classes}
        return self.add("nn.Linear", [x], options, weights)

    def with_bias(self, weight: np.ndarray, bias: bool) -> dict[str, np.ndarray]:
        """The weights of a layer; without `bias` there is only one."""
        weights = {"weight": weight}
        if bias:
            weights["bias"] = self.rng.normal(size=len(weight)).astype(np.float32)
        return weights

    def network(self, output: str) -> Network:
        """The network that ends in this operand."""
        self.add("pnnx.Output", [output], stem="pnnx_output", writes=False)
        text = "\n".join([MAGIC, f"{len(self.lines)} {self.operands}", *self.lines]) + "\n"
        return Network(text, dict(self.weights), self.sizes)


def windows(x: Image, kernel: Pair, stride: Pair, padding: Pair) -> tuple[int, int]:
    """How many windows there are from top to bottom, and from left to right."""
    rows, cols = ((n + 2 * p - k) // s + 1 for n, k, s, p in zip((x.rows, x.cols), kernel, stride, padding))
    return rows, cols


def strided(write: Writer, x: Image) -> Image:
    """A convolution with random options, and a ReLU."""
    stride = (int(write.rng.integers(1, 3)), int(write.rng.integers(1, 3)))
    padding = (int(write.rng.integers(1, 3)), int(write.rng.integers(1, 3)))
    y = write.conv(x, 6, (3, 2), stride, padding, bias=bool(write.rng.integers(2)))
    return write.each("nn.ReLU", y)


def residual(write: Writer, x: Image) -> Image:
    """Two convolutions and a short cut around them, as in ResNet."""
    y = write.each("nn.ReLU", write.conv(x, x.channels))
    return write.expression("add(@0,@1)", write.conv(y, x.channels), x)


def gate(write: Writer, x: Image) -> Image:
    """Each channel times a number from 0 to 1 that its mean decides on."""
    narrow = write.each("nn.ReLU", write.conv(write.average(x, (1, 1)), 2, (1, 1), padding=(0, 0)))
    factors = write.each("nn.Sigmoid", write.conv(narrow, x.channels, (1, 1), padding=(0, 0)))
    return write.expression("add(mul(@0,@1),@0)", x, factors)


def by_channel(write: Writer, x: Image) -> Image:
    """Each channel convolved by itself, minus a quarter of it."""
    y = write.conv(x, x.channels, groups=x.channels, bias=False)
    return write.expression("sub(@0,div(@1,4))", y, x)


def wave(write: Writer, x: Image) -> Image:
    """A sine of twice the number, and a constant."""
    return write.expression("add(sin(mul(@0,2)),0.5)", x)


def square(write: Writer, x: Image) -> Image:
    """An operand that is read in two slots."""
    return write.expression("mul(@0,sub(1,@1))", x, x)


def pooled(write: Writer, x: Image) -> Image:
    """The largest number in windows that overlap."""
    return write.max_pool(x, (3, 2), (2, 1), (1, 0))


def averaged(write: Writer, x: Image) -> Image:
    """The means of three by two windows, between -3 and 3."""
    means = write.expression("mul(@0,5)", write.average(x, (3, 2)))
    return write.expression("mul(sub(@0,0.5),6)", write.each("nn.Sigmoid", means))


def halves(write: Writer, x: Image) -> Image:
    """What nn.ReLU makes of it, minus half of what it was: an operand that is read again after a ReLU."""
    return write.expression("sub(@0,div(@1,2))", write.each("nn.ReLU", x), x)


BLOCKS = (strided, residual, gate, by_channel, wave, square, pooled, averaged, halves)


def random_network(rng: np.random.Generator, blocks: int = 4) -> Network:
    """A classifier of `blocks` random blocks, with the operators of models/digits and sin, and with random names."""
    write = Writer(rng)
    x = write.image(int(rng.integers(1, 4)), int(rng.integers(6, 9)), int(rng.integers(6, 9)))
    for choice in rng.choice(len(BLOCKS), blocks, replace=False):
        x = BLOCKS[choice](write, x)
    return renamed(write.network(write.linear(x, int(rng.integers(2, 6)), bias=bool(rng.integers(2)))), rng)
