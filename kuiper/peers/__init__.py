"""Other frameworks on the same network: what `kuiper bench --vs` measures against.

Each peer gets the network from the .pnnx.param and .bin alone. None of them is needed to import this room.
"""

from kuiper.peers.agreement import Difference, largest_difference
from kuiper.peers.runners import PEERS, PeerError, Runner, Workload, open_runner
from kuiper.peers.turns import Measured, measure, until_idle

__all__ = [
    "PEERS",
    "Difference",
    "Measured",
    "PeerError",
    "Runner",
    "Workload",
    "largest_difference",
    "measure",
    "open_runner",
    "until_idle",
]
