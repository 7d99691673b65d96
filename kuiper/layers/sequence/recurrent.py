"""Recurrent networks: RNN, GRU and LSTM read a sequence step by step and carry a state along.

L steps, N sequences, D = 2 directions if bidirectional and 1 otherwise, H = hidden_size, P = proj_size or else H.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from kuiper.dtypes import single
from kuiper.errors import ParameterError, RankError, ShapeError
from kuiper.graph import Operator
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import Shapes, known
from kuiper.layers.elementwise.activation import Sigmoid
from kuiper.layers.families import LINEAR
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry

State: TypeAlias = tuple[np.ndarray, ...]
sigmoid = Sigmoid().forward


@dataclass(frozen=True)
class Weights:
    """What one layer multiplies with in one direction; G is the number of its gates."""

    ih: np.ndarray
    """From the input, (G*H, size of the input)."""
    hh: np.ndarray
    """From the state, (G*H, P)."""
    bias_ih: np.ndarray | float = 0.0
    bias_hh: np.ndarray | float = 0.0
    hr: np.ndarray | None = None
    """From the new state of size H to the one of size P, (P, H)."""


class Recurrent(Layer):
    """(L, N, input_size) -> output (L, N, D*P), and the last state of each layer and direction, (D*num_layers, N, P).

    Layer 0 reads x, layer k the output of layer k - 1. A second direction reads from the end to the beginning; its
    output is joined to that of the first at each step. Without initial states these are 0.

    Parameters
    ----------
    arrays : weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, weight_hr_l0, with l1, l2, ... for further layers, and
        with the ending _reverse for the second direction.
    batch_first : x and output are (N, L, ...) instead. Either way a single sequence is (L, ...), its states (.., P).
    """

    family = LINEAR
    gates: ClassVar[int]
    states: ClassVar[int] = 1

    def __init__(
        self,
        arrays: Mapping[str, np.ndarray],
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        bidirectional: bool = False,
        proj_size: int = 0,
    ) -> None:
        self.input_size, self.batch_first = input_size, batch_first
        self.directions = 2 if bidirectional else 1
        self.sizes = (proj_size or hidden_size, hidden_size)[: self.states]
        self.stack: list[Weights] = []
        """One per layer and direction: layer 0, layer 0 reversed, layer 1, ..."""
        rows = self.gates * hidden_size
        for k, ending in itertools.product(range(num_layers), ("", "_reverse")[: self.directions]):
            inputs = input_size if k == 0 else self.directions * self.sizes[0]
            shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, inputs), "weight_hh": (rows, self.sizes[0])}
            shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)} if bias else {}
            shapes |= {"weight_hr": (proj_size, hidden_size)} if proj_size else {}
            found = {key: _array(arrays, f"{key}_l{k}{ending}", shape) for key, shape in shapes.items()}
            self.stack.append(Weights(**{key.removeprefix("weight_"): array for key, array in found.items()}))
        self.like = arrays["weight_ih_l0"][:0]
        """An empty array of the weights' element type."""
        self.outputs: tuple[int, ...] = tuple(range(1 + self.states))
        """Which of (output, last states) `forward` gives."""
        self.tied = 0
        """How many inputs before x are surplus."""

    @classmethod
    def from_operator(cls, operator: Operator) -> Layer:
        """The layer with the operator's parameters and weights, and with as many outputs as the operator has.

        PNNX leaves out the outputs that the network does not use, without saying which: their shapes tell. Between
        two that have the same shape, the first of (output, hidden state, cell state) is taken.
        """
        weights = {name: attribute.data for name, attribute in operator.attributes.items()}
        layer = cls(weights, **{name: parameter.value for name, parameter in operator.params.items()})
        layer.tied = _tied_inputs(operator)
        layer.outputs = layer._outputs_of(operator)
        return layer

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """At every step each weight is in one product and one sum, each bias in one sum; gates are left out."""
        steps = math.prod(known(inputs[self.tied])[:-1])
        biases = sum(np.size(b) for w in self.stack for b in (w.bias_ih, w.bias_hh) if np.ndim(b))
        weights = sum(array.size for w in self.stack for array in (w.ih, w.hh, w.hr) if array is not None)
        return steps * (2 * weights + biases)

    def forward(self, *inputs: Any) -> Any:
        """x, or x and the initial states -> output and last states. Raises ShapeError for shapes that do not fit."""
        x, *initial = inputs[self.tied :]
        check_dtype(type(self).__name__, x, "f", *initial, self.like)
        batched = x.ndim == 3
        if x.ndim not in (2, 3) or x.shape[-1] != self.input_size or x.size == 0:
            expected = f"(L, N, {self.input_size}) or (L, {self.input_size}), as input_size says, none of them empty"
            raise RankError(f"{type(self).__name__} input", expected, x.shape)
        steps = single(x if batched else x[:, None])
        steps = steps.swapaxes(0, 1) if batched and self.batch_first else steps
        y, last = self._run_layers(steps, self._initial_states(initial, steps, batched))
        y = y.swapaxes(0, 1) if batched and self.batch_first else y
        results = [array if batched else array.squeeze(1) for array in (y, *last)]
        chosen = tuple(results[i].astype(x.dtype, copy=False) for i in self.outputs)
        return chosen if len(chosen) > 1 else chosen[0]

    def _run_layers(self, x: np.ndarray, states: State) -> tuple[np.ndarray, State]:
        """(L, N, ...), states (D*num_layers, N, ...) -> output of the last layer (L, N, D*P), last states."""
        last = []
        for first in range(0, len(self.stack), self.directions):
            outputs = []
            for i in range(first, first + self.directions):
                backwards = i > first
                y, state = self._run(x[::-1] if backwards else x, tuple(s[i] for s in states), self.stack[i])
                outputs.append(y[::-1] if backwards else y)
                last.append(state)
            x = np.concatenate(outputs, axis=-1)
        return x, tuple(np.stack(of_all) for of_all in zip(*last, strict=True))

    def _run(self, x: np.ndarray, state: State, w: Weights) -> tuple[np.ndarray, State]:
        """One layer in one direction: (L, N, ...) -> (L, N, P) and the last state."""
        from_input = x @ w.ih.T + w.bias_ih  # of all steps at once: it does not depend on the state
        outputs = []
        for step in from_input:
            state = self.step(step, state[0] @ w.hh.T + w.bias_hh, state)
            if w.hr is not None:
                state = (state[0] @ w.hr.T, *state[1:])
            outputs.append(state[0])
        return np.stack(outputs), state

    def step(self, from_input: np.ndarray, from_state: np.ndarray, state: State) -> State:
        """One step: two arrays (N, G*H) and the state before it -> the state after it."""
        raise NotImplementedError(f"{type(self).__name__}.step")

    def _initial_states(self, initial: list[np.ndarray], x: np.ndarray, batched: bool) -> State:
        shapes = [(len(self.stack), x.shape[1], size) for size in self.sizes]
        if not initial:
            return tuple(np.zeros(shape, x.dtype) for shape in shapes)
        if len(initial) != self.states:
            raise ShapeError(f"{type(self).__name__} inputs", f"x alone or {self.states} initial states", len(initial))
        for given, (count, batch, size) in zip(initial, shapes, strict=True):
            expected = (count, batch, size) if batched else (count, size)
            if given.shape != expected:
                raise ShapeError(f"{type(self).__name__} initial state", str(expected), given.shape)
        return tuple(single(given).reshape(shape) for given, shape in zip(initial, shapes, strict=True))

    def _outputs_of(self, operator: Operator) -> tuple[int, ...]:
        """The first order of outputs whose shapes are those that the file declares."""
        x, *_ = (operand.shape for operand in operator.inputs[self.tied :])
        declared = [operand.shape for operand in operator.outputs]
        if x is not None and len(declared) <= 1 + self.states:
            batch = () if len(x) == 2 else (x[0] if self.batch_first else x[1],)
            expected = [(*x[:-1], self.directions * self.sizes[0])]
            expected += [(len(self.stack), *batch, size) for size in self.sizes]
            for order in itertools.permutations(range(len(expected)), len(declared)):
                if all(shape in (None, expected[i]) for i, shape in zip(order, declared, strict=True)):
                    return order
        return tuple(range(len(declared)))


