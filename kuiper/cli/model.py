"""From the command's arguments to a model that is ready, and to the arrays that it reads."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import kuiper
from kuiper.cli.text import note, shape_of, warn
from kuiper.errors import InferError, InputCountError, KuiperError, ModelFormatError
from kuiper.graph import Graph
from kuiper.inputs import Normalization, random_input, read_input

SUFFIX = ".pnnx.param"


def find_model(model: str) -> Path:
    """The .param file that the user means. Raises KuiperError with what is there instead."""
    path = Path(model)
    if path.is_dir():
        found = sorted(path.glob(f"*{SUFFIX}")) or sorted(path.glob("*.param"))
        if len(found) == 1:
            return found[0]
        listed = ", ".join(p.name for p in found) or "none"
        raise KuiperError(f"{model}: expected a folder with exactly one *{SUFFIX} file, found {len(found)} ({listed})")
    if path.is_file():
        if path.suffix in (".pt", ".pth", ".onnx"):
            how = "convert it first: pip install pnnx; pnnx " + path.name
            raise ModelFormatError(model, None, "a .pnnx.param file", f"a {path.suffix} file; {how}")
        if path.suffix == ".bin":
            raise ModelFormatError(model, None, "a .pnnx.param file", "a .bin file, which holds only the weights")
        return path
    for suffix in (SUFFIX, ".param"):
        twin = path.with_name(path.name + suffix)
        if twin.is_file():
            return twin
    near = sorted(p.name for p in path.parent.glob(f"*{SUFFIX}")) if path.parent.is_dir() else []
    hint = f"; {path.parent} has {', '.join(near[:5])}" if near else ""
    raise KuiperError(f"{model}: expected a model file, its stem, or a folder, found no such file{hint}")


def model_name(param: str | os.PathLike[str]) -> str:
    """What pictures call a model: its file's name without the endings."""
    return Path(param).name.removesuffix(".param").removesuffix(".pnnx")


def load_model(
    model: str,
    bin_file: str | None,
    *,
    engine: str = "auto",
    threads: int | None = None,
    revise: Callable[[Graph], Graph] | None = None,
) -> kuiper.RuntimeGraph:
    """The built graph; what the reader warns of is shown. Raises KuiperError."""
    graph = kuiper.load(find_model(model), bin_file, engine=engine, threads=threads, revise=revise)
    for warning in graph.warnings:
        warn(warning)
    return graph


def network_inputs(graph: kuiper.RuntimeGraph, files: Sequence[str], normalization: Normalization) -> list[np.ndarray]:
    """One array for each input of the network, from the files. Raises KuiperError, also for a wrong number."""
    operands = graph.inputs
    if len(files) != len(operands):
        wanted = ", ".join(f"{o.name} {shape_of(o.shape)}" for o in operands) or "none"
        message = f"expected {len(operands)} input file(s) for the network's inputs ({wanted}), found {len(files)}"
        raise InputCountError(message)
    return [read_input(file, operand, normalization) for file, operand in zip(files, operands)]


def random_inputs(
    graph: kuiper.RuntimeGraph, shapes: Sequence[tuple[int, ...]], seed: int, *, quiet: bool = False
) -> list[np.ndarray]:
    """One random array for each input of the network, and a note that says so. Raises KuiperError."""
    operands = graph.inputs
    if shapes and len(shapes) != len(operands):
        raise InferError(f"expected --shape once for each of {len(operands)} input(s), found {len(shapes)}")
    rng = np.random.default_rng(seed)
    arrays = [random_input(o, rng, shapes[i] if shapes else None) for i, o in enumerate(operands)]
    if arrays and not quiet:
        listed = ", ".join(f"{shape_of(x.shape)} {x.dtype}" for x in arrays)
        whole = "; 0 or 1 where the network reads integers" if any(x.dtype.kind in "iub" for x in arrays) else ""
        note(f"random input {listed}, standard normal{whole}, seed {seed}")
    return arrays
