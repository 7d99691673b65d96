"""`kuiper partition --mode cost`: the figures that it assumes, and the costs that it compared."""

from __future__ import annotations

from dataclasses import dataclass, fields

from rich.table import Table

from kuiper.cli import arguments
from kuiper.cli.text import seconds, table
from kuiper.errors import KuiperError
from kuiper.partition import Link, Partition

SPEED, HOST_SPEED, BANDWIDTH, LATENCY, LAUNCH = 100.0, 10.0, 10.0, 10.0, 10.0
"""What mode cost assumes unless told otherwise: GFLOP/s twice, GB/s, us, us."""


@dataclass(frozen=True)
class Figures:
    """What mode cost assumes, as typed; None: the usual value. `speed` is for all devices, or one for each."""

    speed: tuple[float, ...] = ()
    host_speed: float | None = None
    bandwidth: float | None = None
    latency: float | None = None
    launch: float | None = None

    def __post_init__(self) -> None:
        """Raises KuiperError for a figure that cannot be."""
        above_zero = {"speed": self.speed, "host_speed": (self.host_speed,), "bandwidth": (self.bandwidth,)}
        for name, values in above_zero.items():
            for value in values:
                if value is not None and not value > 0:
                    raise KuiperError(f"{arguments.option(name)}: expected a number above 0, found {value:g}")
        for name, value in {"latency": self.latency, "launch": self.launch}.items():
            if value is not None and not value >= 0:
                raise KuiperError(f"{arguments.option(name)}: expected 0 or more, found {value:g}")

    @property
    def given(self) -> list[str]:
        """The options of which there is one, as they are typed."""
        return [arguments.option(field.name) for field in fields(self) if getattr(self, field.name) not in (None, ())]

    @property
    def link(self) -> Link:
        """The way between two devices. Raises PartitionError."""
        latency, bandwidth = usual(self.latency, LATENCY), usual(self.bandwidth, BANDWIDTH)
        return Link(latency=latency * 1e-6, bandwidth=bandwidth * 1e9)

    def speeds(self, count: int) -> list[float]:
        """FLOP/s of so many devices. Raises KuiperError for another number of them."""
        return [speed * 1e9 for speed in arguments.each("--speed", self.speed or [SPEED], count)]

    @property
    def host(self) -> float:
        """FLOP/s of the host."""
        return usual(self.host_speed, HOST_SPEED) * 1e9

    @property
    def start(self) -> float:
        """Seconds to start a sub-graph on a device."""
        return usual(self.launch, LAUNCH) * 1e-6


def usual(value: float | None, default: float) -> float:
    """The value, or the default where there is none."""
    return default if value is None else value


def compared(split: Partition) -> Table:
    """What mode cost has compared, by its model."""
    names = [str(device) for device in split.devices]
    columns = [*(f"computing on {name}" for name in names), "transfers", "starts", "total"]
    rows = table("by the model", *columns, right=columns)
    for number, (placement, cost) in enumerate(split.compared.items()):
        parts = [*(cost.computes[name] for name in names), cost.copy, cost.launch, cost.total]
        rows.add_row("chosen: " * (number == 0) + placement, *(seconds(part) if part else "-" for part in parts))
    return rows


def figures_of(split: Partition, link: Link) -> list[tuple[str, str]]:
    """What the model assumes, as (name, text)."""
    speeds = [
        f"{device} {device.speed / 1e9:g} GFLOP/s"
        + f", {seconds(device.launch)} to start a sub-graph" * (device.launch > 0)
        for device in split.devices
    ]
    return [
        ("speeds", "; ".join(speeds)),
        ("link", f"{seconds(link.latency)} before a transfer, then {link.bandwidth / 1e9:g} GB/s"),
    ]
