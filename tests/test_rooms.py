"""kuiper's rooms: what the READMEs say is what import-linter holds and what lies in the folders."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
KUIPER = ROOT / "kuiper"
MAPPED = (
    "scalars",
    "graph",
    "pnnx",
    "expression",
    "runtime",
    "vision",
    "text",
    "peers",
    "show",
    "profile",
    "convert",
    "cli",
)
"""Rooms whose README names every file."""


def test_the_rooms_stand_in_the_readme_in_the_order_that_the_linter_holds() -> None:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    contract = table["contracts"][0]
    assert (contract["type"], contract["containers"], contract["exhaustive"]) == ("layers", ["kuiper"], True)
    text = (KUIPER / "README.md").read_text(encoding="utf-8")
    assert contract["name"].removeprefix("a room of kuiper ") in text
    rows = re.findall(r"^\| (`[^|]*) \|", text, re.M)
    assert [name for row in rows for name in re.findall(r"`(\w+)`", row)] == [
        layer.strip("()") for layer in contract["layers"]
    ]


@pytest.mark.parametrize("readme", sorted(KUIPER.rglob("README.md")), ids=lambda path: path.parent.name)
def test_a_readme_fits_on_a_screen_and_says_what_to_read_first(readme: Path) -> None:
    text = readme.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 60
    assert "read" in text.lower() or readme.parent.name == "labels"


@pytest.mark.parametrize("room", MAPPED)
def test_a_readme_names_every_file_of_its_room_and_no_other(room: str) -> None:
    text = (KUIPER / room / "README.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| (`[^|]*) \|", text, re.M)
    named = [name for cell in cells for name in re.findall(r"`([^`]+)`", cell) if name.endswith((".py", "/"))]
    files = [path.name for path in (KUIPER / room).glob("*.py") if path.name != "__init__.py"]
    folders = [f"{path.parent.name}/" for path in (KUIPER / room).glob("*/__init__.py")]
    assert sorted(named) == sorted(files + folders)


@pytest.mark.parametrize("room", ["graph", "text", "profile"])
def test_the_example_of_a_readme_runs(room: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (code,) = re.findall(r"```python\n(.*?)```", (KUIPER / room / "README.md").read_text(encoding="utf-8"), re.S)
    exec(f"import kuiper\n{code}", {})
