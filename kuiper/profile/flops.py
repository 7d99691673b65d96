"""Floating-point operations of one operator, from shapes alone.

Convention: a multiplication and an addition are two operations (2 x MACs); a function such as exp counts as one.
What only moves data counts 0. A type without a rule gives None and is reported as not counted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kuiper.expression import FUNCTIONS

Shape = tuple[int, ...]


class UnknownShapeError(Exception):
    """A shape that the rule needs is not known before the network runs."""


@dataclass(frozen=True)
class Work:
    """What a rule may ask of an operator: its options, and the shapes of what it reads, writes and holds.

    `named` has the shapes of weights, both stored (`@weight=`) and arriving as an input (`$weight=7`).
    """

    type: str
    inputs: tuple[Shape | None, ...] = ()
    outputs: tuple[Shape | None, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    named: Mapping[str, Shape | None] = field(default_factory=dict)

    def input(self, slot: int = 0) -> Shape:
        """Shape of one input. Raises UnknownShapeError."""
        return _known(self.inputs[slot] if -len(self.inputs) <= slot < len(self.inputs) else None)

    @property
    def output(self) -> Shape:
        """Shape of the first output. Raises UnknownShapeError."""
        return _known(self.outputs[0] if self.outputs else None)

    @property
    def weight(self) -> Shape:
        """Shape of the weight, by name or in slot 1. Raises UnknownShapeError."""
        return _known(self.named["weight"]) if "weight" in self.named else self.input(1)


Rule = Callable[[Work], int]


def flops(work: Work) -> int | None:
    """Operations of one forward pass, or None when no rule knows the type. Raises UnknownShapeError.

    >>> flops(Work("nn.Linear", inputs=((1, 32),), outputs=((1, 128),), named={"weight": (128, 32), "bias": (128,)}))
    8320
    """
    if work.type.startswith(("prim::", "pnnx.Input", "pnnx.Output", "pnnx.Attribute")):
        return 0
    rule = RULES.get(plain_name(work.type))
    return None if rule is None else rule(work)


def plain_name(operator_type: str) -> str:
    """The operation behind the many spellings of one type.

    >>> plain_name("nn.AdaptiveAvgPool2d"), plain_name("F.adaptive_avg_pool2d"), plain_name("torch.relu_")
    ('adaptiveavgpool', 'adaptiveavgpool', 'relu')
    """
    name = re.split(r"[.:]", operator_type)[-1].lower().replace("_", "")
    return re.sub(r"[123]d$", "", name)


def convolution(work: Work) -> int:
    """Every output element sums in_channels/groups x kernel products."""
    return math.prod(work.output) * (2 * math.prod(work.weight[1:]) + _has_bias(work))


def convolution_transpose(work: Work) -> int:
    """Every input element is spread over out_channels/groups x kernel outputs."""
    return 2 * math.prod(work.input()) * math.prod(work.weight[1:]) + math.prod(work.output) * _has_bias(work)


def linear(work: Work) -> int:
    """Every output element sums in_features products."""
    return math.prod(work.output) * (2 * work.weight[-1] + _has_bias(work))


def matmul(work: Work) -> int:
    """(..., n, k) @ (..., k, m): every output element sums k products; addmm and baddbmm add a third array."""
    first = work.input(-2)
    return math.prod(work.output) * (2 * first[-1] + (len(work.inputs) == 3))


def einsum(work: Work) -> int:
    """One multiplication per operand but the first, and one addition, for every combination of the indices."""
    extents: dict[str, int] = {}
    terms = str(work.params.get("equation", "")).replace(" ", "").split("->")[0].split(",")
    for slot, term in enumerate(terms):
        shape = work.input(slot)
        before, _, after = term.partition("...")
        middle = len(shape) - len(before) - len(after)
        labels = [*before, *(f"...{middle - i}" for i in range(middle)), *after]
        for label, extent in zip(labels, shape):
            extents[label] = max(extents.get(label, 1), extent)
    return len(terms) * math.prod(extents.values())


def attention(work: Work) -> int:
    """Softmax(q k^T / sqrt(e)) v with q (...,l,e), k (...,s,e), v (...,s,d)."""
    query, key, value = work.input(0), work.input(1), work.input(2)
    scores = math.prod(query[:-1]) * key[-2]
    return scores * (2 * query[-1] + 6 + 2 * value[-1])


def multihead_attention(work: Work) -> int:
    """Four projections with bias, and the attention between them: heads x head size = embed_dim."""
    mask = 1 if "attn_mask" in work.named else 0
    tensors = [work.input(slot) for slot in range(len(work.inputs) - mask)]
    query, key, value = tensors[0], tensors[min(1, len(tensors) - 1)], tensors[-1]
    size = query[-1]
    rows = math.prod(query[:-1])
    projections = sum(math.prod(x[:-1]) * size * (2 * x[-1] + 1) for x in (query, key, value, query))
    sequence = key[-2] if len(key) == 2 or work.params.get("batch_first") else key[0]
    heads = work.params.get("num_heads") or 1
    return projections + rows * sequence * (4 * size + 6 * heads)


def recurrent(work: Work) -> int:
    """At every step each weight is used in one product and one sum; the gates' own functions are left out."""
    steps = math.prod(work.input()[:-1])
    operations = {"weight": 2, "bias": 1}
    return steps * sum(
        math.prod(_known(shape)) * operations.get(name.split("_")[0], 0) for name, shape in work.named.items()
    )


