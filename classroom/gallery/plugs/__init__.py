"""Where the exercises plug into the networks: each is an argument or a registry entry; nothing is patched."""

from classroom.gallery.plugs import bits, compiler, engine, text, vision
from classroom.gallery.plugs.plug import Plug

PLUGS = {plug.exercise: plug for plug in (*engine.PLUGS, *vision.PLUGS, *text.PLUGS, *compiler.PLUGS, *bits.PLUGS)}
"""The exercises that some network of the gallery uses, in the course's order."""

__all__ = ["PLUGS", "Plug"]
