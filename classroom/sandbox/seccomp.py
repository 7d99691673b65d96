"""The seccomp filter: a list of allowed system calls -> a BPF program for the kernel.

The kernel runs the program on (number, machine, instruction pointer, six arguments) at each call. An instruction is
8 bytes: code, two jump distances, a constant.

Source: Documentation/userspace-api/seccomp_filter.rst and include/uapi/linux/{filter,seccomp,audit}.h of Linux.
"""

from __future__ import annotations

import errno
import struct
import sys

from classroom.sandbox.syscalls import ALLOWED, ALLOWED_WITH, NEWEST

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Machine -> column in the table of numbers, and AUDIT_ARCH."""

LOAD, EQUAL, GREATER, RETURN = 0x20, 0x15, 0x25, 0x06
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
NUMBER, MACHINE, ARGUMENTS = 0, 4, 16
"""Offsets in `struct seccomp_data`."""


def program(machine: str) -> bytes | None:
    """The filter for a machine ("x86_64", "aarch64"); None for an unknown one.

    Calls that are not allowed fail with EPERM, calls newer than the table with ENOSYS. A call with another
    architecture's convention (32-bit code in a 64-bit process) kills the process.
    """
    if machine not in MACHINES or sys.byteorder != "little" or sys.maxsize < 1 << 32:
        return None
    column, audit = MACHINES[machine]
    lines = [_line(LOAD, MACHINE), _line(EQUAL, audit, 1, 0), _line(RETURN, KILL)]
    lines += [_line(LOAD, NUMBER), _line(GREATER, NEWEST, 0, 1), _line(RETURN, ERROR | errno.ENOSYS)]
    for numbers in ALLOWED.values():
        number = numbers[column]
        if number is not None:
            lines += [_line(EQUAL, number, 0, 1), _line(RETURN, ALLOW)]
    for *both, place, values in ALLOWED_WITH.values():
        check = _argument(place, values)
        lines += [_line(EQUAL, both[column], 0, len(check)), *check]
    lines.append(_line(RETURN, ERROR | errno.EPERM))
    return b"".join(lines)


def _argument(place: int, values: tuple[int, ...]) -> list[bytes]:
    """Allow the call if the argument (all 64 bits) is one of the values; refuse it otherwise."""
    low = ARGUMENTS + 8 * place
    lines = [_line(LOAD, low + 4), _line(EQUAL, 0, 0, 1 + 2 * len(values)), _line(LOAD, low)]
    for value in values:
        lines += [_line(EQUAL, value, 0, 1), _line(RETURN, ALLOW)]
    return [*lines, _line(RETURN, ERROR | errno.EPERM)]


def _line(code: int, constant: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, constant)
