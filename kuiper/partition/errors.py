"""What can be wrong with a partition, and with its execution."""

from __future__ import annotations

from kuiper.errors import KuiperError


class PartitionError(KuiperError):
    """A graph that cannot be split as asked, or a partition that breaks an invariant.

    Parameters
    ----------
    message : one sentence.
    invariant : the name of the broken invariant, see `kuiper.partition.invariants`; "" where none is meant.
    """

    def __init__(self, message: str, *, invariant: str = "") -> None:
        super().__init__(f"{invariant}: {message}" if invariant else message)
        self.invariant = invariant


class DeadlockError(PartitionError):
    """Sub-graphs that wait for each other, or for a tensor that no sub-graph hands over.

    Parameters
    ----------
    message : one sentence.
    waiting : indices of the sub-graphs that never ran.
    """

    def __init__(self, message: str, waiting: list[int]) -> None:
        super().__init__(message, invariant="schedule")
        self.waiting = waiting


class BackendError(PartitionError):
    """A back end that is not known, not installed, or that cannot compute what it is given."""


class ForeignArrayError(PartitionError):
    """An array that lies in the memory of another device: it has to be transferred first."""


class SubGraphError(PartitionError):
    """A sub-graph that could not be made ready, or that failed while it ran.

    Parameters
    ----------
    message : one sentence that names the sub-graph.
    index : the sub-graph's number.
    """

    def __init__(self, message: str, index: int) -> None:
        super().__init__(message)
        self.index = index
