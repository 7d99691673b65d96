"""A small ResNet. Source: https://arxiv.org/abs/1512.03385"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class BasicBlock(nn.Module):
    """(N, C, H, W) -> (N, outputs, H/stride, W/stride): two 3x3 convolutions beside a shortcut, their sum rectified."""

    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.bn1, self.relu = nn.BatchNorm2d(outputs), nn.ReLU()
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        """relu(convolutions(x) + shortcut(x))."""
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(y + self.downsample(x))


class ResNet(nn.Module):
    """(N, 3, H, W) normalised as for ImageNet -> (N, classes) logits: stem, stages of blocks, mean, linear."""

    def __init__(self, classes: int, widths: tuple[int, ...] = (16, 32, 64), blocks: int = 2) -> None:
        super().__init__()
        first = widths[0]
        self.stem = nn.Sequential(
            nn.Conv2d(3, first, 7, 2, padding=3, bias=False), nn.BatchNorm2d(first), nn.ReLU(), nn.MaxPool2d(3, 2, 1)
        )
        stages: list[nn.Module] = []
        inputs = first
        for i, width in enumerate(widths):
            for j in range(blocks):
                stages.append(BasicBlock(inputs, width, 2 if i and not j else 1))
                inputs = width
        self.stages, self.pool = nn.Sequential(*stages), nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(inputs, classes)

    def forward(self, x: Tensor) -> Tensor:
        """Compute."""
        return self.fc(torch.flatten(self.pool(self.stages(self.stem(x))), 1))
