"""Timing the candidates for a shape and remembering the fastest."""
