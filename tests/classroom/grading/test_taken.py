"""What answers have in common with the course's own code is found, wherever it stands; own answers are left alone."""

from __future__ import annotations

import ast
import json
import random
import re
from collections.abc import Callable

import numpy as np
import pytest

from benchmarks.similarity import bracketed, renamed, split_up
from classroom.grading import taken
from classroom.grading.grams import GRAM, hashes, token_codes
from classroom.grading.records import Submission
from classroom.grading.reports import known_of
from classroom.grading.similarity import Known, compare_submissions
from classroom.grading.source_tokens import code
from classroom.grading.taken import CourseIndex, CourseSource, FromCourse, answers, sources_of
from classroom.register import ROOT, Lesson, load

KUIPER = '''
def order_of(graph: dict[str, list[str]], first: str = "input") -> list[str]:
    """The order in which a walk through the graph leaves its operators."""
    done: list[str] = []
    waiting = [(first, iter(graph[first]))]
    seen = {first}
    while waiting:
        name, rest = waiting[-1]
        for follower in rest:
            if follower not in seen:
                seen.add(follower)
                waiting.append((follower, iter(graph[follower])))
                break
        else:
            waiting.pop()
            done.append(name)
    # what was left last comes first
    return done[::-1]
'''
STUB = '''
def walk(graph, first):
    """Given: the names that can be reached."""
    found, waiting = {first}, [first]
    while waiting:
        for name in graph[waiting.pop()]:
            if name not in found:
                found.add(name)
                waiting.append(name)
    return sorted(found, key=lambda name: (len(name), name.lower(), -graph[name].count(first)))


def order(graph):
    # TODO order
    raise NotImplementedError("order: TODO")
'''
OWN = """
def order(graph):
    depth = dict.fromkeys(graph, 0)
    for _ in range(len(graph)):
        for one, followers in graph.items():
            depth |= {other: max(depth[other], depth[one] + 1) for other in followers}
    return sorted(graph, key=depth.get)
"""
SOURCES = [
    CourseSource("kuiper/order.py", KUIPER),
    CourseSource("lessons/04/04.ipynb cell 7", "print(sum(x * y for x in range(9)))"),
]
EXERCISES = {"order": ["order"], "other": ["other"]}


def found_in(*texts: str, sources: list[CourseSource] = SOURCES, worksheet: bool = False) -> list[FromCourse]:
    files = {"hw.py": "\n".join(texts).encode()}
    if worksheet:
        cells = [{"cell_type": "code", "metadata": {}, "source": text.splitlines(keepends=True)} for text in texts]
        files = {"worksheet.ipynb": json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}).encode()}
    known = Known(STUB, "", EXERCISES, CourseIndex(sources))
    return compare_submissions([Submission("ann", "04_graph", files)], known).taken


def as_answer(text: str) -> str:
    return text.replace("order_of", "order").replace('"""The order in which a walk', '"""My walk')


def without_types(text: str, draw: random.Random) -> str:
    del draw
    return text.replace(": dict[str, list[str]]", "").replace(": list[str]", "").replace(" -> list[str]", "")


def commented(text: str, draw: random.Random) -> str:
    del draw
    return text.replace("\n    ", "\n    # I thought\n    ").replace("\n", "\r\n")


def all_together(text: str, draw: random.Random) -> str:
    return commented(bracketed(split_up(renamed(text, draw), draw), draw), draw)


@pytest.mark.parametrize("worksheet", [False, True])
@pytest.mark.parametrize(
    "disguise", [renamed, bracketed, split_up, without_types, commented, all_together, lambda text, draw: text]
)
def test_an_answer_of_the_courses_is_found_however_it_is_dressed_up(
    disguise: Callable[[str, random.Random], str], worksheet: bool
) -> None:
    text = disguise(as_answer(KUIPER), random.Random(1))
    ast.parse(text)
    (one,) = found_in(text, OWN.replace("order", "other"), worksheet=worksheet)
    assert (one.student, one.homework, one.exercise) == ("ann", "04_graph", "order")
    assert one.share >= 0.7  # the head and the call of a helper are the student's own
    assert re.fullmatch(r"kuiper/order\.py:[2-9]-(1[89]|20)", one.where)


def test_an_answer_of_ones_own_is_left_alone() -> None:
    assert found_in(OWN) == []


def test_what_was_handed_out_does_not_count() -> None:
    sources = [CourseSource("homework/04_graph/judge/solution.py", STUB)]
    answer = STUB.replace("# TODO order", "names = walk(graph, 'input')").replace("raise Not", "return names or Not")
    assert found_in(answer, sources=sources) == []
    assert found_in(STUB.split("def order")[0].replace("walk", "order"), sources=sources) == []


def test_an_answer_of_a_line_or_two_is_left_alone_though_it_is_the_courses() -> None:
    lines = (
        "def order(graph):",
        "names = [name for name in graph if graph[name]]",
        "return sorted(names, key=len)[::-1]",
    )
    short = "\n    ".join(lines)
    assert len(code(short).tokens) > taken.RUN
    assert found_in(short, sources=[CourseSource("kuiper/short.py", short)]) == []


def test_a_little_of_the_courses_in_a_long_answer_is_left_alone() -> None:
    part = as_answer(KUIPER).split("            if follower")[0]
    rest = "".join(
        f"    for name{i} in done:\n        first += graph[name{i}] {'+-*/%@&|^'[i]} name\n" for i in range(9)
    )
    assert len(code(part).tokens) > taken.PART
    assert found_in(part + rest, sources=SOURCES) == []
    (one,) = found_in(part, sources=SOURCES)
    assert one.share > 0.9


