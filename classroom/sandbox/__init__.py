"""The sandbox: what shuts a worker in, so that a submission reaches nothing but its own memory.

Inside are one submission, Python's standard library and numpy, read-only; kuiper only where the homework imports it.
There is no network, no file to write, no second process or thread, and no way to see or signal another process.

| sandbox | walls | isolation |
|---|---|---|
| Bubblewrap | namespaces without files, network and processes; an allow-list of system calls; limits | strong |
| Landlock | the kernel's rules for paths; an allow-list of system calls; limits | weak |
| Bare | none: a process of your user (macOS, Windows) | none |

Inside bubblewrap a process that never sees a submission forks the workers of that one (classroom/judge/forker.py): each
begins as if started alone, and shuts itself in.

Landlock alone is weak because it is one wall: a submission still runs as your user, beside your processes, can ask for
the size and date of a file whose name it guesses, and a single call missing from the list of those refused is enough.
With bubblewrap there is nothing behind the list to reach.

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
