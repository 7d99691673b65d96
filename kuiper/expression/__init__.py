"""Expressions (lesson 7): tokens, tree, reverse Polish, evaluation."""
