"""What a worker may use, and what a submission that is shut in meets."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from classroom.judge import Student, SubmissionError
from classroom.sandbox import Bare, Limits, Sandbox
from classroom.sandbox.bubblewrap import Bubblewrap

Write = Callable[[str], Path]
SERVES = "import os\ndef f(x): return x\ndef pid(): return os.getpid()\n"


def limited(sandbox: Sandbox, **limits: int) -> Sandbox:
    """A sandbox of the same kind with other limits."""
    return type(sandbox)(Limits(**limits))  # type: ignore[call-arg]


def fault(call: Callable[..., object], *arguments: object) -> SubmissionError:
    with pytest.raises(SubmissionError) as caught:
        call(*arguments)
    return caught.value


@pytest.mark.slow
def test_the_limit_of_processes_is_the_worker_s_own(bubblewrap: Sandbox, write: Write) -> None:
    """Without the filter, so that the limit is what stands in the way."""
    unfiltered = Bubblewrap()
    unfiltered._filter = None
    source = (
        SERVES
        + """
import threading, time
def fork():
    try: child = os.fork()
    except OSError as error: return error.errno
    if child == 0: os._exit(0)
    return 0
def thread():
    try: threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
    except RuntimeError: return "refused"
"""
    )
    path = write(source)
    students = [Student(path, sandbox=unfiltered) for _ in range(4)]
    try:
        assert all(student.fork() for student in students)
        assert [student.thread() for student in students] == ["refused"] * 4
        assert [student.f(n) for n, student in enumerate(students)] == [0, 1, 2, 3]
    finally:
        for student in students:
            student.close()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root has another user to become")
def test_root_grades_as_a_user_of_its_own_for_each_worker(bubblewrap: Sandbox, write: Write) -> None:
    path = write("import os\ndef f(): return [*os.getresuid(), *os.getresgid(), *os.getgroups()]")
    users = set()
    for _ in range(3):
        with Student(path, sandbox=bubblewrap) as student:
            (user,) = set(student.f())
            users.add(user)
    assert len(users) == 3
    assert min(users) >= 60000


@pytest.mark.slow
def test_memory_has_its_limit_and_no_way_round_it(sandbox: Sandbox, write: Write) -> None:
    source = """
import numpy as np, mmap, os
def f(megabytes): return int(np.ones(megabytes << 20, np.uint8)[-1])
def mapped(megabytes): mmap.mmap(-1, megabytes << 20); return 1
def locked():
    import resource
    return [resource.getrlimit(getattr(resource, "RLIMIT_" + n)) for n in ("AS", "NPROC", "CORE", "FSIZE", "MEMLOCK")]
"""
    with Student(write(source), sandbox=limited(sandbox, memory=600 << 20)) as student:
        assert student.f(100) == 1
        assert fault(student.f, 700).kind == "raise"
        assert fault(student.mapped, 700).kind == "raise"
        assert student.locked() == [(600 << 20,) * 2, (1, 1), (0, 0), (0, 0), (0, 0)]
        assert student.f(100) == 1


@pytest.mark.slow
def test_processor_time_has_its_limit(sandbox: Sandbox, write: Write) -> None:
    with Student(write("def f():\n    while True: pass"), 30, sandbox=limited(sandbox, cpu=1)) as student:
        error = fault(student.f)
    assert error.kind == "died"


def test_descriptors_have_their_limit(sandbox: Sandbox, write: Write) -> None:
    source = (
        "import os\ndef f():\n    n = 0\n    try:\n        while True: os.dup(0); n += 1\n    except OSError: return n"
    )
    with Student(write(source), sandbox=limited(sandbox, files=20)) as student:
        assert 0 < student.f() < 20


def test_a_link_is_no_submission(sandbox: Sandbox, write: Write, tmp_path: Path) -> None:
    secret = tmp_path / "solution.py"
    secret.write_text(SERVES)
    path = write("")
    path.unlink()
    path.symlink_to(secret)
    error = fault(lambda: Student(path, sandbox=sandbox))
    assert error.kind == "load"
    assert "link" in error.message


def test_what_lies_beside_the_submission_is_not_there(sandbox: Sandbox, write: Write) -> None:
    path = write("import os\ndef f(): return os.listdir(os.path.dirname(__file__))\ndef g():\n    import helper")
    path.with_name("helper.py").write_text("N = 7")
    with Student(path, sandbox=sandbox) as student:
        assert fault(student.g).type in ("ModuleNotFoundError", "PermissionError")
        if isinstance(sandbox, Bubblewrap):
            assert student.f() == ["hw02_tensor.py"]
        else:
            assert fault(student.f).type == "PermissionError"


@pytest.mark.slow
def test_printing_works_wherever_it_goes(sandbox: Sandbox, write: Write, tmp_path: Path) -> None:
    path = write("def f():\n    for _ in range(1000): print('x' * 99)\n    return 1")
    with Student(path, sandbox=sandbox) as student:
        assert student.f() == 1
    code = (
        "import sys, pickle; from pathlib import Path; from classroom.judge import Student\n"
        "s = Student(Path(sys.argv[1]), sandbox=pickle.loads(bytes.fromhex(sys.argv[2])), show_output=True)\n"
        "assert s.f() == 1\n"
    )
    log = tmp_path / "log.txt"
    with log.open("wb") as file:
        subprocess.run([sys.executable, "-c", code, path, pickle.dumps(sandbox).hex()], stderr=file, check=True)
    assert log.read_text() == ("x" * 99 + "\n") * 1000


@pytest.mark.slow
def test_a_death_in_the_sandbox_is_told_as_one_outside(bubblewrap: Sandbox, landlock: Sandbox, write: Write) -> None:
    path = write("import os, ctypes\ndef leave(n): os._exit(n)\ndef crash(): ctypes.string_at(0)")
    for name, arguments, said in (("leave", (3,), "exit code 3"), ("crash", (), "SIGSEGV")):
        for sandbox in (Bare(), bubblewrap, landlock):
            with Student(path, sandbox=sandbox) as student:
                error = fault(getattr(student, name), *arguments)
            assert error.kind == "died"
            assert said in error.message
