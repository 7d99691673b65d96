"""What fewer bits for the weights cost, and what they gain.

    python -m benchmarks.bits              # the networks of models/: size, error of the weights, quality
    python -m benchmarks.bits --products   # single products of few rows: time, and bytes of weights read a second

Quality is measured on what is stored beside each network (heldout.npz), which is a part of what its README reports on.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import kuiper
from kuiper import pnnx
from kuiper.graph import Graph, Operand, Operator
from kuiper.profile import Times
from kuiper.quantize import quantize_network, to_float16, to_int8
from kuiper.text import Tokens
from kuiper.vision import IMAGENET, Truth, average_precision, compare_masks, detect, predictions

MODELS = Path(__file__).parents[1] / "models"
WAYS: dict[str, tuple[int, int | None, int]] = {
    "float32": (32, None, 32),
    "float16": (16, None, 32),
    "int8, rows": (8, None, 32),
    "int8, blocks of 32": (8, 32, 32),
    "int8 x int8, rows": (8, None, 8),
    "int8 x int8, blocks of 32": (8, 32, 8),
}
"""Name -> bits of the weights, numbers that share a scale, and bits of what meets the weights of linear layers."""
Held = Mapping[str, np.ndarray]
Network = Callable[..., list[np.ndarray]]


def digits(network: Network, held: Held) -> dict[str, float]:
    """Scans told right."""
    (logits,) = network(held["images"].astype(np.float32)[:, None])
    return {"accuracy": float((logits.argmax(1) == held["labels"]).mean())}


def classifier(network: Network, held: Held) -> dict[str, float]:
    """Pieces of photographs told right."""
    (logits,) = network(np.stack([IMAGENET(image.transpose(2, 0, 1)) for image in held["images"]]))
    return {"accuracy": float((logits.argmax(1) == held["labels"]).mean())}


def detector(network: Network, held: Held) -> dict[str, float]:
    """Precision of boxes, as tests/models/test_detector.py measures it."""
    found = []
    for image in held["images"]:
        rows = predictions(network(_picture(image)), image.shape[:2])[0]
        found.append(detect(rows, confidence=0.001, iou=0.6, multi_label=True))
    ends = np.cumsum(held["counts"])
    spans = [slice(end - count, end) for end, count in zip(ends, held["counts"])]
    precision = average_precision(found, [Truth(held["boxes"][span], held["labels"][span]) for span in spans])
    return {"mAP@0.5": precision.at_50, "mAP@0.5:0.95": precision.at_50_to_95}


def segmenter(network: Network, held: Held) -> dict[str, float]:
    """How well masks agree."""
    found = np.concatenate([network(_picture(image))[0].argmax(1) for image in held["images"]])
    agreement = compare_masks(found, held["masks"], 2)
    return {"mean IoU": agreement.mean_iou, "IoU of digits": float(agreement.iou[1])}


def writer(network: Network, held: Held) -> dict[str, float]:
    """Bits per character of text."""
    words = held["words"]
    empty = np.zeros((4, len(words), 2, 1, 32), np.float32)
    logits = network(words[:, :-1], empty, empty, np.array([0]))[0].astype(np.float64)
    logs = logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)
    bits = -np.take_along_axis(logs, words[:, 1:, None], -1).sum() / np.log(2)
    tokens = Tokens.load(MODELS / "writer" / "tokens.json")
    return {"bits per character": float(bits / sum(len(tokens.decode(row[1:].tolist())) for row in words))}


def _picture(image: np.ndarray) -> np.ndarray:
    return image.transpose(2, 0, 1)[None].astype(np.float32) / 255


QUALITY: dict[str, Callable[[Network, Held], dict[str, float]]] = {
    "digits": digits, "classifier": classifier, "detector": detector, "segmenter": segmenter, "writer": writer,
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A network in one way: bytes of its two files, error of its weights, and how good it is."""

    network: str
    way: str
    bytes: int
    rms: float
    largest: float
    quality: dict[str, float]


def ways_of(name: str) -> list[str]:
    """Those that a network has: without linear layers, no activations are rounded."""
    linear = any(op.type in ("nn.Linear", "F.linear") for op in pnnx.read(MODELS / name / f"{name}.pnnx.param"))
    return [way for way, (_, _, activations) in WAYS.items() if linear or activations == 32]


