"""Error messages of the setup: what happened, and what to do."""

from __future__ import annotations

import errno
import os
import re
import sys
from pathlib import Path

from classroom.launcher.paths import Paths
from classroom.started import COMMAND

NO_SPACE = re.compile(r"No space left|not enough space|Errno 28\b|os error (28|112)\b|quota exceeded", re.I)
WRONG_HASH = re.compile("DO NOT MATCH THE HASHES|Hash mismatch", re.I)
UNREACHABLE = re.compile(
    "No matching distribution|Could not find a version|name resolution|getaddrinfo|NewConnectionError|Max retries"
    "|ConnectTimeout|ReadTimeout|timed out|ProxyError|SSLError|dns error|error sending request|Failed to fetch"
    "|Failed to download|connectivity is disabled|network was disabled|Connection refused|Could not connect"
    "|not found in the package registry|not found in the cache|not found in the provided package locations"
    "|Connection reset|Network is unreachable|there is no version of|there are no versions of",
    re.I,
)
TELLING = re.compile("error|failed|caused by|could not|no matching|because", re.I)


class Stop(Exception):
    """The course cannot start; the message is for the student."""


class Unreachable(Stop):
    """The packages could not be fetched; nothing in the environment has changed."""

    def __init__(self, tool: str, reason: str) -> None:
        self.reason = reason
        super().__init__(
            f"{tool} could not fetch the course's packages:\n  {reason}\n"
            "Nothing is lost: look at the network and start again.\n"
            f"  behind a proxy:   {command_with(HTTPS_PROXY='http://proxy:port')}\n"
            f"  from a mirror:    {command_with(PIP_INDEX_URL='https://mirror/simple')}\n"
            f"  from a folder:    {command_with(PIP_NO_INDEX='1', PIP_FIND_LINKS='/wheels')}\n"
            "                    (filled elsewhere by `pip download -r requirements/cli.txt -d wheels`)"
        )


def failure_of(tool: str, lines: list[str], paths: Paths) -> Stop:
    """The Stop for a failed installer, from its output."""
    text = "\n".join(lines)
    telling = [line for line in lines if TELLING.search(line) and not line.startswith("hint")]
    reason = (telling or lines or ["no message"])[-1]
    if NO_SPACE.search(text):
        return Stop(no_space(paths))
    if WRONG_HASH.search(text):
        return Stop(
            "A package that came is not the one this course was tested with (its hash differs), so it was not "
            f"installed.\n  {reason}\nTry again; if it stays, a mirror or a proxy alters what it passes on."
        )
    if UNREACHABLE.search(text):
        return Unreachable(tool, reason)
    told = "\n".join(f"  {line}" for line in lines[-15:])
    return Stop(f"{tool} could not finish. Its last words:\n{told}\nStart again to try once more.")


def command_with(**variables: str) -> str:
    """The command that started the course, with environment variables in the syntax of this system's shell."""
    if os.name == "nt":
        # PowerShell, Windows' default, has no VARIABLE=value before a command.
        return "; ".join([*(f'$env:{name}="{value}"' for name, value in variables.items()), COMMAND])
    return " ".join([*(f"{name}={value}" for name, value in variables.items()), COMMAND])


def no_space(paths: Paths) -> str:
    """Message: the disk is full."""
    return (
        f"There is no space left for the environment in {paths.venv}.\n"
        "The command line needs about 150 MB, JupyterLab and the test tools about 600 MB. Make room, or put it "
        f"elsewhere:\n  {command_with(COURSE_VENV='/larger/disk/kuiper')}"
    )


def no_venv_module(python: str) -> Stop:
    """Message: this Python lacks the venv modules."""
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    return Stop(
        f"This Python cannot make an environment: its module venv or ensurepip is missing ({python}).\n"
        f"  Debian, Ubuntu:  sudo apt install {package}\n"
        "  macOS:           brew install python\n"
        "  Windows:         install Python from python.org\n"
        "  anywhere:        install uv; course.py uses it when it is on the PATH\n"
        "Then start again."
    )


MAX_VENV_PATH = 101
"""Longest path of the environment with which JupyterLab's longest file fits into Windows' 260 characters."""


def too_deep(paths: Paths) -> Stop:
    """Message: the path is too long for JupyterLab's files on Windows."""
    return Stop(
        f"The path of the environment, {paths.venv}, has {len(str(paths.venv))} characters. JupyterLab has files with "
        f"names so long that Windows allows {MAX_VENV_PATH}.\n"
        "Move the course to a shorter path, such as C:\\kuiper, or put the environment there:\n"
        f"  {command_with(COURSE_VENV='C:/kuiper-env')}"
    )


def not_ours(paths: Paths) -> Stop:
    """Message: the environment was not created by course.py."""
    return Stop(
        f"{paths.venv} was not made by course.py, so it is left alone.\n"
        "Move it away, or choose another place for the course's environment:\n"
        f"  {command_with(COURSE_VENV='/some/new/folder')}"
    )


def another_course(paths: Paths, other: Path) -> Stop:
    """Message: another copy of the course uses this environment."""
    return Stop(
        f"{paths.venv} is the environment of the course in {other}, so it is left alone.\n"
        "Choose another place for the environment of this one:\n"
        f"  {command_with(COURSE_VENV='/some/new/folder')}"
    )


def sentence_of(error: OSError, paths: Paths) -> str:
    """Message for an OSError."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return no_space(paths)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST):
        return (
            f"Cannot write {error.filename or paths.venv} ({error.strerror}).\nPut the environment where you may "
            f"write:\n  {command_with(COURSE_VENV='/some/folder/kuiper')}"
        )
    if error.errno == errno.ENOENT and error.filename and str(paths.root) in str(error.filename):
        return f"{error.filename} is missing. Get the course's files once more."
    return f"Cannot go on: {error}"
