"""`kuiper convert`: a language model's folder, as Hugging Face publishes it, becomes a PNNX graph and weights."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from kuiper.cli.text import console, count, facts, seconds, several, space, warn
from kuiper.convert import Architecture, ConvertedModel, convert
from kuiper.text.tokenizer_json import TOKENIZER

EXAMPLE = "Example: kuiper convert downloads/Qwen2.5-0.5B-Instruct --output networks/qwen"


def convert_(
    folder: Annotated[
        str,
        typer.Argument(metavar="FOLDER", help="Holds config.json and model.safetensors, or shards and their index."),
    ],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Where to write; by default into the same folder."),
    ] = None,
    context: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Tokens of text that a chat may have (2048, or what the network allows)."
        ),
    ] = None,
) -> None:
    """Make a PNNX graph and weights of a language model's folder.

    Families llama and qwen2, with weights as float32, float16 or bfloat16, which
    become float32. Neither torch nor transformers is needed; nothing is fetched,
    and no code of the folder runs.

    What kuiper chat needs is copied: tokenizer.json, tokenizer_config.json,
    generation_config.json, chat_template.jinja.
    """
    start = time.perf_counter()
    made = convert(folder, output, context=context)
    elapsed = time.perf_counter() - start
    if made.architecture.unknown:
        warn(f"settings of config.json that kuiper does not know: {several(made.architecture.unknown)}; left out")
    rows = [
        ("network", described(made.architecture)),
        ("parameters", f"{count(made.parameters)} ({made.parameters:,})"),
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


def described(a: Architecture) -> str:
    """Family and sizes in one line."""
    heads = f"{a.heads} heads of {a.head_width}"
    if a.key_heads != a.heads:
        heads += f" that share {a.key_heads} of keys and values"
    table = ", one table for words and logits" if a.tied else ""
    return f"{a.family}: {a.layers} layers, width {a.width}, {heads}; {a.vocabulary:,} tokens{table}"
