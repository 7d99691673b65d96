"""What differs on Windows, macOS and East Asian consoles, as far as it can be simulated elsewhere."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path, PureWindowsPath
from typing import Any

import pytest

from classroom import page
from classroom.cli import check_watch_hint
from classroom.doctor import limited
from classroom.gallery.isolated import output_of
from classroom.judge import process, worker
from classroom.launcher import install, trouble
from classroom.launcher.paths import Paths
from classroom.sandbox import choose
from classroom.sandbox.base import Bare
from classroom.site import build
from kuiper import KuiperError
from kuiper.pnnx import writer

ROOT = Path(__file__).resolve().parents[2]


class Terminal(io.StringIO):
    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb"), ("os", "nt")])
def test_watch_writes_no_codes_where_the_terminal_may_not_understand_them(
    mini: Any, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    for variable in ("NO_COLOR", "TERM", "WT_SESSION"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("classroom.watch.changes", lambda files, poll: [])
    monkeypatch.setattr(sys, "stdout", Terminal())
    check_watch_hint.watch(None, 1.0, 5.0)
    assert "\x1b[2J" in sys.stdout.getvalue()  # type: ignore[attr-defined]
    if name == "os":
        monkeypatch.setattr(page, "os", type("Windows", (), {"name": value, "environ": {}}))
    else:
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", Terminal())
    check_watch_hint.watch(None, 1.0, 5.0)
    assert "Ctrl-C ends" in sys.stdout.getvalue()  # type: ignore[attr-defined]
    assert "\x1b" not in sys.stdout.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("end", ["\\n", "\\r\\n"])
def test_the_bar_moves_whatever_ends_the_worker_s_lines(end: str) -> None:
    code = f"import sys; sys.stdout.buffer.write(b'.{end}.{end}{{}}')"
    advances: list[int] = []
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert output_of(child, 300, lambda: advances.append(1)) == b"{}"
    assert len(advances) == 2


def test_a_variable_is_set_as_the_system_s_shell_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trouble, "COMMAND", "python3 course.py")
    assert trouble.command_with(A="1", B="x") == "A=1 B=x python3 course.py"
    monkeypatch.setattr(trouble, "COMMAND", "py course.py")
    monkeypatch.setattr(trouble.os, "name", "nt")
    assert trouble.command_with(A="1", B="x") == '$env:A="1"; $env:B="x"; py course.py'


def test_a_model_that_windows_does_not_let_go_of_is_said_to_be_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import kuiper

    graph = kuiper.pnnx.read(ROOT / "models/digits/digits.pnnx.param")

    def refuses(*_: object) -> None:
        raise PermissionError(13, "Access is denied")

    monkeypatch.setattr(writer.os, "replace", refuses)
    with pytest.raises(KuiperError) as told:
        writer.write(graph, tmp_path / "a.pnnx.param")
    assert "loaded graph" not in str(told.value)
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(KuiperError, match="Windows replaces no file that a loaded graph still reads"):
        writer.write(graph, tmp_path / "a.pnnx.param")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("encoding", ["gbk", "cp936", "cp932", "cp949", "big5", "GB18030"])
def test_blocks_become_ascii_on_an_east_asian_console_where_they_are_two_columns_wide(encoding: str) -> None:
    assert page.fitting("█▓▒░ 8×8", encoding) == "@#+. 8x8"


def test_a_windows_console_is_asked_for_its_code_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "code_page", lambda: 936)
    assert page.fitting("█", "utf-8") == "█"
    monkeypatch.setattr(page, "os", type("Windows", (), {"name": "nt", "environ": {}}))
    assert page.fitting("█", "utf-8") == "@"
    monkeypatch.setattr(page, "os", type("Windows", (), {"name": "nt", "environ": {"WT_SESSION": "1"}}))
    assert page.fitting("█", "utf-8") == "█"


def test_blocks_stay_side_by_side_beside_characters_of_two_columns() -> None:
    assert page.side_by_side(["网\nabc", "d\ne"], gap=1) == "网  d\nabc e"


def test_on_windows_what_a_worker_has_started_ends_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[str]] = []
    monkeypatch.setattr(process.sys, "platform", "win32")
    monkeypatch.setattr(process.subprocess, "call", lambda command, **_: calls.append(command) or 0)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    process.kill_group(child)
    assert calls == [["taskkill", "/T", "/F", "/PID", str(child.pid)]]
    child.communicate()
    process.kill_group(child)
    assert len(calls) == 1  # its number may be another's by now


def test_without_limits_of_memory_the_isolation_and_the_doctor_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose.sys, "platform", "darwin")
    monkeypatch.setattr(choose, "memory_limit", lambda sandbox: worker.MEMORY)
    assert "memory" not in choose.best_sandbox().explanation
    monkeypatch.setattr(choose, "memory_limit", lambda sandbox: None)
    explanation = choose.best_sandbox().explanation
    assert explanation.startswith(
        "there is no sandbox on macOS, and a submission's memory is not limited: grade on Linux"
    )
    assert "no limit" in limited(None)
    assert limited(worker.MEMORY) == "an exercise that is checked may take 4 GB"


@pytest.mark.skipif(sys.platform != "linux", reason="the system of which it is known that it sets the limit")
def test_the_limit_that_is_told_is_the_one_that_a_worker_has(monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose.memory_limit(Bare()) == worker.MEMORY
    without = choose.ASKS_FOR_ITS_LIMIT.replace("import resource", "raise ModuleNotFoundError('resource')")
    monkeypatch.setattr(choose, "ASKS_FOR_ITS_LIMIT", without)
    assert choose.memory_limit(Bare()) is None
    refused = choose.ASKS_FOR_ITS_LIMIT.replace("raise ModuleNotFoundError('resource')", "return 0")
    monkeypatch.setattr(choose, "ASKS_FOR_ITS_LIMIT", refused)
    assert choose.memory_limit(Bare()) is None


def test_sphinx_warnings_lose_the_folder_with_either_slash() -> None:
    folder = PureWindowsPath(r"C:\Temp\site\pages")
    assert build.plain_warnings(f"{folder}\\index.md:3: gone\n\n", folder) == ["index.md:3: gone"]
    assert build.plain_warnings(f"{folder}/index.md:3: gone", folder) == ["index.md:3: gone"]


def test_a_folder_too_deep_for_windows_is_told_before_anything_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = Paths(ROOT, tmp_path / ("deep" * 30))
    monkeypatch.setattr(install, "has_short_paths", lambda: True)
    monkeypatch.setattr(install, "_with_uv_or_pip", lambda *_: pytest.fail("something was installed"))
    with pytest.raises(trouble.Stop, match="JupyterLab has files with names so long") as told:
        install.set_up(paths, "course")
    assert "COURSE_VENV=" in str(told.value)
    assert not paths.venv.exists()


def test_in_a_folder_as_deep_as_is_allowed_every_file_of_jupyterlab_fits() -> None:
    files = metadata.distribution("jupyterlab").files
    assert files is not None
    longest = max(len(str(file)) for file in files if not str(file).startswith(".."))
    assert trouble.MAX_VENV_PATH + len(r"\Lib\site-packages\ "[:-1]) + longest < 260


AS_ON_WINDOWS = """
import asyncio, ctypes, multiprocessing.connection, os, socket, subprocess, sys, sysconfig, threading, zoneinfo
import numpy, rich.progress, typer
from pathlib import Path

