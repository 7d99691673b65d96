"""Where the moving pictures stand in the text."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

import pytest

from classroom.site import moving, moving_places
from classroom.site.moving_places import PLACEMENTS, Placement, raw, with_pictures

ROOT = Path(__file__).resolve().parents[3]
LESSONS = sorted({placement.file for placement in PLACEMENTS if placement.file.startswith("lessons/")})
TEXT = """# Title

Intro.

## One

First idea.
It goes on.

- a list
- of the word

<details><summary>After</summary>

Folded idea.

</details>

Last words:

## Two

End."""


def placed(heading: str, after: str = "", text: str = TEXT, above: str = "") -> list[str]:
    """The paragraph above a picture, and the one below it; [] where it was not inserted."""
    place = Placement("x", heading, "kahn", after)
    pictures = {place: "<figure>"}
    found, _ = with_pictures(text, pictures, above)
    assert (found == text) == (place in pictures)
    before, mark, below = found.partition(raw("<figure>"))
    return [before.strip().split("\n\n")[-1], below.strip().split("\n\n")[0]] if mark else []


def test_a_picture_stands_at_the_end_of_its_headings_text() -> None:
    assert placed("One") == ["Last words:", "## Two"]
    assert placed("Two") == ["End.", ""]


def test_a_picture_stands_below_the_paragraph_the_list_or_the_folded_text_with_its_words() -> None:
    assert placed("One", "First idea") == ["First idea.\nIt goes on.", "- a list\n- of the word"]
    assert placed("One", "a list") == ["- a list\n- of the word", "<details><summary>After</summary>"]
    assert placed("One", "Folded idea") == ["</details>", "Last words:"]
    assert placed("Two", "End") == ["End.", ""]


def test_words_are_looked_for_under_their_heading_alone() -> None:
    assert placed("Two", "First idea") == []
    assert placed("Three", "First idea") == []
    assert placed("Above", "Some words", "Some words here.\n\nMore.", "Above") == ["Some words here.", "More."]
    assert placed("Above", "", "Some words here.", "Above") == []  # its text ended in a cell before


def test_a_heading_in_code_is_none() -> None:
    assert placed("One", "", "```\n## One\n```\n\nText.") == []
    assert with_pictures("```\n# One\n```\n\n## Two\n\nText.", {})[1] == "Two"


@pytest.mark.parametrize("folder", LESSONS)
def test_each_place_is_in_its_lesson(folder: str) -> None:
    notebook = json.loads(next((ROOT / folder).glob("*.ipynb")).read_text(encoding="utf-8"))
    pictures = dict.fromkeys((one for one in PLACEMENTS if one.file == folder), "<figure>")
    heading, count = "", len(pictures)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            _, heading = with_pictures("".join(cell["source"]), pictures, heading)
    assert count
    assert list(pictures) == []


def test_every_moving_picture_stands_in_exactly_one_lesson() -> None:
    own = {*moving.SCENES, *moving.ADJUSTABLE}
    assert sorted(placement.name for placement in PLACEMENTS if placement.name in own) == sorted(own)
    assert moving_places.wanted(PurePosixPath("lessons/04_graph/04_graph.ipynb")).keys() == {
        placement for placement in PLACEMENTS if placement.file == "lessons/04_graph"
    }