def window(work: Work) -> int:
    """A pooling layer looks at kernel elements for every output element."""
    axes = int(work.type[-2]) if work.type[-2:] in ("1d", "2d", "3d") else 2
    kernel = work.params.get("kernel_size") or 1
    extents = kernel if isinstance(kernel, (list, tuple)) else [kernel]
    per_output = math.prod(extents) if len(extents) == axes else extents[0] ** axes
    return math.prod(work.output) * per_output


def upsample(work: Work) -> int:
    """The weighted sum of 2, 4, 8 or 16 neighbours for every output element; copying the nearest is free."""
    name = work.type.lower()
    default = next((mode for mode in ("trilinear", "bilinear", "bicubic") if mode in name), "nearest")
    neighbours = {"linear": 2, "bilinear": 4, "trilinear": 8, "bicubic": 16}.get(work.params.get("mode", default), 0)
    return math.prod(work.output) * max(2 * neighbours - 1, 0)


def expression(work: Work) -> int:
    """Every function of the expression once for every output element; arithmetic on sizes is free."""
    text = str(work.params.get("expr", ""))
    if text.startswith("[") or "size" in text:
        return 0
    return math.prod(work.output) * sum(name in ARITHMETIC for name in re.findall(r"[a-z_]\w*(?:\.\w+)?", text))


def per_output(count: int) -> Rule:
    """A rule: `count` operations for every element of the outputs."""
    return lambda work: count * sum(math.prod(_known(shape)) for shape in work.outputs)


def per_input(count: int) -> Rule:
    """A rule: `count` operations for every element of the first input."""
    return lambda work: count * math.prod(work.input())


ARITHMETIC = FUNCTIONS.keys() - {"size", "int", "torch.bool", "torch.float", "torch.long"}
_ELEMENTWISE = {
    1: "relu hardshrink threshold tanh eq ne ge gt le lt logicaland logicalor logicalxor logicalnot bitwiseand "
    "bitwiseor bitwisexor bitwisenot bitwiseleftshift bitwiserightshift positive scatteradd",
    2: "relu6 leakyrelu prelu rrelu hardtanh clamp clampmin clampmax softshrink tanhshrink batchnorm",
    3: "elu softplus softsign normalize",
    4: "sigmoid logsigmoid hardsigmoid celu selu rmsnorm",
    5: "silu gelu hardswish mish glu softmax logsoftmax",
    6: "softmin",
    7: "layernorm groupnorm instancenorm",
}
_REDUCTIONS = {
    1: "mean sum prod max min amax amin argmax argmin any all cumsum cumprod adaptiveavgpool adaptivemaxpool fold",
    2: "norm",
    3: "logsumexp",
    4: "var std",
}
_MOVES = (
    "reshape reshapeas view viewas permute transpose t flatten unflatten squeeze unsqueeze cat stack split chunk "
    "unbind tensorsplit select slice slicecopy slicescatter narrow expand expandas repeat repeatinterleave tile pad "
    "constantpad zeropad reflectionpad replicationpad circularpad pixelshuffle pixelunshuffle channelshuffle dropout "
    "alphadropout featurealphadropout identity clone contiguous to type typeas index indexput indexselect gather "
    "maskedfill maskedselect where embedding roll flip unfold fill newones newzeros newfull newempty zeros zeroslike "
    "ones oneslike full fulllike empty emptylike arange diag real imag complex viewascomplex viewasreal "
    "upsamplenearest upsamplingnearest"
)
RULES: dict[str, Rule] = {
    **dict.fromkeys(_MOVES.split(), lambda work: 0),
    **{name: per_output(count) for count, names in _ELEMENTWISE.items() for name in names.split()},
    **{name: per_input(count) for count, names in _REDUCTIONS.items() for name in names.split()},
    **dict.fromkeys(("matmul", "mm", "bmm", "mv", "addmm", "baddbmm"), matmul),
    **dict.fromkeys(("maxpool", "avgpool", "lppool"), window),
    **dict.fromkeys(("upsample", "interpolate", "upsamplebilinear", "upsamplingbilinear"), upsample),
    **dict.fromkeys(("lstm", "gru", "rnn"), recurrent),
    "conv": convolution,
    "convtranspose": convolution_transpose,
    "linear": linear,
    "einsum": einsum,
    "scaleddotproductattention": attention,
    "multiheadattention": multihead_attention,
    "expression": expression,
}


def _known(shape: Shape | None) -> Shape:
    if shape is None or any(extent < 0 for extent in shape):
        raise UnknownShapeError
    return shape


def _has_bias(work: Work) -> int:
    return int("bias" in work.named)
