"""Einstein's summation: any sum of products, written as one equation."""

from __future__ import annotations

import math
import string

import numpy as np

from kuiper.dtypes import single
from kuiper.errors import InferError, ParameterError
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import Shapes, known
from kuiper.layers.families import LINEAR
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry


@registry.register("torch.einsum")
class Einsum(Layer):
    """a, b, ... -> the sum that `equation` describes, over every letter that its result does not name.

    "ik,kj->ij" is the matrix product y[i, j] = sum over k of a[i, k] * b[k, j]. A letter that an operand has twice
    is its diagonal.

    Parameters
    ----------
    equation : one letter per axis; "..." stands for any axes, which broadcast. Without "->" the result has the axes
        of "...", then the letters that occur once, in alphabetical order.

    Sources: https://docs.pytorch.org/docs/stable/generated/torch.einsum.html, https://rockt.ai/2018/04/30/einsum

    >>> Einsum("ij->ji").forward(np.array([[1, 2], [3, 4]])).tolist()
    [[1, 3], [2, 4]]
    >>> Einsum("i,i").forward(np.array([1, 2]), np.array([3, 4])).tolist()
    11
    """

    family = LINEAR

    def __init__(self, equation: str) -> None:
        self.equation = equation

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """One multiplication per operand but the first, and one addition, for every combination of the indices."""
        shapes = [known(shape) for shape in inputs]
        terms = explicit(self.equation, tuple(map(len, shapes))).partition("->")[0].split(",")
        extents: dict[str, int] = {}
        for term, shape in zip(terms, shapes, strict=True):
            for letter, extent in zip(term, shape, strict=True):
                extents[letter] = max(extents.get(letter, 1), extent)
        return len(terms) * math.prod(extents.values())

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        """Compute the sum. Raises ParameterError for an equation that does not fit, ShapeError for sizes."""
        first, *others = operands
        check_dtype("einsum", first, "ficb", *others)
        equation = explicit(self.equation, tuple(x.ndim for x in operands))
        try:
            y = np.einsum(equation, *(single(x) for x in operands), optimize=len(operands) > 1)
        except ValueError as error:
            shapes = ", ".join(str(x.shape) for x in operands)
            raise InferError(f"einsum {self.equation}: sizes do not fit in {shapes}: {error}") from error
        return np.asarray(y).astype(first.dtype)


def explicit(equation: str, ranks: tuple[int, ...]) -> str:
    """`equation` with "->" and with a letter for every axis, for operands of these ranks.

    pnnx drops "..." from an equation of several operands ("...ik,...kj->...ij" is written "ik,kj->ij"). Operands with
    more axes than letters are the trace of that; the axes are put back in front, where nearly every equation has them.

    >>> explicit("...i,i", (3, 1)), explicit("ik,kj->ij", (3, 3))
    ('abi,i->ab', 'aik,akj->aij')
    """
    left, arrow, result = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise ParameterError("equation", f"{len(ranks)} operands", f"{len(terms)} in {equation!r}")
    hidden = [rank - len(term.replace("...", "")) for term, rank in zip(terms, ranks)]
    if arrow and "..." not in equation and max(hidden) > 0:
        terms, result = [f"...{term}" for term in terms], f"...{result}"
    for term, count, rank in zip(terms, hidden, ranks):
        if count < 0 or (count and "..." not in term):
            raise ParameterError("equation", f"{rank} axes", f"{term!r} in {equation!r}")
    if not arrow:
        letters = "".join(terms).replace(".", "")
        result = "..." + "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
    free = [letter for letter in string.ascii_letters if letter not in equation]
    axes = "".join(free[: max(hidden)])
    # axes broadcast from the right, so an operand that hides fewer has the last ones
    terms = [term.replace("...", axes[len(axes) - count :]) for term, count in zip(terms, hidden)]
    return f"{','.join(terms)}->{result.replace('...', axes)}"
