"""What a network costs, by counting (weights, operations, space) and by the clock."""

from kuiper.profile.clock import Times, machine, time_operators, time_passes
from kuiper.profile.cost import (
    Extent,
    NetworkCost,
    OperatorCost,
    declared_extents,
    measured_extents,
    network_cost,
    operator_cost,
)
from kuiper.profile.flops import UnknownShapeError, Work, flops

__all__ = [
    "Extent",
    "NetworkCost",
    "OperatorCost",
    "Times",
    "UnknownShapeError",
    "Work",
    "declared_extents",
    "flops",
    "machine",
    "measured_extents",
    "network_cost",
    "operator_cost",
    "time_operators",
    "time_passes",
]
