"""What went wrong in other graders' sandboxes, each held by a test."""

from __future__ import annotations

import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from classroom.judge import JudgeError, Session, Student, SubmissionError, codec, expect
from classroom.judge import Test as JudgeTest
from classroom.judge.workers import Forked
from classroom.sandbox import Limits, Sandbox
from classroom.sandbox.base import FIXED
from classroom.sandbox.bubblewrap import Bubblewrap

Write = Callable[[str], Path]
SERVES = "import os\ndef f(x): return x\ndef pid(): return os.getpid()\n"
DEAF = """
import os, signal, sys
for s in set(signal.Signals) - {9, 19}:
    try: signal.signal(s, signal.SIG_IGN)
    except OSError: pass
sys.modules["__main__"].os._exit = lambda code: None
def f(x):
    while True: pass
"""


def limited(sandbox: Sandbox, **limits: int) -> Sandbox:
    """A sandbox of the same kind with other limits."""
    return type(sandbox)(Limits(**limits))  # type: ignore[call-arg]


def fault(call: Callable[..., object], *arguments: object) -> SubmissionError:
    with pytest.raises(SubmissionError) as caught:
        call(*arguments)
    return caught.value


def family(pid: int) -> list[int]:
    """A process and its descendants, the worker last, as this system numbers them."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(member for child in children for member in family(int(child)))]


def outermost(student: Student) -> int:
    """The program that was started for a worker: the worker, or what lies around it."""
    child = student._process._child
    return child._forker.process.pid if isinstance(child, Forked) else child.process.pid


def gone(pid: int, seconds: float = 120.0) -> bool:
    """Whether the process ends within that time; one that nobody has waited for has ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.02)
    return False


def test_the_sandbox_is_started_with_an_environment_that_says_nothing(sandbox: Sandbox, write: Write) -> None:
    command = sandbox.command(write(SERVES), frozenset())
    assert command.environment == FIXED
    with Student(write("import os\ndef f(): return dict(os.environ)"), sandbox=sandbox) as student:
        assert set(student.f()) <= {*FIXED, "PWD", "LC_CTYPE"}


@pytest.mark.slow
def test_every_worker_that_starts_at_once_has_the_whole_filter(sandbox: Sandbox, write: Write) -> None:
    source = """
import os, ctypes
def f():
    refused = []
    for call in (os.fork, lambda: os.kill(0, 0), lambda: os.memfd_create("x"), os.setsid):
        try: call()
        except PermissionError: refused.append(True)
    return len(refused)
"""
    path = write(source)

    def one(_: int) -> int:
        with Student(path, sandbox=sandbox) as student:
            return student.f()

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(one, range(6))) == [4] * 6


@pytest.mark.parametrize("program", ["/bin/false", "/bin/true", "/nowhere/bwrap", "/bin/cat"])
def test_a_sandbox_that_does_not_start_is_the_judge_s_trouble(write: Write, bubblewrap: Sandbox, program: str) -> None:
    path, broken = write(SERVES), Bubblewrap(program=program)
    with pytest.raises(JudgeError, match="does not start"):
        Student(path, sandbox=broken)
    test = JudgeTest("f", "judged", "It holds.", lambda student, rng: expect(student.f(1), 1), True)
    with Session(path, sandbox=broken) as session, pytest.raises(JudgeError):
        session.run(test, 0)


def test_a_worker_that_cannot_be_shut_in_is_the_judge_s_trouble(sandbox: Sandbox, write: Write) -> None:
    with pytest.raises(JudgeError, match="does not start"):
        Student(write(SERVES), sandbox=limited(sandbox, files=-5))


def test_a_header_above_four_megabytes_is_not_read(sandbox: Sandbox, write: Write) -> None:
    source = """
import os, struct
def f():
    header = b'{"dict": {"return": {"list": [' + b"1," * (30 << 20) + b"1]}}}"
    os.write(4, struct.pack("<IQ", len(header), 0)); os.write(4, header)
"""
    with Student(write(source), sandbox=sandbox) as student:
        error = fault(student.f)
    assert error.kind == "died"
    assert "too large" in error.message
    assert codec.MAX_HEADER_BYTES == 4 << 20


def test_a_worker_outlives_the_thread_that_asked_for_it(sandbox: Sandbox, write: Write) -> None:
    path, made = write(SERVES), []
    thread = threading.Thread(target=lambda: made.append(Student(path, sandbox=sandbox)))
    thread.start()
    thread.join()
    with made[0] as student:
        for _ in range(20):
            assert student.f(3) == 3
            time.sleep(0.01)