for module in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[module] = None
for owner, names in ((os, ("fork", "killpg", "setsid", "geteuid", "sched_getaffinity")), (socket, ("AF_UNIX",))):
    for name in names:
        vars(owner).pop(name, None)
sys.platform = "win32"

from classroom import register
from classroom.main import main

register.ROOT = Path(sys.argv.pop(1))
main()
"""
"""The command line where Python lacks what Windows lacks; what it starts is as it is here."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("check", "double"), "public tests passed"),
        (("check", "turn"), "gave no answer within 1 s"),
        (("hint", "turn"), "Where does the last one go?"),
        (("next",), "Next: "),
        (("map",), "A small course"),
        (("doctor",), "hw01_numbers.py can be imported"),
        (("demo", "--mine"), "Nothing here is yours yet"),
    ],
)
def test_the_students_commands_need_nothing_that_windows_has_not(
    mini: Any, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    mini.write(double="return 2 * x", turn="while True: pass")
    shutil.copytree(ROOT / "models" / "digits", mini.root / "models" / "digits")
    script = tmp_path / "as_on_windows.py"
    script.write_text(AS_ON_WINDOWS, encoding="utf-8")
    seconds = ("--seconds", "1") if arguments == ("check", "turn") else ()
    done = subprocess.run(
        [sys.executable, str(script), str(mini.root), *arguments, *seconds],
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert said in done.stdout, done.stdout + done.stderr
