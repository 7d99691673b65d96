"""The viewer of a network with Python in its page: kuiper computes every operator for the reader's own input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import kuiper
from classroom.live import values
from classroom.register import ROOT

pytestmark = pytest.mark.slow
SAID = "[...document.querySelectorAll('.viewer-said')].map((one) => one.textContent).join(' ')"


def compute(tab: Any) -> str:
    """Press the button, and wait for what is said in the end."""
    tab.get_by_role("button", name="Compute with kuiper in this page").click()
    tab.wait_for_function(f"/kuiper computed|expected|cannot/.test({SAID})")
    return str(tab.evaluate(SAID))


def test_kuiper_computes_every_operator_for_a_readers_text(live: Any, live_site: Path) -> None:
    tab = live.open(live_site / "models/writer/README.html", press=False)
    tab.locator(".viewer-graph").scroll_into_view_if_needed()
    tab.get_by_role("button", name="Values of my own input").click()
    tab.locator(".viewer-panel input").fill("An operator")
    assert "for the text “An operator”" in compute(tab)
    graph = kuiper.load(ROOT / "models/writer/writer.pnnx.param")
    expected = values.values_of(graph, values.text_inputs(graph, "An operator"))
    name = tab.locator(".viewer-name").inner_text()
    told = tab.locator(".viewer-details").inner_text()
    assert "x".join(map(str, expected[name][0]["shape"])) in told
    assert f"{expected[name][0]['min']:.4g} to".replace("-", "−") in told
    tab.locator(".viewer-panel input").fill("")
    tab.get_by_role("button", name="Compute with kuiper in this page").click()
    tab.wait_for_function(f"{SAID}.includes('at least one character')")
    assert live.asked == live.trouble == []


@pytest.mark.parametrize("model", ["classifier", "detector", "segmenter"])
def test_kuiper_computes_a_picture_of_the_course_and_one_of_the_readers(
    live: Any, live_site: Path, tmp_path: Path, model: str
) -> None:
    tab = live.open(live_site / f"models/{model}/README.html", press=False)
    tab.locator(".viewer-graph").scroll_into_view_if_needed()
    tab.get_by_role("button", name="Values of my own input").click()
    tab.get_by_role("button", name="Held-out picture 2").click()
    assert tab.locator(".viewer-picture[aria-pressed=true]").count() == 1
    assert "for held-out picture 2" in compute(tab)
    graph = kuiper.load(ROOT / f"models/{model}/{model}.pnnx.param", engine="simple")
    with np.load(ROOT / f"models/{model}/heldout.npz") as data:
        held_out = data["images"][1]
    expected = values.values_of(graph, [values.picture_input(graph, model, held_out)])
    name = tab.locator(".viewer-name").inner_text()
    told = tab.locator(".viewer-details").inner_text()
    assert "x".join(map(str, expected[name][0]["shape"])) in told
    assert f"{expected[name][0]['min']:.4g} to".replace("-", "−") in told
    Image.fromarray(held_out[:, ::2]).save(tmp_path / "mine.png")
    tab.locator(".viewer-panel input[type=file]").set_input_files(str(tmp_path / "mine.png"))
    assert tab.locator(".viewer-picture[aria-pressed=true]").count() == 0
    tab.evaluate("document.querySelector('.viewer-said').textContent = ''")
    assert "for your picture mine.png" in compute(tab)
    assert live.asked == live.trouble == []


def test_kuiper_computes_a_network_of_the_readers_own(live: Any, live_site: Path) -> None:
    tab = live.open(live_site / "viewer.html", press=False)
    tab.locator(".viewer-drop").wait_for()
    file = ROOT / "models/classifier/classifier.pnnx.param"
    tab.locator(".viewer-drop input").set_input_files([str(file), str(file.with_suffix(".bin"))])
    assert "kuiper computed all of it in this page, for your input" in compute(tab)
    graph = kuiper.load(file)
    inputs = values.filled_inputs(graph, [{"shape": [1, 3, 64, 64], "fill": "random"}])
    expected = values.values_of(graph, inputs)
    told = tab.locator(".viewer-details").inner_text()
    name = tab.locator(".viewer-name").inner_text()
    assert f"{expected[name][0]['min']:.4g} to".replace("-", "−") in told
    assert live.asked == live.trouble == []
