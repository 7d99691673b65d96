"""The harness on a network of three layers: it measures, agrees, and writes a table that says what it found."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="the networks are defined in torch, which is not installed")
pytest.importorskip("pnnx", reason="the networks are exported by pnnx, which is not installed")

import kuiper
from benchmarks import compiling, loading, measure, networks, run
from kuiper.profile import roof

DIGITS = Path(__file__).resolve().parents[2] / "models" / "digits" / "digits.pnnx.param"


@pytest.fixture(scope="module")
def found(request: pytest.FixtureRequest) -> dict[str, object]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(roof, "SECONDS", 0.0)
        patch.setattr(roof, "GEMM_SIZES", (64,))
        patch.setattr(roof, "COPY_BYTES", 1 << 16)
        x = np.random.default_rng(0).uniform(0, 16, (2, 1, 8, 8)).astype(np.float32)
        return measure.measure_model(DIGITS, [x], ["torch"], threads=1, rounds=2)


@pytest.mark.slow
def test_both_frameworks_are_measured_and_agree(found: dict) -> None:
    ours, theirs = json.loads(json.dumps(found))["frameworks"]
    assert (ours["name"], theirs["name"]) == ("kuiper", "torch")
    assert ours["seconds"] == sorted(ours["seconds"])
    assert theirs["fault"] == ""
    assert theirs["difference"] < 1e-4
    assert theirs["ratio"][0] > 0


@pytest.mark.slow
def test_the_table_has_ratios_machine_and_reasons(found: dict) -> None:
    found["busy"] = 0.0
    failed = {
        **found,
        "busy": 0.5,
        "frameworks": [found["frameworks"][0], {**found["frameworks"][1], "fault": "too slow"}],
    }
    for one in failed["frameworks"][1:]:
        one["seconds"] = one["ratio"] = None
    text = run.report({1: {"resnet18": found, "unet": failed, "gpt": {"fault": "broken"}}}, ["torch"])
    ratio = found["frameworks"][1]["ratio"][1]
    assert f"**{ratio:.2f}**" in text
    assert "U-Net, base 32, 256, torch: too slow" in text
    assert "not measured: broken" in text
    assert text.count("other programs used") == text.count("used 50% of the processor") == 1
    assert f"numpy {np.__version__}" in text
    table = next(line for line in text.splitlines() if line.startswith("| network"))
    rows = [line for line in text.splitlines() if line.startswith(("| ResNet18", "| U-Net", "| GPT"))]
    assert len(rows) == 3
    assert {row.count("|") for row in rows} == {table.count("|")}


@pytest.mark.slow
def test_there_is_a_table_for_each_number_of_threads(found: dict) -> None:
    text = run.report({1: {"resnet18": found}, 4: {"resnet18": found}}, ["torch"], code="| code |", load="| load |")
    titles = [line for line in text.splitlines() if line.startswith("## ")]
    assert titles == ["## 1 thread", "## 4 threads", "## Machine code", "## Loading ResNet18"]
    assert text.count("| ResNet18 224 |") == 2


def test_what_machine_code_costs_is_measured_with_an_empty_cache() -> None:
    pytest.importorskip("llvmlite", reason="the compiler needs llvmlite, of the extra speed")
    before = os.environ.get("KUIPER_CACHE")
    found = compiling.compiling(DIGITS, [np.zeros((1, 1, 8, 8), np.float32)], threads=2)
    assert os.environ.get("KUIPER_CACHE") == before
    assert found["made"] > found["found"] > 0
    assert found["bytes"] > 1000
    assert (found["compiled"] > 0, found["called"]) == (True, 0)
    assert compiling.table({"Digits": found}).count("| Digits |") == 1


def test_one_token_of_the_writer_is_a_pass_in_the_middle_of_a_text() -> None:
    network = networks.NETWORKS["writer"]
    logits, keys, _ = kuiper.load(network.export())(*network.inputs())
    assert (logits.shape[:2], keys.shape[3]) == ((1, 1), 1)


def test_loading_is_compared_with_reading_the_same_file() -> None:
    times = loading.loading_times(DIGITS, rounds=2)
    assert all(len(taken.seconds) == 2 for taken in times.values())
    unzip = list(loading.ways(DIGITS).values())[-1]
    assert sum(map(len, unzip())) == sum(w.nbytes for w in loaded_weights())
    assert loading.table(times).count("\n") == 1 + len(times)


def loaded_weights() -> list[np.ndarray]:
    from kuiper import pnnx

    return [attribute.raw for op in pnnx.read(DIGITS) for attribute in op.attributes.values()]


@pytest.mark.slow
def test_an_exported_network_is_written_once_and_found_again(tmp_path: Path) -> None:
    import torch

    made: list[None] = []

    def make() -> torch.nn.Module:
        made.append(None)
        return torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU())

    network = networks.Network("small", "Small", make, (1, 3, 8, 8))
    first = network.export(tmp_path)
    before = first.with_suffix(".bin").read_bytes()
    assert network.export(tmp_path) == first
    assert len(made) == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["small.pnnx.bin", "small.pnnx.param"]
    first.unlink()
    network.export(tmp_path)
    assert first.with_suffix(".bin").read_bytes() == before, "the weights are the same each time"


def test_the_networks_have_the_shapes_of_their_papers() -> None:
    import torch

    from benchmarks.gpt import GPT
    from benchmarks.yolo import YOLOv5s

    with torch.inference_mode():
        assert GPT(2, 8, 2, 20, 6)(torch.zeros(2, 6, dtype=torch.int64)).shape == (2, 6, 20)
        boxes = YOLOv5s(64, 3, 4).eval()(torch.rand(1, 3, 64, 64))
    assert boxes.shape == (1, 3 * (8 * 8 + 4 * 4 + 2 * 2), 8)
    parameters = sum(p.numel() for p in YOLOv5s(64).parameters())
    assert parameters == 7_235_389, "YOLOv5s v6.0 with 80 classes"
