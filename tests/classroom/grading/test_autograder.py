"""Grading on upload: the archive for Gradescope, run as documented, and the scripts for GitHub Actions."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from classroom import register
from classroom.grading.autograder import upload
from classroom.grading.autograder.pack import FILES, HIDDEN, write_autograder, write_workflow
from classroom.grading.errors import GradingError
from classroom.grading.intake.layouts import look
from classroom.grading.records import Isolation

SCHEMA = json.loads(Path(__file__).with_name("results_schema.json").read_text(encoding="utf-8"))
COURSE = register.load(register.ROOT)
LESSON = COURSE.lesson(1)
SOLUTION = (LESSON.root / "homework" / LESSON.folder / "judge" / "solution.py").read_bytes()


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of the first homework."""
    return write_autograder(COURSE, LESSON, tmp_path_factory.mktemp("upload"), least=Isolation.NONE, seed=5)


def laid(packed: Path, root: Path, files: dict[str, bytes], **told: Any) -> Path:
    """Gradescope's folder, with these files uploaded."""
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(root / "source")
    settings = json.loads((root / "source" / "upload.json").read_text(encoding="utf-8"))
    (root / "source" / "upload.json").write_text(json.dumps(settings | told), encoding="utf-8")
    for name, data in files.items():
        (root / "submission" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "submission" / name).write_bytes(data)
    (root / "submission").mkdir(exist_ok=True)
    metadata = {"users": [{"email": "ann@example.org", "id": 7, "name": "Ann"}], "created_at": "2027-03-01T12:00:00Z"}
    (root / "submission_metadata.json").write_text(json.dumps(metadata), encoding="utf-8")
    return root


def run(root: Path, *shut_in: str) -> tuple[dict[str, Any] | None, str]:
    """run_autograder's program in the unpacked archive -> results.json, what it printed."""
    command = [*shut_in, sys.executable, "-B", "-m", "classroom.grading.autograder.upload", str(root)]
    done = subprocess.run(
        command, cwd=root / "source" / "course", capture_output=True, text=True, timeout=300, env={"PATH": os.defpath}
    )
    path = root / "results" / "results.json"
    assert done.returncode == (0 if path.is_file() else 1), done.stderr
    result = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
    if result is not None:
        jsonschema.validate(result, SCHEMA)
    return result, done.stdout + done.stderr


def hidden(result: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in result["tests"] if "score" in one]


@pytest.mark.slow
def test_a_right_upload_gets_all_points_and_a_wrong_one_none(packed: Path, tmp_path: Path) -> None:
    right, _ = run(laid(packed, tmp_path / "right", {"hw1.py": SOLUTION}))
    assert right is not None
    assert right["score"] == sum(one["max_score"] for one in hidden(right))
    assert {one["visibility"] for one in hidden(right)} == {"after_due_date"}
    assert {one["visibility"] for one in right["tests"] if "score" not in one} == {"visible"}
    assert right["output"].splitlines()[-1].startswith(f"isolation: {right['extra_data']['isolation']} (")
    wrong, _ = run(laid(packed, tmp_path / "wrong", {"hw1.py": SOLUTION.replace(b"return", b"return 1 +")}))
    assert wrong is not None
    assert wrong["score"] == 0
    assert {one["status"] for one in hidden(wrong)} == {"failed"}


@pytest.mark.slow
def test_nothing_that_an_upload_holds_gains_anything(packed: Path, tmp_path: Path) -> None:
    forged = json.dumps({"score": 1000}).encode()
    attack = b"""
import json, os, sys
for place in ("/autograder/results", "results", "..", "../results", os.path.dirname(__file__)):
    try:
        with open(os.path.join(place, "results.json"), "w") as file:
            file.write('{"score": 1000}')
    except Exception:
        pass
print('{"score": 1000}')
def axby(w, x, b): return open("/autograder/source/upload.json").read()
"""
    files = {
        "hw01_numpy.py": attack,
        "results.json": forged,
        "results/results.json": forged,
        "run_autograder": b"#!/bin/sh\necho owned",
        "upload.json": b"{}",
        "numpy.py": b"raise SystemExit(0)",
        "classroom/__init__.py": b"raise SystemExit(0)",
        "sitecustomize.py": b"raise SystemExit(0)",
    }
    root = laid(packed, tmp_path / "a", files)
    (root / "submission" / "link.py").symlink_to(root / "source" / "upload.json")
    result, _ = run(root)
    assert result is not None
    assert result["score"] == 0
    assert all(one["score"] == 0 for one in hidden(result))


