"""The commands of `course`, in the order in which its help lists them."""

from classroom.cli import look, demo, work, more, site, tools, grading  # noqa: F401, I001  the order is that of the help
from classroom.cli.base import app

__all__ = ["app"]
