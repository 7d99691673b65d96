"""Attention computes what PyTorch computes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.errors import KuiperError
from kuiper.layers.sequence.attention import MultiheadAttention, ScaledDotProductAttention

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
dot_product = torch.nn.functional.scaled_dot_product_attention

QUICK = settings(max_examples=40, deadline=None)
SIZES = st.integers(1, 5)


def numbers(seed, *shape, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def close(found, expected, tolerance=1e-5):
    expected = expected.detach().numpy()
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance, strict=True)


def masks(seed, length, source):
    """None, booleans, and numbers; the last two hide everything from position 0."""
    seen = np.random.default_rng(seed).random((length, source)) < 0.6
    seen[0] = False
    return {"none": None, "bool": seen, "float": np.where(seen, numbers(seed, length, source), np.float32(-np.inf))}


@QUICK
@given(
    lead=st.lists(st.integers(1, 3), max_size=2),
    sizes=st.tuples(SIZES, SIZES, SIZES, SIZES),
    kind=st.sampled_from(["none", "bool", "float"]),
    scale=st.sampled_from([None, 0.3]),
)
def test_scaled_dot_product_attention_with_any_mask(lead, sizes, kind, scale):
    length, source, embed, width = sizes
    q, k, v = (numbers(i, *lead, *s) for i, s in enumerate([(length, embed), (source, embed), (source, width)]))
    mask = masks(3, length, source)[kind]
    found = ScaledDotProductAttention(attn_mask=mask, scale=scale).forward(q, k, v)
    theirs = None if mask is None else torch.from_numpy(mask)
    close(found, dot_product(*map(torch.from_numpy, (q, k, v)), attn_mask=theirs, scale=scale))


@pytest.mark.parametrize(("length", "source"), [(4, 4), (2, 5), (5, 2)])
def test_causal_attention_looks_back_only(length, source):
    q, k, v = numbers(0, 2, 3, length, 8), numbers(1, 2, 3, source, 8), numbers(2, 2, 3, source, 6)
    close(
        ScaledDotProductAttention(is_causal=True).forward(q, k, v),
        dot_product(*map(torch.from_numpy, (q, k, v)), is_causal=True),
    )


def test_grouped_queries_share_the_heads_of_key_and_value():
    q, k, v = numbers(0, 2, 6, 4, 8), numbers(1, 2, 2, 5, 8), numbers(2, 2, 2, 5, 3)
    expected = dot_product(*map(torch.from_numpy, (q, k, v)), enable_gqa=True)
    close(ScaledDotProductAttention(enable_gqa=True).forward(q, k, v), expected)


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float16, 2e-3), (np.float64, 1e-12)])
def test_other_element_types(dtype, tolerance):
    q, k, v = (numbers(i, 2, 4, 8, dtype=dtype) for i in range(3))
    close(ScaledDotProductAttention().forward(q, k, v), dot_product(*map(torch.from_numpy, (q, k, v))), tolerance)


def test_shapes_and_options_that_do_not_fit_are_refused():
    q = numbers(0, 2, 4, 8)
    for k, v in [(numbers(1, 2, 4, 7), q), (q, numbers(1, 2, 3, 8)), (q[0, 0], q)]:
        with pytest.raises((RuntimeError, IndexError)):
            dot_product(*map(torch.from_numpy, (q, k, v)))
        with pytest.raises(KuiperError, match="expected"):
            ScaledDotProductAttention().forward(q, k, v)
    for options in ({"dropout_p": 0.5}, {"is_causal": True, "attn_mask": np.ones((4, 4), bool)}):
        with pytest.raises(KuiperError, match="parameter"):
            ScaledDotProductAttention(**options)


def twins(seed=0, **options):
    """PyTorch's module with random weights, and the layer that has the same."""
    torch.manual_seed(seed)
    theirs = torch.nn.MultiheadAttention(**options).eval()
    for parameter in theirs.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    weights = {name.replace(".", "_"): p.detach().numpy() for name, p in theirs.named_parameters()}
    return theirs, MultiheadAttention(**weights, **options)


