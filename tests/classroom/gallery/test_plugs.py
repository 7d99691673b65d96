"""Every exercise in its place in every network that uses it: right answers agree, wrong ones depart where they work."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import kuiper
from classroom import gallery, register, stubs
from classroom.gallery.departure import CheckingPipeline
from classroom.gallery.piece import Callbacks, DemoOptions
from classroom.gallery.pipeline import Replacements
from classroom.gallery.plugs import PLUGS, compiler
from classroom.gallery.plugs.engine import in_small_language
from classroom.gallery.plugs.text import places_in_use
from classroom.gallery.share import uses
from classroom.tasks import all_tasks

ROOT = Path(__file__).resolve().parents[3]
spec = importlib.util.spec_from_file_location("answers", Path(__file__).with_name("answers.py"))
assert spec is not None
assert spec.loader is not None
answers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(answers)

ANSWERED = {exercise for exercise, plug in PLUGS.items() if hasattr(answers, plug.function)}
"""Exercises that answers.py solves; the function of the others is one that the homework gives, tried in test_mine."""


def checked(piece_name: str, **functions: Callable[..., Any]) -> tuple[CheckingPipeline, Replacements]:
    """The piece with these functions in it, compared with the framework's."""
    piece, replacements = gallery.find(piece_name), Replacements()
    for exercise in filter(functions.__contains__, PLUGS):
        replacements = PLUGS[exercise].attach(replacements, exercise, functions[exercise])
    pipeline = CheckingPipeline(piece.model, piece.steps, replacements)
    piece.look(pipeline, few_items(piece_name), Callbacks())
    return pipeline, replacements


def few_items(piece_name: str) -> Sequence[Any]:
    piece = gallery.find(piece_name)
    return piece.sample(DemoOptions(tokens=3 if piece_name == "write" else None), mine=True)[: piece.checked]


def answer(exercise: str) -> Any:
    return getattr(answers, PLUGS[exercise].function)


@pytest.mark.parametrize("exercise", PLUGS)
def test_every_plug_is_an_exercise_whose_stub_has_the_function(exercise: str) -> None:
    tasks = {task.id: task for task in all_tasks(register.load(ROOT))}
    names = set()
    for node in ast.parse(stubs.pristine(tasks[exercise])).body:
        names |= {node.name} if isinstance(node, ast.FunctionDef) else set()
        names |= {target.id for target in getattr(node, "targets", []) if isinstance(target, ast.Name)}
    assert PLUGS[exercise].function in names


def usable(piece_name: str) -> set[str]:
    """The exercises of which the gallery says that they have a part in the network."""
    piece = gallery.find(piece_name)
    operators = kuiper.load(piece.model).operators
    return {exercise for exercise in PLUGS if uses(piece, operators, exercise)}


def test_every_plug_has_a_part_in_some_network() -> None:
    assert set().union(*map(usable, gallery.NAMES)) == set(PLUGS)


@pytest.mark.slow
@pytest.mark.parametrize("piece_name", gallery.NAMES)
def test_right_answers_all_together_agree_and_those_that_have_a_part_are_called(piece_name: str) -> None:
    pipeline, replacements = checked(piece_name, **{exercise: answer(exercise) for exercise in ANSWERED})
    assert pipeline.departures == []
    assert set(replacements.calls) == usable(piece_name) & ANSWERED


def transposed_wrongly(*args: Any) -> np.ndarray:
    return answers.transposed_convolution(args[0], args[1][:, :, ::-1], *args[2:])


def inputs_backwards(line: str) -> Any:
    operator_type, name, inputs, *rest = answers.parse_operator(line)
    return (operator_type, name, inputs[::-1], *rest)


WRONG = {
    ("digits", "flatten"): (lambda x, row_major: x.swapaxes(1, 2).reshape(-1), "torch.flatten"),
    ("digits", "softmax"): (lambda scores: np.exp(scores), ""),
    ("digits", "leaky_relu"): (None, "nn.ReLU"),
    ("digits", "max_pool2d"): (lambda x, *options: -answers.max_pool2d(-x, *options), "nn.MaxPool2d"),
    ("digits", "im2col"): (lambda *args: answers.im2col(*args)[:, ::-1], "nn.Conv2d"),
    ("digits", "conv2d"): (lambda x, weight, bias, *options: answers.conv2d(x, weight, None, *options), "nn.Conv2d"),
    ("detect", "parse_parameter"): (
        lambda text: (4, "bilinear") if text == "nearest" else answers.parse_parameter(text),
        "nn.Upsample",
    ),
    ("segment", "parse_operator"): (inputs_backwards, "torch.cat"),
    ("classify", "adaptive_avg_pool"): (lambda x, size: x.max((2, 3), keepdims=True), "nn.AdaptiveAvgPool2d"),
    ("classify", "classifier_head"): (lambda x, w, b: answers.classifier_head(x, w, -b), ""),
    ("classify", "preprocess"): (lambda image, resize, crop: answers.preprocess(image, resize, crop)[:, ::-1], ""),
    ("detect", "sigmoid"): (None, "F.sigmoid"),
    ("detect", "letterbox"): (lambda *args: (*answers.letterbox(*args)[:2], 0, 0), ""),
    ("detect", "decode"): (lambda raw, anchors, stride: answers.decode(raw, anchors[::-1], stride), ""),
    ("detect", "non_maximum_suppression"): (lambda boxes, scores, classes, threshold: list(range(len(boxes))), ""),
    ("detect", "restore"): (lambda boxes, *args: boxes, ""),
    ("segment", "transposed_convolution"): (transposed_wrongly, "nn.ConvTranspose2d"),
    ("segment", "mean_iou"): (lambda predicted, truth, classes: (predicted == truth).mean(), ""),
    ("write", "cached_attention"): (None, "F.scaled_dot_product_attention"),
    ("write", "top_p"): (lambda probabilities, p: probabilities, ""),
    ("digits", "loop_nest"): (
        lambda *sizes: answers.loop_nest(*sizes[:3], (14, 1) if sizes[0] > 14 else (sizes[0], 1), ["bias"]).replace(
            "= bias[j]", "= 0.0"
        ),
        "nn.Conv2d",
    ),
    ("write", "axby"): (lambda w, x, b: w @ x + b + 1, "nn.Linear"),
}


