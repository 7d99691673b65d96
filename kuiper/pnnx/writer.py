"""Writer: Graph -> the text file and its weights, as PNNX writes them.

Source: PNNX, https://github.com/pnnx/pnnx (ir.cpp, Graph::save)
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import numpy as np

from kuiper import dtypes
from kuiper.errors import KuiperError
from kuiper.graph import Attribute, Graph, Operand, Operator, ParameterKind, shape_text
from kuiper.graph.operator import copied_operators
from kuiper.pnnx import parameters
from kuiper.pnnx.archive import Rows, write_archive
from kuiper.pnnx.reader import MAGIC, paths
from kuiper.quantize import MadeRows

_NARROW = ("f16", "bf16")
_WHITE_SPACE = frozenset(" \t\n\r\v\f\0")  # what ends a word; and NUL, which no text holds


def write(
    graph: Graph, param: str | os.PathLike[str], bin: str | os.PathLike[str] | None = None, *, widen: bool = False
) -> None:
    """Write a graph so that `read` gives the same graph, with the same bytes of weights.

    Both files are written beside their places and then moved there: whoever reads meanwhile sees the old file or the
    new one, never half of one. A graph may be written over the files it was read from, except on Windows, which does
    not replace a file whose weights are still mapped.

    Parameters
    ----------
    param : the text file, net.pnnx.param.
    bin : the weights; by default the text file's twin, net.pnnx.bin. Written even when there are none, as PNNX does.
    widen : write weights of 16 bits, f16 and bf16, as f32, but those that quantize_network has made. They are widened
        piece by piece as they are written.

    Raises KuiperError for what the format cannot say: a name with white space, a string that would read as a number, an
    operand's type without a shape; for what Graph.connect refuses; and when the files cannot be written.
    """
    path, bin_path = paths(param, bin)
    graph = Graph(copied_operators(graph)).connect()  # a copy: the graph itself may not be connected, and stays so
    text = _text(graph, widen)
    weights: dict[str, Rows] = {
        f"{op.name}.{key}": Widened(attribute) if widen and _is_narrow(attribute) else attribute.raw
        for op in graph
        for key, attribute in op.attributes.items()
    }
    if len(weights) != sum(len(op.attributes) for op in graph):
        raise KuiperError("two attributes have the same name in the .bin file (operator.key); rename one operator")
    try:
        with _replacing(path) as text_file, _replacing(bin_path) as bin_file:
            write_archive(bin_file, weights)
            text_file.write(text.encode("utf-8"))
    except (OSError, ValueError) as error:
        held = ""
        if sys.platform == "win32" and isinstance(error, PermissionError):
            held = "; Windows replaces no file that a loaded graph still reads: take another name, or drop the graph"
        raise KuiperError(f"{path} and {bin_path} cannot be written: {error}{held}") from error


def _is_narrow(attribute: Attribute) -> bool:
    return attribute.dtype.code in _NARROW and not isinstance(attribute.raw, MadeRows)


class Widened:
    """A weight of 16 bits as float32, widened as its rows are asked for."""

    dtype = np.dtype("<f4")

    def __init__(self, attribute: Attribute) -> None:
        self.attribute, self.shape = attribute, attribute.shape

    def __getitem__(self, rows: slice) -> np.ndarray:
        """Those rows."""
        return dtypes.widen(self.attribute.raw[rows], self.attribute.dtype).astype(self.dtype, copy=False)


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that takes `path`'s place when the block ends well, and vanishes when it does not."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open(draft, "xb") as file:
            yield file
        os.replace(draft, path)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def _text(graph: Graph, widen: bool) -> str:
    lines = [MAGIC, f"{len(graph.operators)} {len(graph.operands)}", *(_line(op, widen) for op in graph)]
    return "\n".join(lines) + "\n"


def _line(op: Operator, widen: bool) -> str:
    operands = op.inputs + op.outputs
    try:
        tokens = [_word(operand.name, "=") for operand in operands]
        tokens += [f"{_word(key, '=', '@$#')}={_word(text, empty=True)}" for key, text in _parameter_texts(op)]
        tokens += [f"@{_word(key, '=')}={_attribute_text(a, widen)}" for key, a in op.attributes.items()]
        tokens += [f"${_word(key, '=')}={name}" for key, name in _slot_names(op)]
        tokens += [f"#{o.name}={said}" for o in operands if (said := _operand_text(o))]
        return " ".join([f"{_word(op.type):24} {_word(op.name):24} {len(op.inputs)} {len(op.outputs)}", *tokens])
    except KuiperError as error:
        raise error.at(op.name) from None


def _word(text: str, without: str = "", not_first: str = "", *, empty: bool = False) -> str:
    """`text`, if the reader will see it as one word: white space ends a word, and nothing escapes it."""
    forbidden = _WHITE_SPACE | set(without)
    if not (text or empty) or not forbidden.isdisjoint(text) or text[:1] in set(not_first):
        raise KuiperError(f"{text!r:.80} cannot be written: expected a word without white space {without}")
    return text


def _parameter_texts(op: Operator) -> Iterator[tuple[str, str]]:
    for key, parameter in op.params.items():
        if (op.type, key) not in parameters.VERBATIM:
            yield key, parameters.to_text(parameter)
        elif parameter.kind == ParameterKind.STRING:
            yield key, parameter.value
        else:
            raise KuiperError(f"parameter {key}: expected a string, found {parameter.value!r:.80}")


def _attribute_text(attribute: Attribute, widen: bool) -> str:
    raw, shape, dtype = attribute.raw, attribute.shape, attribute.dtype
    if not shape or raw.shape != shape or raw.dtype != dtype.storage:
        expected = f"an array of shape {shape} (not empty) and type {dtype.storage}"
        raise KuiperError(f"an attribute: expected {expected}, found {raw.shape} {raw.dtype}")
    return shape_text(shape) + ("f32" if widen and _is_narrow(attribute) else dtype.code)


def _slot_names(op: Operator) -> Iterator[tuple[str, str]]:
    """(name, operand) for each slot that has a name.

    The text says only which operand bears a name, so of the slots that one operand fills, the first must be named.
    """
    nameless = set()
    for name, operand in zip(op.input_names, op.inputs):
        if name is None:
            nameless.add(operand.name)
        elif operand.name in nameless:
            raise KuiperError(f"input {name}: an earlier slot is filled by the same operand and has no name")
        else:
            yield name, operand.name


def _operand_text(operand: Operand) -> str:
    """(shape)type; empty where neither is known."""
    shape = operand.shape
    if shape is None:
        if operand.dtype:
            expected = f"a shape beside the type {operand.dtype.code}, which the format cannot say alone"
            raise KuiperError(f"operand {operand.name}: expected {expected}, found none: set `shape`, or no type")
        return ""
    if min(shape, default=0) < -1:
        expected = "dimensions of 0 or more, or -1 for an open one"
        raise KuiperError(f"operand {operand.name}: expected {expected}, found {shape}")
    return shape_text(shape) + (operand.dtype.code if operand.dtype else "null")
