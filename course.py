#!/usr/bin/env python3
"""Start the course: `python3 course.py`.

The first start makes the environment `.venv` beside this file and installs the pinned, hash-checked packages of
requirements/ there; every start then runs `course ARGUMENTS` inside it. `python3 course.py setup --dev` only installs.
COURSE_VENV=/some/path puts the environment elsewhere.

This file needs nothing but Python's standard library, and its syntax is old on purpose: a Python that is too old for
the course shall say so in a sentence. The work is done in classroom/launcher.
"""

from __future__ import print_function

import os
import subprocess
import sys

NEEDS_PYTHON = (3, 11)
ROOT = os.path.dirname(os.path.abspath(__file__))


def too_old():
    """What to tell someone whose Python is too old, with a newer one where this machine has it."""
    version = sys.version.split()[0]
    text = "The course needs Python %d.%d or newer; this is %s (%s)." % (NEEDS_PYTHON + (version, sys.executable))
    for name in ("python3.14", "python3.13", "python3.12", "python3.11"):
        if runs(name, "-c", "import ensurepip, venv"):
            return text + "\nThere is a newer one here. Start:  %s course.py" % name
    if runs("uv", "--version"):
        return text + "\nuv is here and can fetch one. Start:  uv run --no-project --python 3.12 course.py"
    return text + "\nInstall a newer one (python.org, your system's packages, conda or uv), and start with that."


def runs(*command):
    """Whether the command exists and ends well."""
    with open(os.devnull, "w") as nowhere:
        try:
            return subprocess.call(command, stdout=nowhere, stderr=nowhere) == 0
        except EnvironmentError:
            return False


if __name__ == "__main__":
    if sys.version_info < NEEDS_PYTHON:
        print(too_old(), file=sys.stderr)
        sys.exit(2)
    sys.path.insert(0, ROOT)
    from classroom.launcher.main import main

    sys.exit(main(ROOT, sys.argv[1:]))
