"""From a graph to a plan: trace, lower, fuse, lay out, bind."""
