"""Activation layers: the steps that compute each, and the kernel for one that is not fused into another operator.

What counts is the number of passes over the data and what each one costs. Per element of a tile in the cache, in
nanoseconds: add or multiply in place 0.06, into another array 0.08, clip 0.11 (maximum with a number: 0.4), divide
0.12, tanh 0.36, exp 0.45.

A new activation gets a fast form in this file: its steps, and a line in `ACTIVATIONS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from kuiper.errors import KuiperError, unique
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.calls import Call, Stage, copy
from kuiper.fast.kernels.base.kernel import ImageLayout, Kernel, Step, lowers
from kuiper.fast.kernels.base.samples import by_element
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.elementwise.program import Program, ProgramValue, UfuncCall, calls_on, registers
from kuiper.fast.kernels.elementwise.walk import thread_tiles, walk
from kuiper.layers.binding import arguments
from kuiper.layers.elementwise import activation as activation_layers
from kuiper.layers.elementwise.elementwise import Clamp, ClampMax, ClampMin
from kuiper.layers.elementwise.identity import Dropout, Identity
from kuiper.layers.layer import Layer
from kuiper.scalars.steps import Apply, Steps, clip, erf_of_root


@dataclass(frozen=True)
class ActivationSteps:
    """A function of every element: f(x) = steps(factor * x), float32, as the layer has it.

    Nothing overflows that does not overflow in the layer, but for GELU: for very large |x| its result is right and
    numpy warns.

    steps : see kuiper.scalars.steps.
    nanoseconds : of one element on one thread.
    factor : what x is multiplied by first: a finite number that belongs to the function, such as 1/6. An option's value
        goes into the steps instead: a producer multiplies its weights by the factor (see `without_factor`), of which
        an infinite one makes NaN of 0, and a large one infinity.
    bounds : of f(x) = min(max(x, low), high), (low, high).
    gate : of f(x) = x min(max(slope x + shift, 0), 1), (slope, shift).

    With bounds or a gate the loop of conv/compiled.py computes the function too, instead of numpy after it.
    """

    name: str
    steps: Steps
    nanoseconds: float
    factor: float = 1.0
    bounds: tuple[float, float] | None = None
    gate: tuple[float, float] | None = None

    def __call__(self, apply: Apply, x: Any) -> Any:
        """f(x), by the ufuncs that `apply` notes or calls."""
        return self.steps(apply, times(apply, x, self.factor))

    def calls(
        self, x: np.ndarray, target: np.ndarray, take: Callable[[], np.ndarray], spoil: bool = True
    ) -> list[Call]:
        """target = f(x), for any strides. x may be the target; where `spoil` holds, x is not needed afterwards.

        take : gives a fresh scratch array of the target's shape.
        """
        same = x is target or x.__array_interface__["data"] == target.__array_interface__["data"]
        if not self.operations:
            return [] if same else [copy(x, target)]
        held, scratch = self._registers["target" if same else "spoilt" if spoil else "kept"]
        arrays = [target, x] if spoil and not same else [target]
        arrays += [take() for _ in range(scratch)]
        return calls_on(self.operations, {0: x} | {number: arrays[register] for number, register in held.items()})

    @property
    def without_factor(self) -> ActivationSteps:
        """g with f(x) = g(factor * x), often a pass cheaper: for a producer that puts the factor into its weights."""
        return replace(self, factor=1.0)

    @cached_property
    def operations(self) -> list[UfuncCall]:
        """The ufunc calls of f(x), in order."""
        program = Program([(1,)])
        (x,) = program.inputs
        try:
            result = self(program.apply, x)
        except KuiperError as error:
            raise KuiperError(f"steps of {self.name}: {error.message}") from error
        last = program.operations[-1].result if program.operations else x
        if result is not last:
            found = "another value" if isinstance(result, ProgramValue) else repr(result)
            raise KuiperError(f"steps of {self.name}: expected the result of the last apply returned, found {found}")
        return program.operations

    @cached_property
    def identity(self) -> str:
        """What tells it from every other function: its ufuncs and their operands."""
        return " ".join(map(str, self.operations))

    @cached_property
    def _registers(self) -> dict[str, tuple[dict[int, int], int]]:
        """Where x is -> in which arrays the results are (0 is the target, 1 a spoilt x), and how many more it takes."""
        results = {}
        for where, given in {"target": {0: 0}, "spoilt": {0: 1}, "kept": {}}.items():
            held = registers(self.operations, given)
            results[where] = held, max(held.values()) - max(given.values(), default=0)
        return results


LARGEST = float(np.finfo(np.float32).max)
"""The largest finite float32."""


def times(apply: Apply, x: Any, factor: float) -> Any:
    """x factor, for which 1 needs no step."""
    return x if factor == 1 else apply(np.multiply, x, factor)


def clamp(low: float | None, high: float | None) -> ActivationSteps | None:
    """min(max(x, low), high); NaN stays. None without any bound."""
    if low is high is None:
        return None
    bounds = -math.inf if low is None else low, math.inf if high is None else high
    return ActivationSteps("clamp", lambda apply, x: apply(clip, x, *bounds), 0.11, bounds=bounds)


def _sigmoid(apply: Apply, x: Any) -> Any:
    """1 / (1 + e^x), for -x; e^88 is still a float32, so at infinity it gives 6e-39, not 0."""
    return apply(np.divide, 1, apply(np.add, apply(np.exp, apply(clip, x, -math.inf, 88)), 1))


def _gate(apply: Apply, x: Any, inner: Any) -> Any:
    """x (1 + tanh(inner))."""
    return apply(np.multiply, x, apply(np.add, apply(np.tanh, inner), 1))


def _hardsigmoid(apply: Apply, x: Any) -> Any:
    """clip(x + 1/2, 0, 1), for x/6."""
    return apply(clip, apply(np.add, x, 0.5), 0, 1)


def _hardswish(apply: Apply, x: Any) -> Any:
    """x clip(x + 3/sqrt(6), 0, sqrt(6)), for x / sqrt(6): the pass that would divide by 6 is saved."""
    root = math.sqrt(6)
    return apply(np.multiply, x, apply(clip, apply(np.add, x, 3 / root), 0, root))


def _gelu_tanh(apply: Apply, x: Any) -> Any:
    """x (1 + tanh(x (a + b x^2))), for x/2."""
    a = 2 * math.sqrt(2 / math.pi)
    inner = apply(np.add, apply(np.multiply, apply(np.multiply, x, x), 4 * 0.044715 * a), a)
    return _gate(apply, x, apply(np.multiply, x, inner))


def _gelu(apply: Apply, x: Any) -> Any:
    """x (1 + erf(sqrt(2) x)), for x/2."""
    return apply(np.multiply, x, apply(np.add, erf_of_root(apply, x), 1))


def _mish(apply: Apply, x: Any) -> Any:
    """x n / (n + 2) with n = e (e + 2) and e = e^x, as the layer has it."""
    e = apply(np.exp, apply(clip, x, -math.inf, 20))
    n = apply(np.multiply, e, apply(np.add, e, 2))
    return apply(np.multiply, x, apply(np.divide, n, apply(np.add, n, 2)))


def leaky_relu(slope: float) -> ActivationSteps | None:
    """The larger of x and slope x, or the smaller for slope > 1; 0 times infinity is left to the layer."""
    ufunc = np.maximum if slope <= 1 else np.minimum
    steps = ActivationSteps("leaky_relu", lambda apply, x: apply(ufunc, x, apply(np.multiply, x, slope)), 0.22)
    return steps if slope and math.isfinite(slope) else None


def exponential_unit(alpha: float, scale: float = 1.0, slope: float = 1.0) -> ActivationSteps | None:
    """scale (max(x, 0) + alpha (e^(slope min(x, 0)) - 1)): ELU and its cousins.

    Where the curve lies above the line x, the larger of the two is the result. None for slope <= 0, and for an infinite
    alpha, whose product with 0 is left to the layer.
    """

    def steps(apply: Apply, x: Any) -> Any:
        left = apply(np.expm1, times(apply, apply(clip, x, -math.inf, 0), slope))
        left = times(apply, left, scale * alpha)
        if scale == 1 and 0 <= alpha * slope <= 1:
            return apply(np.maximum, x, left)
        return apply(np.add, times(apply, apply(clip, x, 0, math.inf), scale), left)

    return ActivationSteps("elu", steps, 0.7) if slope > 0 and math.isfinite(alpha) else None


def softplus(beta: float, threshold: float) -> ActivationSteps | None:
    """The larger of x and log(1 + e^min(beta x, threshold)) / beta: at a high threshold the two are one float32."""

    def steps(apply: Apply, x: Any) -> Any:
        power = apply(np.exp, apply(clip, times(apply, x, beta), -math.inf, threshold))
        return apply(np.maximum, x, times(apply, apply(np.log1p, power), 1 / beta))

    known = 0 < beta < math.inf and 17 <= threshold <= 88
    return ActivationSteps("softplus", steps, 1.2) if known else None


IDENTITY = ActivationSteps("identity", lambda apply, x: x, 0.08)
TANH = ActivationSteps("tanh", lambda apply, x: apply(np.tanh, x), 0.36)
SIGMOID = ActivationSteps("sigmoid", _sigmoid, 0.78, factor=-1.0)
SILU = ActivationSteps("silu", lambda apply, x: _gate(apply, x, x), 0.56, factor=0.5)
HARDSIGMOID = ActivationSteps("hardsigmoid", _hardsigmoid, 0.23, factor=1 / 6)
HARDSWISH = ActivationSteps("hardswish", _hardswish, 0.3, factor=1 / math.sqrt(6), gate=(1 / 6, 0.5))
GELU = ActivationSteps("gelu", _gelu, 1.4, factor=0.5)
GELU_TANH = ActivationSteps("gelu_tanh", _gelu_tanh, 0.85, factor=0.5)
MISH = ActivationSteps("mish", _mish, 1.0)

ACTIVATIONS: dict[type, Callable[[Any], ActivationSteps | None]] = unique(
    "has steps already",
    (activation_layers.ReLU, lambda layer: clamp(0, None)),
    (activation_layers.ReLU6, lambda layer: clamp(0, 6)),
    (activation_layers.LeakyReLU, lambda layer: leaky_relu(layer.negative_slope)),
    (activation_layers.RReLU, lambda layer: leaky_relu(layer.negative_slope)),
    (activation_layers.Sigmoid, lambda layer: SIGMOID),
    (activation_layers.Tanh, lambda layer: TANH),
    (activation_layers.SiLU, lambda layer: SILU),
    (activation_layers.Hardsigmoid, lambda layer: HARDSIGMOID),
    (activation_layers.Hardswish, lambda layer: HARDSWISH),
    (activation_layers.GELU, lambda layer: GELU_TANH if layer.approximate == "tanh" else GELU),
    (activation_layers.ELU, lambda layer: exponential_unit(layer.alpha)),
    (activation_layers.CELU, lambda layer: exponential_unit(layer.alpha, slope=1 / layer.alpha)),
    (activation_layers.SELU, lambda layer: exponential_unit(layer.alpha, layer.scale)),
    (activation_layers.Softplus, lambda layer: softplus(layer.beta, layer.threshold)),
    (activation_layers.Mish, lambda layer: MISH),
    (activation_layers.Hardtanh, lambda layer: clamp(layer.min_val, layer.max_val)),
    (Clamp, lambda layer: clamp(layer.min, layer.max)),
    (ClampMin, lambda layer: clamp(layer.min, None)),
    (ClampMax, lambda layer: clamp(None, layer.max)),
    (Identity, lambda layer: IDENTITY),
    (Dropout, lambda layer: IDENTITY),
)


def activation_of(layer: Any) -> ActivationSteps | None:
    """The function of every element that `layer` computes on float32; None where it is no such layer.

    None too for an option that is an array, a boolean or a text where a number is meant: lines of ACTIVATIONS see plain
    numbers, or what is of the default's type, such as None for no bound. And None for a factor that is no finite
    float32.

    >>> from kuiper.layers.elementwise.activation import ELU, GLU, SiLU
    >>> activation_of(SiLU()).name, activation_of(GLU()), activation_of(ELU(np.ones(1)))
    ('silu', None, None)
    """
    find = ACTIVATIONS.get(type(layer))
    activation = find(layer) if find and _has_plain_options(layer) else None
    return activation if activation and abs(activation.factor) <= LARGEST else None


def _has_plain_options(layer: Layer) -> bool:
    accepted = arguments(type(layer))
    for name, value in vars(layer).items():
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        default = accepted[name].default if name in accepted else None
        if not number and type(value) is not type(default) and not hasattr(Layer, name):
            return False
    return True


class ActivationKernel(Kernel):
    """(...) -> (...): an activation by itself, tile by tile."""

    output_layout: ImageLayout = "like input"
    by_sample = by_element

    def __init__(self, activation: ActivationSteps) -> None:
        self.activation = activation

    @property
    def name(self) -> str:
        """The activation's name."""
        return self.activation.name

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """The activation's calls for every tile."""
        target, x = walk(outputs[0].array, inputs[0].array)
        stage: Stage = []
        for thread, parts in enumerate(thread_tiles(x.shape, space, self.activation.nanoseconds)):
            calls: list[Call] = []
            for part in parts:
                with space.reused(thread):
                    calls += self._tile(x[part], target[part], space, thread)
            stage.append(calls)
        return [stage]

    def _tile(self, x: np.ndarray, target: np.ndarray, space: Workspace, thread: int) -> list[Call]:
        return self.activation.calls(x, target, lambda: space.own(thread, target.shape), spoil=False)


@lowers(*(layer for layer in ACTIVATIONS if layer not in (Identity, Dropout)))
def lower(step: Step) -> Kernel | None:
    """An activation of one array of float32."""
    activation = activation_of(step.layer)
    if activation is None or len(step.inputs) != 1 or len(step.outputs) != 1:
        return None
    return ActivationKernel(activation) if step.inputs[0].is_float and step.outputs[0].is_float else None
