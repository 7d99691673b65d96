"""What every kernel is made of: steps, buffers, scratch arrays, calls, machine code."""
