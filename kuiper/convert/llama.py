"""Architecture and weights -> the graph of a Llama or Qwen2, in the form of models/writer.

Inputs: words (N,T), keys and values (layers,N,heads,places,width) of earlier tokens, count (1) of places in use.
Outputs: logits (N,T,vocabulary), and the keys and values of the T tokens. N, T and the number of places are open.

Source: https://arxiv.org/abs/2302.13971 (Llama); RMSNorm 1910.07467, rotary positions 2104.09864, SwiGLU 2002.05202,
grouped queries 2305.13245; names of the weights as Hugging Face publishes them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from kuiper.convert.config import Architecture
from kuiper.dtypes import DTYPES
from kuiper.errors import ModelFormatError
from kuiper.graph import Attribute, Graph, Operand, Operator, Shape, shape_text

TABLE, HEAD = "model.embed_tokens", "lm_head"
_FLOATS = ("f32", "f16", "bf16")
_LEFT_OVER = re.compile(r"model\.layers\.\d{1,9}\.self_attn\.rotary_emb\.inv_freq")  # old files store what is computed


class Checkpoint:
    """The tensors of a folder, each of which the network takes once."""

    def __init__(self, folder: Path, tensors: Mapping[str, Attribute]) -> None:
        self.folder, self.tensors = folder, tensors
        self.taken: dict[str, Attribute] = {}

    def take(self, name: str, shape: Shape) -> Attribute:
        """The tensor of that name. Raises ModelFormatError when there is none, or it has another shape or type."""
        found = self.tensors.get(name)
        if found is None:
            hint = f"; is it the table of words (tie_word_embeddings)? {TABLE}.weight is there" * name.startswith(HEAD)
            raise ModelFormatError(self.folder, None, f"a tensor {name} {shape_text(shape)}", f"none{hint}")
        if found.shape != shape or found.dtype.code not in _FLOATS:
            expected = f"tensor {name}: {shape_text(shape)} {' or '.join(_FLOATS)}"
            raise ModelFormatError(self.folder, None, expected, f"{shape_text(found.shape)} {found.dtype.code}")
        self.taken[name] = found
        return found

    def take_twin(self, name: str, twin: str) -> None:
        """A tensor that may be stored beside the one that it is tied to; then it has to be the same."""
        if name in self.tensors:
            first, second = self.tensors[twin], self.take(name, self.tensors[twin].shape)
            if first.dtype != second.dtype or not _equal(first.raw, second.raw):
                expected = f"{name} equal to {twin}, as tie_word_embeddings says"
                raise ModelFormatError(self.folder, None, expected, "other numbers")

    def check_all_taken(self) -> None:
        """Raise ModelFormatError for tensors that the network has no place for."""
        rest = [name for name in self.tensors if name not in self.taken and not _LEFT_OVER.fullmatch(name)]
        if rest:
            found = ", ".join(f"{name!r:.80}" for name in rest[:3]) + f" ({len(rest)} in all)" * (len(rest) > 3)
            raise ModelFormatError(self.folder, None, "no tensors but those of the architecture", found)


def _equal(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two tables have the same bits, row by row, so that little memory is needed."""
    return all(x.tobytes() == y.tobytes() for x, y in zip(a, b, strict=True))


def extents(operand: Operand) -> Shape:
    """The shape of an operand that has one."""
    return operand.shape or ()


class Blueprint:
    """Operators in the order in which they are added; each method adds one and gives its result."""

    def __init__(self) -> None:
        self.operators: list[Operator] = []
        self.operands = 0

    def operand(self, shape: Shape, dtype: str) -> Operand:
        """A new operand, named by its number."""
        self.operands += 1
        return Operand(str(self.operands - 1), shape, DTYPES[dtype])

    def add_operator(
        self,
        kind: str,
        inputs: list[Operand],
        outputs: list[Operand],
        *,
        name: str | None = None,
        slots: str = "",
        params: Mapping[str, Any] | None = None,
        weights: Mapping[str, Attribute] | None = None,
    ) -> None:
        """One operator. slots: names of the inputs, where they have some; params: its options."""
        self.operators.append(
            Operator(
                kind,
                name or f"{kind.rpartition('.')[2].rpartition('::')[2]}_{len(self.operators)}",
                inputs,
                outputs,
                list(slots.split()) or [None] * len(inputs),
                dict(params or {}),
                dict(weights or {}),
            )
        )

    def result_of(self, kind: str, inputs: list[Operand], shape: Shape, dtype: str = "f32", **rest: Any) -> Operand:
        """An operator's only result."""
        made = self.operand(shape, dtype)
        self.add_operator(kind, inputs, [made], **rest)
        return made

    def expression(self, text: str, inputs: list[Operand], shape: Shape | None = None, dtype: str = "f32") -> Operand:
        """A formula of PNNX; of the first input's shape where none is given."""
        shape = extents(inputs[0]) if shape is None else shape
        return self.result_of("pnnx.Expression", inputs, shape, dtype, params={"expr": text})

    def value(self, text: str, x: Operand) -> Operand:
        """A formula whose value is a number or a list of numbers, such as an extent of x."""
        self.operands += 1
        made = Operand(str(self.operands - 1))
        self.add_operator("pnnx.Expression", [x], [made], params={"expr": text})
        return made

    def join(self, parts: list[Operand], axis: int, shape: Shape, dtype: str = "f32") -> Operand:
        """torch.cat."""
        return self.result_of("torch.cat", parts, shape, dtype, params={"dim": axis})

    def split(self, x: Operand, count: int) -> list[Operand]:
        """x[0], x[1], ... along the first axis."""
        made = [self.operand(extents(x)[1:], "f32") for _ in range(count)]
        self.add_operator("torch.unbind", [x], made, slots="input", params={"dim": 0})
        return made


