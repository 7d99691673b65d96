"""Public tests of lesson 8: the head of a classifier, how a picture becomes its input, and what a framework must do."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import kuiper
from classroom.judge import Failure, Student, SubmissionError, expect, expect_refused, likely, task
from classroom.mine import networks
from classroom.mine.networks import Image, Network, Writer, random_network, shuffled
from classroom.mine.reference import answers, by_position, call_part, parsed_lines

POOL_ERRORS = {
    "slice indices must be integers": "a window's border is not a whole number: i * H // h rounds down, -(-a // b) up",
    "integer scalar": "a window's border is not a whole number: i * H // h rounds down, -(-a // b) up",
    "of size 5 into shape (1,1,1,1,3,1)": "reshape cuts equal blocks, and these windows overlap: a slice each",
    "from shape (3,) into shape (3,4)": "each picture has one mean, that of all its channels: average over axis=(2, 3) "
    "alone, which leaves (N, C)",
    "from shape (1,2) into shape (1,1)": "of a window its columns are left: a mean over axis 2 takes that axis away, "
    "and the next one moves up; axis=(2, 3) averages over both at once",
    "name 'borders' is not defined": "borders is in the lesson's notebook, and not in this file: write it here, too",
    "axis 3 is out of bounds for array of dimension 3": "a mean over one axis takes it away, and the next axis moves "
    "up: axis=(2, 3) averages over both at once",
}
HEAD_ERRORS = {
    "matmul": "the inner sizes differ: means of planes, over axes 2 and 3 and no others, are (N, C), and weight "
    "is (K, C): means @ weight.T",
    "broadcast": "a sum or maximum lost its axis: keepdims=True keeps it, so that rows line up with rows",
    "axis 1 is out of bounds for array of dimension 1": "the scores have one axis, and need two, (N, K): means "
    "over axes 2 and 3 and no others are (N, C)",
}
PREPROCESS_ERRORS = {
    "broadcast": "MEAN and STD fit an array whose last axis is the channels: calculate first, transpose later",
    "slice indices must be integers": "the cut begins or ends at no whole number: / gives a fraction, also where "
    "nothing is left over, and round gives a whole number",
    "ZeroDivisionError": "a side became 0, as resize / shorter was rounded: multiply first, resize * side // shorter",
}


@contextmanager
def only_begun(got: Any, planes: int, cause: str) -> Iterator[None]:
    """Name the cause where the first numbers of each of the planes are right, and the rest was never filled in."""
    try:
        yield
    except Failure as failure:
        expected = failure.expected
        if failure.cause is None and failure.where is not None and isinstance(expected, np.ndarray):
            right = np.isclose(got, expected, rtol=1e-5, atol=1e-5).reshape(planes, -1).all(axis=0)
            first = int(right.argmin())  # where it is wrong
            empty = np.abs(got).reshape(planes, -1)[:, first:] < 1e-30  # as np.zeros, and mostly np.empty, leave it
            failure.cause = cause if first > 0 and empty.all() else None
        raise


def expect_pooled(student: Student, oracle: Any, x: np.ndarray, size: tuple[int, int], tolerance: float) -> None:
    """Raise Failure unless the student's pooling of `x` is right."""
    with likely(POOL_ERRORS):
        got = student.adaptive_avg_pool(x, size)
    what, mistakes = f"adaptive_avg_pool of {x.shape} to {size}", oracle.pooled_mistakes(x, size)
    expected = oracle.pooled(x, size)
    with only_begun(
        got, x.shape[0] * x.shape[1], "only the first windows have their means: does `return` stand in a loop?"
    ):
        expect(got, expected, rtol=tolerance, atol=tolerance, what=what, mistakes=mistakes)


@task("adaptive_avg_pool", "windows", "sizes", "mean")
def five_numbers_to_three(student: Student, oracle: Any) -> None:
    """0 1 2 3 4 in three windows gives 0.5, 2 and 3.5: the windows are 0 1, 1 2 3 and 3 4."""
    cause = "there are more windows here than size says: count them with range(h) and range(w), not with H and W"
    exchanged = (
        "rows and columns are exchanged: h = size[0] windows go down the rows, axis 2, and w = size[1] go across"
    )
    causes = {"index 3 is out of bounds for axis 3": cause, "index 1 is out of bounds for axis 2": exchanged}
    with likely(causes):
        expect_pooled(student, oracle, np.arange(5.0).reshape(1, 1, 1, 5), (1, 3), 1e-12)
    expect_pooled(student, oracle, np.arange(5.0).reshape(1, 1, 5, 1), (3, 1), 1e-12)


