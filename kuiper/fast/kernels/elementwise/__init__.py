"""Functions of every element: activations and formulas."""
