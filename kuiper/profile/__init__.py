"""What a network costs, by counting (weights, operations, space) and by the clock."""

from kuiper.fast.threads import usable_cores
from kuiper.profile.clock import Times, time_operators, time_passes
from kuiper.profile.cost import (
    Extent,
    NetworkCost,
    OperatorCost,
    cost_together,
    declared_extents,
    measured_extents,
    network_cost,
    operator_cost,
)
from kuiper.profile.flops import UnknownShapeError, Work, flops
from kuiper.profile.hardware import blas_threads, busy, forced_core, machine, processor
from kuiper.profile.roof import Point, Roof, measure_roof, roofline_points

__all__ = [
    "Extent",
    "NetworkCost",
    "OperatorCost",
    "Point",
    "Roof",
    "Times",
    "UnknownShapeError",
    "Work",
    "blas_threads",
    "busy",
    "cost_together",
    "declared_extents",
    "flops",
    "forced_core",
    "machine",
    "measure_roof",
    "measured_extents",
    "network_cost",
    "operator_cost",
    "processor",
    "roofline_points",
    "time_operators",
    "time_passes",
    "usable_cores",
]
