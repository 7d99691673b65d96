"""The system calls that a submission may make, with their numbers.

An allow-list: kernels gain system calls every year, and unknown ones are refused. It has nothing that starts a process
or thread, sends a signal, opens a socket, changes a file, limit or mount, or holds memory that no limit counts (memfd,
SysV, keys, io_uring).

Numbers: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h of Linux.
"""

from __future__ import annotations

NEWEST = 467
"""Calls above this number are newer than the list; the C library must see them as missing (ENOSYS)."""

ALLOWED: dict[str, tuple[int, int | None]] = {
    # open or readable files
    "read": (0, 63),
    "write": (1, 64),
    "readv": (19, 65),
    "writev": (20, 66),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "close": (3, 57),
    "close_range": (436, 436),
    "lseek": (8, 62),
    "fadvise64": (221, 223),
    "fsync": (74, 82),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "open": (2, None),
    "openat": (257, 56),
    "stat": (4, None),
    "lstat": (6, None),
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "fchdir": (81, 50),
    "umask": (95, 166),
    # memory
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "mprotect": (10, 226),
    "madvise": (28, 233),
    "brk": (12, 214),
    # existing threads
    "futex": (202, 98),
    "futex_waitv": (449, 449),
    "membarrier": (324, 283),
    "set_robust_list": (273, 99),
    "rseq": (334, 293),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "getcpu": (309, 168),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "restart_syscall": (219, 128),
    # its own signals and timers
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137),
    "sigaltstack": (131, 132),
    "pause": (34, None),
    "alarm": (37, None),
    "setitimer": (38, 103),
    "getitimer": (36, 102),
    # identity and time
    "getpid": (39, 172),
    "gettid": (186, 178),
    "getppid": (110, 173),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getgroups": (115, 158),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "nanosleep": (35, 101),
    "times": (100, 153),
    "getrusage": (98, 165),
    "getrlimit": (97, 163),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "getrandom": (318, 278),
}
"""Name -> number on x86_64 and on aarch64, None if there is no such call."""

ALLOWED_WITH: dict[str, tuple[int, int, int, tuple[int, ...]]] = {
    # TCGETS, TIOCGWINSZ, FIONCLEX, FIOCLEX: used by `open`; not TIOCSTI, which types into a terminal
    "ioctl": (16, 29, 1, (0x5401, 0x5413, 0x5450, 0x5451)),
    # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC; not F_SETOWN and F_SETSIG, which send signals
    "fcntl": (72, 25, 1, (0, 1, 2, 3, 1030)),
    # reading its own limits
    "prlimit64": (302, 261, 2, (0,)),
}
"""Name -> numbers as above, index of an argument, and its allowed values."""
