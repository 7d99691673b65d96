"""`kuiper run --task write`: the beginning of a text in; the text that follows out, as it comes."""

from __future__ import annotations

import time

import numpy as np
import typer

from kuiper import text
from kuiper.cli.model import find_model, load_model
from kuiper.cli.tasks import Wishes
from kuiper.cli.text import note, seconds

TOKENS = "tokens.json"
"""The vocabulary's file, beside the network's."""


def write_on(model: str, bin_file: str | None, wishes: Wishes, seed: int, engine: str) -> None:
    """Print the prompt and, token by token, what the network writes on. Raises KuiperError, typer.BadParameter."""
    if wishes.prompt is None:
        raise typer.BadParameter('--task write needs --prompt, such as --prompt "The function returns"')
    sampler = text.Sampler(
        temperature=0.7 if wishes.temperature is None else wishes.temperature,
        top_k=wishes.top,
        top_p=0.9 if wishes.top_p is None else wishes.top_p,
    )
    count = wishes.tokens or 100
    tokens = text.Tokens.load(find_model(model).with_name(TOKENS))
    graph = load_model(model, bin_file, engine=engine)
    pieces = text.write(graph, tokens, wishes.prompt, count, sampler=sampler, random=np.random.default_rng(seed))
    typer.echo(wishes.prompt, nl=False)
    start = time.perf_counter()
    for piece in pieces:
        typer.echo(piece, nl=False)
    elapsed = time.perf_counter() - start
    typer.echo()
    note(f"{count} tokens in {seconds(elapsed)}, {count / elapsed:.0f} tokens/s")
