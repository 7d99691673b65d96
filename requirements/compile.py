"""Compile the five pinned, hashed lists from pyproject.toml: `python requirements/compile.py [--upgrade]`.

Needs `uv` on the PATH. The widest list comes first and binds the others, so that a package has one version everywhere.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LISTS = {"dev": "dev", "site": "site", "course": "lessons", "grading": "grading", "cli": "cli"}
"""Name of the list -> the extra of pyproject.toml that it holds."""

LEFT_OUT = ("rfc3987-syntax", "lark")
"""Packages that a list leaves out: jsonschema, which Jupyter needs, works without them, and with them every start of
JupyterLab, nbval or nbformat builds a parser of a grammar first, which takes two seconds."""

HERE = Path(__file__).resolve().parent


def compile_list(name: str, extra: str, options: list[str]) -> None:
    """Write requirements/NAME.txt: what EXTRA needs on every system and every Python from 3.11 on."""
    command = ["uv", "pip", "compile", "pyproject.toml", "--extra", extra, "--output-file", f"requirements/{name}.txt"]
    command += ["--universal", "--python-version", "3.11", "--generate-hashes", "--no-header", "--no-annotate"]
    command += ["--no-emit-index-url", "--no-emit-find-links", "--quiet", *options]
    command += [f"--no-emit-package={package}" for package in LEFT_OUT]
    subprocess.run(command, cwd=HERE.parent, check=True)


def main() -> None:
    """Compile every list; with --upgrade take the newest versions instead of keeping those of today's lists."""
    upgrade = [option for option in sys.argv[1:] if option == "--upgrade"]
    for name, extra in LISTS.items():
        binding = [] if name == "dev" else ["--constraint", "requirements/dev.txt", "--upgrade"]
        compile_list(name, extra, binding or upgrade)
        print(f"requirements/{name}.txt")


if __name__ == "__main__":
    main()
