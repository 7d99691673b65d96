"""`kuiper convert`: a language model's folder becomes a PNNX graph; and any network's weights take fewer bits."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from kuiper.cli.model import find_model
from kuiper.cli.text import console, count, facts, seconds, several, space, warn
from kuiper.convert import Architecture, ConvertedModel, convert, convert_network
from kuiper.convert.config import CONFIG
from kuiper.errors import KuiperError
from kuiper.quantize import ACTIVATION_BITS, BITS, QuantizedNetwork
from kuiper.text.tokenizer_json import TOKENIZER

EXAMPLE = """Example: kuiper convert downloads/Qwen2.5-0.5B-Instruct --output networks/qwen

kuiper convert downloads/SmolLM2-135M --bits 8 --block 32  (a quarter as large, and as fast as that is to read)

kuiper convert models/detector --bits 8 --output small  (any PNNX network)
"""


def convert_(
    folder: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER",
            help="Holds config.json and model.safetensors, or shards and their index; or a PNNX network: its file, or "
            "a folder with one.",
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Where to write; by default into the same folder."),
    ] = None,
    bits: Annotated[
        int | None, typer.Option(help="For each number of the large weights: 8, 16 or 32 (float32).", show_default="32")
    ] = None,
    block: Annotated[
        int | None,
        typer.Option(metavar="N", help="With 8 bits: N numbers of a row share a scale (32, 64); by default all do."),
    ] = None,
    activations: Annotated[
        int,
        typer.Option(
            metavar="BITS", help="8, beside --bits 8: what meets the weights of linear layers is rounded too (faster)."
        ),
    ] = 32,
    context: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Tokens of text that a chat may have (2048, or what the network allows)."
        ),
    ] = None,
) -> None:
    """Make a PNNX graph and weights of a language model's folder, or take fewer bits for a network's weights.

    Families llama and qwen2, with weights as float32, float16 or bfloat16. Neither
    torch nor transformers is needed; nothing is fetched, and no code of the folder
    runs.

    What kuiper chat and kuiper run --task need is copied: labels.txt, tokens.json,
    tokenizer.json, tokenizer_config.json, generation_config.json,
    chat_template.jinja.
    """
    if bits is not None and bits not in BITS:
        raise typer.BadParameter(f"--bits is one of {', '.join(map(str, BITS))}, not {bits}")
    if block is not None and (bits != 8 or block < 1):
        raise typer.BadParameter("--block is a number from 1 on, beside --bits 8")
    if activations not in ACTIVATION_BITS or (activations == 8 and bits != 8):
        raise typer.BadParameter("--activations is 32, or 8 beside --bits 8")
    if _is_published(Path(folder)):
        _convert_folder(folder, output, bits or 32, block, activations, context)
    elif context is not None:
        raise typer.BadParameter("--context is for the folder of a language model")
    else:
        _convert_network(folder, output, bits, block, activations)


def _is_published(folder: Path) -> bool:
    """Whether it is a folder as Hugging Face publishes it. A network made from one, whose weights are gone, is none."""
    if not any(folder.glob("*.param")):
        return folder.is_dir() or (folder / CONFIG).is_file()
    return (folder / CONFIG).is_file() and any(folder.glob("*.safetensors*"))


def _convert_folder(
    folder: str, output: str | None, bits: int, block: int | None, activations: int, context: int | None
) -> None:
    start = time.perf_counter()
    made = convert(folder, output, bits=bits, block=block, activations=activations, context=context)
    elapsed = time.perf_counter() - start
    if made.architecture.unknown:
        warn(f"settings of config.json that kuiper does not know: {several(made.architecture.unknown)}; left out")
    rows = [
        ("network", described(made.architecture)),
        ("parameters", f"{count(made.parameters)} ({made.parameters:,})"),
        *(quantized_rows(made.quantized, bits, block) if made.quantized else []),
        ("written", f"{made.param} and {made.bin.name}, {space(made.bytes)} in {seconds(elapsed)}"),
    ]
    console().print(facts([*rows, *around(made)]))


def around(made: ConvertedModel) -> list[tuple[str, str]]:
    """The longest text, its memory, and what lies beside the network."""
    settings, folder = made.settings, made.param.parent
    if TOKENIZER not in made.beside:
        warn(f"no {TOKENIZER} beside the weights: kuiper chat and --task write need one")
    cache = space(made.architecture.cache_bytes(settings.context))
    context = f"{settings.context:,} of {settings.positions:,} tokens; keys and values take {cache}"
    return [
        ("context", context),
        ("beside it", several(made.beside, most=5) or "nothing"),
        ("next", f"kuiper chat {folder}"),
    ]


def _convert_network(model: str, output: str | None, bits: int | None, block: int | None, activations: int) -> None:
    param = find_model(model)
    if bits is None or output is None:
        raise KuiperError(f"{param} is a PNNX network: expected --bits and --output, the folder for another one")
    start = time.perf_counter()
    made = convert_network(param, output, bits=bits, block=block, activations=activations)
    elapsed = time.perf_counter() - start
    sizes = f"{space(made.bytes_before)} before, {space(made.bytes)} after ({made.bytes / made.bytes_before:.0%})"
    rows = [
        *quantized_rows(made.quantized, bits, block),
        ("size", sizes),
        ("written", f"{made.param} and {made.bin.name} in {seconds(elapsed)}"),
        ("beside it", several(made.beside, most=5) or "nothing"),
    ]
    console().print(facts(rows))


def quantized_rows(network: QuantizedNetwork, bits: int, block: int | None) -> list[tuple[str, str]]:
    """What was put into fewer bits, and what that did to the weights."""
    rounding = [("activations", f"in 8 bits before {len(network.rounding)} products")] if network.rounding else []
    if not network.weights:
        return [("weights", f"none in fewer bits than {32 if bits == 32 else 'before'}"), *rounding]
    before, after = (sum(sizes) for sizes in zip(*((w.bytes_before, w.bytes_after) for w in network.weights)))
    scales = ""
    if bits == 8:
        whole = [w.operator for w in network.weights if w.block != block]
        scales = ", a scale for each row" if block is None else f", a scale for each {block} numbers"
        if block is not None and whole:
            scales += f", for each row of {several(whole)}, whose length {block} does not divide"
    worst = max(network.weights, key=lambda w: w.figures.rms)
    return [
        ("weights", f"{len(network.weights)} in {bits} bits{scales}: {space(before)} as float32, {space(after)} now"),
        ("their error", f"{network.figures}; the worst {worst.operator}, {worst.figures}"),
        *rounding,
    ]


def described(a: Architecture) -> str:
    """Family and sizes in one line."""
    heads = f"{a.heads} heads of {a.head_width}"
    if a.key_heads != a.heads:
        heads += f" that share {a.key_heads} of keys and values"
    table = ", one table for words and logits" if a.tied else ""
    return f"{a.family}: {a.layers} layers, width {a.width}, {heads}; {a.vocabulary:,} tokens{table}"
