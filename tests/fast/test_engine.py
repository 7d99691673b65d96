"""The engines agree: random networks by plans and by layers, on one thread and several, with every algorithm."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.compiled import llvm


class Grower:
    """Grows a random network; `values` are the operands of images so far with their shapes."""

    def __init__(self, net, draw, batch, any_size=False):
        self.net, self.draw, self.any_size = net, draw, any_size
        shape = (batch, draw(st.sampled_from([1, 3, 8, 9])), draw(st.integers(4, 9)), draw(st.integers(4, 9)))
        self.inputs = [shape]
        self.values = [(net.input(*(-1,) * 4), shape)]
        self.others = []

    def grow(self):
        steps = ["conv", "conv", "conv3", "conv1", "depthwise", "after", "join", "parts", "slice", "pool", "resize"]
        steps += ["transposed", "simple", "sum", "integers", "after", "after"]
        if self.any_size:
            steps.remove("slice")
        else:
            steps += ["swap", "shuffle", "flat", "expand", "constant", "deepen"]
        getattr(self, self.draw(st.sampled_from(steps)))()

    def pick(self):
        last = st.just(self.values[-1])
        return self.draw(st.one_of(last, last, st.sampled_from(self.values)))

    def give(self, name, *shape):
        self.values.append((name, shape))

    def convolution(self, x, shape, out, kernel, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1):
        n, c, *size = shape
        reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
        if padding == "same":
            new = size
        else:
            new = [(s + 2 * p - r) // t + 1 for s, p, r, t in zip(size, padding, reach, stride)]
        if min(new) < 1 or (padding != "same" and any(s + 2 * p < r for s, p, r in zip(size, padding, reach))):
            return
        options = {"stride": list(stride), "dilation": list(dilation)}
        padding = padding if isinstance(padding, str) else list(padding)
        bias = self.draw(st.booleans())
        y = self.net.conv(x, c, out, kernel, groups, bias, padding=padding, **options)
        self.give(y, n, out, *new)
        for _ in range(self.draw(st.integers(0, 2))):
            self.after()

    def conv(self):
        x, shape = self.pick()
        pair = lambda low, high: (self.draw(st.integers(low, high)), self.draw(st.integers(low, high)))  # noqa: E731
        groups = self.draw(st.sampled_from([g for g in (1, 1, 2, 3, 4) if shape[1] % g == 0]))
        out = groups * self.draw(st.integers(1, 4))
        same = self.draw(st.integers(0, 4)) == 0
        stride, padding = ((1, 1), "same") if same else (pair(1, 2), pair(0, 2))
        self.convolution(x, shape, out, pair(1, 4), stride, padding, pair(1, 2), groups)

    def conv3(self):
        x, shape = self.pick()
        padding = self.draw(st.sampled_from([(1, 1), (0, 1), (0, 0)]))
        self.convolution(x, shape, self.draw(st.sampled_from([8, 9])), (3, 3), padding=padding)

    def conv1(self):
        x, shape = self.pick()
        self.convolution(x, shape, self.draw(st.sampled_from([1, 4, 8])), (1, 1))

    def depthwise(self):
        x, shape = self.pick()
        stride = self.draw(st.sampled_from([(1, 1), (2, 2), (2, 1)]))
        self.convolution(x, shape, shape[1], (3, 3), stride, (1, 1), groups=shape[1])

    def after(self):
        x, shape = self.values[-1]
        same = [name for name, other in self.values[:-1] if other == shape]
        kind = self.draw(st.sampled_from(["norm", "relu", "silu", "add", "add", "double", "number"]))
        if kind == "norm":
            self.give(self.net.norm(x, shape[1]), *shape)
        elif kind == "add" and same:
            other = self.draw(st.sampled_from(same))
            pair = (x, other) if self.draw(st.booleans()) else (other, x)
            self.give(self.net.expression("add(@0,@1)", *pair), *shape)
        elif kind == "double":
            self.give(self.net.expression("add(@0,@0)", x), *shape)
        elif kind == "number":
            self.give(self.net.expression("sub(mul(@0,0.5),1.0)", x), *shape)
        else:
            self.give(self.net.op("nn.SiLU" if kind == "silu" else "F.relu", x), *shape)

    def join(self):
        axis = 1 if self.any_size else self.draw(st.sampled_from([1, 1, 0, 2, 3]))
        x, shape = self.pick()
        fits = [v for v in self.values if v[1][:axis] + v[1][axis + 1 :] == shape[:axis] + shape[axis + 1 :]]
        chosen = [(x, shape), *self.draw(st.lists(st.sampled_from(fits), max_size=2))]
        total = sum(s[axis] for _, s in chosen)
        if total <= 20:
            y = self.net.op("torch.cat", *(name for name, _ in chosen), dim=axis)
            self.give(y, *shape[:axis], total, *shape[axis + 1 :])

    def parts(self):
        x, shape = self.pick()
        axis = 1 if self.any_size else self.draw(st.sampled_from([1, 1, 2, 3]))
        if shape[axis] >= 4:
            half = -(-shape[axis] // 2)
            names = self.net.many("torch.chunk", 2, x, chunks=2, dim=axis)
            for name, size in zip(names, (half, shape[axis] - half)):
                self.give(name, *shape[:axis], size, *shape[axis + 1 :])

    def slice(self):
        x, shape = self.pick()
        axis = self.draw(st.integers(0, 3))
        start = self.draw(st.integers(0, shape[axis] - 1))
        stop = self.draw(st.integers(start + 1, shape[axis]))
        if axis > 1 and self.draw(st.booleans()):
            start, stop = 0, shape[axis]
        step = self.draw(st.sampled_from([1, 1, 2]))
        y = self.net.op("Tensor.slice", x, dim=axis, start=start, end=stop, step=step)
        self.give(y, *shape[:axis], -(-(stop - start) // step), *shape[axis + 1 :])

    def pool(self):
        x, (n, c, h, w) = self.pick()
        if min(h, w) >= 4:
            kind = self.draw(st.sampled_from(["nn.MaxPool2d", "nn.AvgPool2d"]))
            self.give(self.net.op(kind, x, kernel_size=[2, 2], stride=[2, 2]), n, c, h // 2, w // 2)

    def resize(self):
        x, (n, c, h, w) = self.pick()
        if max(h, w) <= 8:
            y = self.net.op("nn.Upsample", x, scale_factor=[2.0, 2.0], mode="nearest")
            self.give(y, n, c, 2 * h, 2 * w)

    def transposed(self):
        x, (n, c, h, w) = self.pick()
        if max(h, w) <= 8:
            weights = {"weight": self.net.numbers(c, 4, 2, 2) / c**0.5}
            options = {"in_channels": c, "out_channels": 4, "kernel_size": [2, 2], "stride": [2, 2], "bias": False}
            self.give(self.net.op("nn.ConvTranspose2d", x, weights=weights, **options), n, 4, 2 * h, 2 * w)

    def swap(self):
        x, shape = self.pick()
        dims = self.draw(st.sampled_from([[0, 1, 3, 2], [1, 0, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2]]))
        self.give(self.net.op("Tensor.permute", x, dims=dims), *(shape[i] for i in dims))

    def shuffle(self):
        x, (n, c, h, w) = self.pick()
        if c % 2 == 0:
            y = self.net.op("Tensor.reshape", x, shape=[n, 2, c // 2, h, w])
            y = self.net.op("torch.transpose", y, dim0=1, dim1=2)
            self.give(self.net.op("Tensor.reshape", y, shape=[n, c, h, w]), n, c, h, w)

    def simple(self):
        x, shape = self.pick()
        kind = self.draw(st.sampled_from(["F.softsign", "torch.flip"]))
        options = {"dims": [self.draw(st.integers(0, 3))]} if kind == "torch.flip" else {}
        self.give(self.net.op(kind, x, **options), *shape)

    def flat(self):
        x, (n, c, h, w) = self.pick()
        y = self.net.op("Tensor.reshape", x, shape=[n, c, h * w])
        y = self.net.op(self.draw(st.sampled_from(["F.relu", "F.softsign", "nn.Identity"])), y)
        new = self.draw(st.sampled_from([(n, c, h, w), (n, c, w, h), (n, h, w, c), (n, 1, c, h * w), (n, h, c * w, 1)]))
        self.give(self.net.op("Tensor.reshape", y, shape=list(new)), *new)

    def expand(self):
        x, (n, c, h, w) = self.pick()
        axis = self.draw(st.integers(1, 3))
        one = self.net.op("Tensor.slice", x, dim=axis, start=0, end=1, step=1)
        new = [n, c, h, w]
        new[axis] = self.draw(st.integers(2, 6))
        self.give(self.net.op("Tensor.expand", one, shape=new), *new)

    def sum(self):
        x, shape = self.pick()
        scale = self.net.op("torch.mean", x, dim=[2, 3], keepdim=True)
        self.give(self.net.expression("mul(@0,add(@1,1))", x, scale), *shape)

    def integers(self):
        x, _ = self.pick()
        self.others.append(self.net.op("torch.argmax", self.net.expression("mul(@0,@0)", x), dim=1, keepdim=False))

    def constant(self):
        _, shape = self.pick()
        name = self.net.op("pnnx.Attribute", weights={"data": self.net.numbers(*shape)})
        self.give(name, *shape)

    def deepen(self):
        """The number of channels comes from the input's own shape."""
        x, (n, c, h, w) = self.pick()
        count = self.net.expression("floor_divide(size(@0,1),1)", x)
        sizes = self.net.op("prim::ListConstruct", *(self.net.expression(str(i)) for i in (n, 1)), count, *(
            self.net.expression(str(i)) for i in (h * w,)
        ))  # fmt: skip
        self.give(self.net.op("Tensor.reshape", x, shape=f"${sizes}"), n, 1, c, h * w)

    def finish(self):
        names = [name for name, _ in self.values] + self.others
        chosen = self.draw(st.lists(st.sampled_from(names), max_size=3))
        self.net.returns(names[-1], *chosen)
        return self.net


