"""The fast engine (lesson 11): plan once, run many.

trace.py     one pass through the simple layers notes the shape of every operand
nodes.py     a kernel for every operator that has one (kernels/); what follows a convolution is fused into it
choices.py   where several algorithms compute the same, the fastest for the shape
layout.py    images channel-last, halos for padding, views and concatenations without copies
plan.py      one arena for all values, the calls of a pass in a list
pool.py      one pool of threads for all of it
planner.py   a plan for each set of input shapes
"""

from kuiper.fast import kernels
from kuiper.fast.choices import Choices
from kuiper.fast.plan import Plan
from kuiper.fast.planner import Planner
from kuiper.fast.simple import PlanMismatchError

__all__ = ["Choices", "Plan", "PlanMismatchError", "Planner", "kernels"]
