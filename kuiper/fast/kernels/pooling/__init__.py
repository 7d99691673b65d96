"""Pooling and means."""
