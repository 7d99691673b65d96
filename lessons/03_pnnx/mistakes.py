"""What goes wrong in the cells of lesson 3 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

Mistakes = Mapping[str, Callable[..., Any]]

MARKS = {"@": "attribute", "$": "slot", "#": "shape"}


def _mark_of_two_parts(token: str) -> str:
    key, _ = token.split("=")
    return MARKS.get(key[0], "parameter")


def _option_by_its_at(token: str, other: str | None) -> str | None:
    return MARKS.get(token[0], "parameter" if "@" in token else other)


MEANING: Mistakes = {
    "an option need not have an @ in its value: whatever has no mark in front is a parameter": (
        lambda token: _option_by_its_at(token, None)
    ),
    "an option need not have an @ in its value: what has no mark in front is a parameter, and the # needs a condition "
    "of its own": lambda token: _option_by_its_at(token, "shape"),
    "an option may begin with any other character, _ too: what has no mark is a parameter, and the # needs a condition "
    "of its own": lambda token: MARKS.get(token[0], "parameter" if token[0].isalpha() else "shape"),
    "a condition such as token[0] == '@' or '$' holds for every token: compare with each mark": lambda _: "attribute",
    "only the first character is a mark: the @ in expr=add(@0,@1) stands in the value": lambda token: next(
        (word for mark, word in MARKS.items() if mark in token), "parameter"
    ),
    "only the first character is a mark, whatever the option is called: the @ in _a$b=#c@=d stands in the value": (
        lambda token: (
            "parameter"
            if token.startswith("expr")
            else next((word for mark, word in MARKS.items() if mark in token), "parameter")
        )
    ),
    "only the first character is a mark: the $ in _a$b=#c@=d stands inside the key": lambda token: next(
        (word for mark, word in MARKS.items() if mark in token.partition("=")[0]), "parameter"
    ),
    "a shape may be that of any operand, and of any element type: the # alone is the mark": lambda token: (
        "shape" if token.startswith("#0") else (MARKS | {"#": "parameter"}).get(token[0], "parameter")
    ),
    "the last else belongs to the last if alone and replaces what the ifs before it found: write elif": lambda token: (
        "shape" if token[0] == "#" else "parameter"
    ),
    "a condition such as token[0] == '$' or '#' holds for every token: compare with each, or use `in`": lambda token: (
        "attribute" if token[0] == "@" else "slot"
    ),
    "token[0] == '$' or '#' holds for every token, so all have the same meaning: compare with each mark": lambda _: (
        "slot"
    ),
    "split('=') makes three parts of a token whose value has an = of its own: the mark is token[0], so nothing needs "
    "to be split": _mark_of_two_parts,
    "what has no mark is a parameter: the # needs a condition of its own, too": lambda token: MARKS.get(
        token[0], "shape"
    ),
    "most tokens have no mark, and [...] fails for those: get has a second argument, the word for all others": (
        lambda token: MARKS[token[0]]
    ),
    "no mark was found: it is the first character of the token, token[0], and not the whole token, its key or what "
    "follows the =": lambda token: MARKS.get(token, "parameter"),
    "@ marks an attribute, and no mark at all a parameter: the two are exchanged": lambda token: (
        MARKS | {"@": "parameter"}
    ).get(token[0], "attribute"),
    "a weight is called an attribute here, an option a parameter": lambda token: (MARKS | {"@": "weight"}).get(
        token[0], "option"
    ),
    "a weight is called an attribute here": lambda token: (MARKS | {"@": "weight"}).get(token[0], "parameter"),
    "an option is called a parameter here": lambda token: MARKS.get(token[0], "option"),
    "the words name one thing each, without an s at the end: attribute, slot, shape and parameter": lambda token: (
        MARKS.get(token[0], "parameter") + "s"
    ),
    "# gives the shape of an operand, and is called a shape here": lambda token: (MARKS | {"#": "operand"}).get(
        token[0], "parameter"
    ),
    "get takes the word for all others without a name: get(token[0], 'parameter')": lambda token: MARKS.get(
        token[0],
        default="parameter",  # type: ignore[call-overload]
    ),
    "$ and # are exchanged: $ fills a slot, # gives a shape": lambda token: (MARKS | {"$": "shape", "#": "slot"}).get(
        token[0], "parameter"
    ),
}


NUMPY = {"f32": np.float32, "u8": np.uint8}


def _sizes_as_text(text: str) -> tuple[list[str], str]:
    sizes, _, dtype = text.removeprefix("(").partition(")")
    return sizes.split(","), dtype


def _sizes_as_text_but_unknown(text: str) -> tuple[tuple[str | int, ...], str]:
    sizes, dtype = _sizes_as_text(text)
    return tuple(-1 if size == "?" else size for size in sizes), dtype


def _each(sizes: Iterable[str], unknown: int = -1) -> tuple[int, ...]:
    return tuple(unknown if size == "?" else int(size) for size in sizes)


def _floats(text: str, unknown: float) -> tuple[tuple[float, ...], str]:
    sizes, dtype = _sizes_as_text(text)
    return tuple(unknown if size == "?" else float(size) for size in sizes), dtype


def _digits_or_unknown(sizes: Iterable[str]) -> tuple[int, ...]:
    return tuple(int(size) if size.isdigit() else -1 for size in sizes)


SHAPE: Mistakes = {
    "the sizes are still text: int() makes a number of each, and `?` becomes -1": lambda text: (
        tuple(_sizes_as_text(text)[0]),
        _sizes_as_text(text)[1],
    ),
    "the sizes are still text: int() makes a number of each": _sizes_as_text_but_unknown,
    "the sizes are still text, -1 too: int() makes a number of each": lambda text: (
        tuple(size.replace("?", "-1") for size in _sizes_as_text(text)[0]),
        _sizes_as_text(text)[1],
    ),
    "`?` is no number that int() can read: look for it first, and write -1": lambda text: (
        tuple(map(int, _sizes_as_text(text)[0])),
        _sizes_as_text(text)[1],
    ),
    "`?` is still there: it becomes -1": lambda text: (
        tuple(size if size == "?" else int(size) for size in _sizes_as_text(text)[0]),
        _sizes_as_text(text)[1],
    ),
    "`?` is a size, too, and keeps its place: it becomes -1": lambda text: (
        _each(size for size in _sizes_as_text(text)[0] if size != "?"),
        _sizes_as_text(text)[1],
    ),
    "`?` becomes -1, and not None": lambda text: (
        tuple(None if size == "?" else int(size) for size in _sizes_as_text(text)[0]),
        _sizes_as_text(text)[1],
    ),
    "the ) is still there: the type is what follows it": lambda text: (
        _each(_sizes_as_text(text)[0]),
        ")" + _sizes_as_text(text)[1],
    ),
    "the sizes come first, then the type": lambda text: (_sizes_as_text(text)[1], _each(_sizes_as_text(text)[0])),
    "each character was taken for a size: split at the commas, and int() makes a number of each piece": lambda text: (
        tuple(text[1:].partition(")")[0].replace("?", "-1")),
        _sizes_as_text(text)[1],
    ),
    "`?` becomes -1, and not 0": lambda text: (_each(_sizes_as_text(text)[0], 0), _sizes_as_text(text)[1]),
    "the ( is still there: take it off before you split": lambda text: (
        _each(text.partition(")")[0].split(",")),
        text.partition(")")[2],
    ),
    "round brackets around a `for` make a generator, which holds no sizes yet: write tuple in front": lambda text: (
        (-1 if size == "?" else int(size) for size in _sizes_as_text(text)[0]),
        _sizes_as_text(text)[1],
    ),
    "the type is all that follows the ), of whatever length: u8 has two characters": lambda text: (
        _each(_sizes_as_text(text)[0]),
        text[-4:] if text.endswith("bf16") else text[-3:],
    ),
    "an array may have any number of dimensions: loop over all sizes": lambda text: (
        _each(_sizes_as_text(text)[0][:4]),
        _sizes_as_text(text)[1],
    ),
    "a type may have more than three characters: it is all that follows the )": lambda text: (
        _each(text[1:-4].split(",")),
        text[-3:],
    ),
    "the type is all that follows the ), and bf16 has four characters": lambda text: (
        _each(_sizes_as_text(text)[0]),
        text[-3:],
    ),
    "the ( is still there, so the first size is no number: take it off before you split": lambda text: (
        _digits_or_unknown(text.partition(")")[0].split(",")),
        text.partition(")")[2],
    ),
    "each character was taken for a size, and the comma, too: split at the commas": lambda text: (
        _digits_or_unknown(text[1:].partition(")")[0]),
        text.partition(")")[2],
    ),
    "the sizes stand in a tuple of their own: return that tuple and the type": lambda text: (
        *_each(_sizes_as_text(text)[0]),
        _sizes_as_text(text)[1],
    ),
    "a comma alone parts two sizes, without a space": lambda text: (
        _each(text[1:].partition(")")[0].split(", ")),
        text.partition(")")[2],
    ),
    "only the first `?` was replaced: each becomes -1": lambda text: (
        tuple(int(size) for size in ",".join(_sizes_as_text(text)[0]).replace("?", "-1", 1).split(",")),
        _sizes_as_text(text)[1],
    ),
    "each digit was taken for a size, those of the type, too: the sizes end at the ), and commas part them": (
        lambda text: (_each(one for one in text if one.isdigit() or one == "?"), _sizes_as_text(text)[1])
    ),
    "partition returns three parts, and the ) is the second: the type is the third": lambda text: (
        _each(_sizes_as_text(text)[0]),
        text.partition(")")[1],
    ),
    "the type stays text, such as f32: numpy has other names for its types": lambda text: (
        _each(_sizes_as_text(text)[0]),
        np.dtype(_sizes_as_text(text)[1]),
    ),
    "the type stays text, f32 and not np.float32: return what follows the )": lambda text: (
        _each(_sizes_as_text(text)[0]),
        NUMPY.get(_sizes_as_text(text)[1], _sizes_as_text(text)[1]),
    ),
    "the type stays text, so no table of numpy's types is needed, and bf16 is in none: return what follows the )": (
        lambda text: (_each(_sizes_as_text(text)[0]), NUMPY[_sizes_as_text(text)[1]])
    ),
    "the 32 in f32 is no size: look for sizes only in what comes before the )": lambda text: (
        _each(re.findall(r"\d+|\?", text)),
        text.partition(")")[2],
    ),
    "a size is a whole number: int() makes one, and float() does not": lambda text: _floats(text, -1),
    "a size is a whole number, -1 too: int() makes one, and float() does not": lambda text: _floats(text, -1.0),
    "sizes and type came back in a list: a comma between them, without [ ], makes a tuple": lambda text: [
        _each(_sizes_as_text(text)[0]),
        _sizes_as_text(text)[1],
    ],
    "two lists came back, one in the other: both are tuples here": lambda text: [
        list(_each(_sizes_as_text(text)[0])),
        _sizes_as_text(text)[1],
    ],
    "-1 is a number, too: without quotes": lambda text: (
        tuple("-1" if size == "?" else int(size) for size in _sizes_as_text(text)[0]),
        _sizes_as_text(text)[1],
    ),
    "the sizes were not split, so the comma was read as one: split at the commas": lambda text: (
        _each(text[1:].partition(")")[0]),
        text.partition(")")[2],
    ),
    "the sizes stand in a list: tuple() makes a tuple of it": lambda text: (
        list(_each(_sizes_as_text(text)[0])),
        _sizes_as_text(text)[1],
    ),
    "the sizes are an array: tuple() makes a tuple of them": lambda text: (
        np.array(_each(_sizes_as_text(text)[0])),
        _sizes_as_text(text)[1],
    ),
    "32 is one size, not a 3 and a 2: split at the commas": lambda text: (
        _each(size for size in text[1:].partition(")")[0] if size != ","),
        text.partition(")")[2],
    ),
    "a single size stands in a tuple, too: (128,), and not 128": lambda text: (
        _each(_sizes_as_text(text)[0]) if "," in text else int(_sizes_as_text(text)[0][0]),
        _sizes_as_text(text)[1],
    ),
}

Operators = Iterable[tuple[str, list[str], list[str]]]


def _connected(
    operators: Operators, write: Callable[[Any, str, str], object], read: Callable[[Any, str, str], object]
) -> tuple[Any, Any]:
    """Two dictionaries, the first filled by `write` for each operand written, the second by `read` for each read."""
    producer: dict[str, Any] = {}
    consumers: dict[str, Any] = {}
    for name, inputs, outputs in operators:
        for operand in outputs:
            write(producer, operand, name)
        for operand in inputs:
            read(consumers, operand, name)
    return producer, consumers


def _put(table: Any, key: str, value: str) -> None:
    table[key] = value


def _append(table: Any, key: str, value: str) -> None:
    table.setdefault(key, []).append(value)


def _first_outputs(operators: Operators) -> tuple[Any, Any]:
    producer = {outputs[0]: name for name, _, outputs in operators}
    return producer, _connected(operators, _put, _append)[1]


def _lists_for_all(operators: Operators) -> tuple[Any, Any]:
    producer, consumers = _connected(operators, _put, _append)
    return producer, {operand: [] for operand in producer} | consumers


def _one_list(operators: Operators, keys: Callable[[Any], Iterable[str]]) -> tuple[Any, Any]:
    producer, consumers = _connected(operators, _put, _append)
    readers = [name for name, inputs, _ in operators for _ in inputs]
    return producer, dict.fromkeys(keys((producer, consumers)), readers)


_KEPT: tuple[dict[str, str], dict[str, list[str]]] = {}, {}


def _kept_between_calls(operators: Operators) -> tuple[Any, Any]:
    """Both dictionaries still hold what earlier calls put there; the check's first case begins anew."""
    operators = list(operators)
    if operators == [("a", [], ["0"]), ("b", ["0"], [])]:
        for table in _KEPT:
            table.clear()
    producer, consumers = _connected(operators, _put, _append)
    _KEPT[0].update(producer)
    for operand, names in consumers.items():
        _KEPT[1].setdefault(operand, []).extend(names)
    return dict(_KEPT[0]), {operand: list(names) for operand, names in _KEPT[1].items()}


