"""What Sphinx is taught: formulas, docstrings, lines of the source. Skipped where Sphinx is not installed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("sphinx", reason="needs Sphinx: python3 course.py setup --site")

from docutils import nodes
from docutils.core import publish_doctree
from sphinx import addnodes

from classroom.site import math_font
from classroom.site.code_links import full_name, lines_of, linkcode_resolve
from classroom.site.docstrings import restructured
from classroom.site.sphinx_extension import (
    _is_glued,
    _short_cells,
    _signature,
    _skipped,
    _without_long_values,
    _without_modules,
    mathml,
)
from kuiper.layers import Layer
from kuiper.runtime import GraphExecutor


class Halo(NamedTuple):
    """A field that nobody documents."""

    up: int = 0


class Stack:
    """A function of numpy as a member."""

    join = staticmethod(np.hstack)


ROOT = Path(__file__).resolve().parents[3]
FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$(?=\S)([^$\n]+?)(?<=\S)\$", re.S)
QUIET = {"report_level": 5, "halt_level": 5, "file_insertion_enabled": False, "raw_enabled": False}


def formulas() -> list[str]:
    """Every formula of the notebooks."""
    found = []
    for path in sorted(ROOT.glob("lessons/*/*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "markdown":
                text = re.sub(r"```.*?```|`[^`]*`", "", "".join(cell["source"]), flags=re.S)
                found += [display or inline for display, inline in FORMULA.findall(text)]
    return found


def test_every_formula_of_the_lessons_becomes_mathml() -> None:
    assert len(formulas()) > 50
    for tex in formulas():
        for block in (False, True):
            root = ElementTree.fromstring(mathml(tex, block))
            assert root.tag.endswith("math")
            assert "".join(root.itertext()).strip(), tex


def test_the_font_has_every_character_of_every_formula() -> None:
    fonts = pytest.importorskip("fontTools.ttLib", reason="needs fontTools, which matplotlib brings")
    font = fonts.TTFont(math_font.FONT)
    there = set(font.getBestCmap())
    drawn = {char for tex in formulas() for char in "".join(ElementTree.fromstring(mathml(tex, True)).itertext())}
    assert {char for char in drawn if not char.isspace()} - set(map(chr, there)) == set()
    grown = font["MATH"].table.MathVariants.VertGlyphCoverage.glyphs
    assert {font.getBestCmap()[ord(char)] for char in "([{|\u230a\u221a"} <= set(grown)


def test_the_font_is_in_the_page_under_a_name_of_its_own_with_its_licence() -> None:
    css = math_font.stylesheet()
    assert "url(data:font/woff;base64," in css
    assert not re.search(r"url\((?!data:)", css)
    assert math_font.NAME in css
    assert math_font.LICENCE.name in css
    assert "SIL OPEN FONT LICENSE" in math_font.LICENCE.read_text(encoding="utf-8")


def test_large_brackets_open_and_close() -> None:
    text = "".join(
        ElementTree.fromstring(mathml(r"\Big\lfloor \frac{a}{b} \Big\rfloor + \big(c\big)", True)).itertext()
    )
    assert re.sub(r"\s", "", text).translate({0x2061: None}) == "⌊ab⌋+(c)"


def test_a_prime_a_difference_of_sets_and_bars_are_drawn_as_in_books() -> None:
    def parts(tex: str) -> list[str]:
        return [node.text for node in ElementTree.fromstring(mathml(tex, True)).iter() if node.text]

    assert parts(r"H' = f(W')") == ["H", "\u2032", "=", "f", "(", "W", "\u2032", ")"]
    assert parts(r"\text{PNNX's}") == ["PNNX's"]
    assert parts(r"R \setminus M") == ["R", "\u29f5", "M"]
    bars = [node for node in ElementTree.fromstring(mathml("|A| + |B|", True)).iter() if node.text == "|"]
    assert len(bars) == 4
    assert all((bar.get("lspace"), bar.get("rspace")) == ("0", "0") for bar in bars)


@pytest.mark.parametrize(
    ("after", "glued"), [(", there", True), (".", True), (" pixels", False), ("th", False), ("", False)]
)
def test_a_comma_behind_a_formula_stays_on_its_line(after: str, glued: bool) -> None:
    formula = nodes.math("s", "s")
    nodes.paragraph("", "", nodes.Text("steps of "), formula, *([nodes.Text(after)] if after else []))
    assert _is_glued(formula) == glued


def test_a_short_cell_with_a_number_stays_on_one_line() -> None:
    texts = ("20.4 (20.2 to 20.7)", "two", "1" * 21)
    row = nodes.row("", *(nodes.entry("", nodes.paragraph("", text)) for text in texts))
    page = publish_doctree("A page", settings_overrides=QUIET)
    page += row
    _short_cells(None, page)
    assert [cell["classes"] for cell in row] == [["short"], [], []]


def test_a_long_value_and_one_with_a_place_in_memory_are_left_out() -> None:
    values = (" = 64", f" = '{'a' * 160}'", " = <object>", " = Generator(PCG64) at 0x7F1AA65B3BC0", ": int < 5")
    line = addnodes.desc_signature("", "", *(addnodes.desc_annotation("", value) for value in values))
    page = publish_doctree("A page", settings_overrides=QUIET)
    page += line
    _without_long_values(None, page)
    assert [node.astext() for node in line] == [" = 64", ": int < 5"]


def test_the_index_has_what_is_in_modules_and_not_the_modules() -> None:
    entries = [("pair", "module; kuiper", "a", "", None), ("single", "nn.ReLU", "b", "main", None)]
    page = publish_doctree("A page", settings_overrides=QUIET)
    page += addnodes.index(entries=entries)
    _without_modules(None, page)
    assert page[-1]["entries"] == entries[1:]


def test_members_that_others_wrote_are_left_out() -> None:
    def left_out(owner: type, name: str, what: str = "class") -> bool | None:
        return _skipped(None, what, name, vars(owner)[name], False, None)

    assert left_out(Stack, "join"), "numpy's hstack"
    assert left_out(Halo, "up"), "a named tuple's field"
    assert left_out(Layer, "forward") is None
    assert left_out(Stack, "join", "module") is None


def test_signatures_name_types_without_their_modules() -> None:
    long = "(x: ~numpy.ndarray, f: ~collections.abc.Callable[[~kuiper.graph.operator.Graph], int] = <factory>)"
    assert _signature(None, "class", "A", Halo, None, long, None) == (
        "(x: ndarray, f: Callable[[Graph], int] = <factory>)",
        None,
    )
    assert _signature(None, "class", "B", GraphExecutor, None, "(*args, **kwargs)", None) == ("", None)


LINES = st.text(st.sampled_from("ab *_|`\\:.<>-=#[]()1"), max_size=30)
LINES = LINES.filter(lambda one: not one.startswith(">>>") and set(one) != {"-"})  # dashes below a word make a heading


@pytest.mark.slow
@given(st.lists(LINES, min_size=1, max_size=6))
def test_no_docstring_means_anything_to_restructuredtext(lines: list[str]) -> None:
    tree = publish_doctree("\n".join(restructured(lines)), settings_overrides=QUIET)
    marked = (nodes.emphasis, nodes.strong, nodes.substitution_reference, nodes.footnote_reference, nodes.problematic)
    assert not [node for kind in marked for node in tree.findall(kind)]


def test_the_words_of_a_docstring_stay() -> None:
    text = "y = x*w_ of `bias` |z| \\ end\n\n- one\n  more\n- two `2`\n\nParameters\n----------\nx : what `it` is."
    words = publish_doctree("\n".join(restructured(text.split("\n"))), settings_overrides=QUIET).astext()
    assert " ".join(words.split()) == "y = x*w_ of bias |z| \\ end one more two 2 Parameters x: what it is."


def test_parameters_without_a_heading_are_a_list() -> None:
    tree = publish_doctree(
        "\n".join(restructured(["A kernel.", "", "m : the side", "    of a tile.", "a, b : two more"])),
        settings_overrides=QUIET,
    )
    assert [" ".join(item.astext().split()) for item in tree.findall(nodes.list_item)] == [
        "m: the side of a tile.",
        "a, b: two more",
    ]


def test_lines_in_columns_keep_their_columns() -> None:
    lines = ["plan.py    the calls of a pass", "pool.py    one pool of threads"]
    tree = publish_doctree("\n".join(restructured(["What is here.", "", *lines])), settings_overrides=QUIET)
    assert [block.astext().split("\n") for block in tree.findall(nodes.literal_block)] == [lines]


def test_a_metric_is_no_address() -> None:
    tree = publish_doctree("\n".join(restructured(["mAP@0.5 of the boxes"])), settings_overrides=QUIET)
    assert tree.astext() == "mAP@0.5 of the boxes"
    assert not list(tree.findall(nodes.reference))


def test_a_documented_object_leads_to_the_line_where_it_begins() -> None:
    address = linkcode_resolve("py", {"module": "kuiper.graph.order", "fullname": "topological_order"})
    assert address is not None
    page, line = address.split("#L")
    assert page == "../source/kuiper/graph/order.py.html"
    text = (ROOT / "kuiper/graph/order.py").read_text(encoding="utf-8").splitlines()
    assert text[int(line) - 1].startswith("def topological_order(")
    package = linkcode_resolve("py", {"module": "kuiper.pnnx.reader", "fullname": "read"})
    assert package is not None
    assert package.startswith("../source/kuiper/pnnx/reader.py.html#L")
    assert linkcode_resolve("py", {"module": "kuiper.graph.order", "fullname": "nothing"}) is None


def test_methods_have_lines_too() -> None:
    found = lines_of(str(ROOT / "kuiper/tensor.py"))
    text = (ROOT / "kuiper/tensor.py").read_text(encoding="utf-8").splitlines()
    methods = [name for name in found if name.startswith("Tensor.")]
    assert methods
    for name in methods:
        assert f"def {name.split('.')[1]}(" in text[found[name] - 1]


def test_names_of_types_lead_home_and_foreign_ones_nowhere() -> None:
    assert full_name("kuiper.graph.memory", "Lifetime") == "kuiper.graph.memory.Lifetime"
    assert full_name("kuiper.graph.memory", "Operator") == "kuiper.graph.operator.Operator"
    for foreign in ("bytes", "np.ndarray", "Mapping", "nothing"):
        assert full_name("kuiper.graph.memory", foreign) is None


def test_only_words_with_a_line_below_them_are_a_heading() -> None:
    tree = publish_doctree("\n".join(restructured(["1", "---"])), settings_overrides=QUIET)
    assert not list(tree.findall(nodes.strong))
