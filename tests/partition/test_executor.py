"""The executor: the outputs of the whole network, whatever the split; counted transfers, threads, memory, errors."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import InferError, KuiperError, ShapeError
from kuiper.graph import reverse_post_order
from kuiper.partition import (
    DeadlockError,
    Device,
    Executor,
    NodeGraph,
    Partition,
    PartitionError,
    Stats,
    SubGraph,
    SubGraphError,
    partition,
)
from kuiper.partition.backends import Program
from kuiper.partition.backends.protocol import Simple
from kuiper.runtime import RuntimeGraph

DIGITS = "models/digits/digits.pnnx.param"
CPU = Device("CPU")
MODES = ("tengine", "fewest", "cost")
X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)

BRANCHES = [
    ("nn.ReLU", "left", ["0"], ["1"], ""),
    ("nn.Sigmoid", "right", ["0"], ["2"], ""),
    ("pnnx.Expression", "sum", ["1", "2"], ["3"], "expr=add(@0,@1)"),
]


def network(folder: Path, lines: Sequence[tuple[str, str, list[str], list[str], str]], outputs: Sequence[str]) -> Any:
    """A built network of one (3,4) input, operand 0, from (type, name, reads, makes, parameters)."""
    rows = [("pnnx.Input", "in", [], ["0"], ""), *lines]
    rows += [("pnnx.Output", f"out{i}", [name], [], "") for i, name in enumerate(outputs)]
    shapes = {name: f"#{name}=(3,4)f32" for row in rows for name in row[3]}
    text = [
        f"{kind} {name} {len(reads)} {len(makes)} {' '.join([*reads, *makes])} {options} "
        + " ".join(shapes[o] for o in dict.fromkeys([*reads, *makes]))
        for kind, name, reads, makes, options in rows
    ]
    file = folder / "net.pnnx.param"
    file.write_text("\n".join(["7767517", f"{len(rows)} {len(shapes)}", *text]) + "\n")
    return kuiper.load(str(file), engine="simple")


def split(graph: Any, devices: Sequence[Device], mode: str = "fewest") -> Partition:
    return partition(NodeGraph.from_runtime(graph), devices, mode, min_nodes=0)


class Hooked(Simple):
    """The simple layers, with a function called before each sub-graph runs: (name of the sub-graph, its inputs)."""

    def __init__(self, before: Callable[[str, Sequence[Any]], None]) -> None:
        self.before = before

    def compile(self, graph: RuntimeGraph) -> Program:
        program = super().compile(graph)

        def run(inputs: Sequence[Any]) -> Sequence[Any]:
            self.before(str(graph.param), inputs)
            return program(inputs)

        return run


@pytest.fixture(scope="module")
def digits() -> Any:
    return kuiper.load(DIGITS, engine="simple")


# the same outputs


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("operators", [None, {"nn.Conv2d"}, {"pnnx.Input", "nn.ReLU", "nn.Linear", "nn.MaxPool2d"}])
def test_the_digits_network_in_parts_is_the_whole_one(digits: Any, mode: str, operators: set[str] | None) -> None:
    x = np.random.default_rng(0).standard_normal((3, 1, 8, 8)).astype(np.float32)
    parts = split(digits, [Device("ACC", operators=operators, speed=1e12), CPU], mode)
    executor = Executor(parts)
    (found,), (expected,) = executor.run([x]), digits(x)
    np.testing.assert_array_equal(found, expected)
    assert executor.stats.transfers == parts.transfers
    assert sorted(executor.stats.order) == list(range(len(parts.subgraphs)))
    assert executor.stats.left_bytes == 0


def test_parts_are_given_their_inputs_in_the_right_order_whatever_the_topological_order() -> None:
    backwards = kuiper.Toolbox(topological_order=lambda s: reverse_post_order(dict(reversed(list(s.items())))))
    writer = kuiper.load("models/writer/writer.pnnx.param", toolbox=backwards)
    inputs = [np.array([[5, 7, 9]]), *(np.zeros((4, 1, 2, 3, 32), np.float32) for _ in range(2)), np.array([0])]
    executor = Executor(split(writer, [Device("ACC", operators={"nn.Linear", "pnnx.Expression"}), CPU]))
    for found, expected in zip(executor.run(inputs), writer(*inputs), strict=True):
        np.testing.assert_array_equal(found, expected)


@st.composite
def lines(draw: st.DrawFn) -> list[tuple[str, str, list[str], list[str], str]]:
    """Random acyclic networks of elementwise operators on (3,4)."""
    rows = []
    for i in range(1, draw(st.integers(1, 12)) + 1):
        reads = st.integers(0, i - 1).map(str)
        kind = draw(st.sampled_from(["nn.ReLU", "nn.Sigmoid", "nn.Tanh", "pnnx.Expression"]))
        if kind == "pnnx.Expression":
            rows.append((kind, f"op{i}", [draw(reads), draw(reads)], [str(i)], "expr=sub(mul(@0,2),@1)"))
        else:
            rows.append((kind, f"op{i}", [draw(reads)], [str(i)], ""))
    return rows


@given(lines(), st.data())
@settings(max_examples=40, deadline=None)
def test_any_split_of_any_network_gives_its_outputs_and_counts_its_transfers(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any], data: st.DataObject
) -> None:
    read = {name for row in rows for name in row[2]}
    ends = [str(i) for i in range(len(rows) + 1) if str(i) not in read]
    graph = network(tmp_path_factory.mktemp("net"), rows, data.draw(st.permutations(ends)))
    types = st.sets(st.sampled_from(["nn.ReLU", "nn.Sigmoid", "nn.Tanh", "pnnx.Expression", "pnnx.Input"]))
    mode = data.draw(st.sampled_from(MODES))
    devices = [Device("A", operators=data.draw(types), speed=1e12)]
    if mode != "tengine":
        devices.append(Device("B", operators=data.draw(types), speed=1e11))
    parts = split(graph, [*devices, CPU], mode)
    executor = Executor(parts)
    for found, expected in zip(executor.run([X]), graph(X), strict=True):
        np.testing.assert_array_equal(found, expected)
    stats = executor.stats
    assert (stats.transfers, stats.bytes) == (parts.transfers, 48 * parts.transfers)
    assert {(copy.tensor, copy.target) for copy in stats.copies} == {(t, d.name) for t, d in parts.copies}
    assert stats.left_bytes == 0
    started = {i: place for place, i in enumerate(stats.order)}
    for part in parts.subgraphs:
        for other in parts.subgraphs:
            if set(other.outputs) & set(part.inputs):
                assert started[other.index] < started[part.index]
                assert stats.times[other.index][1] <= stats.times[part.index][0]


def test_numbers_and_tuples_cross_between_devices(tmp_path: Path) -> None:
    rows = [
        ("pnnx.Expression", "rows", ["0"], ["1"], "expr=size(@0,0)"),
        ("pnnx.Expression", "scaled", ["0", "1"], ["2"], "expr=mul(@0,@1)"),
        ("prim::TupleConstruct", "pair", ["2", "0"], ["3"], ""),
        ("prim::TupleUnpack", "single", ["3"], ["4", "5"], ""),
        ("nn.ReLU", "relu", ["4"], ["6"], ""),
    ]
    graph = network(tmp_path, rows, ["6", "5", "3"])
    acc = Device("ACC", refuses=lambda node: None if node.name in ("rows", "pair", "relu") else "not here")
    executor = Executor(split(graph, [acc, CPU]))
    assert len(executor.partition.subgraphs) == 5
    found, expected = executor.run([X]), graph(X)
    assert len(found) == len(expected) == 4
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(found[0], np.maximum(3 * X, 0))


def test_a_network_may_return_its_input_and_the_same_value_twice(tmp_path: Path) -> None:
    graph = network(tmp_path, BRANCHES, ["0", "1", "3", "1"])
    for mode in MODES:
        found = Executor(split(graph, [Device("ACC", operators={"nn.ReLU"}), CPU], mode)).run([X])
        for a, b in zip(found, graph(X), strict=True):
            np.testing.assert_array_equal(a, b)


def test_results_are_the_callers_own(tmp_path: Path) -> None:
    executor = Executor(split(network(tmp_path, BRANCHES, ["0", "3"]), [CPU]))
    x = X.copy()
    first = executor.run([x])
    for y in first:
        y[:] = 7
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(executor.run([x])[0], X)


def test_inputs_may_be_a_list_a_dictionary_or_the_only_array(tmp_path: Path) -> None:
    graph = network(tmp_path, BRANCHES, ["3"])
    executor = Executor(split(graph, [CPU]))
    for given_ in ([X], (X,), {"0": X}, X, X.astype(np.float64)):
        np.testing.assert_allclose(executor.run(given_)[0], graph(X)[0])
    with pytest.raises(InferError, match=r"expected 1 input array\(s\), found 2"):
        executor.run([X, X])
    with pytest.raises(InferError, match="expected inputs named 0, found x"):
        executor.run({"x": X})
    with pytest.raises(ShapeError, match="rank 2"):
        executor.run([X[0]])


# what cannot run


def test_what_is_no_partition_of_a_network_is_refused(digits: Any) -> None:
    with pytest.raises(PartitionError, match="expected a Partition, found int"):
        Executor(3)  # type: ignore[arg-type]
    lists = NodeGraph.from_lists([["conv", [0], [1]]], {0: {"kind": "input"}})
    with pytest.raises(PartitionError, match="found one without operators: it cannot run"):
        Executor(partition(lists, [CPU]))
    with pytest.raises(PartitionError, match="workers: expected at least 1, found 0"):
        Executor(split(digits, [CPU]), workers=0)


def test_a_faulty_partition_raises_at_once_and_does_not_hang(tmp_path: Path) -> None:
    graph = NodeGraph.from_runtime(network(tmp_path, BRANCHES, ["3"]))
    upside_down = [SubGraph(0, CPU, [3], [1, 2], [3], 2), SubGraph(1, CPU, [1, 2], [0], [1, 2], 0)]
    with pytest.raises(PartitionError) as error:
        Executor(Partition(graph, [CPU], "fewest", upside_down))
    assert error.value.invariant == "order"
    waits = [SubGraph(0, CPU, [1, 2], [0], [1, 2], 1), SubGraph(1, CPU, [3], [1, 2], [3], 2)]
    with pytest.raises((DeadlockError, PartitionError)):
        Executor(Partition(graph, [CPU], "fewest", waits))


def test_a_failing_subgraph_is_named_and_the_executor_runs_again(tmp_path: Path) -> None:
    faults = iter([ValueError("out of order"), ValueError(), KuiperError("no power")])

    def fail(name: str, inputs: Sequence[Any]) -> None:
        for fault in faults:
            raise fault

    graph = network(tmp_path, BRANCHES, ["3"])
    acc = Device("ACC", operators={"nn.Sigmoid"}, backend=Hooked(fail))
    executor = Executor(split(graph, [acc, CPU]))
    for text in ("out of order", "ValueError", "no power"):
        with pytest.raises(SubGraphError, match=rf"sub-graph \d on ACC \(right\) failed: {text}") as error:
            executor.run([X])
        assert executor.partition.subgraphs[error.value.index].device is acc
    np.testing.assert_array_equal(executor.run([X])[0], graph(X)[0])
    assert executor.stats.left_bytes == 0


def test_a_failure_lets_those_at_work_end_and_starts_no_others(tmp_path: Path) -> None:
    left_works, failed = threading.Event(), threading.Event()
    ended = []

    def left(name: str, inputs: Sequence[Any]) -> None:
        left_works.set()
        assert failed.wait(20)
        ended.append(name)

    def right(name: str, inputs: Sequence[Any]) -> None:
        assert left_works.wait(20)
        failed.set()
        raise ValueError("broken")

    graph = network(tmp_path, BRANCHES, ["3"])
    devices = [
        Device("A", operators={"nn.ReLU"}, backend=Hooked(left)),
        Device("B", operators={"nn.Sigmoid"}, backend=Hooked(right)),
        Device("C", operators={"pnnx.Expression"}, backend=Hooked(lambda name, inputs: ended.append(name))),
    ]
    with pytest.raises(SubGraphError, match=r"on B .*broken"):
        Executor(split(graph, devices)).run([X])
    assert len(ended) == 1
    assert "on A" in ended[0]


# threads


def test_independent_subgraphs_work_at_the_same_time(tmp_path: Path) -> None:
    both = threading.Barrier(2)

    def meet(name: str, inputs: Sequence[Any]) -> None:
        both.wait(20)

    graph = network(tmp_path, BRANCHES, ["3"])
    devices = [
        Device("A", operators={"nn.ReLU"}, backend=Hooked(meet)),
        Device("B", operators={"nn.Sigmoid"}, backend=Hooked(meet)),
        CPU,
    ]
    executor = Executor(split(graph, devices))
    assert executor.waves == [[0, 1], [2]]
    np.testing.assert_array_equal(executor.run([X])[0], graph(X)[0])
    assert executor.stats.concurrency == 2
    assert executor.stats.transfers == 2


def test_a_subgraph_does_not_wait_for_others_of_its_wave(tmp_path: Path) -> None:
    """The slow one of wave 0 ends only once a sub-graph of wave 1 has begun."""
    rows = [
        ("nn.ReLU", "slow", ["0"], ["1"], ""),
        ("nn.Sigmoid", "first", ["0"], ["2"], ""),
        ("nn.Tanh", "second", ["2"], ["3"], ""),
    ]
    begun = threading.Event()

    def wait(name: str, inputs: Sequence[Any]) -> None:
        assert begun.wait(20), "the sub-graph of wave 1 waited for all of wave 0"

    graph = network(tmp_path, rows, ["1", "3"])
    devices = [
        Device("A", operators={"nn.ReLU"}, backend=Hooked(wait)),
        Device("B", operators={"nn.Sigmoid"}),
        Device("C", operators={"nn.Tanh"}, backend=Hooked(lambda name, inputs: begun.set())),
    ]
    executor = Executor(split(graph, devices))
    slow = next(part.index for part in executor.partition.subgraphs if part.device.name == "A")
    later = next(part.index for part in executor.partition.subgraphs if part.device.name == "C")
    assert slow in executor.waves[0]
    assert later in executor.waves[1]
    executor.run([X])
    assert executor.stats.times[later][0] < executor.stats.times[slow][1]


def test_several_threads_may_run_one_executor(digits: Any) -> None:
    executor = Executor(split(digits, [Device("ACC", operators={"nn.Conv2d"}), CPU]))
    inputs = [np.full((1, 1, 8, 8), i, np.float32) for i in range(6)]
    expected = [digits(x)[0] for x in inputs]
    found: dict[int, np.ndarray] = {}

    def work(i: int) -> None:
        for _ in range(5):
            found[i] = executor.run([inputs[i]])[0]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(inputs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for i, y in enumerate(expected):
        np.testing.assert_array_equal(found[i], y)


# memory


class Counting(Simple):
    """The simple layers, with a weak reference to every array in the device's memory."""

    def __init__(self) -> None:
        self.arrays: list[weakref.ref[np.ndarray]] = []
        self.alive: list[int] = []

    def _seen(self, x: np.ndarray) -> np.ndarray:
        self.arrays.append(weakref.ref(x))
        return x

    def put(self, x: np.ndarray) -> np.ndarray:
        return self._seen(super().put(x))

    def compile(self, graph: RuntimeGraph) -> Program:
        program = super().compile(graph)

        def run(inputs: Sequence[Any]) -> Sequence[Any]:
            self.alive.append(sum(ref() is not None for ref in self.arrays))
            return [self._seen(x) for x in program(inputs)]

        return run


