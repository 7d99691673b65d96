"""A narrow YOLOv5 for ten classes. Source: https://github.com/ultralytics/yolov5 (v6.0)"""

from __future__ import annotations

import torch
from torch import Tensor, nn

STRIDES = (8, 16, 32)
ANCHORS = (
    ((11, 16), (15, 22), (21, 29)),
    ((24, 38), (34, 40), (36, 52)),
    ((44, 68), (60, 62), (64, 88)),
)
"""For each stride, width and height in pixels of its three kinds of box."""


def unit(inputs: int, outputs: int, kernel: int = 1, stride: int = 1) -> nn.Sequential:
    """(N, inputs, H, W) -> (N, outputs, H/stride, W/stride): convolution without bias, BatchNorm, SiLU."""
    padding = 2 if kernel == 6 else kernel // 2
    conv = nn.Conv2d(inputs, outputs, kernel, stride, padding, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs, eps=1e-3, momentum=0.03), nn.SiLU(inplace=True))


class Bottleneck(nn.Module):
    """(N, C, H, W) -> (N, C, H, W): 1x1, then 3x3, and the input added where `add`."""

    def __init__(self, channels: int, add: bool) -> None:
        super().__init__()
        self.body, self.add = nn.Sequential(unit(channels, channels), unit(channels, channels, 3)), add

    def forward(self, x: Tensor) -> Tensor:
        """Compute."""
        return x + self.body(x) if self.add else self.body(x)


class C3(nn.Module):
    """(N, C, H, W) -> (N, D, H, W): half of the channels through bottlenecks, the other half past them."""

    def __init__(self, inputs: int, outputs: int, repeats: int = 1, add: bool = True) -> None:
        super().__init__()
        half = outputs // 2
        self.through = nn.Sequential(unit(inputs, half), *(Bottleneck(half, add) for _ in range(repeats)))
        self.past, self.merge = unit(inputs, half), unit(outputs, outputs)

    def forward(self, x: Tensor) -> Tensor:
        """Compute."""
        return self.merge(torch.cat([self.through(x), self.past(x)], 1))


class SPPF(nn.Module):
    """(N, C, H, W) -> (N, C, H, W): the maxima of 1, 5, 9 and 13 neighbours side by side."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.narrow, self.pool = unit(channels, channels // 2), nn.MaxPool2d(5, 1, 2)
        self.merge = unit(2 * channels, channels)

    def forward(self, x: Tensor) -> Tensor:
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
        for i, (head, stride, boxes) in enumerate(zip(self.heads, STRIDES, ANCHORS)):
            cells = torch.arange(size // stride, dtype=torch.float32) - 0.5
            rows, columns = torch.meshgrid(cells, cells, indexing="ij")
            self.register_buffer(f"grid{i}", torch.stack([columns, rows], -1)[None, None] * stride)
            self.register_buffer(f"boxes{i}", torch.tensor(boxes, dtype=torch.float32).view(1, 3, 1, 1, 2))
            bias = head.bias.detach().view(3, self.values)
            bias[:, 4], bias[:, 5:] = -4.5, -2.0  # few cells hold a digit, and one class in ten is right

    def raw(self, maps: list[Tensor]) -> list[Tensor]:
        """Per stride (N, 3, H, W, 5 + classes), before the sigmoid: what the loss takes."""
        found = []
        for head, x in zip(self.heads, maps):
            n, _, height, width = x.shape
            found.append(head(x).view(n, 3, self.values, height, width).permute(0, 1, 3, 4, 2))
        return found

    def forward(self, maps: list[Tensor]) -> Tensor:
        """Compute."""
        found = []
        for i, (y, stride) in enumerate(zip(self.raw(maps), STRIDES)):
            centre, extent, rest = y.sigmoid().split((2, 2, self.values - 4), 4)
            centre = centre * (2 * stride) + getattr(self, f"grid{i}")
            extent = (extent * 2) ** 2 * getattr(self, f"boxes{i}")
            found.append(torch.cat([centre, extent, rest], 4).flatten(1, 3))
        return torch.cat(found, 1)


class Detector(nn.Module):
    """(N, 3, size, size) of 0..1 -> (N, boxes, 5 + classes): YOLOv5's structure, `width` channels after the stem."""

    def __init__(self, size: int = 256, classes: int = 10, width: int = 8) -> None:
        super().__init__()
        w1, w2, w4, w8, w16 = (width * k for k in (1, 2, 4, 8, 16))
        self.first = nn.Sequential(unit(3, w1, 6, 2), unit(w1, w2, 3, 2), C3(w2, w2), unit(w2, w4, 3, 2), C3(w4, w4, 2))
        self.second = nn.Sequential(unit(w4, w8, 3, 2), C3(w8, w8, 2))
        self.third = nn.Sequential(unit(w8, w16, 3, 2), C3(w16, w16), SPPF(w16))
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        self.narrow1, self.merge1 = unit(w16, w8), C3(w16, w8, add=False)
        self.narrow2, self.merge2 = unit(w8, w4), C3(w8, w4, add=False)
        self.down1, self.merge3 = unit(w4, w4, 3, 2), C3(w8, w8, add=False)
        self.down2, self.merge4 = unit(w8, w8, 3, 2), C3(w16, w16, add=False)
        self.detect = Detect((w4, w8, w16), size, classes)

    def maps(self, x: Tensor) -> list[Tensor]:
        """The features at strides 8, 16 and 32: down the backbone, up again, and down once more (PANet)."""
        fine = self.first(x)
        middle = self.second(fine)
        coarse = self.narrow1(self.third(middle))
        middle = self.narrow2(self.merge1(torch.cat([self.up(coarse), middle], 1)))
        fine = self.merge2(torch.cat([self.up(middle), fine], 1))
        middle = self.merge3(torch.cat([self.down1(fine), middle], 1))
        return [fine, middle, self.merge4(torch.cat([self.down2(middle), coarse], 1))]

    def forward(self, x: Tensor) -> Tensor:
        """Compute."""
        return self.detect(self.maps(x))
