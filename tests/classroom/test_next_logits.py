"""Homework 15's oracle of a published model computes what kuiper and transformers compute, and numbers stored here."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import kuiper
from classroom import register
from classroom.judge.tests import load_file
from kuiper.convert import convert
from kuiper.text import Cache, forward

JUDGE = register.ROOT / "homework" / "15_fewer_bits" / "judge"
IDS = [3, 1, 4, 1, 5, 9, 2]
FOLDERS: dict[str, tuple[dict[str, Any], list[float]]] = {
    "llama": ({"rope_theta": 100.0}, [0.63200, 3.55583, 2.01544, 1.00310]),
    "llama, shared keys, a head_dim of its own": (
        {"num_key_value_heads": 2, "head_dim": 6, "rms_norm_eps": 0.1},
        [1.24974, 0.74488, 1.00593, -1.77647],
    ),
    "qwen2": ({"model_type": "qwen2", "num_key_value_heads": 2}, [1.22563, 3.11959, 0.33499, -1.51217]),
    "qwen2, tied, one head of keys": (
        {"model_type": "qwen2", "num_key_value_heads": 1, "tie_word_embeddings": True, "rope_theta": 1e6},
        [0.51155, -0.03003, 1.99351, -0.06340],
    ),
}
"""Settings, and the first scores that transformers 5.23 computed."""


@cache
def judge(name: str) -> ModuleType:
    return load_file(JUDGE / f"{name}.py")


@pytest.fixture(params=FOLDERS)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, np.ndarray, list[float]]:
    """A folder on disk, the oracle's scores, and those that are stored."""
    settings, stored = FOLDERS[request.param]
    folder = judge("solution").random_folder(3, hidden_act="silu", max_position_embeddings=64, **settings)
    for name, held in folder.items():
        (tmp_path / name).write_bytes(held.tobytes())
    return tmp_path, judge("next_logits").logits(folder, IDS), stored


def test_the_oracle_gives_the_stored_scores(case: tuple[Path, np.ndarray, list[float]]) -> None:
    _, scores, stored = case
    np.testing.assert_allclose(scores[:4], stored, atol=2e-4)


def test_kuiper_gives_the_same_scores(case: tuple[Path, np.ndarray, list[float]]) -> None:
    path, scores, _ = case
    graph = kuiper.load(convert(path, path / "networks").param, engine="simple")
    np.testing.assert_allclose(forward(graph, IDS, Cache.of(graph, len(IDS)))[-1], scores, atol=1e-4)


@pytest.mark.slow
def test_transformers_gives_the_same_scores(case: tuple[Path, np.ndarray, list[float]]) -> None:
    torch = pytest.importorskip("torch", reason="compares with transformers, which needs torch")
    transformers = pytest.importorskip("transformers", reason="compares with transformers, which is not installed")
    path, scores, _ = case
    network = transformers.AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32).eval()
    with torch.inference_mode():
        found = network(torch.tensor([IDS])).logits[0, -1].numpy()
    np.testing.assert_allclose(found, scores, atol=1e-4)


def test_places_may_count_from_one() -> None:
    module = judge("next_logits")
    folder = judge("solution").random_folder(5)
    assert module.places_do_not_matter(folder, IDS)
