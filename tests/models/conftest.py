"""What the tests of the trained networks share: the stored files, and the network loaded for both engines."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kuiper

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:  # models/ is no installed package: tests find it in the repository
    sys.path.insert(0, str(ROOT))


@pytest.fixture(scope="module")
def folder(request: pytest.FixtureRequest) -> Path:
    """models/NAME of the module's constant NAME."""
    return ROOT / "models" / request.module.NAME


@pytest.fixture(scope="module")
def graphs(folder: Path) -> dict[str, Any]:
    """Engine -> the network."""
    return {
        engine: kuiper.load(folder / f"{folder.name}.pnnx.param", engine=engine, threads=1)
        for engine in ("simple", "fast", "compiled")
    }


@pytest.fixture(params=["simple", "fast", "compiled"])
def graph(request: pytest.FixtureRequest, graphs: dict[str, Any]) -> Any:
    """The network, once for each engine."""
    return graphs[request.param]


@pytest.fixture(scope="module")
def held_out(folder: Path) -> dict[str, np.ndarray]:
    """The arrays of heldout.npz."""
    with np.load(folder / "heldout.npz", allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


@pytest.fixture(scope="module")
def metrics(folder: Path) -> dict[str, Any]:
    """The numbers of the training run."""
    return json.loads((folder / "metrics.json").read_text())


@pytest.fixture(scope="module")
def readme(folder: Path) -> str:
    """README.md on one line."""
    return " ".join((folder / "README.md").read_text(encoding="utf-8").split())
