"""config.json -> what the network is: sizes, kinds of parts, rotary positions; what kuiper lacks is refused by name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kuiper.convert.rope import Rotation, read_rotation
from kuiper.documents import Document, kind_of, read_object

CONFIG = "config.json"
FAMILIES = {"llama": "LlamaForCausalLM", "qwen2": "Qwen2ForCausalLM"}
"""model_type -> the name that `architectures` has for it."""
WIDEST_HEAD = 1 << 14
_ACTIVATIONS = ("silu", "swish")  # two names of one function
_READ = {
    "model_type", "architectures", "quantization_config", "hidden_act", "vocab_size", "hidden_size", "head_dim",
    "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "rms_norm_eps",
    "max_position_embeddings", "rope_parameters", "rope_scaling", "rope_theta", "rope_interleaved",
    "partial_rotary_factor", "tie_word_embeddings", "attention_bias", "mlp_bias", "use_sliding_window",
    "sliding_window", "max_window_layers", "layer_types",
}  # fmt: skip
_WITHOUT_EFFECT = {
    "_name_or_path", "attention_dropout", "bos_token_id", "dtype", "eos_token_id", "initializer_range",
    "is_llama_config", "pad_token_id", "pretraining_tp", "torch_dtype", "transformers_version", "use_cache",
    "transformers.js_config",
}  # fmt: skip
"""Settings of training, of tokens, of other programs: the logits do not depend on them."""


@dataclass(frozen=True)
class Architecture:
    """A network of the families llama and qwen2.

    vocabulary : tokens.
    width, hidden : numbers per token between the blocks, and within the feed-forward part.
    layers : blocks.
    heads, key_heads, head_width : heads of queries, those of keys and values, and numbers in each.
    eps : of the norms.
    positions : the longest text, in tokens, for which the network was made.
    tied : whether the table of words is also the last matrix.
    qkv_bias, out_bias, feed_forward_bias : whether products have a bias: of queries, keys and values; behind the
        heads; of the feed-forward part.
    unknown : settings that were not read because kuiper does not know them.
    """

    family: str
    vocabulary: int
    width: int
    hidden: int
    layers: int
    heads: int
    key_heads: int
    head_width: int
    eps: float
    positions: int
    rotation: Rotation
    tied: bool
    qkv_bias: bool
    out_bias: bool
    feed_forward_bias: bool
    unknown: tuple[str, ...] = ()

    def cache_bytes(self, context: int) -> int:
        """Memory for keys and values of a text of so many tokens, as float32."""
        return 2 * self.layers * self.key_heads * self.head_width * context * 4


def read_architecture(path: Path) -> Architecture:
    """What a config.json says. Raises ModelFormatError for what is missing, contradicts itself or is not supported."""
    config = Document(path, read_object(path, "the settings of a language model"))
    family = config.text("model_type")
    _check_supported(config, family)
    width, heads = config.size("hidden_size"), config.size("num_attention_heads")
    key_heads = config.size("num_key_value_heads", heads)
    if heads % key_heads:
        raise config.fault("num_key_value_heads", f"a divisor of num_attention_heads, {heads}")
    if config.get("head_dim") is None and width % heads:
        raise config.fault("num_attention_heads", f"a divisor of hidden_size, {width}, or head_dim beside it")
    head_width = config.size("head_dim", width // heads or 1)
    if head_width % 2 or head_width > WIDEST_HEAD:
        raise config.fault("head_dim", f"an even number up to {WIDEST_HEAD}, as heads turn in pairs", f"{head_width}")
    layers, positions = config.size("num_hidden_layers"), config.size("max_position_embeddings")
    _check_windows(config, family, layers)
    is_llama = family == "llama"
    bias = is_llama and config.flag("attention_bias", False)
    return Architecture(
        family=family,
        vocabulary=config.size("vocab_size"),
        width=width,
        hidden=config.size("intermediate_size"),
        layers=layers,
        heads=heads,
        key_heads=key_heads,
        head_width=head_width,
        eps=config.number("rms_norm_eps"),
        positions=positions,
        rotation=read_rotation(_rope(config), head_width, positions),
        tied=config.flag("tie_word_embeddings", False),
        qkv_bias=bias or not is_llama,
        out_bias=bias,
        feed_forward_bias=is_llama and config.flag("mlp_bias", False),
        unknown=tuple(sorted(config.values.keys() - _READ - _WITHOUT_EFFECT)),
    )


def _check_supported(config: Document, family: str) -> None:
    """Refuse other families, other heads, quantised weights and other activations."""
    if family not in FAMILIES:
        raise config.fault("model_type", f"one of {', '.join(FAMILIES)}")
    named = config.get("architectures")
    if named is not None and named != [FAMILIES[family]]:
        found = ", ".join(map(repr, named))[:80] if isinstance(named, list) else kind_of(named)
        raise config.fault("architectures", f"[{FAMILIES[family]!r}]", found or "an empty list")
    if config.get("quantization_config") is not None:
        method = (config.inner("quantization_config") or config).get("quant_method")
        raise config.fault("quantization_config", "none, since kuiper reads no quantised weights", kind_of(method))
    activation = config.text("hidden_act")
    if activation not in _ACTIVATIONS:
        raise config.fault("hidden_act", " or ".join(_ACTIVATIONS))


def _check_windows(config: Document, family: str, layers: int) -> None:
    """Refuse layers that see only the last tokens."""
    kinds = config.get("layer_types")
    if kinds is not None:
        if not isinstance(kinds, list) or len(kinds) != layers:
            raise config.fault("layer_types", f"a list, one kind for each of {layers} layers")
        for kind in kinds:
            if kind != "full_attention":
                raise config.fault("layer_types", "full_attention in every layer", kind_of(kind))
    if config.get("sliding_window") is None or not config.flag("use_sliding_window", family == "llama"):
        return
    first = config.get("max_window_layers")
    if family == "llama" or type(first) is not int or first < layers:
        found = f"one of {kind_of(config.get('sliding_window'))} tokens in use"
        raise config.fault("sliding_window", "none in use, since kuiper's cache has no window", found)


def _rope(config: Document) -> Document:
    """The settings of the rotary positions, in the form of today: rope_type, rope_theta and others in one object."""
    if config.flag("rope_interleaved", False):
        raise config.fault("rope_interleaved", "false, pairs of a head that lie half a head apart")
    found = config.inner("rope_parameters")
    if found is None:
        found = config.inner("rope_scaling") or Document(config.path, {}, "rope_scaling.")
    shared = {key: config.get(key) for key in ("rope_theta", "partial_rotary_factor") if config.get(key) is not None}
    for key, value in shared.items():
        if found.get(key) not in (None, value):
            raise found.fault(key, f"the same as {key} outside, {kind_of(value)}")
    return Document(config.path, {**found.values, **shared}, found.within)
