"""Public tests of lesson 14: tiles that fit, groups of calls, the text of a loop, run and counted, and shared rows."""

from __future__ import annotations

import ast
import operator
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, expect, expect_refused, likely, task

# --- choose_tile


def expect_tile(student: Student, oracle: Any, *problem: int) -> None:
    """Raise Failure unless choose_tile gives the best tile for (registers, lanes, rows, channels)."""
    names = ("registers", "lanes", "rows", "channels")
    said = ", ".join(f"{number} {name}" for number, name in zip(problem, names))
    causes = {"ZeroDivisionError": "h or v was 0: a tile has a row and a vector at least"}
    with likely(causes):
        got = student.choose_tile(*problem)
    expect(
        got,
        oracle.best_tile(*problem),
        what=f"the tile for {said}",
        names=("h", "v"),
        mistakes=oracle.tile_mistakes(*problem),
    )


@task("choose_tile", "best", "fits", "form")
def large_products_on_three_processors(student: Student, oracle: Any) -> None:
    """For a large product 16 registers of 8 hold 4 x 3 sums, 32 of 16 or of 4 hold 5 x 5."""
    for registers, lanes, expected in ((16, 8, (4, 3)), (32, 16, (5, 5)), (32, 4, (5, 5))):
        problem = registers, lanes, 1000, 1000
        got = student.choose_tile(*problem)
        what = f"the tile for {registers} registers of {lanes} numbers and a product of 1000 x 1000"
        expect(got, expected, what=what, names=("h", "v"), mistakes=oracle.tile_mistakes(*problem))


