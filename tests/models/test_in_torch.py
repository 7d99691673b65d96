"""The networks again, in torch: the modules that the scripts train, with the weights that were exported."""

from __future__ import annotations

import importlib
import json
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

LAYERS = (torch.nn.Conv2d, torch.nn.ConvTranspose2d, torch.nn.Linear)
MODELS = Path(__file__).resolve().parents[2] / "models"


def exported_weights(name):
    """The operators that have weights, in file order: (type, weight -> tensor), read without kuiper."""
    operators = []
    with zipfile.ZipFile(MODELS / name / f"{name}.pnnx.bin") as archive:
        for line in (MODELS / name / f"{name}.pnnx.param").read_text().splitlines()[2:]:
            kind, operator = line.split()[:2]
            weights = {}
            for key, shape in re.findall(r"@(weight|bias)=\(([\d,]+)\)f32", line):
                raw = np.frombuffer(archive.read(f"{operator}.{key}"), "<f4").copy()
                weights[key] = torch.from_numpy(raw).reshape([int(n) for n in shape.split(",")])
            if weights:
                operators.append((kind, weights))
    return operators


def without_batch_norm(model):
    """The model with each BatchNorm left out, as pnnx has folded it into the convolution before it."""
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, torch.nn.BatchNorm2d):
                setattr(parent, name, torch.nn.Identity())
    return model.eval()


def in_order_of_execution(model, kinds, inputs):
    """The layers of these kinds in the order in which the model calls them."""
    called = []
    hooks = [
        layer.register_forward_hook(lambda module, *_: called.append(module))
        for layer in model.modules()
        if isinstance(layer, kinds)
    ]
    with torch.inference_mode():
        model(*inputs)
    for hook in hooks:
        hook.remove()
    return called


def filled(model, name, *inputs):
    """The model with the exported weights, which lie in the file in the order in which the layers compute."""
    layers = in_order_of_execution(without_batch_norm(model), LAYERS, inputs)
    for layer, (kind, weights) in zip(layers, exported_weights(name), strict=True):
        assert kind == f"nn.{type(layer).__name__}"
        for key, weight in weights.items():
            assert key == "bias" or layer.weight.shape == weight.shape
            setattr(layer, key, torch.nn.Parameter(weight))
    return model


@pytest.mark.parametrize("name", ["classifier", "detector", "segmenter"])
def test_module_of_the_script_with_the_exported_weights_gives_the_stored_outputs(name):
    train = importlib.import_module(f"models.{name}.train")
    make, stored, side = {
        "classifier": (lambda: train.ResNet(10), "logits", 64),
        "detector": (lambda: train.Detector(256), "rows", 256),
        "segmenter": (lambda: train.UNet(2), "logits", 128),
    }[name]
    model = filled(make(), name, torch.zeros(1, 3, side, side))
    with np.load(MODELS / name / "heldout.npz", allow_pickle=False) as file:
        images, expected = file["images"][:2], file[stored][:2]
    with torch.inference_mode():
        got = model(train.batch_of(images)).numpy()
    assert np.abs(got - expected).max() <= 1e-4 * max(1, np.abs(expected).max())


@pytest.mark.parametrize("name", ["classifier", "detector", "segmenter", "writer"])
def test_number_of_parameters_is_the_one_reported(name):
    network = importlib.import_module(f"models.{name}.network")
    make = {"classifier": "ResNet", "detector": "Detector", "segmenter": "UNet", "writer": "Writer"}[name]
    arguments = {"classifier": (10,), "segmenter": (2,), "writer": (1024,)}.get(name, ())
    model = getattr(network, make)(*arguments)
    metrics = json.loads((MODELS / name / "metrics.json").read_text())
    assert sum(p.numel() for p in model.parameters()) == metrics["parameters"]
