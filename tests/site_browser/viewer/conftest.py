"""What the tests of the viewer share: bare pages in the browser, opened as files."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from classroom.register import ROOT
from classroom.site import front, moving, viewer
from classroom.site.front import network
from classroom.site.viewer import stored


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """opened(name, theme="", above=20, **context) -> a bare page with a viewer.

    `name` : one of viewer.NAMES, or "own" for the place where a reader opens files. `above` : pixels of text above it.

    In the end the page must have logged nothing and asked nobody but the disk; `opened.trouble` has what it did.
    """
    trouble: list[str] = []
    contexts = []

    def make(name: str, theme: str = "", above: int = 20, **options: Any) -> Any:
        heads = write_files(tmp_path)
        body = viewer.OWN if name == "own" else viewer.snippet(name)
        page_file = tmp_path / f"{name}.html"
        page_file.write_text(
            f'<!doctype html>\n<html lang="en" data-theme="{theme or "light"}"><head><meta charset="utf-8">'
            f"<title>{name}</title>"
            f'<meta name="viewport" content="width=device-width, initial-scale=1">{"".join(heads)}</head>'
            f'<body><main><h1>{name}</h1><p style="height: {above}px">Above.</p>{body}'
            '<p style="height: 1200px">Below.</p></main></body></html>',
            encoding="utf-8",
        )
        desk = {"width": 1000, "height": 800}
        context = chromium.new_context(**{"viewport": desk, "reduced_motion": "reduce", **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on(
            "request",
            lambda asked: None if asked.url.startswith(("file:", "blob:", "data:")) else trouble.append(asked.url),
        )
        page.goto(page_file.as_uri())
        if above < 900 and options.get("java_script_enabled", True):
            page.locator(".viewer-drop, [data-ready]").first.wait_for()
        return page

    make.trouble = trouble
    yield make
    for context in contexts:
        context.close()
    assert trouble == []


def write_files(folder: Path) -> list[str]:
    """Write what a page with a viewer loads, at once or when it is asked for -> the lines of its head."""
    heads = []
    for path in [*moving.assets(), *viewer.assets()]:
        shutil.copy(path, folder)
    (folder / viewer.FAMILIES).write_text(viewer.families_script(), encoding="utf-8")
    for name in (*(path.name for path in moving.assets()), *viewer.LOADED):
        style = f'<link rel="stylesheet" href="{name}">'
        heads.append(style if name.endswith(".css") else f'<script defer src="{name}"></script>')
    (folder / "viewer").mkdir(exist_ok=True)
    (folder / "front").mkdir(exist_ok=True)
    (folder / "_static").mkdir(exist_ok=True)
    (folder / stored.FOLDER / "values-digits.js").write_text(stored.values_script("digits"), encoding="utf-8")
    (folder / "front" / "digits-network.js").write_text(network.script(ROOT / "models/digits"), encoding="utf-8")
    shutil.copy(front.STATIC / front.RUN, folder / "_static")
    return heads
