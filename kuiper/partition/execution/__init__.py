"""How a partition is run: its sub-graphs made ready, memories, threads, and what one run was like."""
