"""What a network costs, by counting (weights, operations, space) and by the clock."""

from kuiper.fast.threads import usable_cores
from kuiper.profile.clock import Times, time_operators, time_passes
from kuiper.profile.cost import (
    NetworkCost,
    OperatorCost,
    cost_together,
    measured_extents,
    network_cost,
    operator_cost,
)
from kuiper.profile.hardware import blas_threads, busy, forced_core, machine, processor
from kuiper.profile.roof import Point, Roof, measure_roof, roofline_points

__all__ = [
    "NetworkCost",
    "OperatorCost",
    "Point",
    "Roof",
    "Times",
    "blas_threads",
    "busy",
    "cost_together",
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
