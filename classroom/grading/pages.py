"""HTML pages from the templates in this folder: every value escaped and cleaned, no external resources.

The only script is our own, allowed by its hash in the page's content security policy.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classroom.grading.errors import GradingError
from classroom.grading.safe import points_text, truncated
from classroom.progress import write_whole

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).with_name("templates")
MAX_TEXT_LENGTH = 20_000
"""Maximum characters of one value, so that no submission can make a page too large to open."""


def page(template: str, **values: object) -> str:
    """Render a template. Raises GradingError if jinja2 is not installed."""
    return _environment().get_template(template).render(values)


def save_page(path: Path, text: str) -> None:
    """Write a file atomically, without fsync: it can be generated again.

    Raises OSError.
    """
    write_whole(path, text, safely=False)


def markup(text: str) -> Any:
    """Mark our own markup, such as a picture, as safe: it is not escaped."""
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
    """The hash of our script for the content security policy, so that browsers run no other."""
    return f"sha256-{base64.b64encode(hashlib.sha256(_script(name).encode()).digest()).decode()}"


def _shown(value: Any) -> Any:
    """Filter for template values: untrusted text without control codes; our own markup unchanged."""
    return truncated(value, MAX_TEXT_LENGTH) if type(value) is str else value
