"""Parts shared among threads: every unit once, whoever helps, and whenever."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the compiler needs llvmlite, of the extra speed")

from llvmlite import ir

from kuiper.compiled import plan
from kuiper.compiled.builder import F32, Value, VectorBuilder, i64
from kuiper.compiled.code import MachineCode, object_of
from kuiper.compiled.crew import Crew
from kuiper.compiled.parts import Module
from kuiper.compiled.passes import text_of
from kuiper.compiled.plan import TRIES, Stretch, TriedStretch
from kuiper.compiled.target import host
from kuiper.graph.alignment import aligned

TARGET = host()
pytestmark = pytest.mark.skipif(TARGET is None, reason="this processor's vectors are not known to the compiler")
SIZE = 40
ONE = ir.Constant(F32, 1.0)


def counting(
    units: Sequence[int],
    lanes: int,
    slow: int = 0,
    kind: type[Stretch] = Stretch,
    parts: tuple[int, int] | None = None,
) -> tuple[Stretch, np.ndarray]:
    """A stretch whose part p adds 1 to counts[p, unit], once all of part p - 1 is done; and the counts."""
    assert TARGET is not None
    memory = aligned(4 * len(units) * SIZE)
    counts = memory.view(np.float32).reshape(len(units), SIZE)
    counts[...] = 0
    module = Module(TARGET, memory, lanes)
    for row, count in enumerate(units):

        def body(b: VectorBuilder, pointers: list[Value], begin: Value, end: Value, row: int = row) -> None:
            def one(unit: Value) -> None:
                place = b.at(pointers[0], b.mul(unit, i64(4)))
                if slow:
                    b.loop(i64(0), i64(slow), 1, lambda *_: b.fence("seq_cst") and None)
                ahead = b.number(pointers[1]) if row else None  # the first unit of the part before
                step = b.fadd(b.number(place), ONE if ahead is None else b.fdiv(ahead, ahead))
                b.store(step, place, align=4)

            b.between(begin, end, one)

        module.part(count, [module.place(counts[row]), module.place(counts[max(row - 1, 0)])], body)
    code = MachineCode(object_of(text_of(module), TARGET), TARGET)
    return kind(code, *(parts or (0, len(units))), memory, module.outside(), aligned(64), lanes), counts


def threads(calls: Sequence[Callable[[], None]]) -> None:
    for call in calls:
        threading.Thread(target=call).start()


UNITS = [1, 2, 7, SIZE, 3, 5, 0]


def expected(passes: int) -> np.ndarray:
    return np.array([[passes if i < count else 0 for i in range(SIZE)] for count in UNITS], np.float32)


@pytest.mark.parametrize("lanes", [1, 2, 3, 5])
def test_every_unit_is_done_once(lanes: int) -> None:
    stretch, counts = counting(UNITS, lanes, slow=50)
    for _ in range(20):
        stretch.run(threads if lanes > 1 else None)
    np.testing.assert_array_equal(counts, expected(20))


@pytest.mark.parametrize(("first", "last"), [(0, 3), (2, 4), (3, 3), (6, 7)])
def test_a_stretch_runs_its_own_parts(first: int, last: int) -> None:
    for ask in (None, threads):
        stretch, counts = counting(UNITS, 2, parts=(first, last))
        counts[...] = 1  # as if the parts before had run
        stretch.run(ask)
        part = np.arange(len(UNITS))[:, None]
        np.testing.assert_array_equal(counts, 1 + expected(1) * ((part >= first) & (part < last)))


def test_code_has_no_unwind_tables() -> None:
    memory = aligned(64)
    module = Module(TARGET, memory, 2)
    module.part(1, [], lambda b, pointers, begin, end: None)
    made = object_of(text_of(module), TARGET)
    assert b".text" in made or b"__text" in made
    assert b".eh_frame" not in made
    assert b".pdata" not in made


def test_helpers_that_never_come_are_not_waited_for() -> None:
    stretch, counts = counting(UNITS, 3)
    stretch.run(lambda calls: None)
    np.testing.assert_array_equal(counts, expected(1))


def test_helpers_that_come_late_find_the_gate_closed() -> None:
    stretch, counts = counting(UNITS, 2)
    late: list[Callable[[], None]] = []
    stretch.run(late.extend)
    for call in late:
        call()
    np.testing.assert_array_equal(counts, expected(1))
    stretch.run(late.extend)
    late[0]()  # of the first pass, and the second is over too
    np.testing.assert_array_equal(counts, expected(2))


def test_a_helper_of_an_earlier_pass_does_not_enter_a_later_one() -> None:
    stretch, counts = counting([SIZE], 2, slow=2000)
    late: list[Callable[[], None]] = []
    stretch.run(late.extend)
    stretch.run(lambda calls: threads(late))
    np.testing.assert_array_equal(counts, np.full((1, SIZE), 2, np.float32))


def test_the_crew_helps_and_sleeps() -> None:
    crew, came = Crew(), threading.Event()
    with crew.session(2, []) as ask:
        assert ask is not None
        ask([came.set])
        assert came.wait(5)
    before = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - before < 0.2, "a helper spins while nothing runs"


def test_the_crew_serves_one_caller_at_a_time() -> None:
    crew = Crew()
    with crew.session(2, []) as first, crew.session(2, []) as second:
        assert first is not None
        assert second is None
    with crew.session(1, []) as alone:
        assert alone is None
    with crew.session(2, []) as again:
        assert again is not None


def test_a_helper_that_is_busy_takes_the_latest_call() -> None:
    crew, go, seen = Crew(), threading.Event(), []
    done = threading.Event()
    with crew.session(2, []) as ask:
        assert ask is not None
        busy = threading.Event()
        ask([lambda: (busy.set(), go.wait(5))])
        assert busy.wait(5)
        for number in range(5):
            ask([lambda number=number: (seen.append(number), done.set())])
        go.set()
        assert done.wait(5)
    assert seen == [4]


def test_help_that_makes_nothing_faster_is_no_longer_asked_for() -> None:
    asked = []

    def slowly(calls: Sequence[Callable[[], None]]) -> None:
        asked.append(len(calls))
        time.sleep(0.01)

    stretch, counts = counting(UNITS, 2, kind=TriedStretch)
    assert isinstance(stretch, TriedStretch)
    assert stretch.may_gain
    for _ in range(2 * TRIES + 5):
        stretch.run(slowly)
    assert (stretch.may_gain, len(asked)) == (False, TRIES)
    np.testing.assert_array_equal(counts, expected(2 * TRIES + 5))


def test_long_work_is_shared_from_the_third_run_on(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(plan, "LONG", 0.0)
    stretch, counts = counting(UNITS, 2, kind=TriedStretch)
    for _ in range(6):
        stretch.run(lambda calls: asked.append(calls))
    assert len(asked) == 4  # alone, helped, alone: help is worth it
    np.testing.assert_array_equal(counts, expected(6))
