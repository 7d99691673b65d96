"""The viewer's still drawing, the families it is told, and the values it shows, against the model files and kuiper."""

from __future__ import annotations

import base64
import io
import json
import re
import tomllib
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import kuiper
from classroom.live import values
from classroom.live.kernel import PageKernel
from classroom.site import moving_places, viewer
from classroom.site.viewer import drawing, stored
from classroom.site.viewer.drawing import COLOURS, draw
from kuiper.errors import KuiperError
from kuiper.layers import registry
from kuiper.show.palette import SWATCHES, swatch_of

ROOT = Path(__file__).resolve().parents[3]


snippet = cache(viewer.snippet)


def file_of(name: str) -> Path:
    model = name.removeprefix("graph_")
    return ROOT / "models" / model / f"{model}.pnnx.param"


def lines_of(name: str) -> dict[str, list[str]]:
    """Operator -> its line of the model file, split at blanks: type, name, inputs, outputs, ..."""
    lines = [line.split() for line in file_of(name).read_text(encoding="utf-8").splitlines()[2:] if line.strip()]
    return {line[1]: line for line in lines}


def data_of(html: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json">(.*?)</script>', html)
    assert found
    return json.loads(found[1])


@pytest.fixture(params=viewer.NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


def test_the_page_has_the_text_of_the_file(name: str) -> None:
    data = data_of(snippet(name))
    assert data["param"] == file_of(name).read_text(encoding="utf-8")
    assert (data["file"], data["model"]) == (file_of(name).name, name.removeprefix("graph_"))


def test_the_still_drawing_shows_every_operator_and_line_of_the_file(name: str) -> None:
    lines, shown = lines_of(name), draw(kuiper.load(file_of(name)), "label")
    assert sorted(shown.names) == sorted(lines)
    drawn = re.findall(r'data-op="\d+"><rect [^>]*/><text [^>]*>([^<]*)</text>', snippet(name))
    assert [kind.split("…")[0] for kind in drawn] == [
        lines[op][0][: len(kind.split("…")[0])] for kind, op in zip(drawn, shown.names, strict=True)
    ]
    reads = {op: line[4 : 4 + int(line[2])] for op, line in lines.items()}
    made = {x: op for op, line in lines.items() for x in line[4 + int(line[2]) :][: int(line[3])]}
    expected = sorted((shown.names.index(made[x]), shown.names.index(op)) for op in lines for x in reads[op])
    assert sorted(shown.edges) == expected
    assert [(int(a), int(b)) for a, b in re.findall(r'data-from="(\d+)" data-to="(\d+)"', snippet(name))] == shown.edges


def test_boxes_do_not_overlap_and_lie_inside_the_drawing(name: str) -> None:
    html = snippet(name)
    view = re.search(r'viewBox="0 (\S+) (\S+) (\S+)"', html)
    assert view
    top, width, height = map(float, view.groups())
    found = re.findall(r'data-op="\d+"><rect x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)"', html)
    boxes = sorted((float(y), float(x), float(w), float(h)) for x, y, w, h in found)
    assert len(boxes) == len(lines_of(name))
    assert all(x >= 0 and x + w <= width and y >= top and y + h <= top + height for y, x, w, h in boxes)
    for (y, x, w, _), (b, a, *_) in pairwise(boxes):
        assert y != b or x + w <= a


def test_the_caption_counts_operators_and_the_files_numbers() -> None:
    graph = kuiper.load(ROOT / "models" / "digits" / "digits.pnnx.param")
    count = sum(attribute.data.size for op in graph.operators for attribute in op.attributes.values())
    assert f"{len(graph.operators)} operators, {count:,} numbers in the file" in snippet("graph_digits")


def test_every_family_of_operators_has_a_colour_of_its_own() -> None:
    assert list(COLOURS) == [swatch.name for swatch in SWATCHES]
    assert len(set(COLOURS.values())) == len(COLOURS)


def test_the_page_is_told_the_family_of_every_operator_type() -> None:
    told = json.loads(viewer.families_script().removeprefix("globalThis.KuiperViewer.families = ").rstrip(";\n"))
    family = {kind: name for name, kinds in told["members"].items() for kind in kinds}
    assert {kind: family[kind] for kind in registry} == {kind: swatch_of(kind).name for kind in registry}
    assert told["other"] not in COLOURS  # a type without a layer is of no family
    assert told["colours"] == COLOURS | {told["other"]: COLOURS["arithmetic"]}  # as in pictures of graphs


def test_a_drawing_that_is_not_understood_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = kuiper.load(ROOT / "models" / "digits" / "digits.pnnx.param")
    picture = drawing.show_graph(graph)
    monkeypatch.setattr(drawing, "show_graph", lambda _: picture.replace("<g>", "<a>", 1).replace("</g>", "</a>", 1))
    with pytest.raises(viewer.ViewerError, match="expected 26 lines and 24 boxes, found 49"):
        draw(graph, "label")


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(viewer.ViewerError, match="expected one of graph_digits"):
        viewer.snippet("graph_nothing")


def test_the_package_carries_the_styles_and_scripts_that_its_start_loads() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        patterns = tomllib.load(file)["tool"]["setuptools"]["package-data"]["classroom.site.viewer"]
    folder = ROOT / "classroom" / "site" / "viewer"
    assert set(viewer.assets()) <= {path for pattern in patterns for path in folder.glob(pattern)}
    names = {path.name for path in viewer.assets()}
    begun = (folder / "static" / "viewer-start.js").read_text(encoding="utf-8")
    listed = set(re.findall(r'"(viewer[-a-z]*\.js)"', begun))
    assert listed | set(viewer.LOADED) == names | {str(viewer.FAMILIES)}


@pytest.mark.parametrize("path", viewer.assets(), ids=lambda path: path.name)
def test_styles_and_scripts_need_nothing_from_elsewhere_and_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 300
    bare = text.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|//cdn|@import|\bimport\b|\bfetch\(|XMLHttpRequest|url\(|innerHTML|eval\(", bare)


def test_every_network_has_a_place_on_a_page(name: str) -> None:
    assert name in {placement.name for placement in moving_places.PLACEMENTS}


@pytest.mark.parametrize("model", ["digits", "writer"])
def test_stored_values_are_those_that_kuiper_computes(model: str) -> None:
    script = stored.values_script(model)
    told = json.loads(script.partition(" = ")[2].rstrip(";\n"))
    graph = kuiper.load(file_of(f"graph_{model}"))
    assert set(told["of"]) == {op.name for op in graph.operators if op.outputs}
    _, inputs = values.sample(graph, model)
    last = graph.operators[-1].inputs[0]
    assert last.producer is not None
    result = graph(*inputs)[0]
    summary = told["of"][last.producer.name][0]
    assert summary["shape"] == list(result.shape)
    assert summary["max"] == pytest.approx(float(result.max()), rel=1e-4)
    assert summary["first"] == pytest.approx(result.ravel()[: values.FIRST].tolist(), rel=1e-4)


@pytest.mark.parametrize("model", ["classifier", "detector", "segmenter"])
def test_pictures_to_choose_from_are_those_that_were_held_out(model: str) -> None:
    addresses = json.loads(stored.pictures_script(model).partition(" = ")[2].rstrip(";\n"))
    assert len(addresses) == stored.PICTURES
    with np.load(ROOT / "models" / model / "heldout.npz") as data:
        for address, image in zip(addresses, data["images"]):
            file = io.BytesIO(base64.b64decode(address.partition("base64,")[2]))
            assert np.array_equal(np.asarray(Image.open(file)), image)


def test_a_summary_counts_what_is_not_finite_and_measures_the_rest() -> None:
    told = values.summary(np.array([[1.0, np.nan, -3.0, np.inf, 0.0, 0.0]], np.float32))
    assert (told["odd"], told["min"], told["max"], told["mean"]) == (2, -3.0, 1.0, -0.5)
    assert told["zeros"] == pytest.approx(2 / 6)
    assert values.summary(np.array([np.nan], np.float32))["odd"] == 1
    assert "min" not in values.summary(np.zeros((0, 3), np.float32))


def test_maps_are_every_step_th_number_in_signed_bytes() -> None:
    numbers = np.arange(2 * 50 * 30, dtype=float).reshape(1, 2, 50, 30) - 100
    told = values.maps(numbers)
    assert (told["of"], told["shape"], told["step"]) == (2, [2, 17, 15], [3, 2])
    shown = np.frombuffer(base64.b64decode(told["data"]), np.int8).reshape(told["shape"])
    expected = numbers[0][:, ::3, ::2] / told["peak"] * 127
    assert np.abs(shown - expected).max() <= 0.51


def asked(**request: Any) -> dict[str, Any]:
    """The kernel's answer, through JSON as in a page; without the page's replacements of processes."""
    kernel = PageKernel.__new__(PageKernel)
    return json.loads(PageKernel.answer(kernel, json.dumps(request)))


def picture(height: int, width: int) -> dict[str, Any]:
    pixels = np.random.default_rng(1).integers(0, 256, (height, width, 3), np.uint8)
    return {"pixels": base64.b64encode(pixels.tobytes()).decode(), "height": height, "width": width}


@pytest.mark.parametrize(("model", "given", "first"), [
    ("digits", picture(40, 50), [1, 1, 8, 8]), ("classifier", picture(90, 70), [1, 3, 64, 64]),
    ("writer", {"text": "An operator"}, [1, 3]),
])  # fmt: skip
def test_the_kernel_runs_a_network_on_a_readers_input(model: str, given: dict[str, Any], first: list[int]) -> None:
    answer = asked(do="values", model=model, asked=given)
    graph = kuiper.load(file_of(f"graph_{model}"))
    assert set(answer["of"]) == {op.name for op in graph.operators if op.outputs}
    assert answer["of"][graph.inputs[0].producer.name][0]["shape"] == first


def test_the_kernel_says_why_an_input_cannot_be_taken() -> None:
    white = base64.b64encode(bytes([255]) * 300).decode()
    answer = asked(do="values", model="digits", asked={"pixels": white, "height": 10, "width": 10})
    assert "is it blank" in answer["failed"]
    assert "at least one character" in asked(do="values", model="writer", asked={"text": ""})["failed"]


def test_the_kernel_runs_a_network_of_the_readers_own() -> None:
    file = file_of("graph_digits")
    files = {
        "param": file.read_text(encoding="utf-8"),
        "bin": base64.b64encode(file.with_suffix(".bin").read_bytes()).decode(),
    }
    answer = asked(do="own_values", **files, asked=[{"shape": [2, 1, 8, 8], "fill": "ones"}])
    graph = kuiper.load(file)
    result = graph(np.ones((2, 1, 8, 8), np.float32))[0]
    assert graph.outputs[0].producer is not None
    (last,) = answer["of"][graph.outputs[0].producer.name]
    assert last["shape"] == [2, 10] == list(result.shape)
    assert last["max"] == pytest.approx(float(result.max()), rel=1e-4)
    wrong = asked(do="own_values", **files, asked=[{"shape": [1, 3, 8, 8], "fill": "random"}])
    assert "failed" in wrong
    none = asked(do="own_values", param=files["param"], bin="", asked=[])
    assert "no such file" in none["failed"]


def test_inputs_of_the_readers_own_are_what_they_ask_for() -> None:
    graph = kuiper.load(file_of("graph_classifier"))
    (random,) = values.filled_inputs(graph, [{"shape": [1, 3, 4, 5], "fill": "random"}])
    assert random.dtype == np.float32
    assert np.array_equal(random, np.random.default_rng(0).standard_normal((1, 3, 4, 5)).astype(np.float32))
    given = picture(4, 5)
    (shown,) = values.filled_inputs(graph, [{"shape": [1, 3, 4, 5], **given}])
    raw = np.frombuffer(base64.b64decode(given["pixels"]), np.uint8).reshape(4, 5, 3)
    assert np.allclose(shown[0], raw.transpose(2, 0, 1) / 255)
    with pytest.raises(KuiperError, match=r"expected an input \(N,1 or 3,H,W\)"):
        values.filled_inputs(graph, [{"shape": [1, 2, 4, 5], **given}])
    with pytest.raises(KuiperError, match="expected 1 inputs, found 0"):
        values.filled_inputs(graph, [])
