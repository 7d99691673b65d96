"""Identity: layers that do nothing once a network is trained.

Source: https://docs.pytorch.org/docs/stable/nn.html#dropout-layers
"""

from __future__ import annotations

import numpy as np

from kuiper.errors import ParameterError
from kuiper.layers.cost import moves
from kuiper.layers.families import ARITHMETIC
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry


@registry.register("nn.Identity")
class Identity(Layer):
    """(...) -> (...): x."""

    family = ARITHMETIC
    flops = moves

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Give x back."""
        return x


@registry.register(
    *("nn.Dropout", "nn.Dropout1d", "nn.Dropout2d", "nn.Dropout3d", "nn.AlphaDropout", "nn.FeatureAlphaDropout"),
    *("F.dropout", "F.dropout1d", "F.dropout2d", "F.dropout3d", "F.alpha_dropout", "F.feature_alpha_dropout"),
    "torch.dropout",
)
class Dropout(Identity):
    """(...) -> (...): x, because dropout acts in training only."""

    def __init__(self, p: float = 0.5, training: bool = False, inplace: bool = False) -> None:
        if training:
            raise ParameterError("training", "False (export the model after model.eval())", "True")
