"""`kuiper chat`: a conversation with a language model, in a terminal or line by line from a pipe."""

from __future__ import annotations

import contextlib
import io
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from kuiper.cli import arguments, options
from kuiper.cli.model import SUFFIX, find_model, load_model
from kuiper.cli.text import complain, console, note, seconds, space
from kuiper.errors import KuiperError
from kuiper.profile.hardware import peak_memory
from kuiper.runtime import EXECUTORS
from kuiper.text import Sampler, load_vocabulary
from kuiper.text.chat import Chat, Reply
from kuiper.text.head import last_scores
from kuiper.text.settings import LanguageSettings, chosen_context
from kuiper.text.template import read_template, special_texts
from kuiper.text.tokens import Tokens

EXAMPLE = 'Example: kuiper chat networks/qwen --system "You answer in one sentence." --temperature 0.7 --top-p 0.8'
USUAL = Sampler(temperature=0.7, top_p=0.9)
"""How to choose where neither the user nor the network's makers say it."""
SHOWN = {code: chr(0x2400 + code) for code in range(32) if code not in (9, 10)} | {127: "\u2421"}
SHOWN |= dict.fromkeys(range(0x80, 0xA0), "\ufffd")
"""Characters with which a network could steer the terminal -> what is shown instead."""


def chat_(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="What kuiper convert wrote, or models/writer.")],
    system: Annotated[str | None, typer.Option(metavar="TEXT", help="A message that stays before all others.")] = None,
    tokens: Annotated[int, typer.Option(metavar="N", min=1, help="An answer has so many tokens at most.")] = 512,
    context: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Tokens of text that fit; else as the network was converted for."),
    ] = None,
    temperature: Annotated[
        float | None, typer.Option(min=0, help="The lower, the likelier what is chosen; 0: the likeliest.")
    ] = None,
    top_k: Annotated[
        int | None, typer.Option("--top-k", metavar="K", min=1, help="Choose among the K likeliest.")
    ] = None,
    top_p: Annotated[
        float | None,
        typer.Option("--top-p", metavar="0..1", min=0, max=1, help="Choose among the likeliest that reach this sum."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of what is chosen.")] = 0,
    engine: options.Engine = "auto",
) -> None:
    """Talk to a language model; Ctrl-D leaves.

    Ctrl-C stops the answer, and between answers it leaves. From a pipe each line
    is a message. Tokens are chosen as the network's makers say in
    generation_config.json, else with temperature 0.7 and top-p 0.9. When the
    context is full, the oldest messages are forgotten.
    """
    arguments.check_choice("--engine", engine, tuple(EXECUTORS))
    check_converted(folder)
    place = find_model(folder).parent
    settings, template, vocabulary = LanguageSettings.load(place), read_template(place), load_vocabulary(place)
    end = special_texts(place).get("eos_token")
    ends = None if end is None or isinstance(vocabulary, Tokens) else vocabulary.token(end)
    interrupts = Interrupts()
    conversation = Chat(
        load_model(folder, None, engine=engine, revise=last_scores),
        vocabulary,
        template,
        room=settings.context if context is None else chosen_context(context, settings.positions or settings.context),
        sampler=sampler_of(settings.sampler or USUAL, temperature, top_k, top_p),
        random=np.random.default_rng(seed),
        stop=settings.stop if ends is None else settings.stop | {ends},
        system=system,
        is_stopped=interrupts.is_stopped,
    )
    if template is None:
        note("no chat template beside the network: it goes on with your text instead of answering it")
    talk(conversation, tokens, interrupts)


def check_converted(folder: str) -> None:
    """Raise KuiperError for a folder as Hugging Face publishes it, with what to do."""
    path = Path(folder)
    if path.is_dir() and not any(path.glob(f"*{SUFFIX}")) and (path / "config.json").is_file():
        raise KuiperError(f"{folder}: expected a network, found what it is made of; first: kuiper convert {folder}")


def sampler_of(usual: Sampler, temperature: float | None, top_k: int | None, top_p: float | None) -> Sampler:
    """What was typed, and the rest as usual. Raises KuiperError."""
    return Sampler(
        usual.temperature if temperature is None else temperature,
        usual.top_k if top_k is None else top_k,
        usual.top_p if top_p is None else top_p,
    )


class Interrupts:
    """Ctrl-C: the first during an answer asks for its end, the second ends the program."""

    def __init__(self) -> None:
        self._asked = False

    def is_stopped(self) -> bool:
        """Whether the answer shall end."""
        return self._asked

    @contextlib.contextmanager
    def during_answer(self) -> Iterator[None]:
        """Take Ctrl-C as a wish of the user's for as long as this lasts."""

        def ask(*_: object) -> None:
            if self._asked:
                raise KeyboardInterrupt
            self._asked = True

        self._asked = False
        before = signal.signal(signal.SIGINT, ask)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def talk(conversation: Chat, most: int, interrupts: Interrupts) -> None:
    """Answer message after message; in the end say how fast. Raises KuiperError where no person is there to go on."""
    replies: list[Reply] = []
    person = sys.stdin.isatty()
    try:
        for message in messages(person):
            try:
                with interrupts.during_answer():
                    reply = conversation.say(message, most, lambda piece: typer.echo(piece.translate(SHOWN), nl=False))
            except KuiperError as error:
                if not person:
                    raise
                complain(str(error))
                continue
            typer.echo()
            replies.append(reply)
            tell(reply, conversation.room)
    finally:
        if replies:
            note(summary(replies))


def messages(person: bool) -> Iterator[str]:
    """What is typed, or the lines of a pipe, without empty ones."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # bytes that are no text must not end the program
    if not person:
        for line in sys.stdin:
            if line.strip():
                yield line.rstrip("\r\n")
        return
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  arrow keys
    while True:
        try:
            line = input("> ")
        except (EOFError, KeyboardInterrupt):
            console(stderr=True).print()
            return
        if line.strip():
            yield line


def tell(reply: Reply, room: int) -> None:
    """Say what the answer itself does not show."""
    if reply.dropped:
        note(f"the context of {room} tokens is full: the {reply.dropped} oldest messages are forgotten")
    if reply.end == "length":
        note(f"cut off after {reply.written} tokens; --tokens allows more")
    elif reply.end == "full":
        note(f"cut off: the context of {room} tokens is full; --context may allow more")
    elif reply.end == "stopped":
        note("stopped")


def summary(replies: list[Reply]) -> str:
    """Tokens, how fast, and memory."""
    read, kept, written = (sum(getattr(reply, key) for reply in replies) for key in ("read", "kept", "written"))
    reading, writing = (sum(getattr(reply, key) for reply in replies) for key in ("read_seconds", "write_seconds"))
    said = f"read {read} tokens in {seconds(reading)}"
    if kept:
        said += f" ({kept} more were kept from before)"
    if written and writing > 0:
        said += f"; wrote {written} in {seconds(writing)}, {written / writing:.1f} tokens/s"
    memory = peak_memory()
    return said if memory is None else f"{said}; {space(memory)} of memory at most"
