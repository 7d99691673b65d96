"""Lesson 14: small products in the student's tiles, and by the loops that the student's program writes."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

import kuiper
from classroom.gallery.pipeline import Replacements
from classroom.gallery.plugs.plug import Plug, as_step, same_type
from kuiper.layers.image.convolution import Conv2d
from kuiper.layers.image.windows import as_batch, like_input

MOST = 2**18
"""Multiply-adds of an image: so many are quickly made by loops in plain Python, too."""
COMPILED = 2**20
"""From so many multiply-adds on numba's machine code saves more time than it takes to make."""
REGISTERS = 16
"""A text has variables for registers, and each holds one number."""
TILE = (4, 3)
"""Without the student's choose_tile."""
Product = Callable[..., None]
"""product(x, w, bias, residual, y), as loop_nest writes it."""


def is_small_product(operator: kuiper.RuntimeOperator) -> bool:
    """Whether it is a 1x1 convolution without padding, that is a product, of an image that is small and known."""
    if operator.type != "nn.Conv2d" or tuple(operator.params["kernel_size"].value) != (1, 1):
        return False
    shape = operator.outputs[0].shape
    options = {name: operator.params[name].value for name in ("groups", "padding", "in_channels")}
    if options["groups"] != 1 or np.any(options["padding"]) or shape is None or len(shape) != 4:
        return False
    sizes = shape[1:]
    return all(isinstance(size, int) and size > 0 for size in sizes) and prod(sizes) * options["in_channels"] <= MOST


def small_products(replacements: Replacements, exercise: str, function: Callable[..., Any]) -> Replacements:
    """Small 1x1 convolutions tile by tile, in choose_tile's tiles and by loop_nest's text, if there are any."""
    replacements = as_step(replacements, exercise, function)
    others = replacements.registry.find("nn.Conv2d")
    steps = {name: replacements.steps[name] for name in ("choose_tile", "loop_nest") if name in replacements.steps}

    class StudentProduct(Conv2d):
        def forward(self, x: np.ndarray) -> np.ndarray:
            if x.dtype != self.weight.dtype:
                return super().forward(x)
            images = as_batch("Conv2d", x, self.in_channels)[:, :, :: self.stride[0], :: self.stride[1]]
            batch, _, height, width = images.shape
            rows = np.ascontiguousarray(images.transpose(0, 2, 3, 1).reshape(-1, self.in_channels))
            w = np.ascontiguousarray(self.weight.reshape(self.out_channels, -1).T)
            bias = np.zeros(self.out_channels, x.dtype) if self.bias is None else self.bias.copy()
            tile = chosen_tile(steps.get("choose_tile"), REGISTERS, 1, len(rows), self.out_channels)
            y = same_type("loop_nest", product_of(steps.get("loop_nest"), rows, w, bias, tile), x)
            return like_input(y.reshape(batch, height, width, -1).transpose(0, 3, 1, 2), x)

    own = kuiper.registry.copy()
    own.override("nn.Conv2d", StudentProduct)
    made = own.find("nn.Conv2d")
    replacements.registry.override(
        "nn.Conv2d", lambda operator: (made if is_small_product(operator) else others)(operator)
    )
    return replacements


def chosen_tile(choose_tile: Callable[..., Any] | None, *problem: int) -> tuple[int, int]:
    """The student's tile for (registers, lanes, rows, channels). Raises KuiperError for what is no tile."""
    tile = TILE if choose_tile is None else choose_tile(*problem)
    whole = isinstance(tile, tuple) and all(isinstance(n, int) and 1 <= n <= 64 for n in tile)
    if not whole or len(tile) != 2:
        raise kuiper.KuiperError(f"choose_tile{problem}: expected (h, v), two ints from 1 to 64, got {tile!r:.100}")
    return tile


def product_of(
    loop_nest: Callable[..., Any] | None, x: np.ndarray, w: np.ndarray, bias: np.ndarray, tile: tuple[int, int]
) -> np.ndarray:
    """x @ w + bias, tile by tile: by the student's text, or one tile after the other by numpy."""
    y = np.full((len(x), w.shape[1]), np.nan, x.dtype)
    if loop_nest is None:
        for i in range(0, len(x), tile[0]):
            for j in range(0, w.shape[1], tile[1]):
                y[i : i + tile[0], j : j + tile[1]] = x[i : i + tile[0]] @ w[:, j : j + tile[1]]
        return y + bias
    text = loop_nest(len(x), len(w), w.shape[1], tile, ["bias"])
    if not isinstance(text, str):
        raise kuiper.KuiperError(f"loop_nest: expected the text of a function, got {type(text).__name__}")
    names: dict[str, Any] = {}
    exec(compile(text, "<loop_nest>", "exec"), names)
    product: Product = names["product"]
    if numba_is_there() and x.size * w.shape[1] > COMPILED:
        import numba

        product = numba.njit(product)
    product(x, w, bias, np.zeros_like(y), y)
    return y


def numba_is_there() -> bool:
    """Whether numba is installed."""
    return importlib.util.find_spec("numba") is not None


def how_it_runs() -> str:
    """By what the student's text is run, in a sentence."""
    if numba_is_there():
        return "loop_nest: numba makes machine code of your text where a product is large enough."
    return "loop_nest: your text runs as plain Python. With numba (the extra speed) it would become machine code."


PLUGS = (
    Plug("choose_tile", "choose_tile", "the tiles of small 1x1 nn.Conv2d", small_products, is_small_product, False),
    Plug("loop_nest", "loop_nest", "small 1x1 nn.Conv2d", small_products, is_small_product, note=how_it_runs),
)
