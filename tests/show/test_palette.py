"""Colours: which family an operator belongs to, and whether its box can be read."""

from __future__ import annotations

import pytest

from kuiper.show.palette import FAMILIES, INK, PILL, PILL_TEXT, Swatch, family


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
    assert family(operator_type).name == name


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


@pytest.mark.parametrize("kind", FAMILIES, ids=lambda kind: kind.name)
def test_text_in_boxes_has_the_contrast_that_accessibility_asks_for(kind: Swatch) -> None:
    assert contrast(kind.fill, kind.text) >= 4.5
