"""Every layer on images, sequences and signals, and every normalization, counts its operations and has a family."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from kuiper.graph import Operand, Operator, Parameter, ParameterKind
from kuiper.layers import Layer, registry
from kuiper.layers.cost import UnknownShapeError
from kuiper.layers.image.adaptive import AdaptiveAvgPool2d, AdaptiveMaxPool1d
from kuiper.layers.image.convolution import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d
from kuiper.layers.image.detection import DeformConv2d, RoIAlign
from kuiper.layers.image.fold import Fold, Unfold
from kuiper.layers.image.padding import Pad
from kuiper.layers.image.pixel import PixelShuffle
from kuiper.layers.image.pooling import AvgPool2d, LPPool2d, MaxPool1d, MaxPool2d
from kuiper.layers.image.resize import Upsample, UpsamplingBilinear2d
from kuiper.layers.image.sampling import AffineGrid, GridSample
from kuiper.layers.normalization.group_norm import GroupNorm, InstanceNorm, LocalResponseNorm
from kuiper.layers.normalization.normalization import BatchNorm2d, LayerNorm, RMSNorm
from kuiper.layers.normalization.norms import Cross, Dist, LinalgNorm, Norm
from kuiper.layers.sequence.attention import MultiheadAttention, ScaledDotProductAttention
from kuiper.layers.sequence.embedding import Embedding, EmbeddingBag
from kuiper.layers.sequence.recurrent import GRU, LSTM
from kuiper.layers.sequence.transformer import TransformerEncoderLayer
from kuiper.layers.signal.fourier import FFTFreq, FFTShift
from kuiper.layers.signal.spectrogram import Spectrogram
from kuiper.layers.signal.stft import ISTFT, STFT

FOLDERS = ("image", "normalization", "sequence", "signal")


def is_ours(kind: str) -> bool:
    layer = registry.layer_class(kind)
    return layer is not None and layer.__module__.split(".")[2] in FOLDERS


TYPES = [kind for kind in registry if is_ours(kind)]


@pytest.mark.parametrize("kind", TYPES)
def test_every_type_counts_its_operations_and_names_its_family(kind: str) -> None:
    layer = registry.layer_class(kind)
    assert layer is not None
    assert layer.flops is not Layer.flops
    assert any("family" in base.__dict__ for base in layer.__mro__ if base not in (Layer, object))


@pytest.mark.parametrize(
    ("kind", "family"),
    [
        ("nn.Conv2d", "convolution"),
        ("torchvision.ops.DeformConv2d", "convolution"),
        ("F.max_pool2d", "pooling"),
        ("aten::max_unpool2d", "pooling"),
        ("torchvision.ops.RoIAlign", "pooling"),
        ("nn.BatchNorm2d", "normalization"),
        ("F.rms_norm", "normalization"),
        ("torch.norm", "arithmetic"),
        ("aten::linalg_vector_norm", "arithmetic"),
        ("nn.LSTM", "linear, attention"),
        ("aten::_transformer_encoder_layer_fwd", "linear, attention"),
        ("nn.Embedding", "linear, attention"),
        ("F.pad", "shape"),
        ("nn.UpsamplingBilinear2d", "shape"),
        ("F.grid_sample", "shape"),
        ("torch.fft.fftshift", "shape"),
        ("torch.fft.fft", "arithmetic"),
    ],
)
def test_families_say_what_kind_of_operation_it_is(kind: str, family: str) -> None:
    layer = registry.layer_class(kind)
    assert layer is not None
    assert layer.family == family


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def counted(layer: Layer, *inputs: tuple[int, ...]) -> int:
    """What the layer counts for inputs of these shapes, its outputs having the shapes that it computes."""
    result = layer.forward(*(ones(*shape) for shape in inputs))
    outputs = [x.shape for x in (result if isinstance(result, tuple) else (result,)) if x is not None]
    return layer.flops(list(inputs), outputs)


def convolved(n: int, weight: tuple[int, ...], places: tuple[int, ...], bias: bool) -> int:
    """The loop of lesson 6, counting: a product and a sum for each tap, and the bias."""
    total = 0
    for _ in itertools.product(range(n), range(weight[0]), *map(range, places)):
        for _ in itertools.product(*map(range, weight[1:])):
            total += 2
        total += bias
    return total


@pytest.mark.parametrize("bias", [False, True])
def test_a_convolution_counts_as_its_loop(bias: bool) -> None:
    b = ones(4) if bias else None
    assert counted(Conv2d(ones(4, 3, 2, 3), b), (2, 3, 5, 6)) == convolved(2, (4, 3, 2, 3), (4, 4), bias)
    assert counted(Conv2d(ones(4, 3, 2, 3), b, groups=2), (1, 6, 5, 6)) == convolved(1, (4, 3, 2, 3), (4, 4), bias)
    assert counted(Conv1d(ones(4, 3, 2), b, stride=2), (2, 3, 9)) == convolved(2, (4, 3, 2), (4,), bias)
    assert counted(Conv3d(ones(4, 1, 2, 2, 2), b), (1, 1, 3, 3, 3)) == convolved(1, (4, 1, 2, 2, 2), (2, 2, 2), bias)


def test_a_transposed_convolution_counts_what_it_spreads() -> None:
    assert counted(ConvTranspose2d(ones(3, 4, 2, 2), stride=2), (2, 3, 5, 6)) == 2 * (2 * 3 * 5 * 6) * (4 * 2 * 2)
    assert counted(ConvTranspose1d(ones(3, 4, 2), ones(4)), (1, 3, 5)) == 2 * (3 * 5) * (4 * 2) + 4 * 6


@pytest.mark.parametrize(
    ("layer", "inputs", "flops"),
    [
        (MaxPool2d(3, 2, 1), [(2, 4, 8, 8)], 2 * 4 * 4 * 4 * 9),
        (MaxPool2d(2, return_indices=True), [(1, 1, 4, 4)], 4 * 4),
        (MaxPool1d(3), [(2, 4, 9)], 2 * 4 * 3 * 3),
        (AvgPool2d((2, 3)), [(1, 2, 4, 6)], 1 * 2 * 2 * 2 * 6),
        (LPPool2d(2, 2), [(1, 2, 4, 6)], 1 * 2 * 2 * 3 * 4),
        (AdaptiveAvgPool2d(1), [(2, 3, 4, 5)], 120),
        (AdaptiveMaxPool1d(2), [(2, 3, 7)], 42),
        (Unfold(2), [(1, 2, 4, 4)], 0),
        (Fold((4, 4), 2), [(1, 8, 9)], 72),
        (Pad((1, 1)), [(2, 3)], 0),
        (PixelShuffle(2), [(1, 8, 2, 2)], 0),
        (Upsample(scale_factor=2), [(1, 2, 3, 3)], 0),
        (Upsample(scale_factor=2, mode="bilinear"), [(1, 2, 3, 3)], 2 * 36 * 7),
        (Upsample(size=4, mode="linear"), [(1, 2, 3)], 2 * 4 * 3),
        (Upsample(size=(2, 2), mode="bicubic"), [(1, 1, 3, 3)], 4 * 31),
        (UpsamplingBilinear2d(size=(2, 2)), [(1, 1, 3, 3)], 4 * 7),
        (GridSample(align_corners=True), [(1, 2, 3, 3), (1, 4, 5, 2)], 2 * 20 * 7),
        (GridSample("nearest"), [(1, 2, 3, 3), (1, 4, 5, 2)], 0),
        (AffineGrid([1, 1, 4, 5]), [(1, 2, 3)], 40 * 6),
        (RoIAlign(2, sampling_ratio=3), [(2, 3, 5, 5), (1, 5)], 3 * 4 * 8 * 9),
        (DeformConv2d(ones(4, 3, 2, 2)), [(1, 3, 3, 3), (1, 8, 2, 2)], 4 * 4 * 2 * 12 + 3 * 4 * 4 * 7),
        (BatchNorm2d(ones(3), ones(3)), [(2, 3, 4, 5)], 2 * 120),
        (LayerNorm(5), [(2, 3, 5)], 7 * 30),
        (RMSNorm(5), [(2, 3, 5)], 4 * 30),
        (GroupNorm(2), [(2, 4, 5)], 7 * 40),
        (InstanceNorm(), [(2, 3, 5)], 7 * 30),
        (LocalResponseNorm(3), [(2, 3, 5)], 8 * 30),
        (Norm(), [(3, 4)], 24),
        (LinalgNorm("nuc", (0, 1)), [(3, 4)], 4 * 3 * 4 * 3),
        (Dist(), [(3, 1), (4,)], 3 * 12),
        (Cross(), [(2, 3), (2, 3)], 18),
        (Embedding(ones(5, 4)), [], 0),
        (FFTShift(), [(4,)], 0),
        (FFTFreq(5), [], 5),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Layer) else None,
)
def test_the_count_is_so_much_for_each_element(layer: Layer, inputs: list[tuple[int, ...]], flops: int) -> None:
    if isinstance(layer, Embedding):
        assert layer.flops([(2, 3)], [(2, 3, 4)]) == flops
    else:
        assert counted(layer, *inputs) == flops


def test_the_points_of_a_box_are_unknown_where_its_size_decides() -> None:
    with pytest.raises(UnknownShapeError):
        RoIAlign(2).flops([(1, 3, 5, 5), (1, 5)], [(1, 3, 2, 2)])


def test_attention_is_two_products_and_a_softmax() -> None:
    scores = 2 * 3 * 5
    assert counted(ScaledDotProductAttention(), (2, 3, 4), (2, 5, 4), (2, 5, 6)) == scores * (2 * 4 + 6 + 2 * 6)


@pytest.mark.parametrize("batch_first", [False, True])
def test_multihead_attention_adds_four_projections(batch_first: bool) -> None:
    options: dict[str, Any] = {"in_proj_weight": ones(12, 4), "in_proj_bias": ones(12), "batch_first": batch_first}
    layer = MultiheadAttention(4, 2, ones(4, 4), ones(4), **options)
    rows, sequence = 2 * 3, 3 if batch_first else 2
    expected = 4 * rows * (2 * 4 * 4 + 4) + rows * sequence * (2 * 4 + 2 * 4 + 6 * 2)
    assert counted(layer, (2, 3, 4)) == expected


def test_a_recurrent_network_uses_each_weight_at_each_step() -> None:
    arrays = {"weight_ih_l0": ones(16, 3), "weight_hh_l0": ones(16, 4), "bias_ih_l0": ones(16), "bias_hh_l0": ones(16)}
    assert counted(LSTM(arrays, 3, 4), (5, 2, 3)) == 5 * 2 * (2 * 16 * 7 + 2 * 16)
    bare = {"weight_ih_l0": ones(12, 3), "weight_hh_l0": ones(12, 4)}
    assert counted(GRU(bare, 3, 4, bias=False), (5, 3)) == 5 * 2 * 12 * 7


def test_a_bag_adds_every_number_of_its_rows() -> None:
    assert EmbeddingBag(ones(5, 4), np.array([0, 2])).flops([(7,)], [(2, 4)]) == 28


def test_a_transformers_encoder_layer_is_the_sum_of_its_layers() -> None:
    sizes = {"in_proj_weight": (12, 4), "in_proj_bias": (12,), "linear1_weight": (6, 4), "linear1_bias": (6,)}
    sizes |= {"linear2_weight": (4, 6), "out_proj_weight": (4, 4)}
    arrays: dict[str, Any] = {name: ones(*sizes.get(name, (4,))) for name in TransformerEncoderLayer.weights}
    layer = TransformerEncoderLayer(4, 2, use_gelu=False, norm_first=False, eps=1e-5, **arrays)
    attention = 4 * 6 * (2 * 4 * 4 + 4) + 6 * 3 * (4 * 4 + 6 * 2)
    mlp = 6 * 6 * (2 * 4 + 1) + 6 * 6 + 6 * 4 * (2 * 6 + 1)
    assert counted(layer, (2, 3, 4)) == attention + mlp + 2 * 7 * 24 + 2 * 24


def made(kind: str, **params: Any) -> Layer:
    options = {name: Parameter(ParameterKind.NULL, value) for name, value in params.items()}
    return registry.create(Operator(kind, "it", [Operand("x")], [Operand("y")], params=options))


def test_a_fast_fourier_transform_is_five_n_log_n_along_each_dimension_and_half_of_that_for_real_numbers() -> None:
    assert made("torch.fft.fft").flops([(3, 8)], [(3, 8)]) == 3 * 5 * 8 * 3
    assert made("torch.fft.fft", n=4).flops([(3, 8)], [(3, 4)]) == 3 * 5 * 4 * 2
    assert made("torch.fft.fft2").flops([(4, 8)], [(4, 8)]) == 4 * 5 * 8 * 3 + 8 * 5 * 4 * 2
    assert made("torch.fft.rfft").flops([(3, 8)], [(3, 5)]) == 3 * 5 * 8 * 3 // 2
    assert made("torch.fft.rfft", n=4).flops([(3, 8)], [(3, 3)]) == 3 * 5 * 4 * 2 // 2
    assert made("torch.fft.irfft").flops([(3, 5)], [(3, 8)]) == 3 * 5 * 8 * 3 // 2


def test_a_short_time_transform_transforms_each_piece_times_its_window() -> None:
    piece = 5 * 8 * 3 // 2 + 8
    assert STFT(8, hop_length=8, center=False).flops([(2, 32)], [(2, 5, 4)]) == 2 * 4 * piece
    assert ISTFT(8, hop_length=8, center=False).flops([(2, 5, 4)], [(2, 32)]) == 2 * 4 * (piece + 8) + 64
    energies = Spectrogram(ones(8), 8, 8, 8, power=2.0)
    assert energies.flops([(2, 32)], [(2, 5, 5)]) == 2 * 5 * piece + 5 * 50


def made_with_inputs(kind: str, options: list[Any]) -> Layer:
    """The layer of an operator whose options are inputs: constants as expressions write them, None where unknown."""
    operands = [Operand("x")]
    for slot, option in enumerate(options):
        source = Operator("pnnx.Expression", f"option{slot}", outputs=[Operand(f"option{slot}")])
        source.params = {"expr": Parameter(ParameterKind.STRING, str(option))}
        source.layer = None if option is None else registry.create(source)
        source.outputs[0].producer = source
        operands += source.outputs
    return registry.create(Operator(kind, "it", operands, [Operand("y")]))


def test_options_that_are_constant_inputs_count_by_their_value() -> None:
    options = ["[3,3]", "[2,2]", "[0,0]", "[1,1]", 0]
    shapes = [(1, 2, 7, 7), *[None] * 5]
    layer = made_with_inputs("aten::max_pool2d", options)
    assert layer.flops(shapes, [(1, 2, 3, 3)]) == 2 * 9 * 9
    layer = made_with_inputs("aten::max_pool2d", [None, *options[1:]])
    with pytest.raises(UnknownShapeError, match="kernel_size"):
        layer.flops(shapes, [(1, 2, 3, 3)])


def test_a_rule_that_asks_for_no_option_counts_without_them() -> None:
    inputs = [Operand("x"), Operand("y"), Operand("dim")]
    layer = registry.create(Operator("aten::linalg_cross", "it", inputs, [Operand("z")]))
    assert layer.flops([(2, 3), (2, 3), None], [(2, 3)]) == 18
