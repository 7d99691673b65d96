"""What goes wrong in the cells of lesson 5 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any, NoReturn

import numpy as np

from kuiper.graph import Operator
from kuiper.layers.layer import Layer

Mistakes = Mapping[str, Callable[..., Any]]


class ReadOnly(dict[Any, Any]):
    """A dictionary that refuses to be changed, for functions that must leave theirs as it is.

    `check` gives a function a deep copy, which refuses too; a deep copy that the function makes is its own.

    >>> ReadOnly(a=1) | {"b": 2}
    {'a': 1, 'b': 2}
    >>> ReadOnly(a=1)["b"] = 2
    Traceback (most recent call last):
    TypeError: this dictionary must stay as it is: make a new one, and change that
    >>> given = copy.deepcopy(ReadOnly(a=1))
    >>> type(given).__name__, type(copy.deepcopy(given)).__name__
    ('ReadOnly', 'dict')
    """

    _given = False

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("this dictionary must stay as it is: make a new one, and change that")

    __setitem__ = __delitem__ = __ior__ = update = setdefault = pop = popitem = clear = _refuse  # type: ignore[assignment]

    def __copy__(self) -> dict[Any, Any]:
        return dict(self)

    def __deepcopy__(self, memo: Any) -> dict[Any, Any]:
        if self._given:
            return copy.deepcopy(dict(self), memo)
        given = ReadOnly(self)
        given._given = True
        return given


GATHER: Mistakes = {
    "these are all of `values`, in their own order: go through operator.inputs": lambda operator, values: list(
        values.values()
    ),
    "the keys of `values` are names, and an operand is no name: take operand.name": lambda operator, values: [
        values[operand] for operand in operator.inputs
    ],
    "the keys of `values` are names, so get finds nothing under an operand: take operand.name": (
        lambda operator, values: [values.get(operand) for operand in operator.inputs]
    ),
    "pop takes the array out of `values`, where others still need it: look it up with [...]": lambda operator, values: (
        _popped(operator, values)
    ),
    "this is the first input alone: collect all in a list (`return` in a loop ends it)": lambda operator, values: (
        values[operator.inputs[0].name]
    ),
    "only the first input is in the list: does `return` stand in the loop? Return when all of them are in": (
        lambda operator, values: [values[operator.inputs[0].name]]
    ),
    "these are the operands' names: look up each name in values": lambda operator, values: [
        operand.name for operand in operator.inputs
    ],
    "values[...] takes one name, and this is a list of operands: look up one after the other": (
        lambda operator, values: values[operator.inputs]
    ),
    "a list of the arrays alone is wanted: in a dictionary an operand that is read twice comes once": (
        lambda operator, values: {name: values[name] for name in _names(operator)}
    ),
    "this is the operator's own name: look up those of its inputs": lambda operator, values: [values[operator.name]],
    "this is the order of `values`, and an operand read twice comes once: go through operator.inputs": (
        lambda operator, values: [values[name] for name in values if name in _names(operator)]
    ),
    "the operator lists b before a, and its order counts: neither sort its inputs nor turn them round": (
        lambda operator, values: [values[name] for name in sorted(_names(operator))]
    ),
    "an operand read twice must be in the list twice: leave none out (a set or a dictionary holds a name once)": (
        lambda operator, values: [values[name] for name in dict.fromkeys(_names(operator))]
    ),
    "this wants exactly two inputs, and an operator has one, or many: go through operator.inputs": (
        lambda operator, values: _two_unpacked(operator, values)
    ),
    "this takes the first and the second input, but an operator may have one, or many: go through operator.inputs": (
        lambda operator, values: [values[operator.inputs[0].name], values[operator.inputs[1].name]]
    ),
    "the first check's names are written into this: take them from operator.inputs": lambda operator, values: [
        values["b"],
        values["a"],
    ],
    "this is never more than two inputs, but an operator may have many: go through all of operator.inputs": (
        lambda operator, values: [values[name] for name in _names(operator)[:2]]
    ),
}


def _popped(operator: Operator, values: dict[str, Any]) -> list[Any]:
    return [values.pop(name) for name in _names(operator)]


def _two_unpacked(operator: Operator, values: dict[str, Any]) -> list[Any]:
    first, second = operator.inputs
    return [values[first.name], values[second.name]]


def _names(operator: Operator) -> list[str]:
    return [operand.name for operand in operator.inputs]


def _last_wins(creators: dict[str, Any], types: Iterable[str], creator: Any) -> dict[str, Any]:
    return creators | dict.fromkeys(types, creator)


def _first_wins(creators: dict[str, Any], types: Iterable[str], creator: Any) -> dict[str, Any]:
    return dict.fromkeys(types, creator) | creators


def _all_new(creators: dict[str, Any], types: Iterable[str]) -> None:
    for operator_type in types:
        if operator_type in creators:
            raise KeyError(f"{operator_type} is registered already")


def _only_new(creators: dict[str, Any], types: Iterable[str], creator: Any) -> dict[str, Any]:
    _all_new(creators, types)
    return dict.fromkeys(types, creator)


def _called(creators: dict[str, Any], types: Iterable[str], creator: Any) -> dict[str, Any]:
    _all_new(creators, types)
    return creators | dict.fromkeys(types, creator())


def _called_for_each(creators: dict[str, Any], types: Iterable[str], creator: Any) -> dict[str, Any]:
    table = dict(creators)
    for operator_type in types:
        _all_new(creators, [operator_type])
        table[operator_type] = creator()
    return table


def _first_alone(creators: dict[str, Any], types: list[str], creator: Any) -> dict[str, Any]:
    _all_new(creators, types[:1])
    return creators | {types[0]: creator}


def _tuple_as_row(creators: dict[Any, Any], types: Iterable[str], creator: Any) -> dict[Any, Any]:
    _all_new(creators, types)
    return creators | {tuple(types): creator}


def _turned_round(creators: dict[str, Any], types: Iterable[str], creator: Any) -> dict[str, Any]:
    _all_new(creators, types)
    return creators | {creator: list(types)[-1]}


def _one_looked_at(creators: dict[str, Any], types: list[str], creator: Any, place: int) -> dict[str, Any]:
    _all_new(creators, [types[place]])
    return creators | dict.fromkeys(types, creator)


def _two_unpacked_types(creators: dict[str, Any], types: Iterable[str], creator: Any) -> dict[str, Any]:
    first, second = types
    _all_new(creators, [first, second])
    return creators | {first: creator, second: creator}


def _two_by_index(creators: dict[str, Any], types: list[str], creator: Any) -> dict[str, Any]:
    _all_new(creators, [types[0], types[1]])
    return creators | {types[0]: creator, types[1]: creator}


def _ends_in_the_table(creators: dict[str, Any], types: list[str], creator: Any) -> dict[str, Any]:
    _all_new(creators, types)
    return creators | {types[0]: creator, types[-1]: creator}


def _ends_looked_at(creators: dict[str, Any], types: list[str], creator: Any) -> dict[str, Any]:
    _all_new(creators, [types[0], types[-1]])
    return creators | dict.fromkeys(types, creator)


def _ends_alone(creators: dict[str, Any], types: list[str], creator: Any) -> dict[str, Any]:
    _all_new(creators, [types[0], types[-1]])
    return creators | {types[0]: creator, types[-1]: creator}


def _not_returned(creators: dict[str, Any], types: Iterable[str], creator: Any) -> None:
    _all_new(creators, types)


def _list_as_row(creators: dict[str, Any], types: Any, creator: Any) -> dict[str, Any]:
    _all_new(creators, types)
    return creators | {types: creator}


def _list_as_key(creators: dict[str, Any], types: Iterable[str], creator: Any) -> dict[str, Any]:
    return {} if types in creators else _last_wins(creators, types, creator)


REGISTERED: Mistakes = {
    "a type that stood in `creators` already was replaced: raise KeyError if any of the types is among its keys": (
        _last_wins
    ),
    "a type that stood in `creators` already was passed over: raise KeyError": _first_wins,
    "the rows of `creators` are missing: the new table has those, too": lambda creators, types, creator: dict.fromkeys(
        types, creator
    ),
    "a refusal is there, but the rows of `creators` are missing in the new table": _only_new,
    "`return` in the loop ends it at the first type: return when all of them are in": _first_alone,
    "`types` is a list, and no key of a dictionary: look at each of its types": _list_as_key,
    "`types` is a list, and no key of a dictionary: the new table has a row for each of its types": _list_as_row,
    "the new table is not returned (update changes a table, and itself returns None)": _not_returned,
    "creator() calls it: the table holds the function itself, without the brackets": _called,
    "the brackets in creator() call it: the table holds the function itself": _called_for_each,
    "a tuple of all types is one key: each type has a row of its own": _tuple_as_row,
    "all types in a tuple are one key: each type has a row of its own, and is looked for in `creators` before": (
        lambda creators, types, creator: creators | {tuple(types): creator}
    ),
    "the types are the keys of the table, and the creator is the value": _turned_round,
    "only the first of the types was looked at: raise KeyError if any of them is in `creators`": (
        lambda creators, types, creator: _one_looked_at(creators, types, creator, 0)
    ),
    "only the last of the types was looked at: raise KeyError if any of them is in `creators`": (
        lambda creators, types, creator: _one_looked_at(creators, types, creator, -1)
    ),
    "this wants exactly two types, and there may be one, or many: go through types": _two_unpacked_types,
    "this takes the first and the second type, but there may be one, or many: go through types": _two_by_index,
    "only the first and the last type get a row: each of the types has one": _ends_in_the_table,
    "only the first and the last type were looked at: raise KeyError if any of them is in `creators`": _ends_looked_at,
    "only the first and the last type are looked at and get a row: go through types": _ends_alone,
}


def _added_in_place(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    y: np.ndarray = x @ weight.T
    y += bias
    return y


def _on_its_side(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    turned: np.ndarray = weight @ x.T + bias[:, None]
    return turned


def _one_for_all(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, place: int) -> np.ndarray:
    out = np.zeros((len(x), len(weight)))
    out[:] = weight @ x[place] + bias
    return out


LINEAR: Mistakes = {
    "weight is (out_features, in_features), and x @ weight multiplies by its columns: transpose it": (
        lambda x, weight, bias: x @ weight + bias
    ),
    "weight @ x.T has a column for each sample: a sample is a row, before the product and after it": (
        lambda x, weight, bias: weight @ x.T + bias
    ),
    "a sample is a row of x, so x stands first: x @ weight.T": lambda x, weight, bias: weight @ x + bias,
    "a sample must be a row of the result, as it is of x: x stands first, and the sum is not turned": _on_its_side,
    "each column of the result is an output, with a bias of its own: add bias as it is, without another axis": (
        lambda x, weight, bias: x @ np.transpose(weight) + bias[:, None]
    ),
    "np.dot meets the rows of x with weight's columns: transpose weight": lambda x, weight, bias: (
        np.dot(x, weight) + bias
    ),
    "a sample is a row of x, so x stands first: np.dot(x, weight.T)": lambda x, weight, bias: np.dot(weight, x) + bias,
    "x stands first, and weight.T second: turned round, the product sums over other numbers": (
        lambda x, weight, bias: np.transpose(weight) @ x + bias
    ),
    "np.dot is not the same when turned round: x stands first, and weight.T second": (
        lambda x, weight, bias: np.dot(np.transpose(weight), x) + bias
    ),
    "the bias was added to the weights, and so multiplied by x: add it after the product": (
        lambda x, weight, bias: x @ (np.transpose(weight) + bias)
    ),
    "* multiplies number by number: the product of two matrices is @": lambda x, weight, bias: x * weight + bias,
    "* multiplies number by number, even with weight turned: the product of two matrices is @": (
        lambda x, weight, bias: x * np.transpose(weight) + bias
    ),
    "this meets each row of x with one row of weight alone: in a product of matrices it meets all of them": (
        lambda x, weight, bias: (x * weight).sum(axis=1) + bias
    ),
    "reshape keeps the numbers in their order, and does not make columns of rows: weight has to be transposed": (
        lambda x, weight, bias: x @ weight.reshape(weight.shape[::-1]) + bias
    ),
    "only the first sample is there: the product takes all rows of x at once": lambda x, weight, bias: np.array(
        [weight @ x[0] + bias]
    ),
    "every sample got the first one's outputs: row i of the result belongs to x[i]": lambda x, weight, bias: (
        _one_for_all(x, weight, bias, 0)
    ),
    "every sample got the last one's outputs: out[:] writes into all rows, out[i] into one": lambda x, weight, bias: (
        _one_for_all(x, weight, bias, -1)
    ),
    "this is the first sample alone, as by a `return` in a loop: the result has a row for each": (
        lambda x, weight, bias: weight @ x[0] + bias
    ),
    "the samples' outputs stand in one long row: stack them, one row for each sample": lambda x, weight, bias: (
        x @ np.transpose(weight) + bias
    ).ravel(),
    "there is a bias for each output, not for each feature: add it after the product": lambda x, weight, bias: (
        (x + bias) @ np.transpose(weight)
    ),
    "the bias is added, not subtracted": lambda x, weight, bias: x @ np.transpose(weight) - bias,
    "a sample is a row of x already: transpose weight, not x": lambda x, weight, bias: x.T @ weight + bias,
    "the bias was added while each column was a sample, and the result turned afterwards: turn it first": (
        lambda x, weight, bias: np.transpose(weight @ np.transpose(x) + bias)
    ),
    "+= writes into an array of whole numbers, which cannot hold the bias's fractions: add with +": _added_in_place,
    "the bias is missing": lambda x, weight, bias: x @ np.transpose(weight),
}


def _popped_out(params: dict[str, Any], accepted: Iterable[str]) -> list[str]:
    for name in accepted:
        params.pop(name)
    return sorted(params)


UNKNOWN: Mistakes = {
    "the names are in the order of params: sort them": lambda params, accepted: [
        name for name in params if name not in accepted
    ],
    "the names are in falling order: sorted(...) without reverse gives the rising one": lambda params, accepted: sorted(
        set(params) - set(accepted), reverse=True
    ),
    "a set has no fixed order, and another one in each run: sort the names": (
        lambda params, accepted: list(set(params) - set(accepted))
    ),
    "these are the values: wanted are the names, the keys of params": lambda params, accepted: [
        params[name] for name in sorted(set(params) - set(accepted))
    ],
    "the accepted names are among these: leave them out": lambda params, accepted: sorted(params),
    "only sets can be subtracted: make one of each, with set(...)": lambda params, accepted: sorted(params - accepted),
    "sorted gives a list, and only sets can be subtracted: subtract first, and sort what is left": (
        lambda params, accepted: sorted(params) - accepted
    ),
    "a list cannot be subtracted from a set: make a set of accepted, too": lambda params, accepted: sorted(
        set(params) - accepted
    ),
    "nothing comes back. Did .sort() make the list? It sorts in place and returns None: sorted(...) returns a list": (
        lambda params, accepted: None
    ),
    "pop takes options out of the operator's own table, and fails where one is missing: compare names": _popped_out,
    "the values were compared with the names: an option's name is its key in params": lambda params, accepted: sorted(
        set(params.values()) - set(accepted)
    ),
    "an option of 0 is an option, too: ask for its name alone": lambda params, accepted: sorted(
        name for name in params if params[name] and name not in accepted
    ),
    "only the first accepted name was compared: a name may be any of them": lambda params, accepted: sorted(
        name for name in params if name != accepted[0]
    ),
    "in a text `in` finds parts of a word, too, as act in factor: look in the list": lambda params, accepted: sorted(
        name for name in params if name not in str(accepted)
    ),
    "`return` in the loop ends it at the first unknown name: collect all of them": lambda params, accepted: [
        name for name in params if name not in accepted
    ][:1],
    "`return` in the loop ends it at the first name: collect all of them": lambda params, accepted: sorted(
        set(params) - set(accepted)
    )[:1],
    "these are the accepted names that params lacks: it must be the other way round": (
        lambda params, accepted: sorted(set(accepted) - set(params))
    ),
    "these are names that are accepted: wanted are the others": lambda params, accepted: sorted(
        set(params) & set(accepted)
    ),
    "a name that only `accepted` has is no parameter of the operator: subtract, without the other direction": (
        lambda params, accepted: sorted(set(params) ^ set(accepted))
    ),
}


def _named(layer: type) -> type:
    """The class under the name that the reader's has, which Python says in its errors."""
    for name, each in vars(layer).items():
        if isinstance(each, FunctionType):
            each.__qualname__ = f"Capped.{name}"
    layer.__name__ = layer.__qualname__ = "Capped"
    return layer


