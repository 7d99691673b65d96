"""Pictures of graphs, tensors, time and memory as SVG text, and of small images as text for the terminal."""

from kuiper.show.digit import digit
from kuiper.show.graph import show_graph
from kuiper.show.memory import show_memory
from kuiper.show.partition import show_partition, show_schedule
from kuiper.show.roofline import show_roofline
from kuiper.show.svg import Svg
from kuiper.show.tensor import show_tensor

__all__ = [
    "Svg",
    "digit",
    "show_graph",
    "show_memory",
    "show_partition",
    "show_roofline",
    "show_schedule",
    "show_tensor",
]
