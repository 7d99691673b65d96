from __future__ import annotations

import ast
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

import kuiper
from classroom import gallery, register
from classroom.cli import app
from classroom.gallery.mine import StudentWork, work_of
from classroom.marked import without_marks
from classroom.mine import package, run
from classroom.mine.networks import MAGIC, random_network, shuffled
from classroom.mine.package import PARTS, PackageError, files_of_package, write_package
from classroom.mine.reference import answers, reference_parts
from classroom.mine.report import (
    conv2d_text,
    interpreter,
    missing_text,
    outcome_text,
    own_parts_text,
    parts_table,
    run_by_hand,
)
from classroom.mine.run import UNSEEN, BesideKuiper, compare
from classroom.progress import Progress
from classroom.stubs import put_back
from classroom.tasks import all_tasks, files_of

ROOT = Path(__file__).resolve().parents[2]
IDS = [part.exercise for part in PARTS]


SOME = {"im2col": "An image in rows has as many rows as windows."}
"""As if a part were written, and this did not hold yet."""


def worked(path: Path) -> str:
    """The worked solution beside a homework file."""
    return without_marks((path.parent / "judge" / "solution.py").read_text(encoding="utf-8"))


@pytest.fixture
def solved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course whose homework files of lessons 2 to 8 hold the worked solutions; its folder."""
    shutil.copy(ROOT / "course.toml", tmp_path)
    (tmp_path / "homework").mkdir()
    shutil.copy(ROOT / "homework" / "stubs.zip", tmp_path / "homework")
    for file in files_of(task for task in all_tasks(register.load(ROOT)) if task.id in IDS):
        folder = tmp_path / "homework" / file.parent.name
        folder.mkdir()
        (folder / file.name).write_text(worked(file), encoding="utf-8")
    monkeypatch.setattr(register, "ROOT", tmp_path)
    return tmp_path


@pytest.fixture
def mine(solved: Path) -> Path:
    """The package of these solutions."""
    folder = solved / "mine"
    write_package(folder, files_of_package(register.load(solved)))
    return folder


def all_but(
    monkeypatch: pytest.MonkeyPatch, *missing: str, broken: dict[str, str] | None = None, late: Collection[str] = ()
) -> None:
    """As if `check` had passed every part but these, found `broken` not right and `late` too slow."""
    tasks = [task for task in all_tasks(register.load(ROOT)) if task.id in IDS]
    work = StudentWork(
        tuple(task for task in tasks if task.id not in missing),
        tuple(task for task in tasks if task.id in missing[1:]),
        broken or {},
        late=frozenset(late),
    )
    monkeypatch.setattr("classroom.gallery.mine.work_of", lambda *_: work)


def with_public_tests(solved: Path) -> None:
    """Copy what `check` needs beside the homework files."""
    for folder in (ROOT / "homework").iterdir():
        for name in ("public.py", "expected.zip"):
            if (solved / "homework" / folder.name).is_dir():
                shutil.copy(folder / name, solved / "homework" / folder.name)


def course(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "90", "NO_COLOR": "1"})


def states(output: str) -> dict[str, str]:
    """The table: part -> there or missing."""
    rows = [line.split() for line in output.splitlines() if line[:6].strip().isdigit()]
    return {words[1]: words[-1] for words in rows}


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_parts_are_exercises_of_lessons_2_to_8_in_the_order_of_the_course_and_no_bonus() -> None:
    tasks = [task for task in all_tasks(register.load(ROOT)) if task.id in IDS]
    assert [task.id for task in tasks] == IDS
    assert {task.lesson.number for task in tasks} == set(range(2, 9))
    assert not any(task.exercise.stretch for task in tasks)


def test_every_function_that_framework_is_promised_is_in_the_package_and_among_the_reference_parts() -> None:
    tree = ast.parse((ROOT / "homework/08_resnet/judge/solution.py").read_text(encoding="utf-8"))
    (promised,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PARTS"
    )
    assert set(reference_parts()) == set(promised)
    skeleton = ast.parse((package.SKELETON / "parts.py").read_text(encoding="utf-8"))
    (offered,) = (ast.literal_eval(node.value) for node in skeleton.body if isinstance(node, ast.Assign))
    assert set(offered) == set(promised)


@pytest.mark.slow
def test_the_worked_solutions_compute_what_kuiper_computes_without_it(mine: Path) -> None:
    found = compare(mine, seed=1)
    assert found.good, found
    assert (found.right, found.digits, found.agreeing) == (found.kuiper_right, 360, UNSEEN)
    assert found.right > 340
    assert found.patches_right == found.patches_kuiper > 80


def test_the_package_runs_by_itself_in_another_folder_under_another_name(mine: Path, tmp_path: Path) -> None:
    away = tmp_path / "away"
    shutil.copytree(mine, away / "other")
    code = (
        "import sys, numpy as np, other; "
        "y = other.load('other/digits/digits.pnnx.param')(np.zeros((2, 1, 8, 8), np.float32)); "
        "print(y.shape, [name for name in sys.modules if name.startswith(('kuiper', 'classroom'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=away, capture_output=True, text=True)
    assert done.stdout.strip() == "(2, 10) []", done.stderr


def test_an_import_of_kuiper_is_refused_with_its_file_and_line(mine: Path) -> None:
    file = mine / "windows.py"
    file.write_text(file.read_text(encoding="utf-8") + "\nimport kuiper.layers\n", encoding="utf-8")
    line = len(file.read_text(encoding="utf-8").splitlines())
    found = compare(mine, seed=1)
    assert not found.good
    assert found.error.startswith(f"mine/windows.py, line {line} imports kuiper, and your framework has to do")


@pytest.mark.slow
def test_an_import_of_kuiper_inside_a_part_is_refused_too_however_it_is_made(mine: Path) -> None:
    change(
        mine / "format.py",
        "    tokens = line.split()\n",
        "    import importlib\n\n    importlib.import_module('kuiper')\n    tokens = line.split()\n",
    )
    error = compare(mine, seed=1).error
    assert "mine/format.py, line" in error
    assert "imports kuiper" in error


@pytest.mark.parametrize(
    "new",
    ["    import PIL.Image\n\n", "    import importlib\n\n    importlib.import_module('PIL.Image')\n\n"],
)
def test_a_library_is_refused_in_the_package_with_its_file_and_line(mine: Path, new: str) -> None:
    pytest.importorskip("PIL.Image")
    first = "    operators = [parts.parse_operator(line)"
    change(mine / "model.py", first, f"{new}{first}")
    error = compare(mine, seed=1).error
    assert "mine/model.py, line" in error
    assert "imports PIL" in error
    assert "numpy is all it needs" in error


def test_what_numpy_and_the_package_import_for_themselves_is_not_refused(mine: Path) -> None:
    first = "    operators = [parts.parse_operator(line)"
    change(
        mine / "model.py",
        first,
        f"    import numpy.testing\n    from mine import order\n    from . import tensor\n\n{first}",
    )
    (mine / "digits" / "digits.pnnx.param").write_text("")
    assert "imports" not in compare(mine, seed=1).error


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("    raise RuntimeError('too tired')\n", "RuntimeError: too tired"),
        ("    import os\n\n    os._exit(3)\n", "exit code 3"),
        ("    return lambda x: None\n", "gives NoneType, and not an array"),
        ("    return lambda x: x\n", "have the shape (360, 1, 8, 8), and not (360, 10)"),
    ],
)
def test_what_stops_it_is_said_in_a_sentence(mine: Path, monkeypatch: pytest.MonkeyPatch, new: str, said: str) -> None:
    monkeypatch.setattr(run, "UNSEEN", 0)
    first = "    operators = [parts.parse_operator(line)"
    change(mine / "model.py", first, f"{new}{first}")
    assert said in compare(mine, seed=1).error


@pytest.mark.slow
def test_a_loop_without_end_is_stopped(mine: Path) -> None:
    with (mine / "order.py").open("a", encoding="utf-8") as file:
        file.write("while True:\n    pass\n")
    assert "no result within 1 s" in compare(mine, seed=1, seconds=1.0).error


@pytest.mark.slow
def test_wrong_numbers_are_counted(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "UNSEEN", 4)
    change(mine / "parts.py", 'return layers.run_layer("nn.ReLU", x)', "return np.maximum(x, 0.1)")
    found = compare(mine, seed=1)
    assert not found.error
    assert not found.good


def test_the_missing_part_is_named_with_the_command_to_go_on(solved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    all_but(monkeypatch, "im2col")
    result = course("mine")
    assert result.exit_code == 1, result.output
    rows = states(result.output)
    assert rows["im2col"] == "missing"
    assert rows["conv2d"] == "given"
    assert "24 operators: 1 pnnx.Input" in " ".join(result.output.split())
    assert "of 24 operators have their part; without one: nn.Conv2d" in " ".join(result.output.split())
    assert "they run in the order pnnx_input_0" in " ".join(result.output.split())
    assert [rows[name] for name in IDS if name != "im2col"] == ["yours"] * (len(IDS) - 1)
    assert f"Your framework has {len(IDS) - 1} of {len(IDS)} parts." in result.output
    assert "check im2col" in result.output
    assert "hint im2col" in result.output


def test_of_a_part_that_is_not_right_it_says_so_and_what_must_hold(
    solved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_but(monkeypatch, "sigmoid", "im2col", broken=SOME)
    said = course("mine").output
    rows = [line.split() for line in said.splitlines()]
    assert [words[-2:] for words in rows if words[1:2] == ["im2col"]] == [["not", "right"]]
    assert states(said)["sigmoid"] == "missing"
    assert "must hold im2col: An image in rows has as many rows as windows." in " ".join(said.split())
    assert "next sigmoid" in " ".join(said.split())


@pytest.mark.parametrize("late", [(), ("im2col",)])
def test_where_time_was_up_it_says_how_to_run_without_a_limit(
    solved: Path, monkeypatch: pytest.MonkeyPatch, late: tuple[str, ...]
) -> None:
    all_but(monkeypatch, "im2col", broken=SOME, late=late)
    assert ("has no limit" in " ".join(course("mine").output.split())) == bool(late)


def test_what_must_hold_is_that_of_the_first_public_test_that_fails(
    solved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_public_tests(solved)
    change(solved / "homework/08_resnet/hw08_resnet.py", "return parts.sigmoid(inputs[0])", "return inputs[0]")
    work = work_of(register.load(solved), Progress(solved), {"framework"})
    (said,) = work.broken.values()
    assert [task.id for task in work.unsolved] == list(work.broken) == ["framework"]
    assert "sub(@0,@1) of nn.ReLU's result and its input" in said
    missing = [part for part in PARTS if part.exercise == "framework"]
    assert "likely why parts.sigmoid was never called" in " ".join(missing_text(solved, missing, work).split())


@pytest.mark.slow
def test_an_exercise_that_is_no_part_but_that_a_part_calls_comes_next(
    solved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_public_tests(solved)
    file = solved / "homework/04_graph/hw04_graph.py"
    text = file.read_text(encoding="utf-8")
    stub = (ROOT / "homework/04_graph/hw04_graph.py").read_text(encoding="utf-8")
    file.write_text(put_back(text, stub, ["find_cycle"]), encoding="utf-8")
    monkeypatch.setattr(package, "PARTS", PARTS[4:5])
    monkeypatch.setattr("classroom.mine.report.PARTS", PARTS[4:5])
    said = " ".join(course("mine").output.split())
    assert (
        "next find_cycle, which topological_order (the order of execution) calls, and which is not written yet" in said
    )
    assert "check find_cycle" in said


@pytest.mark.slow
def test_the_order_is_shown_only_when_it_is_new(solved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    all_but(monkeypatch, "im2col")
    assert "they run in the order pnnx_input_0, pnnx_expr_5," in " ".join(course("mine").output.split())
    again = " ".join(course("mine").output.split())
    assert "24 operators: 1 pnnx.Input" in again
    assert "they run in the order pnnx_input_0, ..., pnnx_output_0" in again
    change(solved / "homework/04_graph/hw04_graph.py", "def topological_order", "ANEW = 1\n\n\ndef topological_order")
    assert "they run in the order pnnx_input_0, pnnx_expr_5," in " ".join(course("mine").output.split())


@pytest.mark.slow
def test_with_all_parts_it_says_what_it_reads_and_where_it_is(solved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    all_but(monkeypatch)
    result = course("mine")
    assert result.exit_code == 0, result.output
    assert "of 360 digits, without kuiper." in result.output
    assert f"{UNSEEN} of {UNSEEN} that it has never seen" in result.output
    assert "times as long" not in result.output
    assert "mine/, a package that" in result.output
    assert (solved / "mine" / "model.py").is_file()


@pytest.mark.slow
def test_work_that_was_never_checked_is_checked_first(solved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_public_tests(solved)
    monkeypatch.setattr(package, "PARTS", PARTS[:2])
    monkeypatch.setattr("classroom.mine.report.PARTS", PARTS[:2])
    monkeypatch.setattr("classroom.mine.run.compare", lambda folder: BesideKuiper(error="here it stops"))
    result = course("mine")
    assert states(result.output) == {"flatten": "yours", "padding": "yours", "conv2d": "yours", "ReLU": "given"}
    assert "here it stops" in result.output
    assert result.exit_code == 1


@pytest.mark.parametrize("name", ["mine", "my_framework"])
def test_a_folder_of_other_origin_stays(solved: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    all_but(monkeypatch, "im2col")
    (solved / name).mkdir()
    (solved / name / "notes.txt").write_text("mine")
    result = course("mine", str(solved / name))
    assert result.exit_code == 2
    assert not states(result.output)  # nothing was checked in vain
    assert "is not from this command" in result.output
    assert [path.name for path in (solved / name).iterdir()] == ["notes.txt"]


def test_the_parts_are_shown_though_a_file_of_the_package_was_edited(
    solved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_but(monkeypatch, "im2col")
    assert course("mine").exit_code == 1
    (solved / "mine" / "tensor.py").write_text("# by hand\n")
    result = course("mine")
    assert states(result.output)["flatten"] == "yours"
    assert states(result.output)["im2col"] == "missing"
    said = " ".join(result.output.split())
    assert "was changed since it was written" in said
    assert "Its source is homework/02_tensor/hw02_tensor.py: bring your change there first" in said
    assert f"mine{solved / 'mine2'}" in "".join(result.output.split())
    assert result.exit_code == 2


def test_what_was_changed_in_the_package_stays_and_other_files_beside_it_too(mine: Path, solved: Path) -> None:
    files = files_of_package(register.load(solved))
    (mine / "notes.txt").write_text("notes")
    write_package(mine, {**files, "tensor.py": b"# newer\n"})
    assert (mine / "tensor.py").read_bytes() == b"# newer\n"
    (mine / "parts.py").write_text("# by hand\n")
    with pytest.raises(PackageError, match=r"parts\.py was changed since it was written"):
        write_package(mine, files)
    assert (mine / "parts.py").read_text() == "# by hand\n"
    assert (mine / "tensor.py").read_bytes() == b"# newer\n"
    assert (mine / "notes.txt").read_text() == "notes"


def test_the_given_convolution_goes_with_a_solved_conv2d_and_comes_back(mine: Path, solved: Path) -> None:
    given, own = (files_of_package(register.load(solved), "mine", found) for found in ((), ("conv2d",)))
    write_package(mine, own)
    assert not (mine / "convolution.py").exists()
    write_package(mine, given)
    assert (mine / "convolution.py").read_bytes() == given["convolution.py"]


def test_a_list_written_by_hand_removes_nothing_outside_the_package(mine: Path, solved: Path) -> None:
    files = files_of_package(register.load(solved), "mine", ())
    write_package(mine, files)
    outside = mine.parent / "outside.txt"
    outside.write_text("mine")
    hashes = json.loads((mine / package.WRITTEN).read_text())
    hashes["../outside.txt"] = package.fingerprint(outside.read_bytes())
    (mine / package.WRITTEN).write_text(json.dumps(hashes))
    write_package(mine, files)
    assert outside.read_text() == "mine"
    assert "../outside.txt" not in json.loads((mine / package.WRITTEN).read_text())


def test_a_given_file_changed_by_hand_is_not_removed_and_stays_known(mine: Path, solved: Path) -> None:
    given, own = (files_of_package(register.load(solved), "mine", found) for found in ((), ("conv2d",)))
    (mine / "convolution.py").write_text("# by hand\n")
    write_package(mine, own)
    assert (mine / "convolution.py").read_text() == "# by hand\n"
    with pytest.raises(PackageError, match=r"was changed since it was written: it stays as it is\. Delete it if"):
        write_package(mine, given)
    (mine / "convolution.py").unlink()
    assert "convolution.py" not in write_package(mine, given)
    assert (mine / "convolution.py").read_bytes() == given["convolution.py"]


def test_a_file_that_is_as_it_would_be_written_stops_nothing(mine: Path, solved: Path) -> None:
    files = files_of_package(register.load(solved))
    hashes = json.loads((mine / package.WRITTEN).read_text())
    del hashes["convolution.py"]
    (mine / package.WRITTEN).write_text(json.dumps(hashes))
    assert write_package(mine, files) == {"convolution.py"}


@pytest.mark.parametrize("name", ["my-framework", "class", "kuiper", "2nd"])
def test_a_name_that_no_package_can_have_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(PackageError, match="a package cannot be called"):
        write_package(tmp_path / name, {"a.py": b""})
    assert not (tmp_path / name).exists()


def test_the_homework_that_is_copied_imports_no_kuiper_while_it_is_imported(solved: Path) -> None:
    files = files_of_package(register.load(solved))
    assert {room for room, _ in package.ROOMS.values()} <= set(files)
    for name, content in files.items():
        if name.endswith(".py"):
            top = [node for node in ast.parse(content).body if isinstance(node, ast.Import | ast.ImportFrom)]
            assert "kuiper" not in " ".join(map(ast.unparse, top)), name


@pytest.mark.parametrize("seed", range(6))
def test_random_networks_are_files_that_kuiper_reads_and_their_output_depends_on_the_input(
    tmp_path: Path, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    network = random_network(rng)
    graph = kuiper.load(network.save(tmp_path, "network"))
    assert {op.type for op in graph.operators} <= {
        op.type for op in kuiper.load(gallery.find("digits").model).operators
    }
    with zipfile.ZipFile(tmp_path / "network.pnnx.bin") as stored:
        assert set(stored.namelist()) == set(network.weights)
    (y,) = answers(network, [network.batch(rng, 3)])
    assert np.isfinite(y).all()
    assert np.ptp(y, axis=0).max() > 1e-3


def test_the_names_of_a_random_network_say_nothing() -> None:
    lines = [line.split() for line in random_network(np.random.default_rng(0), 9).text.splitlines()[2:]]
    names = {line[1] for line in lines}
    operands = {one for line in lines for one in line[4 : 4 + int(line[2]) + int(line[3])]}
    assert len(names) == len(lines)
    assert not names & operands
    assert all(re.fullmatch("[a-z]{3}", name) for name in names | operands)
    other = random_network(np.random.default_rng(1)).text.splitlines()[2].split()
    assert other[0] == lines[0][0] == "pnnx.Input"
    assert (other[1], other[4]) != (lines[0][1], lines[0][4])


def test_shuffled_lines_are_the_same_lines_below_the_same_head() -> None:
    rng = np.random.default_rng(0)
    text = random_network(rng).text
    other = shuffled(text, rng)
    assert other != text
    assert other.splitlines()[:2] == text.splitlines()[:2]
    assert other.startswith(MAGIC)
    assert sorted(other.splitlines()) == sorted(text.splitlines())


def test_the_table_has_a_row_for_each_part() -> None:
    tasks = [task for task in all_tasks(register.load(ROOT)) if task.id in IDS]
    assert parts_table(tasks, {"flatten"}).row_count == len(PARTS) + 2


def test_a_file_that_is_not_python_yet_is_told_with_the_line(solved: Path) -> None:
    tasks = [task for task in all_tasks(register.load(solved)) if task.id in IDS]
    flatten = tasks[0]
    flatten.file.write_text("import numpy as np\n\n\ndef flatten(x:\n", encoding="utf-8")
    stands = list(parts_table(tasks, set(IDS) - {flatten.id}).columns[3].cells)
    assert stands.count("not Python yet") == 1
    said = " ".join(missing_text(solved / "mine", PARTS[:1], StudentWork((), (flatten,))).split())
    assert "hw02_tensor.py, line 4 is not Python yet" in said
    assert "not solved yet" not in said


def test_a_file_that_cannot_be_loaded_is_told_with_the_line(solved: Path) -> None:
    with_public_tests(solved)
    file = solved / "homework/02_tensor/hw02_tensor.py"
    change(file, "import numpy as np\n", "import kuiper\nimport numpy as np\n")
    work = work_of(register.load(solved), Progress(solved), {"flatten", "padding"})
    assert set(work.faults) == {"flatten", "padding"}
    tasks = [task for task in all_tasks(register.load(solved)) if task.id in IDS]
    stands = list(parts_table(tasks, set(IDS) - set(work.faults), (), work.faults).columns[3].cells)
    assert stands.count("not loaded") == 2
    said = " ".join(missing_text(solved / "mine", PARTS[:2], work).split())
    line = file.read_text(encoding="utf-8").splitlines().index("import kuiper") + 1
    assert f"flatten (torch.flatten: each sample as a row): hw02_tensor.py, line {line}: it imports kuiper" in said
    assert "not solved yet" not in said


def test_at_80_columns_the_table_is_whole() -> None:
    tasks = [task for task in all_tasks(register.load(ROOT)) if task.id in IDS]
    drawn = parts_table(tasks, set())
    drawn.columns[3]._cells[:] = ["not Python yet"] * drawn.row_count
    console = Console(width=80, file=io.StringIO())
    console.print(drawn)
    said = console.file.getvalue()
    assert "Lesson" in said
    assert "\N{HORIZONTAL ELLIPSIS}" not in said


def test_a_conv2d_that_is_not_right_is_told_beside_the_given_one() -> None:
    work = StudentWork((), (), {"conv2d": "A kernel of ones adds up."})
    said = " ".join(conv2d_text(work).split())
    assert "yours is not right yet, and the given one runs in its place" in said
    assert "must hold: A kernel of ones adds up." in said
    assert conv2d_text(StudentWork((), (), SOME)) == ""


def test_a_module_beside_the_homework_is_told_where_to_write_it(mine: Path) -> None:
    change(mine / "model.py", "import numpy as np\n", "import numpy as np\nfrom helpers_of_mine import walk\n")
    error = compare(mine, seed=1).error
    assert re.match(r"mine/model\.py, line \d+ imports helpers_of_mine, which is not in the package", error)
    assert error.endswith("Write what you need of it into hw08_resnet.py")


def test_check_counts_the_parts_and_names_what_is_left_and_a_module_beside_the_file(solved: Path) -> None:
    tasks = [task for task in all_tasks(register.load(solved)) if task.id == "framework"]
    assert f"{len(IDS)} of {len(IDS)} parts of your own framework: " in own_parts_text(tasks, IDS)
    said = own_parts_text(tasks, [name for name in IDS if name != "adaptive_avg_pool"])
    assert f"{len(IDS) - 1} of {len(IDS)} parts of your own framework, adaptive_avg_pool not checked" in said
    assert "copies" not in said
    (file,) = files_of(tasks)
    file.with_name("helper.py").write_text("")
    file.write_text(f"import helper\n{file.read_text(encoding='utf-8')}", encoding="utf-8")
    assert "It copies hw08_resnet.py without helper.py" in own_parts_text(tasks, IDS)
    assert own_parts_text([], IDS) == ""


@pytest.mark.skipif(os.name == "nt", reason="a link needs rights there")
def test_commands_are_whole_and_have_the_interpreter_that_has_numpy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "mine_env" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(Path(sys.executable).resolve())
    monkeypatch.setattr(sys, "executable", str(python))
    other = tmp_path / "elsewhere" / "python"  # the same file by another link: it has other libraries
    other.parent.mkdir()
    other.symlink_to(Path(sys.executable).resolve())
    monkeypatch.setenv("PATH", str(other.parent))
    assert interpreter(tmp_path) == Path("mine_env", "bin", "python")
    assert interpreter(tmp_path / "home") == python
    monkeypatch.chdir(tmp_path)
    command = f"{Path('mine_env', 'bin', 'python')} -m mine"
    assert run_by_hand(tmp_path / "mine") == command
    lines = outcome_text(tmp_path / "mine", BesideKuiper(agreeing=UNSEEN)).splitlines()
    assert f"  run it      {command}" in lines
    assert f"  a picture   {command} mine/classifier mine/{package.PHOTOGRAPH}" in lines
    monkeypatch.chdir(other.parent)
    assert run_by_hand(tmp_path / "mine") == f"cd {tmp_path} && {command}"
    monkeypatch.setenv("PATH", str(python.parent))
    assert interpreter(tmp_path) == Path("python")


def test_what_only_the_exercise_needs_is_cut_and_what_others_call_stays() -> None:
    source = '''"""Homework 9: check it with course.py check f."""

# Task 9.1


def f(x):
    """x -> 2 x.

    Rules
    -----
    twice : the result is twice x.

    >>> f(1)
    2
    """
    return g(x)


def g(x):
    raise NotImplementedError("g: TODO")


def h(x):
    raise NotImplementedError("h: TODO")
'''
    kept = package.trimmed(source, "Numbers.")
    assert kept.startswith('"""Numbers."""\n')
    assert [node.name for node in ast.parse(kept).body if isinstance(node, ast.FunctionDef)] == ["f", "g"]
    assert "Rules" not in kept
    assert "twice" not in kept
    assert "Task" not in kept
    assert ">>> f(1)" in kept
    assert package.trimmed("def f(:\n", "Numbers.") == "def f(:\n"


def test_every_function_of_the_package_gives_what_the_homework_gives_after_the_cut(solved: Path) -> None:
    files = files_of_package(register.load(solved))
    for homework, (room, _) in package.ROOMS.items():
        (path,) = (solved / "homework").glob(f"*/{homework}")
        before = statements(path.read_text(encoding="utf-8"))
        assert statements(files[room].decode()) <= before, room


def statements(source: str) -> set[str]:
    """The statements of a file without docstrings; each imported name by itself."""
    found = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom):
            found |= {f"from {node.module} import {name.name}" for name in node.names}
        else:
            found.add(ast.unparse(bare(node)))
    return found


@pytest.mark.parametrize("bonus", [(), ("conv2d",)])
def test_the_table_of_the_readme_has_every_file_and_no_other(solved: Path, bonus: tuple[str, ...]) -> None:
    files = files_of_package(register.load(solved), "mine", bonus)
    firsts = [line.split("|")[1] for line in files["README.md"].decode().splitlines() if line.startswith("| `")]
    listed = [name for first in firsts for name in re.findall("`(.+?)`", first)]
    there = {name.partition("/")[0] + "/" * ("/" in name) for name in files} - {"README.md"}
    assert sorted(listed) == sorted(there | {package.WRITTEN})


def test_what_only_a_cut_function_used_is_cut_too() -> None:
    source = '''"""Homework 9."""

from __future__ import annotations

from collections.abc import (
    Callable,
    Mapping,
)
from functools import partial

import numpy as np

ONE = 1
"""One."""
NAMES = ("a", "b")
"""What the tests know."""
Call = Callable[..., int]


def f(x: Mapping[str, int]) -> int:
    """x -> 1."""
    tokens = np.ones(1)
    return int(tokens[0]) + ONE


# --- what the tests call ---


def tokens(call: Call) -> object:
    return [partial(call, name, ONE) for name in NAMES]


# --- Task 9.2, a bonus ---


def g(x: int) -> int:
    """The same.

    Rules
    -----
    one : it is 1.
    """
    return 1
'''
    kept = package.trimmed(source, "Numbers.")
    assert (
        kept
        == '''"""Numbers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

