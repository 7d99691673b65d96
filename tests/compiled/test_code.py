"""Machine code and its cache on disk."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the compiler needs llvmlite, of the extra speed")

from llvmlite import ir

from kuiper.compiled.builder import F32, POINTER, VectorBuilder, function
from kuiper.compiled.code import CodeSource, MachineCode, NotCachedError, ObjectCache, assembly
from kuiper.compiled.target import NAMED, Target, host

TARGET = host()
pytestmark = pytest.mark.skipif(TARGET is None, reason="this processor's vectors are not known to the compiler")


def answer(number: float, target: Target | None = TARGET) -> str:
    """IR of a function that stores this number."""
    assert target is not None
    module = ir.Module("test")
    made = function(module, "answer", [POINTER], internal=False)
    b = VectorBuilder(made.append_basic_block("entry"), target)
    b.store(ir.Constant(F32, number), made.args[0], align=4)
    b.ret_void()
    return str(module)


def asked(code: MachineCode) -> float:
    """What that function stores."""
    result = np.zeros(1, np.float32)
    code.function("answer", ctypes.c_void_p)(result.ctypes.data)
    return float(result[0])


class Made(NamedTuple):
    code: MachineCode
    cached: bool


def made(number: float, folder: Path | None, name: str | None = "") -> Made:
    assert TARGET is not None
    source = CodeSource(TARGET, folder)
    object_file = source(f"number {number:g}" if name == "" else name, lambda: answer(number))
    return Made(MachineCode(object_file, TARGET), source.cached)


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.o"))


def test_it_is_made_once_and_then_read(tmp_path: Path) -> None:
    folder = tmp_path / "code"
    first, second = made(42, folder), made(42, folder)
    assert (first.cached, second.cached) == (False, True)
    assert asked(first.code) == asked(second.code) == 42
    assert len(files(folder)) == 1


def test_what_has_no_name_is_made_each_time(tmp_path: Path) -> None:
    assert asked(made(42, tmp_path / "c", name=None).code) == 42
    assert not made(42, tmp_path / "c", name=None).cached
    assert files(tmp_path / "c") == []


def test_a_source_that_makes_nothing_says_what_it_did_not_find(tmp_path: Path) -> None:
    assert TARGET is not None
    source = CodeSource(TARGET, tmp_path / "c", make=None)
    for name in ("number 42", None):
        with pytest.raises(NotCachedError) as raised:
            source(name, lambda: answer(42))
        assert raised.value.name == name
    made(42, tmp_path / "c")
    source("number 42", lambda: pytest.fail("it is in the cache"))
    source.keep("number 1", b"known")
    assert source("number 1", lambda: pytest.fail("it was put there")) == b"known"


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = ObjectCache(tmp_path / "c")
    monkeypatch.setattr("kuiper.compiled.code.MOST_BYTES", 3 * (100 + 32))
    for age, name in enumerate(["used", "old", "newer"]):
        cache.write(name, bytes(100))
        os.utime(tmp_path / "c" / f"{name}.o", (1000 + age, 1000 + age))
    assert cache.read("used") is not None
    cache.write("newest", bytes(100))
    assert [path.stem for path in files(tmp_path / "c")] == ["newer", "newest", "used"]


def test_other_text_is_another_file(tmp_path: Path) -> None:
    assert asked(made(1, tmp_path / "c").code) == 1
    assert asked(made(2, tmp_path / "c").code) == 2
    assert len(files(tmp_path / "c")) == 2


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b"", lambda b: b[:-1] + bytes([b[-1] ^ 1]),
                                    lambda b: bytes([b[0] ^ 1]) + b[1:]])  # fmt: skip
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: object) -> None:
    made(42, tmp_path / "c")
    (path,) = files(tmp_path / "c")
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    again = made(42, tmp_path / "c")
    assert not again.cached
    assert asked(again.code) == 42
    assert made(42, tmp_path / "c").cached


def test_code_of_another_user_is_not_believed(tmp_path: Path) -> None:
    made(1, tmp_path / "theirs")
    made(2, tmp_path / "mine")
    (theirs,), (mine,) = files(tmp_path / "theirs"), files(tmp_path / "mine")
    copied = tmp_path / "mine" / theirs.name
    copied.write_bytes(theirs.read_bytes())
    assert not made(1, tmp_path / "mine").cached
    mine.write_bytes(copied.read_bytes())  # signed by the right key, but for another name
    assert asked(made(2, tmp_path / "mine").code) == 2


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions as on Linux and macOS")
def test_a_folder_that_others_may_write_to_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    made(42, folder)
    folder.chmod(0o777)
    assert not made(42, folder).cached
    folder.chmod(0o700)
    assert made(42, folder).cached
    (folder / "key").chmod(0o666)
    assert not made(42, folder).cached


def test_a_folder_that_cannot_be_made_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code = made(42, tmp_path / "file" / "code")
    assert not code.cached
    assert asked(code.code) == 42


def test_the_cache_gives_back_what_it_was_given(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path / "c")
    assert cache.read("name") is None
    cache.write("name", b"code")
    assert cache.read("name") == b"code"
    assert cache.read("other") is None


@pytest.mark.parametrize("name", NAMED)
def test_every_named_target_gets_assembly(name: str) -> None:
    assert "answer" in assembly(answer(1, NAMED[name]), NAMED[name])
