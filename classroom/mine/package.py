"""The package that `course mine` writes: which exercises it is made of, its files, and whose a folder is."""

from __future__ import annotations

import ast
import hashlib
import io
import json
import keyword
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from classroom import gallery
from classroom.register import ROOT, Course
from classroom.started import COMMAND
from kuiper.vision.pictures import to_pillow

SKELETON = Path(__file__).with_name("skeleton")
MODELS = {
    "digits": ("digits.pnnx.param", "digits.pnnx.bin", "heldout.npz"),
    "classifier": ("classifier.pnnx.param", "classifier.pnnx.bin", "heldout.npz", "labels.txt"),
}
"""The networks that come along, each in a folder of its own."""
PHOTOGRAPH = "classifier/cat.png"
"""One of the photographs that the classifier knows, and its place in the package."""
ROOMS = {
    "hw02_tensor.py": ("tensor.py", "Arrays: flattening and borders."),
    "hw03_pnnx.py": ("format.py", "The lines of a model file as values."),
    "hw04_graph.py": ("order.py", "The order in which operators run."),
    "hw05_registry.py": ("layers.py", "Layers, found by their operator's type."),
    "hw06_conv.py": ("windows.py", "Windows over images: pooling, and the rows of a convolution."),
    "hw07_expression.py": ("expression.py", "Expressions: text, tokens, tree, reverse Polish, value."),
    "hw08_resnet.py": ("model.py", "The framework: a model file becomes a function."),
}
"""Homework file -> the file in the package, and its first line."""
FOR_TESTS = {
    "test_grouped_convolution",
    "input_after",
    "run_second",
    "silences",
    "run_framework",
    "run_deep",
    "tokens",
    "tree",
    "polish",
    "refusal",
}
FOR_TESTS |= {"evaluate_with", "parse_expression"}
"""Functions of the homework that only the exercise needs."""
THEIRS = {"README.md", "pyproject.toml"}
"""Files that a student may change; what was changed stays."""
WRITTEN = "written.json"
"""In the package: its files with their hashes, as they were written."""
TAKEN = {"kuiper", "classroom", "homework", "lessons", "models", "tests", "docs", "benchmarks", "requirements", "build"}
"""Names that a package beside them must not have."""


@dataclass(frozen=True)
class FrameworkPart:
    """A part of the framework: the exercise that it is, what it does there, and the types that need it."""

    exercise: str
    does: str
    types: tuple[str, ...] = ()


PARTS = (
    FrameworkPart("flatten", "torch.flatten: each sample as a row", ("torch.flatten",)),
    FrameworkPart("padding", "the borders of images for nn.Conv2d", ("nn.Conv2d",)),
    FrameworkPart("parse_parameter", "the options of an operator"),
    FrameworkPart("parse_operator", "the lines of the model file"),
    FrameworkPart("topological_order", "the order of execution"),
    FrameworkPart("sigmoid", "nn.Sigmoid, found by the registry", ("nn.Sigmoid",)),
    FrameworkPart("max_pool2d", "nn.MaxPool2d", ("nn.MaxPool2d",)),
    FrameworkPart("im2col", "the windows of nn.Conv2d", ("nn.Conv2d",)),
    FrameworkPart("functions", "pnnx.Expression", ("pnnx.Expression",)),
    FrameworkPart("adaptive_avg_pool", "nn.AdaptiveAvgPool2d", ("nn.AdaptiveAvgPool2d",)),
    FrameworkPart("framework", "all of them together", ("nn.Linear", "pnnx.Input", "pnnx.Output")),
)
"""In the order of the course."""


class PackageError(Exception):
    """The package cannot be written there; the message says why, and what to do."""


