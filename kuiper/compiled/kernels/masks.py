"""Masks of attention: where they lie, and scores of which some are hidden."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from llvmlite import ir

from kuiper.compiled.builder import BYTE, Value, VectorBuilder, i64
from kuiper.compiled.parts import Location, Module
from kuiper.fast.kernels.matmul.attention import Attention


class Mask(NamedTuple):
    """Where a mask (..., L, S) lies; whether its elements are booleans; the steps of its axes in bytes."""

    place: Location
    flags: bool
    strides: tuple[int, ...]


def mask_of(module: Module, kernel: Attention, given: np.ndarray | None, shape: tuple[int, ...]) -> Mask | None:
    """The mask that a kernel has, or is given, broadcast to (..., L, S); None where no row of it lies side by side."""
    if given is None or not module.holds(given):
        if given is not None:
            numbers = np.where(given, np.float32(0), np.float32(-np.inf)) if given.dtype == bool else given
        elif kernel.mask is not None:
            numbers = kernel.mask.swapaxes(-1, -2)
        else:
            return None
        given = np.ascontiguousarray(numbers, np.float32)
    elif given.strides[-1] != given.itemsize and given.shape[-1] > 1:
        return None
    place = module.place(given)
    if given.ndim < 2:
        given = given[None]
    return Mask(place, given.dtype == bool, np.broadcast_to(given, shape).strides)


def masked(b: VectorBuilder, mask: Mask, value: Value, hidden: Value, at: Value, count: int) -> Value:
    """Scores with their mask, `at` bytes of scores from the beginning of the row."""
    same = not mask.strides[-1]  # one element for all keys
    if not mask.flags:
        return b.fadd(value, b.broadcast(hidden) if same else b.read(b.at(hidden, at), count))
    if same:
        some = b.icmp_unsigned("!=", b.load(hidden, typ=BYTE, align=1), ir.Constant(BYTE, 0))
    else:
        flags = b.read(b.at(hidden, b.udiv(at, i64(4))), count, BYTE)
        some = b.icmp_unsigned("!=", flags, ir.Constant(flags.type, None))
    return b.select(some, value, b.splat(-np.inf))
