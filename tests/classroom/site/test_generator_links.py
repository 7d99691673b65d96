"""Links of the course's Markdown on the site's pages."""

from __future__ import annotations

from pathlib import PurePosixPath as P

import pytest

from classroom.site.links import relinked
from classroom.site.tree import SiteError, Tree

FILE = P("lessons/01_one/01_one.ipynb")


def test_a_link_to_a_file_with_a_page_leads_to_the_page(small: Tree) -> None:
    small.pages[P("README.md")] = P("index.md")
    assert relinked("[start](../../README.md#go)", FILE, FILE, small) == "[start](../../index.md#go)"


def test_the_words_of_a_picture_are_one_line_with_blanks_between_them(small: Tree) -> None:
    picture = small.root / FILE.parent / "figures" / "grid.svg"
    picture.parent.mkdir(parents=True, exist_ok=True)
    picture.write_text("<svg/>", encoding="utf-8")
    text = relinked("![A grid\nof  two\n  rows](figures/grid.svg)", FILE, FILE, small)
    assert text == "![A grid of  two rows](figures/grid.svg)"


def test_a_link_to_a_file_without_a_page_leads_to_a_page_that_shows_it(small: Tree) -> None:
    text = relinked("see [order](../../kuiper/graph/order.py).", FILE, FILE, small)
    assert text == 'see <a href="../../source/kuiper/graph/order.py.html">order</a>.'
    assert small.sources == {P("kuiper/graph/order.py")}


def test_a_link_to_a_folder_shows_the_folder_and_its_files(small: Tree) -> None:
    text = relinked("[the graph](../../kuiper/graph/)", FILE, FILE, small)
    assert text == '<a href="../../source/kuiper/graph.html">the graph</a>'
    assert small.sources == {P("kuiper/graph"), P("kuiper/graph/order.py")}


@pytest.mark.parametrize(
    "text",
    [
        "`[x](nowhere.py)`",
        "```\n[x](nowhere.py)\n```",
        "[x](https://example.org/a.md)",
        "[x](#below)",
        "$a[i](j)$ has no file".replace("$a[i](j)$", "`a[i](j)`"),
    ],
)
def test_code_and_links_elsewhere_stay(text: str, small: Tree) -> None:
    assert relinked(text, FILE, FILE, small) == text
    assert not small.warnings


@pytest.mark.parametrize("target", ["nowhere.py", "../../../outside.md", "../../homework/01_one/judge/solution.py"])
def test_a_link_that_no_reader_may_follow_is_a_warning_and_no_link(target: str, small: Tree) -> None:
    assert relinked(f"so [they say]({target}).", FILE, FILE, small) == "so they say."
    assert len(small.warnings) == 1
    assert target in small.warnings[0]
    assert not small.sources


def test_a_picture_is_copied_beside_the_page(small: Tree) -> None:
    (small.root / "lessons/01_one/figures").mkdir()
    (small.root / "lessons/01_one/figures/a.svg").write_text("<svg/>", encoding="utf-8")
    assert relinked("![a](figures/a.svg)", FILE, FILE, small) == "![a](figures/a.svg)"
    assert relinked("![a](figures/a.svg)", FILE, P("other.md"), small) == "![a](lessons/01_one/figures/a.svg)"
    assert (small.folder / "lessons/01_one/figures/a.svg").read_text(encoding="utf-8") == "<svg/>"


def test_an_anchor_that_repeats_a_heading_is_left_out_and_others_stay(small: Tree) -> None:
    text = '<a id="back-end"></a>\n\n## back end\n\n<a id="other"></a>\n\ntext'
    assert relinked(text, FILE, FILE, small) == '## back end\n\n<a id="other"></a>\n\ntext'


def test_the_judge_is_never_shown(small: Tree) -> None:
    with pytest.raises(SiteError, match="students get"):
        small.source(P("homework/01_one/judge/solution.py"))
    with pytest.raises(SiteError, match="students get"):
        small.source(P("homework/01_one/judge"))


def test_every_link_of_the_course_leads_somewhere(tree: Tree) -> None:
    assert tree.warnings == []
