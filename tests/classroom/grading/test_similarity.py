"""Similar submissions: copies are found however they are dressed up, honest work is left alone."""

from __future__ import annotations

import io
import json
import keyword
import random
import re
import subprocess
import sys
import tokenize
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classroom.grading import similarity
from classroom.grading.grams import GRAM, grams
from classroom.grading.records import Submission
from classroom.grading.similarity import FEW, WINDOW, Comparison, Known, Pair, compare_submissions, winnow
from classroom.grading.source_tokens import LEXEMES, MAX_TOKENS, code, tokens
from classroom.judge import Session
from classroom.judge.homework import Homework, homework_of
from classroom.register import load

HONEST = Path(__file__).with_name("honest")
GRAPHS = [path.read_text(encoding="utf-8") for path in sorted(HONEST.glob("graph_*.py"))]
TENSORS = [path.read_text(encoding="utf-8") for path in sorted(HONEST.glob("tensor_*.py"))]
PEAK = "def peak_bytes" + GRAPHS[3].split("def peak_bytes")[1]
HOMEWORKS = {lesson.folder: found for lesson in load().lessons if (found := homework_of(lesson)) is not None}


def text_of(homework: str, name: str) -> str:
    return getattr(HOMEWORKS[homework], name).read_text(encoding="utf-8")


def compare(*texts: str, homework: str = "04_graph") -> list[Pair]:
    handed_in = [Submission(f"student{i}", homework, {"hw.py": text.encode()}) for i, text in enumerate(texts)]
    return compare_submissions(handed_in, Known(text_of(homework, "stub"), text_of(homework, "solution"))).pairs


def renamed(text: str) -> str:
    """Every name of the file's own in another one, numbers and texts changed as well."""
    own = set(re.findall(r"\b(\w+) = ", text)) | set(re.findall(r"for (\w+) in", text))
    pattern = re.compile(rf"(?<!\.)\b({'|'.join(own)})\b")
    return re.sub(r"'[^']*'|\"[^\"\n]*\"", '"something else"', pattern.sub(lambda found: f"my_{found[0]}_2", text))


def reordered(text: str) -> str:
    head, *functions = re.split(r"(?m)^(?=def )", text)
    return head + "".join(reversed(functions))


def commented(text: str) -> str:
    lines = text.replace(":\n    ", ':\n    """What I thought of by myself."""\n    ').splitlines()
    return "\n\n".join(f"{line}  # step {i}" for i, line in enumerate(lines))


def broken(text: str) -> str:
    return text.replace("return", "return (", 1) + "\n  ]] 'no end"


def bracketed(text: str) -> str:
    """Brackets around every right side and every value that is returned, and more of what changes nothing."""
    text = re.sub(r"(?m)^( +)(\w+) = ([^\[({\n]+[^\[({,\\\n])$", r"\1(\2) = ((\3)); pass", text)
    return re.sub(r"(?m)^( +)(return|if|elif|while) ([^\[({\n]+?)(:?)$", r"\1\2 ((\3))\4", text)


def in_a_text(text: str) -> str:
    """The code as a text that is run."""
    return f"exec({text!r})\n"


def in_pieces(text: str) -> str:
    """The code as a text put together of many, which a variable holds."""
    pieces = [text[start : start + 40] for start in range(0, len(text), 40)]
    return "import builtins\nlines = " + " + ".join(map(repr, pieces)) + "\nbuiltins.exec (lines, globals())\n"


def in_a_text_in_a_text(text: str) -> str:
    return in_a_text("\n".join([in_a_text(text), "x = 1"]))


def after_a_long_comment(text: str) -> str:
    return f"# {'x' * 100_001}\n" + "# and another one\n" * 10_000 + text


def behind_carriage_returns(text: str) -> str:
    """For Python a comment ends at \\r too."""
    return "# mine\r" + text.replace("\n", "\r")


