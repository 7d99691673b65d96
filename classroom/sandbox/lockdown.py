"""Lock the worker down before it loads the submission.

The worker loads this file by path; it needs only the standard library. The policy comes from the judge:

    {"memory": bytes, "cpu": seconds, "files": count}     limits of this process
    "user": number        the user id to switch to, if started as root
    "parent": number      the judge's process id: this process dies with it
    "paths": [path]       readable paths, by Landlock; without it the namespace decides
    "listed": [path]      folders that can be listed, but not read completely
    "filter": bytes       the seccomp program, as an array of uint8

Call `enter` before the worker starts its last thread, `seal` after. Both raise OSError if the kernel refuses.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import stat
import struct
from typing import Any

PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, SIGKILL = 1, 38, 9
SYS_SECCOMP = {"x86_64": 317, "aarch64": 277}
SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC = 1, 1
SYS_LANDLOCK_CREATE, SYS_LANDLOCK_ADD, SYS_LANDLOCK_RESTRICT = 444, 445, 446
READ_FILE, READ_DIR, WRITE_FILE = 1 << 2, 1 << 3, 1 << 1
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""Landlock version -> number of file access rights it supports."""
CAPABILITIES_VERSION_3 = 0x20080522
MAX_LOG_BYTES = 64 << 20


def enter(policy: dict[str, Any]) -> None:
    """Set limits, switch user, drop privileges for good, and apply Landlock."""
    import resource  # imported here, because doctests import this module on every system

    limits = {
        resource.RLIMIT_AS: policy["memory"],
        resource.RLIMIT_CPU: policy["cpu"],
        resource.RLIMIT_NOFILE: policy["files"],
        resource.RLIMIT_FSIZE: _log_size(),
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    if "user" in policy:
        _become(policy["user"])
    for limit, value in limits.items():
        resource.setrlimit(limit, (value, value))
    _checked(_libc().capset(struct.pack("Ii", CAPABILITIES_VERSION_3, 0), bytes(24)), "no capabilities")
    _checked(_libc().prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    if "parent" in policy:
        _checked(_libc().prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "the signal at the judge's end")
        if os.getppid() != policy["parent"]:
            os._exit(1)
    if "paths" in policy:
        _read_only(policy["paths"], policy["listed"])


def seal(policy: dict[str, Any]) -> None:
    """Forbid new threads and processes, install the system call filter on every thread, and test it."""
    import resource

    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
    if "filter" not in policy:
        return
    code = policy["filter"].tobytes()
    buffer = ctypes.create_string_buffer(code, len(code))
    head = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    number = SYS_SECCOMP[os.uname().machine]
    done = _libc().syscall(number, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, head)
    _checked(-1 if done else 0, "the filter of system calls")
    with contextlib.suppress(PermissionError):
        os.kill(os.getpid(), 0)
        raise OSError("the filter of system calls filters nothing")


def landlock_version() -> int:
    """The kernel's Landlock version; 0 if none."""
    return max(0, int(_libc().syscall(SYS_LANDLOCK_CREATE, None, ctypes.c_size_t(0), 1)))


def _log_size() -> int:
    """The maximum file size: 0, unless the submission's output is shown and goes to a file."""
    log = os.fstat(2)
    return log.st_size + MAX_LOG_BYTES if stat.S_ISREG(log.st_mode) else 0


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _become(user: int) -> None:
    """Switch to the user id without groups; to `nobody` if the kernel or container rejects it."""
    for number in (user, 65534):
        try:
            os.setgroups([])
            os.setresgid(number, number, number)
            os.setresuid(number, number, number)
            return
        except OSError as error:
            refused = error
    raise refused


def _read_only(paths: list[str], listed: list[str]) -> None:
    """Apply Landlock: `paths` can be read, `listed` be listed, /dev/null be written, and nothing else be opened."""
    version = landlock_version()
    if version == 0:
        raise OSError("this kernel has no Landlock")
    files = (1 << FILE_RIGHTS.get(version, 16)) - 1
    network = 0b11 if version >= 4 else 0
    scope = 0b11 if version >= 6 else 0
    attributes = struct.pack("QQQ", files, network, scope)[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = _libc().syscall(SYS_LANDLOCK_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0)
    _checked(ruleset, "Landlock's rules")
    for path in paths:
        _allow(ruleset, path, READ_FILE | (READ_DIR if os.path.isdir(path) else 0))
    for path in listed:
        _allow(ruleset, path, READ_DIR)
    _allow(ruleset, os.devnull, READ_FILE | WRITE_FILE)
    _checked(_libc().syscall(SYS_LANDLOCK_RESTRICT, ruleset, 0), "Landlock")
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        rule = struct.pack("=Qi", rights, place)
        _checked(_libc().syscall(SYS_LANDLOCK_ADD, ruleset, 1, rule, 0), f"Landlock's rule for {path}")
    finally:
        os.close(place)


def _checked(result: int, what: str) -> None:
    """Raise OSError if a C library call returned an error."""
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
