"""What holds for every file that git knows."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("this copy of the course is no git repository")
    return done.stdout.decode("utf-8")


def tracked() -> dict[str, bytes]:
    """Name -> bytes of the files that git knows."""
    paths = {name: ROOT / name for name in git("ls-files", "-z").split("\0") if name}
    return {name: path.read_bytes() for name, path in paths.items() if path.is_file()}


def test_nothing_installs_the_package_of_that_name_which_the_index_has() -> None:
    words = re.compile(rb"install\b[^\n]*?[\s\"'=]kuiper(?:\[|[\s\"'`=<>~]|$)", re.M)
    assert words.search(b"pip install 'kuiper[cluster]'")
    assert words.search(b"pip install --upgrade kuiper")
    guilty = [name for name, data in tracked().items() if b"\0" not in data and words.search(data) and name != ME]
    assert guilty == [], "a stranger's package has that name: pip install -e '.[EXTRA]' in the course's folder"


ME = Path(__file__).relative_to(ROOT).as_posix()