DISGUISES: list[Callable[[str], str]] = [
    bracketed,
    in_a_text,
    in_pieces,
    in_a_text_in_a_text,
    after_a_long_comment,
    behind_carriage_returns,
    lambda text: after_a_long_comment(in_a_text(bracketed(renamed(text)))),
    renamed,
    reordered,
    commented,
    broken,
    lambda text: text.replace("\n", "\r\n"),
    lambda text: commented(reordered(renamed(text))),
]


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("honest", [GRAPHS, TENSORS])
def test_a_copy_is_found_however_it_is_dressed_up(honest: list[str], disguise: Callable[[str], str]) -> None:
    copy = disguise(honest[0])
    assert copy != honest[0]
    pairs = compare(*honest, copy, homework="04_graph" if honest is GRAPHS else "02_tensor")
    assert [pair.students for pair in pairs] == [("student0", f"student{len(honest)}")]


def test_a_copy_of_one_exercise_of_two_is_found() -> None:
    mixed = GRAPHS[0].split("def peak_bytes")[0] + "def peak_bytes" + GRAPHS[3].split("def peak_bytes")[1]
    assert ("student0", "student1") in [pair.students for pair in compare(GRAPHS[0], mixed, GRAPHS[1])]


def test_a_common_part_of_much_work_is_not_reported() -> None:
    shared = PEAK[: PEAK.index("    return")]
    assert len(grams(code(shared))[0]) > similarity.MIN_SHARED
    assert compare(GRAPHS[0] + TENSORS[0] + shared, GRAPHS[1] + TENSORS[1] + shared) == []


def test_two_that_differ_by_one_mistake_are_found() -> None:
    first, second, *_ = [m.applied(text_of("04_graph", "solution")) for m in HOMEWORKS["04_graph"].mutants]
    assert [pair.students for pair in compare(first, second, *GRAPHS)] == [("student0", "student1")]


def test_independent_solutions_are_not_reported() -> None:
    assert compare(*GRAPHS, text_of("04_graph", "solution")) == []
    assert compare(*TENSORS, text_of("02_tensor", "solution"), homework="02_tensor") == []


@pytest.mark.slow
@pytest.mark.parametrize("honest", sorted(HONEST.glob("*.py")), ids=lambda path: path.stem)
def test_the_independent_solutions_are_right(honest: Path) -> None:
    homework = HOMEWORKS["04_graph" if honest.stem.startswith("graph") else "02_tensor"]
    solved = [test for test in homework.public if f"def {test.exercise}(" in honest.read_text(encoding="utf-8")]
    assert {"topological_order", "flatten"} & {test.exercise for test in solved}
    with Session(honest) as session:
        assert [o.test.name for o in (session.run(test, 0) for test in solved) if not o.passed] == []


@pytest.mark.parametrize("homework", HOMEWORKS.values(), ids=HOMEWORKS)
def test_untouched_stubs_are_not_reported(homework: Homework) -> None:
    stub = homework.stub.read_text(encoding="utf-8")
    assert compare(stub, stub, commented(stub), homework=homework.lesson.folder) == []


def test_one_students_two_submissions_are_not_compared() -> None:
    twice = [Submission("ann", "04_graph", {name: GRAPHS[0].encode()}) for name in ("a.py", "b.py")]
    assert compare_submissions(twice).pairs == []
    assert compare_submissions([twice[0], Submission("bo", "04_graph", twice[1].files)]).pairs


def helpers(number: int) -> str:
    """Three functions that nobody else has."""
    draw = random.Random(number)
    calls, signs = ("len", "min", "max", "sum", "abs"), "+-*/%@&|^"
    lines = [f"    x = {draw.choice(calls)}(x {draw.choice(signs)} y) {draw.choice(signs)} x" for _ in range(12)]
    return "\n".join("\n".join([f"def helper_{n}(x, y):", *lines[n::3], "    return x\n\n"]) for n in range(3))