CONNECT: Mistakes = {
    "what an earlier call found is still there: make both dictionaries in the function, at its beginning": (
        _kept_between_calls
    ),
    "operators are the keys of both dictionaries: look up an operand, and get operators": lambda operators: (
        {name: outputs for name, _, outputs in operators},
        {name: inputs for name, inputs, _ in operators},
    ),
    "all operands of an operator became one key: loop over them": lambda operators: (
        {tuple(outputs): name for name, _, outputs in operators},
        {tuple(inputs): name for name, inputs, _ in operators},
    ),
    "dict.fromkeys(..., []) makes one list, which all share: setdefault makes one for each": lambda operators: (
        _one_list(operators, lambda both: both[0])
    ),
    "all operands that are read share one list, as dict.fromkeys(..., []) makes it: setdefault makes one for each": (
        lambda operators: _one_list(operators, lambda both: both[1])
    ),
    "a second reader replaces the first: collect the names of an operand's readers in a list": lambda operators: (
        _connected(operators, _put, _put)
    ),
    "a new list replaces the one that is there: append to it": lambda operators: _connected(
        operators, _put, lambda table, operand, name: _put(table, operand, [name])
    ),
    "at an operand's first reader there is no list to append to: setdefault makes it": lambda operators: _connected(
        operators, _put, lambda table, operand, name: table[operand].append(name)
    ),
    "an operator that reads an operand twice is listed twice: a set, and a test with `in`, keep it once": (
        lambda operators: _connected([(name, list(dict.fromkeys(i)), o) for name, i, o in operators], _put, _append)
    ),
    "an operand that nobody reads has no list: make the list when it is read, not when it is written": _lists_for_all,
    "inputs and outputs are exchanged: a producer has the operand among its outputs": lambda operators: _connected(
        [(name, outputs, inputs) for name, inputs, outputs in operators], _put, _append
    ),
    "keys and values are exchanged: look up an operand, and get the name of an operator": lambda operators: _connected(
        operators,
        lambda table, operand, name: _put(table, name, operand),
        lambda table, operand, name: _append(table, name, operand),
    ),
    "the first dictionary has operators for keys: look up an operand, and get its producer": lambda operators: (
        _connected(operators, lambda table, operand, name: _put(table, name, operand), _append)
    ),
    "the first dictionary has operators for keys, and lists for values: the operands in these lists are the keys": (
        lambda operators: (
            {name: outputs for name, _, outputs in operators},
            _connected(operators, _put, _append)[1],
        )
    ),
    "the loop ends in its first round: the return belongs behind it, not in it": lambda operators: _connected(
        list(operators)[:1], _put, _append
    ),
    "a set keeps a reader once, and in no order: the names stand in a list": lambda operators: _connected(
        operators, _put, lambda table, operand, name: table.setdefault(operand, set()).add(name)
    ),
    "the second dictionary lists operands: it has the names of the operators that read them": lambda operators: (
        _connected(operators, _put, lambda table, operand, name: _append(table, operand, operand))
    ),
    "get returns the new list and stores it nowhere, so what is appended is lost: setdefault stores it, too": (
        lambda operators: _connected(operators, _put, lambda table, operand, name: table.get(operand, []).append(name))
    ),
    "an operand is compared by ==: `in` finds the operand 1 in the text 10, too": lambda operators: (
        _connected(operators, _put, _append)[0],
        {
            operand: readers
            for operand in _connected(operators, _put, _append)[1]
            if (readers := [name for name, inputs, _ in operators for one in inputs if one in operand])
        },
    ),
    "append returns nothing, so that was stored in place of the list: call setdefault(...).append(name) alone": (
        lambda operators: _connected(
            operators, _put, lambda table, operand, name: _put(table, operand, table.get(operand, []).append(name))
        )
    ),
    "the two dictionaries are exchanged: the one of producers comes first": lambda operators: _connected(
        operators, _put, _append
    )[::-1],
    "inputs and outputs are lists, and no key of a dictionary: loop over the operands in them": lambda operators: (
        _connected([(name, inputs, [outputs]) for name, inputs, outputs in operators], _put, _append)  # type: ignore[list-item]
    ),
    "an operand has one producer: its name alone, not a list": lambda operators: _connected(
        operators, _append, _append
    ),
    "an operator may write nothing, and then there is no outputs[0]: loop over its outputs": _first_outputs,
    "an operator may read nothing, and then there is no inputs[0]: loop over what it reads, and over what it writes": (
        lambda operators: _connected([(name, [inputs[0]], o) for name, inputs, o in operators], _put, _append)
    ),
    "an operator may read several operands: loop over all its inputs, not the first alone": lambda operators: (
        _connected([(name, inputs[:1], outputs) for name, inputs, outputs in operators], _put, _append)
    ),
    "an operator may write several operands: loop over all its outputs, not the first alone": lambda operators: (
        _connected([(name, inputs, outputs[:1]) for name, inputs, outputs in operators], _put, _append)
    ),
    "only the first operand was looked at, of those read and of those written: loop over all": lambda operators: (
        _connected([(name, inputs[:1], outputs[:1]) for name, inputs, outputs in operators], _put, _append)
    ),
    "extend adds a name letter by letter: append adds it as one": lambda operators: _connected(
        operators, _put, lambda table, operand, name: table.setdefault(operand, []).extend(name)
    ),
    "setdefault stored the name itself: give it an empty list, and append the name to what it returns": (
        lambda operators: _connected(operators, _put, lambda table, operand, name: table.setdefault(operand, name))
    ),
    "the names were joined to one text: collect them in a list": lambda operators: _connected(
        operators, _put, lambda table, operand, name: _put(table, operand, table.get(operand, "") + name)
    ),
    "the names stand in the order of the operators: append puts a new one at the end": lambda operators: _connected(
        operators, _put, lambda table, operand, name: table.setdefault(operand, []).insert(0, name)
    ),
}

