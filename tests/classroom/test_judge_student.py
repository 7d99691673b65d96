from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kuiper
from classroom.judge import Student, SubmissionError

Load = Callable[..., Student]


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    """load(source, **options) -> the student, ended after the test."""
    started: list[Student] = []

    def start(source: str, name: str = "hw02_tensor.py", **options: Any) -> Student:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(source, encoding="utf-8")
        started.append(Student(path, **options))
        return started[-1]

    yield start
    for student in started:
        student.close()


def fault(call: Callable[..., Any], *args: Any, **kwargs: Any) -> SubmissionError:
    with pytest.raises(SubmissionError) as caught:
        call(*args, **kwargs)
    return caught.value


def test_a_function_is_called_with_plain_data_and_keywords(load: Load) -> None:
    student = load("def f(x, *, add): return {'sum': x + add, 'kind': type(x).__name__}")
    back = student.f(np.arange(3), add=1)
    assert back["sum"].tolist() == [1, 2, 3]
    assert back["kind"] == "ndarray"


def test_the_caller_s_array_cannot_be_changed(load: Load) -> None:
    x = np.zeros(3)
    load("def f(x): x += 1; return x").f(x)
    assert x.tolist() == [0, 0, 0]


def test_a_function_among_the_arguments_can_be_called_back(load: Load) -> None:
    student = load("def f(a, g, *, h): return [g(a, 2), h(x=a), g(1, 1)]")
    assert student.f(3, lambda x, y: x * y, h=lambda x: x + 0.5) == [6, 3.5, 1]


def test_what_a_callback_raises_the_submission_can_catch(load: Load) -> None:
    student = load("def f(g):\n    try: g('text')\n    except TypeError as e: return str(e)")
    assert "abs" in student.f(lambda x: abs(x))


@pytest.mark.parametrize(
    ("raised", "kind", "message"),
    [
        (IndexError("list index out of range"), "IndexError", "list index out of range"),
        (TypeError("not a number"), "TypeError", "not a number"),
        (KeyError("expr"), "KeyError", "'expr'"),
        (kuiper.KuiperError("no such shape"), "ValueError", "no such shape"),
        (NotImplementedError("not yet"), "ValueError", "not yet"),
    ],
)
def test_what_a_callback_raises_keeps_the_name_that_python_gives_it(
    load: Load, raised: Exception, kind: str, message: str
) -> None:
    def g(_: object) -> None:
        raise raised

    error = fault(load("def f(g):\n    other = {'a': 1}\n    return g(other)").f, g)
    assert (error.kind, error.type, error.message, error.line) == ("raise", kind, message, 3)


def test_dictionaries_of_collections_and_sets_reach_a_callback(load: Load) -> None:
    student = load("from collections import defaultdict\ndef f(g): return g(defaultdict(set, {'a': {'b'}}))")
    assert student.f(lambda x: [type(x).__name__, type(x["a"]).__name__, x == {"a": {"b"}}]) == ["dict", "set", True]


def test_what_cannot_travel_to_a_callback_is_told_at_the_line_of_the_call(load: Load) -> None:
    error = fault(load("def f(g):\n    other = iter('ab')\n    return g(other)").f, print)
    assert (error.kind, error.type, error.line) == ("raise", "TypeError", 3)
    assert "found str" in error.message
    assert "iterator" in error.message


def test_a_dict_that_looks_like_a_callback_is_a_dict(load: Load) -> None:
    assert load("def f(x): return x").f({"callback": 0}) == {"callback": 0}


def test_an_exception_comes_with_its_type_its_message_and_its_line(load: Load) -> None:
    error = fault(load("def f():\n    return g()\ndef g():\n    raise KeyError('weight')").f)
    assert (error.kind, error.type, error.message, error.line) == ("raise", "KeyError", "'weight'", 4)


def test_an_exception_comes_with_the_names_of_what_it_is_derived_from(load: Load) -> None:
    source = "class E(ValueError): pass\nclass Deadlock(E, KeyError): pass\ndef f():\n    raise Deadlock('no way')"
    error = fault(load(source).f)
    assert (error.type, error.bases) == ("Deadlock", ("E", "ValueError", "KeyError", "LookupError"))
    assert error.is_a("ValueError")
    assert error.is_a("TypeError", "Deadlock")
    assert not error.is_a("TypeError", "Exception")


