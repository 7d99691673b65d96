"""What a lesson asks of its reader: to foresee results, to fill in cells, to think about questions.

A rule is a function that yields a sentence for each fault, as in lesson_form.py.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from classroom.dev.lesson_book import Book, Cell, Faults, outputs_text
from classroom.lesson_words import ANSWER, HIDDEN, PREDICT, YOURS
from classroom.started import DOCUMENTED

YOURS_IN_A_LESSON = range(3, 6)
FOLD = re.compile(r"<details\b.*?</details>", re.S)
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)")


def predictions_are_marked(book: Book) -> Faults:
    """The reader is asked to foresee results; the cells with these bear a tag, by which they are folded."""
    tagged = [cell for cell in book.cells if PREDICT in cell.tags]
    if not tagged:
        yield (
            f"{book.name}: expected a code cell with the tag {PREDICT}, whose result the text above asks the reader to "
            f"foresee, found none"
        )
    for cell in tagged:
        if not cell.outputs:
            yield f"{book.at(cell)}: expected a result under the tag {PREDICT}, found no output: move the tag"
    asking: Cell | None = None
    for cell in book.cells[1:]:
        if cell.kind == "markdown":
            asking = cell if "**Predict" in cell.source else None
        elif asking is not None and cell.outputs:
            if PREDICT not in cell.tags:
                yield (
                    f"{book.at(cell)}: expected the tag {PREDICT}, since cell {asking.number} asks for a prediction, "
                    f"found {', '.join(cell.tags) or 'no tag'}: add it in JupyterLab's property inspector"
                )
            asking = None
    asked = answered = False
    for cell in book.cells:
        if cell.kind == "markdown":
            if "**Predict" in cell.source:
                asked, answered = True, False
            elif answered:
                asked = False
        elif PREDICT in cell.tags:
            answered = True
            if not asked:
                yield f"{book.at(cell)}: expected a question, **Predict, then run:**, before a cell tagged {PREDICT}"


def what_is_not_to_be_seen_yet_is_folded(book: Book) -> Faults:
    """JupyterLab opens a notebook without the results to be foreseen, and without the answers."""
    for cell in book.code:
        for tag, hidden in HIDDEN.items():
            if tag in cell.tags and hidden not in cell.hidden:
                yield (
                    f"{book.at(cell)}: expected jupyter.{hidden} in the metadata of a cell tagged {tag}, found none: "
                    f"`{DOCUMENTED} dev notebooks {book.lesson.number}` writes it"
                )


def nothing_gives_a_prediction_away(book: Book) -> Faults:
    """From a result to be foreseen to the next heading, the numbers of the result stand in folded text alone."""
    known = ""
    for place, cell in enumerate(book.cells):
        known += f"\n{cell.source}"
        if PREDICT not in cell.tags:
            continue
        told = telling(outputs_text(cell)) - telling(known)
        for after, text in until_heading(book.cells[place + 1 :]):
            found = sorted(told & telling(text))
            if found:
                yield (
                    f"{book.at(after)}: expected nothing that gives away the result of cell {cell.number} before the "
                    f"next heading, found {', '.join(found)}: fold it (<details><summary>After the run</summary>), or "
                    f"say it otherwise"
                )


def telling(text: str) -> set[str]:
    """The numbers of a text but for those of one digit, and True and False.

    >>> sorted(telling("(8, 4) of 589,824 is 0.5: True"))
    ['0.5', '589824', 'True']
    """
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    return {found for found in NUMBER.findall(text) if len(found) > 1} | set(re.findall(r"\b(?:True|False)\b", text))


def until_heading(cells: tuple[Cell, ...]) -> Iterator[tuple[Cell, str]]:
    """(cell, what a reader sees of its source without opening a fold) up to the next heading or prediction."""
    for cell in cells:
        if PREDICT in cell.tags:
            return
        if cell.is_code:
            if ANSWER not in cell.tags:
                yield cell, cell.source
            continue
        text = FOLD.sub("", cell.source)
        heading = re.search(r"^#{1,6} ", text, re.M)
        yield cell, text[: heading.start()] if heading else text
        if heading:
            return


def has_cells_to_fill_in(book: Book) -> Faults:
    """Three to five functions or classes are the reader's, checked where they stand, with an answer folded below."""
    tagged = [cell for cell in book.cells if YOURS in cell.tags]
    if len(tagged) not in YOURS_IN_A_LESSON:
        yield (
            f"{book.name}: expected {YOURS_IN_A_LESSON.start} to {YOURS_IN_A_LESSON.stop - 1} cells with the tag "
            f"{YOURS}, which the reader fills in, found {len(tagged)}"
        )
    for cell in tagged:
        yield from _fill_in_faults(book, cell)


def _fill_in_faults(book: Book, cell: Cell) -> Faults:
    name = checked_name(cell)
    if name is None:
        yield (
            f"{book.at(cell)}: expected under the tag {YOURS} a function that is left open and, as the last line, "
            f"check(FUNCTION, (ARGUMENTS, EXPECTED), ...), found no such call"
        )
        return
    if not outputs_text(cell).startswith(f"{name}: not written yet"):
        yield (
            f"{book.at(cell)}: expected that {name} is left open, so that check says that it is not written yet, "
            f"found {outputs_text(cell).strip()!r}"
        )
    below = book.cells[cell.number] if cell.number < len(book.cells) else None
    defined = [node for node in below.tree.body if isinstance(node, DEFINITIONS)] if below else []
    answers = [
        node for node in defined if node.name == name and [ast.unparse(d) for d in node.decorator_list] == [DECORATOR]
    ]
    if below is None or ANSWER not in below.tags or not answers:
        yield (
            f"{book.at(cell)}: expected directly below it a cell with the tag {ANSWER} that defines {name} under "
            f"@{DECORATOR}, found {'none' if below is None else f'cell {below.number} without it'}"
        )


DECORATOR = "unless_right"
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


def checked_name(cell: Cell) -> str | None:
    """The function, or the class, that the last line of a cell checks and the cell defines."""
    body = cell.tree.body
    last = body[-1].value if body and isinstance(body[-1], ast.Expr) else None
    if not isinstance(last, ast.Call) or ast.unparse(last.func) != "check" or not last.args:
        return None
    name = ast.unparse(last.args[0])
    return name if any(isinstance(node, DEFINITIONS) and node.name == name for node in body) else None


def questions_have_answers(book: Book) -> Faults:
    """Each question to think about has an answer, folded."""
    inside, questions, answers = False, 0, 0
    for cell in book.prose:
        depth = 0
        for token in cell.tokens:
            if token.type == "inline" and token.content == "Exercises" and token.level == 1:
                inside = True
            elif token.type == "inline" and token.content == "Further reading" and token.level == 1:
                inside = False
            depth += {"ordered_list_open": 1, "ordered_list_close": -1}.get(token.type, 0)
            questions += inside and token.type == "list_item_open" and depth > 0
            answers += inside and token.type == "html_block" and "<details" in token.content
    if questions != answers:
        yield (
            f"{book.name}: expected below each of the {questions} questions of the section Exercises a folded answer "
            f"(<details><summary>An answer</summary>), found {answers}"
        )
    if not questions:
        yield f"{book.name}: expected questions to think about, numbered, in the section Exercises, found none"


RULES = (
    predictions_are_marked,
    what_is_not_to_be_seen_yet_is_folded,
    nothing_gives_a_prediction_away,
    has_cells_to_fill_in,
    questions_have_answers,
)
