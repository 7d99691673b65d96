"""Normalization and softmax: statistics of the input itself."""
