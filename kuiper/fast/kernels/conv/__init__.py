"""Convolution and transposed convolution of float32 images."""
