"""A trained network as a classic script, which a page of a plain folder can load: graph, weights, and digits to try."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

import kuiper
from kuiper.expression import fold, parse, reverse_polish
from kuiper.graph import BOUNDARY

SUPPORTED = {
    "pnnx.Input",
    "pnnx.Output",
    "pnnx.Expression",
    "nn.Conv2d",
    "nn.ReLU",
    "nn.Sigmoid",
    "nn.AdaptiveAvgPool2d",
    "nn.MaxPool2d",
    "nn.Linear",
    "torch.flatten",
}
"""The operator types that static/digits-run.js computes; a test compares them with those of the script."""
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
FIXED: dict[str, dict[str, Any]] = {
    "nn.Conv2d": {"padding_mode": "zeros"},
    "nn.MaxPool2d": {"padding": [0, 0], "dilation": [1, 1], "ceil_mode": False},
    "torch.flatten": {"start_dim": 1, "end_dim": -1},
}
"""Options of which the script knows but one value."""
WORDS = {
    "nn.Conv2d": "convolution",
    "nn.ReLU": "ReLU",
    "nn.Sigmoid": "sigmoid",
    "nn.AdaptiveAvgPool2d": "mean of each map",
    "nn.MaxPool2d": "maximum of windows",
    "nn.Linear": "linear: ten scores",
}
"""What the page calls an operator; an expression is called by its text."""


class NetworkError(Exception):
    """The network cannot run in the browser; the message says what was expected and what was found."""


def script(folder: Path) -> str:
    """The JavaScript that sets KUIPER_NETWORK to the network in a folder such as models/digits.

    Its weights are float32, little-endian, in base64, one after the other. `stages` are the results that the page
    draws, with what they are called; `scans` (10, 64) hold for each digit the first held-out scan of it, 0..16.
    Raises NetworkError for an operator that the page cannot compute; KuiperError, OSError.
    """
    graph = kuiper.load(folder / f"{folder.name}.pnnx.param")
    unknown = sorted({one.type for one in graph.operators} - SUPPORTED)
    if unknown:
        raise NetworkError(f"{folder.name}: expected operators of {', '.join(sorted(SUPPORTED))}, found {unknown[0]}")
    blob: list[bytes] = []
    operators = [_operator(one, blob) for one in graph.operators]
    with np.load(folder / "heldout.npz") as data:
        images, labels = data["images"], data["labels"]
    value = {
        "operators": operators,
        "stages": stages(graph),
        "parameters": sum(len(part) for part in blob) // 4,
        "scans": [images[int(np.flatnonzero(labels == digit)[0])].ravel().tolist() for digit in range(10)],
        "weights": base64.b64encode(b"".join(blob)).decode(),
    }
    return f"globalThis.KUIPER_NETWORK = {json.dumps(value, separators=(',', ':'))};\n"


def counts(folder: Path) -> tuple[int, int]:
    """Operators and weights of the network in a folder. Raises KuiperError."""
    graph = kuiper.load(folder / f"{folder.name}.pnnx.param")
    return len(graph.operators), sum(one.data.size for op in graph.operators for one in op.attributes.values())


def _operator(operator: Any, blob: list[bytes]) -> dict[str, Any]:
    """One operator as JSON has it; its arrays are added to the blob."""
    params = {name: getattr(value, "value", value) for name, value in operator.params.items()}
    for name, value in FIXED.get(operator.type, {}).items():
        if params[name] != value:
            raise NetworkError(f"{operator.name}: expected {name}={value}, found {params[name]}")
    arrays = {}
    for name, attribute in operator.attributes.items():
        arrays[name] = {"at": sum(map(len, blob)) // 4, "shape": list(attribute.data.shape)}
        blob.append(np.ascontiguousarray(attribute.data, "<f4").tobytes())
    return {
        "type": operator.type,
        "name": operator.name,
        "inputs": [one.name for one in operator.inputs],
        "outputs": [one.name for one in operator.outputs],
        "params": params,
        "arrays": arrays,
    }


def stages(graph: kuiper.RuntimeGraph) -> list[dict[str, str]]:
    """The results to draw, in the order of computation: a result that only an activation reads is drawn after it.

    Flattening changes no number and is not drawn.
    """
    readers: dict[str, list[Any]] = {}
    for operator in graph.operators:
        for one in operator.inputs:
            readers.setdefault(one.name, []).append(operator)
    found, words = [], ""
    for operator in graph.operators:
        if operator.type in BOUNDARY or operator.type == "torch.flatten":
            continue
        said = _words(operator)
        words = f"{words}, {said}" if words else said
        (result,) = operator.outputs
        behind = readers.get(result.name, [])
        if len(behind) == 1 and behind[0].type in ("nn.ReLU", "nn.Sigmoid"):
            continue
        found.append({"value": result.name, "words": words})
        words = ""
    return found


def infix(expression: str) -> str:
    """An expression as one writes it by hand, its values called a, b, c; one alone x.

    >>> infix("add(mul(@0,@1),@2)"), infix("div(@0,16)")
    ('a * b + c', 'x / 16')
    """
    first = "a" if "@1" in expression else "x"

    def name(node: Any) -> str:
        return chr(ord(first) + int(node.text[1:])) if node.text.startswith("@") else str(node.text)

    def written(node: Any, values: list[str]) -> str:
        sign = SIGNS.get(node.text)
        return f"({f' {sign} '.join(values)})" if sign else f"{node.text}({', '.join(values)})"

    text = fold(reverse_polish(parse(expression)), name, written)
    text = re.sub(r"\(([^()]* [*/] [^()]*)\)(?= [+-] )", r"\1", text)  # products before sums
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def _words(operator: Any) -> str:
    """What an operator does, for a caption."""
    value = {name: getattr(one, "value", one) for name, one in operator.params.items()}
    if operator.type == "pnnx.Expression":
        return infix(str(value["expr"]))
    if operator.type == "nn.Conv2d":
        kernel = "x".join(map(str, value["kernel_size"]))
        return f"{kernel} convolution" + (f", stride {value['stride'][0]}" if value["stride"] != [1, 1] else "")
    return WORDS[operator.type]
