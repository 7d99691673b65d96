"""One operator of a PNNX file -> the torch call of the same name.

PNNX names its operators after PyTorch: nn.X is a module, F.x and torch.x are functions, Tensor.x is a method. What is
written here is what does not follow from the name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from kuiper.errors import KuiperError
from kuiper.expression.source import source_text
from kuiper.graph import Operator
from kuiper.layers import registry
from kuiper.layers.arrays.indexing import Index
from kuiper.layers.arrays.joining import Cat, Stack, TensorSplit
from kuiper.layers.arrays.slicing import Slice, SliceCopy
from kuiper.layers.arrays.structure import StoredArray
from kuiper.layers.elementwise.expression import ExpressionLayer
from kuiper.layers.layer import Layer
from kuiper.layers.linear.einsum import Einsum
from kuiper.layers.sequence.attention import MultiheadAttention
from kuiper.layers.sequence.recurrent import Recurrent
from kuiper.peers.torch_expression import torch_expression

Call = Callable[..., Any]


def torch_call(torch: Any, op: Operator) -> Call:
    """The operator's inputs -> its output, or a tuple of them. A module is made here, with its weights.

    Raises KuiperError for a type that torch has no name for, and for options that it does not take.
    """
    try:
        return _made(torch, op)
    except KuiperError:
        raise
    except Exception as error:
        raise KuiperError(f"torch cannot make {op.type}: {error}", operator=op.name) from error


def _layer_class(op: Operator) -> type[Layer]:
    """The class whose layers compute the operator in kuiper; Layer itself for a type without one."""
    return (registry.layer_class(op.type) if op.type in registry else None) or Layer


def _made(torch: Any, op: Operator) -> Call:
    params = {name: _value(torch, parameter.value) for name, parameter in op.params.items()}
    if "adaptive" in op.type.lower() and isinstance(params.get("output_size"), list):
        params["output_size"] = tuple(size or None for size in params["output_size"])  # 0 says: as the input
    own_way = _OWN_WAYS.get(_layer_class(op))
    if own_way is not None:
        return own_way(torch, op, params)
    prefix, _, name = op.type.rpartition(".")
    if op.type.startswith(("prim::Tuple", "prim::List")):
        return (lambda *xs: xs) if op.type.endswith("Construct") else lambda x: x
    if op.type.startswith("aten::"):
        function = getattr(torch.ops.aten, op.type.removeprefix("aten::"), None)
    elif prefix == "nn":
        return _module(torch, op, params)
    elif prefix == "Tensor":
        return _method(torch, op, name, params)
    else:
        owner = {"F": torch.nn.functional}.get(prefix) or _attribute(torch, prefix)
        function = getattr(owner, name, None)
    if function is None:
        raise KuiperError(f"torch has nothing of the name {op.type}", operator=op.name)
    return _function(function, op, params)


def _function(function: Call, op: Operator, params: dict[str, Any]) -> Call:
    """Inputs without a name by position, those with one, and the options, by name."""
    names = op.input_names
    if all(name is None or i == 0 for i, name in enumerate(names)):
        return partial(function, **params)
    plain = [i for i, name in enumerate(names) if name is None]
    named = {name: i for i, name in enumerate(names) if name is not None}

    def call(*xs: Any) -> Any:
        return function(*[xs[i] for i in plain], **{name: xs[i] for name, i in named.items()}, **params)

    return call


def _module(torch: Any, op: Operator, params: dict[str, Any]) -> Call:
    """torch.nn's module with the weights that the file stores for it."""
    made = getattr(torch.nn, op.type.removeprefix("nn."), None)
    if made is None:
        raise KuiperError(f"torch has nothing of the name {op.type}", operator=op.name)
    module = made(**{k: tuple(v) if isinstance(v, list) else v for k, v in params.items()}).eval()
    weights = {name: torch.from_numpy(a.data.copy()) for name, a in op.attributes.items()}
    module.to(next((array.dtype for array in weights.values() if array.is_floating_point()), None))
    missing, surplus = module.load_state_dict(weights, strict=False)
    missing = [name for name in missing if not name.endswith("num_batches_tracked")]
    if missing or surplus:
        raise KuiperError(f"{op.type}: weights {missing} are missing, {surplus} are not known", operator=op.name)
    layer = _layer_class(op)
    if issubclass(layer, Recurrent):
        return _Adapted(module, _recurrent)
    if issubclass(layer, MultiheadAttention):
        return _Adapted(module, partial(_attention, op.input_names, len(op.outputs)))
    result: Call = module
    return result


class _Adapted:
    """A module that is called in a way of its own."""

    def __init__(self, module: Any, call: Call) -> None:
        self.module, self.call = module, call

    def __call__(self, *xs: Any) -> Any:
        return self.call(self.module, *xs)


def _recurrent(module: Any, x: Any, *state: Any) -> tuple[Any, ...]:
    """(x, h[, c]) -> (y, h[, c]): the states stand side by side in the file, and in a tuple in torch's LSTM."""
    y, last = module(x, tuple(state) if len(state) == 2 else state[0]) if state else module(x)
    return (y, *last) if isinstance(last, tuple) else (y, last)