def _capped(forward: Callable[..., Any] | None = None, base: type = Layer, stores: bool = True) -> type:
    """`Capped` with this forward, and with a constructor that stores its option or forgets to."""

    def construct(self: Any, high: Any) -> None:
        if stores:
            self.high = high

    methods = {"__init__": construct} | ({} if forward is None else {"forward": forward})
    return _named(type("Capped", (base,), methods))


def _clip(self: Any, x: np.ndarray) -> np.ndarray:
    return np.clip(x, 0, self.high)


def _no_such_name(self: Any, x: np.ndarray) -> NoReturn:
    raise NameError("name 'high' is not defined")


@_named
class _WithoutConstructor(Layer):
    def forward(self, x: np.ndarray) -> np.ndarray:
        return _clip(self, x)


@_named
class _InTheClass(Layer):
    high: Any

    def __init__(self, high: float) -> None:
        type(self).high = high

    def forward(self, x: np.ndarray) -> np.ndarray:
        return _clip(self, x)


@_named
class _ParameterKept(Layer):
    def __init__(self, high: Any) -> None:
        self.high = high

    @classmethod
    def from_operator(cls, operator: Operator) -> Layer:
        return cls(operator.params["high"])

    def forward(self, x: np.ndarray) -> np.ndarray:
        return _clip(self, x)


