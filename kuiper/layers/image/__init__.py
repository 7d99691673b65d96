"""Layers on images, sounds and volumes: windows that slide, pools, resizing, sampling (lessons 6, 8 and 12)."""
