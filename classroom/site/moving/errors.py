"""The exception of the animations."""

from __future__ import annotations


class MovingError(Exception):
    """An animation does not exist, or its numbers disagree with kuiper's."""
