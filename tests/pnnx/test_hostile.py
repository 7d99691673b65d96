"""Damaged and made-up files: a KuiperError or a right answer, in little memory; never another exception."""

from __future__ import annotations

import itertools
import random
import tracemalloc
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kuiper import KuiperError, pnnx
from kuiper.pnnx import Attribute, Graph, Operator

LIMIT = 100_000_000
NUMBERS = itertools.count()
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
TEXT = b"""\
7767517
5 4
pnnx.Input in 0 1 0 #0=(1,4)f32
nn.Linear fc1.a 1 1 0 1 bias=True in_features=4 @bias=(3)f32 @weight=(3,4)f32 $input=0 #0=(1,4)f32 #1=(1,3)f32
pnnx.Expression e 2 1 1 1 2 expr=add(@0,@1) k=(1,2.5) #2=(1,?)f32
pnnx.Attribute n 0 1 3 @data=(2)i64 #3=(2)i64
pnnx.Output out 1 0 2
"""
WEIGHTS = {
    "fc1.a": {"bias": np.float32([1, 2, 3]), "weight": np.arange(12, dtype=np.float32).reshape(3, 4)},
    "n": {"data": np.int64([7, -8])},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a valid model: net.pnnx.param and net.pnnx.bin."""
    folder = tmp_path_factory.mktemp("hostile")
    operators = [
        Operator("any", name, attributes={key: Attribute.from_array(a) for key, a in arrays.items()})
        for name, arrays in WEIGHTS.items()
    ]
    pnnx.write(Graph(operators), folder / "scratch.param", folder / "net.pnnx.bin")
    (folder / "net.pnnx.param").write_bytes(TEXT)
    return folder


@contextmanager
def little_memory():
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < LIMIT
    finally:
        tracemalloc.stop()


def read(folder, param=None, weights=None):
    """The graph, or None after a KuiperError; anything else escapes and fails the test."""
    paths = [folder / "net.pnnx.param", folder / "net.pnnx.bin"]
    for i, data in enumerate([param, weights]):
        if data is not None:
            paths[i] = folder / f"damaged{next(NUMBERS)}"  # a new name: Windows does not overwrite a mapped file
            paths[i].write_bytes(data)
    message = None
    with little_memory():
        try:
            graph = pnnx.read(*paths)
        except KuiperError as error:
            message = str(error)
    if message is None:
        return graph
    assert str(folder) in message
    return None


def assert_same_weights(graph):
    found = {op.name: op.attributes for op in graph if op.attributes}
    assert found.keys() == WEIGHTS.keys()
    for name, arrays in WEIGHTS.items():
        for key, array in arrays.items():
            np.testing.assert_array_equal(found[name][key].data, array)


def test_the_model_is_valid_before_it_is_damaged(folder):
    assert_same_weights(read(folder))


@pytest.mark.slow
def test_no_flipped_byte_of_the_bin_silently_changes_a_weight(folder):
    good = (folder / "net.pnnx.bin").read_bytes()
    noticed = 0
    for at in range(len(good)):
        for bits in (0x01, 0x80, 0xFF):
            bad = bytearray(good)
            bad[at] ^= bits
            graph = read(folder, weights=bytes(bad))
            noticed += graph is None
            if graph is not None:
                assert_same_weights(graph)
    assert noticed > len(good)


@QUICK
@given(damage=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=6))
def test_no_damage_to_the_bin_silently_changes_a_weight(folder, damage):
    bad = bytearray((folder / "net.pnnx.bin").read_bytes())
    for at, value in damage:
        bad[at % len(bad)] = value
    graph = read(folder, weights=bytes(bad))
    if graph is not None:
        assert_same_weights(graph)


@QUICK
@given(data=st.binary(max_size=200))
def test_any_bytes_in_place_of_the_bin(folder, data):
    assert read(folder, weights=data) is None


@pytest.mark.slow
def test_flipped_bytes_of_the_text(folder):
    rng = random.Random(0)
    for at in range(len(TEXT)):
        bad = bytearray(TEXT)
        bad[at] ^= 1 << rng.randrange(8)
        read(folder, param=bytes(bad))


PIECES = [
    b"0",
    b"1",
    b"9999999999",
    b"-1",
    b" ",
    b"\n",
    b"=",
    b"(",
    b")",
    b",",
    b"?",
    b"@",
    b"#",
    b"$",
    b"f32",
    b"%",
    b"\xff",
    b"e",
]


@QUICK
@given(cut=st.integers(0, len(TEXT)), length=st.integers(0, 8), piece=st.sampled_from(PIECES), times=st.integers(0, 3))
def test_edited_text(folder, cut, length, piece, times):
    read(folder, param=TEXT[:cut] + piece * times + TEXT[cut + length :])


@QUICK
@given(order=st.permutations(TEXT.splitlines(keepends=True)[2:]))
def test_lines_in_any_order_give_the_same_weights(folder, order):
    assert_same_weights(read(folder, param=b"7767517\n5 4\n" + b"".join(order)))


@QUICK
@given(body=st.text(max_size=200))
def test_any_text_after_the_first_line(folder, body):
    read(folder, param=b"7767517\n" + body.encode("utf-8", "surrogatepass"))


@QUICK
@given(tokens=st.lists(st.sampled_from(TEXT.split()) | st.sampled_from(PIECES), max_size=20))
def test_any_words_on_a_line(folder, tokens):
    read(folder, param=b"7767517\n1 1\n" + b" ".join(tokens) + b"\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        b"pnnx.Attribute a 0 1 0 @data=(1000000,1000000)f32",
        b"a b 1000000000 1000000000 0",
        b"a b 0 1 0 #0=(" + b"999999999999999999," * 1000 + b"1)f32",
        b"a b 0 1 0 k=(" + b"1," * 200_000 + b"1)",
        b"a b 0 1 0 k=" + b"(" * 500_000,
        b"a b 0 1 0 k=1e" + b"9" * 500_000,
        b"a b 0 1 0 k=0." + b"9" * 500_000 + b"+j",
        b"a b 0 1 0 " + b"k=1 " * 100_000,
        b"a b 60000 1 " + b"0 " * 60_001 + b"$x=0 " * 60_000,
        b"\0" * 1_000_000,
        b" " * 3_000_000,
    ],
    ids=range(11),
)
def test_absurd_lines(folder, line):
    read(folder, param=b"7767517\n1 1\n" + line + b"\n")
