"""A whole encoder layer of a transformer in one operator, put together from the layers it is made of."""

from __future__ import annotations

import numpy as np

from kuiper.layers.elementwise.activation import GELU, ReLU
from kuiper.layers.layer import Layer
from kuiper.layers.linear.linear import Linear
from kuiper.layers.normalization.normalization import LayerNorm
from kuiper.layers.registry import registry
from kuiper.layers.sequence.attention import MultiheadAttention

MASK_ROLES = ("attn_mask", "key_padding_mask", "attn_mask")
"""What a mask of type 0, 1 or 2 is; the last is both in one, (N, num_heads, L, L)."""


@registry.register("aten::_transformer_encoder_layer_fwd")
class TransformerEncoderLayer(Layer):
    """(N, L, E) -> (N, L, E): x + attention(x), then x + mlp(x), each normalized after it, or before it.

    PyTorch runs nn.TransformerEncoderLayer as this single operation where gradients are off, and pnnx writes it so. The
    operation takes every number of a mask but 0 for True, "may not be seen"; a position that may see nothing gives NaN.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerEncoderLayer.html
    """

    def forward(
        self,
        x: np.ndarray,
        embed_dim: int,
        num_heads: int,
        in_proj_weight: np.ndarray,
        in_proj_bias: np.ndarray,
        out_proj_weight: np.ndarray,
        out_proj_bias: np.ndarray,
        use_gelu: bool,
        norm_first: bool,
        eps: float,
        norm1_weight: np.ndarray,
        norm1_bias: np.ndarray,
        norm2_weight: np.ndarray,
        norm2_bias: np.ndarray,
        linear1_weight: np.ndarray,
        linear1_bias: np.ndarray,
        linear2_weight: np.ndarray,
        linear2_bias: np.ndarray,
        mask: np.ndarray | None = None,
        mask_type: int | None = None,
    ) -> np.ndarray:
        """Compute the layer. The linear layers of the mlp widen and narrow; between them stands ReLU or GELU."""
        attention = MultiheadAttention(
            embed_dim,
            num_heads,
            out_proj_weight,
            out_proj_bias,
            in_proj_weight,
            in_proj_bias=in_proj_bias,
            batch_first=True,
        )
        masks = []
        if mask is not None:
            attention.roles = ("query", MASK_ROLES[mask_type or 0])
            masks.append((mask.reshape(-1, *mask.shape[-2:]) if mask.ndim == 4 else mask).astype(bool))
        norm1, norm2 = (
            LayerNorm(w.shape, w, b, eps) for w, b in ((norm1_weight, norm1_bias), (norm2_weight, norm2_bias))
        )
        widen, narrow = Linear(linear1_weight, linear1_bias), Linear(linear2_weight, linear2_bias)
        activation = GELU() if use_gelu else ReLU()

        def attend(y: np.ndarray) -> np.ndarray:
            return attention.forward(y, *masks)[0]

        def mlp(y: np.ndarray) -> np.ndarray:
            return narrow.forward(activation.forward(widen.forward(y)))

        if norm_first:
            x = x + attend(norm1.forward(x))
            return x + mlp(norm2.forward(x))
        x = norm1.forward(x + attend(x))
        return norm2.forward(x + mlp(x))
