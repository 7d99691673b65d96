"""What the pages say of themselves: descriptions, places in the course, terms, and what the search may find."""

from __future__ import annotations

import html
import json
import re

import pytest
from docutils import nodes

from classroom import register
from classroom.site import glossary_terms, lesson_way, page_head
from classroom.site.search import records
from classroom.site.search.words import SYNONYMS
from classroom.site.tree import EXTRA, Tree, has_exercises, homework_page, lesson_page

COURSE = register.load(register.ROOT)


def test_the_way_leads_from_a_lesson_to_its_exercises_to_the_next_lesson() -> None:
    steps = lesson_way.steps(COURSE)
    for lesson, after in zip(COURSE.lessons, COURSE.lessons[1:], strict=False):
        at = steps.index(str(lesson_page(lesson).with_suffix("")))
        expected = [homework_page(lesson)] if has_exercises(lesson) else []
        following = [str(one.with_suffix("")) for one in (*expected, lesson_page(after))]
        assert steps[at + 1 : at + 1 + len(following)] == following


def test_a_lesson_and_its_exercises_say_where_they_are_and_other_pages_do_not() -> None:
    lesson = COURSE.lesson(6)
    for page, other in ((lesson_page(lesson), "Its exercises"), (homework_page(lesson), "Lesson 6 of")):
        said = lesson_way.position(COURSE, str(page.with_suffix("")))
        assert f"Lesson 6 of {len(COURSE.lessons)}" in said
        assert re.search(rf'<a href="[^"]+">{other}', said)
        assert said.count('aria-current="page"') == 1
    assert lesson_way.position(COURSE, "lessons/glossary") == ""


@pytest.mark.slow
def test_a_lesson_s_notebook_can_be_taken_as_it_is(tree: Tree) -> None:
    for lesson in tree.course.lessons:
        path = lesson.notebook()
        assert path is not None
        assert (tree.folder / EXTRA / "download" / path.name).read_bytes() == path.read_bytes()


def test_every_page_of_the_register_is_described_in_one_line() -> None:
    described = page_head.described(COURSE)
    assert described["index"] == page_head.LINE
    for lesson in COURSE.lessons:
        assert lesson.summary in described[str(lesson_page(lesson).with_suffix(""))]
    assert all(0 < len(page_head.shortened(text)) <= page_head.LONGEST for text in described.values())
    assert "\n" not in page_head.shortened("a\nb")


def test_every_term_of_the_glossary_has_its_definition() -> None:
    text = (register.ROOT / "lessons/glossary.md").read_text(encoding="utf-8")
    found = glossary_terms.definitions(text)
    terms = re.findall(r"^### (.+)$", text, re.M)
    assert [term for term, _ in found.values()] == terms
    plain = " ".join(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("`", "").replace("*", "").split())
    for term, words in found.values():
        assert words, term
        assert "<a id" not in words
        shown = " ".join(html.unescape(re.sub(r"</?(?:code|i)>", "", words)).replace("*", "").split())
        assert shown in plain


def test_every_link_of_a_lesson_to_a_term_has_a_definition() -> None:
    known = glossary_terms.definitions((register.ROOT / "lessons/glossary.md").read_text(encoding="utf-8"))
    for path in (register.ROOT / "lessons").glob("*/*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for term in re.findall(r"glossary\.md#([\w-]+)", "".join(cell["source"])):
                assert term in known, (path.name, term)


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        ("lessons/02_tensor/02_tensor", "lesson"),
        ("lessons/glossary", "term"),
        ("homework/02_tensor/README", "exercise"),
        ("homework/02_tensor/worksheet", ""),
        ("homework/README", "teaching"),
        ("docs/operators", "operator"),
        ("docs/grading-at-scale", "teaching"),
        ("api/kuiper.graph.order", "API"),
        ("kuiper/graph/README", "API"),
        ("models/digits/README", "network"),
        ("first_steps", "guide"),
        ("index", ""),
    ],
)
def test_what_is_found_is_of_a_kind(page: str, kind: str) -> None:
    assert records.kind_of(page) == kind
    assert kind in ("", *records.KINDS)


def test_a_section_is_found_by_its_own_words_and_by_the_names_in_its_code() -> None:
    inner = nodes.section("", nodes.title("", "Inner"), nodes.paragraph("", "deep words"), ids=["inner"])
    outer = nodes.section(
        "",
        nodes.title("", "Hints"),
        nodes.paragraph("", "own words"),
        nodes.literal_block("", "kuiper.load(x)"),
        inner,
        ids=["hints"],
    )
    page = nodes.section("", nodes.title("", "Page"), nodes.paragraph("", "first"), outer, ids=["page"])
    document = nodes.document(None, None)
    document += page
    found = list(records.of_page("lessons/01/01", document))
    assert [(one.title, one.address, one.text) for one in found] == [
        ("Page", "lessons/01/01.html", "first"),
        ("Hints", "lessons/01/01.html#hints", "own words"),
        ("Inner", "lessons/01/01.html#inner", "deep words"),
    ]
    assert "kuiper.load" in found[1].names
    assert "Hints" in found[2].names


def test_the_index_is_a_script_with_records_and_synonyms() -> None:
    one = records.Record("lesson", "A", "B", "c.html", "text", "names")
    value = json.loads(records.script([one]).removeprefix("globalThis.KUIPER_SEARCH = ").rstrip(";\n"))
    assert value["records"] == [[records.KINDS.index("lesson"), "A", "B", "c.html", "text", "names"]]
    assert value["synonyms"]["nms"] == list(SYNONYMS["nms"])


def test_synonyms_are_looked_up_in_small_letters() -> None:
    assert all(word == word.lower() and others for word, others in SYNONYMS.items())


def test_the_script_has_a_weight_for_every_kind() -> None:
    text = (records.STATIC / "search.js").read_text(encoding="utf-8")
    found = re.search(r"const WORTH = \{([^}]*)\}", text)
    assert found
    assert tuple(re.findall(r"(\w+):", found[1])) == records.KINDS
