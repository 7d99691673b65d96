"""A PNNX network -> the same with its weights in fewer bits, or in float32 again."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from kuiper import pnnx
from kuiper.convert.beside import copy_beside
from kuiper.errors import KuiperError
from kuiper.pnnx.reader import paths
from kuiper.quantize import QuantizedNetwork, quantize_network


@dataclass(frozen=True)
class ConvertedNetwork:
    """What was written: its two files, the weights in fewer bits, and the bytes of both files before and after.

    beside : names of the files that were copied.
    """

    param: Path
    bin: Path
    quantized: QuantizedNetwork
    bytes_before: int
    bytes: int
    beside: tuple[str, ...]


def convert_network(
    param: str | os.PathLike[str], output: str | os.PathLike[str], *, bits: int, block: int | None = None,
    activations: int = 32,
) -> ConvertedNetwork:  # fmt: skip
    """Write a network's two files, under the same names, into another folder; beside them what tasks read.

    output : the folder, made where there is none.
    bits, block, activations : as quantize_network takes them.

    Raises ModelFormatError for a network that cannot be read; KuiperError for one that lies in that folder, weights
    that cannot be put into so many bits, and files that cannot be written.
    """
    source, target = paths(param, None), Path(output)
    graph = pnnx.read(source[0])
    if target.resolve() == source[0].resolve().parent:
        raise KuiperError(f"{target}: expected another folder than that of {source[0].name}, which would be lost")
    quantized = quantize_network(graph, bits, block, activations)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KuiperError(f"{target}: expected a folder to write to, found {error.strerror or error}") from error
    made = paths(target / source[0].name, None)
    pnnx.write(quantized.graph, made[0])
    before, after = (sum(path.stat().st_size for path in files if path.exists()) for files in (source, made))
    try:
        beside = copy_beside(source[0].parent, target)
    except OSError as error:
        raise KuiperError(f"{target}: cannot be written to: {error.strerror or error}") from error
    return ConvertedNetwork(*made, quantized, before, after, beside)
