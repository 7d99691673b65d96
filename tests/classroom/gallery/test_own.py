"""`course demo PIECE --picture FILE --model FILE`, and options that do not go together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PIL", reason="reads pictures, and Pillow is not installed")

from typer.testing import CliRunner, Result

from classroom.cli import app
from classroom.register import ROOT
from kuiper import pnnx
from kuiper.vision import read_picture, save_picture

SCORES = """7767517
4 3
pnnx.Input     in     0 1 0 #0=(1,3,32,32)f32
pnnx.Attribute scores 0 1 1 #1=(1,1000)f32
nn.ReLU        relu   1 1 1 2 #1=(1,1000)f32 #2=(1,1000)f32
pnnx.Output    out    1 0 2 #2=(1,1000)f32
"""
"""A classifier of ImageNet's 1,000 classes that always says the same."""
ROWS = SCORES.replace("(1,1000)", "(1,90,85)").replace("(1,3,32,32)", "(1,3,64,64)")
"""A detector of COCO's 80 classes that always finds the same."""
PIXELS = """7767517
3 2
pnnx.Input  in   0 1 0 #0=(1,3,32,32)f32
nn.ReLU     relu 1 1 0 1 #0=(1,3,32,32)f32 #1=(1,3,32,32)f32
pnnx.Output out  1 0 1 #1=(1,3,32,32)f32
"""
"""Three classes of pixels: red, green, blue."""


def demo(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["demo", *map(str, arguments)], env={"NO_COLOR": "1", "COLUMNS": "80"})
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    printed = [line for line in result.stdout.splitlines() if not line.startswith("Saved")]
    assert max(map(len, printed), default=0) <= 80
    return result


def error_of(*arguments: object) -> str:
    return " ".join(demo(*arguments, code=2).stderr.split())


def network(folder: Path, text: str, constants: np.ndarray | None = None) -> Path:
    """A network of the user's own; `constants` are what its pnnx.Attribute holds."""
    file = folder / "net.pnnx.param"
    file.write_text(text)
    if constants is not None:
        graph = pnnx.read(file)
        attribute = pnnx.Attribute.from_array(constants[None].astype(np.float32))
        graph.operator("scores").attributes = {"data": attribute}
        pnnx.write(graph, str(file), str(file).replace(".param", ".bin"))
    return file


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """(90,120): red at the left, blue at the right."""
    picture = np.zeros((90, 120, 3), np.uint8)
    picture[:, :60, 0] = picture[:, 60:, 2] = 255
    save_picture(tmp_path / "photo.png", picture)
    return tmp_path / "photo.png"


def test_a_classifier_of_imagenet_names_the_picture(tmp_path: Path, photo: Path) -> None:
    model = network(tmp_path, SCORES, np.eye(1, 1000, 285)[0] * 20)
    result = demo("classify", "--picture", photo, "--model", model, "--out", tmp_path / "out")
    assert "Egyptian" in result.stdout
    assert f"Saved {tmp_path / 'out' / 'photo_classify.png'}" in result.stdout.replace("\n", "")
    drawn = read_picture(tmp_path / "out" / "photo_classify.png")
    np.testing.assert_array_equal(drawn[:90, :120], read_picture(photo))
    assert len(drawn) > 90, "the names stand below"


def test_a_yolov5_of_coco_finds_things_in_the_pictures_own_pixels(tmp_path: Path, photo: Path) -> None:
    rows = np.zeros((90, 85))
    rows[7, :5], rows[7, 5 + 16] = (32, 32, 32, 24, 0.9), 1.0
    result = demo("detect", "--picture", photo, "--model", network(tmp_path, ROWS, rows), "--out", tmp_path / "out")
    (line,) = (line.split() for line in result.stdout.splitlines() if line.startswith("dog"))
    np.testing.assert_allclose([float(x) for x in line[1:]], [0.9, 30, 22.5, 90, 67.5], atol=0.6)
    assert (tmp_path / "out" / "photo_detect.png").is_file()


def test_masks_of_a_network_of_ones_own(tmp_path: Path, photo: Path) -> None:
    result = demo("segment", "--picture", photo, "--model", network(tmp_path, PIXELS), "--out", tmp_path)
    shares = {line.split()[0]: line.split()[-1] for line in result.stdout.splitlines() if "class " in line}
    assert shares["0"].startswith(("49", "50"))
    assert shares["2"].startswith(("49", "50"))


