"""Work behind the scenes."""

from __future__ import annotations

import os
import threading

import pytest

from kuiper.compiled.background import Background


def test_jobs_are_done_one_after_the_other_in_order() -> None:
    done: list[int] = []
    last = threading.Event()
    behind = Background()
    for number in range(20):
        behind.ask(lambda number=number: done.append(number))
    behind.ask(last.set)
    assert last.wait(20)
    assert done == list(range(20))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_has_a_thread_of_its_own() -> None:
    behind = Background()
    began = threading.Event()
    behind.ask(began.set)
    assert began.wait(20)
    child = os.fork()
    if not child:
        done = threading.Event()
        behind.ask(done.set)
        os._exit(0 if done.wait(20) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
