"""Picture files: upright, red first, and clear errors where one cannot be read or written."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from kuiper import KuiperError
from kuiper.vision import draw_guesses, preprocess, read_picture, save_picture

Image = pytest.importorskip("PIL.Image", reason="reads pictures, and Pillow is not installed")


def test_a_picture_comes_back_as_it_was_saved(tmp_path: Path, scene: np.ndarray) -> None:
    save_picture(tmp_path / "x.png", scene)
    np.testing.assert_array_equal(read_picture(tmp_path / "x.png"), scene)


def test_grey_and_transparent_pictures_become_red_green_and_blue(tmp_path: Path) -> None:
    Image.fromarray(np.array([[7, 200]], np.uint8)).save(tmp_path / "grey.png")
    np.testing.assert_array_equal(read_picture(tmp_path / "grey.png"), [[[7] * 3, [200] * 3]])
    Image.new("RGBA", (1, 1), (1, 2, 3, 4)).save(tmp_path / "clear.png")
    np.testing.assert_array_equal(read_picture(tmp_path / "clear.png"), [[[1, 2, 3]]])


def test_a_photograph_taken_sideways_is_turned_upright(tmp_path: Path, scene: np.ndarray) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # orientation: the camera was turned by a quarter
    Image.fromarray(scene).save(tmp_path / "x.png", exif=exif)
    np.testing.assert_array_equal(read_picture(tmp_path / "x.png"), np.rot90(scene, -1))


def test_missing_and_damaged_files_are_explained(tmp_path: Path, scene: np.ndarray) -> None:
    with pytest.raises(KuiperError, match=r"none\.png: expected a picture, found no such file"):
        read_picture(tmp_path / "none.png")
    (tmp_path / "text.png").write_text("hello")
    with pytest.raises(KuiperError, match=r"text\.png: .* damaged"):
        read_picture(tmp_path / "text.png")
    for name in ("x.nonsense", "folder/x.png"):
        with pytest.raises(KuiperError, match="cannot be written"):
            save_picture(tmp_path / name, scene)


def test_without_pillow_the_error_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, scene: np.ndarray
) -> None:
    save_picture(tmp_path / "x.png", scene)
    monkeypatch.setitem(sys.modules, "PIL", None)
    for call in (lambda: read_picture(tmp_path / "x.png"), lambda: preprocess(scene), lambda: draw_guesses(scene, [])):
        with pytest.raises(KuiperError, match=r'needs Pillow; install it: pip install -e "\.\[cli\]"'):
            call()
