"""Weights in fewer bits: int8 with scales, or float16; what that costs; and whole networks."""

from kuiper.quantize.activations import ACTIVATION_BITS, check_activations, integer_product, quantized_rows
from kuiper.quantize.network import (
    SCALE,
    MadeRows,
    QuantizedNetwork,
    StoredWeight,
    dequantized_operator,
    quantize_network,
    read_as_weight,
    small_weights,
    weights_of,
)
from kuiper.quantize.weights import (
    BITS,
    PIECE,
    QuantizedWeight,
    WeightFigures,
    dequantized,
    figures_of,
    quantize,
    to_float16,
    to_int8,
)

__all__ = [
    "ACTIVATION_BITS",
    "BITS",
    "PIECE",
    "SCALE",
    "MadeRows",
    "QuantizedNetwork",
    "QuantizedWeight",
    "StoredWeight",
    "WeightFigures",
    "check_activations",
    "dequantized",
    "dequantized_operator",
    "figures_of",
    "integer_product",
    "quantize",
    "quantize_network",
    "quantized_rows",
    "read_as_weight",
    "small_weights",
    "to_float16",
    "to_int8",
    "weights_of",
]