ONE = 1
"""One."""


def f(x: Mapping[str, int]) -> int:
    """x -> 1."""
    tokens = np.ones(1)
    return int(tokens[0]) + ONE


def g(x: int) -> int:
    """The same."""
    return 1
'''
    )


def bare(node: ast.stmt) -> ast.stmt:
    """The statement without docstrings."""
    for one in ast.walk(node):
        if isinstance(one, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(one) is not None:
            one.body[0] = ast.Pass()
    return ast.Pass() if isinstance(node, ast.Expr) else node


def test_a_solved_conv2d_is_the_convolution(solved: Path) -> None:
    given, own = (files_of_package(register.load(solved), "mine", found) for found in ((), ("conv2d",)))
    assert b"convolution.conv2d(" in given["parts.py"]
    assert b"windows.conv2d(" in own["parts.py"]
    assert "convolution.py" not in own


def test_the_snippet_of_the_homework_shows_what_the_framework_and_kuiper_compute(solved: Path) -> None:
    readme = (ROOT / "homework/08_resnet/README.md").read_text(encoding="utf-8")
    (snippet,) = re.findall("```python\\n(.+?)```", readme, re.DOTALL)
    file = solved / "homework/08_resnet/snippet.py"
    file.write_text(snippet, encoding="utf-8")
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    yours, theirs = (re.findall(rf"{who}\s*\[\[(.+)\]\]", done.stdout) for who in ("yours:", "kuiper:"))
    assert np.allclose(*(np.array(row.split(), float) for (row,) in (yours, theirs)), atol=1e-3)


def test_its_files_bear_its_name(solved: Path) -> None:
    files = files_of_package(register.load(solved), "other")
    assert b"python -m other" in files["README.md"]
    assert not [
        name for name, content in files.items() if name.endswith((".md", ".toml", ".py")) and b"{package}" in content
    ]


def test_a_readme_of_ones_own_stays_and_stops_nothing(mine: Path, solved: Path) -> None:
    files = files_of_package(register.load(solved))
    (mine / "README.md").write_text("By Ada.\n")
    for newer in (b"# newer\n", b"# newer still\n"):
        assert write_package(mine, {**files, "tensor.py": newer}) == {"tensor.py"}
        assert (mine / "tensor.py").read_bytes() == newer
    assert (mine / "README.md").read_text() == "By Ada.\n"


def test_a_class_that_is_not_written_yet_is_cut() -> None:
    source = (
        '"""Layers."""\n\n\n@register("nn.LeakyReLU")\nclass LeakyReLU(Layer):\n    """With a slope."""\n\n'
        '    def forward(self, x):\n        raise NotImplementedError("leaky_relu: TODO")\n\n\n'
        "def sigmoid(x):\n    return x\n"
    )
    assert package.trimmed(source, "Layers.") == '"""Layers."""\n\n\ndef sigmoid(x):\n    return x\n'


@pytest.mark.slow
def test_pytest_runs_the_packages_own_tests_and_not_the_examples_of_the_course(mine: Path, solved: Path) -> None:
    (solved / "pyproject.toml").write_text('[tool.pytest.ini_options]\naddopts = "--doctest-modules"\n')
    (mine / "wrong.py").write_text('"""\n>>> 1\n2\n"""\n')
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", mine.name], cwd=mine.parent,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert re.search(r"\d passed", done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--help"], "runs a model"),
        (["mine/digits/digits.pnnx.bin"], "expected a .pnnx.param file"),
        (["mine/digits", "one.npy"], "expected an array of shape (N, 1, 8, 8), found (1, 8, 8) in one.npy"),
        (["mine/digits", "mine.png"], "(N, 1, 8, 8) in a .npy file: this network does not read pictures"),
        (["mine/digits", "two.npy"], "of 2 pieces"),
    ],
)
def test_by_hand_it_says_in_a_sentence_what_it_reads(mine: Path, arguments: list[str], said: str) -> None:
    np.save(mine.parent / "one.npy", np.zeros((1, 8, 8), np.float32))
    np.save(mine.parent / "two.npy", np.zeros((2, 1, 8, 8), np.float32))
    done = subprocess.run([sys.executable, "-m", "mine", *arguments], cwd=mine.parent, capture_output=True, text=True)
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("long", ["", "a_name_that_is_longer_than_a_line_of_80_columns_that_a_terminal_has"])
def test_where_it_stops_the_report_says_how_to_see_more(tmp_path: Path, long: str) -> None:
    folder = tmp_path / long / "mine"
    at_digits, at_random = (" ".join(outcome_text(folder, BesideKuiper("bad", n)).split()) for n in (0, 3))
    assert f"{run_by_hand(folder)}` shows all the calls" in at_digits
    assert "shows all the calls" not in at_random
    assert "check framework` tests it by itself" in at_random


def test_a_picture_is_cut_into_pieces_of_the_networks_size(mine: Path, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="pictures are read with Pillow")
    with np.load(mine / "classifier" / "heldout.npz") as held_out:
        patches = held_out["images"][[0, 10, 20, 30]]
    picture = np.vstack([np.hstack(patches[:2]), np.hstack(patches[2:])])
    image.fromarray(np.pad(picture, ((3, 4), (5, 6), (0, 0)))).save(tmp_path / "four.png")
    code = (
        "import numpy as np; from mine.pictures import normalised, read_input; from pathlib import Path; "
        "text = Path('mine/classifier/classifier.pnnx.param').read_text(); "
        f"found = read_input(Path({str(tmp_path / 'four.png')!r}), text); "
        "held = np.load('mine/classifier/heldout.npz')['images'][[0, 10, 20, 30]]; "
        "print(np.array_equal(found, normalised(held)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=mine.parent, capture_output=True, text=True)
    assert done.stdout.strip() == "True", done.stderr
    command = [sys.executable, "-m", "mine", "mine/classifier/classifier.pnnx.param", str(tmp_path / "four.png")]
    said = subprocess.run(command, cwd=mine.parent, capture_output=True, text=True).stdout.splitlines()
    assert all(line.endswith(" of 4 pieces") for line in said)
    assert sum(int(line.split()[1]) for line in said) == 4


@pytest.mark.slow
def test_the_photograph_that_comes_along_is_named_by_the_network_beside_it(mine: Path) -> None:
    command = [sys.executable, "-m", "mine", "mine/classifier", f"mine/{package.PHOTOGRAPH}"]
    said = subprocess.run(command, cwd=mine.parent, capture_output=True, text=True).stdout
    assert said.splitlines()[0].split()[0] == "cat"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("dilation=(1,1) kernel", "dilation=(2,2) kernel", "has dilation=(2,2), and only dilation=(1,1)"),
        ("padding=(0,0) return", "padding=same return", "has padding=same, and two numbers were expected"),
        ("output_size=(1,1)", "output_size=1", "has output_size=1, and two numbers were expected"),
        ("start_dim=1", "start_dim=2", "has start_dim=2, and only start_dim=1"),
    ],
)
def test_an_option_that_no_part_computes_is_refused_and_not_ignored(mine: Path, old: str, new: str, said: str) -> None:
    file = mine / "digits" / "digits.pnnx.param"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mine", "mine/digits"], cwd=mine.parent, capture_output=True, text=True
    )
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_network_that_changes_with_its_first_call_is_found(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "UNSEEN", 0)
    change(mine / "model.py", 'parts.evaluate(params["expr"], inputs)', 'parts.evaluate(params.pop("expr"), inputs)')
    assert "KeyError: 'expr'" in compare(mine, seed=1).error
