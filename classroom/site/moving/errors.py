"""What can go wrong with a moving picture."""

from __future__ import annotations


class MovingError(Exception):
    """A picture that does not exist, or whose numbers do not agree with kuiper's."""
