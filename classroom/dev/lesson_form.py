"""The form of lessons: what a reader can count on in course.toml, the folders, the notebooks and the figures.

A rule is a function that yields a sentence for each fault: where, what was expected, what was found, what to do.
"""

from __future__ import annotations

import ast
import difflib
import itertools
import json
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from classroom.dev import figure_form, figures, lesson_regions, lesson_tasks
from classroom.dev.figure_form import PLACEHOLDER
from classroom.dev.lesson_book import Book, Cell, Faults, headings_of, outputs_text
from classroom.dev.regions import RegionError
from classroom.lesson_words import EXERCISES, FACTS, without_region
from classroom.register import Course, Exercise, Lesson
from classroom.started import DOCUMENTED

PROSE = range(1200, 1801)
"""Words of a notebook without what is built into it: one sitting."""
LONGEST_CELL = 12
FEWEST_WORDS = 3
"""Of the text that says what is seen in a picture."""
LOADERS = ("kuiper.load", "kuiper.RuntimeGraph", "pnnx.read")
RUNNERS = ("forward", "results_of", "write")
"""Functions of kuiper.text that run the network that they get first."""
SECTIONS = ("Summary", "Exercises", "Further reading")
SHELVES = ("lessons", "homework")
FOLDER = re.compile(r"\d\d_[a-z0-9]+(_[a-z0-9]+)*")
PRIVATE = re.compile(
    r"(?<![\w.])/(home|tmp|usr|opt|root|work|var|private|Users|mnt)/"  # a path on somebody's machine
    r"|\b[A-Z]:\\\\?\w"
    r"| at 0x[0-9a-f]{6,}"
    r"|\b\d\d:\d\d:\d\d\b"
    r"|\b\d+\.\d+ ?(ms|µs|us|ns|s|seconds)\b"
)


def problems(course: Course, lessons: Sequence[Lesson] | None = None) -> Iterator[tuple[str, str]]:
    """(folder, sentence) for every fault of the lessons given or of all, and of what they have in common."""
    for sentence in itertools.chain(folders_of_no_lesson(course), lesson_regions.differing(course)):
        yield "course.toml", sentence
    for lesson in course.lessons if lessons is None else lessons:
        for sentence in lesson_faults(lesson, course):
            yield lesson.folder, sentence


def lesson_faults(lesson: Lesson, course: Course) -> Faults:
    """What is wrong with the form of one lesson."""
    for rule in ENTRY_RULES:
        yield from rule(lesson)
    yield from figure_faults(lesson)
    book = yield from read_book(lesson, course)
    if book is not None:
        for book_rule in RULES:
            yield from book_rule(book)


# course.toml and the folders


def folders_of_no_lesson(course: Course) -> Faults:
    """Every folder of lessons/ and homework/ belongs to a lesson, so that none is left out by a wrong letter."""
    root, known = course.lessons[0].root, [lesson.folder for lesson in course.lessons]
    for shelf in SHELVES:
        for path in sorted((root / shelf).glob("[0-9]*")):
            if path.is_dir() and path.name not in known:
                yield (
                    f"{shelf}/{path.name}: no lesson in course.toml has folder = {path.name!r}"
                    f"{similar(path.name, known)}: rename the folder, or write its [[lesson]]"
                )


def has_a_folder(lesson: Lesson) -> Faults:
    """The folder of a lesson is named NN_words after its number, and is there."""
    entry = entry_of(lesson)
    if not FOLDER.fullmatch(lesson.folder) or not lesson.folder.startswith(f"{lesson.number:02}_"):
        yield (
            f"{entry}: expected a folder named {lesson.number:02}_ and small letters, digits or _, "
            f"found {lesson.folder!r}: rename it in course.toml, lessons/ and homework/"
        )
    if not (lesson.root / "lessons" / lesson.folder).is_dir():
        there = [path.name for path in (lesson.root / "lessons").glob("[0-9]*") if path.is_dir()]
        yield (
            f"{entry}: folder = {lesson.folder!r}, and there is no lessons/{lesson.folder}"
            f"{similar(lesson.folder, there)}: correct it in course.toml, or make the folder"
        )
    if lesson.exercises and not (lesson.root / "homework" / lesson.folder).is_dir():
        yield (
            f"{entry}: it has exercises, and there is no homework/{lesson.folder}: make the folder, or take its "
            f"[[lesson.exercise]] out of course.toml"
        )