def files_of_package(course: Course, name: str = "mine", solved: Collection[str] = ()) -> dict[str, bytes]:
    """Path inside the package -> content: the skeleton, the homework files as they are now, and two networks.

    name : of the package. solved : with conv2d, the bonus of lesson 6, among them it replaces the one that is given.

    Raises PackageError.
    """
    used = {part.exercise for part in PARTS}
    sources = {path.name: path for path in sorted(SKELETON.iterdir()) if path.is_file()}
    for lesson in course.lessons:
        if used & {exercise.id for exercise in lesson.exercises}:
            sources[lesson.homework_file] = lesson.root / "homework" / lesson.folder / lesson.homework_file
    models = gallery.find("digits").folder.parent
    sources |= {f"{model}/{file}": models / model / file for model, files in MODELS.items() for file in files}
    try:
        contents = {file: path.read_bytes() for file, path in sources.items()}
    except OSError as error:
        raise PackageError(f"{error.filename} cannot be read: {error.strerror}") from error
    contents[PHOTOGRAPH] = photograph(models)
    for file in [path.name for path in SKELETON.iterdir() if path.is_file()]:
        contents[file] = contents[file].replace(b"{package}", name.encode())
    for file, (room, says) in ROOMS.items():
        if file in contents:
            contents[room] = trimmed(contents.pop(file).decode(errors="replace"), says).encode()
    if "conv2d" in solved:
        del contents["convolution.py"]
        readme = contents["README.md"].replace(b"`parts.py`, `convolution.py`", b"`parts.py`")
        contents["README.md"] = readme.replace(b"and the windows of a convolution as rows", b"convolution")
        parts = contents["parts.py"].replace(b"import convolution, layers", b"import layers")
        contents["parts.py"] = parts.replace(b"convolution.conv2d(", b"windows.conv2d(")
    return contents


def photograph(models: Path) -> bytes:
    """The cat of lesson 8, 256x256 pixels, as a PNG file. Raises PackageError."""
    try:
        with np.load(models / "detector" / "heldout.npz") as data:
            cat = data["images"][1]
    except OSError as error:
        raise PackageError(f"{error.filename} cannot be read: {error.strerror}") from error
    file = io.BytesIO()
    to_pillow(cat).save(file, "PNG")
    return file.getvalue()


def trimmed(source: str, says: str) -> str:
    """Homework without what only the exercise needs: rules, comments with task numbers, functions for the tests.

    says : its new first line. What does not parse stays as it is, and so does every function that others call.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return source
    lines, gone = source.splitlines(), set[int]()
    called = names_in(tree.body)
    definitions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    cut = [node for node in definitions if node.name not in called and needless(node)]
    for definition in cut:
        top = min([definition.lineno, *(one.lineno for one in definition.decorator_list)])
        while top > 1 and (not lines[top - 2].strip() or lines[top - 2].startswith("#")):
            top -= 1
        gone.update(range(top, (definition.end_lineno or 0) + 1))
    lines = without_unused(tree, cut, lines, gone)
    documented = (ast.FunctionDef, ast.ClassDef)
    for node in (one for one in ast.walk(tree) if isinstance(one, documented) and ast.get_docstring(one, clean=False)):
        doc = node.body[0]
        first = next((n for n in range(doc.lineno, doc.end_lineno or 0) if lines[n - 1].strip() == "Rules"), None)
        if first is not None:
            ends = (n for n in range(first, doc.end_lineno or 0) if not lines[n - 1].strip() or '"""' in lines[n - 1])
            gone.update(range(first, next(ends, doc.end_lineno or 0)))
    gone.update(n for n, line in enumerate(lines, 1) if re.match(r"# (-+ )?(Task |Given:)", line))
    start = 0
    if ast.get_docstring(tree) is not None:
        start = tree.body[0].end_lineno or 0
    kept = [line for n, line in enumerate(lines, 1) if n > start and n not in gone]
    text = "\n".join([f'"""{says}"""', *kept]) + "\n"
    text = re.sub(r"\n{3,}(?= |import |from )", "\n\n", re.sub(r"\n{4,}", "\n\n\n", text))
    text = re.sub(r"\n\s*\n( *\"\"\"\n)", r"\n\1", text)
    return re.sub(r'^( *""".{,100})\n *"""$', r'\1"""', text, flags=re.M)


