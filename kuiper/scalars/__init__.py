"""Scalar functions: one table of what each is called, computes, costs, and how the fast engine compiles it."""

from kuiper.scalars.function import Function
from kuiper.scalars.special import erf, lgamma, softmax
from kuiper.scalars.table import EXPRESSION, OPERATORS

__all__ = ["EXPRESSION", "OPERATORS", "Function", "erf", "lgamma", "softmax"]