def is_described(lesson: Lesson) -> Faults:
    """course.toml says what a lesson is about, how long it takes, and what to read before."""
    entry = entry_of(lesson)
    for key, value in (("title", lesson.title), ("summary", lesson.summary)):
        if not value.strip() or PLACEHOLDER in value:
            yield f"{entry}: write the {key} of lesson {lesson.number} in course.toml, found {value!r}"
    if not lesson.time:
        yield f"{entry}: expected the minutes that the notebook takes, found none: write a line such as time = 60"
    if lesson.number > 1 and not lesson.needs:
        before = f"needs = [{{ lesson = {lesson.number - 1} }}]"
        yield f"{entry}: expected the lessons to read before, found none: write a line such as {before}"


def names_modules_that_are_there(lesson: Lesson) -> Faults:
    """The modules of a lesson are those of kuiper/."""
    for module in lesson.modules:
        path = lesson.root.joinpath(*module.split("."))
        if not path.is_dir() and not path.with_suffix(".py").is_file():
            there = [one.stem for one in path.parent.glob("*") if one.is_dir() or one.suffix == ".py"]
            yield (
                f"{entry_of(lesson)}: modules names {module}, and there is no such file or folder"
                f"{similar(path.name, there)}: correct it in course.toml"
            )


ENTRY_RULES: tuple[Callable[[Lesson], Faults], ...] = (has_a_folder, is_described, names_modules_that_are_there)


def figure_faults(lesson: Lesson) -> Faults:
    """The figures of a lesson are drawn by figures.py, and have the form of figures."""
    folder = f"lessons/{lesson.folder}"
    stored = sorted((lesson.root / folder / "figures").glob("*"))
    for script in figures.scripts([lesson]):
        try:
            pictures = figures.drawn(script)
        except figures.FigureError as error:
            yield f"lessons/{error}: expected draw() to give {{name: SVG}}"
            continue
        for fault in figures.outdated(pictures):
            yield f"{folder}/figures: {fault}: `{DOCUMENTED} dev figures {lesson.number}` draws it"
        for path in figures.surplus(script, pictures):
            yield f"{folder}/figures: draw() gives no {path.name}: let it draw that one, or remove the file"
    if stored and not figures.scripts([lesson]):
        yield f"{folder}/figures: expected {folder}/figures.py, which draws them, found none: write its draw()"
    for path in stored:
        if path.suffix == ".svg":
            yield from figure_form.faults(path, f"{folder}/figures/{path.name}")
        else:
            yield f"{folder}/figures/{path.name}: expected only .svg here, drawn by figures.py: draw or remove it"


# the notebook


