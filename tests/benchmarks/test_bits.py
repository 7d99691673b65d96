"""What fewer bits cost the networks of models/: measured as their tests do, and README.md has the numbers."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import kuiper
from benchmarks import bits
from kuiper.compiled import llvm

README = (bits.MODELS / "README.md").read_text(encoding="utf-8")


def reported(name: str, way: str) -> str:
    """The row of README.md."""
    (row,) = re.findall(rf"^\| {name} \| {re.escape(way)} \|.*$", README, re.M)
    return row


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["digits", *(pytest.param(name, marks=pytest.mark.slow) for name in ("classifier", "writer"))]
)
def test_quality_in_float32_is_that_of_the_network(name: str) -> None:
    metrics = json.loads((bits.MODELS / name / "metrics.json").read_text())
    (value,) = bits.measured(name, "float32").quality.values()
    expected = {
        "digits": lambda: metrics["heldout_accuracy"],
        "classifier": lambda: metrics["stored_correct"] / metrics["stored_pieces"],
        "writer": lambda: metrics["stored_bits_per_character"],
    }[name]()
    assert value == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(
    ("name", "way"),
    [
        pytest.param(name, way, marks=[] if name == "digits" else pytest.mark.slow)
        for name in bits.QUALITY
        for way in bits.ways_of(name)
    ],
)
def test_readme_has_the_measured_numbers(name: str, way: str) -> None:
    row = bits.measured(name, way)
    _, _, _, kib, rms, largest, quality, _ = (cell.strip() for cell in reported(name, way).split("|"))
    assert int(kib.replace(",", "")) == pytest.approx(row.bytes / 1024, rel=0.01)
    if way != "float32":
        assert float(rms[:-1]) / 100 == pytest.approx(row.rms, abs=1e-5)
        assert float(largest[:-1]) / 100 == pytest.approx(row.largest, abs=1e-5)
    for (key, value), said in zip(row.quality.items(), quality.split(", "), strict=True):
        assert said.startswith(key)
        number = said.removeprefix(key).strip()
        shown = float(number[:-1]) / 100 if number.endswith("%") else float(number)
        assert value == pytest.approx(shown, abs=1e-2 if "mAP" in key else 3e-3)


@pytest.mark.slow
@pytest.mark.skipif(not llvm.installed(), reason="the compiler needs llvmlite, of the extra speed")
def test_products_are_timed_in_every_way() -> None:
    table = bits.products([1], 32, 64, [1], 2).splitlines()
    assert [row.split(" | ")[2] for row in table[2:]] == list(bits.WAYS)
    assert all(float(row.split(" | ")[3]) > 0 for row in table[2:])


@pytest.mark.parametrize("way", bits.WAYS)
def test_the_ways_of_a_product_agree(way: str) -> None:
    x = np.random.default_rng(1).standard_normal((3, 64), np.float32)
    found, expected = (kuiper.load(bits.product(3, 40, 64, w), engine="simple")(x)[0] for w in (way, "float32"))
    np.testing.assert_allclose(found, expected, atol=0.2)


def test_bandwidth_is_that_of_reading() -> None:
    assert 1e8 < bits.read_bandwidth(1, size=8 << 20, rounds=2) < 1e13
