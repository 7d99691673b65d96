"""The moving pictures' numbers against slow independent computations, and against kuiper."""

from __future__ import annotations

import functools
import json
import re
from typing import Any

import numpy as np
import pytest

from classroom.site import moving
from classroom.site.moving import (
    attention,
    cache,
    convolution,
    depth_first,
    kahn,
    levels,
    memory,
    residual,
    sampling,
    subgraphs,
    suppression,
)
from classroom.site.moving.im2col import PIXEL
from kuiper.graph import topological_order
from kuiper.partition import Device, NodeGraph, partition


@functools.cache
def frames(name: str) -> list[tuple[str, dict[str, list[Any]]]]:
    """The frames as the page's script reads them: sentence, and part -> [class, text, dx, dy]."""
    found = re.search(r'<script type="application/json">(.*?)</script>', moving.snippet(name))
    assert found
    told, states = [], dict[str, list[Any]]()
    for say, changes in json.loads(found[1]):
        states = {key: state for key, state in (states | changes).items() if state}
        told.append((say, states))
    return told


def texts(states: dict[str, list[Any]], letters: str) -> list[str]:
    """The texts of parts letters0, letters1, ... as far as the frame gives them one."""
    numbered = {int(key.removeprefix(letters)): state for key, state in states.items()
                if re.fullmatch(rf"{letters}\d+", key)}  # fmt: skip
    return [state[1] for _, state in sorted(numbered.items()) if len(state) > 1]


def visit(name: str, successors: dict[str, list[str]], path: list[str], log: list[tuple[tuple[str, ...], int]]) -> None:
    """The lesson's recursion; `log` has the path and the number of finished nodes at each call and return."""
    path.append(name)
    done = log[-1][1] if log else 0
    log.append((tuple(path), done))
    for follower in successors[name]:
        visit(follower, successors, path, log)
    log.append((tuple(path), log[-1][1] + 1))
    path.pop()


def test_depth_first_shows_the_calls_of_the_recursion() -> None:
    log: list[tuple[tuple[str, ...], int]] = []
    visit("input", depth_first.EXAMPLE, [], log)
    shown = [
        (tuple(re.findall(r'"(\w+)"', " ".join(texts(states, "call")))), len(texts(states, "slot")))
        for _, states in frames("depth_first")[1:-1]
    ]
    assert shown == log


def test_depth_first_ends_with_the_order_read_backwards() -> None:
    say, states = frames("depth_first")[-1]
    assert texts(states, "slot") == ["op4", "output", "op5", "op3", "op1", "input"]
    assert texts(states, "back") == ["input", "op1", "op3", "op5", "output", "op4"]
    assert "input, op1, op3, op5, output, op4" in say
    place = {name: i for i, name in enumerate(texts(states, "back"))}
    assert all(place[a] < place[b] for a, followers in depth_first.EXAMPLE.items() for b in followers)


