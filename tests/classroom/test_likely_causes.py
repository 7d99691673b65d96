"""Wrong answers that new students gave, and the likely cause that `check` names for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from classroom import register
from classroom.judge import Failure, run_tests
from classroom.judge.homework import public_tests
from classroom.marked import without_marks

RESNET = register.ROOT / "homework" / "08_resnet"
LANGUAGE_MODEL = register.ROOT / "homework" / "13_language_model"
WEIGHTS = 'weight, bias = weights.get(f"{name}.weight"), weights.get(f"{name}.bias")'
LINEAR = "        y = inputs[0] @ weight.T\n        return y if bias is None else y + bias\n"
SPANS = "[slice(i * length // count, -(-(i + 1) * length // count)) for i in range(count)]"
SIDES = "resize * height // shorter, resize * width // shorter"
CORNER = "round((rows - crop) / 2), round((cols - crop) / 2)"
CASES = {
    "None added as a bias": (
        "without_a_bias",
        {LINEAR: "        return inputs[0] @ weight.T + bias\n"},
        "with bias=False there is no bias",
    ),
    "None added in place": (
        "without_a_bias",
        {LINEAR: "        y = inputs[0] @ weight.T\n        y += bias\n        return y\n"},
        "with bias=False there is no bias",
    ),
    "a bias looked up that is not there": (
        "without_a_bias",
        {LINEAR: '        return inputs[0] @ weight.T + weights[f"{name}.bias"]\n'},
        "linear_3 has bias=False, so weights has no bias for it",
    ),
    "another key": (
        "one_linear_layer",
        {WEIGHTS: 'weight, bias = weights.get(f"{name}.weight"), None', LINEAR: '        return weights["fc"]\n'},
        "the keys are 'operator.attribute'",
    ),
    "weights of every type": (
        "one_relu",
        {WEIGHTS: 'weight, bias = weights[f"{name}.weight"], weights.get(f"{name}.bias")'},
        "relu_1 is a nn.ReLU: only nn.Conv2d and nn.Linear have weights",
    ),
    "the order of the file": (
        "lines_in_any_order",
        {"parts.topological_order(successors)]": "successors]"},
        "parts.topological_order was never called",
    ),
    "an operand taken out": (
        "operands_of_an_expression",
        {"[values[operand] for operand in inputs]": "[values.pop(operand) for operand in inputs]"},
        "values.pop(operand) takes an array away",
    ),
    "writer and reader exchanged": (
        "one_relu",
        {"successors[writers[operand]].append(name)": "successors[name].append(writers[operand])"},
        "It runs last if writer and reader are exchanged",
    ),
    "no entries for the successors": (
        "one_relu",
        {"successors: dict[str, list[str]] = {name: [] for _, name, *_ in operators}": "successors = {}"},
        "this operator has no entry in the dictionary",
    ),
    "all inputs for a part": (
        "one_relu",
        {"parts.relu(inputs[0])": "parts.relu(inputs)"},
        "a part takes one",
    ),
    "a return forgotten in compute": (
        "one_relu",
        {"        return parts.relu(inputs[0])\n": "        parts.relu(inputs[0])\n"},
        "does each if before it return something?",
    ),
    "None as a weight": (
        "convolution_and_pooling_with_options",
        {"(inputs[0], weight, bias, ": "(inputs[0], None, bias, "},
        "a part got None",
    ),
    "an input too many": (
        "one_linear_layer",
        {"parts.flatten(inputs[0])": "parts.flatten(inputs[1])"},
        "`inputs` has as many arrays as the operator reads",
    ),
    "the counts as an operator": (
        "one_relu",
        {"text.splitlines()[2:]": "text.splitlines()[1:]"},
        "a line was parsed that describes no operator",
    ),
    "an option of another name": (
        "convolution_and_pooling_with_options",
        {'option("groups")': 'option("group")'},
        "an option of that name is not in the operator's line",
    ),
    "no groups": (
        "convolution_and_pooling_with_options",
        {'option("groups")': "1"},
        "because this convolution has groups",
    ),
    "no stride": (
        "convolution_and_pooling_with_options",
        {'bias, option("stride")': "bias, (1, 1)"},
        "The convolutions went by another stride than their own",
    ),
    "the longer side to the nearest": (
        "the_longer_side_is_rounded_down",
        {SIDES: "round(resize * height / shorter), round(resize * width / shorter)"},
        "the longer side was rounded to the nearest: it is",
    ),
    "the longer side to the nearest, the cut rounded down": (
        "the_longer_side_is_rounded_down",
        {
            SIDES: "round(resize * height / shorter), round(resize * width / shorter)",
            CORNER: "(rows - crop) // 2, (cols - crop) // 2",
        },
        "rounded to the nearest, and the beginning of the crop down",
    ),
    "a half rounded up": (
        "the_longer_side_is_rounded_down",
        {CORNER: "(rows - crop + 1) // 2, (cols - crop + 1) // 2"},
        "the crop begins a pixel too far",
    ),
    "a result of two digits": (
        "a_picture_of_the_right_size",
        {"x.transpose(2, 0, 1)[None]": "x.transpose(2, 0, 1)[None].round(2)"},
        "the result was rounded",
    ),
    "a factor rounded to 0": (
        "the_shorter_side_counts",
        {SIDES: "resize // shorter * height, resize // shorter * width"},
        "a side became 0",
    ),
    "windows of H // h rows": (
        "five_numbers_to_three",
        {SPANS: "[slice(i * (length // count), (i + 1) * (length // count)) for i in range(count)]"},
        "all windows have H // h rows",
    ),
}


LARGEST = "scores.max(axis=3, keepdims=True)"
ONE_LARGEST = "one largest score is subtracted for several queries, as max() does"
ATTENTION = {
    "one largest of all": ("large_scores_do_not_overflow", {LARGEST: "scores.max()"}, ONE_LARGEST),
    "one largest of each head": (
        "large_scores_do_not_overflow",
        {LARGEST: "scores.max(axis=(2, 3), keepdims=True)"},
        ONE_LARGEST,
    ),
    "one largest of all heads": (
        "large_scores_do_not_overflow",
        {LARGEST: "scores.max(axis=(1, 3), keepdims=True)"},
        ONE_LARGEST,
    ),
    "no largest": (
        "large_scores_do_not_overflow",
        {f" - {LARGEST}": ""},
        "subtract each query's largest VISIBLE score",
    ),
    "upside down": (
        "the_three_tokens_of_the_lesson",
        {"np.arange(end) > np.arange(count": "np.arange(end) < np.arange(count"},
        "the mask is upside down",
    ),
    "numpy's square root": (
        "earlier_tokens_are_seen_and_later_ones_are_not",
        {"math.sqrt(width)": "np.sqrt(width)"},
        "np.sqrt(D) and np.tri are float64",
    ),
}


def cause_told(folder: Path, name: str, changes: dict[str, str], file: Path) -> str:
    """The likely cause that a test names for the solution of a homework with these changes."""
    text = without_marks((folder / "judge" / "solution.py").read_text(encoding="utf-8"))
    for old, new in changes.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")
    (test,) = (one for one in public_tests(folder) if one.name == name)
    (outcome,) = run_tests(file, [test], seed=0)
    assert isinstance(outcome.error, Failure)
    return str(outcome.error.cause)


@pytest.mark.parametrize("case", CASES)
def test_the_likely_cause_is_the_true_one(tmp_path: Path, case: str) -> None:
    name, changes, cause = CASES[case]
    assert cause in cause_told(RESNET, name, changes, tmp_path / "hw08_resnet.py")


@pytest.mark.parametrize("case", ATTENTION)
def test_the_likely_cause_of_wrong_attention_is_the_true_one(tmp_path: Path, case: str) -> None:
    name, changes, cause = ATTENTION[case]
    assert cause in cause_told(LANGUAGE_MODEL, name, changes, tmp_path / "hw13_language_model.py")
