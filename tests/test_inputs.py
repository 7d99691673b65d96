from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kuiper import KuiperError, ShapeError, dtypes
from kuiper.graph import Operand
from kuiper.inputs import Normalization, concrete_shape, random_input, read_input


def operand(*shape: int, code: str = "f32") -> Operand:
    return Operand("x", shape, dtypes.find(code))


def picture(file: Path, pixels: Any) -> str:
    image = pytest.importorskip("PIL.Image", reason="reads pictures, and Pillow is not installed")
    image.fromarray(np.asarray(pixels, np.uint8)).save(file)
    return str(file)


def test_an_npy_file_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.save(tmp_path / "x.npy", x)
    read = read_input(str(tmp_path / "x.npy"), operand(-1, 3))
    np.testing.assert_array_equal(read, x)
    assert read.dtype == np.float32


def test_an_npz_file_with_one_array_needs_no_key(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", only=np.ones((1, 2)))
    np.testing.assert_array_equal(read_input(str(tmp_path / "x.npz"), operand(1, 2)), np.ones((1, 2)))


def test_a_key_chooses_one_array_of_an_npz_file(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.zeros((1, 2)), b=np.ones((1, 2)))
    np.testing.assert_array_equal(read_input(f"{tmp_path / 'x.npz'}:b", operand(1, 2)), np.ones((1, 2)))


def test_an_npz_file_with_two_arrays_and_no_key_lists_them(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.zeros(1), b=np.ones(1))
    with pytest.raises(KuiperError, match=r"expected one array, found 2 \(a, b\); choose one with .*x\.npz:KEY"):
        read_input(str(tmp_path / "x.npz"), operand(1))


def test_a_wrong_key_lists_the_right_ones(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.zeros(1))
    with pytest.raises(KuiperError, match="expected an array called 'c', found a"):
        read_input(f"{tmp_path / 'x.npz'}:c", operand(1))


def test_a_missing_batch_axis_is_explained(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((3, 8, 8), np.float32))
    with pytest.raises(ShapeError, match=r"expected \(1,3,8,8\), batch first, found \(3,8,8\).*x\[None\]"):
        read_input(str(tmp_path / "x.npy"), operand(1, 3, 8, 8))


def test_a_missing_channel_axis_is_explained(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((360, 8, 8), np.float32))
    with pytest.raises(ShapeError, match=r"found \(360,8,8\), without the channel axis.*x\[:, None\]"):
        read_input(str(tmp_path / "x.npy"), operand(-1, 1, 8, 8))


def test_pickled_objects_are_refused_and_never_loaded(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Any, tuple[str]]:
            return (pytest.fail, ("the pickle was loaded",))

    np.save(tmp_path / "x.npy", np.array([Trap()], object), allow_pickle=True)
    with pytest.raises(KuiperError, match="pickled Python objects"):
        read_input(str(tmp_path / "x.npy"), operand(1))
    np.savez(tmp_path / "x.npz", a=np.array([Trap()], object))
    with pytest.raises(KuiperError, match="pickled Python objects"):
        read_input(str(tmp_path / "x.npz"), operand(1))


def _npy_bytes() -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.arange(100.0))
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.npy", b""),
        ("text.npy", b"1 2 3"),
        ("short.npy", _npy_bytes()[:200]),
        ("header.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f8', "),
        ("huge.npy", _npy_bytes().replace(b"(100,), }     ", b"(10**15,), }  ")),
        ("empty.npz", b""),
        ("text.npz", b"1 2 3"),
        ("cut.npz", b"PK\x03\x04" + b"\x00" * 40),
        ("strings.npy", b""),
    ],
)
def test_a_damaged_file_is_one_clear_error(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    if name == "strings.npy":
        np.save(tmp_path / name, np.array(["a"]))
    with pytest.raises(KuiperError, match=name) as caught:
        read_input(str(tmp_path / name), operand(100))
    assert "\n" not in str(caught.value)


def test_a_damaged_array_in_an_npz_file_is_a_clear_error(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("a.npy", _npy_bytes()[:150])
    with pytest.raises(KuiperError, match=r"x\.npz: .*damaged"):
        read_input(str(tmp_path / "x.npz"), operand(100))


@pytest.mark.parametrize("name", ["nothing.npy", "nothing.png", "nothing.npz:a"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(KuiperError, match=r"nothing.*no such file"):
        read_input(str(tmp_path / name), operand(1))


def test_an_unknown_suffix_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(KuiperError, match=r"expected \.npy, \.npz, or a picture .* found \.txt suffix"):
        read_input(str(tmp_path / "x.txt"), operand(1))


def test_a_colour_picture_becomes_channels_first_from_zero_to_one(tmp_path: Path) -> None:
    file = picture(tmp_path / "x.png", [[[255, 0, 51], [0, 255, 51]]])
    x = read_input(file, operand(1, 3, 1, 2))
    np.testing.assert_allclose(x, [[[[1, 0]], [[0, 1]], [[0.2, 0.2]]]], atol=1e-6)
    assert x.dtype == np.float32


def test_a_picture_is_resized_to_the_network_and_turned_grey(tmp_path: Path) -> None:
    file = picture(tmp_path / "x.png", np.full((20, 30, 3), 102))
    x = read_input(file, operand(1, 1, 8, 6))
    assert x.shape == (1, 1, 8, 6)
    np.testing.assert_allclose(x, 0.4, atol=1e-6)


def test_a_picture_keeps_its_size_where_the_network_leaves_it_open(tmp_path: Path) -> None:
    file = picture(tmp_path / "x.png", np.zeros((20, 30, 3)))
    assert read_input(file, operand(-1, 3, -1, -1)).shape == (1, 3, 20, 30)


def test_a_transparent_or_grey_picture_serves_a_colour_network(tmp_path: Path) -> None:
    for name, pixels in (("a.png", np.zeros((4, 4, 4))), ("g.png", np.zeros((4, 4)))):
        assert read_input(picture(tmp_path / name, pixels), operand(1, 3, 4, 4)).shape == (1, 3, 4, 4)


def test_mean_and_std_apply_per_channel_after_scaling(tmp_path: Path) -> None:
    file = picture(tmp_path / "x.png", [[[255, 255, 255]]])
    x = read_input(file, operand(1, 3, 1, 1), Normalization(1 / 255, (0.5, 0.0, 1.0), (0.5, 2.0, 1.0)))
    np.testing.assert_allclose(x.ravel(), [1.0, 0.5, 0.0], atol=1e-6)


@pytest.mark.parametrize(
    "normalization", [Normalization(mean=(1, 2)), Normalization(std=(0.0,)), Normalization(scale=float("nan"))]
)
def test_unusable_normalizations_are_refused(tmp_path: Path, normalization: Normalization) -> None:
    file = picture(tmp_path / "x.png", [[[255, 255, 255]]])
    with pytest.raises(KuiperError, match=r"mean|std"):
        read_input(file, operand(1, 3, 1, 1), normalization)


@pytest.mark.parametrize("shape", [(1, 32), (1, 4, 8, 8), (1, 3, 8)])
def test_a_network_that_reads_no_pictures_says_so(tmp_path: Path, shape: tuple[int, ...]) -> None:
    file = picture(tmp_path / "x.png", [[[0, 0, 0]]])
    with pytest.raises(ShapeError, match="for a picture"):
        read_input(file, operand(*shape))


def test_a_damaged_picture_is_a_clear_error(tmp_path: Path) -> None:
    pytest.importorskip("PIL", reason="reads pictures, and Pillow is not installed")
    (tmp_path / "x.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\x00" * 30)
    with pytest.raises(KuiperError, match=r"x\.png.*damaged"):
        read_input(str(tmp_path / "x.png"), operand(1, 3, 8, 8))


def test_random_input_repeats_with_its_seed() -> None:
    first, again, other = (random_input(operand(2, 3), np.random.default_rng(seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("code", ["f32", "f16", "f64", "i64", "bool", "u8", "c64", "bf16"])
def test_random_input_has_the_declared_type(code: str) -> None:
    asked = operand(5, code=code)
    x = random_input(asked, np.random.default_rng(0))
    assert asked.dtype is not None
    assert x.dtype == asked.dtype.compute
    if x.dtype.kind in "iub":
        assert set(np.unique(x).tolist()) <= {0, 1}


def test_an_open_batch_counts_as_one_and_other_open_axes_must_be_said() -> None:
    assert concrete_shape(operand(-1, 3, 8)) == (1, 3, 8)
    assert concrete_shape(operand(-1, 3, -1)) is None
    assert concrete_shape(operand(-1, 3, -1), (2, 3, 4)) == (2, 3, 4)
    with pytest.raises(ShapeError, match="--shape"):
        random_input(operand(-1, 3, -1), np.random.default_rng(0))
    with pytest.raises(ShapeError, match=r"expected a shape like \(\?,3\), found \(1,2,3\)"):
        concrete_shape(operand(-1, 3), (1, 2, 3))


def test_a_shape_that_memory_cannot_hold_is_refused() -> None:
    with pytest.raises(ShapeError, match="fits into memory"):
        random_input(operand(-1, 3), np.random.default_rng(0), (2**62, 3))
