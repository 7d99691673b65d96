"""The folder `live/` of the site: scripts, the editor, the course's archives, and Pyodide where a folder has it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from classroom.register import Course
from classroom.site.live import archive, runtime

STATIC = Path(__file__).with_name("static")
EDITOR = Path(__file__).with_name("editor")
FOLDER = "live"
START = "live-start.js"
"""The one script that a page loads before anybody asks for Python."""
STYLE = "live.css"


def assets() -> list[Path]:
    """The files that pages load at once."""
    return [STATIC / STYLE, STATIC / START]


def write_live(course: Course, html: Path, folder: Path | None, instead: Mapping[str, str] | None = None) -> None:
    """Write html/live. `folder` : Pyodide's files, None: readers may take them from its servers.

    Raises SiteError for a file that is not what the table says; OSError.
    """
    content = runtime.verified(folder, instead) if folder is not None else {}
    packed = {file.key: file.packed for file in runtime.FILES}
    target = html / FOLDER
    target.mkdir(parents=True, exist_ok=True)
    for path in [*STATIC.iterdir(), *EDITOR.glob("editor.js"), *EDITOR.glob("*LICENSE*")]:
        if path.name not in (START, STYLE):
            (target / path.name).write_bytes(path.read_bytes())
    parts: dict[str, list[str]] = {}
    given = {"course": archive.course_archive(course)}
    given |= {f"model-{name}": data for name, data in archive.model_archives(course).items()}
    for key, data in (given | content).items():
        for name, text in runtime.scripts(key, data, packed.get(key, True)):
            (target / name).write_text(text, encoding="ascii", newline="\n")
            parts.setdefault(key, []).append(name)
    config = {
        "runtime": [file.key for file in runtime.FILES],
        "parts": parts,
        "packed": [key for key in parts if packed.get(key, True)],
        "servers": runtime.on_servers(),
        "version": runtime.VERSION,
    }
    (target / "config.js").write_text(f"KuiperLive.config = {json.dumps(config)};\n", encoding="ascii", newline="\n")
