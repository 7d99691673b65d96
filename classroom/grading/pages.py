"""HTML pages from the templates of this folder: every value escaped and cleaned, nothing loaded from elsewhere.

The only script is one of ours, which the page's policy names by its hash.
"""

from __future__ import annotations

import base64
import hashlib
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classroom.grading.safe import points_text, truncated
from classroom.grading.settings import GradingError

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).with_name("templates")
MAX_TEXT_LENGTH = 20_000
"""Characters of one value; no text of a stranger makes a page that nobody can open."""


def page(template: str, **values: object) -> str:
    """The template filled in. Raises GradingError where jinja2 is not installed."""
    return _environment().get_template(template).render(values)


def save_page(path: Path, text: str) -> None:
    """Write a file that is never seen half written, and that can be made again: the disk is not waited for.

    Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.new")
    new.write_text(text, encoding="utf-8", newline="\n")
    os.replace(new, path)


def markup(text: str) -> Any:
    """Markup of our own, such as a picture, that is not escaped again."""
    from markupsafe import Markup

    return Markup(text)


@cache
def _environment() -> Environment:
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise GradingError("reports need jinja2: pip install -e '.[grading]' in the course's folder") from None
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"script": lambda name: markup(_script(name)), "script_hash": _script_hash}
    environment.filters["number"] = points_text
    environment.filters["clipped"] = lambda share: points_text(min(max(share, 0.0), 100.0))
    return environment


@cache
def _script(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _script_hash(name: str) -> str:
    """What a page's policy calls a script of ours, so that a browser runs no other."""
    return f"sha256-{base64.b64encode(hashlib.sha256(_script(name).encode()).digest()).decode()}"


def _shown(value: Any) -> Any:
    """What a template prints: strangers' text without control codes; markup of our own as it is."""
    return truncated(value, MAX_TEXT_LENGTH) if type(value) is str else value