def test_arrays_are_released_after_their_last_reader(tmp_path: Path) -> None:
    """A chain in turn on A and B: at every step there is the one input, in one memory."""
    kinds = ["nn.ReLU", "nn.Sigmoid"] * 4
    rows = [(kind, f"op{i}", [str(i)], [str(i + 1)], "") for i, kind in enumerate(kinds)]
    backend = Counting()
    devices = [
        Device("A", operators={"nn.ReLU"}, backend=backend),
        Device("B", operators={"nn.Sigmoid"}, backend=backend),
    ]
    executor = Executor(split(network(tmp_path, rows, ["8"]), devices))
    for _ in range(2):
        backend.alive.clear()
        executor.run([X])
        assert backend.alive == [1] * 8
    assert all(ref() is None for ref in backend.arrays)
    assert executor.stats.peak_bytes == 2 * X.nbytes
    assert executor.stats.left_bytes == 0


def test_a_tensor_read_late_stays_until_then(tmp_path: Path) -> None:
    rows = [
        ("nn.ReLU", "first", ["0"], ["1"], ""),
        ("nn.Sigmoid", "second", ["1"], ["2"], ""),
        ("nn.ReLU", "third", ["2"], ["3"], ""),
        ("nn.Sigmoid", "fourth", ["3"], ["4"], ""),
        ("pnnx.Expression", "late", ["4", "2"], ["5"], "expr=add(@0,@1)"),
    ]
    backend = Counting()
    devices = [Device("A", operators={"nn.ReLU"}), Device("B", blocked={"nn.ReLU"}, backend=backend)]
    graph = network(tmp_path, rows, ["5"])
    executor = Executor(split(graph, devices))
    found = executor.run([X])
    assert [part.device.name for part in executor.partition.subgraphs] == ["A", "B", "A", "B"]
    assert backend.alive == [1, 2]
    np.testing.assert_array_equal(found[0], graph(X)[0])