def measured(name: str, way: str, engine: str = "fast") -> Row:
    """One network in one way, written to a file and read again."""
    with np.load(MODELS / name / "heldout.npz", allow_pickle=False) as stored:
        held = {key: stored[key] for key in stored.files}
    made = quantize_network(pnnx.read(MODELS / name / f"{name}.pnnx.param"), *WAYS[way])
    with tempfile.TemporaryDirectory() as folder:
        param = Path(folder) / f"{name}.pnnx.param"
        pnnx.write(made.graph, param)
        size = sum(path.stat().st_size for path in (param, param.with_suffix(".bin")))
        quality = QUALITY[name](kuiper.load(param, engine=engine), held)
    return Row(name, way, size, made.figures.rms, made.figures.largest, quality)


def table(rows: list[Row]) -> str:
    """Markdown."""
    lines = ["| network | weights | KiB | rms error | largest | quality |", "|---|---|--:|--:|--:|---|"]
    for row in rows:
        quality = ", ".join(
            f"{name} {value:.4f}" if "bits" in name else f"{name} {value:.2%}" for name, value in row.quality.items()
        )
        error = "" if row.way == "float32" else f"{row.rms:.3%}"
        largest = "" if row.way == "float32" else f"{row.largest:.3%}"
        lines.append(f"| {row.network} | {row.way} | {row.bytes / 1024:,.0f} | {error} | {largest} | {quality} |")
    return "\n".join(lines)


def product(rows: int, outputs: int, depth: int, way: str) -> Graph:
    """(rows, depth) -> (rows, outputs): one nn.Linear of random weights."""
    bits, block, activations = WAYS[way]
    weight = np.random.default_rng(0).standard_normal((outputs, depth), np.float32)
    small = to_int8(weight, block) if bits == 8 else to_float16(weight)
    weights = {"weight": weight if bits == 32 else small.values}
    if bits == 8:
        weights["weight_scale"] = small.scale
    x, y = Operand("0", (-1, depth), "f32"), Operand("1", (-1, outputs), "f32")
    params = {"bias": False} | ({"activation_bits": 8} if activations == 8 else {})
    linear = Operator("nn.Linear", "linear", [x], [y], attributes=weights, params=params)
    return Graph([Operator("pnnx.Input", "in", [], [x]), linear, Operator("pnnx.Output", "out", [y], [])])


def read_bandwidth(threads: int, size: int = 512 << 20, rounds: int = 8) -> float:
    """Bytes a second of adding up an array that no cache holds, divided among the threads; the best of some rounds."""
    parts = np.array_split(np.ones(size // 8, np.int64), threads)
    best = float("inf")
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(rounds):
            started = time.perf_counter()
            list(pool.map(np.add.reduce, parts))
            best = min(best, time.perf_counter() - started)
    return size / best


def products(rows: list[int], outputs: int, depth: int, threads: list[int], rounds: int) -> str:
    """Milliseconds of the compiled engine, and bytes of weights a second beside the machine's, as Markdown."""
    head = ["| rows | threads | weights | ms | GB/s | of reading alone |", "|--:|--:|---|--:|--:|--:|"]
    lines = []
    for count in threads:
        limit = read_bandwidth(count)
        for m in rows:
            x = np.random.default_rng(1).standard_normal((m, depth), np.float32)
            networks = {
                way: kuiper.load(product(m, outputs, depth, way), engine="compiled", threads=count) for way in WAYS
            }
            taken: dict[str, list[float]] = {way: [] for way in WAYS}
            for turn in range(rounds + 2):
                for way, network in networks.items():
                    started = time.perf_counter()
                    network(x)
                    if turn > 1:
                        taken[way].append(time.perf_counter() - started)
            for way, network in networks.items():
                size = sum(a.raw.nbytes for op in network.operators for a in op.attributes.values())
                middle = Times(taken[way]).median
                speed = size / middle
                lines.append(
                    f"| {m} | {count} | {way} | {middle * 1e3:.2f} | {speed / 1e9:.1f} | {speed / limit:.0%} |"
                )
    return "\n".join([*head, *lines])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What fewer bits for the weights cost, and what they gain.")
    parser.add_argument("--products", action="store_true", help="time single products instead")
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 4, 128])
    parser.add_argument("--outputs", type=int, default=8192)
    parser.add_argument("--depth", type=int, default=4096)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", nargs="+", choices=list(QUALITY), default=list(QUALITY), help="networks of models/")
    parser.add_argument("--engine", default="fast", help="how they are computed")
    typed = parser.parse_args()
    if typed.products:
        print(products(typed.rows, typed.outputs, typed.depth, typed.threads, typed.rounds))
    else:
        print(table([measured(name, way, typed.engine) for name in typed.only for way in ways_of(name)]))


if __name__ == "__main__":
    main()