def test_a_class_called_like_one_of_python_s_is_not_that_one(load: Load) -> None:
    own = "class ValueError(Exception): pass\nclass Deadlock(ValueError): pass\ndef f(): raise Deadlock"
    assert fault(load(own).f).bases == ()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("d['c']", "'c'; d has 'a', 'b'"),
        ("[d[key] for key in 'ac']", "'c'; d has 'a', 'b'"),
        ("d.pop('c')", "'c'; d has 'a', 'b'"),
        ("{}['c']", "'c'"),
    ],
)
def test_a_missing_key_is_said_with_those_that_are_there(load: Any, line: str, said: str) -> None:
    assert fault(load(f"def f():\n    d = {{'a': 1, 'b': 2}}\n    return {line}").f).message == said


@pytest.mark.parametrize("line", ["reversed([1])", "(n for n in [1])", "{'a': 1}.keys()", "range(3)"])
def test_what_list_makes_a_list_of_is_told_so(load: Load, line: str) -> None:
    error = fault(load(f"def f(): return {line}").f)
    assert error.kind == "data"
    assert error.message.endswith("; make a list of it: list(...)")


def test_a_submission_cannot_raise_the_recursion_limit(load: Load) -> None:
    deep = "import sys\ndef down(n): return n and down(n - 1)\ndef f():\n    sys.setrecursionlimit({})\n    down(500)\n"
    error = fault(load(deep.format("10**6")).f)
    assert (error.type, error.line) == ("RuntimeError", 4)
    assert "recursion limit of at most" in error.message
    student = load(deep.format("200"))
    assert fault(student.f).type == "RecursionError"
    assert student.down(500) == 0  # a lower limit ends with the call
    assert "recursion limit" in fault(load, "import sys\nsys.setrecursionlimit(10**6)").message


def test_the_same_worker_answers_after_an_exception(load: Load) -> None:
    student = load("n = 0\ndef f():\n    global n\n    n += 1\n    if n == 1: raise ValueError\n    return n")
    fault(student.f)
    assert student.f() == 2


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def g(): pass", "hw02_tensor.py has no function flatten"),
        ("", "hw02_tensor.py has no function flatten"),
        ("flatten = 3", "hw02_tensor.py has no function flatten: its flatten is of type int"),
    ],
)
def test_a_missing_function_is_a_sentence(load: Load, source: str, said: str) -> None:
    student = load(source)
    error = fault(student.flatten, 1)
    assert (error.kind, error.message) == ("missing", said)


@pytest.mark.parametrize(
    ("source", "said", "line"),
    [
        ("x = 1\ndef f(:\n", "hw02_tensor.py, line 2: this is not Python: invalid syntax", 2),
        ("def f():\nreturn 1", "hw02_tensor.py, line 2: this is not Python: expected an indented block", 2),
        ("x = 'é\n", "hw02_tensor.py, line 1: this is not Python: unterminated string", 1),
        ("\nimport torhc", "hw02_tensor.py, line 2: it imports torhc, which is not there", 2),
        ("from numpy import flaten", "hw02_tensor.py, line 1: ImportError while it is imported: cannot import", 1),
        ("import numpy as np\nnp.ones(2)[5]", "hw02_tensor.py, line 2: IndexError while it is imported: index 5", 2),
        ("def f():\n    return 1 / 0\n\n\nf()", "hw02_tensor.py, line 2: ZeroDivisionError while it is imported", 5),
        ("def f():\n    return 1 / 0\n\n\nf()", "(called from line 5)", 5),
        ("import kuiper", "hw02_tensor.py, line 1: it imports kuiper, and this homework is solved without", 1),
        ("from kuiper.tensor import Tensor", "it imports kuiper, and this homework is solved without", 1),
        ("raise SystemExit", "hw02_tensor.py, line 1: SystemExit while it is imported: ", 1),
        (
            "raise NotImplementedError('TODO')",
            "line 1: NotImplementedError while it is imported: TODO",
            1,
        ),
        ("import os; os._exit(3)", "hw02_tensor.py, while imported: the process ended by itself (exit code 3)", None),
        ("x = '\0'", "null bytes", None),
    ],
)
def test_a_file_that_cannot_be_imported_is_a_sentence(load: Load, source: str, said: str, line: int | None) -> None:
    error = fault(load, source, without=["kuiper"])
    assert error.kind == "load"
    assert said in error.message
    assert error.line == line


