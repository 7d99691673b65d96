"""What a homework's tests are made of: marks, rules, fingerprints, oracles, refusals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from classroom.judge import Failure, JudgeError, SubmissionError, Test, expect, expect_refused, likely, load_tests
from classroom.judge.fingerprint import fingerprint
from classroom.judge.oracle import FILE, LiveOracle, live, oracles_of, packed_answers, same_answers, stored_answers
from classroom.judge.rules import RulesError, rules_in, rules_of, without_rules
from classroom.marked import MarksError, stub_of, without_marks

SOLUTION = """import numpy as np

# <solution>
from math import tau

# </solution>


# <solution sine: register it as the other one is>
@known("sin")
# </solution>
class Sine:
    def forward(self, x):
        # <solution sine>
        return np.sin(x) + 0 * tau
        # </solution>
"""
STUB = """import numpy as np



# TODO sine (Task 7.1): register it as the other one is
class Sine:
    def forward(self, x):
        # TODO sine (Task 7.1)
        raise NotImplementedError("sine: TODO")
"""


def test_marks_make_the_stub_and_leave_no_trace_in_the_solution() -> None:
    assert stub_of(SOLUTION, {"sine": "Task 7.1"}) == STUB
    assert "solution" not in without_marks(SOLUTION)
    assert without_marks(SOLUTION).count("\n") == SOLUTION.count("\n") - 6


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# <solution a>\n# <solution a>\n", "line 2: .*inside another one"),
        ("# <solution b>\n", "line 1: b is no exercise"),
        ("# </solution>\n", "line 1: .*without a beginning"),
        ("# <solution a>\n", "not closed"),
        ("x = 1\n", "no `# <solution a>`"),
    ],
)
def test_marks_that_do_not_fit_are_refused(text: str, said: str) -> None:
    with pytest.raises(MarksError, match=said):
        stub_of(text, {"a": "Task 1.1"})


DOCSTRING = """Twice x.

Rules
-----
sum : the result
    is x + x.
dtype : that of x.

>>> double(2)
4
"""


def test_rules_are_read_from_a_docstring_and_the_rest_stays() -> None:
    assert dict(rules_in(DOCSTRING)) == {"sum": "the result is x + x.", "dtype": "that of x."}
    assert without_rules(DOCSTRING) == "Twice x.\n\n>>> double(2)\n4"
    source = 'class A:\n    """A.\n\n    Rules\n    -----\n    one : 1.\n    """\n    def f():\n        """B.\n\n'
    source += '        Rules\n        -----\n        two : 2.\n        """\n'
    assert rules_of(source, ["A"]) == {"one": "1.", "two": "2."}
    assert rules_of(source, ["B"]) == {}
    with pytest.raises(RulesError, match="the rule one stands twice"):
        rules_of(source.replace("two :", "one :"), ["A"])
    with pytest.raises(RulesError, match="expected a rule"):
        list(rules_in("A.\n\nRules\n-----\nSum is x.\n"))


values: Any = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3) | st.floats(-9, 9, width=32)
    | arrays.arrays(st.sampled_from([np.float32, np.int64, np.bool_]), arrays.array_shapes(max_dims=3, max_side=4)),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=6,
)  # fmt: skip


@given(values)
def test_a_value_has_its_own_fingerprint(value: Any) -> None:
    assert fingerprint(value) == fingerprint(value)
    assert fingerprint([value]) != fingerprint((value,))
    assert fingerprint([value]) != fingerprint([value, value])


@given(st.permutations(range(6)))
def test_the_order_of_numbers_and_their_type_show(order: list[int]) -> None:
    x = np.arange(6.0)
    assert (fingerprint(x[order]) == fingerprint(x)) is (list(order) == list(range(6)))
    assert fingerprint(x.reshape(2, 3)) != fingerprint(x)
    assert fingerprint(x.astype(np.float32)) != fingerprint(x)


