"""The filter, run by an interpreter of the kernel's packet-filter machine."""

from __future__ import annotations

import errno
import re
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from classroom.sandbox import seccomp
from classroom.sandbox.syscalls import ALLOWED, ALLOWED_WITH, NEWEST

HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7, "i386": 0x40000003, "arm": 0x40000028}
ALLOW, KILL, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS


def run(program: bytes, machine: str, number: int, arguments: Sequence[int] = ()) -> int:
    """What the program says of one call: classic BPF, of which it uses four instructions."""
    data = struct.pack("<iIQ6Q", number, AUDIT[machine], 0, *arguments, *[0] * (6 - len(arguments)))
    accumulator, at = 0, 0
    while True:
        code, if_true, if_false, constant = struct.unpack_from("<HBBI", program, 8 * at)
        at += 1
        if code == 0x06:
            return constant
        if code == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, constant)
        elif code == 0x15:
            at += if_true if accumulator == constant else if_false
        elif code == 0x25:
            at += if_true if accumulator > constant else if_false
        else:
            raise AssertionError(f"instruction {code:#x}")


def filter_of(machine: str) -> bytes:
    program = seccomp.program(machine)
    assert program is not None
    return program


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_every_number_is_answered_as_the_table_has_it(machine: str) -> None:
    program, column = filter_of(machine), list(seccomp.MACHINES).index(machine)
    allowed = {numbers[column] for numbers in ALLOWED.values()}
    asked = {entry[column] for entry in ALLOWED_WITH.values()}
    for number in range(NEWEST + 1):
        if number not in asked:
            assert run(program, machine, number) == (ALLOW if number in allowed else EPERM), number


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_an_argument_counts_with_all_its_bits(machine: str) -> None:
    program, column = filter_of(machine), list(seccomp.MACHINES).index(machine)
    for name, entry in ALLOWED_WITH.items():
        number, place, values = entry[column], entry[2], entry[3]
        for value in values:
            arguments = [7] * place + [value]
            assert run(program, machine, number, arguments) == ALLOW, name
            assert run(program, machine, number, [7] * place + [value | 1 << 32]) == EPERM, name
        assert run(program, machine, number, [7] * place + [0x5412]) == EPERM, name


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_calls_younger_than_the_table_are_missing(machine: str) -> None:
    for number in (NEWEST + 1, 1000, 0x40000000, 0x40000001, 0xFFFFFFF):
        assert run(filter_of(machine), machine, number) == ENOSYS


@pytest.mark.parametrize(("machine", "other"), [("x86_64", "i386"), ("aarch64", "arm"), ("x86_64", "aarch64")])
def test_another_machine_s_convention_ends_the_process(machine: str, other: str) -> None:
    assert run(filter_of(machine), other, 0) == KILL


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_the_numbers_are_those_of_the_kernel_s_headers(machine: str) -> None:
    if not HEADERS[machine].is_file():
        pytest.skip(f"the kernel's headers for {machine} are not installed")
    text = HEADERS[machine].read_text(encoding="utf-8")
    numbers = {
        name: int(n) for name, n in re.findall(r"#define (?:__NR|__NR3264)_(\w+)\s+(\d+)\s*$", text, re.MULTILINE)
    }
    if machine == "aarch64":
        numbers["newfstatat"] = numbers["fstatat"]
    column = list(seccomp.MACHINES).index(machine)
    for name, entry in (ALLOWED | ALLOWED_WITH).items():
        assert numbers.get(name) == entry[column], name


def test_a_machine_that_is_not_known_has_no_filter() -> None:
    assert seccomp.program("riscv64") is None


def test_nothing_that_starts_signals_or_connects_is_allowed() -> None:
    refused = "fork vfork clone clone3 execve execveat kill tkill tgkill socket connect bind ptrace mount unshare setns"
    refused += (
        " memfd_create keyctl add_key io_uring_setup bpf userfaultfd prctl seccomp setrlimit chmod fchmodat unlink"
    )
    refused += " unlinkat rename mkdir symlink link truncate ftruncate shmget msgget semget mq_open process_vm_readv"
    refused += " pidfd_open pidfd_getfd setsid setpgid setpriority sched_setaffinity personality chroot pivot_root"
    assert not set(refused.split()) & {*ALLOWED, *ALLOWED_WITH}
