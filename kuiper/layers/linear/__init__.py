"""Layers that are products of matrices (lessons 8, 13)."""
