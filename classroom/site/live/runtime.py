"""Pyodide's files: which ones, where they come from, and what must be in them. The one table of the project.

A folder with them (`course site --live FOLDER`) is verified file by file, and its content is put into scripts: a page
from file:// may load a script, but fetch nothing. Without a folder the page names the same files on Pyodide's network
of servers, and the browser verifies them by the same table.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classroom.site.tree import SiteError

VERSION = "314.0.7"
"""Of Pyodide; `npm pack pyodide@314.0.7` has all but numpy."""
SERVER = "https://cdn.jsdelivr.net"
CORE = f"{SERVER}/npm/pyodide@{VERSION}/"
"""The files of the npm package, one by one."""
WHEELS = f"{SERVER}/pyodide/v{VERSION}/full/"
PIECE = 1 << 21
"""Characters in a script: each that has arrived moves the page's progress bar."""


@dataclass(frozen=True)
class RuntimeFile:
    """A file of the runtime: what it is called in the page, its name in a folder, its sha256, where it is on a server.

    size : bytes, for the sum that a reader is told before anything is fetched. packed : compressed in itself.
    """

    key: str
    name: str
    sha256: str
    size: int
    server: str = CORE
    packed: bool = False


FILES = (
    RuntimeFile("loader", "pyodide.mjs", "6f1d60f7bf529beb300f0f47983c921d3982363640ba20af0e38efdddbc66109", 17_931),
    RuntimeFile(
        "asm", "pyodide.asm.mjs", "f7cdc8ece80678ceb712f8e65ebe6d3a83203a180c399865f49612a051693635", 1_250_344
    ),
    RuntimeFile(
        "wasm", "pyodide.asm.wasm", "cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6", 9_598_218
    ),
    RuntimeFile(
        "stdlib",
        "python_stdlib.zip",
        "fa1957e5777068fc4f7437f96d860ae2fbe9c19732ba06c84e004ec16dd7dd7a",
        2_545_637,
        packed=True,
    ),
    RuntimeFile(
        "lock", "pyodide-lock.json", "5dc2fc119108bc148c7457dc86e7675b5c87e1cafd420b9c34c1eaef7b36c010", 119_077
    ),
    RuntimeFile(
        "numpy",
        "numpy-2.4.6-cp314-cp314-pyemscripten_2026_0_wasm32.whl",
        "a292c1f5d7d8a2208cd5e94fc467604c131cabcd2fc14fed6eefde121e7fabdf",
        2_800_000,  # about: the lock file, which the hash is from, has no size
        WHEELS,
        packed=True,
    ),
)


def verified(folder: Path, instead: Mapping[str, str] | None = None) -> dict[str, bytes]:
    """Key -> content of each file in the folder. Raises SiteError for one that is missing, or is another.

    instead : name -> sha256 in the place of the table's, for tests with a numpy that was built for them.
    """
    found = {}
    for file in FILES:
        try:
            content = (folder / file.name).read_bytes()
        except OSError as error:
            raise SiteError(
                f"{folder / file.name}: expected this file of Pyodide {VERSION}: {error.strerror}"
            ) from error
        wanted = (instead or {}).get(file.name, file.sha256)
        sha256 = hashlib.sha256(content).hexdigest()
        if sha256 != wanted:
            raise SiteError(f"{folder / file.name}: expected sha256 {wanted}, found {sha256}: it is another file")
        found[file.key] = content
    return found


def scripts(key: str, content: bytes, packed: bool) -> Iterator[tuple[str, str]]:
    """A file as scripts -> (name of a script, its text): pieces of base64, of gzip unless the file is `packed`."""
    text = base64.b64encode(content if packed else gzip.compress(content, 9, mtime=0)).decode()
    pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    for number, piece in enumerate(pieces):
        yield f"{key}-{number}.js", f'KuiperLive.deliver("{key}", {number}, "{piece}");\n'


def on_servers() -> list[dict[str, Any]]:
    """What a page needs to fetch the files: addresses, sizes, and hashes as a browser compares them."""
    return [
        {
            "key": file.key,
            "url": file.server + file.name,
            "size": file.size,
            "integrity": "sha256-" + base64.b64encode(bytes.fromhex(file.sha256)).decode(),
        }
        for file in FILES
    ]
