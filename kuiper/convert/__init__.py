"""A language model's folder as Hugging Face publishes it -> a PNNX graph and weights, by numpy alone."""

from kuiper.convert.config import Architecture, read_architecture
from kuiper.convert.folder import ConvertedModel, convert, read_model
from kuiper.convert.network import ConvertedNetwork, convert_network
from kuiper.convert.rope import Rotation
from kuiper.convert.safetensors import read_safetensors, read_weights

__all__ = [
    "Architecture",
    "ConvertedModel",
    "ConvertedNetwork",
    "Rotation",
    "convert",
    "convert_network",
    "read_architecture",
    "read_model",
    "read_safetensors",
    "read_weights",
]
