"""The arena: values alive together never share bytes, and real architectures need little more than they must."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.fast.plan.arena import plan_arena
from kuiper.graph import Lifetime, plan_memory


def check_apart(plan, lives, sizes):
    """At every step, the bytes of what is alive are counted one by one."""
    for step in range(max(life.last for life in lives.values()) + 1):
        alive = [name for name, life in lives.items() if life.first <= step <= life.last]
        taken = sorted((plan.offsets[name], plan.offsets[name] + sizes[name]) for name in alive if sizes[name])
        assert all(stop <= start for (_, stop), (start, _) in itertools.pairwise(taken))
        assert sum(stop - start for start, stop in taken) <= plan.lower_bound_bytes
    assert min(plan.offsets.values()) >= 0
    assert max(plan.offsets[name] + sizes[name] for name in sizes) == plan.planned_bytes


VALUES = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 6), st.integers(0, 9)), min_size=1, max_size=25)


@settings(max_examples=60, deadline=None)
@given(values=VALUES, unit=st.sampled_from([1, 64]))
def test_what_is_alive_together_lies_apart(values, unit):
    lives = {f"v{i}": Lifetime(first, first + length) for i, (first, length, _) in enumerate(values)}
    sizes = {f"v{i}": size * unit for i, (*_, size) in enumerate(values)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kuiper.fast.plan.arena.TRIES", 20)
        plan = plan_arena(lives, sizes)
        again = plan_arena(dict(lives), dict(sizes))
    check_apart(plan, lives, sizes)
    assert plan == again
    assert plan.lower_bound_bytes <= plan.planned_bytes <= plan.total_bytes
    assert all(offset % unit == 0 for offset in plan.offsets.values())


def test_nothing_needs_nothing():
    assert plan_arena({}, {}).planned_bytes == 0


def test_a_search_finds_what_the_greedy_order_misses():
    """Largest first, b and c get the bottom, then d lies where a should, which must lie above it."""
    lives = {"a": Lifetime(1, 4), "b": Lifetime(4, 5), "c": Lifetime(0, 0), "d": Lifetime(0, 2)}
    sizes = {"a": 1, "b": 4, "c": 4, "d": 2}
    plan = plan_arena(lives, sizes)
    check_apart(plan, lives, sizes)
    assert plan_memory(lives, sizes).planned_bytes > plan.planned_bytes == plan.lower_bound_bytes == 6


def resnet18(net):
    """https://arxiv.org/abs/1512.03385, with a quarter of the channels."""
    x = net.op("F.relu", net.norm(net.conv(net.input(1, 3, 64, 64), 3, 16, 7, stride=[2, 2], padding=[3, 3]), 16))
    x = net.op("nn.MaxPool2d", x, kernel_size=[3, 3], stride=[2, 2], padding=[1, 1])
    channels = 16
    for out, stride in [(16, 1), (16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), (128, 1)]:
        y = net.op("F.relu", net.norm(net.conv(x, channels, out, stride=[stride, stride], padding=[1, 1]), out))
        y = net.norm(net.conv(y, out, out, padding=[1, 1]), out)
        if stride > 1:
            x = net.norm(net.conv(x, channels, out, 1, stride=[stride, stride]), out)
        x, channels = net.op("F.relu", net.expression("add(@0,@1)", y, x)), out
    return net.op("torch.mean", x, dim=[2, 3], keepdim=False)


def mobilenet_v2(net):
    """https://arxiv.org/abs/1801.04381, with half the channels."""
    x, channels = net.op("nn.ReLU6", net.conv(net.input(1, 3, 64, 64), 3, 16, stride=[2, 2], padding=[1, 1])), 16
    for out, count, stride in [(8, 1, 1), (12, 2, 2), (16, 3, 2), (32, 4, 2), (48, 3, 1), (80, 3, 2)]:
        for i in range(count):
            factor = 1 if out == 8 else 6
            step, wide = stride if i == 0 else 1, channels * factor
            y = net.op("nn.ReLU6", net.conv(x, channels, wide, 1)) if factor > 1 else x
            y = net.op("nn.ReLU6", net.conv(y, wide, wide, groups=wide, stride=[step, step], padding=[1, 1]))
            y = net.conv(y, wide, out, 1)
            x = net.expression("add(@0,@1)", x, y) if step == 1 and channels == out else y
            channels = out
    return x


