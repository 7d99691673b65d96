"""What the tests of the moving pictures share: bare pages in the browser, opened as files."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from classroom.site import moving


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """opened(name, theme="", on="html", copies=1, **context) -> a bare page with a moving picture, opened as a file.

    In the end the page must have logged nothing and asked nobody but the disk.
    """
    trouble: list[str] = []
    contexts = []

    def make(name: str, theme: str = "", on: str = "html", copies: int = 1, **options: Any) -> Any:
        heads = []
        for path in moving.assets():
            shutil.copy(path, tmp_path)
            style = f'<link rel="stylesheet" href="{path.name}">'
            heads.append(style if path.suffix == ".css" else f'<script defer src="{path.name}"></script>')
        themes = {tag: f' data-theme="{theme}"' if theme and tag == on else "" for tag in ("html", "body")}
        page_file = tmp_path / f"{name}.html"
        page_file.write_text(
            f'<!doctype html>\n<html lang="en"{themes["html"]}><head><meta charset="utf-8"><title>{name}</title>'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">{"".join(heads)}</head>'
            f"<body{themes['body']}><main><h1>{name}</h1>{moving.snippet(name) * copies}</main></body></html>",
            encoding="utf-8",
        )
        desk = {"width": 1000, "height": 800}
        context = chromium.new_context(**{"viewport": desk, "reduced_motion": "reduce", **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda asked: None if asked.url.startswith("file:") else trouble.append(asked.url))
        page.goto(page_file.as_uri())
        return page

    yield make
    for context in contexts:
        context.close()
    assert trouble == []
