"""A chat template, rendered in a process of its own; template.py starts it and says what for.

A template comes from elsewhere and is a program. Jinja's sandbox keeps it from attributes and functions that reach out;
time, memory and output are limited by this process, which can be ended. This module imports nothing of kuiper, so that
the process starts quickly.

In: {"template", "values", "conversations", "most"} as JSON, in standard input. Out, in standard output: {"texts"}, one
for each conversation, or {"error"}, or {"missing"}, the package that it takes.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import sys
from typing import Any

MEMORY = 512 << 20
"""Bytes of address space that a template may take, where the system can limit it (not on Windows)."""
SECONDS = 5
"""Time for a template: of the processor, where the system can limit that (not on Windows)."""
OLDEST_JINJA = (3, 1, 6)
"""Earlier sandboxes have known holes."""


def limit() -> None:
    """Little memory, no files, no further processes, as far as the system can say so."""
    try:
        import resource
    except ModuleNotFoundError:
        return
    limits = {"RLIMIT_AS": MEMORY, "RLIMIT_CPU": SECONDS + 1, "RLIMIT_FSIZE": 0, "RLIMIT_CORE": 0, "RLIMIT_NPROC": 0}
    for name, most in limits.items():
        with contextlib.suppress(AttributeError, ValueError, OSError):
            resource.setrlimit(getattr(resource, name), (most, most))


def environment() -> Any:
    """Jinja's sandbox with what transformers gives to templates.

    Blocks without their line ends, break, continue, tojson, raise_exception, strftime_now, and {% generation %}, which
    only marks a text.
    """
    from jinja2 import nodes
    from jinja2.exceptions import TemplateError
    from jinja2.ext import Extension
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        tags = {"generation"}  # noqa: RUF012

        def parse(self, parser: Any) -> Any:
            line = next(parser.stream).lineno
            return nodes.Scope(parser.parse_statements(("name:endgeneration",), drop_needle=True)).set_lineno(line)

    def raise_exception(message: object) -> None:
        raise TemplateError(f"it refuses the conversation: {message}")

    def strftime_now(form: str) -> str:
        from datetime import datetime

        return datetime.now().strftime(form)

    def tojson(
        value: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, sort_keys: bool = False
    ) -> str:
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    made = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"]
    )
    made.filters["tojson"] = tojson
    made.globals |= {"raise_exception": raise_exception, "strftime_now": strftime_now}
    return made


def render(template: Any, values: dict[str, Any], most: int) -> str:
    """The template's text. Raises ValueError when it has more than `most` characters."""
    pieces, length = [], 0
    for piece in template.generate(values):
        pieces.append(piece)
        length += len(piece)
        if length > most:
            raise ValueError(f"expected at most {most} characters, found more")
    return "".join(pieces)


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """What is written for what is asked."""
    try:
        import jinja2
    except ModuleNotFoundError:
        return {"missing": "jinja2"}
    if (
        tuple(int(part) for part in importlib.metadata.version("jinja2").split(".")[:3] if part.isdecimal())
        < OLDEST_JINJA
    ):
        return {"missing": f"jinja2 {'.'.join(map(str, OLDEST_JINJA))} or later"}
    try:
        template = environment().from_string(asked["template"])
        values = {"tools": None, "documents": None, **asked["values"], "add_generation_prompt": True}
        texts = [render(template, {**values, "messages": one}, asked["most"]) for one in asked["conversations"]]
        return {"texts": texts}
    except jinja2.exceptions.SecurityError as error:
        return {"error": f"it reaches for what templates may not touch: {error}"}
    except jinja2.exceptions.TemplateSyntaxError as error:
        return {"error": f"line {error.lineno}: {error.message}"}
    except MemoryError:
        return {"error": f"it takes more than {MEMORY >> 20} MiB"}
    except RecursionError:
        return {"error": "it calls itself without end"}
    except Exception as error:
        return {"error": f"{error}" or type(error).__name__}


def main() -> None:
    """Answer one request."""
    limit()
    try:
        answered = answer(json.load(sys.stdin))
        written = json.dumps(answered)
    except MemoryError:
        written = json.dumps({"error": f"it takes more than {MEMORY >> 20} MiB"})
    sys.stdout.write(written)


if __name__ == "__main__":
    main()
