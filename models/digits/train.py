"""Train a small residual network on scanned digits and write it as PNNX files: `python models/digits/train.py`.

Needs torch, pnnx and scikit-learn (whose wheel carries the data: nothing is downloaded). Writes, beside this file,
digits.pnnx.param, digits.pnnx.bin, heldout.npz and metrics.json. With `--validate` it writes nothing: it
cross-validates on the training images alone, which is how the recipe was chosen.
"""

from __future__ import annotations

import json
import math
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

HERE = Path(__file__).resolve().parent
SEED = 7
HELD_OUT = 360
EPOCHS = 120
BATCH = 64
LEARNING_RATE = 4e-3
WEIGHT_DECAY = 0.02
LABEL_SMOOTHING = 0.05


def convolution(inputs: int, outputs: int, kernel_size: int, stride: int = 1) -> nn.Sequential:
    """(N, inputs, H, W) -> (N, outputs, H/stride, W/stride): a convolution without bias, then BatchNorm."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel_size, stride, padding=kernel_size // 2, bias=False),
        nn.BatchNorm2d(outputs),
    )


class Gate(nn.Module):
    """(N, C, H, W) -> (N, C, 1, 1): one number in 0..1 per channel, from the channels' means.

    Source: squeeze-and-excitation, https://arxiv.org/abs/1709.01507
    """

    def __init__(self, channels: int, hidden: int) -> None:
        super().__init__()
        self.squeeze = nn.AdaptiveAvgPool2d(1)
        self.reduce = nn.Conv2d(channels, hidden, 1)
        self.relu = nn.ReLU()
        self.expand = nn.Conv2d(hidden, channels, 1)
        self.sigmoid = nn.Sigmoid()

    def forward(self, x: Tensor) -> Tensor:
        """How much of each channel passes."""
        return self.sigmoid(self.expand(self.relu(self.reduce(self.squeeze(x)))))


class Block(nn.Module):
    """(N, C, H, W) -> (N, outputs, H/stride, W/stride): two convolutions beside a shortcut, their sum rectified.

    Source: residual learning, https://arxiv.org/abs/1512.03385
    """

    def __init__(self, inputs: int, outputs: int, stride: int = 1, gate: bool = False) -> None:
        super().__init__()
        self.first = convolution(inputs, outputs, 3, stride)
        self.relu1 = nn.ReLU()
        self.second = convolution(outputs, outputs, 3)
        self.gate = Gate(outputs, outputs // 4) if gate else None
        same = inputs == outputs and stride == 1
        self.shortcut = nn.Identity() if same else convolution(inputs, outputs, 1, stride)
        self.relu2 = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        """relu(convolutions(x) + shortcut(x))."""
        y = self.second(self.relu1(self.first(x)))
        if self.gate is not None:
            y = y * self.gate(y)
        return self.relu2(y + self.shortcut(x))


class DigitNet(nn.Module):
    """(N, 1, 8, 8) of 0..16 -> (N, 10) logits."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.stem = convolution(1, width, 3)
        self.relu = nn.ReLU()
        self.block1 = Block(width, width)
        self.block2 = Block(width, 2 * width, stride=2, gate=True)
        self.pool = nn.MaxPool2d(2)
        self.classifier = nn.Linear(2 * width * 2 * 2, 10)

    def forward(self, x: Tensor) -> Tensor:
        """Raw scans in, one score per digit out."""
        x = self.relu(self.stem(x / 16))
        x = self.pool(self.block2(self.block1(x)))
        return self.classifier(torch.flatten(x, 1))


def load_data() -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """The 1,797 scans as (training, held out), each (N, 8, 8) uint8 and (N,) labels.

    The held-out 360 are drawn here, before anything is trained, with the digits in equal shares.
    """
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    digits = load_digits()
    images, labels = digits.images.astype(np.uint8), digits.target.astype(np.int64)
    x, x_held, y, y_held = train_test_split(
        images, labels, test_size=HELD_OUT, random_state=SEED, stratify=labels, shuffle=True
    )
    return (x, y), (x_held, y_held)


def batch_of(images: np.ndarray) -> Tensor:
    """(N, 8, 8) uint8 -> (N, 1, 8, 8) float32, the values as they are."""
    return torch.from_numpy(images).float().unsqueeze(1)


