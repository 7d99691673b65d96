"""The compiler: a plan as one function of machine code. See README.md for the map."""

from kuiper.compiled.executor import CompiledExecutor

__all__ = ["CompiledExecutor"]