def test_what_processors_differ_by_does_not_show_and_mistakes_do() -> None:
    x = np.linspace(-2, 5, 40)
    assert fingerprint(x * (1 + 1e-9)) == fingerprint(x)
    assert fingerprint(x + 0.01) != fingerprint(x)
    nan = np.where(x > 4, np.nan, x)
    assert fingerprint(nan) == fingerprint(nan.copy())
    assert fingerprint(nan) != fingerprint(np.where(x > 4, np.inf, x))


JUDGED = """
import numpy as np
from .shared import TWO

def doubled(x):
    return TWO * x

def double_mistakes(x):
    return {"x was squared": x * x, "x was halved": x / 2}
"""
PUBLIC = '''
import numpy as np
from classroom.judge import expect, task

@task("double", "sum")
def numbers(student, rng, oracle):
    """Numbers are doubled."""
    x = rng.standard_normal(4)
    expect(student.double(x), oracle.doubled(x), mistakes=oracle.double_mistakes(x))
'''


class Answers:
    """A student whose function is this one."""

    def __init__(self, double: Any) -> None:
        self.double = double


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "01" / "judge").mkdir(parents=True)
    (tmp_path / "01" / "public.py").write_text(PUBLIC, encoding="utf-8")
    (tmp_path / "01" / "judge" / "double.py").write_text(JUDGED, encoding="utf-8")
    (tmp_path / "01" / "judge" / "shared.py").write_text("TWO = 2\n", encoding="utf-8")
    return tmp_path / "01"


def the_test(folder: Path) -> Test:
    (test,) = load_tests(folder / "public.py", public=True, oracles=lambda exercise: oracles_of(folder, exercise))
    return test


def store(folder: Path, seeds: int) -> None:
    found = {}
    for seed in range(seeds):
        oracle = live(folder, "double")
        test = the_test(folder)
        Test(test.exercise, test.name, "", test.function, True, oracles=lambda *_, one=oracle: one).call(
            Answers(lambda x: 2 * x), seed
        )
        found["double", "numbers", seed] = oracle.log
    (folder / FILE).write_bytes(packed_answers(found))


def test_stored_answers_judge_as_the_oracle_does_without_it(folder: Path) -> None:
    store(folder, 2)
    (folder / "judge" / "double.py").unlink()
    test = the_test(folder)
    for seed in (0, 1):
        test.call(Answers(lambda x: x + x), seed)
        for wrong, cause in ((lambda x: x * x, "x was squared"), (lambda x: x / 2, "x was halved"), (abs, None)):
            with pytest.raises(Failure) as failure:
                test.call(Answers(wrong), seed)
            assert failure.value.cause == cause
            assert failure.value.expected is not None
    with pytest.raises(JudgeError, match=r"01/expected\.zip has no answers for this seed"):
        test.call(Answers(lambda x: x + x), 2)


def test_no_likely_cause_can_be_read_out_of_the_stored_answers(folder: Path) -> None:
    store(folder, 1)
    ((_, _, answer), (name, _, mistakes)) = stored_answers(folder)["double", "numbers", 0]
    assert (name, answer.shape) == ("double_mistakes", (4,))
    assert all(type(wrong).__name__ == "Fingerprint" and len(wrong.sums) == 3 for wrong in mistakes.values())


def test_other_inputs_than_the_stored_ones_are_the_course_s_fault(folder: Path) -> None:
    store(folder, 1)
    path = folder / "public.py"
    path.write_text(path.read_text("utf-8").replace("standard_normal(4)", "standard_normal(4) + 1"), encoding="utf-8")
    with pytest.raises(JudgeError, match="for other inputs than doubled was asked about"):
        the_test(folder).call(Answers(lambda x: x + x), 0)


def test_a_damaged_archive_is_told(folder: Path) -> None:
    (folder / FILE).write_bytes(b"no zip")
    with pytest.raises(JudgeError, match=r"01/expected\.zip cannot be read"):
        the_test(folder).call(Answers(lambda x: x + x), 0)


