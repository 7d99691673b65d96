"""The canary's submission: it tries what a sandbox must refuse, harmlessly, and says what it got.

Each function takes the judge's facts and returns the proof that it got through. An exception, or an empty answer, is a
wall. This file is loaded by the worker like any homework.
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
    # name: number on x86_64, on aarch64; with arguments that do nothing where the call is allowed
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
    """Files of the judge's: a fresh one, the course's register, who the users are."""
    return _first(lambda path: bool(Path(path).read_bytes()) and path, facts["files"])


def list_folders(facts: dict[str, Any]) -> str:
    """What lies beside the judge's file and in the course's folder."""
    return _first(lambda path: facts["folders"][path] in os.listdir(path) and path, facts["folders"])


def write_files(facts: dict[str, Any]) -> str:
    """A new file where the judge, the submission and everybody else could write one."""

    def write(folder: str) -> str:
        file = Path(folder, f"canary-{facts['token']}")
        try:
            file.write_bytes(b"x")
        finally:  # where files may be made, and not grow, an empty one is there
            with contextlib.suppress(OSError):
                file.unlink()
        return folder

    return _first(write, [*facts["folders"], os.getcwd(), str(Path(__file__).parent), "/tmp", "/dev/shm", "/var/tmp"])


def change_modes(facts: dict[str, Any]) -> str:
    """The judge's file, made readable for all."""

    def change(path: str) -> str:
        os.chmod(path, 0o644)
        return path

    return _first(change, facts["files"][:1])


def open_connections(facts: dict[str, Any]) -> str:
    """The judge's own ports: of the network, and of the machine."""

    def connect(kind: socket.AddressFamily, address: Any) -> str:
        with socket.socket(kind, socket.SOCK_STREAM) as end:
            end.settimeout(0.5)
            end.connect(address)
            return f"a {kind.name} port of the judge's"

    ports = [(socket.AF_INET, ("127.0.0.1", facts["port"])), (socket.AF_UNIX, "\0" + facts["token"])]
    return _first(lambda port: connect(*port), ports)


def open_sockets(facts: dict[str, Any]) -> str:
    """Sockets, some of a kind that no network namespace holds back."""
    kinds = ["AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK", "AF_VSOCK", "AF_PACKET", "AF_ALG"]

    def opened(kind: str) -> str:
        with socket.socket(getattr(socket, kind), socket.SOCK_RAW if kind == "AF_NETLINK" else socket.SOCK_STREAM):
            return kind

    return ", ".join(filter(None, (_first(opened, [kind]) for kind in kinds if hasattr(socket, kind))))


def read_environments(facts: dict[str, Any]) -> str:
    """Variables of the judge's, here or in any process that can be seen."""

    def look(path: str) -> str:
        names = {entry.partition(b"=")[0].decode(errors="replace") for entry in Path(path).read_bytes().split(b"\0")}
        return ", ".join(sorted(names & set(facts["variables"])))

    here = ", ".join(sorted(set(os.environ) & set(facts["variables"])))
    return here or _first(look, glob.glob("/proc/*/environ"))


def see_processes(facts: dict[str, Any]) -> str:
    """Processes other than this one, and what can be told of them."""
    others = [name for name in glob.glob("/proc/[0-9]*") if name != f"/proc/{os.getpid()}"]
    return _first(lambda name: Path(name, "cmdline").read_bytes() and name, others)


def signal_the_judge(facts: dict[str, Any]) -> str:
    """Signal 0, which asks whether a real one would be let through."""

    os.kill(facts["pid"], 0)
    return f"process {facts['pid']}"


def start_processes(facts: dict[str, Any]) -> str:
    """A child."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return "fork"


def start_threads(facts: dict[str, Any]) -> str:
    """A thread; of these a submission could start thousands."""
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    return "a thread"


def take_memory(facts: dict[str, Any]) -> str:
    """More than the limit, which is not used."""
    with mmap.mmap(-1, facts["memory"]):
        return f"{facts['memory'] >> 20} MB"


def raise_limits(facts: dict[str, Any]) -> str:
    """The limit of memory, back to none."""
    import resource

    def lift(limit: int) -> str:
        resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        return "a limit"

    return _first(lift, [resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NPROC])


def find_descriptors(facts: dict[str, Any]) -> str:
    """Files that somebody left open; the worker's own are 0 to 4."""
    return _first(lambda number: bool(os.fstat(number)) and f"descriptor {number}", range(5, 256))


def call_the_kernel(facts: dict[str, Any]) -> str:
    """System calls that reach around namespaces and limits."""
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
    """The judge, the homework, and packages that are installed beside numpy."""
    import importlib

    return _first(
        lambda name: importlib.import_module(name) and name, ["classroom", "kuiper", "pip", "pytest", "torch"]
    )


def _first(attempt: Callable[[Any], Any], things: Any) -> str:
    """What the first attempt gave that gave anything."""
    for thing in things:
        try:
            got = attempt(thing)
        except (OSError, ImportError, ValueError, RuntimeError):
            continue
        if got:
            return str(got)
    return ""
