from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from classroom.sandbox import Sandbox, SandboxError
from classroom.sandbox.bubblewrap import Bubblewrap
from classroom.sandbox.choose import starts
from classroom.sandbox.landlock import Landlock

Write = Callable[[str], Path]


def working(kind: type[Sandbox]) -> Sandbox:
    """A sandbox of that kind, or a skipped test that says why there is none."""
    try:
        sandbox = kind()
        starts(sandbox)
    except SandboxError as error:
        pytest.skip(f"{kind.__name__} does not work here: {error}")
    return sandbox


@pytest.fixture(scope="session")
def bubblewrap() -> Sandbox:
    return working(Bubblewrap)


@pytest.fixture(scope="session")
def landlock() -> Sandbox:
    return working(Landlock)


@pytest.fixture(scope="session", params=["bubblewrap", "landlock"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Each sandbox that works here."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """write(source) -> a submission for lesson 2, alone in its folder."""
    path = tmp_path / "submission" / "hw02_tensor.py"
    path.parent.mkdir()

    def save(source: str) -> Path:
        path.write_text(source, encoding="utf-8")
        return path

    return save
