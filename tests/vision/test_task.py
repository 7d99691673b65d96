"""`kuiper run --task` from a picture's file to names, boxes and masks, on networks small enough to check by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("typer", reason="the command line needs typer and rich, which are not installed")
pytest.importorskip("PIL", reason="reads pictures, and Pillow is not installed")

from typer.testing import CliRunner, Result

from kuiper import pnnx
from kuiper.cli import app
from kuiper.vision import Letterbox, Normalization, preprocess, read_picture, save_picture

MEANS = """7767517
4 3
pnnx.Input            in   0 1 0 #0=(1,3,{size})f32
F.adaptive_avg_pool2d mean 1 1 0 1 output_size=(1,1) $input=0 #0=(1,3,{size})f32 #1=(1,3,1,1)f32
torch.flatten         flat 1 1 1 2 start_dim=1 end_dim=-1 $input=1 #1=(1,3,1,1)f32 #2=(1,3)f32
pnnx.Output           out  1 0 2 #2=(1,3)f32
"""
"""Three classes: how red, how green, how blue the picture is."""
PIXELS = """7767517
3 2
pnnx.Input  in   0 1 0 #0=(1,3,{size})f32
nn.ReLU     relu 1 1 0 1 #0=(1,3,{size})f32 #1=(1,3,{size})f32
pnnx.Output out  1 0 1 #1=(1,3,{size})f32
"""
"""Three classes of pixels."""
ROWS = """7767517
4 3
pnnx.Input     in   0 1 0 #0=(1,3,{size})f32
pnnx.Attribute rows 0 1 1 #1=(1,12,8)f32
nn.ReLU        relu 1 1 1 2 #1=(1,12,8)f32 #2=(1,12,8)f32
pnnx.Output    out  1 0 2 #2=(1,12,8)f32
"""
"""The same boxes whatever it sees."""


def call(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, [str(a) for a in arguments], env={"NO_COLOR": "1", "COLUMNS": "160"})
    assert result.exit_code == code, result.output
    return result


def error_of(*arguments: object) -> str:
    """The message of a call that fails: explained, with exit code 2 and without a traceback."""
    result = call(*arguments, code=2)
    assert "Traceback" not in result.stderr
    return " ".join(result.stderr.replace("│", " ").split())


def rows_of(result: Result, columns: int) -> list[list[str]]:
    """The lines of the table that was printed, without its head."""
    lines = [line.split() for line in result.stdout.splitlines()]
    return [line for line in lines if len(line) == columns and line[-1][0].isdigit()]


def model(folder: Path, text: str, size: str) -> Path:
    file = folder / "net.pnnx.param"
    file.write_text(text.format(size=size))
    return file


def model_of_rows(folder: Path, rows: np.ndarray, size: str) -> Path:
    """A network that always puts out the (12,8) rows."""
    file = model(folder, ROWS, size)
    graph = pnnx.read(file)
    graph.operator("rows").attributes = {"data": pnnx.Attribute.from_array(rows[None].astype(np.float32))}
    pnnx.write(graph, str(file), str(file).replace(".param", ".bin"))
    return file


@pytest.fixture
def photo(tmp_path: Path, scene: np.ndarray) -> Path:
    """(180,270): green grows to the right, red downwards."""
    save_picture(tmp_path / "photo.png", scene)
    return tmp_path / "photo.png"


def test_classify_cuts_normalizes_and_ranks(tmp_path: Path, photo: Path, scene: np.ndarray) -> None:
    names = tmp_path / "names.txt"
    names.write_text("red\ngreen\nblue\n")
    result = call("run", model(tmp_path, MEANS, "56,56"), photo, "--task", "classify", "--labels", names, "--top", 2,
                  "-o", tmp_path / "y.npy")  # fmt: skip
    scores = preprocess(scene, resize=64, crop=56).mean((2, 3))
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), scores, atol=1e-5)
    shares = np.exp(scores[0]) / np.exp(scores[0]).sum()
    expected = [[str(rank + 1), str(i), ["red", "green", "blue"][i], f"{shares[i]:.2%}"]
                for rank, i in enumerate(np.argsort(-shares)[:2])]  # fmt: skip
    assert rows_of(result, 4) == expected


@pytest.mark.parametrize(
    ("beside", "names"),
    [("red\ngreen\nblue\n", {"red", "green", "blue"}), ("one\ntwo\n", {"0", "1", "2"})],
    ids=["as many as classes", "too few, so not meant for this network"],
)
def test_names_beside_the_network_are_taken(tmp_path: Path, photo: Path, beside: str, names: set[str]) -> None:
    (tmp_path / "labels.txt").write_text(beside)
    result = call("run", model(tmp_path, MEANS, "56,56"), photo, "--task", "classify")
    lines = [line.split() for line in result.stdout.splitlines() if "%" in line]
    assert {line[-2] for line in lines} == names


def test_the_users_mean_and_std_stand_in_for_imagenets(tmp_path: Path, photo: Path, scene: np.ndarray) -> None:
    call("run", model(tmp_path, MEANS, "224,224"), photo, "--task", "classify", "--mean", "0.5", "--std", "0.25",
         "-o", tmp_path / "y.npy")  # fmt: skip
    expected = preprocess(scene, normalization=Normalization(mean=[0.5], std=[0.25])).mean((2, 3))
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), expected, atol=1e-5)


def test_a_network_of_any_size_gets_imagenets(tmp_path: Path, photo: Path, scene: np.ndarray) -> None:
    call("run", model(tmp_path, MEANS, "?,?"), photo, "--task", "classify", "-o", tmp_path / "y.npy")
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), preprocess(scene).mean((2, 3)), atol=1e-5)


def test_detect_finds_boxes_in_the_pictures_own_pixels(tmp_path: Path, photo: Path, scene: np.ndarray) -> None:
    box = Letterbox.fit((180, 270), (96, 96))
    wanted = np.array([[30, 20, 120, 110], [150, 60, 250, 170]])
    x1, y1, x2, y2 = box.place(wanted).T
    rows = np.zeros((12, 8))
    rows[:2] = np.stack([(x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1, [0.9, 0.8], [0, 0], [0.5, 1], [1, 0]], 1)
    rows[2] = rows[0] * [1, 1, 1, 1, 0.9, 1, 1, 1]  # the same thing once more, not as sure
    rows[3] = rows[0] * [1, 1, 1, 1, 0.2, 1, 1, 1]  # not sure enough
    file = model_of_rows(tmp_path, rows, "96,96")
    result = call("run", file, photo, "--task", "detect", "-o", tmp_path / "found.png")
    table = rows_of(result, 7)
    assert [row[:3] for row in table] == [["class", "2", "0.900"], ["class", "1", "0.800"]]
    np.testing.assert_allclose(np.array([row[3:] for row in table], float), wanted, atol=0.1)
    assert "2 thing(s) found" in result.stdout
    drawn = read_picture(tmp_path / "found.png")
    assert drawn.shape == scene.shape
    assert (drawn != scene).any(-1)[20:110, 30:33].all()
    assert len(rows_of(call("run", file, photo, "--task", "detect", "--iou", "1"), 7)) == 3
    assert len(rows_of(call("run", file, photo, "--task", "detect", "--conf", "0.85"), 7)) == 1
    assert len(rows_of(call("run", file, photo, "--task", "detect", "--top", "1"), 7)) == 1


@pytest.mark.parametrize("size", ["64,96", "?,?"])
def test_segment_tells_the_class_of_each_pixel(tmp_path: Path, scene: np.ndarray, size: str) -> None:
    picture = np.zeros((128, 192, 3), np.uint8)
    picture[:, :48, 0], picture[:, 48:144, 1], picture[:, 144:, 2] = 255, 255, 255
    save_picture(tmp_path / "stripes.png", picture)
    result = call("run", model(tmp_path, PIXELS, size), tmp_path / "stripes.png", "--task", "segment",
                  "-o", tmp_path / "found.png")  # fmt: skip
    assert rows_of(result, 5) == [
        ["1", "class", "1", "12288", "50.00%"],
        ["0", "class", "0", "6144", "25.00%"],
        ["2", "class", "2", "6144", "25.00%"],
    ]
    drawn = read_picture(tmp_path / "found.png")
    assert drawn.shape[0] > 128
    np.testing.assert_array_equal(drawn[:128, :40], picture[:, :40])
    assert (drawn[:128, 60:130] != picture[:, 60:130]).any(-1).all()


def test_keep_shows_an_operator_too(tmp_path: Path, photo: Path) -> None:
    result = call("run", model(tmp_path, PIXELS, "32,32"), photo, "--task", "segment", "--keep", "relu")
    assert any(line.startswith("relu") for line in result.stdout.splitlines())


@pytest.mark.slow
def test_what_does_not_fit_the_task_is_explained(tmp_path: Path, photo: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((1, 3, 32, 32), np.float32))
    pixels = model(tmp_path, PIXELS, "32,32")
    cases: dict[str, tuple[object, ...]] = {
        "--task is one of classify, detect, segment": (photo, "--task", "draw"),
        "--iou means nothing to --task segment": (photo, "--task", "segment", "--iou", "0.5"),
        "--conf, --labels means nothing to kuiper run without --task": (photo, "--conf", "0.5", "--labels", "coco"),
        "expected one picture (.png, .jpg, .jpeg, .bmp), found none": ("--task", "detect"),
        f"(.png, .jpg, .jpeg, .bmp), found {tmp_path}": (tmp_path / "x.npy", "--task", "detect"),
        "expected (N,boxes,5+classes)": (photo, "--task", "detect"),
        "--task classify: expected an output (N,classes), found (1,3,32,32)": (photo, "--task", "classify"),
        "expected 3 names, one for each class, found 80": (photo, "--task", "segment", "--labels", "coco"),
        "--conf: expected an output (N,1,H,W) for a threshold": (photo, "--task", "segment", "--conf", "0.5"),
        "ends in .png, .npz or .npy": (photo, "--task", "segment", "-o", tmp_path / "y.jpg"),
        ".png with --task": (photo, "-o", tmp_path / "y.png"),
        "no such file": (tmp_path / "none.png", "--task", "segment"),
    }  # fmt: skip
    for expected, typed in cases.items():
        assert expected in error_of("run", pixels, *typed)
    wide = model(tmp_path, PIXELS.replace("(1,3,", "(1,4,"), "32,32")
    assert "a network with one input (N,3,H,W), found (1,4,32,32)" in error_of("run", wide, photo, "--task", "segment")
