"""The commands of `course`, in the order in which its help lists them."""

from classroom.cli import (  # noqa: F401, I001  the order is that of the help
    overview,
    demo,
    mine,
    check_watch_hint,
    lab_reset_reveal,
    site,
    tools,
    release,
    grading,
    feedback,
    extend,
)
from classroom.cli.base import app

__all__ = ["app"]
