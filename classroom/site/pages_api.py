"""The API pages: all public modules of kuiper, in lesson order, from their docstrings."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from functools import cache
from pathlib import PurePosixPath

from classroom.register import Course
from classroom.site.docstrings import escaped
from classroom.site.links import relinked
from classroom.site.tree import Tree, lesson_page, way

LEFT_OUT = ("kuiper.cli", "kuiper.main", "kuiper.__main__")
"""Commands, whose help is their documentation."""
INDEX = PurePosixPath("api/index.md")


def api_page(module: str) -> PurePosixPath:
    """The page of a module."""
    return PurePosixPath("api") / f"{module}.rst"


def modules(tree: Tree) -> list[str]:
    """Names of the public modules of kuiper, packages before their contents; none that needs what is not installed."""
    names = []
    for path in sorted((tree.root / "kuiper").rglob("*.py")):
        parts = path.relative_to(tree.root).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        public = not any(part.startswith("_") for part in name.split(".")) and not name.startswith(LEFT_OUT)
        if public and not _lacks_a_package(name):
            names.append(name)
    return sorted(names)


@cache
def _lacks_a_package(module: str) -> bool:
    """Whether it cannot be imported, as its page needs it, because a package that is not ours is not installed."""
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        return (error.name or "").split(".")[0] != "kuiper"
    return False


def is_package(module: str, tree: Tree) -> bool:
    """Whether the module is a package."""
    return (tree.root / module.replace(".", "/")).is_dir()


def rooms(tree: Tree) -> list[str]:
    """The modules directly in kuiper: first those taught in lessons, in lesson order, then the others by layer."""
    taught = [".".join(name.split(".")[:2]) for lesson in tree.course.lessons for name in lesson.modules]
    rooms = {".".join(name.split(".")[:2]) for name in modules(tree)} - {"kuiper"}
    table = tomllib.loads((tree.root / "pyproject.toml").read_text(encoding="utf-8"))
    layers = table["tool"]["importlinter"]["contracts"][0]["layers"]
    order = [*taught, *(f"kuiper.{layer.strip('()')}" for layer in reversed(layers))]
    return [name for name in dict.fromkeys(order) if name in rooms]


def lessons_of(module: str, course: Course) -> list[int]:
    """The lessons that teach a module: those that list it, its package, or something in it."""
    names = [(lesson.number, name) for lesson in course.lessons for name in lesson.modules]
    exact = {number for number, name in names if name == module}
    near = {number for number, name in names if _within(module, name) or _within(name, module)}
    return sorted(exact or near)


def _within(name: str, package: str) -> bool:
    return f"{name}.".startswith(f"{package}.")


def summary(module: str, tree: Tree) -> str:
    """The first sentence of a module's docstring, read without importing it."""
    path = tree.root / module.replace(".", "/")
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


def write_api(tree: Tree) -> None:
    """Write a page per module, and the index."""
    names = modules(tree)
    for name in names:
        tree.write(api_page(name), _package(name, names, tree) if is_package(name, tree) else _module(name, tree))
    tree.write(INDEX, _index(tree))


def _head(name: str, tree: Tree) -> list[str]:
    page = api_page(name)
    parts = name.split(".")
    trail = ["`API <index.html>`__"] + [
        f"`{part} <{'.'.join(parts[: place + 1])}.html>`__" for place, part in enumerate(parts[:-1])
    ]
    lines = [":orphan:", "", name, "=" * len(name), "", f"*In* {' / '.join(trail)}."]
    numbers = lessons_of(name, tree.course)
    if numbers and name != "kuiper":
        links = [f":doc:`{n} </{lesson_page(tree.course.lesson(n)).with_suffix('')}>`" for n in numbers]
        lines[-1] += f" *Lesson* {', '.join(links)}."
    file = PurePosixPath(*parts)
    file = file / "__init__.py" if is_package(name, tree) else file.with_suffix(".py")
    lines[-1] += f" *Source:* `{file} <{way(page, tree.source(file))}>`__"
    return [*lines, ""]


def _module(name: str, tree: Tree) -> str:
    return "\n".join([*_head(name, tree), f".. automodule:: {name}", "   :members:", ""])


def _package(name: str, names: list[str], tree: Tree) -> str:
    lines = [*_head(name, tree), f".. automodule:: {name}", "   :members:", "   :ignore-module-all:", ""]
    readme = PurePosixPath(*name.split(".")) / "README.md"
    if readme in tree.pages:
        lines += [f"An introduction: :doc:`/{readme.with_suffix('')}`.", ""]
    public = _public(name)
    if public:
        lines += [".. rubric:: What it offers", "", *public, ""]
    inside = [one for one in names if one.rpartition(".")[0] == name]
    if inside:
        lines += [".. rubric:: What is in it", ""]
        lines += [f"- :doc:`{one} </api/{one}>`: {escaped(summary(one, tree))}" for one in inside]
    return "\n".join([*lines, ""])


def _public(name: str) -> list[str]:
    """The names that a package re-exports, as links to their definitions."""
    module = importlib.import_module(name)
    lines = []
    for public in getattr(module, "__all__", ()):
        thing = getattr(module, public)
        home = getattr(thing, "__module__", None)
        qualified = getattr(thing, "__qualname__", None)
        if callable(thing) and qualified and str(home).startswith("kuiper"):
            lines.append(f"- :py:obj:`{public} <{home}.{qualified}>`")
            continue
        lines.append(f"- ``{public}``")
    return lines


def _index(tree: Tree) -> str:
    """The index of top-level modules, with the lesson that builds each."""
    rows = []
    for room in rooms(tree):
        numbers = lessons_of(room, tree.course)
        links = ", ".join(f"[{n}]({way(INDEX, lesson_page(tree.course.lesson(n)))})" for n in numbers)
        text = re.sub(r"([|*_<\\])", r"\\\1", summary(room, tree))
        rows.append(f"| [{room}]({room}.rst) | {links} | {text} |")
    words = (
        "Every public module of the framework, with its docstrings. The examples (`>>>`) are tests: what stands under "
        "them is what comes out. [kuiper](kuiper.rst) itself has what `import kuiper` gives; "
        "[the framework](../framework.md) says how it is used, and [its folder](../kuiper/README.md) what is in it."
    )
    head = "| module | lesson | what it is |\n|---|---|---|"
    return relinked(f"# API\n\n{words}\n\n{head}\n" + "\n".join(rows) + "\n", INDEX, INDEX, tree)
