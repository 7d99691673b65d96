"""Layers on every element: activations, expressions, comparisons, conversions."""
