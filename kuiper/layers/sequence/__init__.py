"""Layers on sequences: embedding, attention, recurrent networks (lesson 13)."""
