from __future__ import annotations

import gc
import io
import json
import struct
from collections import Counter, OrderedDict, defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from classroom.judge import codec
from classroom.judge.codec import CodecError


def there_and_back(value: Any) -> Any:
    return codec.read(io.BytesIO(codec.encode(value)))


def frame(header: Any, body: bytes = b"") -> io.BytesIO:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return io.BytesIO(struct.pack("<IQ", len(text), len(body)) + text + body)


def same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, (np.ndarray, np.generic)):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return a == b or (a != a and b != b)


DTYPES = st.sampled_from(["?", "i1", "u2", "i8", "f2", "f4", "f8", "c8", "c16"])
ARRAYS = DTYPES.flatmap(lambda d: hnp.arrays(d, hnp.array_shapes(min_dims=0, min_side=0, max_side=3)))
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | ARRAYS
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@pytest.mark.slow
@given(VALUES)
@settings(max_examples=150, deadline=None)
def test_what_arrives_is_what_was_sent_with_its_type(value: Any) -> None:
    assert same(there_and_back(value), value)


@pytest.mark.parametrize("value", [np.float64(1.5), np.float32(2), np.int8(3), np.bool_(True), np.complex64(1j)])
def test_scalars_of_numpy_keep_their_type(value: np.generic) -> None:
    assert same(there_and_back(value), value)


@pytest.mark.parametrize(
    ("value", "kind"), [(True, bool), (1, int), (1.0, float), (1 << 80, int), (-(1 << 63), int), (False, bool)]
)
def test_numbers_that_are_equal_stay_apart(value: Any, kind: type) -> None:
    back = there_and_back([value])[0]
    assert type(back) is kind
    assert back == value


def test_arrays_arrive_writable_and_in_row_major_order() -> None:
    back = there_and_back(np.arange(24.0).reshape(4, 6)[::2, ::3])
    assert back.flags.c_contiguous
    assert back.flags.writeable
    assert back.tolist() == [[0, 3], [12, 15]]


def test_a_transposed_array_arrives_column_by_column() -> None:
    back = there_and_back(np.arange(6.0).reshape(2, 3).T)
    assert back.flags.f_contiguous
    assert not back.flags.c_contiguous
    assert back.flags.writeable
    assert back.tolist() == [[0, 3], [1, 4], [2, 5]]