# float16 islands


def test_float16_islands_are_cast_at_their_borders_and_agree_within_float16(digits: Any) -> None:
    x = np.random.default_rng(1).standard_normal((4, 1, 8, 8)).astype(np.float32)
    seen: list[np.dtype] = []
    backend = Hooked(lambda name, inputs: seen.extend(a.dtype for a in inputs))
    half = Device("HALF", operators={"nn.Conv2d", "nn.ReLU"}, dtypes={"float16"}, cast=True, backend=backend)
    parts = split(digits, [half, CPU])
    executor = Executor(parts)
    (found,), (expected,) = executor.run([x]), digits(x)
    assert set(seen) == {np.dtype(np.float16)}
    assert found.dtype == np.float32
    difference = np.abs(found - expected).max() / np.abs(expected).max()
    assert 1e-7 < difference < 1e-2, "computed in float32, or wrong"
    assert executor.stats.casts == executor.stats.transfers == parts.transfers > 0  # all at the island's border


def test_without_cast_a_float16_device_takes_no_float32_node(digits: Any) -> None:
    half = Device("HALF", dtypes={"float16"})
    assert {part.device.name for part in split(digits, [half, CPU]).subgraphs} == {"CPU"}
    with pytest.raises(PartitionError, match="cast: expected one of float16, float32, float64 in dtypes, found none"):
        Device("HALF", cast=True)


def test_stats_of_an_executor_that_has_not_run_are_empty(digits: Any) -> None:
    stats = Executor(split(digits, [CPU])).stats
    assert (stats.transfers, stats.bytes, stats.concurrency, stats.seconds) == (0, 0, 0, 0.0)
    assert stats == Stats()
