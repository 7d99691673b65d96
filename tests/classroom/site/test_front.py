"""The front page: its claims come from the register and the models, its network is that of models/digits."""

from __future__ import annotations

import base64
import io
import json
import re
import shutil
from pathlib import Path
from pathlib import PurePosixPath as P

import numpy as np
import pytest

import kuiper
from classroom import register
from classroom.lesson_words import MINUTES_A_POINT, course_hours
from classroom.site import front, pages_front
from classroom.site.front import exhibits, network
from classroom.site.tree import EXTRA, Tree

DIGITS = register.ROOT / "models/digits"


def index(tree: Tree) -> str:
    """The front page as Sphinx reads it."""
    return (tree.folder / pages_front.INDEX).read_text(encoding="utf-8")


def shipped() -> dict:
    """The network as the page gets it."""
    return json.loads(network.script(DIGITS).removeprefix("globalThis.KUIPER_NETWORK = ").rstrip(";\n"))


def test_the_hours_are_those_of_the_register(tree: Tree) -> None:
    minutes = sum(lesson.time for lesson in tree.course.lessons)
    exercises_of_all = [one for lesson in tree.course.lessons for one in lesson.exercises if not one.stretch]
    solving = sum(one.time or one.points * MINUTES_A_POINT for one in exercises_of_all)
    hours, exercises = course_hours(tree.course)
    assert abs(hours - minutes / 60) <= 0.5
    assert abs(exercises - solving / 60) <= 0.5
    assert f"{len(tree.course.lessons)} lessons, about {hours} hours to read and run" in index(tree)


def test_it_has_one_way_into_lesson_1_one_download_and_no_command(tree: Tree) -> None:
    text = index(tree)
    assert text.count('class="front-door first"') == 1
    assert 'href="lessons/01_first_tests/01_first_tests.html">Start lesson 1<' in text
    assert text.count(" download>") == 1
    assert f'href="{pages_front.DOWNLOAD}" download>Download the course (19 MB)<' in text
    assert "python3" not in text
    assert "course.py" not in text


def test_without_an_archive_there_is_no_button_for_it(tree: Tree) -> None:
    assert "download" not in exhibits.doors(tree.course, "a.html", "b.zip", 0)


def test_the_counts_are_those_of_the_network(tree: Tree) -> None:
    graph = kuiper.load(DIGITS / "digits.pnnx.param")
    weights = sum(one.data.size for operator in graph.operators for one in operator.attributes.values())
    assert f"lie {len(graph.operators)} operators and {weights:,} weights" in index(tree)
    assert shipped()["parameters"] == weights


def test_every_file_that_it_shows_is_beside_it_and_made_the_same_again(tree: Tree) -> None:
    files = re.findall(r'(?:src|href)="((?:front|download/0)[^"]*)"', index(tree))
    assert {P(file).suffix for file in files} == {".js", ".jpg"}
    assert all((tree.folder / EXTRA / file).is_file() for file in files)
    assert (tree.folder / EXTRA / pages_front.NETWORK).read_text(encoding="utf-8") == network.script(DIGITS)


def test_a_picture_says_what_the_network_found(tree: Tree) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs Pillow")
    alts = re.findall(r'<img src="(front/[^"]+)" alt="([^"]+)" width="(\d+)" height="(\d+)"', index(tree))
    assert len(alts) == 2
    for file, alt, width, height in alts:
        assert re.search(r"\d+%", alt), alt
        with image.open(tree.folder / EXTRA / file) as picture:
            assert picture.size == (int(width), int(height))


def test_the_picture_of_links_has_the_size_that_their_readers_crop_to(tree: Tree) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs Pillow")
    data = (tree.folder / EXTRA / pages_front.SHARED).read_bytes()
    with image.open(io.BytesIO(data)) as picture:
        assert (picture.format, picture.size) == ("PNG", (1200, 630))


def test_the_script_has_the_graph_and_its_weights() -> None:
    value, graph = shipped(), kuiper.load(DIGITS / "digits.pnnx.param")
    weights = np.frombuffer(base64.b64decode(value["weights"]), "<f4")
    assert [one["name"] for one in value["operators"]] == [one.name for one in graph.operators]
    for one, operator in zip(value["operators"], graph.operators, strict=True):
        assert set(one["arrays"]) == set(operator.attributes)
        for name, place in one["arrays"].items():
            data = operator.attributes[name].data
            found = weights[place["at"] : place["at"] + data.size].reshape(place["shape"])
            np.testing.assert_array_equal(found, data)


def test_the_stages_end_with_the_scores_and_draw_no_result_that_an_activation_alone_reads() -> None:
    graph = kuiper.load(DIGITS / "digits.pnnx.param")
    stages = network.stages(graph)
    drawn = [one["value"] for one in stages]
    assert drawn[-1] == graph.operators[-1].inputs[0].name
    relus = [one for one in graph.operators if one.type == "nn.ReLU"]
    assert {one.outputs[0].name for one in relus} <= set(drawn)
    assert not {one.inputs[0].name for one in relus} & set(drawn)
    assert all(one["words"] for one in stages)


def test_the_scans_are_one_of_each_digit() -> None:
    with np.load(DIGITS / "heldout.npz") as data:
        known = {tuple(image.ravel().tolist()): int(label) for image, label in zip(data["images"], data["labels"])}
    assert [known[tuple(scan)] for scan in shipped()["scans"]] == list(range(10))


def test_what_the_page_computes_is_what_the_writer_accepts() -> None:
    text = (front.STATIC / front.RUN).read_text(encoding="utf-8")
    layers = re.findall(r'^    "([\w.]+)": \(', text, re.M)
    assert {*layers, "pnnx.Input", "pnnx.Output"} == network.SUPPORTED


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("nn.Sigmoid ", "nn.Tanh    ", "expected operators of .*, found nn.Tanh"),
        ("ceil_mode=False", "ceil_mode=True", "pool: expected ceil_mode=False, found True"),
    ],
)
def test_a_network_that_the_page_cannot_run_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    folder = tmp_path / "digits"
    shutil.copytree(DIGITS, folder)
    param = folder / "digits.pnnx.param"
    text = param.read_text(encoding="utf-8")
    assert old in text
    param.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(network.NetworkError, match=said):
        network.script(folder)
