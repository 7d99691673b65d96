"""A framework with one network and one input: ready to run, again and again."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import kuiper
from kuiper import pnnx
from kuiper.errors import KuiperError, missing_module
from kuiper.peers.convert import ncnn_files, onnx_bytes, quiet
from kuiper.peers.torch_network import torch_network


class PeerError(KuiperError):
    """A peer that cannot be used here, or that cannot take the network."""


@dataclass(frozen=True)
class Workload:
    """What everyone is given: the model's two files, the inputs, the number of threads, and kuiper's engine."""

    param: Path
    bin: Path | None
    inputs: Sequence[np.ndarray] = field(repr=False)
    threads: int
    engine: str = "auto"


@dataclass(frozen=True)
class Runner:
    """`run` makes one forward pass; `arrays` turns what it returned into numpy arrays. `about` names the version."""

    run: Callable[[], Any]
    arrays: Callable[[Any], list[np.ndarray]]
    about: str


def open_runner(name: str, workload: Workload) -> Runner:
    """The runner of that name, in this process, whose threads it sets.

    Raises PeerError where the framework, or a package to convert the network, is not installed, and where it cannot
    take the network.
    """
    if name not in PEERS and name != "kuiper":
        raise PeerError(f"expected one of {', '.join(PEERS)}, found {name!r}")
    try:
        return {"kuiper": _kuiper, **PEERS}[name](workload)
    except ModuleNotFoundError as error:
        who = "converting the network for it" if name in sys.modules else "it"
        raise PeerError(missing_module(name, error, who)) from error
    except ImportError as error:
        raise PeerError(f"cannot be imported: {_first_line(error)}") from error
    except KuiperError as error:
        raise PeerError(str(error)) from error
    except Exception as error:
        raise PeerError(f"cannot take the network: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:200]


def _kuiper(workload: Workload) -> Runner:
    graph = kuiper.load(workload.param, workload.bin, engine=workload.engine, threads=workload.threads)
    graph.executor.plan_for({operand.name: x for operand, x in zip(graph.inputs, workload.inputs)})  # or none: "simple"
    return Runner(
        lambda: graph.forward(*workload.inputs), list, f"kuiper {kuiper.__version__}, {workload.engine} engine"
    )


def _torch(workload: Workload) -> Runner:
    torch = importlib.import_module("torch")
    torch.set_num_threads(workload.threads)
    network = torch_network(pnnx.read(workload.param, workload.bin))
    inputs = [torch.from_numpy(x.copy()) for x in workload.inputs]

    def run() -> Any:
        with torch.inference_mode():
            return network(*inputs)

    def arrays(result: Any) -> list[np.ndarray]:
        return [np.asarray(y) for y in (result if isinstance(result, tuple) else (result,))]

    return Runner(run, arrays, f"torch {torch.__version__}, eager")


def _onnxruntime(workload: Workload) -> Runner:
    onnxruntime = importlib.import_module("onnxruntime")
    model, names = onnx_bytes(pnnx.read(workload.param, workload.bin), workload.inputs)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = workload.threads, 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feed = dict(zip(names, workload.inputs))
    return Runner(lambda: session.run(None, feed), list, f"onnxruntime {onnxruntime.__version__}")


def _ncnn(workload: Workload) -> Runner:
    ncnn = importlib.import_module("ncnn")
    if any(x.shape[0] != 1 for x in workload.inputs if x.ndim > 1):
        raise PeerError("takes one sample at a time; the batch is larger")
    with ncnn_files(pnnx.read(workload.param, workload.bin), workload.inputs) as (param, weights):
        network = ncnn.Net()
        options = network.opt
        options.num_threads = workload.threads
        options.use_vulkan_compute = False
        options.use_fp16_packed = options.use_fp16_storage = options.use_fp16_arithmetic = False  # float32, as the rest
        options.use_bf16_storage = False
        with quiet():
            if network.load_param(str(param)) or network.load_model(str(weights)):
                raise PeerError("cannot take the network: it does not load what pnnx has converted")
    matrices = [ncnn.Mat(_without_batch(x)).clone() for x in workload.inputs]
    outputs = list(network.output_names())

    def run() -> Any:
        extractor = network.create_extractor()
        for name, matrix in zip(network.input_names(), matrices):
            extractor.input(name, matrix)
        found = [extractor.extract(name) for name in outputs]
        if any(status for status, _ in found):
            raise PeerError("cannot take the network: the pass fails")
        return [matrix for _, matrix in found]

    return Runner(run, lambda found: [np.array(y) for y in found], f"ncnn {ncnn.__version__}")


def _without_batch(x: np.ndarray) -> np.ndarray:
    x = x.astype(np.int32) if x.dtype.kind in "iu" else x
    return np.ascontiguousarray(x[0] if x.ndim > 1 else x)


PEERS: dict[str, Callable[[Workload], Runner]] = {"torch": _torch, "onnxruntime": _onnxruntime, "ncnn": _ncnn}
"""Peers by the name that `--vs` knows them by."""
