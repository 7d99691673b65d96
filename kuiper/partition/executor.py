"""Executor: run a partition, sub-graph by sub-graph."""

from __future__ import annotations

from typing import Any

from kuiper.errors import KuiperError
from kuiper.partition.subgraph import Partition


class Executor:
    """Runs a partition. Raises KuiperError: not there yet."""

    def __init__(self, partition: Partition) -> None:
        self.partition = partition

    def run(self, *inputs: Any) -> Any:
        """Raise KuiperError."""
        raise KuiperError("Executor.run: not there yet")