def llama_graph(a: Architecture, checkpoint: Checkpoint) -> Graph:
    """The network. Raises ModelFormatError for tensors that are missing, left over or of other shapes."""
    return _Llama(a, checkpoint).graph()


class _Llama:
    """The parts of the network, and what all layers share: sizes, mask, cosines and sines."""

    def __init__(self, a: Architecture, checkpoint: Checkpoint) -> None:
        self.a, self.checkpoint, self.net = a, checkpoint, Blueprint()

    def graph(self) -> Graph:
        """Inputs, table, layers, head, outputs."""
        a, net = self.a, self.net
        if a.layers > len(self.checkpoint.tensors):
            expected = f"tensors for each of {a.layers} layers (num_hidden_layers)"
            raise ModelFormatError(self.checkpoint.folder, None, expected, f"{len(self.checkpoint.tensors)} in all")
        cache = (a.layers, -1, a.key_heads, -1, a.head_width)
        shapes = {"words": ((-1, -1), "i64"), "keys": (cache, "f32"), "values": (cache, "f32"), "count": ((1,), "i64")}
        words, keys, values, count = (
            net.result_of("pnnx.Input", [], *said, name=name) for name, said in shapes.items()
        )
        self._shared(words, keys, count)
        table = self.checkpoint.take(f"{TABLE}.weight", (a.vocabulary, a.width))
        embedded = (-1, -1, a.width)
        if a.tied:
            self.checkpoint.take_twin(f"{HEAD}.weight", f"{TABLE}.weight")
            shared = net.result_of("pnnx.Attribute", [], table.shape, name=f"{TABLE}.weight", weights={"data": table})
            x = net.result_of("F.embedding", [words, shared], embedded, name=TABLE, slots="input weight")
        else:
            options = {"embedding_dim": a.width, "num_embeddings": a.vocabulary, "sparse": False}
            x = net.result_of("nn.Embedding", [words], embedded, name=TABLE, weights={"weight": table}, params=options)
        new: list[tuple[Operand, Operand]] = []
        for i, (k, v) in enumerate(zip(net.split(keys, a.layers), net.split(values, a.layers))):
            at = f"model.layers.{i}"
            y, *kept = self._attention(self._norm(x, f"{at}.input_layernorm"), k, v, f"{at}.self_attn")
            new.append((kept[0], kept[1]))
            x = net.expression("add(@0,@1)", [x, y])
            y = self._feed_forward(self._norm(x, f"{at}.post_attention_layernorm"), f"{at}.mlp")
            x = net.expression("add(@0,@1)", [x, y])
        x = self._norm(x, "model.norm")
        if a.tied:
            shape = (-1, -1, a.vocabulary)
            logits = net.result_of(
                "F.linear", [x, shared], shape, name=HEAD, slots="input weight", params={"bias": None}
            )
        else:
            logits = self._linear(x, HEAD, a.vocabulary, bias=False)
        stacks = [net.result_of("torch.stack", list(of), cache, params={"dim": 0}) for of in zip(*new)]
        self.checkpoint.check_all_taken()
        net.operands += 1
        results = Operand(str(net.operands - 1))
        net.add_operator("prim::TupleConstruct", [logits, *stacks], [results])
        net.add_operator("pnnx.Output", [results], [], name="outputs")
        return Graph(net.operators).connect()

    def _shared(self, words: Operand, keys: Operand, count: Operand) -> None:
        """The mask (T, places + T), cosines and sines (T, head_width), and the shapes that heads are cut into."""
        a, net = self.a, self.net
        length, room = net.value("size(@0,1)", words), net.value("size(@0,3)", keys)
        steps = net.result_of("torch.arange", [length], (-1,), "i64", slots="end", params={"dtype": None})
        now = net.expression("add(@0,@1)", [steps, count], dtype="i64")
        rows = net.result_of("torch.unsqueeze", [now], (-1, 1), "i64", slots="input", params={"dim": 1})
        columns = net.result_of("torch.unsqueeze", [now], (1, -1), "i64", slots="input", params={"dim": 0})
        speeds = net.result_of(
            "pnnx.Attribute",
            [],
            (a.head_width // 2,),
            name="speeds",
            weights={"data": Attribute.from_array(a.rotation.speeds)},
        )
        half = net.expression("mul(@0,@1)", [rows, speeds], (-1, a.head_width // 2))
        angles = net.join([half, half], -1, (-1, a.head_width))
        scale = a.rotation.scale
        self.cos, self.sin = (
            net.expression(f"{f}(@0)" if scale == 1 else f"mul({f}(@0),{scale!r})", [angles]) for f in ("cos", "sin")
        )
        places = net.result_of("torch.arange", [room], (-1,), "i64", slots="end", params={"dtype": None})
        used = net.result_of("torch.lt", [places, count], (-1,), "bool", slots="input other")
        used = net.result_of("torch.unsqueeze", [used], (1, -1), "bool", slots="input", params={"dim": 0})
        whole = net.value("[size(@0,1),-1]", words)
        used = net.result_of("Tensor.expand", [used, whole], (-1, -1), "bool", slots="input sizes")
        seen = net.result_of("torch.le", [columns, rows], (-1, -1), "bool", slots="input other")
        self.mask = net.join([used, seen], 1, (-1, -1), "bool")
        self.in_heads = net.value(f"[size(@0,0),size(@0,1),-1,{a.head_width}]", words)
        self.in_rows = net.value(f"[size(@0,0),size(@0,1),{a.heads * a.head_width}]", words)

    def _linear(self, x: Operand, name: str, size: int, *, bias: bool) -> Operand:
        """(..., C) -> (..., size)."""
        *rows, features = extents(x)
        weights = {"weight": self.checkpoint.take(f"{name}.weight", (size, features))}
        if bias:
            weights["bias"] = self.checkpoint.take(f"{name}.bias", (size,))
        options = {"bias": bias, "in_features": features, "out_features": size}
        return self.net.result_of("nn.Linear", [x], (*rows, size), name=name, params=options, weights=weights)

    def _norm(self, x: Operand, name: str) -> Operand:
        """RMSNorm."""
        width, eps = self.a.width, self.a.eps
        weights = {"weight": self.checkpoint.take(f"{name}.weight", (width,))}
        options = {"elementwise_affine": True, "eps": eps, "normalized_shape": [width]}
        return self.net.result_of(
            "nn.RMSNorm", [x], extents(x), name=name, slots="input", params=options, weights=weights
        )

    def _attention(self, x: Operand, keys: Operand, values: Operand, at: str) -> tuple[Operand, Operand, Operand]:
        """x (N,T,C) and what is kept of earlier tokens -> (N,T,C), and the keys and values of these T."""
        a, net = self.a, self.net
        q, k, v = (
            self._heads(self._linear(x, f"{at}.{part}_proj", heads * a.head_width, bias=a.qkv_bias), heads)
            for part, heads in (("q", a.heads), ("k", a.key_heads), ("v", a.key_heads))
        )
        q, k = self._turned(q), self._turned(k)
        known = (-1, a.key_heads, -1, a.head_width)
        inputs = [q, net.join([keys, k], 2, known), net.join([values, v], 2, known), self.mask]
        options = {"dropout_p": 0.0, "enable_gqa": a.heads != a.key_heads, "is_causal": False}
        slots = "query key value attn_mask"
        y = net.result_of("F.scaled_dot_product_attention", inputs, extents(q), slots=slots, params=options)
        y = net.result_of(
            "torch.transpose", [y], (-1, -1, a.heads, a.head_width), slots="input", params={"dim0": 1, "dim1": 2}
        )
        rows = (-1, -1, a.heads * a.head_width)
        y = net.result_of("Tensor.reshape", [y, self.in_rows], rows, slots="input shape")
        return self._linear(y, f"{at}.o_proj", a.width, bias=a.out_bias), k, v

    def _heads(self, x: Operand, heads: int) -> Operand:
        """(N, T, heads * D) -> (N, heads, T, D)."""
        width = self.a.head_width
        x = self.net.result_of("Tensor.reshape", [x, self.in_heads], (-1, -1, heads, width), slots="input shape")
        return self.net.result_of(
            "torch.transpose", [x], (-1, heads, -1, width), slots="input", params={"dim0": 1, "dim1": 2}
        )

    def _turned(self, x: Operand) -> Operand:
        """(N, heads, T, D): the pair (x[i], x[i + D/2]) turned by the angle of its position."""
        net = self.net
        *axes, width = extents(x)
        left, right = (net.operand((*axes, width // 2), "f32") for _ in range(2))
        net.add_operator("torch.chunk", [x], [left, right], slots="input", params={"chunks": 2, "dim": -1})
        swapped = net.join([net.expression("neg(@0)", [right]), left], -1, (*axes, width))
        return net.expression("add(mul(@0,@1),mul(@2,@3))", [x, self.cos, swapped, self.sin])

    def _feed_forward(self, x: Operand, at: str) -> Operand:
        """SwiGLU: down(silu(gate(x)) * up(x))."""
        net, bias = self.net, self.a.feed_forward_bias
        gate = self._linear(x, f"{at}.gate_proj", self.a.hidden, bias=bias)
        gate = net.result_of("F.silu", [gate], extents(gate), slots="input")
        up = self._linear(x, f"{at}.up_proj", self.a.hidden, bias=bias)
        y = net.expression("mul(@0,@1)", [gate, up])
        return self._linear(y, f"{at}.down_proj", self.a.width, bias=bias)
