"""Train a narrow YOLOv5 on digits in photographs and write it as PNNX files: `python -m models.detector.train`.

Run it in the repository's root. Needs torch, pnnx, pillow, scikit-learn, scikit-image and matplotlib (whose wheels
carry the data: nothing is downloaded). Writes, beside this file, detector.pnnx.param, detector.pnnx.bin, labels.txt,
heldout.npz and metrics.json.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from kuiper.vision import AveragePrecision, Truth, average_precision, detect
from models import scenes
from models.detector.loss import loss_of
from models.detector.network import Detector
from models.training import Watch, deterministic, export

HERE = Path(__file__).resolve().parent
SEED = 11
SIZE, TRAIN_SIZE = 256, 160
MOST, TRAIN_MOST = 8, 5
STEPS = 3500
BATCH = 16
LEARNING_RATE = 3e-3
WEIGHT_DECAY = 0.01
HELD_OUT, STORED, STORED_ROWS = 400, 16, 2


def batch_of(images: np.ndarray) -> Tensor:
    """(N, S, S, 3) uint8 -> (N, 3, S, S) float32 of 0..1, the channels last in memory, which torch computes fastest."""
    x = torch.from_numpy(images).permute(0, 3, 1, 2).to(torch.float32, memory_format=torch.channels_last)
    return x / 255


def targets_of(drawn: list[scenes.Scene]) -> Tensor:
    """(T, 6): number of the scene, class, centre x and y, width and height of every digit."""
    rows = [np.zeros((0, 6), np.float32)]
    for i, scene in enumerate(drawn):
        low, high = scene.boxes[:, :2], scene.boxes[:, 2:]
        number = np.full((len(low), 1), i)
        rows.append(np.concatenate([number, scene.labels[:, None], (low + high) / 2, high - low], 1, dtype=np.float32))
    return torch.from_numpy(np.concatenate(rows))


def train(steps: int = STEPS) -> tuple[Detector, Watch]:
    """The network after `steps` batches of scenes, none of them drawn twice."""
    deterministic(SEED)
    (x, y), _ = scenes.scans()
    painter = scenes.Painter(scenes.photographs(scenes.TRAIN_PHOTOGRAPHS), x, y, SEED)
    model = Detector(SIZE).train()
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            module.to(memory_format=torch.channels_last)
    optimizer = torch.optim.AdamW(model.parameters(), LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=steps, pct_start=0.1)
    watch = Watch(steps)
    for step in range(steps):
        drawn = [painter.scene(TRAIN_SIZE, TRAIN_MOST) for _ in range(BATCH)]
        images = batch_of(np.stack([scene.image for scene in drawn]))
        loss = loss_of(model.detect.raw(model.maps(images)), targets_of(drawn))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 10)
        optimizer.step()
        schedule.step()
        watch(step, loss.item())
    return model.eval(), watch


def rows_of(model: Detector, images: np.ndarray) -> np.ndarray:
    """(N, S, S, 3) uint8 -> (N, boxes, 15) float32."""
    with torch.inference_mode():
        return np.concatenate([model(batch_of(images[i : i + 20])).numpy() for i in range(0, len(images), 20)])


def held_out() -> list[scenes.Scene]:
    """Scenes of the digits and the photographs that training never sees."""
    _, (x, y) = scenes.scans()
    painter = scenes.Painter(scenes.photographs(scenes.HELD_OUT_PHOTOGRAPHS), x, y, SEED + 1)
    return [painter.scene(SIZE, MOST) for _ in range(HELD_OUT)]


def precision_of(rows: np.ndarray, drawn: list[scenes.Scene]) -> AveragePrecision:
    """Average precision over all boxes above a score of 0.001, overlaps above 0.6 suppressed, as YOLOv5 does."""
    found = [detect(picture, confidence=0.001, iou=0.6, multi_label=True) for picture in rows]
    return average_precision(found, [Truth(scene.boxes, scene.labels) for scene in drawn])


def finish(model: Detector, watch: Watch) -> None:
    """Measure the trained network on the held-out scenes and write the files."""
    drawn = held_out()
    images, counts = np.stack([scene.image for scene in drawn]), [len(scene.labels) for scene in drawn]
    rows = rows_of(model, images)
    whole, sample = (precision_of(rows[:n], drawn[:n]) for n in (HELD_OUT, STORED))
    example, batch = torch.rand(1, 3, SIZE, SIZE), torch.rand(3, 3, SIZE, SIZE)
    size = export(model.to(memory_format=torch.contiguous_format), HERE, (example,), (batch,))
    np.savez_compressed(
        HERE / "heldout.npz",
        images=images[:STORED],
        boxes=np.concatenate([scene.boxes for scene in drawn[:STORED]]),
        labels=np.concatenate([scene.labels for scene in drawn[:STORED]]),
        counts=np.array(counts[:STORED]),
        rows=rows[:STORED_ROWS],
    )
    (HERE / "labels.txt").write_text("\n".join(map(str, range(10))) + "\n")
    metrics = {
        "heldout_scenes": HELD_OUT,
        "heldout_digits": sum(counts),
        "map50": round(whole.at_50, 4),
        "map50_95": round(whole.at_50_to_95, 4),
        "ap50": [round(float(whole.by_class[digit][0]), 4) for digit in range(10)],
        "stored_scenes": STORED,
        "stored_digits": sum(counts[:STORED]),
        "stored_map50": round(sample.at_50, 4),
        "stored_map50_95": round(sample.at_50_to_95, 4),
        "parameters": sum(p.numel() for p in model.parameters()),
        "bin_bytes": size,
        "steps": STEPS,
        "seed": SEED,
        "torch": torch.__version__,
    }
    (HERE / "metrics.json").write_text(json.dumps(metrics, indent=2) + "\n")
    print(f"held out: mAP@0.5 {whole.at_50:.1%}, mAP@0.5:0.95 {whole.at_50_to_95:.1%}")
    print(f"trained in {watch.seconds:.0f} s, {watch.processor_seconds:.0f} s of processor time")


if __name__ == "__main__":
    finish(*train())
