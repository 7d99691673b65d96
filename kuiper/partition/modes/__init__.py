"""How a graph is split: for each mode, the device of every node, and the groups in which nodes run there."""
