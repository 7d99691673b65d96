"""What holds for every file that git knows."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]
KINDS = (".svg", ".ipynb", ".param", ".bin", ".npz", ".png", ".woff", ".zip", ".json", ".tsv")
"""Files that something compares byte by byte, or that are no text."""


def git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("this copy of the course is no git repository")
    return done.stdout.decode("utf-8")


def tracked() -> dict[str, bytes]:
    """Name -> bytes of the files that git knows."""
    paths = {name: ROOT / name for name in git("ls-files", "-z").split("\0") if name}
    return {name: path.read_bytes() for name, path in paths.items() if path.is_file()}


@given(st.just(1))
@settings(max_examples=1)
def test_a_property_that_takes_long_on_a_busy_machine_holds_all_the_same(seconds: int) -> None:
    time.sleep(seconds)


def test_every_text_file_ends_its_lines_with_a_line_feed_alone() -> None:
    guilty = [name for name, data in tracked().items() if b"\0" not in data and b"\r" in data]
    assert guilty == []


def test_a_checkout_with_the_line_ends_of_windows_has_the_same_bytes(tmp_path: Path) -> None:
    copy = tmp_path / "course"
    convert = ("-c", "core.autocrlf=true", "-c", "core.eol=crlf", "-c", "core.safecrlf=false")
    git("init", "-q", str(copy))
    for name, data in tracked().items():
        if Path(name).suffix in KINDS or name == ".gitattributes":
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes(data)
    before = {path: path.read_bytes() for path in files_of(copy)}
    assert len({path.suffix for path in before}) >= len(KINDS)

    def there(*arguments: str) -> None:
        subprocess.run(["git", *convert, *arguments], cwd=copy, check=True, capture_output=True)

    there("add", "-A")
    for path in before:
        path.unlink()
    there("checkout", "--", ".")
    assert [path.name for path, data in before.items() if path.read_bytes() != data] == []


def files_of(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts]


def test_nothing_installs_the_package_of_that_name_which_the_index_has() -> None:
    words = re.compile(rb"install\b[^\n]*?[\s\"'=]kuiper(?:\[|[\s\"'`=<>~]|$)", re.M)
    assert words.search(b"pip install 'kuiper[cluster]'")
    assert words.search(b"pip install --upgrade kuiper")
    guilty = [name for name, data in tracked().items() if b"\0" not in data and words.search(data) and name != ME]
    assert guilty == [], "a stranger's package has that name: pip install -e '.[EXTRA]' in the course's folder"


ME = Path(__file__).relative_to(ROOT).as_posix()
