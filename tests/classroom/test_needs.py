"""Which packages a command needs: declared on the command, true of its code, installed when it runs."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from classroom import cli
from classroom.cli import base
from classroom.dev.cli import app as workshop
from classroom.launcher import main as launcher
from classroom.launcher.paths import LISTS, OPTIONS
from classroom.launcher.trouble import Stop
from classroom.started import COMMAND

ROOT = Path(__file__).resolve().parents[2]
OURS = ("classroom", "kuiper")
LOOKS_FIRST = {
    ("classroom.doctor", "kernel"),
    ("classroom.grading.cluster", "run_dask"),
    ("classroom.dev.soundness", "_sheet"),
}
"""Functions that do without a package where it is not there, or say how to install it."""


def commands() -> dict[str, Any]:
    """Every command with its function: "check", "dev check"."""
    return {**_callbacks(get_command(cli.app)), **_callbacks(get_command(workshop), "dev ")}


def _callbacks(group: Any, before: str = "") -> dict[str, Any]:
    """The commands of a group and of the groups in it."""
    found: dict[str, Any] = {}
    for name, one in group.commands.items():
        found |= _callbacks(one, f"{before}{name} ") if hasattr(one, "commands") else {f"{before}{name}": one.callback}
    return found


@dataclass(frozen=True)
class Symbol:
    """A function, a class or a value at the top of one of the course's modules."""

    module: str
    name: str


@cache
def tree_of(module: str) -> ast.Module | None:
    path = ROOT.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8")) if file.is_file() else None


def imported(node: ast.AST) -> dict[str, tuple[str, str]]:
    """Local name -> (module, what of it; "" for the module itself)."""
    names = {}
    for one in ast.walk(node):
        if isinstance(one, ast.ImportFrom) and one.module:
            names |= {alias.asname or alias.name: (one.module, alias.name) for alias in one.names}
        elif isinstance(one, ast.Import):
            names |= {alias.asname or alias.name.split(".")[0]: (alias.name, "") for alias in one.names}
    return names


def top_level(tree: ast.Module, name: str) -> list[ast.stmt]:
    """The statements at the top of a module that make a name."""
    found = []
    for one in tree.body:
        targets = one.targets if isinstance(one, ast.Assign) else [getattr(one, "target", None)]
        made = {getattr(one, "name", None), *(target.id for target in targets if isinstance(target, ast.Name))}
        if name in made:
            found.append(one)
    return found


def without_types(tree: ast.Module) -> ast.Module:
    """The module without what it imports for annotations alone."""
    body = [one for one in tree.body if not (isinstance(one, ast.If) and "TYPE_CHECKING" in ast.unparse(one.test))]
    return ast.Module(body, [])


@cache
def uses(symbol: Symbol) -> tuple[Symbol, ...]:
    return tuple(named_by(symbol))


def named_by(symbol: Symbol) -> Iterator[Symbol]:
    """What the code of a symbol names: symbols of the course, and packages as Symbol(package, "")."""
    tree = tree_of(symbol.module)
    if tree is None:
        return
    shallow = ast.Module([one for one in without_types(tree).body if isinstance(one, (ast.Import, ast.ImportFrom))], [])
    here = imported(shallow)
    for part in top_level(tree, symbol.name):
        known = {**here, **imported(part)}
        named = {one.id for one in ast.walk(part) if isinstance(one, ast.Name)}
        reached = [
            (one.value.id, one.attr)
            for one in ast.walk(part)
            if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)
        ]
        for name in named | set(imported(part)):
            if name not in known:
                yield Symbol(symbol.module, name)
                continue
            module, what = known[name]
            if module.split(".")[0] not in OURS:
                yield Symbol(module.split(".")[0], "")
            elif what and tree_of(f"{module}.{what}") is None:
                yield Symbol(module, what)
            else:
                whole = f"{module}.{what}" if what else module
                yield from (Symbol(whole, attribute) for owner, attribute in reached if owner == name)
    if symbol.name in here:  # handed on from another module
        module, what = here[symbol.name]
        if module.split(".")[0] in OURS:
            yield Symbol(module, what)


def packages_of(function: Any) -> set[str]:
    """The packages that a command's code imports, as far as its names lead."""
    plain = inspect.unwrap(function)
    waiting, seen = [Symbol(plain.__module__, plain.__name__)], set()
    while waiting:
        symbol = waiting.pop()
        if symbol not in seen and (symbol.module, symbol.name) not in LOOKS_FIRST:
            seen.add(symbol)
            waiting += uses(symbol)
    return {symbol.module for symbol in seen if not symbol.name}


@cache
def distributions_of() -> dict[str, list[str]]:
    found = metadata.packages_distributions()
    return {name: [re.sub("[-_.]+", "-", one).lower() for one in makers] for name, makers in found.items()}


@cache
def list_with(package: str) -> str | None:
    """The first list of requirements/ that holds what an imported package comes from."""
    for name in LISTS:
        text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
        if set(re.findall(r"^([\w.-]+)==", text, re.M)) & set(distributions_of().get(package, [])):
            return name
    return None


@pytest.mark.slow
def test_the_names_of_a_command_lead_to_the_packages_that_it_imports() -> None:
    assert "jinja2" in packages_of(commands()["merge"])
    assert "sphinx" in packages_of(commands()["site"])
    assert "nbclient" in packages_of(commands()["dev notebooks"])


@pytest.mark.slow
@pytest.mark.parametrize("name", commands())
def test_every_command_declares_the_list_that_its_packages_are_in(name: str) -> None:
    declared = getattr(commands()[name], "needs", "cli")
    order = list(LISTS)
    missing = [
        package
        for package in packages_of(commands()[name])
        if (wanted := list_with(package)) and order.index(wanted) > order.index(declared)
    ]
    assert missing == [], f"declare it with classroom.cli.base.needs on {name}"


@pytest.mark.slow
@pytest.mark.parametrize("flag", ["--help", "-h"])
@pytest.mark.parametrize("name", [*commands(), "grade", ""])
def test_every_help_is_shown_without_installing_anything(
    name: str, flag: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def install(*_: object) -> None:
        raise AssertionError("something was installed")

    monkeypatch.setattr(base.add_list, "add", install)
    monkeypatch.setattr(launcher, "ensure", install)
    done = CliRunner().invoke(cli.app, [*name.split(), flag])
    assert done.exit_code == 0, done.output
    assert "usage" in done.output.lower() + capsys.readouterr().out.lower()


def declared(needed: str = "site", *modules: str) -> Any:
    """A command that declares what it needs and tells that it ran."""

    @base.needs(needed, *modules)
    def command() -> None:
        print("ran")

    return command


def test_a_command_adds_its_list_before_it_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(base.add_list, "add", lambda root, name: print(f"adds {name}"))
    declared("site", "sys")()
    assert capsys.readouterr().out.split("\n")[:2] == ["adds site", "ran"]


def test_what_cannot_be_added_is_said_and_the_command_does_not_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(base.add_list, "add", lambda root, name: None)
    with pytest.raises(base.typer.Exit):
        declared("site", "no_such_module")()
    said = capsys.readouterr()
    assert f"no_such_module is not installed: {COMMAND} setup --site" in said.err
    assert 'pip install -e ".[site]"' in said.err

    def unreachable(*_: object) -> None:
        raise Stop("the network is away")

    monkeypatch.setattr(base.add_list, "add", unreachable)
    with pytest.raises(base.typer.Exit):
        declared()()
    assert "the network is away" in capsys.readouterr().err
    assert "ran" not in said.out


def test_every_list_but_the_first_has_its_option() -> None:
    assert list(OPTIONS) == list(LISTS)[1:]
