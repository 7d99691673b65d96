"""Pictures of graphs: complete, valid, the same each time, and with boxes and lines that keep apart."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper import dtypes
from kuiper.errors import GraphError, KuiperError
from kuiper.pnnx import Graph, Operand, Operator, Parameter, ParameterKind
from kuiper.runtime import RuntimeGraph
from kuiper.show import show_graph
from kuiper.show.layout import layered

NS = "{http://www.w3.org/2000/svg}"
F32 = dtypes.DTYPES["f32"]
quick = settings(max_examples=40, deadline=None)


def graph_of(
    lines: list[tuple[str, str, list[str], list[str]]], shape: tuple[int, ...] | None = (1, 64, 56, 56)
) -> Graph:
    """(type, name, operands read, operands written) per operator."""
    graph = Graph()
    operand = {name: Operand(name, shape=shape, dtype=F32) for *_, ins, outs in lines for name in ins + outs}
    for kind, name, ins, outs in lines:
        graph.operators.append(Operator(kind, name, [operand[i] for i in ins], [operand[o] for o in outs]))
    graph.operands = operand
    return graph


def residual() -> Graph:
    return graph_of(
        [
            ("pnnx.Input", "pnnx_input_0", [], ["0"]),
            ("nn.Conv2d", "layer1.0.conv1", ["0"], ["1"]),
            ("nn.ReLU", "layer1.0.relu", ["1"], ["2"]),
            ("nn.Conv2d", "layer1.0.conv2", ["2"], ["3"]),
            ("pnnx.Expression", "pnnx_expr_0", ["3", "0"], ["4"]),
            ("torch.chunk", "torch.chunk_1", ["4"], ["5", "6"]),
            ("torch.cat", "torch.cat_2", ["6", "5", "5"], ["7"]),
            ("pnnx.Output", "pnnx_output_0", ["7"], []),
        ]
    )


@st.composite
def random_graphs(draw: st.DrawFn) -> Graph:
    lines: list[tuple[str, str, list[str], list[str]]] = [("pnnx.Input", "in", [], ["v"])]
    made = ["v"]
    for i in range(draw(st.integers(1, 13))):
        reads = draw(st.lists(st.sampled_from(made), min_size=0, max_size=4))
        writes = [f"v{i}.{k}" for k in range(draw(st.integers(1, 3)))]
        lines.append(("nn.ReLU" if reads else "pnnx.Attribute", f"op{i}" * draw(st.integers(1, 6)), reads, writes))
        made += writes
    return graph_of(lines)


def boxes(svg: str) -> dict[str, tuple[float, float, float, float]]:
    """Operator name -> left, top, right, bottom of its box."""
    found = {}
    for group in ElementTree.fromstring(svg).iter(f"{NS}g"):
        rect, title = group.find(f"{NS}rect"), group.find(f"{NS}title")
        if rect is not None and title is not None:
            x, y, w, h = (float(rect.get(key, "nan")) for key in ("x", "y", "width", "height"))
            found[str(title.text).split(" (")[0]] = (x, y, x + w, y + h)
    return found


def lines(svg: str) -> dict[str, list[tuple[float, float]]]:
    """Title and number of each line -> many points on it."""
    found = {}
    for i, group in enumerate(ElementTree.fromstring(svg).iter(f"{NS}g")):
        path = group.find(f"{NS}path")
        if path is not None:
            found[f"{group.findtext(f'{NS}title')} {i}"] = points(path.get("d", ""))
    return found


def points(path: str) -> list[tuple[float, float]]:
    result: list[tuple[float, float]] = []
    for command, text in re.findall(r"([MVC])([^MVC]*)", path):
        v = [float(word) for word in text.split()]
        if command == "M":
            result.append((v[0], v[1]))
            continue
        x, y = result[-1]
        corners = [(x, y), (v[0], v[1]), (v[2], v[3]), (v[4], v[5])] if command == "C" else [(x, y), (x, v[0])]
        n = len(corners) - 1
        for step in range(1, 21):
            t = step / 20
            weight = [math.comb(n, i) * t**i * (1 - t) ** (n - i) for i in range(n + 1)]
            result.append(
                (sum(w * c[0] for w, c in zip(weight, corners)), sum(w * c[1] for w, c in zip(weight, corners)))
            )
    return result


def overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def texts(svg: str) -> list[str]:
    return [str(t.text) for t in ElementTree.fromstring(svg).iter(f"{NS}text")]


def test_the_picture_holds_each_operator_once_and_a_line_per_slot() -> None:
    svg = show_graph(residual())
    assert set(boxes(svg)) == {op.name for op in residual()}
    assert {op.name for op in residual()} <= set(texts(svg))
    assert len(lines(svg)) == sum(len(op.inputs) for op in residual())


def test_each_operand_bears_its_shape_and_type_once() -> None:
    assert texts(show_graph(residual())).count("1x64x56x56 f32") == 8


def test_an_unknown_size_is_a_question_mark_and_an_unknown_shape_has_no_label() -> None:
    chain = [("pnnx.Input", "in", [], ["0"]), ("nn.ReLU", "relu", ["0"], ["1"])]
    assert "1x?x16 f32" in texts(show_graph(graph_of(chain, (1, -1, 16))))
    unknown = graph_of(chain, None)
    for operand in unknown.operands.values():
        operand.dtype = None
    assert set(texts(show_graph(unknown))) == {"in", "relu", "pnnx.Input", "nn.ReLU", "input, output", "activation"}


@quick
@given(random_graphs())
def test_boxes_keep_apart_and_lie_inside_the_picture(graph: Graph) -> None:
    svg = show_graph(graph)
    found = list(boxes(svg).values())
    root = ElementTree.fromstring(svg)
    assert len(found) == len(graph.operators)
    assert not any(overlap(a, b) for i, a in enumerate(found) for b in found[:i])
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    assert all(a[0] >= 0 and a[1] >= 0 and a[2] <= width and a[3] <= height for a in found)


@quick
@given(random_graphs())
def test_lines_go_from_producer_down_to_consumer_and_through_no_box(graph: Graph) -> None:
    svg = show_graph(graph)
    placed = boxes(svg)
    for name, path in lines(svg).items():
        source, target = re.match(r".*?: (.*) → (.*) \d+$", name).groups()  # type: ignore[union-attr]
        assert path[0][1] == placed[source][3]
        assert placed[source][0] < path[0][0] < placed[source][2]
        assert path[-1][1] <= placed[target][1]
        assert placed[target][0] < path[-1][0] < placed[target][2]
        assert all(low <= high for (_, low), (_, high) in pairwise(path))
        for x, y in path:
            inside = [n for n, (left, top, right, bottom) in placed.items() if left < x < right and top < y < bottom]
            assert not inside


@quick
@given(random_graphs())
def test_every_operator_stands_below_those_that_it_reads_from(graph: Graph) -> None:
    placed = boxes(show_graph(graph))
    producer = {operand.name: op.name for op in graph for operand in op.outputs}
    for op in graph:
        for operand in op.inputs:
            assert placed[producer[operand.name]][3] < placed[op.name][1]


def test_the_same_graph_gives_the_same_text() -> None:
    assert show_graph(residual(), title="a").text == show_graph(residual(), title="a").text


def test_a_straight_chain_is_drawn_in_one_column() -> None:
    chain = [("pnnx.Input", "op0", [], ["0"])] + [("nn.ReLU", f"op{i}", [f"{i - 1}"], [f"{i}"]) for i in range(1, 30)]
    middles = {round(left + right) for left, _, right, _ in boxes(show_graph(graph_of(chain))).values()}
    assert len(middles) == 1


def test_a_runtime_graph_looks_like_the_graph_of_its_file() -> None:
    assert show_graph(RuntimeGraph.from_graph(residual())) == show_graph(residual())


def test_operators_out_of_order_are_drawn_in_order() -> None:
    graph = residual()
    graph.operators.reverse()
    placed = boxes(show_graph(graph))
    assert placed["pnnx_input_0"][1] < placed["layer1.0.conv1"][1] < placed["pnnx_output_0"][1]


def test_part_of_a_graph_shows_what_comes_from_outside() -> None:
    graph = residual()
    part = Graph(graph.operators[2:5])
    assert "from outside: 1" in boxes(show_graph(part))
    assert "from outside: 0" in boxes(show_graph(part))


def test_weights_stand_right_above_their_reader() -> None:
    graph = residual()
    weight = Operand("w")
    graph.operators.insert(0, Operator("pnnx.Attribute", "weight", [], [weight]))
    graph.operators[5].inputs.append(weight)
    placed = boxes(show_graph(graph))
    assert placed["weight"][1] == placed["layer1.0.conv2"][1]


def test_names_with_xml_characters_are_escaped_and_kept() -> None:
    name = "a<b>&\"c'\x01</svg>"
    graph = graph_of([("pnnx.Input", name, [], ["<0>"]), ("nn.<ReLU>", "relu", ["<0>"], ["&1"])])
    graph.operators[1].params["k&"] = Parameter(ParameterKind.STRING, "<v>")
    svg = show_graph(graph, title="<title>&")
    assert name.replace("\x01", "\ufffd") in texts(svg)
    assert "<title>&" in texts(svg)
    assert "k&=<v>" in "".join(ElementTree.fromstring(svg).itertext())


def test_a_long_name_is_shortened_in_the_box_and_whole_in_its_tip() -> None:
    name = "encoder." * 20
    svg = show_graph(graph_of([("pnnx.Input", name, [], ["0"])]))
    assert list(boxes(svg)) == [name]
    left, _, right, _ = boxes(svg)[name]
    assert right - left < 300


def test_a_picture_says_what_it_shows_to_those_who_cannot_see_it() -> None:
    root = ElementTree.fromstring(show_graph(residual(), title="A residual block"))
    assert root.get("role") == "img"
    assert root.findtext(f"{NS}title") == "A residual block"
    assert "8 operators" in str(root.findtext(f"{NS}desc"))
    assert "A residual block" in str(root.get("aria-label"))


def test_an_empty_graph_is_an_empty_picture() -> None:
    assert boxes(show_graph(Graph())) == {}


@pytest.mark.parametrize("thing", [None, 3, "graph", object()])
def test_what_is_no_graph_is_refused(thing: object) -> None:
    with pytest.raises(KuiperError, match=r"expected a pnnx\.Graph or a RuntimeGraph"):
        show_graph(thing)


def test_a_cycle_is_named() -> None:
    with pytest.raises(GraphError, match="cycle: a -> b -> a"):
        show_graph(graph_of([("nn.ReLU", "a", ["1"], ["0"]), ("nn.ReLU", "b", ["0"], ["1"])]))


def test_two_operators_of_one_name_are_refused() -> None:
    with pytest.raises(GraphError, match="different names"):
        show_graph(graph_of([("nn.ReLU", "a", [], ["0"]), ("nn.ReLU", "a", ["0"], ["1"])]))


def test_a_layout_of_two_crossed_pairs_has_no_crossing() -> None:
    layout = layered([10.0] * 4, [(0, 3), (1, 2)])
    assert (layout.x[0] < layout.x[1]) == (layout.x[3] < layout.x[2])
