"""A folder as Hugging Face publishes it -> NAME.pnnx.param, NAME.pnnx.bin, and beside them what a chat needs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from kuiper import pnnx
from kuiper.convert.beside import read_beside, settings_of, write_beside
from kuiper.convert.config import CONFIG, Architecture, read_architecture
from kuiper.convert.llama import Checkpoint, llama_graph
from kuiper.convert.safetensors import read_weights
from kuiper.errors import KuiperError
from kuiper.graph import Graph
from kuiper.quantize import QuantizedNetwork, quantize_network
from kuiper.text.settings import LanguageSettings


@dataclass(frozen=True)
class ConvertedModel:
    """What was written: the network, its two files, the numbers that it learnt, and the bytes of both files.

    settings : the context that it was converted for, and what ends a text.
    beside : names of the files that were copied.
    quantized : the weights in fewer bits; None where there are none.
    """

    architecture: Architecture
    param: Path
    bin: Path
    parameters: int
    bytes: int
    settings: LanguageSettings
    beside: tuple[str, ...]
    quantized: QuantizedNetwork | None = None


def read_model(folder: str | os.PathLike[str]) -> tuple[Architecture, Graph]:
    """A language model's folder -> what it is, and its graph with weights mapped from the files, in their types.

    Raises ModelFormatError for a folder without config.json or safetensors, and for all that is not supported.
    """
    path = Path(folder)
    architecture = read_architecture(path / CONFIG)
    return architecture, llama_graph(architecture, Checkpoint(path, read_weights(path)))


def convert(
    folder: str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    *,
    context: int | None = None,
    bits: int = 32,
    block: int | None = None,
    activations: int = 32,
) -> ConvertedModel:
    """Write the graph and weights of a language model's folder, weights as float32 or in fewer bits, and copy what a
    chat needs.

    Weights are mapped and written piece by piece: memory for one piece is needed, whatever the size of the network.

    folder : with config.json and model.safetensors, or its shards with model.safetensors.index.json.
    output : the folder for NAME.pnnx.param and NAME.pnnx.bin, made where there is none; by default `folder` itself.
        NAME is that of `folder`. The tokenizer's files and kuiper.json are written there, too.
    context : the longest text, in tokens, for which chats reserve memory; by default 2048, or less where the network
        was not made for that. The graph itself has no such limit.
    bits, block, activations : as quantize_network takes them.

    Raises ModelFormatError as `read_model` and for damaged files beside the weights, KuiperError for a context that the
    network was not made for, and when the files cannot be written.
    """
    architecture, graph = read_model(folder)
    settings, beside = settings_of(Path(folder), architecture, context), read_beside(Path(folder))
    target = Path(folder if output is None else output)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KuiperError(f"{target}: expected a folder to write to, found {error.strerror or error}") from error
    param = target / f"{Path(folder).resolve().name or 'model'}.pnnx.param"
    plain = bits == 32 and block is None and activations == 32
    quantized = None if plain else quantize_network(graph, bits, block, activations)
    pnnx.write(graph if quantized is None else quantized.graph, param, widen=True)
    bin_file = param.with_suffix(".bin")
    try:
        write_beside(beside, settings, target)
    except OSError as error:
        raise KuiperError(f"{target}: cannot be written to: {error.strerror or error}") from error
    learnt = (attribute for op in graph if op.name != "speeds" for attribute in op.attributes.values())
    size = sum(path.stat().st_size for path in (param, bin_file))
    parameters = sum(attribute.raw.size for attribute in learnt)
    return ConvertedModel(architecture, param, bin_file, parameters, size, settings, tuple(beside), quantized)
