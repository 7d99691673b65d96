"""course.py as a stranger meets it: a copy in a folder with spaces, its own environment, no network."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BASE_PYTHON = getattr(sys, "_base_executable", None) or sys.executable
HANGS = 600
"""Seconds after which something is taken to hang: far more than it takes on a busy machine."""
posix = pytest.mark.skipif(os.name == "nt", reason="the stand-in for uv is a shell script")

ECHO = """
import json, os, sys
told = {"arguments": sys.argv[1:], "prefix": sys.prefix}
told |= {"path": os.environ.get("PYTHONPATH"), "command": os.environ.get("COURSE_COMMAND")}
print("ran", json.dumps(told))
if sys.argv[1:2] in (["test"], ["lab"]) and "--help" not in sys.argv:
    from pathlib import Path
    from classroom.launcher import add_list
    add_list.add(Path(os.environ["COURSE_ROOT"]), {"test": "dev", "lab": "course"}[sys.argv[1]])
sys.exit(int(os.environ.get("EXIT_WITH", "0")))
"""

UV = """#!/bin/sh
echo "$1 $2" >> "{log}"
[ "$1" = venv ] && exec "{python}" -m venv --without-pip "$5"
while [ -n "$UV_HTTP_GATE" ] && [ ! -e "$UV_HTTP_GATE" ]; do sleep 0.05; done
[ -n "$UV_HTTP_SAYS" ] && {{ echo "$UV_HTTP_SAYS"; exit 2; }}
exit 0
"""
"""A stand-in for uv: makes real environments, quickly, and installs nothing."""


@dataclass
class Copy:
    """A copy of the launcher, and how to start it."""

    root: Path
    tools: Path
    log: Path
    variables: dict[str, str] = field(default_factory=dict)

    def command(self, *arguments: str) -> list[str]:
        return [BASE_PYTHON, str(self.root / "course.py"), *arguments]

    def environment(self, *, uv: bool = True, **more: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_", "PYTHON"))}
        folders = [one for one in kept.get("PATH", "").split(os.pathsep) if not (Path(one) / "uv").exists()]
        kept["PATH"] = os.pathsep.join([str(self.tools)] * uv + folders)
        return {**kept, "PYTHONDONTWRITEBYTECODE": "1", "PIP_CONFIG_FILE": os.devnull, **self.variables, **more}

    def start(self, *arguments: str, uv: bool = True, cwd: Path | None = None, **more: str):
        return subprocess.run(
            self.command(*arguments),
            env=self.environment(uv=uv, **more),
            cwd=cwd or self.root.parent,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=HANGS,
            check=False,
        )

    def wait_for(self, call: str, process: subprocess.Popen[str]) -> None:
        """Wait until the stand-in for uv has been called like this by the process."""
        while not (self.log.exists() and call in self.log.read_text()):
            assert process.poll() is None
            time.sleep(0.05)

    def calls(self) -> list[str]:
        """What the stand-in for uv was called with since the last question."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return lines

    def patched(self, code: str) -> dict[str, str]:
        """A PYTHONPATH whose sitecustomize runs `code` when the launcher starts."""
        folder = self.root.parent / "patched"
        folder.mkdir(exist_ok=True)
        (folder / "sitecustomize.py").write_text(code)
        return {"PYTHONPATH": str(folder)}


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    root = tmp_path / "a course with späces"
    shutil.copytree(ROOT / "classroom" / "launcher", root / "classroom" / "launcher")
    for name in ("course.py", "classroom/__init__.py", "classroom/started.py"):
        shutil.copy(ROOT / name, root / name)
    (root / "classroom" / "__main__.py").write_text(ECHO)
    (root / "requirements").mkdir()
    for name in ("cli", "grading", "course", "site", "dev"):
        (root / "requirements" / f"{name}.txt").write_text(f"{name}-stand-in==1.0 --hash=sha256:{'0' * 64}\n")
    tools, log = tmp_path / "tools", tmp_path / "calls.log"
    tools.mkdir()
    (tools / "uv").write_text(UV.format(python=BASE_PYTHON, log=log))
    (tools / "uv").chmod(0o755)
    return Copy(root, tools, log, {"COURSE_ROOT": str(root)})


