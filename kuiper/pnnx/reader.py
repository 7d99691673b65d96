"""Reader: the text file and its weights -> Graph, or one error with file, line, what was expected and what came.

    7767517
    <operators> <operands>
    <type> <name> <n_in> <n_out> <inputs> <outputs> <pairs>

A pair is key=value, @key=(shape)type, $slot=operand or #operand=(shape)type.

Source: PNNX, https://github.com/pnnx/pnnx (ir.cpp, Graph::load)
"""

from __future__ import annotations

import io
import os
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from kuiper import dtypes
from kuiper.errors import KuiperError, ModelFormatError
from kuiper.graph import Attribute, Graph, Operand, Operator, Parameter, ParameterKind, Shape
from kuiper.graph.order import cycle_text, find_cycle, successors_of
from kuiper.pnnx import parameters
from kuiper.pnnx.archive import Archive
from kuiper.pnnx.line import OperatorLine, parse_operator

MAGIC = "7767517"
LARGEST_FILE = 32 << 20  # bytes; a network of 1,000 layers has some 0.2 MB of text
LONGEST_LINE = 1 << 20
_COUNT = re.compile(r"[0-9]{1,18}")
_DIMENSION = re.compile(r"-?[0-9]{1,18}")
_NORMAL_LEFTOVERS = {"prim::TupleConstruct", "prim::TupleUnpack", "prim::DictConstruct", "prim::ListConstruct"}


def read(
    param: str | os.PathLike[str],
    bin: str | os.PathLike[str] | None = None,
    *,
    verify: bool = True,
    parse_parameter: Callable[[str], tuple[int, Any]] = parameters.parse_parameter,
    parse_operator: Callable[[str], OperatorLine] = parse_operator,
    find_cycle: Callable[[Mapping[str, Sequence[str]]], list[str]] = find_cycle,
) -> Graph:
    """The graph of a model file; its weights stay in the file and are mapped, not copied.

    Parameters
    ----------
    param : the text file, net.pnnx.param.
    bin : the weights; by default the text file's twin, net.pnnx.bin. A model without weights needs none.
    verify : check the CRC of every weight. It reads every byte once.
    parse_parameter, parse_operator, find_cycle : the steps that the exercises are about, as in kuiper.Toolbox.

    Returns the graph, with what is allowed but rarely meant in `graph.warnings`.
    Raises ModelFormatError for a file that does not say what the format asks for.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "net.pnnx.param")
    ...     _ = file.write_text("7767517\\n2 1\\npnnx.Input in 0 1 0 #0=(1,3)f32\\npnnx.Output out 1 0 0\\n")
    ...     read(file).operands["0"].shape
    (1, 3)
    """
    steps = _Steps(parse_parameter, parse_operator, find_cycle)
    return _Reader(*paths(param, bin), verify, steps).read()


def paths(param: str | os.PathLike[str], bin: str | os.PathLike[str] | None) -> tuple[Path, Path]:
    """The paths of a model's two files: net.pnnx.param, and its twin net.pnnx.bin unless another is named.

    Raises KuiperError for what is no path.
    """
    for path in (param, "" if bin is None else bin):
        if not isinstance(path, (str, os.PathLike)):
            expected = "a path, as 'net.pnnx.param'"
            raise KuiperError(f"model file: expected {expected}, found {type(path).__name__} {path!s:.60}")
    text = Path(param)
    return text, Path(str(text).removesuffix(".param") + ".bin" if bin is None else bin)


@dataclass(frozen=True)
class _Steps:
    """What a toolbox may replace."""

    parse_parameter: Callable[[str], tuple[int, Any]]
    parse_operator: Callable[[str], OperatorLine]
    find_cycle: Callable[[Mapping[str, Sequence[str]]], list[str]]


