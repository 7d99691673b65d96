"""GroupNorm, InstanceNorm and LocalResponseNorm compute what PyTorch computes, and refuse what PyTorch refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import KuiperError, ParameterError, ShapeError
from kuiper.layers.normalization import group_norm
from kuiper.layers.normalization.group_norm import GroupNorm, InstanceNorm, LocalResponseNorm

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
F = torch.nn.functional
SIZES = st.integers(1, 4)
EPS = st.sampled_from([1e-5, 1e-3, 0.5])


def numbers(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def tensors(*arrays):
    return [None if a is None else torch.from_numpy(a) for a in arrays]


def check(got, expected, tolerance=1e-9):
    expected = expected.detach().numpy()
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


@settings(max_examples=60, deadline=None)
@given(
    batch=st.integers(0, 3),
    groups=SIZES,
    width=SIZES,
    rest=st.lists(st.integers(2, 4), max_size=3),
    weighted=st.booleans(),
    biased=st.booleans(),
    eps=EPS,
)
def test_group_norm_is_pytorchs_for_any_rank(batch, groups, width, rest, weighted, biased, eps):
    channels = groups * width
    x = numbers(0, batch, channels, *rest)
    weight, bias = numbers(1, channels) if weighted else None, numbers(2, channels) if biased else None
    arguments = tensors(x, weight, bias)
    try:
        expected = F.group_norm(arguments[0], groups, *arguments[1:], eps)
    except ValueError:
        with pytest.raises(ShapeError, match="more than one number per group"):
            GroupNorm(groups, weight, bias, eps).forward(x)
    else:
        check(GroupNorm(groups, weight, bias, eps).forward(x), expected)


@settings(max_examples=60, deadline=None)
@given(
    batch=SIZES,
    channels=SIZES,
    rest=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    running=st.booleans(),
    use_input=st.booleans(),
    weighted=st.booleans(),
    eps=EPS,
)
def test_instance_norm_is_pytorchs_for_any_rank(batch, channels, rest, running, use_input, weighted, eps):
    use_input = use_input or not running
    x = numbers(0, batch, channels, *rest)
    weights = [numbers(1, channels), numbers(2, channels) ** 2] if running else [None, None]
    weights += [numbers(3, channels), numbers(4, channels)] if weighted else [None, None]
    layer = InstanceNorm(*weights, eps=eps, use_input_stats=use_input)
    try:
        copies = tensors(x, *(None if w is None else w.copy() for w in weights))
        expected = F.instance_norm(*copies, use_input_stats=use_input, eps=eps)
    except ValueError:
        with pytest.raises(ShapeError, match="more than one number per channel"):
            layer.forward(x)
    else:
        check(layer.forward(x), expected)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("tracking", [False, True])
def test_each_instance_norm_takes_the_ranks_of_pytorchs_module(rank, affine, tracking):
    name = f"InstanceNorm{rank}d"
    theirs = getattr(torch.nn, name)(3, affine=affine, track_running_stats=tracking, dtype=torch.float64).eval()
    arrays = {"weight": numbers(1, 3), "bias": numbers(2, 3)} if affine else {}
    arrays |= {"running_mean": numbers(3, 3), "running_var": numbers(4, 3) ** 2} if tracking else {}
    for key, array in arrays.items():
        getattr(theirs, key).data = torch.from_numpy(array)
    ours = getattr(group_norm, name)(**arrays, affine=affine, track_running_stats=tracking, num_features=3)
    for axes in range(1, 7):
        x = numbers(0, *((3, 3, 4, 2, 2, 2)[:axes] if axes == rank + 1 else (2, 3, 4, 2, 2, 2)[:axes]))
        if axes in (rank + 1, rank + 2):
            check(ours.forward(x), theirs(torch.from_numpy(x)))
        else:
            with pytest.raises(ValueError, match="expected"):
                theirs(torch.from_numpy(x))
            with pytest.raises(ShapeError, match=f"{name} input: expected {rank + 2} axes"):
                ours.forward(x)


@settings(max_examples=60, deadline=None)
@given(
    shape=st.lists(st.integers(1, 5), min_size=3, max_size=5),
    size=st.integers(1, 7),
    alpha=st.floats(0, 2),
    beta=st.floats(0, 2),
    k=st.floats(1, 3),
)
def test_local_response_norm_is_pytorchs(shape, size, alpha, beta, k):
    x = numbers(0, *shape)
    expected = F.local_response_norm(torch.from_numpy(x), size, alpha, beta, k)
    check(LocalResponseNorm(size, alpha, beta, k).forward(x), expected)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("mean", [0.0, 50.0])
def test_narrow_types_are_summed_up_in_float32(dtype, mean):
    x = (mean + numbers(0, 2, 4, 25)).astype(dtype)
    tolerance = 2e-3 if dtype == np.float16 else 1e-4
    for ours, theirs in (
        (GroupNorm(2), lambda x: F.group_norm(x, 2)),
        (InstanceNorm(), F.instance_norm),
        (LocalResponseNorm(3), lambda x: F.local_response_norm(x, 3)),
    ):
        check(ours.forward(x), theirs(torch.from_numpy(x)), tolerance * (1 + mean))


def test_what_pytorch_refuses_is_refused():
    x, weight = np.ones((2, 4, 3), np.float32), np.ones(3, np.float32)
    for ours, theirs in (
        (lambda: GroupNorm(3).forward(x), lambda t: F.group_norm(t, 3)),
        (lambda: GroupNorm(2, weight).forward(x), lambda t: F.group_norm(t, 2, torch.ones(3))),
        (lambda: GroupNorm(2).forward(x.astype(int)), lambda t: F.group_norm(t.long(), 2)),
        (lambda: GroupNorm(1).forward(x[0, 0]), lambda t: F.group_norm(t[0, 0], 1)),
        (lambda: InstanceNorm(None, None, weight).forward(x), lambda t: F.instance_norm(t, None, None, torch.ones(3))),
        (lambda: InstanceNorm(use_input_stats=False), lambda t: F.instance_norm(t, use_input_stats=False)),
        (lambda: LocalResponseNorm(3).forward(x[0]), lambda t: F.local_response_norm(t[0], 3)),
    ):
        with pytest.raises((RuntimeError, ValueError)):
            theirs(torch.from_numpy(x))
        with pytest.raises(KuiperError, match="expected"):
            ours()


def test_a_number_of_groups_that_does_not_divide_the_channels_is_refused_when_the_layer_is_made():
    with pytest.raises(ParameterError, match="num_groups: expected a number of groups >= 1 that divides the channels"):
        GroupNorm(4, num_channels=6)


class Norms(torch.nn.Module):
    """The modules and functions of this family, each with some of its options."""

    def __init__(self):
        super().__init__()
        self.norms = torch.nn.ModuleList([
            torch.nn.GroupNorm(3, 6), torch.nn.GroupNorm(2, 6, eps=0.01), torch.nn.InstanceNorm2d(6),
            torch.nn.InstanceNorm2d(6, affine=True), torch.nn.InstanceNorm2d(6, 0.1, track_running_stats=True),
            torch.nn.LocalResponseNorm(3), torch.nn.RMSNorm(4), torch.nn.RMSNorm((4, 4), 1e-3, False),
            torch.nn.BatchNorm2d(6), torch.nn.LayerNorm((4, 4)),
        ])  # fmt: skip
        self.mean, self.variance = (
            torch.nn.Parameter(torch.linspace(0.5, 2, 6), requires_grad=False) for _ in range(2)
        )
        for norm in self.norms:
            for name, array in [*norm.named_parameters(), *norm.named_buffers()]:
                if array.dtype == torch.float32:
                    getattr(norm, name).data = torch.rand_like(array) + 0.5

    def forward(self, x):
        m, v = self.mean, self.variance
        return [
            *(norm(x) for norm in self.norms),
            F.group_norm(x, 3), F.group_norm(x, 3, m, v, 1e-3), F.group_norm(x, 3, m), F.instance_norm(x),
            F.instance_norm(x, None, None, m, v), F.local_response_norm(x, 4, 0.1, 0.4, 2.0), F.rms_norm(x, (4,)),
            F.rms_norm(x, (4,), self.norms[6].weight, 1e-3), F.batch_norm(x, m, v), F.batch_norm(x, m, v, m, v, eps=1),
        ]  # fmt: skip


def test_networks_exported_by_pnnx_give_pytorchs_numbers(export):
    model, x = Norms().eval(), torch.randn(2, 6, 4, 4)
    graph = kuiper.load(export(model, x, dynamic=(torch.randn(3, 6, 4, 4),)))
    for batch in (x, torch.randn(5, 6, 4, 4)):
        with torch.no_grad():
            expected = model(batch)
        got = graph(batch.numpy())
        assert len(got) == len(expected)
        for ours, theirs in zip(got, expected, strict=True):
            check(ours, theirs, 1e-5)


class UnusualInstanceNorm(torch.nn.Module):
    """A call for which PNNX has no name: its operator stays aten::instance_norm."""

    def __init__(self):
        super().__init__()
        self.mean, self.variance = (
            torch.nn.Parameter(torch.linspace(0.5, 2, 6), requires_grad=False) for _ in range(2)
        )

    def forward(self, x):
        return F.instance_norm(x, self.mean, self.variance, use_input_stats=False)


def test_an_instance_norm_that_pnnx_does_not_name_is_computed(export):
    model, x = UnusualInstanceNorm(), torch.randn(2, 6, 4, 4)
    (got,) = kuiper.load(export(model, x))(x.numpy())
    check(got, model(x), 1e-5)