@pytest.mark.slow
def test_a_forked_judge_has_its_own_starter(sandbox: Sandbox, write: Write) -> None:
    code = (
        "import os, sys, pickle\n"
        "from pathlib import Path\n"
        "from classroom.judge import Student\n"
        "sandbox = pickle.loads(bytes.fromhex(sys.argv[2]))\n"
        "with Student(Path(sys.argv[1]), sandbox=sandbox) as student: student.f(1)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    with Student(Path(sys.argv[1]), sandbox=sandbox) as student: os._exit(student.f(7))\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, write(SERVES), pickle.dumps(sandbox).hex()], timeout=60)
    assert done.returncode == 7


def test_a_worker_that_ignores_everything_ends_with_the_sandbox(sandbox: Sandbox, write: Write) -> None:
    student = Student(write(DEAF), 0.3, sandbox=sandbox)
    members = family(outermost(student))
    assert fault(student.f, 1).kind == "timeout"
    assert gone(members[-1])
    student.close()
    assert all(map(gone, members))


@pytest.mark.slow
def test_a_worker_that_ignores_everything_ends_with_the_judge(sandbox: Sandbox, write: Write) -> None:
    code = (
        "import sys, pickle\n"
        "from pathlib import Path\n"
        "from classroom.judge import Student\n"
        "student = Student(Path(sys.argv[1]), 60, sandbox=pickle.loads(bytes.fromhex(sys.argv[2])))\n"
        "child = student._process._child\n"
        "print(getattr(child, '_forker', child).process.pid, flush=True)\n"
        "student.f(1)\n"
    )
    judge = subprocess.Popen(
        [sys.executable, "-c", code, write(DEAF), pickle.dumps(sandbox).hex()], stdout=subprocess.PIPE, text=True
    )
    assert judge.stdout is not None
    with judge.stdout:
        outer = int(judge.stdout.readline())
    members = family(outer)
    time.sleep(0.2)
    assert not any(gone(member, 0.05) for member in members)
    judge.kill()
    judge.wait()
    assert all(map(gone, members))


def test_a_namespace_ends_with_bubblewrap(bubblewrap: Sandbox, write: Write) -> None:
    student = Student(write(DEAF), 5, sandbox=bubblewrap)
    outer, *members = family(outermost(student))
    assert len(members) == 3  # bubblewrap's first process, the forker, the worker
    os.kill(outer, signal.SIGKILL)
    assert all(map(gone, members))
    student.close()


def test_calls_that_reach_round_namespaces_are_refused(sandbox: Sandbox, write: Write) -> None:
    from classroom.sandbox.probe import CALLS as NUMBERS

    column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]
    source = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def f(number):
    assert libc.syscall(number, 0, 0, 0, 0, 0) == -1
    return ctypes.get_errno()
"""
    with Student(write(source), sandbox=sandbox) as student:
        assert {name: student.f(NUMBERS[name][column]) for name in NUMBERS} == dict.fromkeys(NUMBERS, 1)
        assert student.f(9999) == 38


def test_no_socket_of_any_kind(sandbox: Sandbox, write: Write) -> None:
    source = "import socket\ndef f(name): socket.socket(getattr(socket, name), socket.SOCK_RAW)"
    with Student(write(source), sandbox=sandbox) as student:
        for name in ("AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_VSOCK", "AF_PACKET", "AF_ALG"):
            assert fault(student.f, name).type == "PermissionError", name


def test_a_key_does_not_pass_from_one_student_to_the_next(sandbox: Sandbox, write: Write) -> None:
    """KEYCTL_GET_KEYRING_ID of the session, then a key added to it: both refused."""
    source = "import ctypes\ndef f(*call): return ctypes.CDLL(None).syscall(*call, b'user', b'answer', b'x', 1, -3)"
    with Student(write(source), sandbox=sandbox) as student:
        add, control = {"x86_64": (248, 250), "aarch64": (217, 219)}[os.uname().machine]
        assert student.f(add) == -1
        assert student.f(control, 0) == -1


def test_the_program_of_the_filter_is_not_too_long(sandbox: Sandbox, write: Write) -> None:
    policy = sandbox.command(write(SERVES), frozenset()).settings["lockdown"]
    assert isinstance(policy["filter"], np.ndarray)
    assert policy["filter"].size // struct.calcsize("Q") < 4096
