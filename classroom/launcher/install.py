"""Create the environment and install a list into it, with uv if it is on the PATH, else with venv and pip."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time

from classroom.launcher import stamp as stamps
from classroom.launcher import trouble
from classroom.launcher.environment import clean_variables
from classroom.launcher.paths import LISTS, Paths
from classroom.launcher.tool import run_tool, say
from classroom.started import PROGRAM, VARIABLE


def set_up(paths: Paths, name: str) -> None:
    """Create the environment unless it is valid, install the list, and write the stamp last."""
    started = time.monotonic()
    if "jupyterlab" in paths.packages(name) and len(str(paths.venv)) > trouble.MAX_VENV_PATH and has_short_paths():
        raise trouble.too_deep(paths)
    stamp = stamps.read(paths)
    fresh = not stamps.is_sound(paths, stamp)
    if fresh:
        if other := stamps.other_course(paths, stamp):
            raise trouble.another_course(paths, other)
        why = stamps.why_anew(paths, stamp)
        say(f"Setting up the course in {paths.venv}" + (f", anew: {why}." if why else " (once)."))
        clear(paths)
        lists = {}
    else:
        say(f"Adding to the environment in {paths.venv}.")
        lists = stamp["lists"]
        paths.stamp.unlink()
    try:
        _with_uv_or_pip(paths, name, fresh)
    except trouble.Unreachable:
        if not fresh:
            stamps.write(paths, lists)
        raise
    _say("3/3", "course", f"kuiper and classroom can be imported; commands in {paths.scripts}")
    connect(paths)
    stamps.write(paths, {**lists, name: paths.fingerprint(name)})
    later = " JupyterLab and the test tools come when `lab` or `test` first needs them." if name == "cli" else ""
    say(f"Ready in {time.monotonic() - started:.0f} s.{later}\n")


def _with_uv_or_pip(paths: Paths, name: str, fresh: bool) -> None:
    """Install with uv; if it cannot fetch the packages, with pip, whose configuration may name a mirror."""
    uv = shutil.which("uv")
    if uv:
        try:
            _install(paths, name, fresh, uv)
            return
        except trouble.Unreachable as failure:
            if not can_make_environments():
                raise
            say(f"      uv could not fetch the packages ({failure.reason}); trying pip.")
            if fresh:
                clear(paths)
    _install(paths, name, fresh, None)


def _install(paths: Paths, name: str, fresh: bool, uv: str | None) -> None:
    if fresh:
        _say("1/3", "environment", f"Python {sys.version.split()[0]}, made with {'uv' if uv else 'venv and pip'}")
        _make(paths, uv)
    packages = paths.packages(name)
    _say("2/3", "packages", f"{LISTS[name]} (about {len(packages)}, each checked against its hash)")
    if not packages:
        return
    flags = ["--require-hashes", "--no-deps", "--only-binary", ":all:", "-r", str(paths.list_path(name))]
    if uv:
        run_tool("uv", [uv, "pip", "install", "--python", str(paths.python), *flags], paths, len(packages))
        return
    python = str(paths.python)
    if subprocess.call([python, "-c", "import pip"], env=clean_variables(os.environ), stderr=subprocess.DEVNULL):
        run_tool("ensurepip", [python, "-m", "ensurepip"], paths)
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--no-user"]
    run_tool("pip", [*pip, *flags], paths, len(packages))


def _make(paths: Paths, uv: str | None) -> None:
    """Create an empty environment with the Python that runs this, or with its base if it runs in an environment."""
    base = getattr(sys, "_base_executable", None) or sys.executable
    if not uv and not can_make_environments():
        raise trouble.no_venv_module(base)
    paths.venv.mkdir()
    paths.mark.write_text("course.py made this environment and may delete it.\n", encoding="utf-8")
    if uv:
        run_tool("uv", [uv, "venv", "--allow-existing", "--python", base, str(paths.venv)], paths)
    else:
        run_tool("venv", [base, "-m", "venv", str(paths.venv)], paths)


def has_short_paths() -> bool:
    """Whether this is Windows with paths limited to 260 characters, the default."""
    if sys.platform != "win32":
        return False
    import winreg

    key = r"SYSTEM\CurrentControlSet\Control\FileSystem"
    try:
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, key) as settings:
            return not winreg.QueryValueEx(settings, "LongPathsEnabled")[0]
    except OSError:
        return True


def can_make_environments() -> bool:
    """Whether this Python has the modules that `python -m venv` needs (Debian packages them separately)."""
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        return False
    return True


def clear(paths: Paths) -> None:
    """Delete the environment, or what is left of it. Raises Stop if course.py did not create it."""
    if paths.venv.is_symlink():
        paths.venv.unlink()
    if not os.path.lexists(paths.venv):
        return
    if not is_ours(paths):
        raise trouble.not_ours(paths)
    paths.stamp.unlink(missing_ok=True)
    shutil.rmtree(paths.venv)


def is_ours(paths: Paths) -> bool:
    """Whether the environment may be deleted: course.py created it, or it contains no packages."""
    if not paths.venv.is_dir():
        return False
    if paths.mark.exists() or not any(paths.venv.iterdir()):
        return True
    if not (paths.venv / "pyvenv.cfg").exists():
        return paths.venv == paths.root / ".venv"
    packages = [path.name for path in paths.venv.rglob("*.dist-info")]
    return all(re.match("(pip|setuptools|wheel)-", name) for name in packages)


def connect(paths: Paths) -> None:
    """Make kuiper and classroom importable from the course's folder, and create the two commands.

    A .pth file needs no build tools and no network, and works if the course's folder is read-only. It is ASCII,
    because Python reads .pth files in the system's encoding.
    """
    line = f"import sys; sys.path.append({str(paths.root)!a})\n"
    (paths.site_packages / "kuiper_course.pth").write_text(line, encoding="ascii")
    # They may be typed in a terminal that was itself opened by course.py, in JupyterLab.
    for name, module in ((PROGRAM, "classroom"), ("kuiper", "kuiper.main")):
        if os.name == "nt":
            command = paths.scripts / f"{name}.cmd"
            start = f'@setlocal & set "{VARIABLE}=course" & "%~dp0python.exe" -P -m {module} %*\n'
        else:
            command = paths.scripts / name
            typed = '"$0"' if name == PROGRAM else PROGRAM
            start = f'#!/bin/sh\n{VARIABLE}={typed} exec "$(dirname "$0")/python" -P -m {module} "$@"\n'
        command.write_text(start, encoding="ascii")
        command.chmod(0o755)


def _say(step: str, what: str, detail: str) -> None:
    say(f"  {step} {what:12} {detail}")