@task("adaptive_avg_pool", "mean", "planes")
def one_mean_for_each_plane(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Size (1, 1) gives the mean of each plane, of every channel and every picture: what a classifier needs."""
    expect_pooled(student, oracle, rng.integers(-99, 100, (3, 4, 4, 4)).astype(np.float64), (1, 1), 1e-12)


@task("adaptive_avg_pool", "sizes", "windows", "mean", "planes")
def rows_and_columns_have_their_own_sizes(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """h windows go down and w windows to the right, each by its own formula."""
    x = rng.integers(-99, 100, (2, 2, 7, 5)).astype(np.float64)
    for size in ((3, 4), (7, 1)):
        expect_pooled(student, oracle, x, size, 1e-12)


@task("adaptive_avg_pool", "larger", "windows", "sizes", "mean", "planes")
def more_windows_than_numbers(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Three numbers in five windows: the first, the middle of two, the second, the middle of two, the third."""
    x = rng.integers(-99, 100, (2, 2, 1, 3)).astype(np.float64)
    a, b, c = x[..., 0], x[..., 1], x[..., 2]
    with likely(POOL_ERRORS):
        got = student.adaptive_avg_pool(x, (1, 5))
    expected = np.stack([a, (a + b) / 2, b, (b + c) / 2, c], axis=-1)
    what, mistakes = f"adaptive_avg_pool of {x.shape} to (1, 5)", oracle.pooled_mistakes(x, (1, 5))
    expect(got, expected, rtol=1e-12, atol=1e-12, what=what, mistakes=mistakes)
    expect_pooled(student, oracle, rng.integers(-99, 100, (1, 2, 3, 2)).astype(np.float64), (4, 5), 1e-12)


@task("adaptive_avg_pool", "exact", "windows", "sizes", "mean")
def borders_that_are_whole_numbers(student: Student, oracle: Any) -> None:
    """A window that ends exactly at a whole number ends there: 58 numbers in 14 windows, 30 in 22, 56 in 52."""
    x = np.arange(58.0) ** 3 % 101
    for length, windows in ((58, 14), (30, 22), (56, 52)):
        expect_pooled(student, oracle, x[:length].reshape(1, 1, length, 1), (windows, 1), 1e-12)
        expect_pooled(student, oracle, x[:length].reshape(1, 1, 1, length), (1, windows), 1e-12)


@task("adaptive_avg_pool", "exact", "larger", "windows", "sizes", "mean")
def borders_that_are_nearly_whole_numbers(student: Student) -> None:
    """1,199 numbers in 1,200 windows: the first, the mean of each two neighbours, the last."""
    x = np.arange(1199.0) ** 3 % 101
    expected = np.concatenate([x[:1], (x[:-1] + x[1:]) / 2, x[-1:]])
    for shape, size in (((1, 1, 1, -1), (1, 1200)), ((1, 1, -1, 1), (1200, 1))):
        with likely(POOL_ERRORS):
            got = student.adaptive_avg_pool(x.reshape(shape), size)
        expect(got, expected.reshape(shape), rtol=1e-12, atol=1e-12)


@task("adaptive_avg_pool", "mean", "windows", "sizes", "dtype")
def a_large_number_in_another_window(student: Student) -> None:
    """As many windows as numbers give the numbers, the small ones beside a very large one, too."""
    cause = (
        "running sums were subtracted, in which a large number swallows the small ones: add up each window by itself"
    )
    for dtype, large, tolerance in ((np.float32, 3e8, 1e-5), (np.float64, 3e17, 1e-12)):
        for shape in ((1, 1, 1, 4), (1, 1, 4, 1)):
            x = np.array([large, 1, 2, 3], dtype).reshape(shape)
            with likely(POOL_ERRORS):
                got = student.adaptive_avg_pool(x, shape[2:])
            swallowed = {cause: np.diff(np.cumsum(x), prepend=dtype(0)).reshape(shape)}
            what = f"the result for {large:g}, 1, 2, 3"
            expect(got, x, rtol=tolerance, atol=tolerance, what=what, mistakes=swallowed)


@task("adaptive_avg_pool", "dtype", "windows", "sizes", "mean", "planes")
def both_types_stay(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """float32 stays float32 and float64 stays float64, and both are as exact as their type."""
    for dtype, tolerance in ((np.float32, 1e-5), (np.float64, 1e-12)):
        expect_pooled(student, oracle, rng.normal(size=(1, 2, 6, 5)).astype(dtype), (3, 2), tolerance)


def network(
    rng: np.random.Generator, shape: tuple[int, ...], classes: int, dtype: Any = np.float64
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Planes and a linear layer whose scores are a few units apart."""
    x = rng.uniform(0, 2, shape) * rng.uniform(0.2, 2, (*shape[:2], 1, 1))
    weight, bias = rng.normal(size=(classes, shape[1])), rng.normal(size=classes)
    return x.astype(dtype), weight.astype(dtype), bias.astype(dtype)


def expect_head(
    student: Student, oracle: Any, x: np.ndarray, weight: np.ndarray, bias: np.ndarray, tolerance: float = 1e-9
) -> None:
    """Raise Failure unless the student's head on `x` is right."""
    with likely(HEAD_ERRORS):
        got = student.classifier_head(x, weight, bias)
    what = f"classifier_head of {x.shape} for {len(weight)} classes"
    expected, mistakes = oracle.probabilities(x, weight, bias), oracle.head_mistakes(x, weight, bias)
    with only_begun(got, 1, "only the first pictures have their probabilities: does `return` stand in the loop?"):
        expect(got, expected, atol=tolerance, what=what, mistakes=mistakes)


@task("classifier_head", "mean", "linear", "softmax")
def one_picture_and_two_classes(student: Student, oracle: Any) -> None:
    """Scores 2 + log 3 and 2 give 3/4 and 1/4; a batch of one has one row, which adds up to 1."""
    x = np.array([[[[2.0, 4.0], [1.0, 5.0]], [[1.0, 1.0], [1.0, 1.0]]]])
    weight, bias = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([np.log(3) - 1, 0.0])
    with likely(HEAD_ERRORS):
        got = student.classifier_head(x, weight, bias)
    expect(got, np.array([[0.75, 0.25]]), atol=1e-9, mistakes=oracle.head_mistakes(x, weight, bias))


@task("classifier_head", "batch", "mean", "linear", "softmax")
def every_picture_by_itself(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """In a batch each picture has its own probabilities, whatever else is in the batch."""
    expect_head(student, oracle, *network(rng, (4, 6, 3, 2), 5))
    expect_head(student, oracle, *network(rng, (4, 4, 2, 5), 4))


@task("classifier_head", "large", "batch", "mean", "linear", "softmax", "dtype")
def large_scores(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Scores near 10,000, and near -10,000, give finite probabilities."""
    for dtype, tolerance in ((np.float64, 1e-6), (np.float32, 1e-2)):
        x, weight, bias = network(rng, (3, 4, 2, 2), 6, dtype)
        for offset in (9_990, -9_990):
            expect_head(student, oracle, x, weight, bias + dtype(offset), tolerance)


@task("classifier_head", "large", "batch", "mean", "linear", "softmax")
def large_and_small_scores_together(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Pictures whose scores lie thousands apart, and a class far above the others, give finite probabilities."""
    x = np.repeat(np.array([4_000.0, -4_000.0, 0.5]), 4).reshape(3, 1, 2, 2)
    weight, bias = 1 + rng.uniform(0, 1e-4, (5, 1)), rng.normal(size=5)
    expect_head(student, oracle, x, weight, bias, 1e-6)
    expect_head(student, oracle, x, weight, bias + np.array([0.0, 9_000.0, 0.0, 0.0, -9_000.0]), 1e-6)


@task("classifier_head", "dtype", "batch", "mean", "linear", "softmax")
def floats_stay_as_wide_as_they_are(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """float32 stays float32 and float64 stays float64, and both are as exact as their type."""
    for dtype, tolerance in ((np.float32, 1e-5), (np.float64, 1e-9)):
        expect_head(student, oracle, *network(rng, (2, 8, 2, 3), 5, dtype), tolerance)


def photograph(rng: np.random.Generator, height: int, width: int) -> np.ndarray:
    """Random bytes in which red, green and blue have levels of their own."""
    return (rng.integers(0, 150, (height, width, 3)) + rng.permutation([0, 50, 100])).astype(np.uint8)


def prepared_by(student: Student, image: np.ndarray, resize: int, crop: int) -> Any:
    """What the student makes of a picture whose crop fits; that it was refused has a likely cause of its own."""
    try:
        with likely(PREPROCESS_ERRORS):
            return student.preprocess(image, resize, crop)
    except SubmissionError as error:
        if error.is_a("ValueError") and "crop" in error.message:
            error.cause = f"a crop of {crop} fits where resize is {resize}: raise ValueError only if crop > resize"
        raise


def expect_prepared(student: Student, oracle: Any, image: np.ndarray, resize: int, crop: int) -> None:
    """Raise Failure unless the student's preparation of `image` is right; likely causes are those of size and place."""
    got = prepared_by(student, image, resize, crop)
    what = f"preprocess of {image.shape} with resize={resize}, crop={crop}"
    expected, mistakes = oracle.prepared(image, resize, crop), oracle.place_mistakes(image, resize, crop)
    expect(got, expected, atol=1e-5, what=what, mistakes=mistakes)


@task("preprocess", "numbers", "axes", "dtype")
def a_picture_of_the_right_size(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Where nothing has to be resized or cut, the bytes become numbers: /255, - mean, / std, channels first."""
    image = photograph(rng, 4, 4)
    got = prepared_by(student, image, 4, 4)
    try:
        expect(got, oracle.prepared(image, 4, 4), atol=1e-5, mistakes=oracle.number_mistakes(image))
    except Failure as failure:
        near = failure.where is not None and np.allclose(got, failure.expected, atol=0.01)
        if near and any(np.allclose(got, np.round(got, digits), atol=1e-6) for digits in (2, 3, 4)):
            failure.cause = "the result was rounded: leave its numbers as they are"
        raise


@task("preprocess", "shorter", "longer", "resizing", "middle", "numbers", "axes", "dtype")
def the_shorter_side_counts(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A wide picture and a tall one keep their shape: the shorter side becomes `resize`, the middle is cut out."""
    expect_prepared(student, oracle, photograph(rng, 12, 20), 6, 2)
    expect_prepared(student, oracle, photograph(rng, 20, 12), 6, 2)
    expect_prepared(student, oracle, photograph(rng, 6, 5), 10, 6)


@task("preprocess", "middle", "shorter", "longer", "resizing", "numbers", "axes", "dtype")
def an_odd_rest_is_rounded_as_python_rounds(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Of 6 rows a cut of 3 begins at row 2, because round(1.5) is 2; of 8 columns at column 2, as round(2.5) is."""
    expect_prepared(student, oracle, photograph(rng, 6, 8), 6, 3)
    expect_prepared(student, oracle, photograph(rng, 17, 10), 10, 3)


@task("preprocess", "longer", "shorter", "resizing", "middle", "numbers", "axes", "dtype")
def the_longer_side_is_rounded_down(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """19x11 with resize 8 becomes 13x8, although 8 * 19 / 11 is 13.8; 49x98 becomes 8x16, as 8 * 98 / 49 is 16."""
    expect_prepared(student, oracle, photograph(rng, 8, 19), 9, 3)
    expect_prepared(student, oracle, photograph(rng, 19, 11), 8, 3)
    expect_prepared(student, oracle, photograph(rng, 8, 23), 9, 3)
    expect_prepared(student, oracle, photograph(rng, 49, 98), 8, 3)
    expect_prepared(student, oracle, photograph(rng, 98, 49), 8, 3)
    expect_prepared(student, oracle, photograph(rng, 7, 61), 7, 3)
    expect_prepared(student, oracle, photograph(rng, 61, 7), 7, 3)


@task("preprocess", "fits", "shorter", "longer", "resizing", "middle", "numbers", "axes", "dtype")
def a_crop_that_does_not_fit(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A crop as large as `resize` is fine; a larger one raises ValueError, even where the longer side has room."""
    expect_prepared(student, oracle, photograph(rng, 5, 9), 4, 4)
    cause = "crop is compared with something other than resize, or not at all: raise ValueError if crop > resize"
    for height, width in ((9, 16), (16, 9), (30, 30)):
        expect_refused(student.preprocess, photograph(rng, height, width), 8, 9, cause=cause)


DIGITS = Path(__file__).resolve().parents[2] / "models" / "digits"
TEXTS = "the keys are the operands' names, and these are texts: '0' and not 0."
NAMES = (
    "the dictionary was filled under names of operators, and is asked for an operand: fill it with "
    "values[outputs[0]] = ..., or with writers[operand] = name."
)
NAMES_ASKED = (
    "the keys are names of operators, and the dictionary is asked for an operand. If its lists are successors: who "
    "writes this operand? If it says who writes an operand, the operands are its keys: writers[operand] = name."
)
OPERAND_NAMES = (
    "operands are names: often '0' and '1', and they can be 'a' and 'b', too. Keep arrays and writers in a dictionary, "
    "values[operand], without int(...)."
)
UNWRITTEN = (
    "no operator is noted as the one that writes this operand. Are all lines read, from the third on, "
    "text.splitlines()[2:]? Is each operator kept under its name, of which there is one, and not under its type?"
)
NO_ENTRY = (
    "this operator has no entry in the dictionary: give each of them one, an empty list, before you add successors, "
    "{name: [] for ...}."
)
NO_ARRAY = (
    "nothing is in the dictionary under this operator's name. If it holds arrays: they are kept under the names of "
    "operands, values[outputs[0]] = ..., and read as values[operand]. If it holds operators: each is kept under its "
    "name, not its type."
)
EMPTY_AT_FIRST = (
    "the dictionary is empty when it is asked for this operand. If it says who writes an operand: note all writers "
    "first, and look for the readers afterwards. If it holds arrays: put x there before any operator reads it."
)
EMPTY_AT_START = (
    "the dictionary of arrays is empty when an operator looks for its input. Is it made once, before the loop? Does "
    "pnnx.Input run first, and put x there? It runs last if writer and reader are exchanged: the successors of an "
    "operator are those that read its result. (Lesson 3, 'Lines become a graph'.)"
)
EMPTIED = (
    "the dictionary of arrays is empty, although something has been computed. Make it once for each x, and leave in it "
    "what is there: values.pop(operand) takes an array away that another operator may read, values[operand] does not."
)
OPERANDS = (
    "parts.topological_order was given operands: {!r} is one. It orders operators, so the keys and the lists hold the "
    "operators' names; an operator that is not among them is never run, pnnx.Output either."
)
EXCHANGED = (
    "writer and reader are exchanged: the successors of an operator are those that read its result. (Lesson 8, 'Your "
    "own framework'.)"
)
UNREAD = (
    "parts.topological_order was not told that {0} reads what {1} writes: the successors of {1} were {2}. Every reader "
    "is one: append each, successors[writer].append(name)."
)
OTHER_INPUTS = (
    "parts.topological_order was not told that {0} reads what {1} writes, which is not its first input: go through all "
    "its inputs, for operand in inputs, and not only inputs[0]."
)
ONE_LIST = (
    "all operators have the same successors: dict.fromkeys(names, []) gives them ONE list, and {name: [] for name in "
    "names} makes one for each."
)
BY_TYPE = (
    "parts.topological_order was given types: {!r} is one. There can be several operators of a type, so keep each "
    "under its name."
)
NO_DICTIONARY = (
    "parts.topological_order takes a dictionary: the name of every operator -> the names of those that read its result."
)
NO_READER = "parts.topological_order was told that {0} reads what {1} writes, and it does not: compare the operands."
PREPARING = {"parse_operator", "parse_parameter", "topological_order"}
VALUES = (
    "an option is the value alone, neither the text of the line nor (type, value): "
    "parts.parse_parameter(params['{}'])[1]. (Lesson 3.)"
)
NO_CONDITION = "params['bias'] is no condition: it is a text, and 'False' is true."
NO_BIAS = (
    "with bias=False there is no bias, and weights.get gives None for it: nn.Linear is then x @ weight.T, and nothing "
    f"is added. {NO_CONDITION}"
)
NO_RESULTS = (
    "A dictionary of results computes all eight types at once: keep functions in it, lambda: parts.relu(...), and call "
    "the one that you take out."
)
NESTED_KEY = "weights has one key for an array, a text with a dot in it: weights[f'{name}.weight']."
TAKEN_OPTION = (
    "the first call found this option, and a later one does not: params.pop(...) takes it out of the operator, "
    "params[...] leaves it there."
)
READ_BY_OUTPUT = (
    "pnnx.Output writes nothing, so it has no outputs[0]: the result is what it reads, read[0] or values[inputs[0]]."
)
ORDER_OF_NAMES = (
    "parts.topological_order gives names, and not operators: keep each operator under its name, "
    "{operator[1]: operator for ...}."
)
EAGER = (
    "parts.{0} was called, and there is no {1} in this network. "
    f"{NO_RESULTS} Or is an `if` always true? kind == 'a' or 'b' is."
)
WRONG_PART = (
    "parts.{0} was called, and there is no {1} in this network. Which `if` calls it? kind == 'a' or 'b' is always true."
)
NAME_FOR_ARRAY = (
    "parts.{} was given the name of an operand, a text: compute takes the arrays, [values[operand] for operand in "
    "inputs]."
)
EVERY_X = (
    "every operator was given x, the network's input: framework hands compute the arrays of the operands that this "
    "operator reads, values[operand] for each of its inputs."
)
X_RETURNED = (
    "nn.ReLU was computed, and x itself was returned: pnnx.Output returns the array of the operand that it reads, and "
    "every other operator is given those of its own operands, too."
)
CHAINED = (
    "each operator was given what the operator before it computed: framework hands compute the arrays of the operands "
    "that this operator reads, and one of them may have been computed much earlier. (Lesson 4, 'The loop that runs a "
    "network'.)"
)
FEWER = (
    "parts.evaluate was given {} of the {} operands that its operator reads. If compute hands all of `inputs` on, the "
    "others were lost in framework: it gives compute an array for each operand of the line."
)
ONE_SAMPLE = (
    "parts.{} was given one sample of x: the parts take whole batches, so x goes through the operators once, as it is. "
    "And compute takes a LIST of arrays, [x] for one: of an array, inputs[0] is the first sample."
)
FILE_ORDER = (
    "parts.topological_order was called with the right successors, and yet the operators ran in the order of the "
    "file: go through the names that it returns."
)
LINES_CUT = (
    "only {} of {} operators were parsed. An empty line is none of those that the second line of the file counts: take "
    "all lines after the first two that are not empty."
)
CACHED = "An x was given the result of an earlier one: every x is computed anew, also where its shape was seen before."
NOTHING_LATER = (
    "A later call computed nothing: can your order be gone through only once, as a generator and iter(...) can? Make a "
    "list of it."
)
LAST_RETURNED = "The value computed last was returned: the result is what pnnx.Output reads, result = read[0]."
OPERATORS_LISTED = (
    "the lists of successors hold whole operators, or something else that is no text: parts.topological_order takes "
    "their names, append(operator[1])."
)
KEPT_NAME = (
    "parts.topological_order was given {0!r}, and this file has no such operator. If it is from an earlier file: a "
    "dictionary in a default argument is made only once; make it inside the function."
)
CAST = (
    "x and all weights are float32, and did not stay so: leave the types as they are, without astype, and without "
    "arrays of numpy's own type in between."
)
PREFIX = (
    "nn.ReLU6 begins like nn.ReLU, and is another type: compare whole types, kind in TYPES, and not how they begin or "
    "what they contain."
)
TEXT_FOR_BIAS = (
    "params['bias'] is a text, True or False, that says whether there is a bias. The array itself is "
    "weights.get(f'{name}.bias')."
)
ARRAY_FOR_LIST = "parts.evaluate takes ALL inputs of the operator, in a list: parts.evaluate(params['expr'], inputs)."
DICTIONARY_FOR_LIST = (
    "parts.evaluate takes the inputs in a list, and in no dictionary: @0 is inputs[0], and @1 is inputs[1]."
)
DESCRIPTION_FOR_ARRAY = "attributes holds descriptions such as '(4,4)f32'; the array is weights[f'{name}.weight']."
TYPE_FOR_NAME = (
    "{0!r} is an operator's type, and the dictionary is asked for it as for a name. There can be several operators of "
    "a type: note the name, writers[operand] = name."
)
NO_FUNCTION = (
    "the dictionary has nothing for the type {0}. It needs an entry for each of the eight types between pnnx.Input and "
    "pnnx.Output."
)
END_COMPUTED = (
    "compute was called for {0}, which computes nothing: framework itself puts x where pnnx.Input writes, and returns "
    "what pnnx.Output reads."
)
FELL_THROUGH = "an operator of another type came to the line of the expressions: does each if return something?"
EXPRESSION_READ = (
    "the text of an expression goes to parts.evaluate as it stands, params['expr'], and not through "
    "parts.parse_parameter."
)
BIAS_MADE = "parts.conv2d takes None where there is no bias, and no zeros: weights.get(f'{name}.bias') gives it."
UNWEIGHTED = (
    "{0} is a {1}: only nn.Conv2d and nn.Linear have weights. Look them up inside their if, or use weights.get. Or has "
    "{1} no if of its own?"
)
TAKEN_AWAY = (
    "`weights` had this key at first. weights.pop(...) takes an array away that the next call needs; weights[...] "
    "leaves it there."
)
NO_LIST = (
    "{0} has no entry in the dictionary of successors. No operator reads from it, and so it needs an empty list: "
    "{{name: [] for ...}} gives one to every operator."
)
NO_OPTION = f"this operator has no option of that name: read the options of a type inside its if. {NO_RESULTS}"
KNOWN = "{0} is among TYPES, and was refused: is the type compared with TYPES, or with PARTS?"
UNWEIGHTED_LINE = (
    "no operator of this network has weights, so one of another type came to the line of nn.Linear: does every `if` "
    "return what its part gives, and is compute left out for pnnx.Input and pnnx.Output?"
)
MORE_AXES = (
    "here nn.Linear reads an array of four axes: x @ weight.T multiplies along the last one and leaves the others as "
    "they are, without reshape, and with weight turned round and not x."
)
NUMBER_FOR_BIAS = (
    "conv2d takes an array or None for the bias, and got {!r:.20}: weights.get(f'{{name}}.bias') gives it."
)
NEVER = "parts.{0} was never called: the part computes this type, and not your own code."
CAUGHT = "an error of a part was caught: without a result of that operator the network has none. Leave out try."
FOR_EACH_READER = (
    "parts.{0} was called {1} times for {2} operator{3}: go through the order in a loop, and keep what each computes "
    "for all who read it."
)
RESULT_IN_A_LIST = "The network gives its result in a list: return the array by itself that pnnx.Output reads, read[0]."
LATER = (
    "The first call is right and a later one is not: does compute change `weights`, or does something keep values from "
    "call to call?"
)
OWN_LINES = (
    "the lines of this file are written backwards, and only parts.parse_operator can read them: take type, name and "
    "operands from what it gives."
)
OWN_ORDER = "the operators run in the list that parts.topological_order gives, and in no order of your own."
OWN_OPTIONS = (
    "here parts.parse_parameter adds 10 to each number: an option is what it gives, and neither int(...) nor eval(...) "
    "of the text."
)
BIASLESS = (
    "{} has bias=False, so weights has no bias for it: weights.get(...) gives None where weights[...] raises. "
    f"{NO_CONDITION}"
)
WEIGHTED = ("nn.Conv2d", "nn.Linear")
NO_LINE = "a line was parsed that describes no operator: leave out the first two, and empty ones."
NO_OPERAND = (
    "this list of operands is empty: pnnx.Input reads nothing, and pnnx.Output writes nothing, so inputs[0] or "
    "outputs[0] is not there. Go through all that an operator has, for operand in outputs."
)
LIST_AS_KEY = (
    "a list was taken for a key. `inputs` and `outputs` of an operator are lists, and the keys are the operands in "
    "them: outputs[0], or one after the other. A whole operator holds these lists and is no key either: its name is."
)
OPERATOR_AS_KEY = (
    "a whole operator, with the lists in it, was taken for a key: parts.topological_order takes a dictionary, the name "
    "of every operator -> the names of those that read its result."
)
NO_X = (
    "nothing is in the dictionary under this operand, and no operator has been computed yet. Is x there under the "
    "operand that pnnx.Input writes, outputs[0], whatever its name is? Does pnnx.Input run first?"
)
NO_IF = (
    "compute gave nothing for {1}: has this type an `if` of its own, spelt as in TYPES, that returns what parts.{0} "
    "gives?"
)
NO_LAST = (
    "each part was called, and the network's result is None. Does the inner function return what pnnx.Output reads? In "
    "compute, does every `if` return what its part gives{0}?"
)
NONE_MULTIPLIED = "the left of @ is None, or a single number. If nn.Linear should read an array there: {0}"
UNFLATTENED = (
    "parts.flatten was never called, so nn.Linear reads planes, and not a row for each image: torch.flatten is "
    "parts.flatten(inputs[0])."
)
NO_INPUT = (
    "`inputs` has as many arrays as the operator reads: inputs[0] is the first, and for most types the only one. "
    "pnnx.Input reads none: compute is not called for it, as it writes x."
)
WORDS = "parts.parse_operator takes a line as it is, one text, and splits it."
TAKES = {
    "conv2d": ("nn.Conv2d", 3, ("stride", "padding", "groups")),
    "max_pool2d": ("nn.MaxPool2d", 1, ("kernel_size", "stride", "padding")),
    "adaptive_avg_pool": ("nn.AdaptiveAvgPool2d", 1, ("output_size",)),
}
"""Part -> the type that it computes, the place of the first option among its arguments, its options."""
COMPUTES = {
    "relu": "nn.ReLU",
    "sigmoid": "nn.Sigmoid",
    "flatten": "torch.flatten",
    "evaluate": "pnnx.Expression",
    **{part: kind for part, (kind, _, _) in TAKES.items()},
}
"""Part -> the type that it computes."""
PARTS_OF = {kind: part for part, kind in COMPUTES.items()}
"""Type -> the part that computes it."""
TYPES_COMPUTED = {*COMPUTES.values(), "nn.Linear"}
IN_PARTS = "{0} is one of the parts, which framework and compute are given: parts.{0}(...)."
NO_VALUES = {f"{key}: expected": VALUES.format(key) for key in ("stride", "padding", "kernel_size", "output_size")}
BROKEN = {
    "KeyError: 'weight'": "the keys are 'operator.attribute': weights[f'{name}.weight'].",
    "KeyError: 'bias'": "the keys are 'operator.attribute': weights.get(f'{name}.bias').",
    ".weight'": "the keys are 'operator.attribute', as the line above says: weights[f'{name}.weight'].",
    "KeyError: 'expr'": "an operator that is no expression was taken for one: has each of the other seven types an if "
    f"that returns something, and is compute called for pnnx.Input or pnnx.Output, which are not for it? {NO_RESULTS} "
    "Lambdas made in a loop all see its last operator: lambda ..., operator=operator: ....",
    "; params is empty": f"this type has no options: read those of a type inside its if. {NO_RESULTS}",
    "; params has": "an option of that name is not in the operator's line: the line above says which are.",
    **{f"KeyError: '{key}'": NO_OPTION for key in ("stride", "padding", "groups", "kernel_size", "output_size")},
    " is empty": EMPTY_AT_FIRST,
    **{f"name '{part}' is not defined": IN_PARTS.format(part) for part in (*PREPARING, *COMPUTES)},
    "NameError": "nothing of that name is in your file: write it there, or import it at the top.",
    "KeyError": "this operand is not in the dictionary. Do the operators run in the order that parts.topological_order "
    "gives? Is x there under the operand that pnnx.Input writes, outputs[0]? And does every array stay there that "
    "somebody reads later? (Lesson 4, 'The loop that runs a network'.)",
    "read-only": "the next call reads the weights again: make a new array, y = y + bias, and write into none of them.",
    "truth value of an array": "an array is neither true nor false: ask whether `bias is not None`.",
    "'list' object has no attribute": "`inputs` is a list of arrays, and a part takes one: parts.relu(inputs[0]).",
    "'str' object has no attribute 'T'": DESCRIPTION_FOR_ARRAY,
    "'str' object has no attribute 'ndim'": DESCRIPTION_FOR_ARRAY,
    "'NoneType' object has no attribute 'T'": "weights has no such key: the keys are 'operator.attribute', such as "
    "'linear_2.weight', with a dot. Or an operator of another type came to this line: does every `if` return?",
    "for +: 'float' and 'NoneType'": NO_BIAS,
    "'add' output from dtype('O')": NO_BIAS,
    "'numpy.ndarray' object is not callable": "framework gives the result itself: it returns a function of x.",
    "'NoneType' object has no attribute": "a part got None. Either compute returns nothing for one of TYPES, or "
    "weights.get finds nothing: its keys are 'operator.attribute', and what weights.pop took is gone.",
    "'tuple' object has no attribute": "an operator is a tuple of six values: type, name, inputs, outputs, params, "
    "attributes = operator.",
    "'generator' object": "`inputs` is a generator: make a list of it, [values[operand] for operand in inputs].",
    "SimpleNamespace' object has no attribute": "parts has the functions that the docstrings of framework and compute "
    "name, and no others.",
    "expected dicts whose keys are str": DICTIONARY_FOR_LIST,
    "NoneType": "one of the two functions gives None: does framework return the inner function, and that one a result? "
    "And does compute return something for each of TYPES?",
    "found None": "one of an expression's operands is None: does compute return something for each of TYPES?",
    "index out of range": NO_INPUT,
    "RecursionError": "the functions call each other once for each operator: go through the order in a loop.",
    "unhashable type: 'numpy": "an array was taken for a key: the keys are the operands' names, values[operand].",
    "unhashable type": OPERATOR_AS_KEY,
    "SimpleNamespace' object is not subscriptable": "the functions are attributes of parts: parts.relu(...), and not "
    "parts['relu'].",
    "list indices must be integers": OPERAND_NAMES,
    "invalid literal for int": "a line was parsed that describes no operator: leave out the first two.",
    "leads to": "successors maps operators to operators, not to operands: the successors are those who read a result.",
    "weight: expected 4 axes": "a weight has 4 axes, a bias has 1: conv2d takes the weight first, then the bias.",
    "in_channels says": "the weight has fewer channels than the image, because this convolution has groups: its option "
    "groups is conv2d's last argument.",
    "expected float64 like the input": CAST,
    "is not among": "parts.evaluate takes all inputs of the operator, in a list: @1 is the second of them.",
    "(size 4 is different from 12)": "the batch went into the features: torch.flatten is parts.flatten(x), which keeps "
    "axis 0.",
    "does not have enough dimensions": "nn.Linear multiplied by None, or by a single number: its weight is "
    "weights[f'{name}.weight'].",
    "shapes (3,4) (4,4)": "* multiplies number by number: the matrix product is x @ weight.T.",
    "shapes (3,4) (4,1)": "bias[:, None] stands upright, a row for each number: the bias is (out_features,), and is "
    "added to every row of (N, out_features) as it is.",
    "dtype('<U": TEXT_FOR_BIAS,
    "shapes (4,3) (4,)": "weight @ x.T lies on its side: x @ weight.T is (N, out_features), and fits the bias.",
    "matmul": "nn.Linear's weight is (out_features, in_features): the product with (N, in_features) needs weight.T.",
    "to unpack": "parse_operator gives six values: type, name, inputs, outputs, params, attributes; "
    "parse_parameter gives a pair, (type, value).",
    "unexpected keyword": "a part has no argument of that name: compute's docstring lists their names.",
    "required positional": "a function was given too few arguments: compute's docstring lists those of the parts.",
    "positional argument": "a function was given too many arguments: compute's docstring lists those of the parts.",
    **NO_VALUES,
}
NO_ORDER = (
    "parts.topological_order was never called: in a file the lines may come in any order, and it says which operator "
    "runs after which. It takes the dictionary of successors."
)


class Calls(list[str]):
    """The names of the parts that were called.

    successors : what parts.topological_order was given last. options : (part, its options) of each call with options.
    biases : what each call of parts.conv2d had for a bias. expressions : the texts that parts.evaluate was given.
    reads : (part, the arrays that it was given) of each call that computes. line : what was parsed last.
    slip : the likely cause of an error, if a part was given something that is no array.
    """

    def __init__(self) -> None:
        super().__init__()
        self.successors: Any = None
        self.options: list[tuple[str, list[Any]]] = []
        self.biases: list[Any] = []
        self.expressions: list[Any] = []
        self.line: Any = None
        self.reads: list[tuple[str, list[Any]]] = []
        self.slip = ""

    def note(self, name: str, args: Sequence[Any]) -> None:
        """Note what the part was given."""
        if name == "topological_order":
            self.successors = args[0]
        if name == "parse_operator":
            self.line = args[0]
        if name in TAKES:
            self.options.append((name, list(map(plain, args[TAKES[name][1] :]))))
        if name == "conv2d":
            self.biases.append(args[2])
            self.slip = self.slip or TEXT_FOR_BIAS * (str(args[2]) in ("True", "False"))
            self.slip = self.slip or NUMBER_FOR_BIAS.format(args[2]) * isinstance(args[2], int | float)
        if name == "evaluate":
            self.expressions.append(args[0])
            self.slip = self.slip or ARRAY_FOR_LIST * isinstance(args[1], np.ndarray)
            self.slip = self.slip or DICTIONARY_FOR_LIST * isinstance(args[1], dict)
        if name in COMPUTES:
            read = args[1] if name == "evaluate" and isinstance(args[1], list | tuple) else args[:1]
            self.reads.append((name, list(read)))
            self.slip = self.slip or NAME_FOR_ARRAY.format(name) * any(isinstance(one, str) for one in read)

    def computed(self) -> list[str]:
        """The parts that computed something, in the order of their calls."""
        return [name for name in self if name in COMPUTES]


def plain(option: Any) -> Any:
    """An option for comparisons: a list or an array as a tuple, all else as it is."""
    option = option.tolist() if isinstance(option, np.ndarray) else option
    return tuple(option) if isinstance(option, list) else option


def is_value(option: Any) -> bool:
    """Whether an option is a number or some numbers, and neither a text nor a pair of type and value."""
    return isinstance(option, int) or (isinstance(option, tuple) and all(isinstance(one, int) for one in option))


def option_cause(network: Network, calls: Calls) -> str:
    """Which part was given other options than those of its operator's line; "" if none was."""
    lines = [call_part("parse_operator", line) for line in network.text.splitlines()[2:]]
    for part, given in calls.options:
        kind, _, keys = TAKES[part]
        read = [
            [plain(call_part("parse_parameter", params[key])[1]) for key in keys]
            for type_, _, _, _, params, _ in lines
            if type_ == kind
        ]
        if not read or given in read:
            continue
        nearest = max(read, key=lambda right: sum(a == b for a, b in zip(right, given)))
        others = [n for n, (a, b) in enumerate(zip(given, nearest)) if a != b]
        got, right = (", ".join(f"{keys[n]}={one[n]!r:.60}" for n in others) for one in (given, nearest))
        return f"parts.{part} was called with {got}, and the line of the {kind} says {right}."
    return ""


def order_cause(network: Network, given: Any) -> str:
    """What is wrong with the successors that parts.topological_order was given; "" if nothing is, or it had none."""
    lines = [line.split() for line in network.text.splitlines()[2:]]
    reads = {words[1]: words[4 : 4 + int(words[2])] for words in lines}
    writes = {words[1]: words[4 + int(words[2]) :][: int(words[3])] for words in lines}
    right = {(a, b) for a in writes for b in reads if set(writes[a]) & set(reads[b])}
    if given is not None and not isinstance(given, dict):
        return NO_DICTIONARY
    if given is None or not all(isinstance(names, list | tuple | set) for names in given.values()):
        return ""
    got = {(a, b) for a, names in given.items() for b in names if isinstance(b, str)}
    if not lists_names(given):
        return OPERATORS_LISTED
    kind = next((words[0] for words in lines if words[0] in given), "")
    if kind:
        return BY_TYPE.format(kind)
    if given and not set(given) & set(reads):
        return OPERANDS.format(next(iter(given)))
    operands = {operand for one in (reads, writes) for names in one.values() for operand in names}
    kept = next((name for name in given if name not in reads and name not in operands), None)
    if kept is not None:
        return KEPT_NAME.format(kept)
    lists = [list(names) for names in given.values()]
    if len(lists) > 1 and lists[0] and all(names == lists[0] for names in lists):
        return ONE_LIST
    if got == {(b, a) for a, b in right} != right:
        return EXCHANGED
    known = {(a, b) for a, b in got if b in reads}
    if known != got:
        return ""
    for a, b in sorted(right - got):
        if a in given and not set(writes[a]) & set(reads[b][:1]):
            return OTHER_INPUTS.format(b, a)
        if a in given:
            return UNREAD.format(b, a, list(given[a]))
    return next((NO_READER.format(b, a) for a, b in sorted(got - right)), "")


def eager_cause(network: Network, calls: Calls, says: str = EAGER) -> str:
    """That a part was called of whose type the network has no operator; "" if none was."""
    kinds = {line.split()[0] for line in network.text.splitlines()[2:]}
    part = next((name for name in calls.computed() if COMPUTES[name] not in kinds), "")
    return says.format(part, COMPUTES[part]) if part else ""


def bias_cause(network: Network, calls: Calls) -> str:
    """That parts.conv2d was given an array for a bias that the network does not have; "" if it was not."""
    lines = map(str.split, network.text.splitlines()[2:])
    biased = any(f"{words[1]}.bias" in network.weights for words in lines if words[0] == "nn.Conv2d")
    return BIAS_MADE * (not biased and any(isinstance(one, np.ndarray) for one in calls.biases))


def never_cause(network: Network, calls: Calls, says: str = NEVER, before: str = "") -> str:
    """That the network has a type whose part was never called; "" if each part was.

    before : a type; only the operators in front of the first of this type count.
    """
    kinds = [line.split()[0] for line in network.text.splitlines()[2:]]
    kinds = kinds[: kinds.index(before)] if before in kinds else kinds
    part = next((PARTS_OF[kind] for kind in kinds if kind in PARTS_OF and PARTS_OF[kind] not in calls), "")
    return says.format(part, COMPUTES[part]) if part else ""


def nothing_cause(network: Network, calls: Calls, got: Any) -> str:
    """Why the network gives None; "" if it gives something."""
    if not isinstance(got, list) or not got or got[0] is not None:
        return ""
    linear = any(line.startswith("nn.Linear ") for line in network.text.splitlines())
    return never_cause(network, calls, NO_IF) or NO_LAST.format(", and that of nn.Linear the product" * linear)


def lists_names(successors: Any) -> bool:
    """Whether parts.topological_order was given texts alone, name -> names."""
    if not isinstance(successors, dict) or not all(
        isinstance(names, list | tuple | set) for names in successors.values()
    ):
        return False
    return all(isinstance(name, str) for names in successors.values() for name in names)


def wiring_cause(student: Student, network: Network, calls: Calls) -> str:
    """That operators are given other arrays than their lines say, seen in a network of two operators; "" if not.

    What writes into its input is not taken for this: the first of the two gives an array of another shape.
    """
    write, seen = Writer(np.random.default_rng(1)), Calls()
    x = write.image(1, 2, 2)
    two = write.network(write.expression("sub(@0,@1)", write.average(x, (1, 1)), x).name)
    array = np.arange(8, dtype=np.float32).reshape(2, 1, 2, 2)
    with student.aside(), suppress(Failure, SubmissionError):
        student.run_framework(two.text, {}, [array], noted(seen))
    given = next((reads for part, reads in seen.reads if part == "evaluate"), [])
    shapes = [np.shape(one) for one in given]
    lines = [line.split() for line in network.text.splitlines()[2:]]
    reads = [(words[0], words[4 : 4 + int(words[2])]) for words in lines]
    if shapes in ([array.shape], [(2, 1, 1, 1)]):
        most = max((len(operands) for kind, operands in reads if kind == "pnnx.Expression"), default=1)
        lost = [len(read) for part, read in calls.reads if part == "evaluate" and len(read) < most]
        return FEWER.format(lost[0], most) if lost else ""
    if shapes == [array.shape] * 2:
        return EVERY_X
    writes = [words[4 + int(words[2]) :][: int(words[3])] for words in lines]
    straight = all(set(operands) <= set(before) for before, (_, operands) in zip(writes, reads[1:]))
    return CHAINED * (shapes == [(2, 1, 1, 1)] * 2 and not straight)


def sample_cause(calls: Calls, inputs: Sequence[np.ndarray]) -> str:
    """That a part was given one sample of a batch; "" if none was."""
    batches = [x for x in inputs if len(x) > 1]
    ones = [one for x in batches for one in (x[0], x[:1])]
    found = (part for part, read in calls.reads if any(np.array_equal(array, one) for array in read for one in ones))
    return ONE_SAMPLE.format(part) if (part := next(found, "")) else ""


def lines_cause(text: str, calls: Calls) -> str:
    """That lines of a file with empty lines in it were not parsed; "" if all were."""
    lines = text.splitlines()[2:]
    written, parsed = sum(map(bool, map(str.strip, lines))), calls.count("parse_operator")
    return LINES_CUT.format(parsed, written) if written < len(lines) and 0 < parsed < written else ""


def last_cause(got: Any, network: Network, inputs: Sequence[np.ndarray]) -> str:
    """That another operand was returned than the one that pnnx.Output reads; "" if not. Its line comes last."""
    *lines, output = network.text.splitlines()
    words = output.split()
    for line in map(str.split, lines[2:]):
        operand = line[4 + int(line[2])]
        if line[0] == "pnnx.Input" or operand == words[4]:
            continue
        other = " ".join([*words[:4], operand, *words[5:]])
        with suppress(Failure):
            expect(got, answers(replace(network, text="\n".join([*lines, other]) + "\n"), inputs), rtol=1e-4, atol=1e-4)
            return LAST_RETURNED
    return ""


def file_order_cause(student: Student, network: Network, calls: Calls, inputs: Sequence[np.ndarray]) -> str:
    """That the network is right as long as its lines stand in order, though topological_order was asked; else ""."""
    if "topological_order" not in calls or not inputs:
        return ""
    right = False
    with student.aside(), suppress(Failure, SubmissionError):
        got = student.run_framework(network.text, network.weights, list(inputs), call_part)
        expect(got, answers(network, inputs), rtol=1e-4, atol=1e-4)
        right = True
    return FILE_ORDER * right


def loop_cause(
    student: Student,
    network: Network,
    calls: Calls,
    inputs: Sequence[np.ndarray],
    text: str | None,
    got: Any = None,
) -> str:
    """What is wrong with the order or the arrays that `framework` goes through; "" if nothing is."""
    return (
        sample_cause(calls, inputs)
        or wiring_cause(student, network, calls)
        or (text is not None and got is not None and last_cause(got, network, inputs))
        or (text is not None and file_order_cause(student, network, calls, inputs))
        or ""
    )


def causes(network: Network, calls: Calls) -> dict[str, str]:
    """Words of an error -> the likely cause, for a framework that was to compute this network and made these calls."""
    ordered = "topological_order" in calls
    kinds = {name: kind for kind, name, *_ in map(str.split, network.text.splitlines()[2:])}
    by_parts = [kind for kind in kinds.values() if kind in COMPUTES.values()]
    found = {f"KeyError: '{key}'": TAKEN_AWAY for key in network.weights}
    found |= {f"KeyError: '{name}'; weights": NESTED_KEY for name, kind in kinds.items() if kind in WEIGHTED}
    if by_parts and len(calls.computed()) >= len(by_parts):  # x went through all of it once
        options = {key for kind, _, keys in TAKES.values() for key in keys if kind in by_parts}
        options |= {"expr"} if "pnnx.Expression" in by_parts else set()
        found |= {f"KeyError: '{key}'": TAKEN_OPTION for key in sorted(options)}
        if list(kinds.values())[-2] != "nn.Linear":
            found["index out of range"] = READ_BY_OUTPUT
            if "expr" not in options:
                found["KeyError: 'expr'"] = f"{FELL_THROUGH} Or {END_COMPUTED.format('pnnx.Output')}"
    if ordered:
        found["to unpack (expected 6"] = ORDER_OF_NAMES
    for kind in kinds.values():
        says = TYPE_FOR_NAME if not ordered else NO_FUNCTION if kind in TYPES_COMPUTED else END_COMPUTED
        found[f"KeyError: '{kind}'"] = says.format(kind)
    if not set(kinds.values()) & set(WEIGHTED):
        found["'NoneType' object has no attribute 'T'"] = UNWEIGHTED_LINE
    for name, kind in kinds.items():
        if kind not in WEIGHTED:
            found[f"KeyError: '{name}."] = UNWEIGHTED.format(name, kind)
        elif f"{name}.bias" not in network.weights:
            found[f"KeyError: '{name}.bias'"] = BIASLESS.format(name)
        found[f"KeyError: '{name}'"] = NO_ARRAY if ordered else NO_ENTRY
        found[f"leads to '{name}'"] = NO_LIST.format(name)
    found |= {"KeyError: 0": TEXTS, "KeyError: 1": TEXTS}
    operands = {word for line in network.text.splitlines()[2:] for word in line.split()[4:] if "=" not in word}
    found |= {f"invalid literal for int() with base 10: '{one}'": OPERAND_NAMES for one in sorted(operands)}
    named = NAMES if ordered else NAMES_ASKED  # arrays come after the order
    found |= {f"{before} '{name}'": named for name in kinds for before in (" has", ",")}
    if calls[-1:] == ["parse_operator"]:
        described = isinstance(calls.line, str) and len(calls.line.split()) >= 4
        found |= {"index out of range": NO_OPERAND if described else NO_LINE, "'list' object has no attribute": WORDS}
    if not ordered or lists_names(calls.successors):
        found["unhashable type: 'list'"] = LIST_AS_KEY
    gave_nothing = (
        never_cause(network, calls, NO_IF, "nn.Linear") or "does every `if` of compute return what its part gives?"
    )
    found["operand 0 does not have enough"] = NONE_MULTIPLIED.format(gave_nothing)
    if "torch.flatten" in kinds.values() and "flatten" not in calls:
        of_a_batch = "(size 4 is different from 12)"
        found |= {of_a_batch: BROKEN[of_a_batch], "mismatch in its core dimension": UNFLATTENED}
    skipped = calls.computed() and never_cause(network, calls, NO_IF, COMPUTES[calls.computed()[-1]])
    if skipped:
        of_weights = "'NoneType' object has no attribute 'T'"
        found.setdefault(of_weights, BROKEN[of_weights])
        found["'NoneType' object has no attribute"] = skipped
    empty = EMPTIED if calls.computed() else EMPTY_AT_START if ordered else EMPTY_AT_FIRST
    now = {" is empty": empty}
    if not ordered or not calls.computed():
        now["KeyError"] = NO_X if ordered else UNWRITTEN
    return found | {words: cause for words, cause in (BROKEN | now).items() if words not in found}


def noted(calls: Calls, call: Callable[..., Any] = call_part) -> Callable[..., Any]:
    """The parts as one function that notes the name of each part it calls."""

    def the_parts(name: str, /, *args: Any, **options: Any) -> Any:
        calls.append(name)
        with suppress(TypeError):  # as the part raises it
            calls.note(name, by_position(name, args, options))
        return call(name, *args, **options)

    return the_parts


@contextmanager
def explained(
    network: Network,
    calls: Calls,
    student: Student | None = None,
    inputs: Sequence[np.ndarray] = (),
    text: str | None = None,
) -> Iterator[None]:
    """Name the likely cause of an error; `calls` : the parts that were called before it.

    student : is asked to run another network, if this does not end the search. text : the lines in another order.
    """
    try:
        yield
    except SubmissionError as error:
        error.cause = (
            calls.slip
            or lines_cause(text or "", calls)
            or order_cause(network, calls.successors)
            or refusal_cause(network, calls, error)
            or (NOTHING_LATER * computed_nothing(network, calls, inputs, error))
            or (student and error.kind == "raise" and loop_cause(student, network, calls, inputs, text))
            or bias_cause(network, calls)
            or eager_cause(network, calls)
            or None
        )
        if error.cause:
            raise
        error.cause, found = option_cause(network, calls) or None, causes(network, calls)
        if error.cause and all(is_value(one) for _, options in calls.options for one in options):
            found = {words: cause for words, cause in found.items() if words not in NO_VALUES}
        with likely(found):
            raise


def computed_nothing(network: Network, calls: Calls, inputs: Sequence[np.ndarray], error: SubmissionError) -> bool:
    """Whether the error looks as if no operator ran for the second of several inputs."""
    kinds = [line.split()[0] for line in network.text.splitlines()[2:]]
    once = len(inputs) > 1 and len(calls.computed()) == sum(kind in COMPUTES.values() for kind in kinds)
    emptied = " is empty" in error.message and not re.search("(params|weights) is empty", error.message)
    return once and (error.type == "UnboundLocalError" or emptied)


def refusal_cause(network: Network, calls: Sequence[str], error: SubmissionError) -> str:
    """That a type was refused which is among TYPES; "" if none was."""
    if not error.is_a("ValueError") or set(calls) != {"parse_operator"}:
        return ""
    kinds = [line.split()[0] for line in network.text.splitlines()[2:]]
    return next((KNOWN.format(kind) for kind in kinds if kind in error.message), "")


def expect_network(
    student: Student,
    oracle: Any,
    network: Network,
    inputs: Sequence[np.ndarray],
    text: str | None = None,
    calls: Calls | None = None,
) -> None:
    """Raise Failure unless the student's framework computes the network.

    text : its lines in another order. calls : takes the names of the parts that are called.
    """
    calls = Calls() if calls is None else calls
    with explained(network, calls, student, inputs, text):
        got = student.run_framework(text or network.text, network.weights, list(inputs), noted(calls))
    names = [f"for an input of shape {x.shape}" for x in inputs]
    expected, mistakes = oracle.outputs(network.text, network.weights, list(inputs)), {}
    if text is None:
        mistakes = oracle.outputs_mistakes(network.text, network.weights, list(inputs))
    try:
        expect(got, expected, rtol=1e-4, atol=1e-4, what="the output", names=names, mistakes=mistakes)
    except Failure as failure:
        results = got if isinstance(got, list) else []
        stale = any(a is not None and np.array_equal(a, b) for a, b in itertools.combinations(results, 2))
        nothing = any(one is None for one in results) and right_at_first(got, expected)
        failure.cause = (
            calls.slip
            or lines_cause(text or "", calls)
            or order_cause(network, calls.successors)
            or nothing_cause(network, calls, got)
            or (RESULT_IN_A_LIST * in_a_list(got))
            or (CAST * wider(got, expected))
            or (NOTHING_LATER * nothing)
            or (CACHED * stale)
            or loop_cause(student, network, calls, inputs, text, got)
            or option_cause(network, calls)
            or (" wrote into " in (failure.cause or "") and never_cause(network, calls))
            or failure.cause
            or (LATER * right_at_first(got, expected))
            or eager_cause(network, calls, WRONG_PART)
            or never_cause(network, calls)
            or None
        )
        raise


def in_a_list(got: Any) -> bool:
    """Whether a network gave a list or tuple with an array in it."""
    first = got[0] if isinstance(got, list) and got else None
    return isinstance(first, list | tuple) and any(isinstance(one, np.ndarray) for one in first)


def wider(got: Any, expected: Sequence[np.ndarray]) -> bool:
    """Whether the results are right but for their element type."""
    if not isinstance(got, list) or not all(isinstance(one, np.ndarray) for one in got):
        return False
    with suppress(Failure):
        expect([one.astype(np.float32) for one in got], expected, rtol=1e-4, atol=1e-4)
        return any(one.dtype == np.float64 for one in got)
    return False


def right_at_first(got: Any, expected: Sequence[np.ndarray]) -> bool:
    """Whether the first of several calls gave what it should."""
    if len(expected) < 2 or not isinstance(got, list):
        return False
    try:
        expect(got[:1], expected[:1], rtol=1e-4, atol=1e-4)
    except Failure:
        return False
    return True


@task("framework", "ends", "parts")
def one_relu(student: Student) -> None:
    """The three lines of the docstring's example, input, nn.ReLU and output, are a network: -1, 2 becomes 0, 2."""
    network = Network("7767517\n3 2\npnnx.Input in 0 1 a\nnn.ReLU relu 1 1 a b\npnnx.Output out 1 0 b\n", {}, (2,))
    calls = Calls()
    with explained(network, calls):
        got = student.run_framework(network.text, {}, [np.array([[-1.0, 2.0]], np.float32)], noted(calls))
    expected = np.array([[0.0, 2.0]], np.float32)
    mistakes = {
        "`inputs` is a list of arrays, and a part takes one: parts.relu(inputs[0])": [expected[None]],
        RESULT_IN_A_LIST: [[expected]],
        "compute was given an array, and not a list of arrays, so its inputs[0] is one sample: hand it [array]": [
            expected[0]
        ],
        (X_RETURNED if "relu" in calls else NEVER.format("relu")): [np.array([[-1.0, 2.0]], np.float32)],
    }
    try:
        expect(got, [expected], what="the output", mistakes=mistakes)
    except Failure as failure:
        failure.cause = failure.cause or nothing_cause(network, calls, got) or None
        raise


@task("framework", "linear", "weights")
def one_linear_layer(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """torch.flatten and nn.Linear: x @ weight.T + bias, for a batch of three."""
    write = Writer(rng)
    network = write.network(write.linear(write.image(1, 2, 2), 4))
    expect_network(student, oracle, network, [network.batch(rng, 3)])


@task("framework", "options")
def convolution_and_pooling_with_options(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """nn.Conv2d, nn.MaxPool2d and nn.AdaptiveAvgPool2d go by the stride, padding, groups and sizes of their lines."""
    write = Writer(rng)
    y = write.conv(write.image(4, 8, 9), 6, (3, 2), (2, 1), (1, 2), groups=2)
    y = write.average(write.max_pool(y, (2, 3), (1, 2), (1, 0)), (3, 2))
    network = write.network(y.name)
    expect_network(student, oracle, network, [network.batch(rng, 2)])


@task("framework", "weights")
def weights_of_their_own(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Three convolutions in a row have three weights and three biases."""
    write = Writer(rng)
    y = write.image(2, 4, 5)
    for _ in range(3):
        y = write.conv(y, 2)
    network = write.network(y.name)
    expect_network(student, oracle, network, [network.batch(rng, 2)])


@task("framework", "bias", "weights", "linear")
def without_a_bias(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A convolution and a linear layer with bias=False have a weight and no bias: conv2d is given None for it."""
    write = Writer(rng)
    y = write.conv(write.image(2, 3, 3), 2, bias=False)
    network, calls = write.network(write.linear(y, 3, bias=False)), Calls()
    expect_network(student, oracle, network, [network.batch(rng, 2)], calls=calls)
    made = [one for one in calls.biases if one is not None]
    if made:
        failure = Failure(f"expected None for the bias that parts.conv2d is given, got {plain(made[0])!r:.80}")
        failure.cause = BIAS_MADE
        raise failure


@task("framework", "kept", "shared")
def what_is_read_stays_as_it_is(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """sub(@0,@1) of nn.ReLU's result and its input, and likewise of nn.Sigmoid and mul(@0,2): the input stays."""
    for kind in ("nn.ReLU", "nn.Sigmoid", "pnnx.Expression"):
        write = Writer(rng)
        x = write.image(2, 3, 4)
        y = write.expression("mul(@0,2)", x) if kind == "pnnx.Expression" else write.each(kind, x)
        network = write.network(write.expression("sub(@0,@1)", y, x).name)
        expect_network(student, oracle, network, [network.batch(rng, 2)])


@task("framework", "kept", "shared", "linear", "weights")
def what_a_linear_layer_reads_stays_as_it_is(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """sub(@0,@1) of nn.Linear's result and its input, which has as many numbers: the input stays."""
    write = Writer(rng)
    x = write.flat(write.image(1, 2, 3))
    y = write.dense(x, 6, 6)
    network = write.network(write.add("pnnx.Expression", [y, x], {"expr": "sub(@0,@1)"}, stem="pnnx_expr"))
    expect_network(student, oracle, network, [network.batch(rng, 2)])


@task("framework", "linear", "weights")
def a_linear_layer_over_rows(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """nn.Linear without torch.flatten before it: every row of an image becomes other numbers, x @ weight.T + bias."""
    write = Writer(rng)
    network = write.network(write.dense(write.image(2, 4, 3).name, 3, 5))
    try:
        expect_network(student, oracle, network, [network.batch(rng, 2)])
    except Failure as failure:
        if failure.cause in (None, BROKEN["matmul"]):
            failure.cause = MORE_AXES
        raise


@task("framework", "expression", "shared")
def operands_of_an_expression(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """sub(@0,@1) takes the second input from the first, and one operand can be both @0 and @1."""
    write = Writer(rng)
    x = write.image(2, 3, 4)
    y = write.expression("sub(@0,@1)", write.each("nn.Sigmoid", x), x)
    network = write.network(write.expression("mul(sub(@0,2),div(@1,4))", y, y).name)
    expect_network(student, oracle, network, [network.batch(rng, 2)])


@task("framework", "shared", "weights")
def a_way_around(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Two convolutions, and a short cut around them: the input of the first is read once more at the end."""
    write = Writer(rng)
    network = write.network(networks.residual(write, write.image(2, 5, 4)).name)
    expect_network(student, oracle, network, [network.batch(rng, 2)])


@task("framework", "order")
def lines_in_any_order(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A chain whose lines stand backwards in the file, and in no order at all."""
    write = Writer(rng)
    y = write.image(1, 4, 4)
    for i in range(5):
        y = write.expression("sub(1,@0)", y) if i % 2 else write.each("nn.Sigmoid", y)
    network = write.network(y.name)
    x = network.batch(rng, 2)
    head, lines = network.text.splitlines()[:2], network.text.splitlines()[2:]
    for text in ("\n".join([*head, *lines[::-1]]) + "\n", shuffled(network.text, rng)):
        calls = Calls()
        with explained(network, calls):
            student.run_framework(text, network.weights, [], noted(calls))
        try:
            expect_network(student, oracle, network, [x], text, calls)
        except Failure as failure:
            if "topological_order" not in calls:
                failure.cause = NO_ORDER
            raise


@task("framework", "order", "shared")
def an_operand_that_comes_late(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """sub(@0,@1) waits for both its operands, whichever of them comes late, and wherever its line stands."""
    for swapped in (False, True):
        write = Writer(rng)
        x = late = write.image(1, 2, 3)
        for _ in range(3):
            late = write.each("nn.Sigmoid", late)
        network = write.network(write.expression("sub(@0,@1)", *((late, x) if swapped else (x, late))).name)
        head, lines = network.text.splitlines()[:2], network.text.splitlines()[2:]
        batch = network.batch(rng, 2)
        expect_network(student, oracle, network, [batch])
        text = "\n".join([*head, lines[0], lines[-2], *lines[1:-2], lines[-1]]) + "\n"
        expect_network(student, oracle, network, [batch], text)


@task("framework", "lines")
def empty_lines(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Empty lines, in the middle and at the end, mean nothing."""
    write = Writer(rng)
    network = write.network(write.each("nn.Sigmoid", write.image(1, 2, 3)).name)
    lines = network.text.splitlines()
    text = "\n".join([*lines[:3], "", *lines[3:], "", "", ""])
    expect_network(student, oracle, network, [network.batch(rng, 2)], text)


@task("framework", "ends", "shared", "order")
def a_result_that_nobody_reads(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """What pnnx.Output reads is the result, and not what was computed last."""
    write = Writer(rng)
    x = write.image(1, 2, 3)
    y = write.each("nn.Sigmoid", x)
    write.expression("mul(@0,3)", write.expression("add(@0,1)", y))
    network = write.network(y.name)
    x = network.batch(rng, 2)
    expect_network(student, oracle, network, [x])
    head, lines = network.text.splitlines()[:2], network.text.splitlines()[2:]
    expect_network(student, oracle, network, [x], "\n".join([*head, lines[-1], *lines[:-1]]) + "\n")


@task("framework", "once", "shared")
def each_operator_once(student: Student, rng: np.random.Generator) -> None:
    """An operator whose result is read by three others is computed once: its part is called once."""
    write = Writer(rng)
    y = write.each("nn.Sigmoid", write.image(1, 2, 2))
    y = write.expression("add(add(@0,@1),@2)", *(write.each("nn.ReLU", y) for _ in range(3)))
    network = write.network(y.name)
    calls, x = Calls(), network.batch(rng, 2)
    with explained(network, calls):
        student.run_framework(network.text, {}, [x], noted(calls))
    expected = {"sigmoid": 1, "relu": 3, "evaluate": 1}
    for name, count in expected.items():
        try:
            expect(calls.count(name), count, what=f"how often parts.{name} was called")
        except Failure as failure:
            found = calls.count(name)
            said = FOR_EACH_READER.format(name, found, count, "s" * (count > 1)) if found else NEVER.format(name)
            failure.cause = sample_cause(calls, [x]) or (said if found > count or not found else None)
            raise


@task("framework", "parts")
def whatever_the_parts_compute(student: Student) -> None:
    """Parts that compute something else give another result: the framework calls them, and computes nothing else."""
    write = Writer(np.random.default_rng(1))
    y = write.each("nn.Sigmoid", write.each("nn.ReLU", write.image(1, 4, 4)))
    y = write.average(write.max_pool(write.conv(y, 1), (3, 3), (1, 1), (1, 1)), (4, 4))
    y = write.expression("add(@0,1)", y)
    network = write.network(write.add("torch.flatten", [y.name], {"end_dim": -1, "start_dim": 1}))
    adding = ("relu", "sigmoid", "conv2d", "max_pool2d", "adaptive_avg_pool", "flatten", "evaluate")

    def adds(name: str, /, *args: Any, **options: Any) -> Any:
        if name not in adding:
            return call_part(name, *args, **options)
        args = by_position(name, args, options)
        return (args[1][0] if name == "evaluate" else args[0]) + np.float32(10 ** adding.index(name))

    x = np.zeros((2, 1, 4, 4), np.float32)
    calls = Calls()
    with explained(network, calls):
        got = student.run_framework(network.text, network.weights, [x], noted(calls, adds))
    what = "the output, where relu adds 1, sigmoid 10, conv2d 100 and so on"
    try:
        expect(got, [x + np.float32(1_111_111)], what=what)
    except Failure as failure:
        failure.cause = next((NEVER.format(name) for name in adding if name not in calls), failure.cause)
        raise


@task("framework", "parts")
def an_error_of_a_part(student: Student) -> None:
    """An error that a part raises is not caught, whichever part it is: whoever calls the network sees it."""
    for part in ("sigmoid", *(part for part in COMPUTES if part != "sigmoid")):
        expect_error_of(student, part)


def expect_error_of(student: Student, part: str) -> None:
    """Raise Failure unless whoever calls a network sees the error of this part."""
    write = Writer(np.random.default_rng(1))
    x, kind = write.image(1, 2, 2), COMPUTES[part]
    made: dict[str, Callable[[], Image]] = {
        "conv2d": lambda: write.conv(x, 1),
        "max_pool2d": lambda: write.max_pool(x, (1, 1), (1, 1), (0, 0)),
        "adaptive_avg_pool": lambda: write.average(x, (2, 2)),
        "evaluate": lambda: write.expression("mul(@0,2)", x),
        "flatten": lambda: replace(x, name=write.flat(x)),
    }
    y = made[part]() if part in made else write.each(kind, x)
    network = write.network(write.each("nn.ReLU" if part == "sigmoid" else "nn.Sigmoid", y).name)
    calls, said = Calls(), f"this {part} has no result"

    def fails(name: str, /, *args: Any, **options: Any) -> Any:
        if name == part:
            raise ValueError(said)
        return call_part(name, *args, **options)

    try:
        with explained(network, calls):
            student.run_framework(
                network.text, network.weights, [np.zeros((2, 1, 2, 2), np.float32)], noted(calls, fails)
            )
    except SubmissionError as error:
        if said in error.message:
            return
        error.cause = error.cause or (CAUGHT if part in calls else None)
        raise
    failure = Failure(f"expected the ValueError that parts.{part} raised, {said!r}, and the network gave a result")
    failure.cause = CAUGHT if part in calls else NEVER.format(part)
    raise failure


@task("framework", "options", "expression")
def whatever_the_options_are(student: Student, rng: np.random.Generator) -> None:
    """Options are what parts.parse_parameter gives, here by one that adds 10 to each number; expr stays a text."""
    write = Writer(rng)
    y = write.conv(write.image(4, 8, 9), 6, (3, 2), (2, 1), (1, 2), groups=2)
    y = write.average(write.max_pool(y, (2, 3), (1, 2), (1, 0)), (3, 2))
    network = write.network(write.expression("mul(@0,3)", y).name)

    def lies(name: str, /, *args: Any, **options: Any) -> Any:
        if name in TAKES:
            return by_position(name, args, options)[0]
        if name == "evaluate":
            return by_position(name, args, options)[1][0]
        given = call_part(name, *args, **options)
        if name != "parse_parameter":
            return given
        kind, value = given
        if isinstance(value, str):
            return kind, "not expr"
        return kind, [one + 10 for one in value] if isinstance(value, list | tuple) else value + 10

    calls = Calls()
    with explained(network, calls):
        student.run_framework(network.text, network.weights, [network.batch(rng, 1)], noted(calls, lies))
    right = {
        "conv2d": [(12, 11), (11, 12), 12],
        "max_pool2d": [(12, 13), (11, 12), (11, 10)],
        "adaptive_avg_pool": [(13, 12)],
    }
    given = dict(calls.options)
    for part, options in right.items():
        names = TAKES[part][2]
        try:
            expect(given.get(part), options, what=f"what parts.{part} was given", names=names)
        except Failure as failure:
            failure.cause = OWN_OPTIONS if part in given else NEVER.format(part)
            raise
    try:
        expect(calls.expressions[-1:], ["mul(@0,3)"], what="what parts.evaluate was given")
    except Failure as failure:
        failure.cause = EXPRESSION_READ if calls.expressions else NEVER.format("evaluate")
        raise


@task("framework", "lines")
def whatever_the_lines_look_like(student: Student, rng: np.random.Generator) -> None:
    """Lines are read by parts.parse_operator alone: here by one that reads a file whose lines are written backwards."""
    write = Writer(rng)
    network = write.network(write.each("nn.ReLU", write.each("nn.Sigmoid", write.image(1, 2, 3))).name)
    head, lines = network.text.splitlines()[:2], network.text.splitlines()[2:]
    text = "\n".join([*head, *(line[::-1] for line in lines)]) + "\n"

    def backwards(name: str, /, *args: Any, **options: Any) -> Any:
        if name != "parse_operator":
            return call_part(name, *args, **options)
        (line,) = by_position(name, args, options)
        return call_part(name, line[::-1])

    x, calls = network.batch(rng, 2), Calls()
    try:
        got = student.run_framework(text, {}, [x], noted(calls, backwards))
        expect(got, [call_part("sigmoid", x)], rtol=1e-4, atol=1e-4, what="the output")
    except (Failure, SubmissionError) as wrong:
        wrong.cause = OWN_LINES if "topological_order" not in calls else None
        raise


@task("framework", "order", "shared", "once", "deep")
def whatever_the_order_is(student: Student, rng: np.random.Generator) -> None:
    """Where nn.ReLU and nn.Sigmoid can run in either order, they run in the one that parts.topological_order gives."""
    write = Writer(rng)
    x = write.image(1, 2, 3)
    network = write.network(write.expression("sub(@0,@1)", write.each("nn.ReLU", x), write.each("nn.Sigmoid", x)).name)
    names = [line.split()[1] for line in network.text.splitlines()[2:]]
    for first, second in ((1, 2), (2, 1)):
        order = [names[0], names[first], names[second], *names[3:]]
        calls = Calls()

        def orders(name: str, /, *args: Any, order: list[str] = order, **options: Any) -> Any:
            return order if name == "topological_order" else call_part(name, *args, **options)

        with explained(network, calls):
            student.run_framework(network.text, {}, [network.batch(rng, 1)], noted(calls, orders))
        computing = [name for name in calls if name in ("relu", "sigmoid")]
        expected = ["relu", "sigmoid"] if first == 1 else ["sigmoid", "relu"]
        try:
            expect(computing, expected, what="the parts, as they were called")
        except Failure as failure:
            failure.cause = OWN_ORDER if "topological_order" in calls else NO_ORDER
            raise


@task("framework", "again", "kept", "weights", "shared")
def one_input_after_another(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """The same network, with operators of all types, is called four times, with batches of 2, 1, 3 and 2 again."""
    write = Writer(rng)
    y = write.conv(write.each("nn.Sigmoid", write.each("nn.ReLU", write.image(1, 4, 4))), 2)
    y = write.average(write.max_pool(y, (2, 2), (1, 1), (0, 0)), (2, 3))
    network = write.network(write.linear(write.expression("mul(@0,sub(1,@1))", y, y), 3))
    expect_network(student, oracle, network, [network.batch(rng, count) for count in (2, 1, 3, 2)])


NO_TYPE_CHECK = (
    "framework has to compare the type of every operator with TYPES, kind not in TYPES, before it returns the inner "
    "function. How a type begins says too little, and an operator that is left out is not refused."
)
LEFT_OUT = (
    "this error came up by accident, after the operator was left out or let through: refuse its type, with raise "
    "ValueError(...), before anything else is done with it."
)


def by_accident(student: Student, error: SubmissionError | None, kind: str) -> bool:
    """Whether an exception stands on no `raise`, and does not have the operator's type in its message."""
    if error is None or error.kind != "raise" or error.line is None or kind in error.message:
        return False
    return "raise" not in student.line_of(error).split()


def with_strange_operator(rng: np.random.Generator) -> tuple[Network, str, str]:
    """A network with a type that is not among TYPES, this type, and the operator's name."""
    write = Writer(rng)
    kind = str(rng.choice(["nn.GELU", "F.softmax", "torch.cat", "nn.BatchNorm2d"]))
    y = write.add(kind, [write.each("nn.ReLU", write.image(1, 2, 2)).name], stem="odd")
    name = f"odd_{len(write.lines) - 1}"
    return write.network(y), kind, name


@task("framework", "unknown")
def a_type_that_is_not_known(student: Student, rng: np.random.Generator) -> None:
    """An operator of another type, nn.ReLU6 too, is refused with a ValueError before the network has an input."""
    network, kind, _ = with_strange_operator(rng)

    errors: list[SubmissionError] = []

    def make(text: str, inputs: list[np.ndarray]) -> Any:
        try:
            return student.run_framework(text, {}, inputs, call_part)
        except SubmissionError as error:
            errors.append(error)
            raise

    for strange, cause in ((kind, NO_TYPE_CHECK), ("nn.ReLU6", PREFIX)):
        try:
            expect_refused(make, network.text.replace(f"{kind} ", f"{strange} "), [], cause=cause)
        except Failure as failure:
            if failure.got == []:  # the results of no inputs
                failure.message = f"expected ValueError for an operator of type {strange}, and framework gave a network"
                failure.args = (failure.message,)
            elif errors and by_accident(student, errors[-1], strange):
                failure.cause = LEFT_OUT
            raise


@task("framework", "message", "unknown")
def the_message_says_what_and_where(student: Student, rng: np.random.Generator) -> None:
    """The message of this error holds the operator's type and its name."""
    network, kind, name = with_strange_operator(rng)
    calls = Calls()
    try:
        student.run_framework(network.text, {}, [network.batch(rng, 1)], noted(calls))
    except SubmissionError as error:
        error.cause = NO_TYPE_CHECK if "topological_order" in calls else None
        if error.cause is None and error.is_a("KeyError") and by_accident(student, error, kind):
            error.cause = LEFT_OUT
        if error.kind != "raise" or not error.is_a("ValueError"):
            raise
        lost = [word for word in (kind, name) if word not in error.message]
        if lost:
            failure = Failure(f"expected a message with {kind} and {name} in it, got {error.message!r:.200}")
            failure.cause = f"{lost[0]} is not in it: with a hundred operators one wants to know which."
            raise failure from None
        return
    failure = Failure(f"expected ValueError for an operator of type {kind}, and the network was computed", "ValueError")
    failure.cause = NO_TYPE_CHECK
    raise failure


@task("framework", "order", "options", "weights", "bias", "linear", "expression", "shared", "kept", "ends")
def networks_that_nobody_has_seen(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Three random networks of the same operators give what kuiper gives."""
    for _ in range(3):
        network = random_network(rng)
        expect_network(student, oracle, network, [network.batch(rng, 2)])


@task("framework", "options", "weights", "linear", "expression", "shared")
def the_network_that_reads_digits(student: Student, oracle: Any) -> None:
    """Of models/digits, the network of the demo: four scans give its scores."""
    graph = kuiper.load(DIGITS / "digits.pnnx.param")
    weights = {f"{op.name}.{key}": one.data for op in graph.operators for key, one in op.attributes.items()}
    network = Network((DIGITS / "digits.pnnx.param").read_text(encoding="utf-8"), weights, (1, 8, 8))
    with np.load(DIGITS / "heldout.npz") as data:
        images = data["images"][:4].astype(np.float32)[:, None]
    expect_network(student, oracle, network, [images])


@task("framework", "deep")
def a_deep_network(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A chain of 1,500 operators is computed, and ends in no RecursionError."""
    write = Writer(rng)
    y = write.image(1, 1, 3)
    for _ in range(1500):
        y = write.each("nn.ReLU", y)
    network = write.network(y.name)
    calls, inputs = Calls(), [network.batch(rng, 2)]
    with explained(network, calls):
        got = student.run_deep(network.text, {}, inputs, parsed_lines(network.text), noted(calls))
    expect(got, oracle.outputs(network.text, {}, inputs), rtol=1e-4, atol=1e-4, what="the output")
