"""config.json: what kuiper has not is refused by the name of the setting, with what was expected and what came."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.convert import convert, read_architecture, read_model
from kuiper.errors import KuiperError, ModelFormatError

QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
REFUSED = {
    "family": ({"model_type": "gpt_neox"}, "model_type: one of llama, qwen2, found 'gpt_neox'"),
    "no family": ({"model_type": None}, "model_type: a text, found nothing"),
    "another head": (
        {"architectures": ["LlamaForSequenceClassification"]},
        r"architectures: \['LlamaForCausalLM'\], found 'LlamaForSequenceClassification'",
    ),
    "architectures": ({"architectures": 3}, "architectures: .*, found 3"),
    "quantised": ({"quantization_config": {"quant_method": "gptq", "bits": 4}}, "quantised weights, found 'gptq'"),
    "activation": ({"hidden_act": "gelu_new"}, "hidden_act: silu or swish, found 'gelu_new'"),
    "width as text": ({"hidden_size": "24"}, "hidden_size: a whole number from 1 to 2147483647, found '24'"),
    "layers as float": ({"num_hidden_layers": 2.0}, "num_hidden_layers: a whole number"),
    "heads of true": ({"num_attention_heads": True}, "num_attention_heads: a whole number .*, found true"),
    "no layers": ({"num_hidden_layers": 0}, "num_hidden_layers: a whole number from 1"),
    "beyond 32 bits": ({"intermediate_size": 1 << 31}, "intermediate_size: a whole number from 1"),
    "missing": ({"intermediate_size": None}, "intermediate_size: a whole number .*, found nothing"),
    "groups": ({"num_key_value_heads": 3}, "num_key_value_heads: a divisor of num_attention_heads, 4, found 3"),
    "heads": ({"num_attention_heads": 5, "num_key_value_heads": None}, "heads: a divisor of hidden_size, 24"),
    "odd heads": ({"head_dim": 5}, "head_dim: an even number up to 16384, .*, found 5"),
    "wide heads": ({"head_dim": 1 << 30}, "head_dim: an even number up to 16384"),
    "eps": ({"rms_norm_eps": -1e-5}, "rms_norm_eps: a finite number above 0"),
    "eps beyond floats": ({"rms_norm_eps": 10**400}, "rms_norm_eps: a finite number above 0"),
    "tied": ({"tie_word_embeddings": "yes"}, "tie_word_embeddings: true or false, found 'yes'"),
    "window": ({"sliding_window": 4096}, "sliding_window: none in use, .*, found one of 4096 tokens in use"),
    "window of qwen2": (
        {"model_type": "qwen2", "architectures": None, "use_sliding_window": True,
         "sliding_window": 8, "max_window_layers": 1},
        "sliding_window: none in use",
    ),
    "layer types": ({"layer_types": ["full_attention", "sliding_attention"]}, "found 'sliding_attention'"),
    "too few layer types": ({"layer_types": ["full_attention"]}, "one kind for each of 2 layers, found a list"),
    "interleaved": ({"rope_interleaved": True}, "rope_interleaved: false"),
    "dynamic": (
        {"rope_scaling": {"type": "dynamic", "factor": 2.0}},
        "rope_scaling.rope_type: one of default, linear, llama3, yarn, found 'dynamic'",
    ),
    "longrope": ({"rope_parameters": {"rope_type": "longrope"}}, "rope_parameters.rope_type: .*, found 'longrope'"),
    "two types": (
        {"rope_scaling": {"type": "linear", "rope_type": "yarn", "factor": 2}},
        "rope_scaling.type: the same as rope_type, 'yarn', found 'linear'",
    ),
    "rope as text": ({"rope_scaling": "linear"}, "rope_scaling: an object, found 'linear'"),
    "no factor": ({"rope_scaling": {"type": "linear"}}, "rope_scaling.factor: a finite number above 0, found nothing"),
    "factor below 1": ({"rope_scaling": {"type": "yarn", "factor": 0.5}}, "factor: a number of at least 1, found 0.5"),
    "a setting of another type": (
        {"rope_scaling": {"type": "linear", "factor": 2, "beta_fast": 32}},
        "rope_scaling.beta_fast: no setting of that name in type linear, found 32",
    ),
    "bounds of llama3": (
        {"rope_scaling": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 4, "high_freq_factor": 4}},
        "high_freq_factor: a number above low_freq_factor, 4, found 4",
    ),
    "bounds of yarn": ({"rope_scaling": {"type": "yarn", "factor": 8, "beta_fast": 1}}, "a number above beta_slow, 1"),
    "part of a head": ({"partial_rotary_factor": 0.5}, "partial_rotary_factor: 1"),
    "two thetas": (
        {"rope_parameters": {"rope_theta": 5.0}},
        "rope_parameters.rope_theta: the same as rope_theta outside, 100.0, found 5.0",
    ),
    "theta": ({"rope_theta": 1}, "rope_theta: a number above 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_supported_is_refused_by_name(folder_of, name):
    changed, words = REFUSED[name]
    published = folder_of()
    config = {key: value for key, value in {**published.config, **changed}.items() if value is not None}
    (published.folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelFormatError, match=words) as caught:
        read_architecture(published.folder / "config.json")
    assert "config.json: expected" in str(caught.value)


def test_what_has_no_effect_is_accepted_and_what_is_unknown_is_named(folder_of):
    published = folder_of(
        torch_dtype="bfloat16", bos_token_id=1, attention_dropout=0.0, sliding_window=32, use_sliding_window=False,
        rope_interleaved=False, partial_rotary_factor=1.0, hidden_act="swish", new_trick=True,
    )  # fmt: skip
    assert read_architecture(published.folder / "config.json").unknown == ("new_trick",)


def test_settings_of_a_window_that_no_layer_has_are_accepted(folder_of):
    folder = folder_of(
        model_type="qwen2", architectures=None, use_sliding_window=True, sliding_window=8, max_window_layers=2
    ).folder
    assert read_architecture(folder / "config.json").qkv_bias


def test_old_and_new_forms_of_the_rope_settings_mean_the_same(folder_of):
    scaling = {"factor": 4.0, "original_max_position_embeddings": 16}
    forms = [
        {"rope_theta": 500.0, "rope_scaling": {"type": "yarn", **scaling}},
        {"rope_theta": 500.0, "rope_scaling": {"rope_type": "yarn", **scaling}},
        {"rope_theta": None, "rope_parameters": {"rope_type": "yarn", "rope_theta": 500.0, **scaling}},
        {"rope_theta": None, "rope_parameters": {"rope_type": "yarn", "rope_theta": 500.0, "factor": 4},
         "max_position_embeddings": 16},
    ]  # fmt: skip
    found = [read_architecture(folder_of(**form).folder / "config.json").rotation for form in forms]
    for rotation in found[1:]:
        np.testing.assert_array_equal(rotation.speeds, found[0].speeds)
        assert rotation.scale == found[0].scale == pytest.approx(1 + 0.1 * math.log(4))


@pytest.mark.parametrize(
    ("more", "scale"),
    [({"attention_factor": 0.7}, 0.7), ({"mscale": 1.0, "mscale_all_dim": 1.0}, 1.0), ({"mscale": 0.5}, 1.2302585)],
)
def test_yarn_says_itself_how_much_queries_and_keys_grow(folder_of, more, scale):
    rope = {"type": "yarn", "factor": 10.0, **more}
    assert read_architecture(folder_of(rope_scaling=rope).folder / "config.json").rotation.scale == pytest.approx(scale)


# weights that are not those of the settings


def without(name: str):
    return lambda weights: weights.pop(name)


def renamed(old: str, new: str):
    return lambda weights: weights.update({new: weights.pop(old)})


WRONG = {
    "a tensor missing": (
        without("model.layers.1.mlp.up_proj.weight"), {}, r"layers\.1\.mlp\.up_proj\.weight \(40,24\), found none"
    ),
    "the head missing": (without("lm_head.weight"), {}, r"\.weight \(50,24\), found none; .*tie_word_embeddings"),
    "a layer too many": (lambda weights: None, {"num_hidden_layers": 3}, r"model\.layers\.2\..*, found none"),
    "layers without end": (lambda weights: None, {"num_hidden_layers": 2**31 - 1}, "each of 2147483647 layers"),
    "a layer too few": (lambda weights: None, {"num_hidden_layers": 1}, r"'model\.layers\.1\..* \(9 in all\)"),
    "another width": (lambda weights: None, {"hidden_size": 32}, r"\(50,32\) f32 or f16 or bf16, found \(50,24\)"),
    "biases that nobody adds": (lambda weights: None, {"attention_bias": False}, r"self_attn\.q_proj\.bias'"),
    "an adapter": (renamed("lm_head.weight", "base.lora_A"), {"tie_word_embeddings": True}, "found 'base.lora_A'"),
    "two heads": (lambda weights: None, {"tie_word_embeddings": True}, "lm_head.weight equal to model.embed_tokens"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_weights_that_do_not_fit_the_settings_are_refused(folder_of, publish_in, name):
    change, settings_, words = WRONG[name]
    published = folder_of(attention_bias=name.startswith("biases"))
    weights = dict(published.weights)
    change(weights)
    again = publish_in(published.folder.with_name("again"), {**published.config, **settings_}, weights=weights)
    with pytest.raises(ModelFormatError, match=words):
        read_model(again.folder)


def test_integers_are_no_weights(folder_of, file_of):
    published = folder_of()
    tensors = {n: ("I32", a.shape, a.astype("<i4").tobytes()) for n, a in published.weights.items()}
    (published.folder / "model.safetensors").write_bytes(file_of(tensors))
    with pytest.raises(ModelFormatError, match=r"f32 or f16 or bf16, found \(50,24\) i32"):
        read_model(published.folder)


def test_a_second_copy_of_a_tied_table_and_old_buffers_are_left_out(folder_of, publish_in):
    published = folder_of("BF16", tie_word_embeddings=True)
    once = convert(published.folder)
    weights = {
        **published.weights,
        "lm_head.weight": published.weights["model.embed_tokens.weight"],
        "model.layers.0.self_attn.rotary_emb.inv_freq": np.ones(3, np.float32),
    }
    more = convert(publish_in(published.folder.with_name("network2"), published.config, "BF16", weights=weights).folder)
    assert (more.bin.read_bytes(), more.parameters) == (once.bin.read_bytes(), once.parameters)


# fuzzing

VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 70), st.floats(), st.text(max_size=4),
              st.sampled_from([2**31 - 1, 2**31, 10**400, -1, 1e308, 5e-324, 1.0000000001]),
              st.sampled_from(["yarn", "linear", "llama3", "qwen2"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=4,
)  # fmt: skip
KEYS = [
    "model_type", "architectures", "quantization_config", "hidden_act", "vocab_size", "hidden_size", "head_dim",
    "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "rms_norm_eps",
    "max_position_embeddings", "rope_parameters", "rope_scaling", "rope_theta", "rope_interleaved", "layer_types",
    "partial_rotary_factor", "tie_word_embeddings", "attention_bias", "mlp_bias", "use_sliding_window",
    "sliding_window", "max_window_layers",
]  # fmt: skip
ROPE_KEYS = [
    "rope_type", "type", "factor", "beta_fast", "beta_slow", "truncate", "mscale", "mscale_all_dim", "low_freq_factor",
    "high_freq_factor", "original_max_position_embeddings", "attention_factor", "rope_theta",
]  # fmt: skip


@pytest.fixture(scope="module")
def sound(publish_in, tmp_path_factory):
    config = {
        "model_type": "llama", "vocab_size": 7, "hidden_size": 8, "intermediate_size": 6, "num_hidden_layers": 1,
        "num_attention_heads": 2, "hidden_act": "silu", "rms_norm_eps": 1e-5, "max_position_embeddings": 16,
    }  # fmt: skip
    return publish_in(tmp_path_factory.mktemp("sound") / "network", config)


def refused_or_written(published, config) -> None:
    """A KuiperError, or files that can be loaded, whose rotation is finite."""
    (published.folder / "config.json").write_text(json.dumps(config, allow_nan=True))
    try:
        made = convert(published.folder)
    except KuiperError as error:
        str(error).encode("utf-8")
        return
    assert np.isfinite(made.architecture.rotation.speeds).all()
    assert kuiper.load(made.param).operators


@pytest.mark.slow
@QUICK
@given(changed=st.dictionaries(st.sampled_from(KEYS), VALUES, min_size=1, max_size=3))
def test_any_settings_are_refused_or_converted(sound, changed):
    refused_or_written(sound, {**sound.config, **changed})


@QUICK
@given(
    kind=st.sampled_from(["default", "linear", "llama3", "yarn"]),
    rope=st.dictionaries(st.sampled_from(ROPE_KEYS), st.one_of(st.floats(0, 100), VALUES), max_size=6),
)
def test_any_rope_settings_are_refused_or_converted(sound, kind, rope):
    refused_or_written(sound, {**sound.config, "rope_parameters": {"rope_type": kind, "factor": 2.0, **rope}})


@QUICK
@given(data=st.binary(max_size=60))
def test_any_bytes_in_the_place_of_the_settings_are_refused(sound, data):
    (sound.folder / "config.json").write_bytes(data)
    with pytest.raises(KuiperError):
        read_architecture(sound.folder / "config.json")