@pytest.mark.parametrize("size", [5, 8, 12])
def test_a_ring_is_found_though_each_of_it_has_helpers_of_its_own(size: int) -> None:
    ring = [helpers(number) + renamed(GRAPHS[0]) for number in range(size)]
    honest = [helpers(20 + number) + text for number, text in enumerate(GRAPHS[1:])]
    found = {name for pair in compare(*ring, *honest) for name in pair.students}
    assert found == {f"student{number}" for number in range(size)}


def different(number: int, shared: str) -> list[str]:
    return [f"def mine{i}(x):\n" + f"    x = x {'+-*/%@&|^'[i]} 1\n" * 3 + shared for i in range(number)]


def test_a_short_part_that_many_different_ones_have_is_no_sign_of_copying() -> None:
    shared = PEAK[: PEAK.index("    return")]
    assert 2 * similarity.GRAM < len(code(shared).tokens) < similarity.WHOLE
    assert compare(*different(FEW + 1, shared)) == []
    assert compare(*different(9, shared)) == []


@pytest.mark.parametrize("size", [2, FEW, FEW + 1, 9])
def test_a_ring_of_any_size_with_one_short_function_in_common_is_found(size: int) -> None:
    assert similarity.WHOLE < len(code(PEAK).tokens) < similarity.LONG
    pairs = compare(*different(size, PEAK), *GRAPHS[:3])
    assert {name for pair in pairs for name in pair.students} == {f"student{i}" for i in range(size)}


def test_what_more_than_a_tenth_of_a_large_class_has_is_a_common_form() -> None:
    many = [helpers(number) + PEAK for number in range(similarity.MANY + 1)]
    assert compare(*many) == []
    assert len(compare(*many[:-1])) == similarity.MANY - 1


def test_a_copy_that_goes_round_is_reported_however_many_have_it() -> None:
    assert len(compare(*[GRAPHS[0]] * FEW)) == FEW * (FEW - 1) / 2
    dressed_up = [DISGUISES[i % len(DISGUISES)](GRAPHS[0]) for i in range(60)]
    pairs = compare(GRAPHS[0], *dressed_up, *GRAPHS[1:])
    assert {name for pair in pairs for name in pair.students} == {f"student{i}" for i in range(61)}
    assert len(pairs) < 80, "not every one with every other"
    assert all(pair.shared >= similarity.MIN_SHARED and pair.lines[0] and pair.lines[1] for pair in pairs)


def test_one_that_changed_the_copy_that_goes_round_is_reported_too() -> None:
    changed = GRAPHS[0].replace("def ", "def helper(x):\n    return x[0] @ x[1]\n\n\ndef ", 1)
    pairs = compare(*[GRAPHS[0]] * 10, changed, *GRAPHS[1:])
    assert len(pairs) == 10
    assert ("student0", "student10") in [pair.students for pair in pairs]


def test_what_three_have_of_the_worked_solution_is_no_sign_of_copying() -> None:
    solution = text_of("04_graph", "solution")
    assert len(compare(solution, solution)) == 1
    assert compare(*[solution] * 3) == []


def test_the_lines_are_those_that_are_alike() -> None:
    own = "def mine():\n" + "".join(f"    print({i})\n    x[{i}] += y @ z\n" for i in range(40))
    (pair,) = compare(GRAPHS[2], own + GRAPHS[2], GRAPHS[1])
    ((first, last),) = pair.lines[1]
    before = own.count("\n")
    assert before - GRAM < first <= before + 8
    assert last == before + GRAPHS[2].rstrip().count("\n") + 1


def test_files_that_are_neither_python_nor_a_notebook_are_left_out() -> None:
    content = GRAPHS[0].encode()
    pair = [Submission(name, "04_graph", {"notes.txt": content}) for name in ("ann", "bo")]
    assert compare_submissions(pair).pairs == []


