"""One long-lived thread that starts the workers.

A process that asks to die with its parent dies with the parent's *thread*. A worker that was started by a thread of a
pool would end when the pool lets that thread go.
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
"""The queue of the starter of each process: a thread does not survive a fork."""


def start(argv: list[str], **options: Any) -> subprocess.Popen[bytes]:
    """subprocess.Popen(argv, **options), called by a thread that lives as long as this process."""
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
