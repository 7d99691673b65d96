"""Public tests of lesson 6: what your test must say of convolutions, and what pooling, im2col and conv2d must do."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, NamedTuple

import numpy as np

from classroom.judge import Failure, Student, SubmissionError, expect, expect_refused, likely, task
from kuiper.layers.image import windows
from kuiper.layers.image.convolution import Conv2d

Convolution = Callable[[np.ndarray, np.ndarray, np.ndarray, int], np.ndarray]

IMAGE = np.arange(1.0, 17.0).reshape(4, 4)
KERNEL = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [1.0, 2.0, 3.0]])


# --- Task 6.1: right convolutions, broken ones, and what the student's test says of them

BIASES = "some biases are alike, or 0"
KERNELS = "some kernels are alike, symmetric, or of one row or column only"
CHANNELS = "some input channels are alike, or their kernels, or a group has only one"
OUTPUTS = "a group has one output channel only, or equal ones"


PATIENCE = 20.0
"""Seconds after which no more is asked of a slow test to find out why it refuses a right convolution."""

SHOWN = 6
"""Wrong convolutions that a message names; the others are counted."""


class Broken(NamedTuple):
    """One broken convolution: what is wrong with it, and why a test may fail to see it."""

    conv: Convolution
    fault: str
    advice: str


def right(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
    """A right grouped convolution: the framework's."""
    kind = np.result_type(x, weight, bias)
    return Conv2d(weight.astype(kind), bias.astype(kind), groups=groups).forward(x.astype(kind))


class Suspect:
    """A convolution as the student's test meets it, behind one check of the arguments, the same for right and broken.

    It keeps the arguments of each call and what the test returned, to say afterwards what the test could have seen.
    """

    def __init__(self, conv: Convolution) -> None:
        self.__name__ = "conv"
        self.conv = conv
        self.calls: list[tuple[np.ndarray, np.ndarray, np.ndarray, int]] = []
        self.refused = ""
        self.returned: Any = None

    def __call__(self, x: Any, weight: Any, bias: Any, groups: Any) -> np.ndarray:
        """What `conv` gives. Raises ValueError for arguments that do not fit together."""
        arrays = {"x (N, C, H, W)": (x, 4), "weight (O, C/groups, kh, kw)": (weight, 4), "bias (O,)": (bias, 1)}
        for name, (array, axes) in arrays.items():
            if type(array) is not np.ndarray or array.ndim != axes or array.size == 0 or array.dtype.kind not in "iuf":
                found = f"{array.dtype} {array.shape}" if type(array) is np.ndarray else type(array).__name__
                self.refused = f"make an array of numbers, with a shape like {name.split(maxsplit=1)[1]}"
                many = f"{axes} ax{'i' if axes == 1 else 'e'}s"
                raise ValueError(f"conv, {name}: expected a numpy array of numbers with {many}, found {found}")
        if not isinstance(groups, (int, np.integer)) or groups < 1 or x.shape[1] % groups or len(weight) % groups:
            self.refused = "choose C and O that groups divides"
            raise ValueError(f"conv: groups={groups!r} does not divide C={x.shape[1]} and O={len(weight)}")
        if weight.shape[1] * groups != x.shape[1] or len(bias) != len(weight):
            shapes = f"x {x.shape}, weight {weight.shape}, bias {bias.shape}, groups={groups}"
            depth = x.shape[1] // groups
            self.refused = (
                f"with C={x.shape[1]} and groups={groups} a kernel sees {depth} channel{'s' * (depth > 1)}: make "
                f"weight of shape {(len(weight), depth, *weight.shape[2:])}, with a bias of shape ({len(weight)},)"
            )
            raise ValueError(f"conv: expected weight (O, C/groups, kh, kw) and bias (O,), found {shapes}")
        if weight.shape[2] > x.shape[2] or weight.shape[3] > x.shape[3]:
            self.refused = "without padding the image must be at least as large as the kernel"
            raise ValueError(f"conv: a kernel {weight.shape[2:]} does not fit into an image {x.shape[2:]}")
        if weight.size > 20_000 or weight.size * len(x) * x.shape[2] * x.shape[3] > 20_000_000:
            self.refused = "a few channels and some ten rows and columns are enough"
            raise ValueError("conv: a test needs small images and few kernels only")
        self.refused = ""
        self.calls.append((x.copy(), weight.copy(), bias.copy(), int(groups)))
        return self.conv(x, weight, bias, int(groups))

    def whole(self) -> bool:
        """Whether it was given whole numbers only, whose sums are exact in any order."""
        return all(np.array_equal(array, np.rint(array)) for call in self.calls for array in call[:3])

    def other_shapes(self) -> bool:
        """Whether a call gave a result of another shape than a right convolution."""
        return any(self.conv(*call).shape != right(*call).shape for call in self.calls)

    def wrong_calls(self) -> int:
        """In how many calls it gave another result than a right convolution."""
        return sum(not _agree(self.conv(*call), right(*call)) for call in self.calls)


def _agree(y: np.ndarray, expected: np.ndarray) -> bool:
    return y.shape == expected.shape and np.allclose(y, expected, rtol=1e-6, atol=1e-6)


def refusal(suspect: Suspect, error: SubmissionError) -> Failure:
    """What to say when `conv` has refused its arguments."""
    return _failure(f"line {error.line} raised {error.type}: {error.message}", "a call of conv", "", suspect.refused)


def read_as(broken: Broken) -> str:
    """What a student is told whose test takes a broken convolution for a right one."""
    return (
        f"your test accepts a convolution in which {broken.fault}, so what the test expects has that fault: "
        f"{broken.advice}"
    )


def accepts(student: Student, conv: Convolution) -> bool:
    """Whether the student's test takes `conv` for a right convolution. Raises SubmissionError where it can't go on."""
    try:
        student.test_grouped_convolution(Suspect(conv))
    except SubmissionError as error:
        if error.ends_worker:
            raise
        return False
    return True


def why_refused(student: Student, whole: bool) -> str:
    """Why the student's test refuses a right convolution: it is asked about others, right ones and broken ones.

    whole : whether it takes whole numbers only, so that the order of the additions can't be the reason.
    """
    begun = time.monotonic()
    try:
        with student.aside():
            if not whole and any(accepts(student, conv) for conv in IN_ANOTHER_ORDER):
                return TOO_STRICT
            for broken in IN_A_REFERENCE:
                if time.monotonic() - begun > PATIENCE:
                    break
                if accepts(student, broken.conv):
                    return read_as(broken)
    except SubmissionError:
        pass
    by_hand = (
        "Work out one number by hand, for an output channel of the second group; the group of output channel o is "
        "o // (O/groups)"
    )
    if whole:
        return (
            "all your numbers are whole, so rounding is not the reason: what the test expects is not what the formula "
            f"gives. {by_hand}"
        )
    return (
        "what the test expects is not what the formula gives, or it compares numbers with fractions by ==, although "
        f"their last digits depend on the order of the additions. {by_hand}; to compare, take np.allclose"
    )


TOO_STRICT = (
    "your numbers have fractions, whose last digits depend on the order of the additions, so == is too strict (your "
    "test accepts the same sums in another order): take whole numbers, or np.allclose"
)


def must_pass(student: Student, conv: Convolution, again: bool = False) -> None:
    """Raise Failure when the student's test says that a right convolution is wrong. `again` : it has passed before."""
    suspect = Suspect(conv)
    try:
        student.test_grouped_convolution(suspect)
    except SubmissionError as error:
        if suspect.refused and error.is_a("ValueError"):
            raise refusal(suspect, error) from None
        if "Suspect.__call__" in error.message:
            said = error.message.replace("Suspect.__call__", "conv")
            four = "conv has four arguments: conv(x, weight, bias, groups)"
            raise _failure(f"line {error.line} raised {error.type}: {said}", "a call of conv", "", four) from None
        if error.is_a("ValueError") and "truth value of an array" in error.message:
            several = "== compares number by number, and assert wants one answer: np.array_equal, or np.allclose"
            raise _failure(f"line {error.line} raised {error.type}: {error.message}", "", "", several) from None
        if error.is_a("ValueError") and "could not be broadcast" in error.message:
            empty = (
                "the window has no channels: its slice begins behind the last one. It should begin at group * "
                "(C/groups), so either the group is too large (that of output channel o is o // (O/groups)), or weight "
                "has more than C/groups planes a kernel"
            )
            own = (
                "two arrays do not fit, so print their shapes: weight is (O, C/groups, kh, kw), the kernel weight[o] "
                "is (C/groups, kh, kw), and its window has as many channels, rows and columns"
            )
            cause = empty if "shapes (0," in error.message else own
            raise _failure(f"line {error.line} raised {error.type}: {error.message}", "", "", cause) from None
        if not error.is_a("AssertionError"):
            raise
        words = f'. Its words: "{error.message}"' if error.message.strip() else ", and its assert has no message"
        if again:
            advice = "it accepted the same one before: keep nothing between two calls"
        elif not suspect.calls:
            advice = "it never called conv: compare what conv(x, weight, bias, groups) gives with what you expect"
        else:
            advice = why_refused(student, suspect.whole())
        refused = f"in line {error.line} your test says that a right convolution is wrong{words}"
        raise _failure(refused, "", "", advice) from None


