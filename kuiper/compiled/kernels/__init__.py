"""The code for each kernel of a plan; importing this registers all of it."""

from kuiper.compiled.kernels import (  # noqa: F401
    attention,
    bands,
    boxes,
    conv,
    copies,
    decoding,
    linear,
    matmul,
    means,
    multihead,
    pointwise,
    resize,
    rows,
    windows,
)
from kuiper.compiled.kernels.registry import emit as emit
