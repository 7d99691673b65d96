"""Layers on every element: activations, expressions, comparisons, conversions (lessons 5, 7)."""