@st.composite
def networks(draw, make, any_size=False):
    """A network and the shape of its input; `any_size`: one that takes others too."""
    grower = Grower(make(draw(st.integers(0, 99))), draw, draw(st.integers(1, 3)), any_size)
    for _ in range(draw(st.integers(1, 7))):
        grower.grow()
    return grower.finish(), grower.inputs[0]


needs_llvm = pytest.mark.skipif(not llvm.installed(), reason="the compiler needs llvmlite, of the extra speed")


@pytest.mark.parametrize("engine", ["fast", pytest.param("compiled", marks=[needs_llvm, pytest.mark.slow])])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_plan_gives_what_the_layers_give(net, load, near, untimed, poison, engine, data):
    network, shape = data.draw(networks(net))
    threads, seed = data.draw(st.integers(1, 3)), data.draw(st.integers(0, 9))
    x = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    before = x.copy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kuiper.fast.kernels.base.workspace.WORTH_FORKING", -1.0 if data.draw(st.booleans()) else 1e9)
        untimed(patch, seed)
        spoil = poison(patch)
        expected = load(network, engine="simple")(x)
        graph = load(network, engine=engine, threads=threads)
        first = graph(x)
        kept = [y.copy() for y in first]
        spoil()
        second = graph(x)
    near(first, expected)
    for one, other, copy in zip(first, second, kept, strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(one, copy)
    np.testing.assert_array_equal(x, before)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_one_graph_takes_every_size_that_the_layers_take(net, load, near, untimed, poison, data):
    network, (n, c, h, w) = data.draw(networks(net, any_size=True))
    others = st.tuples(st.integers(1, 3), st.just(c), st.integers(2, 10), st.integers(2, 10))
    shapes = [(n, c, h, w), *data.draw(st.lists(others, min_size=1, max_size=3)), (n, c, h, w)]
    engine, seed = data.draw(st.sampled_from(["fast", "auto"])), data.draw(st.integers(0, 9))
    with pytest.MonkeyPatch.context() as patch:
        untimed(patch, seed)
        spoil = poison(patch)
        graph, simple = load(network, engine=engine, threads=2), load(network, engine="simple")
        for shape in shapes:
            x = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
            try:
                expected = simple(x)
            except kuiper.KuiperError as error:
                with pytest.raises(type(error), match=re.escape(str(error))):
                    graph(x)
                continue
            for _ in range(2):
                near(graph(x), expected)
                spoil()


@pytest.mark.parametrize("samples", [1, 2, 4])
@pytest.mark.parametrize("kind", ["sub(@0,@1)", "torch.matmul"])
def test_a_batch_is_not_shared_out_where_broadcasting_puts_it_beside_another_axis(net, load, near, kind, samples):
    """(4, 4) - (4,): the second's samples stand beside the first's columns, as many by accident."""
    network = net()
    if kind == "torch.matmul":
        x, y = network.input(4, 4, 3, 5), network.input(4, 5, 2)
        network.returns(network.op(kind, network.op("F.relu", x), y))
        shapes = [(4, 4, 3, 5), (4, 5, 2)]
    else:
        x, y = network.input(4, 4), network.input(4)
        network.returns(network.expression(kind, network.op("F.relu", x), network.op("nn.Tanh", y)))
        shapes = [(4, 4), (4,)]
    inputs = [np.random.default_rng(0).standard_normal(shape).astype(np.float32) for shape in shapes]
    first = load(network, engine="fast", threads=2)
    near(first(*inputs), load(network, engine="simple")(*inputs))
    (key,) = (key for key in first.choices if key.startswith("batch"))
    graph = load(network, engine="fast", threads=2, choices={key: f"{samples} at a time"})
    near(graph(*inputs), load(network, engine="simple")(*inputs))
