"""`course demo` on the held-out data: what it prints is what was measured when the networks were trained."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kuiper
from classroom import gallery
from classroom.gallery import detect, show, write
from classroom.gallery.piece import Callbacks, DemoOptions
from classroom.gallery.pipeline import Pipeline
from classroom.gallery.show import show_piece as show_piece
from classroom.gallery.terminal import Typewriter
from kuiper.text import Sampler, Tokens
from kuiper.text import write as write_on
from kuiper.vision import Detections, Letterbox, read_picture

FILES = {
    "classify": ["classify.png"],
    "detect": [f"detect_{i}.png" for i in (1, 2, 3, 4)],
    "segment": [f"segment_{i}.png" for i in (1, 2, 3, 4)],
}


def metrics(name: str) -> dict[str, Any]:
    return json.loads((gallery.find(name).folder / "metrics.json").read_text())


def shown(name: str, out: Path, capsys: pytest.CaptureFixture[str], options: DemoOptions | None = None) -> str:
    assert show_piece(name, options, out) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.replace(str(out), "demo").splitlines())) <= 80
    return text


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_pictures_are_saved_where_it_says(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("PIL", reason="saves pictures, and Pillow is not installed")
    text = shown(name, tmp_path / "some" / "folder", capsys)
    assert sorted(file.name for file in (tmp_path / "some" / "folder").iterdir()) == FILES[name]
    assert f"Saved {tmp_path / 'some' / 'folder' / FILES[name][0]}" in text
    for file in FILES[name]:
        assert np.ptp(read_picture(tmp_path / "some" / "folder" / file)) > 100
    stored = metrics(name)
    if name == "classify":
        assert f"{stored['stored_correct']} of {stored['stored_pieces']} held-out pieces" in text
    elif name == "detect":
        assert f"of {stored['stored_digits']} digits found in {stored['stored_scenes']} held-out" in text
        assert f"mAP@0.5 {stored['stored_map50']:.1%}, mAP@0.5:0.95 {stored['stored_map50_95']:.1%}" in text
        assert "says little" not in text
    else:
        assert f"Mean IoU {stored['stored_mean_iou']:.1%}" in text


def test_the_map_of_a_few_photographs_is_said_to_say_little(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("PIL", reason="draws boxes, and Pillow is not installed")
    piece = gallery.find("detect")
    items = piece.sample(DemoOptions(), mine=True)
    one_box = [[[1.0, 1.0, 9.0, 9.0]], [0.5], [0]]
    piece.tell({"found": [one_box] * len(items), "map50": 0.5, "map50_95": 0.25, "seconds": 0.1}, items)
    assert f"The mAP of {len(items)} photographs says little" in capsys.readouterr().out


def test_a_text_comes_token_by_token_and_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces: list[str] = []
    monkeypatch.setattr(Typewriter, "__call__", lambda self, text: pieces.append(text))
    text = shown("write", tmp_path, capsys, DemoOptions(prompt="The function return", tokens=7, temperature=0.0))
    folder = gallery.find("write").folder
    graph, tokens = kuiper.load(folder / "writer.pnnx.param"), Tokens.load(folder / "tokens.json")
    likeliest = list(write_on(graph, tokens, "The function return", 7, sampler=Sampler(temperature=0)))
    assert pieces == ["The function return", *likeliest]
    assert "7 tokens" in text
    assert f"{metrics('write')['stored_bits_per_character']:.2f} bits per character" in text
    assert list(tmp_path.iterdir()) == []


def test_the_same_seed_writes_the_same_and_another_one_something_else(capsys: pytest.CaptureFixture[str]) -> None:
    texts = [write_with(seed) for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def write_with(seed: int) -> str:
    piece = gallery.find("write")
    items = piece.sample(DemoOptions(tokens=12, seed=seed))[:1]
    return piece.look(Pipeline(piece.model, piece.steps), items, Callbacks())["text"]


def test_the_bits_of_certain_and_of_even_chances() -> None:
    assert write.bits(np.array([[0.0, 1000.0], [0.0, 0.0]]), np.array([1, 0])) == pytest.approx(1.0)


def test_a_word_that_would_pass_the_margin_begins_a_new_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    writer = Typewriter()
    for word in ["word"] + [" word"] * 20 + ["\nend"]:
        writer(word)
    writer.end()
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 40
    assert " ".join(lines) == " ".join(["word"] * 21 + ["end"])


@pytest.mark.parametrize("name", ["classify", "detect"])
def test_without_pillow_it_says_how_to_install_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert show_piece(name, None, tmp_path) == 2
    said = capsys.readouterr()
    assert 'pip install -e ".[cli]"' in said.err
    assert said.out == ""


@pytest.mark.parametrize("name", gallery.NAMES)
def test_a_missing_network_is_a_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("classroom.gallery.piece.ROOT", tmp_path)
    assert show_piece(name, None, tmp_path) == 2
    error = capsys.readouterr().err
    assert re.search(r"course: .*\.pnnx\.param is missing; the demo needs the course's folder", error)


def test_missing_data_are_a_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(np, "load", lambda path: Path(f"{path}.none").read_bytes())
    assert show_piece("digits") == 2
    assert "heldout.npz.none is missing" in capsys.readouterr().err


def test_an_error_of_the_framework_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: Any) -> Any:
        raise kuiper.KuiperError("the graph is broken", operator="conv1")

    monkeypatch.setattr(Pipeline, "network", broken)
    assert show_piece("digits") == 2
    assert "course: conv1: the graph is broken" in capsys.readouterr().err


def test_a_reader_who_has_enough_is_no_error() -> None:
    with pytest.raises(BrokenPipeError), show.errors_explained():
        raise BrokenPipeError


def test_a_file_in_the_folders_place_is_told_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("PIL", reason="is told when pictures could be saved, and Pillow is not installed")
    (tmp_path / "file").write_text("")
    assert show_piece("detect", None, tmp_path / "file") == 2
    said = capsys.readouterr()
    assert "is a file: pictures need a folder" in said.err
    assert said.out == ""


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(kuiper.KuiperError, match="cannot be made"):
        show.save_drawings([("x", np.zeros((2, 2, 3), np.uint8))], tmp_path / "file" / "folder")


def test_the_heads_decoded_give_the_networks_own_rows() -> None:
    piece = gallery.find("detect")
    pipeline = Pipeline(piece.model, piece.steps)
    x = piece.sample(DemoOptions())[0].image.transpose(2, 0, 1)[None] / np.float32(255)
    kept = pipeline.network(x, keep=detect.heads_of(pipeline)).kept
    heads = zip(detect.heads_of(pipeline), detect.anchors_of(pipeline), (8, 16, 32))
    rows = np.concatenate([detect.decode(kept[name][0], anchors, stride) for name, anchors, stride in heads])
    np.testing.assert_allclose(rows, pipeline.network(x)[0][0], rtol=1e-4, atol=1e-4)


def test_restore_is_the_letterboxs_way_back_within_a_pixel() -> None:
    image = np.random.default_rng(0).integers(0, 256, (170, 233, 3), np.uint8)
    canvas, scale, top, left = detect.letterbox(image, 256, 256)
    box = Letterbox.fit((170, 233), (256, 256))
    boxes = np.array([[10.0, 20.0, 100.0, 120.0], [0, 0, 233, 170]], np.float32)
    assert canvas.shape == (256, 256, 3)
    back = detect.restore(box.place(boxes), scale, top, left, 170, 233)
    np.testing.assert_allclose(back, boxes, atol=1.0)


def test_a_cut_scene_keeps_its_digits_and_their_places() -> None:
    for scene in gallery.find("detect").sample(DemoOptions()):
        part = detect.cropped(scene)
        assert min(part.image.shape[0] / detect.MIN_CROP[0], part.image.shape[1] / detect.MIN_CROP[1]) >= 1
        x1, y1, x2, y2 = (int(v) for v in part.boxes[0])
        dx, dy = (scene.boxes[0] - part.boxes[0])[:2].astype(int)
        np.testing.assert_array_equal(part.image[y1:y2, x1:x2], scene.image[y1 + dy : y2 + dy, x1 + dx : x2 + dx])


def test_a_digit_counts_once_and_only_with_its_own_class() -> None:
    boxes = np.array([[0.0, 0, 10, 10], [0, 0, 10, 11], [20, 20, 30, 30]])
    scene = detect.AnnotatedImage(np.zeros((40, 40, 3), np.uint8), boxes[[0, 2]], np.array([3, 4]))
    found = Detections(boxes, np.array([0.9, 0.8, 0.7]), np.array([3, 3, 5]))
    assert detect.matches(found, scene) == 1
    assert detect.matches(Detections(boxes, found.scores, np.array([3, 3, 4])), scene) == 2
    assert detect.matches(Detections(boxes[:0], found.scores[:0], found.classes[:0]), scene) == 0