def test_answers_are_compared_and_packed_the_same_each_time() -> None:
    module = ModuleType("judged")
    vars(module).update(
        double=lambda x: x * 2,
        half_mistakes=lambda x: {"a": x, "b": x * x},
        turned_mistakes=lambda x: {"b": x * x, "a": x},
    )

    def asked(x: np.ndarray, name: str = "double") -> LiveOracle:
        oracle = LiveOracle(module)
        getattr(oracle, name)(x)
        return oracle

    x = np.arange(5.0)
    for name in ("double", "half_mistakes"):
        assert same_answers(asked(x, name).log, asked(x * (1 + 1e-12), name).log)
        assert not same_answers(asked(x, name).log, asked(x + 1, name).log)
    some, others = asked(x, "half_mistakes").log, asked(x, "turned_mistakes").log
    assert not same_answers(some, [("half_mistakes", *rest) for _, *rest in others])  # the first cause that fits counts
    key = ("double", "numbers", 0)
    assert packed_answers({key: asked(x).log}) == packed_answers({key: asked(x).log})


def test_expect_knows_a_mistake_by_its_fingerprint() -> None:
    x = np.arange(4.0)
    with pytest.raises(Failure) as failure:
        expect(x * x, 2 * x, mistakes={"halved": fingerprint(x / 2), "squared": fingerprint(x * x)})
    assert failure.value.cause == "squared"


def raising(kind: str, type: str, message: str = "", bases: Sequence[str] = ()) -> Any:
    def call(*_: Any) -> None:
        raise SubmissionError(kind, message, type, 3, bases)

    return call


def test_a_refusal_is_the_named_error() -> None:
    expect_refused(raising("raise", "ValueError"), 1)
    expect_refused(raising("raise", "KeyError"), 1, error="KeyError")
    with pytest.raises(Failure, match="expected ValueError, got KeyError") as failure:
        expect_refused(raising("raise", "KeyError"), 1, cause="not checked")
    assert (
        failure.value.cause == "you refuse the right thing, but with KeyError instead of ValueError: raise ValueError"
    )
    with pytest.raises(Failure, match=r"^expected ValueError, got 1$") as failure:
        expect_refused(lambda x: x, 1, cause="not checked")
    assert failure.value.cause == "not checked"
    with pytest.raises(SubmissionError):
        expect_refused(raising("raise", "NotImplementedError"), 1)


def test_an_error_of_one_s_own_is_the_named_error_where_it_is_derived_from_it() -> None:
    expect_refused(raising("raise", "Deadlock", bases=["Stuck", "ValueError"]), 1)
    with pytest.raises(Failure, match="expected ValueError, got Deadlock"):
        expect_refused(raising("raise", "Deadlock", bases=["KeyError", "LookupError"]), 1)
    with pytest.raises(Failure, match="expected ValueError, got Deadlock"):
        expect_refused(raising("raise", "Deadlock"), 1)


def test_an_exception_that_a_mistake_raises_is_explained() -> None:
    causes = {"broadcast": "the slice is empty"}
    with pytest.raises(Failure, match="line 3 raised ValueError: could not broadcast") as failure, likely(causes):
        raising("raise", "ValueError", "could not broadcast")()
    assert failure.value.cause == "the slice is empty"
    for kind, type, message in (("raise", "ValueError", "other"), ("died", "ValueError", "broadcast")):
        with pytest.raises(SubmissionError), likely(causes):
            raising(kind, type, message)()


def test_an_exception_without_a_text_is_told_by_its_name_alone() -> None:
    with pytest.raises(Failure, match=r"line 3 raised StopIteration$"), likely({"StopIteration": "nothing is left"}):
        raising("raise", "StopIteration")()


def test_what_a_timeout_may_mean_is_said_by_the_innermost_test() -> None:
    with pytest.raises(SubmissionError) as error, likely(timeout="a wider guess"), likely(timeout="a list is searched"):
        raising("timeout", "", "no answer within 1 s")()
    assert error.value.ends_worker
    assert error.value.cause == "a list is searched"
    with pytest.raises(SubmissionError) as error, likely({"answer": "not this"}):
        raising("timeout", "", "no answer within 1 s")()
    assert error.value.cause is None