def _attention(names: list[str | None], outputs: int, module: Any, *xs: Any) -> Any:
    """One input is query, key and value; two are query, and key and value; the mask bears its name."""
    named = {name: x for name, x in zip(names, xs) if name in ("attn_mask", "key_padding_mask")}
    plain = [x for name, x in zip(names, xs) if name not in named]
    result = module(plain[0], plain[min(1, len(plain) - 1)], plain[-1], need_weights=outputs > 1, **named)
    return result if outputs > 1 else result[0]


def _method(torch: Any, op: Operator, name: str, params: dict[str, Any]) -> Call:
    """x.name(others, options); the sizes that reshape and its kin take have no name there."""
    sizes = [params.pop(key) for key in ("shape", "sizes", "dims") if name in _SIZED and key in params]
    names = op.input_names[1:]

    def call(x: Any, *others: Any) -> Any:
        plain = [y for key, y in zip(names, others) if key is None or key in _SIZE_NAMES]
        named = {key: y for key, y in zip(names, others) if key is not None and key not in _SIZE_NAMES}
        function = getattr(x, name, None) or partial(getattr(torch, name), x)
        return function(*plain, *sizes, **named, **params)

    return call


_SIZED = {"reshape", "view", "permute", "expand", "repeat"}
_SIZE_NAMES = {"shape", "sizes", "dims", "other"}


def _constant(torch: Any, op: Operator, params: dict[str, Any]) -> Call:
    """A module without inputs that gives the stored array, so that exporters see it as a weight."""
    (attribute,) = op.attributes.values()

    class Constant(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("data", torch.from_numpy(attribute.data.copy()))

        def forward(self) -> Any:
            return self.data

    made: Call = Constant()
    return made


def _joining(torch: Any, op: Operator, params: dict[str, Any]) -> Call:
    """cat and stack take their inputs as one list."""
    function = _attribute(torch, op.type.removeprefix("torch."))
    return lambda *xs: function(xs, **params)


def _tensor_split(torch: Any, op: Operator, params: dict[str, Any]) -> Call:
    at = params.get("indices", params.get("sections"))
    return lambda x: torch.tensor_split(x, at, dim=params.get("dim", 0))


def _slice(torch: Any, op: Operator, params: dict[str, Any]) -> Call:
    """x[start:end:step] along one axis, or along several (`dims`), of which a `select` takes some out."""
    late = op.input_names[1:]
    return lambda x, *others: x[_slices(x, params | _by_name(late, others))]


def _slice_copy(torch: Any, op: Operator, params: dict[str, Any]) -> Call:
    """What x[start:end:step] = src leaves in x, with x itself as it was."""
    late = op.input_names[2:]

    def call(x: Any, src: Any, *others: Any) -> Any:
        y = x.clone()
        y[_slices(x, params | _by_name(late, others))] = src
        return y

    return call


def _by_name(names: list[str | None], values: tuple[Any, ...]) -> dict[str, Any]:
    return {name: value for name, value in zip(names, values) if name is not None}


def _slices(x: Any, given: dict[str, Any]) -> tuple[Any, ...]:
    axes = given.get("dims", [given.get("dim")])
    selects = iter(given.get("selects") or [given.get("select")])
    every = len(given.get("selects") or axes) == len(axes)  # else only the axes whose step is 0 have one
    index: list[Any] = [slice(None)] * x.dim()
    for i, axis in enumerate(axes):
        start, end, step = (_at(given, name, i) for name in ("start", "end", "step"))
        select = next(selects, None) if every or step == 0 else None
        index[axis] = slice(start, end, step) if select in (None, _NO_SELECT) else select
    return tuple(index)


_NO_SELECT = 2**31 - 1


def _at(given: dict[str, Any], name: str, i: int) -> Any:
    several = given.get(name + "s")
    return given.get(name) if several is None else several[i]


def _index(torch: Any, op: Operator, params: dict[str, Any]) -> Call:
    """x[indices], where the indices are one list."""
    given = params.get("indices")

    def call(x: Any, indices: Any = given) -> Any:
        return x[tuple(slice(None) if i is None else i for i in indices)]

    return call


def _einsum(torch: Any, op: Operator, params: dict[str, Any]) -> Call:
    return partial(torch.einsum, params["equation"])


def _expression(torch: Any, op: Operator, params: dict[str, Any]) -> Call:
    return torch_expression(torch, source_text(op.params["expr"].value), len(op.inputs))


_OWN_WAYS: dict[type[Layer], Callable[[Any, Operator, dict[str, Any]], Call]] = {
    Cat: _joining,
    Einsum: _einsum,
    ExpressionLayer: _expression,
    Index: _index,
    Slice: _slice,
    SliceCopy: _slice_copy,
    Stack: _joining,
    StoredArray: _constant,
    TensorSplit: _tensor_split,
}
"""Layers whose operator torch calls in another way than its type and options say."""


def _value(torch: Any, value: Any) -> Any:
    """A parameter as torch wants it: names of types and memory formats become those."""
    if isinstance(value, str) and value.startswith("torch."):
        return _attribute(torch, value.removeprefix("torch."))
    return value


def _attribute(torch: Any, path: str) -> Any:
    """torch.a.b for "a.b" or "torch.a.b"; None where there is nothing of that name."""
    found = torch
    for name in path.removeprefix("torch").lstrip(".").split(".") if path != "torch" else []:
        found = getattr(found, name, None)
    return found