def read_book(lesson: Lesson, course: Course) -> Generator[str, None, Book | None]:
    """Yields what hinders reading the lesson's notebook -> the Book, or None."""
    book = Book(lesson, course, ())
    if not book.folder.is_dir():
        return None
    names = sorted(path.name for path in book.folder.glob("*.ipynb"))
    if names != [book.path.name]:
        yield (
            f"lessons/{lesson.folder}: expected one notebook, {book.path.name}, found {', '.join(names) or 'none'}: "
            f"a lesson is one notebook that bears its folder's name"
        )
    if book.path.name not in names:
        return None
    try:
        stored = json.loads(book.path.read_text(encoding="utf-8"))["cells"]
        cells = [
            Cell(
                number,
                one["cell_type"],
                "".join(one["source"]),
                tuple(one["metadata"].get("tags", ())),
                one.get("execution_count"),
                tuple(one.get("outputs", ())),
                tuple(name for name, is_hidden in one["metadata"].get("jupyter", {}).items() if is_hidden),
            )
            for number, one in enumerate(stored, 1)
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        yield f"{book.name}: expected a notebook, found something else ({type(error).__name__} {error})"
        return None
    return Book(lesson, course, tuple(cells))


def nothing_is_left_to_write(book: Book) -> Faults:
    """No placeholder of `dev new lesson` is left."""
    for cell in book.cells:
        for line in cell.source.splitlines():
            if PLACEHOLDER in line:
                yield f"{book.at(cell)}: write what stands as {line.strip()!r}"


def begins_with_its_title(book: Book) -> Faults:
    """The first heading is the lesson's title, and the only one of its level."""
    wanted, found = f"Lesson {book.lesson.number}: {book.lesson.title}", book.headings
    first = found[0] if found else ("", "none")
    if first != ("h1", wanted):
        yield f"{book.name}: expected the heading # {wanted} first, found {first[1]}: course.toml has the title"
    more = [text for tag, text in found[1:] if tag == "h1"]
    if more:
        yield f"{book.name}: expected one heading with a single #, found another, {more[0]}: give it ##"


def ends_with_its_sections(book: Book) -> Faults:
    """The last sections are Summary, Exercises and Further reading."""
    found = [text for tag, text in book.headings if tag == "h2"][-len(SECTIONS) :]
    if found != list(SECTIONS):
        yield f"{book.name}: expected the last sections ## {', ## '.join(SECTIONS)}, found {', '.join(found) or 'none'}"


def says_what_course_toml_says(book: Book) -> Faults:
    """What is needed, the time, the modules and the exercises are built from course.toml."""
    for name, place in ((FACTS, "its first cell"), (EXERCISES, "its section Exercises")):
        marks = sum(cell.source.count(f"<!-- {name} -->") for cell in book.prose)
        if marks != 1:
            yield (
                f"{book.name}: expected the lines <!-- {name} --> and <!-- /{name} --> once, found them {marks} times: "
                f"put them into {place}, and `{DOCUMENTED} dev notebooks {book.lesson.number}` fills them"
            )
    for cell in book.prose:
        try:
            wanted = lesson_regions.cell_with_regions(cell.source, cell.number, book.lesson, book.course)
        except RegionError as error:
            yield str(error)
            continue
        if wanted != cell.source:
            yield (
                f"{book.at(cell)}: what is built there is not what course.toml gives: "
                f"`{DOCUMENTED} dev notebooks {book.lesson.number}` writes it"
            )


def takes_one_sitting(book: Book) -> Faults:
    """The prose has as many words as can be read at one go; folded answers do not count."""
    texts = (
        lesson_tasks.FOLD.sub("", without_region(without_region(cell.source, FACTS), EXERCISES)) for cell in book.prose
    )
    without_code = (re.sub(r"```.*?```", "", text, flags=re.DOTALL) for text in texts)
    words = sum(len(re.findall(r"[A-Za-z][A-Za-z'-]*", text)) for text in without_code)
    if words not in PROSE:
        what = "write more" if words < PROSE.start else "shorten it, or make two lessons"
        yield f"{book.name}: expected {PROSE.start} to {PROSE.stop - 1} words of prose, found {words}: {what}"


def code_comes_in_small_pieces(book: Book) -> Faults:
    """A code cell can be taken in at a glance."""
    for cell in book.code:
        lines = len(cell.source.splitlines())
        if lines > LONGEST_CELL:
            yield f"{book.at(cell)}: expected at most {LONGEST_CELL} lines of code, found {lines}: split the cell"


def has_been_run_in_order(book: Book) -> Faults:
    """The stored counts are 1, 2, 3, ..."""
    counts = [cell.count for cell in book.code]
    if counts != list(range(1, len(counts) + 1)):
        yield (
            f"{book.name}: expected code cells that were run in order, In [1] to In [{len(counts)}], found {counts}: "
            f"`{DOCUMENTED} dev notebooks {book.lesson.number}` runs them"
        )


def what_a_cell_shows_is_stored(book: Book) -> Faults:
    """A reader who does not run the notebook sees its results."""
    for cell in book.code:
        if shows_something(cell) and not cell.outputs:
            yield (
                f"{book.at(cell)}: expected its output, found none: `{DOCUMENTED} dev notebooks {book.lesson.number}` "
                f"stores it"
            )


def no_cell_ends_in_an_error_or_a_warning(book: Book) -> Faults:
    """What is stored are results, neither tracebacks nor warnings; an error that is wanted is caught and printed."""
    for cell in book.code:
        for output in cell.outputs:
            if output["output_type"] == "error" or output.get("name") == "stderr":
                said = f"an error, {output['ename']}" if output["output_type"] == "error" else "a warning"
                yield f"{book.at(cell)}: expected a result, found {said}: mend the cell, or catch and print it"


def outputs_are_the_same_on_every_machine(book: Book) -> Faults:
    """No output has a path of somebody's machine, an address, a time of day or a duration."""
    for cell in book.code:
        found = PRIVATE.search(outputs_text(cell))
        if found:
            yield (
                f"{book.at(cell)}: expected an output that is the same on every machine, found {found[0].strip()!r}: "
                f"print less, or round it"
            )


def pictures_are_there_and_say_what_is_seen(book: Book) -> Faults:
    """There is a picture, each picture is a file, and its text says what is seen on it."""
    images = [(cell, token) for cell in book.prose for token in cell.tokens if token.type == "image"]
    shown = {str(image.attrs["src"]) for _, image in images}
    if not images:
        yield f"{book.name}: expected a picture, found none: draw one in figures.py and show figures/NAME.svg"
    for cell, image in images:
        source = str(image.attrs["src"])
        if len(image.content.split()) < FEWEST_WORDS:
            yield (
                f"{book.at(cell)}: expected in the brackets of ![...]({source}) what is seen, in {FEWEST_WORDS} words "
                f"or more, found {image.content!r}"
            )
        if not (book.folder / source).is_file():
            there = [path.relative_to(book.folder).as_posix() for path in book.folder.glob("figures/*")]
            yield (
                f"{book.at(cell)}: the picture {source} is not there{similar(source, there)}: let draw() in figures.py "
                f"give it, and run `{DOCUMENTED} dev figures {book.lesson.number}`"
            )
    for path in sorted((book.folder / "figures").glob("*.svg")):
        if f"figures/{path.name}" not in shown:
            yield f"lessons/{book.lesson.folder}/figures/{path.name}: expected a cell that shows it, found none"


def links_lead_somewhere(book: Book) -> Faults:
    """A link leads to a file of the course, and to a heading that is there."""
    for cell in book.prose:
        for link in (str(token.attrs["href"]) for token in cell.tokens if token.type == "link_open"):
            if re.match(r"https?://", link):
                continue
            place, _, anchor = link.partition("#")
            path = (book.folder / (place or book.path.name)).resolve()
            if not path.is_relative_to(book.lesson.root.resolve()) or not path.exists():
                yield f"{book.at(cell)}: expected behind the link {link} a file of the course, found none"
            elif anchor and anchor not in anchors(path):
                yield (
                    f"{book.at(cell)}: expected the heading #{anchor} in {place or book.path.name}, found none"
                    f"{similar(anchor, anchors(path))}"
                )


def runs_a_real_network(book: Book) -> Faults:
    """Every lesson loads a trained network and, unless course.toml says that it only reads, runs it."""
    loaded, run = networks_in(book)
    if not loaded:
        example = 'graph = kuiper.load("../../models/digits/digits.pnnx.param")'
        yield f"{book.name}: expected a cell that loads a trained network, such as {example}, found none"
    elif not run and not book.lesson.only_reads:
        yield f"{book.name}: expected a call of {' or '.join(sorted(loaded))}, the network that it loads, found none"


def commands_name_what_is_there(book: Book) -> Faults:
    """`course.py check NAME` names an exercise or a lesson."""
    known = [exercise.id for one in book.course.lessons for exercise in one.exercises]
    numbers = [text for one in book.course.lessons for text in (str(one.number), f"{one.number:02}")]
    for cell in book.prose:
        for name in re.findall(r"course(?:\.py)? check +(\w+)", cell.source):
            if name not in (*known, *numbers, "NAME"):
                yield f"{book.at(cell)}: course.toml has no exercise {name}{similar(name, known)}: correct the command"


def exercises_belong_to_sections(book: Book) -> Faults:
    """The section of an exercise, which a failed check sends the student to, is a heading of the notebook."""
    found = [text for _, text in book.headings]
    for exercise in book.lesson.exercises:
        if exercise.section not in found:
            yield (
                f"{entry_of(book.lesson, exercise)}: expected its section to be a heading of {book.name}, found "
                f"{exercise.section!r}{similar(exercise.section, found)}"
            )


RULES: tuple[Callable[[Book], Faults], ...] = (
    nothing_is_left_to_write,
    begins_with_its_title,
    ends_with_its_sections,
    says_what_course_toml_says,
    takes_one_sitting,
    code_comes_in_small_pieces,
    has_been_run_in_order,
    what_a_cell_shows_is_stored,
    no_cell_ends_in_an_error_or_a_warning,
    outputs_are_the_same_on_every_machine,
    pictures_are_there_and_say_what_is_seen,
    links_lead_somewhere,
    runs_a_real_network,
    commands_name_what_is_there,
    exercises_belong_to_sections,
    *lesson_tasks.RULES,
)


# what the rules look at


def entry_of(lesson: Lesson, exercise: Exercise | None = None) -> str:
    """A lesson's or an exercise's entry in course.toml, as errors name it."""
    return f"course.toml, lesson {lesson.number} ({lesson.title})" + (f", {exercise.id}" if exercise else "")


def similar(word: str, known: Iterable[str]) -> str:
    """A word of `known` that may be meant, in brackets after a sentence, or nothing.

    >>> similar("03_pnx", ["02_tensor", "03_pnnx"])
    ' (did you mean 03_pnnx?)'
    """
    alike = difflib.get_close_matches(word, list(known), 1)
    return f" (did you mean {alike[0]}?)" if alike else ""


def anchors(path: Path) -> set[str]:
    """What a link into the file may point at: its headings as GitHub names them, and ids given by hand."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for _, heading in headings_of(text)}
    return slugs | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def shows_something(cell: Cell) -> bool:
    """Whether the cell prints, or ends in a value that is more than a call (which may give None)."""
    body = cell.tree.body
    if not body or cell.source.rstrip().endswith(";"):
        return False
    calls = (
        node
        for statement in body
        if not isinstance(statement, (ast.FunctionDef, ast.ClassDef))
        for node in ast.walk(statement)
        if isinstance(node, ast.Call)
    )
    if any(isinstance(call.func, ast.Name) and call.func.id == "print" for call in calls):
        return True
    return isinstance(body[-1], ast.Expr) and not isinstance(body[-1].value, (ast.Call, ast.Constant))


def networks_in(book: Book) -> tuple[set[str], bool]:
    """(names of trained networks that the code loads from models/, whether it runs one of them)."""
    nodes = [node for cell in book.code for node in ast.walk(cell.tree)]
    assigned = [node for node in nodes if isinstance(node, ast.Assign)]
    texts = {
        node.targets[0].id: node.value.value
        for node in assigned
        if isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Constant)
    }
    root = book.lesson.root
    paths = {
        target.id
        for node in assigned
        for target in node.targets
        if isinstance(target, ast.Name)
        and not _is_loader(node.value)
        and _names_a_model(node.value, texts, set(), root)
    }
    loaded = {
        target.id
        for node in assigned
        if _is_loader(node.value) and _names_a_model(node.value, texts, paths, root)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    called = [node.func for node in nodes if isinstance(node, ast.Call)]
    runners = [func.value if isinstance(func, ast.Attribute) and func.attr == "forward" else func for func in called]
    runners += [node.args[0] for node in nodes if isinstance(node, ast.Call) and node.args and _runs(node.func)]
    return loaded, any(isinstance(runner, ast.Name) and runner.id in loaded for runner in runners)


def _runs(function: ast.expr) -> bool:
    """Whether it is a function of kuiper that runs the network it is given."""
    return isinstance(function, ast.Name) and function.id in RUNNERS


def _is_loader(node: ast.expr) -> bool:
    """Whether the expression is a call that loads a network."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) in LOADERS


def _names_a_model(node: ast.expr, texts: Mapping[str, object], paths: set[str], root: Path) -> bool:
    """Whether the expression holds the path of a network that is there, or one of the names of such a path."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id in paths:
            return True
        text = inner.value if isinstance(inner, ast.Constant) else None
        if isinstance(inner, ast.JoinedStr):
            text = "".join(str(_written(part, texts)) for part in inner.values)
        if isinstance(text, str) and text.startswith("../../models/") and text.endswith(".param"):
            return (root / text.removeprefix("../../")).is_file()
    return False


def _written(part: ast.expr, texts: Mapping[str, object]) -> object:
    """A part of an f-string: its text, that of a name which stands for one, else nothing."""
    if isinstance(part, ast.FormattedValue):
        return texts.get(part.value.id, "") if isinstance(part.value, ast.Name) else ""
    return part.value if isinstance(part, ast.Constant) else ""