def test_several_sources_are_named_most_first() -> None:
    second = "".join(f"    total = {'max' if i % 2 else 'min'}(total, x[{i}]) {'+-*/%@&'[i]} y\n" for i in range(7))
    sources = [CourseSource("kuiper/second.py", f"def second(x, y, total):\n{second}"), *SOURCES]
    (one,) = found_in(as_answer(KUIPER) + second.replace("total", "t"), sources=sources)
    assert [place.path for place in one.places] == ["kuiper/second.py", "kuiper/order.py"]
    assert one.share > 0.9


def test_code_beside_the_exercises_is_told_as_that() -> None:
    (one,) = found_in(OWN, KUIPER)
    assert one.exercise == ""


def test_of_equal_sources_the_first_is_named() -> None:
    sources = [CourseSource("homework/a.py", KUIPER), CourseSource("kuiper/b.py", KUIPER)]
    (one,) = found_in(as_answer(KUIPER), sources=sources)
    assert {place.path for place in one.places} == {"homework/a.py"}


def test_what_two_have_of_the_course_does_not_make_them_alike() -> None:
    index = CourseIndex([CourseSource("kuiper/order.py", KUIPER * 2 + OWN.replace("order", "depths"))])
    text = as_answer(KUIPER) + OWN.replace("order", "other")
    both = [Submission(name, "04_graph", {"hw.py": text.encode()}) for name in ("ann", "bo")]
    done = compare_submissions(both, Known(STUB, "", EXERCISES, index))
    assert {one.student for one in done.taken} == {"ann", "bo"}
    assert done.pairs == []
    assert len(compare_submissions(both, Known(STUB, "", EXERCISES)).pairs) == 1


def test_a_form_that_many_files_have_is_nobodys() -> None:
    many = [CourseSource(f"kuiper/{number}.py", KUIPER) for number in range(taken.COMMON + 1)]
    assert found_in(as_answer(KUIPER), sources=many) == []
    assert len(found_in(as_answer(KUIPER), sources=many[1:])) == 1


def test_helpers_belong_to_the_exercise_that_calls_them_first() -> None:
    text = "def deep():\n    pass\ndef help():\n    deep()\ndef other():\n    help()\ndef order():\n    help()\nx = 1"
    assert answers([text], EXERCISES) == ["order"] * 4 + ["other"] * 2 + ["order"] * 2 + [""]


@pytest.mark.parametrize("text", ["", "x", "(" * 5000, "exec('def f(x):\\n  return x\\n' * 99)", "\r" * 99, "\0def f("])
def test_any_text_can_be_looked_up(text: str) -> None:
    assert found_in(text) == []
    assert found_in(text, sources=[]) == []


def test_a_match_is_where_the_tokens_are_the_same() -> None:
    """Compared with all pairs of places, one by one."""
    draw = np.random.default_rng(3)
    words = [f"{name} = {call}({name})\n" for name in "ab" for call in ("len", "min", "max", "sum")]
    for _ in range(20):
        source = "".join(draw.choice(words, 60))
        answer = "".join(draw.choice(words, 30)) + "".join(source.splitlines(keepends=True)[20:35])
        index, codes = CourseIndex([CourseSource("a.py", source)]), token_codes(code(answer).tokens)
        there = token_codes(code(source).tokens)
        found = index.matches(codes, np.ones(len(codes), bool))
        told = set(found[0].own.tolist()) if found else set()
        grams_there = set(hashes(there).tolist())
        possible = {
            i + j for i, value in enumerate(hashes(codes).tolist()) if value in grams_there for j in range(GRAM)
        }
        near = {i for i in range(len(codes)) if any(abs(i - j) <= taken.GAP + GRAM for j in possible)}
        assert set(range(len(codes) - 75, len(codes))) & possible <= told <= near


def test_the_courses_own_sources_of_every_kind_are_in_the_index() -> None:
    paths = [one.path for one in sources_of(ROOT)]
    for kind in (
        r"homework/04_graph/judge/solution\.py",
        r"homework/04_graph/judge/(hidden|topological_order)\.py",
        r"homework/04_graph/public\.py",
        r"homework/04_graph/worksheet\.ipynb cell \d+",
        r"kuiper/graph/order\.py",
        r"lessons/04_graph/04_graph\.ipynb cell \d+",
    ):
        assert any(re.fullmatch(kind, path) for path in paths), kind
    assert not any(re.fullmatch(r"homework/[^/]+/hw\w*\.py", path) for path in paths)


@pytest.mark.slow
@pytest.mark.parametrize("lesson", [one for one in load().lessons if one.homework()], ids=lambda one: one.folder)
def test_the_worked_solution_of_every_homework_is_found_and_its_stub_is_not(lesson: Lesson) -> None:
    known = known_of(lesson)
    solution = Submission("ann", lesson.folder, {"hw.py": known.solution.encode()})
    stub = Submission("bo", lesson.folder, {"hw.py": known.given.encode()})
    done = compare_submissions([solution, stub], known)
    assert {one.student for one in done.taken} <= {"ann"}
    given = hashes(token_codes(code(known.given).tokens))
    read = code(known.solution)
    own = taken.not_given(token_codes(read.tokens), given)
    places = answers([known.solution], known.exercises)
    sizes = {
        name: sum(own[i] for i, t in enumerate(read.tokens) if places[t.line - 1] == name) for name in known.exercises
    }
    assert {one.exercise for one in done.taken} >= {name for name, size in sizes.items() if size > 1.3 * taken.PART}
