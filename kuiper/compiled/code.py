"""Machine code: made from IR, linked into this process, and its cache on disk.

A file of the cache is named after what it was made from (identity.py). It begins with a signature of its contents by a
key that only this user can read: what was damaged, cut off, copied from elsewhere or written by somebody else is not
loaded but made anew.
"""

from __future__ import annotations

import ctypes
import hmac
import os
import secrets
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from kuiper.compiled.llvm import binding
from kuiper.compiled.target import Target
from kuiper.fast.kernels.base.cache import cache_folder

SIGNATURE_BYTES = 32
MOST_BYTES = 256 << 20
"""Of the cache: what was not used for longest goes first."""


def object_of(text: str, target: Target) -> bytes:
    """IR as a linker's object file for a processor."""
    parsed = binding().parse_assembly(text)
    parsed.verify()
    made: bytes = target.machine().emit_object(parsed)
    return made


class MachineCode:
    """The functions of an object file.

    Parameters
    ----------
    object_file : as `object_of` makes it.
    target : the processor that it is for, which has to be this one.
    """

    def __init__(self, object_file: bytes, target: Target) -> None:
        llvm = binding()
        self._machine = target.machine()
        empty = llvm.parse_assembly("")  # an engine begins with a module
        self._engine = llvm.create_mcjit_compiler(empty, self._machine)
        self._engine.remove_module(empty)  # or LLVM's passes would be set up, in megabytes of pages, to compile nothing
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(object_file))
        self._engine.finalize_object()

    def function(self, name: str, *kinds: Any) -> Callable[..., None]:
        """One of them, with arguments of ctypes' types; it keeps the code in memory, and runs without Python's lock."""
        made: Any = ctypes.CFUNCTYPE(None, *kinds)(self._engine.get_function_address(name))
        made.code = self
        return made


def assembly(text: str, target: Target) -> str:
    """The IR as the processor's assembly language."""
    parsed = binding().parse_assembly(text)
    parsed.verify()
    return str(target.machine().emit_assembly(parsed))


def default_folder() -> Path:
    """Where compiled code is cached."""
    return cache_folder() / "code"


class ObjectCache:
    """Files of machine code in a folder that only this user may write to.

    Nothing here raises: what cannot be read or written is made again, which costs time only.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, name: str) -> bytes | None:
        """What was written under this name, if it is whole and this user's."""
        key = self._key()
        if key is None:
            return None
        try:
            with (self.folder / f"{name}.o").open("rb") as file:
                signature, code = file.read(SIGNATURE_BYTES), file.read()
        except OSError:
            return None
        if not hmac.compare_digest(signature, _signature(key, name, code)):
            return None
        with suppress(OSError):
            os.utime(self.folder / f"{name}.o")  # used just now: it is not the next to go
        return code

    def write(self, name: str, code: bytes) -> None:
        """Keep it, whole or not at all."""
        key = self._key()
        if key is None:
            return
        with suppress(OSError):
            _write(self.folder / f"{name}.o", _signature(key, name, code) + code)
            self._trim()

    def _trim(self) -> None:
        """Delete what was not used for longest, until the files together have at most MOST_BYTES. Raises OSError."""
        found = [(path, path.stat()) for path in self.folder.glob("*.o")]
        total = sum(about.st_size for _, about in found)
        for path, about in sorted(found, key=lambda pair: pair[1].st_mtime):
            if total <= MOST_BYTES:
                return
            path.unlink(missing_ok=True)
            total -= about.st_size

    def _key(self) -> bytes | None:
        """The key of this user's signatures, made when first needed; None where the folder or the file is not safe."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = self.folder / "key"
            if not _is_own(self.folder):
                return None
            if not path.exists():
                _write(path, secrets.token_bytes(SIGNATURE_BYTES))
            key = path.read_bytes()
            return key if _is_own(path) and len(key) == SIGNATURE_BYTES else None
        except OSError:
            return None


def _signature(key: bytes, name: str, code: bytes) -> bytes:
    made = hmac.new(key, name.encode(), "sha256")
    made.update(code)
    return made.digest()


def _is_own(path: Path) -> bool:
    """Whether it is this user's, and nobody else may write to it. Windows keeps a user's folders from others itself."""
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        return False
    if not hasattr(os, "getuid"):
        return True
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _write(path: Path, content: bytes) -> None:
    """Replace a file in one step, readable by this user alone."""
    handle, made = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(made).replace(path)
    except OSError:
        Path(made).unlink(missing_ok=True)
        raise


class NotCachedError(Exception):
    """The code is not in the cache, and was not to be made.

    name : of the file in the cache; None where it cannot be told when the code may be used again.
    """

    def __init__(self, name: str | None) -> None:
        super().__init__(f"no machine code named {name} is in the cache" if name else "its machine code is not cached")
        self.name = name


class CodeSource:
    """Gives the object file of a plan: from the cache, or made from its IR and then kept there.

    Parameters
    ----------
    target : the processor; an attribute, too.
    folder : of the cache; None: there is none.
    make : as object_of; None: what is not in the cache is not made, and NotCachedError is raised.

    Attributes
    ----------
    cached : whether the last one came from the cache.
    """

    def __init__(
        self, target: Target, folder: Path | None, make: Callable[[str, Target], bytes] | None = object_of
    ) -> None:
        self.target, self._make = target, make
        self._cache = ObjectCache(folder) if folder else None
        self._known: dict[str, bytes] = {}
        self.cached = False

    def __call__(self, name: str | None, write: Callable[[], str]) -> bytes:
        """name : of the file in the cache; None: it cannot be told when it may be used again. write : gives the IR."""
        found = self._known.get(name) if name else None
        if found is None and name and self._cache:
            found = self._cache.read(name)
        self.cached = found is not None
        if found is None:
            if self._make is None:
                raise NotCachedError(name)
            found = self.keep(name, self._make(write(), self.target))
        return found

    def keep(self, name: str | None, object_file: bytes) -> bytes:
        """Put it into the cache, and give it out from now on."""
        if name:
            self._known[name] = object_file
            if self._cache:
                self._cache.write(name, object_file)
        return object_file