def heed_ctrl_c() -> None:
    """In a child before its program starts: the launcher is then as started at a terminal."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def in_the_background() -> Iterator[None]:
    """As under `nohup ... &`: Ctrl-C is ignored, and children inherit that."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


def assert_sentence(done: subprocess.CompletedProcess[str], *parts: str) -> None:
    """Exit code 2, and on standard error every part, and no traceback."""
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    for part in parts:
        assert part in done.stderr


@posix
def test_the_first_start_makes_the_environment_and_runs_the_command_inside_it(copy: Copy) -> None:
    done = copy.start("demo", "--mine", "two words", EXIT_WITH="7")
    assert done.returncode == 7, done.stderr
    assert '["demo", "--mine", "two words"]' in done.stdout
    assert ".venv" in re.search('"prefix": "(.*?)"', done.stdout)[1]
    assert [f"{n}/3" in done.stdout for n in (1, 2, 3)] == [True] * 3
    assert copy.calls() == ["venv --allow-existing", "pip install"]


@posix
def test_messages_print_the_command_that_was_typed(copy: Copy) -> None:
    copy.start("setup")
    (copy.tools / "python3.99").symlink_to(BASE_PYTHON)
    copy.variables["PATH"] = f"{copy.tools}{os.pathsep}{os.environ['PATH']}"
    typed = ["python3.99", "course.py"]
    for words in (typed, ["sh", "-c", 'exec "$0" "$@"', *typed]):
        found = subprocess.run(
            [*words, "map"], env=copy.environment(), cwd=copy.root, capture_output=True, text=True, check=False
        )
        assert '"command": "python3.99 course.py"' in found.stdout, found.stderr
    assert_sentence(
        subprocess.run(
            [*typed, "setup", "--all"],
            env=copy.environment(),
            cwd=copy.root,
            capture_output=True,
            text=True,
            check=False,
        ),
        "usage: python3.99 course.py setup",
    )


