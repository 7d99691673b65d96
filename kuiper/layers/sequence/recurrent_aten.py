"""Recurrent networks as PNNX leaves them where they are the whole model: every argument an input, by position.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html, GRU.html, RNN.html
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry
from kuiper.layers.sequence.recurrent import GRU, LSTM, RNN, Recurrent


class AtenRecurrent(Layer):
    """x, initial states, list of weights, options -> output and last states of the subclass' `network`."""

    network: ClassVar[type[Recurrent]]
    options: ClassVar[dict[str, Any]] = {}

    def forward(
        self,
        x: np.ndarray,
        initial: Any,
        arrays: list[np.ndarray],
        bias: bool,
        num_layers: int,
        dropout: float,
        training: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> Any:
        """Name the weights, which come layer by layer, and run the network."""
        size, hidden_size = arrays[0].shape[1], arrays[0].shape[0] // self.network.gates
        state_size = arrays[1].shape[1]
        kinds = ["weight_ih", "weight_hh"] + ["bias_ih", "bias_hh"] * bool(bias)
        kinds += ["weight_hr"] * (state_size != hidden_size)
        endings = ("", "_reverse")[: 1 + bool(bidirectional)]
        names = [f"{kind}_l{k}{ending}" for k in range(num_layers) for ending in endings for kind in kinds]
        network = self.network(
            dict(zip(names, arrays, strict=True)),
            size,
            hidden_size,
            num_layers=num_layers,
            bias=bias,
            batch_first=batch_first,
            bidirectional=bidirectional,
            proj_size=state_size if state_size != hidden_size else 0,
            **self.options,
        )
        return network.forward(x, *(initial if isinstance(initial, (list, tuple)) else [initial]))


@registry.register("aten::lstm")
class AtenLSTM(AtenRecurrent):
    """LSTM; its initial states are a list of two."""

    network = LSTM


@registry.register("aten::gru")
class AtenGRU(AtenRecurrent):
    """GRU."""

    network = GRU


@registry.register("aten::rnn_tanh")
class AtenRNN(AtenRecurrent):
    """RNN."""

    network = RNN


@registry.register("aten::rnn_relu")
class AtenReluRNN(AtenRecurrent):
    """RNN with relu."""

    network = RNN
    options: ClassVar[dict[str, Any]] = {"nonlinearity": "relu"}