class FellOverError(Exception):
    """The student's test raised another error than AssertionError: in which line, which one, and at which suspect."""

    def __init__(self, error: SubmissionError, suspect: Suspect) -> None:
        super().__init__(f"line {error.line} raised {error.type}: {error.message}")
        self.type, self.suspect = error.type, suspect


def caught(student: Student, broken: Broken) -> Suspect | None:
    """The suspect that the student's test let pass; None if it raised AssertionError. Raises FellOverError."""
    suspect = Suspect(broken.conv)
    try:
        suspect.returned = student.test_grouped_convolution(suspect)
    except SubmissionError as error:
        if error.is_a("AssertionError"):
            return None
        if suspect.refused and error.is_a("ValueError"):
            raise refusal(suspect, error) from None
        if error.type not in ("ValueError", "IndexError", "TypeError"):
            raise
        raise FellOverError(error, suspect) from None
    return suspect


def must_tell(
    student: Student, rng: np.random.Generator, broken: Sequence[Broken], good: Iterable[Convolution]
) -> None:
    """Ask the student's test about broken convolutions and right ones, in random order; then say which it let pass."""
    suspects: list[Broken | Convolution] = [*broken, *good]
    passed: dict[int, Suspect] = {}
    fell: dict[int, FellOverError] = {}
    for i in rng.permutation(len(suspects)):
        suspect = suspects[i]
        if not isinstance(suspect, Broken):
            must_pass(student, suspect)
            continue
        try:
            missed = caught(student, suspect)
        except FellOverError as error:
            fell[i] = error
        else:
            if missed is not None:
                passed[i] = missed
    if passed or fell:
        raise _failure(scoreboard(broken, passed, fell), "", "", advice(student, broken, passed, fell))


def scoreboard(broken: Sequence[Broken], passed: dict[int, Suspect], fell: dict[int, FellOverError]) -> str:
    """How many were caught, which were not, and where the test raised another error."""
    count = len(broken) - len(passed) - len(fell)
    message = f"caught {count} of {len(broken)} wrong convolution{'s' * (len(broken) > 1)}"
    if fell:
        first = min(fell)
        where = f"where {broken[first].fault}, {fell[first]}"
        message += f", and {len(fell)} with another error than AssertionError: {where}"
    if passed:
        faults = [broken[i].fault for i in sorted(passed)]
        more = f"; and {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
        message += f". Not caught: {'; '.join(faults[:SHOWN])}{more}"
    return message


def advice(
    student: Student, broken: Sequence[Broken], passed: dict[int, Suspect], fell: dict[int, FellOverError]
) -> str:
    """The likely cause of what was not caught. A test that returns its verdict is told that first."""
    returned = [i for i in sorted(passed) if isinstance(passed[i].returned, (bool, np.bool_))]
    if returned:
        return why_missed(student, broken[returned[0]], passed[returned[0]])
    raised = [error.type for error in fell.values() if error.suspect.calls and not error.suspect.other_shapes()]
    if raised:
        return (
            f"a test says no with AssertionError: write `assert` before what must hold, instead of raising {raised[0]}"
        )
    if fell:
        return "the comparison itself fell over: compare the shapes with an assert before the numbers"
    first = min(passed)
    return why_missed(student, broken[first], passed[first])


def why_missed(student: Student, broken: Broken, suspect: Suspect) -> str:
    """Why the test did not see this one: its inputs do not show the fault, or its comparison does not look."""
    if not suspect.calls:
        return "the test never calls conv: compare what conv(x, weight, bias, groups) gives with what you expect"
    if isinstance(suspect.returned, (bool, np.bool_)):
        return (
            f"your test returned {suspect.returned}, and nobody reads what a test returns: write "
            "`assert` before the comparison, instead of `return`"
        )
    wrong = suspect.wrong_calls()
    if not wrong:
        return f"where {broken.fault}, your inputs still give the right numbers: {broken.advice}"
    if accepts_zeros(student):
        return (
            "even a result of nothing but zeros passes, if its shape is right: write an `assert` that compares the "
            "numbers too, with what the formula gives and not with another call of conv, and with a tolerance far "
            "below the numbers"
        )
    calls = f"{wrong} of your {len(suspect.calls)} calls" if len(suspect.calls) > 1 else "your call"
    return (
        f"where {broken.fault}, {calls} gave a wrong result, and the test did not look there: compare the shape, then "
        "every number, with a tolerance far below the numbers"
    )


def accepts_zeros(student: Student) -> bool:
    """Whether the student's test lets a convolution pass that gives zeros of the right shape."""
    try:
        return caught(student, Broken(lambda x, w, b, g: 0 * right(x, w, b, g), "every number is 0", "")) is not None
    except FellOverError:
        return False


def _failure(message: str, expected: str, got: str, cause: str) -> Failure:
    failure = Failure(message, expected, got)
    failure.cause = cause
    return failure


def first_group(array: np.ndarray, axis: int, groups: int) -> np.ndarray:
    """`array`, in which every group along an axis is the first one."""
    return np.concatenate([np.split(array, groups, axis)[0]] * groups, axis)


def with_zeros(y: np.ndarray, *place: Any) -> np.ndarray:
    """A copy of `y` with zeros at a place."""
    y = y.copy()
    y[place] = 0
    return y


