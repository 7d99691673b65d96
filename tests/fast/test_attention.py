"""Attention kernels give what the layers give: masks, causal tiles, shared heads, views, and threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.fast.kernels.base.buffer import Buffer, Spec
from kuiper.fast.kernels.base.kernel import LOWERINGS, Step
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.matmul import attention
from kuiper.fast.kernels.matmul.attention import QueryTile, shared_out
from kuiper.fast.kernels.matmul.multihead import multihead_attention
from kuiper.fast.tuning.benchmark import bind_kernel
from kuiper.graph import Operand, Operator
from kuiper.layers.sequence.attention import MultiheadAttention, ScaledDotProductAttention

LAYOUT = st.sampled_from(["nchw", "nhwc", "halo", "wide", "wide nchw"])


def numbers(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def run_stages(stages) -> None:
    for stage in stages:
        for thread in stage:
            for each in thread:
                each()


@pytest.fixture(autouse=True)
def always_fork(monkeypatch):
    monkeypatch.setattr("kuiper.fast.kernels.base.workspace.WORTH_FORKING", 0)


@st.composite
def masks(draw, heads, length, keys):
    """A mask of any rank, with rows of which everything may be hidden; or None."""
    kind = draw(st.sampled_from([None, bool, np.float32]))
    if kind is None:
        return None
    lead = draw(st.sampled_from([(), (1,), heads]))
    shape = (*lead, draw(st.sampled_from([1, length])), keys)
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    seen = rng.random(shape) < draw(st.sampled_from([0.2, 0.8]))
    return seen if kind is bool else np.where(seen, rng.standard_normal(shape), -np.inf).astype(np.float32)


@st.composite
def problems(draw):
    heads = tuple(draw(st.lists(st.integers(1, 4), max_size=2)))
    length, keys, width, out = (draw(st.integers(1, 20)) for _ in range(4))
    q, k, v = numbers(0, *heads, length, width), numbers(1, *heads, keys, width), numbers(2, *heads, keys, out)
    if draw(st.booleans()):
        k, v = k[:1], v[:1]
        k, v = (k, v) if heads else (numbers(1, keys, width), numbers(2, keys, out))
    mask = draw(masks(heads, length, keys))
    causal = mask is None and draw(st.booleans())
    scale = draw(st.sampled_from([None, 0.3]))
    return ScaledDotProductAttention(mask, is_causal=causal, scale=scale), q, k, v


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    problem=problems(),
    ways=st.tuples(LAYOUT, LAYOUT),
    threads=st.integers(1, 3),
    cached=st.sampled_from([1, 300, 1 << 16]),
    queries=st.sampled_from([1, 8, 64]),
)
def test_any_heads_lengths_and_masks(beside, problem, ways, threads, cached, queries):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(attention, "CACHED", cached)
        patch.setattr(attention, "QUERIES", queries)
        patch.setattr(attention, "ENOUGH", queries)
        beside(*problem, layouts=ways, threads=threads, atol=2e-6)


@pytest.mark.parametrize(("length", "keys"), [(130, 130), (200, 70), (70, 200), (64, 64), (1, 9)])
@pytest.mark.parametrize("threads", [1, 2])
def test_causal_over_several_tiles(beside, length, keys, threads):
    q, k, v = numbers(0, 2, 3, length, 16), numbers(1, 2, 3, keys, 16), numbers(2, 2, 3, keys, 8)
    beside(ScaledDotProductAttention(is_causal=True), q, k, v, threads=threads, atol=2e-6)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("ways", [("nchw", "nchw"), ("wide nchw", "wide nchw"), ("nhwc", "halo")])
def test_heads_that_share_keys_and_values(beside, causal, ways):
    q, k, v = numbers(0, 2, 6, 20, 8), numbers(1, 2, 2, 20, 8), numbers(2, 2, 2, 20, 8)
    layer = ScaledDotProductAttention(is_causal=causal, enable_gqa=True)
    for threads in (1, 2):
        beside(layer, q, k, v, layouts=ways, threads=threads, atol=2e-6)
    beside(ScaledDotProductAttention(numbers(3, 6, 20, 20), enable_gqa=True), q, k, v, atol=2e-6)


def test_large_scores_do_not_overflow(beside):
    q, k, v = 100 * numbers(0, 2, 5, 8), 100 * numbers(1, 2, 5, 8), numbers(2, 2, 5, 8)
    hidden = np.zeros((5, 5), bool)
    with np.errstate(all="raise", under="ignore"):
        beside(ScaledDotProductAttention(is_causal=True), q, k, v)
        kernel = attention.Attention(0.3, hidden)
        beside(ScaledDotProductAttention(hidden, scale=0.3), q, k, v, kernel=kernel)


def test_heads_that_are_views_of_one_projection():
    """As networks have it: q, k and v are columns of one product, and the output is what the next product reads."""
    together = numbers(0, 1, 20, 3 * 4 * 8)
    q, k, v = (x.reshape(1, 20, 4, 8).swapaxes(1, 2) for x in np.split(together, 3, axis=2))
    layer = ScaledDotProductAttention(is_causal=True)
    expected = layer.forward(q, k, v)
    out = np.full((1, 20, 4, 8), np.nan, np.float32).swapaxes(1, 2)
    specs = [Spec(x.shape, x.dtype) for x in (q, k, v, out)]
    kernel = attention.attention(Step([Operator("F.sdpa", "here", layer=layer)], specs[:3], specs[3:]))
    run_stages(kernel.bind([Buffer(q), Buffer(k), Buffer(v)], [Buffer(out)], Workspace(2)))
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize("dtype", [bool, np.float32])
@pytest.mark.parametrize("shape", [(9, 7), (1, 7), (2, 1, 9, 7), (2, 3, 9, 7), (2, 1, 1, 7)])
def test_a_mask_that_is_an_input(dtype, shape):
    q, k, v = numbers(0, 2, 3, 9, 8), numbers(1, 2, 3, 7, 8), numbers(2, 2, 3, 7, 8)
    seen = np.random.default_rng(3).random(shape) < 0.5
    mask = seen if dtype is bool else np.where(seen, numbers(4, *shape), np.float32(-np.inf))
    expected = ScaledDotProductAttention(mask).forward(q, k, v)
    given = [Spec(x.shape, x.dtype, True, x) for x in (q, k, v, mask)]
    result = [Spec(expected.shape, expected.dtype)]
    operator = Operator("F.sdpa", "here", layer=ScaledDotProductAttention())
    for threads in (1, 2):
        bound = bind_kernel(attention.attention(Step([operator], given, result)), given, result, threads)
        for _ in range(2):
            bound.run()
            np.testing.assert_allclose(bound.outputs[0].array, expected, rtol=1e-5, atol=2e-6)


class Masked:
    """Attention whose mask is its fourth input."""

    def forward(self, q, k, v, mask):
        return ScaledDotProductAttention(mask, scale=0.3).forward(q, k, v)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    dtype=st.sampled_from([bool, np.float32]),
    shape=st.sampled_from([(9, 37), (1, 37), (9, 1), (2, 1, 9, 37), (2, 3, 9, 37), (2, 1, 1, 37)]),
    ways=st.tuples(st.sampled_from(["nchw", "nhwc", "wide nchw"]), LAYOUT),
    share=st.floats(0, 1),
)
def test_any_mask_that_is_an_input(beside, dtype, shape, ways, share):
    q, k, v = numbers(0, 2, 3, 9, 8), numbers(1, 2, 3, 37, 8), numbers(2, 2, 3, 37, 8)
    seen = np.random.default_rng(3).random(shape) < share
    mask = seen if dtype is bool else np.where(seen, numbers(4, *shape), np.float32(-np.inf))
    kernel = attention.Attention(0.3, mask_slot=3)
    beside(Masked(), q, k, v, mask, kernel=kernel, layouts=ways, atol=2e-6)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(keys=st.integers(1, 70), size=st.integers(1, 70), group=st.integers(1, 3), flags=st.booleans())
def test_one_query_reads_the_keys_of_all_before_it(beside, keys, size, group, flags):
    q, k, v = numbers(0, 1, 2 * group, 1, size), numbers(1, 1, 2, keys, size), numbers(2, 1, 2, keys, 5)
    mask = np.random.default_rng(keys).random((1, keys)) < 0.7
    layer = ScaledDotProductAttention(mask if flags else None, enable_gqa=True)
    beside(layer, q, k, v, layouts=("nchw", "nchw"), atol=2e-6)


@pytest.mark.parametrize("is_causal", [False, True])
def test_a_layer_that_waits_for_its_mask(is_causal):
    names = ["query", "key", "value", "attn_mask"]
    inputs = [Operand(name) for name in names]
    operator = Operator("F.sdpa", "here", inputs, input_names=names, params={"is_causal": is_causal})
    operator.layer = ScaledDotProductAttention.from_operator(operator)
    shapes = [(2, 9, 8), (2, 7, 8), (2, 7, 8), (9, 7), (2, 9, 8)]
    specs = [Spec(shape, np.dtype(np.float32)) for shape in shapes]
    kernel = LOWERINGS[type(operator.layer)](Step([operator], specs[:4], specs[4:]))
    assert (kernel is None) if is_causal else (kernel.mask_slot == 3)


def test_what_has_no_kernel(lowered):
    q = numbers(0, 2, 4, 8)
    assert lowered(ScaledDotProductAttention(), *(q.astype(np.float64),) * 3) is None
    assert lowered(ScaledDotProductAttention(np.zeros((4, 4))), q, q, q) is None
    assert lowered(ScaledDotProductAttention(), q[:, :0], q, q) is None
    assert lowered(ScaledDotProductAttention(np.zeros(4, np.float32)), q, q, q) is None


@given(sizes=st.lists(st.integers(1, 50), min_size=1, max_size=20), threads=st.integers(1, 4))
def test_every_block_is_some_threads_and_none_has_much_more(sizes, threads):
    tiles = [QueryTile((0,), slice(0, 1), slice(0, 1), size) for size in sizes]
    parts = shared_out(tiles, threads)
    assert sorted(tile.keys for part in parts for tile in part) == sorted(sizes)
    work = [sum(tile.scores for tile in part) for part in parts]
    assert max(work) - min(work) <= max(sizes)


def multihead(embed=12, heads=3, bias=True, **options):
    weight = {} if "q_proj_weight" in options else {"in_proj_weight": numbers(0, 3 * embed, embed)}
    layer = MultiheadAttention(
        embed,
        heads,
        numbers(1, embed, embed),
        out_proj_bias=numbers(2, embed) if bias else None,
        in_proj_bias=numbers(3, 3 * embed) if bias else None,
        **weight,
        **options,
    )
    layer.returns = ("output",)
    return layer


@pytest.mark.slow
@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("shape", [(9, 12), (2, 9, 12), (40, 1, 12)])
@pytest.mark.parametrize("ways", [("nchw", "nchw"), ("wide nchw", "wide nchw")])
def test_multihead_attention_of_a_sequence_to_itself(beside, batch_first, bias, shape, ways):
    layer = multihead(bias=bias, batch_first=batch_first)
    for threads in (1, 2):
        beside(layer, numbers(4, *shape), layouts=ways, threads=threads, rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("batch_first", [False, True])
def test_multihead_attention_to_another_sequence(beside, batch_first):
    sizes = {
        "q_proj_weight": numbers(5, 12, 12),
        "k_proj_weight": numbers(6, 12, 5),
        "v_proj_weight": numbers(7, 12, 4),
    }
    layer = multihead(batch_first=batch_first, kdim=5, vdim=4, **sizes)
    q, k, v = (
        numbers(i, *((2, n) if batch_first else (n, 2)), m) for i, (n, m) in enumerate([(9, 12), (7, 5), (7, 4)])
    )
    for threads in (1, 2):
        beside(layer, q, k, v, threads=threads, rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("dtype", [bool, np.float32])
def test_multihead_attention_with_a_constant_mask(dtype):
    layer = multihead(batch_first=True)
    layer.roles = ("query", "attn_mask")
    x, hidden = numbers(0, 2, 9, 12), np.triu(np.ones((9, 9), bool), 1)
    hidden[3] = True
    mask = hidden if dtype is bool else np.where(hidden, np.float32(-np.inf), numbers(1, 9, 9))
    expected = layer.forward(x, mask)
    given = [Spec(a.shape, a.dtype, True, a) for a in (x, mask)]
    result = [Spec(expected.shape, expected.dtype)]
    operator = Operator("nn.MultiheadAttention", "here", layer=layer)
    bound = bind_kernel(multihead_attention(Step([operator], given, result)), given, result)
    bound.run()
    np.testing.assert_allclose(bound.outputs[0].array, expected, rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize(
    "change",
    [
        {"returns": ("output", "weights")},
        {"bias_k": numbers(0, 1, 1, 12), "bias_v": numbers(0, 1, 1, 12)},
        {"add_zero_attn": True},
        {"roles": ("query", "key_padding_mask")},
        {"roles": ("query", "mask")},
    ],
    ids=lambda change: ", ".join(change),
)
def test_multihead_attention_without_a_kernel(change):
    layer = multihead()
    inputs = [Spec((9, 2, 12), np.dtype(np.float32)), Spec((2, 9), np.dtype(np.float32))][
        : len(change.get("roles", "q"))
    ]
    node = Step([Operator("nn.MultiheadAttention", "here", layer=layer)], inputs, inputs[:1])
    assert len(inputs) == 2 or multihead_attention(node) is not None
    for name, value in change.items():
        setattr(layer, name, value)
    assert multihead_attention(node) is None


def test_one_input_in_three_roles_is_projected_at_once():
    """PNNX writes the input of self-attention once or three times; either way it is one product."""
    layer = multihead(batch_first=True)
    layer.roles = ("query", "key", "value")
    operand, spec = Operand("x"), Spec((2, 9, 12), np.dtype(np.float32))
    operator = Operator("nn.MultiheadAttention", "here", [operand] * 3, layer=layer)
    kernel = multihead_attention(Step([operator], [spec] * 3, [spec]))
    assert [weight.shape for weight in kernel.weights.values()] == [(12, 36)]


@pytest.mark.parametrize("heads", [1, 2, 3, 6])
@pytest.mark.parametrize("causal", [False, True])
def test_two_threads_have_about_the_same_work_for_any_number_of_heads(heads, causal):
    x, before = np.zeros((1, heads, 197, 8), np.float32), []
    both = attention.Heads(x, x, x, x.copy(), None, 1.0, causal, 1, Workspace(2), before)
    work = [sum(tile.scores for tile in part) for part in shared_out(both._tiles(197, 197, 2), 2)]
    assert max(work) <= 1.35 * min(work)