def worksheet(*cells: tuple[str, str]) -> bytes:
    """A worksheet of code cells (id, source)."""
    entries = [
        {"cell_type": "code", "id": name, "metadata": {}, "source": text.splitlines(keepends=True)}
        for name, text in cells
    ]
    return json.dumps({"cells": entries, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def compared(**files: dict[str, bytes]) -> Comparison:
    handed_in = [Submission(student, "04_graph", of) for student, of in files.items()]
    return compare_submissions(handed_in, Known(text_of("04_graph", "stub"), text_of("04_graph", "solution")))


def test_answers_in_a_worksheet_are_compared_with_worksheets_and_with_files() -> None:
    first, second = "%matplotlib inline\n" + GRAPHS[0], commented(renamed(GRAPHS[0]))
    found = compared(
        ann={"worksheet.ipynb": worksheet(("cell-01", first))},
        bo={"hw.py": text_of("04_graph", "stub").encode(), "worksheet.ipynb": worksheet(("cell-01", second))},
        cleo={"hw.py": GRAPHS[0].encode()},
        dan={"worksheet.ipynb": worksheet(("mine", GRAPHS[0]))},
        eve={"worksheet.ipynb": worksheet(("cell-01", GRAPHS[1]))},
    )
    assert {name for pair in found.pairs for name in pair.students} == {"ann", "bo", "cleo", "dan"}
    assert found.uncompared == []


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"worksheet.ipynb": b"{"}, "the worksheet is damaged or no notebook"),
        ({"worksheet.ipynb": b"[" * 100_000}, "the worksheet is damaged or no notebook"),
        (
            {"hw.py": b"x = 1\n\nimport base64\nexec(base64.b64decode('eCA9IDE='))"},
            "it runs code from a text, in line 4",
        ),
        ({"hw.py": b"y = eval (input)"}, "it runs code from a text, in line 1"),
        ({"hw.py": b"x = x + 1\n" * MAX_TOKENS}, "only the first 40,000 words and signs of it were compared"),
    ],
)
def test_what_cannot_be_compared_is_said(files: dict[str, bytes], why: str) -> None:
    (one,) = compared(ann=files, bo={"hw.py": GRAPHS[0].encode()}).uncompared
    assert (one.student, one.homework) == ("ann", "04_graph")
    assert one.why.startswith(why)


def test_a_pattern_that_is_compiled_runs_no_text() -> None:
    text = b"import re\nmodel.eval()\nWORD = re.compile('[a-z]')\n# exec(x)\ny = 'eval(x)'\n"
    assert compared(ann={"hw.py": text}).uncompared == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "hostile",
    [
        "(" * 250_000 + ")" * 250_000,
        "x = " + "-" * 500_000 + "1",
        "x = " + "[" * 500_000,
        "x = " + "lambda:" * 70_000 + "0",
        "x" + ".a" * 250_000,
        "x = " + "1 if x else " * 40_000 + "0",
        "".join(" " * depth + "if x:\n" for depth in range(900)),
        "x = " + "'a' " * 120_000 + "\nexec(x)",
        "exec(" * 100_000,
        '"' * 500_000,
        "'" * 500_000,
        "\\\n" * 250_000,
        "f'{" * 170_000,
        "\r" * 500_000,
        "\x00" * 500_000,
        "pass;" * 100_000 + GRAPHS[0],
    ],
    ids=lambda text: repr(text[:12]),
)
def test_hostile_texts_are_read_to_an_end_and_cost_nobody_else_anything(hostile: str) -> None:
    done = compared(
        ann={"hw.py": GRAPHS[0].encode()}, bo={"hw.py": hostile.encode()}, eve={"hw.py": GRAPHS[0].encode()}
    )
    assert ("ann", "eve") in [pair.students for pair in done.pairs]


def test_time_grows_with_the_length_and_not_with_its_square() -> None:
    """Counted in the steps of the reading, in which a text of twice the length takes twice as many."""

    def steps(text: str) -> int:
        count = 0

        def count_line(frame: Any, event: str, _: object) -> Any:
            nonlocal count
            count += event == "line"
            return count_line if "tokens" in frame.f_code.co_filename else None

        before = sys.gettrace()
        sys.settrace(count_line)
        try:
            code(text)
        finally:
            sys.settrace(before)
        return count

    for piece in ("x = (y)\n", "(", "'a' ", "exec('x')\n", "# a\n", "pass;"):
        assert steps(piece * 800) < 2.5 * steps(piece * 400)


