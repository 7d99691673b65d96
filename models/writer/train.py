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

from models.training import Watch, deterministic, export
from models.writer import text
from models.writer.network import Writer, empty_cache
from models.writer.tokens import Tokens

HERE = Path(__file__).resolve().parent
SEED = 5
WORDS = 1024
LENGTH, BATCH = 192, 12
STEPS = 1700
LEARNING_RATE = 3e-3
WEIGHT_DECAY = 0.1
DROPOUT = 0.05
STORED = 192


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
