"""The results of a check in words: what must hold, the call, what came, the likely cause, what to do next."""

from __future__ import annotations

import ast
import pprint
import re
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from classroom import advice, difference
from classroom.check import Result, State, unwritten
from classroom.grading.errors import GradingError
from classroom.grading.settings import load_settings
from classroom.judge import Failure, JudgeError, Outcome, SubmissionError
from classroom.judge.printed import Printed
from classroom.page import paragraph, styled, width
from classroom.pixels import is_picture
from classroom.stubs import forbidden
from classroom.tasks import HomeworkTask

MARGIN = 14
"""Columns reserved for a label such as "likely why"."""
MAX_VALUE_LINES = 8
"""Maximum number of lines per value."""
TEXT_LINES = 16
"""Maximum number of lines of a text, such as a model file, whose long lines are wrapped."""
MANY = 1000
"""Of a list or dictionary with more elements, as of a chain of 60,000 operators, a line is shown."""
PRINTED = 10
"""Maximum number of printed lines shown."""
SMALL = 64
"""Arrays with up to this many elements are shown completely."""
MAX_COLUMNS = 16
"""Planes with up to this many columns are shown completely."""
LONG = 10
"""If expected and got take more lines than this, the likely cause stands above them."""
TINY = 1e-3
"""Where no number of an array is larger, its numbers are not written as 0."""
HOLDERS = (list, tuple, dict)
"""Types of values shown below the message, unless it contains them already."""
WARNING = re.compile(r"^.*:\d+: RuntimeWarning: .*\n?(?:  .*\n?)?", re.M)
"""One of numpy's warnings, with the line of code that Python prints below it."""
WARNED = re.compile(r"^.*[/\\]hw\d\d_\w+\.py:(?=\d+: \w+Warning: )")
"""What a warning from the homework file begins with, up to the number of the line."""
WARNED_OF = {
    "overflow": "on the way a number became too large for its type: a float is inf or -inf now, a whole number wrong",
    "divide by zero": "on the way something was divided by 0, or the logarithm of 0 taken, and is inf or -inf now",
    "invalid value": "on the way an operation had no answer, as inf - inf, 0 / 0 or the root of -1, and is nan now",
}
"""Words of one of numpy's warnings -> what it means."""
SECTION = re.compile(r' \(section "([^"]+)"\)')
"""How a likely cause names the section of the lesson to read again, where that is not its test's."""
ELSEWHERE = re.compile(r"lesson (\d+), (.+)")
"""How a test or a likely cause names a section of another lesson than its own."""
RETURNED = re.compile(r"found \w*(Error|Exception)$")
"""How a message ends about a result that is an exception or holds one."""
PART = re.compile(r"(?:(?!: expected ).)*(?: at \[|: (?!expected ))")
"""How a message begins that is about a part of the result, or perhaps about one."""
STYLES = {State.SOLVED: "good", State.FAILED: "bad", State.BROKEN: "bad", State.CHANGED: "warn", State.BEGUN: "warn"}


def heading(result: Result) -> str:
    """One line: the exercise and its state."""
    name = f"{result.task.id} (task {result.task.number})"
    style = STYLES.get(result.state, "dim")
    return f"{styled(name, 'bold')}: {styled(standing(result), style)}"


def standing(result: Result) -> str:
    """The state of the exercise: "public tests passed (3 of 3)", "not right yet, 2 of 3 public tests passed"."""
    if result.state is State.SOLVED:
        return advice.here.solved(result.tests)
    if result.state in (State.FAILED, State.BEGUN):
        return f"{result.state.value}, {result.passed} of {result.tests} public tests passed"
    return result.state.value


def report(result: Result, every_failure: bool = False) -> str:
    """The heading, and below it what the student needs to go on."""
    task, parts = result.task, [heading(result)]
    if result.fault is not None:
        parts.append(why(task, result.fault))
    elif result.state is State.SOLVED:
        parts += [labelled("points", at_stake(task))] * advice.here.has_points
        parts += [labelled("score", outcome.score) for outcome in result.outcomes if outcome.score]
    elif result.state in (State.OPEN, State.BEGUN):
        parts.append(_unwritten(result))
    failures = result.failures
    if not failures:
        parts.append("\n".join(filter(None, (printed(result.printed), warned(result.printed, result.state)))))
    for outcome in failures if every_failure else failures[:1]:
        parts.append(diagnosis(task, outcome, result.printed))
    if failures:
        more = "" if every_failure or len(failures) == 1 else advice.here.more_failures(len(failures) - 1, task.id)
        parts += [labelled("also", more)] * bool(more)
        if left := result.tests - len(result.outcomes):
            tests = f"{left} public test{'s' * (left > 1)}"
            parts.append(labelled("not run", f"{tests}, as the one before took too long"))
        waiting = [outcome.error for outcome in result.outcomes if unwritten(outcome.error)]
        if waiting:
            parts.append(labelled("not written", waiting_text(task, waiting)))
        parts.append(_what_next(task, section_of(failures[0])))
    return "\n\n".join(part for part in parts if part)


