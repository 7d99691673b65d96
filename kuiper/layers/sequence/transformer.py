"""A whole encoder layer of a transformer in one operator, put together from the layers it is made of."""

from __future__ import annotations

import numpy as np

from kuiper.layers.cost import Shapes, known, size
from kuiper.layers.elementwise.activation import GELU, ReLU
from kuiper.layers.families import LINEAR
from kuiper.layers.layer import Layer
from kuiper.layers.linear.linear import Linear
from kuiper.layers.normalization.normalization import LayerNorm
from kuiper.layers.registry import registry
from kuiper.layers.sequence.attention import MultiheadAttention

MASK_ROLES = ("attn_mask", "key_padding_mask", "attn_mask")
"""What a mask of type 0, 1 or 2 is; the last is both in one, (N, num_heads, L, L)."""


OPTIONS = (
    "embed_dim num_heads in_proj_weight in_proj_bias out_proj_weight out_proj_bias use_gelu norm_first eps "
    "norm1_weight norm1_bias norm2_weight norm2_bias linear1_weight linear1_bias linear2_weight linear2_bias"
)


@registry.register("aten::_transformer_encoder_layer_fwd", inputs=(f"x {OPTIONS}", f"x {OPTIONS} mask mask_type"))
class TransformerEncoderLayer(Layer):
    """(N, L, E) -> (N, L, E): x + attention(x), then x + mlp(x), each normalized after it, or before it.

    PyTorch runs nn.TransformerEncoderLayer as this single operation where gradients are off, and pnnx writes it so. The
    operation takes every number of a mask but 0 for True, "may not be seen"; a position that may see nothing gives NaN.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerEncoderLayer.html
    """

    family = LINEAR
    weights = tuple(name for name in OPTIONS.split() if name.endswith(("weight", "bias")))

    def __init__(
        self,
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
    ) -> None:
        self.attention = MultiheadAttention(
            embed_dim,
            num_heads,
            out_proj_weight,
            out_proj_bias,
            in_proj_weight,
            in_proj_bias=in_proj_bias,
            batch_first=True,
        )
        self.masks = []
        if mask is not None:
            self.attention.roles = ("query", MASK_ROLES[mask_type or 0])
            self.masks.append((mask.reshape(-1, *mask.shape[-2:]) if mask.ndim == 4 else mask).astype(bool))
        self.norm1 = LayerNorm(norm1_weight.shape, norm1_weight, norm1_bias, eps)
        self.norm2 = LayerNorm(norm2_weight.shape, norm2_weight, norm2_bias, eps)
        self.widen, self.narrow = Linear(linear1_weight, linear1_bias), Linear(linear2_weight, linear2_bias)
        self.activation = GELU() if use_gelu else ReLU()
        self.norm_first = norm_first

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """Those of the layers that it is made of, and two sums."""
        x = known(inputs[0])
        inner = (*x[:-1], len(self.widen.weight))
        steps = (
            *((layer, x, x) for layer in (self.attention, self.norm1, self.norm2)),
            *((self.widen, x, inner), (self.activation, inner, inner), (self.narrow, inner, x)),
        )
        return sum(layer.flops([given], [made]) for layer, given, made in steps) + 2 * size(x)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute the layer. The linear layers of the mlp widen and narrow; between them stands ReLU or GELU."""
        if self.norm_first:
            x = x + self._attend(self.norm1.forward(x))
            return x + self._mlp(self.norm2.forward(x))
        x = self.norm1.forward(x + self._attend(x))
        return self.norm2.forward(x + self._mlp(x))

    def _attend(self, y: np.ndarray) -> np.ndarray:
        return self.attention.forward(y, *self.masks)[0]

    def _mlp(self, y: np.ndarray) -> np.ndarray:
        return self.narrow.forward(self.activation.forward(self.widen.forward(y)))
