"""What lies beside a network and is needed to use it: copied; what somebody else published, once it was looked at."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from kuiper.convert.config import CONFIG, Architecture
from kuiper.documents import LARGEST, Document, parse_object, read_bytes, read_object
from kuiper.text.settings import GENERATION, SETTINGS, LanguageSettings, chosen_context, stop_tokens
from kuiper.text.template import LARGEST_TEMPLATE, TEMPLATE, TOKENIZER_CONFIG, text_of_template
from kuiper.text.tokenizer_json import LARGEST as LARGEST_TOKENIZER
from kuiper.text.tokenizer_json import TOKENIZER
from kuiper.text.vocabulary import TOKENS
from kuiper.vision.labels import LABELS

_JSON = {TOKENIZER: LARGEST_TOKENIZER, TOKENIZER_CONFIG: LARGEST, GENERATION: LARGEST}
READ_BY_TASKS = (LABELS, TOKENS, *_JSON, TEMPLATE, SETTINGS)
"""Files in a network's folder that tasks and chats read."""


def copy_beside(source: Path, target: Path) -> tuple[str, ...]:
    """Copy from folder to folder what tasks read, as it is -> the names of what there was. Raises OSError."""
    names = tuple(name for name in READ_BY_TASKS if (source / name).is_file())
    for name in names:
        shutil.copyfile(source / name, target / name)
    return names


def read_beside(folder: Path) -> dict[str, bytes]:
    """Name -> content of the tokenizer's files, the settings of writing and the template of a chat, where they are.

    Raises ModelFormatError for one that is too large, and for JSON that is none.
    """
    found = {}
    for name, largest in _JSON.items():
        if (folder / name).is_file():
            found[name] = read_bytes(folder / name, "settings of a language model", largest)
            parse_object(folder / name, found[name], "settings of a language model")
    if (folder / TEMPLATE).is_file():
        found[TEMPLATE] = read_bytes(folder / TEMPLATE, "the template of a chat", LARGEST_TEMPLATE)
        text_of_template(folder / TEMPLATE, found[TEMPLATE])
    return found


def settings_of(folder: Path, architecture: Architecture, context: int | None) -> LanguageSettings:
    """Context, positions and what ends a text. Raises KuiperError for a context that the network was not made for.

    context : None for the usual one.
    """
    config = Document(folder / CONFIG, read_object(folder / CONFIG, "the settings of a language model"))
    positions = architecture.positions
    return LanguageSettings(chosen_context(context, positions), positions, stop_tokens(config, "eos_token_id"))


def write_beside(found: Mapping[str, bytes], settings: LanguageSettings, target: Path) -> None:
    """Write the files, and kuiper.json. Raises OSError."""
    for name, data in found.items():
        path = target / name
        if not path.is_file() or path.read_bytes() != data:
            path.write_bytes(data)
    settings.store(target)