def outputs_backwards(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
    """Each group gives its output channels in the opposite order."""
    parts = np.split(right(x, weight, bias, groups), groups, 1)
    return np.concatenate([part[:, ::-1] for part in parts], 1)


def short_cut(broken: Broken, advice: str) -> Broken:
    """One that is broken for 1x1 kernels only."""

    def conv(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
        return (broken.conv if weight.shape[2:] == (1, 1) else right)(x, weight, bias, groups)

    return Broken(conv, f"{broken.fault}, for 1x1 kernels only", advice)


def like_the_second(array: np.ndarray, axis: int, groups: int) -> np.ndarray:
    """`array`, in which every group from the third on is the second one."""
    parts = np.split(array, groups, axis)
    return np.concatenate([parts[min(i, 1)] for i in range(groups)], axis)


def one_number_off(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
    """The number farthest from 0 is too large by a hundredth of it."""
    y = right(x, weight, bias, groups).astype(np.float64)
    y.flat[np.abs(y).argmax()] *= 1.01
    return y


def small_number_off(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
    """One of the smallest numbers that are not 0 is too large by a hundredth: a tenth of them are nearer to 0."""
    y = right(x, weight, bias, groups).astype(np.float64)
    by_size = np.argsort(np.abs(y), axis=None, kind="stable")[np.count_nonzero(y == 0) :]
    y.flat[by_size[len(by_size) // 10 :][:1]] *= 1.01
    return y


FIRST_BIAS = Broken(lambda x, w, b, g: right(x, w, first_group(b, 0, g), g), "every group takes the first bias", BIASES)
NO_BIAS = Broken(lambda x, w, b, g: right(x, w, 0 * b, g), "the bias is forgotten", BIASES)
TURNED = Broken(lambda x, w, b, g: right(x, w[:, :, ::-1, ::-1], b, g), "kernels are rotated by 180 degrees", KERNELS)
FIRST_KERNELS = Broken(
    lambda x, w, b, g: right(x, first_group(w, 0, g), b, g), "every group uses the first kernels", KERNELS
)
FIRST_CHANNELS = Broken(
    lambda x, w, b, g: right(first_group(x, 1, g), w, b, g),
    "every group looks at the input channels of the first",
    CHANNELS,
)
OUTPUTS_BACKWARDS = Broken(outputs_backwards, "each group gives its output channels backwards", OUTPUTS)
FIRST_SAMPLE = Broken(
    lambda x, w, b, g: right(np.repeat(x[:1], len(x), 0), w, b, g),
    "every sample gets the result of the first",
    "the batch has one sample only, or equal ones",
)
BY_COLUMNS = Broken(
    lambda x, w, b, g: right(x, w.reshape(*w.shape[:2], w.shape[3], w.shape[2]).swapaxes(2, 3), b, g),
    "kernels are read column by column",
    KERNELS,
)
LAST_ROW = Broken(
    lambda x, w, b, g: right(x, w, b, g)[:, :, :-1], "the last row is missing", "the shape is not compared"
)
LAST_COLUMN = Broken(
    lambda x, w, b, g: with_zeros(right(x, w, b, g), ..., -1),
    "the last column is never written",
    "make no number of the result 0",
)
SHORT_CUT = short_cut(FIRST_CHANNELS, "take 1x1 kernels in two groups or more, whose channels differ")._replace(
    fault="1x1 kernels take a short cut that forgets the groups"
)
THIRD_GROUP = Broken(
    lambda x, w, b, g: right(like_the_second(x, 1, g), w, b, g),
    "the third group looks at the channels of the second",
    "take three groups, whose channels differ",
)
TEN = (
    *(FIRST_BIAS, NO_BIAS, TURNED, FIRST_CHANNELS, OUTPUTS_BACKWARDS),
    *(FIRST_SAMPLE, LAST_ROW, LAST_COLUMN, SHORT_CUT, THIRD_GROUP),
)
"""The wrong convolutions of the scoreboard."""


def added_up(first: str) -> Convolution:
    """A right convolution that adds one product after the other: `first` the products, or first the bias."""

    def conv(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
        y = 0 * right(x, weight, bias, groups)
        rows, cols = y.shape[2:]
        if first == "bias":
            y += bias[:, None, None]
        for o, c, i, j in np.ndindex(*weight.shape):
            plane = x[:, o // (len(weight) // groups) * weight.shape[1] + c]
            y[:, o] += weight[o, c, i, j] * plane[:, i : i + rows, j : j + cols]
        return y if first == "bias" else y + bias[:, None, None]

    return conv


def summed(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
    """A right convolution that takes the products of each window and their .sum()."""
    y = right(x, weight, bias, groups)
    (outputs, depth, kh, kw), small = weight.shape, y.size <= 20_000
    for n, o, i, j in np.ndindex(*y.shape) if small else ():
        first = o // (outputs // groups) * depth
        y[n, o, i, j] = (x[n, first : first + depth, i : i + kh, j : j + kw] * weight[o]).sum() + bias[o]
    return y


IN_ANOTHER_ORDER = (summed, added_up("products"), added_up("bias"))
"""Right convolutions that add as tests do in which a reference is written with loops."""


def read_in_turn(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
    """Output channel o sees the input channels of group o % groups."""
    order = sorted(range(len(weight)), key=lambda o: (o % groups, o))
    y = right(x, weight[order], bias[order], groups)
    return y[:, np.argsort(order)]


IN_A_REFERENCE = (
    TURNED._replace(advice="weight[o, c, a, b] belongs to the pixel at i + a, j + b, and none is rotated"),
    BY_COLUMNS._replace(advice="weight[o, c, a, b] belongs to the pixel at i + a, j + b: a goes down"),
    NO_BIAS._replace(advice="add bias[o] to each number of output channel o"),
    Broken(
        lambda x, w, b, g: right(x, w, b.repeat(len(b) // g)[: len(b)], g),
        "the bias is that of the group's number, bias[g]",
        "output channel o has bias[o]",
    ),
    FIRST_BIAS._replace(advice="output channel o has bias[o], and o counts through all groups"),
    Broken(
        lambda x, w, b, g: right(x, w, w[0].size * b, g),
        "the bias is added to every product",
        "add bias[o] once, after the sum",
    ),
    Broken(
        lambda x, w, b, g: right(x, w, w.shape[1] * b, g),
        "the bias is added once for each input channel",
        "add bias[o] once, after the sum",
    ),
    Broken(
        read_in_turn,
        "output channel o sees the input channels of group o % groups",
        "a group's output channels are next to each other, so o's group is o // (O/groups)",
    ),
    FIRST_CHANNELS._replace(advice="group g begins at input channel g * (C/groups)"),
    Broken(
        lambda x, w, b, g: right(x, with_zeros(w, slice(None), slice(1, None)), b, g),
        "a group reads its first channel only",
        "sum over all C/groups channels of the group",
    ),
    FIRST_KERNELS._replace(advice="output channel o has the kernel weight[o], and o counts through all groups"),
    FIRST_SAMPLE._replace(advice="sample n is made of x[n]"),
    LAST_ROW._replace(advice="H - kh + 1 rows of windows fit, as output_size says"),
    Broken(
        lambda x, w, b, g: right(x, w, b, g)[..., :-1],
        "the last column is missing",
        "W - kw + 1 windows fit into a row, as output_size says",
    ),
    Broken(
        lambda x, w, b, g: right(x, w, b, g)[:, :, :-1, :-1],
        "the last row and the last column are missing",
        "H - kh + 1 by W - kw + 1 windows fit, as output_size says",
    ),
    Broken(
        lambda x, w, b, g: np.ascontiguousarray(right(x, w, b, g).swapaxes(2, 3)),
        "rows and columns of the result are exchanged",
        "the result is (N, O, H', W')",
    ),
    Broken(
        lambda x, w, b, g: np.trunc(summed(x, w, b, g)),
        "every number has lost its fraction",
        "make the array that takes the numbers of floats, and not of int",
    ),
    Broken(
        lambda x, w, b, g: 0 * right(x, w, b, g),
        "every number is 0",
        "write each number into the array that you compare with",
    ),
)
"""What goes wrong in a reference that is written by hand: a test that has one of these accepts this convolution."""


@task("grouped_convolution_test", "right", "inputs")
def right_convolutions_are_accepted(student: Student) -> None:
    """The test returns for a right convolution, however often it is asked."""
    for again in (False, True):
        must_pass(student, right, again)


@task(
    "grouped_convolution_test",
    *("bias", "kernels", "channels", "outputs", "samples", "shape", "numbers", "pointwise", "three"),
    *("right", "assertion", "inputs"),
)
def ten_wrong_convolutions_are_caught(student: Student, rng: np.random.Generator) -> None:
    """The scoreboard: the test catches all of ten wrong convolutions, each with a fault of its own."""
    must_tell(student, rng, TEN, [right])


@task("grouped_convolution_test", "bias", "outputs", "right", "assertion", "inputs")
def a_wrong_bias_is_caught(student: Student, rng: np.random.Generator) -> None:
    """The test raises AssertionError when groups take the first one's bias, none, or their own in the wrong order."""

    def backwards(b: np.ndarray, groups: int) -> np.ndarray:
        return b.reshape(groups, -1)[:, ::-1].reshape(-1)

    broken = [
        FIRST_BIAS,
        NO_BIAS,
        Broken(lambda x, w, b, g: right(x, w, backwards(b, g), g), "each group takes its biases backwards", BIASES),
    ]
    must_tell(student, rng, broken, [right])


@task("grouped_convolution_test", "kernels", "right", "assertion", "inputs")
def wrong_kernels_are_caught(student: Student, rng: np.random.Generator) -> None:
    """The test raises AssertionError when groups use the first one's kernels, or read theirs rotated or by columns."""

    broken = [
        FIRST_KERNELS,
        TURNED,
        BY_COLUMNS,
    ]
    must_tell(student, rng, broken, [right])


@task("grouped_convolution_test", "channels", "right", "assertion", "inputs")
def wrong_channels_are_caught(student: Student, rng: np.random.Generator) -> None:
    """The test raises AssertionError when groups read the first one's channels, or not all, or not in order."""
    broken = [
        FIRST_CHANNELS,
        Broken(
            lambda x, w, b, g: right(x, with_zeros(w, slice(None), slice(1, None)), b, g),
            "a group reads its first channel only",
            CHANNELS,
        ),
        Broken(lambda x, w, b, g: right(x, w[:, ::-1], b, g), "a group reads its channels backwards", CHANNELS),
    ]
    must_tell(student, rng, broken, [right])


@task("grouped_convolution_test", "outputs", "right", "assertion", "inputs")
def exchanged_outputs_are_caught(student: Student, rng: np.random.Generator) -> None:
    """The test raises AssertionError when the output channels of a group come in the wrong order."""
    must_tell(student, rng, [OUTPUTS_BACKWARDS], [right])


@task("grouped_convolution_test", "samples", "right", "assertion", "inputs")
def a_forgotten_sample_is_caught(student: Student, rng: np.random.Generator) -> None:
    """The test raises AssertionError when every sample gets the result of the first."""
    must_tell(student, rng, [FIRST_SAMPLE], [right])


@task("grouped_convolution_test", "shape", "right", "assertion", "inputs")
def a_wrong_shape_is_caught(student: Student, rng: np.random.Generator) -> None:
    """The test raises AssertionError, and no other error, when the last row is missing, or rows are columns."""

    def turned(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
        return np.ascontiguousarray(right(x, weight, bias, groups).swapaxes(2, 3))

    advice = "take results that have more rows than columns, or fewer"
    broken = [LAST_ROW, Broken(turned, "rows and columns of the result are exchanged", advice)]
    must_tell(student, rng, broken, [right])


@task("grouped_convolution_test", "numbers", "samples", "right", "assertion", "inputs")
def wrong_numbers_are_caught(student: Student, rng: np.random.Generator) -> None:
    """The test raises AssertionError for an unwritten column, a number a little off, rows or columns out of order."""

    def lost(place: Callable[[np.ndarray], tuple[Any, ...]]) -> Convolution:
        def conv(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
            y = right(x, weight, bias, groups)
            return with_zeros(y, *place(y))

        return conv

    advice = "make no number of the result 0"
    order = "take results of several rows and columns that differ"
    every = slice(None)
    broken = [
        LAST_COLUMN,
        Broken(
            lost(lambda y: (every, every, y.shape[2] // 2, y.shape[3] // 2)),
            "the number in the middle of each channel is never written",
            advice,
        ),
        Broken(lost(lambda y: (0, 0, 0, 0)), "the very first number is never written", advice),
        Broken(lost(lambda y: (-1, -1, -1, 0)), "the first number of the very last row is never written", advice),
        Broken(lost(lambda y: (every, y.shape[1] // 2)), "the output channel in the middle is never written", advice),
        Broken(one_number_off, "one number, the farthest from 0, is off by a hundredth of it", advice),
        Broken(small_number_off, "one number, among the smallest, is off by a hundredth of it", advice),
        Broken(lambda x, w, b, g: right(x, w, b, g)[:, :, ::-1], "the rows of the result come upside down", order),
        Broken(lambda x, w, b, g: right(x, w, b, g)[..., ::-1], "the columns of the result come mirrored", order),
    ]
    must_tell(student, rng, broken, [right])


@task(
    "grouped_convolution_test",
    *("pointwise", "bias", "kernels", "channels", "outputs", "samples", "right", "assertion", "inputs"),
)
def a_wrong_short_cut_is_caught(student: Student, rng: np.random.Generator) -> None:
    """The test raises AssertionError when a convolution is wrong for 1x1 kernels only, whatever is wrong with them."""
    broken = [
        SHORT_CUT,
        short_cut(NO_BIAS, "give the 1x1 kernels biases too, none of them 0"),
        short_cut(FIRST_BIAS, "give the 1x1 kernels biases that differ from group to group"),
        short_cut(FIRST_KERNELS, "take 1x1 kernels that differ from group to group"),
        short_cut(OUTPUTS_BACKWARDS, "take two 1x1 kernels or more in each group, which differ"),
        short_cut(FIRST_SAMPLE, "give the 1x1 kernels two samples, which differ"),
    ]
    must_tell(student, rng, broken, [right])


@task("grouped_convolution_test", "three", "bias", "kernels", "channels", "right", "assertion", "inputs")
def a_wrong_third_group_is_caught(student: Student, rng: np.random.Generator) -> None:
    """The test raises AssertionError when the third group takes the channels, kernels or biases of the second."""
    broken = [
        THIRD_GROUP,
        Broken(
            lambda x, w, b, g: right(x, like_the_second(w, 0, g), b, g),
            "the third group uses the kernels of the second",
            "take three groups, whose kernels differ",
        ),
        Broken(
            lambda x, w, b, g: right(x, w, like_the_second(b, 0, g), g),
            "the third group takes the biases of the second",
            "take three groups, whose biases differ",
        ),
    ]
    must_tell(student, rng, broken, [right])


# --- Task 6.2


PAIRS = "np.pad(x, p) pads all axes alike, samples and channels too: give a pair for each axis, (0, 0) for those"


PLACED = (
    "x does not fit into the place that it gets inside the border: that is H rows from row ph on, ph : ph + H, and W "
    "columns from column pw on, pw : pw + W"
)

EMPTY_SLICE = "-0 is 0, so with a padding of 0 the slice ph:-ph is empty: write ph : ph + H, and pw : pw + W"

OUTSIDE = (
    "a window lay outside the image: window (i, j) begins at row i * stride[0] and column j * stride[1], and x is "
    "(N, C, H, W), rows before columns"
)

OVERLAP = (
    "reshape cuts x into windows only where they stand side by side and come out even: here they overlap, so take each "
    "one by a slice"
)

LAST_AXES = (
    "the maximum of a window is one number for each sample and channel: take it over the last two axes, "
    ".max(axis=(2, 3))"
)

SIDES = (
    "here a window of 2x2 fits into 4x4 pixels: H and W are x.shape[2] and x.shape[3], and only where output_size "
    "gives less than 1 is anything refused"
)

OF_NUMPY = dict.fromkeys(("could not", "operands", "cannot reshape", "truth value"), "")
"""What numpy's and Python's own ValueErrors say: no cause is known for them, but they are not the student's."""

STRIDE_BEFORE_PADDING = "here the stride is not 0, and the padding is: output_size takes the stride before the padding"

EXCHANGED = "rows and columns of the result are exchanged: window (i, j) belongs at y[:, :, i, j]"

REFUSED = "a window that fits into the padded image was refused: the border counts, too, as in output_size"

PADDED_TWICE = (
    "a window lay outside the padded image: x needs its border, and padding is (rows, cols), above and below first, "
    "then left and right; output_size adds it itself, so give it the size of x, not that of the padded image"
)


@contextmanager
def only_begun(got: Any, first: tuple[int, ...], cause: str) -> Iterator[None]:
    """Name the cause where nothing but `got[first]` is right, and no other cause is known."""
    try:
        yield
    except Failure as failure:
        wrong = failure.expected
        if not failure.cause and failure.where is not None and isinstance(wrong, np.ndarray):
            right = got == wrong
            failure.cause = cause if right[first].all() and np.count_nonzero(right) == right[first].size else None
        raise


@contextmanager
def only_channel_0(got: Any, cause: str) -> Iterator[None]:
    """Name the cause where channel 0 of the result is right, others are not, and no other cause is known."""
    try:
        yield
    except Failure as failure:
        expected = failure.expected
        compared = not failure.cause and failure.where is not None and isinstance(expected, np.ndarray)
        if compared and np.array_equal(got[:, 0], expected[:, 0]):
            failure.cause = cause
        raise


def whole(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Random whole numbers from -9 to 9, as float64."""
    return rng.integers(-9, 10, shape).astype(np.float64)


@task("max_pool2d", "value", "stride", "kernel", "planes", "dtype", "last", "fits", "border", "padding")
def the_windows_of_the_lesson(student: Student, oracle: Any) -> None:
    """The image 1 to 7 in steps has four windows of 2x2 with the largest numbers 3, 5, 5 and 7."""
    x = np.add.outer(np.arange(4.0), np.arange(1.0, 5.0))[None, None]
    mistakes = oracle.value_mistakes(x, (2, 2), (2, 2))
    beyond = f"{OUTSIDE}; output_size counts them, with the stride"
    causes = {"0,0)": EMPTY_SLICE, "could not broadcast": LAST_AXES, "zero-size array": beyond}
    causes |= {"ZeroDivisionError": STRIDE_BEFORE_PADDING}
    causes |= (
        {
            "unpack": "x has four axes: samples, channels, height, width = x.shape",
            "requested shape (4,2)": "np.pad takes a pair for each axis, and x has four: (0, 0) for samples and "
            "channels",
        }
        | OF_NUMPY
        | {"ValueError": SIDES}
    )
    with likely(causes):
        got = student.max_pool2d(x, (2, 2), (2, 2), (0, 0))
    early = "is there a `return` in the loop, or does it end early, as range(H' - 1) and range(0, H', stride) do?"
    first_row = only_begun(got, (0, 0, 0), f"only the first row of windows has its numbers: {early}")
    with first_row, only_begun(got, (0, 0, 0, 0), f"only the first window has its number: {early}"):
        expect(got, np.array([[[[3.0, 5.0], [5.0, 7.0]]]]), mistakes=mistakes)


@task("max_pool2d", "value")
def the_largest_number_of_each_window(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Of positive and negative numbers the largest one stays, in images of any sides."""
    for shape in ((1, 1, 5, 7), (1, 1, 6, 4)):
        x = whole(rng, shape)
        expected, mistakes = oracle.pooled(x, (2, 2), (1, 1), (0, 0)), oracle.value_mistakes(x, (2, 2), (1, 1))
        with likely({"zero-size array": OUTSIDE, "IndexError": EXCHANGED, f"reshape array of size {x.size} ": OVERLAP}):
            got = student.max_pool2d(x, (2, 2), (1, 1), (0, 0))
        expect(got, expected, what=f"max_pool2d of {shape}", mistakes=mistakes)


@task("max_pool2d", "planes", "value")
def every_plane_has_its_own_result(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Two samples of three channels are pooled one by one."""
    x = whole(rng, (2, 3, 4, 4))
    expected, mistakes = oracle.pooled(x, (2, 2), (1, 1), (0, 0)), oracle.plane_mistakes(x, (2, 2), (1, 1))
    got = student.max_pool2d(x, (2, 2), (1, 1), (0, 0))
    with only_channel_0(got, "only channel 0 was written: every channel of every sample has its own result"):
        expect(got, expected, mistakes=mistakes)


@task("max_pool2d", "kernel", "value")
def windows_have_two_sizes(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """kernel_size is (rows, cols): (2, 3) looks at two lines of three numbers each."""
    x = whole(rng, (1, 1, 5, 5))
    for kernel_size in ((2, 3), (3, 1)):
        expected = oracle.pooled(x, kernel_size, (1, 1), (0, 0))
        mistakes = oracle.geometry_mistakes(x, kernel_size, (1, 1), (0, 0))
        got = student.max_pool2d(x, kernel_size, (1, 1), (0, 0))
        expect(got, expected, what=f"{kernel_size=}", mistakes=mistakes)


@task("max_pool2d", "stride", "value")
def strides_move_the_windows(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """stride is (rows, cols), and it may be smaller or larger than the window."""
    x = whole(rng, (1, 1, 7, 7))
    for kernel_size, stride in (((3, 3), (2, 1)), ((1, 1), (2, 3)), ((3, 3), (2, 2))):
        expected = oracle.pooled(x, kernel_size, stride, (0, 0))
        mistakes = oracle.geometry_mistakes(x, kernel_size, stride, (0, 0))
        beyond = "a window lay outside the image: stride[0] belongs to the rows, stride[1] to the columns"
        with likely({"zero-size array": beyond}):
            got = student.max_pool2d(x, kernel_size, stride, (0, 0))
        expect(got, expected, what=f"{kernel_size=}, {stride=}", mistakes=mistakes)


@task("max_pool2d", "padding", "value", section="A border that never wins")
def the_border_has_two_widths(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """padding is (rows, cols): the first number pads above and below, the second left and right."""
    x = 20 + whole(rng, (1, 1, 4, 4))
    for padding in ((1, 0), (0, 1)):
        expected = oracle.pooled(x, (2, 2), (1, 1), padding)
        mistakes = oracle.geometry_mistakes(x, (2, 2), (1, 1), padding)
        mistakes |= oracle.border_mistakes(x, (2, 2), (1, 1), padding)
        with likely({"from shape (1,1,4,4)": PLACED, "could not broadcast": PAIRS, "zero-size array": PADDED_TWICE}):
            got = student.max_pool2d(x, (2, 2), (1, 1), padding)
        expect(got, expected, what=f"{padding=}", mistakes=mistakes)


@task("max_pool2d", "border", "padding", "value", section="A border that never wins")
def the_border_never_wins(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """If all pixels are negative, by a little, by a million, by 1e300 or -inf, the largest of them stays."""
    for below in (-10, -1_234, -1_000_000, -1e300, -np.inf):
        x = below + whole(rng, (1, 1, 4, 3))
        mistakes = oracle.border_mistakes(x, (2, 2), (1, 1), (1, 1)) if below == -10 else {}
        got, expected = student.max_pool2d(x, (2, 2), (1, 1), (1, 1)), oracle.pooled(x, (2, 2), (1, 1), (1, 1))
        try:
            expect(got, expected, what=f"numbers around {below:g}", mistakes=mistakes)
        except Failure as failure:
            if failure.where is not None and below < -1000:
                failure.cause = failure.cause or "a finite border beats smaller pixels: it must be -np.inf"
            raise


@task("max_pool2d", "last", "value", "stride")
def a_last_window_of_the_image_that_sticks_out_is_left_out(
    student: Student, rng: np.random.Generator, oracle: Any
) -> None:
    """A stride that does not come out even leaves the last numbers of a line, or the last lines, unread."""
    for size in (6, 7, 8):
        x = whole(rng, (1, 1, size, size))
        mistakes = oracle.last_mistakes(x, (2, 2), (3, 3))
        beyond = "the last window lay outside the image: it must not stick out, so the count is rounded down, with //"
        with likely({"zero-size array": beyond}):
            got = student.max_pool2d(x, (2, 2), (3, 3), (0, 0))
        expect(got, oracle.pooled(x, (2, 2), (3, 3), (0, 0)), what=f"max_pool2d of {x.shape}", mistakes=mistakes)


@task("max_pool2d", "planes", "kernel", "stride", "padding", "border", "last", "value")
def pooling_with_all_options(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Samples, channels, a window of 3x2, a stride of (2, 1) and a padding of (1, 1) go together."""
    x, given = whole(rng, (2, 2, 6, 5)), ((3, 2), (2, 1), (1, 1))
    mistakes = oracle.geometry_mistakes(x, *given) | oracle.border_mistakes(x, *given)
    expect(student.max_pool2d(x, *given), oracle.pooled(x, *given), mistakes=mistakes)


@task("max_pool2d", "dtype", "value")
def float32_and_float64_stay(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """The maxima of float32 numbers are float32, and those of float64 numbers have all their digits."""
    for dtype in (np.float32, np.float64):
        x = rng.standard_normal((1, 1, 4, 4)).astype(dtype)
        expected = oracle.pooled(x, (2, 2), (1, 1), (0, 0))
        mistakes = {"the maxima are float32, whatever x is: make them with the dtype of x": expected.astype(np.float32)}
        got = student.max_pool2d(x, (2, 2), (1, 1), (0, 0))
        expect(got, expected, mistakes=mistakes if dtype is np.float64 else {})


@task("max_pool2d", "fits", "kernel", "padding", "value", section="How many windows fit?")
def a_window_larger_than_the_image_is_refused(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A window higher or wider than the padded image raises ValueError, and one that just fits does not."""
    x = whole(rng, (1, 1, 2, 4))
    cause = "raise ValueError if output_size gives less than 1 for the rows or for the columns"
    for kernel_size, padding in (((3, 1), (0, 0)), ((1, 5), (0, 0)), ((5, 1), (1, 0)), ((2, 8), (1, 1))):
        expect_refused(student.max_pool2d, x, kernel_size, (1, 1), padding, cause=cause)
    causes = {"from shape (1,1,2,4)": PLACED, "could not broadcast": PAIRS, "zero-size array": PADDED_TWICE}
    with likely(causes | {"ValueError": REFUSED}):
        got = student.max_pool2d(x, (4, 4), (3, 3), (1, 0))
    expect(got, oracle.pooled(x, (4, 4), (3, 3), (1, 0)))


# --- Task 6.3


RAGGED = ("inhomogeneous", "must have the same shape", "must match exactly")
"""What np.array, np.stack and np.concatenate say of windows that are not all of one size."""

CUT_OFF = (
    "a window is cut off: its rows are i * stride[0] : i * stride[0] + kh, its columns j * stride[1] : "
    "j * stride[1] + kw, with the stride at both ends"
)

STICKS_OUT = (
    "a window has too few pixels: either it sticks out of the image, and output_size counts those that fit, or its "
    "slice ends without the stride: its columns are j * stride[1] : j * stride[1] + kw"
)

AT_THE_EDGE = (
    "a window at the edge has too few pixels: does the border stand on all four sides, and is output_size given the "
    "size of x? It adds the padding itself"
)

BORDERS = {
    16: "the windows were taken from x without a border: pad x with zeros first, padding[0] rows above and below, "
    "padding[1] columns left and right",
    24: "there is no border left and right: padding[1] columns on either side",
    32: "there is no border above and below: padding[0] rows on either side",
    30: "the border stands on one side only: padding[0] rows above and below, padding[1] columns left and right",
    36: "the border at the left and at the right is padding[1] wide, and that above and below padding[0]",
    42: "for each axis np.pad takes how many come before and how many behind: a pair of padding[0] for the rows, one "
    "of padding[1] for the columns",
    48: "windows that do not fit were counted: output_size adds the padding itself, so give it the size of x, and not "
    "that of the padded image",
}
"""What is wrong with the border of an image of 4x4, by how many numbers of the padded image, 6x8, are there."""


def border_of(student: Student) -> str:
    """The likely cause for windows that were cut off at the edge, from one window of all the padded image."""
    try:
        with student.aside():
            got = student.im2col(np.ones((1, 4, 4)), (6, 8), (9, 9), (1, 2))
    except SubmissionError as error:
        found = re.search(r"from shape \((\d+),\)", error.message)
        return BORDERS.get(int(found[1]), AT_THE_EDGE) if found else AT_THE_EDGE
    return BORDERS.get(got.size, AT_THE_EDGE) if isinstance(got, np.ndarray) else AT_THE_EDGE


@contextmanager
def rows_over_one_another(got: Any, rows: Sequence[Sequence[int]]) -> Iterator[None]:
    """Name the cause where windows overwrote each other and rows were left as np.empty made them."""
    try:
        yield
    except Failure as failure:
        if not failure.cause and failure.where is not None:
            if np.array_equal(got[:3], np.float64([rows[0], rows[2], rows[3]])):
                failure.cause = (
                    "window (i, j) was written into row i + j, over another one: i * W' + j windows come before it"
                )
            elif np.array_equal(got[0], rows[0]) and not (got[1:] == np.float64(rows[1:])).all(axis=1).any():
                failure.cause = (
                    "only row 0 was written: the last starts are H - kh and W - kw themselves, and range stops before "
                    "its end, so add 1; or is there a `return` in the loop?"
                )
            elif np.array_equal(got[0], rows[-1]):
                failure.cause = "every window was written into row 0, over the one before: does the row count on?"
        raise


@task("im2col", "windows", "lines")
def the_rows_of_the_lesson(student: Student, oracle: Any) -> None:
    """The image 1..16 has four windows of 3x3, and their rows are those of the lesson."""
    rows = [
        [1, 2, 3, 5, 6, 7, 9, 10, 11],
        [2, 3, 4, 6, 7, 8, 10, 11, 12],
        [5, 6, 7, 9, 10, 11, 13, 14, 15],
        [6, 7, 8, 10, 11, 12, 14, 15, 16],
    ]
    mistakes = oracle.order_mistakes(IMAGE[None], (3, 3))
    beyond = "some windows stick out of the image and have fewer pixels: output_size counts those that fit"
    channel = "the first axis of x is the channel: a window is x[:, i : ..., j : ...]"
    causes = {"0,0)": EMPTY_SLICE, "from shape (6,)": beyond, "from shape (12,)": channel}
    causes |= dict.fromkeys(RAGGED, beyond)
    causes |= dict.fromkeys(
        ("from shape (3,3)", "from shape (1,3,3)"), "a window is (C, kh, kw), and a row has one axis: lay it out flat"
    )
    causes["from shape (4,)"] = "a slice stops before its end: a window of kh rows from row i on is i : i + kh"
    causes["IndexError"] = (
        "the result has no such row: W' windows stand in a line, so i * W' + j of them come before window (i, j)"
    )
    causes["ZeroDivisionError"] = STRIDE_BEFORE_PADDING
    causes["requested shape (3,2)"] = "np.pad takes a pair for each axis, and x has three: (0, 0) for the channels"
    causes["from shape (3,)"] = "a window stuck out of the image: with stride 1 window (i, j) begins at row i, column j"
    fits = "here a window of 3x3 fits into an image of 4x4: x is (C, H, W), so channels, height, width = x.shape"
    causes |= {"unpack": "x has three axes: channels, height, width = x.shape"} | OF_NUMPY | {"ValueError": fits}
    with likely(causes):
        got = student.im2col(IMAGE[None], (3, 3), (1, 1), (0, 0))
    with rows_over_one_another(got, rows):
        expect(got, np.float64(rows), mistakes=mistakes)


@task("im2col", "windows", "lines")
def images_wider_than_high(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """In an image that is no square the windows go to the right first, too."""
    by_height = "the row was counted with H': before window (i, j) come i * W' + j windows"
    for shape in ((1, 6, 4), (1, 3, 6)):
        x = whole(rng, shape)
        expected, mistakes = oracle.rows_of(x, (2, 2), (1, 1), (0, 0)), oracle.order_mistakes(x, (2, 2))
        with likely({"IndexError": by_height}):
            got = student.im2col(x, (2, 2), (1, 1), (0, 0))
        expect(got, expected, what=f"im2col of {shape}", mistakes=mistakes)


@task("im2col", "channels", "windows", "lines")
def channels_follow_one_another(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """In a row stand all the numbers of channel 0, then all of channel 1, and so on, of a transposed block too."""
    x = whole(rng, (3, 4, 5))
    expected, mistakes = oracle.rows_of(x, (2, 2), (1, 1), (0, 0)), oracle.channel_mistakes(x, (2, 2))
    all_of_them = "a row has C * kh * kw numbers: those of all channels"
    with likely({"from shape (12,)": all_of_them, "into shape (12,)": f"{all_of_them}, and not their sum"}):
        got = student.im2col(x, (2, 2), (1, 1), (0, 0))
    expect(got, expected, mistakes=mistakes)
    x = whole(rng, (4, 3, 2)).T
    expected, mistakes = oracle.rows_of(x, (2, 2), (1, 1), (0, 0)), oracle.layout_mistakes(x, (2, 2))
    expect(student.im2col(x, (2, 2), (1, 1), (0, 0)), expected, what="im2col of block.T", mistakes=mistakes)


@task("im2col", "windows", "channels", "lines")
def windows_of_one_pixel(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """With a 1x1 kernel a row holds one pixel: as many numbers as there are channels."""
    x = whole(rng, (3, 2, 4))
    expected, mistakes = oracle.rows_of(x, (1, 1), (1, 1), (0, 0)), oracle.pixel_mistakes(x)
    expect(student.im2col(x, (1, 1), (1, 1), (0, 0)), expected, mistakes=mistakes)


@task("im2col", "kernel", "windows", "lines")
def kernels_have_two_sizes(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """kernel_size is (rows, cols): (2, 3) takes two lines of three numbers each."""
    x = whole(rng, (1, 5, 5))
    expected = oracle.rows_of(x, (2, 3), (1, 1), (0, 0))
    mistakes = oracle.geometry_mistakes(x, (2, 3), (1, 1), (0, 0))
    with likely(
        {"could not broadcast": "a window has kh rows and kw columns: i * sh : i * sh + kh, j * sw : j * sw + kw"}
    ):
        got = student.im2col(x, (2, 3), (1, 1), (0, 0))
    expect(got, expected, mistakes=mistakes)


@task("im2col", "stride", "windows", "lines", section="Stride, padding, dilation")
def strides_have_two_directions(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """stride is (rows, cols): the first number moves downwards, the second to the right."""
    x = whole(rng, (1, 7, 7))
    expected = oracle.rows_of(x, (3, 3), (2, 1), (0, 0))
    mistakes = oracle.geometry_mistakes(x, (3, 3), (2, 1), (0, 0))
    with likely(dict.fromkeys((*RAGGED, "could not broadcast"), CUT_OFF)):
        got = student.im2col(x, (3, 3), (2, 1), (0, 0))
    try:
        expect(got, expected, mistakes=mistakes)
    except Failure as failure:
        skipped = failure.where is not None and not failure.cause and (got == expected).all(axis=1).tolist()
        if skipped == [True] * 5 + [False] * 5 + [True] * 5 or (isinstance(got, np.ndarray) and got.shape == (10, 9)):
            failure.cause = (
                "the stride was applied twice: output_size has divided by it already, so range(rows) counts windows, "
                "and window i begins at row i * stride[0]"
            )
        raise


@task("im2col", "padding", "windows", "lines", section="Stride, padding, dilation")
def paddings_have_two_directions(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """padding is (rows, cols): the first number pads above and below, the second left and right."""
    x = whole(rng, (1, 4, 4))
    for padding in ((0, 1), (2, 0)):
        expected = oracle.rows_of(x, (3, 3), (1, 1), padding)
        mistakes = oracle.geometry_mistakes(x, (3, 3), (1, 1), padding) | oracle.border_mistakes(x, (3, 3), padding)
        counted = "there are more windows than were counted: output_size takes the padding, for rows and for columns"
        channels = "a window has the pixels of two channels, and x has one: np.pad(x, p) pads the channels too"
        causes = {"from shape (18,)": f"{channels}, so give a pair for each axis"}
        causes |= dict.fromkeys((*RAGGED, "could not broadcast"), AT_THE_EDGE) | {"IndexError": counted}
        try:
            with likely(causes):
                got = student.im2col(x, (3, 3), (1, 1), padding)
        except Failure as failure:
            if failure.cause == AT_THE_EDGE:
                failure.cause = border_of(student)
            raise
        try:
            expect(got, expected, what=f"{padding=}", mistakes=mistakes)
        except Failure as failure:
            if failure.where is not None and not failure.cause:
                written = (got == expected).all(axis=1).reshape(2 + 2 * padding[0], 2 + 2 * padding[1])
                if np.array_equal(np.argwhere(written), np.argwhere(np.ones((2, 2)))):
                    failure.cause = (
                        "only the starts in x itself were gone through: with its border the last ones are H + 2 * ph - "
                        "kh and W + 2 * pw - kw"
                    )
            raise


@task("im2col", "padding", "kernel", "windows", "lines")
def the_padding_is_zero(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Outside the image every number is 0, on all four sides, around a kernel of the image's size too."""
    x = 10 + whole(rng, (1, 3, 4))
    expected = oracle.rows_of(x, (3, 3), (1, 1), (1, 1))
    mistakes = oracle.border_mistakes(x, (3, 3), (1, 1))
    expect(student.im2col(x, (3, 3), (1, 1), (1, 1)), expected, mistakes=mistakes)
    expected, mistakes = oracle.rows_of(x, (3, 4), (1, 1), (1, 1)), oracle.border_mistakes(x, (3, 4), (1, 1))
    expect(student.im2col(x, (3, 4), (1, 1), (1, 1)), expected, what="kernel_size=(3, 4)", mistakes=mistakes)


@task("im2col", "last", "stride", "windows", "lines", section="How many windows fit?")
def a_last_window_that_sticks_out_is_left_out(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A stride that does not come out even leaves the last numbers of a line, or the last lines, unread."""
    for size in (6, 7, 8):
        x = whole(rng, (1, size, size))
        expected = oracle.rows_of(x, (2, 2), (3, 3), (0, 0))
        mistakes = oracle.last_mistakes(x, (2, 2), (3, 3))
        with likely(dict.fromkeys((*RAGGED, "could not broadcast"), STICKS_OUT)):
            got = student.im2col(x, (2, 2), (3, 3), (0, 0))
        expect(got, expected, what=f"im2col of {x.shape} with stride (3, 3)", mistakes=mistakes)


@task("im2col", "defaults", "windows", "lines")
def stride_one_and_no_padding_unless_said(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Without stride and padding the window moves by one pixel over the image alone."""
    x = whole(rng, (1, 4, 4))
    mistakes = oracle.default_mistakes(x, (2, 2))
    expect(student.im2col(x, (2, 2)), oracle.rows_of(x, (2, 2), (1, 1), (0, 0)), mistakes=mistakes)
    expect(student.im2col(x, (2, 2), padding=(1, 1)), oracle.rows_of(x, (2, 2), (1, 1), (1, 1)), what="padding=(1, 1)")


@task("im2col", "channels", "kernel", "stride", "padding", "windows", "lines")
def all_options_at_once(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Two channels, a kernel of 2x3, a stride of (2, 1) and a padding of (1, 2) go together; so do they for 1x1."""
    x, given = whole(rng, (2, 6, 4)), ((2, 3), (2, 1), (1, 2))
    mistakes = oracle.geometry_mistakes(x, *given)
    expect(student.im2col(x, *given), oracle.rows_of(x, *given), mistakes=mistakes)
    x = whole(rng, (2, 3, 4))
    for stride, padding in (((2, 3), (0, 0)), ((2, 3), (1, 0))):
        expected, mistakes = oracle.rows_of(x, (1, 1), stride, padding), oracle.option_mistakes(x, stride, padding)
        what = f"im2col of 1x1 with {stride=}, {padding=}"
        expect(student.im2col(x, (1, 1), stride, padding), expected, what=what, mistakes=mistakes)


@task("im2col", "dtype", "padding", "windows", "lines")
def the_element_type_is_kept(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """float32 stays float32, uint8 stays uint8, with all their digits, also where zeros are padded."""
    for dtype, more in ((np.float32, 0.1), (np.float64, 0.1), (np.uint8, 100), (np.int8, -50), (np.int64, 2**60)):
        x = (rng.integers(0, 100, (1, 4, 3)) + more).astype(dtype)
        expected = oracle.rows_of(x, (2, 2), (1, 1), (1, 1))
        mistakes = {"the rows are float32, whatever x is: make them with the dtype of x": expected.astype(np.float32)}
        got = student.im2col(x, (2, 2), (1, 1), (1, 1))
        expect(got, expected, what=f"im2col of {x.dtype}", mistakes=mistakes if dtype is not np.float32 else {})


@task("im2col", "fits", "kernel", "padding", "windows", "lines")
def a_window_that_does_not_fit_is_refused(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A kernel higher or wider than the padded image raises ValueError, and one that just fits does not."""
    x = whole(rng, (1, 2, 4))
    cause = "raise ValueError if output_size gives less than 1 for the rows or for the columns"
    for kernel_size, padding in (
        ((3, 1), (0, 0)),
        ((1, 5), (0, 0)),
        ((5, 1), (1, 0)),
        ((1, 8), (2, 1)),
        ((9, 9), (1, 1)),
    ):
        expect_refused(student.im2col, x, kernel_size, (1, 1), padding, cause=cause)
    with likely(dict.fromkeys(("broadcast", *RAGGED), "") | {"ValueError": REFUSED}):
        got = student.im2col(x, (4, 4), (3, 3), (1, 0))
    expect(got, oracle.rows_of(x, (4, 4), (3, 3), (1, 0)))


# --- Task 6.4


MADE_OF = (
    "conv2d is made of im2col, and yours gives wrong rows: mend it first (python3 course.py check im2col), then look "
    "at conv2d again"
)

COUNTED = (
    "im2col gave another number of rows than you counted: both it and output_size need stride and padding, of which "
    "[0] belongs to the rows and [1] to the columns"
)
OVER_THE_EDGE = "a window runs over the edge: window (i, j) begins at row i * stride[0] and column j * stride[1]"
OTHER_ROWS = {"cannot reshape": COUNTED, "could not broadcast": COUNTED}
FIRST_OUTPUT = "only output channel 0 was written: a group has O // groups output channels, and not `groups`"
TWICE = "im2col gave more rows than fit: it pads the image itself, so give it x, and not an x that is padded already"


def made_of_im2col(test: Callable[..., None]) -> Callable[..., None]:
    """The test, which blames the student's im2col where that is wrong."""

    @wraps(test)
    def told(student: Student, **given: Any) -> None:
        try:
            test(student=student, **given)
        except (Failure, SubmissionError) as error:
            if isinstance(error, Failure) or (error.kind == "raise" and error.type != "NotImplementedError"):
                compare_im2col(student)
            raise

    return told


def compare_im2col(student: Student) -> None:
    """Raise Failure where the student's im2col returns wrong rows. What it raises, conv2d's own error tells better."""
    for kernel_size, stride, padding, dtype in (
        ((2, 2), (1, 1), (0, 0), np.float64),
        ((2, 3), (2, 1), (0, 0), np.float64),
        ((3, 2), (1, 1), (1, 0), np.float32),
        ((1, 1), (1, 2), (0, 1), np.float32),
    ):
        x = np.arange(1, 41).reshape(2, 4, 5).astype(dtype)
        (ph, pw) = padding
        padded = np.pad(x, ((0, 0), (ph, ph), (pw, pw)))[None]
        expected = windows.im2col(windows.windows(padded, kernel_size, stride))[0]
        try:
            with student.aside():
                got = student.im2col(x, kernel_size, stride, padding)
                expect(got, expected, what="im2col (conv2d calls it)")
        except Failure as failure:
            failure.cause = MADE_OF
            raise
        except SubmissionError:
            return


@task("conv2d", "value", section="im2col: windows as rows")
@made_of_im2col
def the_numbers_of_the_lesson(student: Student) -> None:
    """1..16 with the lesson's kernel gives 110, 128, 182, 200, and twice that on two equal channels."""
    x, weight = np.tile(IMAGE, (1, 2, 1, 1)), np.tile(KERNEL, (1, 2, 1, 1))
    once = np.array([[[[110.0, 128.0], [182.0, 200.0]]]])
    mistakes = {
        "the kernels are turned by 180 degrees: take them as they are": np.array([[[[106.0, 124], [178, 196]]]]),
        "rows and columns of the result are exchanged: reshape to (O, H', W')": np.array(
            [[[[110.0, 182], [128, 200]]]]
        ),
    }
    causes = {
        "ZeroDivisionError": "this stride is 0: is the padding in its place? im2col takes the stride first",
        "cannot unpack non-iterable int": "kernel_size, stride and padding are pairs: give im2col both numbers of each",
        "too many values to unpack": "im2col takes one sample (C, H, W), and x is (N, C, H, W): call it for each x[n]",
        "could not broadcast input array": "the product is (H'*W', O): transpose it, then reshape it to (O, H', W')",
    }
    as_long = (
        "the kernels of a group are (O/groups, C/groups * kh * kw), and im2col's rows are as long: print both shapes "
        "before the product"
    )
    causes |= dict.fromkeys(("mismatch in its core dimension", "not aligned"), as_long)
    with likely(causes):
        got = student.conv2d(x[:, :1], weight[:, :1], np.zeros(1), (1, 1), (0, 0), 1)
    expect(got, once, mistakes=mistakes)
    with likely(causes):
        got = student.conv2d(x, weight, np.zeros(1), (1, 1), (0, 0), 1)
    alternate = weight.transpose(0, 2, 3, 1).reshape(weight.shape)
    mistakes = {
        "only one of the two channels is added up": once,
        "the kernel's channels alternate: of weight, (O, C/groups, kh, kw), reshape alone makes im2col's order": right(
            x, alternate, np.zeros(1), 1
        ),
    }
    expect(got, 2 * once, mistakes=mistakes)


@task("conv2d", "bias", section="Several output channels")
@made_of_im2col
def of_an_image_of_zeros_the_biases_are_left(student: Student) -> None:
    """An image of zeros gives 100.25 in all of channel 0, -200.5 in all of channel 1, 300.75 in all of channel 2."""
    bias = np.array([100.25, -200.5, 300.75])
    causes = {
        "(12,4) (3,4)": "* multiplies number by number: @ is the product of matrices",
        "could not be broadcast": "bias is (O,), and numpy lines it up with the columns: give it axes for rows and "
        "columns, bias[:, None, None]",
        "from shape (3,4,3)": "rows and columns of the result are exchanged: reshape to (O, H', W')",
        "truth value of an array": "an array has no single truth value: ask `bias is None`",
    }
    with likely(causes):
        got = student.conv2d(np.zeros((1, 1, 4, 5)), np.ones((3, 1, 2, 2)), bias, (1, 1), (0, 0), 1)
    expected = np.broadcast_to(bias[:, None, None], (1, 3, 3, 4)).copy()
    mistakes = {
        "the bias is missing": 0 * expected,
        "every output channel has the first bias: bias[o] belongs to output channel o, and not to group o": (
            np.full_like(expected, bias[0])
        ),
        "the product is (H'*W', O): transpose it, then reshape it to (O, H', W') (lesson 6, im2col)": (
            np.tile(bias, 12).reshape(expected.shape)
        ),
    }
    with only_channel_0(got, FIRST_OUTPUT):
        expect(got, expected, mistakes=mistakes)


@task("conv2d", "value", section="im2col: windows as rows")
@made_of_im2col
def each_output_channel_has_its_kernel(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Three kernels of 2x3 make three output channels, whatever the image's sides."""
    x = whole(rng, (1, 2, 4, 6))
    weight, bias = whole(rng, (3, 2, 2, 3)), np.zeros(3)
    expected, mistakes = oracle.reference(x, weight, bias), oracle.product_mistakes(x, weight)
    sides = "here kernels have two rows and three columns: kh, kw = weight.shape[2:], and im2col takes (kh, kw)"
    with likely(dict.fromkeys(("mismatch in its core dimension", "not aligned", "3,8)", "array of size 30 "), sides)):
        got = student.conv2d(x, weight, bias, (1, 1), (0, 0), 1)
    with only_channel_0(got, FIRST_OUTPUT):
        expect(got, expected, mistakes=mistakes)


@task("conv2d", "bias", "value", section="Several output channels")
@made_of_im2col
def each_output_channel_has_its_bias(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Biases of 100.25, -200.5 and 300.75 are added to their channels; None adds nothing."""
    x = whole(rng, (1, 1, 4, 5))
    weight, bias = whole(rng, (3, 1, 2, 2)), np.array([100.25, -200.5, 300.75])
    mistakes = oracle.bias_mistakes(x, weight, bias)
    expect(student.conv2d(x, weight, bias, (1, 1), (0, 0), 1), oracle.reference(x, weight, bias), mistakes=mistakes)
    with likely({"NoneType": "bias may be None: add nothing then"}):
        got = student.conv2d(x, weight, None, (1, 1), (0, 0), 1)
    expect(got, oracle.reference(x, weight), what="the result without a bias")


@task("conv2d", "batch", "value", section="im2col: windows as rows")
@made_of_im2col
def each_sample_has_its_result(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Four samples are convolved one by one."""
    x, weight = whole(rng, (4, 1, 3, 4)), whole(rng, (1, 1, 2, 2))
    mistakes = oracle.batch_mistakes(x, weight)
    got = student.conv2d(x, weight, np.zeros(1), (1, 1), (0, 0), 1)
    expected = oracle.reference(x, weight)
    try:
        expect(got, expected, mistakes=mistakes)
    except Failure as failure:
        if not failure.cause and failure.where is not None and np.array_equal(got[0], expected[0]):
            failure.cause = "only sample 0 is right: is there a `return` or a `break` in the loop over the samples?"
        elif not failure.cause and failure.where is not None and np.array_equal(got[0], expected[-1]):
            failure.cause = "every sample was written into y[0], over the one before: sample n belongs into y[n]"
        raise


def only_the_last_group(got: np.ndarray, expected: np.ndarray, bias: np.ndarray, groups: int) -> bool:
    """Whether the last group's numbers stand where the first's belong, with their own bias or with the first's."""
    each = len(bias) // groups
    found, last = got[:, :each], expected[:, -each:]
    exchanged = last + (bias[:each] - bias[-each:])[:, None, None]
    return np.array_equal(found, last) or np.array_equal(found, exchanged)


@task("conv2d", "groups", "bias", "value")
@made_of_im2col
def groups_keep_to_themselves(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """With groups=2 each half of the output channels sees its half of the input channels; with groups=3 each third."""
    for groups in (2, 3):
        x = whole(rng, (1, 2 * groups, 3, 4))
        weight = whole(rng, (2 * groups, 2, 2, 2))
        bias = np.arange(1.0, 2 * groups + 1) * 100
        expected = oracle.reference(x, weight, bias, groups=groups)
        mistakes = oracle.group_mistakes(x, weight, bias, groups)
        all_channels = "a kernel has C/groups planes only: run im2col on the channels of one group at a time"
        fits = "these shapes go together: weight.shape[1] is C // groups, and a group has O // groups kernels"
        apart = "each group has its result in an axis of its own: make one of (N, O, H', W') before the bias is added"
        causes = {"mismatch in its core dimension": all_channels, "not aligned": all_channels}
        causes |= {"(2,2,2,3) (4,1,1)": apart, "ValueError": fits}
        with likely(causes):
            got = student.conv2d(x, weight, bias, (1, 1), (0, 0), groups)
        try:
            expect(got, expected, what=f"{groups=}", mistakes=mistakes)
        except Failure as failure:
            if not failure.cause and failure.where is not None and only_the_last_group(got, expected, bias, groups):
                failure.cause = (
                    "every group was written over the one before: those of group g begin at output channel "
                    "g * (O/groups)"
                )
            raise


@task("conv2d", "stride", "value", section="Stride, padding, dilation")
@made_of_im2col
def strides_reach_im2col(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """stride=(2, 3), (2, 1) and (1, 3) move the window by as many rows and columns."""
    x, weight = whole(rng, (1, 1, 8, 7)), whole(rng, (1, 1, 4, 2))
    for stride in ((2, 3), (2, 1), (1, 3)):
        expected = oracle.reference(x, weight, stride=stride)
        mistakes = oracle.geometry_mistakes(x, weight, stride, (0, 0))
        with likely(OTHER_ROWS | {"could not be broadcast": OVER_THE_EDGE}):
            got = student.conv2d(x, weight, np.zeros(1), stride, (0, 0), 1)
        expect(got, expected, what=f"{stride=}", mistakes=mistakes)


@task("conv2d", "padding", "value", section="Stride, padding, dilation")
@made_of_im2col
def paddings_reach_im2col(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """padding=(1, 0) and (0, 2) put as many rows and columns of zeros around the image."""
    x, weight = whole(rng, (1, 1, 4, 4)), whole(rng, (1, 1, 3, 3))
    for padding in ((1, 0), (0, 2)):
        expected = oracle.reference(x, weight, padding=padding)
        mistakes = oracle.geometry_mistakes(x, weight, (1, 1), padding)
        with likely({"array of size 12 ": TWICE, "from shape (1,6,2)": TWICE} | OTHER_ROWS):
            got = student.conv2d(x, weight, np.zeros(1), (1, 1), padding, 1)
        expect(got, expected, what=f"{padding=}", mistakes=mistakes)


@task("conv2d", "groups", "bias", "batch", "stride", "padding", "value")
@made_of_im2col
def everything_at_once(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Two samples, groups, stride and padding go together, for kernels of 2x3, 3x2 and 1x1, and for ten from five."""
    for channels, shape, groups, stride, padding in (
        (4, (4, 2, 2, 3), 2, (2, 1), (1, 0)),
        (3, (3, 1, 3, 2), 3, (2, 1), (1, 0)),
        (2, (3, 2, 1, 1), 1, (2, 1), (1, 0)),
        (2, (3, 2, 1, 1), 1, (2, 1), (0, 0)),
        (2, (3, 2, 1, 1), 1, (1, 1), (1, 0)),
        (4, (6, 2, 1, 1), 2, (1, 1), (0, 0)),
        (5, (10, 1, 2, 2), 5, (2, 2), (0, 0)),
    ):
        x, weight = whole(rng, (2, channels, 5, 4)), whole(rng, shape)
        bias = 100 * np.arange(1.0, shape[0] + 1)
        expected = oracle.reference(x, weight, bias, stride, padding, groups)
        mistakes = oracle.together_mistakes(x, weight, bias, stride, padding, groups)
        got = student.conv2d(x, weight, bias, stride, padding, groups)
        what = f"x {x.shape}, weight {shape}, {stride=}, {padding=}, {groups=}"
        expect(got, expected, what=what, mistakes=mistakes)


@task("conv2d", "defaults", "bias", "value")
@made_of_im2col
def one_pixel_no_padding_one_group_unless_said(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Without more arguments there is no bias, the stride is 1, the padding 0, and all channels are one group."""
    x = whole(rng, (1, 2, 5, 4))
    weight, bias = whole(rng, (2, 2, 3, 3)), np.array([50.0, -50.0])
    mistakes = oracle.default_mistakes(x, weight, bias)
    expect(student.conv2d(x, weight, bias), oracle.reference(x, weight, bias), mistakes=mistakes)
    expect(student.conv2d(x, weight), oracle.reference(x, weight), what="the result of x and weight alone")


@task("conv2d", "dtype", "value")
@made_of_im2col
def the_result_has_the_inputs_type(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """float32 stays float32, with a bias and without."""
    x, weight = whole(rng, (1, 1, 3, 4)).astype(np.float32), whole(rng, (1, 1, 2, 2)).astype(np.float32)
    for bias in (np.float32([7]), None):
        expect(student.conv2d(x, weight, bias, (1, 1), (0, 0), 1), oracle.reference(x, weight, bias))


@task("conv2d", "precision", "value", section="Convolution: a weighted sum of each window")
@made_of_im2col
def real_and_large_numbers(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Sums of whole numbers in the thousands and in the billions are exact, and real numbers agree to four digits."""
    x, weight = 30 + whole(rng, (1, 4, 3, 4)), 30 + whole(rng, (2, 4, 3, 3))
    expected, mistakes = oracle.reference(x, weight), oracle.rounding_mistakes(x, weight)
    expect(student.conv2d(x, weight, np.zeros(2), (1, 1), (0, 0), 1), expected, mistakes=mistakes)
    large, heavy = 100_000 + x, 1000 + weight
    expected, mistakes = oracle.reference(large, heavy), oracle.large_mistakes(large, heavy)
    got = student.conv2d(large, heavy, np.zeros(2), (1, 1), (0, 0), 1)
    expect(got, expected, what="the result for large numbers", mistakes=mistakes)
    x, weight = x / 7, weight / 300
    got = student.conv2d(x, weight, np.zeros(2), (1, 1), (0, 0), 1)
    expect(got, oracle.reference(x, weight), rtol=1e-4, atol=1e-4, what="the result for real numbers")


@task("conv2d", "shapes", "padding")
def shapes_that_do_not_fit_are_refused(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """groups that do not divide C or O, kernels of another depth or too large for the padded image raise ValueError."""
    x = rng.standard_normal((1, 4, 3, 3))
    divide = "raise ValueError unless C % groups == 0 and O % groups == 0"
    depth = "raise ValueError unless weight.shape[1] == C // groups"
    large = "no window fits: im2col raises ValueError then, if the result is not made before"
    for shape, groups, cause in (
        ((3, 1, 2, 2), 3, divide),
        ((3, 2, 2, 2), 2, divide),
        ((4, 3, 2, 2), 1, depth),
        ((4, 1, 2, 2), 2, depth),
        ((4, 4, 2, 2), 2, depth),
        ((4, 4, 4, 2), 1, large),
        ((4, 4, 2, 5), 1, large),
    ):
        weight, bias = rng.standard_normal(shape), np.zeros(shape[0])
        expect_refused(student.conv2d, x, weight, bias, (1, 1), (0, 0), groups, cause=cause)
    x, weight = whole(rng, (1, 1, 2, 2)), whole(rng, (1, 1, 4, 3))
    with likely({"ValueError": REFUSED}):
        got = student.conv2d(x, weight, np.zeros(1), (1, 1), (1, 1), 1)
    expect(got, oracle.reference(x, weight, padding=(1, 1)), what="the result of a kernel that just fits")