def augment(x: Tensor) -> Tensor:
    """(N, 1, 8, 8) -> (N, 1, 8, 8): each image turned, scaled, sheared, shifted, bent a little, and made noisy."""
    n = len(x)

    def spread(limit: float) -> Tensor:
        return (torch.rand(n) * 2 - 1) * limit

    angle, shear = spread(math.radians(12)), spread(0.15)
    wide, high = 1 + spread(0.12), 1 + spread(0.12)
    theta = torch.stack(
        [
            torch.stack([wide * angle.cos(), shear - high * angle.sin(), spread(0.15)], 1),
            torch.stack([wide * angle.sin(), high * angle.cos(), spread(0.15)], 1),
        ],
        1,
    )
    grid = functional.affine_grid(theta, list(x.shape), align_corners=False)
    bend = functional.interpolate(torch.randn(n, 2, 3, 3) * 0.06, (8, 8), mode="bilinear", align_corners=True)
    moved = functional.grid_sample(x, grid + bend.permute(0, 2, 3, 1), align_corners=False)
    return (moved + torch.randn_like(x) * 0.4).clamp(0, 16)


def train(images: np.ndarray, labels: np.ndarray, epochs: int = EPOCHS) -> DigitNet:
    """The network after `epochs` passes over the images; the same on every run of one version of torch."""
    torch.manual_seed(SEED)
    model = DigitNet().train()
    x, y = batch_of(images), torch.from_numpy(labels)
    steps = len(x) // BATCH
    optimizer = torch.optim.AdamW(model.parameters(), LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=epochs * steps)
    loss_of = nn.CrossEntropyLoss(label_smoothing=LABEL_SMOOTHING)
    for epoch in range(epochs):
        total = 0.0
        for chosen in torch.randperm(len(x))[: steps * BATCH].view(steps, BATCH):
            loss = loss_of(model(augment(x[chosen])), y[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item()
        if (epoch + 1) % 10 == 0:
            print(f"epoch {epoch + 1:3}: loss {total / steps:.4f}", flush=True)
    return model.eval()


def logits_of(model: DigitNet, images: np.ndarray) -> np.ndarray:
    """(N, 8, 8) uint8 -> (N, 10) float32."""
    with torch.inference_mode():
        return model(batch_of(images)).numpy()


def export(model: DigitNet, folder: Path) -> None:
    """Write digits.pnnx.param and digits.pnnx.bin; two input shapes tell pnnx that the batch may vary."""
    import pnnx

    with tempfile.TemporaryDirectory() as scratch:
        pnnx.export(model, str(Path(scratch, "digits.pt")), (torch.rand(1, 1, 8, 8),), (torch.rand(5, 1, 8, 8),))
        for name in ("digits.pnnx.param", "digits.pnnx.bin"):
            shutil.copyfile(Path(scratch, name), folder / name)


def cross_validate() -> None:
    """Print how many training images are misread when each fifth is left out in turn; held-out ones stay unseen."""
    from sklearn.model_selection import StratifiedKFold

    (x, y), _ = load_data()
    wrong = 0
    for kept, left in StratifiedKFold(5, shuffle=True, random_state=SEED).split(x, y):
        wrong += int((logits_of(train(x[kept], y[kept]), x[left]).argmax(1) != y[left]).sum())
    print(f"cross-validation: {wrong} of {len(x)} wrong, {1 - wrong / len(x):.2%} right")


def train_and_export() -> None:
    """Train on all training images, measure once on the held-out ones, write the files."""
    (x, y), (x_held, y_held) = load_data()
    start = time.perf_counter()
    model = train(x, y)
    seconds = time.perf_counter() - start
    logits = logits_of(model, x_held)
    correct = int((logits.argmax(1) == y_held).sum())
    export(model, HERE)
    np.savez_compressed(HERE / "heldout.npz", images=x_held, labels=y_held, logits=logits)
    metrics = {
        "train_images": len(x),
        "heldout_images": len(x_held),
        "heldout_correct": correct,
        "heldout_accuracy": correct / len(x_held),
        "parameters": sum(p.numel() for p in model.parameters()),
        "bin_bytes": (HERE / "digits.pnnx.bin").stat().st_size,
        "epochs": EPOCHS,
        "seed": SEED,
        "torch": torch.__version__,
    }
    (HERE / "metrics.json").write_text(json.dumps(metrics, indent=2) + "\n")
    print(f"held out: {correct} of {len(x_held)} right; trained in {seconds:.0f} s")


if __name__ == "__main__":
    torch.set_num_threads(1)  # sums in one order, so that a second run gives the same weights
    torch.use_deterministic_algorithms(True)
    cross_validate() if "--validate" in sys.argv[1:] else train_and_export()
