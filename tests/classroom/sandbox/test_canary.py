"""The canary tells a sandbox that holds from one that does not, and says what it got."""

from __future__ import annotations

import dataclasses
import os
import sys
from pathlib import Path

import pytest

from classroom.grading.records import Isolation
from classroom.sandbox import Bare, Command, Sandbox, SandboxError, best_sandbox, canary, choose, examine, probe
from classroom.sandbox.bubblewrap import Bubblewrap
from classroom.sandbox.canary import NEEDED, STRONG, proofs
from classroom.sandbox.landlock import Landlock

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the canary tries what Linux has")

OUTSIDE = "/var/tmp"
"""A folder of the judge's in which neither Python nor the course lies: what is laid over it hides nothing."""


class Leaky(Bubblewrap):
    """Bubblewrap with other options."""

    def __init__(self, left_out: tuple[str, ...] = (), added: tuple[str, ...] = (), unfiltered: bool = False) -> None:
        super().__init__()
        self.left_out, self.added = left_out, added
        if unfiltered:
            self._filter = None

    def command(self, submission: Path, without: frozenset[str]) -> Command:
        command = super().command(submission, without)
        program, *options = (word for word in command.argv if word not in self.left_out)
        at = options.index("--remount-ro") if self.added else 0
        return dataclasses.replace(command, argv=(program, *options[:at], *self.added, *options[at:]))


def test_bubblewrap_is_strong(bubblewrap: Sandbox) -> None:
    found = examine(bubblewrap)
    assert (found.isolation, found.leaks) == (Isolation.STRONG, ())


def test_landlock_is_weak_though_nothing_gets_through(landlock: Sandbox) -> None:
    found = examine(landlock)
    assert (found.isolation, found.leaks) == (Isolation.WEAK, ())


def test_a_bare_process_is_none() -> None:
    assert canary(Bare()) is Isolation.NONE
    assert "whatever you can" in examine(Bare()).message


@LINUX
def test_every_probe_gets_through_where_nothing_holds_it_back() -> None:
    got = {name for name, proof in proofs(Bare(), [*NEEDED, *STRONG]).items() if proof}
    # nothing is left open by this process; memory and limits are those of the machine
    assert got >= {*NEEDED, *STRONG} - {"find_descriptors", "take_memory", "raise_limits"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "isolation", "said"),
    [
        (
            {"added": ("--ro-bind", "/", "/host", "--dir", "/var", "--ro-bind", OUTSIDE, OUTSIDE)},
            Isolation.NONE,
            "reads files",
        ),
        (
            {"added": ("--dir", "/var", "--bind", OUTSIDE, OUTSIDE), "unfiltered": True},
            Isolation.NONE,
            "writes files|reads files",
        ),
        ({"left_out": ("--unshare-net",), "unfiltered": True}, Isolation.NONE, "opens connections"),
        ({"unfiltered": True}, Isolation.WEAK, "opens sockets .AF_.*system calls that reach around"),
    ],
)
def test_a_hole_is_found_and_named(bubblewrap: Sandbox, options: dict, isolation: Isolation, said: str) -> None:
    sandbox = Leaky(**options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", OUTSIDE)
        assert canary(sandbox) is isolation
    import re

    assert re.search(said, sandbox.explanation)


def test_no_file_stays_behind_where_one_can_be_made_and_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def full(file: Path, data: bytes) -> None:
        file.touch()
        made.append(file)
        raise OSError(27, "File too large")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Path, "write_bytes", full)
    probe.write_files({"token": "of-a-test", "folders": {str(tmp_path): ""}})
    assert made
    assert not [file for file in made if file.exists()]


def test_a_sandbox_that_does_not_start_is_no_grade_and_no_isolation(bubblewrap: Sandbox) -> None:
    with pytest.raises(SandboxError):
        canary(Bubblewrap(program="/bin/false"))


def test_a_kernel_that_cannot_end_workers_is_told(bubblewrap: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> int:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(os, "pidfd_open", missing)
    with pytest.raises(SandboxError, match=r"Linux 5\.3"):
        Bubblewrap()


def test_the_best_sandbox_is_the_first_that_works(bubblewrap: Sandbox) -> None:
    assert isinstance(best_sandbox(), Bubblewrap)


@pytest.mark.slow
def test_without_bubblewrap_it_is_said_how_to_install_it(landlock: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    for manager, command in choose.INSTALL.items():
        monkeypatch.setattr("shutil.which", lambda name, manager=manager: name if name == manager else None)
        best = best_sandbox()
        assert isinstance(best, Landlock)
        assert command in best.explanation


def test_where_nothing_works_it_is_none_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("classroom.sandbox.lockdown.landlock_version", lambda: 0)
    best = best_sandbox()
    assert isinstance(best, Bare)
    for command in choose.INSTALL.values():
        assert command in best.explanation
    assert "Linux 6.2" in best.explanation


@pytest.mark.slow
@pytest.mark.parametrize(("platform", "name"), [("darwin", "macOS"), ("win32", "Windows")])
def test_on_other_systems_it_is_none_and_says_why(monkeypatch: pytest.MonkeyPatch, platform: str, name: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    best = best_sandbox()
    assert best.isolation is Isolation.NONE
    assert name in best.explanation


def test_bubblewrap_that_may_not_make_namespaces_is_explained(
    bubblewrap: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    explanation = best_sandbox().explanation
    assert "bubblewrap is installed but cannot be used" in explanation
    assert "setting up uid map: Permission denied" in explanation
