"""Train a narrow U-Net to find the pixels of digits, write it as PNNX files: `python -m models.segmenter.train`.

Run it in the repository's root. Needs torch, pnnx, pillow, scikit-learn, scikit-image and matplotlib (whose wheels
carry the data: nothing is downloaded). Writes, beside this file, segmenter.pnnx.param, segmenter.pnnx.bin, labels.txt,
heldout.npz and metrics.json.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from kuiper.vision import compare_masks
from models import scenes
from models.segmenter.network import UNet
from models.training import Watch, deterministic, export

HERE = Path(__file__).resolve().parent
SEED = 19
LABELS = ("photograph", "digit")
SIZE, TRAIN_SIZE = 128, 96
MOST, TRAIN_MOST = 6, 5
SIZES = (24, 72)
STEPS = 2400
BATCH = 12
LEARNING_RATE = 4e-3
WEIGHT_DECAY = 0.01
HELD_OUT, STORED, STORED_LOGITS = 400, 12, 2


class VariedPainter(scenes.Painter):
    """Scenes on more grounds than there are photographs."""

    def background(self, size: int) -> np.ndarray:
        """(size, size, 3) float32 of 0..255: a piece of a photograph, at times blended with another or cut by it."""
        image = self.turned(size)
        kind = self.random.integers(4)
        if kind == 0:
            image += (self.turned(size) - image) * np.float32(self.random.uniform(0.2, 0.8))
        elif kind == 1:
            left = self.random.integers(size)
            image[:, left:] = self.turned(size)[:, left:]
        elif kind == 2:
            image += (image.mean(axis=(0, 1)) - image) * np.float32(self.random.uniform(-0.6, 0.8))
        return np.clip(image, 0, 255)

    def turned(self, size: int) -> np.ndarray:
        """A piece of a photograph turned by a multiple of 90 degrees, its colours exchanged, at times a negative."""
        image = np.rot90(super().background(size), self.random.integers(4))[..., self.random.permutation(3)]
        return np.ascontiguousarray(255 - image if self.random.random() < 0.15 else image)


def batch_of(images: np.ndarray) -> Tensor:
    """(N, S, S, 3) uint8 -> (N, 3, S, S) float32 of 0..1, the channels last in memory, which torch computes fastest."""
    x = torch.from_numpy(images).permute(0, 3, 1, 2).to(torch.float32, memory_format=torch.channels_last)
    return x / 255


def masks_of(drawn: list[scenes.Scene]) -> np.ndarray:
    """(N, S, S) uint8: 1 where a digit is, 0 elsewhere."""
    return np.stack([scene.mask > 0 for scene in drawn]).astype(np.uint8)


def loss_of(logits: Tensor, masks: Tensor) -> Tensor:
    """(N, 2, S, S) and (N, S, S) -> a number: cross-entropy, and 1 - Dice of the digits' probabilities."""
    digit, probability = masks.float(), logits.softmax(1)[:, 1]
    dice = (2 * (probability * digit).sum() + 1) / (probability.sum() + digit.sum() + 1)
    return functional.cross_entropy(logits, masks) + 1 - dice


def train(steps: int = STEPS) -> tuple[UNet, Watch]:
    """The network after `steps` batches of scenes, none of them drawn twice."""
    deterministic(SEED)
    (x, y), _ = scenes.scans()
    painter = VariedPainter(scenes.photographs(scenes.TRAIN_PHOTOGRAPHS), x, y, SEED, SIZES)
    model = UNet(len(LABELS)).to(memory_format=torch.channels_last).train()
    optimizer = torch.optim.AdamW(model.parameters(), LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=steps, pct_start=0.1)
    watch = Watch(steps)
    for step in range(steps):
        drawn = [painter.scene(TRAIN_SIZE, TRAIN_MOST) for _ in range(BATCH)]
        logits = model(batch_of(np.stack([scene.image for scene in drawn])))
        loss = loss_of(logits, torch.from_numpy(masks_of(drawn)).long())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1)
        optimizer.step()
        schedule.step()
        watch(step, loss.item())
    return model.eval(), watch


def logits_of(model: UNet, images: np.ndarray) -> np.ndarray:
    """(N, S, S, 3) uint8 -> (N, 2, S, S) float32."""
    with torch.inference_mode():
        return np.concatenate([model(batch_of(images[i : i + 20])).numpy() for i in range(0, len(images), 20)])


def held_out() -> list[scenes.Scene]:
    """Scenes of the digits and the photographs that training never sees."""
    _, (x, y) = scenes.scans()
    painter = scenes.Painter(scenes.photographs(scenes.HELD_OUT_PHOTOGRAPHS), x, y, SEED + 1, SIZES)
    return [painter.scene(SIZE, MOST) for _ in range(HELD_OUT)]


def finish(model: UNet, watch: Watch) -> None:
    """Measure the trained network on the held-out scenes and write the files."""
    drawn = held_out()
    images, masks = np.stack([scene.image for scene in drawn]), masks_of(drawn)
    logits = logits_of(model, images)
    predicted = logits.argmax(axis=1)
    whole, sample = (compare_masks(predicted[:n], masks[:n], len(LABELS)) for n in (HELD_OUT, STORED))
    examples = torch.rand(1, 3, SIZE, SIZE), torch.rand(2, 3, 96, 160)
    size = export(model.to(memory_format=torch.contiguous_format), HERE, examples[:1], examples[1:])
    np.savez_compressed(
        HERE / "heldout.npz", images=images[:STORED], masks=masks[:STORED], logits=logits[:STORED_LOGITS]
    )
    (HERE / "labels.txt").write_text("\n".join(LABELS) + "\n")
    metrics = {
        "heldout_scenes": HELD_OUT,
        "heldout_digits": sum(len(scene.labels) for scene in drawn),
        "mean_iou": round(whole.mean_iou, 5),
        "digit_iou": round(float(whole.iou[1]), 5),
        "photograph_iou": round(float(whole.iou[0]), 5),
        "digit_dice": round(float(whole.dice[1]), 5),
        "pixel_accuracy": round(float((predicted == masks).mean()), 5),
        "digit_share": round(float(masks.mean()), 5),
        "stored_scenes": STORED,
        "stored_mean_iou": round(sample.mean_iou, 5),
        "stored_digit_iou": round(float(sample.iou[1]), 5),
        "parameters": sum(p.numel() for p in model.parameters()),
        "bin_bytes": size,
        "steps": STEPS,
        "seed": SEED,
        "torch": torch.__version__,
    }
    (HERE / "metrics.json").write_text(json.dumps(metrics, indent=2) + "\n")
    print(f"held out: IoU of digits {whole.iou[1]:.1%}, mean IoU {whole.mean_iou:.1%}")
    print(f"trained in {watch.seconds:.0f} s, {watch.processor_seconds:.0f} s of processor time")


if __name__ == "__main__":
    finish(*train())
