"""The fast engine (lesson 11): plan once, run many. See README.md for the map."""

from kuiper.fast import kernels
from kuiper.fast.executor import PlanExecutor
from kuiper.fast.plan.batch import BatchPlan
from kuiper.fast.plan.fallback import PlanMismatchError
from kuiper.fast.plan.plan import Plan
from kuiper.fast.plan.planner import Planner
from kuiper.fast.tuning.choices import Choices

__all__ = ["BatchPlan", "Choices", "Plan", "PlanExecutor", "PlanMismatchError", "Planner", "kernels"]
