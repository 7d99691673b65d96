from __future__ import annotations

import base64
import io
import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from PIL import Image

from classroom import difference, page
from classroom.difference import comparable, differing, each_in_text, in_picture, in_text


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def words(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_one_axis_stands_one_above_the_other_under_its_indices() -> None:
    text = in_text(np.array([1, 2, 3]), np.array([1, 5, 3]), (1,))
    assert words(text) == [["index", "0", "1", "2"], ["expected", "1", ">2<", "3"], ["got", "1", ">5<", "3"]]


def test_columns_of_indices_and_numbers_stand_in_line() -> None:
    index, expected, got = in_text(np.arange(100, 104), np.array([100, 7, 102, 103]), (1,)).splitlines()
    for number, column in (("102", "2"), ("103", "3")):
        assert expected.index(number) + 2 == got.index(number) + 2 == index.index(column)


def test_a_plane_is_shown_side_by_side() -> None:
    expected = np.arange(6).reshape(2, 3)
    got = expected.copy()
    got[1, 2] = 9
    text = in_text(expected, got, (1, 2))
    assert words(text) == [
        ["expected", "got"],
        ["0", "1", "2", "0", "1", "2"],
        ["3", "4", ">5<", "3", "4", ">9<"],
    ]


def test_of_more_axes_the_plane_of_the_first_difference_is_shown() -> None:
    expected = np.arange(24).reshape(2, 3, 4)
    got = expected.copy()
    got[1, 0, 0] = -1
    assert in_text(expected, got, (1, 0, 0)).startswith("[1, :, :]\n")


def test_a_large_plane_is_shown_around_the_first_difference() -> None:
    expected = np.zeros((100, 100))
    got = expected.copy()
    got[70, 80] = 1
    text = in_text(expected, got, (70, 80))
    assert "around the first difference" in text
    assert text.count(">") == 2
    assert "..." in text


@pytest.mark.parametrize("where", [(170,), (70, 80), (2, 70, 80)])
def test_each_array_by_itself_is_shown_around_the_first_difference(where: tuple[int, ...]) -> None:
    expected = np.zeros((200,) if len(where) == 1 else (100, 100) if len(where) == 2 else (3, 100, 100))
    got = expected.copy()
    got[where] = 7
    first, second = each_in_text(expected, got, where)
    for text, cell in ((first, ">0<"), (second, ">7<")):
        head, *rows = text.splitlines()
        assert head.startswith(f"float64 {expected.shape}, of which [")
        assert head.endswith("], around the first difference")
        assert " ".join(rows).count(cell) == 1
        assert all(len(line) <= 80 for line in rows)
    assert ">" not in second.replace(">7<", "")


def test_a_small_array_by_itself_is_shown_whole() -> None:
    first, second = each_in_text(np.array([[1, 2], [3, 4]]), np.array([[1, 2], [3, 5]]), None)
    assert words(first) == [["int64", "(2,", "2)"], ["1", "2"], ["3", ">4<"]]
    assert words(second)[2] == ["3", ">5<"]


def test_numbers_that_look_alike_get_more_digits() -> None:
    text = in_text(np.array([1.0, 2.0]), np.array([1.00003, 2.0]), (0,))
    assert ">1<" in text
    assert ">1.00003<" in text


def test_a_tiny_difference_that_the_test_refused_is_marked() -> None:
    marked = differing(np.array([1.0, 2.0]), np.array([1.0 + 1e-12, 2.0]), (0,))
    assert marked.tolist() == [True, False]


def test_nan_is_equal_to_nan_and_to_nothing_else() -> None:
    nan = np.nan
    assert differing(np.array([nan, nan, 1.0]), np.array([nan, 1.0, nan]), None).tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (np.zeros(2), np.zeros(3)),
        (np.zeros(2), [0, 0]),
        (1.0, 2.0),
        (np.array(1), np.array(2)),
        (np.zeros(0), np.zeros(0)),
    ],
)
def test_only_arrays_of_one_shape_are_shown_cell_by_cell(expected: Any, got: Any) -> None:
    assert not comparable(expected, got)


KINDS = st.sampled_from(["f4", "f8", "i4", "u1", "?", "c8"])
SHAPES = arrays.array_shapes(min_dims=1, max_dims=5, max_side=20)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_every_pair_of_arrays_fits_the_page_and_marks_the_first_difference(data: st.DataObject) -> None:
    shape, kind = data.draw(SHAPES), np.dtype(data.draw(KINDS))
    expected = data.draw(arrays.arrays(kind, shape, fill=st.nothing()))
    where = tuple(data.draw(st.integers(0, size - 1)) for size in shape)
    got = expected.copy()
    got[where] = not expected[where] if kind.kind == "b" else 77
    text = in_text(expected, got, where)
    assert ">" in text
    assert all(page.seen(line) + difference.INDENT <= 80 or "j" in line for line in text.splitlines())


