"""The digits network again, in torch: the module that train.py defines with the weights that were exported."""

from __future__ import annotations

import importlib.util
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

DIGITS = Path(__file__).resolve().parents[2] / "models" / "digits"


@pytest.fixture(scope="module")
def train():
    spec = importlib.util.spec_from_file_location("digits_train", DIGITS / "train.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def exported_weights() -> list[tuple[str, dict[str, torch.Tensor]]]:
    """The operators that have weights, in file order: (type, name of the weight -> array), read without kuiper."""
    operators = []
    with zipfile.ZipFile(DIGITS / "digits.pnnx.bin") as archive:
        for line in (DIGITS / "digits.pnnx.param").read_text().splitlines()[2:]:
            kind, name = line.split()[:2]
            weights = {}
            for key, shape in re.findall(r"@(\w+)=\(([\d,]+)\)f32", line):
                raw = np.frombuffer(archive.read(f"{name}.{key}"), "<f4").copy()
                weights[key] = torch.from_numpy(raw).reshape([int(n) for n in shape.split(",")])
            if weights:
                operators.append((kind, weights))
    return operators


def test_module_of_the_script_with_the_exported_weights_gives_the_stored_logits(train):
    model = train.DigitNet().eval()
    for module in list(model.modules()):
        if isinstance(module, torch.nn.Sequential):
            module[1] = torch.nn.Identity()  # pnnx has folded this BatchNorm into the convolution
    layers = [m for m in model.modules() if isinstance(m, (torch.nn.Conv2d, torch.nn.Linear))]
    layers.sort(key=order_of_execution(model, layers).index)
    for layer, (kind, weights) in zip(layers, exported_weights(), strict=True):
        assert kind == f"nn.{type(layer).__name__}"
        assert layer.weight.shape == weights["weight"].shape
        layer.weight, layer.bias = (torch.nn.Parameter(weights[key]) for key in ("weight", "bias"))
    with np.load(DIGITS / "heldout.npz", allow_pickle=False) as stored:
        np.testing.assert_allclose(train.logits_of(model, stored["images"]), stored["logits"], rtol=0, atol=1e-5)


def order_of_execution(model, layers):
    """The layers in the order in which the model calls them."""
    called = []
    hooks = [layer.register_forward_hook(lambda module, *_: called.append(module)) for layer in layers]
    with torch.inference_mode():
        model(torch.zeros(1, 1, 8, 8))
    for hook in hooks:
        hook.remove()
    return called


@pytest.mark.slow
def test_held_out_images_are_the_ones_that_the_script_sets_aside(train):
    pytest.importorskip("sklearn", reason="reads the data from scikit-learn, which is not installed")
    (x, _), (x_held, y_held) = train.load_data()
    with np.load(DIGITS / "heldout.npz", allow_pickle=False) as stored:
        np.testing.assert_array_equal(stored["images"], x_held)
        np.testing.assert_array_equal(stored["labels"], y_held)
    seen = {image.tobytes() for image in x}
    assert not any(image.tobytes() in seen for image in x_held)
