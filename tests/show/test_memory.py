"""The memory chart: every box where the plan says, the lower bound, and words for those who cannot see it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import KuiperError
from kuiper.fast import BatchPlan
from kuiper.graph import Lifetime, plan_memory
from kuiper.show import show_memory

DIGITS = "models/digits/digits.pnnx.param"
SMALL = """7767517
6 5
pnnx.Input   in   0 1 0 #0=(1,3,4,4)f32
nn.ReLU      relu 1 1 0 1 #0=(1,3,4,4)f32 #1=(1,3,4,4)f32
nn.Sigmoid   sig  1 1 0 2 #0=(1,3,4,4)f32 #2=(1,3,4,4)f32
torch.cat    cat  2 1 1 2 3 dim=1 #1=(1,3,4,4)f32 #2=(1,3,4,4)f32 #3=(1,6,4,4)f32
nn.MaxPool2d pool 1 1 3 4 kernel_size=2 #3=(1,6,4,4)f32 #4=(1,6,2,2)f32
pnnx.Output  out  1 0 4 #4=(1,6,2,2)f32
"""
SVG = "{http://www.w3.org/2000/svg}"


@st.composite
def plans(draw):
    names = [str(i) for i in range(draw(st.integers(1, 12)))]
    lives = {}
    for name in names:
        first = draw(st.integers(0, 9))
        lives[name] = Lifetime(first, draw(st.integers(first, 11)))
    return plan_memory(lives, {name: draw(st.integers(1, 1 << 24)) for name in names})


def parse(svg) -> ElementTree.Element:
    return ElementTree.fromstring(svg.text)


def boxes(root):
    """Name of a value -> (left, right, low, high) of its box in pixels, upwards."""
    found = {}
    for rect in root.iter(f"{SVG}rect"):
        tip = rect.findtext(f"{SVG}title")
        if tip is not None:
            x, y, w, h = (float(rect.get(key)) for key in ("x", "y", "width", "height"))
            found[tip.split()[0][1:]] = (x, x + w, -(y + h), -y)
    return found


def texts(root):
    return [text.text or "" for text in root.iter(f"{SVG}text")]


def line_of_the_bound(root):
    (line,) = [each for each in root.iter(f"{SVG}line") if each.get("stroke-dasharray")]
    return -float(line.get("y1"))


def bytes_of(tick):
    number, unit = tick.split()
    return float(number) * {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[unit]


def scale_of(root):
    """(pixel of byte 0, pixels of a byte), as the numbers beside the chart say."""
    ticks = [
        (bytes_of(t.text), -float(t.get("y")))
        for t in root.iter(f"{SVG}text")
        if t.get("text-anchor") == "end" and re.fullmatch(r"\S+ (B|[KMG]iB)", t.text or "")
    ]
    (a, low), (b, high) = ticks[0], ticks[-1]
    return low - a * (high - low) / (b - a), (high - low) / (b - a)


@settings(max_examples=40, deadline=None)
@given(plan=plans())
def test_every_value_stands_over_its_steps_and_at_its_bytes(plan):
    root = parse(show_memory(plan))
    places = boxes(root)
    assert set(places) == set(plan.sizes)
    floor, scale = scale_of(root)
    steps = [float(t.get("x")) for t in root.iter(f"{SVG}text") if (t.text or "").isdecimal()]  # middles of the steps
    half = (steps[1] - steps[0]) / 2 if len(steps) > 1 else 48
    for name, (left, right, low, high) in places.items():
        life, start = plan.lifetimes[name], plan.offsets[name]
        assert left == pytest.approx(steps[life.first] - half, abs=1.5)
        assert right == pytest.approx(steps[life.last] + half, abs=1.5)
        assert low == pytest.approx(floor + scale * start, abs=1.5)
        assert high == pytest.approx(floor + scale * (start + plan.sizes[name]), abs=1.5)
    assert line_of_the_bound(root) == pytest.approx(floor + scale * plan.lower_bound_bytes, abs=0.5)


@settings(max_examples=20, deadline=None)
@given(plan=plans())
def test_the_same_plan_gives_the_same_picture_and_no_boxes_overlap(plan):
    picture = show_memory(plan)
    assert picture.text == show_memory(plan).text
    places = list(boxes(parse(picture)).values())
    for i, (left, right, low, high) in enumerate(places):
        for other in places[:i]:
            beside = right <= other[0] or other[1] <= left
            assert beside or high <= other[2] + 1.5 or other[3] <= low + 1.5


def test_sizes_and_bound_are_written_above():
    plan = plan_memory(
        {"a": Lifetime(0, 1), "b": Lifetime(1, 2), "c": Lifetime(2, 2)}, {"a": 2048, "b": 1024, "c": 2048}
    )
    root = parse(show_memory(plan, title="small"))
    words = " ".join(texts(root))
    assert "3 values, 5.00 KiB one beside the other; arena 3.00 KiB (60%)" in words
    assert "lower bound 3.00 KiB, which the plan reaches" in words
    assert root.findtext(f"{SVG}title") == "small"
    assert "At one step 3.00 KiB are alive" in root.findtext(f"{SVG}desc")
    assert root.get("role") == "img"


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    file = tmp_path_factory.mktemp("net") / "net.pnnx.param"
    file.write_text(SMALL)
    return kuiper.load(file, engine="fast", threads=1)


def test_a_graph_gives_names_kinds_and_shapes(graph):
    root = parse(show_memory(graph))
    words = texts(root)
    for op in graph.operators:
        assert op.name in words
    assert {"input, output", "pooling", "activation"} <= set(words)
    assert set(boxes(root)) == set(graph.memory_plan.sizes)
    tips = [rect.findtext(f"{SVG}title") or "" for rect in root.iter(f"{SVG}rect")]
    assert any("#4 (1,6,2,2) 96 B" in tip for tip in tips)


def test_a_plan_of_the_fast_engine_tells_scratch_and_what_lies_inside_others(graph):
    plan = graph.executor.plan_for({"0": np.zeros((1, 3, 4, 4), np.float32)})
    root = parse(show_memory(plan))
    words = " ".join(texts(root))
    assert "scratch" in words
    assert {"input", "relu", "output"} <= set(texts(root))
    assert set(boxes(root)) == set(plan.memory.sizes) == {"0", "3", "4"}
    assert "#3 holds #1, #2" in words
    assert "2 values lie inside others" in root.findtext(f"{SVG}desc")


def test_threads_that_share_out_a_batch_have_an_arena_each(graph):
    one = graph.executor.plan_for({"0": np.zeros((1, 3, 4, 4), np.float32)})
    root = parse(show_memory(BatchPlan([one, one], samples=1, batch=2)))
    assert "each of 2 threads has its own" in " ".join(texts(root))
    assert boxes(root) == boxes(parse(show_memory(one)))


def test_many_steps_bear_only_some_names_and_all_stay_inside():
    count = 300
    lives = {str(i): Lifetime(i, i + 1) for i in range(count)}
    root = parse(show_memory(plan_memory(lives, dict.fromkeys(lives, 4096))))
    named = [text for text in texts(root) if text.isdecimal()]
    assert 0 < len(named) <= 70
    width = float(root.get("width"))
    assert all(0 <= left < right <= width for left, right, _, _ in boxes(root).values())


def test_a_plan_of_nothing_is_an_empty_chart():
    assert "0 values" in show_memory(plan_memory({}, {}))


def test_names_are_text_not_markup():
    plan = plan_memory({"<a>": Lifetime(0, 0)}, {"<a>": 100})
    root = parse(show_memory(plan, names=["<op> & \x00"], title="<t>"))
    assert root.findtext(f"{SVG}title") == "<t>"
    assert "<op> & \ufffd" in texts(root)


@pytest.mark.parametrize("wrong", [None, "plan", kuiper.RuntimeGraph(DIGITS)])
def test_what_is_no_plan_is_an_error(wrong):
    with pytest.raises(KuiperError, match="show_memory: expected"):
        show_memory(wrong)


def test_too_few_names_are_an_error():
    plan = plan_memory({"a": Lifetime(0, 2)}, {"a": 64})
    with pytest.raises(KuiperError, match="names for 3 steps, found 2"):
        show_memory(plan, names=["one", "two"])