WEIGHT: Mistakes = {
    "astype comes too late, when 8 bytes are one float64: name np.float32 in np.frombuffer": lambda raw, shape: (
        np.frombuffer(raw).astype(np.float32)
    ),
    "without a type, 8 bytes became one float64: name np.float32 in np.frombuffer": lambda raw, shape: np.frombuffer(
        raw
    ),
    "as float64, or as any type of eight bytes, they are 1 number: name np.float32": lambda raw, shape: np.frombuffer(
        raw
    ).reshape(shape),
    "the numbers stand in one row: return the new array, with the shape, that reshape makes": lambda raw, shape: (
        np.frombuffer(raw, np.float32)
    ),
    "f32 is how PNNX writes the type: for numpy it is np.float32": lambda raw, shape: np.frombuffer(raw, "f32").reshape(
        shape
    ),
    "each byte became a number: a float32 takes four, so name np.float32": lambda raw, shape: np.frombuffer(
        raw, np.uint8
    ).reshape(shape),
    "the bytes were taken for whole numbers: the type is np.float32": lambda raw, shape: np.frombuffer(
        raw, np.int32
    ).reshape(shape),
    "each byte became a number, and then a float32: np.frombuffer(raw, np.float32) takes four bytes for one": (
        lambda raw, shape: np.frombuffer(raw, np.uint8).astype(np.float32)
    ),
    "np.array takes bytes for text: np.frombuffer(raw, np.float32) reads them as numbers": lambda raw, shape: np.array(
        raw, np.float32
    ).reshape(shape),
    "as float16, two bytes are a number: a float32 takes four, so name np.float32": lambda raw, shape: np.frombuffer(
        raw, np.float16
    ).reshape(shape),
    "the third argument of np.frombuffer counts numbers: the shape comes from reshape": lambda raw, shape: (
        np.frombuffer(raw, np.float32, shape)
    ),
    "the bytes of each number were read from the wrong end: np.float32 as it is, without >": lambda raw, shape: (
        np.frombuffer(raw, ">f4").reshape(shape)
    ),
    "the numbers come row after row, as reshape puts them: without order='F', and without .T": lambda raw, shape: (
        np.frombuffer(raw, np.float32).reshape(shape, order="F")
    ),
    ".T exchanges rows and columns: the array that reshape returns is right without it": lambda raw, shape: (
        np.frombuffer(raw, np.float32).reshape(shape).T
    ),
    "the sizes were given to reshape in reverse: it takes the shape as it is": lambda raw, shape: np.frombuffer(
        raw, np.float32
    ).reshape(shape[::-1]),
    "an array may have any number of dimensions: give reshape the whole shape": lambda raw, shape: np.frombuffer(
        raw, np.float32
    ).reshape(-1, shape[-1]),
    **{
        "a shape may have more than two sizes, as a convolution's weight has: give reshape the whole shape" + more: (
            lambda raw, shape, second=second: (
                np.frombuffer(raw, np.float32).reshape(shape[0], second or shape[1])
                if len(shape) > 1
                else np.frombuffer(raw, np.float32)
            )
        )
        for more, second in (("", 0), (", without -1", -1))
    },
    "a shape may have any number of sizes, one or four: give reshape the whole shape": lambda raw, shape: np.frombuffer(
        raw, np.float32
    ).reshape(shape[0], shape[1]),
    "the sizes that are 1 belong to the shape, too: give reshape all of them": lambda raw, shape: (
        np.frombuffer(raw, np.float32).reshape(shape).squeeze()
    ),
    "the arguments are exchanged: np.reshape takes the array first, then the shape": lambda raw, shape: np.reshape(
        shape, np.frombuffer(raw, np.float32)
    ),
}


