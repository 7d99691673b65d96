"""Machine code: made from IR, or taken from the cache on disk.

A file of the cache is named after what it was made from: the IR, which holds all that the code depends on, LLVM's
release and the processor. It begins with a signature of its contents by a key that only this user can read: what was
damaged, cut off, copied from elsewhere or written by somebody else is not loaded but made anew.
"""

from __future__ import annotations

import ctypes
import hashlib
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


class MachineCode:
    """The functions of a module as machine code.

    Parameters
    ----------
    text : IR.
    target : the processor that it is for.
    folder : of the cache; None: it is neither read nor written.

    Attributes
    ----------
    cached : whether the code came from the cache.
    object_file : the code as the linker's object file, bytes.
    """

    def __init__(self, text: str, target: Target, folder: Path | None = None) -> None:
        llvm = binding()
        self._machine = target.machine()
        cache = ObjectCache(folder) if folder else None
        name = _name(text, target)
        found = cache.read(name) if cache else None
        self.cached = found is not None
        if found is None:
            parsed = llvm.parse_assembly(text)
            parsed.verify()
            found = self._machine.emit_object(parsed)
            if cache:
                cache.write(name, found)
        self.object_file = found
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), self._machine)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(found))
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


def _name(text: str, target: Target) -> str:
    made_of = f"{target} {binding().llvm_version_info}\n{text}"
    return hashlib.sha256(made_of.encode()).hexdigest()


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
            content = (self.folder / f"{name}.o").read_bytes()
        except OSError:
            return None
        signature, code = content[:SIGNATURE_BYTES], content[SIGNATURE_BYTES:]
        return code if hmac.compare_digest(signature, _signature(key, name, code)) else None

    def write(self, name: str, code: bytes) -> None:
        """Keep it, whole or not at all."""
        key = self._key()
        if key is None:
            return
        with suppress(OSError):
            _write(self.folder / f"{name}.o", _signature(key, name, code) + code)

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
    return hmac.digest(key, name.encode() + code, "sha256")


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
