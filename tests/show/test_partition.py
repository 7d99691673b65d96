"""Pictures of partitions: colours by sub-graph, bars by device that do not overlap, the same text each time."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import KuiperError
from kuiper.partition import Device, NodeGraph, Partition, partition, schedule
from kuiper.show import Svg, show_partition, show_schedule

NS = "{http://www.w3.org/2000/svg}"
ACC, CPU = Device("ACC", operators={"conv", "relu"}), Device("CPU")


def split_of(ops: str) -> Partition:
    """A chain, c for conv and s for sigmoid, behind an input node."""
    names = {"c": "conv", "s": "sigmoid"}
    nodes = [["input", [], [0]], *([names[op], [i], [i + 1]] for i, op in enumerate(ops))]
    return partition(NodeGraph.from_lists(nodes, {0: {"kind": "input"}}), [ACC, CPU], "fewest", min_nodes=0)


def boxes(svg: Svg) -> dict[str, dict[str, float | str]]:
    """Tip of each box that has one -> its rectangle."""
    found = {}
    for group in ElementTree.fromstring(svg.text).iter(f"{NS}g"):
        tip, rect = group.find(f"{NS}title"), group.find(f"{NS}rect")
        if tip is not None and rect is not None:
            sizes = {key: float(rect.attrib[key]) for key in ("x", "y", "width", "height")}
            found[str(tip.text)] = {**sizes, "fill": rect.attrib["fill"]}
    return found


def test_nodes_of_one_subgraph_share_a_colour_and_neighbours_differ() -> None:
    split = split_of("ccsscc")
    svg = show_partition(split)
    fills = {tip: box["fill"] for tip, box in boxes(svg).items()}
    by_part = [
        {fills[f"{part.index}: node {v} ({split.graph.nodes[v].type})"] for v in part.nodes} for part in split.subgraphs
    ]
    assert [len(colours) for colours in by_part] == [1, 1, 1]
    assert len(set.union(*by_part)) == 3
    legend = [element.text for element in ElementTree.fromstring(svg.text).iter(f"{NS}text")][1:5]
    assert legend == ["input, output", "sub-graph 0, ACC", "sub-graph 1, CPU", "sub-graph 2, ACC"]


def test_the_legend_of_many_subgraphs_names_the_devices_and_their_two_colours() -> None:
    svg = show_partition(split_of("cs" * 10))
    texts = [element.text for element in ElementTree.fromstring(svg.text).iter(f"{NS}text")]
    assert texts[1:6] == ["input, output", "ACC", "ACC", "CPU", "CPU"]
    assert "19: node 20" in texts


def test_of_many_nodes_each_subgraph_is_one_box_with_what_it_hands_over() -> None:
    split = split_of("c" * 40 + "s" + "c" * 40)
    svg = show_partition(split)
    assert len(boxes(svg)) == 1 + len(split.subgraphs)
    assert all(f"{len(part.nodes)} node" in svg.text for part in split.subgraphs)
    assert len(boxes(show_partition(split_of("c" * 20 + "s" + "c" * 20)))) == 42


def test_shapes_are_those_of_the_pass_where_there_was_one() -> None:
    network = kuiper.load("models/digits/digits.pnnx.param", engine="simple")
    graph = NodeGraph.from_runtime(network, inputs=[np.zeros((32, 1, 8, 8), np.float32)])
    drawn = show_partition(partition(graph, [CPU])).text
    assert "32x1x8x8" in drawn
    assert "?x" not in drawn


def test_a_network_keeps_names_and_shapes() -> None:
    graph = NodeGraph.from_runtime(kuiper.load("models/digits/digits.pnnx.param"))
    svg = show_partition(partition(graph, [Device("ACC", operators={"nn.Conv2d"}), CPU], "fewest", min_nodes=0))
    assert "1: convbn2d_0" in svg.text
    assert "?x32x8x8 f32" in svg.text


@st.composite
def splits(draw: st.DrawFn) -> Partition:
    ops = [draw(st.sampled_from(["conv", "sigmoid"])) for _ in range(draw(st.integers(1, 10)))]
    nodes = [[op, [draw(st.integers(0, i))], [i + 1]] for i, op in enumerate(ops)]
    graph = NodeGraph.from_lists(nodes, {0: {"kind": "input"}})
    return partition(graph, [ACC, CPU], draw(st.sampled_from(["tengine", "fewest"])), min_nodes=0)


@settings(max_examples=40, deadline=None)
@given(splits(), st.booleans())
def test_bars_stand_at_their_wave_inside_the_picture_and_apart(split: Partition, measured: bool) -> None:
    times = {part.index: (part.index * 0.5, part.index * 0.5 + 1.0) for part in split.subgraphs}
    svg = show_schedule(split, times if measured else None)
    assert svg.text == show_schedule(split, times if measured else None).text
    root = ElementTree.fromstring(svg.text)
    bars = {int(re.findall(r"\d+", tip)[0]): box for tip, box in boxes(svg).items()}
    assert sorted(bars) == list(range(len(split.subgraphs)))
    for bar in bars.values():
        assert 0 <= float(bar["x"]) <= float(bar["x"]) + float(bar["width"]) <= float(root.attrib["width"])
        assert 0 <= float(bar["y"]) <= float(bar["y"]) + float(bar["height"]) <= float(root.attrib["height"])
    for i, a in bars.items():
        for j, b in bars.items():
            if i < j:
                aside = float(a["x"]) + float(a["width"]) <= float(b["x"]) or float(b["x"]) + float(
                    b["width"]
                ) <= float(a["x"])
                above = float(a["y"]) + float(a["height"]) <= float(b["y"]) or float(b["y"]) + float(
                    b["height"]
                ) <= float(a["y"])
                assert aside or above
    if not measured:
        starts = [{bars[i]["x"] for i in wave} for wave in schedule(split)]
        assert all(len(xs) == 1 for xs in starts)
        assert sorted(starts, key=min) == starts


def test_the_description_tells_the_waves() -> None:
    svg = show_schedule(split_of("cs"), title="Two devices")
    assert "Gantt chart by device. wave 0: 0, ACC; wave 1: 1, CPU." in svg.text
    assert "<title>Two devices</title>" in svg.text


def test_what_is_no_partition_is_an_error() -> None:
    with pytest.raises(KuiperError, match="show_partition: expected a Partition, found int"):
        show_partition(3)  # type: ignore[arg-type]
    with pytest.raises(KuiperError, match="show_schedule: expected a Partition, found int"):
        show_schedule(3)  # type: ignore[arg-type]


@settings(max_examples=30, deadline=None)
@given(splits())
def test_lines_stay_inside_the_picture(split: Partition) -> None:
    root = ElementTree.fromstring(show_partition(split).text)
    for path in root.iter(f"{NS}path"):
        corners = re.findall(r"([VC])([-\d. ]+)", path.attrib["d"])
        xs = [float(x) for command, numbers in corners if command == "C" for x in numbers.split()[::2]]
        assert all(0 <= x <= float(root.attrib["width"]) for x in xs)
