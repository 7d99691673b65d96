"""A tied Llama of transformers as PNNX exports it computes what the converted folder does, by the same kernels.

stored/by_pnnx.pnnx.param was written by pnnx from a LlamaForCausalLM with transformers' attention "sdpa". It gives the
head the table as a first input, stores the table three times, and repeats keys and values for each head of queries.
"""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kuiper
from kuiper import pnnx
from kuiper.compiled import llvm
from kuiper.convert import convert
from kuiper.fast.kernels.matmul.attention import Attention
from kuiper.fast.kernels.matmul.embedding import EmbeddingKernel
from kuiper.fast.kernels.matmul.linear import LinearKernel
from kuiper.fast.plan.fallback import Fallback
from kuiper.quantize import quantize_network
from kuiper.text import Cache, forward, last_scores, read

STORED = Path(__file__).parent / "stored" / "by_pnnx.pnnx.param"
HEAD, TABLE, COPY = "model.lm_head", "pnnx_unique_0", "model.model.embed_tokens"
NORMS = [f"model.layers.{i}.{n}_layernorm" for i in range(2) for n in ("input", "post_attention")] + ["model.norm"]
ENGINES = ("simple", "fast", "compiled")


def weight_of(operator: str, weights: dict[str, np.ndarray]) -> np.ndarray:
    """What the folder holds for an operator of the stored file."""
    if operator.startswith("pnnx_fold"):
        return np.float32(100.0) ** (-np.arange(0, 6, 2) / 6).astype(np.float32)
    if operator in (HEAD, TABLE, COPY):
        return weights["model.embed_tokens.weight"]
    kind, _, number = operator.partition("_")
    name = NORMS[int(number)] if kind == "rmsnorm" else operator.removeprefix("model.")
    return weights[f"{name}.weight"]


@pytest.fixture
def pair(folder_of, tmp_path: Path) -> tuple[Path, Path]:
    """The .param files of one network: as pnnx exports it, its weights at any byte, and as kuiper converts it."""
    published = folder_of(tie_word_embeddings=True)
    param = tmp_path / "by_pnnx" / "net.pnnx.param"
    param.parent.mkdir()
    shutil.copyfile(STORED, param)
    with zipfile.ZipFile(param.with_suffix(".bin"), "w") as archive:
        for line in STORED.read_text().splitlines()[2:]:
            _, operator, *rest = line.split()
            for token in rest:
                if token.startswith("@"):
                    data = weight_of(operator, published.weights).astype("<f4").tobytes()
                    archive.writestr(f"{operator}.{token[1:].partition('=')[0]}", data)
    return param, convert(published.folder, tmp_path / "converted").param


def scores(graph: Any) -> np.ndarray:
    """Of a text that is read in three pieces."""
    cache = Cache.of(graph, 9)
    return np.concatenate([forward(graph, some, cache) for some in ([3, 1, 4, 1, 5], [9], [2])])


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_computes_what_the_converted_folder_says(pair, engine):
    if engine == "compiled" and not llvm.installed():
        pytest.skip("the compiler needs llvmlite, of the extra speed")
    expected = scores(kuiper.load(pair[1], engine="simple"))
    found = scores(kuiper.load(pair[0], engine=engine, threads=1))
    np.testing.assert_allclose(found, expected, atol=2e-5 * np.abs(expected).max())


def test_bytes_that_are_stored_three_times_are_one_array(pair):
    graph = pnnx.read(pair[0])
    found = [
        graph.operator(name).attributes[key] for name, key in ((HEAD, "weight"), (TABLE, "weight"), (COPY, "data"))
    ]
    assert found[0] is found[1] is found[2]


