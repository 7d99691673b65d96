"""Back end "onnxruntime": every sub-graph as an ONNX model with a session of its own."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from kuiper.fast.threads import default_threads
from kuiper.graph import Operator
from kuiper.partition.backends.onnx import onnx_model, refusal
from kuiper.partition.backends.protocol import Backend, Program
from kuiper.partition.errors import BackendError
from kuiper.runtime import RuntimeGraph


class OnnxRuntime(Backend):
    """ONNX Runtime on the CPU. Raises ModuleNotFoundError where onnx or onnxruntime is missing."""

    def __init__(self) -> None:
        importlib.import_module("onnx")
        self.onnxruntime: Any = importlib.import_module("onnxruntime")

    def refusal(self, operator: Operator) -> str | None:
        """The exporter cannot write the operator."""
        reason = refusal(operator)
        return None if reason is None else f"onnxruntime: {reason}"

    def compile(self, graph: RuntimeGraph) -> Program:
        """A program that runs the session. Raises BackendError for a model that ONNX Runtime does not accept."""
        options = self.onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads, options.inter_op_num_threads = default_threads(), 1
        # sessions of other sub-graphs need the cores too
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        model = onnx_model(graph)
        try:
            session = self.onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise BackendError(f"onnxruntime: {str(error).strip().splitlines()[0]}") from error
        names, outputs = [o.name for o in graph.inputs], [o.name for o in graph.outputs]

        def run(inputs: Sequence[Any]) -> list[Any]:
            result: list[Any] = session.run(outputs, dict(zip(names, inputs, strict=True)))
            return result

        return run
