from __future__ import annotations

import json
from pathlib import Path

import pytest

from classroom import register
from classroom.site.build import fill
from classroom.site.tree import Tree

ROOT = Path(__file__).resolve().parents[3]
FIRST_CELL = "# Lesson 1: One\n\nWhy?\n\n<!-- facts -->\n\n- all of it\n\n<!-- /facts -->\n\n## How?\n\nSo."


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """The real course's pages, as Sphinx would read them."""
    return fill(register.load(ROOT), tmp_path_factory.mktemp("site") / "pages", download=19_400_000)


@pytest.fixture
def small(tmp_path: Path) -> Tree:
    """A course of two lessons, the second without anything, and no pages yet."""
    root = tmp_path / "course"
    (root / "lessons/01_one").mkdir(parents=True)
    (root / "kuiper/graph").mkdir(parents=True)
    (root / "homework/01_one/judge").mkdir(parents=True)
    (root / "course.toml").write_text(
        'title = "Small"\n'
        '[[lesson]]\nnumber = 1\ntitle = "One"\nsummary = "The first"\nfolder = "01_one"\n'
        'time = 45\nmodules = ["kuiper.graph"]\nhomework = "hw01.py"\n'
        '[[lesson.exercise]]\nid = "double"\ntitle = "Twice"\npoints = 2\nsection = "How?"\n'
        'hints = ["Is a < b?", "Use `2 * x`.", "Return 2 * x."]\n'
        '[[lesson]]\nnumber = 2\ntitle = "Two"\nsummary = "The second"\nfolder = "02_two"\nmodules = []\n'
        'needs = [{ lesson = 1, what = "twice" }]\n',
        encoding="utf-8",
    )
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": FIRST_CELL},
        {"cell_type": "markdown", "metadata": {}, "source": ["Foresee it: ", "what comes?"]},
        {
            "cell_type": "code",
            "metadata": {"tags": ["predict"]},
            "source": "1 + 1",
            "outputs": [{"output_type": "stream", "text": "2"}],
        },
        {"cell_type": "code", "metadata": {}, "source": "2 + 2", "outputs": [{"output_type": "stream", "text": "4"}]},
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (root / "lessons/01_one/01_one.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    (root / "kuiper/graph/order.py").write_text('"""Order."""\n', encoding="utf-8")
    (root / "homework/01_one/hw01.py").write_text('"""Write here."""\n', encoding="utf-8")
    (root / "homework/01_one/judge/solution.py").write_text('"""Solved."""\n', encoding="utf-8")
    return Tree(register.load(root), tmp_path / "pages")
