"""Batches shared out among the threads: only where every sample is computed by itself, and then the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

import kuiper
from kuiper.fast import BatchPlan

POOL = "kernel_size=(3,3) stride=(1,1) padding=(1,1) dilation=(1,1) ceil_mode=False return_indices=False"


def planned(folder, lines, choices=None, batch=4, threads=2):
    """The network of these lines between an input (batch, 6, 5, 7) named 0 and the output that the last line gives."""
    last = lines[-1].split()
    output = last[4 + int(last[2])]
    whole = [f"pnnx.Input in 0 1 0 #0=({batch},6,5,7)f32", *lines, f"pnnx.Output out 1 0 {output}"]
    operands = sum(int(line.split()[3]) for line in whole)
    text = "\n".join(["7767517", f"{len(whole)} {operands}", *whole]) + "\n"
    (folder / "net.pnnx.param").write_text(text)
    return kuiper.load(folder / "net.pnnx.param", engine="fast", threads=threads, choices=choices)


def shared_out(folder, lines, samples):
    """The network, made to compute so many samples at a time."""
    image = np.random.default_rng(0).standard_normal((4, 6, 5, 7)).astype(np.float32)
    first = planned(folder, lines)
    first(image)
    keys = [key for key in first.choices if key.startswith("batch")]
    assert len(keys) == 1
    graph = planned(folder, lines, {keys[0]: f"{samples} at a time"})
    return graph, image


def plan_of(graph, image):
    return graph.executor.plan_for({graph.inputs[0].name: image})


BY_SAMPLE = {
    "activation": ["nn.SiLU a 1 1 0 1"],
    "pool and sum": [f"nn.MaxPool2d p 1 1 0 1 {POOL}", "pnnx.Expression e 2 1 0 1 2 expr=add(@0,mul(@1,0.5))"],
    "joined channels": ["nn.ReLU a 1 1 0 1", "torch.cat c 2 1 0 1 2 dim=1"],
    "softmax over channels": ["nn.Softmax s 1 1 0 1 dim=1"],
    "flat": ["torch.flatten f 1 1 0 1 start_dim=1 end_dim=-1", "nn.Tanh t 1 1 1 2"],
    "mean over channels": ["torch.mean m 1 1 0 1 dim=(1) keepdim=False"],
    "mean over the last axis": ["torch.mean m 1 1 0 1 dim=(-1) keepdim=True", "nn.Tanh t 1 1 1 2"],
    "attention-like product": ["torch.transpose t 1 1 0 1 dim0=2 dim1=3", "torch.matmul m 2 1 0 1 2"],
}
ACROSS_SAMPLES = {
    "softmax over the batch": ["nn.Softmax s 1 1 0 1 dim=0"],
    "joined batches": ["nn.ReLU a 1 1 0 1", "torch.cat c 2 1 0 1 2 dim=0"],
    "mean of the batch": ["torch.mean m 1 1 0 1 dim=(0) keepdim=True", "pnnx.Expression e 2 1 0 1 2 expr=sub(@0,@1)"],
    "batch flattened": ["torch.flatten f 1 1 0 1 start_dim=0 end_dim=1", "nn.Tanh t 1 1 1 2"],
    "batch reversed": ["torch.flip f 1 1 0 1 dims=(0)", "nn.Tanh t 1 1 1 2"],
    "batch exchanged with channels": ["torch.transpose t 1 1 0 1 dim0=0 dim1=1", "nn.Tanh u 1 1 1 2"],
    "running sum over the batch": ["torch.cumsum s 1 1 0 1 dim=0"],
}


@pytest.mark.parametrize("samples", [1, 2])
@pytest.mark.parametrize("name", BY_SAMPLE)
def test_samples_computed_apart_give_the_same(tmp_path, name, samples):
    graph, image = shared_out(tmp_path, BY_SAMPLE[name], samples)
    got = graph(image)[0]
    assert isinstance(plan_of(graph, image), BatchPlan)
    simple = kuiper.load(tmp_path / "net.pnnx.param", engine="simple")(image)[0]
    assert got.shape == simple.shape
    np.testing.assert_allclose(got, simple, rtol=1e-5, atol=1e-6)
    again = graph(image)[0]
    assert again is not got
    np.testing.assert_array_equal(again, got)


@pytest.mark.parametrize("name", ACROSS_SAMPLES)
def test_networks_that_look_across_the_batch_stay_whole(tmp_path, name):
    graph, image = shared_out(tmp_path, ACROSS_SAMPLES[name], 2)
    got = graph(image)[0]
    assert not isinstance(plan_of(graph, image), BatchPlan)
    np.testing.assert_allclose(
        got, kuiper.load(tmp_path / "net.pnnx.param", engine="simple")(image)[0], rtol=1e-5, atol=1e-6
    )


def embedding(network, tokens, rng):
    table = rng.standard_normal((9, 8)).astype(np.float32)
    return network.op("nn.Embedding", tokens, weights={"weight": table}, num_embeddings=9, embedding_dim=8)


def attention(network, x, rng, batch_first=True):
    weights = {
        "in_proj_weight": rng.standard_normal((24, 8)).astype(np.float32),
        "out_proj.weight": rng.standard_normal((8, 8)).astype(np.float32),
        "in_proj_bias": rng.standard_normal(24).astype(np.float32),
        "out_proj.bias": rng.standard_normal(8).astype(np.float32),
    }
    options = {"embed_dim": 8, "num_heads": 2, "bias": True, "batch_first": batch_first}
    return network.op("nn.MultiheadAttention", x, weights=weights, **options)


SHARED = {
    "embedding": lambda network, tokens, rng: embedding(network, tokens, rng),
    "attention": lambda network, tokens, rng: attention(network, embedding(network, tokens, rng), rng),
    "sequence first": lambda network, tokens, rng: attention(network, embedding(network, tokens, rng), rng, False),
}


@pytest.mark.parametrize("samples", [1, 2])
@pytest.mark.parametrize("name", SHARED)
def test_sequences_are_shared_out_where_the_batch_comes_first(net, load, monkeypatch, name, samples):
    rng = np.random.default_rng(0)
    network = net()
    network.returns(SHARED[name](network, network.input(-1, 5, dtype="i64"), rng))
    tokens = rng.integers(0, 9, (4, 5))
    monkeypatch.setattr("kuiper.fast.tuning.choices.default_file", lambda: None)
    wanted = f"{samples} at a time"
    monkeypatch.setattr("kuiper.fast.plan.planner.fastest_of", lambda plans, _: wanted if wanted in plans else "whole")
    graph, simple = load(network, engine="fast", threads=2), load(network, engine="simple")
    np.testing.assert_allclose(graph(tokens)[0], simple(tokens)[0], rtol=1e-4, atol=1e-5)
    plan = plan_of(graph, tokens)
    assert isinstance(plan, BatchPlan) is (name != "sequence first")
    if isinstance(plan, BatchPlan):
        assert plan.samples == samples


def test_a_batch_that_the_threads_cannot_share_evenly_stays_whole(tmp_path):
    graph = planned(tmp_path, BY_SAMPLE["activation"], batch=3)
    image = np.zeros((3, 6, 5, 7), np.float32)
    graph(image)
    assert not [key for key in graph.choices if key.startswith("batch")]


def test_the_time_of_every_operator_is_told_once(tmp_path):
    graph, image = shared_out(tmp_path, BY_SAMPLE["pool and sum"], 1)
    names = []
    graph.forward(image, on_operator=lambda op, seconds: names.append((op.name, seconds > 0)))
    assert names == [("p", True), ("e", True)]
