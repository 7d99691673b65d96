"""A narrow U-Net. Source: https://arxiv.org/abs/1505.04597, with padded convolutions and BatchNorm."""

from __future__ import annotations

import torch
from torch import Tensor, nn

WIDTHS = (8, 16, 32, 64, 96)


def twice(inputs: int, outputs: int) -> nn.Sequential:
    """(N, inputs, H, W) -> (N, outputs, H, W): 3x3 convolution, BatchNorm, ReLU, and again."""
    layers: list[nn.Module] = []
    for channels in (inputs, outputs):
        layers += [nn.Conv2d(channels, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]
    return nn.Sequential(*layers)


class UNet(nn.Module):
    """(N, 3, H, W) of 0..1, H and W multiples of 16 -> (N, classes, H, W) logits."""

    def __init__(self, classes: int = 2, widths: tuple[int, ...] = WIDTHS) -> None:
        super().__init__()
        self.down = nn.ModuleList(twice(a, b) for a, b in zip((3, *widths), widths))
        self.pool = nn.MaxPool2d(2)
        steps = list(zip(widths[::-1], widths[-2::-1]))
        self.grow = nn.ModuleList(nn.ConvTranspose2d(a, b, 2, stride=2) for a, b in steps)
        self.up = nn.ModuleList(twice(2 * b, b) for _, b in steps)
        self.head = nn.Conv2d(widths[0], classes, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Compute."""
        kept = []
        for i, block in enumerate(self.down):
            x = block(self.pool(x) if i else x)
            kept.append(x)
        for grow, block, beside in zip(self.grow, self.up, kept[-2::-1]):
            x = block(torch.cat([beside, grow(x)], 1))
        return self.head(x)
