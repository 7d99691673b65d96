"""nn.MultiheadAttention: a product for each distinct input, attention of every head, and the last product."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from kuiper.compiled.kernels.attention import attention, attention_fits
from kuiper.compiled.kernels.linear import emit_linear, linear_fits
from kuiper.compiled.kernels.registry import emits
from kuiper.compiled.parts import Module
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.kernel import Epilogue
from kuiper.fast.kernels.matmul.attention import Attention
from kuiper.fast.kernels.matmul.multihead import MultiheadAttentionKernel


@emits(MultiheadAttentionKernel, inputs="fb")
def multihead(
    module: Module, kernel: MultiheadAttentionKernel, inputs: Sequence[Buffer], outputs: Sequence[Buffer]
) -> bool:
    """The projections and what the heads find lie in scratch memory; a constant mask among the inputs is not read."""
    y, epilogue = outputs[0].array, kernel.epilogue
    residual = inputs[-1].array if epilogue.residual else None
    given = {slot: inputs[slot].array for slot in kernel.weights}
    found = module.shared_array(*y.shape)
    plain = {slot: Epilogue(kernel.biases[slot]) for slot in given}
    fits = all(x.dtype == np.float32 and linear_fits(x, plain[slot], found) for slot, x in given.items())
    if not fits or not linear_fits(found, epilogue, y, residual):
        return False
    projected = {slot: module.shared_array(*x.shape[:-1], kernel.weights[slot].shape[1]) for slot, x in given.items()}
    q, k, v = (kernel.by_heads(part) for part in kernel.parts(projected))
    result = kernel.by_heads(found)
    if not attention_fits(q, v, result):
        return False
    for slot, x in given.items():
        emit_linear(module, x, kernel.weights[slot], plain[slot], projected[slot])
    heads = Attention(1 / math.sqrt(q.shape[-1]), None if kernel.mask is None else kernel.mask.swapaxes(-1, -2))
    attention(module, heads, [Buffer(q), Buffer(k), Buffer(v)], [Buffer(result)])
    emit_linear(module, found, kernel.out_weight, epilogue, y, residual)
    return True
