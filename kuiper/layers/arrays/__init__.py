"""Layers that make arrays, take them apart, join and rearrange them."""