def waiting_text(task: HomeworkTask, errors: Sequence[Exception | None]) -> str:
    """How many tests have met code that is not written yet, and in which line."""
    first = errors[0]
    line = f", line {first.line}" if isinstance(first, SubmissionError) and first.line else ""
    tests = f"{len(errors)} public test{'s' * (len(errors) > 1)}"
    return f"{tests} got as far as what is still to be written: {_shown(task)}{line}"


def printed(texts: Sequence[Printed], remark: str = "") -> str:
    """What the exercise's code printed, in at most PRINTED lines, after the remark; "" if nothing."""
    lines = [line for text in texts for line in (*text.first.splitlines(), *text.last.splitlines())]
    if not lines:
        return ""
    lost = sum(text.lost for text in texts)
    if lost or len(lines) > PRINTED:
        beginning = min(PRINTED // 2, len(texts[0].first.splitlines())) if lost else PRINTED // 2
        end = max(beginning, len(lines) - (PRINTED - PRINTED // 2 - 1))
        lines = [*lines[:beginning], advice.here.more_lines(lost + end - beginning), *lines[end:]]
    page = [shortened(WARNED.sub("line ", line).expandtabs(4), width() - MARGIN) for line in lines]
    return block("printed", "\n".join([remark] * bool(remark) + page))


def warned(texts: Sequence[Printed], state: State) -> str:
    """What the first of numpy's warnings means; "" if there is none.

    state : of the exercise; once it is solved, the warning need not worry its author.
    """
    warnings = WARNING.findall("\n".join(part for text in texts for part in (text.first, text.last)))
    meaning = next((meaning for words, meaning in WARNED_OF.items() for one in warnings[:1] if words in one), "")
    harmless = "; all results are right, so it does no harm" if state is State.SOLVED else ""
    return labelled("warning", f"{meaning}{harmless}") if meaning else ""


def without_warnings(text: Printed) -> Printed:
    """The text without numpy's warnings, each with the line of code below it: they say nothing about another call."""
    return replace(text, first=WARNING.sub("", text.first), last=WARNING.sub("", text.last))


def not_checked(results: Sequence[Result]) -> str:
    """One line with the exercises of a file that could not be checked; below it why, and what the file printed."""
    task, fault = results[0].task, results[0].fault
    name = f"{task.file.name} ({', '.join(result.task.id for result in results)})"
    head = f"{styled(name, 'bold')}: {styled(State.BROKEN.value, STYLES[State.BROKEN])}"
    reason = why(task, fault) if fault is not None else ""
    return "\n".join(part for part in (head, reason, printed(results[0].printed)) if part)


def at_stake(task: HomeworkTask) -> str:
    """How many of the exercise's points depend on the public tests, in a sentence.

    If the grading settings cannot be read, the check goes on without this sentence.
    """
    points = f"its {task.points.replace(', a bonus', ' (a bonus)')}"
    try:
        share = load_settings(task.lesson.root).public_share
    except GradingError:
        return f"Hidden tests decide most of {points}."
    public = share * task.exercise.points
    if not public:
        return f"Hidden tests decide {points}."
    if share == 1:
        return f"The public tests decide {points}."
    hidden = task.exercise.points - public
    return (
        f"{public:.3g} of {points} are yours. Hidden tests of the same rules decide the remaining {hidden:.3g} "
        f"{'point' if hidden == 1 else 'points'}, if somebody grades your work."
    )


def at_stake_in_all(root: Path) -> str:
    """What share of all points depends on the public tests, in a sentence; "" if unknown."""
    try:
        share = load_settings(root).public_share
    except GradingError:
        return ""
    return f"Public tests decide {share:.0%} of the points, hidden tests the rest." if share < 1 else ""


def labelled(label: str, text: str) -> str:
    """A paragraph with its label in the margin."""
    return paragraph(text, MARGIN, f"  {label}")


def fault_in_words(task: HomeworkTask, fault: Exception) -> str:
    """Why no test of the file could be run, in a sentence, with the line if known."""
    name = _shown(task)
    if isinstance(fault, SyntaxError):
        where = f", line {fault.lineno}" if fault.lineno else ""
        line = (fault.text or "").strip()
        quoted = f": {textwrap.shorten(line, 60)}" if line else ""
        return f"{name}{where} is not Python yet ({fault.msg}){quoted}"
    if isinstance(fault, FileNotFoundError):
        return f"{name} is missing. {advice.here.reset(task.file.name)} puts it back."
    if isinstance(fault, OSError):
        return f"{name} cannot be read: {fault.strerror}."
    if isinstance(fault, SubmissionError):
        return trouble(task, fault, None)
    if isinstance(fault, JudgeError):
        return f"the test process did not work: {fault}. {advice.here.try_again()}"
    tests = f"{name.rpartition('/')[0]}/public.py"
    return f"{tests} cannot be used ({type(fault).__name__}: {fault}). Take the file from the course again."


def trouble(task: HomeworkTask, error: SubmissionError, call: tuple[str, Any, Any] | None) -> str:
    """What happened instead of a result, in a sentence, with the line if known."""
    name = call[0] if call else task.file.name
    where = f" ({_shown(task)}, line {error.line})" if error.line else f" ({_shown(task)})"
    message = textwrap.shorten(error.message, 300)
    if error.kind == "timeout":
        guess = "" if error.cause else " Is there a loop that never ends, or one that is very slow?"
        return f"{name} gave {message}{where}.{guess}"
    if error.kind == "load" and error.type == "timeout":
        return f"{task.file.name} is not imported in time{where}. Is there a loop outside of the functions?"
    if error.kind == "load" and error.type == "SystemExit":
        return f"the file ends the program while it is imported{where}. Take the call of exit out."
    if error.kind == "missing":
        return f"{message}. {advice.here.reset(task.id)} puts it back as it was; nothing else changes."
    if error.kind == "died":
        return f"{name}: {message}{where}"
    if error.kind == "data" and RETURNED.search(message):
        return f"{message}, which was returned: raise it instead"
    if error.kind in ("load", "data"):
        return message
    if error.type == "ModuleNotFoundError":
        for module in forbidden(task.lesson):
            if error.message == f"No module named {module!r}":
                return f"{name} imports {module}{where}, and this homework is solved without it."
    if error.type in ("SystemExit", "KeyboardInterrupt"):
        return f"{name} ends the program{where}. A function gives its result with return, and never calls exit."
    if error.type == "RecursionError":
        return f"{name} calls itself too often{where}. Where does it stop?"
    if error.type == "MemoryError":
        return f"{name} asks for more memory than there is{where}. {message}".strip()
    return f"{name} raised {error.type}{where}: {message}" if message else f"{name} raised {error.type}{where}"


def source_line(file: Path, line: int | None) -> str:
    """The line of the file without its indentation; "" if there is none."""
    try:
        return file.read_text(encoding="utf-8", errors="replace").split("\n")[(line or 0) - 1].strip() if line else ""
    except (OSError, IndexError):
        return ""


def call_text(file: Path, call: tuple[str, tuple[Any, ...], dict[str, Any]]) -> str:
    """The call as text: short values inside the parentheses, longer ones below under their parameter names."""
    name, args, kwargs = call
    names = [*_parameters(file, name)[: len(args)], *(f"argument {i + 1}" for i in range(len(args)))][: len(args)]
    inside, below = [], []
    for parameter, value in [*zip(names, args), *kwargs.items()]:
        written = inline_value(value)
        if written is None:
            below.append(f"{parameter} = {long(value)}")
            written = parameter
        inside.append(f"{parameter}={written}" if parameter in kwargs and written != parameter else written)
    return "\n".join([f"{name}({', '.join(inside)})", *below])


def inline_value(value: Any) -> str | None:
    """The value as text if it fits in a line, else None."""
    if callable(value):
        return f"<a function of the test: {getattr(value, '__name__', '')}>"
    if isinstance(value, np.ndarray):
        return None
    written = repr(value)
    return written if len(written) <= 40 and "\n" not in written else None


def long(value: Any) -> str:
    """The value in a few lines; an array with its type and shape first.

    At most MAX_VALUE_LINES, of a text of several lines TEXT_LINES.
    """
    wide, most = width() - MARGIN - 2, MAX_VALUE_LINES
    if isinstance(value, np.ndarray):
        head = f"{value.dtype} {value.shape}"
        if is_picture(value) and value.size > SMALL:
            return f"{head}, a picture"
        if value.size > SMALL and value.ndim > 2:
            first = (0,) * (value.ndim - 2)
            head, value = f"{head}, of which [{', '.join('0' * len(first))}] is", value[first]
        hidden = value.ndim == 2 and len(value) > MAX_VALUE_LINES
        value = value[:MAX_VALUE_LINES] if hidden else value
        whole = SMALL if value.shape[-1:] > (MAX_COLUMNS,) else value.size + 1
        tiny = value.dtype.kind == "f" and np.abs(value).max(initial=0) < TINY
        text = np.array2string(value, precision=4, suppress_small=not tiny, threshold=whole, max_line_width=wide)
        lines = text.split("\n") + ["..."] * hidden
    elif isinstance(value, str) and "\n" in value:
        lines, most = value.splitlines(), TEXT_LINES
        head = f"str of {len(lines)} lines" if len(lines) > 1 else "a line that ends in a newline"
        lines = [piece for line in lines for piece in textwrap.wrap(line, wide, subsequent_indent="  ") or [""]]
    else:
        head = type(value).__name__
        if isinstance(value, (dict, list, tuple)) and len(value) > MANY:
            head, most = f"{head} of {len(value):,}, which begins", 2
            value = dict(list(value.items())[:wide]) if isinstance(value, dict) else value[:wide]
        summary = _summary(value)
        lines = textwrap.wrap(repr(summary), wide)
        if len(lines) > 3 and most > 2:
            lines = pprint.pformat(summary, width=wide, compact=True, sort_dicts=False).split("\n")
    if len(lines) > most:
        lines = [*lines[: most - 1], "..."]
    return "\n".join([head, *(f"  {shortened(line, wide)}" for line in lines)])


def shortened(line: str, most: int) -> str:
    """The line, truncated to `most` characters.

    >>> shortened("a long line", 9)
    'a long...'
    """
    return line if len(line) <= most else line[: most - 3] + "..."


def why(task: HomeworkTask, fault: Exception) -> str:
    """Why no test of the file could be run, and the line of the file if known."""
    line = fault.line if isinstance(fault, SubmissionError) else None
    source = source_line(task.file, line)
    words = labelled("why", fault_in_words(task, fault))
    return f"{words}\n{block(f'line {line}', shortened(source, width() - MARGIN))}" if source else words


def diagnosis(task: HomeworkTask, outcome: Outcome, all_printed: Sequence[Printed] = ()) -> str:
    """Why a test failed: what must hold, the call, what it printed, what happened, the likely cause.

    all_printed : by all tests of the exercise; shown if this test's last call printed nothing.
    """
    parts, error = [], outcome.error
    if not isinstance(error, SubmissionError) or error.kind != "missing":
        parts.append(labelled("must hold", outcome.test.sentence))
        if outcome.call is not None:
            parts.append(block("called", call_text(task.file, outcome.call)))
    here = outcome.printed[-1:]
    parts.append(
        printed(here) if any(here) else printed([without_warnings(one) for one in all_printed], "(not in this call)")
    )
    parts.append(warned(here, State.FAILED))
    if isinstance(error, SubmissionError):
        parts.append(labelled("happened", trouble(task, error, outcome.call)))
        line = source_line(task.file, error.line)
        if line:
            parts.append(block(f"line {error.line}", shortened(line, width() - MARGIN)))
        if error.cause:
            parts.append(labelled("likely why", cause_in_words(error.cause)))
    elif isinstance(error, Failure):
        parts.append(labelled("happened", textwrap.shorten(error.message, 400)))
        line = source_line(task.file, error.line)
        if line:
            parts.append(block(f"line {error.line}", shortened(line, width() - MARGIN)))
        parts += values_and_cause(error)
    return "\n".join(part for part in parts if part).rstrip("\n")


def cause_in_words(cause: str) -> str:
    """The likely cause as the reader of this report is told it, without the section that it names."""
    return advice.here.cause(SECTION.sub("", cause))


def likely_cause(outcome: Outcome) -> str:
    """The likely cause of a failure as the reader of this report is told it; "" if none is known."""
    cause = (outcome.error and outcome.error.cause) if isinstance(outcome.error, SubmissionError | Failure) else None
    return cause_in_words(cause) if cause else ""


def section_of(outcome: Outcome) -> str:
    """The section of the lesson that a failure sends to: its likely cause's, or else its test's; "" for neither."""
    named = SECTION.search((outcome.error and outcome.error.cause) or "")
    return named[1] if named else outcome.test.section


def values_and_cause(failure: Failure) -> list[str]:
    """Expected and got, and the likely cause below them, or above them where they are long."""
    values, cause = _both(failure), cause_in_words(failure.cause or _guess(failure))
    reason = labelled("likely why", cause) if cause else ""
    return [reason, values] if values.count("\n") > LONG else [values, reason]


def block(label: str, text: str) -> str:
    """Lines kept as they are, with a label in the margin of the first."""
    first, *others = text.split("\n")
    lines = [f"  {label}".ljust(MARGIN) + first, *(" " * MARGIN + line for line in others)]
    return "\n".join(line.rstrip() for line in lines)


def _both(failure: Failure) -> str:
    """Expected and got, unless the message already contains them."""
    expected, got = failure.expected, failure.got
    if difference.comparable(expected, got):
        if expected.dtype != got.dtype:
            return ""
        cells = difference.in_text(expected, got, failure.where)
        return "\n" + textwrap.indent(cells, " " * difference.INDENT) + "\n"
    # for arrays of another shape or type the message is enough; an expected text is a description that it contains too
    if isinstance(expected, np.ndarray) or isinstance(got, np.ndarray):
        return ""
    values = [(name, value) for name, value in (("expected", expected), ("got", got)) if isinstance(value, HOLDERS)]
    return "\n".join(block(name, long(value)) for name, value in values if repr(value) not in failure.message)


def _guess(failure: Failure) -> str:
    """A common cause of such a result in any exercise; "" if none is known."""
    expected, got = failure.expected, failure.got
    if got is None and expected is not None:
        if PART.match(failure.message):
            return "A value here is None: was it never set, or does a function that makes it lack a return on some way?"
        return "The function returned None: is there a return on every way through it?"
    if not isinstance(expected, np.ndarray):
        return ""
    if isinstance(got, tuple):
        return f"One array is asked for, and a tuple of {len(got)} came: `return a, b` makes one."
    if isinstance(got, list):
        return "The result is a list, not an array: np.array(...) makes one, with the dtype that is asked for."
    if not isinstance(got, np.ndarray) or (got.dtype == expected.dtype and got.shape == expected.shape):
        return ""
    if got.shape == expected.shape:
        said = f"One of the steps changes the element type to {got.dtype}; .dtype of each result shows which."
        if got.dtype != np.float64 or expected.dtype.kind not in "biuf":
            return said
        with np.errstate(all="ignore"):  # what fits into the narrower type may have been computed in it and stored
            stored = np.array_equal(got, got.astype(expected.dtype), equal_nan=True)
        made = " Is it an array that you fill? np.empty and np.zeros make float64 unless you give them a dtype."
        return said + made * stored
    if sorted(got.shape) == sorted(expected.shape):
        return "The axes stand in another order: is something transposed, or are rows and columns exchanged?"
    if got.size == expected.size:
        return "The number of elements is right, and their arrangement in axes is not."
    return ""


def _what_next(task: HomeworkTask, section: str) -> str:
    """`section` : of the lesson or of another one, if the failure has its own."""
    parts = []
    if section := section or task.exercise.section:
        other = ELSEWHERE.fullmatch(section)
        number, heading = other.groups() if other else (task.lesson.number, section)
        parts.append(labelled("read again", f'lesson {number}, "{heading}"'))
    parts.append(labelled("then", advice.here.hint(task.id)))
    return "\n".join(parts)


def _unwritten(result: Result) -> str:
    task = result.task
    first = next((outcome.error for outcome in result.outcomes if unwritten(outcome.error)), None)
    line = f", line {first.line}" if isinstance(first, SubmissionError) and first.line else ""
    said = f": {first.message}" if isinstance(first, SubmissionError) and result.state is State.BEGUN else ""
    parts = [labelled("write", f"{_shown(task)}{line}{said}")]
    if result.state is State.OPEN:
        parts.append(labelled("task", f"{task.exercise.title} ({task.points})"))
    other = result.waits_for
    if other:
        first_step = f"{task.id} calls {other}, which is not written yet: {advice.here.check(other)}"
        parts.append(labelled("first", first_step))
    parts.append(labelled("stuck?", advice.here.hint(task.id)))
    return "\n".join(parts)


def _shown(task: HomeworkTask) -> str:
    return f"homework/{task.lesson.folder}/{task.file.name}"


def _parameters(file: Path, function: str) -> list[str]:
    """The function's parameter names in the student's file."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    return []


def _summary(value: Any) -> Any:
    """The value with its arrays replaced by short descriptions."""
    if isinstance(value, np.ndarray):
        return _Named(f"<{value.dtype} {value.shape}>")
    if isinstance(value, list | tuple):
        return type(value)(_summary(item) for item in value)
    if isinstance(value, dict):
        return {key: _summary(item) for key, item in value.items()}
    return value


class _Named:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name
