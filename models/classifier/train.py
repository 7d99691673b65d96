"""Train a small ResNet to tell what a piece of a photograph shows: `python -m models.classifier.train`.

Run it in the repository's root. Needs torch, pnnx, pillow, scikit-learn and scikit-image (whose wheels carry the data:
nothing is downloaded). Writes, beside this file, classifier.pnnx.param, classifier.pnnx.bin, labels.txt, heldout.npz
and metrics.json.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from kuiper.vision import IMAGENET
from models.classifier.network import ResNet
from models.classifier.patches import LABELS, SIZE, Cutter, halves
from models.training import Watch, deterministic, export

HERE = Path(__file__).resolve().parent
SEED = 17
STEPS = 2000
BATCH = 40
LEARNING_RATE = 4e-3
WEIGHT_DECAY = 0.05
LABEL_SMOOTHING = 0.05
HELD_OUT, STORED = 2000, 100


def batch_of(images: np.ndarray) -> Tensor:
    """(N, S, S, 3) uint8 -> (N, 3, S, S) float32, normalised as for ImageNet."""
    x = np.stack([IMAGENET(image.transpose(2, 0, 1)) for image in images])
    return torch.from_numpy(x).contiguous(memory_format=torch.channels_last)


def train(steps: int = STEPS) -> tuple[ResNet, Watch]:
    """The network after `steps` batches of pieces, none of them cut twice."""
    deterministic(SEED)
    cutter = Cutter(halves()[0], SEED)
    model = ResNet(len(LABELS)).to(memory_format=torch.channels_last).train()
    optimizer = torch.optim.AdamW(model.parameters(), LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=steps, pct_start=0.15)
    loss_of = nn.CrossEntropyLoss(label_smoothing=LABEL_SMOOTHING)
    watch = Watch(steps)
    for step in range(steps):
        images, labels = cutter.batch(BATCH)
        loss = loss_of(model(batch_of(images)), torch.from_numpy(labels))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        watch(step, loss.item())
    return model.eval(), watch


def logits_of(model: ResNet, images: np.ndarray) -> np.ndarray:
    """(N, S, S, 3) uint8 -> (N, 10) float32."""
    with torch.inference_mode():
        return np.concatenate([model(batch_of(images[i : i + 100])).numpy() for i in range(0, len(images), 100)])


def finish(model: ResNet, watch: Watch) -> None:
    """Measure the trained network on pieces of the held-out parts and write the files."""
    images, labels = Cutter(halves()[1], SEED + 1).batch(HELD_OUT)
    logits = logits_of(model, images)
    right = logits.argmax(axis=1) == labels
    example, batch = torch.rand(1, 3, SIZE, SIZE), torch.rand(3, 3, SIZE, SIZE)
    size = export(model.to(memory_format=torch.contiguous_format), HERE, (example,), (batch,))
    np.savez_compressed(HERE / "heldout.npz", images=images[:STORED], labels=labels[:STORED], logits=logits[:STORED])
    (HERE / "labels.txt").write_text("\n".join(LABELS) + "\n")
    metrics = {
        "heldout_pieces": HELD_OUT,
        "heldout_correct": int(right.sum()),
        "heldout_accuracy": float(right.mean()),
        "by_class": {name: float(right[labels == i].mean().round(4)) for i, name in enumerate(LABELS)},
        "stored_pieces": STORED,
        "stored_correct": int(right[:STORED].sum()),
        "parameters": sum(p.numel() for p in model.parameters()),
        "bin_bytes": size,
        "steps": STEPS,
        "seed": SEED,
        "torch": torch.__version__,
    }
    (HERE / "metrics.json").write_text(json.dumps(metrics, indent=2) + "\n")
    print(f"held out: {right.sum()} of {HELD_OUT} right")
    print(f"trained in {watch.seconds:.0f} s, {watch.processor_seconds:.0f} s of processor time")


if __name__ == "__main__":
    finish(*train())
