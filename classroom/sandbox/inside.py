"""Files visible inside a sandbox: the standard library, numpy, the libraries of both, and kuiper if allowed."""

from __future__ import annotations

import functools
import os
import site
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from classroom.sandbox.base import ROOT

SYSTEM = ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/etc/alternatives")
"""Library folders of a Linux system; the last has Debian's links to the selected BLAS."""
FLAGS = ("-P", "-S", "-s", "-B", "-X", "utf8")
"""Python flags: no script folder on sys.path, no site-packages, no user site, no bytecode."""


@functools.cache
def interpreter() -> Path:
    """The base Python of any virtual environment."""
    return Path(getattr(sys, "_base_executable", None) or sys.executable).resolve()


@functools.cache
def packages() -> Path:
    """The site-packages folder that contains numpy."""
    assert np.__file__ is not None
    return Path(np.__file__).resolve().parents[1]


@functools.cache
def runtime() -> tuple[Path, ...]:
    """Folders and files that Python and numpy are loaded from; none inside another.

    Folders with other packages are not excluded here: see `foreign`.
    """
    folders = [Path(entry) for entry in SYSTEM if Path(entry).is_dir()]
    folders += [Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]
    prefix = Path(sys.base_prefix).resolve()
    if prefix != Path("/usr"):
        folders.append(prefix / sys.platlibdir)
        folders.append(prefix / "lib")  # conda's libraries
    files = [Path("/etc/ld.so.cache"), interpreter(), *_mapped()]
    return _outermost([*folders, *files])


@functools.cache
def foreign() -> tuple[Path, ...]:
    """Folders inside `runtime` with packages or the course: only numpy in them is visible."""
    places = [*site.getsitepackages(), *site.getsitepackages([sys.base_prefix]), sysconfig.get_path("purelib")]
    places += [f"{folder}/{name}" for folder in _stdlibs() for name in ("site-packages", "dist-packages")]
    places += ["/usr/lib/python3/dist-packages", str(ROOT)]
    found = {Path(place).resolve() for place in places if Path(place).is_dir()}
    return tuple(sorted(folder for folder in found if any(folder.is_relative_to(part) for part in _resolved())))


@functools.cache
def numpy() -> tuple[Path, ...]:
    """numpy's folder, and the folder of libraries in its wheel."""
    return tuple(place for name in ("numpy", "numpy.libs") if (place := packages() / name).is_dir())


def framework(without: Iterable[str]) -> tuple[Path, ...]:
    """The files and folders of kuiper without the modules `without`; () if kuiper itself is one."""
    hidden = [ROOT / name.replace(".", "/") for name in without]
    if ROOT / "kuiper" in hidden:
        return ()
    return carved(ROOT / "kuiper", [*hidden, *(place.with_suffix(".py") for place in hidden)])


def carved(folder: Path, hidden: Iterable[Path]) -> tuple[Path, ...]:
    """The largest parts of the folder that contain nothing hidden."""
    inside = [place for place in hidden if place.is_relative_to(folder)]
    if not inside:
        return (folder,)
    if folder in inside:
        return ()
    return tuple(part for child in sorted(folder.iterdir()) for part in carved(child, inside))


def _stdlibs() -> list[str]:
    return [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]


def _resolved() -> list[Path]:
    return [part.resolve() for part in runtime()]


def _mapped() -> list[Path]:
    """Paths of the shared libraries loaded in this process; the worker needs the same."""
    found = set()
    for line in Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines():
        name = line.split(maxsplit=5)[5] if line.count("/") else ""
        if ".so" in name and os.path.isfile(name) and not Path(name).is_relative_to(packages()):
            found.add(Path(name))
    return sorted(found)


def _outermost(places: Iterable[Path]) -> tuple[Path, ...]:
    kept: list[Path] = []
    for place in sorted({place for place in places if place.exists()}, key=lambda place: len(place.parts)):
        if not any(place.is_relative_to(other) for other in kept):
            kept.append(place)
    return tuple(kept)