def test_work_grows_with_the_submissions_and_not_with_their_square(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fingerprint that more than FEW of a small class have is not compared among them."""
    compared: list[int] = []
    monkeypatch.setattr(similarity, "combinations", lambda places, size: compared.append(len(places)) or [])
    compare(*GRAPHS * FEW)
    assert max(compared) == FEW
    compared.clear()
    compare(*GRAPHS[:2] * 2 * FEW)
    assert max(compared, default=0) <= FEW


@given(st.lists(st.integers(0, 5), max_size=60))
def test_winnowing_keeps_the_rightmost_smallest_of_every_window_and_no_more(values: list[int]) -> None:
    array = np.array(values, np.uint64)
    if not len(array):
        return
    chosen = set(winnow(array).tolist())
    width = min(WINDOW, len(array))
    wanted = set()
    for start in range(len(array) - width + 1):
        window = array[start : start + width]
        wanted.add(start + max(i for i in range(width) if window[i] == window.min()))
    assert chosen == wanted


@given(st.text("abcxyz=+()[]\n '\"#:\\0.", max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    assert all(1 <= token.line <= text.count("\n") + 1 for token in tokens(text))
    assert "".join(match[0] for match in LEXEMES.finditer(text)) == text


@given(st.binary(max_size=300))
def test_any_bytes_can_be_handed_in(content: bytes) -> None:
    assert compare_submissions([Submission(name, "04_graph", {"hw.py": content}) for name in ("ann", "bo")]).pairs == []


LAYOUT = """x = f(
    "a text",
    g(
        'another'
        "one"
    ),
)
'a line of its own'
y = 1_000.5e-3 + 0x1F - .5j; z = rb'\\'' "# none" if x else f"{x!r:>{y}} {z['k']}"  # a comment
w = x[1:-1, ...] @ y ** 2 // 3 >> 1 != \\
    lambda *a, **k: a
"""


@pytest.mark.parametrize(
    "text", [*(text_of(name, "solution") for name in HOMEWORKS), LAYOUT], ids=[*HOMEWORKS, "layout"]
)
def test_tokens_are_those_of_pythons_own_tokenizer(text: str) -> None:
    assert [kind_of(token.text) for token in tokens(text)] == expected_kinds(text)


def kind_of(text: str) -> str:
    """Names of libraries are kept; here every name is N."""
    return "N" if text.isidentifier() and not keyword.iskeyword(text) and text != "S" else text


def expected_kinds(text: str) -> list[str]:
    """What tokenize says, without layout, comments and lines that are nothing but a text."""
    lines: list[list[str]] = [[]]
    depth = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        if kind == "FSTRING_START":
            depth += 1
            lines[-1] += ["S"] * (depth == 1)
        elif kind == "FSTRING_END":
            depth -= 1
        elif depth:
            continue
        elif kind == "NEWLINE":
            lines.append([])
        elif kind in ("NAME", "NUMBER", "STRING", "OP"):
            plain = {"NUMBER": "0", "STRING": "S"}.get(kind, token.string)
            lines[-1].append("N" if kind == "NAME" and not keyword.iskeyword(token.string) else plain)
    return [kind for line in lines if set(line) != {"S"} for kind in line]


def test_hashes_are_those_of_any_process() -> None:
    formula = "a = b + c * d - e(f, g) ** 2"
    program = (
        "from classroom.grading.grams import grams; "
        "from classroom.grading.source_tokens import code; "  # as any process of the grader's does
        f"print(grams(code({formula!r}))[0].tolist())"
    )
    runs = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True) for _ in range(2)
    ]
    assert runs[0].stdout == runs[1].stdout == f"{grams(code(formula))[0].tolist()}\n"