Change = Callable[[str, list[str], str, str], str]


def _by_line(change: Change, joined: str = "\n", first: int = 2) -> Callable[[str, str, str], str]:
    """A `retype` that makes each line from `first` on what `change` makes of (line, tokens, name, new type)."""

    def retype(text: str, name: str, new_type: str) -> str:
        lines = text.split("\n")
        changed = (change(line, line.split(), name, new_type) for line in lines[first:])
        return joined.join([*lines[:first], *changed])

    return retype


def _named(line: str, tokens: list[str], name: str, new_type: str) -> str:
    return line.replace(tokens[0], new_type, 1) if tokens[1:2] == [name] else line


def _lines(text: str, name: str, new_type: str) -> list[str]:
    return _by_line(_named)(text, name, new_type).split("\n")


def _only_the_line(text: str, name: str, new_type: str) -> str:
    old = text.split("\n")
    return next(line for line, was in zip(_lines(text, name, new_type), old, strict=True) if line != was)


def _at_each_space(line: str, tokens: list[str], name: str, new_type: str) -> str:
    parts = line.split(" ")
    return " ".join([new_type, *parts[1:]]) if parts[1:2] == [name] else line


def _joined_by_single_spaces(line: str, tokens: list[str], name: str, new_type: str) -> str:
    return " ".join([new_type, *tokens[1:]]) if tokens[1:2] == [name] else line


