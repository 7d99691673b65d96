"""What several folders of tests share: networks, exported from torch by pnnx or written down; memory full of NaN."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kuiper
from kuiper import dtypes, pnnx
from kuiper.compiled import llvm
from kuiper.graph import Attribute, Graph, Operand, Operator, Parameter
from kuiper.graph.alignment import aligned
from kuiper.peers.convert import quiet


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What exports a network is slow."""
    for item in items:
        if "export" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What kuiper remembers of this machine lies in a folder of the tests' own."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUIPER_CACHE", str(folder))
        yield folder


@pytest.fixture(autouse=True)
def nothing_behind_the_scenes(monkeypatch: pytest.MonkeyPatch) -> None:
    """No processes compile for the engine "auto"; a test that wants them turns them on."""
    monkeypatch.setattr("kuiper.compiled.background.enabled", False)


@pytest.fixture(scope="session")
def export(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """export(model, *inputs, dynamic=None) -> path of the .pnnx.param, the .bin beside it.

    `dynamic` is a second tuple of inputs: the dimensions in which it differs from the first stay open in the file.
    """
    pnnx = pytest.importorskip("pnnx", reason="exports with pnnx, which is not installed")

    def run(model: Any, *inputs: Any, dynamic: Sequence[Any] | None = None) -> Path:
        folder = tmp_path_factory.mktemp(type(model).__name__)
        # pnnx also writes the network as a Python module, at times an invalid or empty one; the .param is complete then
        with quiet(), contextlib.suppress(SyntaxError, AttributeError):
            # torch need not trace a second time to see that it traces the same: what comes is compared with the model
            again = None if dynamic is None else tuple(dynamic)
            pnnx.export(model, str(folder / "net.pt"), inputs, again, check_trace=False)
        for surplus in folder.iterdir():
            if surplus.is_file() and surplus.name not in ("net.pnnx.param", "net.pnnx.bin"):
                surplus.unlink()
        return folder / "net.pnnx.param"

    return run


class Net:
    """A network written down operator by operator; what an operator gives goes by the names of its operands."""

    def __init__(self, seed: int = 0) -> None:
        self.graph = Graph()
        self.rng = np.random.default_rng(seed)

    def __repr__(self) -> str:
        """The operators, which a failing test shows."""
        lines = ("; ".join([f"{op.type} {[x.name for x in op.inputs]} -> {[x.name for x in op.outputs]}",
                            *(f"{k}={p.value}" for k, p in op.params.items())]) for op in self.graph)  # fmt: skip
        return "\n" + "\n".join(lines) + "\n"

    def input(self, *shape: int, dtype: str = "f32") -> str:
        """An input; -1 leaves a size open."""
        (name,) = self._add("pnnx.Input", [], 1)
        self.graph.operands[name].shape, self.graph.operands[name].dtype = shape, dtypes.DTYPES[dtype]
        return name

    def op(self, kind: str, *inputs: str, weights: dict[str, np.ndarray] | None = None, **params: Any) -> str:
        """An operator with one output."""
        (name,) = self.many(kind, 1, *inputs, weights=weights, **params)
        return name

    def many(
        self, kind: str, outputs: int, *inputs: str, weights: dict[str, np.ndarray] | None = None, **params: Any
    ) -> list[str]:
        """An operator with so many outputs; a parameter whose value is $ and an operand's name is an input."""
        named = {key: value[1:] for key, value in params.items() if isinstance(value, str) and value.startswith("$")}
        names = self._add(kind, [*inputs, *named.values()], outputs)
        operator = self.graph.operators[-1]
        operator.input_names = [*(None for _ in inputs), *named]
        operator.params = {key: Parameter.of(value) for key, value in params.items() if key not in named}
        operator.attributes = {key: Attribute.from_array(array) for key, array in (weights or {}).items()}
        return names

    def expression(self, text: str, *inputs: str) -> str:
        """A pnnx.Expression."""
        return self.op("pnnx.Expression", *inputs, expr=text)

    def conv(self, x: str, channels: int, out: int, kernel: Any = 3, groups: int = 1, bias: bool = True, **params: Any):
        """An nn.Conv2d with random weights that keep the numbers' size."""
        kh, kw = (kernel, kernel) if isinstance(kernel, int) else kernel
        weights = {"weight": self.numbers(out, channels // groups, kh, kw) / (channels // groups * kh * kw) ** 0.5}
        if bias:
            weights["bias"] = self.numbers(out)
        options = {"in_channels": channels, "out_channels": out, "kernel_size": [kh, kw], "groups": groups}
        return self.op("nn.Conv2d", x, weights=weights, bias=bias, **options, **params)

    def norm(self, x: str, channels: int) -> str:
        """An nn.BatchNorm2d with random statistics."""
        weights = {key: self.numbers(channels) for key in ("running_mean", "weight", "bias")}
        weights["running_var"] = np.abs(self.numbers(channels)) + 0.5
        return self.op("nn.BatchNorm2d", x, weights=weights, num_features=channels, eps=1e-5, affine=True)

    def numbers(self, *shape: int) -> np.ndarray:
        return self.rng.standard_normal(shape).astype(np.float32)

    def returns(self, *operands: str) -> None:
        """What the network gives."""
        for name in operands:
            self._add("pnnx.Output", [name], 0)

    def write(self, folder: Path) -> Path:
        """The two files in a folder of their own -> that of the text."""
        path = Path(tempfile.mkdtemp(dir=folder), "net.pnnx.param")
        pnnx.write(self.graph, path)
        return path

    def _add(self, kind: str, inputs: Sequence[str], outputs: int) -> list[str]:
        operator = Operator(kind, f"op{len(self.graph.operators)}")
        for name in inputs:
            operator.inputs.append(self.graph.operands[name])
            self.graph.operands[name].consumers.append(operator)
        names = [str(len(self.graph.operands) + i) for i in range(outputs)]
        for name in names:
            self.graph.operands[name] = Operand(name, producer=operator)
            operator.outputs.append(self.graph.operands[name])
        operator.input_names = [None] * len(inputs)
        self.graph.operators.append(operator)
        return names


@pytest.fixture(scope="session")
def net() -> type[Net]:
    """The class of networks that are written down operator by operator."""
    return Net


@pytest.fixture(scope="session")
def near() -> Callable[..., None]:
    """near(got, expected): outputs of the same shapes and types, within 1e-4 of the largest number, NaN for NaN."""

    def compare(got: Sequence[np.ndarray], expected: Sequence[np.ndarray], tolerance: float = 1e-4) -> None:
        assert len(got) == len(expected)
        for one, other in zip(got, expected):
            assert (one.shape, one.dtype) == (other.shape, other.dtype)
            finite = np.abs(other[np.isfinite(other)])
            atol = tolerance * max(1.0, float(finite.max(initial=0)))
            np.testing.assert_allclose(one, other, rtol=0, atol=atol)

    return compare


@pytest.fixture(scope="session")
def load(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """load(net, **options): the network, loaded from files."""
    folder = tmp_path_factory.mktemp("nets")
    return lambda net, **options: kuiper.load(net.write(folder), **options)


@pytest.fixture(scope="session")
def poison() -> Callable[[pytest.MonkeyPatch], Callable[[], None]]:
    """spoil = poison(patch): fill the memory of all plans made since with NaN, as it is when they are made."""

    def watch(patch: pytest.MonkeyPatch) -> Callable[[], None]:
        blocks: list[np.ndarray] = []

        def poisoned(size: int) -> np.ndarray:
            blocks.append(aligned(size))
            blocks[-1].fill(255)
            return blocks[-1]

        if llvm.installed():
            patch.setattr("kuiper.compiled.plan.scratch_memory", poisoned)  # imports it, with what is not poisoned
        patch.setattr("kuiper.fast.plan.plan.aligned", poisoned)
        patch.setattr("kuiper.fast.kernels.base.workspace.aligned", poisoned)
        return lambda: [block.fill(255) for block in blocks] and None

    return watch
