"""Lessons run in their pages: each cell shows what is stored, loops that never end are stopped, changes are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from classroom import register

pytestmark = pytest.mark.slow
COURSE = register.load()
PILLOW, THREAD = "needs Pillow", "starts a thread"
AFTER = "goes on with what a cell above could not make"
INT32 = "says int32: a page's whole numbers have 32 bits unless told otherwise"
EXCEPTIONS: dict[int, dict[str, str]] = {
    6: {**dict.fromkeys(("cell-03", "cell-05", "cell-07", "cell-09"), PILLOW), "cell-11": INT32},
    8: {
        **dict.fromkeys(("cell-04", "cell-08", "cell-10", "cell-46", "cell-47", "cell-54", "cell-60"), PILLOW),
        **dict.fromkeys(("cell-18", "cell-22", "cell-27", "cell-38", "cell-40", "new-08"), AFTER),
    },
    9: dict.fromkeys(("cell-04", "cell-08", "cell-34", "new-03", "cell-48"), PILLOW),
    11: {"cell-39": THREAD},
    12: {
        **dict.fromkeys(("bare-photographs", "new-01", "cell-05", "cell-11", "cell-41"), PILLOW),
        "cell-22": INT32,
    },
    13: {"cell-10": "needs pydoc_data, which Pyodide leaves out", "cell-48": AFTER},
    14: {"cell-48": THREAD},
    15: dict.fromkeys(("cell-22", "cell-27"), PILLOW),
}
"""Lesson -> id of a cell that shows something else in a page -> why. All others show what is stored."""


def stored(lesson: register.Lesson) -> list[dict[str, Any]]:
    """The code cells of a lesson's notebook."""
    path = lesson.notebook()
    assert path is not None
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def wanted(cell: dict[str, Any]) -> tuple[str, list[str], list[str]]:
    """What a cell printed, the values that it showed as text, and its pictures in SVG."""
    printed = "".join("".join(one["text"]) for one in cell["outputs"] if one["output_type"] == "stream")
    data = [one["data"] for one in cell["outputs"] if "data" in one]
    texts = ["".join(one["text/plain"]) for one in data if not any(kind.startswith("image/") for kind in one)]
    return printed, texts, ["".join(one["image/svg+xml"]) for one in data if "image/svg+xml" in one]


def came(outputs: list[dict[str, str]]) -> tuple[str, list[str], list[str]]:
    """The same of what a page shows."""
    printed = "".join(one["text"] for one in outputs if one["kind"] in ("stdout", "stderr"))
    values = [one for one in outputs if one["kind"] == "value"]
    texts = [one["text"] for one in values if not {"svg", "png", "jpeg"} & one.keys()]
    return printed, texts, [one["svg"] for one in values if "svg" in one]


@pytest.mark.parametrize("lesson", COURSE.lessons, ids=lambda lesson: lesson.folder)
def test_every_cell_of_a_lesson_shows_what_is_stored(live: Any, live_site: Path, lesson: register.Lesson) -> None:
    path = lesson.notebook()
    assert path is not None
    tab = live.open(live_site / "lessons" / lesson.folder / path.with_suffix(".html").name)
    assert tab.evaluate("KuiperLive.cells.map(one => one.source)") == ["".join(one["source"]) for one in stored(lesson)]
    tab.click("text='Run all cells'")
    tab.wait_for_function("KuiperLive.cells.every(one => one.outputs)")
    shown = tab.evaluate("KuiperLive.cells.map(one => one.outputs)")
    differ = {}
    for cell, outputs in zip(stored(lesson), shown, strict=True):
        stopped = [one for one in outputs if one["kind"] in ("error", "missing")]
        measured = "nbval-ignore-output" in cell["metadata"].get("tags", [])
        if stopped:
            differ[cell["id"]] = stopped[0]["text"].splitlines()[-1]
        elif not measured and wanted(cell) != came(outputs):
            pairs = zip(wanted(cell), came(outputs), strict=True)
            differ[cell["id"]] = next(f"expected {a!r:.300}, got {b!r:.300}" for a, b in pairs if a != b)
    named = EXCEPTIONS.get(lesson.number, {})
    assert {cell: why for cell, why in differ.items() if cell not in named} == {}
    assert set(named) == set(differ), "an exception that is none"
    assert live.asked == []
    assert live.trouble == []
