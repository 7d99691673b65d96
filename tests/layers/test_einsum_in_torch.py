"""Einsum computes what PyTorch computes, for every kind of equation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import KuiperError
from kuiper.layers.linear.einsum import Einsum

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

EQUATIONS = [
    ("i", (3,)),
    ("ij", (3, 4)),
    ("ba", (3, 4)),
    ("Ba", (3, 4)),
    ("ikj", (2, 3, 4)),
    ("ij->ji", (3, 4)),
    ("...ij->...ji", (2, 5, 3, 4)),
    ("abc...->cba...", (2, 5, 3, 4)),
    ("...ij->i", (2, 3, 4)),
    ("ii", (3, 3)),
    ("ii->i", (3, 3)),
    ("...ii->...i", (2, 3, 3)),
    ("ij->", (3, 4)),
    ("ijkl->jl", (2, 3, 4, 5)),
    ("...", (2, 3)),
    ("i,i->i", (3,), (3,)),
    ("i,j->ij", (3,), (4,)),
    ("i,jki->jk", (3,), (2, 4, 3)),
    ("ij,jk", (2, 3), (3, 4)),
    ("aB,BC", (2, 3), (3, 4)),
    ("bjk, bij -> bik", (2, 3, 4), (2, 5, 3)),
    ("...ij,...jk->...ik", (2, 3, 4), (5, 1, 4, 6)),
    ("...ij,jk", (5, 2, 3, 4), (4, 6)),
    ("i...j,j->...i", (5, 2, 3, 4), (4,)),
    ("bhqd,bkhd->bhqk", (2, 3, 4, 5), (2, 6, 3, 5)),
    ("pqrs,tqvr->pstv", (2, 3, 5, 7), (1, 3, 4, 5)),
    ("a,b,c,d->abcd", (2,), (3,), (4,), (5,)),
    ("bn,anm,bm->ba", (2, 5), (3, 5, 4), (2, 4)),
    ("ij,jk,kl,lm->im", (2, 3), (3, 4), (4, 2), (2, 3)),
    ("zij,zjk->zik", (1, 2, 3), (5, 3, 4)),
]


def numbers(seed, shape, dtype=np.float32):
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


@pytest.mark.parametrize(
    ("equation", "shapes", "dtype"),
    # PyTorch rounds float16 between the products of three operands, kuiper at the end
    [(e, s, dtype) for e, *s in EQUATIONS for dtype in (np.float32, np.int64, np.float16)[: 2 + (len(s) < 3)]],
)
def test_equation(equation, shapes, dtype):
    arrays = [numbers(i, shape, dtype) for i, shape in enumerate(shapes)]
    found = Einsum(equation).forward(*arrays)
    expected = torch.einsum(equation, *map(torch.from_numpy, arrays)).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-3 if dtype == np.float16 else 1e-6, strict=True)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_random_equations_of_two_operands(data):
    letters = "abcdE"
    sizes = dict(zip(letters, (2, 3, 1, 4, 2)))
    terms = data.draw(st.lists(st.text(letters, min_size=1, max_size=3), min_size=2, max_size=2))
    used = sorted(set("".join(terms)))
    result = "".join(data.draw(st.permutations(used)))[: data.draw(st.integers(0, len(used)))]
    equation = ",".join(terms) + data.draw(st.sampled_from(["", f"->{result}"]))
    arrays = [numbers(i, [sizes[letter] for letter in term]) for i, term in enumerate(terms)]
    expected = torch.einsum(equation, *map(torch.from_numpy, arrays)).numpy()
    np.testing.assert_allclose(Einsum(equation).forward(*arrays), expected, rtol=1e-5, atol=1e-5, strict=True)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(2, 3)]),
        ("ij", [(2, 3, 4)]),
        ("ijk", [(2, 3)]),
        ("ij,jk->ik", [(2, 3), (4, 5)]),
        ("ij->k", [(2, 3)]),
    ],
)
def test_equations_that_pytorch_refuses_are_refused(equation, shapes):
    arrays = [numbers(0, shape) for shape in shapes]
    with pytest.raises(RuntimeError):
        torch.einsum(equation, *map(torch.from_numpy, arrays))
    with pytest.raises(KuiperError, match=r"einsum|equation"):
        Einsum(equation).forward(*arrays)


class Sums(torch.nn.Module):
    def forward(self, x, y):
        one = torch.einsum("...ij->...ji", x), torch.einsum("iij", x), torch.einsum("ijk->", x)
        two = (
            torch.einsum("...ij,...jk->...ik", x, x),
            torch.einsum("bij,bj->bi", x, y),
            torch.einsum("ij,jk,kl", y, y, y),
        )
        return one + two


def test_exported_equations_agree_even_where_pnnx_drops_the_ellipsis(export):
    model, arrays = Sums(), [numbers(0, (3, 3, 3)), numbers(1, (3, 3))]
    tensors = [torch.from_numpy(a) for a in arrays]
    graph = kuiper.load(export(model, *tensors))
    assert "..." not in graph.operator("torch.einsum_3").params["equation"].value
    for mine, theirs in zip(graph(*arrays), model(*tensors), strict=True):
        np.testing.assert_allclose(mine, theirs.numpy(), rtol=1e-6, strict=True)