@pytest.mark.parametrize("name", ["classify", "detect", "segment"])
def test_the_gallerys_own_networks_look_at_a_picture(name: str, tmp_path: Path, photo: Path) -> None:
    result = demo(name, "--picture", photo, "--out", tmp_path)
    assert "photo.png, by " in result.stdout
    assert (tmp_path / f"photo_{name}.png").is_file()


def drawn(folder: Path, index: int, paper: int, ink: int) -> tuple[Path, int]:
    """A held-out scan as a photograph of 150x210, off the middle, and its label."""
    with np.load(ROOT / "models" / "digits" / "heldout.npz") as data:
        scan, label = data["images"][index] / 16.0, int(data["labels"][index])
    picture = np.full((150, 210, 3), float(paper))
    strokes = scan.repeat(12, axis=0).repeat(12, axis=1)[..., None]
    picture[20:116, 100:196] += strokes * (ink - paper)
    save_picture(folder / "digit.png", picture.astype(np.uint8))
    return folder / "digit.png", label


@pytest.mark.parametrize(("paper", "ink"), [(230, 30), (20, 240)])
def test_a_digit_of_ones_own_is_read_on_light_and_on_dark_paper(tmp_path: Path, paper: int, ink: int) -> None:
    read = []
    for index in range(8):
        file, label = drawn(tmp_path, index, paper, ink)
        lines = demo("digits", "--picture", file).stdout.splitlines()
        assert lines[0] == "digit.png, by digits.pnnx.param"
        guess = next(line for line in lines if "%" in line).split()[0]
        read.append(guess == str(label))
    assert sum(read) >= 7


def test_a_picture_without_a_digit(tmp_path: Path) -> None:
    save_picture(tmp_path / "blank.png", np.full((40, 60, 3), 200, np.uint8))
    assert "is it blank?" in error_of("digits", "--picture", tmp_path / "blank.png")


@pytest.mark.parametrize("name", ["digits", "segment"])
def test_every_piece_refuses_what_is_no_picture(name: str, tmp_path: Path) -> None:
    (tmp_path / "text.png").write_text("no picture")
    assert "found no such file" in error_of(name, "--picture", tmp_path / "none.png")
    assert "expected a file that can be read" in error_of(name, "--picture", tmp_path / "text.png")
    assert "notes.txt: expected a picture (.png, .jpg" in error_of(name, "--picture", "notes.txt")


def test_pictures_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "broken.jpg").write_bytes(b"\xff\xd8 and nothing more")
    assert "expected a picture, found no such file" in error_of("detect", "--picture", tmp_path / "none.jpg")
    assert "found it damaged" in error_of("detect", "--picture", tmp_path / "broken.jpg")
    assert "notes.txt: expected a picture (.png, .jpg" in error_of("classify", "--picture", "notes.txt")


def test_a_network_that_is_not_there(photo: Path) -> None:
    error = error_of("detect", "--picture", photo, "--model", photo.with_name("yolo.pnnx.param"))
    assert "expected a model file, its stem, or a folder, found no such file" in error


def test_a_network_that_does_something_else(tmp_path: Path, photo: Path) -> None:
    error = error_of("detect", "--picture", photo, "--model", network(tmp_path, PIXELS), "--out", tmp_path)
    assert "outputs of YOLOv5: expected (N,boxes,5+classes)" in error


def test_options_that_do_not_go_together() -> None:
    assert "--picture means nothing to demo write; it belongs to digits, classify, detect, segment" in error_of(
        "write", "--picture", "x.jpg"
    )
    assert "--model means nothing to demo digits" in error_of("digits", "--picture", "x.jpg", "--model", "x")
    assert "--seed means nothing to demo detect; it belongs to write" in error_of("detect", "--seed", 3)
    assert "--prompt means nothing to demo all" in error_of("all", "--prompt", "If")
    assert "--model needs --picture" in error_of("detect", "--model", "x")
    assert "leave --picture out" in error_of("detect", "--mine", "--picture", "x.jpg")
    assert "the demo has digits, classify, detect, segment, write and all, not 'dance'" in error_of("dance")
    assert "prompt: expected at most 192 tokens" in error_of("write", "--prompt", "word " * 200)
    assert "top p: expected a number above 0" in error_of("write", "--top-p", 0)


def test_the_list_names_every_piece() -> None:
    lines = demo("--list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["Piece", "digits", "classify", "detect", "segment", "write"]


def test_all_runs_every_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = []
    monkeypatch.setattr("classroom.gallery.show.show_piece", lambda name, options, out: ran.append((name, out)) or 0)
    demo("all", "--out", tmp_path)
    assert ran == [(name, tmp_path) for name in ("digits", "classify", "detect", "segment", "write")]
