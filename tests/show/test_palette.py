"""Colours: which family an operator belongs to, and whether its box can be read."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from kuiper.layers import registry
from kuiper.layers.families import Family
from kuiper.show.palette import INK, PILL, PILL_TEXT, SWATCHES, Swatch, swatch_of


@pytest.mark.parametrize(
    ("operator_type", "name"),
    [
        ("pnnx.Input", "input, output"),
        ("pnnx.Attribute", "weight"),
        ("pnnx.Expression", "arithmetic"),
        ("nn.ConvTranspose2d", "convolution"),
        ("F.adaptive_avg_pool2d", "pooling"),
        ("nn.BatchNorm2d", "normalization"),
        ("F.local_response_norm", "normalization"),
        ("torch.norm", "arithmetic"),
        ("nn.Linear", "linear, attention"),
        ("torch.bmm", "linear, attention"),
        ("nn.Hardswish", "activation"),
        ("F.log_softmax", "activation"),
        ("torch.transpose", "shape"),
        ("prim::TupleConstruct", "shape"),
        ("torch.cumprod", "arithmetic"),
    ],
)
def test_operators_belong_to_their_family(operator_type: str, name: str) -> None:
    assert swatch_of(operator_type).name == name


BY_NAME = [
    ("input, output", r"^pnnx\.(input|output)$"),
    ("weight", r"^pnnx\.attribute$"),
    ("convolution", r"conv"),
    ("pooling", r"pool"),
    ("normalization", r"norm(?!$)|.norm$"),
    ("linear, attention", r"linear|mm$|^mv$|matmul|einsum|attention|lstm|gru|rnn|embed"),
    ("activation", r"elu|silu|mish|swish|glu|sigmoid|tanh|softm|softplus|softsign|shrink|threshold"),
    ("shape", r"shape|view|permute|transpose|flatten|cat$|stack|split|chunk|slice|select|squeeze|unbind|expand"
     r"|repeat|roll|pad|shuffle|sample|interpolate|tile|flip|narrow|clone|fold|index|gather|tuple|list|dict"),
    ("arithmetic", r""),
]  # fmt: skip
"""What the name of most operators tells of their family; the first expression that is found counts."""
OTHERS = {
    "arithmetic": "linalg_matrix_norm linalg_norm linalg_vector_norm matrix_norm normal",
    "linear, attention": "dot inner outer _transformer_encoder_layer_fwd",
    "pooling": "roialign",
    "shape": (
        "_upsample_bilinear2d_aa argwhere as_strided atleast_1d atleast_2d atleast_3d broadcast_tensors broadcast_to "
        "contiguous copy detach diag diag_embed diagonal dim fft_fftshift fft_ifftshift fftshift ifftshift "
        "masked_fill masked_scatter meshgrid mh moveaxis movedim mt nonzero nonzero_numpy numel numpy_t "
        "pixelunshuffle ravel rot90 scatter scatter_add scatter_reduce t take take_along_dim tril triu "
        "upsample_bilinear upsamplingbilinear2d upsamplingnearest2d where "
    ),
}
"""Family -> the operators whose names mislead."""


def told_by_name(operator_type: str) -> str:
    name = operator_type.lower()
    name = name if name.startswith("pnnx.") else re.split(r"[.:]", name)[-1]
    other = [kind for kind, names in OTHERS.items() if name in names.split()]
    return other[0] if other else next(kind for kind, pattern in BY_NAME if re.search(pattern, name))


def test_every_operator_has_the_colour_that_its_name_makes_one_expect() -> None:
    misled = {kind: swatch_of(kind).name for kind in registry if swatch_of(kind).name != told_by_name(kind)}
    assert not misled


def test_a_type_without_a_layer_is_arithmetic() -> None:
    assert swatch_of("my.thing").name == "arithmetic"


def test_every_family_has_its_colours() -> None:
    assert tuple(kind.name for kind in SWATCHES) == get_args(Family)


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("page", ["#ffffff", "#111111"])
def test_lines_and_text_outside_boxes_are_readable_on_light_and_dark_pages(page: str) -> None:
    assert contrast(INK, page) >= 3.9


def test_labels_are_readable() -> None:
    assert contrast(PILL, PILL_TEXT) >= 7


@pytest.mark.parametrize("kind", SWATCHES, ids=lambda kind: kind.name)
def test_text_in_boxes_has_the_contrast_that_accessibility_asks_for(kind: Swatch) -> None:
    assert contrast(kind.fill, kind.text) >= 4.5