class _Reader:
    """Reads one file line by line; `line` is the one at hand, and every fault is reported there."""

    def __init__(self, path: Path, bin_path: Path, verify: bool, steps: _Steps) -> None:
        self.path, self.bin_path, self.verify, self.steps = path, bin_path, verify, steps
        self.line = 0
        self.archive: Archive | None = None
        self.stored: dict[tuple[dtypes.DType, Shape, int], list[Attribute]] = defaultdict(list)
        self.graph = Graph()
        self.line_of: dict[str, int] = {}  # operator -> its line
        self.first_read: dict[str, int] = {}  # operand -> the first line that reads it
        self.declared: dict[str, tuple[str, int]] = {}  # operand -> its shape and type as text, and where they stood
        self.own: dict[str, Operand] = {}  # the operands of the line at hand
        self.unnamed: dict[str, list[int]] = {}  # operand -> the slots it fills that have no name yet, last first

    def read(self) -> Graph:
        text = io.BytesIO(self._bytes())
        self._magic(text.readline())
        self.line = 2
        counts = self._tokens(text.readline())
        if len(counts) != 2 or not all(_COUNT.fullmatch(count) for count in counts):
            self._fail("the number of operators and of operands", _short(" ".join(counts)) or "nothing")
        n_operators, n_operands = map(int, counts)
        body = text.tell()
        n_lines = sum(1 for line in text if line.strip())
        if n_lines != n_operators:
            self._fail(f"as many operators as the file has lines for ({n_lines})", str(n_operators))
        text.seek(body)
        for self.line, line in enumerate(text, 3):
            if line.strip():
                self._operator(self._tokens(line))
        self._check_graph(n_operands)
        self.graph.warnings += _warnings(self.graph)
        return self.graph

    def _fail(self, expected: str, found: str) -> NoReturn:
        raise ModelFormatError(self.path, self.line or None, expected, found)

    def _bytes(self) -> bytes:
        if os.path.exists(self.path) and not os.path.isfile(self.path):
            self._fail("a file", "a directory" if os.path.isdir(self.path) else "something else of that name")
        try:
            with open(self.path, "rb") as file:
                if os.fstat(file.fileno()).st_size > LARGEST_FILE:
                    self._fail(f"a text file of at most {LARGEST_FILE} bytes", "a longer one")
                return file.read()
        except (OSError, ValueError) as error:
            why = "no such file" if isinstance(error, FileNotFoundError) else str(error)
            raise ModelFormatError(self.path, None, "a file that can be read", why) from None

    def _magic(self, line: bytes) -> None:
        self.line = 1
        if line.strip() != MAGIC.encode():
            found = _short(line.strip()[:80].decode("utf-8", "backslashreplace")) if line.strip() else "nothing"
            self._fail(f"{MAGIC}, with which every PNNX file begins", found)

    def _tokens(self, line: bytes) -> list[str]:
        if len(line) > LONGEST_LINE:
            self._fail(f"a line of at most {LONGEST_LINE} bytes", f"{len(line)} bytes")
        if b"\0" in line:
            self._fail("text", "a NUL byte")
        try:
            return [token.decode("utf-8") for token in line.split()]  # bytes split at ASCII white space only
        except UnicodeDecodeError as error:
            self._fail("text in UTF-8", f"byte {error.object[error.start]:#04x}")

    def _operator(self, tokens: list[str]) -> None:
        if len(tokens) < 4 or not _COUNT.fullmatch(tokens[2]) or not _COUNT.fullmatch(tokens[3]):
            self._fail(
                "type, name, number of inputs, number of outputs (a name cannot hold white space)",
                _short(" ".join(tokens[:6])),
            )
        n_in, n_out = int(tokens[2]), int(tokens[3])
        names, rest = tokens[4 : 4 + n_in + n_out], tokens[4 + n_in + n_out :]
        names = [name for name in names if "=" not in name]
        if len(names) != n_in + n_out:
            self._fail(f"{n_in} + {n_out} names of operands after {tokens[1]}", f"{len(names)}")
        self._check_pairs(tokens[1], rest)
        op_type, name, inputs, outputs, params, attributes = self._parsed(tokens)
        op = Operator(op_type, name, line=self.line)
        if op.name in self.line_of:
            self._fail(f"a name other than that of line {self.line_of[op.name]}", op.name)
        self._connect(op, inputs, outputs)
        for key, text in params.items():
            self._parameter(op, key, text)
        for key, text in attributes.items():
            self._attribute(op, key, text)
        self._slots_and_shapes(op, rest)
        self.line_of[op.name] = self.line
        self.graph.operators.append(op)

    def _operand(self, name: str) -> Operand:
        return self.graph.operands.setdefault(name, Operand(name))

    def _connect(self, op: Operator, inputs: list[str], outputs: list[str]) -> None:
        for name in inputs:
            operand = self._operand(name)
            operand.consumers.append(op)
            op.inputs.append(operand)
            self.first_read.setdefault(name, self.line)
        op.input_names = [None] * len(inputs)
        for name in outputs:
            operand = self._operand(name)
            if operand.producer is not None:
                where = self.line_of.get(operand.producer.name, self.line)
                self._fail(f"one producer of operand {name}", f"a second: {operand.producer.name} of line {where}")
            operand.producer = op
            op.outputs.append(operand)

    def _check_pairs(self, name: str, tokens: list[str]) -> None:
        seen = set()
        for token in tokens:
            key, equals, _ = token.partition("=")
            kind, of = ("attribute", key[1:]) if key[:1] == "@" else ("parameter", key)
            if not equals or key in ("", "@", "$", "#"):
                self._fail("key=value", _short(token))
            if key[:1] not in ("$", "#") and key in seen:
                self._fail(f"{kind} {of} of {name} once", "twice")
            seen.add(key)

    def _parsed(self, tokens: list[str]) -> OperatorLine:
        try:
            parsed = self.steps.parse_operator(" ".join(tokens))
        except Exception as error:
            self._fail("a line that parse_operator can read", _raised(error))
        if not isinstance(parsed, tuple) or [type(part) for part in parsed] != [str, str, list, list, dict, dict]:
            expected = "parse_operator to return (type, name, inputs, outputs, params, attributes)"
            self._fail(expected, _short(repr(parsed)))
        return parsed

    def _slots_and_shapes(self, op: Operator, tokens: list[str]) -> None:
        self.own = {operand.name: operand for operand in op.inputs + op.outputs}
        self.unnamed = defaultdict(list)
        for slot in reversed(range(len(op.inputs))):
            self.unnamed[op.inputs[slot].name].append(slot)
        for token in tokens:
            key, _, value = token.partition("=")
            if key[0] == "$":
                self._input_name(op, key[1:], value)
            elif key[0] == "#":
                self._operand_shape(op, key[1:], value)

    def _parameter(self, op: Operator, key: str, text: str) -> None:
        if (op.type, key) in parameters.VERBATIM:
            op.params[key] = Parameter(ParameterKind.STRING, text)
            return
        try:
            kind, value = self.steps.parse_parameter(text)
            op.params[key] = Parameter(ParameterKind(kind), value)
        except Exception as error:
            self._fail(f"a value that can be read for {key}", _raised(error))
        if parameters.is_mixed(text):
            self.graph.warnings.append(f"{op.name}: {_short(f'{key}={text}')} mixes kinds of elements")

    def _attribute(self, op: Operator, key: str, text: str) -> None:
        shape, dtype = self._shape_and_type(f"@{key}", text)
        if dtype is None or min(shape, default=0) < 0:
            self._fail(f"a type and dimensions of 0 or more in @{key}", _short(text))
        if self.archive is None and not os.path.exists(self.bin_path):
            self._fail(f"the weights @{key} of {op.name} in {self.bin_path}", "no such file")
        try:
            if self.archive is None:
                self.archive = Archive(self.bin_path, verify=self.verify)
            raw = self.archive.array(f"{op.name}.{key}", dtype, shape)
        except ModelFormatError as error:
            self._fail(f"in {self.bin_path} {error.expected}", error.found)
        op.attributes[key] = self._once(Attribute(dtype, shape, raw), self.archive.entries[f"{op.name}.{key}"].crc)

    def _once(self, attribute: Attribute, crc: int) -> Attribute:
        """The attribute, or one read before with the same bytes: PNNX stores a table once for each of its readers."""
        alike = self.stored[attribute.dtype, attribute.shape, crc]
        for other in alike:
            if _bytes_of(other) == _bytes_of(attribute):
                return other
        alike.append(attribute)
        return attribute

    def _input_name(self, op: Operator, key: str, operand: str) -> None:
        if not self.unnamed[operand]:
            slots = op.input_names.count(None)
            self._fail(f"${key} to name an input of {op.name} that has no name yet ({slots} left)", _short(operand))
        op.input_names[self.unnamed[operand].pop()] = key

    def _operand_shape(self, op: Operator, name: str, text: str) -> None:
        operand = self.own.get(name)
        if operand is None:
            self._fail(f"#{_short(name)} to describe an operand of {op.name}", f"none of its {len(self.own)}")
        before = self.declared.get(name)
        if before is not None and before[0] == text:
            return
        shape, dtype = self._shape_and_type(f"#{name}", text)
        if before is not None and (operand.shape, operand.dtype) != (shape, dtype):
            self._fail(f"operand {name} to be {before[0]}, as line {before[1]} says", _short(text))
        self.declared.setdefault(name, (text, self.line))
        operand.shape, operand.dtype = shape, dtype

    def _shape_and_type(self, key: str, text: str) -> tuple[Shape, dtypes.DType | None]:
        """`(1,?,16)f32` -> ((1, -1, 16), float32); the type `null` of operands means that PNNX did not know it."""
        body, bracket, code = text.partition(")")
        dtype = dtypes.find(code)
        if not text.startswith("(") or not bracket:
            self._fail(f"(shape)type in {key}", _short(text))
        if dtype is None and not (code == "null" and key[0] == "#"):
            self._fail(f"one of the types {', '.join(dtypes.DTYPES)} in {key}", _short(code) or "none")
        shape = []
        for size in body[1:].split(",") if len(body) > 1 else []:
            if size == "?":
                shape.append(-1)
            elif _DIMENSION.fullmatch(size) and int(size) >= -1:
                shape.append(int(size))
            else:
                self._fail(f"dimensions in {key}: numbers from 0, or ?", _short(size) or "nothing")
        return tuple(shape), dtype

    def _check_graph(self, n_operands: int) -> None:
        for name, line in self.first_read.items():
            if self.graph.operands[name].producer is None:
                self.line = line
                self._fail("an operand that some operator produces", name)
        self.line = 2
        if len(self.graph.operands) != n_operands:
            self._fail(f"as many operands as the file has ({len(self.graph.operands)})", str(n_operands))
        cycle = self.steps.find_cycle(successors_of(self.graph))
        if cycle:
            self.line = self.line_of.get(cycle[0], 0)
            names = [_short(name) for name in cycle[:12]]
            shown = cycle_text(names) if len(cycle) < 12 else " -> ".join(names) + " ..."
            self._fail("operators without a cycle", shown)


def _bytes_of(attribute: Attribute) -> memoryview:
    """Its elements where they lie."""
    return attribute.raw.reshape(-1).view(np.uint8).data


def _raised(error: Exception) -> str:
    """What was raised: a KuiperError by its message, any other, a student's, with its type."""
    return error.message if isinstance(error, KuiperError) else f"{type(error).__name__}: {error}"


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}... ({len(text)} characters)"


def _warnings(graph: Graph) -> list[str]:
    """Sentences about what is allowed but rarely meant.

    Inputs that nothing reads; operators that PNNX left as TorchScript wrote them.
    """
    sentences = []
    for op in graph:
        if op.type == "pnnx.Input":
            unused = [operand.name for operand in op.outputs if not operand.consumers]
            sentences += [f"{op.name}: nothing reads operand {name}, an input of the network" for name in unused]
        elif op.type.startswith(("aten::", "prim::")) and op.type not in _NORMAL_LEFTOVERS:
            sentences.append(f"{op.name}: PNNX left {op.type} as TorchScript wrote it")
    return sentences
