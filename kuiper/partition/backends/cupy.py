"""Back end "cupy": the operators of convolutional networks on an NVIDIA GPU, in the words of numpy."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from kuiper.partition.backends.array_module import ArrayModule


class CuPy(ArrayModule):
    """CuPy's arrays, in the GPU's memory. Raises ModuleNotFoundError where there is no cupy."""

    def __init__(self) -> None:
        self.cupy: Any = importlib.import_module("cupy")
        super().__init__(self.cupy, "cupy")

    def put(self, x: np.ndarray) -> Any:
        """A copy in the GPU's memory."""
        return self.cupy.array(x)

    def get(self, x: Any) -> np.ndarray:
        """A copy in the host's memory."""
        array: np.ndarray = self.cupy.asnumpy(x)
        return array
