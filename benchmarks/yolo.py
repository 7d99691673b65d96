"""YOLOv5s as a torch module, its detections decoded. Source: https://github.com/ultralytics/yolov5 (v6.0)"""

from __future__ import annotations

import torch
from torch import nn

ANCHORS = (
    (8, ((10, 13), (16, 30), (33, 23))),
    (16, ((30, 61), (62, 45), (59, 119))),
    (32, ((116, 90), (156, 198), (373, 326))),
)
"""For each of the three scales: pixels per cell, and width and height in pixels of its three kinds of box."""


def unit(inputs: int, outputs: int, kernel: int = 1, stride: int = 1) -> nn.Sequential:
    """Convolution that keeps the size (divided by the stride), BatchNorm, SiLU."""
    padding = 2 if kernel == 6 else kernel // 2
    conv = nn.Conv2d(inputs, outputs, kernel, stride, padding, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs), nn.SiLU(inplace=True))


class Bottleneck(nn.Module):
    """(N,C,H,W) -> (N,C,H,W): 1x1, then 3x3, and the input added where `add`."""

    def __init__(self, channels: int, add: bool) -> None:
        super().__init__()
        self.body, self.add = nn.Sequential(unit(channels, channels), unit(channels, channels, 3)), add

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Compute."""
        return x + self.body(x) if self.add else self.body(x)


class C3(nn.Module):
    """(N,C,H,W) -> (N,D,H,W): half of the channels through bottlenecks, the other half past them."""

    def __init__(self, inputs: int, outputs: int, repeats: int, add: bool = True) -> None:
        super().__init__()
        half = outputs // 2
        self.through = nn.Sequential(unit(inputs, half), *(Bottleneck(half, add) for _ in range(repeats)))
        self.past, self.merge = unit(inputs, half), unit(outputs, outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Compute."""
        return self.merge(torch.cat([self.through(x), self.past(x)], 1))


class Pyramid(nn.Module):
    """(N,C,H,W) -> (N,C,H,W): the maxima of 1, 5, 9 and 13 neighbours side by side (SPPF)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.narrow, self.pool = unit(channels, channels // 2), nn.MaxPool2d(5, 1, 2)
        self.merge = unit(2 * channels, channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Compute."""
        x = self.narrow(x)
        y = self.pool(x)
        z = self.pool(y)
        return self.merge(torch.cat([x, y, z, self.pool(z)], 1))


class Detect(nn.Module):
    """Three maps of features -> (N, boxes, 5 + classes): centre, width and height in pixels, confidence, classes."""

    def __init__(self, channels: tuple[int, ...], size: int, classes: int) -> None:
        super().__init__()
        self.values = 5 + classes
        self.heads = nn.ModuleList(nn.Conv2d(c, 3 * self.values, 1) for c in channels)
        for i, (stride, boxes) in enumerate(ANCHORS):
            cells = torch.arange(size // stride, dtype=torch.float32) - 0.5
            rows, columns = torch.meshgrid(cells, cells, indexing="ij")
            self.register_buffer(f"grid{i}", torch.stack([columns, rows], -1)[None, None] * stride)
            self.register_buffer(f"boxes{i}", torch.tensor(boxes, dtype=torch.float32).view(1, 3, 1, 1, 2))

    def forward(self, maps: list[torch.Tensor]) -> torch.Tensor:
        """Compute."""
        found = []
        for i, (head, x) in enumerate(zip(self.heads, maps)):
            n, _, height, width = x.shape
            y = head(x).view(n, 3, self.values, height, width).permute(0, 1, 3, 4, 2).sigmoid()
            centre, extent, rest = y.split((2, 2, self.values - 4), 4)
            centre = centre * (2 * ANCHORS[i][0]) + getattr(self, f"grid{i}")
            extent = (extent * 2) ** 2 * getattr(self, f"boxes{i}")
            found.append(torch.cat([centre, extent, rest], 4).reshape(n, -1, self.values))
        return torch.cat(found, 1)


class YOLOv5s(nn.Module):
    """(N,3,size,size) -> (N, boxes, 5 + classes): YOLOv5 with a third of the depth and half of the width."""

    def __init__(self, size: int = 640, classes: int = 80, width: int = 32) -> None:
        super().__init__()
        w1, w2, w4, w8, w16 = (width * k for k in (1, 2, 4, 8, 16))
        self.first = nn.Sequential(
            unit(3, w1, 6, 2), unit(w1, w2, 3, 2), C3(w2, w2, 1), unit(w2, w4, 3, 2), C3(w4, w4, 2)
        )
        self.second = nn.Sequential(unit(w4, w8, 3, 2), C3(w8, w8, 3))
        self.third = nn.Sequential(unit(w8, w16, 3, 2), C3(w16, w16, 1), Pyramid(w16))
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        self.narrow1, self.merge1 = unit(w16, w8), C3(w16, w8, 1, False)
        self.narrow2, self.merge2 = unit(w8, w4), C3(w8, w4, 1, False)
        self.down1, self.merge3 = unit(w4, w4, 3, 2), C3(w8, w8, 1, False)
        self.down2, self.merge4 = unit(w8, w8, 3, 2), C3(w16, w16, 1, False)
        self.detect = Detect((w4, w8, w16), size, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Compute."""
        fine = self.first(x)
        middle = self.second(fine)
        coarse = self.narrow1(self.third(middle))
        middle = self.narrow2(self.merge1(torch.cat([self.up(coarse), middle], 1)))
        fine = self.merge2(torch.cat([self.up(middle), fine], 1))
        middle = self.merge3(torch.cat([self.down1(fine), middle], 1))
        return self.detect([fine, middle, self.merge4(torch.cat([self.down2(middle), coarse], 1))])