@task("choose_tile", "fits", "best", "form", "ties")
def any_number_of_registers(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """For any number of registers the tile fits into them, and has the best ratio."""
    for registers in (7, 8, *rng.integers(9, 70, 6).tolist()):
        expect_tile(student, oracle, registers, 8, 1000, 1000)


@task("choose_tile", "rows", "fits", "best", "form", "ties")
def few_rows(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A tile has no more rows than the product: for a single one, a matrix times a vector, h is 1."""
    for rows in (1, 2, 3):
        expect_tile(student, oracle, int(rng.choice([16, 32])), 8, rows, 1000)


@task("choose_tile", "channels", "fits", "best", "form", "ties")
def few_channels(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A tile has no more vectors than the channels need, and the last may be partly empty: 20 channels need 3 of 8."""
    for channels in (20, 10, 8, 3):
        expect_tile(student, oracle, int(rng.choice([28, 32, 40])), 8, 1000, channels)


@task("choose_tile", "ties", "fits", "best", "form", "rows")
def the_same_ratio_twice(student: Student, oracle: Any) -> None:
    """2 rows of 1 vector load as often as 1 row of 2 vectors, and 4 x 3 as often as 3 x 4: fewer vectors win."""
    expect_tile(student, oracle, 5, 16, 2, 1000)
    for registers in (17, 18, 26, 28):
        expect_tile(student, oracle, registers, 16, 1000, 1000)


@task("choose_tile", "refused")
def too_few_registers(student: Student) -> None:
    """Fewer than 3 registers raise ValueError: a sum, a vector of weights and a number of x need one each."""
    cause = "the smallest tile, 1 x 1, needs 3 registers: raise ValueError below"
    for registers in (2, 1, 0):
        expect_refused(student.choose_tile, registers, 8, 10, 10, cause=cause)


# --- fuse

Calls = list[tuple[str, str, tuple[str, ...]]]
ELEMENTWISE = {"add", "mul", "relu", "sigmoid", "tanh"}
FUSE_ERRORS = {
    "KeyError": "an operand may be an input or a weight, which no call makes",
    "IndexError": "a value that is returned need not have a reader",
}


def failure(said: str, cause: str | None = None) -> Failure:
    """A Failure with its likely cause."""
    made = Failure(said)
    made.cause = cause
    return made


def expect_groups(
    student: Student, oracle: Any, calls: Calls, sizes: Mapping[str, int], returned: Sequence[str], fewest: bool = True
) -> int:
    """Raise Failure unless fuse gives groups that keep to the rules, and as few as possible -> the numbers written."""
    with likely(
        FUSE_ERRORS, timeout="calls that are looked through again for each call take too long in a large network"
    ):
        got = student.fuse(calls, dict(sizes), list(returned))
    expect_legal(got, calls, sizes, returned)
    if fewest:
        least = oracle.fewest(calls, sizes, returned)
        if len(got) > least:
            raise failure(
                f"expected {least} groups for {described(calls)}, got {len(got)}: {got!r:.300}",
                "a value that only one group reads joins it, unless a rule forbids that; look at each that did not",
            )
    return sum(sizes[group[-1]] for group in got)


def described(calls: Calls) -> str:
    """The calls in one line, if they are few."""
    listed = "; ".join(f"{name} = {operation}({', '.join(operands)})" for name, operation, operands in calls)
    return listed if len(listed) < 300 else f"{len(calls)} calls"


def expect_legal(got: Any, calls: Calls, sizes: Mapping[str, int], returned: Sequence[str]) -> None:
    """Raise Failure unless the groups keep to all rules but `fewest`."""
    lists = type(got) is list and all(type(group) is list for group in got)
    if not lists or not all(type(name) is str for group in got for name in group) or not all(got):
        raise failure(f"expected lists of names in a list, none of them empty, got {got!r:.300}")
    counts = Counter(name for group in got for name in group)
    wanted = [name for name, _, _ in calls]
    for name in wanted:
        if counts[name] != 1:
            raise failure(f"expected {name} in one group, found it in {counts[name]}: {got!r:.300}")
    if len(counts) != len(wanted):
        raise failure(f"{(counts - Counter(wanted)).most_common()[0][0]!r} is no call: {got!r:.300}")
    place = {name: number for number, name in enumerate(wanted)}
    group_of = {name: number for number, group in enumerate(got) for name in group}
    operations = {name: operation for name, operation, _ in calls}
    readers: dict[str, list[str]] = {name: [] for name in wanted}
    for name, _, operands in calls:
        for operand in operands:
            readers.get(operand, []).append(name)
    for group in got:
        if sorted(group, key=place.__getitem__) != group:
            raise failure(f"the calls of {group} do not stand in the order of the list")
        for name in group[:-1]:
            if name in returned:
                raise failure(
                    f"{name} is returned, but of {group} only {group[-1]} is written to memory: {described(calls)}",
                    "the caller gets what is in `returned`: such a value is the last of its group",
                )
            outside = [reader for reader in readers[name] if reader not in group]
            if outside:
                raise failure(
                    f"{outside[0]} reads {name}, but of {group} only {group[-1]} is written to memory: "
                    f"{described(calls)}",
                    "a value joins the group of its readers only if all of them are in that group",
                )
        products = [name for name in group if operations[name] not in ELEMENTWISE]
        if len(products) > 1:
            raise failure(
                f"{products[0]} ({operations[products[0]]}) and {products[1]} ({operations[products[1]]}) are both in "
                f"{group}: {described(calls)}",
                "one loop computes one product, or another call that is not element-wise; the second has its own group",
            )
        for name, operation, operands in calls:
            read = [operand for operand in operands if operand in group]
            if name in products and read:
                raise failure(
                    f"{name} ({operation}) reads {read[0]}, which is in its group {group}: {described(calls)}",
                    "a product needs all numbers of its operands before its first sum is ready: its operands are in "
                    "memory, so they end other groups",
                )
        for name in group:
            if sizes[name] != sizes[group[-1]]:
                raise failure(
                    f"{name} makes {sizes[name]} numbers and {group[-1]} makes {sizes[group[-1]]}, but both are in "
                    f"{group}: {described(calls)}",
                    "a loop makes one number of each value at every turn: calls of different sizes need two loops",
                )
    for number, group in enumerate(got):
        for name, _, operands in calls:
            late = [operand for operand in operands if name in group and group_of.get(operand, -1) > number]
            if late:
                raise failure(
                    f"{group} reads {late[0]}, which only a later group makes: {got!r:.300}",
                    "groups that stand in the order of their last calls can run one after the other",
                )


def chain(*operations: str, size: int = 100) -> tuple[Calls, dict[str, int]]:
    """Calls of which each reads the one before; a product reads a weight, too."""
    calls: Calls = []
    for number, operation in enumerate(operations):
        before = calls[-1][0] if calls else "x"
        more = {"matmul": (f"w{number}",), "add": (f"bias{number}",)}.get(operation, ())
        calls.append((f"v{number}", operation, (before, *more)))
    return calls, {name: size for name, _, _ in calls}


@task("fuse", "fewest", "all", "whole", "form", "order", "written")
def a_layer_is_one_loop(student: Student, oracle: Any) -> None:
    """A product, its bias and its ReLU are one group; the next product begins another."""
    calls, sizes = chain("matmul", "add", "relu", "matmul", "add", "relu")
    with likely(FUSE_ERRORS):
        got = student.fuse(calls, sizes, ["v5"])
    each = {
        "each call is a group of its own: a value that only the next call reads joins it": [[c[0]] for c in calls],
        "an epilogue of one call only: what follows it is element-wise, too": [
            ["v0", "v1"], ["v2"], ["v3", "v4"], ["v5"]
        ],
    }  # fmt: skip
    expect(got, [["v0", "v1", "v2"], ["v3", "v4", "v5"]], mistakes=each)


@task("fuse", "fewest", "all", "whole", "form", "order", "written")
def element_wise_calls_alone(student: Student, oracle: Any) -> None:
    """Element-wise calls are fused without a product, too: before one they are a loop, after a softmax they join it."""
    expect_groups(student, oracle, *chain("mul", "add", "tanh", "matmul"), ["v3"])
    expect_groups(student, oracle, *chain("softmax", "mul", "add"), ["v2"])


@task("fuse", "written", "fewest", "all", "whole", "form", "order")
def a_value_that_is_read_twice(student: Student, oracle: Any) -> None:
    """A value that two groups read is written to memory, as is one that the caller gets."""
    calls, sizes = chain("matmul", "relu", "matmul", "relu", "matmul")
    calls[4] = ("v4", "matmul", ("v3", "v1"))
    expect_groups(student, oracle, calls, sizes, ["v4"])
    calls, sizes = chain("matmul", "add", "relu", "mul")
    expect_groups(student, oracle, calls, sizes, ["v3", "v1"])
    calls, sizes = chain("matmul", "relu", "matmul", "relu")
    calls.append(("v4", "add", ("v1", "v3")))
    expect_groups(student, oracle, calls, {**sizes, "v4": 100}, ["v4"])
    calls, sizes = chain("matmul", "relu", "mul")
    calls.append(("v3", "tanh", ("v1",)))
    expect_groups(student, oracle, calls, {**sizes, "v3": 100}, ["v2", "v3"])


@task("fuse", "fewest", "all", "written", "whole", "form", "order")
def read_twice_in_one_group(student: Student, oracle: Any) -> None:
    """SiLU, y sigmoid(y), reads y twice, but in one loop: product, bias, sigmoid and mul are one group."""
    calls, sizes = chain("matmul", "add", "sigmoid")
    calls.append(("v3", "mul", ("v1", "v2")))
    sizes["v3"] = 100
    expect_groups(student, oracle, calls, sizes, ["v3"])
    calls[3] = ("v3", "mul", ("v2", "v2"))
    expect_groups(student, oracle, calls, sizes, ["v3"])


@task("fuse", "whole", "fewest", "all", "written", "form", "order")
def two_products_meet(student: Student, oracle: Any) -> None:
    """Where two products are added, the sum is in the loop of one of them; the other one's group is written."""
    calls: Calls = [
        ("left", "matmul", ("x", "w0")),
        ("right", "matmul", ("x", "w1")),
        ("sum", "add", ("left", "right")),
        ("y", "relu", ("sum",)),
    ]
    expect_groups(student, oracle, calls, dict.fromkeys(("left", "right", "sum", "y"), 12), ["y"])


@task("fuse", "size", "fewest", "all", "written", "whole", "form", "order")
def a_gate_for_each_channel(student: Student, oracle: Any) -> None:
    """A gate of 8 numbers, made from an image of 800 and multiplied with it, is another loop than the image's."""
    calls: Calls = [
        ("image", "conv", ("x", "w0")),
        ("mean", "pool", ("image",)),
        ("score", "matmul", ("mean", "w1")),
        ("gate", "sigmoid", ("score",)),
        ("y", "mul", ("image", "gate")),
    ]
    sizes = {"image": 800, "mean": 8, "score": 8, "gate": 8, "y": 800}
    expect_groups(student, oracle, calls, sizes, ["y"])


@task("fuse", "order", "fewest", "all", "written", "whole", "form")
def the_shortcut_comes_first(student: Student, oracle: Any) -> None:
    """A call that stands early in the list, and is read by a late group only, does not bring that group forward."""
    calls: Calls = [
        ("short", "mul", ("x", "scale")),
        ("a", "conv", ("x", "w0")),
        ("b", "relu", ("a",)),
        ("c", "conv", ("b", "w1")),
        ("y", "add", ("short", "c")),
    ]
    expect_groups(student, oracle, calls, dict.fromkeys(("short", "a", "b", "c", "y"), 64), ["y"])


def network(rng: np.random.Generator, blocks: int) -> tuple[Calls, dict[str, int], list[str]]:
    """Calls of a network of random blocks: layers, shortcuts, SiLUs, gates, sums of two products, pooling."""
    calls: Calls = []
    sizes: dict[str, int] = {}

    def add(operation: str, *operands: str, size: int) -> str:
        name = f"t{len(calls)}"
        calls.append((name, operation, operands))
        sizes[name] = size
        return name

    size = 640
    x = add("conv", "image", "w", size=size)
    returned = []
    for _ in range(blocks):
        kind, before = int(rng.integers(7)), x
        if kind == 0:
            size = int(rng.choice([160, 320, 640]))
        if kind == 1:
            x = add("pool", x, size=size)
            continue
        x = add(str(rng.choice(["conv", "matmul"])), x, "w", size=size)
        if rng.integers(2):
            x = add("add", x, "bias", size=size)
        if kind == 2:
            x = add("mul", x, add("sigmoid", x, size=size), size=size)
        if kind == 3 and sizes[before] == size:
            x = add("add", *((x, before) if rng.integers(2) else (before, x)), size=size)
        if kind == 4:
            x = add("add", x, add("conv", before, "w", size=size), size=size)
        if kind == 5:
            gate = add("matmul", add("pool", x, size=8), "w", size=8)
            x = add("mul", x, add("sigmoid", gate, size=8), size=size)
        if kind == 6:
            returned.append(x)
        if rng.integers(3):
            x = add("relu", x, size=size)
    return calls, sizes, [*dict.fromkeys([*returned, x])]


@task("fuse", "fewest", "all", "written", "whole", "size", "order", "form")
def random_networks(student: Student, rng: np.random.Generator, oracle: Any) -> str:
    """Networks of random blocks become as few groups as the rules allow."""
    made = written = 0
    for _ in range(12):
        calls, sizes, returned = network(rng, int(rng.integers(2, 9)))
        written += expect_groups(student, oracle, calls, sizes, returned)
        made += sum(sizes.values())
    return f"of {made:,} numbers that the calls make, {written / made:.0%} are written to memory"


# --- loop_nest: the text is read and run here, statement by statement, and what it does to the arrays is counted

MOST_STEPS = 400_000
ARRAYS = ("x", "w", "bias", "residual", "y")
ALLOWED = (
    "loops `for NAME in range(...)`, assignments to variables and to numbers of y, and + - * max(a, b) min(a, b) of "
    "numbers, variables and numbers of the arrays"
)
OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
}  # fmt: skip


class Program:
    """A text that is run here on counted arrays; loads and stores: (array, place) -> how often.

    Raises Failure for what does not belong to the language, or names a place that is not there.
    """

    def __init__(self, text: Any) -> None:
        if type(text) is not str:
            cause = "lines are joined to one text by '\\n'.join(lines)" if isinstance(text, (list, tuple)) else None
            raise failure(f"expected the text of a function, a str, got {type(text).__name__}: {text!r:.100}", cause)
        self.lines = text.splitlines()
        try:
            body = ast.parse(text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            number = getattr(error, "lineno", None) or 1
            cause = "each block is indented by four columns more than the line that opens it"
            raise failure(
                f"{self.line(number)}: no Python: {error.args[0]}",
                cause if isinstance(error, IndentationError) else None,
            ) from None
        function = body[0] if len(body) == 1 else None
        if not isinstance(function, ast.FunctionDef) or function.name != "product":
            raise failure(f"expected one function, product, and nothing else in the text, found {text!r:.100}")
        names = [each.arg for each in function.args.args]
        if names != list(ARRAYS):
            raise failure(f"expected def product({', '.join(ARRAYS)}), got the arguments {names}")
        self._body = function.body

    def run(self, **arrays: np.ndarray) -> tuple[Counter[tuple[Any, ...]], Counter[tuple[Any, ...]]]:
        """Run it on these arrays -> (loads, stores), (array, *place) -> how often."""
        self._arrays, self._variables, self._steps = arrays, dict[str, Any](), 0
        self.loads, self.stores = Counter[tuple[Any, ...]](), Counter[tuple[Any, ...]]()
        with np.errstate(all="ignore"):
            self._block(self._body)
        return self.loads, self.stores

    def line(self, number: int) -> str:
        """A line of the text, and its number."""
        text = self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""
        return f"line {number} of the text, `{text[:80]}`"

    def _wrong(self, node: Any, said: str, cause: str | None = None) -> Failure:
        return failure(f"{self.line(node.lineno)}: {said}", cause)

    def _block(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self._steps += 1
            if self._steps > MOST_STEPS:
                raise self._wrong(statement, f"the text has not ended after {MOST_STEPS:,} statements")
            if isinstance(statement, ast.For) and isinstance(statement.target, ast.Name) and not statement.orelse:
                for number in self._range(statement.iter):
                    self._variables[statement.target.id] = number
                    self._block(statement.body)
            elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                self._store(statement.targets[0], self._value(statement.value))
            elif isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
                before = self._value(statement.target)
                self._store(statement.target, before + self._value(statement.value))
            elif not isinstance(statement, ast.Pass):
                raise self._wrong(statement, f"it does not belong to the language: {ALLOWED}")

    def _range(self, node: ast.expr) -> Iterator[int]:
        call = isinstance(node, ast.Call) and ast.unparse(node.func) == "range" and not node.keywords
        bounds = [self._value(each) for each in node.args] if isinstance(node, ast.Call) and call else []
        if not 1 <= len(bounds) <= 3 or not all(type(bound) is int for bound in bounds) or bounds[2:] == [0]:
            raise self._wrong(node, "expected range of one to three whole numbers")
        return iter(range(*bounds))

    def _value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return node.value
        if isinstance(node, ast.Name):
            if node.id not in self._variables:
                raise self._wrong(node, f"{node.id} is read before it has a value")
            return self._variables[node.id]
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](self._value(node.left), self._value(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self._value(node.operand)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("max", "min") and len(node.args) == 2:
            return (max if ast.unparse(node.func) == "max" else min)(*(self._value(each) for each in node.args))
        if isinstance(node, ast.Subscript):
            name, place = self._place(node)
            self.loads[name, *place] += 1
            return float(self._arrays[name][place])
        raise self._wrong(node, f"{ast.unparse(node)[:60]} does not belong to the language: {ALLOWED}")

    def _place(self, node: ast.Subscript) -> tuple[str, tuple[int, ...]]:
        name = ast.unparse(node.value)
        if name not in ARRAYS:
            raise self._wrong(node, f"{name} is none of the arrays {', '.join(ARRAYS)}")
        some = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        place = tuple(self._value(each) for each in some)
        shape = self._arrays[name].shape
        inside = len(place) == len(shape) and all(
            type(each) is int and 0 <= each < size for each, size in zip(place, shape)
        )
        if not inside:
            listed = ", ".join(map(str, place))
            cause = "the last tile of an axis is smaller, unless the tiles go up: write one for what is left"
            raise self._wrong(node, f"{name}[{listed}] is no number of {name}, whose shape is {shape}", cause)
        return name, place

    def _store(self, node: ast.expr, value: Any) -> None:
        if isinstance(node, ast.Name):
            self._variables[node.id] = value
        elif isinstance(node, ast.Subscript):
            name, place = self._place(node)
            if name != "y":
                raise self._wrong(node, f"{name} is written to; only y is")
            self.stores[name, *place] += 1
            self._arrays[name][place] = value
        else:
            raise self._wrong(node, f"it does not belong to the language: {ALLOWED}")


def operands(rng: np.random.Generator, rows: int, depth: int, channels: int) -> dict[str, np.ndarray]:
    """Arrays of whole numbers, as float64; y holds NaN."""
    shapes = {"x": (rows, depth), "w": (depth, channels), "bias": (channels,), "residual": (rows, channels)}
    made = {name: rng.integers(-9, 10, shape).astype(np.float64) for name, shape in shapes.items()}
    return {**made, "y": np.full((rows, channels), np.nan)}


def expect_nest(
    student: Student,
    rng: np.random.Generator,
    oracle: Any,
    sizes: tuple[int, int, int],
    tile: tuple[int, int],
    epilogue: Sequence[str] = (),
) -> None:
    """Raise Failure unless the text of loop_nest computes what it should, with few loads and stores."""
    rows, depth, channels = sizes
    arrays = operands(rng, *sizes)
    given = [arrays[name] for name in ("x", "w", "bias", "residual")]
    right = oracle.product(*given, list(epilogue))
    mistakes = oracle.nest_mistakes(*given, list(epilogue), tile)
    causes = {"KeyError": 'epilogue may be any of "bias", "residual" and "relu", in any order, or empty'}
    with likely(causes):
        program = Program(student.loop_nest(*sizes, tile, list(epilogue)))
    kept = {name: array.copy() for name, array in arrays.items()}
    loads, stores = program.run(**kept)
    what = f"y for {rows} rows, {depth} steps, {channels} channels, tile {tile}, epilogue {list(epilogue)}"
    unwritten = [place for place in np.ndindex(rows, channels) if not stores["y", *place]]
    if unwritten:
        raise failure(
            f"{what}: {len(unwritten)} of {rows * channels} numbers are never stored, the first y{list(unwritten[0])}",
            "what is left at the right and at the bottom needs tiles, too: a range of whole tiles ends before it",
        )
    expect(kept["y"], right, rtol=1e-9, atol=1e-9, what=what, mistakes=mistakes)
    expect_few(loads, stores, rows, depth, channels, tile)


def expect_few(
    loads: Counter[Any], stores: Counter[Any], rows: int, depth: int, channels: int, tile: tuple[int, int]
) -> None:
    """Raise Failure for more loads and stores than a tile needs."""
    height, width = tile
    for place, count in stores.items():
        if count > 1:
            raise failure(
                f"y{list(place[1:])} is stored {count} times",
                "a sum stays in its variable until all steps of the depth are done, and tiles do not overlap",
            )
    for name, *place in loads:
        if name == "y":
            raise failure(f"y{place} is read", "sums stay in variables; y is only written")
    for name in ("bias", "residual"):
        count = sum(n for key, n in loads.items() if key[0] == name)
        if count > rows * channels:
            raise failure(
                f"{count} numbers of {name} are read for {rows * channels} numbers of y",
                f"{name} belongs behind the loop over the depth",
            )
    read = sum(n for key, n in loads.items() if key[0] in ("x", "w"))
    most = depth * (rows * -(-channels // width) + channels * -(-rows // height))
    if read > most:
        each = 2 * rows * depth * channels
        raise failure(
            f"expected at most {most} loads of x and w for {rows} x {depth} x {channels} and tiles of {tile}, counted "
            f"{read}",
            "each multiply-add loads both of its numbers: load those of a step into variables first, h of x and w of w"
            if read == each
            else "is each number of x and w loaded once for a tile and a step of the depth?",
        )


@task("loop_nest", "result", "loads", "stores", "language")
def one_tile(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A product as large as the tile, 2 x 3, is right, with 2 + 3 loads for each step of the depth."""
    expect_nest(student, rng, oracle, (2, 4, 3), (2, 3))
    expect_nest(student, rng, oracle, (1, 1, 1), (1, 1))


@task("loop_nest", "result", "loads", "stores", "language")
def many_tiles(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A product of several tiles beside and below each other is right."""
    for sizes, tile in (((4, 3, 9), (2, 3)), ((6, 2, 2), (1, 2)), ((3, 5, 4), (3, 1))):
        expect_nest(student, rng, oracle, sizes, tile)


@task("loop_nest", "edges", "result", "loads", "stores", "language")
def what_is_left(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Rows and channels that are no multiples of the tile, or fewer than it has, are right, too."""
    for sizes, tile in (((5, 3, 6), (2, 3)), ((4, 3, 7), (2, 3)), ((5, 2, 7), (2, 3)), ((2, 3, 3), (4, 5))):
        expect_nest(student, rng, oracle, sizes, tile)


@task("loop_nest", "epilogue", "result", "loads", "stores", "language")
def bias_and_relu(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """The steps of the epilogue come after the sums: bias, residual, ReLU, one of them, or all three."""
    for epilogue in (["bias"], ["relu"], ["residual"], ["bias", "relu"], ["bias", "residual", "relu"]):
        expect_nest(student, rng, oracle, (4, 3, 6), (2, 3), epilogue)


@task("loop_nest", "epilogue", "result", "loads", "stores", "language")
def steps_in_their_order(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A ReLU before the residual is another function than one behind it."""
    for epilogue in (["bias", "relu", "residual"], ["relu", "bias"], ["residual", "relu", "bias"]):
        expect_nest(student, rng, oracle, (4, 3, 6), (2, 3), epilogue)


@task("loop_nest", "short")
def loops_and_not_copies(student: Student) -> None:
    """Three times as many rows, steps and channels make no more lines."""
    small = Program(student.loop_nest(4, 2, 6, (2, 3), ["bias", "relu"])).lines
    large = Program(student.loop_nest(12, 6, 18, (2, 3), ["bias", "relu"])).lines
    if len(large) > len(small):
        raise failure(
            f"the text for 4 x 2 x 6 has {len(small)} lines, the one for 12 x 6 x 18 has {len(large)}",
            "write loops into the text: for i in range(0, rows, h), for j in range(0, channels, w), for k in "
            "range(depth). Only the tile is written out",
        )


# --- share_rows

Parts = list[int]


def expect_shares(student: Student, oracle: Any, *problem: Any, **more: float) -> None:
    """Raise Failure unless share_rows gives the end and the rows of each thread."""
    said = ", ".join([*map(str, problem), *(f"{name}={value}" for name, value in more.items())])
    causes = {"NoneType": "unit may be None: then each thread has a fixed share"}
    with likely(causes, timeout="a unit of rows is handed out at each turn: does the first row that is left move on?"):
        got = student.share_rows(*problem, **more)
    expect(
        got,
        oracle.shares(*problem, **more),
        rtol=1e-9,
        what=f"share_rows({said})",
        names=("the end", "the rows of each thread"),
        mistakes=oracle.share_mistakes(*problem, **more),
    )


@task("share_rows", "counter", "time", "form", "default", "ties")
def a_slow_thread_does_less(student: Student, oracle: Any) -> None:
    """Eight rows one by one, for threads that need 1 and 3 for a row: 6 and 2 of them, done at 6."""
    mistakes = oracle.share_mistakes([8], 1, [1.0, 3.0])
    expect(student.share_rows([8], 1, [1.0, 3.0]), (6.0, [6, 2]), rtol=1e-9, mistakes=mistakes)
    expect_shares(student, oracle, [12], 1, [1.0, 2.5, 6.0])


@task("share_rows", "counter", "time", "form", "default", "ties")
def units_of_several_rows(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A unit may have several rows, and the last one of a part what is left."""
    for rows, unit in ((10, 4), (7, 3), (5, 8), (int(rng.integers(20, 40)), 6)):
        expect_shares(student, oracle, [rows], unit, rng.uniform(1, 4, 3).tolist())


@task("share_rows", "ties", "counter", "time", "form", "default")
def two_are_free(student: Student, oracle: Any) -> None:
    """Of threads that are free at the same time the one with the lowest number takes the next rows."""
    expect_shares(student, oracle, [4], 1, [1.0, 1.0, 1.0])
    expect_shares(student, oracle, [5], 1, [2.0, 1.0])


@task("share_rows", "static", "time", "form", "default")
def fixed_shares(student: Student, oracle: Any) -> None:
    """Without a unit all wait for the thread that is slow, whose share is as large as the others'."""
    expect_shares(student, oracle, [8], None, [1.0, 3.0])
    expect_shares(student, oracle, [10], None, [1.0, 2.0, 1.0, 4.0])
    expect_shares(student, oracle, [2], None, [1.0, 2.0, 1.0])


@task("share_rows", "time", "counter", "static", "form", "ties", "default")
def a_unit_has_to_be_taken(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Taking a unit costs `take`, a part of no rows or a share of none costs nothing."""
    pace = rng.uniform(1, 4, 3).tolist()
    for parts, unit in (([9], 1), ([9], 4), ([2], None), ([0], 2), ([0], None)):
        expect_shares(student, oracle, parts, unit, pace, take=0.5)


@task("share_rows", "barrier", "counter", "static", "time", "form", "ties", "default")
def a_barrier_behind_each_part(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """All threads wait behind each part, and the barrier costs something itself, also behind the last."""
    pace = [1.0, *rng.uniform(1.5, 4, 2).tolist()]
    for parts in ([7, 7], [5, 0, 11], [1, 1, 1, 1], [0], []):
        for unit in (2, None):
            expect_shares(student, oracle, parts, unit, pace, barrier=0.25)


@task("share_rows", "default", "barrier", "counter", "time", "form", "ties")
def nothing_is_said(student: Student, oracle: Any) -> None:
    """Taking and the barrier cost nothing unless said."""
    expect_shares(student, oracle, [6, 6], 2, [1.0, 2.0])
