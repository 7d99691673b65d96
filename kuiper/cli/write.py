"""`kuiper run --task write`: the beginning of a text in; the text that follows out, as it comes."""

from __future__ import annotations

import time

import numpy as np
import typer

from kuiper import text
from kuiper.cli.model import find_model, load_model
from kuiper.cli.tasks import Wishes
from kuiper.cli.text import note, seconds
from kuiper.text.settings import LanguageSettings
from kuiper.text.vocabulary import prompt_tokens


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
    folder = find_model(model).parent
    tokens, settings = text.load_vocabulary(folder), LanguageSettings.load(folder)
    prompt = prompt_tokens(tokens, wishes.prompt)
    graph = load_model(model, bin_file, engine=engine, revise=text.last_scores)
    random, chosen = np.random.default_rng(seed), []

    def choose(scores: np.ndarray, random: np.random.Generator) -> int:
        chosen.append(sampler(scores, random))
        return chosen[-1]

    pieces = text.write(
        graph, tokens, prompt, count, sampler=choose, random=random, room=settings.context, stop=settings.stop
    )
    typer.echo(wishes.prompt, nl=False)
    start = time.perf_counter()
    for piece in pieces:
        typer.echo(piece, nl=False)
    elapsed = time.perf_counter() - start
    typer.echo()
    written = len(chosen) - (chosen[-1] in settings.stop)
    note(f"{written} tokens in {seconds(elapsed)}, {written / elapsed:.0f} tokens/s")