def names_in(nodes: Iterable[ast.AST]) -> set[str]:
    """The names of the module that these top-level nodes read: those that are not their own variables."""
    found = set[str]()
    for node in nodes:
        names = [one for one in ast.walk(node) if isinstance(one, ast.Name)]
        own = {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
        own |= {one.id for one in names if not isinstance(one.ctx, ast.Load)}
        found |= {one.id for one in names} - own
    return found


def without_unused(tree: ast.Module, cut: Collection[ast.stmt], lines: Sequence[str], gone: set[int]) -> list[str]:
    """The lines, their imports without the names that only `cut` reads; lines of such constants are added to `gone`."""
    lines, cut = list(lines), list(cut)
    while True:
        unused = names_in(cut) - names_in(node for node in tree.body if node not in cut)
        useless = [
            node
            for node in tree.body
            if isinstance(node, ast.Assign) and node not in cut and set(map(ast.unparse, node.targets)) <= unused
        ]
        if not useless:
            break
        cut += useless
    for number, node in enumerate(tree.body):
        if isinstance(node, ast.Assign) and node in cut:
            below = tree.body[number + 1]
            documented = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            gone.update(range(node.lineno, ((below if documented else node).end_lineno or 0) + 1))
        if isinstance(node, ast.Import | ast.ImportFrom):
            left = [one for one in node.names if (one.asname or one.name) not in unused]
            if len(left) < len(node.names):
                gone.update(range(node.lineno + bool(left), (node.end_lineno or 0) + 1))
                node.names = left
                lines[node.lineno - 1] = ast.unparse(node) if left else ""
    return lines


def needless(node: ast.FunctionDef | ast.ClassDef) -> bool:
    """Whether only the exercise needs a function or class: it is for the tests, or is not written yet."""
    if isinstance(node, ast.ClassDef):
        methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
        return any(map(unwritten, methods))
    return node.name in FOR_TESTS or (unwritten(node) and node.name not in {part.exercise for part in PARTS})


def unwritten(function: ast.FunctionDef) -> bool:
    """Whether it still ends as it was handed out."""
    last = function.body[-1]
    return isinstance(last, ast.Raise) and "NotImplementedError" in ast.unparse(last)


def write_package(folder: Path, files: Mapping[str, bytes]) -> set[str]:
    """Write the files into the folder -> those that are new, or others than before.

    What was changed of THEIRS stays. A file of an earlier package that is not among `files` is removed, unless it was
    changed. Where another file is not from this command, or not as it was written, PackageError is raised before
    anything is written.
    """
    before = written_before(folder)
    kept = set()
    for name, content in files.items():
        path = folder / name
        if path.exists() and fingerprint(path.read_bytes()) not in (before.get(name), fingerprint(content)):
            if name in THEIRS and name in before:
                kept.add(name)
                continue
            said = "was changed since it was written" if name in before else "is not from this command"
            other = quoted(folder.with_name(f"{folder.name}2"))
            source = source_of(name) if name in before else ""
            first = f" Its source is {source}: bring your change there first." if source else ""
            raise PackageError(
                f"{path} {said}: it stays as it is.{first} Delete it if you do not need it, and {COMMAND} mine writes "
                f"it again; or write another package: {COMMAND} mine {other}"
            )
    try:
        for name, content in files.items():
            path = folder / name
            if name in kept:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        hashes = {name: before[name] if name in kept else fingerprint(content) for name, content in files.items()}
        for name in before.keys() - files.keys():
            path = folder / name
            if not path.resolve().is_relative_to(folder.resolve()):
                continue  # a list that somebody wrote by hand removes nothing elsewhere
            if path.is_file() and fingerprint(path.read_bytes()) == before[name]:
                path.unlink()
            elif path.is_file():
                hashes[name] = before[name]
        (folder / WRITTEN).write_text(json.dumps(hashes, indent=1) + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise PackageError(f"{folder} cannot be written: {error.strerror}") from error
    return {name for name, found in hashes.items() if before.get(name) != found}


def source_of(name: str) -> str:
    """The homework file that a file of the package is made of, "" if it is not of the homework."""
    made = next((file for file, (room, _) in ROOMS.items() if room == name), "")
    found = sorted((ROOT / "homework").glob(f"*/{made}")) if made else []
    return found[0].relative_to(ROOT).as_posix() if found else ""


def quoted(folder: Path) -> str:
    """The folder for a command line."""
    return f'"{folder}"' if " " in str(folder) else str(folder)


def written_before(folder: Path) -> dict[str, str]:
    """File -> hash, as this command wrote them; {} for a new or empty folder.

    Raises PackageError for a folder that it did not write, and for a name that no package can have.
    """
    if not folder.name.isidentifier() or keyword.iskeyword(folder.name) or folder.name in TAKEN:
        raise PackageError(f"a package cannot be called {folder.name!r}: take a name such as mine or my_framework")
    if folder.exists() and not folder.is_dir():
        raise PackageError(f"{folder} is a file: name another folder")
    if not folder.exists() or not any(folder.iterdir()):
        return {}
    try:
        hashes = json.loads((folder / WRITTEN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        hashes = None
    if not isinstance(hashes, dict):
        raise PackageError(
            f"{folder} is there, and is not from this command: it stays as it is. Name another folder, "
            "or delete this one"
        )
    return hashes


def fingerprint(content: bytes) -> str:
    """A hash of a file's content."""
    return hashlib.sha256(content).hexdigest()