def test_weights_at_odd_addresses_are_copied_once(pair):
    graph = pnnx.read(pair[0])
    odd = [a for op in graph for a in op.attributes.values() if not a.raw.flags.aligned]
    even = [a for op in graph for a in op.attributes.values() if a.raw.flags.aligned]
    assert len(odd) > 5
    assert even
    assert all(a.data.flags.aligned and a.data.ctypes.data % 64 == 0 and a.data is a.data for a in odd)
    assert all(np.array_equal(a.data, a.raw) and not a.data.flags.writeable for a in odd)
    assert all(np.shares_memory(a.data, a.raw) for a in even)


@pytest.mark.parametrize("length", [1, 5])
def test_a_plan_has_the_kernels_of_the_converted_network(pair, length):
    found = []
    for param in pair:
        graph = kuiper.load(param, engine="fast", threads=1)
        cache = np.ones((2, 1, 2, 9, 6), np.float32)
        words = np.ones((1, length), np.int64)
        names = [operand.name for operand in graph.inputs]
        inputs = dict(zip(names, (words, cache, cache, np.array([3])), strict=True))
        steps = graph.executor.plan_for(inputs).steps
        kernels = [step.kernel for step in steps]
        attention = [kernel for kernel in kernels if isinstance(kernel, Attention)]
        (table,) = (kernel.weight for kernel in kernels if isinstance(kernel, EmbeddingKernel))
        linear = sum(isinstance(kernel, LinearKernel) for kernel in kernels)
        assert table.flags.aligned
        assert table.flags.c_contiguous
        assert not any(type(step.layer).__name__ == "Linear" for step in steps if isinstance(step.kernel, Fallback))
        found.append(
            (
                linear,
                [kernel.group for kernel in attention],
                [step.inputs[1].shape for step in steps if isinstance(step.kernel, Attention)],
            )
        )
    assert found[0] == found[1] == (15, [2, 2], [(1, 2, 9 + length, 6)] * 2)


@pytest.mark.slow
def test_the_last_tokens_scores_alone_can_be_asked_for(pair):
    made = last_scores(pnnx.read(pair[0])).operator(HEAD)
    assert [x.producer.type for x in made.inputs if x.producer] == ["pnnx.Attribute", "Tensor.slice"]
    assert made.outputs[0].shape == (1, 1, 50)
    whole, last = kuiper.load(pair[0], engine="simple"), kuiper.load(pair[0], engine="simple", revise=last_scores)
    text = [3, 1, 4, 1, 5]
    expected = forward(whole, text, Cache.of(whole, 9))[-1]
    np.testing.assert_allclose(read(last, text, Cache.of(last, 9)), expected, atol=1e-5 * np.abs(expected).max())


def test_arrays_are_shared_by_their_bytes_not_by_their_checksum(pair):
    bin_file = pair[0].with_suffix(".bin")
    with zipfile.ZipFile(bin_file) as archive:
        place = archive.getinfo(f"{HEAD}.weight").header_offset + 30 + len(f"{HEAD}.weight")
    data = bytearray(bin_file.read_bytes())
    data[place] ^= 1
    bin_file.write_bytes(bytes(data))
    graph = pnnx.read(pair[0], verify=False)
    head, table = (graph.operator(name).attributes["weight"] for name in (HEAD, TABLE))
    assert head is not table
    assert (head.raw != table.raw).sum() == 1


def test_fewer_bits_leave_no_float32_copy_of_the_table(pair):
    text = [3, 1, 4, 1, 5]
    scores_of = [forward(g, text, Cache.of(g, 9)) for g in (kuiper.load(param, engine="simple") for param in pair)]
    made = quantize_network(pnnx.read(pair[0]), bits=8).graph
    assert [o.name for o in made.operator(HEAD).inputs] == [pnnx.read(pair[0]).operator(HEAD).inputs[1].name]
    large = {a.dtype.code for op in made for a in op.attributes.values() if a.shape == (50, 24)}
    assert large == {"i8"}
    small = kuiper.load(made, engine="simple")
    found = forward(small, text, Cache.of(small, 9))
    np.testing.assert_allclose(found, scores_of[0], atol=0.05 * np.abs(scores_of[0]).max())
