"""YOLOv5's loss: which boxes of the grid answer for which digits, and how far off they are.

Source: https://github.com/ultralytics/yolov5 (utils/loss.py, v6.0); CIoU: https://arxiv.org/abs/1911.08287
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

from models.detector.network import ANCHORS, STRIDES

BOX, OBJECT, CLASS = 0.05, 1.0, 0.5
OBJECT_BALANCE = (4.0, 1.0, 0.4)
LARGEST_RATIO = 4.0


def overlap(a: Tensor, b: Tensor) -> Tensor:
    """(M, 4), (M, 4) of centre, width, height -> (M,): CIoU, which is IoU less a penalty for place and shape."""
    (a1, a2), (b1, b2) = ((x[:, :2] - x[:, 2:] / 2, x[:, :2] + x[:, 2:] / 2) for x in (a, b))
    shared = (torch.minimum(a2, b2) - torch.maximum(a1, b1)).clamp(0).prod(1)
    iou = shared / (a[:, 2:].prod(1) + b[:, 2:].prod(1) - shared + 1e-7)
    around = (torch.maximum(a2, b2) - torch.minimum(a1, b1)).pow(2).sum(1) + 1e-7
    apart = (a[:, :2] - b[:, :2]).pow(2).sum(1)
    v = 4 / math.pi**2 * (torch.atan(b[:, 2] / b[:, 3]) - torch.atan(a[:, 2] / (a[:, 3] + 1e-7))).pow(2)
    with torch.no_grad():
        alpha = v / (v - iou + 1 + 1e-7)
    return iou - apart / around - alpha * v


def assign(targets: Tensor, anchors: Tensor, height: int, width: int) -> tuple[Tensor, ...]:
    """Which boxes of one grid answer for which targets.

    targets : (T, 6), number of the image, class, centre and size in cells of the grid.
    anchors : (3, 2), sizes of the three kinds of box in cells.

    A kind of box answers where neither side differs by more than a factor of 4; in the target's cell and in the two
    cells beside it that are nearest to its centre. -> image, kind, row, column, and the target's row, (M,) each.
    """
    ratio = targets[:, None, 4:] / anchors
    target, kind = (torch.maximum(ratio, 1 / ratio).amax(2) < LARGEST_RATIO).nonzero(as_tuple=True)
    centre = targets[target, 2:4]
    within = centre % 1
    bounds = torch.tensor([width, height])
    near = (within < 0.5) & (centre > 1), (within > 0.5) & (centre < bounds - 1)
    found = [(torch.ones_like(target, dtype=torch.bool), (0, 0))]
    found += [(near[0][:, 0], (-1, 0)), (near[0][:, 1], (0, -1)), (near[1][:, 0], (1, 0)), (near[1][:, 1], (0, 1))]
    rows = []
    for chosen, step in found:
        cell = centre[chosen].floor().long() + torch.tensor(step)
        image = targets[target[chosen], 0].long()
        rows.append(torch.stack([image, kind[chosen], cell[:, 1], cell[:, 0], target[chosen]], 1))
    image, kind, row, column, target = torch.cat(rows).unbind(1)
    return image, kind, row.clamp(0, height - 1), column.clamp(0, width - 1), target


def loss_of(raw: list[Tensor], targets: Tensor) -> Tensor:
    """The loss of a batch, a number.

    raw : per stride (N, 3, H, W, 5 + classes), as Detect.raw gives it.
    targets : (T, 6), number of the image, class, centre x and y, width and height in pixels.
    """
    total = torch.zeros(())
    for y, stride, sizes, balance in zip(raw, STRIDES, ANCHORS, OBJECT_BALANCE):
        anchors = torch.tensor(sizes, dtype=torch.float32) / stride
        cells = torch.cat([targets[:, :2], targets[:, 2:] / stride], 1)
        image, kind, row, column, target = assign(cells, anchors, *y.shape[2:4])
        present = torch.zeros(y.shape[:4])
        if len(target):
            got = y[image, kind, row, column]
            squashed = got[:, :4].sigmoid()
            centre = squashed[:, :2] * 2 - 0.5 + torch.stack([column, row], 1)
            iou = overlap(torch.cat([centre, (squashed[:, 2:] * 2) ** 2 * anchors[kind]], 1), cells[target, 2:])
            best_last = iou.detach().clamp(0).sort()
            i = best_last.indices
            present = present.index_put((image[i], kind[i], row[i], column[i]), best_last.values)
            wanted = functional.one_hot(cells[target, 1].long(), got.shape[1] - 5).float()
            total = total + BOX * (1 - iou).mean()
            total = total + CLASS * functional.binary_cross_entropy_with_logits(got[:, 5:], wanted)
        total = total + OBJECT * balance * functional.binary_cross_entropy_with_logits(y[..., 4], present)
    return total
