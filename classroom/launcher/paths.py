"""Paths of the course, its environment and its package lists."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

LISTS = {
    "cli": "numpy, and what the command line needs",
    "grading": "what the grader's pages need",
    "course": "JupyterLab, and what the notebooks need",
    "site": "what the site is built with",
    "dev": "the test tools",
}
"""The lists in requirements/, each including the one before, and what each adds."""
OPTIONS = {"grading": "--grading", "course": "--lessons", "site": "--site", "dev": "--dev"}
"""The option of `setup` that installs a list; without the dashes, the extra in pyproject.toml."""


@dataclass(frozen=True)
class Paths:
    """Paths below the course's folder and its environment."""

    root: Path
    venv: Path

    @classmethod
    def of(cls, root: Path, variables: Mapping[str, str]) -> Paths:
        """The environment is `.venv` in the course's folder, or COURSE_VENV."""
        chosen = variables.get("COURSE_VENV")
        venv = Path(chosen).expanduser().absolute() if chosen else root / ".venv"
        return cls(root, venv)

    @property
    def scripts(self) -> Path:
        """The folder of the environment's commands."""
        return self.venv / ("Scripts" if os.name == "nt" else "bin")

    @property
    def python(self) -> Path:
        """The environment's interpreter."""
        return self.scripts / ("python.exe" if os.name == "nt" else "python")

    @property
    def site_packages(self) -> Path:
        """The environment's site-packages; pyvenv.cfg has the Python version."""
        if os.name == "nt":
            return self.venv / "Lib" / "site-packages"
        configuration = (self.venv / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace")
        version = re.search(r"^version(?:_info)?\s*=\s*(\d+\.\d+)", configuration, re.M)
        return self.venv / "lib" / f"python{version[1] if version else ''}" / "site-packages"

    @property
    def mark(self) -> Path:
        """Written first: marks the environment as created by course.py, which may delete it."""
        return self.venv / "made-by-course.txt"

    @property
    def stamp(self) -> Path:
        """Written last: which lists are installed."""
        return self.venv / "course-stamp.json"

    @property
    def lock(self) -> Path:
        """Held during setup; beside the environment, because that may be deleted meanwhile."""
        return self.venv.with_name(self.venv.name + ".lock")

    def list_path(self, name: str) -> Path:
        """The file of pinned, hashed packages."""
        return self.root / "requirements" / f"{name}.txt"

    def fingerprint(self, name: str) -> str:
        """Hash of the list, independent of line endings."""
        return hashlib.sha256(self.list_path(name).read_bytes().replace(b"\r\n", b"\n")).hexdigest()

    def packages(self, name: str) -> list[str]:
        """The package names in a list; a package with different versions for different Pythons counts once."""
        text = self.list_path(name).read_text(encoding="utf-8")
        return sorted(set(re.findall(r"^([\w.-]+)==", text, re.M)))