def test_a_walk_meets_a_node_again_without_entering_it() -> None:
    moments = depth_first.walk({"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []})
    assert any("c looks at d, which has been entered before" in moment.say for moment in moments)
    assert moments[-1].finished == ("d", "b", "c", "a")


def test_kahn_takes_only_what_waits_for_nothing_and_ends_with_kuipers_order() -> None:
    moments = kahn.count_down(kahn.EXAMPLE)
    for moment in moments:
        undone = [b for b, after in kahn.EXAMPLE.items() if b not in moment.order and {*after} & {*moment.ready}]
        assert undone == []
    assert list(moments[-1].order) == topological_order(kahn.EXAMPLE)
    _, states = frames("kahn")[-1]
    assert texts(states, "slot") == topological_order(kahn.EXAMPLE)
    assert {states[f"count {name}"][1] for name in kahn.EXAMPLE} == {"0"}


def test_kahn_leaves_out_what_is_in_a_cycle() -> None:
    moments = kahn.count_down({"a": ["b"], "b": ["c"], "c": ["b"]})
    assert moments[-1].order == ("a",)
    assert moments[-1].missing == {"a": 0, "b": 1, "c": 1}


def test_im2col_ends_with_the_convolution() -> None:
    image, kernel = np.arange(1, 17).reshape(4, 4), np.array([[1, 2, 3], [3, 2, 1], [1, 2, 3]])
    expected = [[sum(kernel[a, b] * image[i + a, j + b] for a in range(3) for b in range(3)) for j in range(2)]
                for i in range(2)]  # fmt: skip
    say, states = frames("im2col")[-1]
    assert texts(states, "y") == [str(value) for row in expected for value in row]
    assert texts(states, "y") == ["110", "128", "182", "200"]
    assert str([[int(value) for value in row] for row in expected]) in say


def test_im2col_writes_each_window_as_a_row() -> None:
    image = np.arange(1, 17).reshape(4, 4)
    for number, (_, states) in enumerate(frames("im2col")[1:5]):
        i, j = divmod(number, 2)
        row = [states[f"r{number}.{place}"][1] for place in range(9)]
        assert row == [str(value) for value in image[i : i + 3, j : j + 3].reshape(-1)]
        right, down = [*states["ring"][2:], 0, 0][:2]
        assert (right, down) == (PIXEL * j, PIXEL * i)
        marked = {key for key in states if re.fullmatch(r"x\d+", key)}
        assert marked == {f"x{value}" for value in row}


def test_im2col_adds_up_the_products_that_it_names() -> None:
    for number, (say, _) in enumerate(frames("im2col")[6:10]):
        terms = re.findall(r"(\d+)·(\d+)", say)
        assert len(terms) == 9
        total = sum(int(a) * int(b) for a, b in terms)
        assert say.endswith(f"= {total}.")
        assert total == (110, 128, 182, 200)[number]


def test_reverse_polish_ends_with_20_and_with_5() -> None:
    results = [texts(states, "s") for say, states in frames("reverse_polish") if "the result." in say and "One" in say]
    assert results == [["20"], ["5"]]
    say, _ = frames("reverse_polish")[-1]
    assert "-5 instead of 5" in say


def test_reverse_polish_moves_the_stack_as_a_stack_moves() -> None:
    functions = {"add": lambda a, b: a + b, "mul": lambda a, b: a * b, "sub": lambda a, b: a - b}
    stack: list[int] = []
    popped: list[int] = []
    for say, states in frames("reverse_polish")[:-1]:
        if "The stack is empty" in say:
            stack = []
        elif pushed := re.search(r"push its value (\d+)", say):
            stack.append(int(pushed[1]))
        elif re.search(r"Pop the (top|next)", say):
            popped.append(stack.pop())
            side = "right" if len(popped) == 1 else "left"
            assert states[side][1] == str(popped[-1])
            assert f"the {side} one" in say
        else:
            name = say.split("(")[0]
            right, left = popped
            stack.append(functions[name](left, right))
            assert f"{name}({left}, {right}) = {stack[-1]}" in say
            popped = []
        assert texts(states, "s") == [str(value) for value in stack]


def test_memory_tells_what_is_alive_at_each_step() -> None:
    reads = {"op1": ["input"], "op2": ["op1"], "op3": ["op2"], "op4": ["op2"], "add": ["op3", "op4"], "output": ["add"]}
    order = ["input", *reads]
    for step, (say, states) in enumerate(frames("memory")[1:8]):
        alive = [
            name for name in order[:-1]
            if order.index(name) <= step <= max(i for i, other in enumerate(order) if name in reads.get(other, ()))
        ]  # fmt: skip
        assert f"Step {step}: {order[step]} " in say
        assert f"Alive: {', '.join(alive)}, together {3072 * len(alive):,} bytes" in say
        assert {key for key, state in states.items() if key[0] == "v" and state[0] in ("now", "orange")} == {
            f"v{name}" for name in alive
        }


def test_memory_places_values_where_the_whole_plan_has_them() -> None:
    plan = memory.network().plan
    told = [found for say, _ in frames("memory") if (found := re.match(r"(\w+) lives .* ([\d,]+) to ([\d,]+)\.$", say))]
    assert len(told) == len(plan.sizes) == 6
    for found in told:
        start, end = (int(number.replace(",", "")) for number in (found[2], found[3]))
        assert start == plan.offsets[found[1]]
        assert end == start + 3072


def test_memory_never_draws_two_values_over_each_other() -> None:
    block = memory.scene().panels[1]
    boxes = [
        tuple(map(float, re.findall(r'="([\d.]+)"', part.shape)[:4])) for part in block.parts if part.key[0] == "p"
    ]
    assert len(boxes) == 6
    for i, (x, y, width, height) in enumerate(boxes):
        for a, b, wide, tall in boxes[:i]:
            apart = x + width <= a or a + wide <= x or y + height <= b + 0.2 or b + tall <= y + 0.2
            assert apart


def test_memory_ends_with_the_sizes_of_the_lesson() -> None:
    say, _ = frames("memory")[-1]
    assert "9,216 bytes instead of 18,432" in say


@pytest.fixture
def split() -> Any:
    graph = NodeGraph.from_lists(subgraphs.NODES, {0: {"kind": "input"}})
    return partition(graph, [Device("ACC", operators=subgraphs.KNOWN), Device("CPU")], "tengine")


def test_subgraphs_end_as_kuiper_splits_the_graph(split: Any) -> None:
    _, states = frames("waves")[-1]
    listed = {key: [", ".join(map(str, getattr(part, field))) for part in split.subgraphs]
              for key, field in (("in", "inputs"), ("out", "outputs"))}  # fmt: skip
    assert texts(states, "in") == listed["in"]
    assert texts(states, "out") == listed["out"]
    assert texts(states, "device") == [part.device.name for part in split.subgraphs]
    assert texts(states, "wait") == [str(part.wait_count) for part in split.subgraphs]
    assert texts(states, "got") == texts(states, "wait")


def test_subgraphs_take_the_steps_of_the_lesson() -> None:
    said = [say for say, _ in frames("subgraphs")]
    assert "sigmoid (3), resize (5), softmax (9)" in said[1]
    works = [re.search(r"knows (\d) of its nodes", say) for say in said]
    assert [found[1] for found in works if found] == ["1", "3", "0"]
    assert any("5 parts become 4 sub-graphs; number 1 holds nodes 3 to 5" in say for say in said)
    assert "sub-graph 2 waits for tensor 1, and nobody hands it over" in frames("waves")[0][0]


def test_a_subgraph_runs_only_when_it_has_got_all_it_waits_for() -> None:
    before: dict[str, list[Any]] = {}
    waves = 0
    for say, states in frames("waves"):
        running = [key[4:] for key, state in states.items() if key.startswith("line") and state[0] == "now"]
        if say.startswith("Wave"):
            waves += 1
            assert running
            for i in running:
                assert before[f"got{i}"][1] == before[f"wait{i}"][1]
        before = states
    assert waves == 4


def test_levels_are_those_of_the_slow_definition() -> None:
    maker = {tensor: v for v, (_, _, made) in enumerate(levels.NODES) for tensor in made}
    device = ["CPU" if op == "sigmoid" else "ACC" for op, _, _ in levels.NODES]

    def level(v: int) -> int:
        before = [maker[tensor] for tensor in levels.NODES[v][1] if maker[tensor] != 0]
        return max([int(device[v] != "ACC"), *(level(u) + (device[u] != device[v]) for u in before)])

    told = frames("levels")
    for say, _ in told[1:-1]:
        found = re.match(r"\w+ \((\d+)\) .*level(?: is)? (\d+)\.$", say)
        assert found
        assert int(found[2]) == level(int(found[1]))
    assert texts(told[-1][1], "l") == [str(level(v)) for v in range(1, len(levels.NODES))]


def test_levels_end_with_the_fewest_subgraphs() -> None:
    graph = NodeGraph.from_lists(levels.NODES, {0: {"kind": "input"}})
    devices = [Device("ACC", operators=levels.KNOWN), Device("CPU")]
    fewest = partition(graph, devices, "fewest", min_nodes=0).subgraphs
    say, states = frames("levels")[-1]
    assert texts(states, "g") == [f"{part.device}:  {'  '.join(map(str, part.nodes))}" for part in fewest]
    ranges = len(partition(graph, devices, "tengine").subgraphs)
    assert say.startswith(f"{len(fewest)} sub-graphs, where cutting the row of node numbers gives {ranges}.")


def test_a_subgraph_of_a_level_only_grows() -> None:
    seen: dict[str, set[str]] = {}
    for _, states in frames("levels"):
        for key, state in states.items():
            if key[0] == "g" and len(state) > 1:
                now = set(state[1].split()[1:])
                assert seen.get(key, set()) <= now
                seen[key] = now
    assert len(seen) == 3


def test_winograds_tile_gives_what_the_four_windows_give() -> None:
    told = frames("winograd")
    pixels = np.array(texts(told[0][1], "d"), int).reshape(4, 4)
    weights = np.array(texts(told[0][1], "g"), int).reshape(3, 3)
    direct = [int((pixels[i : i + 3, j : j + 3] * weights).sum()) for i in range(2) for j in range(2)]
    assert texts(told[4][1], "s") == [str(value) for value in direct]
    _, last = told[-1]
    assert [last[f"h{place}"][1] for place in (0, 1, 4, 5)] == [str(value) for value in direct]


def test_winograds_products_are_those_of_the_two_transforms() -> None:
    _, last = frames("winograd")[-1]
    pixels, weights, products = (np.array(texts(last, letter), float) for letter in "vup")
    assert len(products) == 16
    assert np.array_equal(pixels * weights, products)
    assert (last["by sums"][1], last["by winograd"][1]) == ("36", "16 products")


def test_winograd_adds_up_the_numbers_that_it_names() -> None:
    told = 0
    for say, _ in frames("winograd"):
        for left, right in re.findall(r"([-\d.·+ ]+\d) = (-?[\d.]+\d|-?\d+)", say):
            terms = re.findall(r"([+-]?) ?([\d.]+(?:·-?[\d.]+)?)", left)
            total = sum(
                (-1 if sign == "-" else 1) * np.prod([float(f) for f in term.split("·")]) for sign, term in terms
            )
            assert total == pytest.approx(float(right)), say
            told += 1
    assert told >= 8


def test_the_cache_counts_the_products_of_the_lesson() -> None:
    text = cache.written()
    assert (text.linear, text.pair, text.kept) == (819200, 4 * (128 + 128), 2048)
    (*_, last), told = text.passes(), frames("cache")
    without = sum(t * text.linear + t * t * text.pair for t in range(3, last + 1))
    new = [3, *[1] * 6]
    with_cache = sum(n * (text.linear + t * text.pair) for n, t in zip(new, range(3, last + 1), strict=True))
    assert f"{without:,} products without the cache and {with_cache:,} with it" in told[-1][0]


def test_the_cache_computes_each_token_once() -> None:
    squares = {part.key: part.shape.count("M") for panel in cache.scene().panels for part in panel.parts}
    _, states = frames("cache")[-1]
    computed = {
        way: sum(
            squares[key] for key, state in states.items() if key.startswith(way) and state[0] in ("orange", "rose")
        )
        for way in ("all", "new")
    }
    assert computed == {"new": 9, "all": sum(range(3, 10))}
    assert {states[f"new old {number}"][0] for number in range(1, 7)} == {"green"}


def test_a_residual_block_adds_and_clips() -> None:
    found = residual.maps()
    assert np.array_equal(found.sum, found.x + found.f)
    assert np.array_equal(found.y, np.maximum(found.x + found.f, 0))
    sums = [re.search(r"(-?[\d.]+) ([+-]) ([\d.]+) = (-?[\d.]+), and", say) for say, _ in frames("residual")]
    told = [one for one in sums if one]
    assert len(told) == 2
    for one in told:
        assert float(one[1]) + float(one[2] + one[3]) == pytest.approx(float(one[4]), abs=0.011)
    assert (float(told[0][4]) > 0, float(told[1][4]) < 0) == (True, True)


@pytest.mark.parametrize("settings", [("2", "1", "1"), ("1", "0", "3"), ("3", "3", "2")])
def test_the_convolution_is_that_of_the_slow_definition(settings: tuple[str, str, str]) -> None:
    stride, padding, dilation = map(int, settings)
    named = dict(zip(("stride", "padding", "dilation"), settings, strict=True))
    image = np.pad(convolution.photo().astype(float), padding)
    for kernel in convolution.KERNELS:
        found = convolution.result(named | {"kernel": kernel})
        weights = convolution.weights(kernel)
        for i, j in np.ndindex(found.shape):
            window = image[i * stride :, j * stride :][: 2 * dilation + 1 : dilation, : 2 * dilation + 1 : dilation]
            assert found[i, j] == pytest.approx((window * weights).sum(), abs=0.01)
        formula = convolution.frame(named | {"kernel": kernel, "window": "0 %"}).states["formula"].text
        assert formula is not None
        assert formula.endswith(f"= {len(found)}")
        assert (48 + 2 * padding - dilation * 2 - 1) // stride + 1 == len(found)


def test_suppression_keeps_what_the_lesson_keeps() -> None:
    start = moving.ADJUSTABLE["suppression"]().start()
    kept = suppression.frame(start)
    labels = sorted(state.text for state in kept.states.values() if state.kind == "label" and state.text)
    assert labels == ["0 0.77", "2 0.67", "2 0.72", "2 0.87", "6 0.86", "8 0.84"]
    assert "0.25: 131, for 6 digits. Kept: 6. Suppressed: 125" in kept.say
    assert len(suppression.stay(start | {"threshold": "1.00"})) == 131


def test_sampling_keeps_as_many_tokens_as_the_lesson() -> None:
    for temperature, count in (("0.5", 3), ("1.0", 18), ("1.5", 181)):
        say = sampling.frame({"temperature": temperature, "top_p": "0.90"}).say
        assert f"the {count} likeliest tokens reach 0.90" in say
        assert f"the other {1024 - count} have" in say


def test_attention_hides_what_comes_later_and_shares_out_all() -> None:
    shares = attention.percents()
    assert shares.shape == (4, 4, 9, 9)
    assert not np.triu(shares, 1).any()
    assert np.abs(shares.sum(axis=-1) - 100).max() <= 4  # nine rounded numbers
    before = [shares[1, 0, i, i - 1] for i in range(1, 9)]
    assert np.mean(before) > 50  # the lesson: block 1, head 0 looks at the token before
