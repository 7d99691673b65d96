"""The fast engine (lesson 11): plan once, run many.

trace.py     one pass through the simple layers notes the shape of every operand
nodes.py     a kernel for every operator that has one (kernels/); what follows a convolution is fused into it
choices.py   where several algorithms compute the same, the fastest for the shape
layout.py    images channel-last, halos for padding, views and concatenations without copies
arena.py     one block of memory for all values
plan.py      the calls of a pass in a list
batch.py     a batch shared out among the threads
pool.py      one pool of threads for all of it
planner.py   a plan for each set of input shapes
summary.py   what a plan does, step by step, to be read
"""

from kuiper.fast import kernels
from kuiper.fast.batch import BatchPlan
from kuiper.fast.choices import Choices
from kuiper.fast.executor import PlanExecutor
from kuiper.fast.plan import Plan
from kuiper.fast.planner import Planner
from kuiper.fast.simple import PlanMismatchError

__all__ = ["BatchPlan", "Choices", "Plan", "PlanExecutor", "PlanMismatchError", "Planner", "kernels"]
