"""pyproject.toml, the pinned lists and environment.yml say the same."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
EXTRA_OF_LIST = {"cli": "cli", "grading": "grading", "course": "lessons", "site": "site", "dev": "dev"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = ["3.11.0", "3.11.9", "3.12.0", "3.13.0", "3.14.0"]


def wanted(extra: str) -> list[Requirement]:
    """What the project and its extra ask for, with the extras that it names unfolded."""
    found = [Requirement(line) for line in PROJECT["dependencies"]]
    for line in PROJECT["optional-dependencies"][extra]:
        requirement = Requirement(line)
        if requirement.name == PROJECT["name"]:
            found += [one for inner in requirement.extras for one in wanted(inner)]
        else:
            found.append(requirement)
    return list({one.name: one for one in found}.values())


def entries(name: str) -> list[tuple[Requirement, list[str]]]:
    """(pin, hashes) of every entry of a list."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8").replace("\\\n", " ")
    rows = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(Requirement(row.split("--hash")[0]), re.findall(r"--hash=(\S+)", row)) for row in rows]


def pins(name: str, python: str) -> dict[str, Version]:
    """Package -> version of a list for that Python on Linux; two pins for one package fail."""
    found: dict[str, Version] = {}
    for pin, _ in entries(name):
        environment = {"python_full_version": python, "python_version": python.rpartition(".")[0]}
        if pin.marker is None or pin.marker.evaluate({**environment, "sys_platform": "linux", "os_name": "posix"}):
            package = canonicalize_name(pin.name)
            assert package not in found, f"{package} is pinned twice for Python {python} in {name}.txt"
            found[package] = Version(str(pin.specifier).removeprefix("=="))
    return found


@pytest.mark.parametrize("name", EXTRA_OF_LIST)
def test_every_entry_is_one_version_with_sha256_hashes(name: str) -> None:
    assert len(entries(name)) > 5
    for pin, hashes in entries(name):
        assert re.fullmatch(r"==[\w.!+]+", str(pin.specifier)), pin
        assert hashes, pin
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", one) for one in hashes), pin


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("name", EXTRA_OF_LIST)
def test_each_list_holds_what_its_extra_asks_for(name: str, python: str) -> None:
    found = pins(name, python)
    for requirement in wanted(EXTRA_OF_LIST[name]):
        package = canonicalize_name(requirement.name)
        assert package in found, f"{package}: run python requirements/compile.py"
        assert requirement.specifier.contains(found[package]), f"{requirement}: {found[package]} is pinned"


@pytest.mark.parametrize("python", PYTHONS)
def test_a_package_has_one_version_in_all_lists(python: str) -> None:
    everything = pins("dev", python)
    for name in ("cli", "grading", "course", "site"):
        assert pins(name, python).items() <= everything.items()


def test_no_list_names_a_place_to_get_packages_from() -> None:
    files = [ROOT / "requirements" / f"{name}.txt" for name in EXTRA_OF_LIST]
    for path in [*files, ROOT / "pyproject.toml", ROOT / "environment.yml"]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"://|--(extra-)?index|--find-links|--trusted-host|^-[if] ", text, re.M), path.name


def test_no_list_holds_what_only_makes_starts_slower() -> None:
    assert not {"rfc3987-syntax", "lark"} & pins("dev", "3.12.0").keys()


def test_no_list_holds_what_only_makes_or_checks_the_models() -> None:
    assert not {"torch", "pnnx", "scikit-learn"} & pins("dev", "3.12.0").keys()


def test_the_framework_itself_needs_numpy_only() -> None:
    assert [Requirement(line).name for line in PROJECT["dependencies"]] == ["numpy"]


def test_the_conda_environment_asks_for_the_same() -> None:
    text = (ROOT / "environment.yml").read_text(encoding="utf-8")
    listed = {Requirement(one).name: Requirement(one).specifier for one in re.findall(r"^  - (\S*\w)$", text, re.M)}
    assert listed.pop("conda-forge", None) is not None
    assert listed.pop("python") == Requirement(f"python{PROJECT['requires-python']}").specifier
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    for line in build:
        assert listed.pop(Requirement(line).name) == Requirement(line).specifier
    listed.pop("pip")
    assert listed == {one.name: one.specifier for one in wanted("dev")}


def test_the_oldest_python_is_the_same_in_the_launcher_and_the_package() -> None:
    launcher = (ROOT / "course.py").read_text(encoding="utf-8")
    numbers = re.search(r"^NEEDS_PYTHON = \((\d+), (\d+)\)$", launcher, re.M)
    assert numbers is not None
    assert PROJECT["requires-python"] == f">={numbers[1]}.{numbers[2]}"


def test_markers_of_the_lists_do_not_depend_on_one_machine() -> None:
    markers = {str(pin.marker) for name in EXTRA_OF_LIST for pin, _ in entries(name) if pin.marker}
    assert markers
    for text in markers:
        assert "platform_machine" not in text
        assert Marker(text)
