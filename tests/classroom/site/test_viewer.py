"""The graph viewer's drawing and facts against the model files."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from classroom.site.moving.graph_drawing import COLOURS, draw

import kuiper
from classroom.site import moving
from kuiper.show.palette import SWATCHES

ROOT = Path(__file__).resolve().parents[3]
GRAPHS = [name for name in moving.NAMES if name.startswith("graph_")]


snippet = cache(moving.snippet)


def lines_of(name: str) -> list[list[str]]:
    """The operators' lines of the model file, split at blanks: type, name, inputs, outputs, ..."""
    model = name.removeprefix("graph_")
    text = (ROOT / "models" / model / f"{model}.pnnx.param").read_text(encoding="utf-8")
    return [line.split() for line in text.splitlines()[2:] if line.strip()]


def data_of(html: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json">(.*?)</script>', html)
    assert found
    return json.loads(found[1])


@pytest.fixture(params=GRAPHS)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


def test_the_viewer_knows_every_operator_of_the_file(name: str) -> None:
    html = snippet(name)
    lines, data = lines_of(name), data_of(html)
    assert sorted((op["type"], op["name"]) for op in data["ops"]) == sorted((line[0], line[1]) for line in lines)
    drawn = [int(number) for number in re.findall(r'data-op="(\d+)"', html)]
    assert drawn == list(range(len(lines)))
    shown = re.findall(r'data-op="\d+"><rect [^>]*/><text [^>]*>([^<]*)</text>', html)
    assert [kind.split("…")[0] for kind in shown] == [
        op["type"][: len(kind.split("…")[0])] for kind, op in zip(shown, data["ops"], strict=True)
    ]


def test_operands_shapes_and_weights_are_those_of_the_file(name: str) -> None:
    ops = {op["name"]: op for op in data_of(snippet(name))["ops"]}
    for kind, title, inputs, outputs, *rest in lines_of(name):
        reads, gives, rest = (
            rest[: int(inputs)],
            rest[int(inputs) :][: int(outputs)],
            rest[int(inputs) + int(outputs) :],
        )
        op = ops[title]
        assert [operand for operand, *_ in op["in"]] == [f"#{operand}" for operand in reads], kind
        assert [operand for operand, *_ in op["out"]] == [f"#{operand}" for operand in gives]
        shapes = dict(re.findall(r"#(\S+?)=\(([^)]*)\)\w+", " ".join(rest)))
        for operand, shape, *_ in [*op["in"], *op["out"]]:
            if operand[1:] in shapes:
                assert shape.split()[0] == shapes[operand[1:]].replace(",", "x")
        stored = dict(re.findall(r"@(\S+?)=\(([^)]*)\)\w+", " ".join(rest)))
        assert {key: shape.split()[0] for key, shape, _ in op["weights"]} == {
            key: shape.replace(",", "x") for key, shape in stored.items()
        }
        for key, _, count in op["weights"]:
            sizes = [int(size) for size in stored[key].split(",")]
            product = 1
            for size in sizes:
                product *= size
            assert count == product


def test_lines_lead_from_who_makes_a_value_to_who_reads_it(name: str) -> None:
    data = data_of(snippet(name))
    made = {operand: i for i, op in enumerate(data["ops"]) for operand, _ in op["out"]}
    expected = sorted([made[operand], i] for i, op in enumerate(data["ops"]) for operand, *_ in op["in"])
    assert sorted(data["edges"]) == expected
    html = snippet(name)
    drawn = [[int(a), int(b)] for a, b in re.findall(r'data-from="(\d+)" data-to="(\d+)"', html)]
    assert drawn == data["edges"]
    assert all(source < target for source, target in drawn)


def test_boxes_do_not_overlap_and_lie_inside_the_drawing(name: str) -> None:
    html = snippet(name)
    view = re.search(r'viewBox="0 (\S+) (\S+) (\S+)"', html)
    assert view
    top, width, height = map(float, view.groups())
    found = re.findall(r'data-op="\d+"><rect x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)"', html)
    boxes = sorted((float(y), float(x), float(w), float(h)) for x, y, w, h in found)
    assert all(x >= 0 and x + w <= width and y >= top and y + h <= top + height for y, x, w, h in boxes)
    for (y, x, w, _), (b, a, *_) in pairwise(boxes):
        assert y != b or x + w <= a


def test_the_caption_counts_operators_and_weights() -> None:
    graph = kuiper.load(ROOT / "models" / "digits" / "digits.pnnx.param")
    count = sum(attribute.data.size for op in graph.operators for attribute in op.attributes.values())
    assert f"{len(graph.operators)} operators and {count:,} weights" in moving.snippet("graph_digits")


def test_every_family_of_operators_has_a_colour_of_its_own() -> None:
    assert list(COLOURS) == [swatch.name for swatch in SWATCHES]
    assert len(set(COLOURS.values())) == len(COLOURS)


def test_a_drawing_that_is_not_understood_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = kuiper.load(ROOT / "models" / "digits" / "digits.pnnx.param")
    from classroom.site.moving import graph_drawing

    picture = graph_drawing.show_graph(graph)
    monkeypatch.setattr(
        graph_drawing, "show_graph", lambda _: picture.replace("<g>", "<a>", 1).replace("</g>", "</a>", 1)
    )
    with pytest.raises(moving.MovingError, match="expected 26 lines and 24 boxes, found 49"):
        draw(graph, "label")