@posix
def test_the_environments_own_command_is_what_was_typed_wherever_that_is(copy: Copy, tmp_path: Path) -> None:
    copy.start("setup")
    program = copy.root / ".venv" / "bin" / "course"
    done = subprocess.run(
        [program, "map"],
        env={**os.environ, "COURSE_COMMAND": "python3 course.py"},
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert f'"command": {json.dumps(str(program))}' in done.stdout, done.stderr


@posix
def test_the_second_start_installs_nothing(copy: Copy) -> None:
    copy.start()
    copy.calls()
    done = copy.start("demo")
    assert done.stdout.startswith("ran ")
    assert copy.calls() == []


@posix
def test_a_changed_list_is_installed_into_the_same_environment(copy: Copy) -> None:
    copy.start()
    copy.calls()
    path = copy.root / "requirements" / "cli.txt"
    path.write_text(path.read_text() + f"another==2.0 --hash=sha256:{'1' * 64}\n")
    assert copy.start().returncode == 0
    assert copy.calls() == ["pip install"]
    copy.start()
    assert copy.calls() == []


@posix
def test_only_a_command_that_needs_more_installs_more_and_only_when_it_runs(copy: Copy) -> None:
    assert "ran " in copy.start("test", "--help").stdout
    assert copy.calls() == ["venv --allow-existing", "pip install"]
    done = copy.start("test", "-k", "padding")
    assert '"test", "-k", "padding"' in done.stdout
    assert "the test tools" in done.stdout
    assert copy.calls() == ["pip install"]
    for command in ("test", "lab", "demo"):
        copy.start(command)
    assert copy.calls() == []


@posix
@pytest.mark.parametrize("whose", ["another course's", "nobody's"])
def test_a_command_adds_nothing_to_an_environment_that_is_not_the_courses(copy: Copy, whose: str) -> None:
    copy.start()
    copy.calls()
    if whose == "nobody's":
        (copy.root / ".venv" / "course-stamp.json").unlink()
    python, root = copy.root / ".venv" / "bin" / "python", copy.root.parent if "another" in whose else copy.root
    done = subprocess.run(
        [python, "-P", "-m", "classroom", "test"],
        env={**copy.environment(), "COURSE_ROOT": str(root), "COURSE_COMMAND": "course"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert copy.calls() == []


@posix
def test_setup_installs_and_runs_nothing(copy: Copy) -> None:
    done = copy.start("setup", "--dev")
    assert done.returncode == 0
    assert "ran " not in done.stdout
    assert "the test tools" in done.stdout
    assert_sentence(copy.start("setup", "--all"), "usage", "--dev")


@posix
@pytest.mark.parametrize("options", [["--help"], ["--lessons", "-h"]])
def test_setup_with_help_shows_its_usage_and_installs_nothing(copy: Copy, options: list[str]) -> None:
    done = copy.start("setup", *options)
    assert done.returncode == 0, done.stderr
    assert "usage" in done.stdout
    assert copy.calls() == []


@posix
@pytest.mark.parametrize("rest", ["stamp", "interpreter", "configuration"])
def test_an_environment_that_lost_a_part_is_made_anew(copy: Copy, rest: str) -> None:
    copy.start()
    copy.calls()
    venv = copy.root / ".venv"
    lost = {"stamp": "course-stamp.json", "interpreter": "bin/python", "configuration": "course-stamp.json"}[rest]
    (venv / lost).unlink()
    if rest == "configuration":
        (venv / "pyvenv.cfg").unlink()
    done = copy.start()
    assert done.returncode == 0, done.stderr
    assert "anew: " + ("its Python has vanished" if rest == "interpreter" else "the one there is only half made") in (
        done.stdout
    )
    assert copy.calls() == ["venv --allow-existing", "pip install"]


@posix
def test_the_rest_of_an_environment_that_holds_no_packages_is_replaced(copy: Copy) -> None:
    (copy.root / ".venv" / "bin").mkdir(parents=True)
    done = copy.start()
    assert done.returncode == 0, done.stderr
    assert "half made" in done.stdout


@posix
def test_a_folder_that_moved_gets_a_new_environment(copy: Copy) -> None:
    copy.start()
    copy.root = copy.root.rename(copy.root.with_name("moved"))
    done = copy.start()
    assert done.returncode == 0, done.stderr
    assert "this folder has moved" in done.stdout


@posix
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_set_up_that_was_stopped_is_mended_by_the_next_start(
    copy: Copy, how: signal.Signals, in_the_background: None
) -> None:
    gate = copy.root / "gate"
    first = subprocess.Popen(
        copy.command(),
        env=copy.environment(UV_HTTP_GATE=str(gate)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heed_ctrl_c,
    )
    copy.wait_for("pip install", first)
    # Ctrl-C reaches the launcher and the installer; kill -9 only the launcher.
    os.killpg(first.pid, how) if how is signal.SIGINT else first.kill()
    gate.touch()
    _, said = first.communicate(timeout=HANGS)
    if how is signal.SIGINT:
        assert first.returncode == 130
        assert "Traceback" not in said
    assert not (copy.root / ".venv" / "course-stamp.json").exists()
    done = copy.start()
    assert done.returncode == 0, done.stderr
    assert "half made" in done.stdout


@posix
def test_a_reader_who_has_seen_enough_does_not_stop_the_set_up(copy: Copy) -> None:
    start = subprocess.Popen(
        copy.command("demo"), env=copy.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert start.stdout is not None
    start.stdout.close()
    _, said = start.communicate(timeout=HANGS)
    assert said == b""
    assert (copy.root / ".venv" / "course-stamp.json").exists()
    copy.calls()
    assert copy.start("demo").stdout.startswith("ran ")
    assert copy.calls() == []


@posix
def test_two_starts_at_once_set_up_one_environment(copy: Copy) -> None:
    gate = copy.root / "gate"

    def start() -> subprocess.Popen[str]:
        environment = copy.environment(UV_HTTP_GATE=str(gate))
        return subprocess.Popen(copy.command(), env=environment, stdout=subprocess.PIPE, text=True)

    first = start()
    copy.wait_for("pip install", first)
    second = start()
    assert second.stdout is not None
    assert "waiting for it" in second.stdout.readline()
    gate.touch()
    outputs = [one.communicate(timeout=HANGS)[0] for one in (first, second)]
    assert [first.returncode, second.returncode] == [0, 0]
    assert all("ran " in output for output in outputs)
    assert "waiting for it" not in outputs[0]
    assert copy.calls() == ["venv --allow-existing", "pip install"]


@posix
def test_an_environment_that_somebody_else_filled_is_left_alone(copy: Copy) -> None:
    package = copy.root / ".venv" / "lib" / "site-packages" / "numpy-2.0.dist-info"
    package.mkdir(parents=True)
    (copy.root / ".venv" / "pyvenv.cfg").write_text("version = 3.12.0\n")
    assert_sentence(copy.start(), "was not made by course.py", "COURSE_VENV=")
    assert package.exists()


@posix
def test_a_folder_given_by_mistake_is_never_deleted(copy: Copy, tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "thesis.txt").write_text("years of work")
    assert_sentence(copy.start(COURSE_VENV=str(documents)), "was not made by course.py")
    assert (documents / "thesis.txt").exists()


@posix
def test_the_environment_of_another_course_is_left_alone_while_that_course_is_there(copy: Copy, tmp_path: Path) -> None:
    shared, other = str(tmp_path / "shared"), tmp_path / "another"
    shutil.copytree(copy.root, other)
    copy.start(COURSE_VENV=shared)
    copy.calls()
    first, copy.root = copy.root, other
    assert_sentence(copy.start(COURSE_VENV=shared), f"is the environment of the course in {first}", "COURSE_VENV=")
    assert copy.calls() == []
    shutil.rmtree(first)
    done = copy.start(COURSE_VENV=shared)
    assert done.returncode == 0, done.stderr
    assert "this folder has moved" in done.stdout


@posix
def test_a_copy_of_a_course_makes_the_environment_that_was_copied_with_it_its_own(copy: Copy, tmp_path: Path) -> None:
    copy.start()
    other = tmp_path / "another"
    shutil.copytree(copy.root, other, symlinks=True)
    copy.root = other
    done = copy.start()
    assert done.returncode == 0, done.stderr
    assert f'"prefix": "{other / ".venv"}"' in done.stdout


@posix
def test_the_callers_environment_does_not_lead_it_astray(copy: Copy, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    wrong.mkdir()
    for name in ("classroom", "kuiper", "runpy"):
        (wrong / f"{name}.py").write_text("raise SystemExit('the wrong module')")
    done = copy.start(
        "demo",
        cwd=wrong,
        PYTHONPATH=str(wrong),
        VIRTUAL_ENV="/nowhere",
        PIP_TARGET="/nowhere",
        PIP_USER="1",
        UV_PYTHON="2.7",
    )
    assert done.returncode == 0, done.stderr
    assert '"path": null' in done.stdout


@posix
def test_the_commands_course_and_kuiper_lie_in_the_environment(copy: Copy, tmp_path: Path) -> None:
    copy.start("setup")
    command = copy.root / ".venv" / "bin" / "course"
    done = subprocess.run([command, "a b"], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert '["a b"]' in done.stdout, done.stderr
    assert (copy.root / ".venv" / "bin" / "kuiper").exists()


def test_a_python_without_ensurepip_names_the_package_to_install(copy: Copy) -> None:
    done = copy.start(uv=False, **copy.patched("import sys; sys.modules['ensurepip'] = None"))
    assert_sentence(done, f"sudo apt install python{sys.version_info[0]}.{sys.version_info[1]}-venv", "brew", "uv")
    assert not (copy.root / ".venv").exists()


@posix
def test_a_course_that_cannot_be_written_says_where_else_the_environment_can_be(copy: Copy, tmp_path: Path) -> None:
    read_only = copy.patched(
        "import builtins, errno\n"
        "true_open = builtins.open\n"
        "def read_only_open(path, *rest, **options):\n"
        f"    if str(path).startswith({str(copy.root)!r}) and str(path).endswith('.lock'):\n"
        "        raise OSError(errno.EROFS, 'Read-only file system', str(path))\n"
        "    return true_open(path, *rest, **options)\n"
        "builtins.open = read_only_open\n"
    )
    assert_sentence(copy.start(**read_only), "Cannot write", "Read-only file system", "COURSE_VENV=")
    elsewhere = tmp_path / "else where" / "env"
    done = copy.start(**read_only, COURSE_VENV=str(elsewhere))
    assert done.returncode == 0, done.stderr
    assert f'"prefix": "{elsewhere}"' in done.stdout


@posix
def test_a_place_that_cannot_be_a_folder_is_said(copy: Copy) -> None:
    assert_sentence(copy.start(COURSE_VENV=str(copy.root / "course.py" / "env")), "Cannot write", "COURSE_VENV=")


@posix
def test_a_full_disk_is_said(copy: Copy) -> None:
    done = copy.start(UV_HTTP_SAYS="error: failed to write: No space left on device (os error 28)")
    assert_sentence(done, "no space left", "COURSE_VENV=")


@posix
def test_an_unknown_failure_shows_the_installers_last_words(copy: Copy) -> None:
    assert_sentence(copy.start(UV_HTTP_SAYS="the moon is in the wrong house"), "the moon is in the wrong house")


@posix
def test_a_failed_addition_leaves_the_environment_as_it_was(copy: Copy) -> None:
    copy.start()
    copy.calls()
    no_pip = copy.patched("import sys; sys.modules['ensurepip'] = None")
    done = copy.start("setup", "--dev", UV_HTTP_SAYS="error: dns error: failed to lookup address", **no_pip)
    assert_sentence(done, "could not fetch", "dns error", "HTTPS_PROXY", "PIP_FIND_LINKS")
    copy.calls()
    assert copy.start("demo").stdout.startswith("ran ")
    assert copy.calls() == []


@pytest.mark.slow
def test_pip_installs_from_a_folder_of_wheels_and_checks_the_hash(copy: Copy, tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    wheel = wheels / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny.py", "answer = 42\n")
        archive.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        archive.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("tiny-1.0.dist-info/RECORD", "")
    right = hashlib.sha256(wheel.read_bytes()).hexdigest()
    pins = copy.root / "requirements" / "cli.txt"
    pins.write_text(f"tiny==1.0 \\\n    --hash=sha256:{right}\n")
    (copy.root / "classroom" / "__main__.py").write_text("import tiny\nprint('answer', tiny.answer)\n")

    offline = copy.start(uv=False, PIP_NO_INDEX="1")
    assert_sentence(offline, "could not fetch", "tiny", "PIP_FIND_LINKS", "HTTPS_PROXY")

    installed = copy.start(uv=False, PIP_NO_INDEX="1", PIP_FIND_LINKS=wheels.as_uri())
    assert "answer 42" in installed.stdout, installed.stderr

    pins.write_text(f"tiny==1.0 \\\n    --hash=sha256:{'0' * 64}\n")
    shutil.rmtree(copy.root / ".venv" / ("Lib" if os.name == "nt" else "lib"))
    (copy.root / ".venv" / "course-stamp.json").unlink()
    assert_sentence(copy.start(uv=False, PIP_NO_INDEX="1", PIP_FIND_LINKS=wheels.as_uri()), "hash differs")


@pytest.mark.slow
@posix
def test_pip_is_tried_where_uv_cannot_fetch(copy: Copy) -> None:
    done = copy.start(UV_HTTP_SAYS="error: dns error", PIP_NO_INDEX="1")
    assert "trying pip" in done.stdout
    assert_sentence(done, "pip could not fetch", "cli-stand-in")


def old_pythons() -> list[str]:
    """Interpreters older than the course needs, as far as this machine has any."""
    names = ["python2", "python2.7", *(f"python3.{minor}" for minor in range(4, 11))]
    found = [path for name in names if (path := shutil.which(name))]
    found += [str(path) for path in (Path.home() / ".pyenv" / "versions").glob("*/bin/python")]
    check = "import sys; sys.exit(sys.version_info >= (3, 11))"
    return [
        one for one in found if subprocess.run([one, "-c", check], capture_output=True, check=False).returncode == 0
    ]


@pytest.mark.slow
def test_a_python_that_is_too_old_is_told_so_in_a_sentence(copy: Copy) -> None:
    pretend = (
        "import runpy, sys; sys.version_info = (3, 6, 0); "
        f"runpy.run_path({str(copy.root / 'course.py')!r}, run_name='__main__')"
    )
    starts = [[BASE_PYTHON, "-c", pretend], *([one, str(copy.root / "course.py")] for one in old_pythons())]
    for command in starts:
        done = subprocess.run(command, env=copy.environment(), capture_output=True, text=True, check=False)
        assert_sentence(done, "needs Python 3.11 or newer; this is")
