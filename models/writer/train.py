"""Train a small Llama on Python's own documentation and write it as PNNX files: `python -m models.writer.train`.

Run it in the repository's root, with Python 3.11 for the same text. Needs torch and pnnx; the text is part of Python.
Writes, beside this file, writer.pnnx.param, writer.pnnx.bin, tokens.json, heldout.npz and metrics.json.
"""

from __future__ import annotations

import json
import math
import platform
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from kuiper.text import Tokens
from models.training import Watch, deterministic, export
from models.writer import text
from models.writer.network import Writer, empty_cache
from models.writer.tokens import learn, save

HERE = Path(__file__).resolve().parent
SEED = 5
WORDS = 1024
LENGTH, BATCH = 192, 12
STEPS = 1700
LEARNING_RATE = 3e-3
WEIGHT_DECAY = 0.1
DROPOUT = 0.05
STORED, STORED_LOGITS = 8, 64


def scores_of(model: Writer, words: Tensor) -> Tensor:
    """(N, T) -> (N, T, V): the scores of what follows each token of texts that begin with the first."""
    return model(words, *empty_cache(len(words)), torch.zeros(1, dtype=torch.int64))[0]


def grouped_parameters(model: Writer) -> list[dict]:
    """The matrices, which weight decay keeps small, and the norms' weights, which it leaves alone."""
    matrices = [p for p in model.parameters() if p.dim() > 1]
    return [
        {"params": matrices, "weight_decay": WEIGHT_DECAY},
        {"params": [p for p in model.parameters() if p.dim() == 1], "weight_decay": 0.0},
    ]


def train(words: np.ndarray, steps: int = STEPS) -> tuple[Writer, Watch]:
    """The network after `steps` batches of pieces from anywhere in the text.

    words : (tokens of the text,) int64.
    """
    deterministic(SEED)
    model = Writer(WORDS, DROPOUT).train()
    for p in model.parameters():
        if p.dim() > 1:
            nn.init.normal_(p, std=0.02 if p.shape[0] == WORDS else p.shape[1] ** -0.5 / 2)
    optimizer = torch.optim.AdamW(grouped_parameters(model), LEARNING_RATE, betas=(0.9, 0.95))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=steps, pct_start=0.08)
    data, watch = torch.from_numpy(words), Watch(steps)
    for step in range(steps):
        starts = torch.randint(len(data) - LENGTH, (BATCH,))
        pieces = torch.stack([data[i : i + LENGTH + 1] for i in starts])
        loss = functional.cross_entropy(scores_of(model, pieces[:, :-1]).flatten(0, 1), pieces[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1)
        optimizer.step()
        schedule.step()
        watch(step, loss.item())
    return model.eval(), watch


def bits(logits: np.ndarray, words: np.ndarray) -> float:
    """(N, T, V) scores and (N, T) what really followed -> the sum of the tokens' bits, -log2 of their probabilities."""
    top = logits.max(axis=-1, keepdims=True)
    logs = logits - top - np.log(np.exp(logits - top).sum(axis=-1, keepdims=True))
    return float(-np.take_along_axis(logs, words[..., None], axis=-1).sum() / math.log(2))


def pieces_of(words: np.ndarray) -> np.ndarray:
    """(tokens,) -> (N, LENGTH + 1): one piece after the other, each beginning with the last token of the one before."""
    count = (len(words) - 1) // LENGTH
    return np.stack([words[i * LENGTH : i * LENGTH + LENGTH + 1] for i in range(count)])


def logits_of(model: Writer, words: np.ndarray) -> np.ndarray:
    """(N, T) -> (N, T, V) float32."""
    with torch.inference_mode():
        return scores_of(model, torch.from_numpy(words)).numpy()


def finish(model: Writer, watch: Watch, tokens: Tokens, held: np.ndarray) -> None:
    """Measure the trained network on the held-out text and write the files."""
    pieces = pieces_of(held)
    totals = [bits(logits_of(model, piece[None, :-1]), piece[None, 1:]) for piece in pieces]
    characters = [len(tokens.decode(piece[1:].tolist())) for piece in pieces]
    sample = pieces[:: len(pieces) // STORED][:STORED]
    sample_totals = totals[:: len(pieces) // STORED][:STORED]
    sample_characters = characters[:: len(pieces) // STORED][:STORED]
    export(model, HERE, inputs_like(1, 3, 5), inputs_like(2, 7, 9))
    save(tokens, HERE / "tokens.json")
    np.savez_compressed(HERE / "heldout.npz", words=sample, logits=logits_of(model, sample[:1, :STORED_LOGITS]))
    metrics = {
        "heldout_characters": sum(characters),
        "heldout_tokens": int(pieces[:, 1:].size),
        "bits_per_character": round(sum(totals) / sum(characters), 4),
        "perplexity_per_token": round(2 ** (sum(totals) / pieces[:, 1:].size), 2),
        "stored_characters": sum(sample_characters),
        "stored_bits_per_character": round(sum(sample_totals) / sum(sample_characters), 4),
        "words": len(tokens),
        "parameters": sum(p.numel() for p in model.parameters()),
        "bin_bytes": (HERE / "writer.pnnx.bin").stat().st_size,
        "steps": STEPS,
        "seed": SEED,
        "python": platform.python_version(),
        "torch": torch.__version__,
    }
    (HERE / "metrics.json").write_text(json.dumps(metrics, indent=2) + "\n")
    print(f"held out: {metrics['bits_per_character']} bits per character")
    print(f"trained in {watch.seconds:.0f} s, {watch.processor_seconds:.0f} s of processor time")


def inputs_like(batch: int, length: int, room: int) -> tuple[Tensor, ...]:
    """Inputs of these sizes, for pnnx to trace."""
    keys, values = empty_cache(batch, room)
    return torch.zeros(batch, length, dtype=torch.int64), keys, values, torch.tensor([room - 1])


def main() -> None:
    """Learn the tokens, train, measure, write."""
    text_of_training, text_held_out = text.split()
    print("learning the tokens", flush=True)
    tokens = learn(text_of_training, WORDS)
    model, watch = train(np.array(tokens.encode(text_of_training)))
    finish(model, watch, tokens, np.array(tokens.encode(text_held_out)))


if __name__ == "__main__":
    main()
