"""Cells that the reader fills in: what `check` says, and that the answers folded below them are right."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from classroom import register
from classroom.cells import check, unless_right
from classroom.dev import notebooks
from classroom.lesson_words import ANSWER
from kuiper.graph import Operand, Operator

LESSONS = [lesson for lesson in register.load().lessons if lesson.notebook()]


def half(x: Any) -> Any:
    return x / 2


def alike(x: Any, y: Any) -> bool:
    return True


def values(x: dict[str, Any]) -> list[Any]:
    return list(x.values())


def same(x: Any) -> Any:
    return x


def nothing(x: Any) -> Any: ...


def begun(x: Any) -> Any:
    """Its first lines are given."""
    x = x + 1
    ...


def forgetful(x: Any) -> Any:
    x / 2


def one_by_one(x: Any) -> Any:
    yield x


def prints(x: Any) -> None:
    print(x)


def as_list(x: Any) -> Any:
    return [x], 2


def sometimes(x: Any) -> Any:
    return x or None


def broken(x: Any) -> Any:
    raise IndexError("list index out of range")


def endless(x: Any) -> Any:
    return endless(x)


def greedy(x: list[int]) -> int:
    return x.pop()


@pytest.mark.parametrize(
    ("function", "cases", "said"),
    [
        (half, [((4,), 2.0), ((1,), 0.5)], "half: right, 2 of 2"),
        (half, [((4,), 2.0), ((1,), 1)], "half(1): expected 1, got 0.5 (1 of 2 right)"),
        (half, [((np.ones(2),), np.full(2, 0.5))], "half: right, 1 of 1"),
        (
            half,
            [((np.ones(2),), np.full((1, 2), 0.5))],
            "half([1.0, 1.0]): expected [[0.5, 0.5]], got [0.5, 0.5]: its shape is (2,), not (1, 2) (0 of 1 right)",
        ),
        (half, [((np.ones(20),), np.ones(20))], "half(an array of shape (20,)): expected an array of shape (20,), got"),
        (half, [((2,), "1")], "half(2): expected '1', got 1.0, which is a number and not a string (0 of 1 right)"),
        (
            half,
            [((np.full(2, 2),), [1, 1])],
            "half([2, 2]): expected [1, 1], got [1.0, 1.0], which is an array and not a list",
        ),
        (
            alike,
            [((np.ones(1, np.float32), np.ones(1)), False)],
            "alike([1.0] float32, [1.0] float64): expected False, got",
        ),
        (alike, [((np.ones(1), np.ones(1)), False)], "alike([1.0], [1.0]): expected False, got True (0 of 1 right)"),
        (
            values,
            [(({"abs": abs},), ["abs"])],
            "values({'abs': abs}): expected ['abs'], got [abs], which is a list of functions",
        ),
        (half, [((2,), True)], "half(2): expected True, got 1.0"),
        (half, [((2,), (1.0, 0))], "half(2): expected (1.0, 0), got 1.0"),
        (
            half,
            [((np.arange(20.0),), np.arange(20.0) / 4)],
            "half(an array of shape (20,)): expected an array of shape (20,), got one in which 19 of 20 numbers "
            "differ, the first at [1]: 0.5, not 0.25 (0 of 1 right)",
        ),
        (same, [((np.array([True]),), np.array([True]))], "same: right, 1 of 1"),
        (
            same,
            [((np.array([1.0]),), np.array([True]))],
            "same([1.0]): expected [True], got [1.0]: the values are right, but they are float64 and not bool, as "
            "comparisons give (0 of 1 right)",
        ),
        (
            same,
            [(([1.0, 2.0],), np.array([1.0, 2.0]))],
            "same([1.0, 2.0]): expected [1.0, 2.0], got [1.0, 2.0]: the values are right, but this is a list and not "
            "an array (0 of 1 right)",
        ),
        (
            same,
            [((([1, 2], 3),), (np.uint8([1, 2]), 3))],
            "same(([1, 2], 3)): expected (array([1, 2], dtype=uint8), 3), got ([1, 2], 3): the values are right, but "
            "[1, 2] is a list and not an array (0 of 1 right)",
        ),
        (same, [((1.0,), np.array(1.0))], "same: right, 1 of 1"),
        (same, [((Fraction(1, 2),), 0.5), (([Fraction(3)],), [3])], "same: right, 2 of 2"),
        (same, [((Fraction(1, 3),), 0.5)], "same(Fraction(1, 3)): expected 0.5, got Fraction(1, 3) (0 of 1 right)"),
        (same, [((np.array([0]),), np.array([True]))], "same([0]): expected [True], got [0] (0 of 1 right)"),
        (same, [((np.True_,), True), (([np.str_("a")],), ["a"])], "same: right, 2 of 2"),
        (same, [((np.True_,), False)], "same(True): expected False, got True (0 of 1 right)"),
        (same, [(([True],), [1, 2])], "same([True]): expected [1, 2], got [True], which is a list of booleans and not"),
        (
            same,
            [(((np.int64(3), [np.float32(0.1)]),), (3, [0.2]))],
            "same((3, [0.1])): expected (3, [0.2]), got (3, [0.1]) (0 of 1 right)",
        ),
        (same, [((np.array([0.1], np.float32),), 0.1)], "same([0.1]): expected 0.1, got [0.1], which is an array"),
        (
            same,
            [(({np.int64(3): [np.float32(2.5)]},), {2: 1})],
            "same({3: [2.5]}): the key 2 is missing, expected 1 there (0 of 1 right)",
        ),
        (nothing, [((1,), 1), ((2,), 1)], "nothing: not written yet"),
        (prints, [((1,), 1), ((2,), 1)], "1\n2\nprints(1) returned None: is a `return` missing? (0 of 2 right)"),
        (
            as_list,
            [((1,), ((1,), 2))],
            "as_list(1): expected ((1,), 2), got ([1], 2): the values are right, but [1] is a list and not a tuple (0",
        ),
        (
            same,
            [(((10.0, 1.0),), [10.0, 1.0])],
            "same((10.0, 1.0)): expected [10.0, 1.0], got (10.0, 1.0): the values are right, but this is a tuple and "
            "not a list (0 of 1 right)",
        ),
        (
            same,
            [((Operator("my.Minus", "minus", inputs=[Operand("b"), Operand("a")]),), 1)],
            "same(Operator('minus', inputs=['b', 'a'])): expected 1, got",
        ),
        (nothing, [((1,), 1), ((2,), None)], "nothing: not written yet"),
        (nothing, [((1,), None)], "nothing: right, 1 of 1"),
        (sometimes, [((1,), 1), ((0,), 1)], "sometimes(0) returned None here: is a case missing? (1 of 2 right)"),
        (one_by_one, [((1,), [1])], "one_by_one(1): expected [1], got a generator: make a list of it (0 of 1 right)"),
        (iter, [(([1],), [1])], "iter([1]): expected [1], got an iterator, which gives its values one by one: make"),
        (
            same,
            [(({"a": [1]},), {"a": [1], "b": []})],
            "same({'a': [1]}): the key 'b' is missing, expected [] there (0 of 1 right)",
        ),
        (
            same,
            [(({"a": [1], "c": 2},), {"a": [1]})],
            "same({'a': [1], 'c': 2}): the key 'c' is one too many, with 2 there (0 of 1 right)",
        ),
        (
            same,
            [(({"b": [2], "a": [1]},), {"a": [1], "b": ["2"]})],
            "same({'b': [2], 'a': [1]}): at the key 'b' expected ['2'], got [2], which is a list of numbers and not a "
            "list of strings (0 of 1 right)",
        ),
        (same, [(({"b": np.ones(2), "a": 1},), {"a": 1.0, "b": np.ones(2)})], "same: right, 1 of 1"),
        (begun, [((1,), 1), ((2,), 1)], "begun: not written yet"),
        (same, [(("done",), ["b"]), (("new",), "new")], "same('done'): expected ['b'], got 'done' (1 of 2 right)"),
        (forgetful, [((1,), 0.5), ((2,), 1)], "forgetful(1) returned None: is a `return` missing? (0 of 2 right)"),
        (
            same,
            [(("store x, y.at" + " of the tile" * 6 + ", 1",), "store x, y.at" + " of the tile" * 6 + ", 2")],
            "same('store x, y.at of the tile of the tile of the tile of the...): at character 87 expected ...'e of the "
            "tile, 2', got ...'e of the tile, 1' (0 of 1 right)",
        ),
        (
            same,
            [(("%a" * 40,), "%b" + "%a" * 39)],
            f"same('{'%a' * 28}...): at character 1 expected '%b{'%a' * 29}'..., got '{'%a' * 30}'... (0 of 1 right)",
        ),
        (
            same,
            [(([*range(30), "end"],), [*range(30), "END"])],
            f"same({str([*range(30)])[:57]}...): at [30] expected 'END', got",
        ),
        (
            same,
            [((list(range(30)),), list(range(31)))],
            f"same({str([*range(30)])[:57]}...): expected 31 elements, got 30 (",
        ),
        (
            same,
            [(((1, 32),), ((1, 32), "f32"))],
            "same((1, 32)): expected ((1, 32), 'f32'), got (1, 32), which is the first of the 2 values alone: return "
            "all, separated by commas (0 of 1 right)",
        ),
        (
            same,
            [(((1, 2),), ((1, 32), "f32"))],
            "same((1, 2)): expected ((1, 32), 'f32'), got (1, 2), in which 1 is a number and not a tuple of numbers (0",
        ),
        (
            same,
            [(((1, 2, 3),), ((1, 32), "f32"))],
            "same((1, 2, 3)): expected ((1, 32), 'f32'), got (1, 2, 3), which has 3 elements and not 2 (0",
        ),
        (
            same,
            [((1,), (1, "f32", 2, 3, 4, 5, 6, 7))],
            "same(1): expected (1, 'f32', 2, 3, 4, 5, 6, 7), got 1, which is the",
        ),
        (
            same,
            [((0,), (1, "f32"))],
            "same(0): expected (1, 'f32'), got 0, which is a number and not a tuple of 2 values",
        ),
        (
            same,
            [(([["b"], "a"],), ["b", "a"])],
            "same([['b'], 'a']): expected ['b', 'a'], got [['b'], 'a'], in which ['b'] is a list of strings and not a "
            "string (0 of 1 right)",
        ),
        (
            same,
            [(([1, [2]],), ["1", "2"])],
            "same([1, [2]]): expected ['1', '2'], got [1, [2]], in which 1 is a number and not a string (0",
        ),
        (
            same,
            [(([["b"], ["a"]],), ["b", "a"])],
            "same([['b'], ['a']]): expected ['b', 'a'], got [['b'], ['a']], which is a list of lists and not a list of "
            "strings (0",
        ),
        (
            same,
            [(((["abc"], {"abc": 0}),), (["abc"], {"abc": 1}))],
            "same((['abc'], {'abc': 0})): at [1], at the key 'abc' expected 1, got 0 (0 of 1 right)",
        ),
        (
            same,
            [(((["a"], {"a": 0}),), (["a", "b"], {"a": 1}))],
            "same((['a'], {'a': 0})): at [0] expected ['a', 'b'], got ['a'] (0 of 1 right)",
        ),
        (
            same,
            [(((["a"], {"a": 0}),), (["a"], {"a": 0, "b": 0}))],
            "same((['a'], {'a': 0})): at [1], the key 'b' is missing, expected 0 there (0 of 1 right)",
        ),
        (
            endless,
            [((1,), 1)],
            "endless(1): expected 1, but it raised RecursionError: it called itself until too many calls waited (0",
        ),
        (
            broken,
            [((1,), 1)],
            "broken(1): expected 1, but it raised IndexError: list index out of range (0 of 1 right)",
        ),
    ],
)
def test_a_check_says_what_the_first_wrong_answer_was(
    function: Callable[..., Any], cases: list[Any], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    check(function, *cases)
    assert capsys.readouterr().out.startswith(said)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (6, "right, 1 of 1"),
        (np.int64(6), "right, 1 of 1"),
        (np.array([6], np.int32), "right, 1 of 1"),
        ((6, 7), "right, 1 of 1"),
        (6.0, "the value is right, but 6.0 is a float and not an int (0 of 1 right)"),
        (np.floor(6.2), "the value is right, but 6.0 is a float64 and not an int (0 of 1 right)"),
        ((6, 7.0), "the values are right, but 7.0 is a float and not an int (0 of 1 right)"),
        (np.array([6.0]), "the values are right, but they are float64 and not int64 (0 of 1 right)"),
    ],
)
def test_where_whole_numbers_are_due_no_float_will_do(
    given: Any, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = np.floor(given).astype(int) if isinstance(given, (np.ndarray, np.generic)) else given
    check(same, ((given,), expected), dtype=int)
    assert capsys.readouterr().out.endswith(f"{said}\n")


def test_a_list_with_the_values_of_an_array_is_not_told_the_cause_of_an_array(
    capsys: pytest.CaptureFixture[str],
) -> None:
    mistakes = {"the type is another": lambda x: np.array(x, np.int64)}
    for given, causes in (([1, 2], []), (np.array([1, 2]), ["likely why: the type is another"])):
        check(same, ((given,), np.uint8([1, 2])), mistakes=mistakes)
        assert capsys.readouterr().out.splitlines()[1:] == causes


def halves(x: Any) -> Any:
    return x // 2


@pytest.mark.parametrize(
    ("function", "cause"),
    [(halves, "// drops"), (same, "the number"), (broken, "an index"), (half, ""), (nothing, ""), (greedy, "")],
)
def test_a_likely_cause_is_told_to_whoever_does_in_every_case_what_comes_of_it(
    function: Callable[..., Any], cause: str, capsys: pytest.CaptureFixture[str]
) -> None:
    mistakes = {"a third": lambda x: x / 3, "// drops": lambda x: (x - x % 2) / 2, "the number": same}
    check(function, ((4,), 2), ((5,), 2.5), mistakes={**mistakes, "an index": broken})
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:] == ([f"likely why: {cause}"] if cause else [])


@pytest.mark.parametrize(
    ("got", "said"),
    [
        ("%k = phi i64 [ 1 ]", "right up to '%k = phi i64 [ ', but '1' is not what comes then"),
        ("%k = phi i64", "right up to '%k = phi i64', but something is missing behind it"),
        ("%k = phi i64 [ 0 ] ;", "right up to '%k = phi i64 [ 0 ]', but ' ;' is too much"),
        ("k = phi i64 [ 0 ]", "it should not begin with 'k'"),
        (["%k"], "expected a string, got ['%k']"),
        (1 / 2, "expected a string, got 0.5"),
    ],
)
def test_a_string_that_would_give_the_answer_away_is_not_shown(
    got: Any, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def line(name: str) -> Any:
        return got

    check(line, (("k",), "%k = phi i64 [ 0 ]"), mistakes={"like this": lambda name: got}, hidden=True)
    assert capsys.readouterr().out.splitlines() == [f"line('k'): {said} (0 of 1 right)", "likely why: like this"]


def test_an_exception_does_not_show_a_hidden_string_either(capsys: pytest.CaptureFixture[str]) -> None:
    check(broken, (("k",), "%k = phi i64 [ 0 ]"), hidden=True)
    assert "expected a string, but it raised" in capsys.readouterr().out


@dataclass(frozen=True)
class Asked:
    """A check of a notebook: the function that the reader writes, the folded answer, and how `check` is called."""

    name: str
    answer: Callable[..., Any]
    cases: tuple[Any, ...]
    mistakes: dict[str, Callable[..., Any]]
    how: dict[str, Any]


def checks_in(path: Path) -> Iterator[Asked]:
    """The checks of a notebook, which is run once, with the folded answers, up to the last of them."""
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    told: list[tuple[str, Any, Any, dict[str, Any]]] = []

    def noted(function: Callable[..., Any], *cases: Any, mistakes: Any = None, **how: Any) -> None:
        told.append((function.__name__, cases, mistakes or {}, how))

    names: dict[str, Any] = {}
    last = max(i for i, cell in enumerate(cells) if ANSWER in cell["metadata"].get("tags", []))
    for cell in cells[: last + 1]:
        exec(compile("".join(cell["source"]), path.name, "exec"), names)
        names["check"] = noted
        if ANSWER in cell["metadata"].get("tags", []):
            for name, *call in told:
                yield Asked(name, names[name], *call)
            told.clear()


@pytest.mark.slow
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.folder)
def test_a_folded_answer_is_right_and_each_mistake_is_told_its_own_cause(
    lesson: register.Lesson, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = lesson.notebook()
    assert path is not None
    monkeypatch.chdir(path.parent)
    monkeypatch.syspath_prepend(str(path.parent))
    monkeypatch.delitem(sys.modules, "mistakes", raising=False)
    proven = 0
    for asked in checks_in(path):
        capsys.readouterr()
        check(asked.answer, *asked.cases, mistakes=asked.mistakes, **asked.how)
        assert capsys.readouterr().out.startswith(f"{asked.name}: right, ")
        for cause, mistaken in asked.mistakes.items():

            def wrong(*arguments: Any, mistaken: Callable[..., Any] = mistaken) -> Any:
                return mistaken(*arguments)

            wrong.__name__ = asked.name
            if asked.how.get("keeps"):  # it names parameters
                wrong.__signature__ = inspect.signature(mistaken)  # type: ignore[attr-defined]
            with np.errstate(all="ignore"):
                check(mistaken if asked.how.get("layer") else wrong, *asked.cases, mistakes=asked.mistakes, **asked.how)
            assert capsys.readouterr().out.splitlines()[1:] == [f"likely why: {cause}"]
            proven += 1
    monkeypatch.delitem(sys.modules, "mistakes", raising=False)
    assert proven


def test_a_function_that_changes_its_arguments_sees_them_fresh(capsys: pytest.CaptureFixture[str]) -> None:
    numbers = [1, 2]
    check(greedy, ((numbers,), 2), ((numbers,), 2))
    assert capsys.readouterr().out == "greedy: right, 2 of 2\n"
    assert numbers == [1, 2]


def test_a_right_result_of_a_function_that_changes_its_argument_is_told_no_cause_of_wrong_results(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def halves(x: np.ndarray) -> np.ndarray:
        x /= 2
        return np.rint(x).astype(np.int8)

    def also_halves(x: np.ndarray) -> np.ndarray:
        return halves(x)

    wrong_type = {"the type is another": lambda x: np.rint(x / 2)}
    check(halves, ((np.array([4.0]),), np.array([2], np.int8)), mistakes=wrong_type, keeps="x")
    assert capsys.readouterr().out == (
        "halves([4.0]): the result is right, but `x` is [2.0] afterwards: leave it as it was, for other cells "
        "(0 of 1 right)\n"
    )
    check(halves, ((np.array([4.0]),), np.array([2], np.int8)), mistakes={"in place": also_halves}, keeps="x")
    assert capsys.readouterr().out.endswith("likely why: in place\n")


def test_the_notebook_goes_on_with_what_is_right_and_with_the_answer_otherwise() -> None:
    def answer(x: float) -> float:
        return x * 0.5

    answer.__name__ = "half"
    check(half, ((4,), 2.0))
    assert unless_right(answer) is half
    check(half, ((4,), 3.0))
    assert unless_right(answer) is answer


@pytest.mark.slow
def test_a_folded_answer_that_is_wrong_is_told(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="writes a notebook, and nbformat is not installed")
    pytest.importorskip("nbclient", reason="runs notebooks, and nbclient is not installed")
    cell = nbformat.v4.new_code_cell
    book = nbformat.v4.new_notebook(
        cells=[
            cell("from classroom.cells import check, unless_right"),
            cell("def twice(x):\n    ...\n\n\ncheck(twice, ((2,), 4), ((3,), 6))", metadata={"tags": ["yours"]}),
            cell("@unless_right\ndef twice(x):\n    return x * x", metadata={"tags": ["answer"]}),
        ]
    )
    path = tmp_path / "book.ipynb"
    path.write_text(nbformat.writes(book), encoding="utf-8")
    assert notebooks.answers_found_wrong(path) == ["twice(3): expected 6, got 9 (1 of 2 right)"]


def test_an_answer_that_contains_itself_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    def listed(x: int) -> list[Any]:
        found: list[Any] = [x]
        found.append(found)
        return found

    check(listed, ((1,), [1]), ((2,), [2]))
    assert "expected [1], got a list that contains itself (0 of 2 right)" in capsys.readouterr().out


def test_the_cause_with_the_same_types_comes_before_one_with_the_same_values(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def halves(x: int) -> list[float]:
        return [x / 2]

    mistakes = {"whole": lambda x: [x // 2], "fractions": lambda x: [x / 2]}
    check(halves, ((4,), [3]), ((6,), [4]), mistakes=mistakes)
    assert capsys.readouterr().out.splitlines()[1:] == ["likely why: fractions"]


@pytest.mark.parametrize(
    ("keeps", "said"),
    [
        ("x", "greedy([1, 2]): the result is right, but `x` is [1] afterwards: leave it as it was, for other cells"),
        ("y z", "greedy: right, 1 of 1"),
    ],
)
def test_what_other_cells_use_is_to_stay_as_it_was(keeps: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    check(greedy, (([1, 2],), 2), keeps=keeps)
    assert capsys.readouterr().out.startswith(said)


def test_a_network_is_shown_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    network = {f"op{i}": [f"op{i + 1}"] for i in range(6)}
    check(same, ((network,), 1))
    assert "'op5': ['op6']}): expected 1" in capsys.readouterr().out