def test_a_file_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    assert fault(Student, tmp_path / "hw.py").message == "hw.py is not there"


@pytest.mark.parametrize("folder", ["two words", "größe 大小"])
def test_the_path_may_have_spaces_and_any_letters(load: Load, folder: str) -> None:
    assert load("def f(): return __file__", name=f"{folder}/hw 0é.py").f().endswith("hw 0é.py")


def test_the_framework_can_be_imported_and_the_course_s_folder_cannot(load: Load) -> None:
    student = load(
        "import importlib\n"
        "def f(name):\n"
        "    try: return importlib.import_module(name).__name__\n"
        "    except ImportError: return None\n"
    )
    assert student.f("kuiper.tensor") == "kuiper.tensor"
    assert student.f("numpy") == "numpy"
    for name in ("homework", "homework.02_tensor.judge.solution", "judge", "judge.solution", "worker", "course"):
        assert student.f(name) is None


def test_a_neighbour_can_be_imported_but_not_the_tests_and_the_judge(load: Load, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("N = 7", encoding="utf-8")
    (tmp_path / "public.py").write_text("N = 7", encoding="utf-8")
    (tmp_path / "judge").mkdir()
    (tmp_path / "judge" / "solution.py").write_text("N = 7", encoding="utf-8")
    assert load("from helper import N\ndef f(): return N").f() == 7
    assert "it imports public, which" in fault(load, "import public").message
    assert fault(load, "import judge.solution").kind == "load"


def test_a_neighbour_cannot_stand_in_for_numpy(load: Load, tmp_path: Path) -> None:
    for name in ("numpy", "json", "sitecustomize", "usercustomize", "kuiper"):
        (tmp_path / f"{name}.py").write_text("planted = True", encoding="utf-8")
    student = load(
        "import numpy, json, kuiper\ndef f(): return [vars(m).get('planted') for m in (numpy, json, kuiper)]"
    )
    assert student.f() == [None, None, None]


def test_the_judge_s_environment_is_not_the_submission_s(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("PYTHONSTARTUP", "/somewhere")
    monkeypatch.setenv("A_SECRET", "1")
    student = load("import os, sys\ndef f(): return [*os.environ, *sys.path]")
    assert not {"PYTHONPATH", "PYTHONSTARTUP", "A_SECRET", "/somewhere"} & set(student.f())


def test_nothing_is_written_beside_the_submission(load: Load, tmp_path: Path) -> None:
    load("def f(): return 1").f()
    assert [path.name for path in tmp_path.iterdir()] == ["hw02_tensor.py"]


def test_a_new_version_of_the_file_is_what_runs(load: Load) -> None:
    for n in (1, 2, 3):
        assert load(f"def f(): return {n}").f() == n


def test_dataclasses_and_main_guards_work(load: Load) -> None:
    student = load(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n"
        "def f(): return P(3).x\nif __name__ == '__main__': raise SystemExit"
    )
    assert student.f() == 3


def test_prints_are_shown_when_asked_for(load: Load, capfd: pytest.CaptureFixture[str]) -> None:
    load("def f(): print('seen'); return 1", show_output=True).f()
    load("def f(): print('hidden'); return 1").f()
    assert capfd.readouterr().err == "seen\n"


def test_a_worker_leaves_no_thread_no_process_and_no_pipe(load: Load) -> None:
    folder = Path("/proc/self/fd")
    count = (lambda: len(list(folder.iterdir()))) if folder.is_dir() else (lambda: 0)
    gc.collect()
    threads, files = threading.active_count(), count()
    student = load("import os\ndef f(): return os.getpid()")
    pid = student.f()
    fault(load, "1 +")
    student.close()
    student.close()
    assert threading.active_count() <= threads  # what earlier tests left may have ended by now
    assert count() <= files
    if hasattr(os, "killpg"):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_call_after_the_end_is_an_error_and_no_wait(load: Load) -> None:
    student = load("def f(): return 1")
    student.close()
    assert fault(student.f).kind == "died"
