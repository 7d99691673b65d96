"""Pictures of tensors: numbers while they are few, colours that mean the same everywhere, an honest summary."""

from __future__ import annotations

import base64
import re
import struct
import xml.etree.ElementTree as ElementTree
import zlib
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from kuiper.errors import KuiperError, ShapeError
from kuiper.show import Svg, show_tensor
from kuiper.tensor import Tensor

NS = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [str(t.text) for t in ElementTree.fromstring(svg).iter(f"{NS}text")]


def brightness(color: str) -> int:
    return sum(int(color[i : i + 2], 16) for i in (1, 3, 5))


def fills(svg: str) -> dict[str, str]:
    """Number in a cell -> colour of the cell."""
    children = list(ElementTree.fromstring(svg).iter())
    return {
        str(b.text): str(a.get("fill"))
        for a, b in pairwise(children)
        if a.tag == f"{NS}rect" and a.get("fill") != "none" and b.tag == f"{NS}text"
    }


def test_a_small_tensor_shows_each_number() -> None:
    shown = texts(show_tensor(np.arange(60).reshape(3, 4, 5), title="Counting"))
    assert {str(i) for i in range(60)} <= set(shown)
    assert {"Counting", "3x4x5 int64, 0 to 59", "channel 0", "channel 1", "channel 2"} <= set(shown)


def test_channels_bear_the_names_that_are_given() -> None:
    shown = texts(show_tensor(np.zeros((3, 2, 2)), names=("before", "a longer name than its picture is wide")))
    assert {"before", "a longer name than its picture is wide", "channel 2"} <= set(shown)
    assert not {"channel 0", "channel 1"} & set(shown)


def test_a_tensor_and_its_array_look_alike() -> None:
    x = Tensor.rand(2, 3, 4, seed=0)
    assert show_tensor(x) == show_tensor(x.data)


def test_zero_is_white_where_there_are_negative_numbers() -> None:
    colors = fills(show_tensor([-4.0, 0.0, 2.0, 4.0]))
    red, _, blue = (int(colors["-4"][i : i + 2], 16) for i in (1, 3, 5))
    assert blue > red
    red, _, blue = (int(colors["4"][i : i + 2], 16) for i in (1, 3, 5))
    assert red > blue
    assert brightness(colors["0"]) > 700
    assert brightness(colors["2"]) > brightness(colors["4"])


def test_without_negative_numbers_the_smallest_is_white() -> None:
    colors = fills(show_tensor([10.0, 11.0, 12.0]))
    assert brightness(colors["10"]) > brightness(colors["11"]) > brightness(colors["12"])
    assert brightness(colors["10"]) > 700


def test_nan_and_infinities_have_their_own_colours_and_are_counted() -> None:
    svg = show_tensor(np.array([[1, np.nan, -3.5], [np.inf, np.nan, -np.inf]], np.float32))
    assert "2x3 float32, -3.5 to 1, 2 nan, 1 inf, 1 -inf" in texts(svg)
    assert len({fills(svg)[word] for word in ("1", "nan", "-3.5", "inf", "-inf")}) == 5


def test_only_the_first_channels_are_drawn_and_the_rest_is_counted() -> None:
    shown = texts(show_tensor(np.zeros((68, 2, 2))))
    assert "channel 7" in shown
    assert "channel 8" not in shown
    assert "... 60 more channels" in shown


def pixels(svg: str) -> np.ndarray:
    """The embedded PNG as indices into its palette."""
    href = next(ElementTree.fromstring(svg).iter(f"{NS}image")).get("href", "")
    png = base64.b64decode(href.split(",")[1])
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    at, data, size = 8, b"", (0, 0)
    while at < len(png):
        (length,), kind = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        body = png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + body)
        size = struct.unpack(">II", body[:8]) if kind == b"IHDR" else size
        data += body if kind == b"IDAT" else b""
        at += 12 + length
    rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(size[1], size[0] + 1)
    assert not rows[:, 0].any()
    return rows[:, 1:]


def test_a_larger_tensor_becomes_an_image_with_one_pixel_per_number() -> None:
    image = pixels(show_tensor(np.arange(28 * 30).reshape(28, 30)))
    assert image.shape == (28, 30)
    assert image[0, 0] == 0
    assert image[-1, -1] == 252
    assert (np.diff(image.ravel().astype(int)) >= 0).all()


def test_a_very_large_tensor_is_sampled_and_says_so() -> None:
    svg = show_tensor(np.zeros((600, 500)))
    assert pixels(svg).shape == (200, 250)
    assert "1 row in 3, 1 column in 2" in texts(svg)


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((0, 3)),
        np.zeros((0, 2, 2)),
        np.zeros(0),
        np.ones((2, 2), bool),
        np.full(3, np.nan),
        np.array([1 + 2j, 3.0]),
        np.array([-1.7e308, 1.7e308]),
        np.array([0, 255], np.uint8),
        np.linspace(0, 1, 5000),
        np.array([2**63 - 1, -(2**63)]),
        np.zeros((9, 40, 3), np.float16),
    ],
)
def test_any_kind_of_numbers_gives_valid_xml_twice_the_same(array: np.ndarray) -> None:
    svg = show_tensor(array, title="a < b")
    ElementTree.fromstring(svg)
    assert "nan" not in re.sub(r"<text.*?</text>|<title>.*?</title>|aria-label=\".*?\"", "", svg)
    assert show_tensor(array, title="a < b") == svg


@pytest.mark.parametrize("thing", [np.zeros((1, 2, 3, 4)), 5.0, "text", None, np.array(["a"])])
def test_what_is_no_tensor_is_refused(thing: object) -> None:
    with pytest.raises(ShapeError, match="1 to 3 axes"):
        show_tensor(thing)


def test_svg_is_its_text_and_shows_itself_in_notebooks(tmp_path: Path) -> None:
    svg = show_tensor([1.0, 2.0])
    assert isinstance(svg, str)
    assert svg.text == svg._repr_svg_() == str(svg)
    assert type(svg.text) is str
    assert svg.save(tmp_path / "x.svg").read_text(encoding="utf-8") == svg
    assert len(repr(svg)) < 40


def test_a_picture_that_cannot_be_saved_says_where(tmp_path: Path) -> None:
    with pytest.raises(KuiperError, match="nowhere"):
        Svg("<svg/>").save(tmp_path / "nowhere" / "x.svg")
    with pytest.raises(KuiperError, match=r"expected a name that ends in \.svg, found .*x\.png"):
        Svg("<svg/>").save(tmp_path / "x.png")
    assert not (tmp_path / "x.png").exists()
    assert Svg("<svg/>").save(tmp_path / "X.SVG").exists()