@pytest.mark.parametrize(
    "value",
    [
        defaultdict(list, {"a": ["b"], "b": []}),
        OrderedDict([("b", 1), ("a", 2)]),
        Counter("abca"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_dictionaries_of_collections_arrive_as_dicts(value: Any) -> None:
    assert same(there_and_back(value), dict(value))


def test_sets_of_text_arrive_as_sets() -> None:
    back = there_and_back({"a": {"b", "c"}, "b": set()})
    assert back == {"a": {"b", "c"}, "b": set()}
    assert type(back["a"]) is set


class Text(str):
    __slots__ = ()


class Whole(int):
    pass


class Real(float):
    pass


class Table(dict):
    pass


class Filled(defaultdict):
    def items(self) -> Any:
        raise AssertionError("a method of somebody's own was called")


class Names(set):
    def __iter__(self) -> Any:
        raise AssertionError("a method of somebody's own was called")


class Array(np.ndarray):
    pass


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (Text("a"), "Text"),
        (Whole(1), "Whole"),
        (Real(1.0), "Real"),
        (Table(), "Table"),
        (Filled(list), "Filled"),
        (Names(), "Names"),
        (np.zeros(2).view(Array), "Array"),
        (np.ma.masked_array([1]), "MaskedArray"),
        (object(), "object"),
        (1j, "complex"),
        (b"a", "bytes"),
        ({1, 2}, "found a set of int: make a list of it"),
        ({Text("a")}, "found a set of Text: make a list of it"),
        (frozenset("a"), "frozenset"),
        ({1: 2}, "int"),
        ({Text("a"): 2}, "Text"),
        (lambda: 1, "function"),
        (np.str_("a"), "<U1"),
        (np.array([object()]), "object"),
        (np.array(["a"]), "<U1"),
        (np.zeros(2, ">f4"), ">f4"),
        (np.zeros(2, "datetime64[s]"), "datetime64"),
        (np.zeros(2, [("a", "f4")]), "('a', '<f4')"),
        (np.zeros((1,) * 40), "40 dimensions"),
        (1 << 20_000, "bits"),
        (np.zeros(codec.MAX_ARRAY_BYTES // 8 + 1), "MB"),
        ("x" * (codec.MAX_HEADER_BYTES + 1), "MB"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_may_not_travel_is_named(value: Any, named: str) -> None:
    with pytest.raises(CodecError) as caught:
        codec.encode([value])
    assert named in str(caught.value)


def test_a_list_that_holds_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(CodecError, match="levels"):
        codec.encode(endless)


@pytest.mark.parametrize(
    "header",
    [
        1.5,
        float("nan"),
        [1],
        {},
        {"list": [], "tuple": []},
        {"unknown": 1},
        {"list": {"a": 1}},
        {"list": "ab"},
        {"set": "ab"},
        {"set": {"a": "b"}},
        {"set": [1]},
        {"set": [{"list": []}]},
        {"set": ["\ud800"]},
        {"dict": [1]},
        {"int": 5},
        {"int": "1" * 5000},
        {"int": "no"},
        {"float": "1.5"},
        {"float": "infinity"},
        {"float": None},
        {"array": ["f4"]},
        {"array": ["f4", [0], 2]},
        {"array": ["f4", [0], "C"]},
        {"array": ["f4", [0], "F", "F"]},
        {"array": ["O", [0]]},
        {"array": ["U1", [0]]},
        {"array": [["f4"], [0]]},
        {"array": ["f4", "0"]},
        {"array": ["f4", {}]},
        {"array": ["f4", [-1]]},
        {"array": ["f4", [True]]},
        {"array": ["f4", [1.0]]},
        {"array": ["f4", [1]]},
        {"array": ["f4", [1 << 40, 1 << 40]]},
        {"array": ["f4", [0, 1 << 62, 1 << 62]]},
        {"array": ["f4", [0] * 40]},
        {"array": {"f4": [0]}},
        {"scalar": ["f4", [0]]},
        "\ud800",
        {"dict": {"\ud800": 1}},
    ],
)
def test_a_header_that_says_something_else_is_refused(header: Any) -> None:
    with pytest.raises(CodecError):
        codec.read(frame(header))


@pytest.mark.parametrize(
    "text", [b"", b"\xff", b"{", b'{"list": [1], "list": [2]}', b'{"dict": {"a": 1, "a": 2}}', b"[" * 100_000]
)
def test_text_that_is_no_header_is_refused(text: bytes) -> None:
    with pytest.raises(CodecError):
        codec.read(frame(text))


def test_nesting_has_an_end() -> None:
    header: Any = 1
    for _ in range(codec.MAX_DEPTH + 2):
        header = {"list": [header]}
    with pytest.raises(CodecError, match="nested"):
        codec.read(frame(header))


def test_bytes_that_belong_to_nothing_are_refused() -> None:
    with pytest.raises(CodecError, match="no array"):
        codec.read(frame({"array": ["f4", [1]]}, b"12345"))


def test_bools_are_zero_or_one() -> None:
    with pytest.raises(CodecError, match="neither"):
        codec.read(frame({"array": ["b1", [2]]}, b"\x01\x02"))


@pytest.mark.parametrize(
    "lengths", [(codec.MAX_HEADER_BYTES + 1, 0), (0, codec.MAX_ARRAY_BYTES + 1), (2**32 - 1, 2**64 - 1)]
)
def test_a_frame_that_announces_too_much_is_refused_before_it_is_read(lengths: tuple[int, int]) -> None:
    with pytest.raises(CodecError, match="too large"):
        codec.read(io.BytesIO(struct.pack("<IQ", *lengths)))


@pytest.mark.parametrize("count", range(1, 24))
def test_a_frame_that_breaks_off_is_the_end_of_the_connection(count: int) -> None:
    whole = codec.encode(np.zeros(2, np.float32))
    with pytest.raises(EOFError):
        codec.read(io.BytesIO(whole[:count]))


@given(st.binary(max_size=80))
@settings(max_examples=200, deadline=None)
def test_random_bytes_raise_nothing_else(data: bytes) -> None:
    for stream in (io.BytesIO(data), frame(data), frame({"array": ["f4", [len(data) // 4]]}, data)):
        try:
            codec.read(stream)
        except (CodecError, EOFError):
            continue


@pytest.mark.parametrize("collects", [True, False])
def test_garbage_is_collected_afterwards_where_it_was_before(collects: bool) -> None:
    was = gc.isenabled()
    try:
        (gc.enable if collects else gc.disable)()
        codec.encode(["a"])
        with pytest.raises(CodecError):
            codec.encode([object()])
        with pytest.raises(CodecError):
            codec.read(frame({"list": ["\ud800"]}))
        assert gc.isenabled() is collects
    finally:
        (gc.enable if was else gc.disable)()
