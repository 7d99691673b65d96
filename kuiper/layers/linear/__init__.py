"""Layers that are products of matrices (lesson 8)."""
