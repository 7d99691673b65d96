"""Parts with the same key have the same body, which is written once."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the compiler needs llvmlite, of the extra speed")

import kuiper
from kuiper.compiled.builder import I64, POINTER, VectorBuilder, function
from kuiper.compiled.code import CodeSource
from kuiper.compiled.parts import CodePart, Module
from kuiper.compiled.plan import CompiledPlan
from kuiper.compiled.target import host
from kuiper.fast.plan.planner import Planner

pytestmark = pytest.mark.skipif(host() is None, reason="machine code is not made for this processor")
MODELS = Path(__file__).parents[2] / "models"
INPUTS = {
    "digits": [np.zeros((1, 1, 8, 8), np.float32)],
    "classifier": [np.zeros((1, 3, 64, 64), np.float32)],
    "detector": [np.zeros((1, 3, 256, 256), np.float32)],
    "segmenter": [np.zeros((1, 3, 96, 96), np.float32)],
    "writer": [np.zeros((1, 1), np.int64), *[np.zeros((4, 1, 4, 192, 32), np.float32)] * 2, np.zeros(1, np.int64)],
}


class Described(Exception):
    """The parts are known, and no code is made."""


def module_of(name: str, monkeypatch: pytest.MonkeyPatch) -> Module:
    graph = kuiper.load(MODELS / name / f"{name}.pnnx.param", engine="simple")
    inputs = INPUTS[name]
    if name == "writer":
        layers, _, heads, _, width = graph.inputs[1].shape or ()
        inputs = [inputs[0], *[np.zeros((layers, 1, heads, 192, width), np.float32)] * 2, inputs[3]]
    found: list[Module] = []
    monkeypatch.setattr("kuiper.compiled.plan.text_of", found.append)

    def stop(text: str, target: object) -> bytes:
        raise Described

    draft = Planner(graph).draft({operand.name: x for operand, x in zip(graph.inputs, inputs)})
    target = host()
    assert target is not None
    with pytest.raises(Described):
        CompiledPlan(draft, 2, lambda step: None, CodeSource(target, None, stop))
    return found[0]


def body(module: Module, part: CodePart, name: str) -> str:
    """The IR of a part's body by itself, with nothing in it that tells its name."""
    made = function(module.ir, name, [POINTER] * len(part.places) + [I64] * 2)
    b = VectorBuilder(made.append_basic_block("entry"), module.target)
    *pointers, begin, end = made.args
    part.body(b, list(pointers), begin, end)
    b.ret_void()
    return re.sub(rf'"{name}"', "body", str(made))


@pytest.mark.parametrize("name", ["digits", *(pytest.param(name, marks=pytest.mark.slow) for name in list(INPUTS)[1:])])
def test_parts_with_the_same_key_have_the_same_body(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = module_of(name, monkeypatch)
    by_key: defaultdict[str, list[CodePart]] = defaultdict(list)
    for part in module.parts:
        if part.key is not None:
            assert not re.search(r"0x[0-9a-f]{6}", repr(part.key)), "an address, which differs from run to run"
            by_key[repr(part.key)].append(part)
    texts = {}
    for number, (key, parts) in enumerate(by_key.items()):
        found = {body(module, part, f"alike_{number}_{i}") for i, part in enumerate(parts)}
        assert len(found) == 1, key
        texts[key] = found.pop()
    assert len(set(texts.values())) >= 0.8 * len(texts)
    if name == "writer":
        assert len(by_key) < 0.5 * len(module.parts), "its layers are alike"


def test_a_body_that_many_parts_share_is_written_once() -> None:
    target = host()
    assert target is not None
    module = Module(target, np.empty(4096, np.uint8), 1)
    written = []
    for _ in range(5):
        module.part(3, [], lambda b, pointers, begin, end: written.append(begin), key=("same", 3))
    module.part(3, [], lambda b, pointers, begin, end: written.append(begin), key=("other", 3))
    module.write()
    assert len(written) == 2
