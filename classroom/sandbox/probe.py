"""The canary's submission: harmlessly tries what a sandbox must refuse, and returns what it got.

Each function takes the judge's facts and returns a proof that it got through. An exception or an empty result means it
was blocked. The worker loads this file like any homework.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import glob
import mmap
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

CALLS = {
    # name: number on x86_64, on aarch64; with arguments that do nothing if the call is allowed
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "memfd_create": (319, 279),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "io_uring_setup": (425, 425),
    "userfaultfd": (323, 282),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "mount": (165, 40),
    "unshare": (272, 97),
    "setns": (308, 268),
    "pidfd_open": (434, 434),
    "shmget": (29, 194),
    "prctl": (157, 167),
    "execveat": (322, 281),
}
REFUSED = {errno.EPERM, errno.ENOSYS, errno.EACCES}


def read_files(facts: dict[str, Any]) -> str:
    """Read the judge's files: a fresh one, the course's register, /etc/passwd."""
    return _first(lambda path: bool(Path(path).read_bytes()) and path, facts["files"])


def list_folders(facts: dict[str, Any]) -> str:
    """List the folder of the judge's file, and the course's folder."""
    return _first(lambda path: facts["folders"][path] in os.listdir(path) and path, facts["folders"])


def write_files(facts: dict[str, Any]) -> str:
    """Create a file in the folders of the judge and the submission, and in world-writable ones."""

    def write(folder: str) -> str:
        file = Path(folder, f"canary-{facts['token']}")
        try:
            file.write_bytes(b"x")
        finally:  # if files can be created but not written, an empty one remains
            with contextlib.suppress(OSError):
                file.unlink()
        return folder

    return _first(write, [*facts["folders"], os.getcwd(), str(Path(__file__).parent), "/tmp", "/dev/shm", "/var/tmp"])


def change_modes(facts: dict[str, Any]) -> str:
    """Make the judge's file world-readable."""

    def change(path: str) -> str:
        os.chmod(path, 0o644)
        return path

    return _first(change, facts["files"][:1])


def open_connections(facts: dict[str, Any]) -> str:
    """Connect to the judge's ports: TCP and Unix sockets."""

    def connect(kind: socket.AddressFamily, address: Any) -> str:
        with socket.socket(kind, socket.SOCK_STREAM) as end:
            end.settimeout(0.5)
            end.connect(address)
            return f"a {kind.name} port of the judge's"

    ports = [(socket.AF_INET, ("127.0.0.1", facts["port"])), (socket.AF_UNIX, "\0" + facts["token"])]
    return _first(lambda port: connect(*port), ports)


def open_sockets(facts: dict[str, Any]) -> str:
    """Open sockets, some of kinds that a network namespace does not block."""
    kinds = ["AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK", "AF_VSOCK", "AF_PACKET", "AF_ALG"]

    def opened(kind: str) -> str:
        with socket.socket(getattr(socket, kind), socket.SOCK_RAW if kind == "AF_NETLINK" else socket.SOCK_STREAM):
            return kind

    return ", ".join(filter(None, (_first(opened, [kind]) for kind in kinds if hasattr(socket, kind))))


def read_environments(facts: dict[str, Any]) -> str:
    """Find the judge's environment variables, here or in any visible process."""

    def look(path: str) -> str:
        names = {entry.partition(b"=")[0].decode(errors="replace") for entry in Path(path).read_bytes().split(b"\0")}
        return ", ".join(sorted(names & set(facts["variables"])))

    here = ", ".join(sorted(set(os.environ) & set(facts["variables"])))
    return here or _first(look, glob.glob("/proc/*/environ"))


def see_processes(facts: dict[str, Any]) -> str:
    """See other processes."""
    others = [name for name in glob.glob("/proc/[0-9]*") if name != f"/proc/{os.getpid()}"]
    return _first(lambda name: Path(name, "cmdline").read_bytes() and name, others)


def signal_the_judge(facts: dict[str, Any]) -> str:
    """Send signal 0, which tests whether a real one would be allowed."""

    os.kill(facts["pid"], 0)
    return f"process {facts['pid']}"


def start_processes(facts: dict[str, Any]) -> str:
    """Start a child process."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return "fork"


def start_threads(facts: dict[str, Any]) -> str:
    """Start a thread: a submission could start thousands."""
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    return "a thread"


def take_memory(facts: dict[str, Any]) -> str:
    """Allocate more memory than the limit, without touching it."""
    with mmap.mmap(-1, facts["memory"]):
        return f"{facts['memory'] >> 20} MB"


def raise_limits(facts: dict[str, Any]) -> str:
    """Remove the memory limit."""
    import resource

    def lift(limit: int) -> str:
        resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        return "a limit"

    return _first(lift, [resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NPROC])


def find_descriptors(facts: dict[str, Any]) -> str:
    """Find inherited descriptors; the worker's own are 0 to 4."""
    return _first(lambda number: bool(os.fstat(number)) and f"descriptor {number}", range(5, 256))


def call_the_kernel(facts: dict[str, Any]) -> str:
    """Make system calls that bypass namespaces and limits."""
    column = {"x86_64": 0, "aarch64": 1}.get(os.uname().machine)
    if column is None:
        return "a machine whose system calls have no list"
    libc = ctypes.CDLL(None, use_errno=True)

    def call(name: str) -> str:
        arguments = [-1] * 5 if name not in ("unshare",) else [0] * 5
        done = libc.syscall(CALLS[name][column], *map(ctypes.c_long, arguments))
        return "" if done < 0 and ctypes.get_errno() in REFUSED else name

    return ", ".join(filter(None, map(call, CALLS)))


def import_packages(facts: dict[str, Any]) -> str:
    """Import the judge, the homework, and packages installed beside numpy."""
    import importlib

    return _first(
        lambda name: importlib.import_module(name) and name, ["classroom", "kuiper", "pip", "pytest", "torch"]
    )


def _first(attempt: Callable[[Any], Any], things: Any) -> str:
    """The first non-empty result of the attempts."""
    for thing in things:
        try:
            got = attempt(thing)
        except (OSError, ImportError, ValueError, RuntimeError):
            continue
        if got:
            return str(got)
    return ""
