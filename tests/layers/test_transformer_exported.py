"""nn.TransformerEncoderLayer exported without gradients is one operator; kuiper takes it apart again."""

from __future__ import annotations

import numpy as np
import pytest

import kuiper

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402


class Encoder(nn.Module):
    def __init__(self, masks, **options):
        super().__init__()
        self.masks, self.layer = masks, nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, **options)
        for parameter in self.layer.parameters():
            nn.init.normal_(parameter, std=0.4)

    def forward(self, x, mask, padding):
        given = {"src_mask": mask, "src_key_padding_mask": padding == 0}
        return self.layer(x, **{name: given[name] for name in self.masks})


@pytest.mark.parametrize("options", [{}, {"activation": "gelu", "norm_first": True}])
@pytest.mark.parametrize("masks", [[], ["src_mask"], ["src_key_padding_mask"], ["src_mask", "src_key_padding_mask"]])
def test_encoder_layer_exported_without_gradients(export, masks, options):
    torch.manual_seed(0)
    model = Encoder(masks, **options).eval()
    padding = torch.ones(3, 5, dtype=torch.long)
    padding[0, 3:] = 0
    tensors = torch.randn(3, 5, 8), torch.full((5, 5), -torch.inf).triu(1), padding
    with torch.no_grad():
        graph = kuiper.load(export(model, *tensors))
        expected = model(*tensors).numpy()
    assert "aten::_transformer_encoder_layer_fwd" in {operator.type for operator in graph.operators}
    arrays = [x.numpy() for x in tensors]
    (found,) = graph(*arrays)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5, strict=True)