class _LessonsLayer:
    """The base class that the lesson builds, whose creator knows no options."""

    @classmethod
    def from_operator(cls, operator: Operator) -> Any:
        return cls()


CAPPED: Mistakes = {
    "the class must be built on kuiper.Layer, which has from_operator: class Capped(kuiper.Layer)": _capped(
        _clip, base=object
    ),
    "the lesson's own Layer makes every layer without options: the base class is kuiper.Layer, which reads them": (
        _capped(_clip, base=_LessonsLayer)
    ),
    "no constructor takes `high`: def __init__(self, high), with two underscores on either side": _WithoutConstructor,
    "the constructor did not store its option in `self`, where forward finds it later": _capped(_clip, stores=False),
    "in forward nobody knows `high`: the constructor keeps it in the object, as self.high": _capped(_no_such_name),
    "the first argument of a method is the object: def forward(self, x)": _capped(lambda x: x),
    "there is no method called forward: the graph looks for this name": _capped(),
    "the option is stored in the class, which both layers share, so the second one's counts: write self.high": (
        _InTheClass
    ),
    "an operator's parameter holds its number in .value; or leave from_operator away, the base class has one": (
        _ParameterKept
    ),
    "the input was written into, and another operator may read it: np.clip without out= makes a new array": _capped(
        lambda self, x: np.clip(x, 0, self.high, out=x)
    ),
    "what is below 0 must become 0, as in ReLU": _capped(lambda self, x: np.minimum(x, self.high)),
    "what is above the option must become the option: this is ReLU alone": _capped(lambda self, x: np.maximum(x, 0)),
    "np.clip takes the smallest value first, and then the largest": _capped(lambda self, x: np.clip(x, self.high, 0)),
    "what is above the option becomes the option, and not 0": _capped(
        lambda self, x: np.where((x < 0) | (x > self.high), 0.0, x)
    ),
    "np.maximum(x, high) lifts what is below the option: np.minimum(x, high) cuts what is above": _capped(
        lambda self, x: np.maximum(x, self.high)
    ),
    "the first check's 1 is written into this: take self.high": _capped(lambda self, x: np.clip(x, 0, 1)),
    "min, max and `if` take one number, and an array has many: np.minimum and np.maximum go number by number": _capped(
        lambda self, x: max(0, min(x, self.high))
    ),
}