@pytest.mark.slow
@QUICK
@given(
    switches=st.fixed_dictionaries(
        {name: st.booleans() for name in ("bias", "add_bias_kv", "add_zero_attn", "batch_first")}
    ),
    widths=st.sampled_from([{}, {"kdim": 6, "vdim": 4}, {"kdim": 6}]),
    heads=st.sampled_from([1, 2, 4]),
    mask=st.sampled_from(["none", "bool", "float", "per head"]),
    padding=st.sampled_from(["none", "bool", "float"]),
    batched=st.booleans(),
)
def test_multihead_attention_with_any_options(switches, widths, heads, mask, padding, batched):
    theirs, ours = twins(embed_dim=8, num_heads=heads, **switches, **widths)
    n, length, source = 3 if batched else 1, 2, 5
    arrays = [
        numbers(i, n, s, e)
        for i, (s, e) in enumerate([(length, 8), (source, ours.widths[0]), (source, ours.widths[1])])
    ]
    if not batched:
        arrays = [x[0] for x in arrays]
    elif not switches["batch_first"]:
        arrays = [x.swapaxes(0, 1) for x in arrays]
    given = {}
    if mask != "none":
        seen = numbers(7, n * heads if mask == "per head" else 1, length, source) < 0.8
        seen[..., 0] = True
        seen = seen if mask == "per head" else seen[0]
        given["attn_mask"] = ~seen if mask == "bool" else np.where(seen, numbers(8, *seen.shape), np.float32(-np.inf))
    if padding != "none":
        hidden = np.zeros((n, source), bool)
        hidden[-1, 3:] = True
        hidden = hidden if batched else hidden[0]
        given["key_padding_mask"] = hidden if padding == "bool" else np.where(hidden, np.float32(-1e4), np.float32(0))
    ours.roles = ("query", "key", "value", *given)
    expected = theirs(*map(torch.from_numpy, arrays), **{k: torch.from_numpy(v) for k, v in given.items()})
    for found, want in zip(ours.forward(*arrays, *given.values()), expected, strict=True):
        close(found, want)


@pytest.mark.parametrize("need_weights", [False, True])
def test_a_position_that_may_see_nothing_gives_zeros_or_nan_as_in_pytorch(need_weights):
    theirs, ours = twins(embed_dim=8, num_heads=2, batch_first=True)
    x, mask = numbers(0, 2, 3, 8), np.zeros((3, 3), np.float32)
    mask[1] = -np.inf
    ours.roles, ours.returns = ("query", "attn_mask"), ("output", "weights")[: 1 + need_weights]
    expected = theirs(*[torch.from_numpy(x)] * 3, attn_mask=torch.from_numpy(mask), need_weights=need_weights)[0]
    found = ours.forward(x, mask)
    close(found[0] if need_weights else found, expected)
    assert bool(torch.isnan(expected).any()) == need_weights


def test_fewer_inputs_mean_that_value_is_key_and_key_is_query():
    theirs, ours = twins(embed_dim=8, num_heads=2, batch_first=True)
    x, y = numbers(0, 2, 3, 8), numbers(1, 2, 4, 8)
    close(ours.forward(x)[0], theirs(*[torch.from_numpy(x)] * 3)[0])
    close(ours.forward(x, y)[0], theirs(*map(torch.from_numpy, (x, y, y)))[0])


def test_weights_and_masks_that_do_not_fit_are_refused():
    with pytest.raises(KuiperError, match="num_heads"):
        twins(embed_dim=8, num_heads=2)[1].__class__(8, 3, np.eye(8))
    with pytest.raises(KuiperError, match="k_proj_weight"):
        MultiheadAttention(8, 2, np.eye(8), in_proj_weight=np.zeros((24, 8)), kdim=6)
    ours = twins(embed_dim=8, num_heads=2)[1]
    ours.roles = ("query", "attn_mask")
    with pytest.raises(KuiperError, match="attn_mask"):
        ours.forward(numbers(0, 3, 2, 8), numbers(1, 4, 4))
    with pytest.raises(KuiperError, match="2 or 3 axes"):
        ours.forward(numbers(0, 8))
