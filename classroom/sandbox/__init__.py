"""The sandbox: isolates a worker, so that a submission can access nothing but its own memory.

Inside are one submission, Python's standard library and numpy, read-only, and kuiper if the homework imports it. There
is no network, no writable file, no second process or thread, and no way to see or signal another process.

| sandbox | mechanism | isolation |
|---|---|---|
| Bubblewrap | namespaces without files, network and processes; an allow-list of system calls; limits | strong |
| Landlock | the kernel's rules for paths; an allow-list of system calls; limits | weak |
| Bare | none: a process of your user (macOS, Windows) | none |

Inside bubblewrap, a process that never loads the submission forks its workers (classroom/judge/forker.py): each locks
itself down as if started separately.

Landlock alone is weak because it is a single barrier: a submission still runs as your user, beside your processes, can
query size and date of a file whose name it guesses, and one harmful system call on the allow-list is enough to escape.
With bubblewrap there is nothing to reach behind the list.

    sandbox = best_sandbox()
    isolation = canary(sandbox)
    with Student(path, 10, sandbox=sandbox) as student: ...
"""

from classroom.sandbox.base import Bare, Command, Limits, Sandbox, SandboxError
from classroom.sandbox.canary import Examination, canary, examine
from classroom.sandbox.choose import best_sandbox

__all__ = [
    "Bare",
    "Command",
    "Examination",
    "Limits",
    "Sandbox",
    "SandboxError",
    "best_sandbox",
    "canary",
    "examine",
]
