"""Lesson 4: the space of the outputs, planned before anything runs."""

from hypothesis import given
from hypothesis import strategies as st

from kuiper.graph import Lifetime, plan_memory


def overlap(plan, a, b):
    return (
        plan.lifetimes[a].first <= plan.lifetimes[b].last
        and plan.lifetimes[b].first <= plan.lifetimes[a].last
        and plan.offsets[a] < plan.offsets[b] + plan.sizes[b]
        and plan.offsets[b] < plan.offsets[a] + plan.sizes[a]
    )


def test_values_that_never_meet_share_space():
    lives = {"a": Lifetime(0, 1), "b": Lifetime(1, 2), "c": Lifetime(2, 3)}
    plan = plan_memory(lives, {"a": 100, "b": 50, "c": 100})
    assert plan.offsets == {"a": 0, "b": 100, "c": 0}
    assert (plan.total_bytes, plan.planned_bytes, plan.lower_bound_bytes) == (250, 150, 150)


def test_a_gap_between_two_values_is_used():
    lives = {"left": Lifetime(0, 9), "middle": Lifetime(0, 1), "right": Lifetime(0, 9), "late": Lifetime(2, 3)}
    plan = plan_memory(lives, {"left": 30, "middle": 20, "right": 25, "late": 10})
    assert plan.planned_bytes == 75


def test_nothing_needs_no_space():
    assert plan_memory({}, {}).planned_bytes == 0


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 8), st.integers(1, 100)), max_size=20))
def test_values_alive_together_never_overlap(values):
    lives = {str(i): Lifetime(first, first + length) for i, (first, length, _) in enumerate(values)}
    plan = plan_memory(lives, {str(i): size for i, (_, _, size) in enumerate(values)})
    assert not any(overlap(plan, a, b) for a in lives for b in lives if a < b)
    assert plan.lower_bound_bytes <= plan.planned_bytes <= plan.total_bytes


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 8), st.integers(1, 100)), min_size=1, max_size=20))
def test_the_lower_bound_is_the_busiest_step(values):
    lives = {str(i): Lifetime(first, first + length) for i, (first, length, _) in enumerate(values)}
    sizes = {str(i): size for i, (_, _, size) in enumerate(values)}
    busiest = max(sum(sizes[n] for n in lives if lives[n].first <= step <= lives[n].last) for step in range(30))
    assert plan_memory(lives, sizes).lower_bound_bytes == busiest
