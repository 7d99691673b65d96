"""The process in which a student's package runs with numpy only: `python worker.py REQUEST`; JSON in, JSON out.

The request is {"package": folder, "homework": {file of the package: homework file}, "networks": [[.pnnx.param file,
.npy file of inputs, .npy file to write], ...]}. The answer is {"error": sentence, "network": the index of the network
at which it happened}. The request {"package": folder, "param": .pnnx.param file, "parts": [exercise, ...]} is answered
by {"lines": what these parts make of the file}.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import os
import sys
import traceback
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, NoReturn

import numpy as np

REFUSED = {"kuiper", "classroom"}
KNOWN = {*sys.stdlib_module_names, "numpy"}
"""What the package may import."""


class Refuser:
    """Refuses imports of kuiper, and of the package those of libraries; says in which line of the package they stand.

    What numpy imports for itself is its own affair. `homework` : file of the package -> the homework file.
    """

    def __init__(self, package: Path, homework: Mapping[str, str] = MappingProxyType({})) -> None:
        self.package, self.homework = package, homework

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        """Raise ImportError for a module of kuiper, or of a library if the package asks; leave all else to others."""
        first = name.partition(".")[0]
        if first in REFUSED or (first not in {*KNOWN, self.package.name} and self.asks()):
            self.refuse(name)

    def asks(self) -> bool:
        """Whether the import that goes on stands in the package."""
        frame = sys._getframe(2)
        machinery = (importlib.__file__, importlib.util.__file__)
        while frame.f_back is not None and (
            frame.f_code.co_filename.startswith("<frozen importlib") or frame.f_code.co_filename in machinery
        ):
            frame = frame.f_back
        return self.holds(frame.f_code.co_filename)

    def refuse(self, name: str) -> NoReturn:
        """Raise ImportError with the file and line of the import."""
        frame = sys._getframe(1)
        while frame.f_back is not None and not self.holds(frame.f_code.co_filename):
            frame = frame.f_back
        file = Path(frame.f_code.co_filename).name
        where = f"{self.package.name}/{file}, line {frame.f_lineno}"
        first = name.partition(".")[0]
        if first not in REFUSED and PathFinder.find_spec(first) is None:
            raise ImportError(
                f"{where} imports {name}, which is not in the package: of your homework its own files are copied, and "
                f"no module beside them. Write what you need of it into {self.homework.get(file, file)}"
            )
        raise ImportError(
            f"{where} imports {name}, and your framework has to do without it: numpy is all it needs. "
            "An import that only the exercise needs belongs into the function that uses it"
        )

    def holds(self, file: str) -> bool:
        """Whether a file belongs to the package."""
        return Path(file).parent == self.package


def load_package(folder: Path) -> Any:
    """Import the package; the folder above it stays unseen."""
    spec = importlib.util.spec_from_file_location(
        folder.name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[folder.name] = module
    spec.loader.exec_module(module)
    return module


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Run the networks one after the other, until one fails."""
    folder = Path(request["package"])
    refuser = Refuser(folder, request.get("homework", {}))
    sys.meta_path.insert(0, refuser)
    result: dict[str, Any] = {"error": "", "network": -1}
    try:
        package = load_package(folder)
        for index, (param, inputs, output) in enumerate(request["networks"]):
            result["network"] = index
            network, x = package.load(param), np.load(inputs)
            network(x[:1])  # a second call has to give what the first gives
            y = network(x)
            if not isinstance(y, np.ndarray):
                result["error"] = f"the network gives {type(y).__name__}, and not an array"
                return result
            np.save(output, y, allow_pickle=False)
    except BaseException as error:
        result["error"] = sentence(error, refuser)
    return result


def lines_so_far(request: dict[str, Any]) -> dict[str, list[str]]:
    """What parse_operator and topological_order, as far as the request names them, make of a model file."""
    folder, lines = Path(request["package"]), list[str]()
    sys.meta_path.insert(0, Refuser(folder))
    with contextlib.suppress(BaseException):
        load_package(folder)
        text = Path(request["param"]).read_text(encoding="utf-8")
        if "parse_operator" in request["parts"]:
            parse = importlib.import_module(f"{folder.name}.format").parse_operator
            operators = [parse(line) for line in text.splitlines()[2:] if line.strip()]
            kinds = Counter(operator[0] for operator in operators)
            lines.append(f"{len(operators)} operators: {', '.join(f'{kinds[kind]} {kind}' for kind in kinds)}")
            if "topological_order" in request["parts"]:
                writers = {operand: operator[1] for operator in operators for operand in operator[3]}
                followers: dict[str, list[str]] = {operator[1]: [] for operator in operators}
                for operator in operators:
                    for operand in operator[2]:
                        followers[writers[operand]].append(operator[1])
                order = importlib.import_module(f"{folder.name}.order").topological_order(followers)
                lines.append(f"they run in the order {', '.join(order)}")
    return {"lines": lines}


def sentence(error: BaseException, refuser: Refuser) -> str:
    """The exception as a sentence, with the line of the package in which it came up."""
    said = str(error) or type(error).__name__
    if isinstance(error, ImportError) and " imports " in said:
        return said
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if refuser.holds(frame.filename)]
    where = f"{refuser.package.name}/{Path(lines[-1].filename).name}, line {lines[-1].lineno}: " if lines else ""
    return f"{where}{type(error).__name__}: {said}"


def main() -> None:
    """Answer the request on the original standard output; what the student's code prints is dropped."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)
        request = json.loads(sys.argv[1])
        json.dump(lines_so_far(request) if "parts" in request else answer(request), out)
    os._exit(0)  # in spite of threads that the student's code has left running


if __name__ == "__main__":
    main()
