"""What several folders of tests share: a network exported from torch by pnnx."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from kuiper.peers.convert import quiet


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What exports a network is slow."""
    for item in items:
        if "export" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What kuiper remembers of this machine lies in a folder of the tests' own."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUIPER_CACHE", str(folder))
        yield folder


@pytest.fixture(autouse=True)
def nothing_behind_the_scenes(monkeypatch: pytest.MonkeyPatch) -> None:
    """No processes compile for the engine "auto"; a test that wants them turns them on."""
    monkeypatch.setattr("kuiper.compiled.background.enabled", False)


@pytest.fixture(scope="session")
def export(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """export(model, *inputs, dynamic=None) -> path of the .pnnx.param, the .bin beside it.

    `dynamic` is a second tuple of inputs: the dimensions in which it differs from the first stay open in the file.
    """
    pnnx = pytest.importorskip("pnnx", reason="exports with pnnx, which is not installed")

    def run(model: Any, *inputs: Any, dynamic: Sequence[Any] | None = None) -> Path:
        folder = tmp_path_factory.mktemp(type(model).__name__)
        # pnnx also writes the network as a Python module, at times an invalid or empty one; the .param is complete then
        with quiet(), contextlib.suppress(SyntaxError, AttributeError):
            pnnx.export(model, str(folder / "net.pt"), inputs, None if dynamic is None else tuple(dynamic))
        for surplus in folder.iterdir():
            if surplus.is_file() and surplus.name not in ("net.pnnx.param", "net.pnnx.bin"):
                surplus.unlink()
        return folder / "net.pnnx.param"

    return run