class Forgetful:
    """Sigmoids that forget the sign."""

    def create(self, operator: Any) -> Any:
        return self

    def forward(self, x: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-np.abs(x)))


def sees_ahead(q: Any, k: Any, v: Any, keys: Any, values: Any, count: int) -> np.ndarray:
    end = count + q.shape[2]
    keys[:, :, count:end], values[:, :, count:end] = k, v
    shares = np.exp(q @ keys[:, :, :end].swapaxes(2, 3) / float(np.sqrt(q.shape[3])))
    return shares / shares.sum(-1, keepdims=True) @ values[:, :, :end]


@pytest.mark.slow
@pytest.mark.parametrize(("piece_name", "exercise"), WRONG)
def test_a_wrong_answer_departs_where_it_works(piece_name: str, exercise: str) -> None:
    function, operator_type = WRONG[piece_name, exercise]
    others = {"sigmoid": Forgetful(), "leaky_relu": Forgetful(), "cached_attention": sees_ahead}
    wrong = others.get(exercise, function)
    pipeline, _ = checked(piece_name, **{exercise: wrong})
    first = pipeline.departures[0]
    assert first["type"] == operator_type
    if not operator_type:
        assert first["place"] == exercise


def test_a_tile_that_is_none_and_a_text_that_is_none_are_errors_that_say_so() -> None:
    for tile in ((0, 3), (4.0, 3), [4, 3], (4, 3, 2), None):
        with pytest.raises(kuiper.KuiperError, match=r"expected \(h, v\), two ints from 1 to 64"):
            checked("digits", choose_tile=lambda *problem, tile=tile: tile)
    with pytest.raises(kuiper.KuiperError, match="loop_nest: expected the text of a function, got list"):
        checked("digits", loop_nest=lambda *problem: ["def product(x, w, bias, residual, y):"])


@pytest.mark.parametrize("there", [True, False])
def test_a_large_product_is_machine_code_where_numba_is(there: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(compiler, "numba_is_there", lambda: there)
    monkeypatch.setitem(sys.modules, "numba", SimpleNamespace(njit=lambda function: made.append(function) or function))
    x, w = np.ones((64, 200), np.float32), np.ones((200, 100), np.float32)
    monkeypatch.setattr(compiler, "COMPILED", x.size * 100 - 1)

    def naive(*sizes: Any) -> str:
        return answers.loop_nest(*sizes[:3], (14, 1), sizes[4])

    y = compiler.product_of(naive, x, w, np.arange(100, dtype=np.float32), (1, 1))
    assert np.array_equal(y, np.full((64, 1), 200) + np.arange(100))
    assert len(made) == there
    assert ("machine code of your text" in compiler.how_it_runs()) == there


def test_a_cache_that_is_not_written_is_an_error_that_says_so() -> None:
    def keeps_to_itself(q: Any, k: Any, v: Any, keys: Any, values: Any, count: int) -> np.ndarray:
        return answers.cached_attention(q, k, v, keys.copy(), values.copy(), count)

    with pytest.raises(kuiper.KuiperError, match="cached_attention did not write k to the places from 0 on"):
        checked("write", cached_attention=keeps_to_itself)


def test_a_result_of_another_element_type_is_an_error_that_says_so() -> None:
    with pytest.raises(kuiper.KuiperError, match="fc: axby: expected float32 as in its input, got float64"):
        checked("classify", axby=lambda w, x, b: w.astype(np.float64) @ x + b)


def test_plugging_in_leaves_the_courses_own_registry_as_it_is() -> None:
    before = {name: kuiper.registry.find(name) for name in kuiper.registry}
    replacements = Replacements()
    for name in PLUGS:
        replacements = PLUGS[name].attach(replacements, name, lambda *_: None)
    assert {name: kuiper.registry.find(name) for name in kuiper.registry} == before
    assert replacements.registry.find("nn.Linear") != before["nn.Linear"]


def test_expressions_that_the_homework_cannot_read_are_the_frameworks() -> None:
    assert in_small_language("add(sin(@0),mul(@1,-2.5e-3))")
    for text in ("exp(@0)", "[size(@0,1),-1]", "add(@0,e)"):
        assert not in_small_language(text)


def test_a_mask_that_says_something_else_is_not_taken_for_a_cache() -> None:
    mask = np.array([[True, False, True, False], [True, False, True, True]])
    assert places_in_use(mask, 2, 4) == 1
    assert places_in_use(np.ones((2, 4), bool), 2, 4) is None  # the first token sees the second
    assert places_in_use(np.array([[False, True, True, False], [False, True, True, True]]), 2, 4) is None
    assert places_in_use(None, 2, 4) is None
    assert places_in_use(mask.astype(float), 2, 4) is None