def _by_pattern(line: str, tokens: list[str], name: str, new_type: str) -> str:
    return re.sub(rf"^\S+(\s+{name}(?!\S))", lambda found: new_type + found[1], line)


LINE_2 = "; and line 2 holds two counts, no type and name: leave it as it is"
BY_LINE: Mapping[str, Change] = {
    "the name was replaced: the type is the first token of its line": (
        lambda line, tokens, name, new_type: line.replace(name, new_type, 1) if tokens[1:2] == [name] else line
    ),
    "the type stands in the operator's name once more, and that changed, too: replace it once": (
        lambda line, tokens, name, new_type: line.replace(tokens[0], new_type) if tokens[1:2] == [name] else line
    ),
    "the name may stand elsewhere, too, and inside a longer one: compare it with the second token alone": (
        lambda line, tokens, name, new_type: line.replace(tokens[0], new_type, 1) if name in line else line
    ),
    "the name may stand inside a longer one: compare it with the whole second token, by ==": (
        lambda line, tokens, name, new_type: (
            line.replace(tokens[0], new_type, 1) if name in "".join(tokens[1:2]) else line
        )
    ),
    "a type may read like this name, and capital letters make another one: compare it with the second token by ==": (
        lambda line, tokens, name, new_type: line.replace(tokens[0], new_type, 1) if name in tokens[:2] else line
    ),
    "split(' ') makes an empty token of each further space where columns are padded: split() takes any run of them": (
        _at_each_space
    ),
    "the spaces that pad the columns are gone: change the first token within its line": _joined_by_single_spaces,
    "the line's other tokens are lost: only the first one changes": (
        lambda line, tokens, name, new_type: new_type if tokens[1:2] == [name] else line
    ),
    "the operands and what follows them are lost: only the first token changes": (
        lambda line, tokens, name, new_type: f"{new_type} {name}" if tokens[1:2] == [name] else line
    ),
    "the spaces that pad the name are gone: put the new type where the old one stood, and keep all behind it": (
        lambda line, tokens, name, new_type: (
            f"{new_type} {line.split(maxsplit=1)[1]}" if tokens[1:2] == [name] else line
        )
    ),
    "in a pattern a . stands for any character: re.escape(name), or compare the name with the second token": (
        _by_pattern
    ),
}
"""Likely cause -> what becomes of a line. The same may be done to the second line of the text, too."""

