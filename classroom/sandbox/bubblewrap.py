"""Bubblewrap and seccomp: a worker in its own namespaces, with only the files it needs."""

from __future__ import annotations

import os
import platform
import secrets
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from classroom.grading.records import Isolation
from classroom.sandbox import inside, seccomp
from classroom.sandbox.base import FIXED, FORKER, ROOT, WORKER, Command, Limits, Sandbox, SandboxError

FOLDER, FRAMEWORK = "/judge", "/framework"
"""Paths inside the sandbox of the worker's files and of kuiper."""
WORKER_FILES = (WORKER, FORKER, WORKER.with_name("codec.py"), Path(__file__).with_name("lockdown.py"))
FIRST_USER = 0x7000_0000
"""Start of a range of user ids that no system assigns: as root, each worker gets one of them."""


class Bubblewrap(Sandbox):
    """A worker that sees Python, numpy and its submission read-only, and no network, processes or other users.

    Its namespace ends with the worker or the judge, and nothing in it survives. There is no /proc inside, so other
    processes cannot be read. If started as root, the worker becomes an unused user.
    """

    def __init__(self, limits: Limits | None = None, program: str | None = None) -> None:
        found = program or shutil.which("bwrap")
        if found is None:
            raise SandboxError("bubblewrap is not installed")
        _check_kernel()
        self._program, self.limits = found, limits or Limits()
        self._filter = seccomp.program(platform.machine())
        self.isolation = Isolation.STRONG if self._filter else Isolation.WEAK
        self.explanation = "bubblewrap: namespaces, an allow-list of system calls, limits"
        if self._filter is None:
            self.explanation = f"bubblewrap without a list of system calls, which is not known for {platform.machine()}"

    def command(self, submission: Path, without: frozenset[str]) -> Command:
        """Start bwrap with an empty environment, since it would pass its own on to the submission."""
        root = os.geteuid() == 0
        name = f"/submission/{submission.name}"
        argv = [self._program, *_namespaces(root), *_files(submission, without), "--chdir", "/submission", "--"]
        argv += [str(inside.interpreter()), *inside.FLAGS, f"{FOLDER}/{FORKER.name}", str(inside.packages())]
        settings = {
            "submission": name,
            "without": sorted(without),
            "framework": FRAMEWORK,
            "lockdown": policy(self.limits, self._filter) | ({"user": new_user()} if root else {}),
            "lockdown_file": f"{FOLDER}/lockdown.py",
        }
        return Command(tuple(argv), FIXED, Path("/"), settings, tied=True, forks=True)


def _check_kernel() -> None:
    """Raise SandboxError if the kernel has no pidfds, which are used to kill workers."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError) as error:
        raise SandboxError(f"Linux 5.3 with pidfd_open is needed: {error}") from error


def policy(limits: Limits, program: bytes | None) -> dict[str, object]:
    """The policy for lockdown.py that all sandboxes share."""
    kept: dict[str, object] = {"memory": limits.memory, "cpu": limits.cpu, "files": limits.files}
    return kept | ({} if program is None else {"filter": np.frombuffer(program, np.uint8)})


def new_user() -> int:
    """An unused user id."""
    return FIRST_USER + secrets.randbelow(0x0FFF_FFFE)


def _namespaces(root: bool) -> list[str]:
    own = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    # not --as-pid-1: a worker with another user id than bubblewrap's would not get its signal when bubblewrap dies
    own += ["--hostname", "worker", "--die-with-parent", "--cap-drop", "ALL"]
    if root:  # capabilities to change user in lockdown.py; in a user namespace it would keep the judge's
        return [*own, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    return ["--unshare-user", *own]


def _files(submission: Path, without: frozenset[str]) -> list[str]:
    """Mounts: Python, numpy, the worker, kuiper, the submission and two devices; nothing is writable."""
    shown = {place: place for place in inside.runtime()}
    own = {file: Path(FOLDER, file.name) for file in WORKER_FILES}
    own |= {part: Path(FRAMEWORK) / part.relative_to(ROOT) for part in inside.framework(without)}
    own |= {submission: Path("/submission", submission.name)}
    packages = {place: place for place in inside.numpy()}
    covers = inside.foreign()
    folders = _folders([*shown.values(), *own.values(), *packages.values()], [*shown, *covers])
    options = _options("--dir", folders)
    for place, target in shown.items():
        link = place.is_symlink() and place.is_dir()
        options += ["--symlink", os.readlink(place), str(target)] if link else ["--ro-bind", str(place), str(target)]
    options += _options("--tmpfs", covers)
    for place, target in {**packages, **own}.items():
        options += ["--ro-bind", str(place), str(target)]
    for device in ("/dev/null", "/dev/urandom"):
        options += ["--dev-bind", device, device]
    return [*options, *_options("--remount-ro", [*covers, Path("/")])]


def _folders(targets: Iterable[Path], shown: Sequence[Path]) -> list[Path]:
    """The parent folders of the targets: those that bubblewrap creates itself only the judge's user can enter."""
    above = {folder for target in targets for folder in target.parents if folder != Path("/")}
    above.add(Path("/dev"))
    return sorted(folder for folder in above if not any(folder.is_relative_to(place) for place in shown))


def _options(option: str, places: Iterable[Path]) -> list[str]:
    return [word for place in places for word in (option, str(place))]
