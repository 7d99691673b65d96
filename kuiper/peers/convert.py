"""A PNNX file -> the files of other frameworks, by way of the torch module."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kuiper.errors import KuiperError
from kuiper.peers.torch_network import torch_network
from kuiper.pnnx import Graph

OPSET = 17


def onnx_bytes(graph: Graph, inputs: Sequence[np.ndarray]) -> tuple[bytes, list[str]]:
    """The network as an ONNX model for inputs of these shapes, and the names of its inputs.

    torch.onnx writes it: by tracing where torch still has that exporter, else with torch.export, which needs
    onnxscript. Raises what torch raises, ModuleNotFoundError where torch or onnx is missing.
    """
    torch = importlib.import_module("torch")
    importlib.import_module("onnx")
    network, examples = torch_network(graph), _tensors(torch, inputs)
    names = [f"input_{i}" for i in range(len(inputs))]
    file = io.BytesIO()
    with quiet():
        try:
            torch.onnx.export(network, examples, file, input_names=names, opset_version=OPSET, dynamo=False)
        except (TypeError, AttributeError, RuntimeError, KuiperError):
            file = io.BytesIO()
            torch.onnx.export(network, examples, file, input_names=names, dynamo=True)
    return file.getvalue(), names


@contextlib.contextmanager
def ncnn_files(graph: Graph, inputs: Sequence[np.ndarray]) -> Iterator[tuple[Path, Path]]:
    """The network as pnnx converts it for ncnn, in float32: two files that exist as long as the block runs.

    Raises ModuleNotFoundError where torch or pnnx is missing, KuiperError where pnnx writes no such files.
    """
    torch = importlib.import_module("torch")
    pnnx = importlib.import_module("pnnx")
    network, examples = torch_network(graph), _tensors(torch, inputs)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        # the network as a Python module, which pnnx writes as well, may be an invalid one: the rest is complete then
        with quiet(), contextlib.suppress(SyntaxError, AttributeError, ImportError):
            pnnx.export(network, str(folder / "net.pt"), examples, check_trace=False, fp16=False)
        param, weights = folder / "net.ncnn.param", folder / "net.ncnn.bin"
        if not (param.exists() and weights.exists()):
            raise KuiperError("pnnx cannot convert the network for ncnn")
        types = {line.split()[0] for line in param.read_text(encoding="utf-8").splitlines()[2:] if line.strip()}
        foreign = sorted(kind for kind in types if "." in kind or "::" in kind)  # what pnnx has left as it was
        if foreign:
            raise KuiperError(f"cannot take the network: ncnn has no layer for {', '.join(foreign)}")
        yield param, weights


def _tensors(torch: Any, inputs: Sequence[np.ndarray]) -> tuple[Any, ...]:
    return tuple(torch.from_numpy(x.copy()) for x in inputs)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """No warnings, and nothing on file descriptors 1 and 2: pnnx and ncnn write there past Python's streams."""
    saved = os.dup(1), os.dup(2)
    with tempfile.TemporaryFile() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.dup2(scratch.fileno(), 1)
        os.dup2(scratch.fileno(), 2)
        try:
            yield
        finally:
            for number, copy in zip((1, 2), saved):
                os.dup2(copy, number)
                os.close(copy)
