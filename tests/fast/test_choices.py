"""Choices: the fastest candidate is found, named, remembered in a file, and whatever the file holds does no harm."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import numpy as np
import pytest

from kuiper.fast.kernels.base import cache
from kuiper.fast.kernels.base.buffer import Spec
from kuiper.fast.kernels.base.cache import cache_folder
from kuiper.fast.kernels.base.kernel import Kernel
from kuiper.fast.tuning import choices as module
from kuiper.fast.tuning.choices import Choices, default_file

SPEC = Spec((4,), np.dtype(np.float32))


class Named(Kernel):
    """A candidate that takes so many seconds of a clock that stands still otherwise."""

    def __init__(self, label, seconds, clock, others=()):
        self.label, self.seconds, self.clock, self.others = label, seconds, clock, others
        self.runs = 0

    @property
    def name(self):
        return self.label

    def candidates(self):
        return self.others or [self]

    def bind(self, inputs, outputs, space):
        return [[[self._run]]]

    def _run(self):
        self.runs += 1
        self.clock[0] += self.seconds


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(module, "CLOCK", lambda: now[0])
    return now


@pytest.fixture
def candidates(clock):
    return [Named(name, seconds, clock) for name, seconds in (("slow", 3e-3), ("fast", 1e-3), ("middle", 1.2e-3))]


@pytest.fixture
def choose(candidates, clock):
    """choose(choices, key="k"): the name of the candidate that is taken."""
    general = Named("general", 0, clock, candidates)
    return lambda choices, key="k": choices.choose(general, [SPEC], [SPEC], key, 1).name


@pytest.fixture
def file(tmp_path):
    return tmp_path / "cache" / "choices.json"


def test_the_fastest_is_taken_and_what_is_hopeless_is_not_timed_again(choose, candidates):
    assert choose(Choices()) == "fast"
    slow, fast, middle = (candidate.runs for candidate in candidates)
    assert slow < fast == middle


def test_a_known_choice_is_taken_without_timing(choose, candidates):
    choices = Choices({"k": "slow"})
    assert choose(choices) == "slow"
    assert choices.used == {"k": "slow"}
    assert not any(candidate.runs for candidate in candidates)


def test_a_name_that_is_no_candidate_is_timed_instead(choose):
    choices = Choices({"k": "gone", "other": "slow"})
    assert choose(choices) == "fast"
    assert choices.used == {"k": "fast"}


def test_a_single_candidate_needs_no_choice(clock):
    choices = Choices()
    alone = Named("alone", 1, clock)
    assert choices.choose(alone, [SPEC], [SPEC], "k", 1) is alone
    assert choices.used == {}


def test_the_next_process_knows(choose, candidates, file):
    first = Choices(file=file)
    choose(first)
    first.keep()
    assert json.loads(file.read_text()) == {"k": "fast"}
    runs = [candidate.runs for candidate in candidates]
    assert choose(Choices(file=file)) == "fast"
    assert [candidate.runs for candidate in candidates] == runs


def test_what_the_caller_asks_for_goes_before_the_file_and_not_into_it(choose, file):
    file.parent.mkdir()
    file.write_text('{"k": "fast", "older": "x"}')
    choices = Choices({"k": "slow"}, file)
    assert choose(choices) == "slow"
    assert choose(choices, "new") == "fast"
    choices.keep()
    assert json.loads(file.read_text()) == {"k": "fast", "older": "x", "new": "fast"}


def test_two_processes_add_to_each_other(choose, file):
    one, other = Choices(file=file), Choices(file=file)
    choose(one, "a")
    choose(other, "b")
    one.keep()
    other.keep()
    assert json.loads(file.read_text()).keys() == {"a", "b"}


def test_nothing_new_is_not_written(choose, file):
    choices = Choices({"k": "slow"}, file)
    choose(choices)
    choices.keep()
    assert not file.exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"3", b'{"k": 5, "j": null}', b'{"k": ["fast"]}', b"\xff\xfe\x00", b'{"k": "nobody"}', b"null"],
)
def test_a_file_with_anything_in_it_does_no_harm_and_is_repaired(choose, file, content):
    file.parent.mkdir()
    file.write_bytes(content)
    choices = Choices(file=file)
    assert choose(choices) == "fast"
    choices.keep()
    assert json.loads(file.read_text())["k"] == "fast"


def test_a_folder_in_the_place_of_the_file_does_no_harm(choose, file):
    file.mkdir(parents=True)
    choices = Choices(file=file)
    assert choose(choices) == "fast"
    choices.keep()
    assert os.listdir(file.parent) == [file.name]


def test_a_file_in_the_place_of_the_folder_does_no_harm(choose, file):
    file.parent.write_text("")
    choices = Choices(file=file)
    assert choose(choices) == "fast"
    choices.keep()


def test_a_failure_while_writing_leaves_the_old_file_and_no_other(choose, file, monkeypatch):
    file.parent.mkdir()
    file.write_text('{"older": "x"}')

    def refuse(*_):
        raise PermissionError("no")

    monkeypatch.setattr(os, "replace", refuse)
    choices = Choices(file=file)
    choose(choices)
    choices.keep()
    assert file.read_text() == '{"older": "x"}'
    assert os.listdir(file.parent) == [file.name]


def test_whoever_reads_meanwhile_sees_a_whole_file(choose, file):
    writers = [Choices(file=file) for _ in range(3)]
    for i, each in enumerate(writers):
        for k in range(40):
            each.note(f"key {i} {k}", "x" * 200)
    seen = []

    def read():
        while len(seen) < 200:
            try:
                seen.append(json.loads(file.read_text()))
            except (FileNotFoundError, PermissionError):
                continue

    writers[0].keep()
    reader = threading.Thread(target=read)
    reader.start()
    for i in range(40):
        for each in writers[1:]:
            each.note(f"more {i}", "y")
            each.keep()
    reader.join(60)
    assert len(seen) == 200
    assert all(len(each) >= 40 for each in seen)


def test_the_environment_names_the_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("KUIPER_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    assert default_file().parent == tmp_path


@pytest.mark.skipif(os.name == "nt", reason="other variables name the folder")
def test_without_it_the_systems_folder_is_taken_and_without_a_home_one_for_this_process(monkeypatch, tmp_path):
    monkeypatch.delenv("KUIPER_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert cache_folder() == tmp_path / "kuiper"

    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.setattr("tempfile.mkdtemp", lambda prefix: str(tmp_path / prefix))
    cache._folder_of_process.cache_clear()
    assert cache_folder() == cache_folder() == tmp_path / "kuiper-"
    cache._folder_of_process.cache_clear()


def test_a_graph_remembers_in_that_folder(net, load, monkeypatch, tmp_path):
    monkeypatch.setenv("KUIPER_CACHE", str(tmp_path))
    network = net()
    network.returns(network.conv(network.input(1, 8, 9, 9), 8, 8, padding=1))
    x = np.ones((1, 8, 9, 9), np.float32)
    first = load(network, engine="fast", threads=1)
    first(x)
    (written,) = tmp_path.glob("choices-*.json")
    assert json.loads(written.read_text()) == first.choices
    monkeypatch.setattr(module, "fastest", None)
    again = load(network, engine="fast", threads=1)
    np.testing.assert_array_equal(again(x)[0], first(x)[0])
    assert again.choices == first.choices


def test_branches_of_another_network_or_none_do_no_harm(net, load, near):
    """Networks share a key when their inputs and the number of their steps are the same."""
    network = net()
    x = network.input(1, 6, 9, 8)
    y = network.op("nn.SiLU", x)
    network.returns(network.op("nn.Softmax", network.op("nn.Tanh", y), dim=3), network.op("nn.Sigmoid", y))
    x = np.random.default_rng(0).standard_normal((1, 6, 9, 8)).astype(np.float32)
    first = load(network, engine="fast", threads=2)
    expected = first(x)
    (key,) = (key for key in first.choices if key.startswith("branches"))
    for text in ("0:0,1,0,1", "0:1,0,0,0", "1:0,0,1", "3:0,1", "0:5,5,5,5", "-1:0,0", "0:0,0 1:1,1", "junk", "1:", ":"):
        graph = load(network, engine="fast", threads=2, choices={key: text})
        for _ in range(3):
            near(graph(x), expected, 1e-6)
