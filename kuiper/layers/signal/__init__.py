"""Layers on signals: Fourier transforms and spectrograms."""
