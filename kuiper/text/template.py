"""A conversation -> the text that a language model was trained on, by the template that comes with the model.

Source: https://huggingface.co/docs/transformers/chat_templating
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kuiper.documents import Document, read_bytes, read_object
from kuiper.errors import KuiperError, ModelFormatError
from kuiper.text import renderer
from kuiper.text.library import EXTRA

TEMPLATE, TOKENIZER_CONFIG = "chat_template.jinja", "tokenizer_config.json"
LARGEST_TEMPLATE = 1 << 20
"""Bytes of a template."""
LONGEST = 1 << 22
"""Characters of what it makes."""
START_SECONDS = 25
"""For a slow machine to start a process, beyond the time of the template itself."""
SPECIAL = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
"""Texts of tokens that a template may use, by the names that tokenizer_config.json has for them."""

Message = Mapping[str, str]
"""role ("system", "user" or "assistant") and content."""


@dataclass(frozen=True)
class ChatTemplate:
    """A template in Jinja's language, and the texts of special tokens that it may use.

    source : the file, for messages.

    >>> import pytest; jinja2 = pytest.importorskip("jinja2")
    >>> text = "{% for m in messages %}{{ bos_token }}{{ m.role }}: {{ m.content }} {% endfor %}"
    >>> ChatTemplate(text, {"bos_token": "<s>"}).render([[{"role": "user", "content": "Hi"}]])
    ['<s>user: Hi ']
    """

    text: str
    special: Mapping[str, str]
    source: str = "chat template"

    def render(self, conversations: Sequence[Sequence[Message]]) -> list[str]:
        """The text of each conversation, up to where the answer begins.

        A process of its own renders, which has SECONDS of time and, but for Windows, MEMORY bytes (renderer.py); texts
        have at most LONGEST characters. Raises KuiperError for a template that exceeds them, reaches for what Jinja's
        sandbox forbids, refuses the conversation or is no template, and where jinja2 is not installed.
        """
        asked = {"template": self.text, "values": self.special, "conversations": conversations, "most": LONGEST}
        command = [sys.executable, "-BP", str(Path(renderer.__file__))]
        try:
            done = subprocess.run(
                command,
                input=json.dumps(asked, default=dict).encode(),
                capture_output=True,
                timeout=renderer.SECONDS + START_SECONDS,
                start_new_session=True,  # Ctrl-C is for the program, not for this process
            )
        except subprocess.TimeoutExpired:
            raise self._fault(f"it takes more than {renderer.SECONDS} seconds") from None
        except OSError as error:
            raise self._fault(f"no process could be started: {error.strerror or error}") from error
        try:
            answered: dict[str, Any] = json.loads(done.stdout)
        except ValueError:
            raise self._fault(f"it takes more than {renderer.SECONDS} seconds or too much memory") from None
        if "missing" in answered:
            raise KuiperError(f"{self.source}: a chat template needs {answered['missing']}: {EXTRA}")
        if "error" in answered:
            raise self._fault(f"{answered['error']:.500}")
        return [str(text) for text in answered["texts"]]

    def _fault(self, found: str) -> KuiperError:
        return KuiperError(f"{self.source}: expected a template that makes a text of the conversation; {found}")


def read_template(folder: Path) -> ChatTemplate | None:
    """The template of a folder: chat_template.jinja, else that in tokenizer_config.json; None where there is none.

    Raises ModelFormatError for files that are damaged or too large.
    """
    special = special_texts(folder)
    path = folder / TEMPLATE
    if path.is_file():
        text = text_of_template(path, read_bytes(path, "the template of a chat", LARGEST_TEMPLATE))
        return ChatTemplate(text, special, str(path))
    config = _config(folder)
    found = config.get("chat_template")
    if isinstance(found, list):  # several, of which one is for chats without tools
        named = {one.text("name"): one.text("template") for one in config.inners("chat_template")}
        if "default" not in named:
            raise config.fault("chat_template", "one named 'default'", ", ".join(map(repr, named))[:80] or "none")
        return ChatTemplate(named["default"], special, str(config.path))
    return None if found is None else ChatTemplate(config.text("chat_template"), special, str(config.path))


def special_texts(folder: Path) -> dict[str, str]:
    """The texts of special tokens that tokenizer_config.json names, such as eos_token."""
    config = _config(folder)
    found = {}
    for key in SPECIAL:
        value = config.get(key)
        if isinstance(value, dict):
            found[key] = Document(config.path, value, f"{key}.").text("content")
        elif value is not None:
            found[key] = config.text(key)
    return found


def text_of_template(path: Path, data: bytes) -> str:
    """UTF-8 -> text. Raises ModelFormatError."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelFormatError(path, None, "a template in UTF-8", f"{error.reason} at byte {error.start}") from None


def _config(folder: Path) -> Document:
    """tokenizer_config.json; empty where there is none."""
    path = folder / TOKENIZER_CONFIG
    return Document(path, read_object(path, "settings of a tokenizer") if path.is_file() else {})
