"""kuiper: an inference framework for PNNX networks, in Python and numpy."""
