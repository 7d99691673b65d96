"""Layers that shift and scale by means and variances, or by norms."""