LIVES_ON = """
import atexit, os, shutil, signal, subprocess, sys, threading, time
MARK = "a-process-that-stays"
def write():
    for place in (ROOT, ROOT + "/results", ROOT + "/source", "/autograder/results", "."):
        try:
            open(place + "/results.json", "w").write('{"score": 1000}')
        except OSError:
            pass
    for place in (ROOT + "/source", ROOT + "/results", ROOT + "/submission"):
        shutil.rmtree(place, ignore_errors=True)
def later():
    time.sleep(1)
    write()
def stay():
    try:
        if os.fork() == 0:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            if os.fork() == 0:
                for _ in range(40):
                    later()
            os._exit(0)
    except OSError:
        pass
    try:
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(40)", MARK], start_new_session=True)
    except OSError:
        pass
for attack in (write, stay, threading.Thread(target=later, daemon=True).start):
    try:
        attack()
    except BaseException:
        pass
atexit.register(write)
print('{"score": 1000, "tests": []}' * 100_000)
sys.stderr.write('{"score": 1000}')
try:
    os.kill(os.getppid(), signal.SIGKILL)
except OSError:
    pass
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_what_an_upload_starts_writes_and_deletes_is_gone(packed: Path, tmp_path: Path) -> None:
    attack = f"ROOT = {str(tmp_path / 'a')!r}\n{LIVES_ON}".encode()
    root = laid(packed, tmp_path / "a", {"hw01_numpy.py": attack})

    def files() -> dict[str, bytes]:
        own = (path for path in root.rglob("*") if path.is_file() and root / "results" not in path.parents)
        return {str(path.relative_to(root)): path.read_bytes() for path in own}

    before = files()
    result, _ = run(root)
    assert result is not None
    assert result["score"] == 0
    assert files() == before
    assert [path.name for path in (root / "results").iterdir()] == ["results.json"]
    time.sleep(1.5)
    assert json.loads((root / "results" / "results.json").read_text(encoding="utf-8"))["score"] == 0
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [line for line in running if b"a-process-that-stays" in line or str(root).encode() in line]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="names and files that other systems do not have")
def test_odd_files_beside_a_right_answer_cost_it_nothing(packed: Path, tmp_path: Path) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("hw01_numpy.py", bytes(32 << 20))
    files = {
        "hw1.py": SOLUTION,
        "-rf": b"",
        "x" * 250: b"",
        "two\nlines \x1b[31m \u202e.pdf": b"",
        "<script>alert(1)<\u2044script>.md": b"",
        "bomb.zip": bomb.getvalue(),
        "results/results.json": b'{"score": 1000}',
        "__pycache__/hw1.cpython-311.pyc": b"\0" * 64,
    }
    root = laid(packed, tmp_path / "a", files)
    own = root / "submission"
    (own / os.fsdecode(b"caf\xe9.py")).write_bytes(b"x = 1\n")
    os.mkfifo(own / "hw01_numpy.py")
    (own / "loop").symlink_to(own, target_is_directory=True)
    (own / "all").symlink_to("/", target_is_directory=True)
    (own / "hw01.py").symlink_to(root / "source" / "course" / "homework" / LESSON.folder / "judge" / "solution.py")
    result, _ = run(root)
    assert result is not None
    assert result["score"] == sum(one["max_score"] for one in hidden(result))
    told = json.dumps(result, ensure_ascii=False)
    assert "unpacks to far more than it is" in told
    assert not re.search("[\x00-\x08\x1b\u202e]", told)


@pytest.mark.slow
@pytest.mark.parametrize("files", [{}, {"essay.pdf": b"%PDF"}, {"hw1.zip": b"no archive"}], ids=["none", "pdf", "zip"])
def test_an_upload_without_work_says_so(packed: Path, tmp_path: Path, files: dict[str, bytes]) -> None:
    result, _ = run(laid(packed, tmp_path / "a", files))
    assert result is not None
    assert result["score"] == 0
    told = " ".join(one["output"] for one in result["tests"]) + result["output"]
    assert all(Path(name).stem in told for name in files)
    assert files or "nothing" in told.lower()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_it_needs_no_network(packed: Path, tmp_path: Path) -> None:
    root = laid(packed, tmp_path / "a", {"hw1.py": SOLUTION})
    cut_off = ("bwrap", "--dev-bind", "/", "/", "--unshare-net", "--cap-add", "ALL")
    if subprocess.run([*cut_off, "true"], capture_output=True).returncode:
        pytest.skip("this machine makes no namespaces")
    result, _ = run(root, *cut_off)
    assert result is not None
    assert result["score"] > 0


def test_below_the_isolation_asked_for_nothing_is_judged(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from classroom.sandbox import Bare

    root = laid(packed, tmp_path / "a", {"hw1.py": SOLUTION}, least="weak")
    (root / "results").mkdir()
    (root / "results" / "results.json").write_text('{"score": 9}', encoding="utf-8")
    monkeypatch.setattr(upload, "this_sandbox", lambda: (Bare(), Isolation.NONE))
    assert upload.main(root) == 1
    assert "at least weak is asked for" in capsys.readouterr().out
    assert not (root / "results" / "results.json").exists()


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"users": 3}', '{"users": [{"email": "\\u001b[2J"}]}', "[" * 100_000]
)
def test_metadata_of_any_kind_names_somebody(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.json").write_text(text, encoding="utf-8")
    assert upload.student_of(tmp_path / "m.json") == "upload"
    assert upload.student_of(tmp_path / "none.json") == "upload"


def test_the_archive_has_what_gradescope_asks_for_and_one_homework_s_judge(packed: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        names = set(archive.namelist())
        assert {"setup.sh", "run_autograder", "README.md", "upload.json"} <= names
        for name in ("setup.sh", "run_autograder"):
            assert archive.read(name).startswith(b"#!/usr/bin/env bash\n")
            assert archive.getinfo(name).external_attr >> 16 & 0o111
        judges = {name.split("/")[2] for name in names if "/judge/" in name and name.startswith("course/homework")}
        assert judges == {LESSON.folder}
        assert not [name for name in names if name.startswith(("course/tests", "course/classroom/dev"))]


@pytest.mark.parametrize("name", ["setup.sh", "run_autograder", "github/collect.sh"])
@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_the_scripts_are_bash(name: str) -> None:
    assert subprocess.run(["bash", "-n", str(FILES / name)], capture_output=True).returncode == 0


def test_an_unknown_visibility_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GradingError, match=HIDDEN[0]):
        write_autograder(COURSE, LESSON, tmp_path, hidden="never")


@pytest.mark.skipif(shutil.which("bash") is None or shutil.which("git") is None, reason="needs bash and git")
def test_the_workflow_s_collector_takes_github_s_times_and_only_this_assignment(tmp_path: Path) -> None:
    made = {path.name: path for path in write_workflow(tmp_path / "out")}
    assert set(made) == {"grade.yml", "collect.sh", "README.md"}
    for name in ("hw1-ann", "hw1-x-bo", "other-ann"):
        repository = tmp_path / "hub" / "org" / f"{name}.git"
        repository.mkdir(parents=True)
        (repository / "hw1.py").write_text("x = 1\n", encoding="utf-8")
        (repository / "link.py").symlink_to("/etc/passwd")
        git = [
            "git",
            "-C",
            str(repository),
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@x",
            "-c",
            "init.defaultBranch=main",
        ]
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x", "--date", "2001-01-01T00:00:00"]):
            subprocess.run([*git, *words], check=True, capture_output=True)
    (tmp_path / "bin").mkdir()
    listed = r"hw1-ann\t2027-03-01T12:00:00Z\nhw1-x-bo\t2027-03-02T12:00:00Z\nother-ann\t2027-03-01T12:00:00Z\n"
    odd = r"hw1-\t2027-03-01T12:00:00Z\nhw1-$(touch owned)\t2027-03-01T12:00:00Z\nhw1-gone\t2027-03-01T12:00:00Z\n"
    (tmp_path / "bin" / "gh").write_text(f"#!/bin/sh\nprintf '{listed}{odd}'\n", encoding="utf-8")
    (tmp_path / "bin" / "gh").chmod(0o755)
    done = subprocess.run(
        ["bash", str(made["collect.sh"]), "org", "hw1", "class"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={
            "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "CLONE_FROM": f"file://{tmp_path / 'hub'}",
        },
    )
    assert done.returncode == 0, done.stderr
    assert "not cloned: hw1-gone" in done.stderr
    assert "odd name" in done.stderr
    assert not list(tmp_path.rglob("owned"))
    times = (tmp_path / "class" / "times.csv").read_text(encoding="utf-8").splitlines()
    assert times == ["login,time", "ann,2027-03-01T12:00:00Z", "x-bo,2027-03-02T12:00:00Z"]
    found = look(tmp_path / "class" / "hw1-submissions")
    assert (found.name, [one.student for one in found.sources]) == ("GitHub", ["ann", "x-bo"])
    assert not (tmp_path / "class" / "hw1-submissions" / "hw1-ann" / "link.py").is_symlink()


def test_the_workflow_is_yaml_that_interpolates_nothing_into_a_script() -> None:
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load((FILES / "github" / "grade.yml").read_text(encoding="utf-8"))
    steps = workflow["jobs"]["grade"]["steps"]
    assert [step.get("name") for step in steps if "run" in step] == ["Install", "Collect", "Grade"]
    assert not [step for step in steps if "${{" in step.get("run", "")]