JOINED: Mapping[str, Callable[[list[str]], Any]] = {
    "each line is still a list of its tokens: join these by spaces, then the lines by line breaks": lambda lines: [
        line.split() for line in lines
    ],
    "the lines came back in a list: join them again": lambda lines: lines,
    "the lines were joined without line breaks: '\\n'.join": "".join,
    "the lines were joined by spaces: '\\n'.join keeps the line breaks": " ".join,
    "there is a line break too many at the end: join puts them between the lines only": lambda lines: (
        "\n".join(lines) + "\n"
    ),
    "the line break at the end is lost: splitlines() keeps none, and split('\\n') an empty last line for it": (
        lambda lines: "\n".join(lines).removesuffix("\n")
    ),
    "a line break was put at the end of each text: split('\\n') and join keep one where there is one": lambda lines: (
        "\n".join(lines).removesuffix("\n") + "\n"
    ),
}
"""Likely cause -> what is returned of the lines, of which one has its new type."""


def _joined(join: Callable[[list[str]], Any], first: int = 2) -> Callable[[str, str, str], Any]:
    return lambda text, name, new_type: join(_by_line(_named, first=first)(text, name, new_type).split("\n"))


RETYPE: Mistakes = {
    "the text came back as it was: the name is tokens[1], and what `replace` returns takes the old line's place": (
        lambda text, name, new_type: text
    ),
    "the name was replaced: the type is the token before it": lambda text, name, new_type: text.replace(name, new_type),
    **{cause: _by_line(change) for cause, change in BY_LINE.items()},
    **{cause + LINE_2: _by_line(change, first=0) for cause, change in BY_LINE.items()},
    "line 2 holds two counts, no type and name, and a name may look like a count: leave out the first two lines": (
        _by_line(_named, first=0)
    ),
    "an operand of another line may be called so, too, with a space on both sides: compare it with the second token": (
        _by_line(
            lambda line, tokens, name, new_type: new_type + line[len(tokens[0]) :] if f" {name} " in line else line
        )
    ),
    "more than one space may part type and name, and a longer name begin with this one: compare it with tokens[1]": (
        lambda text, name, new_type: next(
            text.replace(f"{line.split()[0]} {name}", f"{new_type} {name}")
            for line in text.split("\n")[2:]
            if line.split()[1:2] == [name]
        )
    ),
    "every operator of the old type changed: change the line of the one called `name` alone": (
        lambda text, name, new_type: next(
            text.replace(line.split()[0], new_type) for line in text.split("\n")[2:] if line.split()[1:2] == [name]
        )
    ),
    "the first operator of the old type changed, whatever it is called: change the line of the one called `name`": (
        lambda text, name, new_type: next(
            text.replace(line.split()[0], new_type, 1) for line in text.split("\n")[2:] if line.split()[1:2] == [name]
        )
    ),
    "the first line has one token, so there is no tokens[1]: leave out the first two lines": _by_line(
        lambda line, tokens, name, new_type: line.replace(tokens[0], new_type, 1) if tokens[1] == name else line,
        first=0,
    ),
    "the type was taken from an example, and any may be asked for: it is the first token of the line called `name`": (
        lambda text, name, new_type: text.replace("nn.ReLU", new_type, 1)
    ),
    **{cause: _joined(join) for cause, join in JOINED.items()},
    **{cause + LINE_2: _joined(join, first=0) for cause, join in JOINED.items()},
    "the text ends in a line break, so the last line is empty and has no tokens[1]: ask for len(tokens)": _by_line(
        lambda line, tokens, name, new_type: line.replace(tokens[0], new_type, 1) if tokens[1] == name else line
    ),
    "a line is still a list of its tokens: join these by spaces first, then the lines by line breaks": (
        lambda text, name, new_type: "\n".join(line.split() for line in text.split("\n"))  # type: ignore[misc]
    ),
    "the first two lines are lost: they describe no operator, and belong to the text": lambda text, name, new_type: (
        "\n".join(_lines(text, name, new_type)[2:])
    ),
    "only the line that changed came back: the others belong to the text, too": _only_the_line,
    "only the line that changed came back: the others belong to the text, too" + LINE_2: lambda text, name, new_type: (
        next(_named(line, line.split(), name, new_type) for line in text.split("\n") if line.split()[1:2] == [name])
    ),
    "the first token is the type, and was compared with the name: the name is the second, tokens[1]": _by_line(
        lambda line, tokens, name, new_type: line.replace(tokens[0], new_type, 1) if tokens[:1] == [name] else line
    ),
    "a type may have any characters, as :: and digits: in a pattern \\S+ stands for all of them": _by_line(
        lambda line, tokens, name, new_type: re.sub(
            rf"^[A-Za-z.]+(\s+{re.escape(name)}\s)", lambda found: new_type + found[1], line
        )
    ),
    "the loop leaves out the last line, which may be the operator's: it ends with the last line": (
        lambda text, name, new_type: "\n".join([*_lines(text, name, new_type)[:-1], text.split("\n")[-1]])
    ),
    "the last line is lost: an operator may stand there, too": lambda text, name, new_type: "\n".join(
        _lines(text, name, new_type)[:-1]
    ),
    "the loop ends in its first round: the return belongs behind it, not in it": lambda text, name, new_type: (
        text.split("\n")[0]
    ),
}
