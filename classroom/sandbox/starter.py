"""A long-lived thread that starts the workers.

PR_SET_PDEATHSIG makes a process die with the *thread* that started it. A worker started by a pool's thread would die
when the pool ends that thread.
"""

from __future__ import annotations

import os
import queue
import subprocess
import threading
from concurrent.futures import Future
from typing import Any

_lock = threading.Lock()
_starters: dict[int, queue.SimpleQueue[Any]] = {}
"""Process id -> queue of its starter thread: threads do not survive a fork."""


def start(argv: list[str], **options: Any) -> subprocess.Popen[bytes]:
    """Call subprocess.Popen(argv, **options) in a thread that lives as long as this process."""
    started: Future[subprocess.Popen[bytes]] = Future()
    _starter().put((started, argv, options))
    return started.result()


def _starter() -> queue.SimpleQueue[Any]:
    with _lock:
        if os.getpid() not in _starters:
            _starters.clear()
            orders = _starters[os.getpid()] = queue.SimpleQueue()
            threading.Thread(target=_serve, args=(orders,), name="sandbox-starter", daemon=True).start()
        return _starters[os.getpid()]


def _serve(orders: queue.SimpleQueue[Any]) -> None:
    while True:
        started, argv, options = orders.get()
        try:
            started.set_result(subprocess.Popen(argv, **options))
        except BaseException as error:
            started.set_exception(error)
