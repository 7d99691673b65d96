"""A reader's own .param and .bin in the viewer: what is read is what kuiper reads, and so is what is refused."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from classroom.register import ROOT
from classroom.site import viewer
from kuiper import pnnx
from kuiper.errors import ModelFormatError

Open = Callable[..., Any]
CLASSIFIER = ROOT / "models/classifier/classifier.pnnx.param"
PARSED = """text => {
  const { operators, operands } = KuiperViewer.parse(text, "net.param", KuiperViewer.families.dtypes);
  return [operators.map((op) => [op.type, op.name, op.inputs, op.outputs, op.params.map(([key]) => key),
      op.weights.map(({ key, shape, dtype }) => [key, shape, dtype]), op.inputs.map((_, i) => op.slots[i] ?? null)]),
    [...operands].map(([name, { shape, dtype }]) => [name, shape ?? null, dtype || null])];
}"""
REFUSED = """text => {
  try { KuiperViewer.parse(text, "net.param", KuiperViewer.families.dtypes); return null; }
  catch ({ line, expected, found, message }) { return [line, expected, found, message]; }
}"""


@pytest.fixture
def page(opened: Open) -> Any:
    return opened("own")


def choose(page: Any, *files: Path) -> None:
    page.locator(".viewer-drop input").set_input_files([str(file) for file in files])


def wait_for(page: Any, words: str) -> None:
    page.wait_for_function("words => document.querySelector('main').innerText.includes(words)", arg=words)


@pytest.mark.slow
@pytest.mark.parametrize("name", viewer.NAMES)
def test_a_file_is_read_as_kuiper_reads_it(page: Any, name: str) -> None:
    model = name.removeprefix("graph_")
    file = ROOT / "models" / model / f"{model}.pnnx.param"
    operators, operands = page.evaluate(PARSED, file.read_text(encoding="utf-8"))
    graph = pnnx.read(file)
    expected = [
        [op.type, op.name, [x.name for x in op.inputs], [x.name for x in op.outputs], list(op.params),
         [[key, list(w.shape), w.dtype.code] for key, w in op.attributes.items()], op.input_names]
        for op in graph.operators
    ]  # fmt: skip
    assert operators == expected
    assert {one[0]: one[1:] for one in operands} == {
        x.name: [None if x.shape is None else list(x.shape), x.dtype.code if x.dtype else None]
        for x in graph.operands.values()
    }


HEAD = "7767517\n3 2\n"
INPUT, OUTPUT = "pnnx.Input in 0 1 0 #0=(1,3)f32\n", "pnnx.Output out 1 0 1\n"
DAMAGED = {
    "empty": "",
    "other magic": "7767518\n3 2\n",
    "no counts": "7767517\n3\n",
    "counts that are words": "7767517\nthree 2\n",
    "too few lines": HEAD + INPUT,
    "a short line": HEAD + INPUT + "nn.ReLU relu 1\n" + OUTPUT,
    "a name with a blank": HEAD + INPUT + "nn.ReLU my relu 1 1 0 1\n" + OUTPUT,
    "too few operands": HEAD + INPUT + "nn.ReLU relu 2 1 0 1\n" + OUTPUT,
    "no value": HEAD + INPUT + "nn.ReLU relu 1 1 0 1 inplace\n" + OUTPUT,
    "no key": HEAD + INPUT + "nn.ReLU relu 1 1 0 1 =3\n" + OUTPUT,
    "a parameter twice": HEAD + INPUT + "nn.ReLU relu 1 1 0 1 a=1 a=2\n" + OUTPUT,
    "a weight of unknown size": HEAD + INPUT + "nn.ReLU relu 1 1 0 1 @w=(?,3)f32\n" + OUTPUT,
    "a weight without a type": HEAD + INPUT + "nn.ReLU relu 1 1 0 1 @w=(2,3)\n" + OUTPUT,
    "an old type": HEAD + INPUT + "nn.ReLU relu 1 1 0 1 #1=(1,3)cp64 #0=(2,3)f32\n" + OUTPUT,
    "a weight without a shape": HEAD + INPUT + "nn.ReLU relu 1 1 0 1 @w=f32\n" + OUTPUT,
    "a shape of words": HEAD + INPUT + "nn.ReLU relu 1 1 0 1 #1=(one,3)f32\n" + OUTPUT,
    "a shape below -1": HEAD + INPUT + "nn.ReLU relu 1 1 0 1 #1=(-2,3)f32\n" + OUTPUT,
    "another's shape": HEAD + INPUT + "nn.ReLU relu 1 1 0 1 #7=(1,3)f32\n" + OUTPUT,
    "two shapes": HEAD + INPUT + "nn.ReLU relu 1 1 0 1 #0=(1,4)f32\n" + OUTPUT,
    "a slot of nothing": HEAD + INPUT + "nn.ReLU relu 1 1 0 1 $input=5\n" + OUTPUT,
    "two producers": HEAD + INPUT + "nn.ReLU relu 1 1 0 0\n" + OUTPUT,
    "two of a name": HEAD + INPUT + "nn.ReLU in 1 1 0 1\n" + OUTPUT,
    "nobody produces": HEAD + INPUT + "nn.ReLU relu 1 1 9 1\n" + OUTPUT,
    "other number of operands": "7767517\n3 5\n" + INPUT + "nn.ReLU relu 1 1 0 1\n" + OUTPUT,
    "a cycle": "7767517\n4 3\n" + INPUT + "nn.ReLU a 1 1 2 1\nnn.ReLU b 1 1 1 2\npnnx.Output out 1 0 1\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_file_is_refused_where_kuiper_refuses_it(page: Any, tmp_path: Path, kind: str) -> None:
    file = tmp_path / "net.param"
    file.write_text(DAMAGED[kind], encoding="utf-8")
    with pytest.raises(ModelFormatError) as refused:
        pnnx.read(file)
    refusal = page.evaluate(REFUSED, DAMAGED[kind])
    assert refusal is not None
    line, expected, found, message = refusal
    assert (line, expected) == (refused.value.line, refused.value.expected)
    if kind != "a cycle":  # which one is named differs
        assert found == refused.value.found.strip()
    assert message == f"net.param, line {line}: expected {expected}, found {found}"


def test_a_readers_network_is_drawn_with_its_blocks_and_weights(page: Any) -> None:
    choose(page, CLASSIFIER, CLASSIFIER.with_suffix(".bin"))
    wait_for(page, "classifier.pnnx.param: 40 operators, 176,618 numbers in the file")
    assert page.locator(".viewer-view .op").count() == 31
    assert page.locator(".op.folded").count() == 1
    graph = pnnx.read(CLASSIFIER)
    weight = next(op for op in graph.operators if op.name == "convbn2d_0").attributes["weight"].data
    told = page.locator(".viewer-more").last.inner_text()
    least, most, mean = (float(one) for one in re.findall(r"-?\d+\.?\d*(?:e-\d+)?", told.replace("−", "-"))[:3])
    assert (least, most) == pytest.approx((weight.min(), weight.max()), rel=1e-3)
    assert mean == pytest.approx(float(weight.mean()), rel=1e-2, abs=1e-5)


def test_a_param_alone_is_drawn_and_its_bin_may_come_later(page: Any) -> None:
    choose(page, CLASSIFIER)
    wait_for(page, "With its .bin")
    assert page.locator(".viewer-more").count() == 0
    choose(page, CLASSIFIER.with_suffix(".bin"))
    wait_for(page, "32 weight arrays")
    assert page.locator(".viewer-more").count() == 2


def test_dropped_files_are_opened(page: Any) -> None:
    text = CLASSIFIER.read_text(encoding="utf-8")
    page.evaluate(
        """text => {
          const data = new DataTransfer();
          data.items.add(new File([text], "dropped.param"));
          const dropped = new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data });
          document.querySelector(".viewer-drop").dispatchEvent(dropped);
        }""",
        text,
    )
    wait_for(page, "dropped.param: 40 operators")


def test_what_cannot_be_read_is_said_with_line_and_expectation(page: Any, tmp_path: Path) -> None:
    bad = tmp_path / "bad.param"
    bad.write_text(DAMAGED["no value"], encoding="utf-8")
    choose(page, bad)
    wait_for(page, "bad.param, line 4: expected key=value, found inplace")
    picture = tmp_path / "cat.png"
    picture.write_bytes(b"x")
    choose(page, picture)
    wait_for(page, "cat.png: expected a file whose name ends in .param or .bin")
    choose(page, CLASSIFIER.with_suffix(".bin"))
    wait_for(page, "classifier.pnnx.bin: expected its .param too")


@pytest.mark.parametrize(("damage", "said"), [
    (lambda data: b"no zip at all, only text" * 9, "expected a zip archive, found no end record"),
    (lambda data: data[: len(data) // 2], "expected a zip archive, found no end record"),
    (lambda data: data.replace(b"fc.bias", b"fc.bios"), "expected an entry fc.bias, found none of that name"),
])  # fmt: skip
def test_a_damaged_bin_is_refused(page: Any, tmp_path: Path, damage: Callable[[bytes], bytes], said: str) -> None:
    bad = tmp_path / "bad.bin"
    bad.write_bytes(damage(CLASSIFIER.with_suffix(".bin").read_bytes()))
    choose(page, CLASSIFIER, bad)
    wait_for(page, said)


def test_weights_of_every_type_have_their_numbers(page: Any, tmp_path: Path) -> None:
    half = np.array([1.5, -2.25, 6e-8, 65504, 0], np.float16)
    brain = np.array([0x3FC0, 0xC010, 0x0000, 0x4049], np.uint16)  # 1.5, -2.25, 0, 3.140625
    numbers = {
        "f16": (half.tobytes(), half.astype(float).tolist()),
        "bf16": (brain.tobytes(), [1.5, -2.25, 0.0, 3.140625]),
        "f64": (struct.pack("<2d", 0.1, -3e300), [0.1, -3e300]),
        "i64": (struct.pack("<2q", -5, 2**40), [-5, 2**40]),
        "i32": (struct.pack("<2i", -5, 7), [-5, 7]),
        "i16": (struct.pack("<2h", -5, 7), [-5, 7]),
        "i8": (struct.pack("<2b", -5, 7), [-5, 7]),
        "u8": (struct.pack("<2B", 250, 7), [250, 7]),
        "bool": (b"\1\0", [1, 0]),
    }
    for dtype, (raw, expected) in numbers.items():
        found = page.evaluate(
            """([raw, dtype, size, start]) => {
              const buffer = new Uint8Array(raw).buffer;
              const entries = new Map([["a", { start: 0, size: raw.length }]]);
              return [...KuiperViewer.numbers(buffer, entries, "a", { dtype, shape: [size] }, "file")];
            }""",
            [list(raw), dtype, len(expected), 0],
        )
        assert found == pytest.approx(expected), dtype


def test_the_readers_place_can_be_used_on_a_phone(opened: Open, serious: Any) -> None:
    page = opened("own", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    choose(page, CLASSIFIER)
    wait_for(page, "40 operators")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert serious(page, "main") == []
