"""Built regions of Markdown: what stands between two marks is replaced, and missing marks are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from classroom.dev.regions import RegionError, content, replaced, written

PAGE = "# Title\n\n<!-- tasks -->\n\n| old |\n\n<!-- /tasks -->\n\nThe end.\n"


def test_only_the_region_changes() -> None:
    assert replaced(PAGE, "tasks", "| new |\n", "README.md") == PAGE.replace("old", "new")


def test_building_twice_changes_nothing() -> None:
    once = replaced(PAGE, "tasks", "1\n\n2", "README.md")
    assert replaced(once, "tasks", "1\n\n2", "README.md") == once
    assert content(once, "tasks", "README.md") == "1\n\n2"


def test_an_empty_region_keeps_its_marks() -> None:
    empty = replaced(PAGE, "tasks", "", "README.md")
    assert empty == "# Title\n\n<!-- tasks -->\n<!-- /tasks -->\n\nThe end.\n"
    assert replaced(empty, "tasks", "| old |", "README.md") == PAGE


def test_a_file_is_read_and_not_written(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text(PAGE, encoding="utf-8")
    assert written(path, "tasks", "| new |") == PAGE.replace("old", "new")
    assert path.read_text(encoding="utf-8") == PAGE
    with pytest.raises(RegionError, match=rf"^{tmp_path.name}/README\.md: expected the line"):
        written(path, "other", "")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# Title\n", "a.md: expected the line <!-- tasks --> once, found it nowhere: put"),
        ("`<!-- tasks -->` is a mark\n<!-- /tasks -->\n", "expected the line <!-- tasks --> once, found it nowhere"),
        ("<!-- tasks -->\n<!-- /other -->\n", "expected the line <!-- /tasks --> once, found it nowhere"),
        (PAGE + PAGE, "expected the line <!-- tasks --> once, found it twice"),
        (
            "<!-- /tasks -->\n<!-- tasks -->\n",
            "expected <!-- tasks --> before <!-- /tasks -->, found them the other way",
        ),
    ],
)
def test_marks_that_are_not_right_are_told(text: str, told: str) -> None:
    with pytest.raises(RegionError) as caught:
        replaced(text, "tasks", "| new |", "a.md")
    assert told in str(caught.value)
