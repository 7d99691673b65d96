"""The oracle of a public test: what is right, computed by the course, or stored where students have the test.

A public test that asks for `oracle` calls functions of judge/EXERCISE.py: `oracle.flatten(x, True)`. Students have the
test without that file. So `course dev build` runs each such test on SEEDS seeds and stores what the oracle answered in
expected.zip; there the same calls get the stored answers. Functions named *_mistakes give {likely cause: what comes of
it}; of these only fingerprints are stored.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from classroom.fixed_zip import zipped
from classroom.judge import codec
from classroom.judge.fingerprint import Fingerprint, fingerprint
from classroom.judge.student import JudgeError
from classroom.judge.tests import Oracles, load_file

FILE = "expected.zip"
SEEDS = 8
"""Stored for each test: more cases than one learns by heart."""
MISTAKES = "_mistakes"
OracleAnswer = tuple[str, Fingerprint, Any]
"""Of one call: the function's name, its arguments' fingerprint, what it returned."""


class LiveOracle:
    """The functions of judge/EXERCISE.py. `log` : the answers so far."""

    def __init__(self, module: ModuleType) -> None:
        self._module, self.log = module, list[OracleAnswer]()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(self._module, name)

        def ask(*args: Any, **kwargs: Any) -> Any:
            asked = fingerprint([*args, kwargs])
            answer = function(*args, **kwargs)
            self.log.append((name, asked, answer))
            return answer

        return ask


class StoredOracle:
    """Stored answers, given out in the order in which they were given first."""

    def __init__(self, test: str, answers: Iterable[OracleAnswer]) -> None:
        self._test, self._answers = test, iter(answers)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def ask(*args: Any, **kwargs: Any) -> Any:
            stored, asked, answer = next(self._answers, ("nothing more", None, None))
            if stored != name or asked != fingerprint([*args, kwargs]):
                raise JudgeError(
                    f"{self._test}: {FILE} holds an answer of {stored} for other inputs than {name} was asked about: "
                    "it was made for another version of the tests, or of numpy"
                )
            return answer

        return ask


def oracles_of(folder: Path, exercise: str) -> Oracles:
    """The oracles of an exercise's tests: stored ones, and for other seeds live ones where the course has them."""

    def oracle(test: str, seed: int) -> LiveOracle | StoredOracle:
        stored = stored_answers(folder).get((exercise, test, seed))
        if stored is not None:
            return StoredOracle(test, stored)
        return live(folder, exercise)

    return oracle


def live(folder: Path, exercise: str) -> LiveOracle:
    """The oracle that computes. Raises JudgeError where the folder does not have it, or it cannot be imported."""
    path = folder / "judge" / f"{exercise}.py"
    if not path.is_file():
        raise JudgeError(f"{folder.name}/{FILE} has no answers for this seed; it has them for 0 to {SEEDS - 1}")
    try:
        return LiveOracle(_module(path, path.stat().st_mtime_ns))
    except Exception as error:
        raise JudgeError(f"{folder.name}/judge/{exercise}.py: {type(error).__name__}: {error}") from error


@lru_cache(maxsize=64)
def _module(path: Path, changed: int) -> ModuleType:
    return load_file(path)


def stored_answers(folder: Path) -> dict[tuple[str, str, int], list[OracleAnswer]]:
    """The content of expected.zip: (exercise, test, seed) -> answers. Raises JudgeError if it is damaged."""
    path = folder / FILE
    return _read(path, path.stat().st_mtime_ns) if path.is_file() else {}


@lru_cache(maxsize=64)
def _read(path: Path, changed: int) -> dict[tuple[str, str, int], list[OracleAnswer]]:
    found = {}
    try:
        with zipfile.ZipFile(path) as packed:
            for name in packed.namelist():
                exercise, test = name.split("/")
                content = packed.read(name)
                frames = io.BytesIO(content)
                while frames.tell() < len(content):
                    seed, calls = codec.read(frames)
                    found[exercise, test, seed] = [
                        (called, _print(asked), _of_stored(called, answer)) for called, asked, answer in calls
                    ]
    except (OSError, ValueError, EOFError, TypeError, zipfile.BadZipFile, codec.CodecError) as error:
        raise JudgeError(f"{path.parent.name}/{FILE} cannot be read: {error}") from error
    return found


def packed_answers(answers: dict[tuple[str, str, int], list[OracleAnswer]]) -> bytes:
    """The bytes of expected.zip, the same for the same answers: a file for each test, with a frame for each seed.

    The seeds of a test share a file because what they repeat, above all the likely causes, is compressed there.
    """
    files: dict[str, bytes] = {}
    for (exercise, test, seed), calls in sorted(answers.items(), key=lambda item: item[0]):
        stored = [(name, _bare(asked), _to_store(name, answer)) for name, asked, answer in calls]
        file = f"{exercise}/{test}"
        files[file] = files.get(file, b"") + codec.encode((seed, stored))
    return zipped(files, zipfile.ZIP_DEFLATED)


def same_answers(some: list[OracleAnswer], others: list[OracleAnswer]) -> bool:
    """Whether two lists of answers are the same, within what processors differ by."""
    return [(a, b, _comparable(a, c)) for a, b, c in some] == [(a, b, _comparable(a, c)) for a, b, c in others]


def _comparable(name: str, answer: Any) -> Any:
    if not name.endswith(MISTAKES):
        return fingerprint(answer)
    return [(cause, _as_print(wrong)) for cause, wrong in answer.items()]  # in order: the first that fits is told


def _to_store(name: str, answer: Any) -> Any:
    if not name.endswith(MISTAKES):
        return answer
    return {cause: _bare(_as_print(wrong)) for cause, wrong in answer.items()}


def _of_stored(name: str, answer: Any) -> Any:
    return {cause: _print(wrong) for cause, wrong in answer.items()} if name.endswith(MISTAKES) else answer


def _as_print(value: Any) -> Fingerprint:
    return value if isinstance(value, Fingerprint) else fingerprint(value)


def _bare(one: Fingerprint) -> list[Any]:
    return [one.form, *(float(f"{number:.9g}") for number in (*one.sums, one.scale))]


def _print(bare: list[Any]) -> Fingerprint:
    form, *sums, scale = bare
    return Fingerprint(form, tuple(sums), scale)