@registry.register("nn.RNN")
class RNN(Recurrent):
    """Recurrent network with h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu in place of tanh.

    Parameters: as for Recurrent, and nonlinearity, "tanh" or "relu".

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.RNN.html

    >>> one = np.ones((1, 1))
    >>> layer = RNN({"weight_ih_l0": one, "weight_hh_l0": one}, 1, 1, bias=False, nonlinearity="relu")
    >>> layer.forward(np.array([[1.0], [2.0], [-5.0]]))[0].reshape(-1).tolist()
    [1.0, 3.0, 0.0]
    """

    gates = 1

    def __init__(
        self, arrays: Mapping[str, np.ndarray], *sizes: Any, nonlinearity: str = "tanh", **options: Any
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ParameterError("nonlinearity", "'tanh' or 'relu'", repr(nonlinearity))
        super().__init__(arrays, *sizes, **options)
        self.nonlinearity = nonlinearity

    def step(self, from_input: np.ndarray, from_state: np.ndarray, state: State) -> State:
        """Mix input and state."""
        total = from_input + from_state
        return (np.tanh(total) if self.nonlinearity == "tanh" else np.maximum(total, 0),)


@registry.register("nn.GRU")
class GRU(Recurrent):
    """Recurrent network whose gates choose, number by number, between the old state and a new one.

        r = sigmoid(...)    n = tanh(W_in x + b_in + r * (W_hn h + b_hn))
        z = sigmoid(...)    h' = (1 - z) * n + z * h

    Source: Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder" (2014),
    https://arxiv.org/abs/1406.1078; https://docs.pytorch.org/docs/stable/generated/torch.nn.GRU.html
    """

    gates = 3

    def step(self, from_input: np.ndarray, from_state: np.ndarray, state: State) -> State:
        """Reset, update, new."""
        input_r, input_z, input_n = np.split(from_input, 3, axis=-1)
        state_r, state_z, state_n = np.split(from_state, 3, axis=-1)
        r, z = sigmoid(input_r + state_r), sigmoid(input_z + state_z)
        n = np.tanh(input_n + r * state_n)
        return (n + z * (state[0] - n),)


@registry.register("nn.LSTM")
class LSTM(Recurrent):
    """Recurrent network with a second state c, the cell, which gates write to (i), forget from (f) and read (o).

        i, f, o = sigmoid(...)    c' = f * c + i * g
        g = tanh(...)             h' = o * tanh(c'), times weight_hr if proj_size > 0

    Its last states are two: h of size P, c of size H.

    Source: Hochreiter, Schmidhuber, "Long Short-Term Memory" (1997), https://doi.org/10.1162/neco.1997.9.8.1735;
    https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html
    """

    gates = 4
    states = 2

    def step(self, from_input: np.ndarray, from_state: np.ndarray, state: State) -> State:
        """Forget, write, read."""
        i, f, g, o = np.split(from_input + from_state, 4, axis=-1)
        cell = sigmoid(f) * state[1] + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(cell), cell


class AtenRecurrent(Layer):
    """A recurrent network that is the whole model: PNNX leaves PyTorch's own operator, all of whose options are inputs.

    Parameters
    ----------
    arrays : the weights, layer by layer.

    Source: https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/native_functions.yaml
    """

    family = LINEAR
    inputs = ("x", "x x arrays bias num_layers _ _ bidirectional batch_first")
    network: ClassVar[type[Recurrent]]
    options: ClassVar[dict[str, Any]] = {}

    def __init__(
        self, arrays: Sequence[np.ndarray], bias: bool, num_layers: int, bidirectional: bool, batch_first: bool
    ) -> None:
        hidden_size, state_size = arrays[0].shape[0] // self.network.gates, arrays[1].shape[1]
        projected = state_size != hidden_size
        kinds = ["weight_ih", "weight_hh"] + ["bias_ih", "bias_hh"] * bool(bias) + ["weight_hr"] * projected
        endings = ("", "_reverse")[: 1 + bool(bidirectional)]
        names = [f"{kind}_l{k}{ending}" for k in range(num_layers) for ending in endings for kind in kinds]
        self.layer = self.network(
            dict(zip(names, arrays, strict=True)),
            arrays[0].shape[1],
            hidden_size,
            num_layers=num_layers,
            bias=bias,
            batch_first=batch_first,
            bidirectional=bidirectional,
            proj_size=state_size if projected else 0,
            **self.options,
        )

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """Those of the network."""
        return self.layer.flops(inputs, outputs)

    def forward(self, x: np.ndarray, initial: Any) -> Any:
        """x and the initial state, or a list of them -> output and last states."""
        return self.layer.forward(x, *(initial if isinstance(initial, (list, tuple)) else [initial]))


@registry.register("aten::lstm")
class AtenLSTM(AtenRecurrent):
    """LSTM; its initial states are a list of two."""

    network = LSTM


@registry.register("aten::gru")
class AtenGRU(AtenRecurrent):
    """GRU."""

    network = GRU


@registry.register("aten::rnn_tanh")
class AtenRNN(AtenRecurrent):
    """RNN."""

    network = RNN


@registry.register("aten::rnn_relu")
class AtenReluRNN(AtenRNN):
    """RNN with relu."""

    options: ClassVar[dict[str, Any]] = {"nonlinearity": "relu"}


def _array(arrays: Mapping[str, np.ndarray], name: str, shape: tuple[int, ...]) -> np.ndarray:
    if name not in arrays or arrays[name].shape != shape:
        raise ParameterError(name, f"shape {shape}", str(arrays[name].shape) if name in arrays else "none")
    return single(arrays[name])


def _tied_inputs(operator: Operator) -> int:
    """How many of the first inputs are weights that another module shares: PNNX repeats them before x."""
    count = 0
    for operand in operator.inputs[:-1]:
        data = None if operand.producer is None else operand.producer.attributes.get("data")
        if data is None or not any(np.array_equal(data.data, own.data) for own in operator.attributes.values()):
            break
        count += 1
    return count
