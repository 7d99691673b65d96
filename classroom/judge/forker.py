"""Inside the sandbox: imports numpy once, then forks a worker for each pair of pipes. Run as `python forker.py FOLDER`.

Most of the cost of a worker is starting Python and importing numpy, so all workers of one submission are forked from
one process. It never loads the submission; a worker locks itself down and loads the submission after the fork, as if
started separately. There is one such process per submission, in its own namespaces.

stdin is a socket to the judge that preserves message boundaries (SOCK_SEQPACKET):

    b"" with two descriptors, requests and answers    fork -> the worker's number, with a pidfd
    a worker's number                                 wait for it -> its exit code

Numbers are decimal text. When the judge closes its end, this process exits. A worker closes the socket before anything
else.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import socket
import stat
from pathlib import Path
from typing import TYPE_CHECKING

HERE = Path(__file__).parent

if TYPE_CHECKING:
    from classroom.judge import worker
else:
    _spec = importlib.util.spec_from_file_location("worker", HERE / "worker.py")
    worker = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(worker)


def main() -> None:
    """Serve fork requests until the judge is gone."""
    if not stat.S_ISSOCK(os.fstat(0).st_mode):
        return
    control = _take_control()
    lockdown = HERE / "lockdown.py"
    if lockdown.is_file():
        worker.by_path("lockdown", lockdown)
    gc.freeze()  # keep existing objects in pages shared with the workers: the collector would write to them
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 32, 2)
        if len(descriptors) == 2:
            _fork(control, *descriptors)
        elif message:
            _, status = os.waitpid(int(message), 0)
            control.send(b"%d" % os.waitstatus_to_exitcode(status))
        else:
            os._exit(0)


def _take_control() -> socket.socket:
    """Move the judge's socket away from stdin and stdout."""
    control = socket.socket(fileno=os.dup(0))
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return control


def _fork(control: socket.socket, requests: int, answers: int) -> None:
    child = os.fork()
    if child == 0:
        control.close()
        for pipe, place in ((requests, 0), (answers, 1)):
            os.dup2(pipe, place)
            os.close(pipe)
        try:
            worker.main()
        finally:
            os._exit(1)
    os.close(requests)
    os.close(answers)
    process = os.pidfd_open(child)
    socket.send_fds(control, [b"%d" % child], [process])
    os.close(process)


if __name__ == "__main__":
    main()
