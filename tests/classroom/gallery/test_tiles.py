"""A tile of the student's in a compiled network: what is said, and that the network computes the same."""

from __future__ import annotations

from typing import Any

import pytest

from classroom import gallery
from classroom.gallery.isolated import PieceResult
from classroom.gallery.piece import DemoOptions
from classroom.gallery.piece_worker import answer
from classroom.gallery.plugs import PLUGS
from classroom.gallery.tiles import beside_kuipers, median_ratio, told
from kuiper import KuiperError
from kuiper.compiled import llvm

DIGITS = gallery.find("digits")
ITEMS = DIGITS.sample(DemoOptions())[:1]


def square(registers: int, lanes: int, rows: int, channels: int) -> tuple[int, int]:
    """The largest square that fits."""
    return max((n, n) for n in range(1, registers) if n * n + n + 1 <= registers)


def test_without_llvm_it_says_what_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llvm, "installed", lambda: False)
    assert "with llvmlite (the extra speed)" in beside_kuipers(DIGITS, ITEMS, square)


@pytest.mark.slow
def test_the_network_is_compiled_with_the_tile_and_timed() -> None:
    pytest.importorskip("llvmlite", reason="the compiler needs llvmlite, of the extra speed")
    target = pytest.importorskip("kuiper.compiled.target").host()
    if target is None:
        pytest.skip("this processor is not compiled for")
    said = beside_kuipers(DIGITS, ITEMS, square)
    chosen = square(target.registers, target.lanes, 0, 0)
    assert f"you choose {chosen[0]} x {chosen[1]} sums. Compiled so, a pass of digits takes " in said


def test_what_is_no_tile_is_refused() -> None:
    pytest.importorskip("llvmlite", reason="the compiler needs llvmlite, of the extra speed")
    target = pytest.importorskip("kuiper.compiled.target").host()
    if target is None:
        pytest.skip("this processor is not compiled for")
    with pytest.raises(KuiperError, match="two ints from 1 to 64, got 'wide'"):
        beside_kuipers(DIGITS, ITEMS, lambda *problem: "wide")


def test_the_same_tile_and_about_the_same_time_are_said_in_words() -> None:
    assert told((6, 2), (6, 2), 16, 8, "digits", 1.0).endswith("you choose 6 x 2 sums. So does kuiper.")
    assert "takes as long as with the 6 x 2 of kuiper" in told((4, 3), (6, 2), 16, 8, "digits", 1.01)


def test_both_take_turns() -> None:
    order: list[str] = []
    calls: Any = [lambda: order.append("own"), lambda: order.append("kuiper's")]
    assert median_ratio(calls) > 0
    assert order == ["own", "kuiper's"] * (len(order) // 2)


@pytest.mark.slow
def test_the_worker_says_it_where_the_tile_is_the_students(tmp_path: Any) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def choose_tile(*problem):\n    return 4, 3\n")
    request = {"piece": "digits", "options": {}, "plugs": [["choose_tile", str(file)]], "check_only": False}
    result = PieceResult(**answer(request))
    assert result.good, result
    assert result.tile.startswith("choose_tile: ")
    assert result.calls["choose_tile"] > 0
    assert PieceResult(**answer({**request, "plugs": []})).tile == ""


def test_loop_nest_says_by_what_its_text_runs() -> None:
    assert PLUGS["loop_nest"].note().startswith("loop_nest: ")
    assert [exercise for exercise, plug in PLUGS.items() if plug.note()] == ["loop_nest"]