def test_the_picture_has_three_panels_and_is_xml() -> None:
    drawn = in_picture("flatten: <a & b>", np.zeros((2, 3)), np.ones((2, 3)), (0, 0))
    assert drawn is not None
    root = ElementTree.fromstring(drawn.text)
    assert len(root.findall(".//{http://www.w3.org/2000/svg}svg")) == 3
    assert "got - expected" in drawn.text


def test_arrays_of_two_shapes_are_drawn_without_a_difference() -> None:
    drawn = in_picture("x", np.zeros((2, 3)), np.zeros((3, 2)), None)
    assert drawn is not None
    assert "got - expected" not in drawn.text


def test_of_a_batch_the_sample_of_the_first_difference_is_drawn() -> None:
    expected, got = np.zeros((3, 1, 2, 2)), np.zeros((3, 1, 2, 2))
    got[2, 0, 1, 1] = 42
    drawn = in_picture("x", expected, got, (2, 0, 1, 1))
    assert drawn is not None
    assert ">42<" in drawn.text


@pytest.mark.parametrize(
    ("expected", "got"),
    [(np.zeros(2), None), ("text", np.zeros(2)), (np.array(1), np.array(2)), (np.zeros(0), np.zeros(0))],
)
def test_what_is_no_pair_of_arrays_has_no_picture(expected: Any, got: Any) -> None:
    assert in_picture("x", expected, got, None) is None


def test_of_a_picture_the_channel_of_the_first_difference_is_shown() -> None:
    expected = np.zeros((30, 40, 3), np.uint8)
    got = expected.copy()
    got[20, 30, 1] = 9
    got[25, 35, 0] = 8
    for where in ((20, 30, 1), None):
        text = in_text(expected, got, where)
        assert text.startswith("[:, :, 1], its green\n")
        assert text.count(">") == 2
        assert ">9<" in text


def images(drawn: Any) -> list[np.ndarray]:
    """The bitmaps of a drawing as (H,W,3) bytes."""
    found = re.findall(r'href="data:image/png;base64,([^"]*)"', drawn.text)
    return [np.asarray(Image.open(io.BytesIO(base64.b64decode(one))).convert("RGB")) for one in found]


PICTURE = np.random.default_rng(0).integers(0, 256, (32, 40, 3), np.uint8)
PICTURES = {
    "bytes": PICTURE,
    "floats up to 1": PICTURE / np.float32(255),
    "floats up to 255": PICTURE.astype(np.float32),
    "channels first": PICTURE.transpose(2, 0, 1),
    "a batch, channels first, floats": (PICTURE.transpose(2, 0, 1) / np.float32(255))[None],
}


@pytest.mark.parametrize("kind", PICTURES)
def test_a_picture_is_drawn_as_one(kind: str) -> None:
    expected = PICTURES[kind]
    got = expected * 0
    drawn = in_picture("x", expected, got, (0,) * expected.ndim, pictures=True)
    assert drawn is not None
    ElementTree.fromstring(drawn.text)
    first, second, difference = images(drawn)
    assert np.array_equal(first, PICTURE)
    assert np.array_equal(second, PICTURE * 0)
    assert difference.shape == PICTURE.shape
    assert "channel 0" not in drawn.text
    assert "max of R, G, B" in drawn.text


def test_a_picture_in_bytes_is_known_by_itself_and_three_planes_of_features_are_none() -> None:
    drawn = in_picture("x", PICTURE, PICTURE // 2, (0, 0, 0))
    assert drawn is not None
    assert "channel 0" not in drawn.text
    planes = PICTURE.transpose(2, 0, 1).astype(np.float32)
    drawn = in_picture("x", planes, planes / 2, (0, 0, 0))
    assert drawn is not None
    assert "channel 2" in drawn.text


def test_a_picture_on_another_scale_is_drawn_from_its_darkest_to_its_brightest() -> None:
    planes = (PICTURE.transpose(2, 0, 1) / np.float32(255) - 0.5) / np.float32(0.2)
    drawn = in_picture("x", planes, planes + 1, (0, 0, 0), pictures=True)
    assert drawn is not None
    first, second, _ = images(drawn)
    low, high = int(PICTURE.min()), int(PICTURE.max())
    assert (int(first.min()), int(first.max())) == (0, 255)
    assert np.abs(first - (PICTURE - float(low)) * 255 / (high - low)).max() <= 1
    assert (second >= first).all()


def test_a_picture_of_another_size_is_drawn_without_a_difference() -> None:
    drawn = in_picture("x", PICTURE, PICTURE[:9, :, :], None)
    assert drawn is not None
    assert [one.shape for one in images(drawn)] == [(32, 40, 3), (9, 40, 3)]
    assert "difference" not in drawn.text


@pytest.mark.parametrize("got", [np.full((32, 40, 3), np.nan), np.full((32, 40, 3), np.inf), np.zeros((4, 4))])
def test_a_picture_beside_what_is_none_is_drawn_all_the_same(got: np.ndarray) -> None:
    drawn = in_picture("x", PICTURE, got, None)
    assert drawn is not None
    ElementTree.fromstring(drawn.text)
    assert np.array_equal(images(drawn)[0], PICTURE)