def unet(net):
    """https://arxiv.org/abs/1505.04597, narrower, with padded convolutions."""

    def double(x, channels, out):
        for a in (channels, out):
            x = net.op("F.relu", net.norm(net.conv(x, a, out, padding=[1, 1]), out))
        return x

    kept, width = [double(net.input(1, 3, 64, 64), 3, 8)], 8
    for _ in range(4):
        x = net.op("nn.MaxPool2d", kept[-1], kernel_size=[2, 2], stride=[2, 2])
        kept.append(double(x, width, 2 * width))
        width *= 2
    x = kept.pop()
    while kept:
        weights = {"weight": net.numbers(width, width // 2, 2, 2), "bias": net.numbers(width // 2)}
        options = {"in_channels": width, "out_channels": width // 2, "kernel_size": [2, 2], "stride": [2, 2]}
        up = net.op("nn.ConvTranspose2d", x, weights=weights, bias=True, **options)
        x = double(net.op("torch.cat", kept.pop(), up, dim=1), width, width // 2)
        width //= 2
    return net.conv(x, 8, 3, 1)


def yolo(net):
    """The shape of YOLOv5: C3 blocks, spatial pyramid pooling, a path up and a path down again, three heads."""

    def conv(x, channels, out, kernel=1, stride=1):
        return net.op("nn.SiLU", net.conv(x, channels, out, kernel, stride=[stride] * 2, padding=[kernel // 2] * 2))

    def block(x, channels, out, count, shortcut=True):
        half = out // 2
        y = conv(x, channels, half)
        for _ in range(count):
            z = conv(conv(y, half, half), half, half, 3)
            y = net.expression("add(@0,@1)", y, z) if shortcut else z
        return conv(net.op("torch.cat", y, conv(x, channels, half), dim=1), out, out)

    x = conv(conv(net.input(1, 3, 128, 128), 3, 16, 6 - 1, 2), 16, 32, 3, 2)
    two = block(conv(block(x, 32, 32, 1), 32, 64, 3, 2), 64, 64, 2)
    three = block(conv(two, 64, 128, 3, 2), 128, 128, 3)
    pyramid = [conv(block(conv(three, 128, 256, 3, 2), 256, 256, 1), 256, 128)]
    for _ in range(3):
        pyramid.append(net.op("nn.MaxPool2d", pyramid[-1], kernel_size=[5, 5], stride=[1, 1], padding=[2, 2]))
    ten = conv(conv(net.op("torch.cat", *pyramid, dim=1), 512, 256), 256, 128)
    up = [net.op("nn.Upsample", ten, scale_factor=[2.0, 2.0], mode="nearest"), three]
    fourteen = conv(block(net.op("torch.cat", *up, dim=1), 256, 128, 1, False), 128, 64)
    up = [net.op("nn.Upsample", fourteen, scale_factor=[2.0, 2.0], mode="nearest"), two]
    small = block(net.op("torch.cat", *up, dim=1), 128, 64, 1, False)
    middle = block(net.op("torch.cat", conv(small, 64, 64, 3, 2), fourteen, dim=1), 128, 128, 1, False)
    large = block(net.op("torch.cat", conv(middle, 128, 128, 3, 2), ten, dim=1), 256, 256, 1, False)
    return [net.conv(x, channels, 18, 1) for x, channels in ((small, 64), (middle, 128), (large, 256))]


@pytest.mark.slow
@pytest.mark.parametrize("make", [resnet18, mobilenet_v2, unet, yolo])
def test_real_architectures_need_at_most_a_tenth_more_than_they_must(net, load, near, untimed, monkeypatch, make):
    untimed(monkeypatch)
    network = net()
    outputs = make(network)
    network.returns(*(outputs if isinstance(outputs, list) else [outputs]))
    x = np.random.default_rng(0).standard_normal(network.graph.operands["0"].shape).astype(np.float32)
    graph, again = (load(network, engine="fast", threads=1) for _ in range(2))
    near(graph(x), load(network, engine="simple")(x))
    again(x)
    plan, twin = (each.executor.plan_for({"0": x}) for each in (graph, again))
    memory = plan.memory
    check_apart(memory, memory.lifetimes, memory.sizes)
    assert memory == twin.memory
    assert memory.planned_bytes <= 1.1 * memory.lower_bound_bytes
    assert memory.planned_bytes < 0.8 * memory.total_bytes


def test_values_of_a_plan_lie_where_the_arena_says(net, load, untimed, monkeypatch):
    """What any two values really occupy is looked at, the halos and the parts of others with them."""
    untimed(monkeypatch)
    network = net()
    x = network.input(1, 8, 9, 7)
    y = network.op("F.relu", network.conv(x, 8, 8, padding=[1, 1]))
    z = network.op("torch.cat", network.conv(y, 8, 8, 1), network.op("nn.SiLU", y), dim=1)
    a, b = network.many("torch.chunk", 2, z, chunks=2, dim=1)
    network.returns(network.expression("mul(@0,@1)", network.conv(a, 8, 8, padding=[1, 1]), b))
    graph = load(network, engine="fast", threads=1)
    plan = graph.executor.plan_for({"0": np.ones((1, 8, 9, 7), np.float32)})
    layout = plan.layout
    spans = {}
    for root in layout.roots:
        buffer = plan._buffers[root.name]
        low, high = np.lib.array_utils.byte_bounds(buffer.array if buffer.padded is None else buffer.padded)
        spans[root.name] = (low, high, root.first, root.last)
    for (low, high, first, last), (other_low, other_high, other_first, other_last) in itertools.combinations(
        spans.values(), 2
    ):
        together = first <= other_last and other_first <= last
        assert not together or high <= other_low or other_high <= low
    for name, value in layout.values.items():
        root = layout.root(name)
        assert root.first <= value.first <= value.last <= root.last
