"""The code for each kernel of a plan; importing this registers all of it."""

from kuiper.compiled.kernels import conv, copies, linear, matmul, pointwise, resize, rows, windows  # noqa: F401
from kuiper.compiled.kernels.registry import emit as emit
