"""Layers that gather many elements into one: sums, extremes, statistics, sorting."""
