"""Real network architectures, random weights: torch makes them, pnnx exports them, kuiper must compute the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kuiper

TOLERANCE = 1e-4


def randomise(model: Any, image: Any = None) -> None:
    """Weights that keep the signal's size, and BatchNorm statistics near the true ones but clearly not 0 and 1."""
    import torch
    from torch import nn

    norms = [m for m in model.modules() if isinstance(m, nn.BatchNorm2d)]
    with torch.no_grad():
        for m in model.modules():
            if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d, nn.Linear)):
                fan_in = m.weight[0].numel() if not isinstance(m, nn.ConvTranspose2d) else m.in_channels
                nn.init.normal_(m.weight, std=(2 / fan_in) ** 0.5)
                if m.bias is not None:
                    nn.init.normal_(m.bias, std=0.2)
            elif isinstance(m, (nn.BatchNorm2d, nn.LayerNorm)):
                nn.init.uniform_(m.weight, 0.6, 1.4)
                nn.init.normal_(m.bias, std=0.2)
            elif isinstance(m, nn.RMSNorm):
                nn.init.uniform_(m.weight, 0.6, 1.4)
            elif isinstance(m, nn.MultiheadAttention):
                nn.init.normal_(m.in_proj_weight, std=(2 / m.embed_dim) ** 0.5)
                nn.init.normal_(m.in_proj_bias, std=0.2)
        for m in norms:
            m.momentum = None  # running statistics become the plain mean over the passes: here, of this one batch
        if norms:
            model.train()(torch.rand(4, *image.shape[1:]))
        for m in norms:
            m.running_mean += torch.randn_like(m.running_mean) * 0.3 * m.running_var.sqrt()
            m.running_var *= torch.empty_like(m.running_var).uniform_(0.6, 1.6)
    model.eval()


@dataclass
class Network:
    """A torch model and what kuiper loaded from its export: the graph run by simple layers, and the one by plans."""

    model: Any
    graph: Any
    fast: Any

    @classmethod
    def of(cls, model: Any, param: Path) -> Network:
        """The model, and its export loaded twice."""
        graph, fast = (kuiper.load(str(param), engine=engine, threads=2) for engine in ("simple", "fast"))
        return cls(model, graph, fast)

    @property
    def types(self) -> set[str]:
        """The operator types in the exported file."""
        return {operator.type for operator in self.graph.operators}

    def compare(self, shape: Sequence[int], seed: int = 1) -> None:
        """Run all on one random image batch; every output within 1e-4 of torch's, relative to its largest value."""
        import torch

        self.agree(torch.rand(*shape, generator=torch.Generator().manual_seed(seed)))

    def agree(self, *inputs: Any) -> None:
        """Run all on these tensors; every output within 1e-4 of torch's, relative to its largest value."""
        import torch

        with torch.inference_mode():
            result = self.model(*inputs)
        expected = [y.numpy() for y in (result if isinstance(result, (tuple, list)) else (result,))]
        for graph in (self.graph, self.fast):
            self.near(graph(*(x.numpy() for x in inputs)), expected)
        again = self.fast(*(x.numpy() for x in inputs))
        self.near(again, expected)

    @staticmethod
    def near(got: Sequence[Any], expected: Sequence[Any]) -> None:
        """Each of `got` within 1e-4 of what is expected, which must be worth comparing with."""
        assert len(got) == len(expected)
        for ours, theirs in zip(got, expected, strict=True):
            assert ours.shape == theirs.shape
            assert ours.dtype == theirs.dtype
            scale = max(1.0, float(np.abs(theirs).max()))
            assert 0.05 < theirs.std() < 50, "the network's own output says too little"
            if len(theirs) > 1:
                assert np.abs(theirs[0] - theirs[1]).max() > 100 * TOLERANCE * scale, "the images make no difference"
            assert np.abs(ours - theirs).max() <= TOLERANCE * scale


@pytest.fixture(scope="session")
def network(export: Callable[..., Path]) -> Callable[..., Network]:
    """network(make, shape, other=None) -> make() with random weights; dimensions where `other` differs stay open."""

    def build(make: Callable[[], Any], shape: Sequence[int], other: Sequence[int] | None = None) -> Network:
        import torch

        torch.manual_seed(20)
        model = make()
        randomise(model, torch.rand(*shape))
        param = export(model, torch.rand(*shape), dynamic=None if other is None else (torch.rand(*other),))
        return Network.of(model, param)

    return build


@pytest.fixture(scope="session")
def sequence_network(export: Callable[..., Path]) -> Callable[..., Network]:
    """sequence_network(make, inputs, other=None) -> make() with random weights, for tensors of any kind as inputs.

    PyTorch's fast path for attention is switched off meanwhile: it traces differently with and without gradients.
    """

    def build(make: Callable[[], Any], inputs: Sequence[Any], other: Sequence[Any] | None = None) -> Network:
        import torch

        torch.manual_seed(20)
        model = make()
        randomise(model)
        model.eval()
        torch.backends.mha.set_fastpath_enabled(False)
        try:
            param = export(model, *inputs, dynamic=other)
        finally:
            torch.backends.mha.set_fastpath_enabled(True)
        return Network.of(model, param)

    return build
