"""Frameworks in turns: who cannot take part is named, and nothing is compared that does not agree."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from kuiper.peers import PeerError, Workload, measure, open_runner, until_idle

NETWORK = """7767517
4 3
pnnx.Input      in   0 1 0 #0=(1,4)f32
nn.ReLU         relu 1 1 0 1 #0=(1,4)f32 #1=(1,4)f32
pnnx.Expression twice 1 1 1 2 expr=mul(@0,2) #1=(1,4)f32 #2=(1,4)f32
pnnx.Output     out  1 0 2 #2=(1,4)f32
"""
TWISTED = """
from types import SimpleNamespace
from unittest.mock import MagicMock
import numpy, sys
class Module:
    def __init__(self): self.eval = lambda: self
    def add_module(self, *named): pass
    def __call__(self, *inputs): return numpy.zeros(3)
nn, __version__ = SimpleNamespace(Module=Module, functional=MagicMock(), ReLU=MagicMock()), "0"
nn.ReLU.return_value.eval.return_value.load_state_dict.return_value = ([], [])
inference_mode = set_num_threads = from_numpy = Tensor = MagicMock()
def __getattr__(name): return MagicMock()
"""


@pytest.fixture
def workload(tmp_path: Path) -> Workload:
    file = tmp_path / "net.pnnx.param"
    file.write_text(NETWORK)
    return Workload(file, None, [np.array([[-1, 0, 1, 2]], np.float32)], threads=1)


def in_place_of(module: str, text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module of that name for the processes that are started."""
    (folder / f"{module}.py").write_text(text)
    monkeypatch.syspath_prepend(folder)


@pytest.mark.slow
def test_kuiper_alone_has_one_time_for_each_round(workload: Workload) -> None:
    turns: list[None] = []
    (ours,) = measure(workload, rounds=3, on_turn=lambda: turns.append(None))
    assert ours.name == "kuiper"
    assert len(ours.seconds) == len(turns) == 3
    assert min(ours.seconds) > 0
    assert ours.ratios == []


@pytest.mark.slow
def test_who_is_not_installed_or_breaks_down_is_told_and_the_others_go_on(
    workload: Workload, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_place_of("torch", "raise ModuleNotFoundError('none', name='torch')", tmp_path, monkeypatch)
    in_place_of("ncnn", "import os; os._exit(3)", tmp_path, monkeypatch)
    in_place_of("onnxruntime", "raise OSError('a library is missing')", tmp_path, monkeypatch)
    found = measure(workload, ["torch", "ncnn", "onnxruntime"], rounds=1)
    faults = {one.name: one.fault for one in found}
    assert faults["kuiper"] == ""
    assert faults["torch"] == "not installed (no module torch)"
    assert faults["ncnn"] == "its process ended (exit code 3)"
    assert "a library is missing" in faults["onnxruntime"]
    assert [len(one.seconds) for one in found] == [1, 0, 0, 0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "text", "reason"),
    [
        ("torch", "raise ModuleNotFoundError('none', name='torch')",
         "cannot be used: converting the network for it needs torch, which is not installed (no module torch)"),
        ("onnxruntime", "raise ModuleNotFoundError('none', name='onnxruntime')",
         "not installed (no module onnxruntime)"),
        ("onnxruntime", "raise ModuleNotFoundError('none', name='coloredlogs.parts')",
         "cannot be used: it needs coloredlogs, which is not installed (no module coloredlogs.parts)"),
        ("onnxruntime", "raise ImportError('DLL load failed')", "cannot be imported: DLL load failed"),
        ("onnxruntime", "__version__ = '1'\ndef __getattr__(name): raise ValueError('of no use')",
         "cannot take the network: of no use"),
    ],
)  # fmt: skip
def test_a_peer_that_is_there_but_cannot_be_used_says_what_is_missing_for_what(
    workload: Workload, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, text: str, reason: str
) -> None:
    for needed in ("torch", "onnx", "onnxruntime"):
        pytest.importorskip(needed, reason=f"converts with {needed}, which is not installed")
    in_place_of(module, text, tmp_path, monkeypatch)
    _, found = measure(workload, ["onnxruntime"], rounds=1)
    assert found.fault == reason


def test_a_network_that_kuiper_cannot_run_is_an_error(workload: Workload) -> None:
    workload.param.write_text(NETWORK.replace("nn.ReLU", "my.ReLU"))
    with pytest.raises(PeerError, match=r"my\.ReLU"):
        measure(workload, ["torch"], rounds=1)


def test_a_name_that_is_no_peers_is_refused(workload: Workload) -> None:
    with pytest.raises(PeerError, match="torch, onnxruntime, ncnn"):
        open_runner("tensorflow", workload)


@pytest.mark.slow
def test_a_peer_that_agrees_is_compared_turn_by_turn(workload: Workload) -> None:
    pytest.importorskip("torch", reason="measures beside PyTorch, which is not installed")
    ours, theirs = measure(workload, ["torch"], rounds=2)
    assert theirs.fault == ""
    assert theirs.about.startswith("torch ")
    assert theirs.difference is not None
    assert theirs.difference.relative < 1e-6
    assert len(ours.seconds) == len(theirs.seconds) == len(theirs.ratios) == 2
    assert theirs.ratios == [a / b for a, b in zip(ours.seconds, theirs.seconds, strict=True)]


@pytest.mark.slow
def test_a_peer_that_computes_something_else_gets_neither_times_nor_ratios(
    workload: Workload, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_place_of("torch", TWISTED, tmp_path, monkeypatch)
    ours, theirs = measure(workload, ["torch"], rounds=1)
    assert theirs.fault == "computes something else: output 0 has shape (3,), kuiper's (1, 4)"
    assert theirs.seconds == theirs.ratios == []
    assert len(ours.seconds) == 1


@pytest.mark.parametrize("name", ["onnxruntime", "ncnn"])
def test_other_frameworks_get_the_network_by_way_of_torch(name: str, tmp_path: Path) -> None:
    for module in ("torch", "onnx" if name == "onnxruntime" else "pnnx", name):
        pytest.importorskip(module, reason=f"converts the network for {name}, and {module} is not installed")
    file = tmp_path / "net.pnnx.param"
    file.write_text(NETWORK.replace("(1,4)", "(1,4,3,3)"))
    x = np.random.default_rng(0).standard_normal((1, 4, 3, 3), np.float32)
    runner = open_runner(name, Workload(file, None, [x], threads=1))
    (y,) = runner.arrays(runner.run())
    np.testing.assert_allclose(y.reshape(x.shape), 2 * np.maximum(x, 0), rtol=1e-6)


def test_ncnn_takes_one_sample_at_a_time(workload: Workload) -> None:
    pytest.importorskip("ncnn", reason="ncnn is not installed")
    batch = Workload(workload.param, None, [np.zeros((2, 4), np.float32)], threads=1)
    with pytest.raises(PeerError, match="one sample"):
        open_runner("ncnn", batch)


def test_a_turn_ends_when_no_thread_computes_any_more() -> None:
    stop = threading.Event()

    def spin() -> None:
        while not stop.is_set():
            pass

    spinner = threading.Thread(target=spin, daemon=True)
    spinner.start()
    assert not until_idle(most=0.1)  # as long as it spins, but not for ever
    threading.Timer(0.1, stop.set).start()
    assert until_idle(most=30)
    assert stop.is_set()
